//! `topics` and `topic`: what many conversations are about, decided about and taken back.

use crate::harness::{Home, fixture, text};

fn home() -> Home {
    let home = Home::new();
    for name in ["home", "garden", "work"] {
        home.run(&["import", fixture(&format!("topics/{name}.jsonl")).to_str().unwrap()]).ok();
    }
    home.run(&["run-jobs", "--until-idle"]).ok();
    home
}

#[test]
fn a_topic_has_the_promised_shape() {
    let home = home();
    let rows = home.rows(&["topics"]);
    assert!(rows.len() >= 5, "eight subjects give more than a handful of topics: {rows:?}");
    for row in &rows {
        assert!(text(row, "id").starts_with("top_"));
        assert!(!text(row, "title").is_empty());
        let messages = row["messages"].as_array().unwrap();
        assert_eq!(messages.len() as u64, row["message_count"].as_u64().unwrap(), "every message is named");
        assert!(messages.iter().all(|source| source["kind"] == "keepsake" && source["message"].is_string()), "{messages:?}");
        assert!(row["entities"]["people"].is_array() && row["entities"]["technologies"].is_array());
        assert!(row["first"].as_i64() <= row["last"].as_i64());
    }
    let all: String = rows.iter().map(|row| text(row, "text")).collect();
    assert!(
        all.contains("## Key Takeaways") && all.contains("### Decisions") && all.contains("Debezium with row format binlog"),
        "{all}"
    );
    let before = rows;
    assert_eq!(home.json(&["topics", "--rebuild"])["status"], "queued");
    assert!(home.rows(&["topics"]).is_empty());
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert_eq!(home.rows(&["topics"]), before, "made anew they are the same");
}

#[test]
fn a_decision_holds_and_is_taken_back() {
    let home = home();
    let rows = home.rows(&["topics"]);
    let (first, second) = (text(&rows[0], "id"), text(&rows[1], "id"));
    let decision = text(&home.json(&["topic", &first, "--rename", "My own title"]), "decision");
    assert!(home.rows(&["topics"]).iter().any(|row| row["title"] == "My own title" && row["is_renamed"] == true));
    home.run(&["topics", "--rebuild"]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["topics"]).iter().any(|row| row["title"] == "My own title"), "it outlives a rebuild");
    home.run(&["topic", &decision, "--undo"]).ok();
    assert_eq!(home.rows(&["topics"]), rows);
    let decision = text(&home.json(&["topic", &first, "--merge", &second]), "decision");
    assert_eq!(home.rows(&["topics"]).len(), rows.len() - 1);
    home.run(&["topic", &decision, "--undo"]).ok();
    assert_eq!(home.rows(&["topics"]), rows, "both are there again");
    assert!(home.run(&["topic", &first, "--merge", &first]).failure().contains("one already"));
    assert!(home.run(&["topic", "top_00", "--pin"]).failure().contains("topic"));
}
