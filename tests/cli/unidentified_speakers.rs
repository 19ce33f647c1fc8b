//! `voices` and `voice`: speakers that a transcript does not name (docs/formats.md, section 8).

use serde_json::Value;

use crate::harness::{Home, text};

const STANDUP: &str = "WEBVTT

1
00:00:01.000 --> 00:00:04.000
Speaker 1: I moved to Porto last week.

2
00:00:05.000 --> 00:00:08.000
Bo Okoro: I work as a nurse in Leeds.

3
00:00:09.000 --> 00:00:12.000
Speaker 2: I play the violin in an orchestra.
";

const RETRO: &str = "WEBVTT

1
00:00:01.000 --> 00:00:04.000
Speaker 1: I'm allergic to hazelnuts.
";

fn home() -> Home {
    let home = Home::new();
    for (name, content) in [("standup.vtt", STANDUP), ("retro.vtt", RETRO)] {
        let file = home.file(name, content);
        home.run(&["import", file.to_str().unwrap()]).ok();
    }
    work(&home);
    home
}

fn work(home: &Home) {
    home.run(&["run-jobs", "--until-idle"]).ok();
}

fn voices(home: &Home) -> Vec<Value> {
    home.rows(&["speakers"])
}

/// The handle of the unidentified speaker with this label, in the meeting with this title.
fn voice(home: &Home, label: &str, title: &str) -> String {
    let rows = voices(home);
    let found = rows.iter().find(|row| row["label"] == label && row["conversation"]["title"] == title);
    text(found.unwrap_or_else(|| panic!("{label} of {title} among {rows:?}")), "handle")
}

/// The subjects of the pending memories.
fn subjects(home: &Home) -> Vec<String> {
    let mut subjects: Vec<_> = home.rows(&["memories", "--status", "pending"]).iter().map(|row| text(row, "subject")).collect();
    subjects.sort();
    subjects
}

fn names(home: &Home) -> Vec<String> {
    let mut names: Vec<_> = home.rows(&["people"]).iter().map(|row| text(row, "name")).collect();
    names.sort();
    names
}

#[test]
fn speakers_without_a_name_are_listed_and_are_nobody() {
    let home = home();
    let mut open: Vec<_> = voices(&home)
        .iter()
        .map(|row| {
            assert!(row["name"].is_null() && row["status"] == "open", "{row}");
            format!("{} of {}", text(row, "label"), text(&row["conversation"], "title"))
        })
        .collect();
    open.sort();
    assert_eq!(open, ["Speaker 1 of retro", "Speaker 1 of standup", "Speaker 2 of standup"]);
    assert_eq!((subjects(&home), names(&home)), (vec!["Bo Okoro".to_owned()], vec!["Bo Okoro".to_owned()]));
    assert_eq!(home.rows(&["links"]), Vec::<Value>::new());
}

#[test]
fn a_name_counts_for_its_meeting_and_is_taken_back_whole() {
    let home = home();
    let before = (subjects(&home), names(&home), voices(&home));
    let rui = voice(&home, "Speaker 1", "standup");
    home.run(&["speakers", "identify", &rui, "--name", "Rui Costa"]).ok();
    work(&home);
    assert_eq!(subjects(&home), ["Bo Okoro", "Rui Costa"]);
    assert_eq!(names(&home), ["Bo Okoro", "Rui Costa"]);
    home.run(&["speakers", "identify", &rui, "--reset"]).ok();
    work(&home);
    assert_eq!((subjects(&home), names(&home), voices(&home)), before);
}

#[test]
fn a_speaker_may_be_you_or_somebody_known_or_left_alone() {
    let home = home();
    home.run(&["speakers", "identify", &voice(&home, "Speaker 1", "standup"), "--me"]).ok();
    home.run(&["speakers", "identify", &voice(&home, "Speaker 1", "retro"), "--person", "meeting:Bo Okoro"]).ok();
    home.run(&["speakers", "identify", &voice(&home, "Speaker 2", "standup"), "--leave"]).ok();
    work(&home);
    assert_eq!(subjects(&home), ["Bo Okoro", "Bo Okoro", "owner"]);
    let bo = home.rows(&["people"]).into_iter().find(|row| row["name"] == "Bo Okoro").unwrap();
    assert_eq!(bo["handles"].as_array().unwrap().len(), 2, "{bo}");
    let status: Vec<_> = voices(&home).iter().map(|row| text(row, "status")).collect();
    assert_eq!(status.iter().filter(|status| *status == "named").count(), 2, "{status:?}");
    assert!(status.contains(&"left".to_owned()), "{status:?}");
}

#[test]
fn what_cannot_be_done_is_said_in_one_clear_line() {
    let home = home();
    let check = |args: &[&str], part: &str| {
        let failure = home.run(args).failure();
        assert!(failure.contains(part) && failure.trim().lines().count() == 1, "{args:?}: {failure}");
    };
    let rui = voice(&home, "Speaker 1", "standup");
    check(&["speakers", "identify", "meeting:Bo Okoro", "--name", "Bob"], "not an unidentified speaker");
    check(&["speakers", "identify", "meeting:nobody", "--me"], "there is no handle");
    check(&["speakers", "identify", &rui, "--person", &voice(&home, "Speaker 2", "standup")], "not identified yet");
    check(&["speakers", "identify", &rui, "--name", " "], "name is empty");
    assert_eq!(subjects(&home), ["Bo Okoro"], "nothing was changed");
}

#[test]
fn an_export_brings_back_voices_and_no_people() {
    let home = home();
    home.run(&["speakers", "identify", &voice(&home, "Speaker 1", "standup"), "--name", "Rui Costa"]).ok();
    let folder = home.data().join("../out");
    home.run(&["export", folder.to_str().unwrap()]).ok();
    let said = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let messages = said.into_iter().find(|path| path.file_name().unwrap() == "messages.jsonl").expect("messages.jsonl");
    let jsonl = std::fs::read_to_string(messages).unwrap();
    assert!(jsonl.contains("\"Speaker 1\"") && !jsonl.contains("Rui Costa"), "the transcript's own words");
    let other = Home::new();
    other.read(&jsonl);
    assert_eq!(names(&other), ["Bo Okoro"]);
    assert_eq!(voices(&other).len(), 3);
}

#[test]
fn a_meeting_in_keepsake_jsonl_has_voices_as_well() {
    let home = Home::new();
    let line = |conversation: &str, channel: &str, author: &str, handle: Option<&str>| {
        let mut row = serde_json::json!({
            "conversation": conversation, "channel_type": channel, "channel_id": conversation, "id": format!("{conversation}-{author}"),
            "time": "2026-01-05T10:00:00Z", "author": author, "role": "person", "text": "I moved to Porto last week.",
        });
        if let Some(handle) = handle {
            row["author_handle"] = handle.into();
        }
        format!("{row}\n")
    };
    let said = [
        line("standup", "meeting", "Speaker 1", None),
        line("retro", "meeting", "Speaker 1", None),
        line("standup", "meeting", "Speaker 2", Some("rui@example.org")),
        line("standup", "meeting", "Ana", None),
        line("room", "matrix", "Speaker 1", None),
    ];
    home.read(&said.concat());
    let mut handles: Vec<_> = voices(&home).iter().map(|row| text(row, "handle")).collect();
    handles.dedup();
    assert_eq!(handles.len(), 2, "one for each meeting, and none where there is an address or no meeting: {handles:?}");
    assert_eq!(names(&home), ["Ana", "Speaker 1", "Speaker 2"]);
}
