//! What of a message proves nothing by its form: what its author did not write, and orders to a machine.
//!
//! The same answer for every proposer, the reader and a model. Deliberately not here: what words mean.

use std::ops::Range;

use keepsake_domain::{Gate, MessageType};
use keepsake_text::{Borrowed, Form, borrowed, hides_text, is_order, sentences};

use crate::conversation::{Conversation, Proposals, Turn};
use crate::quarantine;

/// Why a stretch proves nothing.
pub(crate) type Refusal = (Gate, String);

/// A stretch that proves nothing, and the gate that says so.
#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    bytes: Range<usize>,
    gate: Gate,
    /// It takes whole lines, and not a part of a sentence.
    is_of_lines: bool,
}

/// Stretches that are nobody's statement by their form: what its author did not write, and orders to a machine with the rest of
/// their line.
pub(crate) fn stretches(text: &str) -> Vec<Stretch> {
    let mut found = borrowed_stretches(text);
    for sentence in sentences(text).into_iter().filter(|sentence| is_order(&text[sentence.clone()])) {
        let end = text[sentence.end..].find('\n').map_or(text.len(), |n| sentence.end + n);
        found.push(Stretch { bytes: sentence.start..end, gate: Gate::InstructionLike, is_of_lines: true });
    }
    found
}

fn borrowed_stretches(text: &str) -> Vec<Stretch> {
    let gate = |form: Form| match form {
        Form::Fence | Form::Mail | Form::Chat | Form::Captions | Form::Post | Form::Code | Form::Placeholder => {
            Some(Gate::PastedText)
        }
        Form::QuotedLine | Form::Quotation => Some(Gate::QuotedText),
        // `Job: nurse` and `Home: Leeds` look like a dialogue too: what it is, is not said by its form.
        Form::Dialogue | Form::InlineCode => None,
    };
    let stretch = |one: Borrowed| Some(Stretch { gate: gate(one.form)?, is_of_lines: one.form.is_of_lines(), bytes: one.bytes });
    borrowed(text).into_iter().filter_map(stretch).collect()
}

/// Why the words at `bytes` prove nothing, if their form says so.
pub(crate) fn refusal(bytes: &Range<usize>, stretches: &[Stretch]) -> Option<(Gate, &'static str)> {
    let shares = |range: &Range<usize>| range.start < bytes.end && bytes.start < range.end;
    let holds = |range: &Range<usize>| range.start <= bytes.start && bytes.end <= range.end;
    // Whoever loves “The Wire” quotes a title; whoever is quoted says all of it between the marks.
    let stops = |one: &&Stretch| if one.is_of_lines { shares(&one.bytes) } else { holds(&one.bytes) };
    let Stretch { gate, .. } = stretches.iter().find(stops)?;
    let reason = match gate {
        Gate::InstructionLike => "It belongs to text that gives orders to an assistant.",
        Gate::QuotedText => "It stands between quotation marks or on a quoted line.",
        _ => "It belongs to pasted text: code, a mail, a chat, subtitles or a post.",
    };
    Some((*gate, reason))
}

/// Whether nothing that the message says can be believed, because it hides characters or gives orders to a machine in its author's
/// own voice. Orders that are plainly quoted or pasted discredit themselves and not what the author says beside them.
pub(crate) fn is_discredited(text: &str) -> bool {
    let pasted = borrowed_stretches(text);
    let shares = |one: &Stretch, order: &Range<usize>| one.bytes.start < order.end && order.start < one.bytes.end;
    let is_own = |order: &Range<usize>| !pasted.iter().any(|one| shares(one, order));
    let orders = orders(text);
    hides_text(text) || orders.iter().any(is_own) || orders.is_empty() && is_order(text)
}

/// The sentences that give orders to a machine, also where quotation marks or bullets stand before them.
fn orders(text: &str) -> Vec<Range<usize>> {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '\'' | '>' | '*' | '-' | '•' | '`' | '/');
    let orders = |words: &str| is_order(words) || is_order(words.trim_start_matches(is_mark));
    sentences(text).into_iter().filter(|sentence| orders(&text[sentence.clone()])).collect()
}

/// Keeps the messages from `from` on that give orders to a machine as quoted data, for a person to look at, whoever sent them.
pub(crate) fn set_apart(conversation: &Conversation<'_>, from: usize, out: &mut Proposals) {
    let is_said = |turn: &Turn<'_>| turn.message_type != MessageType::Instruction;
    for (index, turn) in conversation.turns.iter().enumerate().skip(from).filter(|(_, turn)| is_said(turn)) {
        let whole = || (hides_text(turn.text) || is_order(turn.text)).then_some(0..turn.text.len());
        let Some(place) = orders(turn.text).into_iter().next().or_else(whole) else { continue };
        if let Some((stop, candidate)) = quarantine::kept(index, turn.text, place, turn.subject()) {
            out.stops.push(stop);
            out.candidates.push(candidate);
        }
    }
}
