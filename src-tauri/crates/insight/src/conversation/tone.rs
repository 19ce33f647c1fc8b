//! The tone of a conversation: how quickly people answer and how long their messages are. Formality and technical vocabulary are
//! not judged, because only word lists could do that.

use crate::conversation::rules::{QUICK_MS, STEADY_MS};
use keepsake_domain::Role;
use serde::{Deserialize, Serialize};

use crate::Turn;
use crate::text::{Document, Sentence};

/// How quickly people answer each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Within minutes, as in a chat.
    Quick,
    /// Within the day.
    Steady,
    /// After days, as with letters.
    Slow,
}

/// The tone of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToneProfile {
    /// How quickly people answer; `None` until someone has answered at a known time.
    pub pace: Option<Pace>,
    /// The median time to an answer, in milliseconds.
    pub answer_ms: Option<i64>,
    /// The median number of words per message that a person wrote.
    pub typical_words: u32,
    /// The number of messages that the profile is based on.
    pub messages: u32,
}

/// The tone of a conversation; `None` if no person said anything. Assistants are not counted.
pub(super) fn read(document: &Document<'_>) -> Option<ToneProfile> {
    let is_persons = |at: &&usize| document.turns.get(**at).is_some_and(|turn| matches!(turn.role, Role::Owner | Role::Person));
    let words = |at: &usize| {
        let sentences = document.of_turn.get(*at).and_then(|range| document.sentences.get(range.clone())).unwrap_or(&[]);
        sentences.iter().map(Sentence::words).sum::<usize>()
    };
    let mut lengths: Vec<usize> = document.plain.iter().filter(is_persons).map(words).collect();
    lengths.sort_unstable();
    let typical_words = *lengths.get(lengths.len() / 2)? as u32;
    let answer_ms = answer(document);
    Some(ToneProfile {
        pace: answer_ms.map(|ms| match ms {
            ms if ms <= QUICK_MS => Pace::Quick,
            ms if ms <= STEADY_MS => Pace::Steady,
            _ => Pace::Slow,
        }),
        answer_ms,
        typical_words,
        messages: lengths.len() as u32,
    })
}

/// The median time between a message and another participant's answer, in milliseconds.
fn answer(document: &Document<'_>) -> Option<i64> {
    let turns: Vec<&Turn<'_>> =
        document.plain.iter().filter_map(|at| document.turns.get(*at)).filter(|turn| turn.time.as_millis() > 0).collect();
    let mut waits: Vec<i64> = turns
        .windows(2)
        .filter(|pair| pair[0].author != pair[1].author || pair[0].role != pair[1].role)
        .map(|pair| (pair[1].time.as_millis() - pair[0].time.as_millis()).max(0))
        .collect();
    waits.sort_unstable();
    waits.get(waits.len() / 2).copied()
}
