//! `keepsake audit`: checks the quality of stored memories.

use keepsake_api::dispatch;
use serde_json::{Value, json};

use super::app;
use crate::args::Args;
use crate::output::{Failure, Output};

fn percent(value: &Value) -> String {
    format!("{:.0} %", value.as_f64().unwrap_or_default() * 100.0)
}

/// Runs an audit and prints its result. Changes nothing.
pub(crate) fn run(args: &Args, sample: u32, seed: Option<u32>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let report = dispatch(&app, "audit_run", json!({ "sample": sample, "seed": seed }))?;
    if output.is_json() {
        return output.json(&report);
    }
    output.line(format!("Checked {} of {} memories in use", report["sampled"], report["memories"]))?;
    let shares = report["shares"].as_array().into_iter().flatten().chain([&report["any"]]);
    for share in shares {
        let fault = share["fault"].as_str().unwrap_or_default();
        let count = share["count"].as_u64().unwrap_or_default();
        output.line(format!("  {fault:<14} {count:>5}   {} to {} of all", percent(&share["low"]), percent(&share["high"])))?;
    }
    for finding in report["findings"].as_array().into_iter().flatten() {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        output.line(format!("{}  {}: {}", text("memory_id"), text("fault"), text("before")))?;
        let with = match finding["other"].as_str() {
            Some(other) => format!(" ({}: {other})", text("other_id")),
            None => String::new(),
        };
        output.line(format!("    {}{with} Proposed: {}", text("reason"), text("proposal")))?;
    }
    Ok(())
}
