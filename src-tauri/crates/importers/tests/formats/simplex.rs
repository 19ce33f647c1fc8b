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
