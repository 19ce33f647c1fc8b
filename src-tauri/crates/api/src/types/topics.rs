//! Topics: subjects that recur across many conversations. Only the owner sees these views.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::lines::LineView;

/// People, projects and technologies mentioned in a topic.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicEntities {
    /// People.
    pub people: Vec<String>,
    /// Projects.
    pub projects: Vec<String>,
    /// Technologies.
    pub technologies: Vec<String>,
}

/// A topic in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicListRow {
    /// Topic id (`top_…`).
    pub id: String,
    /// Title.
    pub title: String,
    /// Whether the person chose the title.
    pub is_renamed: bool,
    /// Whether it is kept at the top of the list.
    pub is_pinned: bool,
    /// The topic it was split from.
    pub parent_id: Option<String>,
    /// Number of messages.
    pub messages: u32,
    /// Number of versions of its text.
    pub versions: u32,
    /// Time of the first message (epoch ms).
    pub first: i64,
    /// Time of the last message (epoch ms).
    pub last: i64,
    /// Number of messages in each of 24 equal periods, from the first message of all topics to the last.
    pub growth: Vec<u32>,
    /// People, projects and technologies in it.
    pub entities: TopicEntities,
    /// Its first takeaway, or its first line if there is none.
    pub lead: String,
}

/// A proposal to merge two topics or to split one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicProposalView {
    /// Proposal id.
    pub id: String,
    /// `merge` or `split`.
    pub kind: String,
    /// The topic that stays.
    pub topic_id: String,
    /// Title of that topic.
    pub topic_title: String,
    /// The topic that would be merged into it.
    pub other_id: Option<String>,
    /// Title of that topic.
    pub other_title: Option<String>,
    /// Similarity of the two topics, from 0 to 1.
    pub nearness: f32,
    /// Words that explain the proposal.
    pub why: Vec<String>,
    /// Ids of the messages that would move.
    pub apart: Vec<String>,
}

/// All topics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicsResponse {
    /// Pinned ones first, then those with the latest messages.
    pub items: Vec<TopicListRow>,
    /// Proposals without a decision.
    pub proposals: Vec<TopicProposalView>,
    /// Start of the growth periods (epoch ms).
    pub growth_from: i64,
    /// End of the growth periods (epoch ms).
    pub growth_to: i64,
    /// `false` until topics have been derived for the first time.
    pub is_ready: bool,
}

/// A line of a topic's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicLineView {
    /// `decision`, `solution`, `task`, `learning`, `detail`.
    pub section: String,
    /// Its text.
    pub text: String,
    /// The message that supports it.
    pub line: LineView,
    /// Other messages that support it, if a model worded it from several.
    pub also: Vec<LineView>,
}

/// A version of a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicVersionView {
    /// Topic version id (`tov_…`).
    pub id: String,
    /// Version number, from 1.
    pub number: u32,
    /// The title derived from its content.
    pub title: String,
    /// Number of messages covered by this version.
    pub messages: u32,
    /// Time of the event that created it (epoch ms).
    pub made: i64,
    /// Rules version, or model and prompt, that worded it.
    pub proposer: String,
    /// Whether it is no longer part of the topic's history, for example because a merge was undone.
    pub is_retired: bool,
    /// Whether it is the current version.
    pub is_current: bool,
}

/// A topic related to this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RelatedTopic {
    /// Topic id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How it is related: `related`, `parent` or `child`.
    pub kind: String,
}

/// A decision of the person about a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicDecisionView {
    /// Id for `topic_undo`.
    pub id: String,
    /// `rename`, `pin`, `unpin`, `merge`, `split`, `leave`.
    pub kind: String,
    /// The new title, for `rename`.
    pub title: Option<String>,
    /// When it was made (epoch ms).
    pub decided: i64,
}

/// A topic with all details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicDetail {
    /// The fields of the list.
    pub topic: TopicListRow,
    /// Its text as Markdown.
    pub text: String,
    /// The lines of its text.
    pub lines: Vec<TopicLineView>,
    /// All versions, newest first, with retired ones last.
    pub versions: Vec<TopicVersionView>,
    /// The latest messages, up to 500, in chronological order.
    pub messages: Vec<LineView>,
    /// Related topics.
    pub related: Vec<RelatedTopic>,
    /// Names of the people who wrote in it.
    pub users: Vec<String>,
    /// Channels in which it was discussed.
    pub interfaces: Vec<String>,
    /// Number of conversations in which it was discussed.
    pub sessions: u32,
    /// Decisions about it that have not been undone, newest first.
    pub decisions: Vec<TopicDecisionView>,
}

/// Requests the text of one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TopicTextRequest {
    /// Topic version id.
    pub version_id: String,
}

/// The text of one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicText {
    /// The text as Markdown.
    pub text: String,
    /// The lines of the text.
    pub lines: Vec<TopicLineView>,
}

/// An action on a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TopicAct {
    /// Set the title; an empty one restores the derived title.
    Rename {
        /// The new title.
        title: String,
    },
    /// Keep it at the top of the list.
    Pin {},
    /// Stop keeping it at the top.
    Unpin {},
    /// Merge another topic into it.
    Merge {
        /// Id of the other topic.
        other_id: String,
    },
    /// Move messages into a new topic.
    Split {
        /// Ids of the messages.
        message_ids: Vec<String>,
    },
    /// Reject a proposal, so that it is not made again: the merge with `other_id`, or the split if `other_id` is absent.
    Leave {
        /// Id of the other topic.
        other_id: Option<String>,
    },
}

/// Applies an action to a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TopicDecideRequest {
    /// Topic id.
    pub id: String,
    /// The action.
    pub act: TopicAct,
}

/// A decision was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicDecided {
    /// Id for `topic_undo`.
    pub decision_id: String,
}

/// Rules for updating topics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TopicRulesView {
    /// Process a conversation after this many new messages. Default 20.
    pub min_messages: u32,
    /// Process a conversation after it has been quiet for this many minutes, regardless of its number of new messages. Default
    /// 60.
    pub min_time_minutes: u32,
    /// Update topics automatically. Default `true`.
    pub automatic: bool,
    /// Maximum number of messages in a batch. Default 20.
    pub batch_size: u32,
    /// Overlap of batches, as a share of the batch size: how many messages before a batch are read again for context. Default
    /// 0.25.
    pub overlap: f32,
    /// Minimum similarity to join an existing topic, from 0 to 1. Default 0.7.
    pub similarity: f32,
    /// Target length of a topic's text in words. Default 400.
    pub target_words: u32,
    /// Maximum length of a topic's text in words. Default 1,000.
    pub max_words: u32,
}

/// The current rules for updating topics and their defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicRulesState {
    /// The current rules.
    pub rules: TopicRulesView,
    /// The defaults.
    pub defaults: TopicRulesView,
}
