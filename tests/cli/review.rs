//! `memories`, `approve`, `reject`, `undo`, and the jobs that propose memories.

use serde_json::Value;

use crate::harness::{Home, evening, jsonl, text};

fn home() -> Home {
    let home = Home::new();
    home.read(&evening());
    home
}

fn status_of(home: &Home, id: &str) -> String {
    let all = home.rows(&["memories"]);
    text(all.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{id} is listed")), "status")
}

#[test]
fn the_queue_runs_until_it_is_idle() {
    let home = Home::new();
    let path = home.file("evening.jsonl", evening());
    home.run(&["import", path.to_str().unwrap()]).ok();
    let queued = home.json(&["status"])["counts"]["jobs"].as_u64().unwrap();
    assert!(queued >= 1, "an import queues its conversation");
    let ran = home.json(&["run-jobs", "--until-idle"]);
    assert!(ran["ran"].as_u64().unwrap() >= queued, "what was queued was run: {ran}");
    assert_eq!((&ran["waiting"], &ran["alerts"]), (&Value::from(0), &Value::from(0)));
    assert_eq!(home.json(&["run-jobs", "--until-idle"])["ran"], 0, "what was read is not read again");
}

#[test]
fn memories_have_the_promised_shape_and_quote_their_source() {
    let home = home();
    let listed = home.rows(&["memories"]);
    assert!(listed.len() >= 5, "{listed:#?}");
    let said: Vec<Value> = crate::harness::rows(&evening());
    for row in &listed {
        assert!(text(row, "id").starts_with("mem_"));
        assert_eq!(row["status"], "pending", "everything waits for a person");
        for field in ["kind", "category", "subject", "content", "reasoning"] {
            assert!(!text(row, field).is_empty(), "{field} in {row}");
        }
        assert!((0.0..=1.0).contains(&row["confidence"].as_f64().unwrap()));
        assert!(row["proposers"].as_array().is_some_and(|names| !names.is_empty()), "who proposed it: {row}");
        assert!(row["supersedes"].is_null(), "{row}");
        for place in row["evidence"].as_array().unwrap() {
            let source = &place["source"];
            assert_eq!((&source["kind"], &source["conversation"]), (&"keepsake".into(), &"evening".into()));
            let message = said.iter().find(|message| message["id"] == source["message"]).expect("a message of the export");
            let (start, end) = (place["start"].as_u64().unwrap() as usize, place["end"].as_u64().unwrap() as usize);
            let quote: String = text(message, "text").chars().skip(start).take(end - start).collect();
            assert_eq!(place["quote"], quote.as_str(), "offsets are code points");
        }
    }
    let nova_said = ["pilot", "sailing"];
    assert!(!listed.iter().any(|row| nova_said.iter().any(|word| text(row, "content").contains(word))), "{listed:#?}");
}

#[test]
fn each_memory_in_words_stands_over_the_quotation_that_proves_it() {
    let out = home().run(&["memories"]).ok();
    let lines: Vec<&str> = out.lines().collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("mem_")) {
        let below = lines.get(at + 1).unwrap_or(&"");
        assert!(below.starts_with("    Mara: “") || below.starts_with("    Ana: “"), "{line}\n{below}");
        let quote = below.split_once('“').unwrap().1.trim_end_matches(['”', '.', ',']);
        assert!(line.contains(quote), "the words it rests on: {line}\n{below}");
    }
    assert!(lines.iter().filter(|line| line.starts_with("mem_")).count() >= 5, "control: {out}");
}

#[test]
fn lists_can_be_narrowed() {
    let home = home();
    let all = home.rows(&["memories"]).len();
    assert_eq!(home.rows(&["memories", "--limit", "2"]).len(), 2);
    assert_eq!(home.rows(&["memories", "--status", "pending"]).len(), all);
    assert!(home.rows(&["memories", "--status", "active"]).is_empty());
    let personal = home.rows(&["memories", "--category", "personal_info"]);
    assert!(!personal.is_empty() && personal.iter().all(|row| row["category"] == "personal_info"));
    let both = home.rows(&["memories", "--category", "personal_info", "--category", "goal"]);
    assert!(both.len() > personal.len(), "a flag given twice means either");
    assert_eq!(
        home.run(&["memories"]).ok().lines().filter(|line| line.starts_with("mem_")).count(),
        all,
        "one line each in words too"
    );
}

#[test]
fn approving_rejecting_and_undoing_move_what_they_name() {
    let home = home();
    let ids = home.ids("pending");
    let (kept, refused) = ([ids[0].as_str(), &ids[1]], ids[2].as_str());
    let outcome = home.json(&["approve", kept[0], kept[1]]);
    assert_eq!(outcome["applied"].as_array().map(Vec::len), Some(2), "{outcome}");
    assert!(outcome["operation_id"].is_string() && outcome["needs_look"] == Value::Array(Vec::new()));
    home.run(&["reject", refused, "--reason", "wrong"]).ok();
    let statuses = |home: &Home| [kept[0], kept[1], refused].map(|id| status_of(home, id));
    assert_eq!(statuses(&home), ["active", "active", "rejected"]);
    assert_eq!(home.ids("active").len(), 2);
    home.run(&["undo"]).ok();
    assert_eq!(statuses(&home), ["active", "active", "pending"], "the last act first");
    home.run(&["undo"]).ok();
    assert_eq!(statuses(&home), ["pending", "pending", "pending"], "one act over two is one undo");
    let before = home.stored();
    assert!(home.run(&["undo"]).ok().contains("nothing left to undo"));
    assert_eq!(home.stored(), before);
}

#[test]
fn approving_says_what_it_contradicts() {
    let home = Home::new();
    let said = |id: &str, day: u32, text: &str| {
        format!(
            "{{\"conversation\":\"{id}\",\"channel_type\":\"matrix\",\"channel_id\":\"{id}\",\"visibility\":\"private\",\"id\":\"{id}-1\",\"time\":\"2026-05-0{day}T09:00:00Z\",\"author\":\"Mara\",\"role\":\"owner\",\"text\":\"{text}\"}}\n"
        )
    };
    home.read(&said("one", 1, "I live in Porto."));
    let first = home.ids("pending")[0].clone();
    home.run(&["approve", &first]).ok();
    home.read(&said("two", 2, "I live in Utrecht."));
    let second = home.ids("pending")[0].clone();
    let words = home.run(&["approve", &second]).ok();
    assert!(words.contains(&format!("{second} contradicts {first}")) && words.contains("Porto"), "{words}");
    home.run(&["undo"]).ok();
    let words = home.run(&["reject", &second]).ok();
    assert!(words.contains(&format!("{second} contradicts {first}")) && words.contains("Porto"), "{words}");
    home.run(&["undo"]).ok();
    let outcome = home.json(&["reject", &second]);
    assert_eq!(outcome["contradicts"][0]["other_id"], first.as_str(), "{outcome}");
}

#[test]
fn approving_twice_says_so_and_loses_nothing() {
    let home = home();
    let id = home.ids("pending")[0].clone();
    home.run(&["approve", &id]).ok();
    let before = home.stored();
    let line = home.run(&["approve", &id]).failure();
    assert!(line.contains(&id) && line.contains("already approved"), "{line}");
    assert_eq!(home.stored(), before);
    let other = home.ids("pending")[0].clone();
    let line = home.run(&["approve", &id, &other]).failure();
    assert!(line.contains(&id) && !line.contains(&other), "only what could not be done is named: {line}");
    assert_eq!((status_of(&home, &id), status_of(&home, &other)), ("active".to_owned(), "active".to_owned()), "the rest is done");
    home.run(&["undo"]).ok();
    assert_eq!((status_of(&home, &id), status_of(&home, &other)), ("active".to_owned(), "pending".to_owned()));
}

#[test]
fn what_was_rejected_is_not_offered_again() {
    let home = home();
    let ids = home.ids("pending");
    home.run(&[&["reject"], ids.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat()).ok();
    let again = evening().replace("\"evening\"", "\"the next evening\"");
    home.read(&again);
    assert_eq!(home.ids("pending"), Vec::<String>::new(), "the same words in another conversation were refused before");
    home.run(&["approve", &ids[0]]).failure();
}

#[test]
fn a_repeat_adds_evidence_and_no_second_memory() {
    let home = home();
    let before = home.rows(&["memories"]).len();
    home.read(&jsonl("breakfast", &[("owner", "Mara", "I'm allergic to peanuts!")]));
    let after = home.rows(&["memories"]);
    assert_eq!(after.len(), before, "{after:#?}");
    let peanuts = after.iter().find(|row| text(row, "content").contains("peanuts")).unwrap();
    assert_eq!(peanuts["evidence"].as_array().map(Vec::len), Some(2), "{peanuts}");
}
