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
pub(crate) mod rules;
mod terms;
mod title;

pub use batch::{Batch, batches};
pub use cluster::{Cluster, Embed, clusters};
pub use entities::{Entities, entities};
pub use fold::{Act, ClusterEvent, Decision, Event, Folded, Judged, Proposal, ProposalKind, Topic, TopicStep, fold, fold_judged};
pub use merge::{Section, TopicLine, TopicText, merge, render, words};
pub use nearness::Terms;
pub use rules::{RulesError, TopicRules};
pub use terms::as_said;
pub use title::{Near, title};

/// Name and version of these rules, stored with every row made with them. Raise the version when results change.
pub const ENGINE_VERSION: &str = "builtin-topic/7";
