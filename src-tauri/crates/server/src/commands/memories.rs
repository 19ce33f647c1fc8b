//! `keepsake memories`, `approve`, `reject`, `undo`.

use keepsake_api::dispatch;
use keepsake_domain::MemoryId;
use serde_json::{Value, json};

use super::app;
use crate::args::{Args, MemoriesArgs};
use crate::output::{Failure, Output};

/// Lists memories, one per line.
pub(crate) fn list(args: &Args, wanted: &MemoriesArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let request = json!({
        "status": wanted.status, "category": wanted.category, "limit": wanted.limit.unwrap_or(0), "include_snoozed": true,
        "sort": "newest",
    });
    let listed = dispatch(&app, "memories_list", request)?;
    for row in listed["items"].as_array().into_iter().flatten() {
        let id: MemoryId = text(row, "id").parse().map_err(|error| Failure::new(format!("{error}")))?;
        let (memory, evidence) = app.engine().store().read(|tx| {
            let mut evidence = Vec::new();
            for place in tx.memories().evidence(&id)? {
                let Some(message) = tx.log().interaction(&place.interaction_id)? else { continue };
                evidence.push(json!({
                    "source": {
                        "kind": message.source_kind, "conversation": message.source_conversation, "message": message.source_message,
                    },
                    "start": place.span.start(),
                    "end": place.span.end(),
                    "quote": place.span.quote(&message.content).unwrap_or_default(),
                    "author": message.author,
                }));
            }
            Ok((tx.memories().memory(&id)?, evidence))
        })?;
        if !output.is_json() {
            output.line(format!(
                "{}  {:<11} {:<13} {}",
                text(row, "id"),
                text(row, "status"),
                text(row, "category"),
                text(row, "content")
            ))?;
            for line in &evidence {
                output.line(format!("    {}: “{}”", text(line, "author"), text(line, "quote").replace('\n', " ")))?;
            }
            continue;
        }
        output.json(&json!({
            "id": memory.id, "status": memory.status, "kind": memory.kind, "category": memory.category,
            "subject": memory.subject.as_str(), "content": memory.content, "reasoning": memory.reasoning,
            "confidence": memory.confidence, "proposers": memory.proposers, "evidence": evidence,
            "supersedes": memory.supersedes, "durability": memory.durability, "hidden": memory.is_hidden,
            "date": memory.fact.and_then(|fact| fact.date),
        }))?;
    }
    Ok(())
}

fn text<'v>(row: &'v Value, field: &str) -> &'v str {
    row[field].as_str().unwrap_or_default()
}

/// Approves pending memories.
pub(crate) fn approve(args: &Args, ids: &[String], output: &mut Output) -> Result<(), Failure> {
    decide(args, json!({ "action": "approve", "ids": ids }), output)
}

/// Dismisses pending memories.
pub(crate) fn reject(args: &Args, ids: &[String], reason: Option<&str>, output: &mut Output) -> Result<(), Failure> {
    decide(args, json!({ "action": "reject", "ids": ids, "reason": reason }), output)
}

fn decide(args: &Args, decision: Value, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let outcome = dispatch(&app, "memory_decide", decision)?;
    if output.is_json() {
        output.json(&outcome)?;
    } else if outcome["operation_id"].is_string() {
        output.line(text(&outcome, "summary"))?;
        for one in outcome["contradicts"].as_array().into_iter().flatten() {
            let words = text(one, "content").replace('\n', " ");
            output.line(format!("    {} contradicts {}: “{words}”", text(one, "id"), text(one, "other_id")))?;
        }
    }
    let left: Vec<String> = outcome["needs_look"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|look| format!("{}: {}", text(look, "id"), text(look, "reason")))
        .collect();
    if left.is_empty() { Ok(()) } else { Err(Failure::new(left.join("; "))) }
}

/// Undoes the latest operation.
pub(crate) fn undo(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let outcome = dispatch(&app, "undo", json!({}))?;
    if output.is_json() { output.json(&outcome) } else { output.line(text(&outcome, "summary")) }
}
