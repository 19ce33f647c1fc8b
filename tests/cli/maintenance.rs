//! `maintain` and `digest`: the nightly cycle begun by hand, worked by `run-jobs`, and what it counted.

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
