//! Needs: what somebody asks for again and again.
//!
//! Asking once is a question; asking in one breath is insisting. Only what was asked for in at least [`ASKS_MIN`] messages on at
//! least [`ASK_OCCASIONS_MIN`] occasions is a need.

use std::sync::LazyLock;

use keepsake_domain::ProfileType;
use regex::Regex;

use super::digest::{Ask, Digest};
use super::entry::{Finding, ProfileInput, Strength, fingerprint};
use super::reconcile::TOPIC;
use crate::text::{content_words, quoted, topic_of};
use crate::utterance::occasions;

/// Asked twice can be forgetting; three times is a pattern.
pub const ASKS_MIN: usize = 3;

/// On one occasion the same may be asked often, because the answer was not understood.
pub const ASK_OCCASIONS_MIN: usize = 2;

/// One content word names hardly a topic: "how do you feel?", "is this your own painting?" are asked of anything.
const ASK_WORDS_MIN: usize = 2;

/// So many of the newest askings are compared, each with what was asked before it: some two million comparisons, about a second.
/// What was last asked for longer ago is no need of today.
pub const ASKS_READ_MAX: usize = 2_000;

/// What the entity asked for repeatedly, as far as `new` conversations have to do with it.
pub(super) fn repeated(new: &[&Digest], told: &[&Digest], input: &ProfileInput<'_>, found: &mut Vec<Finding>) {
    let mut asks = asked(new);
    if !told.is_empty() {
        let known = asked(told);
        asks = beside(asks, known, input);
    }
    asks.sort_by(|a, b| (a.time, &a.interaction).cmp(&(b.time, &b.interaction)));
    let mut clusters: Vec<Vec<&Ask>> = Vec::new();
    for ask in asks.split_off(asks.len().saturating_sub(ASKS_READ_MAX)) {
        // The first asking stands for all: what is like a like thing need not be like the thing itself.
        match clusters.iter_mut().find(|known| known[0].topic.is_same(&ask.topic, input.similarity)) {
            // Said twice in one message it was asked once.
            Some(known) if known.last().is_some_and(|last| last.interaction == ask.interaction) => {}
            Some(known) => known.push(ask),
            None => clusters.push(vec![ask]),
        }
    }
    for cluster in clusters {
        let said = cluster.iter().map(|ask| (&ask.conversation, ask.time));
        if cluster.len() >= ASKS_MIN && occasions(said) >= ASK_OCCASIONS_MIN {
            tell(&cluster, input, found);
        }
    }
}

fn asked<'d>(digests: &[&'d Digest]) -> Vec<&'d Ask> {
    digests.iter().flat_map(|digest| &digest.asks).filter(|ask| ask.topic.len() >= ASK_WORDS_MIN).collect()
}

/// The new askings with those of the known ones that are like one of them, or like such a one, which may stand for both. The others
/// form the same clusters with or without them.
fn beside<'d>(new: Vec<&'d Ask>, known: Vec<&'d Ask>, input: &ProfileInput<'_>) -> Vec<&'d Ask> {
    // So many that comparing them costs more than the clusters do.
    if new.len() * known.len() > ASKS_READ_MAX * ASKS_READ_MAX {
        return new.into_iter().chain(known).collect();
    }
    let is_near = |ask: &Ask, others: &[&Ask]| others.iter().any(|other| other.topic.is_same(&ask.topic, input.similarity));
    let (near, far): (Vec<&Ask>, Vec<&Ask>) = known.into_iter().partition(|ask| is_near(ask, &new));
    let second: Vec<&Ask> = far.into_iter().filter(|ask| is_near(ask, &near)).collect();
    new.into_iter().chain(near).chain(second).collect()
}

fn tell(cluster: &[&Ask], input: &ProfileInput<'_>, found: &mut Vec<Finding>) {
    let first = &cluster[0];
    let shared = |stem: &str| 2 * cluster.iter().filter(|ask| ask.topic.has(stem)).count() >= cluster.len();
    // A need that is known keeps its name, though more askings would name it otherwise.
    let known = input.entries.iter().find(|entry| {
        entry.profile_type == ProfileType::Needs
            && entry.facet.kind() == TOPIC
            && entry.superseded_at.is_none()
            && entry.evidence.as_slice().iter().any(|place| cluster.iter().any(|ask| ask.interaction == place.interaction))
            && entry.facet.detail().is_some_and(|detail| content_words(detail).iter().any(|word| shared(word)))
    });
    let facet = match known {
        Some(entry) => Some(entry.facet.clone()),
        None => topic_of(&first.plain, shared).or_else(|| topic_of(&first.plain, |_| true)),
    };
    let Some(facet) = facet else { return };
    let content = match noun(&first.text, shared) {
        Some(noun) => format!("Repeatedly asks about {noun}"),
        None => format!("Repeatedly asks: \"{}\"", quoted(&first.text)),
    };
    for ask in cluster {
        let Some(place) = ask.place.clone() else { continue };
        found.push(Finding {
            profile_type: ProfileType::Needs,
            fingerprint: fingerprint(&facet, "asks"),
            facet: facet.clone(),
            content: content.clone(),
            strength: Strength::Passing,
            place,
            conversation: ask.conversation.clone(),
            time: ask.time,
        });
    }
}

/// What a question names, where it names one thing and all askings share it: "the deployment status".
fn noun(text: &str, shared: impl Fn(&str) -> bool) -> Option<String> {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^(?:(?:please|hey|hi|hello|ok|and|so|also|again),? )*(?:what(?:['’]s| is| are)|how(?:['’]s| is| are)|where(?:['’]s| is| are)|any (?:news|updates?|word|progress) (?:on|about|from)|(?:can you |could you )?(?:tell me (?:more )?about|show me|give me)|what about|how about) ((?:the|our|my|your|his|her|their) )?(.+?)(?: (?:doing|going|coming along|looking|now|today|again|so far|yet|please))*\s*\?*$",
        )
        .unwrap_or_else(|_| unreachable!("a constant pattern compiles"))
    });
    /// A longer phrase is a clause.
    const NOUN_WORDS_MAX: usize = 6;
    let text = text.trim();
    let found = NAMES.captures(text)?;
    let noun = found.get(2)?.as_str().trim();
    let words = content_words(noun);
    let is_one_thing = !words.is_empty()
        && words.iter().all(|word| shared(word))
        && noun.split_whitespace().count() <= NOUN_WORDS_MAX
        && noun.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\'' | '’'));
    let article = if found.get(1).is_some() { "the " } else { "" };
    is_one_thing.then(|| format!("{article}{noun}"))
}
