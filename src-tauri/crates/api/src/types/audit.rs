//! The audit of what is remembered.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How much is to be looked at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct AuditRequest {
    /// So many memories; 0 is the default.
    pub sample: u32,
    /// What the sample is drawn with; the day where nothing is given.
    pub seed: Option<u32>,
}

/// A share of all memories in use, as the sample tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditShare {
    /// `unsupported`, `echoed`, `contradiction`, `duplicate`, `stale`; `any` for memories with any of them.
    pub fault: String,
    /// Of the sample.
    pub count: u32,
    /// The lower end of the 95 % interval, as a part of one.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// One fault with what could be done about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditFindingView {
    /// See [`AuditShare::fault`].
    pub fault: String,
    /// The memory.
    pub memory_id: String,
    /// What it says now.
    pub before: String,
    /// What is left of it, or of the two, once that was done; nothing where none is.
    pub after: Option<String>,
    /// The other memory of a contradiction or a duplicate.
    pub other_id: Option<String>,
    /// What that one says.
    pub other: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
    /// `archive`, `merge`, `correct`, `reconfirm`.
    pub proposal: String,
    /// The words that it rests on, as far as they stand.
    pub quotes: Vec<String>,
}

/// What an audit found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditReport {
    /// Memories in use.
    pub memories: u32,
    /// Of them looked at.
    pub sampled: u32,
    /// What the sample was drawn with.
    pub seed: u32,
    /// When.
    pub at: i64,
    /// Memories with any fault.
    pub any: AuditShare,
    /// Each fault.
    pub shares: Vec<AuditShare>,
    /// The gravest kind first.
    pub findings: Vec<AuditFindingView>,
}
