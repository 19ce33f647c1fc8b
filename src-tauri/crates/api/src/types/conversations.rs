//! Conversations: the list, the reading view, the privacy toggle and Analyze Now.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Count, Source};

/// Which conversations to list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationsListRequest {
    /// Words of the title or of a message.
    pub query: Option<String>,
    /// Channel types.
    pub channel: Vec<String>,
    /// Only private ones (true) or others (false).
    pub private: Option<bool>,
    /// With a message said at this moment or later; of this person and topic, where one is named.
    pub from: Option<i64>,
    /// With a message said before this moment.
    pub to: Option<i64>,
    /// With a message of this person.
    pub person: Option<String>,
    /// With a message of this topic.
    pub topic: Option<String>,
    /// How many to pass over.
    pub offset: u32,
    /// How many to return; 0 means as many as allowed.
    pub limit: u32,
}

/// One conversation in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationRow {
    /// Id.
    pub id: String,
    /// Title, or a stand-in made from channel and date.
    pub title: String,
    /// Channel type.
    pub channel_type: String,
    /// Channel id.
    pub channel_id: String,
    /// `public` or `private`: who may see what is known from it.
    pub visibility: String,
    /// What the person chose for this conversation alone; nothing where its channel or source decides.
    pub chosen_visibility: Option<String>,
    /// Kept out of analysis by the person.
    pub is_private: bool,
    /// Messages arrived while it was private, and nothing is derived from them.
    pub has_private_time: bool,
    /// `active`, `idle`, `archived`.
    pub status: String,
    /// Messages in it.
    pub messages: u64,
    /// First message.
    pub first: i64,
    /// Last message.
    pub last: i64,
    /// `last` is a guess: the source gave no time.
    pub is_time_inferred: bool,
    /// Memories that rest on it.
    pub memories_active: u64,
    /// Candidates that wait.
    pub memories_pending: u64,
    /// Who takes part, most talkative first, at most five.
    pub participants: Vec<String>,
    /// The export's ids (message empty).
    pub source: Source,
    /// Came with the sample data.
    pub is_sample: bool,
}

/// Rows and counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConversationsListResponse {
    /// How many match.
    pub total: u64,
    /// The rows asked for, latest activity first.
    pub items: Vec<ConversationRow>,
    /// Counts by channel type.
    pub by_channel: Vec<Count>,
    /// How many are private.
    pub private_count: u64,
}

/// A stretch of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct MessagesRequest {
    /// Conversation id.
    pub conversation_id: String,
    /// Position of the first message wanted.
    pub offset: u32,
    /// How many; at most 500.
    pub limit: u32,
    /// Instead of `offset`: centre on this message.
    pub around: Option<String>,
}

/// A span in a message that became a candidate or memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemorySpan {
    /// Memory id.
    pub memory_id: String,
    /// First code point.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Its status.
    pub status: String,
    /// Its category.
    pub category: String,
    /// Its statement.
    pub content: String,
}

/// One message in the reading view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MessageView {
    /// Id.
    pub id: String,
    /// Position in the conversation.
    pub position: u32,
    /// Who said it.
    pub author: String,
    /// How the source calls a speaker that the person put a name to.
    pub label: Option<String>,
    /// Role.
    pub role: String,
    /// `text`, `tool_use` …
    pub message_type: String,
    /// Tool name.
    pub tool: Option<String>,
    /// When.
    pub time: i64,
    /// `exact`, `local_assumed`, `inferred`.
    pub time_certainty: String,
    /// The text, exactly.
    pub text: String,
    /// On a branch that was edited or regenerated away from.
    pub is_branch: bool,
    /// Spans that became candidates or memories.
    pub spans: Vec<MemorySpan>,
}

/// The stretch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MessagesResponse {
    /// Messages in the conversation.
    pub total: u32,
    /// Position of the first item.
    pub offset: u32,
    /// The messages.
    pub items: Vec<MessageView>,
}

/// What the privacy toggle would touch, counted before it happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PrivacyPreview {
    /// It is private now.
    pub is_private: bool,
    /// Approved memories that rest only on it.
    pub memories_active: u64,
    /// Candidates that rest only on it.
    pub memories_pending: u64,
    /// Analyses and summaries of it.
    pub analyses: u64,
    /// Entries of the gate log about it.
    pub gate_entries: u64,
    /// Messages that arrived while it was private.
    pub private_time_messages: u64,
}

/// What becomes of what was already derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExistingMemories {
    /// Leave it.
    Keep,
    /// Keep it, but serve it to nobody.
    Hide,
    /// Delete it.
    Erase,
}

/// Turns a conversation private or back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SetPrivateRequest {
    /// Conversation id.
    pub id: String,
    /// Private from now on.
    pub private: bool,
    /// What becomes of what was derived before; used when turning private.
    pub existing: ExistingMemories,
    /// Whether what arrived while it was private is to be used too; used when turning back, and later.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub use_private_time: bool,
}

/// What the toggle did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SetPrivateOutcome {
    /// It is private now.
    pub is_private: bool,
    /// Memories hidden.
    pub hidden: u64,
    /// Memories erased.
    pub erased: u64,
    /// Somebody still reads the file, so that erased text may stand in it; a job (`erase`) waits for that.
    pub is_erasure_pending: bool,
    /// Memories shown again.
    pub unhidden: u64,
    /// Jobs cancelled.
    pub jobs_cancelled: u64,
}

/// Starts Analyze Now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeRequest {
    /// Conversation id.
    pub id: String,
    /// Run although nothing is new or the conversation is short.
    #[serde(default)]
    pub force: bool,
}

/// What came of asking for an analysis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum AnalyzeStarted {
    /// A job was queued.
    Queued {
        /// The job.
        job_id: String,
    },
    /// The same transcript as last time.
    NothingNew {
        /// That analysis.
        analysis_id: String,
    },
    /// Fewer than the soft minimum; can be forced.
    TooShort {
        /// Messages there are.
        messages: u32,
        /// Messages wanted.
        messages_min: u32,
    },
    /// The conversation is private: never analysed.
    Private,
}

/// A sentence of an extractive summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SummarySentenceView {
    /// Message it stands in.
    pub interaction_id: String,
    /// First code point.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Who said it.
    pub author: String,
    /// The sentence.
    pub text: String,
}

/// A point of the emotional arc.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ArcPointView {
    /// `start`, `middle`, `end`.
    pub stage: String,
    /// The mood, in a word.
    pub mood: String,
    /// The message it rests on.
    pub interaction_id: Option<String>,
}

/// One whole-conversation analysis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AnalysisView {
    /// Id.
    pub id: String,
    /// When.
    pub created_at: i64,
    /// Which engine and version.
    pub proposer: String,
    /// 2–3 sentences.
    pub summary: Vec<SummarySentenceView>,
    /// Themes.
    pub themes: Vec<String>,
    /// Tone, in words; empty where no model told it.
    pub tone: String,
    /// Emotional arc.
    pub arc: Vec<ArcPointView>,
    /// Participants.
    pub participants: Vec<String>,
    /// Key topics.
    pub key_topics: Vec<String>,
    /// Messages read.
    pub messages: u32,
    /// New candidates by category.
    pub proposed: Vec<Count>,
    /// Stopped candidates by gate.
    pub stopped: Vec<Count>,
    /// Candidates that repeated what was known.
    pub repeated: u32,
    /// Ids of the new candidates.
    pub candidate_ids: Vec<String>,
    /// Differences to the analysis before: themes and topics new since then.
    pub new_since_last: Vec<String>,
}

/// The history of a conversation, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AnalysesResponse {
    /// The analyses.
    pub items: Vec<AnalysisView>,
}

/// A stretch of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct StretchView {
    /// Message id.
    pub message_id: String,
    /// First code point.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// One reason for a conversation's status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReasonView {
    /// `empty`, `within_rhythm`, `beyond_rhythm`, `long_silence`, `farewell`, `settled`, `open_question`, `pending_promise`.
    pub kind: String,
    /// How long nobody wrote, hours without activity left out.
    pub silence_ms: Option<i64>,
    /// What is usual there.
    pub usual_ms: Option<i64>,
    /// From where on it has ended.
    pub end_ms: Option<i64>,
    /// The line it names.
    pub place: Option<StretchView>,
}

/// How a conversation goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToneView {
    /// `quick`, `steady`, `slow`; nothing before somebody answered.
    pub pace: Option<String>,
    /// Words of the middle message.
    pub typical_words: u32,
    /// How many messages this rests on.
    pub messages: u32,
}

/// Something promised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CommitmentView {
    /// Conversation to open.
    pub conversation_id: String,
    /// Its title.
    pub conversation_title: String,
    /// Who promised: a name, or nothing for the owner.
    pub debtor: Option<String>,
    /// To whom: a name, or nothing for the owner or a group.
    pub creditor: Option<String>,
    /// It was promised to the owner.
    pub is_owed_to_owner: bool,
    /// What, in the words of the promise.
    pub what: String,
    /// Where it was promised.
    pub place: StretchView,
    /// The last moment of it.
    pub due: Option<i64>,
    /// `hour`, `day`, `period`: how exactly that was said.
    pub due_precision: Option<String>,
    /// It was kept, dropped or let go.
    pub settled: bool,
    /// The line that says so; nothing while it is open.
    pub settled_at: Option<StretchView>,
}

/// A summary and what it covers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SummaryView {
    /// Id.
    pub id: String,
    /// The text.
    pub text: String,
    /// The first message it covers.
    pub first_message_id: String,
    /// The last.
    pub last_message_id: String,
    /// Who wrote it.
    pub proposer: String,
    /// When.
    pub created_at: i64,
}

/// Where a conversation stands. Of one that is turned private nothing is told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct StandingView {
    /// `active`, `idle`, `archived`; nothing where it is private.
    pub status: Option<String>,
    /// What that rests on, the silence first.
    pub reasons: Vec<ReasonView>,
    /// Who judged: the rules with their version, or a model with its prompt.
    pub judge: Option<String>,
    /// How it sounds.
    pub tone: Option<ToneView>,
    /// What was promised in it, in order.
    pub commitments: Vec<CommitmentView>,
    /// The summary that counts.
    pub summary: Option<SummaryView>,
}

/// What a person owes and is owed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CommitmentsResponse {
    /// The open ones first, then by when they were promised, the latest first.
    pub items: Vec<CommitmentView>,
}

/// What an erasure would remove.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ErasePreview {
    /// Messages.
    pub messages: u64,
    /// Conversations that go whole.
    pub conversations: u64,
    /// Conversations that lose messages and stay.
    pub shortened: u64,
    /// Candidates and memories that rest on nothing else.
    pub memories: u64,
}

/// The receipt of an erasure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EraseOutcome {
    /// Messages that went.
    pub messages: u64,
    /// Conversations that went whole.
    pub conversations: u64,
    /// Candidates and memories that went.
    pub memories: u64,
    /// Somebody still reads an older state: the files hold it until they are done.
    pub is_pending: bool,
    /// The job that sees it through.
    pub job_id: String,
}
