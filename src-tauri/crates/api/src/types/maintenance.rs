//! Maintenance: its schedule, its runs and their digests, and expired proposals.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Count;

/// When maintenance runs, and when proposals expire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MaintenanceRulesView {
    /// Run automatically once a day.
    pub automatic: bool,
    /// Hour of the day at which it runs, local time, 0 to 23.
    pub hour: u8,
    /// Days after which an unanswered proposal of any kind expires.
    pub park_after_days: u32,
    /// Show a desktop notification with the number of open proposals when a run ends.
    pub notify: bool,
}

/// An expired proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ParkedView {
    /// `link`, `topic`, `playbook`, `gap`, `reflection`.
    pub kind: String,
    /// Id of the proposal.
    pub id: String,
    /// Short description for the person.
    pub title: String,
    /// When it expired (epoch ms).
    pub at: i64,
}

/// Expired proposals other than pending memories, which `memories_list` returns with `only_parked`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ParkedResponse {
    /// Most recently expired first.
    pub items: Vec<ParkedView>,
}

/// An expired proposal to act on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ParkedKey {
    /// `link`, `topic`, `playbook`, `gap`, `reflection`.
    pub kind: String,
    /// Id of the proposal.
    pub id: String,
}

/// Restores expired proposals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ParkedRestoreRequest {
    /// The proposals to restore. If one cannot be restored, none is.
    pub items: Vec<ParkedKey>,
}

/// A maintenance run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MaintenanceRunView {
    /// Run id (`run_…`).
    pub id: String,
    /// `running`, `finished` or `cancelled`.
    pub state: String,
    /// When it started (epoch ms).
    pub started: i64,
    /// When it ended (epoch ms).
    pub finished: Option<i64>,
    /// Number of proposals of any kind that expired in this run.
    pub parked: u64,
    /// Counts of new data since the previous digest; empty without a digest.
    pub new: Vec<Count>,
    /// Counts of proposals that were open when the run ended.
    pub waiting: Vec<Count>,
}

/// State of maintenance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MaintenanceView {
    /// The rules in effect.
    pub rules: MaintenanceRulesView,
    /// Runs, newest first.
    pub runs: Vec<MaintenanceRunView>,
    /// Whether a run is in progress.
    pub is_running: bool,
    /// Number of unfinished jobs of the current run.
    pub jobs_left: u64,
    /// When the next automatic run starts (epoch ms).
    pub next: Option<i64>,
    /// Number of expired proposals of any kind.
    pub parked: u64,
}
