//! How a conversation goes: how quickly people answer, and how long their messages are. How formal it is and how much of a trade it
//! talks is not told: only lists of words would.

use keepsake_domain::Role;
use serde::{Deserialize, Serialize};

use crate::Turn;
use crate::text::{Document, Sentence};

/// How quickly people answer each other while they talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Within minutes, as in a chat.
    Quick,
    /// Within the day.
    Steady,
    /// After days, as in letters.
    Slow,
}

/// The tone of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToneProfile {
    /// How quickly people answer; nothing before somebody answered at a known time.
    pub pace: Option<Pace>,
    /// The middle time to an answer.
    pub answer_ms: Option<i64>,
    /// Words of the middle message of people.
    pub typical_words: u32,
    /// How many messages this rests on.
    pub messages: u32,
}

/// Answers within this are a chat.
const QUICK_MS: i64 = 15 * 60_000;

/// Answers within this come the same day.
const STEADY_MS: i64 = 24 * 3_600_000;

/// The tone of a conversation; nothing where nobody said anything. An assistant's style is its own.
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

/// The middle time between a message and the answer of somebody else.
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
