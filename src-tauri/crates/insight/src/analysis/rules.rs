//! Thresholds and limits for whole-conversation analysis, each with its reason. Deliberately not here: the code that uses them.

/// Maximum number of themes; a longer list does not convey the gist.
pub const THEMES_MAX: usize = 5;

/// Maximum number of topics; a longer list is an index.
pub const TOPICS_MAX: usize = 8;

/// Maximum number of words in a phrase; longer runs are fragments of sentences.
pub(crate) const PHRASE_WORDS_MAX: usize = 3;

/// Maximum number of distinct phrases to rank; the highest-scoring ones are kept.
pub(crate) const PHRASES_RANKED_MAX: usize = 400;

/// Weight of an assistant's words, which say less about the topic than people's words do.
pub(crate) const ASSISTANT_WEIGHT: f32 = 0.35;

/// Score factor for a phrase that occurs only once and contains no name.
pub(crate) const ONCE_SHARE: f32 = 0.45;

/// Maximum number of summary sentences (seed 004: two to three).
pub(crate) const SUMMARY_SENTENCES_MAX: usize = 3;

/// Maximum number of characters in a summary sentence; a longer one is cut at its last clause.
pub(crate) const SUMMARY_SENTENCE_CHARS_MAX: usize = 240;

/// Maximum number of sentences compared with each other, because the cost is quadratic. A cheap score preselects them.
pub(crate) const SENTENCES_COMPARED_MAX: usize = 320;

/// Number of rounds of the power iteration. The order settles much earlier.
pub(crate) const CENTRALITY_ROUNDS: usize = 20;

/// Damping of the power iteration, as in PageRank.
pub(crate) const DAMPING: f32 = 0.85;

/// Sentences with a lower similarity count as unrelated.
pub(crate) const SIMILARITY_MIN: f32 = 0.08;

/// Weight of a sentence's relevance. The remaining weight applies to its difference from the sentences already chosen.
pub(crate) const RELEVANCE_SHARE: f32 = 0.7;

/// A third sentence is added only if its relevance is at least this share of the best one's.
pub(crate) const THIRD_SENTENCE_SHARE_MIN: f32 = 0.3;

/// Minimum number of words in a sentence; shorter ones are rarely clear out of context.
pub(crate) const WORDS_MIN: usize = 5;

/// Minimum number of words in a question. It is lower than [`WORDS_MIN`] because a question needs fewer words to be clear.
pub(crate) const QUESTION_WORDS_MIN: usize = 3;

/// Minimum number of content words in a sentence; with fewer, it says nothing on its own.
pub(crate) const CONTENT_WORDS_MIN: usize = 2;
