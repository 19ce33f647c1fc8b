//! Conversations: the list, the reading view, exclusion from memory, status, analyses and erasure.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Count, Source};

/// Selects conversations. All conditions must be met.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationsListRequest {
    /// Words in the title or in a message.
    pub query: Option<String>,
    /// Only these channel types; empty means all.
    pub channel: Vec<String>,
    /// `true`: only excluded conversations (not used for memory); `false`: only the others.
    pub private: Option<bool>,
    /// Only conversations with a message at or after this time (epoch ms). With `person` or `topic`, the message must be theirs.
    pub from: Option<i64>,
    /// Only conversations with a message before this time (epoch ms).
    pub to: Option<i64>,
    /// Only conversations with a message by this person, by id.
    pub person: Option<String>,
    /// Only conversations with a message in this topic, by id.
    pub topic: Option<String>,
    /// Number of rows to skip.
    pub offset: u32,
    /// Maximum number of rows; 0 means the limit of 20,000.
    pub limit: u32,
}

/// A conversation in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationRow {
    /// Conversation id (`conv_…`).
    pub id: String,
    /// Its title, or a placeholder.
    pub title: String,
    /// Channel type, for example `chat` or `whatsapp`.
    pub channel_type: String,
    /// Id of the channel within its type.
    pub channel_id: String,
    /// `public` or `private`: who may see what is known from it.
    pub visibility: String,
    /// Visibility that the person chose for this conversation; `None` if its channel or source decides.
    pub chosen_visibility: Option<String>,
    /// Whether the person excluded it. An excluded conversation is not used for memory and never analyzed.
    pub is_private: bool,
    /// Whether it is used again, but messages arrived while it was excluded. These messages are not used for memory.
    pub has_private_time: bool,
    /// `active`, `idle` or `archived` (ended).
    pub status: String,
    /// Number of messages.
    pub messages: u64,
    /// Time of the first message (epoch ms).
    pub first: i64,
    /// Time of the last message (epoch ms).
    pub last: i64,
    /// Whether `last` is a guess because the source has no times.
    pub is_time_inferred: bool,
    /// Number of approved memories based on it.
    pub memories_active: u64,
    /// Number of pending memories based on it.
    pub memories_pending: u64,
    /// Names of up to five participants, most messages first.
    pub participants: Vec<String>,
    /// Its ids in the original export; `message` is empty.
    pub source: Source,
    /// Whether it is part of the sample data.
    pub is_sample: bool,
}

/// Conversations and counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationsListResponse {
    /// Number of conversations that match the request.
    pub total: u64,
    /// The requested page, latest activity first.
    pub items: Vec<ConversationRow>,
    /// Number of conversations by channel type, over all of them.
    pub by_channel: Vec<Count>,
    /// Number of excluded conversations.
    pub private_count: u64,
}

/// Selects a page of a conversation's messages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct MessagesRequest {
    /// Conversation id.
    pub conversation_id: String,
    /// Position of the first message, from 0.
    pub offset: u32,
    /// Maximum number of messages; 0 means 200, and the limit is 500.
    pub limit: u32,
    /// Id of a message to center the page on; replaces `offset`.
    pub around: Option<String>,
}

/// A span of a message that supports a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemorySpan {
    /// Memory id.
    pub memory_id: String,
    /// Offset of the first code point.
    pub start: u32,
    /// Offset after the last code point.
    pub end: u32,
    /// Status of the memory.
    pub status: String,
    /// Category of the memory.
    pub category: String,
    /// Text of the memory.
    pub content: String,
}

/// A message in the reading view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MessageView {
    /// Message id (`int_…`).
    pub id: String,
    /// Position in the conversation, from 0.
    pub position: u32,
    /// Name of the author.
    pub author: String,
    /// The source's label for the author, if the person identified the speaker.
    pub label: Option<String>,
    /// `owner`, `person`, `assistant`, `system` or `tool`.
    pub role: String,
    /// Kind of message, for example `text`, `voice`, `tool_use`.
    pub message_type: String,
    /// Name of the tool, for tool calls and results.
    pub tool: Option<String>,
    /// When it was sent (epoch ms).
    pub time: i64,
    /// How reliable `time` is: `exact`, `local_assumed` (the source has no time zone) or `inferred` (the source has no time).
    pub time_certainty: String,
    /// The text, unchanged.
    pub text: String,
    /// Whether it is on a branch that the person left by editing or regenerating a message.
    pub is_branch: bool,
    /// Spans that support memories.
    pub spans: Vec<MemorySpan>,
}

/// A page of messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MessagesResponse {
    /// Number of messages in the conversation.
    pub total: u32,
    /// Position of the first item, from 0.
    pub offset: u32,
    /// The messages, in order.
    pub items: Vec<MessageView>,
}

/// What excluding a conversation would affect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PrivacyPreview {
    /// Whether it is excluded now.
    pub is_private: bool,
    /// Number of approved memories based only on this conversation.
    pub memories_active: u64,
    /// Number of pending and quarantined memories based only on this conversation.
    pub memories_pending: u64,
    /// Number of its analyses and summaries.
    pub analyses: u64,
    /// Number of its entries in the gate log.
    pub gate_entries: u64,
    /// Number of messages that arrived while it was excluded.
    pub private_time_messages: u64,
}

/// What happens to data that was already derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExistingMemories {
    /// Keep it in use.
    Keep,
    /// Keep it, but do not serve it to anyone.
    Hide,
    /// Erase it.
    Erase,
}

/// Excludes a conversation from memory, or allows its use again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SetPrivateRequest {
    /// Conversation id.
    pub id: String,
    /// `true` excludes it, `false` allows its use again.
    pub private: bool,
    /// What happens to data derived earlier; only used when excluding.
    pub existing: ExistingMemories,
    /// Also use the messages that arrived while it was excluded. Requires `private: false`; also works if the conversation is
    /// already used again. Default `false`.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub use_private_time: bool,
}

/// Outcome of the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SetPrivateOutcome {
    /// Whether it is excluded now.
    pub is_private: bool,
    /// Number of memories hidden.
    pub hidden: u64,
    /// Number of memories erased.
    pub erased: u64,
    /// Whether a reader still uses an older state of the database file, so that erased text may remain in it. An `erase` job
    /// finishes the erasure.
    pub is_erasure_pending: bool,
    /// Number of memories unhidden.
    pub unhidden: u64,
    /// Number of jobs canceled.
    pub jobs_cancelled: u64,
}

/// Starts an analysis of a whole conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeRequest {
    /// Conversation id.
    pub id: String,
    /// Analyze even if nothing is new or the conversation is short. Default `false`.
    #[serde(default)]
    pub force: bool,
}

/// Outcome of an analysis request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum AnalyzeStarted {
    /// A job was queued.
    Queued {
        /// Id of the job.
        job_id: String,
    },
    /// Nothing is new since the last analysis.
    NothingNew {
        /// Id of that analysis.
        analysis_id: String,
    },
    /// The conversation is shorter than the minimum; `force` overrides this.
    TooShort {
        /// Number of messages it has.
        messages: u32,
        /// Minimum number of messages.
        messages_min: u32,
    },
    /// The conversation is excluded, so it is never analyzed.
    Private,
}

/// A sentence of an extractive summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SummarySentenceView {
    /// Message it was taken from.
    pub interaction_id: String,
    /// Offset of its first code point.
    pub start: u32,
    /// Offset after its last code point.
    pub end: u32,
    /// Name of the author.
    pub author: String,
    /// The sentence.
    pub text: String,
}

/// A point in the emotional arc of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ArcPointView {
    /// `start`, `middle` or `end`.
    pub stage: String,
    /// The mood, in one word.
    pub mood: String,
    /// The message that shows it.
    pub interaction_id: Option<String>,
}

/// An analysis of a whole conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AnalysisView {
    /// Analysis id (`ana_…`).
    pub id: String,
    /// When it was made (epoch ms).
    pub created_at: i64,
    /// The engine and its version.
    pub proposer: String,
    /// Summary in 2–3 sentences.
    pub summary: Vec<SummarySentenceView>,
    /// Themes, each in a few words.
    pub themes: Vec<String>,
    /// The tone, in words; empty unless a language model analyzed the conversation.
    pub tone: String,
    /// The emotional arc.
    pub arc: Vec<ArcPointView>,
    /// Names of the participants.
    pub participants: Vec<String>,
    /// Key topics, each in a few words.
    pub key_topics: Vec<String>,
    /// Number of messages read.
    pub messages: u32,
    /// Number of new proposals by category.
    pub proposed: Vec<Count>,
    /// Number of filtered-out candidates by gate.
    pub stopped: Vec<Count>,
    /// Number of candidates that repeat known statements.
    pub repeated: u32,
    /// Ids of the new proposals.
    pub candidate_ids: Vec<String>,
    /// Themes and key topics that the previous analysis did not have.
    pub new_since_last: Vec<String>,
}

/// All analyses of a conversation, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AnalysesResponse {
    /// The analyses.
    pub items: Vec<AnalysisView>,
}

/// A span of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct StretchView {
    /// Message id.
    pub message_id: String,
    /// Offset of the first code point.
    pub start: u32,
    /// Offset after the last code point.
    pub end: u32,
}

/// A reason for a conversation's status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReasonView {
    /// `empty`, `within_rhythm`, `beyond_rhythm`, `long_silence`, `farewell`, `settled`, `open_question`, `pending_promise`.
    pub kind: String,
    /// Time since the last message, in ms, not counting the inactive hours of the day.
    pub silence_ms: Option<i64>,
    /// Usual length of a pause in this conversation, in ms.
    pub usual_ms: Option<i64>,
    /// Length of silence after which it counts as ended, in ms.
    pub end_ms: Option<i64>,
    /// The line that shows it.
    pub place: Option<StretchView>,
}

/// The pace and style of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToneView {
    /// `quick`, `steady` or `slow`; `None` if there are no replies yet.
    pub pace: Option<String>,
    /// Median number of words per message.
    pub typical_words: u32,
    /// Number of messages this is based on.
    pub messages: u32,
}

/// A promise made in a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CommitmentView {
    /// Conversation it was made in.
    pub conversation_id: String,
    /// Title of that conversation, or a placeholder.
    pub conversation_title: String,
    /// Name of the person who promised; `None` for the owner.
    pub debtor: Option<String>,
    /// Name of the person it was promised to; `None` for the owner or a group.
    pub creditor: Option<String>,
    /// Whether it was promised to the owner.
    pub is_owed_to_owner: bool,
    /// What was promised, in the original words.
    pub what: String,
    /// Where it was promised.
    pub place: StretchView,
    /// Deadline (epoch ms), if one was named.
    pub due: Option<i64>,
    /// Precision of the deadline: `hour`, `day` or `period`.
    pub due_precision: Option<String>,
    /// Whether it was kept, dropped, or released by the person it was promised to.
    pub settled: bool,
    /// The line that shows that the promise is settled; `None` while the promise is open.
    pub settled_at: Option<StretchView>,
}

/// A summary of a range of messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SummaryView {
    /// Summary id (`sum_…`).
    pub id: String,
    /// The text.
    pub text: String,
    /// First message of the range.
    pub first_message_id: String,
    /// Last message of the range.
    pub last_message_id: String,
    /// Rules version, or model and prompt, that wrote it.
    pub proposer: String,
    /// When it was written (epoch ms).
    pub created_at: i64,
}

/// Status of a conversation. All fields are empty if it is excluded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationStatusView {
    /// `active`, `idle` or `archived` (ended); `None` for an excluded conversation.
    pub status: Option<String>,
    /// Reasons for the status, starting with the silence.
    pub reasons: Vec<ReasonView>,
    /// Rules version, or model and prompt, that decided the status.
    pub judge: Option<String>,
    /// Pace and style.
    pub tone: Option<ToneView>,
    /// Promises made in it, in order.
    pub commitments: Vec<CommitmentView>,
    /// The current summary.
    pub summary: Option<SummaryView>,
}

/// Promises made by and to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CommitmentsResponse {
    /// Open ones first, then the most recent.
    pub items: Vec<CommitmentView>,
}

/// What an erasure would remove.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ErasePreview {
    /// Number of messages.
    pub messages: u64,
    /// Number of conversations that are removed entirely.
    pub conversations: u64,
    /// Number of conversations that lose only some of their messages.
    pub shortened: u64,
    /// Number of memories, pending ones included, that are based on nothing else.
    pub memories: u64,
}

/// Receipt of an erasure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EraseOutcome {
    /// Number of messages removed.
    pub messages: u64,
    /// Number of conversations removed entirely.
    pub conversations: u64,
    /// Number of memories removed, pending ones included.
    pub memories: u64,
    /// Whether a reader still uses an older state of the database file, so that erased text may remain in it until that read
    /// ends.
    pub is_pending: bool,
    /// The job that finishes the erasure.
    pub job_id: String,
}
