//! People, links between their handles, channels and their visibility, and the context served to agents.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::Source;
use super::lines::LineView;
use super::profiles::ProfileEntryView;

/// A handle: a person's account on a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonHandle {
    /// Handle id (`hnd_…`).
    pub id: String,
    /// Channel type, for example `matrix` or `email`.
    pub channel: String,
    /// The handle in the channel's own format.
    pub handle: String,
    /// Display name on the channel.
    pub display_name: String,
    /// Whether the person confirmed or linked it.
    pub verified: bool,
    /// Number of messages sent from it.
    pub messages: u64,
    /// Time of the first message (epoch ms).
    pub first: Option<i64>,
    /// Time of the last message (epoch ms).
    pub last: Option<i64>,
}

/// A person, agent, service or group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonView {
    /// Entity id (`ent_…`).
    pub id: String,
    /// Display name.
    pub name: String,
    /// The name they introduced themselves with in a message, if none of their handles has a name.
    pub said_name: Option<String>,
    /// `person`, `agent`, `service`, `group`.
    #[serde(rename = "type")]
    pub entity_type: String,
    /// Whether this is the owner.
    pub is_owner: bool,
    /// All handles of the person.
    pub handles: Vec<PersonHandle>,
    /// Number of messages.
    pub messages: u64,
    /// Time of the first message (epoch ms).
    pub first: Option<i64>,
    /// Time of the last message (epoch ms).
    pub last: Option<i64>,
    /// Number of approved memories about them.
    pub memories: u64,
    /// Number of suggested links of their handles that have no answer yet.
    pub open_links: u64,
}

/// All people, agents, services and groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PeopleResponse {
    /// The owner first, then those with the latest messages.
    pub items: Vec<PersonView>,
}

/// A memory about a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AboutView {
    /// Memory id.
    pub id: String,
    /// Text of the memory.
    pub content: String,
    /// Category.
    pub category: String,
    /// `public` or `private`: private if any of its sources is.
    pub visibility: String,
    /// Whether the person allowed agents to use it anywhere.
    pub is_shared: bool,
    /// When it was said (epoch ms).
    pub time: i64,
}

/// A conversation of a person, and how much an agent there may see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaceView {
    /// Conversation id.
    pub conversation_id: String,
    /// Its title, or a placeholder.
    pub title: String,
    /// Channel type.
    pub channel: String,
    /// `public` or `private`.
    pub visibility: String,
    /// Whether the conversation is excluded (not used for memory).
    pub is_private: bool,
    /// Number of messages.
    pub messages: u64,
    /// Time of the last message (epoch ms).
    pub last: i64,
    /// Number of memories about this person that an agent may use there.
    pub visible_memories: u64,
    /// Number of memories about this person that an agent may not use there.
    pub withheld_memories: u64,
}

/// A person with all details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonDetail {
    /// The fields of the list.
    pub person: PersonView,
    /// Their latest messages, newest first.
    pub timeline: Vec<LineView>,
    /// Approved memories about them, newest first.
    pub memories: Vec<AboutView>,
    /// Profile entries; current ones first.
    pub profile: Vec<ProfileEntryView>,
    /// Conversations they take part in.
    pub places: Vec<PlaceView>,
    /// Suggested and answered links of their handles.
    pub links: Vec<LinkView>,
}

/// Evidence for or against a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ClueView {
    /// For a link: `same_contact`, `declared_handle`, `same_account`, `same_full_name`, `shared_companions`, `shared_terms`.
    /// Against a link: `same_conversation`, `different_names`, `same_server`, `denied`, `declared_other`, `mixed_scripts`,
    /// `namesake`, `decided_different`.
    pub kind: String,
    /// Details of the evidence, depending on `kind`: an address, a name, words.
    #[ts(type = "Record<string, unknown>")]
    pub detail: Value,
    /// The lines that show it, up to four.
    pub lines: Vec<LineView>,
}

/// A link between two handles, suggested or answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LinkView {
    /// Link id (`lnk_…`).
    pub id: String,
    /// `open`, `same`, `different`, `unsure`.
    pub status: String,
    /// Strength of the evidence: `contact`, `declared`, `name` or `guess`; `manual` for a link that the person made.
    pub strength: String,
    /// One handle.
    pub a: PersonHandle,
    /// The other handle.
    pub b: PersonHandle,
    /// Evidence for the link.
    #[serde(rename = "for")]
    pub evidence_for: Vec<ClueView>,
    /// Evidence against the link.
    pub against: Vec<ClueView>,
    /// Some lines of the first handle.
    pub a_lines: Vec<LineView>,
    /// Some lines of the second handle.
    pub b_lines: Vec<LineView>,
    /// When it was answered (epoch ms).
    pub decided: Option<i64>,
}

/// Selects links.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct LinksRequest {
    /// `true`: only answered links; `false`: only links without an answer.
    pub answered: Option<bool>,
    /// Number of links to skip.
    pub offset: u32,
    /// Maximum number of links; 0 means the limit of 20,000.
    pub limit: u32,
}

/// Suggested and answered links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LinksResponse {
    /// Number of links that match the request.
    pub total: u64,
    /// Number of links without an answer, over all links.
    pub open: u64,
    /// Number of answered links, over all links.
    pub answered: u64,
    /// The requested page: unanswered links first, strongest first.
    pub items: Vec<LinkView>,
}

/// Answers whether two handles belong to the same person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LinkAnswerRequest {
    /// Link id.
    pub id: String,
    /// `same`, `different` or `unsure`; `open` undoes the answer.
    pub answer: String,
}

/// Two handles, each by handle id or as `channel:handle`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct HandlePair {
    /// The first handle.
    pub a: String,
    /// The second handle.
    pub b: String,
}

/// A conversation in which a link would make more memories visible.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OpenedPlace {
    /// Title of the conversation.
    pub title: String,
    /// Number of memories that become visible there.
    pub memories: u64,
}

/// The effect of linking two handles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LinkPreviewResponse {
    /// All handles of the resulting person.
    pub handles: Vec<PersonHandle>,
    /// Conversations in which more memories become visible.
    pub newly_visible: Vec<OpenedPlace>,
    /// Why the handles cannot be linked; `None` if they can.
    pub obstacle: Option<String>,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChannelView {
    /// Channel type.
    pub channel_type: String,
    /// Id of the channel within its type.
    pub channel_id: String,
    /// Display name.
    pub title: String,
    /// Visibility in effect: `public`, `private`, or `mixed` if its conversations differ.
    pub visibility: String,
    /// Visibility that the person chose for the channel.
    pub chosen: Option<String>,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of messages.
    pub messages: u64,
}

/// All channels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChannelsResponse {
    /// Channels with the most messages first.
    pub items: Vec<ChannelView>,
}

/// Sets the visibility of a whole channel (`channel_type` and `channel_id`) or of one conversation (`conversation_id`). Any other
/// combination is an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct VisibilityRequest {
    /// Channel type; requires `channel_id`.
    #[serde(default)]
    pub channel_type: Option<String>,
    /// Channel id.
    #[serde(default)]
    pub channel_id: Option<String>,
    /// Conversation id.
    #[serde(default)]
    pub conversation_id: Option<String>,
    /// `public` or `private`; `None` removes the choice.
    #[serde(default)]
    pub visibility: Option<String>,
}

/// The effect of a visibility choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct VisibilityPreview {
    /// Number of conversations whose visibility changes.
    pub conversations: u64,
    /// Number of messages in them.
    pub messages: u64,
    /// Number of approved memories that agents could then use anywhere, but cannot now.
    pub opened_memories: u64,
    /// Number of approved memories that agents can use anywhere now, but could not then.
    pub closed_memories: u64,
}

/// A request for context: who asks, about whom, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ContextRequestView {
    /// Name of the program that asks.
    #[serde(default)]
    pub agent: Option<String>,
    /// The person it talks with: `channel:handle`, an id or a name.
    #[serde(default)]
    pub person: Option<String>,
    /// Where the conversation takes place: `type:id`, a conversation id or a channel type.
    #[serde(default)]
    pub channel: Option<String>,
    /// What the context should be about. Without a query, the newest and most certain items come first.
    #[serde(default)]
    pub query: Option<String>,
    /// Maximum number of characters; 0 means the default of 6,000, and the limit is 200,000.
    #[serde(default)]
    pub budget: u32,
    /// Point in time (epoch ms). Only statements made by then and not yet replaced are used.
    #[serde(default)]
    pub as_of: Option<i64>,
}

/// An item of a context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextItemView {
    /// Id of the message, memory, profile entry or summary.
    pub id: String,
    /// `message`, `memory`, `profile`, `summary` or `commitment`.
    pub kind: String,
    /// Id of a message's conversation.
    pub conversation_id: Option<String>,
    /// Where it was said, as ids in the original export.
    pub sources: Vec<Source>,
}

/// Number of items that a privacy rule withheld. Only shown to the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WithheldView {
    /// `private_conversation` (excluded), `private_into_public` or `other_people`.
    pub rule: String,
    /// Number of items.
    pub count: u64,
}

/// The context for an agent, and additional information that only the owner receives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextResponse {
    /// The context as plain text.
    pub text: String,
    /// The items in the text.
    pub items: Vec<ContextItemView>,
    /// Number of withheld items by rule.
    pub withheld: Vec<WithheldView>,
    /// Level of detail that the text was cut to.
    pub detail: ContextDetailView,
}

/// The level of detail for the person who reads the context, and the reason for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextDetailView {
    /// `brief`, `balanced`, `detailed`.
    pub level: String,
    /// The reason, in one sentence.
    pub reason: String,
    /// Entries of that person's profile that determined the level.
    pub because: Vec<String>,
}

/// Allows agents to use an item anywhere, or withdraws this permission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ShareRequest {
    /// Id of a memory or of a profile entry.
    pub id: String,
    /// Whether agents may use it anywhere.
    pub is_shared: bool,
}

/// The access level of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgentView {
    /// Name of the agent.
    pub name: String,
    /// `public`: only public information. `private`: everything that the place and the people there allow.
    pub visibility: String,
}

/// Agents for which the person chose an access level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentsResponse {
    /// Sorted by name.
    pub items: Vec<AgentView>,
}
