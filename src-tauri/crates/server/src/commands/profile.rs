//! `keepsake profile`: a person's needs, expectations and preferences, and the owner's corrections.

use keepsake_api::dispatch;
use keepsake_domain::{InteractionId, Timestamp};
use keepsake_engine::{Engine, rfc3339};
use serde_json::{Value, json};

use super::app;
use crate::args::Args;
use crate::output::{Failure, Output};

/// An action on a profile entry.
pub(crate) enum Act<'a> {
    /// Disputes the entry; `false` undoes the dispute.
    Debunk(bool),
    /// Replaces the entry with this text.
    Correct(&'a str),
}

/// Lists a person's profile, or acts on one entry.
pub(crate) fn run(args: &Args, id: &str, history: bool, act: Option<Act<'_>>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let Some(act) = act else {
        let person = app.engine().erasure().person_named(id)?;
        let detail = dispatch(&app, "person_get", json!({ "id": person }))?;
        for entry in detail["profile"].as_array().into_iter().flatten() {
            let older = entry["history"].as_array().into_iter().flatten().filter(|_| history);
            if entry["is_current"] == true || history {
                row(app.engine(), entry, &entry["version"], entry["is_current"] == true, output)?;
            }
            for version in older {
                row(app.engine(), entry, version, false, output)?;
            }
        }
        return Ok(());
    };
    let (id, status) = match act {
        Act::Debunk(is_disputed) => {
            dispatch(&app, "profile_debunk", json!({ "id": id, "is_disputed": is_disputed }))?;
            (json!(id), if is_disputed { "debunked" } else { "restored" })
        }
        Act::Correct(content) => {
            let made = dispatch(&app, "profile_correct", json!({ "id": id, "content": content }))?;
            (made["id"].clone(), "corrected")
        }
    };
    if output.is_json() {
        return output.json(&json!({ "id": id, "status": status }));
    }
    output.line(match status {
        "debunked" => "Marked as wrong; it will not be derived again",
        "restored" => "Restored; the derived entry applies again",
        _ => "Saved in your words; Keepsake will not overwrite it",
    })
}

fn status(version: &Value, is_current: bool) -> &'static str {
    match (is_current, &version["debunked"], &version["superseded"]) {
        (true, ..) => "current",
        (_, Value::Number(_), _) => "debunked",
        (_, _, Value::Number(_)) => "superseded",
        _ => "ended",
    }
}

fn row(engine: &Engine, entry: &Value, version: &Value, is_current: bool, output: &mut Output) -> Result<(), Failure> {
    let time = |value: &Value| value.as_i64().map(|ms| rfc3339(Timestamp(ms)));
    if !output.is_json() {
        return output.line(format!(
            "{}  {:<12} {:<10} {}",
            version["id"].as_str().unwrap_or_default(),
            entry["profile_type"].as_str().unwrap_or_default(),
            status(version, is_current),
            version["content"].as_str().unwrap_or_default()
        ));
    }
    let mut evidence = Vec::new();
    for line in version["lines"].as_array().into_iter().flatten() {
        let Ok(id) = line["message_id"].as_str().unwrap_or_default().parse::<InteractionId>() else { continue };
        if let Some(message) = engine.store().read(|tx| tx.log().interaction(&id))? {
            evidence.push(json!({
                "source": {
                    "kind": message.source_kind, "conversation": message.source_conversation, "message": message.source_message,
                },
                "start": line["start"], "end": line["end"],
            }));
        }
    }
    output.json(&json!({
        "id": version["id"], "type": entry["profile_type"], "facet": entry["facet"], "content": version["content"],
        "confidence": version["confidence"], "origin": version["origin"], "visibility": version["visibility"],
        "is_shared": version["is_shared"], "status": status(version, is_current), "valid_from": time(&version["valid_from"]),
        "valid_to": time(&version["valid_to"]), "evidence": evidence,
    }))
}
