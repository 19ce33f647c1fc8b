//! `keepsake maintain`, `digest`, `parked` and `rebuild`: starts maintenance on demand, prints the latest digest, lists and
//! restores expired proposals, and derives all data again.

use keepsake_api::dispatch;
use keepsake_engine::{EmbedderSlot, EngineError, Unwatched};
use serde_json::{Value, json};

use super::{app, engine, model_dir};
use crate::args::Args;
use crate::output::{Failure, Output};

/// Kind name of a pending memory in the list of proposals.
const CANDIDATE: &str = "candidate";

/// Maximum number of expired memories listed at a time. To see more, restore these first.
const LISTED_MAX: u32 = 500;

/// Queues a maintenance run, or cancels the one in progress.
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
            format!("{} jobs queued; run `keepsake run-jobs` if the application is not open", state["jobs_left"])
        }
        (Some("cancelled"), true) => "Stopped; the work done so far is kept".to_owned(),
        (_, true) => "Maintenance is not running".to_owned(),
        _ => "Everything is up to date".to_owned(),
    })
}

/// Deletes derived data and derives it again, in this process.
pub(crate) fn rebuild(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let engine = engine(args, EmbedderSlot::at(&model_dir()))?;
    let lock = match engine.queue().lock_worker() {
        Ok(lock) => lock,
        Err(EngineError::AlreadyRunning) => {
            return Err(Failure::new("Keepsake is running on this data folder; close it before you rebuild"));
        }
        Err(error) => return Err(error.into()),
    };
    let rebuilding = engine.maintenance().begin_rebuild(&Unwatched)?;
    if !output.is_json() {
        output.line(format!("The previous state is kept as {}", rebuilding.backup.display()))?;
    }
    let ran = engine.queue().run_until_idle(&lock, &|_| {})?;
    if output.is_json() {
        return output.json(&json!({ "backup": rebuilding.backup, "ran": ran }));
    }
    output.line(format!("Rebuilt in {ran} jobs"))
}

/// Prints the latest digest.
pub(crate) fn digest(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let state = dispatch(&app, "maintenance_get", Value::Null)?;
    let run = state["runs"].as_array().into_iter().flatten().find(|run| run["state"] == "finished");
    let Some(run) = run else {
        return if output.is_json() {
            output.json(&Value::Null)
        } else {
            output.line("No maintenance run has completed yet; `keepsake maintain` starts one")
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
    for (title, of) in [("New", "new"), ("Needs your attention", "waiting")] {
        let told: Vec<String> = counts(of)
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
            .collect();
        output.line(format!("{title}: {}", if told.is_empty() { "nothing".to_owned() } else { told.join(", ") }))?;
    }
    Ok(())
}

/// An expired proposal.
struct Aside {
    kind: String,
    id: String,
    title: String,
}

/// Lists expired proposals, or restores the given ones or all of them.
pub(crate) fn expired(args: &Args, restore: &[String], all: bool, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let request =
        json!({ "status": ["pending"], "only_parked": true, "sort": "oldest", "limit": LISTED_MAX, "without_facets": true });
    let memories = dispatch(&app, "memories_list", request)?;
    let proposals = dispatch(&app, "parked_list", Value::Null)?;
    let candidates = memories["items"].as_array().into_iter().flatten();
    let candidates = candidates.map(|row| Aside { kind: CANDIDATE.to_owned(), id: text(row, "id"), title: text(row, "content") });
    let proposals = proposals["items"].as_array().into_iter().flatten();
    let proposals = proposals.map(|row| Aside { kind: text(row, "kind"), id: text(row, "id"), title: text(row, "title") });
    let aside: Vec<Aside> = candidates.chain(proposals).collect();
    if restore.is_empty() && !all {
        for one in &aside {
            if output.is_json() {
                output.json(&json!({ "kind": one.kind, "id": one.id, "title": one.title }))?;
            } else {
                output.line(format!("{}  {:<9}  {}", one.id, one.kind, one.title))?;
            }
        }
        return Ok(());
    }
    if let Some(unknown) = restore.iter().find(|id| !aside.iter().any(|one| one.id == **id)) {
        return Err(Failure::new(format!("{unknown} is not an expired proposal; `keepsake expired` lists them")));
    }
    let (candidates, proposals): (Vec<&Aside>, Vec<&Aside>) =
        aside.iter().filter(|one| all || restore.contains(&one.id)).partition(|one| one.kind == CANDIDATE);
    if !candidates.is_empty() {
        let ids: Vec<&str> = candidates.iter().map(|one| one.id.as_str()).collect();
        dispatch(&app, "memory_decide", json!({ "action": "restore", "ids": ids }))?;
    }
    if !proposals.is_empty() {
        let items: Vec<Value> = proposals.iter().map(|one| json!({ "kind": one.kind, "id": one.id })).collect();
        dispatch(&app, "parked_restore", json!({ "items": items }))?;
    }
    let count = candidates.len() + proposals.len();
    if output.is_json() { output.json(&json!({ "restored": count })) } else { output.line(format!("{count} restored")) }
}
