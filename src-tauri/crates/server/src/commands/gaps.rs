//! `keepsake gaps`: capability gaps (unmet requests) and the tasks created from them.

use std::path::Path;

use keepsake_api::{App, dispatch};
use keepsake_domain::InteractionId;
use serde_json::{Value, json};

use super::app;
use crate::args::{Args, GapsCommand};
use crate::output::{Failure, Output};

/// Lists the gaps, or confirms or dismisses one.
pub(crate) fn run(args: &Args, command: &GapsCommand, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    match command {
        GapsCommand::List => list(&app, output),
        GapsCommand::Confirm { id, file } => confirm(&app, id, file.as_deref(), output),
        GapsCommand::Dismiss { id } => {
            dispatch(&app, "gap_dismiss", json!({ "id": id, "is_dismissed": true }))?;
            if output.is_json() {
                return output.json(&json!({ "id": id, "status": "dismissed" }));
            }
            output.line("Dismissed; this gap is not shown again")
        }
    }
}

fn list(app: &App, output: &mut Output) -> Result<(), Failure> {
    let listed = dispatch(app, "gaps_list", Value::Null)?;
    for gap in listed["items"].as_array().into_iter().flatten() {
        if !output.is_json() {
            output.line(format!(
                "{}  {:<12} {}",
                gap["id"].as_str().unwrap_or_default(),
                gap["status"].as_str().unwrap_or_default(),
                gap["description"].as_str().unwrap_or_default()
            ))?;
            continue;
        }
        let mut evidence = Vec::new();
        for line in gap["lines"].as_array().into_iter().flatten() {
            let Ok(id) = line["message_id"].as_str().unwrap_or_default().parse::<InteractionId>() else { continue };
            if let Some(row) = app.engine().store().read(|tx| tx.log().interaction(&id))? {
                evidence.push(
                    json!({ "kind": row.source_kind, "conversation": row.source_conversation, "message": row.source_message }),
                );
            }
        }
        output.json(&json!({
            "id": gap["id"], "description": gap["description"], "frequency": gap["frequency"], "status": gap["status"],
            "evidence": evidence, "task": gap["task"],
        }))?;
    }
    Ok(())
}

fn confirm(app: &App, id: &str, file: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let file = file.map(std::path::absolute).transpose().map_err(|error| Failure::new(error.to_string()))?;
    let gap = dispatch(app, "gap_confirm", json!({ "id": id, "file": file }))?;
    if output.is_json() {
        return output.json(&json!({ "id": id, "status": gap["status"], "task": gap["task"] }));
    }
    output.line(format!("Added as a task to {}; tick its box when it is done", gap["task"]["file"].as_str().unwrap_or_default()))
}
