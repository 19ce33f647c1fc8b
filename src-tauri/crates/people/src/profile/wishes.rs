//! Preferences: how somebody wants things done from now on, as the reader sees it, in their own words.
//!
//! Nothing here knows what a wish says. Two that are about the same are one entry, and the words that were said last are what holds:
//! "bullet points, please" and, in May, "no more bullet points".

use keepsake_domain::ProfileType;

use super::digest::Digest;
use super::entry::{Finding, ProfileInput, Strength, fingerprint};
use super::lines::{grouped, name_of};
use crate::text::quoted;

/// A wish is told from this probability on. Chosen on authors that the reader was not trained on: four of five are wishes there.
pub(super) const WISH_MIN: f64 = 0.6;

/// What the entity wishes for, as far as `new` conversations have to do with it.
pub(super) fn told(new: &[&Digest], told: &[&Digest], input: &ProfileInput<'_>, found: &mut Vec<Finding>) {
    for group in grouped(new, told, |digest| digest.wishes.iter().collect(), input) {
        let Some(facet) = name_of(&group, ProfileType::Preferences, input) else { continue };
        found.extend(group.iter().map(|line| {
            let words = quoted(&line.text);
            Finding {
                profile_type: ProfileType::Preferences,
                fingerprint: fingerprint(&facet, &words.to_lowercase()),
                facet: facet.clone(),
                content: format!("Wants: “{words}”"),
                strength: Strength::Stated,
                place: line.place.clone(),
                conversation: line.conversation.clone(),
                time: line.time,
            }
        }));
    }
}
