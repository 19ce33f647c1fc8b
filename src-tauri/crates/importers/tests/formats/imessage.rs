//! The database of the Messages app. The fixture has message text in both of its places, tapbacks that are set and taken back,
//! edited and unsent messages, groups and the events in them, and rows without a chat, a person, a time or words.

use expect_test::expect;

use super::*;

pub(crate) fn format() -> Format {
    Format {
        name: "iMessage",
        kind: SourceKind::Imessage,
        export: "imessage/chat.sql",
        grown: "imessage/chat-later.sql",
        me: None,
        cells: vec![
            cell(Feature::Author, Outcome::Read, |all| {
                all.saying("blue paint").is_some_and(|message| message.author.role == Role::Owner)
                    && all.saying("spare queen").is_some_and(|message| message.author.handle.handle == "+15550000003")
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("Shall we paint").is_some_and(|message| message.time == Timestamp(1_767_960_000_000))
            }),
            cell(Feature::Reply, Outcome::Read, |all| {
                all.saying("I do").is_some_and(|message| message.reply_to.as_deref() == Some("B-01"))
            }),
            cell(Feature::Thread, Outcome::Kept, |all| {
                all.saying("I do").is_some_and(|message| message.metadata["thread"] == "B-01")
            }),
            cell(Feature::Edit, Outcome::Read, |all| {
                all.saying("Meet at ten").is_some_and(|message| message.metadata.contains_key("edited_at"))
                    && all.saying("Meet at nine").is_none()
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |all| {
                all.skipped(SkipReason::Deleted) && all.saying("taken back").is_none()
            }),
            cell(Feature::Forward, Outcome::Absent, |_| true),
            cell(Feature::Reaction, Outcome::Kept, |all| {
                all.saying("blue paint").is_some_and(|message| {
                    message.metadata["reactions"] == serde_json::json!([{"emoji": "❤️", "count": 1, "by": ["+15550000001"]}])
                })
            }),
            cell(Feature::Attachment, Outcome::Kept, |all| {
                all.saying("IMG_0001.heic").is_some_and(|message| message.message_type == MessageType::File)
            }),
            cell(Feature::Members, Outcome::Kept, |all| {
                all.saying("Me added").is_some_and(|message| message.metadata["joined"][0]["handle"] == "+15550000009")
            }),
            cell(Feature::Bot, Outcome::Absent, |_| true),
            cell(Feature::Disappearing, Outcome::Absent, |_| true),
            cell(Feature::Call, Outcome::Kept, |all| all.saying("Call").is_some()),
            cell(Feature::Poll, Outcome::LeftOut, |all| all.skipped(SkipReason::Poll)),
        ],
    }
}

#[test]
fn every_row_of_messages_is_told_or_counted() {
    check(
        &fixture("imessage/chat.sql"),
        None,
        expect![[r##"
            # +15550000001 “+15550000001” imessage +15550000001 private
            A-01 2026-01-09T12:00:00Z +15550000001 <+15550000001> person {"reactions":[{"emoji":"🐝","count":1,"by":["Me"]},{"emoji":"sticker","count":1,"by":["+15550000001"]}]}: Shall we paint the hives on Saturday?
            A-04 2026-01-09T12:00:05Z +15550000001 <+15550000001> person: An old time in seconds
            A-02 2026-01-09T12:00:10Z Me <+15550000007> owner {"reactions":[{"emoji":"❤️","count":1,"by":["+15550000001"]}]}: Yes! I bring the blue paint 🎨
            A-03 2026-01-09T12:00:20Z +15550000001 <+15550000001> person {"service":"SMS"}: Sent as SMS because I have no data
            A-11 2026-01-09T12:00:40Z +15550000001 <+15550000001> person {"edited_at":"2026-01-09T12:00:45Z"}: Long éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé
            A-12 2026-01-09T12:00:50Z Me <+15550000007> owner {"edited_at":"2026-01-09T12:00:52Z"}: Meet at ten
            A-16 2026-01-09T12:01:10Z +15550000001 <+15550000001> person file {"attachments":[{"name":"IMG_0001.heic","media_type":"image/heic"}]}: IMG_0001.heic
            A-17 2026-01-09T12:01:11Z Me <+15550000007> owner {"attachments":[{"name":"list.pdf"}]}: The list for the shop
            A-18 2026-01-09T12:01:12Z +15550000001 <+15550000001> person file {"is_audio":true,"attachments":[{"name":"Audio Message.caf","media_type":"audio/x-caf"}]}: Audio Message.caf
            A-19 2026-01-09T12:01:13Z +15550000001 <+15550000001> person: https://bees.example/paint
            # chat100200300 “Bees & Friends 蜂” imessage chat100200300 private
            B-01 2026-01-09T12:01:40Z +15550000003 <+15550000003> person: Who has a spare queen?
            B-02 2026-01-09T12:01:50Z Me <+15550000007> owner reply-to=B-01 {"thread":"B-01"}: I do
            B-03 2026-01-09T12:02:00Z chidi@example.org <chidi@example.org> person: Not in the thread
            B-04 2026-01-09T12:02:10Z Messages <Messages> system notice {"joined":[{"name":"+15550000009","handle":"+15550000009"}]}: Me added +15550000009
            B-05 2026-01-09T12:02:11Z Messages <Messages> system notice {"left":[{"name":"+15550000009","handle":"+15550000009"}]}: chidi@example.org removed +15550000009
            B-06 2026-01-09T12:02:12Z Messages <Messages> system notice: chidi@example.org changed their phone number
            B-07 2026-01-09T12:02:13Z Messages <Messages> system notice: chidi@example.org named the conversation “Bees & Friends 蜂”
            B-08 2026-01-09T12:02:14Z Messages <Messages> system notice {"left":[{"name":"+15550000003","handle":"+15550000003"}]}: +15550000003 left
            B-09 2026-01-09T12:02:15Z Messages <Messages> system notice: Me changed the picture of the group
            B-10 2026-01-09T12:02:16Z Messages <Messages> system notice: +15550000003 changed the sharing of a location
            B-12 2026-01-09T12:02:18Z Messages <Messages> system notice: Call
            B-14 2026-01-09T12:02:20Z +15550000003 <+15550000003> person: In two chats
            # chidi@example.org “chidi@example.org” imessage chidi@example.org private
            E-01 2026-01-09T12:05:10Z chidi@example.org <chidi@example.org> person: Its chat is gone
            F'; DROP TABLE message; -- 2026-01-09T12:05:20Z chidi@example.org <chidi@example.org> person: A hostile id
            # chat55 “untitled” imessage chat55 private
            C-01 2026-01-09T12:02:20 inferred +15550000001 <+15550000001> person: Without a time
            C-02 2026-01-09T12:03:20Z chidi@example.org <chidi@example.org> person: A group without a name
            C-03 2026-01-09T12:03:20 inferred Me <me> owner: No time either
            # 24365 “24365” imessage 24365 private
            D-01 2026-01-09T12:05:00Z 24365 <24365> person {"service":"SMS","is_spam":true}: Your code is 12
            skipped 1 malformed: A-27
            skipped 2 missing_field: B-13
            skipped 2 empty: A-25
            skipped 1 repeated: In two chats
            skipped 3 media_placeholder: ￼
            skipped 4 deleted: A-13
            skipped 1 platform_notice: B-11
            skipped 2 poll: A-23
        "##]],
    );
}
