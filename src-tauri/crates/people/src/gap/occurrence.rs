//! Finds requests to an assistant that could not be met, based on the reader's marks.
//!
//! The unmet request is quoted in the words of the person who made it. Similar refusals are the best indication that two
//! requests are the same, because people describe what they want to achieve rather than the ability they need ("print the
//! list", "put this on paper for Bo"). Refusals between people do not count: someone who cannot take a shift lacks no ability,
//! and people refuse each other far more often than a program does. Refusals for safety or legal reasons count like any other,
//! because no word list here can distinguish them; a person decides what becomes a task.
//!
//! Deliberately not here: deciding how many occurrences make a gap.

use crate::gap::rules::{ANSWERED_COSINE, ASKED_COSINE, NEED_WORDS_MIN, REFUSED_COSINE, UNMET_MIN};
use keepsake_domain::{ConversationId, EvidenceSpan, ReadingLabel, Timestamp};

use crate::text::{ANSWERS_WITHIN, Read, Sentence, content_words, marked, quoted, read, same_topic};
use crate::{Similarity, Speaker, Utterance};

/// A place where a request could not be met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The request as worded: "can you export my notes as PDF?".
    pub need: String,
    /// How it was refused: "I can't make files". Empty if there was no refusal.
    pub refusal: String,
    /// The places that show it: first the refusal, then the request it answers.
    pub places: Vec<EvidenceSpan>,
    /// The places among `places` that are in the entity's own words. Only these are evidence about the entity.
    pub own_places: Vec<EvidenceSpan>,
    /// The conversation in which it happened.
    pub conversation: ConversationId,
    /// The time of the refusal.
    pub time: Timestamp,
}

/// A request and its refusal, in a form that can be compared with another such pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unmet<'a> {
    pub(crate) need: &'a str,
    pub(crate) refusal: &'a str,
}

impl Unmet<'_> {
    /// True if the same missing ability explains both refusals.
    pub(crate) fn is_same(&self, other: &Self, similarity: Similarity<'_>) -> bool {
        let is_near = |a: &str, b: &str, least: f32| similarity(a, b).is_some_and(|cosine| cosine >= least);
        let is_refused_alike = || {
            let says_something = |one: &Self| {
                content_words(one.refusal).len() >= NEED_WORDS_MIN && is_near(one.refusal, one.need, ANSWERED_COSINE)
            };
            is_near(self.refusal, other.refusal, REFUSED_COSINE)
                && is_near(self.need, other.need, ASKED_COSINE)
                && says_something(self)
                && says_something(other)
        };
        same_topic(self.need, other.need, similarity) || is_refused_alike()
    }
}

impl Occurrence {
    pub(crate) fn unmet(&self) -> Unmet<'_> {
        Unmet { need: &self.need, refusal: &self.refusal }
    }
}

/// All unmet requests, in order.
pub fn occurrences(utterances: &[Utterance<'_>]) -> Vec<Occurrence> {
    in_read(&read(utterances))
}

pub(crate) fn in_read(all: &[Read<'_>]) -> Vec<Occurrence> {
    all.iter().filter(|read| read.said.speaker == Speaker::Assistant).filter_map(|read| occurrence(all, read)).collect()
}

/// The unmet request that an answer shows; at most one per answer, however often the answer refuses.
fn occurrence(all: &[Read<'_>], read: &Read<'_>) -> Option<Occurrence> {
    let refusal = marked(&read.said, ReadingLabel::UnmetRequest, UNMET_MIN).into_iter().next()?;
    let (asking, asked) = asked_before(all, read)?;
    if content_words(asked.text).len() < NEED_WORDS_MIN {
        return None;
    }
    let (place, request) = (read.place(&refusal)?, asking.place(asked)?);
    Some(Occurrence {
        need: quoted(asked.text),
        refusal: quoted(refusal.text),
        places: vec![place, request.clone()],
        own_places: vec![request],
        conversation: read.said.conversation.clone(),
        time: read.said.time,
    })
}

/// The request that this message answers: the last question in the entity's most recent message before it, or else that message's
/// last sentence.
fn asked_before<'r, 'a>(all: &'r [Read<'a>], read: &Read<'a>) -> Option<(&'r Read<'a>, &'r Sentence<'a>)> {
    let mut at = read.before;
    for _ in 0..ANSWERS_WITHIN {
        let before = &all[at?];
        if before.said.speaker == Speaker::Entity {
            let question = before.sentences.iter().rev().find(|sentence| sentence.is_question);
            return question.or(before.sentences.last()).map(|asked| (before, asked));
        }
        at = before.before;
    }
    None
}
