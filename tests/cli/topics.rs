//! `topics`: topics derived from many conversations, decisions about them, and undo.

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
        all.contains("## Key Takeaways") && all.contains("### Solutions") && all.contains("the suction filter was full of sand"),
        "{all}"
    );
    let before = rows;
    assert_eq!(home.json(&["topics", "rebuild"])["status"], "queued");
    assert!(home.rows(&["topics"]).is_empty());
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert_eq!(home.rows(&["topics"]), before, "made anew they are the same");
}

#[test]
fn a_decision_holds_and_is_taken_back() {
    let home = home();
    let rows = home.rows(&["topics"]);
    let (first, second) = (text(&rows[0], "id"), text(&rows[1], "id"));
    let decision = text(&home.json(&["topics", "rename", &first, "My own title"]), "decision");
    assert!(home.rows(&["topics"]).iter().any(|row| row["title"] == "My own title" && row["is_renamed"] == true));
    home.run(&["topics", "rebuild"]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["topics"]).iter().any(|row| row["title"] == "My own title"), "it outlives a rebuild");
    home.run(&["topics", "undo", &decision]).ok();
    assert_eq!(home.rows(&["topics"]), rows);
    let decision = text(&home.json(&["topics", "merge", &first, &second]), "decision");
    assert_eq!(home.rows(&["topics"]).len(), rows.len() - 1);
    home.run(&["topics", "undo", &decision]).ok();
    assert_eq!(home.rows(&["topics"]), rows, "both are there again");
    assert!(home.run(&["topics", "merge", &first, &first]).failure().contains("with or kept separate from itself"));
    assert!(home.run(&["topics", "pin", "top_00"]).failure().contains("topic"));
}

#[test]
fn how_topics_are_made_is_shown_chosen_and_set_back() {
    let home = Home::new();
    let state = home.json(&["settings", "topics"]);
    let expect = serde_json::json!({
        "min_messages": 20, "min_time_minutes": 60, "automatic": true, "batch_size": 20, "overlap": 0.25, "target_words": 400,
        "max_words": 1_000,
    });
    for (name, value) in expect.as_object().unwrap() {
        assert_eq!(&state["rules"][name], value, "{name}");
    }
    assert!((state["rules"]["similarity"].as_f64().unwrap() - 0.7).abs() < 1e-6);
    assert_eq!(state["rules"], state["defaults"]);
    let chosen = home.json(&["settings", "topics", "--batch-size", "30", "--overlap", "0.5", "--automatic", "off"]);
    assert_eq!((&chosen["rules"]["batch_size"], &chosen["rules"]["automatic"]), (&30.into(), &false.into()));
    assert_eq!(home.json(&["settings", "topics"]), chosen, "it is kept");
    assert!(home.run(&["settings", "topics", "--similarity", "2"]).failure().contains("0.3 to 0.99"));
    assert_eq!(home.json(&["settings", "topics"]), chosen, "what is refused changes nothing");
    assert_eq!(home.json(&["settings", "topics", "--defaults"]), state);
    assert!(home.run(&["settings", "topics"]).ok().contains("batch_size"), "in words as well");
}
