//! Profiles: what somebody needs, expects and prefers, in versions, and what a person says of it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::people::LineView;

/// One version of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProfileVersionView {
    /// Id.
    pub id: String,
    /// A sentence.
    pub content: String,
    /// `low`, `medium`, `high`.
    pub confidence: String,
    /// `built_in`, `model`, `person`.
    pub origin: String,
    /// `public`, or `private` as soon as one place that it rests on is.
    pub visibility: String,
    /// The person allowed it to be told anywhere.
    pub is_shared: bool,
    /// True from, by the messages' times.
    pub valid_from: i64,
    /// True until, where something ended it.
    pub valid_to: Option<i64>,
    /// When it was written.
    pub created: i64,
    /// When a later version took its place.
    pub superseded: Option<i64>,
    /// When a person said that it is not so.
    pub debunked: Option<i64>,
    /// The lines that show it.
    pub lines: Vec<LineView>,
}

/// What is known about one thing, with how it came to be known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProfileEntryView {
    /// `needs`, `expectations`, `preferences`, `gaps`, `satisfaction`.
    pub profile_type: String,
    /// What it is about: `length`, `topic:deployment status`.
    pub facet: String,
    /// It holds now. Otherwise `version` is the last that was believed.
    pub is_current: bool,
    /// What is believed.
    pub version: ProfileVersionView,
    /// What was believed before, the latest first.
    pub history: Vec<ProfileVersionView>,
}

/// "It is not so", or taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProfileDebunkRequest {
    /// A version.
    pub id: String,
    /// Not so; `false` takes that back.
    pub is_debunked: bool,
}

/// A person's profile on a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProfileAtRequest {
    /// Person.
    pub id: String,
    /// The moment.
    pub time: i64,
}

/// Ids of versions that `person_get` names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProfileAtResponse {
    /// What was believed to hold then.
    pub believed: Vec<String>,
    /// What held then, as far as is known today.
    pub held: Vec<String>,
}

/// The person's own words in the place of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ProfileCorrectRequest {
    /// The version that holds.
    pub id: String,
    /// A sentence.
    pub content: String,
}

/// A correction was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProfileCorrected {
    /// The new version.
    pub id: String,
}
