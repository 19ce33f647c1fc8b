//! Determines the topic of text from its content words, which is enough to recognize the same question in other words.

use std::collections::BTreeSet;

use keepsake_domain::limits;
use keepsake_text::{Word, is_stop_word, is_unspaced, words};

use crate::Similarity;

/// Minimum overlap, without vectors, at which two short texts are about the same thing: "what's the deployment status?" and
/// "deployment status of the shop?" share two out of three content words.
const SAME_OVERLAP: f32 = 0.6;

/// With vectors, this cosine is enough by itself. It is the threshold that seed 004 gives for one insight.
const SAME_COSINE: f32 = limits::DUPLICATE_COSINE;

/// Texts with a cosine between this and [`SAME_COSINE`] are of the same kind ("export as PDF", "export as CSV"), so they must
/// also have at least [`ALIKE_OVERLAP`] of their words in common.
const ALIKE_COSINE: f32 = 0.6;
/// See [`ALIKE_COSINE`].
const ALIKE_OVERLAP: f32 = 0.3;

/// The distinct content words of a text as stems, in order of appearance.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in content_words_in(text) {
        if !words.contains(&word.stem) {
            words.push(word.stem);
        }
    }
    words
}

/// The content words of a text: without stop words and single letters.
pub(super) fn content_words_in(text: &str) -> impl Iterator<Item = Word> {
    let is_content = |word: &Word| {
        !is_stop_word(&word.plain) && (word.plain.chars().count() > 1 || word.plain.chars().all(|c| c.is_ascii_digit()))
    };
    words(text).into_iter().filter(move |word| is_content(word) || is_unspaced(&word.plain))
}

/// The topic of a short text. Computed once, because thousands of such texts are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Topic {
    text: String,
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl Topic {
    pub(crate) fn of(text: &str) -> Self {
        let words: BTreeSet<String> = content_words(text).into_iter().collect();
        let numbers = words.iter().filter(|word| word.chars().any(|c| c.is_ascii_digit())).cloned().collect();
        Self { text: text.to_owned(), words, numbers }
    }

    /// The number of content words.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// True if it contains the word with this stem.
    pub(crate) fn has(&self, stem: &str) -> bool {
        self.words.contains(stem)
    }

    /// The share of content words that the two have in common.
    fn overlap(&self, other: &Self) -> f32 {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        if all == 0 { 0.0 } else { shared as f32 / all as f32 }
    }

    /// True if both are about the same thing: by meaning if there are vectors, otherwise by words. With vectors, shared words are
    /// not enough, because two questions may share words that say nothing ("was ist das …"), and the list of such words covers
    /// only one language.
    ///
    /// Numbers must match: "issue 12" and "issue 13" are different, even if their vectors are close.
    pub(crate) fn is_same(&self, other: &Self, similarity: Similarity<'_>) -> bool {
        if self.words.is_empty() || other.words.is_empty() || self.numbers != other.numbers {
            return false;
        }
        if self.words == other.words {
            return true;
        }
        let shared = self.overlap(other);
        // Both orders are compared, so that the order does not matter even for an asymmetric function.
        let (one, two) = (similarity(&self.text, &other.text), similarity(&other.text, &self.text));
        match one.into_iter().chain(two).max_by(f32::total_cmp) {
            Some(cosine) => cosine >= SAME_COSINE || cosine >= ALIKE_COSINE && shared >= ALIKE_OVERLAP,
            None => shared >= SAME_OVERLAP,
        }
    }
}

/// True if two short texts are about the same thing; see [`Topic::is_same`].
pub(crate) fn same_topic(a: &str, b: &str, similarity: Similarity<'_>) -> bool {
    Topic::of(a).is_same(&Topic::of(b), similarity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::no_vectors;

    #[test]
    fn one_thing_in_other_words_is_one_thing() {
        let check = |a: &str, b: &str, is_same: bool| {
            assert_eq!(same_topic(a, b, &no_vectors), is_same, "{a:?} and {b:?}: {:?} {:?}", content_words(a), content_words(b));
            assert_eq!(same_topic(b, a, &no_vectors), is_same, "and the other way round");
        };
        check("What's the deployment status?", "deployment status of the shop", true);
        check("is the deployment running?", "Are the deployments running again?", true);
        check("export the notes as PDF", "Can you export my notes to PDF?", true);
        check("the status of issue 12", "the status of issue 13", false);
        check("the weather in Lyon", "the deployment status", false);
        check("how are you?", "what is it?", false);
    }

    #[test]
    fn meaning_decides_where_there_are_vectors_and_alikeness_needs_words_besides() {
        let check = |cosine: f32, a: &str, b: &str, is_same: bool| {
            assert_eq!(same_topic(a, b, &|_, _| Some(cosine)), is_same, "{a:?} and {b:?} at {cosine}");
        };
        check(0.9, "deployment status", "how is the rollout coming along", true);
        check(0.7, "deployment status", "how is the rollout coming along", false);
        check(0.7, "export notes as PDF", "save my notes in a PDF file", true);
        check(0.99, "issue 12", "issue 13", false);
    }
}
