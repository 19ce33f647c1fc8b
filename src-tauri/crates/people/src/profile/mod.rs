//! Profiles (Layer 2): what one entity needs, expects and prefers, what it did not get, and what pleased or annoyed it.
//!
//! Pure and deterministic: the same utterances, memories and entries give the same changes, in whatever order they are handed in,
//! and deriving twice changes nothing. A deriver makes [`Finding`]s; [`changes`] sets them beside the entries there are, whoever
//! found them. What a person corrected or debunked stays as the person left it.
//!
//! Deliberately not here: ids, storage, and what may be shown to whom. An entry's privacy is that of the partition it was derived
//! from, which the caller knows.

mod asks;
mod detail;
mod entry;
pub mod model;
mod reconcile;
mod satisfaction;
mod stated;
mod time;
mod timing;
mod unmet;
mod wishes;

pub use asks::{ASK_OCCASIONS_MIN, ASKS_MIN, ASKS_READ_MAX};
pub use detail::{ObservedDetail, observed_detail};
pub use entry::{ApprovedMemory, Change, Debunked, Finding, NewEntry, ProfileInput, Strength, correction, fingerprint};
pub use reconcile::{EVIDENCE_MAX, changes};
pub use time::{believed_at, true_at};

use keepsake_domain::ProfileOrigin;

use crate::text::read;

/// The built-in derivation: needs no model.
pub fn derive(input: &ProfileInput<'_>) -> Vec<Change> {
    changes(findings(input), ProfileOrigin::BuiltIn, input)
}

/// What the built-in rules find, before it is set beside the entries there are.
pub fn findings(input: &ProfileInput<'_>) -> Vec<Finding> {
    let all = read(input.utterances);
    let mut found = Vec::new();
    stated::in_messages(&all, &mut found);
    stated::in_memories(input.memories, input.name, &mut found);
    asks::repeated(&all, input, &mut found);
    satisfaction::shown(&all, &mut found);
    unmet::repeated(&all, input, &mut found);
    found
}
