//! A message in its context, as the network takes it. `training/data.py` is the truth, and a test compares the two:
//!
//! `CLS [ROLE opener SEP] (ROLE turn)* SEP ROLE message SEP`
//!
//! The opener, the conversation's first turn, is there when it lies further back than the turns shown: it often says that what follows
//! is a play. ROLE is a position without a word; its number says who speaks.

use std::collections::HashMap;
use std::ops::Range;

use keepsake_domain::{Role, Utterance};
use tokenizers::Tokenizer;

const CLS: u32 = 0;
const PAD: u32 = 1;
const SEP: u32 = 2;
/// Tokens of the message in one window; 99 of 100 messages are shorter.
const MESSAGE: usize = 224;
/// From window to window: what is cut at an end of one has 32 tokens on both sides in the other.
const STEP: usize = 160;
/// Tokens of the turns before, together.
const CONTEXT: usize = 110;
/// Tokens of the opening turn.
const OPENER: usize = 30;
/// Tokens of one turn before; a longer one keeps its first [`TURN_HEAD`] and its last.
const TURN: usize = 40;
const TURN_HEAD: usize = 14;
/// Turns before.
const TURNS: usize = 3;
/// Bytes of a message that are read at all: 100,000 characters of any script. What lies behind is not read, and nobody says so much.
const MESSAGE_BYTES_MAX: usize = 400_000;
/// Bytes of a turn before that can matter: its ends. Pieces have four characters in the mean, and one at least one byte.
const TURN_BYTES: usize = 2_000;

/// One window of a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) ids: Vec<u32>,
    /// 0 for a word, else who speaks from here on.
    pub(super) roles: Vec<u8>,
    /// Where the message's own tokens begin in `ids`.
    pub(super) start: usize,
    /// Bytes of the message that each of them covers.
    pub(super) places: Vec<Range<usize>>,
    /// Index of the first of them among the message's tokens.
    pub(super) first: usize,
}

/// Pieces of texts, remembered: a turn is context of several messages.
pub(super) struct Tokens<'t> {
    tokenizer: &'t Tokenizer,
    known: HashMap<String, Vec<u32>>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(tokenizer: &'t Tokenizer) -> Self {
        Self { tokenizer, known: HashMap::new() }
    }

    fn pieces(&self, text: &str) -> Result<(Vec<u32>, Vec<Range<usize>>), String> {
        let found = self.tokenizer.encode(text, false).map_err(|error| error.to_string())?;
        let places = found.get_offsets().iter().map(|&(start, end)| {
            // The blank that a piece carries is not part of it.
            let piece = text.get(start..end).unwrap_or_default();
            start + (piece.len() - piece.trim_start().len())..end
        });
        Ok((found.get_ids().to_vec(), places.collect()))
    }

    /// The pieces of a turn that is context. Of a very long one only the ends count, so only they are cut into pieces.
    fn context(&mut self, text: &str) -> Result<&[u32], String> {
        if !self.known.contains_key(text) {
            let mut ids = if text.len() <= 2 * TURN_BYTES {
                self.pieces(text)?.0
            } else {
                let head = &text[..text.floor_char_boundary(TURN_BYTES)];
                let tail = &text[text.ceil_char_boundary(text.len() - TURN_BYTES)..];
                [self.pieces(head)?.0, self.pieces(tail)?.0].concat()
            };
            if ids.len() > OPENER.max(TURN) {
                // The opener wants the first 30, a turn the first 14 and last 26.
                let tail = ids.split_off(ids.len() - (TURN - TURN_HEAD));
                ids.truncate(OPENER);
                ids.extend(tail);
            }
            self.known.insert(text.to_owned(), ids);
        }
        Ok(&self.known[text])
    }
}

fn number(role: Role) -> u8 {
    match role {
        Role::Owner => 1,
        Role::Assistant => 2,
        Role::Person => 3,
        Role::System => 4,
        Role::Tool => 5,
    }
}

/// Everything before the message, and the mark of who speaks.
fn head(before: &[Utterance<'_>], role: Role, tokens: &mut Tokens<'_>) -> Result<(Vec<u32>, Vec<u8>), String> {
    let (mut ids, mut roles) = (vec![CLS], vec![0]);
    if let [opener, .., _, _, _] = before {
        let words = tokens.context(opener.text)?;
        ids.push(PAD);
        ids.extend(&words[..words.len().min(OPENER)]);
        ids.push(SEP);
        roles.push(number(opener.role));
        roles.resize(ids.len(), 0);
    }
    let mut shown: Vec<(u8, Vec<u32>)> = Vec::new();
    let mut length = 0;
    for turn in before.iter().rev().take(TURNS) {
        let words = tokens.context(turn.text)?;
        let words = match words.len() {
            0..=TURN => words.to_vec(),
            long => [&words[..TURN_HEAD], &words[long - (TURN - TURN_HEAD)..]].concat(),
        };
        if length + words.len() + 1 > CONTEXT {
            break;
        }
        length += words.len() + 1;
        shown.push((number(turn.role), words));
    }
    for (role, words) in shown.into_iter().rev() {
        ids.push(PAD);
        ids.extend(words);
        roles.push(role);
        roles.resize(ids.len(), 0);
    }
    ids.extend([SEP, PAD]);
    roles.extend([0, number(role)]);
    Ok((ids, roles))
}

/// Whether the opener is shown beside the turns before the message at this place.
pub(super) fn shows_opener(at: usize) -> bool {
    at > TURNS
}

/// The message in its place with the turns before it that are shown, as if the conversation had begun with them.
pub(super) fn late<'t, 'u>(turns: &'t [Utterance<'u>], at: usize) -> (&'t [Utterance<'u>], usize) {
    let from = at.saturating_sub(TURNS);
    (&turns[from..], at - from)
}

/// Windows over a message of so many tokens; one even for an empty message.
fn windows(length: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        found.push(at..length.min(at + MESSAGE));
        if at + MESSAGE >= length {
            return found;
        }
        at += STEP;
    }
}

/// The windows of the message `turns[at]`.
pub(super) fn rows(turns: &[Utterance<'_>], at: usize, tokens: &mut Tokens<'_>) -> Result<Vec<Row>, String> {
    let message = turns[at];
    let text = &message.text[..message.text.floor_char_boundary(MESSAGE_BYTES_MAX)];
    let (ids, places) = tokens.pieces(text)?;
    let (before, roles) = head(&turns[..at], message.role, tokens)?;
    let cut = windows(ids.len()).into_iter().map(|window| {
        let mut row = Row {
            ids: before.clone(),
            roles: roles.clone(),
            start: before.len(),
            places: places[window.clone()].to_vec(),
            first: window.start,
        };
        row.ids.extend(&ids[window]);
        row.ids.push(SEP);
        row.roles.resize(row.ids.len(), 0);
        row
    });
    Ok(cut.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_overlap_and_cover_everything() {
        let check = |length: usize, expect: &[(usize, usize)]| {
            let found: Vec<_> = windows(length).iter().map(|window| (window.start, window.end)).collect();
            assert_eq!(found, expect, "{length} tokens");
        };
        check(0, &[(0, 0)]);
        check(224, &[(0, 224)]);
        check(225, &[(0, 224), (160, 225)]);
        check(400, &[(0, 224), (160, 384), (320, 400)]);
    }
}
