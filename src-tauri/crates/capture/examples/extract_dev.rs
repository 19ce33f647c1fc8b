//! Reads Keepsake JSONL on stdin and prints what `keepsake extract --json` prints: for measuring this crate alone.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::Read;

use keepsake_capture::{Conversation, Turn, propose};
use keepsake_domain::{MessageType, Role, Timestamp};
use serde_json::{Value, json};

fn main() {
    let mut input = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut input) {
        eprintln!("reading stdin failed: {error}");
        std::process::exit(1);
    }
    let rows: Vec<Value> = input.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let field = |row: &Value, name: &str| row[name].as_str().unwrap_or("").to_owned();
    let mut groups: Vec<(String, Vec<&Value>)> = Vec::new();
    for row in &rows {
        let conversation = field(row, "conversation");
        match groups.last_mut() {
            Some((id, members)) if *id == conversation => members.push(row),
            _ => groups.push((conversation, vec![row])),
        }
    }
    let show_stops = std::env::args().any(|a| a == "--stops");
    let started = std::time::Instant::now();
    let repeat: usize = std::env::var("REPEAT").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for round in 0..repeat {
        for (id, members) in &groups {
            let turns: Vec<Turn<'_>> = members
                .iter()
                .enumerate()
                .map(|(n, row)| Turn {
                    id: row["id"].as_str().unwrap_or(""),
                    role: row["role"].as_str().and_then(|r| r.parse().ok()).unwrap_or(Role::Person),
                    author: row["author"].as_str().unwrap_or(""),
                    speaker: row["author_handle"].as_str().or(row["author"].as_str()).unwrap_or(""),
                    text: row["text"].as_str().unwrap_or(""),
                    time: Timestamp(n as i64 * 1000),
                    message_type: if row["role"] == "tool" { MessageType::ToolResult } else { MessageType::Text },
                    is_branch: false,
                    thread: "",
                })
                .collect();
            let proposals = propose(&Conversation { turns: &turns, owner_name: None, assistant_name: None }, None);
            if round > 0 {
                continue;
            }
            for c in proposals.candidates.iter().filter(|c| !c.is_quarantined) {
                let evidence: Vec<Value> = c
                    .evidence
                    .iter()
                    .map(|e| json!({"message": turns[e.message].id, "start": e.span.start(), "end": e.span.end()}))
                    .collect();
                println!(
                    "{}",
                    json!({"conversation": id, "subject": c.subject.as_str(), "content": c.content, "kind": c.kind, "category": c.category,
                    "confidence": c.confidence.get(), "reasoning": c.reasoning, "evidence": evidence})
                );
            }
            if show_stops {
                for s in &proposals.stops {
                    let evidence: Vec<Value> = s
                        .evidence
                        .iter()
                        .map(|e| json!({"message": turns[e.message].id, "start": e.span.start(), "end": e.span.end()}))
                        .collect();
                    eprintln!(
                        "{}",
                        json!({"conversation": id, "gate": s.gate.to_string(), "content": s.content, "reason": s.reason, "evidence": evidence})
                    );
                }
            }
        }
    }
    if repeat > 1 {
        eprintln!("{:.0} messages/s", (rows.len() * repeat) as f64 / started.elapsed().as_secs_f64());
    }
}
