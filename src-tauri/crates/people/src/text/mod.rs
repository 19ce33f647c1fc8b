//! A message as this crate reads it: whose own words, in sentences, and what a sentence is about.
//!
//! Deliberately not here: what a sentence means for a profile or a gap.

mod reading;
mod topic;
mod words;

use std::ops::Range;

use keepsake_text::own_words;
pub(crate) use reading::{ANSWERS_WITHIN, Read, read};
pub(crate) use topic::{is_ask, quoted, topic_of};
use words::content_words_in;
pub(crate) use words::{Topic, content_words, same_topic};

/// No more of one message is read: what follows is a document and not an utterance.
const MESSAGE_BYTES_READ_MAX: usize = 16 * 1024;

/// One sentence of a message in the speaker's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence<'a> {
    /// Where in the message, in bytes.
    pub(crate) bytes: Range<usize>,
    /// As written.
    pub(crate) text: &'a str,
    /// In lower case, plain apostrophes, one blank for many, no marks at the ends.
    pub(crate) plain: String,
    /// Ends with a question mark.
    pub(crate) is_question: bool,
}

impl Sentence<'_> {
    /// A part of `plain` with the capitals that its speaker wrote: rules compare without them, people read names and "PDF".
    pub(crate) fn as_written(&self, part: &str) -> String {
        let written = on_one_line(self.text);
        let lower: Vec<char> = written.chars().map(lower_one).collect();
        let part: Vec<char> = part.chars().collect();
        let found = lower.windows(part.len().max(1)).position(|window| window == part);
        match found {
            Some(at) => written.chars().skip(at).take(part.len()).collect(),
            None => part.into_iter().collect(),
        }
    }
}

fn on_one_line(text: &str) -> String {
    text.replace(['’', '‘', '`'], "'").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One for one, so that places in the two texts are the same; the few letters that become two stay as they are.
fn lower_one(letter: char) -> char {
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => letter,
    }
}

/// The sentences of a message that are its speaker's own words: no code, no quotation, no pasted text, no irony by its face.
pub(crate) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let text = clip(text);
    let own = own_words(text);
    let mut found = Vec::new();
    for segment in own.segments {
        for bytes in split(text, segment, &['.', '!', '?', '…', ';', '。', '！', '？']) {
            if own.foreign.iter().any(|foreign| foreign.start < bytes.end && bytes.start < foreign.end) {
                continue;
            }
            let Some(slice) = text.get(bytes.clone()) else { continue };
            if slice.contains(IRONIC_FACES)
                || text.get(bytes.end..).is_some_and(|rest| rest.trim_start().starts_with(IRONIC_FACES))
            {
                continue;
            }
            found.push(Sentence { text: slice, plain: plain(slice), is_question: slice.ends_with(['?', '？']), bytes });
        }
    }
    found
}

/// Faces that turn a sentence round.
const IRONIC_FACES: [char; 3] = ['🙃', '🙄', '💀'];

/// The parts of a sentence between commas, dashes and "but", for sentences that are more than one statement.
pub(crate) fn clauses<'a>(text: &'a str, sentence: &Sentence<'_>) -> Vec<Sentence<'a>> {
    split(text, sentence.bytes.clone(), &[',', '–', '—', ';'])
        .into_iter()
        .flat_map(|bytes| at_words(text, bytes))
        .filter_map(|bytes| {
            let slice = text.get(bytes.clone())?;
            Some(Sentence { text: slice, plain: plain(slice), is_question: sentence.is_question, bytes })
        })
        .collect()
}

/// Splits once more at " and " and " but ".
fn at_words(text: &str, bytes: Range<usize>) -> Vec<Range<usize>> {
    let Some(slice) = text.get(bytes.clone()) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut start = 0;
    let mut cuts: Vec<(usize, usize)> =
        [" and ", " but "].iter().flat_map(|word| slice.match_indices(word).map(|(at, word)| (at, word.len()))).collect();
    cuts.sort_unstable();
    for (at, length) in cuts {
        if at >= start {
            push_trimmed(slice, start..at, bytes.start, &mut parts);
            start = at + length;
        }
    }
    push_trimmed(slice, start..slice.len(), bytes.start, &mut parts);
    parts
}

fn clip(text: &str) -> &str {
    let mut end = text.len().min(MESSAGE_BYTES_READ_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// A text as rules compare it.
pub(crate) fn plain(text: &str) -> String {
    let joined = on_one_line(&text.to_lowercase());
    joined.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '%')).to_owned()
}

/// Words that end with a full stop and no sentence.
const ABBREVIATIONS: &[&str] =
    &["dr", "mr", "mrs", "ms", "prof", "st", "vs", "e.g", "i.e", "z.b", "d.h", "a.m", "p.m", "no", "nr"];

/// The pieces of `segment` between `marks`, trimmed and in order.
fn split(text: &str, segment: Range<usize>, marks: &[char]) -> Vec<Range<usize>> {
    let Some(slice) = text.get(segment.clone()) else { return Vec::new() };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut chars = slice.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !marks.contains(&c) {
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some(&(next, follow)) = chars.peek() {
            if !matches!(follow, '.' | '!' | '?' | '…' | ')') {
                break;
            }
            end = next + follow.len_utf8();
            chars.next();
        }
        let is_inside = matches!(c, '.' | ',') && chars.peek().is_some_and(|(_, follow)| !follow.is_whitespace());
        let last = slice.get(start..at).unwrap_or("").rsplit(char::is_whitespace).next().unwrap_or("").to_lowercase();
        if is_inside || c == '.' && ABBREVIATIONS.contains(&last.as_str()) {
            continue;
        }
        push_trimmed(slice, start..end, segment.start, &mut pieces);
        start = end;
    }
    push_trimmed(slice, start..slice.len(), segment.start, &mut pieces);
    pieces
}

fn push_trimmed(slice: &str, range: Range<usize>, offset: usize, into: &mut Vec<Range<usize>>) {
    let Some(piece) = slice.get(range.clone()) else { return };
    let trimmed = piece.trim();
    if trimmed.chars().any(char::is_alphanumeric) {
        let start = offset + range.start + (piece.len() - piece.trim_start().len());
        into.push(start..start + trimmed.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_in_sentences_of_its_speakers_own_words() {
        let check = |text: &str, expect: &[&str]| {
            let found: Vec<&str> = sentences(text).into_iter().map(|sentence| sentence.text).collect();
            assert_eq!(found, expect, "{text:?}");
        };
        check("Keep it short. Thanks!", &["Keep it short.", "Thanks!"]);
        check("Call after 3 p.m. if you can.\nNot before!", &["Call after 3 p.m. if you can.", "Not before!"]);
        check("> keep it short\nok", &["ok"]);
        check("She said \"keep it short please\". Fine.", &["Fine."]);
        check("Summarise this article:\nKeep it short.", &["Summarise this article:"]);
        check("```\nkeep it short\n```\nwhy?", &["why?"]);
        check("I love long answers 🙄", &[]);
        check("It costs 3.50 on example.org now", &["It costs 3.50 on example.org now"]);
        check(" ", &[]);
    }

    #[test]
    fn a_sentence_comes_apart_at_commas_and_joins() {
        let text = "Ok, just the code, no explanations and 1,000 lines";
        let sentence = &sentences(text)[0];
        let found: Vec<String> = clauses(text, sentence).into_iter().map(|clause| clause.plain).collect();
        assert_eq!(found, ["ok", "just the code", "no explanations", "1,000 lines"]);
    }
}
