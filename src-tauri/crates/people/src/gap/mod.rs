//! Capability gaps (seed 001): requests that assistants repeatedly could not meet, and the tasks created from them.
//!
//! Pure. Deliberately not here: storage, file access, and a person's decision to turn a gap into a task.

mod detect;
mod occurrence;
pub(crate) mod rules;
mod task;

pub(crate) use detect::clusters;
pub use detect::{
    Dismissed, GAP_OCCASIONS_MIN, GAP_RULES_VERSION, GapChange, GapInput, KnownGap, NewGap, description, detect, detect_with,
    gap_fingerprint,
};
pub(crate) use occurrence::in_read;
pub use occurrence::{Occurrence, occurrences};
pub use task::{QUOTE_CHARS_MAX, TITLE_CHARS_MAX, TaskEvidence, TaskInFile, TaskText, render, status_in, written};
