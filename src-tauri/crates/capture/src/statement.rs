//! Words a statement as a quotation of a person, and extracts the quoted words from such a statement.
//!
//! Deliberately not here: which words become a statement (`read`), and whether two statements say the same (`dedup`).

use crate::validate;

/// Extracts the quoted words from a statement that quotes someone (see `statement`).
pub fn spoken(content: &str) -> Option<&str> {
    content.split_once(": “").and_then(|(_, words)| words.strip_suffix('”'))
}

/// Words a statement as a quotation of the person it is about: `User: “i live in Hull with my sister”`.
pub(crate) fn statement(label: &str, words: &str) -> String {
    let words = validate::shown(words.trim()).replace(['“', '”'], "\"");
    format!("{label}: “{}”", words.trim_end_matches(['.', ',', ';', ':']))
}
