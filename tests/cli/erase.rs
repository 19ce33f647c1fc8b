//! `keepsake erase`: an erased conversation or person leaves no byte in any file of the data folder, and does not come back.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Home, text};

/// A word that occurs in all of Ana's data: her words, names and addresses. `STEM` omits the last letter, so that word stems are
/// found as well.
const CANARY: &str = "xylokarpzebra";
const STEM: &str = "xylokarpzebr";

/// Number of occurrences of the planted word in all files under `dir`, ignoring case.
fn canaries(dir: &Path) -> usize {
    std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            if path.is_dir() {
                return canaries(&path);
            }
            let bytes = std::fs::read(&path).unwrap();
            bytes.windows(STEM.len()).filter(|window| window.eq_ignore_ascii_case(STEM.as_bytes())).count()
        })
        .sum()
}

fn world() -> String {
    let ana = ("person", format!("Ana {CANARY}"), format!("@{CANARY}:hs.example"));
    let post = ("person", format!("A. {CANARY}"), format!("{CANARY}@mail.example"));
    let ben = ("person", "Ben".to_owned(), "@ben:hs.example".to_owned());
    let mara = ("owner", "Mara".to_owned(), "@mara:hs.example".to_owned());
    let own_post = ("owner", "Mara".to_owned(), "mara@mail.example".to_owned());
    /// Conversation, channel, author, text.
    type Line<'l> = (&'l str, &'l str, &'l (&'l str, String, String), String);
    let mut rows: Vec<Line<'_>> = Vec::new();
    for n in 0..20 {
        rows.push((
            "group",
            "matrix",
            &ana,
            format!("I'm allergic to {CANARY} number {n}, and I'll send you the {CANARY} list {n}."),
        ));
        rows.push(("group", "matrix", &ben, format!("I play the violin in orchestra {n}.")));
        rows.push(("group", "matrix", &mara, format!("I want to run marathon number {n} in Osaka next year.")));
        rows.push(("direct", "matrix", &ana, format!("I keep the {CANARY} number {n} in the cellar, all of the {CANARY}s.")));
        rows.push(("direct", "matrix", &mara, format!("I live in Porto, house {n}.")));
        rows.push((
            "mail",
            "email",
            &post,
            format!("I'm @{CANARY}:hs.example on Matrix. I work with {CANARY} as a nurse, letter {n}."),
        ));
        rows.push(("mail", "email", &own_post, format!("I prefer short letters, this is number {n}.")));
    }
    let mut lines = String::new();
    for (n, (conversation, channel, (role, author, handle), text)) in rows.iter().enumerate() {
        let row = json!({
            "conversation": conversation, "channel_type": channel, "channel_id": format!("!{conversation}"), "id": format!("m{n}"),
            "time": format!("2026-01-{:02}T{:02}:{:02}:00Z", 5 + n / 60, 10 + n % 60 / 10, n % 10),
            "author": author, "author_handle": handle, "role": role, "text": text,
        });
        lines.push_str(&format!("{row}\n"));
    }
    lines
}

/// A home with all data imported, all memories approved, and Ana's two handles linked.
fn home() -> Home {
    let home = Home::new();
    home.read(&world());
    let pending = home.ids("pending");
    assert!(pending.len() >= 4, "{}", pending.len());
    home.run(&[&["approve"], pending.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat()).ok();
    let link = home.rows(&["links"]).into_iter().find(|row| row["strength"] == "declared").expect("she said who she is");
    home.run(&["link", &text(&link, "id"), "same"]).ok();
    home.run(&["run-jobs", "--until-idle"]).ok();
    assert!(canaries(&home.data()) > 100, "control: the word is there to be found");
    home
}

fn names(home: &Home, command: &str) -> Vec<String> {
    home.rows(&[command]).iter().map(Value::to_string).collect()
}

#[test]
fn of_an_erased_person_no_byte_remains_and_what_others_said_stays() {
    let home = home();
    let person = format!("email:{CANARY}@mail.example");
    let before = home.stored();
    let foreseen = home.json(&["erase", "person", &person, "--dry-run"]);
    assert_eq!(home.stored(), before, "looking erases nothing");
    let outcome = home.json(&["erase", "person", &person]);
    for (field, count) in [("messages", 100), ("conversations", 2)] {
        // Twenty of her messages in the group, and two one-on-one conversations of forty messages.
        assert_eq!((&foreseen[field], &outcome[field]), (&json!(count), &json!(count)), "{field}");
    }
    assert_eq!(foreseen["shortened"], 1, "the group stays");
    assert_eq!(foreseen["memories"], outcome["memories"], "as foreseen");
    assert!(outcome["memories"].as_u64() > Some(0), "{outcome}");
    assert_eq!(outcome["is_pending"], false, "nobody reads: {outcome}");
    assert_eq!(canaries(&home.data()), 0, "words, stems, names and addresses are gone from every file");

    let conversations = home.rows(&["conversations"]);
    assert_eq!(conversations.len(), 1, "the group alone is left: {conversations:?}");
    assert_eq!((&conversations[0]["source"]["conversation"], &conversations[0]["messages"]), (&json!("group"), &json!(40)));
    assert!(!home.rows(&["search", "violin", "--scope", "messages"]).is_empty(), "Ben's words stay");
    assert!(!home.rows(&["search", "marathon"]).is_empty(), "and the owner's");
    assert!(home.rows(&["links"]).is_empty(), "nothing is asked or answered about her");
    assert!(
        !names(&home, "people").iter().any(|row| row.contains("email") && !row.contains("mara@")),
        "nobody is left at her address"
    );
    let report = home.json(&["verify"]);
    assert_eq!((&report["faults"], &report["rows"]), (&json!([]), &json!(140)), "the chain is whole, tombstones included");

    home.read(&world());
    assert_eq!(canaries(&home.data()), 0, "the same export brings nothing of it back");
    assert_eq!(home.rows(&["conversations"]).len(), 1);
}

#[test]
fn of_an_erased_conversation_no_byte_remains_and_others_stay() {
    let home = home();
    let all = canaries(&home.data());
    let foreseen = home.json(&["erase", "conversation", "direct", "--dry-run"]);
    let outcome = home.json(&["erase", "conversation", "direct"]);
    assert_eq!((&outcome["messages"], &outcome["conversations"]), (&json!(40), &json!(1)));
    assert_eq!(foreseen["memories"], outcome["memories"]);
    let left = canaries(&home.data());
    assert!(0 < left && left < all, "control: her words elsewhere are still found ({left} of {all})");
    assert!(home.rows(&["search", "cellar", "--scope", "messages"]).is_empty());
    assert_eq!(text(&home.rows(&["links"])[0], "status"), "same", "the answer about her handles stays: both still speak");
    home.read(&world());
    assert!(home.rows(&["search", "cellar"]).is_empty(), "it does not come back");
    assert_eq!(home.rows(&["conversations"]).len(), 2);
    for conversation in ["group", "mail"] {
        home.run(&["erase", "conversation", conversation]).ok();
    }
    assert_eq!(canaries(&home.data()), 0, "with the last of them the last byte goes");
}

#[test]
fn what_cannot_be_erased_is_said_and_nothing_changes() {
    let home = home();
    let before = home.stored();
    for (args, expect) in [
        (["erase", "person", "matrix:@mara:hs.example"], "your own"),
        (["erase", "person", "matrix:@nobody:hs.example"], "there is no person"),
        (["erase", "conversation", "nowhere"], "there is no conversation"),
    ] {
        let line = home.run(&args).failure();
        assert!(line.contains(expect), "{args:?}: {line}");
    }
    assert_eq!(home.run(&["erase"]).code, 2);
    assert_eq!(home.stored(), before);
}
