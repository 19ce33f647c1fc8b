//! Needs: what somebody asks for again and again.
//!
//! Asking once is a question; asking in one breath is insisting. Only what was asked for in at least [`ASKS_MIN`] messages on at
//! least [`ASK_OCCASIONS_MIN`] occasions is a need. A question is known by its mark, and the same one in other words by its meaning.

use keepsake_domain::ProfileType;

use super::digest::{Digest, Line};
use super::entry::{Finding, ProfileInput, Strength, fingerprint};
use super::lines::{grouped, name_of};
use crate::text::quoted;
use crate::utterance::occasions;

/// Asked twice can be forgetting; three times is a pattern.
pub const ASKS_MIN: usize = 3;

/// On one occasion the same may be asked often, because the answer was not understood.
pub const ASK_OCCASIONS_MIN: usize = 2;

/// One content word names hardly a topic: "how do you feel?", "is this your own painting?" are asked of anything.
const ASK_WORDS_MIN: usize = 2;

/// What the entity asked for repeatedly, as far as `new` conversations have to do with it.
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
