//! One search over messages, memories, topics and people.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Count, Source};

/// A search over messages, memories, topics and people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Words; `"exact phrase"` in quotes, `prefix*`; `person: channel: before: after: type:`.
    pub query: String,
    /// How many hits.
    #[serde(default)]
    pub limit: u32,
    /// `messages`, `memories`, `topics`, `people`, several of these with commas between, or `all`.
    #[serde(default)]
    pub scope: Option<String>,
    /// The program that asks: with it, a person or a channel only what may surface there is searched.
    #[serde(default)]
    pub agent: Option<String>,
    /// Whom it talks with.
    #[serde(default)]
    pub person: Option<String>,
    /// Where.
    #[serde(default)]
    pub channel: Option<String>,
    /// Tell what spoke for each message, cue by cue.
    #[serde(default)]
    pub explain: bool,
    /// The order of the messages is wanted, whether or not one says what was asked.
    #[serde(default)]
    pub ranking: bool,
    /// Tell so many lines before and after each message; at most three.
    #[serde(default)]
    pub around: u8,
}

/// A stretch of a text, in Unicode code points, its end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TextRange {
    /// First.
    pub start: u32,
    /// Behind the last.
    pub end: u32,
}

/// Something that spoke for a hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchCue {
    /// Name of the cue.
    pub name: String,
    /// How much of it there is.
    pub value: f64,
}

/// A line that stands beside a hit or in it, shortened where it is long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchLine {
    /// Its message.
    pub message_id: String,
    /// The message's conversation.
    pub conversation_id: String,
    /// Who said it.
    pub author: String,
    /// When.
    pub time: i64,
    /// What it says.
    pub text: String,
    /// Where the words stand in the text.
    pub highlights: Vec<TextRange>,
    /// How far it stands from the hit: -1 is the line before, 0 a line of a topic's own text.
    pub offset: i32,
}

/// One hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchHit {
    /// `message`, `memory`, `topic` or `person`.
    pub kind: String,
    /// Message, memory, topic or person id.
    pub id: String,
    /// Higher is better; comparable within one kind of one answer only.
    pub score: f64,
    /// Why it matched: `words`, `meaning`, `neighbour` (a line beside it matches), `filter` (what the operators ask for), `name`,
    /// `attribute` (what was approved of the home, the allergies … that are asked about).
    pub why: Vec<String>,
    /// The export's ids.
    pub source: Option<Source>,
    /// The text; a person's name; a topic's title and below it the lines of its text that answer.
    pub text: String,
    /// Where the words stand in the text.
    pub highlights: Vec<TextRange>,
    /// Conversation to open.
    pub conversation_id: String,
    /// Its title.
    pub conversation_title: String,
    /// Its channel type.
    pub channel_type: String,
    /// Who said it.
    pub author: String,
    /// When.
    pub time: i64,
    /// A person's handles.
    pub handles: Vec<String>,
    /// Of a message the lines around it, as far as they were asked for; of a topic those of its text that answer.
    pub lines: Vec<SearchLine>,
    /// What spoke for it, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cues: Option<Vec<SearchCue>>,
}

/// What the messages or topics that were found have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchFacet {
    /// `channel`, `author` or `month`: what an operator narrows to.
    pub name: String,
    /// Values, the commonest first.
    pub values: Vec<Count>,
}

/// An operator that was understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SearchFilter {
    /// `person`, `channel`, `before`, `after` or `type`.
    pub operator: String,
    /// Its value, times in RFC 3339.
    pub value: String,
}

/// The hits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchResponse {
    /// People, then memories, then topics, then messages, each best first.
    pub hits: Vec<SearchHit>,
    /// What the best messages have in common, further ones than `hits` included; where none are looked for, the topics.
    pub facets: Vec<SearchFacet>,
    /// The operators that were understood; what looked like one and made no sense was looked for as words.
    pub filters: Vec<SearchFilter>,
    /// Nothing says what was asked: the messages are the nearest few.
    pub is_nearest_only: bool,
    /// The version of the weights that ordered the messages.
    pub weights_version: u32,
}
