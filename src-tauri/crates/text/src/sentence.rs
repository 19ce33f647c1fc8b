//! Splits text into sentences at punctuation marks.

use std::ops::Range;

/// Abbreviations whose full stop does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "st", "prof", "vs", "approx", "e.g", "i.e", "eg", "ie", "no", "jr", "sr", "ca", "esp", "incl", "p.s",
];

/// The byte ranges of a message's sentences, in order, including the final punctuation but no surrounding whitespace. A line
/// break ends a sentence.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match c {
            '\n' | '।' => true,
            '!' | '?' | '…' | '。' | '！' | '？' => !matches!(next, Some('!' | '?' | '…')),
            '.' => {
                let is_free = next.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | ')' | '”'));
                is_free && !is_abbreviation(&text[start..at])
            }
            _ => false,
        };
        if ends {
            push(text, start..at + c.len_utf8(), &mut found);
            start = at + c.len_utf8();
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("").to_lowercase();
    let is_initial = word.len() == 1 && word != "i" && word.chars().all(char::is_alphabetic);
    is_initial || ABBREVIATIONS.contains(&word.as_str())
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    let words = piece.trim();
    if words.chars().any(char::is_alphanumeric) {
        found.push(start..start + words.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_people_end_them() {
        let check = |text: &str, expect: &[&str]| {
            let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expect, "{text:?}");
        };
        check("Hi! I'm Dr. Wu... i think. ok?", &["Hi!", "I'm Dr. Wu...", "i think.", "ok?"]);
        check("i use next.js\nand vim", &["i use next.js", "and vim"]);
        check("行きます。はい！", &["行きます。", "はい！"]);
        check("…", &[]);
        check("", &[]);
    }
}
