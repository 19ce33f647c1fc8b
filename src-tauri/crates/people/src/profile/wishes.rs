//! Preferences: how a person wants things done from now on, as marked by the reader and in the person's own words.
//!
//! The meaning of a wish is not interpreted. Two wishes about the same thing form one entry, and the latest words are the
//! current ones: for example "bullet points, please", then in May "no more bullet points".

use keepsake_domain::ProfileType;

use super::digest::Digest;
use super::entry::{Finding, ProfileInput, Strength, fingerprint};
use super::lines::{grouped, name_of};
use crate::text::quoted;

/// Adds to `found` the entity's wishes, if the `new` conversations contribute to them.
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
