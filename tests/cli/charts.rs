//! `timeline` and `graph`: the window's chart data, for scripts.

use crate::harness::{Home, evening, fixture, text};

fn total(series: &serde_json::Value) -> u64 {
    series.as_array().unwrap().iter().map(|each| each["total"].as_u64().unwrap()).sum()
}

#[test]
fn a_timeline_has_the_promised_shape_and_sums_to_what_is_stored() {
    let home = Home::new();
    home.read(&evening());
    let timeline = home.json(&["timeline"]);
    assert_eq!(timeline["unit"], "day", "one evening is shown by days");
    let edges: Vec<i64> = timeline["edges"].as_array().unwrap().iter().map(|edge| edge.as_i64().unwrap()).collect();
    assert_eq!(edges.len(), 2);
    assert_eq!(edges[1] - edges[0], 24 * 3_600_000);
    assert_eq!(total(&timeline["messages"]), 7);
    assert_eq!(total(&timeline["memories"]), home.rows(&["memories"]).len() as u64, "each memory once");
    assert_eq!(text(&timeline["messages"][0], "name"), "chat");
    let names: Vec<String> = timeline["memories"].as_array().unwrap().iter().map(|series| text(series, "name")).collect();
    assert_eq!(names, ["approved", "waiting", "rejected"]);
    assert_eq!(home.json(&["timeline", "--by", "year"])["unit"], "year");
    assert_eq!(total(&home.json(&["timeline", "--person", "Ana"])["messages"]), 1);
    let line = home.run(&["timeline"]).ok();
    assert!(line.starts_with("2026-01-05        7 messages"), "{line}");
    assert!(home.run(&["timeline", "--person", "Nobody"]).failure().contains("there is no person"));
    assert_eq!(home.run(&["timeline", "--by", "hour"]).code, 2, "a unit that is none is a usage error");
}

#[test]
fn a_graph_says_why_things_are_connected() {
    let home = Home::new();
    for name in ["home", "garden", "work"] {
        home.run(&["import", fixture(&format!("topics/{name}.jsonl")).to_str().unwrap()]).ok();
    }
    home.run(&["run-jobs", "--until-idle"]).ok();
    let topic = text(&home.rows(&["topics"])[0], "id");
    let graph = home.json(&["graph", "--topic", &topic]);
    assert_eq!(text(&graph, "center"), topic);
    assert_eq!(text(&graph["nodes"][0], "id"), topic, "the one in the middle comes first");
    assert!(graph["nodes"].as_array().unwrap().len() > 2 && graph["nodes"].as_array().unwrap().len() <= 60);
    let told = graph["edges"].as_array().unwrap().iter().find(|edge| edge["kind"] == "told_in").expect("it was said somewhere");
    assert!(text(told, "message_id").starts_with("int_") && text(told, "conversation_id").starts_with("conv_"));
    assert_eq!(home.json(&["graph", "--topic", &topic]), graph, "asked again it is the same");
    let somebody = home.rows(&["people"]).into_iter().find(|row| row["is_owner"] == false).expect("somebody wrote");
    let rows = home.run(&["graph", "--person", &text(&somebody, "id")]).ok();
    assert!(rows.contains("wrote in ("), "{rows}");
    assert_eq!(home.run(&["graph"]).code, 2, "a picture has one thing in the middle");
    assert!(home.run(&["graph", "--topic", "top_00"]).failure().contains("topic"));
}
