//! `keepsake maintain` and `keepsake digest`: the nightly cycle at any hour, and what the last one found.

use keepsake_api::dispatch;
use serde_json::{Value, json};

use super::app;
use crate::args::Args;
use crate::output::{Failure, Output};

/// Queues a cycle, or stops the one under way.
pub(crate) fn maintain(args: &Args, cancel: bool, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let state = dispatch(&app, if cancel { "maintenance_cancel" } else { "maintenance_start" }, Value::Null)?;
    let run = state["runs"].get(0).cloned().unwrap_or(Value::Null);
    if output.is_json() {
        return output.json(&json!({
            "id": run["id"], "state": run["state"], "parked": run["parked"], "jobs_left": state["jobs_left"],
        }));
    }
    output.line(match (run["state"].as_str(), cancel) {
        (Some("running"), _) => {
            format!("{} jobs to do; `keepsake run-jobs` works them where the application is not open", state["jobs_left"])
        }
        (Some("cancelled"), true) => "Stopped; what was done so far stays".to_owned(),
        (_, true) => "No cycle is under way".to_owned(),
        _ => "Everything is up to date".to_owned(),
    })
}

/// Prints the newest digest.
pub(crate) fn digest(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let state = dispatch(&app, "maintenance_get", Value::Null)?;
    let run = state["runs"].as_array().into_iter().flatten().find(|run| run["state"] == "finished");
    let Some(run) = run else {
        return if output.is_json() {
            output.json(&Value::Null)
        } else {
            output.line("No cycle has ended yet; `keepsake maintain` begins one")
        };
    };
    let counts = |of: &str| -> Vec<(String, u64)> {
        let found = run[of].as_array().into_iter().flatten();
        found.map(|each| (each["name"].as_str().unwrap_or_default().to_owned(), each["count"].as_u64().unwrap_or(0))).collect()
    };
    if output.is_json() {
        let named =
            |of: &str| counts(of).into_iter().map(|(name, count)| (name, json!(count))).collect::<serde_json::Map<_, _>>();
        return output.json(&json!({
            "id": run["id"], "started": run["started"], "finished": run["finished"], "parked": run["parked"],
            "new": named("new"), "waiting": named("waiting"),
        }));
    }
    for (title, of) in [("New", "new"), ("Waits for you", "waiting")] {
        let told: Vec<String> = counts(of)
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
            .collect();
        output.line(format!("{title}: {}", if told.is_empty() { "nothing".to_owned() } else { told.join(", ") }))?;
    }
    Ok(())
}
