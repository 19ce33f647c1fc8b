//! Tests who counts as a member of a room according to exports: people who never spoke, and people who joined and left, in any
//! order.

use std::path::PathBuf;

use keepsake_domain::{ChannelHandle, IdSource, ImportId};
use keepsake_engine::{Audience, ImportRequest, SearchAsk, Unwatched};
use keepsake_testkit::SeqIds;
use serde_json::{Value, json};

use crate::fixture::Fixture;

const CANARY: &str = "marzipan";

fn line(room: &str, id: &str, minute: u32, text: &str) -> Value {
    json!({
        "conversation": room, "channel_type": "slack", "channel_id": room, "id": id, "time": format!("2026-03-01T09:{minute:02}:00Z"),
        "author": "Ben", "author_handle": "U1", "role": "person", "text": text,
    })
}

/// A notice that somebody joined or left the second room.
fn notice(id: &str, minute: u32, key: &str, who: &Value) -> Value {
    let mut notice = line("two", id, minute, &format!("{key}: {who}"));
    notice["role"] = json!("system");
    notice["author"] = json!("Slack");
    notice["author_handle"] = json!("slack");
    notice["message_type"] = json!("notice");
    notice[key] = json!([who]);
    notice
}

/// A message from Ben to the owner in the first room, and a message from him in the second.
fn talk() -> Vec<Value> {
    vec![line("one", "1", 0, &format!("The surprise is a {CANARY}.")), line("two", "2", 1, "What is new?")]
}

fn eve() -> Value {
    json!({ "name": "Eve", "handle": "U2" })
}

impl Fixture {
    fn bring_lines(&self, lines: &[Value]) {
        let path = self.dir.path().join("export.jsonl");
        std::fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        self.bring_export(path);
    }

    fn bring_export(&self, path: PathBuf) {
        self.clock.advance_ms(1_000);
        let id = ImportId::from_uuid(SeqIds::new(self.engine.now().0 as u64).next_uuid());
        self.engine.imports().import(&id, &ImportRequest::of(path), &Unwatched).unwrap();
    }

    /// Whether an agent that speaks in a room finds what Ben said elsewhere.
    fn tells(&self, room: &str) -> bool {
        let audience = Audience { agent: Some("nova".to_owned()), channel: Some(format!("slack:{room}")), person: None };
        let ask = SearchAsk { query: CANARY.to_owned(), limit: 9, audience: Some(audience), ..SearchAsk::default() };
        self.engine.serve().search(&ask).unwrap().messages.iter().any(|hit| hit.message.content.contains(CANARY))
    }

    fn members(&self) -> usize {
        self.engine.store().read(|tx| tx.log().channel_members()).unwrap().len()
    }
}

#[test]
fn somebody_who_joined_and_never_spoke_is_there_until_they_leave_whatever_the_order_of_the_exports() {
    let f = Fixture::new();
    f.bring_lines(&talk());
    assert!(f.tells("two"), "control: Ben heard it, and only Ben is there");
    let joined = notice("3", 2, "joined", &eve());
    f.bring_lines(std::slice::from_ref(&joined));
    assert!(!f.tells("two"), "Eve joined");
    assert!(f.tells("one"), "the room where it was said is as it was");
    let left = notice("4", 3, "left", &eve());
    f.bring_lines(&[talk(), vec![joined.clone(), left]].concat());
    assert!(f.tells("two"), "Eve left, as the export that has grown tells");
    f.bring_lines(&[talk(), vec![joined]].concat());
    assert!(f.tells("two"), "an older export does not bring her back");
    f.bring_lines(&[notice("5", 4, "joined", &eve())]);
    assert!(!f.tells("two"), "she came again");
}

#[test]
fn of_whom_only_a_name_is_known_is_somebody_who_spoke_there_or_a_stranger() {
    for (who, is_told) in [("Ben", true), ("Eve", false)] {
        let f = Fixture::new();
        f.bring_lines(&[talk(), vec![notice("3", 2, "joined", &json!({ "name": who }))]].concat());
        assert_eq!(f.tells("two"), is_told, "{who}");
    }
}

#[test]
fn whom_a_slack_export_lists_is_there_without_a_word_except_apps() {
    for (members, is_told) in [(json!(["U1", "U9"]), true), (json!(["U1", "U2"]), false)] {
        let f = Fixture::new();
        let day = |id: &str, text: &str| json!([{ "type": "message", "user": "U1", "text": text, "ts": format!("1772355600.00000{id}") }]);
        let files = [
            (
                "users.json",
                json!([{ "id": "U1", "name": "Ben" }, { "id": "U2", "name": "Eve" }, { "id": "U9", "name": "App", "is_bot": true }]),
            ),
            (
                "channels.json",
                json!([{ "id": "one", "name": "plans", "members": ["U1"] }, { "id": "two", "name": "general", "members": members }]),
            ),
            ("plans/2026-03-01.json", day("1", &format!("The surprise is a {CANARY}."))),
            ("general/2026-03-01.json", day("2", "What is new?")),
        ];
        for (name, content) in files {
            let path = f.dir.path().join("slack").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content.to_string()).unwrap();
        }
        f.bring_export(f.dir.path().join("slack"));
        assert!(f.tells("one"), "it is found where it was said");
        assert_eq!(f.tells("two"), is_told, "{members}");
    }
}

#[test]
fn a_room_that_is_read_live_is_as_the_account_says() {
    let f = Fixture::new();
    f.bring_lines(&talk());
    let ben = ChannelHandle { channel: "slack".to_owned(), handle: "U1".to_owned() };
    f.engine.store().write(|tx| tx.log().set_channel_members("slack", "two", &[ben])).unwrap();
    f.bring_lines(&[notice("3", 2, "joined", &eve())]);
    assert!(f.tells("two"), "the account knows that she is not there");
}

#[test]
fn what_is_erased_leaves_no_member_and_does_not_come_back_with_one() {
    let f = Fixture::new();
    let told = [talk(), vec![notice("3", 2, "joined", &eve())]].concat();
    f.bring_lines(&told);
    assert_eq!(f.members(), 1);
    let id = f.engine.store().read(|tx| tx.log().conversation_by_source("two")).unwrap().unwrap();
    f.engine.erasure().erase_conversation(&id, "asked").unwrap();
    assert_eq!(f.members(), 0);
    f.bring_lines(&told);
    assert_eq!(f.members(), 0, "its messages stay out, and so does she");
}

#[test]
fn an_erased_person_leaves_no_name_among_the_members_and_still_counts_as_there() {
    let f = Fixture::new();
    let mut word = line("three", "9", 5, "Good evening.");
    word["author"] = json!("Eve");
    word["author_handle"] = json!("U2");
    f.bring_lines(
        &[talk(), vec![word, notice("3", 2, "joined", &json!({ "name": "Eve" })), notice("4", 3, "left", &eve())]].concat(),
    );
    let eve = f.engine.store().read(|tx| tx.people().handle_by_address("slack", "U2")).unwrap().unwrap().entity_id;
    f.engine.erasure().erase_person(&eve, "asked").unwrap();
    let left = format!("{:?}", f.engine.store().read(|tx| tx.log().channel_members()).unwrap());
    assert!(!left.contains("Eve") && !left.contains("U2"), "{left}");
    assert_eq!(f.members(), 1);
    assert!(!f.tells("two"), "she still reads that room");
}
