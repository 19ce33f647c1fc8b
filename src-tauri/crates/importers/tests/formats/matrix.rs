//! Rooms exported by Element.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty, Visibility};
use keepsake_importers::SkipReason;

use crate::{Feature, Format, Outcome, cell, check, fixture};

pub(crate) fn format() -> Format {
    Format {
        name: "Matrix (Element)",
        kind: SourceKind::Matrix,
        export: "matrix/bees.json",
        grown: "matrix/grown.json",
        me: Some("Mara Okafor"),
        cells: vec![
            cell(Feature::Author, Outcome::Read, |read| {
                let own = read.saying("I keep").unwrap();
                (own.author.role, own.author.handle.handle.as_str()) == (Role::Owner, "@mara:bees.example")
                    && read.saying("waves").unwrap().author.name == "Jure Žigon"
                    && own.visibility == Visibility::Public
            }),
            cell(Feature::Time, Outcome::Read, |read| {
                read.saying("I keep").unwrap().time_certainty == TimeCertainty::Exact
                    && read.saying("The far end").unwrap().time_certainty == TimeCertainty::Inferred
            }),
            cell(Feature::Reply, Outcome::Read, |read| {
                let reply = read.saying("And the frames?").unwrap();
                reply.reply_to.as_deref() == Some("$first") && reply.text.starts_with("And")
            }),
            cell(Feature::Thread, Outcome::Read, |read| {
                let (first, next) = (read.saying("Wax is cheap").unwrap(), read.saying("Not here").unwrap());
                (first.reply_to.as_deref(), next.reply_to.as_deref()) == (Some("$root"), Some("$t1"))
                    && next.metadata["thread"] == "$root"
            }),
            cell(Feature::Edit, Outcome::Read, |read| {
                let edited = read.saying("Forty jars").unwrap();
                edited.metadata["edited_at"] == "2026-01-01T10:01:20Z" && read.saying("Fifty").is_none()
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |read| {
                read.skipped(SkipReason::Deleted) && read.saying("Taken back").is_none()
            }),
            cell(Feature::Forward, Outcome::Absent, |_| true),
            cell(Feature::Reaction, Outcome::Kept, |read| {
                read.saying("I keep").unwrap().metadata["reactions"][0]["by"][1] == "Jure Žigon"
            }),
            cell(Feature::Attachment, Outcome::Kept, |read| {
                read.saying("hive-plan.pdf").unwrap().message_type == MessageType::File
                    && read.saying("from above").unwrap().metadata["attachments"][0]["name"] == "größe.png"
            }),
            cell(Feature::Members, Outcome::Kept, |read| {
                read.saying("Mara Okafor joined").unwrap().metadata["joined"][0]["handle"] == "@mara:bees.example"
                    && read.saying("Jure Žigon left").unwrap().metadata["left"][0]["name"] == "Jure Žigon"
            }),
            cell(Feature::Bot, Outcome::Read, |read| read.saying("Build 7").unwrap().author.role == Role::Assistant),
            cell(Feature::Disappearing, Outcome::Absent, |_| true),
            cell(Feature::Call, Outcome::Kept, |read| read.saying("Call, 12 minutes").is_some()),
            cell(Feature::Poll, Outcome::Kept, |read| {
                read.saying("When do we harvest? (Saturday, Sunday)").unwrap().message_type == MessageType::Notice
            }),
        ],
    }
}

#[test]
fn a_room_gives_its_messages_as_they_are_now() {
    check(
        &fixture("matrix/bees.json"),
        Some("Mara Okafor"),
        expect![[r##"
            # !hIvE:bees.example “Bees 🐝” matrix !hIvE:bees.example public
            $001-invented 2026-01-01T10:00:00Z Matrix <matrix> system notice: @ana:bees.example created the room
            $002-invented 2026-01-01T10:00:01Z Matrix <matrix> system notice {"joined":[{"name":"Ana Lima","handle":"@ana:bees.example"}]}: Ana Lima joined
            $004-invented 2026-01-01T10:00:03Z Matrix <matrix> system notice: Ana Lima named the room Bees
            $005-invented 2026-01-01T10:00:04Z Matrix <matrix> system notice: Ana Lima set the topic: Hives & honey
            $007-invented 2026-01-01T10:00:06Z Matrix <matrix> system notice: Ana Lima invited Mara Okafor
            $008-invented 2026-01-01T10:00:07Z Matrix <matrix> system notice {"joined":[{"name":"Mara Okafor","handle":"@mara:bees.example"}]}: Mara Okafor joined
            $late 2026-01-01T10:00:08Z Mara Okafor <@mara:bees.example> owner: Earlier than it stands here
            $first 2026-01-01T10:00:10Z Mara Okafor <@mara:bees.example> owner {"reactions":[{"emoji":"🐝","count":2,"by":["Ana L.","Jure Žigon"]}]}: I keep the old hive <3 & the new one
            $reply 2026-01-01T10:00:20Z Ana L. <@ana:bees.example> person reply-to=$first {"quoted":"<@mara:bees.example> I keep the old hive <3 & the new one"}: And the frames?\n> built?
            $new-reply 2026-01-01T10:00:30Z Mara Okafor <@mara:bees.example> owner reply-to=$reply: Yes, all of them
            $root 2026-01-01T10:00:40Z Ana L. <@ana:bees.example> person: Thread about wax
            $t1 2026-01-01T10:00:50Z Mara Okafor <@mara:bees.example> owner reply-to=$root {"thread":"$root"}: Wax is cheap
            $t2 2026-01-01T10:01:00Z Ana L. <@ana:bees.example> person reply-to=$t1 {"thread":"$root"}: Not here
            $typo 2026-01-01T10:01:10Z Ana L. <@ana:bees.example> person {"edited_at":"2026-01-01T10:01:20Z"}: Forty jars
            $before-the-export 2026-01-01T10:01:22 inferred Ana L. <@ana:bees.example> person {"edited_at":"2026-01-01T10:01:22Z"}: The far end of an old talk
            $shown 2026-01-01T10:01:30Z Mara Okafor <@mara:bees.example> owner {"edited_at":"2026-01-01T10:01:35Z"}: Edited as Element shows it
            $030-invented 2026-01-01T10:02:10Z Jure Žigon <@jure:hives.example> person {"msgtype":"m.emote"}: waves
            $031-invented 2026-01-01T10:02:20Z @feed:bot.example <@feed:bot.example> assistant: Build 7 failed
            $032-invented 2026-01-01T10:02:30Z Mara Okafor <@mara:bees.example> owner file {"attachments":[{"name":"hive-plan.pdf","media_type":"application/pdf"}]}: hive-plan.pdf
            $033-invented 2026-01-01T10:02:40Z Mara Okafor <@mara:bees.example> owner {"attachments":[{"name":"größe.png","media_type":"image/png"}]}: The plan from above
            $034-invented 2026-01-01T10:02:50Z Ana L. <@ana:bees.example> person file {"attachments":[{"name":"Voice message.ogg","media_type":"audio/ogg"}]}: Voice message.ogg
            $036-invented 2026-01-01T10:03:10Z Ana L. <@ana:bees.example> person {"location":"geo:45.1,14.2"}: Location geo:45.1,14.2
            $037-invented 2026-01-01T10:03:20Z Jure Žigon <@jure:hives.example> person unknown {"msgtype":"org.example.new"}: a new kind
            $039-invented 2026-01-01T10:03:30Z Matrix <matrix> system notice: Ana Lima asked: When do we harvest? (Saturday, Sunday)
            $042-invented 2026-01-01T10:03:40Z Matrix <matrix> system notice: Call, 12 minutes
            $045-invented 2026-01-01T10:15:50Z Matrix <matrix> system notice: Ana Lima is now called Ana L.
            $047-invented 2026-01-01T10:16:00Z Matrix <matrix> system notice {"left":[{"name":"Jure Žigon","handle":"@jure:hives.example"}]}: Jure Žigon left
            $048-invented 2026-01-01T10:16:01Z Matrix <matrix> system notice {"left":[{"name":"@spam:x.example","handle":"@spam:x.example"}]}: Ana L. banned @spam:x.example
            $050-invented 2026-01-01T10:16:11Z Jure Žigon <@jure:hives.example> person unknown {"type":"org.example.note"}: A note of another program
            $../../etc 2026-01-01T10:16:30Z ../../@x:evil.example <../../@x:evil.example> person: A hostile id � and an end
            skipped 4 malformed: "not an event"
            skipped 3 missing_field: {       "type": "m.reaction",       "sender": "@jure:hives.example",       "content": {         "m.relates_to": {}     …
            skipped 2 hidden: {       "type": "m.room.message",       "sender": "@jure:hives.example",       "content": {         "msgtype": "m.bad.e…
            skipped 3 empty: {       "type": "m.room.message",       "sender": "@mara:bees.example",       "content": {         "msgtype": "m.text",…
            skipped 1 repeated: {       "type": "m.room.message",       "sender": "@mara:bees.example",       "content": {         "msgtype": "m.text",…
            skipped 4 not_a_message: {       "type": "m.room.message",       "sender": "@jure:hives.example",       "content": {         "msgtype": "m.text"…
            skipped 1 media_placeholder: {       "type": "m.sticker",       "sender": "@ana:bees.example",       "content": {         "body": "Happy bee",      …
            skipped 3 deleted: {       "type": "m.room.redaction",       "sender": "@jure:hives.example",       "content": {         "reason": "typo" …
            skipped 4 platform_notice: {       "type": "m.room.join_rules",       "sender": "@ana:bees.example",       "content": {         "join_rule": "publ…
            skipped 2 poll: {       "type": "org.matrix.msc3381.poll.response",       "sender": "@mara:bees.example",       "content": {         "m…
        "##]],
    );
}
