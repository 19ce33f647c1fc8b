//! Profiles (Layer 2): what one entity needs, expects and prefers, what it did not get, and what pleased or annoyed it.
//!
//! Pure and deterministic: the same utterances, memories and entries give the same changes, in whatever order they are handed in,
//! and deriving twice changes nothing. A deriver makes [`Finding`]s; [`changes`] sets them beside the entries there are, whoever
//! found them. What a person corrected or debunked stays as the person left it.
//!
//! Deliberately not here: ids, storage, and what may be shown to whom. An entry's privacy is that of the partition it was derived
//! from, which the caller knows.

mod detail;
mod entry;
mod reconcile;
mod time;

pub use detail::{ObservedDetail, observed_detail};
pub use entry::{ApprovedMemory, Change, Debunked, Finding, NewEntry, ProfileInput, Strength, correction, fingerprint};
pub use reconcile::{EVIDENCE_MAX, changes};
pub use time::{believed_at, true_at};
