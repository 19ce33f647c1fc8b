//! Telegram Desktop: an account with every kind of chat and record, a group and a chat exported separately, and older forms.

use std::fs;

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind};
use keepsake_importers::{ImportError, SkipReason, sniff};

use super::{Feature, Format, Outcome, cell, check, fixture, options, read};

/// Telegram Desktop, exporting a whole account.
pub(crate) fn format() -> Format {
    use Feature::{
        Attachment, Author, Bot, Call, Deletion, Disappearing, Edit, Forward, Members, Poll, Reaction, Reply, Thread, Time,
    };
    Format {
        name: "Telegram Desktop",
        kind: SourceKind::Telegram,
        export: "telegram/account.json",
        grown: "telegram/account_grown.json",
        me: None,
        cells: vec![
            cell(Author, Outcome::Read, |read| {
                let words = read.saying("every morning").unwrap();
                words.author.role == Role::Owner && words.author.handle.handle == "user111"
            }),
            cell(Time, Outcome::Read, |read| read.saying("I live in Graz").unwrap().time.0 == 1_767_600_120_000),
            cell(Reply, Outcome::Read, |read| read.saying("I live in Graz").unwrap().reply_to.as_deref() == Some("2")),
            cell(Thread, Outcome::Read, |read| read.saying("four-jaw").unwrap().metadata["thread"] == "80"),
            cell(Edit, Outcome::Kept, |read| read.saying("at the mill").unwrap().metadata.contains_key("edited_at")),
            // The server deletes messages for good, so an export has only those that are left.
            cell(Deletion, Outcome::Absent, |_| true),
            cell(Forward, Outcome::Read, |read| {
                let words = read.saying("river freezes").unwrap();
                words.message_type == MessageType::Forward && words.metadata["forwarded_from"] == "River News"
            }),
            cell(Reaction, Outcome::Kept, |read| {
                read.saying("at the mill").unwrap().metadata["reactions"][0]["by"][0] == "Jón Þórsson"
            }),
            cell(Attachment, Outcome::Kept, |read| read.saying("skýrsla.pdf").unwrap().message_type == MessageType::File),
            cell(Members, Outcome::Kept, |read| {
                read.saying("Jón Þórsson joined by a link").unwrap().metadata["joined"][0]["handle"] == "user222"
            }),
            cell(Bot, Outcome::Read, |read| read.saying("Reminder: beans").unwrap().author.role == Role::Assistant),
            cell(Disappearing, Outcome::LeftOut, |read| {
                read.skipped(SkipReason::Disappearing) && read.saying("set messages to disappear after").is_some()
            }),
            cell(Call, Outcome::Kept, |read| read.saying("12 minutes").unwrap().message_type == MessageType::Notice),
            cell(Poll, Outcome::Kept, |read| read.saying("Pizza or soup?").unwrap().message_type == MessageType::Notice),
        ],
    }
}

#[test]
fn an_account_with_every_kind_of_chat_and_record() {
    check(
        &fixture("telegram/account.json"),
        None,
        expect![[r##"
            # user222 “Jón Þórsson” telegram user222 private
            1 2026-01-05T08:00:00Z Telegram <telegram> system notice {"action":"joined_telegram","actor":{"name":"Jón Þórsson","handle":"user222"}}: Jón Þórsson joined Telegram
            2 2026-01-05T08:01:00Z Jón Þórsson <user222> person {"phone_number":"+354 600 0001","links":[{"text":"this page","href":"https://example.org/page"}]}: Hæ! See https://example.org/a?b=1&c=2 and this page, Mara 👀
            3 2026-01-05T08:02:00Z Mara Weiß <user111> owner reply-to=2: I live in Graz now.\nReally 🙂
            4 2026-01-05T08:03:00Z Mara Weiß <user111> owner {"reactions":[{"emoji":"👍","count":2,"by":["Jón Þórsson","user555"]},{"emoji":"custom emoji","count":1,"by":[]},{"emoji":"⭐","count":7,"by":[]}],"edited_at":"2026-01-05T08:09:00Z"}: I work at the mill on Tuesdays.
            5 2026-01-05T08:04:00Z Mara Weiß <user111> owner forward {"forwarded_from":"River News"}: The river freezes every January.
            6 2026-01-05T08:05:00Z Jón Þórsson <user222> person forward {"forwarded_from":"Deleted Account"}: Passed on from somebody who is gone.
            7 2026-01-05T08:06:00Z Mara Weiß <user111> owner forward {"forwarded_from":"@gif","via_bot":"@gif"}: cat picture of the day
            8 2026-01-05T08:07:00Z Jón Þórsson <user222> person file {"attachments":[{"name":"photo_1@05-01-2026_09-07-00.jpg","type":"photo"}]}: photo_1@05-01-2026_09-07-00.jpg
            9 2026-01-05T08:08:00Z Jón Þórsson <user222> person {"attachments":[{"name":"photo_2@05-01-2026_09-08-00.jpg","type":"photo"}]}: my new boat
            11 2026-01-05T08:10:00Z Jón Þórsson <user222> person file {"attachments":[{"name":"skýrsla.pdf","type":"file","media_type":"application/pdf","omitted":true}]}: skýrsla.pdf
            13 2026-01-05T08:12:00Z Mara Weiß <user111> owner file {"attachments":[{"name":"audio_1@05-01-2026.ogg","type":"voice_message","media_type":"audio/ogg","duration_seconds":4}]}: audio_1@05-01-2026.ogg
            15 2026-01-05T08:14:00Z Jón Þórsson <user222> person file {"attachments":[{"name":"Ana Lima","type":"contact","phone_number":"+351 900 000 001"}]}: Ana Lima
            16 2026-01-05T08:15:00Z Mara Weiß <user111> owner file {"attachments":[{"name":"Café Münze","type":"location","address":"Hauptplatz 1","position":{"latitude":47.07,"longitude":15.44}}]}: Café Münze
            17 2026-01-05T08:16:00Z Mara Weiß <user111> owner file {"attachments":[{"name":"location","type":"live_location","position":{"latitude":47.1,"longitude":15.5}}]}: location
            18 2026-01-05T08:17:00Z Jón Þórsson <user222> person notice: Poll: Pizza or soup?\n- Pizza (2)\n- Soup (0)
            19 2026-01-05T08:18:00Z Telegram <telegram> system notice {"action":"phone_call","actor":{"name":"Jón Þórsson","handle":"user222"}}: Call, 12 minutes 14 seconds
            20 2026-01-05T08:19:00Z Telegram <telegram> system notice {"action":"phone_call","actor":{"name":"Mara Weiß","handle":"user111"}}: Call, missed
            21 2026-01-05T08:20:00Z Mara Weiß <user111> owner {"quoted":["You never answer."]}: That is not true.
            22 2026-01-05T08:21:00Z Jón Þórsson <user222> person forward: Whoever sows wind reaps storm.
            23 2026-01-05T08:22:00Z Jón Þórsson <user222> person: my code is print(1)!
            28 2026-01-05T08:26:00Z Jón Þórsson <user222> person: said twice
            h-35af807f34618a0b 2026-01-05T08:27:00Z Mara Weiß <user111> owner: has no id
            30 2026-01-05T08:28:00 local Mara Weiß <user111> owner: older form without entities
            31 2026-01-05T08:28:00 inferred Mara Weiß <user111> owner: no time at all
            32 2026-01-05T08:29:00Z Jón Þórsson <user222> person: verticaltab
            33 2026-01-05T08:30:00Z Mara Weiß <user111> owner {"reply_to_elsewhere":"channel999/77"}: answers in another chat
            34 2026-01-05T08:31:00Z Jón Þórsson <user222> person unknown {"content_type":"holo_message"}: a kind that nobody knows yet
            35 2026-01-05T08:32:00Z Jón Þórsson <user222> person notice: Game: Lumberjack
            36 2026-01-05T08:33:00Z Jón Þórsson <user222> person notice: Invoice: Firewood
            37 2026-01-05T08:34:00Z Jón Þórsson <user222> person notice {"caption":"about the list"}: Checklist: Packing\n- Tent\n- Rope
            38 2026-01-05T08:35:00Z Telegram <telegram> system notice {"action":"edit_chat_theme","actor":{"name":"Jón Þórsson","handle":"user222"}}: Jón Þórsson: edit chat theme
            39 2026-01-05T08:36:00Z Telegram <telegram> system notice {"action":"set_messages_ttl","actor":{"name":"Jón Þórsson","handle":"user222"}}: Jón Þórsson set messages to disappear after 1 day
            41 2026-01-05T08:38:00Z Telegram <telegram> system notice {"action":"set_messages_ttl","actor":{"name":"Mara Weiß","handle":"user111"}}: Mara Weiß turned off disappearing messages
            42 2026-01-05T08:39:00Z Jón Þórsson <user222> person: this one stays
            <script>43</script> 2026-01-05T08:40:00Z Jón Þórsson <user222> person: an id that is a string
            # user333 “Weather Bot” telegram user333 private
            50 2026-01-05T08:41:00Z Mara Weiß <user111> owner command: /start now
            51 2026-01-05T08:42:00Z Weather Bot <user333> assistant: Rain tomorrow.
            52 2026-01-05T08:43:00Z Telegram <telegram> system notice {"action":"attach_menu_bot_allowed","actor":{"name":"Mara Weiß","handle":"user111"}}: Mara Weiß: attach menu bot allowed
            # chat222 “Allotment 12” telegram chat222 private
            60 2026-01-05T08:44:00Z Telegram <telegram> system notice {"action":"create_group","actor":{"name":"Ana Lima","handle":"user444"},"joined":[{"name":"Ana Lima","handle":"user444"},{"name":"Mara Weiß"},{"name":"Deleted Account"}]}: Ana Lima created “Allotment”
            61 2026-01-05T08:45:00Z Telegram <telegram> system notice {"action":"edit_group_title","actor":{"name":"Ana Lima","handle":"user444"}}: Ana Lima renamed the group to “Allotment 12”
            62 2026-01-05T08:46:00Z Telegram <telegram> system notice {"action":"invite_members","actor":{"name":"Ana Lima","handle":"user444"},"joined":[{"name":"Jón Þórsson"}]}: Ana Lima added Jón Þórsson
            63 2026-01-05T08:47:00Z Telegram <telegram> system notice {"action":"join_group_by_link","actor":{"name":"Jón Þórsson","handle":"user222"},"joined":[{"name":"Jón Þórsson","handle":"user222"}]}: Jón Þórsson joined by a link of Ana Lima
            64 2026-01-05T08:48:00Z Ana Lima <user444> person: Who waters the beans?
            65 2026-01-05T08:49:00Z Mara Weiß <user111> owner reply-to=64: I do, every morning.
            66 2026-01-05T08:50:00Z Weather Bot <user333> assistant: Reminder: beans
            67 2026-01-05T08:51:00Z Deleted Account <user555> person: I was here before I left Telegram.
            68 2026-01-05T08:52:00Z Telegram <telegram> system notice {"action":"pin_message","actor":{"name":"Ana Lima","handle":"user444"},"message_id":64}: Ana Lima pinned a message
            69 2026-01-05T08:53:00Z Telegram <telegram> system notice {"action":"remove_members","actor":{"name":"Ana Lima","handle":"user444"},"left":[{"name":"Jón Þórsson"}]}: Ana Lima removed Jón Þórsson
            70 2026-01-05T08:54:00Z Telegram <telegram> system notice {"action":"remove_members","actor":{"name":"Mara Weiß","handle":"user111"},"left":[{"name":"Mara Weiß","handle":"user111"}]}: Mara Weiß left
            71 2026-01-05T08:55:00Z Telegram <telegram> system notice {"action":"group_call","actor":{"name":"Ana Lima","handle":"user444"}}: Group call, 1 hour
            72 2026-01-05T08:56:00Z Telegram <telegram> system notice {"action":"migrate_to_supergroup","actor":{"name":"Ana Lima","handle":"user444"}}: Ana Lima: migrate to supergroup
            73 2026-01-05T08:57:00Z Telegram <telegram> system notice {"action":"proximity_reached"}: Ana Lima: proximity reached
            74 2026-01-05T08:58:00Z Telegram <telegram> system notice {"actor":{"name":"Ana Lima","handle":"user444"}}: A custom notice
            # channel888 “Makers” telegram channel888 private
            -999999990 2026-01-05T08:59:00Z Ana Lima <user444> person: from before the group became a supergroup
            80 2026-01-05T09:00:00Z Telegram <telegram> system notice {"action":"topic_created","actor":{"name":"Ana Lima","handle":"user444"}}: Ana Lima created the topic “Lathes”
            81 2026-01-05T09:01:00Z Ana Lima <user444> person reply-to=80 {"thread":"80"}: Which chuck fits?
            82 2026-01-05T09:02:00Z Mara Weiß <user111> owner reply-to=81 {"thread":"80"}: The four-jaw one.
            83 2026-01-05T09:03:00Z Ana Lima <user444> person: outside of any topic
            84 2026-01-05T09:04:00Z Telegram <telegram> system notice {"action":"topic_edit","actor":{"name":"Ana Lima","handle":"user444"}}: Ana Lima renamed the topic to “Lathes and mills”
            # channel900 “River News” telegram channel900 public
            90 2026-01-05T09:05:00Z Telegram <telegram> system notice {"action":"create_channel","actor":{"name":"River News","handle":"channel900"}}: River News created “River News”
            91 2026-01-05T09:06:00Z River News <channel900> person {"signature":"Mara Weiß"}: The ice is 12 cm thick.
            92 2026-01-05T09:07:00Z River News <channel900> person: An old post without an author.
            93 2026-01-05T09:08:00Z River News <channel900> person notice: Giveaway
            # user111 “Saved Messages” telegram user111 private
            100 2026-01-05T09:09:00Z Mara Weiß <user111> owner: Buy rope.
            101 2026-01-05T09:10:00Z Mara Weiß <user111> owner forward {"forwarded_from":"Ana Lima","saved_from":"Ana Lima"}: Bread recipe: flour, water, salt.
            # user555 “untitled” telegram user555 private
            110 2026-01-05T09:11:00Z Deleted Account <user555> person: Nobody knows my name any more.
            111 2026-01-05T09:12:00Z Mara Weiß <user111> owner: I do.
            # h-e572dff82304700b “untitled” telegram h-e572dff82304700b private
            130 2026-01-05T09:14:00Z Ana Lima <user444> person: in a chat without id, name or type
            # channel777 “Open Market” telegram channel777 public
            120 2026-01-05T09:13:00Z Mara Weiß <user111> owner: Selling a bicycle.
            skipped 3 malformed: "not an object"
            skipped 2 empty: {       "id": 25,       "type": "message",       "date": "2026-01-05T08:24:00",       "date_unixtime": "1767601440",   …
            skipped 1 repeated: {       "id": 28,       "type": "message",       "date": "2026-01-05T08:26:00",       "date_unixtime": "1767601560",   …
            skipped 3 media_placeholder: {       "id": 10,       "type": "message",       "date": "2026-01-05T08:09:00",       "date_unixtime": "1767600540",   …
            skipped 2 disappearing: {       "id": 14,       "type": "message",       "date": "2026-01-05T08:13:00",       "date_unixtime": "1767600780",   …
        "##]],
    );
}

#[test]
fn a_group_by_itself_does_not_tell_the_owner() {
    check(
        &fixture("telegram/group.json"),
        Some("Mara Weiß"),
        expect![[r##"
        # chat222 “Allotment 12” telegram chat222 private
        60 2026-01-05T08:44:00Z Telegram <telegram> system notice {"action":"create_group","actor":{"name":"Ana Lima","handle":"user444"},"joined":[{"name":"Ana Lima","handle":"user444"},{"name":"Mara Weiß"},{"name":"Deleted Account"}]}: Ana Lima created “Allotment”
        61 2026-01-05T08:45:00Z Telegram <telegram> system notice {"action":"edit_group_title","actor":{"name":"Ana Lima","handle":"user444"}}: Ana Lima renamed the group to “Allotment 12”
        62 2026-01-05T08:46:00Z Telegram <telegram> system notice {"action":"invite_members","actor":{"name":"Ana Lima","handle":"user444"},"joined":[{"name":"Jón Þórsson"}]}: Ana Lima added Jón Þórsson
        63 2026-01-05T08:47:00Z Telegram <telegram> system notice {"action":"join_group_by_link","actor":{"name":"Jón Þórsson","handle":"user222"},"joined":[{"name":"Jón Þórsson","handle":"user222"}]}: Jón Þórsson joined by a link of Ana Lima
        64 2026-01-05T08:48:00Z Ana Lima <user444> person: Who waters the beans?
        65 2026-01-05T08:49:00Z Mara Weiß <user111> owner reply-to=64: I do, every morning.
        66 2026-01-05T08:50:00Z Weather Bot <user333> assistant: Reminder: beans
    "##]],
    );
}

#[test]
fn a_chat_of_two_and_saved_messages_tell_the_owner_even_in_older_exports() {
    check(
        &fixture("telegram/older_chat.json"),
        None,
        expect![[r#"
        # user222 “Jón Þórsson” telegram user222 private
        1 2020-07-15T12:00:00 local Jón Þórsson <user222> person: Where are you?
        2 2020-07-15T12:01:00 local Mara Weiß <user111> owner: I am home.
    "#]],
    );
    check(
        &fixture("telegram/saved.json"),
        None,
        expect![[r##"
        # user111 “Saved Messages” telegram user111 private
        100 2026-01-05T09:09:00Z Mara Weiß <user111> owner: Buy rope.
        101 2026-01-05T09:10:00Z Mara Weiß <user111> owner forward {"forwarded_from":"Ana Lima","saved_from":"Ana Lima"}: Bread recipe: flour, water, salt.
    "##]],
    );
}

#[test]
fn a_chat_of_two_has_one_owner_also_if_its_number_is_not_that_of_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let roles = |authors: [(&str, &str); 3]| -> Vec<Role> {
        let messages = authors.iter().enumerate().map(|(at, (id, name))| {
            format!(
                r#"{{"id":{at},"type":"message","date":"2020-07-15T12:0{at}:00","from":"{name}","from_id":{id},"text":"Bees"}}"#
            )
        });
        let messages: Vec<String> = messages.collect();
        let path = folder.path().join("result.json");
        let chat = format!(r#"{{"name":"Ana","type":"personal_chat","id":4295300333,"messages":[{}]}}"#, messages.join(","));
        fs::write(&path, chat).unwrap();
        read(&path, &options(None)).unwrap().messages.iter().map(|message| message.author.role).collect()
    };
    let (owner, person) = (Role::Owner, Role::Person);
    assert_eq!(roles([("333", "Ana"), ("111", "Mara"), ("333", "Ana")]), [person, owner, person], "an older export");
    let newer = [(r#""user4295300333""#, "Ana"), (r#""user111""#, "Mara"), (r#""user111""#, "Mara")];
    assert_eq!(roles(newer), [person, owner, owner], "control: a newer one");
    let namesake = [(r#""user4295300333""#, "Ana"), (r#""user111""#, "Ana"), (r#""user111""#, "Ana")];
    assert_eq!(roles(namesake), [person, owner, owner], "two people of one name");
    let three = [(r#""user1""#, "Mara"), (r#""user2""#, "Bo"), (r#""user1""#, "Mara")];
    assert_eq!(roles(three), [owner, person, owner], "never two owners");
}

#[test]
fn a_file_whose_keys_a_tool_has_sorted_keeps_its_title() {
    check(
        &fixture("telegram/sorted_keys.json"),
        None,
        expect![[r#"
        # 31 “Allotment 12” telegram 31 private
        1 2026-01-05T08:00:00Z Ana Lima <user444> person: Keys were sorted.
    "#]],
    );
}

#[test]
fn what_is_no_telegram_export_is_not_claimed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, json) in [
        (
            "bot_api",
            r#"{"ok":true,"result":[{"update_id":1,"message":{"message_id":1,"from":{"id":1},"chat":{"id":1},"text":"a"}}]}"#,
        ),
        (
            "other_chat",
            r#"{"type":"group","id":1,"messages":[{"id":1,"type":"message","date":"2026-01-01","from_id":"u","text":"a"}]}"#,
        ),
        ("quoted", r#"{"text":"{\"type\":\"personal_chat\",\"id\":1,\"messages\":[{\"from_id\":\"user1\"}]}","id":1}"#),
        ("settings", r#"{"about":"me","personal_information":{"email":"a@example.org"},"chats":[]}"#),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, json).unwrap();
        assert!(matches!(sniff(&path), Err(ImportError::Unknown { .. })), "{name}");
    }
}
