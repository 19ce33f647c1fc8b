//! `reflect`: proposals with before and after, applied in one run with a backup, undone as a whole, and dismissed permanently.

use crate::harness::{Home, jsonl, text};

fn approved(home: &Home) {
    let ids: Vec<String> = home.rows(&["memories", "--status", "pending"]).iter().map(|row| text(row, "id")).collect();
    assert!(!ids.is_empty(), "there is something to approve");
    home.run(&["approve"].into_iter().chain(ids.iter().map(String::as_str)).collect::<Vec<_>>()).ok();
}

/// A home with two memories: a plan for a past year, and another one.
fn untidy() -> Home {
    let home = Home::new();
    home.read(&jsonl(
        "one",
        &[("owner", "Mara", "I live in Utrecht."), ("owner", "Mara", "My goal is to run the Porto marathon in 2024.")],
    ));
    approved(&home);
    home
}

fn statuses(home: &Home) -> Vec<(String, String)> {
    home.rows(&["reflect"]).iter().map(|one| (text(&one["row"], "kind"), text(&one["row"], "status"))).collect()
}

#[test]
fn proposals_have_the_promised_shape_and_a_second_look_changes_nothing() {
    let home = untidy();
    let before = home.rows(&["memories"]);
    let rows = home.rows(&["reflect"]);
    assert!(!rows.is_empty(), "the year of the plan is over");
    for one in &rows {
        let row = &one["row"];
        assert!(text(row, "id").starts_with("rfl_"));
        assert_eq!(text(row, "status"), "open");
        assert!(text(row, "reason").ends_with('.'), "{row}");
        assert_eq!(text(row, "visibility"), "private");
        assert!(!one["before"].as_array().unwrap().is_empty() && !one["after"].as_array().unwrap().is_empty());
        let source = &one["sources"][0];
        assert!(text(source, "message_id").starts_with("int_") && !text(source, "quote").is_empty(), "{source}");
    }
    assert_eq!(home.rows(&["memories"]), before, "it changes nothing");
    assert_eq!(home.rows(&["reflect"]), rows, "looked again it finds the same");
    let id = text(&rows[0]["row"], "id");
    assert_eq!(home.json(&["reflect", "show", &id]), rows[0]);
    let shown = home.run(&["reflect", "show", &id]).ok();
    assert!(shown.contains("Before") && shown.contains("After") && shown.contains("Sources"), "{shown}");
    assert!(home.run(&["reflect"]).ok().contains(&id));
    assert_eq!(home.rows(&["reflect", "--kind", "merge"]).len(), 0);
}

#[test]
fn a_run_is_applied_after_a_backup_and_taken_back_whole() {
    let home = untidy();
    let count = home.rows(&["reflect"]).len();
    let before = home.rows(&["memories"]);
    let run = home.json(&["reflect", "approve", "--all"]);
    assert_eq!(run["applied"].as_u64(), Some(count as u64), "{run}");
    assert!(text(&run, "operation_id").starts_with("op_"));
    assert!(home.run(&["backups"]).ok().contains("before-reflection"), "a backup was made first");
    assert!(statuses(&home).iter().all(|(_, status)| status == "applied"), "{:?}", statuses(&home));
    assert!(home.json(&["reflect", "approve", "--all"])["operation_id"].is_null(), "nothing is left");
    assert!(home.run(&["reflect", "undo"]).ok().starts_with("Undid: Cleanup"));
    assert_eq!(home.rows(&["memories"]), before);
    assert!(statuses(&home).iter().all(|(_, status)| status == "open"), "{:?}", statuses(&home));
    assert!(home.run(&["reflect", "undo"]).ok().contains("There is no run"));
    // The general undo also reverts the run.
    home.run(&["reflect", "approve", "--all"]).ok();
    assert!(home.run(&["undo"]).ok().contains("Cleanup"));
    assert!(statuses(&home).iter().all(|(_, status)| status == "open"));
}

#[test]
fn what_was_refused_stays_refused_and_can_be_restored() {
    let home = untidy();
    let id = text(&home.rows(&["reflect"])[0]["row"], "id");
    assert!(home.run(&["reflect", "reject", &id]).ok().contains("is now refused"));
    assert!(home.rows(&["reflect", "--status", "open"]).iter().all(|one| text(&one["row"], "id") != id));
    assert!(home.run(&["reflect", "approve", &id]).ok().contains("It was dismissed"), "not applied by the way");
    home.run(&["reflect", "restore", &id]).ok();
    assert!(home.rows(&["reflect", "--status", "open"]).iter().any(|one| text(&one["row"], "id") == id));
    home.run(&["reflect", "park", &id]).ok();
    assert_eq!(home.rows(&["reflect", "--status", "parked"]).len(), 1);
}

#[test]
fn what_may_be_done_without_asking_is_chosen_and_never_changes_words() {
    let home = untidy();
    assert!(home.run(&["settings", "reflection"]).ok().contains("No cleanups are applied without asking"));
    let refused = home.run(&["settings", "reflection", "--automatic", "convert"]);
    assert_ne!(refused.code, 0, "nothing changes words");
    let chosen = home.json(&["settings", "reflection", "--automatic", "merge,archive"]);
    assert_eq!(chosen["automatic"], serde_json::json!(["archive", "merge"]));
    home.run(&["maintain"]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    let all = statuses(&home);
    assert!(all.iter().any(|(kind, status)| kind == "archive" && status == "applied"), "{all:?}");
    assert_eq!(home.json(&["settings", "reflection", "--automatic", "none"])["automatic"], serde_json::json!([]));
}
