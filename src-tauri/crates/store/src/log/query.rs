//! Converts typed text to full-text queries.
//!
//! Typed text is data, never FTS5 syntax. Every term is quoted, so no input can cause an error or act as an operator, except for
//! the two operators that people know: `"exact phrase"` and `prefix*`.
//!
//! Not here: running the queries (`search`).

/// Maximum number of words, of quoted phrases, and of words per phrase. More would slow down a typed query without improving it.
const TERMS_MAX: usize = 32;

/// Words that occur in nearly every message. Without this list, a question written as a sentence would match almost everything.
const STOP_WORDS: [&str; 60] = [
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for",
    "from", "had", "has", "have", "he", "her", "his", "how", "i", "in", "is", "it", "its", "me", "my", "of", "on", "or", "our",
    "she", "so", "that", "the", "their", "them", "there", "they", "this", "to", "was", "we", "were", "what", "when", "where",
    "which", "who", "why", "will", "with", "would", "you",
];

/// A typed query, split into expressions for FTS5.
pub(crate) struct QueryParts {
    /// Quoted phrases; every one must occur.
    pub(crate) phrases: Vec<String>,
    /// Words; any of them may occur.
    pub(crate) words: Vec<String>,
}

/// Splits a typed query into its parts, or returns `None` if it contains no word. Stop words are dropped unless the query has
/// nothing else.
pub(crate) fn query_parts(typed: &str) -> Option<QueryParts> {
    let mut phrases: Vec<String> = Vec::new();
    let mut words = Vec::new();
    for (index, part) in typed.split('"').enumerate() {
        if index % 2 == 1 {
            let phrase = terms(part).map(|(word, _)| word).take(TERMS_MAX).collect::<Vec<_>>().join(" ");
            if !phrase.is_empty() && phrases.len() < TERMS_MAX {
                phrases.push(format!("\"{phrase}\""));
            }
        } else {
            words.extend(terms(part));
        }
    }
    let content: Vec<_> = words.iter().filter(|(word, _)| !STOP_WORDS.contains(&word.to_lowercase().as_str())).collect();
    let chosen = if content.is_empty() { words.iter().collect() } else { content };
    let words: Vec<String> = chosen
        .iter()
        .take(TERMS_MAX)
        .map(|(word, is_prefix)| if *is_prefix { format!("\"{word}\"*") } else { format!("\"{word}\"") })
        .collect();
    (!phrases.is_empty() || !words.is_empty()).then_some(QueryParts { phrases, words })
}

/// The FTS5 expression for a typed query, or `None` if it contains no word.
///
/// Every quoted phrase must occur, and at least one of the other words, if there are any. The ranking prefers messages that
/// contain more of the words, and messages with rarer words.
pub fn fts_query(typed: &str) -> Option<String> {
    let QueryParts { phrases, words } = query_parts(typed)?;
    Some(match (phrases.is_empty(), words.is_empty()) {
        (true, _) => words.join(" OR "),
        (false, true) => phrases.join(" AND "),
        (false, false) => format!("{} AND ({})", phrases.join(" AND "), words.join(" OR ")),
    })
}

fn terms(text: &str) -> impl Iterator<Item = (String, bool)> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || c == '*' || c == '\u{200d}' || c == '\u{200c}')).filter_map(|piece| {
        let word: String = piece.chars().filter(|c| *c != '*').collect();
        (!word.is_empty()).then(|| (word, piece.ends_with('*')))
    })
}

/// A full-text query: a phrase of consecutive words, or several such phrases that must all occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordMatch(pub(crate) String);

impl WordMatch {
    /// Matches messages with these words in sequence; with `is_prefix`, the last word is a prefix. `None` if there is no word.
    pub fn of(words: &[&str], is_prefix: bool) -> Option<Self> {
        let plain = |word: &&str| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let words: Vec<String> = words.iter().map(plain).filter(|word| !word.is_empty()).collect();
        let star = if is_prefix { "*" } else { "" };
        (!words.is_empty()).then(|| Self(format!("\"{}\"{star}", words.join(" "))))
    }

    /// Matches messages that match all of these parts.
    pub fn all(parts: &[Self]) -> Option<Self> {
        let parts: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
        (!parts.is_empty()).then(|| Self(parts.join(" AND ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_types_is_never_syntax() {
        let check = |typed: &str, expect: Option<&str>| assert_eq!(fts_query(typed).as_deref(), expect, "{typed:?}");
        check("pottery class", Some("\"pottery\" OR \"class\""));
        check("what is the pottery", Some("\"pottery\""));
        check("the who", Some("\"the\" OR \"who\""));
        check("\"blue jacket\" paris", Some("\"blue jacket\" AND (\"paris\")"));
        check("pott*", Some("\"pott\"*"));
        check("NEAR(a b) OR content:x", Some("\"NEAR\" OR \"b\" OR \"content\" OR \"x\""));
        check("\"unclosed phrase", Some("\"unclosed phrase\""));
        check("*** \"\" ---", None);
        check("", None);
    }
}
