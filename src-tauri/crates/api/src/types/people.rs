//! People, the links between their handles, channels with their visibility, and what an agent would get.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::Source;
use super::profiles::ProfileEntryView;

/// One handle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonHandle {
    /// Id.
    pub id: String,
    /// Channel type: `matrix`, `email` …
    pub channel: String,
    /// As the channel writes it.
    pub handle: String,
    /// The name it goes by there.
    pub display_name: String,
    /// Confirmed by the person, or linked by them.
    pub verified: bool,
    /// Messages under it.
    pub messages: u64,
    /// First message.
    pub first: Option<i64>,
    /// Last message.
    pub last: Option<i64>,
}

/// A person, agent or service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonView {
    /// Id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Where their handles bear no name: the words in which they said what they are called.
    pub said_name: Option<String>,
    /// `person`, `agent`, `service`, `group`.
    #[serde(rename = "type")]
    pub entity_type: String,
    /// It is the owner.
    pub is_owner: bool,
    /// Every handle that is theirs.
    pub handles: Vec<PersonHandle>,
    /// Messages.
    pub messages: u64,
    /// First message.
    pub first: Option<i64>,
    /// Last message.
    pub last: Option<i64>,
    /// Approved memories about them.
    pub memories: u64,
    /// Suggested links of their handles that wait for an answer.
    pub open_links: u64,
}

/// Everybody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PeopleResponse {
    /// The owner first, then whoever was heard last.
    pub items: Vec<PersonView>,
}

/// One line of a person's history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LineView {
    /// Message id.
    pub message_id: String,
    /// Conversation to open.
    pub conversation_id: String,
    /// Its title.
    pub conversation_title: String,
    /// Channel type.
    pub channel: String,
    /// `public` or `private`.
    pub visibility: String,
    /// Its conversation is kept out of memory.
    pub is_private: bool,
    /// Who said it.
    pub author: String,
    /// When.
    pub time: i64,
    /// The text, whole.
    pub text: String,
    /// Where in it the evidence begins; equal to `end` where the whole line counts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

/// A memory about a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AboutView {
    /// Memory id.
    pub id: String,
    /// The statement.
    pub content: String,
    /// Category.
    pub category: String,
    /// `public` or `private`: the join of its sources.
    pub visibility: String,
    /// The person allowed it to be told anywhere.
    pub is_shared: bool,
    /// When it was said.
    pub time: i64,
}

/// A conversation of a person, and what an agent in it may see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaceView {
    /// Conversation id.
    pub conversation_id: String,
    /// Title.
    pub title: String,
    /// Channel type.
    pub channel: String,
    /// `public` or `private`.
    pub visibility: String,
    /// Turned private by the person: nothing of it is used.
    pub is_private: bool,
    /// Messages.
    pub messages: u64,
    /// Last message.
    pub last: i64,
    /// Memories about this person that may be told there.
    pub visible_memories: u64,
    /// Memories about this person that may not.
    pub withheld_memories: u64,
}

/// One person in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonDetail {
    /// Who.
    pub person: PersonView,
    /// What they said last, newest first.
    pub timeline: Vec<LineView>,
    /// Approved memories about them, newest first.
    pub memories: Vec<AboutView>,
    /// What is known of how they want things, what holds first.
    pub profile: Vec<ProfileEntryView>,
    /// Where they are met.
    pub places: Vec<PlaceView>,
    /// Suggested and answered links of their handles.
    pub links: Vec<LinkView>,
}

/// One reason for or against a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ClueView {
    /// `same_contact`, `declared_handle`, `same_account`, `same_full_name`, `shared_companions`, `shared_terms`; against:
    /// `same_conversation`, `different_names`, `same_server`, `denied`, `declared_other`, `mixed_scripts`, `namesake`,
    /// `decided_different`.
    pub kind: String,
    /// What the reason names: an address, a name, words.
    #[ts(type = "Record<string, unknown>")]
    pub detail: Value,
    /// The lines it rests on.
    pub lines: Vec<LineView>,
}

/// A pair of handles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LinkView {
    /// Id.
    pub id: String,
    /// `open`, `same`, `different`, `unsure`.
    pub status: String,
    /// `contact`, `declared`, `name`, `guess`; `manual` for a link by hand.
    pub strength: String,
    /// One handle.
    pub a: PersonHandle,
    /// The other.
    pub b: PersonHandle,
    /// What speaks for it.
    #[serde(rename = "for")]
    pub evidence_for: Vec<ClueView>,
    /// What speaks against it.
    pub against: Vec<ClueView>,
    /// Some lines of the first handle.
    pub a_lines: Vec<LineView>,
    /// Some lines of the other.
    pub b_lines: Vec<LineView>,
    /// When it was answered.
    pub decided: Option<i64>,
}

/// Which pairs to list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct LinksRequest {
    /// Only answered ones (true) or those that wait (false).
    pub answered: Option<bool>,
    /// How many to pass over.
    pub offset: u32,
    /// How many to return; 0 means as many as allowed.
    pub limit: u32,
}

/// Suggested and answered links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LinksResponse {
    /// How many there are that were asked for.
    pub total: u64,
    /// How many wait for an answer, whatever was asked for.
    pub open: u64,
    /// How many are answered.
    pub answered: u64,
    /// The rows asked for: the open ones first, of those the strongest first.
    pub items: Vec<LinkView>,
}

/// An answer about a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LinkAnswerRequest {
    /// Suggestion or link.
    pub id: String,
    /// `same`, `different`, `unsure`; `open` takes the answer back.
    pub answer: String,
}

/// Two handles, by id or as `channel:handle`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct HandlePair {
    /// One.
    pub a: String,
    /// The other.
    pub b: String,
}

/// A place that a link opens to what was said elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OpenedPlace {
    /// Its title.
    pub title: String,
    /// How many memories could newly be told there.
    pub memories: u64,
}

/// What linking two handles would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LinkPreviewResponse {
    /// Every handle of the person it would make.
    pub handles: Vec<PersonHandle>,
    /// What could newly be told where.
    pub newly_visible: Vec<OpenedPlace>,
    /// Why it cannot be done.
    pub obstacle: Option<String>,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChannelView {
    /// Channel type.
    pub channel_type: String,
    /// Channel id.
    pub channel_id: String,
    /// Something to call it by.
    pub title: String,
    /// What counts: `public`, `private`, or `mixed` where its conversations differ.
    pub visibility: String,
    /// What the person chose for it.
    pub chosen: Option<String>,
    /// Conversations.
    pub conversations: u64,
    /// Messages.
    pub messages: u64,
}

/// Every channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChannelsResponse {
    /// The busiest first.
    pub items: Vec<ChannelView>,
}

/// A choice for a channel or for one conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct VisibilityRequest {
    /// Channel type; with `channel_id` the whole channel is meant.
    #[serde(default)]
    pub channel_type: Option<String>,
    /// Channel id.
    #[serde(default)]
    pub channel_id: Option<String>,
    /// One conversation.
    #[serde(default)]
    pub conversation_id: Option<String>,
    /// `public`, `private`; nothing takes the choice back.
    #[serde(default)]
    pub visibility: Option<String>,
}

/// What a choice would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct VisibilityPreview {
    /// Conversations whose visibility changes.
    pub conversations: u64,
    /// Their messages.
    pub messages: u64,
    /// Approved memories that could be told anywhere afterwards and not before.
    pub opened_memories: u64,
    /// Approved memories that could be told anywhere before and not afterwards.
    pub closed_memories: u64,
}

/// For whom and where a context is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ContextRequestView {
    /// The program that asks.
    #[serde(default)]
    pub agent: Option<String>,
    /// Whom it talks with: `channel:handle`, an id, a name.
    #[serde(default)]
    pub person: Option<String>,
    /// Where: `type:id`, a conversation, a channel type.
    #[serde(default)]
    pub channel: Option<String>,
    /// What it is about.
    #[serde(default)]
    pub query: Option<String>,
    /// Characters at most.
    #[serde(default)]
    pub budget: u32,
    /// As it was believed at this moment.
    #[serde(default)]
    pub as_of: Option<i64>,
}

/// One line of a context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextItemView {
    /// Its id.
    pub id: String,
    /// `message`, `memory`, `profile`, `summary`.
    pub kind: String,
    /// Where to open a message.
    pub conversation_id: Option<String>,
    /// Where it was said.
    pub sources: Vec<Source>,
}

/// What a rule held back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WithheldView {
    /// `private_conversation`, `private_into_public`, `other_people`.
    pub rule: String,
    /// How many items.
    pub count: u64,
}

/// What an agent would get, and what only the owner is told beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextResponse {
    /// Plain text.
    pub text: String,
    /// Its lines.
    pub items: Vec<ContextItemView>,
    /// What was held back.
    pub withheld: Vec<WithheldView>,
    /// How much detail it was cut to.
    pub detail: ContextDetailView,
}

/// How much detail the reader was judged to want, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextDetailView {
    /// `brief`, `balanced`, `detailed`.
    pub level: String,
    /// One sentence.
    pub reason: String,
    /// The entries of the reader's profile that it rests on.
    pub because: Vec<String>,
}

/// "This may be told anywhere", or taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ShareRequest {
    /// Memory or profile entry.
    pub id: String,
    /// Told anywhere.
    pub is_shared: bool,
}

/// A program and the most it may be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgentView {
    /// Its name.
    pub name: String,
    /// `public`: only what anybody may know; `private`: what the place and the people allow.
    pub visibility: String,
}

/// Programs that the person gave a level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentsResponse {
    /// By name.
    pub items: Vec<AgentView>,
}
