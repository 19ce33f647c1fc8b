//! `keepsake playbooks`: lists repeated workflows, records decisions about them and exports them as skills.

use std::path::Path;

use keepsake_api::dispatch;
use keepsake_domain::{InteractionId, PlaybookStatus};
use keepsake_engine::quoted;
use keepsake_store::PlaybookRow;
use serde_json::{Value, json};

use super::app;
use super::people::audience;
use crate::args::{Args, Ids, PlaybookAct, PlaybooksArgs};
use crate::output::{Failure, Output};

/// Lists playbooks, records decisions about them, or exports one.
pub(crate) fn run(args: &Args, playbooks: &PlaybooksArgs, output: &mut Output) -> Result<(), Failure> {
    match &playbooks.act {
        None => list(args, playbooks, output),
        Some(PlaybookAct::Approve(Ids { ids })) => decide(args, ids, PlaybookStatus::Approved, output),
        Some(PlaybookAct::Reject(Ids { ids })) => decide(args, ids, PlaybookStatus::Rejected, output),
        Some(PlaybookAct::Park(Ids { ids })) => decide(args, ids, PlaybookStatus::Parked, output),
        Some(PlaybookAct::Restore(Ids { ids })) => decide(args, ids, PlaybookStatus::Candidate, output),
        Some(PlaybookAct::Undo { decision }) => undo(args, decision, output),
        Some(PlaybookAct::Export { id, dir }) => export(args, id, dir, output),
    }
}

fn list(args: &Args, playbooks: &PlaybooksArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    if playbooks.rebuild {
        app.engine().playbooks().rebuild()?;
        return if output.is_json() {
            output.json(&json!({ "status": "queued" }))
        } else {
            output.line(
                "Undecided playbooks were deleted; Keepsake looks for them again when the queued jobs run (keepsake run-jobs)",
            )
        };
    }
    let is_for_somebody = !playbooks.audience.is_nobody();
    let mut rows: Vec<PlaybookRow> = if is_for_somebody {
        app.engine().playbooks().playbooks_for(&audience(&playbooks.audience))?
    } else {
        app.engine().playbooks().list()?
    };
    rows.retain(|row| playbooks.status.is_none_or(|status| row.status == status));
    let source = |id: &InteractionId| -> Result<Value, Failure> {
        let row = app.engine().store().read(|tx| tx.log().interaction(id))?;
        Ok(row.map_or(
            Value::Null,
            |row| json!({ "kind": row.source_kind, "conversation": row.source_conversation, "message": row.source_message }),
        ))
    };
    for row in rows {
        let version = &row.version;
        if is_for_somebody && !output.is_json() {
            // Each line has its id, as in a context, so that the text is recognized when it comes back in a conversation.
            let id = &row.id;
            output.line(format!("- [{id}] Seen in {} sessions: {}", version.occurrences.len(), quoted(&version.title)))?;
            for (number, step) in version.steps.iter().enumerate() {
                let purpose = version.purposes.get(number).and_then(Option::as_deref).map(|text| format!(" ({text})"));
                let step = format!("{}{}", step.text, purpose.unwrap_or_default());
                output.line(format!("- [{id}] Step {}: {}", number + 1, quoted(&step)))?;
            }
            continue;
        }
        if !output.is_json() {
            output.line(format!(
                "{}  {:<9} {:<6} {:>3}x  {}",
                row.id,
                row.status.name(),
                version.confidence.name(),
                version.occurrences.len(),
                version.title
            ))?;
            for (number, step) in version.steps.iter().enumerate() {
                let purpose = version.purposes.get(number).and_then(Option::as_deref).map(|text| format!("{text}: "));
                output.line(format!("    {}. {}{}", number + 1, purpose.unwrap_or_default(), step.text))?;
            }
            continue;
        }
        let mut occurrences = Vec::new();
        let mut messages = Vec::new();
        for one in &version.occurrences {
            let of: Vec<Value> = one.messages.iter().map(source).collect::<Result<_, _>>()?;
            occurrences.push(of.first().cloned().unwrap_or(Value::Null));
            messages.push(of);
        }
        let mut against = Vec::new();
        for one in &version.against {
            against.push(json!({ "source": source(&one.message)?, "why": one.why }));
        }
        output.json(&json!({
            "id": row.id, "title": version.title, "steps": version.steps.iter().map(|step| &step.text).collect::<Vec<_>>(),
            "tools": version.tools, "occurrences": occurrences, "confidence": version.confidence.name(), "status": row.status.name(),
            "description": version.description, "parameters": version.parameters, "messages": messages, "against": against,
            "version": version.number, "purposes": version.purposes, "proposer": version.proposer,
        }))?;
    }
    Ok(())
}

fn decide(args: &Args, ids: &[String], status: PlaybookStatus, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    for id in ids {
        let decided = dispatch(&app, "playbook_decide", json!({ "id": id, "status": status.name() }))?;
        let decision = decided["decision_id"].as_str().unwrap_or_default();
        if output.is_json() {
            output.json(&json!({ "id": id, "status": status.name(), "decision": decision }))?;
        } else {
            output.line(format!("{id} is now {status}; undo with: keepsake playbooks undo {decision}"))?;
        }
    }
    Ok(())
}

fn undo(args: &Args, decision: &str, output: &mut Output) -> Result<(), Failure> {
    dispatch(&app(args)?, "playbook_undo", json!({ "id": decision }))?;
    if output.is_json() { output.json(&json!({ "undone": decision })) } else { output.line("Undone") }
}

fn export(args: &Args, id: &str, dir: &Path, output: &mut Output) -> Result<(), Failure> {
    let dir = std::path::absolute(dir).map_err(|error| Failure::new(error.to_string()))?;
    let done = dispatch(&app(args)?, "playbook_export", json!({ "id": id, "dir": dir }))?;
    if output.is_json() {
        return output.json(&json!({ "id": id, "path": done["path"] }));
    }
    output.line(format!("Written to {}", done["path"].as_str().unwrap_or_default()))
}

/// Shows or sets the webhook for new playbooks.
pub(crate) fn settings(args: &Args, webhook: Option<&str>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let state = match webhook {
        Some(address) => {
            let address = Some(address.trim()).filter(|address| !address.is_empty());
            dispatch(&app, "playbook_settings_set", json!({ "webhook": address }))?
        }
        None => dispatch(&app, "playbook_settings_get", Value::Null)?,
    };
    if output.is_json() {
        return output.json(&state);
    }
    match state["webhook"].as_str() {
        Some(address) => output.line(format!("New playbooks are reported to {address}")),
        None => output.line("New playbooks are not reported to any address"),
    }
}
