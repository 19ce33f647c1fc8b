//! `maintain` and `digest`: a maintenance run started manually and carried out by `run-jobs`, and its digest.

use crate::harness::{Home, jsonl};

#[test]
fn a_cycle_is_begun_worked_and_told_of() {
    let home = Home::new();
    assert_eq!(home.rows(&["digest"]), [serde_json::Value::Null], "no night has passed");
    home.read(&jsonl("chat", &[("owner", "Mara", "I'm allergic to peanuts."), ("assistant", "Nova", "I'll remember that.")]));
    home.run(&["run-jobs", "--until-idle"]).ok();
    let begun = home.rows(&["maintain"]);
    assert!(begun[0]["state"] == "running" || begun[0]["state"] == "finished", "{begun:?}");
    home.run(&["run-jobs", "--until-idle"]).ok();
    let digest = home.rows(&["digest"]).remove(0);
    assert_eq!((&digest["new"]["messages"], &digest["waiting"]["review"]), (&2.into(), &1.into()), "{digest}");
    let words = home.run(&["digest"]).ok();
    assert!(words.contains("messages 2") && words.contains("review 1"), "{words}");
    home.run(&["maintain"]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    let second = home.rows(&["digest"]).remove(0);
    assert_eq!(second["new"]["messages"], 0, "what was told once is not new: {second}");
    assert_eq!(home.rows(&["maintain", "--cancel"])[0]["jobs_left"], 0, "there is nothing to stop");
}

#[test]
fn what_is_set_aside_is_listed_and_taken_back() {
    let home = Home::new();
    home.read(&jsonl("chat", &[("owner", "Mara", "I'm allergic to peanuts."), ("assistant", "Nova", "I'll remember that.")]));
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["expired"]).is_empty(), "nothing waited so long");
    let id = home.ids("pending").remove(0);
    // The state after sixty days: an expired memory is snoozed until the end of the year 9999.
    let raw = rusqlite::Connection::open(home.data().join("keepsake.db")).unwrap();
    raw.execute("UPDATE memories SET snoozed_until_ms = 253402300799000", []).unwrap();
    let parked = home.rows(&["expired"]);
    assert_eq!((parked.len(), &parked[0]["kind"], &parked[0]["id"]), (1, &"candidate".into(), &id.as_str().into()));
    assert!(home.run(&["expired"]).ok().contains("candidate"));
    assert!(home.run(&["expired", "--restore", "mem_unknown"]).failure().contains("is not an expired proposal"));
    assert_eq!(home.rows(&["expired", "--restore", &id])[0]["restored"], 1);
    assert!(home.rows(&["expired"]).is_empty());
    raw.execute("UPDATE memories SET snoozed_until_ms = 253402300799000", []).unwrap();
    assert_eq!(home.rows(&["expired", "--all"])[0]["restored"], 1);
    assert_eq!(home.rows(&["expired", "--all"])[0]["restored"], 0, "there is nothing left to take back");
}

#[test]
fn everything_is_made_again_and_what_was_decided_stays() {
    let home = Home::new();
    let lines = [("owner", "Mara", "I'm allergic to peanuts. I live in Porto."), ("assistant", "Nova", "I'll remember that.")];
    home.read(&jsonl("chat", &lines));
    home.run(&["run-jobs", "--until-idle"]).ok();
    let pending = home.ids("pending");
    assert_eq!(pending.len(), 2, "{pending:?}");
    home.run(&["approve", &pending[0]]).ok();
    let ids = |home: &Home| (home.ids("pending"), home.ids("active"));
    let before = ids(&home);
    assert_eq!((before.0.len(), before.1.len()), (1, 1));
    let told = home.json(&["rebuild"]);
    assert!(std::path::Path::new(told["backup"].as_str().unwrap_or_default()).is_file(), "{told}");
    assert!(told["ran"].as_u64() > Some(2), "{told}");
    assert_eq!(ids(&home), before, "the same ones, and the approved one is approved");
    assert!(home.run(&["rebuild"]).ok().contains("Rebuilt"));
}
