//! The audit of stored memories: the request, the rate of each fault, and the findings.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Size and seed of the sample to audit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct AuditRequest {
    /// Number of memories to audit; 0 means the default, 200.
    pub sample: u32,
    /// Random seed of the sample. Default: the current day, so that repeated audits on the same day check the same memories.
    pub seed: Option<u32>,
}

/// Estimated rate of a fault among all memories in use, based on the sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditShare {
    /// `unsupported`, `echoed`, `contradiction`, `duplicate` or `stale`; `any` counts memories with at least one fault.
    pub fault: String,
    /// Number of memories in the sample with this fault.
    pub count: u32,
    /// Lower end of the 95% confidence interval, from 0 to 1.
    pub low: f64,
    /// Upper end of the 95% confidence interval, from 0 to 1.
    pub high: f64,
}

/// A fault in one memory, with a proposed action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditFindingView {
    /// The fault, as in [`AuditShare::fault`], but never `any`.
    pub fault: String,
    /// Id of the memory.
    pub memory_id: String,
    /// Current text of the memory.
    pub before: String,
    /// The text that remains in use after the proposed action; `None` if no text remains.
    pub after: Option<String>,
    /// Id of the other memory of a contradiction or duplicate.
    pub other_id: Option<String>,
    /// Text of the other memory.
    pub other: Option<String>,
    /// The reason, in one sentence.
    pub reason: String,
    /// Proposed action: `archive`, `merge`, `correct` or `reconfirm`.
    pub proposal: String,
    /// The quotes that support the memory, as far as they still exist.
    pub quotes: Vec<String>,
}

/// Result of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditReport {
    /// Number of memories in use.
    pub memories: u32,
    /// Number of memories that were audited.
    pub sampled: u32,
    /// Random seed of the sample.
    pub seed: u32,
    /// When the audit ran (epoch ms).
    pub at: i64,
    /// Proportion of memories with at least one fault.
    pub any: AuditShare,
    /// Proportion of memories with each fault.
    pub shares: Vec<AuditShare>,
    /// The findings, most serious fault first.
    pub findings: Vec<AuditFindingView>,
}
