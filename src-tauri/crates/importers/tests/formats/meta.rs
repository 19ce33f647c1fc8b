//! Messenger and Instagram: both downloads, with sentences that the programs write in people's names, and text whose encoding
//! is broken.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind};
use keepsake_importers::{ImportError, SkipReason, sniff};

use super::{Cell, Feature, Format, Outcome, cell, check, fixture, options, read};

use Feature::{
    Attachment, Author, Bot, Call, Deletion, Disappearing, Edit, Forward, Members, Poll, Reaction, Reply, Thread, Time,
};

/// What neither download has: replies and threads are not recorded, bots are not marked, edits are not shown, and disappearing
/// messages are gone.
fn absent() -> Vec<Cell> {
    [Reply, Thread, Edit, Bot, Disappearing].map(|feature| cell(feature, Outcome::Absent, |_| true)).into()
}

/// Facebook's download.
pub(crate) fn messenger() -> Format {
    let mut cells = absent();
    cells.extend([
        cell(Author, Outcome::Read, |read| {
            let words = read.saying("I live in Graz").unwrap();
            words.author.role == Role::Owner && words.author.name == "Mara Weiß"
        }),
        cell(Time, Outcome::Read, |read| read.saying("I live in Graz").unwrap().time.0 == 1_767_601_260_000),
        cell(Deletion, Outcome::LeftOut, |read| read.skipped(SkipReason::Deleted)),
        cell(Forward, Outcome::Read, |read| read.saying("about rivers").unwrap().message_type == MessageType::Forward),
        cell(Reaction, Outcome::Kept, |read| {
            read.saying("I live in Graz").unwrap().metadata["reactions"][0]["by"][0] == "Jón Þórsson"
        }),
        cell(Attachment, Outcome::Kept, |read| read.saying("plan.pdf").unwrap().message_type == MessageType::File),
        cell(Members, Outcome::Kept, |read| read.saying("removed").unwrap().metadata["left"][0]["name"] == "Jón Þórsson"),
        cell(Call, Outcome::Kept, |read| read.saying("12 minutes").unwrap().message_type == MessageType::Notice),
        cell(Poll, Outcome::Kept, |read| read.saying("Bread or cake?").unwrap().message_type == MessageType::Notice),
    ]);
    Format {
        name: "Facebook Messenger",
        kind: SourceKind::Messenger,
        export: "messenger/download",
        grown: "messenger/download_grown",
        me: None,
        cells,
    }
}

/// Messenger's download of encrypted chats.
pub(crate) fn encrypted() -> Format {
    let mut cells = absent();
    cells.extend([Forward, Members, Poll].map(|feature| cell(feature, Outcome::Absent, |_| true)));
    cells.extend([
        cell(Author, Outcome::Read, |read| read.saying("I keep bees").unwrap().author.role == Role::Owner),
        cell(Time, Outcome::Read, |read| read.saying("I keep bees").unwrap().time.0 == 1_767_600_060_000),
        cell(Deletion, Outcome::LeftOut, |read| read.skipped(SkipReason::Deleted)),
        cell(Reaction, Outcome::Kept, |read| read.saying("I keep bees").unwrap().metadata["reactions"][0]["emoji"] == "🐝"),
        cell(Attachment, Outcome::Kept, |read| read.saying("boat.jpeg").unwrap().message_type == MessageType::File),
        cell(Call, Outcome::Kept, |read| read.saying("started a call").unwrap().message_type == MessageType::Notice),
    ]);
    Format {
        name: "Facebook Messenger, encrypted chats",
        kind: SourceKind::Messenger,
        export: "messenger/encrypted.json",
        grown: "messenger/encrypted_grown.json",
        me: Some("Mara Weiß"),
        cells,
    }
}

/// Instagram's download.
pub(crate) fn instagram() -> Format {
    let mut cells = absent();
    cells.extend([Members, Poll].map(|feature| cell(feature, Outcome::Absent, |_| true)));
    cells.extend([
        cell(Author, Outcome::Read, |read| read.saying("I paint boats").unwrap().author.role == Role::Owner),
        cell(Time, Outcome::Read, |read| read.saying("I paint boats").unwrap().time.0 == 1_767_600_060_000),
        cell(Deletion, Outcome::LeftOut, |read| read.skipped(SkipReason::Deleted)),
        cell(Forward, Outcome::Read, |read| {
            let words = read.saying("Zürich at night").unwrap();
            words.message_type == MessageType::Forward && words.metadata["forwarded_from"] == "zurich.pics"
        }),
        cell(Reaction, Outcome::Kept, |read| read.saying("v.mp4").unwrap().metadata["reactions"][0]["emoji"] == "❤"),
        cell(Attachment, Outcome::Kept, |read| read.saying("1.jpg").unwrap().message_type == MessageType::File),
        cell(Call, Outcome::Kept, |read| read.saying("1 minute").unwrap().message_type == MessageType::Notice),
    ]);
    Format {
        name: "Instagram",
        kind: SourceKind::Instagram,
        export: "instagram/download",
        grown: "instagram/download_grown",
        me: None,
        cells,
    }
}

#[test]
fn a_download_of_facebook() {
    check(
        &fixture("messenger/download"),
        None,
        expect![[r##"
            # 1234567890 “Jón Þórsson” messenger 1234567890 private
            h-71d1dad716071ac2 2026-01-05T08:01:00Z Jón Þórsson <Jón Þórsson> person: From long ago.
            h-e4b173c9b92a610f 2026-01-05T08:02:00Z Mara Weiß <Mara Weiß> owner: Indeed.
            h-2c82e7d69bbfa24b 2026-01-05T08:20:00 inferred Mara Weiß <Mara Weiß> owner: no time
            h-2c39c4caea316f43 2026-01-05T08:20:00Z Jón Þórsson <Jón Þórsson> person: Hæ! 👋 “quoted” – ok
            h-95a07b11023973e4 2026-01-05T08:21:00Z Mara Weiß <Mara Weiß> owner {"reactions":[{"emoji":"❤","count":2,"by":["Jón Þórsson","Ana Lima"]}]}: I live in Graz now.
            h-51807aaa4424cc7d 2026-01-05T08:22:00Z Jón Þórsson <Jón Þórsson> person file {"attachments":[{"name":"111.jpg","type":"photo"}]}: 111.jpg
            h-5855c214a7b5575a 2026-01-05T08:23:00Z Jón Þórsson <Jón Þórsson> person {"attachments":[{"name":"112.mp4","type":"video"}]}: my boat
            h-8474420d6ae35015 2026-01-05T08:24:00Z Mara Weiß <Mara Weiß> owner file {"attachments":[{"name":"a.mp4","type":"audio"},{"name":"plan.pdf","type":"file"}]}: a.mp4, plan.pdf
            h-bd99a6be9f0e3ceb 2026-01-05T08:26:00Z Mara Weiß <Mara Weiß> owner {"quoted":["What the page says of bees."],"links":[{"url":"https://example.org/p"}]}: Read this https://example.org/p
            h-ea4be148cdc1d4e9 2026-01-05T08:27:00Z Jón Þórsson <Jón Þórsson> person forward {"forwarded_from":"https://example.org/q"}: A post about rivers.
            h-e57dab3aa8ca3e6b 2026-01-05T08:30:00Z Messenger <messenger> system notice {"actor":{"name":"Mara Weiß","handle":"Mara Weiß"}}: Call, 12 minutes 14 seconds
            h-4c9407fbd56e066d 2026-01-05T08:31:00Z Messenger <messenger> system notice {"actor":{"name":"Jón Þórsson","handle":"Jón Þórsson"}}: Call, missed
            h-6b3231adfbeed137 2026-01-05T08:32:00Z Messenger <messenger> system notice {"actor":{"name":"Jón Þórsson","handle":"Jón Þórsson"}}: Jón changed the theme to Ocean.
            h-0a1719606f2afea0 2026-01-05T08:33:00Z Facebook user <Facebook user@1234567890> person: written by an account that is gone
            h-99de70d945e5f982 2026-01-05T08:35:00Z Jón Þórsson <Jón Þórsson> person: ok
            h-99de70d945e5f982-2 2026-01-05T08:35:00Z Jón Þórsson <Jón Þórsson> person: ok
            h-073795615688ea0e 2026-01-05T08:36:00Z Jón Þórsson <Jón Þórsson> person file {"attachments":[{"name":"g.gif","type":"gif"}]}: g.gif
            h-3a7471bb760459fa 2026-01-05T08:38:00Z Jón Þórsson <Jón Þórsson> person file {"attachments":[{"name":"113.jpg","type":"photo"}]}: 113.jpg
            h-b56469c7a4392c94 2026-01-05T08:39:00Z Jón Þórsson <Jón Þórsson> person: line one\nline two & <b>
            # 9876543210 “Bäckerei” messenger 9876543210 private
            h-5907c3d5f8f53617 2026-01-05T08:40:00Z Messenger <messenger> system notice {"actor":{"name":"Ana Lima","handle":"Ana Lima"}}: Ana created the group.
            h-60b954bdc94d709c 2026-01-05T08:41:00Z Messenger <messenger> system notice {"actor":{"name":"Ana Lima","handle":"Ana Lima"},"joined":[{"name":"Jón Þórsson","handle":"Jón Þórsson"},{"name":"Mara Weiß","handle":"Mara Weiß"}]}: Ana Lima added Jón Þórsson and Mara Weiß
            h-f3a26b9594c04289 2026-01-05T08:42:00Z Messenger <messenger> system notice {"actor":{"name":"Jón Þórsson","handle":"Jón Þórsson"},"joined":[{"name":"Jón Þórsson","handle":"Jón Þórsson"}]}: Jón Þórsson joined
            h-43f0d65ac950cbd6 2026-01-05T08:43:00Z Jón Þórsson <Jón Þórsson> person: Who brings bread?
            h-aadd063777a4b3b1 2026-01-05T08:44:00Z Mara Weiß <Mara Weiß> owner: I do.
            h-cac9614c48906ea9 2026-01-05T08:45:00Z Messenger <messenger> system notice {"actor":{"name":"Ana Lima","handle":"Ana Lima"},"left":[{"name":"Jón Þórsson","handle":"Jón Þórsson"}]}: Ana Lima removed Jón Þórsson
            h-4ed0d883c1d1b7bc 2026-01-05T08:46:00Z Messenger <messenger> system notice {"actor":{"name":"Ana Lima","handle":"Ana Lima"},"left":[{"name":"Ana Lima","handle":"Ana Lima"}]}: Ana Lima left
            h-41d0161405856008 2026-01-05T08:47:00Z Messenger <messenger> system notice {"actor":{"name":"Ana Lima","handle":"Ana Lima"}}: Ana created a poll: Bread or cake?
            h-3fe2c59a6b79edb1 2026-01-05T08:48:00Z Messenger <messenger> system notice {"actor":{"name":"Ana Lima","handle":"Ana Lima"}}: Ana named the group Bäckerei.
            skipped 3 malformed: 7
            skipped 1 missing_field: {    "content": "neither name nor time"   }
            skipped 2 empty: {    "sender_name": "Mara Wei\u00c3\u009f",    "timestamp_ms": 1767602220000,    "content": [     "x"    ],    "reactio…
            skipped 1 media_placeholder: {    "sender_name": "J\u00c3\u00b3n \u00c3\u009e\u00c3\u00b3rsson",    "timestamp_ms": 1767601500000,    "sticker": {  …
            skipped 2 deleted: {    "sender_name": "J\u00c3\u00b3n \u00c3\u009e\u00c3\u00b3rsson",    "timestamp_ms": 1767601740000,    "content": "",…
        "##]],
    );
}

#[test]
fn a_download_of_encrypted_chats() {
    check(
        &fixture("messenger/encrypted.json"),
        Some("Mara Weiß"),
        expect![[r##"
        # h-711ecf851126560f “Jón Þórsson” messenger h-711ecf851126560f private
        h-a0847ad4b61d1c72 2026-01-05T08:00:00Z Jón Þórsson <Jón Þórsson> person: Hæ! 👋 whole text, é
        h-c7631f29c4d2b73f 2026-01-05T08:01:00Z Mara Weiß <Mara Weiß> owner {"reactions":[{"emoji":"🐝","count":1,"by":["Jón Þórsson"]}]}: I keep bees.
        h-5e269a0fde759bb8 2026-01-05T08:02:00Z Jón Þórsson <Jón Þórsson> person file {"attachments":[{"name":"boat.jpeg"}]}: boat.jpeg
        h-045469a70362805d 2026-01-05T08:05:00Z Mara Weiß <Mara Weiß> owner: https://example.org/p
        h-540d977d0d00c183 2026-01-05T08:06:00Z Messenger <messenger> system notice {"actor":{"name":"Jón Þórsson","handle":"Jón Þórsson"}}: You started a call.
        h-fbf84b3deeccdaba 2026-01-05T08:08:00Z Jón Þórsson <Jón Þórsson> person: said twice
        h-fbf84b3deeccdaba-2 2026-01-05T08:08:00Z Jón Þórsson <Jón Þórsson> person: said twice
        h-012f1240c785403f 2026-01-05T08:08:00 inferred Jón Þórsson <Jón Þórsson> person: no time
        skipped 2 malformed: 5
        skipped 1 empty: {    "isUnsent": false,    "media": [],    "reactions": [],    "senderName": "Jón Þórsson",    "text": "",    "timestam…
        skipped 1 media_placeholder: {    "isUnsent": false,    "media": [     {      "uri": "Failed to download media"     }    ],    "reactions": [],    "…
        skipped 1 deleted: {    "isUnsent": true,    "media": [],    "reactions": [],    "senderName": "Mara Weiß",    "text": "User unsent a mess…
    "##]],
    );
}

#[test]
fn a_download_of_instagram() {
    check(
        &fixture("instagram/download"),
        None,
        expect![[r##"
            # 17845000000 “ana.lima 🌻” instagram 17845000000 private
            h-9c12b077762fd25c 2026-01-05T08:00:00Z ana.lima 🌻 <ana.lima 🌻> person: hello 🌻
            h-36a81a0115e5565f 2026-01-05T08:01:00Z Mara Weiß <Mara Weiß> owner: I paint boats.
            h-5b04a393bd0d43aa 2026-01-05T08:04:00Z ana.lima 🌻 <ana.lima 🌻> person forward {"forwarded_from":"zurich.pics"}: Zürich at night
            h-7c9b55428d926358 2026-01-05T08:05:00Z Mara Weiß <Mara Weiß> owner forward {"forwarded_from":"https://www.instagram.com/p/def/"}: https://www.instagram.com/p/def/
            h-309b55532e3f2a52 2026-01-05T08:06:00Z ana.lima 🌻 <ana.lima 🌻> person file {"attachments":[{"name":"1.jpg","type":"photo"}]}: 1.jpg
            h-126410de1681c218 2026-01-05T08:07:00Z ana.lima 🌻 <ana.lima 🌻> person file {"attachments":[{"name":"2.jpg","type":"photo"}]}: 2.jpg
            h-bc5aa9ab85c5db63 2026-01-05T08:08:00Z Instagram <instagram> system notice {"actor":{"name":"ana.lima 🌻","handle":"ana.lima 🌻"}}: ana.lima 🌻 started a video chat
            h-4adbbb4a168cf6bc 2026-01-05T08:09:00Z Instagram <instagram> system notice {"actor":{"name":"ana.lima 🌻","handle":"ana.lima 🌻"}}: Call, 1 minute 5 seconds
            h-eb710593dcbb4865 2026-01-05T08:10:00Z Instagram User <Instagram User@17845000000> person: I was somebody.
            h-0f295b36a3da0b0a 2026-01-05T08:12:00Z ana.lima 🌻 <ana.lima 🌻> person file {"reactions":[{"emoji":"❤","count":1,"by":["Mara Weiß"]}],"attachments":[{"name":"v.mp4","type":"audio"}]}: v.mp4
            skipped 1 empty: {    "sender_name": "ana.lima \u00f0\u009f\u008c\u00bb",    "timestamp_ms": 1767600780000,    "is_geoblocked_for_viewer…
            skipped 1 deleted: {    "sender_name": "Mara Wei\u00c3\u009f",    "timestamp_ms": 1767600660000,    "is_unsent": true,    "is_geoblocked_f…
            skipped 2 platform_notice: {    "sender_name": "ana.lima \u00f0\u009f\u008c\u00bb",    "timestamp_ms": 1767600180000,    "content": "Reacted \u00f…
        "##]],
    );
}

#[test]
fn a_file_by_itself_belongs_to_the_same_chat() {
    check(
        &fixture("messenger/message_1.json"),
        Some("Mara Weiß"),
        expect![[r#"
        # 1234567890 “Jón Þórsson” messenger 1234567890 private
        h-2c39c4caea316f43 2026-01-05T08:20:00Z Jón Þórsson <Jón Þórsson> person: Hæ! 👋 “quoted” – ok
        h-95a07b11023973e4 2026-01-05T08:21:00Z Mara Weiß <Mara Weiß> owner: I live in Graz now.
    "#]],
    );
    check(
        &fixture("messenger/no_path.json"),
        None,
        expect![[r#"
        # h-711ecf851126560f “Jón Þórsson” messenger h-711ecf851126560f private
        h-33c6fe2b1a326bc8 2026-01-05T08:20:00Z Jón Þórsson <Jón Þórsson> person: In a file without a path of its chat.
    "#]],
    );
    check(
        &fixture("instagram/message_1.json"),
        None,
        expect![[r##"
        # 17845000000 “ana.lima 🌻” instagram 17845000000 private
        h-9c12b077762fd25c 2026-01-05T08:00:00Z ana.lima 🌻 <ana.lima 🌻> person: hello 🌻
        skipped 1 platform_notice: {    "sender_name": "ana.lima \u00f0\u009f\u008c\u00bb",    "timestamp_ms": 1767600180000,    "content": "Reacted \u00f…
    "##]],
    );
    let ids = |name: &str| {
        let found = read(&fixture(name), &options(None)).unwrap();
        found.saying("I live in Graz").unwrap().source.clone()
    };
    assert_eq!(ids("messenger/download"), ids("messenger/message_1.json"));
}

#[test]
fn what_is_no_download_of_messages_is_not_claimed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, json) in [
        ("comments", r#"{"comments_v2":[{"timestamp":1,"title":"a","data":[{"comment":{"comment":"a"}}]}]}"#),
        ("participants", r#"{"participants":["a"],"messages":[{"sender":"a","text":"b","timestamp":1}]}"#),
        ("calls", r#"{"participants":[{"name":"a"}],"messages":[{"sender_name":"a","content":"b"}]}"#),
        ("quoted", r#"{"participants":"[{\"name\":\"a\"}]","messages":"[{\"sender_name\":\"a\",\"timestamp_ms\":1}]"}"#),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, json).unwrap();
        assert!(matches!(sniff(&path), Err(ImportError::Unknown { .. })), "{name}");
    }
}
