//! Commands for the audit: running it and converting its report.

use keepsake_engine::{AUDIT_SAMPLE, AuditFinding};

use crate::app::App;
use crate::error::ApiError;
use crate::types::audit::*;

/// Name of the task, for progress and cancellation.
const TASK: &str = "audit";

fn finding(found: AuditFinding) -> AuditFindingView {
    let (other_id, other) = found.other.map(|(id, content)| (id.to_string(), content)).unzip();
    AuditFindingView {
        fault: found.fault.to_owned(),
        memory_id: found.id.to_string(),
        before: found.content,
        after: found.after,
        other_id,
        other,
        reason: found.reason.to_owned(),
        proposal: found.proposal.to_owned(),
        quotes: found.quotes,
    }
}

pub(crate) fn audit_run(app: &App, request: AuditRequest) -> Result<AuditReport, ApiError> {
    let sample = if request.sample == 0 { AUDIT_SAMPLE } else { request.sample as usize };
    let task = app.begin_task(TASK)?;
    let report = app.engine().review().audit(sample, request.seed.map(u64::from), &task)?;
    let share = |fault: &str, share: keepsake_engine::AuditShare| AuditShare {
        fault: fault.to_owned(),
        count: share.count as u32,
        low: share.low,
        high: share.high,
    };
    Ok(AuditReport {
        memories: report.memories as u32,
        sampled: report.sampled as u32,
        seed: report.seed as u32,
        at: report.at.0,
        any: share("any", report.any),
        shares: report.shares.iter().map(|(fault, of)| share(fault, *of)).collect(),
        findings: report.findings.into_iter().map(finding).collect(),
    })
}
