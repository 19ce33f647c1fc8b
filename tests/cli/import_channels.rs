//! `keepsake import --visibility` and the channels that a dry run lists.

use serde_json::{Value, json};

use crate::harness::{Home, text};

fn line(conversation: &str, channel: &str, id: &str, title: &str) -> String {
    let line = json!({
        "conversation": conversation, "channel_type": "slack", "channel_id": channel, "title": title, "id": id,
        "time": "2026-03-01T09:00:00Z", "author": "Ana", "role": "person", "text": format!("The marzipan of {id}."),
    });
    format!("{line}\n")
}

fn export() -> String {
    line("c1", "C1", "m1", "general") + &line("c1", "C1", "m2", "general") + &line("c2", "C2", "m3", "board")
}

/// The visibility of each channel, as `type:id visibility`.
fn channels(home: &Home) -> Vec<String> {
    let mut rows: Vec<String> = home
        .rows(&["channels"])
        .iter()
        .map(|row| format!("{}:{} {}", text(row, "channel_type"), text(row, "channel_id"), text(row, "visibility")))
        .collect();
    rows.sort();
    rows
}

#[test]
fn a_dry_run_lists_the_channels_as_they_will_be() {
    let home = Home::new();
    let path = home.file("export.jsonl", export());
    let path = path.to_str().unwrap();
    let listed = || home.json(&["import", path, "--dry-run", "--visibility", "C1=public"])["files"][0]["channels"].clone();
    let expect = |is_known: bool, one: u64, two: u64| {
        json!([
            { "channel_type": "slack", "channel_id": "C1", "title": "general", "conversations": 1, "messages": one, "people": 1,
              "names": ["Ana"], "is_known": is_known, "visibility": "public" },
            { "channel_type": "slack", "channel_id": "C2", "title": "board", "conversations": 1, "messages": two, "people": 1,
              "names": ["Ana"], "is_known": is_known, "visibility": "private" },
        ])
    };
    assert_eq!(listed(), expect(false, 2, 1));
    assert!(home.rows(&["channels"]).is_empty(), "a look changes nothing");
    let out = home.run(&["import", path, "--dry-run", "--visibility", "C1=public"]).ok();
    assert!(out.contains("\n    channel slack:C1 (general): 2 to import, public\n"), "{out}");
    home.run(&["import", path, "--visibility", "slack:C1=public"]).ok();
    assert_eq!(channels(&home), ["slack:C1 public", "slack:C2 private"], "as it was said");
    assert_eq!(listed(), expect(true, 0, 0));
    let out = home.run(&["import", path, "--dry-run"]).ok();
    assert!(out.contains("    channel slack:C2 (board): 0 to import, private, already in Keepsake and not changed\n"), "{out}");
}

#[test]
fn what_cannot_be_done_as_it_is_said_imports_nothing() {
    let home = Home::new();
    let path = home.file("export.jsonl", export());
    let path = path.to_str().unwrap();
    let refused = |named: &str| {
        let error = home.run(&["import", path, "--visibility", "C1=public", "--visibility", named]).failure();
        assert!(home.rows(&["channels"]).len() < 2, "nothing was imported");
        error
    };
    let error = refused("C9=public");
    assert!(error.contains("there is no channel 'C9' in what would be imported; it has slack:C1, slack:C2"), "{error}");
    assert!(refused("slack:C1=private").contains("named twice"));
    home.run(&["import", home.file("one.jsonl", line("c0", "C2", "m0", "board")).to_str().unwrap()]).ok();
    let error = refused("C2=public");
    assert!(
        error.contains("slack:C2 is already in Keepsake and is private")
            && error.contains("keepsake channels set slack:C2 public"),
        "{error}"
    );
    home.run(&["import", path, "--visibility", "C1=public", "--visibility", "C2=private"]).ok();
    assert_eq!(channels(&home), ["slack:C1 public", "slack:C2 private"]);
    assert_eq!(home.run(&["import", path, "--visibility", "C1"]).code, 2, "a usage error");
}

#[test]
fn the_choice_counts_for_all_files_of_one_run_and_again_when_it_is_repeated() {
    let home = Home::new();
    let other = home.file("other.jsonl", line("c5", "C5", "m5", "general"));
    let folder = other.with_file_name("exports");
    std::fs::create_dir(&folder).unwrap();
    home.file("exports/one.jsonl", line("c1", "C1", "m1", "general"));
    home.file("exports/two.jsonl", line("c3", "C1", "m4", "general") + &line("c2", "C2", "m3", "board"));
    let folder = folder.to_str().unwrap();
    let import: [&str; 7] =
        ["import", folder, other.to_str().unwrap(), "--visibility", "slack:C1=public", "--visibility", "C5=public"];
    for _ in 0..2 {
        home.run(&import).ok();
        assert_eq!(channels(&home), ["slack:C1 public", "slack:C2 private", "slack:C5 public"]);
    }
    let agent = ["search", "marzipan", "--agent", "nova", "--channel", "slack:elsewhere"];
    let found: Vec<Value> = home.rows(&agent);
    let found: Vec<String> = found.iter().map(|row| text(row, "text")).collect();
    assert!(found.iter().any(|text| text.contains("m1")) && !found.iter().any(|text| text.contains("m3")), "{found:?}");
}
