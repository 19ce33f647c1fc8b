//! Candidates and memories: the list, one in full, and what a person does with them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::sessions::AgentReadView;
use super::{Count, Source};

/// Which memories to list. All conditions must hold; an empty list means no condition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct MemoriesListRequest {
    /// `pending`, `active`, `rejected`, `superseded`, `archived`, `quarantined`.
    pub status: Vec<String>,
    /// `fact`, `knowledge`.
    pub kind: Vec<String>,
    /// Categories.
    pub category: Vec<String>,
    /// `owner` or speakers' names.
    pub subject: Vec<String>,
    /// Channel types of the first evidence.
    pub channel: Vec<String>,
    /// Only from this conversation.
    pub conversation: Option<String>,
    /// Words that must occur.
    pub query: Option<String>,
    /// Lowest confidence.
    pub confidence_min: Option<f64>,
    /// Only memories with (true) or without (false) a source that the person turned private.
    pub private_source: Option<bool>,
    /// When it was said: `day`, `week`, `month`, `year` (the last 24 hours, 7, 30 and 365 days), `older`.
    pub said: Option<String>,
    /// Only what cannot be so beside another memory or candidate in use.
    pub only_conflicting: bool,
    /// What held at this moment, by when it was said and ended; the status is not asked then.
    pub as_of: Option<i64>,
    /// Include snoozed candidates.
    pub include_snoozed: bool,
    /// Only candidates that were parked because they waited too long.
    pub only_parked: bool,
    /// `queue` (by conversation, oldest first), `newest`, `oldest`, `confidence`. Default `queue` for pending, else `newest`.
    pub sort: Option<String>,
    /// How many to pass over.
    pub offset: u32,
    /// How many to return; 0 means as many as allowed.
    pub limit: u32,
    /// Leave the counts by facet empty: to take them is as much work as to find the first rows.
    pub without_facets: bool,
}

/// One row of a list: enough to show and act, no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryRow {
    /// Id.
    pub id: String,
    /// Lifecycle status.
    pub status: String,
    /// `fact` or `knowledge`.
    pub kind: String,
    /// Category.
    pub category: String,
    /// What a fact says of the person, as the reader saw it: `home`, `diet`, `child`.
    pub attribute: Option<String>,
    /// When it happened or holds from, as precise as it was said: `2026-11-07`, `2026-11`, `2026`.
    pub date: Option<String>,
    /// `owner` or a speaker's name.
    pub subject: String,
    /// The statement.
    pub content: String,
    /// 0..1.
    pub confidence: f64,
    /// How sure that is: `sure`, `check`, `doubtful`. Only the reader's confidence is a calibrated probability; others have none.
    #[ts(type = "'sure' | 'check' | 'doubtful' | null")]
    pub band: Option<String>,
    /// Concluded by a language model, and not said outright.
    pub is_inferred: bool,
    /// Conversation of the first evidence.
    pub conversation_id: String,
    /// Its title, or a stand-in made from channel and date.
    pub conversation_title: String,
    /// Its channel type.
    pub channel_type: String,
    /// Who said it.
    pub author: String,
    /// When the first evidence was said.
    pub said_at: i64,
    /// When it was proposed.
    pub created_at: i64,
    /// Worded by the person.
    pub is_edited: bool,
    /// It rests on a conversation that the person turned private.
    pub is_private_source: bool,
    /// Kept but served to nobody.
    pub is_hidden: bool,
    /// A nearest memory exists that it may replace, extend or repeat.
    pub has_near: bool,
}

/// Rows, how many there are in all, and live counts for each facet under the other conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoriesListResponse {
    /// How many match.
    pub total: u64,
    /// The rows asked for.
    pub items: Vec<MemoryRow>,
    /// Counts by status, each facet counted without its own condition.
    pub by_status: Vec<Count>,
    /// Counts by category.
    pub by_category: Vec<Count>,
    /// Counts by subject.
    pub by_subject: Vec<Count>,
    /// Counts by channel.
    pub by_channel: Vec<Count>,
    /// Counts by when it was said, in the words of the request; the longer include the shorter.
    pub by_said: Vec<Count>,
}

/// One line of a conversation as context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Line {
    /// Message id.
    pub id: String,
    /// Who said it.
    pub author: String,
    /// `owner`, `person`, `assistant`, `system`, `tool`.
    pub role: String,
    /// When.
    pub time: i64,
    /// The text, cut to a readable length for context lines.
    pub text: String,
    /// The text was cut.
    pub is_cut: bool,
}

/// One span that proves a memory, with its surroundings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EvidenceView {
    /// Message id.
    pub interaction_id: String,
    /// Conversation id.
    pub conversation_id: String,
    /// Conversation title.
    pub conversation_title: String,
    /// Channel type.
    pub channel_type: String,
    /// `public` or `private`: who may be told what is known from there.
    pub visibility: String,
    /// The conversation is private.
    pub is_private: bool,
    /// First code point of the span in `line.text`.
    pub start: u32,
    /// One past its last code point.
    pub end: u32,
    /// What the span covers; empty when it no longer holds.
    pub quote: String,
    /// The span was re-checked against the stored message just now and holds.
    pub holds: bool,
    /// The message, whole; absent when it was erased.
    pub line: Option<Line>,
    /// Up to two lines before.
    pub before: Vec<Line>,
    /// Up to two lines after.
    pub after: Vec<Line>,
    /// Ids in the original export.
    pub source: Option<Source>,
}

/// The nearest other memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NearMemory {
    /// Id.
    pub id: String,
    /// Status.
    pub status: String,
    /// Statement.
    pub content: String,
    /// Category.
    pub category: String,
    /// Cosine, or word overlap where there are no vectors.
    pub similarity: f64,
    /// `exact`, `reinforcement`, `related`, `different`.
    pub outcome: String,
    /// It is approved and says the same of the same one, so that a candidate may be merged into it.
    pub can_merge: bool,
}

/// A statement about the same somebody that a memory made history, or that made it history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChangedMemory {
    /// Id.
    pub id: String,
    /// Status.
    pub status: String,
    /// Statement.
    pub content: String,
    /// When it was said, in milliseconds.
    pub said_at: i64,
    /// It was said later and makes this one history; else this one makes it history.
    pub is_newer: bool,
}

/// One version in the chain of a memory, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryVersion {
    /// Id.
    pub id: String,
    /// Status.
    pub status: String,
    /// Statement.
    pub content: String,
    /// Category.
    pub category: String,
    /// Worded by the person.
    pub is_edited: bool,
    /// When it was made.
    pub created_at: i64,
}

/// What a piece of knowledge has beside its position and its why (seed 002).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct KnowledgeView {
    /// What it is about.
    pub topic: String,
    /// `durable`, `stable`, `evolving`.
    pub stability: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Where it holds, if the opposite holds elsewhere.
    pub context: Option<String>,
}

/// What a memory of a whole conversation has besides (seed 004).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct StoryView {
    /// How much it moved the person, from 0 to 1.
    pub emotional_weight: Option<f64>,
    /// Who was part of it.
    pub participants: Vec<String>,
}

/// One memory in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryDetail {
    /// How often agents were given it, as far as that is kept.
    pub reads_total: u64,
    /// The newest of those reads.
    pub reads: Vec<AgentReadView>,
    /// The row.
    pub row: MemoryRow,
    /// One sentence: why it was proposed.
    pub reasoning: String,
    /// `ephemeral`, `situational`, `long_term`, `identity`.
    pub durability: String,
    /// Proposers with versions, "builtin/1".
    pub proposers: Vec<String>,
    /// The spans.
    pub evidence: Vec<EvidenceView>,
    /// What it made history and what made it history, the earliest first.
    pub changes: Vec<ChangedMemory>,
    /// The nearest other memory.
    pub near: Option<NearMemory>,
    /// All versions, oldest first, this one included.
    pub versions: Vec<MemoryVersion>,
    /// Why it was rejected, if the person said.
    pub reject_reason: Option<String>,
    /// Snoozed until.
    pub snoozed_until: Option<i64>,
    /// Why it is quarantined.
    pub quarantine_reason: Option<String>,
    /// Of a piece of knowledge.
    pub knowledge: Option<KnowledgeView>,
    /// What a memory of a whole conversation has besides.
    pub story: Option<StoryView>,
}

/// What a person does with one or many memories at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum Decision {
    /// Keep.
    Approve {
        /// Which.
        ids: Vec<String>,
    },
    /// Refuse; the same will not be offered again.
    Reject {
        /// Which.
        ids: Vec<String>,
        /// `wrong`, `not_about_me`, `temporary`, `private`, `duplicate`.
        reason: Option<String>,
    },
    /// Ask again later.
    Snooze {
        /// Which.
        ids: Vec<String>,
        /// When to ask again.
        until: i64,
    },
    /// Reword (a new version) and keep.
    Edit {
        /// Which.
        id: String,
        /// The new statement.
        content: String,
        /// The new category, if it changes.
        category: Option<String>,
    },
    /// Fold the evidence into another memory, which stays as it is.
    Merge {
        /// What disappears into the other.
        id: String,
        /// What stays.
        into: String,
    },
    /// Set aside (the trash: restorable for 30 days, then only proposed for erasing).
    Archive {
        /// Which.
        ids: Vec<String>,
    },
    /// It still holds: what the audit asked about.
    Reconfirm {
        /// Which.
        ids: Vec<String>,
    },
    /// Back from archive, rejection or quarantine to where it came from.
    Restore {
        /// Which.
        ids: Vec<String>,
    },
    /// Another category: a new version of each.
    Recategorize {
        /// Which.
        ids: Vec<String>,
        /// The category.
        category: String,
    },
}

/// One that could not be acted on, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NeedsLook {
    /// Which.
    pub id: String,
    /// What changed since it was shown.
    pub reason: String,
}

/// Words of a message that the person chose to remember.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RememberRequest {
    /// The message.
    pub interaction_id: String,
    /// First code point.
    pub start: u32,
    /// One past the last code point.
    pub end: u32,
    /// What it is about; the reader says it where nothing is given.
    #[serde(default)]
    pub category: Option<String>,
}

/// What came of a decision. One decision is one operation with one undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DecisionOutcome {
    /// The operation, to undo it by; absent when nothing was changed.
    pub operation_id: Option<String>,
    /// For the notice: "Approved 4 memories".
    pub summary: String,
    /// Ids acted on.
    pub applied: Vec<String>,
    /// New versions made, old id to new id.
    pub created: Vec<CreatedVersion>,
    /// Those that need another look.
    pub needs_look: Vec<NeedsLook>,
    /// Approved memories that are history now, because what was approved replaces them or says them with more detail.
    pub set_aside: Vec<String>,
    /// Approved memories that an approved or rejected one contradicts; empty when more than 20 were decided at once.
    pub contradicts: Vec<Contradicted>,
}

/// An approved memory that another one contradicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Contradicted {
    /// The memory that was decided about.
    pub id: String,
    /// The approved one.
    pub other_id: String,
    /// What the approved one says.
    pub content: String,
}

/// A version that an operation made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CreatedVersion {
    /// The older version.
    pub from: String,
    /// The new one.
    pub id: String,
}

/// Which operation to undo; the newest one that is not undone if none is named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct UndoRequest {
    /// The operation.
    pub operation_id: Option<String>,
}

/// What was undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct UndoOutcome {
    /// The operation; absent when there was nothing left to undo.
    pub operation_id: Option<String>,
    /// "Undid: Approved 4 memories".
    pub summary: String,
    /// Memories restored.
    pub restored: Vec<String>,
}

/// Memories of the trash, or refused ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct MemoriesEraseRequest {
    /// Ids of memories.
    pub ids: Vec<String>,
}

/// What erasing memories removes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoriesErasePreview {
    /// The memories that were asked for.
    pub memories: u64,
    /// Others that go along: versions, what was merged into them, the same said once more.
    pub versions: u64,
    /// Links to lines of messages.
    pub lines: u64,
    /// Vectors.
    pub vectors: u64,
    /// Proposals to tidy them.
    pub proposals: u64,
    /// Lines in the log of what was stopped.
    pub stops: u64,
    /// Entries of profiles that rest on the same words.
    pub profile_entries: u64,
    /// Lines in memory tiers.
    pub tier_lines: u64,
    /// Lines of topics.
    pub topic_lines: u64,
    /// Gaps.
    pub gaps: u64,
    /// Summaries, sessions and analyses of the conversations it came from, which are made again without the words.
    pub summaries: u64,
    /// Calls to models whose text goes.
    pub calls: u64,
    /// Times that they were given to agents, of which the note goes.
    pub reads: u64,
}

/// The receipt of erased memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoriesEraseOutcome {
    /// What went.
    pub gone: MemoriesErasePreview,
    /// Somebody still reads an older state: the files hold it until they are done.
    pub is_pending: bool,
    /// The job that sees it through.
    pub job_id: String,
}
