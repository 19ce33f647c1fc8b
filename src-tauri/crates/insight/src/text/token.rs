//! Words and punctuation with their places, contractions taken apart, and a light stem.
//!
//! "I'm" becomes `i` and `am`, so that one rule reads both ways of writing; the places still add up to the text.

use std::ops::Range;

use keepsake_text::Language;
use unicode_segmentation::UnicodeSegmentation;

/// A word, or one mark of punctuation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// As written.
    pub(crate) raw: &'a str,
    /// In lower case, contractions spelt out (`'m` is `am`).
    pub(crate) word: String,
    /// Where in the message, in bytes.
    pub(crate) bytes: Range<usize>,
    /// Letters or digits, as against punctuation and symbols.
    pub(crate) is_word: bool,
    /// Second half of a contraction.
    pub(crate) is_tail: bool,
}

impl Token<'_> {
    /// Begins with a capital letter.
    pub(crate) fn is_capitalised(&self) -> bool {
        self.raw.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether it is a mark that ends a clause or more.
    pub(crate) fn is_break(&self) -> bool {
        !self.is_word && !matches!(self.raw, "-" | "'" | "’" | "/" | "&" | "%" | "$" | "€" | "£" | "#" | "+")
    }
}

/// Ends of English contractions and what they stand for.
const TAILS: &[(&str, &str)] =
    &[("'m", "am"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would"), ("'s", "'s"), ("n't", "not")];

/// How hurried English writes contractions: first part, its length in bytes, second part.
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

/// The tokens of `text`, which stands at byte `offset` of its message.
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

/// Where `head` ends in `raw`. Characters are counted, because `’` is longer than `'` and lower case may be longer than upper.
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

/// A light stem, for telling that "migrations" and "migration" are one word; not for showing.
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
    // "migrate", "migrating" and "migrated" meet without their e.
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
