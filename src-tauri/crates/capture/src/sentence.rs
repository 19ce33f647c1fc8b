//! Cuts a message into sentences and says of each whose words they are: the author's own, quoted, pasted or acted.
//!
//! What shows by its shape is told by `keepsake_text`; here are added what is announced as pasted, verses and stage directions. What a
//! sentence says is judged elsewhere.

use std::sync::LazyLock;

use keepsake_text::pattern::re;
use keepsake_text::{Form, borrowed, introduces_paste};
use regex::Regex;

/// Whose words a stretch of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// The author's own words.
    Own,
    /// The author quoting themself: `i said "i fix lifts"`.
    SelfQuoted,
    /// Somebody else's words in quotation marks.
    Quoted,
    /// Pasted code, log, mail, document or verse.
    Pasted,
    /// A stage direction: `*draws the sword*`.
    Staged,
}

/// One sentence of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sentence {
    /// First byte in the message.
    pub(crate) start: usize,
    /// One past the last byte, terminator included.
    pub(crate) end: usize,
    /// Whose words.
    pub(crate) voice: Voice,
    /// Ends in a question mark.
    pub(crate) is_question: bool,
}

type Range = std::ops::Range<usize>;

static SELF_QUOTE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:i|and i|i just|so i) (?:go|went|said|say|told (?:him|her|them)|tell (?:him|her|them|people)|was like|answered|replied|always say)[,:]?\s*$|\bi'?m like[,:]?\s*$",
    )
});
static ABOUT_ME: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:about me|myself|my (?:situation|background|context|details|profile|setup|constraints|needs|facts)|for context|context|background|facts|the situation|quick intro|some info|so you know|update|fyi|ps|p\.s\.|note|correction|edit)\b[^:\n]{0,20}:\s*$",
    )
});
/// Cuts `text` into sentences, in order.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let mut masks = borrowed_ranges(text);
    masks.extend(announced_ranges(text));
    masks.extend(staged_ranges(text));
    masks.sort_by_key(|(range, _)| range.start);
    let mut out = Vec::new();
    let mut at = 0;
    for (range, voice) in masks {
        if range.end <= at {
            continue;
        }
        let start = range.start.max(at);
        split(text, at, start, Voice::Own, &mut out);
        split(text, start, range.end, voice, &mut out);
        at = range.end;
    }
    split(text, at, text.len(), Voice::Own, &mut out);
    out
}

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "st", "prof", "vs", "approx", "e.g", "i.e", "eg", "ie", "no", "jr", "sr", "ca", "esp", "incl", "p.s",
];

fn split(text: &str, from: usize, to: usize, voice: Voice, out: &mut Vec<Sentence>) {
    let mut start = from;
    let mut chars = text[from..to].char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let next = chars.peek().map(|(_, n)| *n);
        let ends = match c {
            '।' => true,
            c if is_face(c) => next.is_none_or(|n| !is_face(n) && n != '\u{fe0f}' && n != '\u{200d}'),
            '\n' | '!' | '?' | '…' | '。' | '！' | '？' => !matches!(next, Some('!' | '?' | '…')),
            '.' => {
                let is_free = next.is_none_or(|n| n.is_whitespace() || matches!(n, '"' | ')' | '”'));
                let before = &text[start..from + i];
                let word = before.rsplit(|b: char| b.is_whitespace() || b == '(').next().unwrap_or("").to_lowercase();
                is_free
                    && !ABBREVIATIONS.contains(&word.as_str())
                    && !(word.len() == 1 && word != "i" && word.chars().all(char::is_alphabetic))
            }
            _ => false,
        };
        if ends {
            push(text, start, from + i + c.len_utf8(), voice, out);
            start = from + i + c.len_utf8();
        }
    }
    push(text, start, to, voice, out);
}

/// Faces and gestures end a sentence as a full stop does.
fn is_face(c: char) -> bool {
    matches!(c, '\u{1f600}'..='\u{1f64f}' | '\u{1f910}'..='\u{1f93f}' | '\u{1f970}'..='\u{1f97a}')
}

fn push(text: &str, start: usize, end: usize, voice: Voice, out: &mut Vec<Sentence>) {
    let piece = &text[start..end];
    let lead = piece.len() - piece.trim_start().len();
    let trimmed = piece.trim();
    if trimmed.chars().any(char::is_alphanumeric) {
        let is_question = trimmed.ends_with(['?', '？']) || trimmed.ends_with("?!");
        out.push(Sentence { start: start + lead, end: start + lead + trimmed.len(), voice, is_question });
    }
}

/// Fewer words than this between quotation marks, without a speaker in them, are a title or a stress.
const QUOTE_WORDS_MIN: usize = 4;

/// What its shape shows to be somebody else's.
fn borrowed_ranges(text: &str) -> Vec<(Range, Voice)> {
    let mut out = Vec::new();
    for one in borrowed(text) {
        match one.form {
            Form::Quotation => mask_quote(text, one.bytes.start, one.bytes.end, &mut out),
            Form::InlineCode => {}
            Form::Fence
            | Form::QuotedLine
            | Form::Mail
            | Form::Chat
            | Form::Dialogue
            | Form::Captions
            | Form::Post
            | Form::Code
            | Form::Placeholder => out.push((one.bytes, Voice::Pasted)),
        }
    }
    out
}

fn mask_quote(text: &str, start: usize, end: usize, out: &mut Vec<(Range, Voice)>) {
    let inside = text[start..end].to_lowercase();
    let words = inside.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty()).count();
    let speaks = inside.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').any(|w| {
        matches!(w, "i" | "my" | "me" | "we" | "our" | "you" | "i'm" | "i’m" | "i've" | "i'd" | "je" | "ich" | "yo" | "eu")
    });
    if words < QUOTE_WORDS_MIN && !speaks {
        return;
    }
    let voice = if SELF_QUOTE.is_match(&text[..start]) { Voice::SelfQuoted } else { Voice::Quoted };
    out.push((start..end, voice));
}

fn staged_ranges(text: &str) -> Vec<(Range, Voice)> {
    let mut out = Vec::new();
    let stars: Vec<usize> = text.match_indices('*').map(|(i, _)| i).collect();
    let mut i = 0;
    while i + 1 < stars.len() {
        let inside = &text[stars[i] + 1..stars[i + 1]];
        let is_tight = inside.starts_with(char::is_alphanumeric) && !inside.ends_with(char::is_whitespace);
        if is_tight && !inside.contains('\n') && inside.split_whitespace().count() >= 2 {
            out.push((stars[i]..stars[i + 1] + 1, Voice::Staged));
            i += 2;
        } else {
            i += 1;
        }
    }
    out
}

/// What is announced as pasted, indented as code is, or set as verse.
fn announced_ranges(text: &str) -> Vec<(Range, Voice)> {
    let mut out = Vec::new();
    let mut lines: Vec<Range> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push(at..at + line.len());
        at += line.len();
    }
    let mut until_blank = false;
    for (n, range) in lines.iter().enumerate() {
        let line = &text[range.clone()];
        let trimmed = line.trim();
        if trimmed.is_empty() {
            if until_blank && n > 0 && !text[lines[n - 1].clone()].trim().ends_with(':') {
                until_blank = false;
            }
            continue;
        }
        if until_blank || line.starts_with("    ") || line.starts_with('\t') {
            out.push((range.clone(), Voice::Pasted));
        }
        if lines.len() > n + 1 && announces(trimmed) {
            until_blank = true;
        } else if let Some(colon) = inline_paste(trimmed) {
            out.push((range.start + line.find(trimmed).unwrap_or(0) + colon..range.end, Voice::Pasted));
        }
    }
    out.extend(verses(text, &lines));
    out
}

fn announces(line: &str) -> bool {
    introduces_paste(line) && !ABOUT_ME.is_match(line)
}

/// The byte after the colon of `their bio says: I live …`.
fn inline_paste(line: &str) -> Option<usize> {
    line.match_indices(": ").map(|(i, _)| i + 1).find(|end| announces(&line[..*end]))
}

/// Blocks of at least this many short lines that look like verse.
const VERSE_LINES_MIN: usize = 3;

fn verses(text: &str, lines: &[Range]) -> Vec<(Range, Voice)> {
    let mut out = Vec::new();
    let mut block: Vec<Range> = Vec::new();
    for range in lines.iter().cloned().map(Some).chain([None]) {
        let line = range.clone().map_or("", |r| text[r].trim());
        if !line.is_empty() {
            block.extend(range);
            continue;
        }
        let count = block.len();
        let lines_of = |f: &dyn Fn(&str) -> bool| block.iter().filter(|r| f(text[(*r).clone()].trim())).count();
        let short = lines_of(&|l| l.split_whitespace().count() <= 10);
        let capital = lines_of(&|l| l.starts_with(|c: char| c.is_uppercase() || c == '"'));
        let open_ended = lines_of(&|l| l.ends_with([',', ';', '/']) || !l.ends_with(['.', '!', '?', ':']));
        let comma = lines_of(&|l| l.ends_with(','));
        if count >= VERSE_LINES_MIN && short == count && capital + 1 >= count && open_ended * 2 >= count && comma >= 1
            || count >= VERSE_LINES_MIN && short == count && comma * 2 >= count
        {
            out.push((block[0].start..block[count - 1].end, Voice::Pasted));
        }
        block.clear();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> Vec<&str> {
        sentences(text).into_iter().filter(|s| s.voice == Voice::Own).map(|s| &text[s.start..s.end]).collect()
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        assert_eq!(own("Hi! I'm Dr. Wu... i think. ok?"), ["Hi!", "I'm Dr. Wu...", "i think.", "ok?"]);
        assert_eq!(
            own("i use next.js\nand vim"),
            ["i use next.js", "and vim"],
            "a line break ends a sentence, a dot in a word does not"
        );
    }

    #[test]
    fn other_peoples_words_are_marked() {
        for (text, expect) in [
            ("she said \"i am a nurse\" and left", vec!["she said", "and left"]),
            ("i love \"The Wire\" so much", vec!["i love \"The Wire\" so much"]),
            ("he wrote ‘I live in Rome now’ lol", vec!["he wrote", "lol"]),
            ("look:\n```\nI am code\n```\nwhat is it", vec!["look:", "what is it"]),
            ("the mail says:\nI live in Bonn\nI have two dogs\n\nlegit?", vec!["the mail says:", "legit?"]),
            ("> I was born here\ntrue?", vec!["true?"]),
            ("sum up:\n\nFrom: a@b.example\nDate: Monday\n\nI live in Bonn. I have two dogs.", vec!["sum up:"]),
            ("sum up:\n\nFrom: a@b.example\n\nI live in Bonn\n\nis it spam", vec!["sum up:"]),
            ("From: a@b.example\n\nI live in Bonn\n\nis it spam", vec![]),
            ("rule of thumb:\nI never eat after eight", vec!["rule of thumb:", "I never eat after eight"]),
            ("Dear Erik, I moved to Bonn", vec!["Dear Erik, I moved to Bonn"]),
            ("Anna: I live here\nBob: me too\nwho lies", vec!["who lies"]),
            ("*I draw my sword* hello", vec!["hello"]),
            ("2026-01-02 10:00 user=me I am root\nwhy", vec!["why"]),
        ] {
            assert_eq!(own(text), expect, "own words of {text:?}");
        }
        let text = "so i said \"i fix lifts\" and he left";
        assert!(sentences(text).iter().any(|s| s.voice == Voice::SelfQuoted), "a speaker may quote themself");
    }
}
