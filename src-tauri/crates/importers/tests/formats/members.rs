//! Who is in a room according to the lists of members in exports, including people who never spoke, but excluding the owner and
//! programs.

use super::*;

/// An export, its owner's name if the export does not give it, a room, and who is in it.
const LISTED: &[(&str, Option<&str>, &str, &[&str])] = &[
    ("google-chat/export", None, "hiveDM", &["ana@bees.example"]),
    ("google-chat/export", None, "AAAAhive", &["ana@bees.example", "jure@hives.example"]),
    ("google-chat/export", None, "BBBBthree", &["ana@bees.example", "jure@hives.example"]),
    ("teams/messages.json", None, "19:hive@thread.v2", &["8:jure", "8:live:ana.lima"]),
    ("messenger/download", None, "1234567890", &["Jón Þórsson"]),
    ("messenger/encrypted.json", Some("Mara Weiß"), "h-", &["Jón Þórsson"]),
    ("instagram/message_1.json", Some("Mara Weiß"), "17845000000", &["ana.lima 🌻"]),
];

#[test]
fn whom_an_export_lists_is_in_the_room_without_the_owner_and_programs() {
    for (export, me, room, expect) in LISTED {
        let collect = read(&fixture(export), &options(*me)).unwrap();
        let found = collect.members.iter().find(|(id, _)| id.starts_with(room)).map(|(_, members)| members);
        let found: Vec<&str> = found.into_iter().flatten().map(String::as_str).collect();
        assert_eq!(found, *expect, "{export}: {room}");
    }
}

#[test]
fn a_list_of_members_that_is_damaged_lists_nobody_who_is_not_there() {
    for (members, expect) in [
        ("null", Vec::new()),
        ("7", Vec::new()),
        (r#""not a list""#, Vec::new()),
        (r#"{"8:ana":1}"#, Vec::new()),
        (r#"["8:ana", 7, null, "", "28:bot", "8:mara"]"#, vec!["8:ana"]),
        (r#""[\"8:ana\", {}]""#, vec!["8:ana"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("messages.json");
        let text = format!(
            r#"{{"userId": "8:mara", "exportDate": "x", "conversations": [{{"id": "19:a", "threadProperties": {{"members": {members}}},
               "MessageList": [{{"id": "1", "originalarrivaltime": "2026-01-01T10:00:00Z", "messagetype": "Text", "content": "Hi",
               "from": "8:ana"}}]}}]}}"#
        );
        fs::write(&path, text).unwrap();
        let collect = read(&path, &options(None)).unwrap();
        assert_eq!(collect.messages.len(), 1, "{members}");
        let found: Vec<&str> = collect.members.values().flatten().map(String::as_str).collect();
        assert_eq!(found, expect, "{members}");
    }
}
