//! Thresholds and limits for topics, each with its reason: how messages are batched and clustered, and how topics are titled
//! and worded. Deliberately not here: the code that uses them.

use keepsake_domain::limits;
use serde::{Deserialize, Serialize};

use super::ENGINE_VERSION;

/// The configuration of topics: the seed's settings with its defaults. Every field has a default, so configuration written by an
/// older version stays valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopicRules {
    /// Process a conversation after this many new messages.
    pub min_messages: u32,
    /// Process a conversation after it has been quiet for this many minutes, even if it has fewer new messages.
    pub min_time_minutes: u32,
    /// If true, topics are updated automatically; otherwise only when a person asks.
    pub automatic: bool,
    /// Maximum number of messages in a batch.
    pub batch_size: u32,
    /// Number of messages before a batch that are read again for context, as a share of the batch size.
    pub overlap: f32,
    /// Minimum similarity to join an existing topic.
    pub similarity: f32,
    /// Target length of a topic's text in words.
    pub target_words: u32,
    /// Maximum length of a topic's text in words.
    pub max_words: u32,
}

impl Default for TopicRules {
    fn default() -> Self {
        Self {
            min_messages: 20,
            min_time_minutes: 60,
            automatic: true,
            batch_size: 20,
            overlap: 0.25,
            similarity: 0.7,
            target_words: 400,
            max_words: 1_000,
        }
    }
}

/// Why the chosen rules are invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// A batch or trigger size is out of range. A batch of one message has no subject, and one of hundreds mixes many.
    #[error(
        "a batch must have 2 to 200 messages, and processing must start after 1 to 1000 new messages; choose numbers in these \
         ranges"
    )]
    Batch,
    /// The overlap is out of range.
    #[error("the overlap must be a share from 0 to 0.9; choose a number in this range")]
    Overlap,
    /// The similarity is out of range.
    #[error("the similarity must be from 0.3 to 0.99; choose a number in this range")]
    Similarity,
    /// A text length is out of range.
    #[error(
        "the target length of a topic's text must be at least 50 words and its maximum length at most 1000, and the target \
         cannot exceed the maximum; choose other lengths"
    )]
    Words,
    /// The quiet time is out of range.
    #[error("the quiet time must be from 1 minute to 7 days; choose a number of minutes from 1 to 10080")]
    Time,
}

impl TopicRules {
    /// Checks that all values are in range.
    pub fn check(&self) -> Result<(), RulesError> {
        if !(2..=200).contains(&self.batch_size) || !(1..=1_000).contains(&self.min_messages) {
            return Err(RulesError::Batch);
        }
        if !(1..=10_080).contains(&self.min_time_minutes) {
            return Err(RulesError::Time);
        }
        if !(0.0..=0.9).contains(&self.overlap) {
            return Err(RulesError::Overlap);
        }
        if !(0.3..=0.99).contains(&self.similarity) {
            return Err(RulesError::Similarity);
        }
        if self.target_words < 50 || self.target_words > self.max_words || self.max_words > 1_000 {
            return Err(RulesError::Words);
        }
        Ok(())
    }

    /// The rules that determine the clusters, as a string. Clusters stored with a different string are rebuilt.
    pub fn cluster_mark(&self) -> String {
        format!("{ENGINE_VERSION} {} {} {} {}", self.min_messages, self.min_time_minutes, self.batch_size, self.overlap)
    }

    /// The rules that determine a topic's text, as a string.
    pub fn text_mark(&self) -> String {
        format!("{ENGINE_VERSION} {} {}", self.target_words, self.max_words)
    }
}

/// Maximum number of characters per call: about 8,000 tokens, which a small local model still reads to the end.
pub(crate) const CHARS_MAX: usize = 8_000 * limits::CHARS_PER_TOKEN;

/// Maximum number of characters in a quotation. Almost any statement could be assembled from the words of a longer one, and so
/// appear proven.
pub(crate) const QUOTE_CHARS_MAX: usize = 400;

/// Maximum number of characters embedded per message; the local model reads about 250 words.
pub(crate) const EMBEDDED_CHARS_MAX: usize = 1_200;

/// Maximum number of words that count toward a message's weight, which is the square root of its word count.
pub(crate) const WORDS_COUNTED_MAX: usize = 40;

/// Minimum number of messages on each side of a cut; fewer are only an aside.
pub(crate) const PART_MESSAGES_MIN: usize = 4;

/// Two parts of a batch are on different subjects if their cosine is below this, after subtracting the average of all
/// conversation. Values from 0 to 0.1 find the same number of topics in the development life; from 0.15, single subjects are
/// split.
pub(crate) const PARTS_BELOW: f32 = 0.05;

/// Maximum number of names per kind; a longer list is an index.
pub(crate) const EACH_MAX: usize = 12;

/// Topics nearer than this, or nearer than the similarity threshold, are proposed for merging.
pub(crate) const MERGE_PROPOSED_FROM: f32 = 0.66;

/// Topics nearer than this are related to each other.
pub(crate) const RELATED_FROM: f32 = 0.4;

/// Maximum number of related topics; a longer list would include everything.
pub(crate) const RELATED_MAX: usize = 5;

/// Minimum number of meaningful messages to found a topic, together with [`FOUNDING_WORDS_MIN`].
pub(crate) const FOUNDING_CARRIERS_MIN: u32 = 3;

/// Minimum number of content words to found a topic.
pub(crate) const FOUNDING_WORDS_MIN: u32 = 16;

/// Two long messages, such as a question to an assistant and its answer, also found a topic if they have this many content words.
pub(crate) const FOUNDING_WORDS_OF_TWO: u32 = 60;

/// Maximum number of telling stems per topic; a title's few words are chosen from these.
pub(crate) const TELLING_MAX: usize = 24;

/// A topic is proposed for splitting if the similarity of its halves is below this.
pub(crate) const SPLIT_PROPOSED_BELOW: f32 = 0.42;

/// Minimum number of messages for a topic to be too broad.
pub(crate) const SPLIT_MESSAGES_MIN: usize = 24;

/// Minimum number of clusters in each half.
pub(crate) const SPLIT_CLUSTERS_MIN: usize = 2;

/// Maximum number of clusters examined; a broad topic is recognizable from this many.
pub(crate) const SPLIT_CLUSTERS_MAX: usize = 60;

/// Maximum number of rounds for the halves of a topic to settle.
pub(crate) const SPLIT_ROUNDS: usize = 6;

/// Maximum number of words that explain a proposal.
pub(crate) const WHY_TERMS_MAX: usize = 5;

/// Maximum number of lines per section; a longer list of takeaways is not useful.
pub(crate) const SECTION_LINES_MAX: usize = 6;

/// Maximum share of the target length that takeaways may use, so that space remains for details.
pub(crate) const TAKEAWAYS_SHARE: f32 = 0.6;

/// Factor by which the text may exceed its target length so that it need not break off: 400 words may become 500.
pub(crate) const TARGET_SLACK: f32 = 1.25;

/// Minimum number of words in a line; a shorter sentence depends on its context.
pub(crate) const LINE_WORDS_MIN: usize = 5;

/// Maximum number of words in a line; a longer sentence is a paragraph. Chat messages without periods often run on like this.
pub(crate) const MERGE_LINE_WORDS_MAX: usize = 60;

/// Two lines say the same if they share at least this fraction of the words that distinguish lines of this topic, and also at
/// least [`SAME_WORDS_FROM`] of all words.
pub(crate) const SAME_FROM: f32 = 0.6;

/// Minimum share of all words that two lines must also have in common to say the same. A short line may name only the topic's
/// subject ("We decided to try a new capacitor before we buy a new pump"), as every other line does. What the line says about
/// the subject is then in its common words.
pub(crate) const SAME_WORDS_FROM: f32 = 0.4;

/// Factor for an assistant's sentences, so that people's sentences come first.
pub(crate) const ASSISTANT_SHARE: f32 = 0.6;

/// Factor for questions, so that statements come first.
pub(crate) const QUESTION_SHARE: f32 = 0.45;

/// Maximum number of characters in each bundle. A few pages show the subject; more only adds cost.
pub(crate) const BUNDLE_CHARS_MAX: usize = CHARS_MAX / 4;

/// Minimum confidence to accept an answer. On the scale given in the prompt, a model below this is guessing.
pub(crate) const CONFIDENCE_MIN: f64 = 0.6;

/// Minimum share of a line's words that must occur in the messages it quotes. A line may combine and shorten them, but not add to
/// them.
pub(crate) const LINE_SUPPORT_MIN: f64 = 0.6;

/// Minimum share of a title's words that must occur in the messages shown.
pub(crate) const TITLE_SUPPORT_MIN: f64 = 0.5;

/// If less than this share of a reply passes the checks, the rest is not trusted either.
pub(crate) const LINES_HOLD_MIN: f64 = 0.5;

/// Maximum number of words in a line; a longer one is a paragraph.
pub(crate) const WORDING_LINE_WORDS_MAX: usize = 60;

/// Maximum number of characters in a title; lists would cut off a longer one.
pub(crate) const WORDING_TITLE_CHARS_MAX: usize = 60;

/// Weight of typical conversation in the running mean, expressed as a number of clusters.
pub(crate) const TYPICAL_WEIGHT: f32 = 30.0;

/// The evidence at which subjects separate. Evidence is the cosine of meaning plus [`WORDS_SHARE`] times the cosine of words. On
/// the development life (decisions 42 and 65), 0.3 finds most topics and mixes none; lower values mix some.
pub(crate) const EVIDENCE_AT: f32 = 0.30;

/// Weight of shared words in the evidence (see [`EVIDENCE_AT`]). Values from 0.3 to 0.6 work equally well. Shared words without
/// vectors would only join content that shares names.
pub(crate) const WORDS_SHARE: f32 = 0.6;

/// Like [`EVIDENCE_AT`], but without vectors: clusters on one subject share few words, and those on two subjects hardly any.
pub(crate) const WORDS_ALONE_AT: f32 = 0.09;

/// The seed's default threshold; the nearness at which subjects separate.
pub(crate) const PARTING: f32 = 0.7;

/// Added to the evidence if a cluster continues messages of the topic.
pub(crate) const CONTINUES: f32 = 0.1;

/// Minimum number of different content words for a message to be meaningful by itself.
pub(crate) const CONTENT_WORDS_MIN: usize = 3;

/// Maximum number of characters in a title; lists would cut off a longer one.
pub(crate) const TITLE_TITLE_CHARS_MAX: usize = 60;

/// A second phrase is added if its score is at least this share of the first one's.
pub(crate) const SECOND_FROM: f32 = 0.55;

/// The current leading phrase stays if its score is at least this share of the strongest one's.
pub(crate) const STAYS_FROM: f32 = 0.7;

/// Maximum number of phrases considered; each of them is embedded.
pub(crate) const PHRASES_LOOKED_AT: usize = 20;

/// Lower limit for the cosine of a phrase, even if the phrase is unrelated to the topic.
pub(crate) const NEARNESS_MIN: f32 = 0.02;

/// With at most this many turns, hardly anything is repeated, so a phrase said only once is not penalized.
pub(crate) const FEW_TURNS: usize = 2;

/// Factor for a phrase of several words that was said only once.
pub(crate) const ONCE_SHARE: f32 = 0.4;

/// How much a phrase's score rises each time the number of turns that contain it grows by a factor of e (2.7).
pub(crate) const RECURS: f32 = 0.3;

/// If nothing can be named, the title is this many words from the start of the first line.
pub(crate) const OPENING_WORDS: usize = 7;
