//! Topics by a language model (pure half): the prompts, and which parts of the answers are accepted.
//!
//! The interface is the same as the built-in engine's. [`WordingTask`] merges new messages into the text of a topic, gives the
//! topic a title, and lists the names in it. It may also report messages as distinct, that is, about something else, which the
//! fold then respects ([`super::Judged`]). [`PairTask`] judges whether two bundles of messages are about the same subject;
//! reconciliation uses it for merge and split proposals.
//!
//! A line is accepted only if it quotes, word for word, a message that was shown, and says no more than the messages it quotes.
//! If less than half of a reply passes the checks, all of it is rejected. If nothing is left, the built-in text is kept.
//!
//! Deliberately not here: sending the prompts, deciding which topics to ask about, and storing the answers.

mod pair;
mod wording;

use keepsake_domain::Role;
use keepsake_prompt::{LINE_CHARS, Line, Speaker};

pub use pair::{PairTask, PairVerdict, TOPIC_PAIR};
pub use wording::{LinePlace, TOPIC, WordedLine, Wording, WordingInput, WordingTask};

use crate::Turn;

/// A turn as a line of the transcript; `message` is its index in the caller's slice.
const fn shown<'a>(message: usize, turn: &Turn<'a>) -> Line<'a> {
    Line {
        message,
        speaker: match turn.role {
            Role::Owner => Speaker::Owner,
            Role::Assistant => Speaker::Assistant,
            Role::Person | Role::System | Role::Tool => Speaker::Person(turn.author),
        },
        text: turn.text,
        time: turn.time,
    }
}

/// The turns that fit into `chars_max`, in order. Turns that `is_first` selects take precedence; after them, newer turns do. A
/// turn is never split, because a cut could leave half of a sensitive value, which might not be masked.
fn fitting(turns: &[Turn<'_>], is_first: &dyn Fn(&Turn<'_>) -> bool, chars_max: usize) -> Vec<usize> {
    let plain = |at: &usize| turns[*at].is_plain();
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..turns.len()).filter(plain).partition(|at| is_first(&turns[*at]));
    let mut left = chars_max;
    let mut chosen: Vec<usize> = Vec::new();
    for at in first.into_iter().rev().chain(rest.into_iter().rev()) {
        let length = turns[at].text.chars().count() + LINE_CHARS;
        if length <= left {
            left -= length;
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen
}
