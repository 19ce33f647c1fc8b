//! A model that says yes: it makes the given claims for every line that it may cite, and approves everything.
//!
//! It recognizes the prompt by the schema of the reply, as a real model would.

use keepsake_testkit::scripted_server::{Answer, Received, ScriptedServer};
use serde_json::{Value, json};

/// A claim for lines with certain words.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    /// Words of the line; empty for every line.
    pub(crate) words: &'static str,
    /// The quoted words; empty for the whole line.
    pub(crate) quote: &'static str,
    /// The statement.
    pub(crate) content: &'static str,
    /// Category of a fact.
    pub(crate) category: &'static str,
}

pub(crate) const fn fact(words: &'static str, content: &'static str, category: &'static str) -> Claim {
    Claim { words, quote: words, content, category }
}

/// Maximum length of a quotation, in characters.
const QUOTE_CHARS: usize = 380;

/// A server with this model.
pub(crate) fn server(claims: Vec<Claim>) -> ScriptedServer {
    ScriptedServer::start(move |request| Answer::Text(reply(request, &claims)))
}

/// The lines of the transcript in a request: number, role, text.
pub(crate) fn lines(request: &Received) -> Vec<(u64, String, String)> {
    let text = request.message("user");
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| Some((line["line"].as_u64()?, line["role"].as_str()?.to_owned(), line["text"].as_str()?.to_owned())))
        .collect()
}

/// The kind of reply that a request asks for.
pub(crate) fn purpose(request: &Received) -> &'static str {
    let schema = request.schema().unwrap_or_default();
    let properties = &schema["properties"];
    let has = |name: &str| properties.get(name).is_some();
    if has("technical_depth") {
        "session"
    } else if has("archive") {
        "reflect"
    } else if has("purposes") {
        "playbook"
    } else if has("distinct") {
        "topic"
    } else if has("first") {
        "topic_pair"
    } else if has("state") {
        "ended"
    } else if has("memories") {
        "analysis"
    } else if has("positions") {
        "reading"
    } else if has("facts") {
        "facts"
    } else if has("observations") {
        "observe"
    } else if properties["verdicts"]["items"]["properties"].get("supported").is_some() {
        "judge_facts"
    } else if has("verdicts") {
        "judge"
    } else if properties["entries"]["items"]["properties"].get("from").is_some() {
        "reduce"
    } else if properties["entries"]["items"]["properties"].get("facet").is_some() {
        "profile"
    } else if has("entries") {
        "entries"
    } else {
        "unknown"
    }
}

/// A topic that matches the statement: its last words.
fn topic(content: &str) -> String {
    let words: Vec<&str> = content.split_whitespace().collect();
    words[words.len().saturating_sub(3)..].join(" ")
}

/// The reply to a request.
pub(crate) fn reply(request: &Received, claims: &[Claim]) -> String {
    let lines = lines(request);
    let claimed: Vec<(u64, String, &Claim)> = lines
        .iter()
        .flat_map(|(number, _, text)| {
            claims.iter().filter(|claim| text.contains(claim.words)).map(move |claim| {
                let quote =
                    if claim.quote.is_empty() { text.chars().take(QUOTE_CHARS).collect() } else { claim.quote.to_owned() };
                (*number, quote, claim)
            })
        })
        .collect();
    let why = "The words that are cited say so in plain terms, because the speaker gives a reason.";
    let facts = || -> Vec<Value> {
        claimed
            .iter()
            .take(40)
            .map(|(line, quote, claim)| {
                json!({ "line": line, "quote": quote, "content": claim.content, "category": claim.category, "confidence": 0.95, "reasoning": why })
            })
            .collect()
    };
    let position = |(line, quote, claim): &(u64, String, &Claim)| {
        json!({
            "type": "standard", "topic": topic(claim.content), "position": claim.content, "reasoning": why, "confidence": "high",
            "stability": "durable", "tags": ["work"], "variant_of": null, "evidence": [{ "line": line, "quote": quote }],
        })
    };
    match purpose(request) {
        "reading" => json!({ "facts": facts(), "positions": claimed.iter().take(20).map(position).collect::<Vec<_>>() }),
        "facts" => json!({ "facts": facts() }),
        "entries" => json!({ "entries": claimed.iter().take(20).map(position).collect::<Vec<_>>() }),
        "observe" => {
            let observations: Vec<Value> = claimed
                .iter()
                .take(12)
                .map(|(line, quote, claim)| {
                    json!({ "type": "standard", "position": claim.content, "reasoning": why, "evidence": [{ "line": line, "quote": quote }] })
                })
                .collect();
            json!({ "observations": observations })
        }
        "reduce" => {
            let observed: Vec<Value> =
                request.message("user").lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).collect();
            let entries: Vec<Value> = observed
                .iter()
                .filter_map(|observation| {
                    let number = observation["observation"].as_u64().or_else(|| observation["number"].as_u64())?;
                    Some(json!({
                        "type": "standard", "topic": topic(observation["position"].as_str().unwrap_or_default()), "position": observation["position"], "reasoning": observation["reasoning"],
                        "confidence": "high", "stability": "durable", "tags": [], "variant_of": null, "from": [number],
                    }))
                })
                .take(8)
                .collect();
            json!({ "entries": entries })
        }
        purpose @ ("judge" | "judge_facts") => {
            let text = request.message("user");
            let entries = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).filter_map(|line| line["entry"].as_u64());
            let verdict = |entry: u64| match purpose {
                "judge" => json!({ "entry": entry, "keep": true, "grounded": true, "distinctive": true }),
                _ => json!({ "entry": entry, "supported": true, "about_person": true, "lasting": true }),
            };
            let verdicts: Vec<Value> = entries.map(verdict).collect();
            json!({ "verdicts": verdicts })
        }
        "analysis" => {
            let memories: Vec<Value> = claimed
                .iter()
                .take(20)
                .map(|(line, quote, claim)| {
                    json!({ "type": "project", "line": line, "quote": quote, "content": claim.content, "confidence": 0.95, "reasoning": why })
                })
                .collect();
            let sentences: Vec<Value> = lines
                .iter()
                .take(2)
                .map(|(line, _, text)| json!({ "text": text.chars().take(QUOTE_CHARS).collect::<String>(), "line": line }))
                .collect();
            json!({
                "memories": memories, "summary": sentences, "themes": [], "key_topics": [], "mood": "neutral", "tone": "calm",
                "emotional_arc": [], "participants": [],
            })
        }
        "ended" => {
            let (line, quote) = lines.last().map_or((1, String::new()), |(line, _, text)| (*line, text.chars().take(QUOTE_CHARS).collect()));
            json!({ "state": "ended", "because": "settled", "line": line, "quote": quote, "confidence": 0.9 })
        }
        "topic" => {
            let entries: Vec<Value> = lines
                .iter()
                .take(30)
                .map(|(line, _, text)| {
                    let quote: String = text.chars().take(QUOTE_CHARS).collect();
                    json!({ "section": "detail", "text": quote, "places": [{ "line": line, "quote": quote }] })
                })
                .collect();
            let title = lines.first().map(|(_, _, text)| text.split_whitespace().take(4).collect::<Vec<_>>().join(" "));
            json!({
                "distinct": [], "keep": [], "lines": entries, "title": title.unwrap_or_default(), "people": [], "projects": [],
                "technologies": [],
            })
        }
        "session" => {
            let heard: Vec<Value> = lines
                .iter()
                .filter(|(_, role, _)| role == "user")
                .take(6)
                .map(|(line, _, text)| json!({ "field": "heard", "line": line, "quote": text.chars().take(QUOTE_CHARS).collect::<String>() }))
                .collect();
            json!({
                "technical_depth": "casual", "user_mood": "neutral", "outcome": "resolved", "significance": 2, "items": heard,
            })
        }
        "reflect" => json!({ "archive": [], "merge": [], "weights": [], "said": [] }),
        "playbook" => json!({ "title": "", "when": "", "purposes": [] }),
        "topic_pair" => json!({
            "answer": "unsure", "first": { "line": 1, "quote": "" }, "second": { "line": 1, "quote": "" }, "confidence": 0.1,
        }),
        // It has nothing to say about anyone.
        "profile" => json!({ "entries": [] }),
        _ => json!({}),
    }
    .to_string()
}
