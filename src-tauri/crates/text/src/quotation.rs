//! Finds quotations and inline code within a line.

use std::ops::Range;

use crate::{Borrowed, Form};

/// Minimum words in a quotation. Anything shorter is a name or emphasis.
const QUOTATION_WORDS_MIN: usize = 2;

/// If an opening mark is not closed within this many bytes, it is treated as unclosed.
const QUOTATION_BYTES_MAX: usize = 4_000;

/// A single quotation mark opens a quotation only if it is closed after at least this many words. The apostrophe in "the dogs'
/// bowls" is not closed.
const SINGLE_MARK_WORDS_MIN: usize = 3;

/// The text between quotation marks or backticks, including the marks, in order.
pub(crate) fn quotations(text: &str) -> Vec<Borrowed> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        // A straight mark opens a quotation before a word and closes it after one. The mark in 5" means inches, and "don't" is
        // one word.
        let may_open = !before.is_alphanumeric() && !next.is_whitespace();
        let may_close = !before.is_whitespace() && !next.is_alphanumeric();
        before = c;
        if let Some((closing, from)) =
            open.filter(|(closing, from)| at > from + QUOTATION_BYTES_MAX || c == '\n' && matches!(closing, '`' | '’'))
        {
            // A quotation with an unclosed mark (she said “I live in Rome) extends to the end of the paragraph.
            if matches!(closing, '”' | '“' | '»' | '」') {
                push(text, from..paragraph_end(text, from), closing, &mut found);
            }
            open = None;
        }
        match open {
            Some((closing, from)) => {
                let closes = c == closing && (closing != '"' || may_close)
                    || matches!((closing, c), ('”', '“' | '"') | ('“', '”' | '"'))
                    || closing == '’' && c == '\'' && may_close;
                if closes {
                    push(text, from..at + c.len_utf8(), closing, &mut found);
                    open = None;
                }
            }
            None => {
                let closing = match c {
                    '"' if may_open => '"',
                    '“' => '”',
                    '„' => '“',
                    '«' => '»',
                    '「' => '」',
                    '\'' | '‘' if may_open && single_mark_closes(text, at + c.len_utf8()) => '’',
                    '`' => '`',
                    _ => continue,
                };
                open = Some((closing, at));
            }
        }
    }
    if let Some((closing, from)) = open.filter(|(closing, _)| !matches!(closing, '`' | '’')) {
        push(text, from..paragraph_end(text, from), closing, &mut found);
    }
    found
}

fn push(text: &str, bytes: Range<usize>, closing: char, into: &mut Vec<Borrowed>) {
    let words = text.get(bytes.clone()).unwrap_or("").split_whitespace().count();
    if closing == '`' {
        into.push(Borrowed { bytes, form: Form::InlineCode });
    } else if words >= QUOTATION_WORDS_MIN {
        into.push(Borrowed { bytes, form: Form::Quotation });
    }
}

fn paragraph_end(text: &str, from: usize) -> usize {
    text.get(from..).and_then(|rest| rest.find("\n\n")).map_or(text.len(), |n| from + n)
}

/// True if a single mark is closed on the same line, after enough words.
fn single_mark_closes(text: &str, from: usize) -> bool {
    let line = text.get(from..).unwrap_or("").lines().next().unwrap_or("");
    let closes = line.char_indices().find(|(at, c)| {
        matches!(c, '\'' | '’')
            && !line.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric)
    });
    closes.is_some_and(|(at, _)| line.get(..at).unwrap_or("").split_whitespace().count() >= SINGLE_MARK_WORDS_MIN)
}
