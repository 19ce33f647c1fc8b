//! Where something was asked of an assistant and could not be done, as the reader sees it.
//!
//! What could not be done is what was asked, in the words of who asked. A refusal among people is none: who cannot take a shift lacks
//! no ability, and people refuse each other far more often than a program does. Refusals for safety or law count like any other,
//! since no list of words here tells them apart; a person decides what becomes a task.
//!
//! Deliberately not here: how often is often enough.

use keepsake_domain::{ConversationId, EvidenceSpan, ReadingLabel, Timestamp};

use crate::text::{ANSWERS_WITHIN, Read, Sentence, content_words, marked, quoted, read};
use crate::{Speaker, Utterance};

/// A refusal counts from this probability on. Chosen on authors that the reader was not trained on: four of five are refusals there.
const UNMET_MIN: f64 = 0.6;

/// One content word ("export", "that file") names nothing that could be built.
const NEED_WORDS_MIN: usize = 2;

/// One place where something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// What, as it was asked for: "can you export my notes as PDF?".
    pub need: String,
    /// Where it shows: the refusal first, then the request that it answers.
    pub places: Vec<EvidenceSpan>,
    /// Those of them that are the entity's own words: nothing else proves anything about the entity.
    pub own_places: Vec<EvidenceSpan>,
    /// In which conversation.
    pub conversation: ConversationId,
    /// When.
    pub time: Timestamp,
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
