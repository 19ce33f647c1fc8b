//! Profiles (Layer 2): an entity's needs, expectations and preferences, its unmet requests, and what pleased or annoyed it.
//!
//! Pure and deterministic: the same utterances and entries give the same changes in any order, and deriving twice changes
//! nothing. A deriver produces [`Finding`]s, and [`changes`] compares them with the existing entries, regardless of the deriver.
//! Entries that a person corrected or disputed stay as that person left them.
//!
//! Deliberately not here: ids, storage, and access control. An entry has the privacy of the audience it was derived for, which
//! the caller knows.

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

/// Derives a profile with the built-in rules, from the reader's marks and from questions. It needs no language model.
pub fn derive(input: &ProfileInput<'_>) -> Vec<Change> {
    changes(findings(input), ProfileOrigin::BuiltIn, input)
}

/// The findings of the built-in rules, before they are compared with existing entries.
pub fn findings(input: &ProfileInput<'_>) -> Vec<Finding> {
    let mut conversations: BTreeMap<&ConversationId, Vec<Utterance<'_>>> = BTreeMap::new();
    for said in input.utterances {
        conversations.entry(said.conversation).or_default().push(*said);
    }
    let digests: Vec<Digest> = conversations.values().map(|said| Digest::of(said)).collect();
    findings_beside(&digests.iter().collect::<Vec<_>>(), &[], input)
}

/// The findings of the built-in rules in the `new` conversations. Findings in the earlier conversations in `told` are included
/// only if the `new` ones add to them: the same question again, or another statement about the same thing. `input` has no
/// utterances.
pub fn findings_beside(new: &[&Digest], told: &[&Digest], input: &ProfileInput<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    wishes::told(new, told, input, &mut found);
    asks::repeated(new, told, input, &mut found);
    unmet::repeated(new, told, input, &mut found);
    found
}
