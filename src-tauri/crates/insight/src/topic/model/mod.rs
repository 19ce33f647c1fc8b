//! Topics by a language model, the pure half: what is asked, and how much of the answer is believed.
//!
//! The interface is that of the built-in engine. [`WordingTask`] takes new messages into the text of a topic, gives it a title and
//! names, and may answer that some of them are distinct, which the fold then respects ([`super::Judged`]). [`PairTask`] judges whether
//! two bundles of messages are about one subject: what reconciliation proposes to merge, or to split.
//!
//! No line is believed that does not quote, word for word, a message that was shown, or that says more than the messages it quotes; a
//! reply of which less than half holds is refused as a whole. Where nothing is left the built-in text stands.
//!
//! Deliberately not here: sending, which topics are asked about, and keeping what was answered.

mod pair;
mod wording;

use keepsake_domain::{Role, limits};
use keepsake_prompt::{LINE_CHARS, Line, Speaker};

pub use pair::{PairTask, PairVerdict, TOPIC_PAIR};
pub use wording::{LinePlace, TOPIC, WordedLine, Wording, WordingInput, WordingTask};

use crate::Turn;

/// About 8,000 tokens a call: what a small local model still reads to the end.
const CHARS_MAX: usize = 8_000 * limits::CHARS_PER_TOKEN;

/// A longer quotation proves anything that can be put together from its words.
const QUOTE_CHARS_MAX: usize = 400;

/// How a transcript shows a turn; `message` is its place in the caller's slice.
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

/// Which turns fit into `chars_max`, in order: what must be shown first, then the newest. Never a part of one, since a cut could leave
/// half of a masked value.
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
