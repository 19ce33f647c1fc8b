//! Topics that grow across all conversations (seed 003): what a batch of messages is about, which topic it belongs to, and what
//! that topic's text says.
//!
//! There are four steps, each a pure function. [`batches`] cuts a conversation into batches, and [`clusters`] groups a batch by
//! subject. [`fold`] finds or creates the topic of each cluster, in the order in which batches closed and with a person's
//! decisions in between. [`merge`] adds new content to the text of a topic. The same messages and decisions always give the same
//! topics, so everything can be dropped and rebuilt.
//!
//! Deliberately not here: who may read what (the caller folds one audience at a time and passes in only its messages), storing,
//! and embedding models. What a language model is asked, and which parts of its answer are accepted, is in [`model`].

mod batch;
mod cluster;
mod entities;
mod fold;
mod merge;
pub mod model;
mod nearness;
mod terms;
mod title;

use serde::{Deserialize, Serialize};

pub use batch::{Batch, batches};
pub use cluster::{Cluster, Embed, clusters};
pub use entities::{Entities, entities};
pub use fold::{Act, ClusterEvent, Decision, Event, Folded, Judged, Proposal, ProposalKind, Topic, TopicStep, fold, fold_judged};
pub use merge::{Section, TopicLine, TopicText, merge, render, words};
pub use nearness::Terms;
pub use terms::as_said;
pub use title::{Near, title};

/// Name and version of these rules, stored with every row made with them. Raise the version when results change.
pub const ENGINE_VERSION: &str = "builtin-topic/7";

/// How topics are made: the seed's configuration with its defaults. Every field has a default, so configuration written by an
/// older version stays valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopicRules {
    /// Process a conversation after this many new messages.
    pub min_messages: u32,
    /// Process a conversation after it has been quiet for this many minutes, with whatever messages it has.
    pub min_time_minutes: u32,
    /// If true, topics are updated automatically; otherwise only when a person asks.
    pub automatic: bool,
    /// Maximum number of messages in a batch.
    pub batch_size: u32,
    /// Share of a batch's size: how many messages before the batch are read again for context.
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
