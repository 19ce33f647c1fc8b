//! Arranges messages and their context as input for the network. `training/data.py` is the reference; a test compares the two:
//!
//! `CLS [ROLE opener SEP] (ROLE turn)* SEP (ROLE message)*`
//!
//! A segment is a run of messages that are read together. A token sees its own message and everything before it, so the result
//! for a message does not depend on later messages, and each message is read only once. The context of a segment consists of
//! the turns right before it, shortened, and the opener (the conversation's first turn) if it is further back. The opener is
//! included because it often announces role-play. ROLE is a position without a word. Its number identifies the speaker, and the
//! network's scores for the whole message are taken from this position.

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::ops::Range;

use keepsake_domain::{Role, Utterance};

use crate::encoder::Tokenizer;

const CLS: u32 = 0;
const PAD: u32 = 1;
const SEP: u32 = 2;
/// Maximum number of tokens of a long message in one window.
const MESSAGE: usize = 224;
/// Distance between the starts of two windows. Text at the edge of one window has at least 32 tokens on both sides in another.
const STEP: usize = 160;
/// Maximum total number of tokens of the turns before a segment. They are read again with every segment and cost as much as its
/// own tokens.
const CONTEXT: usize = 64;
/// Maximum number of tokens of the opener.
const OPENER: usize = 24;
/// Maximum number of tokens of a context turn. A longer turn is cut to its first [`TURN_HEAD`] tokens and its last ones.
const TURN: usize = 32;
const TURN_HEAD: usize = 12;
/// Maximum number of turns before a segment.
const TURNS: usize = 4;
/// Messages longer than this many bytes are read separately, in windows. Nine out of ten messages are shorter.
const LONG_BYTES: usize = 600;
/// Maximum total bytes of a segment's messages, about 175 tokens. Longer segments cost more per token, and shorter ones need more
/// context.
const SEGMENT_BYTES: usize = 700;
/// Number of positions in the network. A segment with more tokens continues in another row.
const TOKENS: usize = 512;
/// The order value of padding, which is visible only to padding.
pub(super) const PADDING: i64 = 1_000_000;
/// Maximum number of bytes read from a message, enough for 100,000 characters in any script. Nobody writes that much, so the rest
/// is not read.
const MESSAGE_BYTES_MAX: usize = 400_000;
/// Number of bytes at each end of a context turn that can matter. A piece has four characters on average, and at least one byte.
const TURN_BYTES: usize = 2_000;

/// A row of messages that the network reads together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    pub(super) ids: Vec<u32>,
    /// For each token: 0 for a word, otherwise the number of the speaker from here on.
    pub(super) roles: Vec<u8>,
    /// For each token, the index of its turn within the row. A token is visible to its own turn and to later ones.
    pub(super) order: Vec<i64>,
    /// The messages that are read in this row.
    pub(super) parts: Vec<Part>,
}

/// A message in a row, or a window of a long message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    /// Index of the message in the conversation.
    pub(super) at: usize,
    /// The position of its ROLE. The message's tokens follow it.
    pub(super) role: usize,
    /// The byte range of the message that each token covers.
    pub(super) places: Vec<Range<usize>>,
    /// Index of the part's first token among all tokens of the message.
    pub(super) first: usize,
}

impl Row {
    /// Starts a row with the context before a segment.
    fn after(turns: &[Utterance<'_>], tokens: &mut Tokens<'_>) -> Result<Self, String> {
        let mut row = Self { ids: vec![CLS], roles: vec![0], order: vec![0], parts: Vec::new() };
        let mut shown: Vec<(Role, Vec<u32>)> = Vec::new();
        let mut length = 0;
        for turn in turns.iter().rev().take(TURNS) {
            let words = tokens.context(turn.text)?;
            let words = match words.len() {
                0..=TURN => words.to_vec(),
                long => [&words[..TURN_HEAD], &words[long - (TURN - TURN_HEAD)..]].concat(),
            };
            if length + words.len() + 1 > CONTEXT {
                break;
            }
            length += words.len() + 1;
            shown.push((turn.role, words));
        }
        if let Some(opener) = turns.first().filter(|_| turns.len() > shown.len()) {
            row.begin(opener.role);
            let words = tokens.context(opener.text)?;
            row.put(&words[..words.len().min(OPENER)]);
            row.put(&[SEP]);
        }
        for (role, words) in shown.into_iter().rev() {
            row.begin(role);
            row.put(&words);
        }
        row.put(&[SEP]);
        Ok(row)
    }

    fn turn(&self) -> i64 {
        self.order.last().copied().unwrap_or_default()
    }

    /// Starts a new turn with its role.
    fn begin(&mut self, role: Role) {
        self.order.push(self.turn() + 1);
        self.ids.push(PAD);
        self.roles.push(number(role));
    }

    fn put(&mut self, ids: &[u32]) {
        self.ids.extend(ids);
        self.roles.resize(self.ids.len(), 0);
        self.order.resize(self.ids.len(), self.turn());
    }

    fn message(&mut self, at: usize, role: Role, pieces: &Pieces, window: Range<usize>) {
        self.begin(role);
        let places = pieces.places[window.clone()].to_vec();
        self.parts.push(Part { at, role: self.ids.len() - 1, places, first: window.start });
        self.put(&pieces.ids[window]);
    }
}

/// The pieces that a text was split into.
struct Pieces {
    ids: Vec<u32>,
    places: Vec<Range<usize>>,
}

/// Splits texts into pieces. Caches the results, because a turn is the context of several messages.
pub(super) struct Tokens<'t> {
    tokenizer: &'t Tokenizer,
    known: HashMap<String, Vec<u32>>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(tokenizer: &'t Tokenizer) -> Self {
        Self { tokenizer, known: HashMap::new() }
    }

    fn pieces(&self, text: &str) -> Result<Pieces, String> {
        let found = self.tokenizer.encode(text, false).map_err(|error| error.to_string())?;
        let places = found.get_offsets().iter().map(|&(start, end)| {
            // A piece may include a leading space, which is not part of its byte range.
            let piece = text.get(start..end).unwrap_or_default();
            start + (piece.len() - piece.trim_start().len())..end
        });
        Ok(Pieces { ids: found.get_ids().to_vec(), places: places.collect() })
    }

    /// The pieces of a context turn. In a very long turn, only the two ends matter, so only these are split into pieces.
    fn context(&mut self, text: &str) -> Result<&[u32], String> {
        if !self.known.contains_key(text) {
            let mut ids = if text.len() <= 2 * TURN_BYTES {
                self.pieces(text)?.ids
            } else {
                let head = &text[..text.floor_char_boundary(TURN_BYTES)];
                let tail = &text[text.ceil_char_boundary(text.len() - TURN_BYTES)..];
                [self.pieces(head)?.ids, self.pieces(tail)?.ids].concat()
            };
            if ids.len() > OPENER.max(TURN) {
                // The opener needs the first 24 pieces; other turns need the first 12 and the last 20.
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

/// Whether a message at this position is read with an opener that a second reading can leave out.
pub(super) fn shows_opener(at: usize) -> bool {
    at > TURNS
}

/// The message with the turns right before it, as if the conversation began there, and the new index of the message.
pub(super) fn late<'t, 'u>(turns: &'t [Utterance<'u>], at: usize) -> (&'t [Utterance<'u>], usize) {
    let from = at.saturating_sub(TURNS);
    (&turns[from..], at - from)
}

/// The segments of a conversation, given the length of each turn in bytes. Where a segment starts depends only on earlier turns.
fn segments(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut size = 0;
    for (at, more) in lengths.enumerate() {
        match found.last_mut() {
            Some(open) if more <= LONG_BYTES && size <= LONG_BYTES && size + more <= SEGMENT_BYTES => {
                open.end = at + 1;
                size += more;
            }
            _ => {
                found.push(at..at + 1);
                size = more;
            }
        }
    }
    found
}

/// For each turn, the first turn that the reader sees with it (not counting the opener), given the length of each turn in bytes.
pub fn shown_from(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let spread = |segment: Range<usize>| segment.clone().map(move |_| segment.start.saturating_sub(TURNS));
    segments(lengths).into_iter().flat_map(spread).collect()
}

/// The windows over a message with `length` tokens. An empty message has one window too.
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

/// The rows in which the wanted messages are read. Other messages of the same segments are read with them.
pub(super) fn rows(turns: &[Utterance<'_>], wanted: &BTreeSet<usize>, tokens: &mut Tokens<'_>) -> Result<Vec<Row>, String> {
    let mut found = Vec::new();
    for segment in segments(turns.iter().map(|turn| turn.text.len())) {
        if let Some(last) = wanted.range(segment.clone()).next_back() {
            rows_of(turns, segment.start..last + 1, tokens, &mut found)?;
        }
    }
    Ok(found)
}

/// A row that contains the last turn, with the other turns as its context. Of a long last turn, only the beginning is included.
pub(super) fn statement(turns: &[Utterance<'_>], tokens: &mut Tokens<'_>) -> Result<Row, String> {
    let mut found = Vec::new();
    rows_of(turns, turns.len() - 1..turns.len(), tokens, &mut found)?;
    Ok(found.swap_remove(0))
}

fn rows_of(turns: &[Utterance<'_>], segment: Range<usize>, tokens: &mut Tokens<'_>, found: &mut Vec<Row>) -> Result<(), String> {
    let mut open = Row::default();
    for at in segment.clone() {
        let message = turns[at];
        let pieces = tokens.pieces(&message.text[..message.text.floor_char_boundary(MESSAGE_BYTES_MAX)])?;
        let windows = windows(pieces.ids.len());
        // A message with several windows gets its own rows. Dense text can have more tokens than its bytes suggest.
        let is_alone = windows.len() > 1;
        if open.ids.is_empty() || is_alone || open.ids.len() + 1 + pieces.ids.len() > TOKENS {
            found.extend(Some(std::mem::take(&mut open)).filter(|row| !row.parts.is_empty()));
            open = Row::after(&turns[..at], tokens)?;
        }
        if is_alone {
            let before = std::mem::take(&mut open);
            for window in windows {
                let mut row = before.clone();
                row.message(at, message.role, &pieces, window);
                found.push(row);
            }
        } else {
            open.message(at, message.role, &pieces, 0..pieces.ids.len());
        }
    }
    found.extend(Some(open).filter(|row| !row.parts.is_empty()));
    Ok(())
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

    #[test]
    fn where_a_segment_begins_depends_on_what_was_said_before_alone() {
        let lengths = [400, 250, 300, 2000, 10, 10];
        assert_eq!(segments(lengths.into_iter()), [0..2, 2..3, 3..4, 4..6]);
        for end in 0..lengths.len() {
            let known: Vec<usize> = segments(lengths[..end].iter().copied()).iter().map(|segment| segment.start).collect();
            let all: Vec<usize> =
                segments(lengths.into_iter()).iter().map(|segment| segment.start).filter(|&at| at < end).collect();
            assert_eq!(known, all, "of the first {end}");
        }
        assert_eq!(shown_from(lengths.into_iter()), [0, 0, 0, 0, 0, 0]);
        assert_eq!(shown_from([600; 8].into_iter()), [0, 0, 0, 0, 0, 1, 2, 3], "the turns before its segment, and no more");
    }
}
