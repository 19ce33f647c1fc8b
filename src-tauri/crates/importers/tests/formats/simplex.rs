//! The database of SimpleX. The fixture has a contact, a bot, a group in which a member copies the id of another's message, the
//! owner's notes, a profile behind a password, every kind of content, and rows that refer to nobody.

use expect_test::expect;

use super::*;

pub(crate) fn format() -> Format {
    Format {
        name: "SimpleX",
        kind: SourceKind::Simplex,
        export: "simplex/chat.sql",
        grown: "simplex/chat-later.sql",
        me: None,
        cells: vec![
            cell(Feature::Author, Outcome::Read, |all| {
                all.saying("with *honey*").is_some_and(|message| message.author.role == Role::Owner)
                    && all.saying("spare hive").is_some_and(|message| message.author.name == "Bo 🐝")
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("the market?").is_some_and(|message| message.time == Timestamp(1_767_960_000_250))
            }),
            cell(Feature::Reply, Outcome::Read, |all| {
                let asked = all.saying("spare hive").map(|message| message.source.message.clone());
                let answer = all.saying("I have one").cloned();
                answer.as_ref().is_some_and(|answer| answer.reply_to == asked)
                    && all.saying("Thank you").map(|message| message.reply_to.clone())
                        == answer.map(|answer| Some(answer.source.message))
            }),
            cell(Feature::Thread, Outcome::Absent, |_| true),
            cell(Feature::Edit, Outcome::Read, |all| {
                all.saying("At ten, not nine").is_some_and(|message| message.metadata.contains_key("edited_at"))
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |all| {
                all.skipped(SkipReason::Deleted) && all.saying("deleted words").or(all.saying("moderated words")).is_none()
            }),
            cell(Feature::Forward, Outcome::Read, |all| {
                all.saying("words of somebody else").is_some_and(|message| {
                    message.message_type == MessageType::Forward && message.metadata["forwarded_from"] == "bo"
                })
            }),
            cell(Feature::Reaction, Outcome::Kept, |all| {
                all.saying("spare hive").is_some_and(|message| message.metadata["reactions"][0]["count"] == 2)
            }),
            cell(Feature::Attachment, Outcome::Kept, |all| {
                all.saying("IMG_20260109.jpg").is_some_and(|message| message.message_type == MessageType::File)
            }),
            cell(Feature::Members, Outcome::Kept, |all| {
                all.saying("added chidi").is_some_and(|message| message.metadata["joined"][0]["handle"] == "member-cc03")
            }),
            cell(Feature::Bot, Outcome::Read, |all| {
                all.saying("Sunny").is_some_and(|message| message.author.role == Role::Assistant)
            }),
            cell(Feature::Disappearing, Outcome::LeftOut, |all| all.skipped(SkipReason::Disappearing)),
            cell(Feature::Call, Outcome::Kept, |all| all.saying("Call, 2 minutes 5 seconds").is_some()),
            cell(Feature::Poll, Outcome::Absent, |_| true),
        ],
    }
}

#[test]
fn every_item_of_simplex_is_told_or_counted() {
    check(
        &fixture("simplex/chat.sql"),
        None,
        expect![[r##"
            # contact-cce8443f04e3e8bc “ana” simplex contact-cce8443f04e3e8bc private
            01ee 2026-01-09T12:00:00Z ana <contact-cce8443f04e3e8bc> person {"reactions":[{"emoji":"👍","count":1,"by":["mara"]}]}: Are you coming to the market?
            02ee 2026-01-09T12:00:10Z mara <user-1> owner reply-to=01ee {"quoted":"Are you coming to the market?","reactions":[{"emoji":"🚀","count":1,"by":["ana"]}]}: Yes, with *honey*
            03ee 2026-01-09T12:00:20Z ana <contact-cce8443f04e3e8bc> person {"edited_at":"2026-01-09T12:00:29Z"}: At ten, not nine
            06ee 2026-01-09T12:00:33Z ana <contact-cce8443f04e3e8bc> person file {"content_type":"image","attachments":[{"name":"IMG_20260109.jpg"}]}: IMG_20260109.jpg
            07ee 2026-01-09T12:00:34Z mara <user-1> owner {"attachments":[{"name":"plan.pdf"}]}: the plan
            08ee 2026-01-09T12:00:35Z ana <contact-cce8443f04e3e8bc> person file {"seconds":12,"content_type":"voice","attachments":[{"name":"voice message"}]}: voice message
            09ee 2026-01-09T12:00:36Z ana <contact-cce8443f04e3e8bc> person {"links":[{"url":"https://bees.example/market","title":"Market"}]}: https://bees.example/market
            0aee 2026-01-09T12:00:37Z mara <user-1> owner forward {"forwarded_from":"bo"}: words of somebody else
            0bee 2026-01-09T12:00:38Z mara <user-1> owner forward {"forwarded_from":"mara"}: my own words again
            0cee 2026-01-09T12:00:39Z ana <contact-cce8443f04e3e8bc> person forward {"forwarded_from":"unknown"}: from an unknown place
            item-14 2026-01-09T12:00:40Z SimpleX <SimpleX> system notice: Call, 2 minutes 5 seconds
            item-15 2026-01-09T12:00:41Z SimpleX <SimpleX> system notice: Call, missed
            item-18 2026-01-09T12:00:44Z SimpleX <SimpleX> system notice: ana changed their name to ana.l
            10ee 2026-01-09T12:00:49Z ana <contact-cce8443f04e3e8bc> person unknown {"content_type":"rcvHologram","content":{"size":3}}: 
            11ee 2026-01-09T12:00:50Z ana <contact-cce8443f04e3e8bc> person {"content_type":"poem"}: a new kind of words
            12ee 2026-01-09T12:00:50 inferred ana <contact-cce8443f04e3e8bc> person: without a real time
            # contact-8e34b410e5e9b71f “weatherbot” simplex contact-8e34b410e5e9b71f private
            14ee 2026-01-09T12:01:00Z weatherbot <contact-8e34b410e5e9b71f> assistant: Sunny, 21 °C
            # contact-2ef4bde2760d848a “eve” simplex contact-2ef4bde2760d848a private
            32ee 2026-01-09T12:01:31Z eve <contact-2ef4bde2760d848a> person private: Behind a password
            # group-1cdc6bd73d450582 “bees” simplex group-1cdc6bd73d450582 private
            item-27 2026-01-09T12:01:10Z SimpleX <SimpleX> system notice {"joined":[{"name":"Bo 🐝","handle":"contact-c1bafc31ae037c6d"}]}: Bo 🐝 joined
            item-28 2026-01-09T12:01:11Z SimpleX <SimpleX> system notice {"joined":[{"name":"chidi","handle":"member-cc03"}]}: Bo 🐝 added chidi
            1eee-bb02 2026-01-09T12:01:12Z Bo 🐝 <contact-c1bafc31ae037c6d> person {"reactions":[{"emoji":"😀","count":2,"by":["chidi","mara"]}]}: Who has a spare hive?
            1eee-cc03 2026-01-09T12:01:13Z chidi <member-cc03> person {"reactions":[{"emoji":"👎","count":1,"by":["Bo 🐝"]}]}: I copied the id of Bo's message
            1fee 2026-01-09T12:01:14Z mara <user-1> owner reply-to=1eee-bb02 {"quoted":"Who has a spare hive?"}: I have one, @bo
            20ee-bb02 2026-01-09T12:01:15Z Bo 🐝 <contact-c1bafc31ae037c6d> person reply-to=1fee {"quoted":"I have one, @bo"}: Thank you
            item-33 2026-01-09T12:01:16Z SimpleX <SimpleX> system notice: Bo 🐝 changed the role of chidi to admin
            item-34 2026-01-09T12:01:17Z SimpleX <SimpleX> system notice: Bo 🐝 changed the profile of the group “bees”
            item-35 2026-01-09T12:01:18Z SimpleX <SimpleX> system notice {"left":[{"name":"chidi","handle":"member-cc03"}]}: mara removed chidi
            item-36 2026-01-09T12:01:19Z SimpleX <SimpleX> system notice {"left":[{"name":"Bo 🐝","handle":"contact-c1bafc31ae037c6d"}]}: Bo 🐝 left
            item-37 2026-01-09T12:01:20Z SimpleX <SimpleX> system notice {"left":[{"name":"mara","handle":"user-1"}]}: Bo 🐝 removed mara
            2aee 2026-01-09T12:01:25Z bees <group-1cdc6bd73d450582> system: Said by the channel itself
            2bee 2026-01-09T12:01:26Z a former member <former@group-1cdc6bd73d450582> person: A member whose row is gone
            # notes-1 “Private notes” simplex notes-1 private
            item-44 2026-01-09T12:01:30Z mara <user-1> owner: Buy wax
            skipped 2 malformed: {not json
            skipped 2 missing_field: {"rcvMsgContent":{"msgContent":{"type":"text","text":"A contact whose row is gone"}}}
            skipped 1 hidden: {"rcvMsgContent":{"msgContent":{"type":"text","text":"blocked words"}}}
            skipped 1 empty: {"rcvMsgContent":{"msgContent":{"type":"text","text":"   "}}}
            skipped 4 deleted: {"rcvMsgContent":{"msgContent":{"type":"text","text":"deleted words"}}}
            skipped 1 disappearing: {"rcvMsgContent":{"msgContent":{"type":"text","text":"gone in an hour"}}}
            skipped 4 platform_notice: {"rcvDirectE2EEInfo":{"e2eeInfo":{"pqEnabled":true}}}
        "##]],
    );
}

#[test]
fn an_encrypted_database_is_refused_with_what_to_do() {
    check(
        &fixture("simplex/encrypted.db"),
        None,
        expect![[r#"
        error: FILE looks like an encrypted database, which cannot be read. Export it without encryption: in SimpleX stop the chat and decrypt the database (/db decrypt in its terminal app); in Signal use its plaintext export
    "#]],
    );
}

/// Encodes bytes in the URL-safe Base64 that SimpleX's API uses.
fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE.encode(bytes)
}

/// A time of the database in the form of the interface.
fn zoned(time: &str) -> String {
    format!("{}Z", time.replacen(' ', "T", 1))
}

/// Content with its kind as a field, as the interface writes it.
fn tagged(content: &serde_json::Value) -> serde_json::Value {
    use serde_json::json;
    let Some((kind, fields)) = content.as_object().and_then(|fields| fields.iter().next()) else {
        return json!({ "type": content });
    };
    let mut written = json!({ "type": kind });
    for (key, value) in fields.as_object().into_iter().flatten() {
        let is_event = key == kind && value.get("type").is_none();
        written[key] = if is_event { tagged(value) } else { value.clone() };
    }
    written
}

/// The fixture as the program's interface would write it: for each item, who the chat is with, and the item.
fn as_interface(connection: &rusqlite::Connection) -> Vec<(serde_json::Value, serde_json::Value)> {
    use serde_json::{Value, json};
    let text = |sql: &str, row: i64| connection.query_row(sql, [row], |row| row.get::<_, Option<String>>(0)).unwrap_or_default();
    let profile = |row: i64| {
        json!({
            "displayName": text("SELECT display_name FROM contact_profiles WHERE contact_profile_id = ?1", row),
            "localAlias": text("SELECT local_alias FROM contact_profiles WHERE contact_profile_id = ?1", row).unwrap_or_default(),
            "peerType": text("SELECT chat_peer_type FROM contact_profiles WHERE contact_profile_id = ?1", row),
        })
    };
    let contact = |row: i64| {
        let made = text("SELECT created_at FROM contacts WHERE contact_id = ?1", row).unwrap();
        let own = connection
            .query_row("SELECT contact_profile_id FROM contacts WHERE contact_id = ?1", [row], |row| row.get(0))
            .unwrap();
        json!({ "contactId": row, "createdAt": zoned(&made), "profile": profile(own), "localDisplayName": "x" })
    };
    let member = |row: i64| {
        let query = "SELECT member_id, contact_id, contact_profile_id FROM group_members WHERE group_member_id = ?1";
        connection
            .query_row(query, [row], |found| {
                Ok(json!({
                    "groupMemberId": row, "memberId": base64(&found.get::<_, Vec<u8>>(0)?),
                    "memberContactId": found.get::<_, Option<i64>>(1)?, "memberProfile": profile(found.get(2)?),
                    "memberStatus": "connected", "memberCategory": "post", "localDisplayName": "x",
                }))
            })
            .ok()
    };
    let by_id = |id: Vec<u8>| {
        connection.query_row("SELECT group_member_id FROM group_members WHERE member_id = ?1", [id], |row| row.get(0)).ok()
    };
    let query = "SELECT chat_item_id, contact_id, group_id, group_member_id, item_sent, item_ts, item_content, shared_msg_id, \
                 quoted_shared_msg_id, quoted_sent, quoted_member_id, quoted_content, item_edited, fwd_from_tag, \
                 fwd_from_chat_name, fwd_from_msg_dir, created_at, updated_at, show_group_as_sender, note_folder_id \
                 FROM chat_items WHERE coalesce(item_deleted, 0) = 0 AND timed_ttl IS NULL AND user_id = 1";
    let mut statement = connection.prepare(query).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut all = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let number = |at: usize| row.get::<_, Option<i64>>(at).unwrap_or_default();
        let words = |at: usize| row.get::<_, Option<String>>(at).unwrap_or_default();
        let bytes = |at: usize| row.get::<_, Option<Vec<u8>>>(at).unwrap_or_default();
        let Ok(content) = serde_json::from_str::<Value>(&words(6).unwrap_or_default()) else { continue };
        let is_sent = number(4) == Some(1);
        let (info, direction) = match (number(1), number(2)) {
            (Some(with), _) if text("SELECT created_at FROM contacts WHERE contact_id = ?1", with).is_some() => (
                json!({ "type": "direct", "contact": contact(with) }),
                if is_sent { json!({ "type": "directSnd" }) } else { json!({ "type": "directRcv" }) },
            ),
            (None, Some(group)) => {
                let made = text("SELECT created_at FROM groups WHERE group_id = ?1", group).unwrap();
                let info = json!({ "groupId": group, "createdAt": zoned(&made), "groupProfile": { "displayName": "bees" } });
                let direction = match number(3).and_then(member) {
                    _ if is_sent => json!({ "type": "groupSnd" }),
                    Some(member) => json!({ "type": "groupRcv", "groupMember": member }),
                    None if number(18) == Some(1) => json!({ "type": "channelRcv" }),
                    // The interface does not show a member whose row is gone.
                    None => continue,
                };
                (json!({ "type": "group", "groupInfo": info }), direction)
            }
            (None, None) if number(19).is_some() => {
                (json!({ "type": "local", "noteFolder": { "noteFolderId": 1, "userId": 1 } }), json!({ "type": "localSnd" }))
            }
            _ => continue,
        };
        let quote = bytes(8).map(|shared| {
            let by = bytes(10).filter(|_| number(9) != Some(1)).and_then(by_id).and_then(member);
            let direction = by.map(|member| json!({ "type": "groupRcv", "groupMember": member }));
            let quoted: Value = serde_json::from_str(&words(11).unwrap_or_default()).unwrap_or_default();
            json!({ "sharedMsgId": base64(&shared), "chatDir": direction, "content": quoted })
        });
        let forwarded = words(13).map(|tag| {
            let to = if number(15) == Some(1) { "snd" } else { "rcv" };
            json!({ "type": tag, "chatName": words(14).unwrap_or_default(), "msgDir": to })
        });
        let file = text("SELECT file_name FROM files WHERE chat_item_id = ?1", number(0).unwrap());
        let meta = json!({
            "itemId": number(0), "itemTs": zoned(&words(5).unwrap()), "createdAt": zoned(&words(16).unwrap()),
            "updatedAt": zoned(&words(17).unwrap()), "itemSharedMsgId": bytes(7).map(|shared| base64(&shared)),
            "itemForwarded": forwarded, "itemEdited": number(12) == Some(1),
        });
        let item = json!({
            "chatDir": direction, "meta": meta, "content": tagged(&content), "quotedItem": quote,
            "reactions": [], "file": file.map(|name| json!({ "fileName": name })),
        });
        all.push((info, item));
    }
    all
}

#[test]
fn what_the_interface_writes_gives_the_messages_of_the_database() {
    use keepsake_importers::simplex_api::{Chat, ChatInfo, Item, Reading, Roster, time};
    let path = fixture("simplex/chat.sql");
    let exported = read(&path, &options(None)).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let user = serde_json::json!({ "userId": 1, "localDisplayName": "x", "profile": { "displayName": "mara" } });
    let mut roster = Roster::new(serde_json::from_value(user).unwrap());
    let mut all: Vec<(ChatInfo, Item)> = Vec::new();
    for (info, item) in as_interface(&connection) {
        all.push((serde_json::from_value(info).unwrap(), serde_json::from_str(&item.to_string()).unwrap()));
    }
    // Everybody is known: members are named in events before they say anything, and Bo is a contact without a chat.
    let bo = serde_json::json!({ "contact": { "contactId": 3, "createdAt": "2026-01-03T10:00:00.5Z" } });
    roster.learn(&serde_json::from_value(bo).unwrap());
    for (info, item) in &all {
        roster.learn(info);
        roster.read(&Chat::of(info).unwrap(), item, None, Timestamp(0));
    }
    let mut compared = 0;
    let mut left_out = 0;
    for (info, item) in &all {
        let chat = Chat::of(info).unwrap();
        // The edit time of the only edited item.
        let edited = time("2026-01-09T12:00:29Z");
        let live = match roster.read(&chat, item, edited, Timestamp(0)) {
            Reading::Message(message) => *message,
            Reading::Deleted(_) | Reading::LeftOut(_) => {
                left_out += 1;
                assert!(!exported.messages.iter().any(|message| message.source == chat.source_of(item)), "row {}", item.row());
                continue;
            }
        };
        let mut kept = exported.messages.iter().find(|message| message.source == live.source).cloned().unwrap();
        // The differences are described in docs/formats.md: whose reactions they are, unknown content, and missing times.
        kept.metadata.shift_remove("reactions");
        let mut live = live;
        for message in [&mut kept, &mut live] {
            if message.message_type == MessageType::Unknown {
                message.metadata.shift_remove("content");
            }
            if message.time_certainty == TimeCertainty::Inferred {
                message.time = Timestamp(0);
            }
        }
        assert_eq!(live, kept, "row {}", item.row());
        compared += 1;
    }
    assert_eq!((compared, left_out), (30, 8), "the fixture has all kinds of content");
}
