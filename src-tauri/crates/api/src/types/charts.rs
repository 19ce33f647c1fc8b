//! Chart data: messages and memories over time, and the graph around a person or a topic.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Count;

/// Selects a timeline. Without `person` and `topic`, it covers everything; setting both is an error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct TimelineRequest {
    /// Only this person, by id.
    pub person: Option<String>,
    /// Only this topic, by id.
    pub topic: Option<String>,
    /// Only from this time (epoch ms).
    pub from: Option<i64>,
    /// Only before this time (epoch ms).
    pub to: Option<i64>,
    /// `day`, `week`, `month` or `year`. If this results in too many periods, the shortest unit that fits is used.
    pub unit: Option<String>,
    /// First day of the week, from 1 (Monday) to 7; 0 means Monday.
    pub week_start: u8,
    /// Place each memory at the time of the decision about it, or of its proposal if it is pending, instead of at the time when
    /// it was said. Default `false`.
    pub by_decision: bool,
}

/// Counts of one kind over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TimelineSeries {
    /// A channel type, or `approved`, `waiting` or `rejected`.
    pub name: String,
    /// Sum over all periods.
    pub total: u64,
    /// One count per period.
    pub counts: Vec<u64>,
    /// For each count, how much of it comes from excluded conversations.
    pub off_record: Vec<u64>,
}

/// Messages and memories over time, in periods of one unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TimelineResponse {
    /// Unit of the periods: `day`, `week`, `month` or `year`.
    pub unit: String,
    /// Units that this time range can be shown in.
    pub units: Vec<String>,
    /// Start of each period and end of the last one (epoch ms), at local midnight; empty without data.
    pub edges: Vec<i64>,
    /// Messages by channel type, most messages first.
    pub messages: Vec<TimelineSeries>,
    /// Memories by status.
    pub memories: Vec<TimelineSeries>,
    /// Messages outside the periods shown.
    pub messages_outside: u64,
    /// Memories outside the periods shown.
    pub memories_outside: u64,
}

/// Selects the center of a graph: either a person or a topic.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct GraphRequest {
    /// Person id.
    pub person: Option<String>,
    /// Topic id.
    pub topic: Option<String>,
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GraphNode {
    /// Its id. A project or technology has none of its own, so its kind and name are used.
    pub id: String,
    /// `person`, `topic`, `project`, `technology`, `memory`, `conversation`.
    pub kind: String,
    /// Name, title or text.
    pub label: String,
    /// A person's type, a conversation's channel or a memory's category; otherwise empty.
    pub detail: String,
    /// Whether it is an excluded conversation or is derived from one.
    pub is_private: bool,
    /// Whether this is the owner.
    pub is_owner: bool,
}

/// An edge of the graph, with the data it is based on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GraphEdge {
    /// Node id of the acting side, for example the author.
    pub a: String,
    /// Node id of the other side.
    pub b: String,
    /// `wrote_in`, `met_in`, `wrote_of`, `told_in`, `about`, `said_in`, `part_of`, `names`, `near`, `split_from`.
    pub kind: String,
    /// Number of messages, lines or shared conversations it is based on.
    pub count: u64,
    /// Similarity of two topics, from 0 to 1.
    pub nearness: Option<f32>,
    /// Id of the conversation of an example message.
    pub conversation_id: Option<String>,
    /// Id of an example message.
    pub message_id: Option<String>,
    /// Whether it is based on an excluded conversation.
    pub is_private: bool,
}

/// The graph around a person or a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GraphResponse {
    /// Node id of the center.
    pub center: String,
    /// The center first, then the other nodes by kind, most connected first.
    pub nodes: Vec<GraphNode>,
    /// All edges between these nodes.
    pub edges: Vec<GraphEdge>,
    /// Number of neighbors left out for lack of space, by kind.
    pub left_out: Vec<Count>,
}
