//! Pictures: what was said and kept over time, and what lies around a person or a topic.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Count;

/// Which timeline is wanted; nothing named means of everything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct TimelineRequest {
    /// Only of this person.
    pub person: Option<String>,
    /// Only of this topic.
    pub topic: Option<String>,
    /// Only from this moment on.
    pub from: Option<i64>,
    /// Only before this one.
    pub to: Option<i64>,
    /// `day`, `week`, `month` or `year`, where so many fit; otherwise the shortest that do.
    pub unit: Option<String>,
    /// The day on which weeks begin, from 1, Monday, to 7; 0 is Monday as well.
    pub week_start: u8,
    /// Memories stand where they were decided on, or found while they wait, and not where their line was said.
    pub by_decision: bool,
}

/// One kind of what is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TimelineSeries {
    /// A channel type; or `approved`, `waiting`, `rejected`.
    pub name: String,
    /// All stretches together.
    pub total: u64,
    /// By stretch.
    pub counts: Vec<u64>,
    /// How many of them are off the record, or rest on what is.
    pub off_record: Vec<u64>,
}

/// What was said and kept, stretch by stretch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TimelineResponse {
    /// `day`, `week`, `month`, `year`.
    pub unit: String,
    /// The units in which so much time can be shown.
    pub units: Vec<String>,
    /// Where each stretch begins, at midnight of this computer's zone, and where the last ends; empty where nothing is.
    pub edges: Vec<i64>,
    /// Messages by channel, the busiest first.
    pub messages: Vec<TimelineSeries>,
    /// Memories by what became of them.
    pub memories: Vec<TimelineSeries>,
    /// Messages outside of what is shown.
    pub messages_outside: u64,
    /// Memories outside.
    pub memories_outside: u64,
}

/// Around what a picture is wanted: one person or one topic.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct GraphRequest {
    /// A person.
    pub person: Option<String>,
    /// A topic.
    pub topic: Option<String>,
}

/// A thing in the picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GraphNode {
    /// Its id; of what is only a name, its kind and the name.
    pub id: String,
    /// `person`, `topic`, `project`, `technology`, `memory`, `conversation`.
    pub kind: String,
    /// Name, title or statement.
    pub label: String,
    /// A person's kind, a conversation's channel, a memory's category; nothing otherwise.
    pub detail: String,
    /// Off the record, or resting on what is.
    pub is_private: bool,
    /// The owner.
    pub is_owner: bool,
}

/// Why two things are connected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GraphEdge {
    /// The one that does: whoever writes, whatever names.
    pub a: String,
    /// The other.
    pub b: String,
    /// `wrote_in`, `met_in`, `wrote_of`, `told_in`, `about`, `said_in`, `part_of`, `names`, `near`, `split_from`.
    pub kind: String,
    /// Messages, lines or shared conversations that it rests on.
    pub count: u64,
    /// How near two topics are, from 0 to 1.
    pub nearness: Option<f32>,
    /// Conversation of a message that shows it.
    pub conversation_id: Option<String>,
    /// That message.
    pub message_id: Option<String>,
    /// It rests on what is off the record.
    pub is_private: bool,
}

/// What lies around a person or a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GraphResponse {
    /// The thing in the middle.
    pub center: String,
    /// All things, that one first, then kind by kind, the most connected first.
    pub nodes: Vec<GraphNode>,
    /// Why they are connected.
    pub edges: Vec<GraphEdge>,
    /// Neighbours that found no room, by kind.
    pub left_out: Vec<Count>,
}
