//! Needs: questions that a person asks repeatedly.
//!
//! Asking once is just a question, and asking several times in a row is insisting. Only a question asked in at least [`ASKS_MIN`]
//! messages on at least [`ASK_OCCASIONS_MIN`] occasions is a need. A question is recognized by its question mark, and the same
//! question in other words by its meaning.

use crate::profile::rules::ASK_WORDS_MIN;
pub use crate::profile::rules::{ASK_OCCASIONS_MIN, ASKS_MIN};
use keepsake_domain::ProfileType;

use super::digest::{Digest, Line};
use super::entry::{Finding, ProfileInput, Strength, fingerprint};
use super::lines::{grouped, name_of};
use crate::text::quoted;
use crate::utterance::occasions;

/// Adds to `found` the questions that the entity asked repeatedly, if the `new` conversations contribute to them.
pub(super) fn repeated(new: &[&Digest], told: &[&Digest], input: &ProfileInput<'_>, found: &mut Vec<Finding>) {
    let is_of_something = |ask: &&Line| ask.topic.len() >= ASK_WORDS_MIN;
    for group in grouped(new, told, |digest| digest.asks.iter().filter(is_of_something).collect(), input) {
        let said = group.iter().map(|ask| (&ask.conversation, ask.time));
        if group.len() < ASKS_MIN || occasions(said) < ASK_OCCASIONS_MIN {
            continue;
        }
        let Some(facet) = name_of(&group, ProfileType::Needs, input) else { continue };
        let content = format!("Repeatedly asks: “{}”", quoted(&group[0].text));
        found.extend(group.iter().map(|ask| Finding {
            profile_type: ProfileType::Needs,
            fingerprint: fingerprint(&facet, "asks"),
            facet: facet.clone(),
            content: content.clone(),
            strength: Strength::Passing,
            place: ask.place.clone(),
            conversation: ask.conversation.clone(),
            time: ask.time,
        }));
    }
}
