//! Cuts a message into sentences and says of each whose words they are: the author's own, quoted, pasted or acted.
//!
//! Only layout and marks are read here: quotation marks, fences, log lines, mail heads, verses, stage directions.
//! What a sentence says is judged elsewhere.

use std::sync::LazyLock;

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

fn re(pattern: &str) -> Regex {
    // A pattern that does not compile is a programming error that the first test run shows; the fallback matches nothing.
    Regex::new(pattern).unwrap_or_else(|_| Regex::new("$^").unwrap_or_else(|_| unreachable!()))
}

static SELF_QUOTE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:i|and i|i just|so i) (?:go|went|said|say|told (?:him|her|them)|tell (?:him|her|them|people)|was like|answered|replied|always say)[,:]?\s*$|\bi'?m like[,:]?\s*$",
    )
});
static PASTE_CUE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:bio|blog|website|interview|ad|advert|listing|e?mails?|message|review|lyrics|song|letter|says?|said|wrote|reads|text|post|tweet|caption|article|brochure|profile|description|voicemail|transcript|logs?|output|chorus|verse|poem|quote|paragraph|draft|template|example|sample|prompt|opening|scene|story|abstract|testimonial|statement|speech|blurb|sticker|page|passage|excerpt|line|lines|paste|pasting|pasted|copied|got this|found this|dialogue|script|essay|intro text)\b[^:\n]{0,40}:\s*$",
    )
});
static ABOUT_ME: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:about me|myself|my (?:situation|background|context|details|profile|setup|constraints|needs|facts)|for context|context|background|facts|the situation|quick intro|some info|so you know|update|fyi|ps|p\.s\.|note|correction|edit)\b[^:\n]{0,20}:\s*$",
    )
});
static MAIL_HEAD: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?im)^(?:dear [\w .]+,|subject:|from: |to: |sent: |fwd:|-{2,} ?(?:original|forwarded)|on .{4,60} wrote:|to whom it may concern)",
    )
});
static SPEAKER_LINE: LazyLock<Regex> = LazyLock::new(|| re(r"^(?:\[?\d{1,2}[:.]\d{2}\]?[ ,-]*)?[A-Z][\w.' -]{0,24}:\s+\S"));
static LOG_LINE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"^\s*(?:\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s+\S+[:=]|\[\w+\]|(?:INFO|WARN|ERROR|DEBUG|FATAL|Traceback|Exception|Caused by|File "|at [\w.$]+\()|[A-Z_]{3,}=|\$ |>>> |#include|import \w|from \w+ import|def \w+\(|class \w+|function \w+|const |let \w+ =|var \w+ =|SELECT |INSERT |diff --git|@@ |[+-]{3} [ab]/|//|/\*|<\w+[ >/]|\{|\}|"\w+":)"#,
    )
});

/// Cuts `text` into sentences, in order.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let mut masks = pasted_ranges(text);
    masks.extend(quoted_ranges(text));
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

fn quoted_ranges(text: &str) -> Vec<(Range, Voice)> {
    let mut out = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (i, c) in text.char_indices() {
        match open {
            None => {
                let closer = match c {
                    '"' if !before.is_alphanumeric() => Some('"'),
                    '“' | '„' => Some('”'),
                    '«' => Some('»'),
                    '「' => Some('」'),
                    '\'' | '‘' if is_single_quote_opening(text, i, before) => Some('\''),
                    _ => None,
                };
                open = closer.map(|closer| (i, closer));
            }
            Some((start, closer)) => {
                let after = text[i + c.len_utf8()..].chars().next().unwrap_or(' ');
                let closes = match closer {
                    '”' => matches!(c, '”' | '“' | '"') && i > start,
                    '\'' => matches!(c, '\'' | '’') && !after.is_alphanumeric() && i > start + 1,
                    other => c == other,
                };
                if closes {
                    mask_quote(text, start, i + c.len_utf8(), &mut out);
                    open = None;
                } else if closer == '\'' && c == '\n' {
                    open = None;
                }
            }
        }
        before = c;
    }
    // A quotation that is never closed runs to the end of its paragraph.
    if let Some((start, _)) = open.filter(|(_, closer)| *closer != '\'') {
        let end = text[start..].find("\n\n").map_or(text.len(), |n| start + n);
        mask_quote(text, start, end, &mut out);
    }
    out
}

fn is_single_quote_opening(text: &str, at: usize, before: char) -> bool {
    let rest: String = text[at..].chars().skip(1).take(400).collect();
    let closes = rest
        .char_indices()
        .find(|(i, c)| matches!(c, '\'' | '’') && !rest[i + c.len_utf8()..].chars().next().is_some_and(char::is_alphanumeric));
    (before.is_whitespace() || matches!(before, '(' | ':'))
        && closes.is_some_and(|(i, _)| rest[..i].split_whitespace().count() >= 3)
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

/// A last paragraph of at most this many words after pasted text is the author's own remark on it.
const REMARK_WORDS_MAX: usize = 40;

fn pasted_ranges(text: &str) -> Vec<(Range, Voice)> {
    let mut out = Vec::new();
    let mut lines: Vec<Range> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push(at..at + line.len());
        at += line.len();
    }
    let own_tail = own_tail_start(text);
    let speaker_lines = lines.iter().filter(|l| SPEAKER_LINE.is_match(&text[(*l).clone()])).count();
    let mut in_fence = false;
    let mut until_blank = false;
    for (n, range) in lines.iter().enumerate() {
        let line = &text[range.clone()];
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_fence = !in_fence;
            until_blank = false;
            out.push((range.clone(), Voice::Pasted));
            continue;
        }
        if trimmed.is_empty() {
            if until_blank && n > 0 && !text[lines[n - 1].clone()].trim().ends_with(':') {
                until_blank = false;
            }
            continue;
        }
        let is_dialogue = speaker_lines >= 2 && SPEAKER_LINE.is_match(line);
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if in_fence || until_blank || is_dialogue || is_indented || trimmed.starts_with('>') || is_code_line(trimmed) {
            out.push((range.clone(), Voice::Pasted));
        }
        if lines.len() > n + 1 && trimmed.ends_with(':') && !ABOUT_ME.is_match(trimmed) {
            until_blank = true;
        } else if let Some(colon) = inline_paste(trimmed) {
            out.push((range.start + line.find(trimmed).unwrap_or(0) + colon..range.end, Voice::Pasted));
        }
    }
    if let Some(head) = MAIL_HEAD.find(text) {
        let is_remark = |tail: &usize| *tail > head.start() && !is_mail_head(&text[head.start()..*tail]);
        let end = own_tail.filter(is_remark).unwrap_or(text.len());
        out.push((head.start()..end, Voice::Pasted));
    }
    out.extend(verses(text, &lines));
    out
}

/// Whether these lines are no more than the head of a mail: what follows them is its body and no remark on it.
fn is_mail_head(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || MAIL_HEAD.is_match(line) || SPEAKER_LINE.is_match(line))
}

/// Where a short last paragraph begins, if the message has several.
fn own_tail_start(text: &str) -> Option<usize> {
    let cut = text.trim_end().rfind("\n\n")?;
    (text[cut..].split_whitespace().count() <= REMARK_WORDS_MAX).then_some(cut)
}

/// The byte after the colon of `their bio says: I live …`.
fn inline_paste(line: &str) -> Option<usize> {
    line.match_indices(": ")
        .map(|(i, _)| i + 1)
        .find(|end| PASTE_CUE.is_match(&line[..*end]) && !ABOUT_ME.is_match(&line[..*end]))
}

/// A line with more than one sign of code in eight characters is no sentence.
const CODE_SIGN_SHARE: usize = 8;

fn is_code_line(line: &str) -> bool {
    if LOG_LINE.is_match(line) && !line.to_lowercase().starts_with("[ooc") && !line.starts_with("// ") && !line.starts_with("//o")
    {
        return true;
    }
    let signs = line
        .chars()
        .filter(|c| matches!(c, '{' | '}' | '[' | ']' | ';' | '=' | '<' | '>' | '\\' | '|' | '_' | '`' | '$' | '@' | '/'))
        .count();
    signs >= 3 && signs * CODE_SIGN_SHARE > line.chars().count()
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
            ("From: a@b.example\n\nI live in Bonn\n\nis it spam", vec!["is it spam"]),
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
