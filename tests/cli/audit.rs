//! `audit`: rates with their intervals, findings with proposed actions, and no changes.

use crate::harness::{Home, jsonl, text};

#[test]
fn an_audit_has_the_promised_shape_finds_what_cannot_both_be_so_and_changes_nothing() {
    let home = Home::new();
    home.read(&jsonl("then", &[("owner", "Mara", "I live in Utrecht."), ("owner", "Mara", "I play the cello.")]));
    home.read(&jsonl("now", &[("owner", "Mara", "I live in Rotterdam.")]));
    let ids: Vec<String> = home.rows(&["memories"]).iter().map(|row| text(row, "id")).collect();
    assert_eq!(ids.len(), 3, "three statements");
    home.run(&["approve"].into_iter().chain(ids.iter().map(String::as_str)).collect::<Vec<_>>()).ok();
    let before = home.rows(&["memories"]);
    let report = home.json(&["audit"]);
    assert_eq!((report["memories"].as_u64(), report["sampled"].as_u64()), (Some(3), Some(3)));
    let found: Vec<_> =
        report["findings"].as_array().unwrap().iter().map(|one| (text(one, "fault"), text(one, "proposal"))).collect();
    assert_eq!(found, [("contradiction".to_owned(), "correct".to_owned())]);
    let faults: Vec<String> = report["shares"].as_array().unwrap().iter().map(|share| text(share, "fault")).collect();
    assert_eq!(faults, ["unsupported", "echoed", "contradiction", "duplicate", "stale"]);
    let one = &report["shares"][2];
    assert_eq!(one["count"], 1);
    assert!((one["low"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9, "all were looked at, so nothing is uncertain: {one}");
    assert_eq!(home.json(&["audit", "--sample", "2", "--seed", "1"])["sampled"], 2);
    assert_eq!(home.rows(&["memories"]), before, "it changes nothing");
    let lines = home.run(&["audit"]).ok();
    assert!(lines.starts_with("Checked 3 of 3 memories in use"), "{lines}");
    assert!(lines.contains("Both cannot be true at the same time.") && lines.contains("Proposed: correct"), "{lines}");
    assert_eq!(home.run(&["audit", "--sample", "0"]).code, 2, "no sample is a usage error");
}
