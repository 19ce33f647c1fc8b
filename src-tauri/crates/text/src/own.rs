//! Separates the author's own words in a message from everything else.

use std::ops::Range;

use crate::{Form, borrowed};

/// Minimum words in a quotation inside a sentence. Anything shorter is a title or emphasis.
const QUOTATION_WORDS_MIN: usize = 3;

/// Two lines of a hard-wrapped paragraph are joined only if the first one has at least this many bytes.
const WRAPPED_LINE_BYTES_MIN: usize = 48;

/// A message split into parts; all ranges are in bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OwnWords {
    /// The author's own text, in ranges of at most one paragraph and without list markers.
    pub segments: Vec<Range<usize>>,
    /// Parts of those ranges that are not the author's own: quotations, inline code, picture descriptions.
    pub foreign: Vec<Range<usize>>,
}

/// Finds the author's own words in `text`. The text after a line that announces pasted text is not included.
pub fn own_words(text: &str) -> OwnWords {
    let found = borrowed(text);
    let is_borrowed = |line: &Range<usize>| {
        found.iter().any(|one| one.form.is_of_lines() && one.bytes.start < line.end && line.start < one.bytes.end)
    };
    let mut own = OwnWords::default();
    let (mut at, mut joins) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.is_empty() || is_borrowed(&(start..at)) {
            joins = false;
            continue;
        }
        let body = without_marker(trimmed);
        let begin = start + (line.len() - line.trim_start().len()) + (trimmed.len() - body.len());
        let end = begin + body.len();
        let continues = joins && body.len() == trimmed.len() && body.chars().next().is_some_and(char::is_lowercase);
        match own.segments.last_mut() {
            Some(last) if continues => last.end = end,
            _ => own.segments.push(begin..end),
        }
        joins = trimmed.len() >= WRAPPED_LINE_BYTES_MIN && !trimmed.ends_with(['.', '!', '?', ':', ';']);
        if introduces_paste(trimmed) && text.get(at..).is_some_and(|rest| !rest.trim().is_empty()) {
            break;
        }
    }
    own.segments.retain(|range| !range.is_empty());
    let is_inside = |range: &Range<usize>, form: Form| {
        form == Form::InlineCode || text.get(range.clone()).unwrap_or("").split_whitespace().count() >= QUOTATION_WORDS_MIN
    };
    own.foreign = found
        .into_iter()
        .filter(|one| !one.form.is_of_lines() && is_inside(&one.bytes, one.form))
        .map(|one| one.bytes)
        .chain(descriptions(text))
        .collect();
    own.foreign.sort_by_key(|range| range.start);
    own
}

fn without_marker(line: &str) -> &str {
    let bare = line.trim_start_matches(['-', '*', '•', '–', '#', '·']).trim_start();
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || digits > 2 {
        return bare;
    }
    let rest = bare.get(digits..).unwrap_or("");
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map_or(bare, str::trim_start)
}

/// Descriptions that the platform inserted in the middle of a line, such as "[Image: a red bicycle]".
fn descriptions(text: &str) -> impl Iterator<Item = Range<usize>> {
    const KINDS: [&str; 9] = ["Image", "image", "Photo", "photo", "Video", "File", "Attachment", "Sticker", "GIF"];
    text.match_indices('[').filter_map(move |(at, _)| {
        let inner = text.get(at + 1..).unwrap_or("");
        let end = inner.find([']', '\n']).filter(|end| inner.as_bytes().get(*end) == Some(&b']'))?;
        KINDS.iter().any(|kind| inner.starts_with(kind)).then_some(at..at + end + 2)
    })
}

/// Words that announce pasted text. The list is in English only. It serves only the rules that work without the trained reader,
/// and will be removed with them.
const PASTED: &str = "abstract ad advert announcement article asks bio blog blurb brief brochure caption chorus code config copied description \
    dialogue doc document draft email emails error essay example excerpt found guidelines instructions interview letter line \
    lines listing log logs lyrics mail message opening output page paragraph passage paste pasted pasting poem policy post \
    posting profile prompt quote readme reads reply response review said sample says scene script snippet song spec speech \
    stack statement sticker story template testimonial text told trace transcript tweet verse voicemail website wrote";

/// One of the words in `PASTED` must be among this many words before the colon.
const ANNOUNCING_WORDS: usize = 8;

/// True for a line such as "Here's the email:", which announces pasted text or a draft.
pub fn introduces_paste(line: &str) -> bool {
    let is_pasted = |word: &str| PASTED.split(' ').any(|pasted| pasted.eq_ignore_ascii_case(word));
    line.ends_with(':')
        && line.split(|c: char| !c.is_alphanumeric()).rev().filter(|word| !word.is_empty()).take(ANNOUNCING_WORDS).any(is_pasted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let own = own_words(text);
        let found: Vec<&str> = own.segments.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(found, expect, "own words of {text:?}");
    }

    #[test]
    fn code_quotes_mail_and_pasted_text_are_nobodys_own_words() {
        check("Look:\n```rust\nlet a = 1;\n```\nIt fails.", &["Look:", "It fails."]);
        check("> I moved to Rome\nnice!", &["nice!"]);
        check("Agreed.\n\nOn Mon, 3 May, Ana wrote:\nI quit my job", &["Agreed."]);
        check("Summarise this article:\nI grew up in Oslo.", &["Summarise this article:"]);
        check("From: Ana\nSubject: x\nI quit", &[]);
        check("    foo(bar)[0] = {baz: 1};\nwhy?", &["why?"]);
        check("2026-05-01T10:00:00 worker[3]: I lost the lease", &[]);
        check("[Image: a man in a suit]\nlook!\n<Media omitted>", &["look!"]);
        check("let me know\nreturn flights are dear", &["let me know", "return flights are dear"]);
    }

    #[test]
    fn lists_lose_their_markers_and_wrapped_lines_join() {
        check("- buy milk\n2. call Ana", &["buy milk", "call Ana"]);
        let wrapped = "I have been thinking about the move to Porto for a\nlong time now.";
        check(wrapped, &[wrapped]);
    }

    #[test]
    fn quotations_inside_a_sentence_are_marked() {
        let text = "She said “I quit my job” and ran `make all`, \"wow\"";
        let foreign: Vec<&str> = own_words(text).foreign.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(foreign, ["“I quit my job”", "`make all`"], "a single quoted word is emphasis");
        let song = "listen\n\n\"I was born at sea,\nI married the tide\"\n\na 5\" disk and \"so\" on";
        let foreign: Vec<&str> = own_words(song).foreign.iter().map(|range| &song[range.clone()]).collect();
        assert_eq!(foreign, ["\"I was born at sea,\nI married the tide\""], "a quotation may run over lines; an inch is none");
    }
}
