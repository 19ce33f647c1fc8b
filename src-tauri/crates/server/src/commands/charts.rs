//! `keepsake timeline` and `graph`: the window's chart data as text rows.

use keepsake_api::dispatch;
use keepsake_domain::Timestamp;
use keepsake_engine::local_day;
use serde_json::{Value, json};

use super::app;
use crate::args::{Args, TimelineArgs};
use crate::output::{Failure, Output};

/// Prints counts over time, one period per line. Empty periods are left out.
pub(crate) fn timeline(args: &Args, wanted: &TimelineArgs, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let person = wanted.person.as_deref().map(|name| app.engine().erasure().person_named(name)).transpose()?;
    let request = json!({ "person": person, "topic": wanted.topic, "unit": wanted.by, "by_decision": wanted.decided });
    let answer = dispatch(&app, "timeline", request)?;
    if output.is_json() {
        return output.json(&answer);
    }
    let edges = answer["edges"].as_array().map_or(&[][..], Vec::as_slice);
    for (at, edge) in edges.iter().enumerate().take(edges.len().saturating_sub(1)) {
        let sum = |kind: &str, names: &[&str]| -> u64 {
            let series = answer[kind].as_array().into_iter().flatten();
            series
                .filter(|series| names.is_empty() || names.contains(&text(series, "name")))
                .filter_map(|series| series["counts"][at].as_u64())
                .sum()
        };
        let (said, found) = (sum("messages", &[]), sum("memories", &[]));
        if said + found == 0 {
            continue;
        }
        let (kept, waiting) = (sum("memories", &["approved"]), sum("memories", &["waiting"]));
        let day = local_day(Timestamp(edge.as_i64().unwrap_or_default()));
        let rejected = found - kept - waiting;
        output.line(format!("{day}  {said:>7} messages  {kept:>5} kept  {waiting:>5} waiting  {rejected:>5} rejected"))?;
    }
    Ok(())
}

/// Prints the graph around a person or a topic, one edge per line.
pub(crate) fn graph(args: &Args, person: Option<&str>, topic: Option<&str>, output: &mut Output) -> Result<(), Failure> {
    let app = app(args)?;
    let person = person.map(|name| app.engine().erasure().person_named(name)).transpose()?;
    let answer = dispatch(&app, "graph", json!({ "person": person, "topic": topic }))?;
    if output.is_json() {
        return output.json(&answer);
    }
    let nodes = answer["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let name = |id: &Value| {
        let node = nodes.iter().find(|node| node["id"] == *id);
        node.map_or_else(String::new, |node| format!("{} {:?}", text(node, "kind"), text(node, "label")))
    };
    for edge in answer["edges"].as_array().into_iter().flatten() {
        let kind = text(edge, "kind").replace('_', " ");
        output.line(format!("{}  {kind} ({})  {}", name(&edge["a"]), edge["count"], name(&edge["b"])))?;
    }
    for left in answer["left_out"].as_array().into_iter().flatten() {
        output.line(format!("not shown: {} of kind {}", left["count"], text(left, "name")))?;
    }
    Ok(())
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}
