//! Splits text into words as the full-text index does, and records their positions.
//!
//! A word is a run of letters and digits, converted to lowercase and without diacritics (`unicode61 remove_diacritics 2`).
//! Positions are in Unicode code points, as in evidence.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::stem::stem;

/// A word and its position in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word in lowercase without diacritics.
    pub plain: String,
    /// The stem that the index stores.
    pub stem: String,
    /// Position in code points.
    pub place: Range<usize>,
    /// True if it begins with a capital letter.
    pub is_capitalised: bool,
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Converts to lowercase without diacritics.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// The words of `text`, in order.
pub fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::with_capacity(text.len() / 6);
    // The start of the current word, in bytes and in code points.
    let mut open: Option<(usize, usize)> = None;
    let mut close = |open: &mut Option<(usize, usize)>, byte: usize, at: usize| {
        let Some((from_byte, from)) = open.take() else { return };
        let raw = &text[from_byte..byte];
        let plain = fold(raw);
        if !plain.is_empty() {
            let is_capitalised = raw.chars().next().is_some_and(char::is_uppercase);
            words.push(Word { stem: stem(&plain), plain, place: from..at, is_capitalised });
        }
    };
    let mut end = 0;
    for (at, (byte, c)) in text.char_indices().enumerate() {
        if is_word_char(c) {
            open.get_or_insert((byte, at));
        } else {
            close(&mut open, byte, at);
        }
        end = at + 1;
    }
    close(&mut open, text.len(), end);
    words
}

/// True if the word is in a script without spaces between words. The index stores whole clauses in such a script as one word.
pub fn is_unspaced(word: &str) -> bool {
    word.chars().any(|c| {
        matches!(c,
            '\u{0e00}'..='\u{0eff}' // Thai, Lao
            | '\u{1000}'..='\u{109f}' // Burmese
            | '\u{1780}'..='\u{17ff}' // Khmer
            | '\u{3040}'..='\u{30ff}' // kana
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' // Han
        )
    })
}

/// Extends the byte range so that it does not begin or end inside a word.
pub fn whole_words(text: &str, bytes: &Range<usize>) -> Range<usize> {
    let (Some(before), Some(inside), Some(after)) = (text.get(..bytes.start), text.get(bytes.clone()), text.get(bytes.end..))
    else {
        return bytes.clone();
    };
    let is_wordy = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
    let begins = inside.starts_with(char::is_alphanumeric);
    let ends = inside.ends_with(char::is_alphanumeric);
    let more = |c: &char| is_wordy(*c) && !is_unspaced(c.encode_utf8(&mut [0; 4]));
    let ahead: usize = if begins { before.chars().rev().take_while(more).map(char::len_utf8).sum() } else { 0 };
    let behind: usize = if ends { after.chars().take_while(more).map(char::len_utf8).sum() } else { 0 };
    bytes.start - ahead..bytes.end + behind
}

/// English words that occur in nearly every message.
const STOP_WORDS: [&str; 83] = [
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "d", "did", "do",
    "does", "don", "for", "from", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "ll", "m", "me", "my", "no", "not", "of", "on", "or", "our", "out", "re", "s", "she", "so", "t", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "up", "us", "ve", "was", "we", "were",
    "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you",
];

/// True if the word, in lowercase without diacritics, is a stop word.
pub fn is_stop_word(plain: &str) -> bool {
    STOP_WORDS.binary_search(&plain).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stop_words_can_be_looked_up() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("boat"));
    }

    #[test]
    fn words_are_plain_and_know_their_place() {
        let check = |text: &str, expect: &[(&str, &str, usize, usize)]| {
            let found: Vec<_> = words(text);
            let found: Vec<_> = found.iter().map(|w| (w.plain.as_str(), w.stem.as_str(), w.place.start, w.place.end)).collect();
            assert_eq!(found, expect, "{text:?}");
        };
        check("Two cafés, running!", &[("two", "two", 0, 3), ("cafes", "cafe", 4, 9), ("running", "run", 11, 18)]);
        check("cafe\u{301} x", &[("cafe", "cafe", 0, 5), ("x", "x", 6, 7)]);
        check("don't", &[("don", "don", 0, 3), ("t", "t", 4, 5)]);
        check("🙂 Größe", &[("große", "große", 2, 7)]);
        check("東京に行く。", &[("東京に行く", "東京に行く", 0, 5)]);
        check("", &[]);
        check("?!", &[]);
        assert!(words("Ana and bob")[0].is_capitalised && !words("Ana and bob")[2].is_capitalised);
    }

    #[test]
    fn scripts_without_spaces_are_known() {
        for word in ["東京", "ひらがな", "ภาษาไทย", "한국어x漢"] {
            assert!(is_unspaced(word), "{word}");
        }
        for word in ["Tokyo", "Größe", "한국어", "Москва", "مرحبا"] {
            assert!(!is_unspaced(word), "{word}");
        }
    }
}
