//! Request and response types of all commands, as plain data.
//!
//! The window, the loopback page and agents rely on these shapes, so types of the domain and the store are converted here and
//! never exposed. Times are milliseconds since the Unix epoch ("epoch ms"). Offsets count Unicode code points. Ids are strings
//! with a prefix, for example `mem_…`.

pub mod activity;
pub mod agents;
pub mod audit;
pub mod backup;
pub mod charts;
pub mod connect;
pub mod conversations;
pub mod gaps;
pub mod lines;
pub mod live_sources;
pub mod maintenance;
pub mod memories;
pub mod models;
pub mod people;
pub mod playbooks;
pub mod profiles;
pub mod reflection;
pub mod search;
pub mod sessions;
pub mod sources;
pub mod status;
pub mod topics;
pub mod unidentified_speakers;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A request or response without fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A request about one object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ById {
    /// Id of the object.
    pub id: String,
}

/// A value and its number of occurrences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Count {
    /// Stable name of the value.
    pub name: String,
    /// Display text, if it differs from `name`.
    pub label: Option<String>,
    /// Number of occurrences.
    pub count: u64,
}

/// Ids in the original export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Source {
    /// Name of the importer.
    pub kind: String,
    /// Id of the conversation in the export.
    pub conversation: String,
    /// Id of the message in the export.
    pub message: String,
}
