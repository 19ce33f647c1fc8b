//! Sessions with agents, the tiers of long-term memory, and the agents themselves, as the owner sees them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::people::{LineView, WithheldView};

/// Which sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsRequest {
    /// Of one agent, by its name.
    pub agent: Option<String>,
}

/// A session in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionListRow {
    /// Id.
    pub id: String,
    /// Where it was held.
    pub conversation_id: String,
    /// That conversation's title.
    pub conversation_title: String,
    /// The agent's name.
    pub agent: String,
    /// The user's name.
    pub user: String,
    /// What the user came for, in their words.
    pub intent: String,
    /// When it began.
    pub first: i64,
    /// When it ended.
    pub last: i64,
    /// Messages.
    pub messages: u32,
    /// `casual`, `moderate`, `expert`.
    pub technical_depth: String,
    /// A mood.
    pub user_mood: String,
    /// 1 (transient) to 5 (foundational).
    pub significance: u8,
    /// `resolved`, `partial`, `unresolved`.
    pub outcome: String,
    /// It is in the tiers.
    pub is_distilled: bool,
    /// What made it.
    pub proposer: String,
}

/// Sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionsResponse {
    /// The latest first.
    pub items: Vec<SessionListRow>,
    /// Every agent that has sessions, by name.
    pub agents: Vec<String>,
}

/// One line of a session's record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionItemView {
    /// `intent`, `heard`, `tools_used` …
    pub field: String,
    /// Beside a tool its name, beside knowledge its kind.
    pub name: Option<String>,
    /// How often a tool was used.
    pub uses: u32,
    /// What it says.
    pub text: String,
    /// The line that proves it.
    pub line: LineView,
}

/// A version of a session's record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionVersionView {
    /// Id.
    pub id: String,
    /// Messages that it covers.
    pub messages: u32,
    /// When the last of them was said.
    pub last: i64,
    /// When it was made.
    pub made: i64,
    /// What made it: the rules, or a model with its prompt.
    pub proposer: String,
    /// It stands.
    pub is_current: bool,
}

/// One session, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionDetail {
    /// As in the list.
    pub session: SessionListRow,
    /// Its lines by field.
    pub items: Vec<SessionItemView>,
    /// Every version, the newest first.
    pub versions: Vec<SessionVersionView>,
}

/// Where a session ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SessionEndRequest {
    /// The conversation.
    pub conversation_id: String,
    /// The agent that says so; without it the person does.
    #[serde(default)]
    pub agent: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionEnded {
    /// Nobody had said so of these messages.
    pub is_new: bool,
}

/// For whom and where the tiers are wanted; without anything all of them, for the owner's own eyes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct TiersRequest {
    /// The agent that asks.
    pub agent: Option<String>,
    /// Whom it talks with.
    pub person: Option<String>,
    /// Where.
    pub channel: Option<String>,
    /// As somebody with this role: `guest`, `friend`, `owner`.
    pub role: Option<String>,
}

/// One line of a tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TierLineView {
    /// Of the entry.
    pub id: String,
    /// The line as it is served.
    pub text: String,
    /// `fact`, `preference`, `tool` …
    pub kind: String,
    /// 1 to 5.
    pub significance: u8,
    /// The session that it comes from.
    pub session_id: String,
    /// The line that proves it.
    pub line: LineView,
}

/// One tier as it is served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TierView {
    /// `shared`, `agent`, `user`.
    pub tier: String,
    /// Of which agent.
    pub agent: Option<String>,
    /// Of which user.
    pub user: Option<String>,
    /// Whether the role lets it be read.
    pub is_allowed: bool,
    /// Characters at most.
    pub budget: u32,
    /// Characters of the text.
    pub chars: u32,
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: Vec<TierLineView>,
    /// What did not fit, the next one first.
    pub left_out: Vec<TierLineView>,
    /// Entries that say what another line says.
    pub repeated: u32,
}

/// The tiers as somebody sees them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TiersResponse {
    /// By which role.
    pub role: String,
    /// Shared, agents', users'.
    pub tiers: Vec<TierView>,
    /// What the boundary held back.
    pub withheld: Vec<WithheldView>,
}

/// An agent with its choices and what it was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentRow {
    /// Its name.
    pub name: String,
    /// The most it may be told, where the person said so.
    pub visibility: Option<String>,
    /// Its sessions are not summed up.
    pub skips_memory: bool,
    /// It may hold goals.
    pub holds_goals: bool,
    /// Messages that it wrote.
    pub messages: u64,
    /// Sessions that stand.
    pub sessions: u64,
    /// How often it was given something, as far as that is kept.
    pub reads: u64,
    /// When it was last.
    pub last_read: Option<i64>,
}

/// That an agent was given something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentReadView {
    /// Its number.
    pub id: String,
    /// Its name; empty where a program named nobody.
    pub agent: String,
    /// `context`, `tiers`, `search`, `playbooks`.
    pub kind: String,
    /// With whom it talked.
    pub person: Option<String>,
    /// Characters.
    pub chars: u64,
    /// Lines.
    pub items: u64,
    /// When.
    pub at: i64,
}

/// Somebody with a role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonRoleView {
    /// The person.
    pub id: String,
    /// Their name.
    pub name: String,
    /// `guest` or `friend`.
    pub role: String,
}

/// Agents, and people with their roles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentsOverview {
    /// Agents that spoke, that were given something or that the person chose something for.
    pub agents: Vec<AgentRow>,
    /// What they were given last, the latest first.
    pub reads: Vec<AgentReadView>,
    /// People but the owner.
    pub people: Vec<PersonRoleView>,
}

/// What an agent may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgentChoice {
    /// Its name.
    pub name: String,
    /// Its sessions are not summed up.
    #[serde(default)]
    pub skips_memory: Option<bool>,
    /// It may hold goals.
    #[serde(default)]
    pub holds_goals: Option<bool>,
}

/// How near somebody is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PersonRoleRequest {
    /// The person.
    pub id: String,
    /// `guest` or `friend`.
    pub role: String,
}
