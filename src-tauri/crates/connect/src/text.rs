//! Removes and appends whole lines so that an insertion can be undone byte for byte. Independent of any format.
//!
//! Inserted text uses the newlines of the file. If the file has no final newline, it still has none after an insertion, which
//! tells the removal that there was none before.

use std::ops::Range;

/// One replacement. Its range is in bytes of the text before any replacement.
pub(super) type Edit = (Range<usize>, String);

/// Splits off the byte order mark that Windows programs write at the beginning of a file. Returns the mark and the text after
/// it.
pub(super) fn without_mark(text: &str) -> (&str, &str) {
    let mark = '\u{feff}';
    if text.starts_with(mark) { text.split_at(mark.len_utf8()) } else { ("", text) }
}

/// The newline that the text uses.
pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Applies replacements that are sorted and do not overlap.
pub(super) fn edited(text: &str, edits: &[Edit]) -> String {
    let mut result = text.to_owned();
    for (range, new) in edits.iter().rev() {
        result.replace_range(range.clone(), new);
    }
    result
}

/// Line and column of a byte, both counted from 1.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// Start of the line that contains a byte.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

/// Start of the line after the one that contains a byte, or the end of the text.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found + 1)
}

/// Appends lines, which are separated by `\n` and have no final newline. Adds a blank line before them if `apart`.
pub(super) fn append_lines(text: &str, lines: &str, apart: bool) -> String {
    let newline = newline(text);
    let lines = lines.replace('\n', newline);
    let gap = if apart { newline } else { "" };
    if text.is_empty() {
        format!("{lines}{newline}")
    } else if text.ends_with('\n') {
        format!("{text}{gap}{lines}{newline}")
    } else {
        format!("{text}{newline}{gap}{lines}")
    }
}

/// Removes whole lines, and if `apart` a single blank line before them. The reverse of [`append_lines`].
pub(super) fn cut_lines(text: &str, lines: Range<usize>, apart: bool) -> String {
    let mut start = lines.start;
    if apart {
        let blank = line_start(text, without_newline(text, start));
        if blank < start && text[blank..start].trim().is_empty() {
            start = blank;
        }
    }
    if lines.end == text.len() && !text.ends_with('\n') {
        start = without_newline(text, start);
    }
    format!("{}{}", &text[..start], &text[lines.end..])
}

/// The position before the newline that ends at `at`.
pub(super) fn without_newline(text: &str, at: usize) -> usize {
    let before = &text[..at];
    before.strip_suffix('\n').map_or(before, |before| before.strip_suffix('\r').unwrap_or(before)).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_can_be_cut_to_the_byte() {
        let check = |text: &str, apart: bool, expect: &str| {
            let appended = append_lines(text, "A\nB", apart);
            assert_eq!(appended, expect, "{text:?}");
            let start = appended.find('A').unwrap();
            assert_eq!(cut_lines(&appended, start..next_line(&appended, appended.find('B').unwrap()), apart), text, "{text:?}");
        };
        check("", true, "A\nB\n");
        check("\n", true, "\n\nA\nB\n");
        check("x\n", true, "x\n\nA\nB\n");
        check("x\n\n", true, "x\n\n\nA\nB\n");
        check("x", true, "x\n\nA\nB");
        check("x\r\ny\r\n", true, "x\r\ny\r\n\r\nA\r\nB\r\n");
        check("x\r\ny", true, "x\r\ny\r\n\r\nA\r\nB");
        check("x\n", false, "x\nA\nB\n");
        check("x", false, "x\nA\nB");
        check("", false, "A\nB\n");
    }

    #[test]
    fn a_place_is_counted_in_characters() {
        assert_eq!(place("ä\nüb", 5), (2, 2));
        assert_eq!(place("", 0), (1, 1));
    }
}
