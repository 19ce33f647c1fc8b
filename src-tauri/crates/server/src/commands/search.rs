//! `keepsake search`: prints hits with their ids in the original export.

use std::io::BufRead;

use keepsake_domain::OWNER_LABEL;
use keepsake_engine::{noted, quoted};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Commands;
use crate::args::{Args, SearchArgs};
use crate::output::{Failure, Output};

#[derive(Deserialize)]
struct Question {
    id: Value,
    query: String,
}

/// Formats a hit as in a context: the speaker, then the whole text as a quotation.
fn told(hit: &Value) -> Vec<String> {
    let flat = |text: &Value| text.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let (text, author) = (flat(&hit["text"]), flat(&hit["author"]));
    match hit["kind"].as_str().unwrap_or_default() {
        "message" => vec![format!("{author}: {}", quoted(&text))],
        "memory" => vec![noted(if author.is_empty() { OWNER_LABEL } else { &author }, &text)],
        "topic" => {
            let title = hit["text"].as_str().and_then(|text| text.lines().next()).unwrap_or_default();
            let lines = hit["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
            let said = lines.iter().map(|line| format!("{}: {}", flat(&line["author"]), quoted(&flat(&line["text"]))));
            std::iter::once(format!("Topic: {}", quoted(title))).chain(said).collect()
        }
        kind => vec![format!("{kind}: {}", quoted(&text))],
    }
}

/// The result of a search.
struct Answer {
    hits: Vec<Value>,
    /// Whether no message answers the query, so that the hits are only the closest matches.
    is_nearest_only: bool,
}

/// Runs a single search, or one search per line of standard input.
pub(crate) fn run(args: &Args, search: &SearchArgs, output: &mut Output) -> Result<(), Failure> {
    let commands = Commands::new(args)?;
    let ask = |query: &str, scope: &str, is_ranking: bool| -> Result<Answer, Failure> {
        let mut answer = commands.run(
            "search",
            json!({
                "query": query, "limit": search.limit, "scope": scope, "explain": search.explain, "ranking": is_ranking,
                "agent": search.audience.agent, "person": search.audience.person, "channel": search.audience.channel,
            }),
        )?;
        let is_nearest_only = answer["is_nearest_only"].as_bool().unwrap_or_default();
        let hits = match answer["hits"].take() {
            Value::Array(hits) => hits,
            _ => Vec::new(),
        };
        Ok(Answer { hits, is_nearest_only })
    };
    if search.batch {
        // The result is a list of ids in the export, so messages are the default scope.
        let scope = if search.scope == "all" { "messages" } else { &search.scope };
        for (number, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let question: Question = serde_json::from_str(&line)
                .map_err(|error| Failure::new(format!("standard input, line {}: {error}", number + 1)))?;
            let found = ask(&question.query, scope, true)?.hits;
            let hits: Vec<Value> = found.iter().map(|hit| hit["source"]["message"].clone()).collect();
            let mut answer = json!({ "id": question.id, "hits": hits });
            if search.explain {
                // One list of numbers per hit, in the order of the cue names, for a script that fits the weights.
                let values =
                    |hit: &Value| hit["cues"].as_array().map(|cues| cues.iter().map(|cue| cue["value"].clone()).collect());
                answer["cues"] = found.iter().map(|hit| values(hit).unwrap_or(Value::Null)).collect();
            }
            output.json(&answer)?;
        }
        return Ok(());
    }
    let answer = ask(search.query.as_deref().unwrap_or_default(), &search.scope, false)?;
    if answer.is_nearest_only && !output.is_json() {
        let nearest = if answer.hits.is_empty() { "." } else { ". Closest results:" };
        output.line(format!("No match found{nearest}"))?;
    }
    for mut hit in answer.hits {
        if output.is_json() {
            if answer.is_nearest_only {
                hit["is_nearest_only"] = Value::Bool(true);
            }
            output.json(&hit)?;
        } else if !search.audience.is_nobody() {
            for line in told(&hit) {
                output.line(format!("- [{}] {line}", hit["id"].as_str().unwrap_or_default()))?;
            }
        } else {
            let text = hit["text"].as_str().unwrap_or_default().replace('\n', " ");
            let short: String = text.chars().take(160).collect();
            // A topic has neither author nor conversation.
            let said = [&hit["author"], &hit["conversation_title"]].map(|value| value.as_str().unwrap_or_default());
            let said = said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
            output.line(format!("{:<8} {said}  {short}", hit["kind"].as_str().unwrap_or_default()))?;
        }
    }
    Ok(())
}
