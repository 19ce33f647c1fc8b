//! Profiles (Layer 2): what an entity needs, expects and prefers, what it did not get, and what pleased or annoyed it.
//!
//! Pure and deterministic: the same utterances and entries give the same changes in any order, and deriving twice changes
//! nothing. A deriver produces [`Finding`]s, and [`changes`] compares them with the existing entries, whoever found them. What a
//! person corrected or disputed stays as the person left it.
//!
//! Deliberately not here: ids, storage, and what may be shown to whom. An entry has the privacy of the audience it was derived
//! for, which the caller knows.

mod asks;
mod detail;
mod digest;
mod entry;
mod facets;
mod lines;
pub mod model;
mod reconcile;
pub(crate) mod rules;
mod time;
mod unmet;
mod wishes;

pub use asks::{ASK_OCCASIONS_MIN, ASKS_MIN};
pub use detail::{ObservedDetail, observed_detail};
pub use digest::Digest;
pub use entry::{Change, Debunked, Finding, NewEntry, ProfileInput, Strength, correction, fingerprint};
pub use lines::LINES_READ_MAX;
pub use reconcile::{EVIDENCE_MAX, changes, is_same_statement};
pub use time::{believed_at, true_at};

use std::collections::BTreeMap;

use keepsake_domain::{ConversationId, ProfileOrigin};

use crate::Utterance;

/// The built-in derivation from the reader's marks and from questions. It needs no language model.
pub fn derive(input: &ProfileInput<'_>) -> Vec<Change> {
    changes(findings(input), ProfileOrigin::BuiltIn, input)
}

/// What the built-in rules find, before it is compared with existing entries.
pub fn findings(input: &ProfileInput<'_>) -> Vec<Finding> {
    let mut conversations: BTreeMap<&ConversationId, Vec<Utterance<'_>>> = BTreeMap::new();
    for said in input.utterances {
        conversations.entry(said.conversation).or_default().push(*said);
    }
    let digests: Vec<Digest> = conversations.values().map(|said| Digest::of(said)).collect();
    findings_beside(&digests.iter().collect::<Vec<_>>(), &[], input)
}

/// What the rules find in conversations that were read. Of the earlier conversations in `told`, it includes only findings that
/// the `new` ones add to: the same thing asked for again, or another statement about the same thing. `input` has no utterances.
pub fn findings_beside(new: &[&Digest], told: &[&Digest], input: &ProfileInput<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    wishes::told(new, told, input, &mut found);
    asks::repeated(new, told, input, &mut found);
    unmet::repeated(new, told, input, &mut found);
    found
}
