//! Reflection: proposals to tidy up what is remembered, what a person decides about them, and the runs that apply them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A proposal in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionListRow {
    /// Id.
    pub id: String,
    /// `archive`, `merge`.
    pub kind: String,
    /// `open`, `accepted`, `applied`, `refused`, `parked`.
    pub status: String,
    /// Parked because it waited too long.
    pub is_parked_by_age: bool,
    /// The memory that it is about; of a fold the one that stays.
    pub title: String,
    /// How many memories it is about.
    pub memories: u32,
    /// Why, in a sentence.
    pub reason: String,
    /// `public`, `private`: the strictest of what it is about.
    pub visibility: String,
    /// When it was found.
    pub found: i64,
    /// When its status changed last.
    pub changed: i64,
}

/// A run that is not undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionRunView {
    /// To undo it by.
    pub operation_id: String,
    /// What it did, in words.
    pub summary: String,
    /// When.
    pub at: i64,
}

/// Every proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsResponse {
    /// Those that wait first, by kind.
    pub items: Vec<ReflectionListRow>,
    /// The newest run that can be undone.
    pub run: Option<ReflectionRunView>,
    /// The job that looks over memories right now.
    pub job_id: Option<String>,
}

/// A memory before or after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionSide {
    /// The memory.
    pub memory_id: String,
    /// What it says.
    pub content: String,
    /// Lines that it rests on.
    pub sources: u32,
    /// `in_use`, `set_aside`, `folded`.
    pub state: String,
}

/// A line that a memory rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionSource {
    /// The memory.
    pub memory_id: String,
    /// Conversation to open.
    pub conversation_id: String,
    /// Its title.
    pub title: String,
    /// The message.
    pub message_id: String,
    /// Who said it.
    pub author: String,
    /// When.
    pub time: i64,
    /// The words.
    pub quote: String,
}

/// One proposal, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionDetail {
    /// As in the list.
    pub row: ReflectionListRow,
    /// The memories as they are, or were when it was applied.
    pub before: Vec<ReflectionSide>,
    /// The same as they would be, or are.
    pub after: Vec<ReflectionSide>,
    /// What they rest on.
    pub sources: Vec<ReflectionSource>,
    /// Who made it.
    pub proposer: String,
    /// The run that applied it.
    pub operation_id: Option<String>,
}

/// What a person decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReflectionsDecideRequest {
    /// Proposals.
    pub ids: Vec<String>,
    /// `accepted`, `refused`, `parked`, or `open` to take an answer back.
    pub status: String,
}

/// A proposal to which nothing was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionLook {
    /// Which.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// What came of a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsDecided {
    /// Those that could not take the step.
    pub needs_look: Vec<ReflectionLook>,
}

/// What is to be applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReflectionsApplyRequest {
    /// These; without them all that were agreed to.
    pub ids: Option<Vec<String>>,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsApplied {
    /// To undo it by; nothing where nothing was applied.
    pub operation_id: Option<String>,
    /// What it did, in words.
    pub summary: String,
    /// How many proposals were applied.
    pub applied: u32,
    /// Those that were not.
    pub needs_look: Vec<ReflectionLook>,
}

/// The run that was taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsUndone {
    /// Its words; nothing where there is no run to take back.
    pub summary: Option<String>,
}

/// A look is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReflectionsLooking {
    /// The job, which can be cancelled.
    pub job_id: String,
}

/// What the nightly cycle applies without asking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReflectionSettings {
    /// Kinds: `archive`, `merge`. Nothing is ever deleted.
    pub automatic: Vec<String>,
}
