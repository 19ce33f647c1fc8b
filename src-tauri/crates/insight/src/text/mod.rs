//! Reads a conversation as sentences: which words are the speaker's own, where each sentence ends, and which tokens it
//! contains.
//!
//! Every sentence keeps its byte range in its message, so that every conclusion can point to a span. Deliberately not here:
//! judging what a sentence means.

mod token;

use std::ops::Range;

use keepsake_domain::{Role, Span};
use keepsake_text::{Language, OwnWords, own_words};

pub(crate) use token::{Token, stem, tokens};

use crate::Turn;

/// Maximum number of bytes read from one message. A longer message is a document rather than an utterance.
pub(crate) const MESSAGE_BYTES_READ_MAX: usize = 64 * 1024;

/// Number of bytes at the start of a conversation from which its language is detected.
const OPENING_BYTES: usize = 2048;

/// One sentence of a plain utterance.
#[derive(Debug)]
pub(crate) struct Sentence<'a> {
    /// Index of the turn in the input.
    pub(crate) turn: usize,
    /// The role of the speaker.
    pub(crate) role: Role,
    /// Byte range in the turn's text; never empty, and on character boundaries.
    pub(crate) bytes: Range<usize>,
    /// The text of that range.
    pub(crate) text: &'a str,
    /// Words and punctuation, with contractions split.
    pub(crate) tokens: Vec<Token<'a>>,
    /// Byte ranges within the turn that belong to this sentence but are code or are quoted from others.
    pub(crate) foreign: Vec<Range<usize>>,
    /// True if the sentence is a question.
    pub(crate) is_question: bool,
    /// The language of the turn.
    pub(crate) language: Language,
}

impl Sentence<'_> {
    pub(crate) fn words(&self) -> usize {
        self.tokens.iter().filter(|token| token.is_word).count()
    }
}

/// A conversation split into sentences.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    /// The input turns.
    pub(crate) turns: &'a [Turn<'a>],
    /// Indices of the turns that are plain utterances and contain words.
    pub(crate) plain: Vec<usize>,
    /// The sentences of those turns, in order.
    pub(crate) sentences: Vec<Sentence<'a>>,
    /// For each input turn, the range of its sentences in [`Self::sentences`].
    pub(crate) of_turn: Vec<Range<usize>>,
}

impl<'a> Document<'a> {
    /// Reads every plain utterance of `turns`.
    pub(crate) fn read(turns: &'a [Turn<'a>]) -> Self {
        let mut document = Self { turns, plain: Vec::new(), sentences: Vec::new(), of_turn: Vec::with_capacity(turns.len()) };
        let usual = conversation_language(turns);
        for (index, turn) in turns.iter().enumerate() {
            let first = document.sentences.len();
            if turn.is_plain() {
                document.plain.push(index);
                let text = clip(turn.text);
                let own = own_words(text);
                let language = Language::of(text, usual);
                for bytes in own.segments.iter().flat_map(|segment| sentence_ranges(text, segment.clone())) {
                    document.sentences.push(sentence(index, turn.role, text, bytes, &own, language));
                }
            }
            document.of_turn.push(first..document.sentences.len());
        }
        document
    }

    /// The span of `bytes` in turn `index`.
    pub(crate) fn span(&self, index: usize, bytes: Range<usize>) -> Option<Span> {
        Span::of_bytes(self.turns.get(index)?.text, bytes).ok()
    }
}

/// The language in which a conversation begins; used for messages that are too short for language detection.
fn conversation_language(turns: &[Turn<'_>]) -> Language {
    let mut opening = String::new();
    for turn in turns.iter().filter(|turn| turn.is_plain()) {
        if opening.len() >= OPENING_BYTES {
            break;
        }
        opening.push_str(clip(turn.text));
        opening.push('\n');
    }
    Language::of(&opening, Language::ENGLISH)
}

fn clip(text: &str) -> &str {
    let mut end = text.len().min(MESSAGE_BYTES_READ_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

fn sentence<'a>(turn: usize, role: Role, text: &'a str, bytes: Range<usize>, own: &OwnWords, language: Language) -> Sentence<'a> {
    let slice = text.get(bytes.clone()).unwrap_or("");
    let tokens = tokens(slice, bytes.start, language);
    let foreign = own.foreign.iter().filter(|range| range.start < bytes.end && bytes.start < range.end).cloned().collect();
    let is_question = asks(slice);
    Sentence { turn, role, bytes, text: slice, tokens, foreign, is_question, language }
}

/// True if a sentence starts or ends with a question mark.
fn asks(text: &str) -> bool {
    text.starts_with('¿') || text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?' && c != '？').ends_with(['?', '？'])
}

/// Abbreviations whose period does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "st", "vs", "etc", "e.g", "i.e", "eg", "ie", "approx", "no", "nr", "fig", "inc", "ltd",
    "jr", "sr", "z.b", "d.h", "u.a", "ca", "bzw", "sra", "srta", "mme", "mlle", "dra", "a.m", "p.m", "u.s", "u.k",
];

/// The sentences of one segment: non-empty, trimmed, and in order.
fn sentence_ranges(text: &str, segment: Range<usize>) -> Vec<Range<usize>> {
    let Some(slice) = text.get(segment.clone()) else { return Vec::new() };
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut chars = slice.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？') {
            continue;
        }
        let mut end = at + c.len_utf8();
        let mut dots = 1;
        while let Some(&(next, follow)) = chars.peek() {
            if matches!(follow, '.' | '!' | '?' | '…' | '"' | '”' | '“' | '»' | ')' | '\'' | '’') {
                dots += usize::from(follow == '.');
                end = next + follow.len_utf8();
                chars.next();
            } else {
                break;
            }
        }
        let wide = matches!(c, '。' | '！' | '？');
        let follow = slice.get(end..).unwrap_or("");
        if !wide && follow.chars().next().is_some_and(|next| !next.is_whitespace()) {
            continue;
        }
        let next_letter = follow.trim_start().chars().next();
        let trails_off = (c == '…' || dots > 1) && next_letter.is_some_and(char::is_lowercase);
        if trails_off || (c == '.' && dots == 1 && ends_in_abbreviation(slice.get(start..at).unwrap_or(""))) {
            continue;
        }
        push_trimmed(slice, start..end, segment.start, &mut ranges);
        start = end;
    }
    push_trimmed(slice, start..slice.len(), segment.start, &mut ranges);
    ranges
}

fn ends_in_abbreviation(before: &str) -> bool {
    let last = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    let single_capital = last.chars().count() == 1 && last.chars().all(char::is_uppercase) && last != "I";
    // "3." at the start of a segment numbers a list item; "in 2019." ends a sentence.
    let numbers_a_list = !last.is_empty() && before.trim() == last && last.len() <= 2 && last.bytes().all(|b| b.is_ascii_digit());
    single_capital || numbers_a_list || ABBREVIATIONS.contains(&last.to_lowercase().as_str())
}

fn push_trimmed(slice: &str, range: Range<usize>, offset: usize, into: &mut Vec<Range<usize>>) {
    let Some(piece) = slice.get(range.clone()) else { return };
    let trimmed = piece.trim();
    if trimmed.chars().any(char::is_alphanumeric) || trimmed.chars().any(|c| c as u32 >= 0x1F300) {
        let start = offset + range.start + (piece.len() - piece.trim_start().len());
        into.push(start..start + trimmed.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let found: Vec<&str> = sentence_ranges(text, 0..text.len()).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expect, "sentences of {text:?}");
    }

    #[test]
    fn sentences_end_where_a_reader_would_end_them() {
        check("I moved. It was hard!", &["I moved.", "It was hard!"]);
        check("i moved. it was hard", &["i moved.", "it was hard"]);
        check("Dr. Lee saw me at 3 p.m. on Monday. Fine.", &["Dr. Lee saw me at 3 p.m. on Monday.", "Fine."]);
        check("It cost 3.50 at example.org today", &["It cost 3.50 at example.org today"]);
        check("well... maybe not. Right?", &["well... maybe not.", "Right?"]);
        check("今日は。元気？", &["今日は。", "元気？"]);
        check("  ... ", &[]);
        check("He said \"go.\" Then we went.", &["He said \"go.\"", "Then we went."]);
    }
}
