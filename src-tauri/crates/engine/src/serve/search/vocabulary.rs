//! Keeps all words of all messages in memory, so that words containing a given part are found in less than a millisecond.
//! Questions often contain a word that nobody ever wrote, and searching the database for words that contain it would read its
//! whole word index.
//!
//! The words are loaded for the first such question; later messages are added one by one. They are derived data, dropped with
//! the index they belong to.
//!
//! Not in this module: which messages contain a word (`store`), and who may see them (the caller looks up each word within
//! the scope).

use std::collections::BTreeSet;

use keepsake_retrieval::PART_CHARS_MIN;
use keepsake_store::{ReadTx, StoreError};
use keepsake_text::{stem, words};
use memchr::memmem;

/// After this many new messages the words are loaded again, because words of new messages are added without
/// checking for duplicates.
const MESSAGES_ADDED_MAX: i64 = 20_000;

/// Separator between two words; no word contains it.
const BETWEEN: char = '\n';

/// Endings that the stemmer removes, most likely first.
const ENDINGS: [&str; 7] = ["", "e", "s", "es", "ing", "ed", "y"];

/// A word with this stem. The index contains stems, and words in a query are stemmed, so a stem would be stemmed twice
/// ("suitcas" would be searched as "suitca").
fn surface(stemmed: &str) -> String {
    let candidates = ENDINGS.iter().map(|ending| format!("{stemmed}{ending}"));
    candidates.into_iter().find(|word| stem(word) == stemmed).unwrap_or_else(|| stemmed.to_owned())
}

/// The words of all messages up to a log position.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    text: String,
    /// Log position up to which all words were loaded from the database; `last_seq` is the position up to which they are
    /// included here.
    read_seq: i64,
    last_seq: i64,
}

impl Vocabulary {
    /// The words that contain `part`, each once.
    pub(crate) fn with(&mut self, tx: &ReadTx<'_>, part: &str) -> Result<Vec<String>, StoreError> {
        self.update(tx)?;
        Ok(self.around(part).into_iter().map(surface).collect())
    }

    /// The stems that contain `part` or its stem: "suitcase" is stored as "suitcas", which does not contain "uitcase".
    fn around(&self, part: &str) -> BTreeSet<&str> {
        let holding = |part: &str| memmem::find_iter(self.text.as_bytes(), part).map(|at| self.word_at(at)).collect();
        let found: BTreeSet<&str> = holding(part);
        let stemmed = stem(part);
        if found.is_empty() && stemmed.chars().count() >= PART_CHARS_MIN { holding(&stemmed) } else { found }
    }

    fn update(&mut self, tx: &ReadTx<'_>) -> Result<(), StoreError> {
        let last_seq = tx.log().last_seq_of_all()?;
        if last_seq <= self.last_seq {
            return Ok(());
        }
        if self.text.is_empty() || last_seq - self.read_seq > MESSAGES_ADDED_MAX {
            let mut text = String::new();
            tx.search().message_words(|word| {
                text.push_str(word);
                text.push(BETWEEN);
            })?;
            *self = Self { text, read_seq: last_seq, last_seq };
            return Ok(());
        }
        let text = &mut self.text;
        tx.search().texts_after(self.last_seq, |message| {
            for word in words(message) {
                text.push_str(&word.stem);
                text.push(BETWEEN);
            }
        })?;
        self.last_seq = last_seq;
        Ok(())
    }

    /// The word around a position in the text.
    fn word_at(&self, at: usize) -> &str {
        let start = self.text[..at].rfind(BETWEEN).map_or(0, |before| before + BETWEEN.len_utf8());
        let end = self.text[at..].find(BETWEEN).map_or(self.text.len(), |after| at + after);
        &self.text[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_asked_for_by_a_word_that_has_it() {
        for (stemmed, expect) in [("suitcas", "suitcase"), ("harbour", "harbour"), ("happi", "happi"), ("東京", "東京")] {
            assert_eq!(surface(stemmed), expect);
            assert_eq!(stem(&surface(stemmed)), stemmed, "the index takes both for one word");
        }
    }

    #[test]
    fn a_part_gives_each_word_once() {
        let vocabulary = Vocabulary { text: "boat\nharbour\narboureous\nharbour\nsuitcas\n".to_owned(), ..Vocabulary::default() };
        let check =
            |part: &str, expect: &[&str]| assert_eq!(vocabulary.around(part).into_iter().collect::<Vec<_>>(), expect, "{part}");
        check("arbour", &["arboureous", "harbour"]);
        check("uitcas", &["suitcas"]);
        check("uitcase", &["suitcas"]);
        check("uitcases", &["suitcas"]);
        check("oatmeal", &[]);
    }
}
