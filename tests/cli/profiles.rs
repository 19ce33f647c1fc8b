//! `profile`: what is known about a person, and the owner's corrections.

use crate::harness::{Home, jsonl, text};

fn home() -> Home {
    let home = Home::new();
    home.read(&jsonl(
        "chat",
        &[("owner", "Mara", "From now on please keep your answers short."), ("assistant", "Nova", "Fine.")],
    ));
    home.run(&["run-jobs", "--until-idle"]).ok();
    home
}

#[test]
fn a_profile_has_the_promised_shape() {
    let home = home();
    let rows = home.rows(&["profile", "Mara"]);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(text(&rows[0], "id").starts_with("ep_"));
    for (field, expect) in [
        ("type", "preferences"),
        ("facet", "topic:now please keep your answers short"),
        ("content", "Wants: “From now on please keep your answers short”"),
        ("confidence", "medium"),
        ("origin", "built_in"),
        ("visibility", "private"),
        ("status", "current"),
    ] {
        assert_eq!(rows[0][field], expect, "{field}");
    }
    assert_eq!(rows[0]["evidence"][0]["source"]["conversation"], "chat");
    assert!(rows[0]["evidence"][0]["end"].as_u64() > rows[0]["evidence"][0]["start"].as_u64());
    let context = home.json(&["context", "--channel", "chat:room"]);
    assert!(context["items"].as_array().unwrap().iter().any(|item| item["kind"] == "profile"), "{context}");
}

#[test]
fn a_debunked_entry_stays_away_and_a_correction_holds() {
    let home = home();
    let id = text(&home.rows(&["profile", "Mara"])[0], "id").to_owned();
    assert_eq!(home.json(&["profile", &id, "--debunk"])["status"], "debunked");
    home.read(&jsonl(
        "chat",
        &[("owner", "Mara", "From now on please keep your answers short."), ("assistant", "Nova", "Fine.")],
    ));
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(home.rows(&["profile", "Mara"]).is_empty(), "the same file and the same rules do not bring it back");
    assert_eq!(home.rows(&["profile", "Mara", "--history"])[0]["status"], "debunked", "but it is not forgotten");
    home.run(&["profile", &id, "--restore"]).ok();
    let corrected = home.json(&["profile", &id, "--correct", "Prefers short answers on weekdays"]);
    home.run(&["run-jobs", "--until-idle"]).ok();
    let rows = home.rows(&["profile", "Mara"]);
    assert_eq!((rows.len(), &rows[0]["id"], &rows[0]["origin"]), (1, &corrected["id"], &"person".into()));
    assert!(home.run(&["profile", "nobody-at-all"]).failure().contains("there is no person"));
}
