//! Capability gaps (seed 001): what was asked of assistants again and again and could not be done, and the task that it becomes.
//!
//! Pure. Deliberately not here: storage, files, and the decision of a person by which a gap becomes a task.

mod detect;
mod occurrence;
mod task;

pub(crate) use detect::clusters;
pub use detect::{
    Dismissed, GAP_OCCASIONS_MIN, GAP_RULES_VERSION, GapChange, GapInput, KnownGap, NewGap, description, detect, detect_with,
    gap_fingerprint,
};
pub(crate) use occurrence::in_read;
pub use occurrence::{Occurrence, occurrences};
pub use task::{QUOTE_CHARS_MAX, TITLE_CHARS_MAX, TaskEvidence, TaskInFile, TaskText, render, status_in, written};
