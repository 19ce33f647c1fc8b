//! Search over messages, memories, topics and people: the request, the hits and their facets.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Count, Source};

/// A search over messages, memories, topics and people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Search words, `"exact phrases"`, `prefix*`, and the operators `person:`, `channel:`, `before:`, `after:`, `type:`.
    pub query: String,
    /// Maximum number of hits; 0 means 20, and the limit is 1,000.
    #[serde(default)]
    pub limit: u32,
    /// What to search: `messages`, `memories`, `topics`, `people`, several of them separated by commas, or `all`. Default `all`.
    #[serde(default)]
    pub scope: Option<String>,
    /// Name of the program that searches. With `agent`, `person` or `channel`, the search covers only what may be shown there;
    /// without all three, the owner searches everything.
    #[serde(default)]
    pub agent: Option<String>,
    /// The person it talks with.
    #[serde(default)]
    pub person: Option<String>,
    /// Where the conversation takes place.
    #[serde(default)]
    pub channel: Option<String>,
    /// Return the scores of each message's cues. Default `false`.
    #[serde(default)]
    pub explain: bool,
    /// Return the best-ranked messages even if none of them answers the query. Default `false`.
    #[serde(default)]
    pub ranking: bool,
    /// Number of lines to return before and after each message; the limit is 3. Default 0.
    #[serde(default)]
    pub around: u8,
}

/// A range of text, in Unicode code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TextRange {
    /// Offset of the first code point.
    pub start: u32,
    /// Offset after the last code point.
    pub end: u32,
}

/// A cue that contributed to the rank of a hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchCue {
    /// Name of the cue.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// A line shown with a hit, cut to 280 code points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchLine {
    /// Message id.
    pub message_id: String,
    /// Id of its conversation.
    pub conversation_id: String,
    /// Name of the author.
    pub author: String,
    /// When it was said (epoch ms).
    pub time: i64,
    /// Its text.
    pub text: String,
    /// Where the search words occur in the text.
    pub highlights: Vec<TextRange>,
    /// Position relative to the hit: -1 is the line before it. 0 for a line of a topic's text.
    pub offset: i32,
}

/// A search hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchHit {
    /// `message`, `memory`, `topic` or `person`.
    pub kind: String,
    /// Id of the message, memory, topic or person.
    pub id: String,
    /// Score; higher is better. Only comparable with other hits of the same kind and response.
    pub score: f64,
    /// Why it matches: `words`, `meaning`, `neighbour` (an adjacent line matches), `filter` (it matches the operators), `name`,
    /// `attribute` (an approved memory about the requested attribute, for example home or allergies).
    pub why: Vec<String>,
    /// Ids in the original export.
    pub source: Option<Source>,
    /// Text of the message or memory, name of the person, or title of the topic followed by its matching lines.
    pub text: String,
    /// Where the search words occur in the text.
    pub highlights: Vec<TextRange>,
    /// Id of its conversation; empty for topics and people.
    pub conversation_id: String,
    /// Title of that conversation.
    pub conversation_title: String,
    /// Channel type of that conversation.
    pub channel_type: String,
    /// Name of the author.
    pub author: String,
    /// When it was said (epoch ms); 0 for a person.
    pub time: i64,
    /// A person's handles; empty for other kinds.
    pub handles: Vec<String>,
    /// For a message, the lines around it as requested; for a topic, its matching lines.
    pub lines: Vec<SearchLine>,
    /// Scores of the cues, if `explain` was requested.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cues: Option<Vec<SearchCue>>,
}

/// Values shared by matching messages or topics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchFacet {
    /// `channel`, `author` or `month`.
    pub name: String,
    /// The values, most frequent first.
    pub values: Vec<Count>,
}

/// A search operator that was recognized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SearchFilter {
    /// `person`, `channel`, `before`, `after` or `type`.
    pub operator: String,
    /// Its value, with times in RFC 3339 format.
    pub value: String,
}

/// Search results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SearchResponse {
    /// People, then memories, topics and messages; best first within each kind.
    pub hits: Vec<SearchHit>,
    /// Facets of the best messages, including some that are not in `hits`. Without messages in the scope, facets of the topics.
    pub facets: Vec<SearchFacet>,
    /// The operators that were recognized. Invalid operators are searched as words.
    pub filters: Vec<SearchFilter>,
    /// Whether no message answers the query, so that the messages returned are only the closest ones.
    pub is_nearest_only: bool,
    /// Version of the ranking weights.
    pub weights_version: u32,
}
