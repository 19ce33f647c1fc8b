//! Sessions with agents, the tiers of long-term memory, and the agents themselves.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::agents::AgentAccessView;
use super::lines::LineView;
use super::people::WithheldView;

/// Selects sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsRequest {
    /// Only sessions of this agent, by name.
    pub agent: Option<String>,
}

/// A session in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionListRow {
    /// Session id (`ses_…`).
    pub id: String,
    /// Id of its conversation.
    pub conversation_id: String,
    /// Title of that conversation, or a placeholder.
    pub conversation_title: String,
    /// Name of the agent.
    pub agent: String,
    /// Name of the user.
    pub user: String,
    /// What the user wanted, in their own words.
    pub intent: String,
    /// When it started (epoch ms).
    pub first: i64,
    /// When it ended (epoch ms).
    pub last: i64,
    /// Number of messages.
    pub messages: u32,
    /// `casual`, `moderate` or `expert`.
    pub technical_depth: String,
    /// Mood of the user, in one word.
    pub user_mood: String,
    /// 1 (transient) to 5 (foundational).
    pub significance: u8,
    /// `resolved`, `partial`, `unresolved`.
    pub outcome: String,
    /// Whether it has been distilled into the tiers.
    pub is_distilled: bool,
    /// Rules version, or model and prompt, that summarized it.
    pub proposer: String,
}

/// Sessions with agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionsResponse {
    /// Latest first.
    pub items: Vec<SessionListRow>,
    /// Names of all agents that have sessions.
    pub agents: Vec<String>,
}

/// An item of a session's summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionItemView {
    /// Field of the summary, for example `intent`, `heard`, `tools_used`.
    pub field: String,
    /// Name of the tool, or kind of knowledge.
    pub name: Option<String>,
    /// Number of times the tool was used.
    pub uses: u32,
    /// Text of the item.
    pub text: String,
    /// The line that supports it.
    pub line: LineView,
}

/// A version of a session's summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionVersionView {
    /// Session id of the version.
    pub id: String,
    /// Number of messages it covers.
    pub messages: u32,
    /// When the last of them was said (epoch ms).
    pub last: i64,
    /// When it was made (epoch ms).
    pub made: i64,
    /// Rules version, or model and prompt, that made it.
    pub proposer: String,
    /// Whether it is the current version.
    pub is_current: bool,
}

/// A session with all details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionDetail {
    /// The fields of the list.
    pub session: SessionListRow,
    /// Items of the summary, by field.
    pub items: Vec<SessionItemView>,
    /// All versions, newest first.
    pub versions: Vec<SessionVersionView>,
}

/// Marks the end of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SessionEndRequest {
    /// Conversation id.
    pub conversation_id: String,
    /// Name of the agent that reports the end. Default: the person reports it.
    #[serde(default)]
    pub agent: Option<String>,
}

/// Outcome of marking the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionEnded {
    /// `false` if the end was already marked for these messages.
    pub is_new: bool,
}

/// Selects tiers by reader and place. Without any field, all tiers are returned, as the owner sees them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct TiersRequest {
    /// Name of the agent that asks.
    pub agent: Option<String>,
    /// The person it talks with.
    pub person: Option<String>,
    /// Where the conversation takes place.
    pub channel: Option<String>,
    /// Show the tiers as a person with this role sees them: `guest`, `friend` or `owner`.
    pub role: Option<String>,
}

/// A line of a tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TierLineView {
    /// Tier entry id (`tie_…`).
    pub id: String,
    /// The text as it is served.
    pub text: String,
    /// Kind of entry, for example `fact`, `preference`, `tool`.
    pub kind: String,
    /// 1 (transient) to 5 (foundational).
    pub significance: u8,
    /// The session it comes from.
    pub session_id: String,
    /// The line that supports it.
    pub line: LineView,
}

/// A tier as it is served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TierView {
    /// `shared`, `agent`, `user`.
    pub tier: String,
    /// Name of the agent, for an `agent` tier.
    pub agent: Option<String>,
    /// Name of the user, for a `user` tier.
    pub user: Option<String>,
    /// Whether the role may read it.
    pub is_allowed: bool,
    /// Maximum number of characters.
    pub budget: u32,
    /// Number of characters in `text`.
    pub chars: u32,
    /// The text as it is served.
    pub text: String,
    /// The lines of the text.
    pub lines: Vec<TierLineView>,
    /// Lines that did not fit, in the order in which they would be added.
    pub left_out: Vec<TierLineView>,
    /// Number of entries that repeat another line.
    pub repeated: u32,
}

/// The tiers as a given role sees them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TiersResponse {
    /// The role: `guest`, `friend` or `owner`.
    pub role: String,
    /// The shared tier, then the agents' and the users' tiers.
    pub tiers: Vec<TierView>,
    /// Number of items withheld by privacy rules.
    pub withheld: Vec<WithheldView>,
}

/// An agent with its settings, and with counts from its access log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentRow {
    /// Name of the agent.
    pub name: String,
    /// Access level that the person chose; `None` if none.
    pub visibility: Option<String>,
    /// Whether its sessions are left out of summaries.
    pub skips_memory: bool,
    /// Whether it may have goals.
    pub holds_goals: bool,
    /// Access settings from when the person added it; `None` for a program without a token.
    pub access: Option<AgentAccessView>,
    /// Number of messages it wrote.
    pub messages: u64,
    /// Number of its sessions.
    pub sessions: u64,
    /// Number of times it was served something, within the retention of the access log.
    pub reads: u64,
    /// When it was last served something (epoch ms).
    pub last_read: Option<i64>,
}

/// An entry of the access log, recorded when an agent was served something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentReadView {
    /// Number of the entry.
    pub id: String,
    /// Name of the agent; empty if the program did not give one.
    pub agent: String,
    /// What was served (`context`, `tiers`, `search`, `playbooks`, `topics`, `gaps`) or written (`append`, `remember`,
    /// `end_session`, `report_gap`).
    pub kind: String,
    /// Name of the person it talked with.
    pub person: Option<String>,
    /// Number of characters served.
    pub chars: u64,
    /// Number of items served.
    pub items: u64,
    /// When it was served (epoch ms).
    pub at: i64,
}

/// The role of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonRoleView {
    /// Entity id.
    pub id: String,
    /// Name of the person.
    pub name: String,
    /// `guest` or `friend`.
    pub role: String,
}

/// Agents, the access log, and people with their roles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentsOverview {
    /// All agents that wrote messages, were served something, or have settings.
    pub agents: Vec<AgentRow>,
    /// The latest 200 entries of the access log, newest first.
    pub reads: Vec<AgentReadView>,
    /// All people except the owner.
    pub people: Vec<PersonRoleView>,
}

/// Settings of an agent. Absent fields stay unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgentChoice {
    /// Name of the agent.
    pub name: String,
    /// Whether its sessions are left out of summaries.
    #[serde(default)]
    pub skips_memory: Option<bool>,
    /// Whether it may have goals.
    #[serde(default)]
    pub holds_goals: Option<bool>,
}

/// Sets a person's role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PersonRoleRequest {
    /// Entity id.
    pub id: String,
    /// `guest` or `friend`.
    pub role: String,
}
