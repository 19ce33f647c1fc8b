//! Topics that grow across all conversations (seed 003): the subject of a batch of messages, the topic it belongs to, and that
//! topic's text.
//!
//! There are four steps, each a pure function. [`batches`] cuts a conversation into batches, and [`clusters`] groups a batch by
//! subject. [`fold()`] finds or creates the topic of each cluster, in the order in which batches closed and with a person's
//! decisions in between. [`merge()`] adds new content to the text of a topic. The same messages and decisions always give the same
//! topics, so everything can be dropped and rebuilt.
//!
//! Deliberately not here: access control (the caller folds one audience at a time and passes in only its messages), storage, and
//! embedding models. [`model`] contains the prompts for a language model and the checks of its answers.

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

/// Name and version of these rules, stored with every row they produce. Raise the version when results change.
pub const ENGINE_VERSION: &str = "builtin-topic/7";
