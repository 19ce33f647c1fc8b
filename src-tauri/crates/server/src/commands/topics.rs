//! `keepsake topics`: lists topics, records decisions about them, sets their rules, and rebuilds them.

use keepsake_api::{App, dispatch};
use keepsake_domain::InteractionId;
use serde_json::{Value, json};

use super::app;
use crate::args::{Args, Automatic, TopicRulesArgs, TopicsCommand};
use crate::output::{Failure, Output};

/// Lists topics, or carries out the person's decision.
pub(crate) fn run(args: &Args, command: &TopicsCommand, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let (topic, act) = match command {
        TopicsCommand::List => return list(&app, output),
        TopicsCommand::Rebuild => return rebuild(&app, output),
        TopicsCommand::Undo { decision } => return undo(&app, decision, output),
        TopicsCommand::Rename { topic, title } => (topic, json!({ "kind": "rename", "title": title })),
        TopicsCommand::Pin { topic } => (topic, json!({ "kind": "pin" })),
        TopicsCommand::Unpin { topic } => (topic, json!({ "kind": "unpin" })),
        TopicsCommand::Merge { topic, other } => (topic, json!({ "kind": "merge", "other_id": other })),
        TopicsCommand::Separate { topic, other } => (topic, json!({ "kind": "leave", "other_id": other })),
        TopicsCommand::Split { topic, messages } => (topic, json!({ "kind": "split", "message_ids": messages })),
    };
    let decided = dispatch(&app, "topic_decide", json!({ "id": topic, "act": act }))?;
    let decision = text(&decided, "decision_id");
    if output.is_json() {
        return output.json(&json!({ "decision": decision }));
    }
    output.line(format!("Done; undo with: keepsake topics undo {decision}"))
}

fn undo(app: &App, decision: &str, output: &mut Output) -> Result<(), Failure> {
    dispatch(app, "topic_undo", json!({ "id": decision }))?;
    if output.is_json() { output.json(&json!({ "undone": decision })) } else { output.line("Undone") }
}

/// Deletes all topics; they are derived again when the queue runs.
fn rebuild(app: &App, output: &mut Output) -> Result<(), Failure> {
    dispatch(app, "topics_rebuild", Value::Null)?;
    if output.is_json() {
        output.json(&json!({ "status": "queued" }))
    } else {
        output.line("All topics were deleted; they are rebuilt when the queued jobs run (keepsake run-jobs)")
    }
}

fn list(app: &App, output: &mut Output) -> Result<(), Failure> {
    let listed = dispatch(app, "topics_list", Value::Null)?;
    for topic in listed["items"].as_array().into_iter().flatten() {
        if !output.is_json() {
            let pin = if topic["is_pinned"] == true { "*" } else { " " };
            output.line(format!("{}{pin} {:>4} messages  {}", text(topic, "id"), topic["messages"], text(topic, "title")))?;
            continue;
        }
        let detail = dispatch(app, "topic_get", json!({ "id": topic["id"] }))?;
        let mut messages = Vec::new();
        for line in detail["messages"].as_array().into_iter().flatten() {
            let Ok(id) = text(line, "message_id").parse::<InteractionId>() else { continue };
            if let Some(row) = app.engine().store().read(|tx| tx.log().interaction(&id))? {
                messages.push(
                    json!({ "kind": row.source_kind, "conversation": row.source_conversation, "message": row.source_message }),
                );
            }
        }
        output.json(&json!({
            "id": topic["id"], "title": topic["title"], "text": detail["text"], "messages": messages, "entities": topic["entities"],
            "message_count": topic["messages"], "version_count": topic["versions"], "first": topic["first"], "last": topic["last"],
            "is_pinned": topic["is_pinned"], "is_renamed": topic["is_renamed"], "parent": topic["parent_id"],
            "contributors": { "users": detail["users"], "interfaces": detail["interfaces"], "sessions": detail["sessions"] },
        }))?;
    }
    Ok(())
}

/// Shows or sets the rules for updating topics.
pub(crate) fn rules(args: &Args, wanted: &TopicRulesArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let state = dispatch(&app, "topic_rules_get", Value::Null)?;
    let mut rules = if wanted.defaults { state["defaults"].clone() } else { state["rules"].clone() };
    let chosen = [
        ("min_messages", wanted.min_messages.map(Value::from)),
        ("min_time_minutes", wanted.min_minutes.map(Value::from)),
        ("automatic", wanted.automatic.map(|state| Value::from(state == Automatic::On))),
        ("batch_size", wanted.batch_size.map(Value::from)),
        ("overlap", wanted.overlap.map(Value::from)),
        ("similarity", wanted.similarity.map(Value::from)),
        ("target_words", wanted.target_words.map(Value::from)),
        ("max_words", wanted.max_words.map(Value::from)),
    ];
    for (name, value) in chosen {
        if let Some(value) = value {
            rules[name] = value;
        }
    }
    let state = if rules == state["rules"] { state } else { dispatch(&app, "topic_rules_set", rules)? };
    if output.is_json() {
        return output.json(&state);
    }
    for (name, value) in state["rules"].as_object().into_iter().flatten() {
        let default = &state["defaults"][name];
        let note = if value == default { String::new() } else { format!("  (default {default})") };
        output.line(format!("{name:<18}{value}{note}"))?;
    }
    Ok(())
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}
