//! Discord: files of DiscordChatExporter with every kind of message, and a data package with its JSON and its older CSV.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind};
use keepsake_importers::{ImportError, SkipReason, sniff};

use super::{Feature, Format, Outcome, cell, check, fixture, options, read};

use Feature::{
    Attachment, Author, Bot, Call, Deletion, Disappearing, Edit, Forward, Members, Poll, Reaction, Reply, Thread, Time,
};

/// DiscordChatExporter, exporting a channel.
pub(crate) fn exporter() -> Format {
    Format {
        name: "DiscordChatExporter",
        kind: SourceKind::Discord,
        export: "discord/channel.json",
        grown: "discord/channel_grown.json",
        me: Some("mara.w"),
        cells: vec![
            cell(Author, Outcome::Read, |read| {
                let words = read.saying("three hives").unwrap();
                words.author.role == Role::Owner && words.author.handle.handle == "111111111111111111"
            }),
            cell(Time, Outcome::Read, |read| read.saying("three hives").unwrap().time.0 == 1_767_600_060_000),
            cell(Reply, Outcome::Read, |read| {
                read.saying("Only three?").unwrap().reply_to.as_ref() == Some(&read.saying("three hives").unwrap().source.message)
            }),
            cell(Thread, Outcome::Read, |_| {
                let thread = read(&fixture("discord/thread.json"), &options(None)).unwrap();
                let first = thread.saying("First answer").unwrap();
                first.metadata["thread"] == first.reply_to.as_deref().unwrap()
                    && first.source.conversation == "1064990764406419508"
            }),
            cell(Edit, Outcome::Kept, |read| read.saying("Four since").unwrap().metadata.contains_key("edited_at")),
            // The exporter asks the server, which no longer has deleted messages.
            cell(Deletion, Outcome::Absent, |_| true),
            cell(Forward, Outcome::Read, |read| {
                read.saying("never sleep").unwrap().message_type == MessageType::Forward
                    && read.saying("is followed").unwrap().message_type == MessageType::Forward
            }),
            cell(Reaction, Outcome::Kept, |read| read.saying("Four since").unwrap().metadata["reactions"][0]["by"][1] == "Cleo"),
            cell(Attachment, Outcome::Kept, |read| read.saying("hive plan.pdf").unwrap().message_type == MessageType::File),
            cell(Members, Outcome::Kept, |read| {
                read.saying("Bên 🐝 joined").unwrap().metadata["joined"][0]["handle"] == "222222222222222222"
            }),
            cell(Bot, Outcome::Read, |read| read.saying("frost ends").unwrap().author.role == Role::Assistant),
            cell(Disappearing, Outcome::Absent, |_| true),
            cell(Call, Outcome::Kept, |_| {
                let direct = read(&fixture("discord/direct.json"), &options(None)).unwrap();
                direct.saying("12 minutes").unwrap().message_type == MessageType::Notice
            }),
            // The exporter writes a poll as a message without content.
            cell(Poll, Outcome::LeftOut, |read| read.skipped(SkipReason::Empty)),
        ],
    }
}

/// Discord's data package.
pub(crate) fn package() -> Format {
    let absent = |feature| cell(feature, Outcome::Absent, |_| true);
    Format {
        name: "Discord data package",
        kind: SourceKind::Discord,
        export: "discord/package",
        grown: "discord/package_grown",
        me: None,
        cells: vec![
            cell(Author, Outcome::Read, |read| read.messages.iter().all(|message| message.author.role == Role::Owner)),
            cell(Time, Outcome::Read, |read| read.saying("three hives").unwrap().time.0 == 1_767_600_060_000),
            cell(Attachment, Outcome::Kept, |read| read.saying("hive_plan.pdf").unwrap().message_type == MessageType::File),
            absent(Reply),
            absent(Thread),
            absent(Edit),
            absent(Deletion),
            absent(Forward),
            absent(Reaction),
            absent(Members),
            absent(Bot),
            absent(Disappearing),
            absent(Call),
            absent(Poll),
        ],
    }
}

#[test]
fn a_channel_with_every_kind_of_message() {
    check(
        &fixture("discord/channel.json"),
        Some("mara.w"),
        expect![[r##"
            # 1064990764406419508 “general (Bee Keepers)” discord 1064990764406419508 private
            1457644791398400007 2026-01-05T08:00:00Z Discord <discord> system notice {"action":"GuildMemberJoin","actor":{"name":"Bên 🐝","handle":"222222222222222222"},"joined":[{"name":"Bên 🐝","handle":"222222222222222222"}]}: Bên 🐝 joined
            1457645043056640007 2026-01-05T08:01:00Z Mara <111111111111111111> owner: I keep three hives in Graz.
            1457645294714880007 2026-01-05T08:02:00Z Bên 🐝 <222222222222222222> person reply-to=1457645043056640007: Only three? @Mara :honey: & <3
            1457645546373120007 2026-01-05T08:03:00Z Mara <111111111111111111> owner {"edited_at":"2026-01-05T08:04:00.000+00:00","pinned":true,"reactions":[{"emoji":"👍","count":2,"by":["Bên 🐝","Cleo"]},{"emoji":"honey","count":1500,"by":[]}]}: Four since today.
            1457645798031360007 2026-01-05T08:04:00Z Discord <discord> system notice {"action":"ChannelPinnedMessage","actor":{"name":"Bên 🐝","handle":"222222222222222222"},"message_id":"1457645546373120007"}: Bên 🐝 pinned a message
            1457646049689600007 2026-01-05T08:05:00Z Mara <111111111111111111> owner file {"attachments":[{"name":"hive plan.pdf","bytes":20481},{"name":"queen.png","bytes":10}]}: hive plan.pdf, queen.png
            1457646301347840007 2026-01-05T08:06:00Z Bên 🐝 <222222222222222222> person {"attachments":[{"name":"queen.png","bytes":10}],"links":[{"title":"A page","url":"https://example.org"}]}: look
            1457646553006080007 2026-01-05T08:07:00Z Helper <333333333333333333> assistant: Weather\nRain.\nWind: 3
            1457646804664320007 2026-01-05T08:08:00Z Helper <333333333333333333> assistant {"answers_command":{"name":"frost","by":{"name":"Mara","handle":"111111111111111111"}}}: The frost ends in March.
            1457647056322560007 2026-01-05T08:09:00Z Mara <111111111111111111> owner forward {"forwarded_from":"555555555555555555/1457619625574400007"}: Bees never sleep.
            1457647307980800007 2026-01-05T08:10:00Z Bên 🐝 <222222222222222222> person forward {"forwarded_from":"666666666666666666/1457622142156800007"}: A post of a channel that is followed.
            1457648062955520007 2026-01-05T08:13:00Z Discord <discord> system notice {"action":"ThreadCreated","actor":{"name":"Bên 🐝","handle":"222222222222222222"},"thread":"1457648314613760007"}: Bên 🐝 started a thread
            1457648314613760007 2026-01-05T08:14:00Z Bên 🐝 <222222222222222222> person: Raw @Bên 🐝 <@!999> :wave: :dance: <#5>
            1457648566272000007 2026-01-05T08:15:00Z Discord <discord> system notice {"action":"8","actor":{"name":"Cleo","handle":"444444444444444444"}}: Cleo: service message 8
            1457648817930240007 2026-01-05T08:16:00Z Discord <discord> system notice {"action":"ChannelNameChange","actor":{"name":"Cleo","handle":"444444444444444444"}}: Cleo changed the channel name: hives
            1457649069588480007 2026-01-05T08:17:00Z Cleo <444444444444444444> person unknown {"content_type":"HoloMessage"}: a kind that nobody knows yet
            h-90bb4e762c6e547b 2026-01-05T08:18:00Z Cleo <444444444444444444> person: has no id
            <img src=x> 2026-01-05T08:21:00Z Cleo <444444444444444444> person: hostile id, and a type that is a list
            12 2026-01-05T09:19:00 local mara.w <111111111111111111> owner: local time and a short id
            13 2026-01-05T09:19:00 inferred Unknown user <unknown> person: no time at all and no author
            skipped 3 malformed: 7
            skipped 1 empty: {    "id": "1457647811297280007",    "type": "Default",    "timestamp": "2026-01-05T08:12:00.000+00:00",    "timestampE…
            skipped 1 repeated: {    "id": "1457649069588480007",    "type": "HoloMessage",    "timestamp": "2026-01-05T08:17:00.000+00:00",    "timest…
            skipped 1 media_placeholder: {    "id": "1457647559639040007",    "type": "Default",    "timestamp": "2026-01-05T08:11:00.000+00:00",    "timestampE…
        "##]],
    );
}

#[test]
fn a_thread_belongs_to_its_channel() {
    check(
        &fixture("discord/thread.json"),
        Some("Mara"),
        expect![[r##"
        # 1064990764406419508 “general (Bee Keepers)” discord 1064990764406419508 private
        1457650076221440007 2026-01-05T08:21:00Z Mara <111111111111111111> owner reply-to=1457648314613760007 {"thread":"1457648314613760007","thread_name":"Raw codes"}: First answer in the thread.
        1457650327879680007 2026-01-05T08:22:00Z Bên 🐝 <222222222222222222> person reply-to=1457650076221440007 {"thread":"1457648314613760007","thread_name":"Raw codes"}: Second.
        skipped 1 repeated: {    "id": "1457649824563200007",    "type": "21",    "timestamp": "2026-01-05T08:20:00.000+00:00",    "timestampEdited…
    "##]],
    );
}

#[test]
fn a_group_with_members_and_calls() {
    check(
        &fixture("discord/direct.json"),
        Some("111111111111111111"),
        expect![[r##"
        # 1064990764406419000 “harvest” discord 1064990764406419000 private
        1457644791398400007 2026-01-05T08:00:00Z Discord <discord> system notice {"action":"RecipientAdd","actor":{"name":"Mara","handle":"111111111111111111"},"joined":[{"name":"Cleo","handle":"444444444444444444"}]}: Mara added Cleo
        1457645043056640007 2026-01-05T08:01:00Z Discord <discord> system notice {"action":"Call","actor":{"name":"Bên 🐝","handle":"222222222222222222"}}: Call, 12 minutes
        1457645294714880007 2026-01-05T08:02:00Z Discord <discord> system notice {"action":"Call","actor":{"name":"Bên 🐝","handle":"222222222222222222"}}: Call
        1457645546373120007 2026-01-05T08:03:00Z Mara <111111111111111111> owner: Harvest on Sunday.
        1457645798031360007 2026-01-05T08:04:00Z Discord <discord> system notice {"action":"RecipientRemove","actor":{"name":"Cleo","handle":"444444444444444444"},"left":[{"name":"Cleo","handle":"444444444444444444"}]}: Cleo left
        1457646049689600007 2026-01-05T08:05:00Z Discord <discord> system notice {"action":"RecipientRemove","actor":{"name":"Mara","handle":"111111111111111111"},"left":[{"name":"Bên 🐝","handle":"222222222222222222"}]}: Mara removed Bên 🐝
        1457646301347840007 2026-01-05T08:06:00Z Discord <discord> system notice {"action":"ChannelIconChange","actor":{"name":"Mara","handle":"111111111111111111"}}: Mara changed the channel icon
    "##]],
    );
    check(
        &fixture("discord/older.json"),
        Some("mara.w"),
        expect![[r#"
        # 1064990764406419000 “harvest” discord 1064990764406419000 private
        1457647056322560007 2026-01-05T08:09:00Z mara.w <111111111111111111> owner: Written by an older exporter.
    "#]],
    );
}

#[test]
fn a_package_has_the_owners_lines() {
    check(
        &fixture("discord/package"),
        None,
        expect![[r##"
        # 1064990764406419111 “Direct Message with ben#0” discord 1064990764406419111 private
        1457649824563200007 2020-08-25T22:54:05Z Mara <111111111111111111> owner: older, with "marks" and\na line break
        1457650076221440007 2020-08-25T22:55:05Z Mara <111111111111111111> owner file {"attachments":[{"name":"Grüße.txt"}]}: Grüße.txt
        # 1064990764406419508 “general in Bee Keepers” discord 1064990764406419508 private
        1457645043056640007 2026-01-05T08:01:00Z Mara <111111111111111111> owner: I keep three hives in Graz.
        1457645546373120007 2026-01-05T08:03:00Z Mara <111111111111111111> owner: Four since today. :honey: <@222222222222222222>
        1457646049689600007 2026-01-05T08:05:00Z Mara <111111111111111111> owner file {"attachments":[{"name":"hive_plan.pdf"},{"name":"queen.png"}]}: hive_plan.pdf, queen.png
        h-de7ed7d1a1e3ae88 2026-01-05T08:07:00Z Mara <111111111111111111> owner: has no id
        1457647307980800007 2026-01-05T08:10:00Z Mara <111111111111111111> owner: Zürich 🐝\nsecond line
        12 2026-01-05T09:08:00 local Mara <111111111111111111> owner: an id that tells no time
        13 2026-01-05T09:08:00 inferred Mara <111111111111111111> owner: no time at all
        skipped 2 malformed: 3
        skipped 4 empty: ,,,
        skipped 1 repeated: {   "ID": "1457646301347840007",   "Timestamp": "2026-01-05 08:06:00",   "Contents": "said twice",   "Attachments": "" …
    "##]],
    );
}

#[test]
fn the_same_message_has_the_same_ids_in_both_formats() {
    let ids = |name: &str| {
        let found = read(&fixture(name), &options(None)).unwrap();
        found.saying("three hives").unwrap().source.clone()
    };
    assert_eq!(ids("discord/channel.json"), ids("discord/package"));
}

#[test]
fn what_is_no_discord_export_is_not_claimed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, json) in [
        ("api", r#"[{"id":"1","type":0,"content":"a","channel_id":"1","author":{"id":"1"},"timestamp":"2026-01-05T08:00:00Z"}]"#),
        ("mee6", r#"{"guild":{"id":"1","name":"a"},"players":[{"id":"1"}]}"#),
        ("other", r#"{"channel":{"id":"1","type":"x"},"messages":[{"id":"1","content":"a","author":{"id":"1"}}]}"#),
        (
            "quoted",
            r#"{"messages":"{\"guild\":{\"id\":\"1\"},\"channel\":{\"id\":\"1\",\"type\":\"a\"},\"dateRange\":{\"after\":null}}"}"#,
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, json).unwrap();
        assert!(matches!(sniff(&path), Err(ImportError::Unknown { .. })), "{name}");
    }
}

#[test]
fn a_message_that_refers_to_one_of_its_own_channel_is_a_reply_also_if_its_type_does_not_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bees.json");
    let message = |id: &str, reference: &str| {
        format!(
            r#"{{"id":"{id}","type":"Default","timestamp":"2026-01-05T08:00:00+00:00","content":"Bees","author":{{"id":"1","name":"Ana"}},"reference":{reference}}}"#
        )
    };
    let messages = [
        message("11", r#"{"messageId":"10"}"#),
        message("12", r#"{"messageId":"10","channelId":"5"}"#),
        message("13", r#"{"messageId":"10","channelId":"6"}"#),
        message("14", "null"),
    ];
    let head = r#""guild":{"id":"7","name":"Hive"},"channel":{"id":"5","type":"GuildTextChat","name":"bees"}"#;
    std::fs::write(&path, format!("{{{head},\"messages\":[{}],\"messageCount\":4}}", messages.join(","))).unwrap();
    let read = crate::read(&path, &crate::options(None)).unwrap();
    let shown: Vec<_> = read.messages.iter().map(|one| (one.message_type, one.reply_to.as_deref())).collect();
    let (said, forward) = (MessageType::Text, MessageType::Forward);
    assert_eq!(shown, [(said, Some("10")), (said, Some("10")), (forward, None), (said, None)]);
}
