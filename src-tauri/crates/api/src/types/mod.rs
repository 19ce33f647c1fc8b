//! The wire shapes: what goes in and out of each command, in plain data.
//!
//! They are promised to the window, the loopback page and agents, so domain and row types convert into them at the edge
//! and never cross it. Times are milliseconds since the Unix epoch, offsets Unicode code points.

pub mod activity;
pub mod audit;
pub mod backup;
pub mod conversations;
pub mod gaps;
pub mod maintenance;
pub mod memories;
pub mod models;
pub mod people;
pub mod pictures;
pub mod playbooks;
pub mod profiles;
pub mod reflection;
pub mod search;
pub mod sessions;
pub mod sources;
pub mod status;
pub mod topics;
pub mod voices;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A request that needs nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A request that names one thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ById {
    /// The thing's id.
    pub id: String,
}

/// A value and how many there are of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Count {
    /// Stable name of the value.
    pub name: String,
    /// What to show where it differs from `name`.
    pub label: Option<String>,
    /// How many.
    pub count: u64,
}

/// The original export's own ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Source {
    /// Which importer.
    pub kind: String,
    /// Conversation id in the export.
    pub conversation: String,
    /// Message id in the export.
    pub message: String,
}
