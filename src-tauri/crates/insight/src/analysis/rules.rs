//! Thresholds and limits of the analysis of a whole conversation, each with its reason.
//! Not in this module: how they are used.

/// With more than five themes, the list no longer shows the gist.
pub const THEMES_MAX: usize = 5;

/// Maximum number of topics; a longer list would be an index.
pub const TOPICS_MAX: usize = 8;

/// Maximum words in a phrase; longer runs are fragments of sentences.
pub(crate) const PHRASE_WORDS_MAX: usize = 3;

/// Maximum number of distinct phrases to rank; the highest-scoring ones are kept.
pub(crate) const PHRASES_RANKED_MAX: usize = 400;

/// Weight of an assistant's words, which indicate a topic less than people's words do.
pub(crate) const ASSISTANT_WEIGHT: f32 = 0.35;

/// Score factor for a phrase that occurs only once and contains no name.
pub(crate) const ONCE_SHARE: f32 = 0.45;

/// Seed 004 asks for two to three sentences.
pub(crate) const SUMMARY_SENTENCES_MAX: usize = 3;

/// A summary sentence longer than this is cut at its last clause.
pub(crate) const SUMMARY_SENTENCE_CHARS_MAX: usize = 240;

/// Similarity is quadratic, so at most this many sentences are compared; a cheap score preselects them.
pub(crate) const SENTENCES_COMPARED_MAX: usize = 320;

/// Rounds of the power iteration. The order settles long before that.
pub(crate) const CENTRALITY_ROUNDS: usize = 20;

/// Damping of the power iteration, as in PageRank.
pub(crate) const DAMPING: f32 = 0.85;

/// Two sentences with a lower similarity are unrelated.
pub(crate) const SIMILARITY_MIN: f32 = 0.08;

/// Weight of relevance against difference from the sentences already chosen.
pub(crate) const RELEVANCE_SHARE: f32 = 0.7;

/// A further sentence is added only if its score is at least this share of the best one.
pub(crate) const THIRD_SENTENCE_SHARE_MIN: f32 = 0.3;

/// Minimum words in a sentence; shorter ones are rarely understandable alone.
pub(crate) const WORDS_MIN: usize = 5;

/// Minimum words in a question, which needs fewer words to be clear.
pub(crate) const QUESTION_WORDS_MIN: usize = 3;

/// Minimum content words in a sentence; with fewer it says nothing by itself.
pub(crate) const CONTENT_WORDS_MIN: usize = 2;
