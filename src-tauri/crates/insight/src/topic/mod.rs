//! Topics that grow over all conversations (seed 003): what a batch of messages is about, which topic it belongs to, and what the
//! topic then says.
//!
//! Four steps, each a pure function: [`batches`] cuts a conversation, [`clusters`] groups a batch by subject, [`fold`] finds or
//! creates the topic of each cluster in the order in which batches closed, with a person's decisions among them, and [`merge`] takes
//! what is new into the text of a topic. The same messages and decisions give the same topics, so everything can be dropped and made
//! again.
//!
//! Deliberately not here: who may read what (the caller folds one privacy partition at a time and hands in its messages alone),
//! storing, models that make vectors; what a language model is asked and believed is in [`model`].

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

/// Names these rules and their version on every row made with them. Raise it when results change.
pub const ENGINE_VERSION: &str = "builtin-topic/7";

/// How topics are made; the seed's configuration with its defaults. Every field has a default, so what an older version did not
/// write is no error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopicRules {
    /// So many new messages of a conversation are read at once.
    pub min_messages: u32,
    /// A conversation that rests for so long is read with what it has.
    pub min_time_minutes: u32,
    /// Whether topics are kept up on their own, or only when a person asks.
    pub automatic: bool,
    /// Messages of a batch at most.
    pub batch_size: u32,
    /// How many of the messages before a batch are looked at again, as a share of it.
    pub overlap: f32,
    /// From which nearness on a cluster belongs to a topic.
    pub similarity: f32,
    /// Words that the text of a topic should have.
    pub target_words: u32,
    /// Words that it may have.
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

/// What is wrong with chosen rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// A batch of one message has no subject, one of hundreds has every.
    #[error("a batch has 2 to 200 messages; choose a number between")]
    Batch,
    /// A share.
    #[error("the overlap is a share from 0 to 0.9; choose one between")]
    Overlap,
    /// A nearness.
    #[error("the similarity is a number from 0.3 to 0.99; choose one between")]
    Similarity,
    /// Lengths.
    #[error("the text of a topic has 50 to 1000 words and its target is no longer than that; choose other lengths")]
    Words,
    /// Minutes.
    #[error("the time is 1 minute to 7 days; choose a number of minutes from 1 to 10080")]
    Time,
}

impl TopicRules {
    /// Whether these rules can be followed.
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

    /// What of the rules decides which clusters there are; clusters made under another mark are made again.
    pub fn cluster_mark(&self) -> String {
        format!("{ENGINE_VERSION} {} {} {} {}", self.min_messages, self.min_time_minutes, self.batch_size, self.overlap)
    }

    /// What of the rules decides what a topic says.
    pub fn text_mark(&self) -> String {
        format!("{ENGINE_VERSION} {} {}", self.target_words, self.max_words)
    }
}
