//! `playbooks`: found in session files of Claude Code and the Codex CLI, decided, undone and exported.

use std::path::Path;

use keepsake_domain::{Clock, DAY_MS, Timestamp};
use keepsake_engine::SystemClock;
use keepsake_testkit::ToolSession;
use serde_json::Value;

use crate::harness::{Home, text};

const RELEASE: &str = "Edit CHANGELOG.md; cargo test; git commit -m \"Release\"; git tag v1.2.0; gh release create v1.2.0";

/// A relative time, because the program under test uses the current time.
fn days_ago(days: i64) -> Timestamp {
    SystemClock.now().plus_ms(-days * DAY_MS)
}

/// Imports a session of either program and runs the queue.
fn session(home: &Home, dir: &Path, id: &str, days: i64, script: &str, is_codex: bool) {
    let session = ToolSession { id, began: days_ago(days), folder: "/home/mara/app", script };
    let (name, content) = match is_codex {
        true => (format!("rollout-{id}.jsonl"), session.codex()),
        false => (format!("{id}.jsonl"), session.claude_code()),
    };
    let path = dir.join(name);
    std::fs::write(&path, content).unwrap();
    home.run(&["import", path.to_str().unwrap()]).ok();
}

fn releases() -> (Home, tempfile::TempDir) {
    let (home, dir) = (Home::new(), tempfile::tempdir().unwrap());
    for (at, script) in
        [RELEASE.to_owned(), RELEASE.replace("1.2.0", "1.3.0"), RELEASE.replace("1.2.0", "2.0.0")].iter().enumerate()
    {
        session(&home, dir.path(), &format!("0000000{at}-1111-4111-8111-111111111111"), 1 + at as i64, script, at == 1);
    }
    for (at, script) in
        ["Read a; Grep b; Edit c; cargo test", "Read a; Edit a; git status", "Glob x; Read y; Write z"].iter().enumerate()
    {
        session(&home, dir.path(), &format!("0000001{at}-1111-4111-8111-111111111111"), 2, script, false);
    }
    home.run(&["run-jobs", "--until-idle"]).ok();
    (home, dir)
}

fn only(home: &Home) -> Value {
    let rows = home.rows(&["playbooks"]);
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.into_iter().next().unwrap()
}

#[test]
fn a_release_in_two_programs_is_one_playbook_of_the_promised_shape() {
    let (home, _dir) = releases();
    let row = only(&home);
    assert!(text(&row, "id").starts_with("pbk_"));
    assert_eq!(row["tools"], serde_json::json!(["Edit", "cargo", "git", "gh"]));
    assert_eq!(
        row["steps"],
        serde_json::json!([
            "Edit CHANGELOG.md", "cargo test", "git commit -m Release", "git tag {version}", "gh release create {version}"
        ])
    );
    assert_eq!((&row["confidence"], &row["status"]), (&"medium".into(), &"candidate".into()));
    let occurrences = row["occurrences"].as_array().unwrap();
    assert_eq!(occurrences.len(), 3);
    let kinds: Vec<&str> = occurrences.iter().map(|source| source["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"claude-code") && kinds.contains(&"codex-cli"), "{kinds:?}");
    assert!(occurrences.iter().all(|source| source["conversation"].is_string() && source["message"].is_string()));
    assert!(home.run(&["playbooks"]).ok().contains("git tag {version}"), "in words as well");
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert_eq!(only(&home), row, "a second look changes nothing");
    assert_eq!(home.json(&["playbooks", "--rebuild"])["status"], "queued");
    assert!(home.rows(&["playbooks"]).is_empty());
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert_eq!(only(&home), row, "made again it is the same");
}

#[test]
fn the_rules_hold_at_their_borders() {
    let check = |days: &[i64], script: &str, expect: usize| {
        let (home, dir) = (Home::new(), tempfile::tempdir().unwrap());
        for (at, days) in days.iter().enumerate() {
            session(&home, dir.path(), &format!("0000000{at}-1111-4111-8111-111111111111"), *days, script, false);
        }
        home.run(&["run-jobs", "--until-idle"]).ok();
        assert_eq!(home.rows(&["playbooks"]).len(), expect, "{days:?} {script}");
    };
    let four = "Edit a; Read b; Grep c; WebFetch d";
    check(&[1, 2, 14], four, 1);
    check(&[1, 2, 17], four, 0);
    check(&[1, 2], four, 0);
    check(&[1, 2, 3], "Edit a; Read b; Grep c", 0);
}

#[test]
fn a_decision_holds_is_taken_back_and_only_an_approved_one_is_exported() {
    let (home, dir) = releases();
    let before = only(&home);
    let id = text(&before, "id");
    let skills = dir.path().join("skills");
    let export = ["playbooks", "export", &id, skills.to_str().unwrap()];
    assert!(home.run(&export).failure().contains("not approved"));
    let decided = home.json(&["playbooks", "approve", &id]);
    assert_eq!(decided["status"], "approved");
    assert_eq!(home.rows(&["playbooks", "--status", "approved"]).len(), 1);
    assert!(home.rows(&["playbooks", "--status", "candidate"]).is_empty());
    assert_eq!(home.rows(&["playbooks", "--channel", "cli:/home/mara/app"]).len(), 1, "a program of the owner alone gets it");
    assert!(home.rows(&["playbooks", "--channel", "matrix:!lounge"]).is_empty(), "a room does not");
    let path = text(&home.json(&export), "path");
    assert!(path.ends_with("/SKILL.md"), "{path}");
    let skill = std::fs::read_to_string(&path).unwrap();
    assert!(skill.starts_with("---\nname: "), "{skill}");
    let name = skill.lines().nth(1).unwrap().trim_start_matches("name: ");
    assert_eq!(Path::new(&path).parent().unwrap().file_name().unwrap().to_str(), Some(name), "the folder bears its name");
    assert!(
        skill.contains("4. `git tag {version}`") && skill.contains("`{version}`: in steps 4, 5; 3 different values"),
        "{skill}"
    );
    home.run(&["playbooks", "undo", &text(&decided, "decision")]).ok();
    assert_eq!(only(&home), before);
    for (act, status) in [("park", "parked"), ("reject", "rejected"), ("restore", "candidate")] {
        assert_eq!(home.json(&["playbooks", act, &id])["status"], status);
        home.run(&["run-jobs", "--until-idle"]).ok();
        assert_eq!(only(&home)["status"], status, "a look does not undo it");
    }
    assert!(home.run(&["playbooks", "restore", &id]).failure().contains("already"));
    assert!(home.run(&["playbooks", "approve", "pbk_00"]).failure().contains("no playbook"));
    assert!(home.run(&["playbooks", "undo", "pbd_00"]).failure().contains("decision"));
}

#[test]
fn every_line_of_playbooks_for_an_agent_is_a_quotation() {
    let (home, _dir) = releases();
    home.run(&["playbooks", "approve", &text(&only(&home), "id")]).ok();
    let out = home.run(&["playbooks", "--agent", "nova"]).ok();
    let id = format!("- [{}] ", text(&only(&home), "id"));
    let is_framed = |line: &str| line.starts_with(&id) && line.contains(": “") && line.ends_with('”');
    assert!(out.lines().count() > 5 && out.lines().all(is_framed), "{out}");
    assert!(out.contains("Step 2: “cargo test”"), "{out}");
}

#[test]
fn private_sessions_give_nothing() {
    let (home, dir) = (Home::new(), tempfile::tempdir().unwrap());
    for at in 0..3 {
        let session = ToolSession {
            id: &format!("0000000{at}-1111-4111-8111-111111111111"),
            began: days_ago(1),
            folder: "/x",
            script: RELEASE,
        };
        let path = dir.path().join(format!("{at}.jsonl"));
        std::fs::write(&path, session.claude_code()).unwrap();
        home.run(&["import", "--private", path.to_str().unwrap()]).ok();
    }
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["playbooks"]).is_empty());
}

#[test]
fn an_address_that_hears_of_new_ones_is_chosen_shown_and_taken_out() {
    let home = Home::new();
    assert!(home.json(&["settings", "playbooks"])["webhook"].is_null(), "off unless one is entered");
    let address = "http://127.0.0.1:9/hook";
    assert_eq!(home.json(&["settings", "playbooks", "--webhook", address])["webhook"], address);
    assert!(home.run(&["settings", "playbooks"]).ok().contains(address));
    let refused = home.run(&["settings", "playbooks", "--webhook", "https://hooks.example.org/x"]).failure();
    assert!(refused.contains("not on this computer"), "{refused}");
    assert_eq!(home.json(&["settings", "playbooks"])["webhook"], address, "what is refused changes nothing");
    assert!(home.json(&["settings", "playbooks", "--webhook", ""])["webhook"].is_null());
}
