//! Words and punctuation with their positions, split contractions, and a light stemmer.
//!
//! "I'm" becomes `i` and `am`, so that one rule covers both spellings. The positions still cover the whole text.

use std::ops::Range;

use keepsake_text::Language;
use unicode_segmentation::UnicodeSegmentation;

/// A word or one punctuation mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// The token as written.
    pub(crate) raw: &'a str,
    /// The token in lowercase, with contractions spelled out (`'m` becomes `am`).
    pub(crate) word: String,
    /// Byte range in the message.
    pub(crate) bytes: Range<usize>,
    /// True for letters or digits; false for punctuation and symbols.
    pub(crate) is_word: bool,
    /// True for the second half of a contraction.
    pub(crate) is_tail: bool,
}

impl Token<'_> {
    /// True if the token begins with a capital letter.
    pub(crate) fn is_capitalised(&self) -> bool {
        self.raw.chars().next().is_some_and(char::is_uppercase)
    }

    /// True if the token is punctuation that ends a clause or sentence.
    pub(crate) fn is_break(&self) -> bool {
        !self.is_word && !matches!(self.raw, "-" | "'" | "’" | "/" | "&" | "%" | "$" | "€" | "£" | "#" | "+")
    }
}

/// The endings of English contractions and their full words.
const TAILS: &[(&str, &str)] =
    &[("'m", "am"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would"), ("'s", "'s"), ("n't", "not")];

/// English contractions written without an apostrophe: the word, the length of its first part in bytes, and the second part.
const UNMARKED: &[(&str, usize, &str)] = &[
    ("im", 1, "am"),
    ("ive", 1, "have"),
    ("dont", 2, "not"),
    ("didnt", 3, "not"),
    ("cant", 2, "not"),
    ("wont", 2, "not"),
    ("isnt", 2, "not"),
    ("wasnt", 3, "not"),
    ("doesnt", 4, "not"),
    ("havent", 4, "not"),
];

/// The tokens of `text`, which starts at byte `offset` of its message.
pub(crate) fn tokens<'a>(text: &'a str, offset: usize, language: Language) -> Vec<Token<'a>> {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    for (at, raw) in text.split_word_bound_indices() {
        if raw.chars().all(char::is_whitespace) {
            continue;
        }
        let is_word = raw.chars().any(char::is_alphanumeric);
        let word = raw.to_lowercase().replace('’', "'");
        let start = offset + at;
        let may_contract = is_word && language == Language::ENGLISH && (raw.is_ascii() || raw.contains('’'));
        let halves =
            if may_contract { contraction(&word).and_then(|(head, tail)| Some((head, tail, border(raw, head)?))) } else { None };
        if let Some((head, tail, border)) = halves {
            let (first, second) = raw.split_at(border);
            let head = match head {
                "ca" => "can",
                "wo" => "will",
                other => other,
            };
            let middle = start + border;
            let word = head.to_owned();
            tokens.push(Token { raw: first, word, bytes: start..middle, is_word, is_tail: false });
            let word = tail.to_owned();
            tokens.push(Token { raw: second, word, bytes: middle..start + raw.len(), is_word, is_tail: true });
            continue;
        }
        tokens.push(Token { raw, word, bytes: start..start + raw.len(), is_word, is_tail: false });
    }
    tokens
}

/// The byte position in `raw` at which `head` ends. Characters are counted instead of bytes, because `’` has more bytes than
/// `'`, and a lowercase letter may have more bytes than its uppercase form.
fn border(raw: &str, head: &str) -> Option<usize> {
    let border = raw.char_indices().nth(head.chars().count()).map(|(border, _)| border)?;
    (border > 0).then_some(border)
}

fn contraction(word: &str) -> Option<(&str, &'static str)> {
    if let Some((_, at, tail)) = UNMARKED.iter().find(|(whole, ..)| *whole == word) {
        return Some((word.get(..*at)?, tail));
    }
    TAILS.iter().find_map(|(tail, full)| word.strip_suffix(tail).filter(|head| !head.is_empty()).map(|head| (head, *full)))
}

/// A light stem for matching "migrations" with "migration"; not for display.
pub(crate) fn stem(word: &str) -> String {
    let base = word.strip_suffix("'s").unwrap_or(word);
    if !base.is_ascii() || base.len() < 4 {
        return base.to_owned();
    }
    let singular = if let Some(cut) = base.strip_suffix("ies").filter(|cut| cut.len() > 1) {
        format!("{cut}y")
    } else if let Some(cut) =
        base.strip_suffix("es").filter(|cut| cut.ends_with("ch") || cut.ends_with("sh") || cut.ends_with('x'))
    {
        cut.to_owned()
    } else if base.ends_with('s') && !base.ends_with("ss") && !base.ends_with("us") && !base.ends_with("is") {
        base.trim_end_matches('s').to_owned()
    } else {
        base.to_owned()
    };
    for suffix in ["ing", "ed"] {
        if let Some(cut) = singular.strip_suffix(suffix).filter(|cut| cut.len() >= 4 && cut.contains(['a', 'e', 'i', 'o', 'u'])) {
            let mut cut = cut.to_owned();
            let bytes = cut.as_bytes();
            if bytes.len() > 4 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2] && !cut.ends_with("ss") && !cut.ends_with("ll")
            {
                cut.pop();
            }
            return cut;
        }
    }
    // Drops the final e, so that "migrate", "migrating" and "migrated" share a stem.
    if singular.len() > 4 { singular.trim_end_matches('e').to_owned() } else { singular }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_come_apart_and_keep_their_places() {
        let text = "I’m sure we can't, im late; Ana's here";
        let tokens = tokens(text, 0, Language::ENGLISH);
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        assert_eq!(words, ["i", "am", "sure", "we", "can", "not", ",", "i", "am", "late", ";", "ana", "'s", "here"]);
        for token in &tokens {
            assert_eq!(&text[token.bytes.clone()], token.raw, "the place of a token is its text");
        }
    }

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for (a, b) in [("migrations", "migration"), ("planning", "planned"), ("cities", "city"), ("migrate", "migrating")] {
            assert_eq!(stem(a), stem(b), "{a} and {b}");
        }
        for (a, b) in [("bus", "bu"), ("glass", "glas"), ("lisbon", "lisb"), ("paris", "pari")] {
            assert_ne!(stem(a), b, "{a} is no plural");
        }
    }
}
