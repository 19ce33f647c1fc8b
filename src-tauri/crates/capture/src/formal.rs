//! Finds the parts of a message that are not evidence because of their form: text that its author did not write, and instructions
//! to a machine.
//!
//! The result is the same for every proposer, whether it is the reader or a model. Deliberately not here: interpreting words.

use std::ops::Range;

use keepsake_domain::{Gate, MessageType};
use keepsake_text::{Borrowed, Form, borrowed, hides_text, is_order, sentences};

use crate::conversation::{Conversation, Proposals, Turn};
use crate::quarantine;

/// Why a range is not evidence.
pub(crate) type Refusal = (Gate, String);

/// A range that is not evidence, and the gate that rejects it.
#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    bytes: Range<usize>,
    gate: Gate,
    /// True if it covers whole lines rather than part of a sentence.
    is_of_lines: bool,
}

/// The ranges whose form shows that they are not a statement by the author: text that the author did not write, and
/// instructions to a machine, each with the rest of its line.
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
        // `Job: nurse` and `Home: Leeds` also look like dialogue, so the format alone does not decide.
        Form::Dialogue | Form::InlineCode => None,
    };
    let stretch = |one: Borrowed| Some(Stretch { gate: gate(one.form)?, is_of_lines: one.form.is_of_lines(), bytes: one.bytes });
    borrowed(text).into_iter().filter_map(stretch).collect()
}

/// The reason why the words at `bytes` are not evidence, if their form rules them out.
pub(crate) fn refusal(bytes: &Range<usize>, stretches: &[Stretch]) -> Option<(Gate, &'static str)> {
    let shares = |range: &Range<usize>| range.start < bytes.end && bytes.start < range.end;
    let holds = |range: &Range<usize>| range.start <= bytes.start && bytes.end <= range.end;
    // A person who loves “The Wire” puts only a title in quotation marks. In a real quotation, all of the words are inside the
    // marks.
    let stops = |one: &&Stretch| if one.is_of_lines { shares(&one.bytes) } else { holds(&one.bytes) };
    let Stretch { gate, .. } = stretches.iter().find(stops)?;
    let reason = match gate {
        Gate::InstructionLike => "It is part of text that gives orders to an assistant.",
        Gate::QuotedText => "It is in quotation marks or on a quoted line.",
        _ => "It is part of pasted text: code, an email, a chat, subtitles or a post.",
    };
    Some((*gate, reason))
}

/// True if no part of the message is credible, because it contains hidden characters or gives instructions to a machine in its
/// author's own voice. Instructions that are clearly quoted or pasted discredit only themselves, not the author's other words.
pub(crate) fn is_discredited(text: &str) -> bool {
    let pasted = borrowed_stretches(text);
    let shares = |one: &Stretch, order: &Range<usize>| one.bytes.start < order.end && order.start < one.bytes.end;
    let is_own = |order: &Range<usize>| !pasted.iter().any(|one| shares(one, order));
    let orders = orders(text);
    hides_text(text) || orders.iter().any(is_own) || orders.is_empty() && is_order(text)
}

/// The sentences that give instructions to a machine, even if quotation marks or bullets precede them.
fn orders(text: &str) -> Vec<Range<usize>> {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '\'' | '>' | '*' | '-' | '•' | '`' | '/');
    let orders = |words: &str| is_order(words) || is_order(words.trim_start_matches(is_mark));
    sentences(text).into_iter().filter(|sentence| orders(&text[sentence.clone()])).collect()
}

/// Keeps messages from index `from` on that give instructions to a machine as quoted data for a person to review, regardless of
/// who sent them.
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
