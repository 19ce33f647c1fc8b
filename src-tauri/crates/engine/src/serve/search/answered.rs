//! Decides whether anything found answers the question. If nothing does, a search says so and a context is empty.
//!
//! With the thresholds below, questions that have an answer are mistaken for unanswered in less than 1 of 100 cases on the
//! LoCoMo development conversations, and in 1 of 6 cases on lives that the sentence encoder was not trained on. Questions
//! about other people's lives are recognized as unanswerable in 6 of 10 to 19 of 20 cases, and tasks that nothing helps with
//! in 5 of 6 cases (decision 65).
//!
//! Not in this module: the order of results (`rank`), and the number of lines in a context (`context::relevance`).

use keepsake_retrieval::{Evidence, Query};

use super::rank::{Hit, is_asking};
use super::{MemoryHit, Why};

/// Minimum score at which a message counts as an answer.
const SCORE_MIN: f64 = 7.0;

/// Minimum cosine at which a message counts as an answer, regardless of its words.
const MEANING_MIN: f32 = 0.4;

/// Minimum cosine at which a memory counts as an answer.
const MEMORY_MEANING_MIN: f32 = 0.4;

/// Minimum share of the words' weight at which a message counts as an answer: practically all of the words.
const WORDS_MIN: f32 = 0.99;

/// Minimum share of the words' weight at which a message counts as an answer without vectors: about one word in three.
pub(crate) const WORDS_ALONE_MIN: f32 = 0.34;

/// Whether any of these answers the query. Pure.
pub(super) fn is_answered(query: &Query, messages: &[Hit], memories: &[MemoryHit], has_vectors: bool) -> bool {
    !is_judged(query) || any_says_it(messages, memories, has_vectors)
}

/// Whether answers are judged at all. For one or two words or an exact phrase, everything that contains them is an answer.
fn is_judged(query: &Query) -> bool {
    query.has_words() && query.phrases.is_empty() && is_asking(query)
}

/// Whether any of these answers the question. Unlike [`is_answered`], judges every kind of query. Pure.
pub(crate) fn any_says_it(messages: &[Hit], memories: &[MemoryHit], has_vectors: bool) -> bool {
    messages.iter().any(|hit| message_says_it(hit.score, &hit.evidence, has_vectors))
        || memories.iter().any(|hit| memory_says_it(hit, has_vectors))
}

fn message_says_it(score: f64, evidence: &Evidence, has_vectors: bool) -> bool {
    if !has_vectors {
        return evidence.words >= WORDS_ALONE_MIN;
    }
    score >= SCORE_MIN || evidence.meaning >= MEANING_MIN || has_all_words(evidence)
}

/// Whether a message contains practically all words of the question.
pub(crate) fn has_all_words(evidence: &Evidence) -> bool {
    evidence.words >= WORDS_MIN
}

fn memory_says_it(hit: &MemoryHit, has_vectors: bool) -> bool {
    let is_near = if has_vectors { hit.meaning.is_some_and(|meaning| meaning >= MEMORY_MEANING_MIN) } else { hit.has_words() };
    is_near || hit.why.contains(&Why::Attribute)
}

#[cfg(test)]
mod tests {
    use keepsake_retrieval::Moment;

    use super::*;

    #[test]
    fn a_line_says_it_by_its_score_its_meaning_or_all_of_the_words() {
        let check = |score: f64, meaning: f32, words: f32, has_vectors: bool, expect: bool| {
            let evidence = Evidence { meaning, words, ..Evidence::default() };
            assert_eq!(message_says_it(score, &evidence, has_vectors), expect, "{score} {meaning} {words} {has_vectors}");
        };
        check(SCORE_MIN, 0.0, 0.0, true, true);
        check(0.0, MEANING_MIN, 0.0, true, true);
        check(0.0, 0.0, 1.0, true, true);
        check(SCORE_MIN - 0.1, MEANING_MIN - 0.1, 0.9, true, false);
        check(0.0, 0.0, WORDS_ALONE_MIN, false, true);
        check(100.0, 1.0, WORDS_ALONE_MIN - 0.1, false, false);
    }

    #[test]
    fn a_memory_says_it_by_its_meaning_or_without_vectors_by_a_word() {
        let check = |meaning: Option<f32>, why: &[Why], has_vectors: bool, expect: bool| {
            let id = "mem_00000000000000000000000000000001".parse().unwrap();
            let hit = MemoryHit { id, score: 0.0, meaning, why: why.to_vec() };
            assert_eq!(any_says_it(&[], &[hit], has_vectors), expect, "{meaning:?} {why:?} {has_vectors}");
        };
        check(Some(MEMORY_MEANING_MIN), &[], true, true);
        check(Some(MEMORY_MEANING_MIN - 0.1), &[Why::Words], true, false);
        check(Some(0.1), &[Why::Attribute], true, true);
        check(None, &[Why::Words], false, true);
        check(None, &[], false, false);
    }

    #[test]
    fn a_question_is_judged_and_a_word_or_an_exact_phrase_is_looked_for_itself() {
        let check = |typed: &str, expect: bool| {
            let query = Query::read(typed, Moment { now: keepsake_domain::Timestamp(0), utc_offset_minutes: 0 });
            assert_eq!(is_judged(&query), expect, "{typed}");
            assert_eq!(is_answered(&query, &[], &[], true), !expect, "{typed}");
        };
        check("which boat did Ana buy", true);
        check("where is it", true);
        check("boat", false);
        check("\"the blue boat in the harbour\"", false);
        check("channel:mail", false);
        check("", false);
    }
}
