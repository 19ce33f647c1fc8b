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
mod digest;
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
pub use digest::Digest;
pub use entry::{ApprovedMemory, Change, Debunked, Finding, NewEntry, ProfileInput, Strength, correction, fingerprint};
pub use reconcile::{EVIDENCE_MAX, changes};
pub use stated::stated_by;
pub use time::{believed_at, true_at};

use std::collections::{BTreeMap, HashSet};

use keepsake_domain::{ConversationId, ProfileOrigin};

use crate::Utterance;

/// The built-in derivation: needs no model.
pub fn derive(input: &ProfileInput<'_>) -> Vec<Change> {
    changes(findings(input), ProfileOrigin::BuiltIn, input)
}

/// What the built-in rules find, before it is set beside the entries there are.
pub fn findings(input: &ProfileInput<'_>) -> Vec<Finding> {
    let mut conversations: BTreeMap<&ConversationId, Vec<Utterance<'_>>> = BTreeMap::new();
    for said in input.utterances {
        conversations.entry(said.conversation).or_default().push(*said);
    }
    let digests: Vec<Digest> = conversations.values().map(|said| Digest::of(said)).collect();
    findings_beside(&digests.iter().collect::<Vec<_>>(), &[], input)
}

/// What the rules find in conversations that were read; of those that were `told` where they are read alone, only what the `new` ones
/// add to: the same asked for again, another word about the same. `input` has no utterances.
pub fn findings_beside(new: &[&Digest], told: &[&Digest], input: &ProfileInput<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = new.iter().flat_map(|digest| digest.findings.iter().cloned()).collect();
    stated::in_memories(input.memories, input.name, &mut found);
    let touched: HashSet<_> = found.iter().map(|finding| reconcile::slot(finding.profile_type, &finding.facet)).collect();
    let is_touched = |finding: &&Finding| {
        finding.facet.kind() == reconcile::TOPIC || touched.contains(&reconcile::slot(finding.profile_type, &finding.facet))
    };
    let more: Vec<Finding> = told.iter().flat_map(|digest| &digest.findings).filter(is_touched).cloned().collect();
    found.extend(more);
    asks::repeated(new, told, input, &mut found);
    unmet::repeated(new, told, input, &mut found);
    found
}
