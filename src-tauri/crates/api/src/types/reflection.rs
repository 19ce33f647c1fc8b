//! Reflection: cleanup proposals for memories, the person's decisions about them, and the runs that apply them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A cleanup proposal in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionListRow {
    /// Proposal id (`rfl_…`).
    pub id: String,
    /// Proposed action: `archive` or `merge`.
    pub kind: String,
    /// `open`, `accepted`, `applied`, `refused`, `parked`.
    pub status: String,
    /// Whether it was parked because it expired.
    pub is_parked_by_age: bool,
    /// Text of the affected memory; for a merge, the text of the memory that stays.
    pub title: String,
    /// Number of affected memories.
    pub memories: u32,
    /// The reason, in one sentence.
    pub reason: String,
    /// `public` or `private`: private if any of its memories is.
    pub visibility: String,
    /// When it was found (epoch ms).
    pub found: i64,
    /// When its status last changed (epoch ms).
    pub changed: i64,
}

/// A run that has not been undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionRunView {
    /// Id of its operation.
    pub operation_id: String,
    /// Summary of what it did.
    pub summary: String,
    /// When it ran (epoch ms).
    pub at: i64,
}

/// All cleanup proposals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsResponse {
    /// Open ones first, by kind.
    pub items: Vec<ReflectionListRow>,
    /// The latest run that can be undone.
    pub run: Option<ReflectionRunView>,
    /// The job that is looking for cleanups, if one is queued or running.
    pub job_id: Option<String>,
}

/// A memory before or after the proposed action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionSide {
    /// Memory id.
    pub memory_id: String,
    /// Its text.
    pub content: String,
    /// Number of lines that support it.
    pub sources: u32,
    /// `in_use`, `set_aside` (in the trash) or `folded` (merged into another).
    pub state: String,
}

/// A line that supports a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionSource {
    /// Memory id.
    pub memory_id: String,
    /// Id of the conversation.
    pub conversation_id: String,
    /// Title of that conversation, or a placeholder.
    pub title: String,
    /// Message id.
    pub message_id: String,
    /// Name of the author.
    pub author: String,
    /// When it was said (epoch ms).
    pub time: i64,
    /// The quoted words.
    pub quote: String,
}

/// A cleanup proposal with all details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionDetail {
    /// The fields of the list.
    pub row: ReflectionListRow,
    /// The memories before the action.
    pub before: Vec<ReflectionSide>,
    /// The same memories after the action.
    pub after: Vec<ReflectionSide>,
    /// The lines that support them.
    pub sources: Vec<ReflectionSource>,
    /// Rules version, or model and prompt, that made the proposal.
    pub proposer: String,
    /// Operation of the run that applied it.
    pub operation_id: Option<String>,
}

/// A decision about cleanup proposals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReflectionsDecideRequest {
    /// Proposal ids.
    pub ids: Vec<String>,
    /// New status: `accepted`, `refused`, `parked`, or `open` to undo an answer.
    pub status: String,
}

/// A proposal that was not changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionLook {
    /// Proposal id.
    pub id: String,
    /// The reason.
    pub reason: String,
}

/// Outcome of a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsDecided {
    /// Proposals whose status could not be changed.
    pub needs_look: Vec<ReflectionLook>,
}

/// Applies accepted proposals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReflectionsApplyRequest {
    /// Proposal ids. Default: all accepted proposals.
    pub ids: Option<Vec<String>>,
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsApplied {
    /// Id of its operation, for undo; `None` if nothing was applied.
    pub operation_id: Option<String>,
    /// Summary of what it did.
    pub summary: String,
    /// Number of proposals applied.
    pub applied: u32,
    /// Proposals that were not applied.
    pub needs_look: Vec<ReflectionLook>,
}

/// Outcome of undoing a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsUndone {
    /// Summary of what was undone; `None` if there was no run to undo.
    pub summary: Option<String>,
}

/// A search for cleanups was queued.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsLooking {
    /// Id of the job.
    pub job_id: String,
}

/// Which proposals maintenance applies without asking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReflectionSettings {
    /// Kinds of proposals: `archive`, `merge`. Neither deletes anything.
    pub automatic: Vec<String>,
}
