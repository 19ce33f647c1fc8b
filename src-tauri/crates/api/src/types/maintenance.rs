//! The nightly cycle, its digests, and when it runs.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Count;

/// When the cycle runs and after how long candidates are parked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MaintenanceRulesView {
    /// Whether it runs by itself.
    pub automatic: bool,
    /// Local hour, 0 to 23.
    pub hour: u8,
    /// Days after which a candidate or another proposal that nobody answered is parked.
    pub park_after_days: u32,
    /// Whether the desktop tells by a number that a cycle ended and something waits.
    pub notify: bool,
}

/// A proposal that waited too long and is set aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ParkedView {
    /// `link`, `topic`, `playbook`, `gap`, `reflection`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// In words that a person knows it by.
    pub title: String,
    /// When it was set aside.
    pub at: i64,
}

/// Proposals that are set aside; candidates for memories are not among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ParkedResponse {
    /// The latest first.
    pub items: Vec<ParkedView>,
}

/// Which one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ParkedKey {
    /// `link`, `topic`, `playbook`, `gap`, `reflection`.
    pub kind: String,
    /// Its id.
    pub id: String,
}

/// Which to take back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ParkedRestoreRequest {
    /// All of them or none.
    pub items: Vec<ParkedKey>,
}

/// One cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MaintenanceRunView {
    /// Id.
    pub id: String,
    /// `running`, `finished`, `cancelled`.
    pub state: String,
    /// When it began.
    pub started: i64,
    /// When it ended.
    pub finished: Option<i64>,
    /// Candidates and other proposals that it parked.
    pub parked: u64,
    /// What is new since the digest before; empty where there is no digest.
    pub new: Vec<Count>,
    /// What waited for the person when it ended.
    pub waiting: Vec<Count>,
}

/// Where maintenance stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MaintenanceView {
    /// The choices.
    pub rules: MaintenanceRulesView,
    /// Cycles, the newest first.
    pub runs: Vec<MaintenanceRunView>,
    /// Whether one is under way.
    pub is_running: bool,
    /// Jobs that it still waits for.
    pub jobs_left: u64,
    /// When the next one begins by itself.
    pub next: Option<i64>,
    /// Candidates and other proposals that are parked now.
    pub parked: u64,
}
