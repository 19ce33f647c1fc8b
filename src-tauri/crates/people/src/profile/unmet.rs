//! Gaps of one entity: requests that could not be met on at least two occasions.
//!
//! This module uses the occurrences that [`crate::gap`] finds. Here they are statements about the entity, so only the entity's
//! own words prove them.

use keepsake_domain::ProfileType;

use super::digest::Digest;
use super::entry::{Finding, ProfileInput, Strength, fingerprint};
use crate::gap::{Occurrence, clusters};
use crate::text::topic_of;

/// Adds to `found` the entity's repeatedly unmet requests, if the `new` conversations contribute to them.
pub(super) fn repeated(new: &[&Digest], told: &[&Digest], input: &ProfileInput<'_>, found: &mut Vec<Finding>) {
    if new.iter().all(|digest| digest.occurrences.is_empty()) {
        return;
    }
    let mut occurrences: Vec<&Occurrence> = new.iter().chain(told).flat_map(|digest| &digest.occurrences).collect();
    occurrences.sort_by(|a, b| (a.time, a.places.first()).cmp(&(b.time, b.places.first())));
    for cluster in clusters(&occurrences, input.similarity) {
        let need = &cluster[0].need;
        let Some(facet) = topic_of(need, |_| true) else { continue };
        for occurrence in &cluster {
            for place in &occurrence.own_places {
                found.push(Finding {
                    profile_type: ProfileType::Gaps,
                    fingerprint: fingerprint(&facet, "unmet"),
                    facet: facet.clone(),
                    content: format!("Could not get this done: \"{need}\""),
                    strength: Strength::Passing,
                    place: place.clone(),
                    conversation: occurrence.conversation.clone(),
                    time: occurrence.time,
                });
            }
        }
    }
}
