//! `keepsake analyze`: analyzes a conversation and waits for the result.

use serde_json::Value;

use crate::harness::{Home, evening, jsonl, text};

fn home() -> Home {
    let home = Home::new();
    let path = home.file("evening.jsonl", evening());
    home.run(&["import", path.to_str().unwrap()]).ok();
    home
}

#[test]
fn an_analysis_tells_all_that_is_promised() {
    let home = home();
    let found = home.json(&["analyze", "evening"]);
    let summary = found["summary"].as_array().unwrap();
    assert!((1..=3).contains(&summary.len()), "2–3 sentences, fewer where little was said: {summary:?}");
    let said = evening();
    for sentence in summary {
        assert!(said.contains(&text(sentence, "text")), "the summary is extractive: {sentence}");
    }
    for list in ["themes", "key_topics", "participants"] {
        assert!(found[list].as_array().is_some_and(|items| !items.is_empty()), "{list} in {found}");
    }
    let arc = found["arc"].as_array().map(Vec::len);
    assert!(text(&found, "tone").is_empty() && arc == Some(0), "how it felt a model tells");
    for name in ["Mara", "Nova", "Ana"] {
        assert!(found["participants"].as_array().unwrap().contains(&name.into()), "{name} took part");
    }
    let proposed: u64 = found["proposed"].as_array().unwrap().iter().map(|count| count["count"].as_u64().unwrap()).sum();
    assert_eq!(proposed as usize, home.ids("pending").len(), "what it proposes waits for review");
    assert!(proposed >= 5);
}

#[test]
fn nothing_new_is_not_run_again_unless_forced() {
    let home = home();
    let first = text(&home.json(&["analyze", "evening"]), "id");
    let waiting = home.ids("pending");
    let again = home.run(&["analyze", "evening"]).ok();
    assert!(again.contains("Nothing is new since the last analysis"), "{again}");
    assert_eq!(text(&home.json(&["analyze", "evening"]), "id"), first, "the last one is shown");
    let forced = home.json(&["analyze", "evening", "--force"]);
    assert_ne!(text(&forced, "id"), first);
    assert_eq!(home.ids("pending"), waiting, "reading again proposes nothing twice");
    let more = jsonl("evening", &[("owner", "Mara", "We also adopted a rescue dog called Bruno last month.")]);
    let path = home.file("more.jsonl", more.replace("\"m1\"", "\"m50\""));
    home.run(&["import", path.to_str().unwrap()]).ok();
    assert_ne!(text(&home.json(&["analyze", "evening"]), "id"), text(&forced, "id"), "a new message is something new");
}

#[test]
fn what_is_too_short_is_refused_unless_forced() {
    let home = Home::new();
    let path = home.file("short.jsonl", jsonl("short", &[("owner", "Mara", "I live in Porto."), ("assistant", "Nova", "Nice.")]));
    home.run(&["import", path.to_str().unwrap()]).ok();
    let line = home.run(&["analyze", "short"]).failure();
    assert!(line.contains("2 messages") && line.contains("--force"), "{line}");
    assert!(home.rows(&["memories"]).is_empty());
    assert!(home.json(&["analyze", "short", "--force"])["id"].is_string());
}

#[test]
fn a_private_conversation_is_refused_even_by_force() {
    let home = home();
    home.run(&["private", "evening", "on"]).ok();
    for args in [&["analyze", "evening"][..], &["analyze", "evening", "--force"]] {
        let line = home.run(args).failure();
        assert!(line.contains("excluded from memory"), "{line}");
    }
    assert_eq!(home.rows(&["memories"]), Vec::<Value>::new());
    home.run(&["analyze", "nowhere"]).failure();
}
