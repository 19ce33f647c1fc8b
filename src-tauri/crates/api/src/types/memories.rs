//! Memories, pending and approved: the list, the details, and the actions on them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::sessions::AgentReadView;
use super::{Count, Source};

/// Selects memories. All conditions must be met; an empty list imposes no condition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct MemoriesListRequest {
    /// `pending`, `active`, `rejected`, `superseded`, `archived`, `quarantined`.
    pub status: Vec<String>,
    /// `fact` or `knowledge`.
    pub kind: Vec<String>,
    /// Categories, for example `preference` or `goal`.
    pub category: Vec<String>,
    /// `owner` or speakers' names.
    pub subject: Vec<String>,
    /// Channel types of the first evidence.
    pub channel: Vec<String>,
    /// Only from this conversation, by id.
    pub conversation: Option<String>,
    /// Words that must occur in the memory's text.
    pub query: Option<String>,
    /// Minimum confidence, from 0 to 1.
    pub confidence_min: Option<f64>,
    /// `true`: only memories with a source in an excluded conversation; `false`: only memories without one.
    pub private_source: Option<bool>,
    /// When the statement was made: `day`, `week`, `month`, `year` (the last 24 hours, 7, 30 and 365 days) or `older`.
    pub said: Option<String>,
    /// Only memories that contradict another pending or approved memory.
    pub only_conflicting: bool,
    /// Only memories that were true at this time (epoch ms), based on when they were stated and replaced. `status` is ignored.
    pub as_of: Option<i64>,
    /// Include snoozed memories. Default `false`.
    pub include_snoozed: bool,
    /// Only pending memories that have expired. Default `false`.
    pub only_parked: bool,
    /// `queue` (by conversation, oldest first), `newest`, `oldest` or `confidence`. Default: `queue` if `status` is only
    /// `pending`, otherwise `newest`.
    pub sort: Option<String>,
    /// Number of rows to skip.
    pub offset: u32,
    /// Maximum number of rows; 0 means the limit of 20,000.
    pub limit: u32,
    /// Leave out the facet counts, which take as long to compute as the first page. Default `false`.
    pub without_facets: bool,
}

/// A memory in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryRow {
    /// Memory id (`mem_…`).
    pub id: String,
    /// One of the values of [`MemoriesListRequest::status`].
    pub status: String,
    /// `fact` or `knowledge`.
    pub kind: String,
    /// Category, for example `preference` or `goal`.
    pub category: String,
    /// The attribute of a fact as recognized by the reader: `home`, `diet`, `child` …
    pub attribute: Option<String>,
    /// When it happened or started, as precisely as the message says: `2026-11-07`, `2026-11` or `2026`.
    pub date: Option<String>,
    /// `owner` or the name of a speaker.
    pub subject: String,
    /// Text of the memory.
    pub content: String,
    /// Confidence from 0 to 1.
    pub confidence: f64,
    /// Confidence band: `sure`, `check` or `doubtful`. `null` unless the reader proposed it, because only the reader's confidence
    /// is a calibrated probability.
    #[ts(type = "'sure' | 'check' | 'doubtful' | null")]
    pub band: Option<String>,
    /// Whether a language model inferred it, so that nobody said it explicitly.
    pub is_inferred: bool,
    /// Id of the conversation of the first evidence.
    pub conversation_id: String,
    /// Title of that conversation, or a placeholder.
    pub conversation_title: String,
    /// Channel type of that conversation.
    pub channel_type: String,
    /// Author of the first evidence.
    pub author: String,
    /// When the first evidence was said (epoch ms).
    pub said_at: i64,
    /// When it was proposed (epoch ms).
    pub created_at: i64,
    /// Whether the person edited its text.
    pub is_edited: bool,
    /// Whether it is based on a conversation that is now excluded.
    pub is_private_source: bool,
    /// Whether it is kept but not served to anyone.
    pub is_hidden: bool,
    /// Whether it may replace, extend or repeat a similar memory.
    pub has_near: bool,
}

/// Memories, their total number, and counts by facet. The counts of a facet ignore that facet's own condition and apply all
/// others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoriesListResponse {
    /// Number of memories that match the request.
    pub total: u64,
    /// The requested page.
    pub items: Vec<MemoryRow>,
    /// Counts by status.
    pub by_status: Vec<Count>,
    /// Counts by category.
    pub by_category: Vec<Count>,
    /// Counts by subject.
    pub by_subject: Vec<Count>,
    /// Counts by channel.
    pub by_channel: Vec<Count>,
    /// Counts by when the statement was made, named as in the request. Longer periods include shorter ones.
    pub by_said: Vec<Count>,
}

/// A message, shown as evidence or as context of evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Line {
    /// Message id.
    pub id: String,
    /// Name of the author.
    pub author: String,
    /// `owner`, `person`, `assistant`, `system` or `tool`.
    pub role: String,
    /// When it was said (epoch ms).
    pub time: i64,
    /// The text. Context lines are cut to 280 code points.
    pub text: String,
    /// Whether the text was cut.
    pub is_cut: bool,
}

/// A span that supports a memory, with context lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EvidenceView {
    /// Message id.
    pub interaction_id: String,
    /// Conversation id; empty if the message was erased.
    pub conversation_id: String,
    /// Title of the conversation, or a placeholder.
    pub conversation_title: String,
    /// Channel type of the conversation.
    pub channel_type: String,
    /// `public` or `private`: who may see what is known from that conversation.
    pub visibility: String,
    /// Whether the conversation is excluded.
    pub is_private: bool,
    /// Offset of the first code point in `line.text`.
    pub start: u32,
    /// Offset after the last code point.
    pub end: u32,
    /// The quoted words; empty if the span is invalid.
    pub quote: String,
    /// Whether the span is valid. It is checked against the stored message on every request.
    pub holds: bool,
    /// The whole message; `null` if it was erased.
    pub line: Option<Line>,
    /// Up to two lines before the message.
    pub before: Vec<Line>,
    /// Up to two lines after the message.
    pub after: Vec<Line>,
    /// Ids in the original export.
    pub source: Option<Source>,
}

/// The most similar other memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NearMemory {
    /// Memory id.
    pub id: String,
    /// Its status.
    pub status: String,
    /// Its text.
    pub content: String,
    /// Its category.
    pub category: String,
    /// Cosine similarity, or word overlap if there are no vectors.
    pub similarity: f64,
    /// `exact`, `reinforcement`, `related`, `different`.
    pub outcome: String,
    /// Whether a proposal may be merged into it: it is approved and states the same thing about the same person.
    pub can_merge: bool,
}

/// A statement on the same subject that this memory replaced or was replaced by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChangedMemory {
    /// Memory id.
    pub id: String,
    /// Its status.
    pub status: String,
    /// Its text.
    pub content: String,
    /// When it was said (epoch ms).
    pub said_at: i64,
    /// Whether it was said later and replaces this memory. If `false`, this memory replaces it.
    pub is_newer: bool,
}

/// A version of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryVersion {
    /// Memory id of the version.
    pub id: String,
    /// Its status.
    pub status: String,
    /// Its text.
    pub content: String,
    /// Its category.
    pub category: String,
    /// Whether the person edited its text.
    pub is_edited: bool,
    /// When it was created (epoch ms).
    pub created_at: i64,
}

/// Fields of a knowledge memory. The position is in `content`, its reason in `reasoning` (seed 002).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct KnowledgeView {
    /// Its topic, in a few words.
    pub topic: String,
    /// How long it is expected to remain the person's view: `durable`, `stable` or `evolving`.
    pub stability: String,
    /// Search terms.
    pub tags: Vec<String>,
    /// The context in which it applies, if the opposite applies in others.
    pub context: Option<String>,
}

/// Fields of a memory derived from a whole conversation (seed 004).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct StoryView {
    /// How strongly it affected the person emotionally, from 0 to 1.
    pub emotional_weight: Option<f64>,
    /// Names of the people who took part.
    pub participants: Vec<String>,
}

/// A memory with all details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryDetail {
    /// Number of times it was served to agents, as far as the access log goes back.
    pub reads_total: u64,
    /// The latest entries of the access log, up to 20.
    pub reads: Vec<AgentReadView>,
    /// The fields of the list.
    pub row: MemoryRow,
    /// Why it was proposed, in one sentence. For knowledge, the reason behind the position.
    pub reasoning: String,
    /// How long it is expected to remain true: `ephemeral`, `situational`, `long_term` or `identity`.
    pub durability: String,
    /// Proposers and their versions, for example `builtin/1`.
    pub proposers: Vec<String>,
    /// The spans that support it.
    pub evidence: Vec<EvidenceView>,
    /// Statements that it replaced or was replaced by, earliest first.
    pub changes: Vec<ChangedMemory>,
    /// The most similar other memory.
    pub near: Option<NearMemory>,
    /// All versions, oldest first, including this one.
    pub versions: Vec<MemoryVersion>,
    /// The person's reason for dismissing it, if given.
    pub reject_reason: Option<String>,
    /// When a snoozed memory comes back (epoch ms).
    pub snoozed_until: Option<i64>,
    /// Why it is quarantined.
    pub quarantine_reason: Option<String>,
    /// Set only for knowledge.
    pub knowledge: Option<KnowledgeView>,
    /// Set only for a memory derived from a whole conversation.
    pub story: Option<StoryView>,
}

/// An action of the person on one or more memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum Decision {
    /// Approve.
    Approve {
        /// Memory ids.
        ids: Vec<String>,
    },
    /// Dismiss. The same statement is not proposed again.
    Reject {
        /// Memory ids.
        ids: Vec<String>,
        /// `wrong`, `not_about_me`, `temporary`, `private`, `duplicate`.
        reason: Option<String>,
    },
    /// Later: propose again at the given time.
    Snooze {
        /// Memory ids.
        ids: Vec<String>,
        /// When to propose it again (epoch ms).
        until: i64,
    },
    /// Change the text, which creates a new version, and approve it.
    Edit {
        /// Memory id.
        id: String,
        /// The new text.
        content: String,
        /// The new category. Default: unchanged.
        category: Option<String>,
    },
    /// Move the evidence to another memory, which keeps its own text.
    Merge {
        /// The memory that is merged.
        id: String,
        /// The memory that stays.
        into: String,
    },
    /// Move to the trash. It can be restored for 30 days; then Keepsake proposes to erase it.
    Archive {
        /// Memory ids.
        ids: Vec<String>,
    },
    /// Confirm that it is still true, in response to the audit.
    Reconfirm {
        /// Memory ids.
        ids: Vec<String>,
    },
    /// Restore from the trash, from dismissal or from quarantine to the previous status.
    Restore {
        /// Memory ids.
        ids: Vec<String>,
    },
    /// Change the category, which creates a new version of each memory.
    Recategorize {
        /// Memory ids.
        ids: Vec<String>,
        /// The new category.
        category: String,
    },
}

/// A memory that the action could not be applied to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NeedsLook {
    /// Memory id.
    pub id: String,
    /// The reason: what changed since it was shown.
    pub reason: String,
}

/// Creates a memory from words that the person selected in a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RememberRequest {
    /// Message id.
    pub interaction_id: String,
    /// Offset of the first code point.
    pub start: u32,
    /// Offset after the last code point.
    pub end: u32,
    /// Category. Default: the reader decides.
    #[serde(default)]
    pub category: Option<String>,
}

/// Outcome of an action. Each action is a single operation and is undone as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DecisionOutcome {
    /// Id for `undo`; `null` if nothing was changed.
    pub operation_id: Option<String>,
    /// Text for the notice, for example "Approved 4 memories".
    pub summary: String,
    /// Ids of the memories it was applied to.
    pub applied: Vec<String>,
    /// New versions that were created.
    pub created: Vec<CreatedVersion>,
    /// Memories it was not applied to, with the reasons.
    pub needs_look: Vec<NeedsLook>,
    /// Approved memories that are now superseded, because newly approved ones replace them or add detail to them.
    pub set_aside: Vec<String>,
    /// Approved memories that contradict a memory of this action; empty for actions on more than 20 memories.
    pub contradicts: Vec<Contradicted>,
}

/// An approved memory that contradicts a memory of the action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Contradicted {
    /// The memory of the action.
    pub id: String,
    /// The approved memory.
    pub other_id: String,
    /// Text of the approved memory.
    pub content: String,
}

/// A version that an action created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CreatedVersion {
    /// Memory id of the old version.
    pub from: String,
    /// Memory id of the new version.
    pub id: String,
}

/// Undoes an operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct UndoRequest {
    /// Id of the operation. Default: the latest one that has not been undone.
    pub operation_id: Option<String>,
}

/// Outcome of an undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct UndoOutcome {
    /// Id of the operation; `null` if there was nothing to undo.
    pub operation_id: Option<String>,
    /// Text for the notice, for example "Undid: Approved 4 memories".
    pub summary: String,
    /// Ids of the memories that were restored.
    pub restored: Vec<String>,
}

/// Selects memories to erase. They must be in the trash or dismissed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct MemoriesEraseRequest {
    /// Memory ids.
    pub ids: Vec<String>,
}

/// What erasing memories would remove, as counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoriesErasePreview {
    /// The selected memories.
    pub memories: u64,
    /// Other memories that are removed with them: versions, merged memories and repetitions.
    pub versions: u64,
    /// Evidence spans in messages.
    pub lines: u64,
    /// Vectors.
    pub vectors: u64,
    /// Cleanup proposals about them.
    pub proposals: u64,
    /// Entries in the gate log.
    pub stops: u64,
    /// Profile entries based on the same words.
    pub profile_entries: u64,
    /// Lines in memory tiers.
    pub tier_lines: u64,
    /// Lines of topics.
    pub topic_lines: u64,
    /// Capability gaps.
    pub gaps: u64,
    /// Summaries, sessions and analyses of the source conversations. They are created again without the erased words.
    pub summaries: u64,
    /// Calls to language models whose text is removed.
    pub calls: u64,
    /// Entries in the access log.
    pub reads: u64,
}

/// Receipt of an erasure of memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoriesEraseOutcome {
    /// The removed data, as counts.
    pub gone: MemoriesErasePreview,
    /// Whether a reader still uses an older state of the database file, so that erased text may remain in it until that read
    /// ends.
    pub is_pending: bool,
    /// The job that finishes the erasure.
    pub job_id: String,
}
