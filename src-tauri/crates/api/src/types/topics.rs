//! Topics: what many conversations are about, as the owner sees it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::people::LineView;

/// People, projects and technologies that a topic names.
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
    /// Id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The title is the person's own.
    pub is_renamed: bool,
    /// Kept at the top.
    pub is_pinned: bool,
    /// The topic that it was split from.
    pub parent_id: Option<String>,
    /// Messages in it.
    pub messages: u32,
    /// Versions of its text.
    pub versions: u32,
    /// When the first message was said.
    pub first: i64,
    /// When the last one was.
    pub last: i64,
    /// Messages in each of equal stretches of time from the first message of all topics to the last: how it grew.
    pub growth: Vec<u32>,
    /// Who and what it names.
    pub entities: TopicEntities,
    /// Its first takeaway, or its first line.
    pub lead: String,
}

/// What reconciliation proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicProposalView {
    /// Id.
    pub id: String,
    /// `merge` or `split`.
    pub kind: String,
    /// The topic that would stay.
    pub topic_id: String,
    /// Its title.
    pub topic_title: String,
    /// The one that would go into it.
    pub other_id: Option<String>,
    /// Its title.
    pub other_title: Option<String>,
    /// How near they are, from 0 to 1.
    pub nearness: f32,
    /// Words that tell why.
    pub why: Vec<String>,
    /// Messages that would go.
    pub apart: Vec<String>,
}

/// Every topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicsResponse {
    /// Pinned ones first, then those that grew last.
    pub items: Vec<TopicListRow>,
    /// What a person may want to do.
    pub proposals: Vec<TopicProposalView>,
    /// When the stretches of growth begin.
    pub growth_from: i64,
    /// When they end.
    pub growth_to: i64,
    /// Topics were derived; where not, they are being read.
    pub is_ready: bool,
}

/// A line of a topic's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicLineView {
    /// `decision`, `solution`, `task`, `learning`, `detail`.
    pub section: String,
    /// What it says.
    pub text: String,
    /// The message that proves it.
    pub line: LineView,
    /// Further messages that do, where a model worded it from several.
    pub also: Vec<LineView>,
}

/// A version of a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicVersionView {
    /// Id.
    pub id: String,
    /// Counted from 1.
    pub number: u32,
    /// The title that its content gave it.
    pub title: String,
    /// Messages so far.
    pub messages: u32,
    /// When what made it happened.
    pub made: i64,
    /// What worded it.
    pub proposer: String,
    /// Another history holds now, as after a merge that was undone.
    pub is_retired: bool,
    /// What the topic says now.
    pub is_current: bool,
}

/// A topic that is near.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RelatedTopic {
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// `related`, `parent` or `child`.
    pub kind: String,
}

/// Something that a person decided about a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicDecisionView {
    /// Id, by which it is undone.
    pub id: String,
    /// `rename`, `pin`, `unpin`, `merge`, `split`, `leave`.
    pub kind: String,
    /// The title that was given.
    pub title: Option<String>,
    /// When.
    pub decided: i64,
}

/// One topic, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicDetail {
    /// As in the list.
    pub topic: TopicListRow,
    /// Its text as Markdown.
    pub text: String,
    /// Its text by line.
    pub lines: Vec<TopicLineView>,
    /// Every version, the newest first.
    pub versions: Vec<TopicVersionView>,
    /// Its messages in the order of their time.
    pub messages: Vec<LineView>,
    /// Topics beside it.
    pub related: Vec<RelatedTopic>,
    /// Who wrote in it.
    pub users: Vec<String>,
    /// Through which channels.
    pub interfaces: Vec<String>,
    /// In how many conversations.
    pub sessions: u32,
    /// What the person decided about it and has not taken back, the newest first.
    pub decisions: Vec<TopicDecisionView>,
}

/// Which version of a topic's text is wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TopicTextRequest {
    /// Version.
    pub version_id: String,
}

/// The text of one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicText {
    /// As Markdown.
    pub text: String,
    /// By line.
    pub lines: Vec<TopicLineView>,
}

/// What a person decides about a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TopicAct {
    /// Give it a title; an empty one lets the title follow the content.
    Rename {
        /// The title.
        title: String,
    },
    /// Keep it at the top.
    Pin {},
    /// No longer.
    Unpin {},
    /// Another topic goes into it.
    Merge {
        /// The other topic.
        other_id: String,
    },
    /// These messages become a topic of their own.
    Split {
        /// Messages.
        message_ids: Vec<String>,
    },
    /// It is not the same as this one; without one: it is a single topic.
    Leave {
        /// The other topic.
        other_id: Option<String>,
    },
}

/// A person decides something about a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TopicDecideRequest {
    /// The topic.
    pub id: String,
    /// What.
    pub act: TopicAct,
}

/// A decision was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicDecided {
    /// The decision, by which it is undone.
    pub decision_id: String,
}

/// How topics are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TopicRulesView {
    /// So many new messages of a conversation are read at once.
    pub min_messages: u32,
    /// A conversation that rests for so long is read with what it has.
    pub min_time_minutes: u32,
    /// Kept up on their own.
    pub automatic: bool,
    /// Messages of a batch at most.
    pub batch_size: u32,
    /// Share of a batch that is looked at again.
    pub overlap: f32,
    /// From which nearness on a cluster belongs to a topic.
    pub similarity: f32,
    /// Words that a text should have.
    pub target_words: u32,
    /// Words that it may have.
    pub max_words: u32,
}

/// How topics are made, and how they are unless a person chooses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TopicRulesState {
    /// What holds.
    pub rules: TopicRulesView,
    /// What held before anybody chose.
    pub defaults: TopicRulesView,
}
