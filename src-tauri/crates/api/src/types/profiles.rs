//! Profiles: what a person needs, expects and prefers, with history, and the owner's corrections.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::lines::LineView;

/// A version of a profile entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProfileVersionView {
    /// Profile version id (`ep_…`).
    pub id: String,
    /// The statement, in one sentence.
    pub content: String,
    /// `low`, `medium`, `high`.
    pub confidence: String,
    /// Who added it: `built_in`, `model` or `person`.
    pub origin: String,
    /// `public`, or `private` if any of its sources is.
    pub visibility: String,
    /// Whether the person allowed agents to use it anywhere.
    pub is_shared: bool,
    /// Start of validity (epoch ms), according to the messages.
    pub valid_from: i64,
    /// End of validity (epoch ms), if it has ended.
    pub valid_to: Option<i64>,
    /// When this version was written (epoch ms).
    pub created: i64,
    /// When a later version replaced it (epoch ms).
    pub superseded: Option<i64>,
    /// When a person disputed it (epoch ms).
    pub debunked: Option<i64>,
    /// The evidence.
    pub lines: Vec<LineView>,
}

/// A profile entry about one facet of a person, with its history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProfileEntryView {
    /// `needs`, `expectations`, `preferences`, `gaps`, `satisfaction`.
    pub profile_type: String,
    /// The subject of the entry, for example `length` or `topic:deployment status`.
    pub facet: String,
    /// Whether the entry is valid now. If not, `version` is the last valid one.
    pub is_current: bool,
    /// The current version, or the last valid one.
    pub version: ProfileVersionView,
    /// Earlier versions, newest first.
    pub history: Vec<ProfileVersionView>,
}

/// Disputes a profile entry, or undoes the dispute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProfileDebunkRequest {
    /// Profile version id.
    pub id: String,
    /// `true` disputes it, `false` undoes the dispute.
    pub is_disputed: bool,
}

/// Requests a person's profile at a point in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProfileAtRequest {
    /// Entity id.
    pub id: String,
    /// The point in time (epoch ms).
    pub time: i64,
}

/// Profile versions at that time, as ids from `person_get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProfileAtResponse {
    /// Versions that were believed to be true at that time.
    pub believed: Vec<String>,
    /// Versions that were true at that time, as far as is known today.
    pub held: Vec<String>,
}

/// Replaces a profile entry with the owner's own words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProfileCorrectRequest {
    /// Id of the current version.
    pub id: String,
    /// The new statement, in one sentence.
    pub content: String,
}

/// A correction was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProfileCorrected {
    /// Id of the new version.
    pub id: String,
}
