//! `keepsake reflect`: cleanup proposals for memories, decisions about them, and runs that apply them and can be undone.

use keepsake_api::dispatch;
use keepsake_domain::{ReflectionKind, ReflectionStatus};
use keepsake_engine::Unwatched;
use serde_json::{Value, json};

use super::app;
use crate::args::{Args, Ids, ReflectAct, ReflectArgs};
use crate::output::{Failure, Output};

/// Finds and lists cleanups, or records decisions.
pub(crate) fn run(args: &Args, reflect: &ReflectArgs, output: &mut Output) -> Result<(), Failure> {
    match &reflect.act {
        None => list(args, reflect, output),
        Some(ReflectAct::Show { id }) => show(args, id, output),
        Some(ReflectAct::Approve { ids, all, kind }) => approve(args, ids, *all, *kind, output),
        Some(ReflectAct::Reject(Ids { ids })) => decide(args, ids, ReflectionStatus::Refused, output),
        Some(ReflectAct::Park(Ids { ids })) => decide(args, ids, ReflectionStatus::Parked, output),
        Some(ReflectAct::Restore(Ids { ids })) => decide(args, ids, ReflectionStatus::Open, output),
        Some(ReflectAct::Undo) => undo(args, output),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn list(args: &Args, reflect: &ReflectArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    app.engine().reflections().reflect(&Unwatched)?;
    let found = dispatch(&app, "reflections_list", Value::Null)?;
    let wanted = |row: &&Value| {
        reflect.status.is_none_or(|status| text(row, "status") == status.name())
            && reflect.kind.is_none_or(|kind| text(row, "kind") == kind.name())
    };
    let mut count = 0;
    for row in found["items"].as_array().into_iter().flatten().filter(wanted) {
        count += 1;
        if output.is_json() {
            output.json(&dispatch(&app, "reflection_get", json!({ "id": row["id"] }))?)?;
            continue;
        }
        let more = row["memories"].as_u64().unwrap_or(1);
        let others = if more > 1 { format!(" (and {} more)", more - 1) } else { String::new() };
        output.line(format!(
            "{}  {:<12} {:<8} {}{others}",
            text(row, "id"),
            text(row, "kind"),
            text(row, "status"),
            text(row, "title")
        ))?;
        output.line(format!("    {}", text(row, "reason")))?;
    }
    if count == 0 && !output.is_json() {
        output.line("No cleanups found")?;
    }
    Ok(())
}

fn show(args: &Args, id: &str, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let found = dispatch(&app, "reflection_get", json!({ "id": id }))?;
    if output.is_json() {
        return output.json(&found);
    }
    let row = &found["row"];
    output.line(format!("{}  {}, {}: {}", text(row, "id"), text(row, "kind"), text(row, "status"), text(row, "reason")))?;
    for (title, of) in [("Before", "before"), ("After", "after")] {
        output.line(title)?;
        for side in found[of].as_array().into_iter().flatten() {
            let state = text(side, "state").replace('_', " ");
            output.line(format!("  [{state}] {}", text(side, "content")))?;
        }
    }
    output.line("Sources")?;
    for source in found["sources"].as_array().into_iter().flatten() {
        output.line(format!("  {} {}: {}", text(source, "message_id"), text(source, "author"), text(source, "quote")))?;
    }
    Ok(())
}

fn approve(args: &Args, ids: &[String], all: bool, kind: Option<ReflectionKind>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let mut ids = ids.to_vec();
    if all {
        let found = dispatch(&app, "reflections_list", Value::Null)?;
        let waits = |row: &&Value| {
            matches!(text(row, "status"), "open" | "accepted") && kind.is_none_or(|kind| text(row, "kind") == kind.name())
        };
        ids = found["items"].as_array().into_iter().flatten().filter(waits).map(|row| text(row, "id").to_owned()).collect();
    }
    let run = dispatch(&app, "reflections_apply", json!({ "ids": ids }))?;
    if output.is_json() {
        return output.json(&run);
    }
    for look in run["needs_look"].as_array().into_iter().flatten() {
        output.line(format!("{}: {}", text(look, "id"), text(look, "reason")))?;
    }
    if run["operation_id"].is_null() {
        return output.line("Nothing was changed");
    }
    output.line(format!("{}; a backup was made first. Undo all of it with: keepsake reflect undo", text(&run, "summary")))
}

fn decide(args: &Args, ids: &[String], status: ReflectionStatus, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let done = dispatch(&app, "reflections_decide", json!({ "ids": ids, "status": status.name() }))?;
    let looks: Vec<&Value> = done["needs_look"].as_array().into_iter().flatten().collect();
    for id in ids {
        let look = looks.iter().find(|look| text(look, "id") == id);
        if output.is_json() {
            let reason = look.map_or(Value::Null, |look| look["reason"].clone());
            output.json(&json!({ "id": id, "status": status.name(), "done": look.is_none(), "reason": reason }))?;
            continue;
        }
        match look {
            Some(look) => output.line(format!("{id}: {}", text(look, "reason")))?,
            None => output.line(format!("{id} is now {status}"))?,
        }
    }
    Ok(())
}

fn undo(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let done = dispatch(&app(args)?, "reflections_undo", Value::Null)?;
    if output.is_json() {
        return output.json(&done);
    }
    output.line(done["summary"].as_str().unwrap_or("There is no run to undo"))
}

/// Shows or sets which cleanups are applied without asking.
pub(crate) fn settings(args: &Args, automatic: Option<&str>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let state = match automatic {
        Some(kinds) => {
            let named = kinds.split(',').map(str::trim).filter(|kind| !kind.is_empty() && *kind != "none");
            dispatch(&app, "reflection_settings_set", json!({ "automatic": named.collect::<Vec<_>>() }))?
        }
        None => dispatch(&app, "reflection_settings_get", Value::Null)?,
    };
    if output.is_json() {
        return output.json(&state);
    }
    let kinds: Vec<&str> = state["automatic"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match kinds.as_slice() {
        [] => output.line("No cleanups are applied without asking"),
        kinds => output.line(format!("Applied during maintenance without asking: {}", kinds.join(", "))),
    }
}
