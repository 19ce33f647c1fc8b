//! Where something was asked of an assistant and could not be done, as the reader sees it.
//!
//! What could not be done is what was asked, in the words of who asked; whether it is the same as before, what was refused tells best,
//! since people ask for an ability by what they want of it ("print the list", "put this on paper for Bo"). A refusal among people is none: who cannot take a shift lacks
//! no ability, and people refuse each other far more often than a program does. Refusals for safety or law count like any other,
//! since no list of words here tells them apart; a person decides what becomes a task.
//!
//! Deliberately not here: how often is often enough.

use keepsake_domain::{ConversationId, EvidenceSpan, ReadingLabel, Timestamp};

use crate::text::{ANSWERS_WITHIN, Read, Sentence, content_words, marked, quoted, read, same_topic};
use crate::{Similarity, Speaker, Utterance};

/// A refusal counts from this probability on. Chosen on authors that the reader was not trained on: four of five are refusals there.
const UNMET_MIN: f64 = 0.6;

/// One content word ("export", "that file") names nothing that could be built.
const NEED_WORDS_MIN: usize = 2;

/// One place where something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// What, as it was asked for: "can you export my notes as PDF?".
    pub need: String,
    /// How it was refused: "I can't make files". Empty where nobody refused it.
    pub refusal: String,
    /// Where it shows: the refusal first, then the request that it answers.
    pub places: Vec<EvidenceSpan>,
    /// Those of them that are the entity's own words: nothing else proves anything about the entity.
    pub own_places: Vec<EvidenceSpan>,
    /// In which conversation.
    pub conversation: ConversationId,
    /// When.
    pub time: Timestamp,
}

/// What was asked and how it was refused, as far as two of them are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unmet<'a> {
    pub(crate) need: &'a str,
    pub(crate) refusal: &'a str,
}

/// Two refusals at this cosine speak of one ability, where they were asked for like things. Of the refusals in the training text four of
/// five pairs that lie so near do, and with [`ASKED_COSINE`] all of them.
const REFUSED_COSINE: f32 = 0.65;

/// Requests further apart were for two things, though both were refused in the same words ("I can't do that from here").
const ASKED_COSINE: f32 = 0.2;

/// A refusal that is further from what it answers says nothing of it: "that is not possible".
const ANSWERED_COSINE: f32 = 0.2;

impl Unmet<'_> {
    /// Whether one ability is missing in both.
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

/// Every place where something could not be done, in order.
pub fn occurrences(utterances: &[Utterance<'_>]) -> Vec<Occurrence> {
    in_read(&read(utterances))
}

pub(crate) fn in_read(all: &[Read<'_>]) -> Vec<Occurrence> {
    all.iter().filter(|read| read.said.speaker == Speaker::Assistant).filter_map(|read| occurrence(all, read)).collect()
}

/// What one answer refuses; one thing, however often it says so.
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

/// What the entity said last before this message: its last question, or what it said at the end.
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
