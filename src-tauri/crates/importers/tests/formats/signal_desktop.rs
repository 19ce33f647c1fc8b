//! Chats as Signal Desktop keeps them and sigtop exports them. The fixtures have every kind of record, in the forms of several
//! years, and records without an id, a chat, a time or an object.

use expect_test::expect;

use super::*;

pub(crate) fn format() -> Format {
    Format {
        name: "Signal Desktop (sigtop)",
        kind: SourceKind::Signal,
        export: "signal-desktop/Bees & friends (group).json",
        grown: "signal-desktop/grown/Bees & friends (group).json",
        me: None,
        cells: vec![
            cell(Feature::Author, Outcome::Read, |all| {
                all.saying("I have two.").is_some_and(|message| message.author.role == Role::Owner)
                    && all.saying("thanks").is_some_and(|message| message.author.handle.handle.starts_with("20212223-"))
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("Who has").is_some_and(|message| message.time == Timestamp(1_767_960_001_000))
            }),
            cell(Feature::Reply, Outcome::Read, |all| {
                let answered = all.saying("I have three, not two").map(|message| message.source.message.clone());
                answered.is_some() && all.saying("Great").is_some_and(|message| message.reply_to == answered)
            }),
            cell(Feature::Thread, Outcome::Absent, |_| true),
            cell(Feature::Edit, Outcome::Read, |all| {
                all.saying("I have three, not two").is_some_and(|message| {
                    message.metadata["edited_at"] == "2026-01-09T12:01:00Z" && message.time == Timestamp(1_767_960_004_000)
                })
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |all| all.skipped(SkipReason::Deleted)),
            cell(Feature::Forward, Outcome::Absent, |_| true),
            cell(Feature::Reaction, Outcome::Kept, |all| {
                all.saying("I have two.").is_some_and(|message| message.metadata["reactions"][0]["count"] == 2)
            }),
            cell(Feature::Attachment, Outcome::Kept, |all| {
                all.saying("hive one.jpg").is_some_and(|message| message.message_type == MessageType::File)
            }),
            cell(Feature::Members, Outcome::Kept, |all| {
                all.saying("created the group")
                    .is_some_and(|message| message.metadata["joined"][0]["handle"] == "20212223-2425-2627-2829-2a2b2c2d2e2f")
            }),
            cell(Feature::Bot, Outcome::Absent, |_| true),
            cell(Feature::Disappearing, Outcome::LeftOut, |all| {
                all.skipped(SkipReason::Disappearing) && all.saying("Gone in a minute").is_none()
            }),
            cell(Feature::Call, Outcome::Kept, |all| all.saying("Video call, 12 minutes 3 seconds").is_some()),
            cell(Feature::Poll, Outcome::Kept, |all| all.saying("When? (Saturday, Sunday)").is_some()),
        ],
    }
}

#[test]
fn every_record_of_a_group_is_told_or_counted() {
    check(
        &fixture("signal-desktop/Bees & friends (group).json"),
        None,
        expect![[r##"
        # c0c1c2c3-0000-4000-8000-00000000bee5 “Bees & friends” signal c0c1c2c3-0000-4000-8000-00000000bee5 private
        m-001 2026-01-09T12:00:00Z Signal <Signal> system notice {"joined":[{"name":"20212223-2425-2627-2829-2a2b2c2d2e2f","handle":"20212223-2425-2627-2829-2a2b2c2d2e2f"}]}: 10111213-1415-1617-1819-1a1b1c1d1e1f created the group. 10111213-1415-1617-1819-1a1b1c1d1e1f named the group “Bees & friends”. 10111213-1415-1617-1819-1a1b1c1d1e1f added 20212223-2425-2627-2829-2a2b2c2d2e2f
        1767960001000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:01Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person: Who has a spare hive?
        not a time-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:01 inferred 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person: Without a time
        1767960002000-self 2026-01-09T12:00:02Z Me <self> owner {"reactions":[{"emoji":"🐝","count":2,"by":[]}]}: I have two.
        1767960003000-20212223-2425-2627-2829-2a2b2c2d2e2f 2026-01-09T12:00:03Z 20212223-2425-2627-2829-2a2b2c2d2e2f <20212223-2425-2627-2829-2a2b2c2d2e2f> person reply-to=1767960002000-self {"quoted":"I have two."}: 😀 @10111213-1415-1617-1819-1a1b1c1d1e1f and @Me, thanks
        1767960004000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:04Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person {"edited_at":"2026-01-09T12:01:00Z"}: I have three, not two
        1767960005000-self 2026-01-09T12:00:05Z Me <self> owner reply-to=1767960004000-10111213-1415-1617-1819-1a1b1c1d1e1f {"quoted":"I have three, not two"}: Great
        1767960006000-self 2026-01-09T12:00:06Z Me <self> owner {"quoted":"gone"}: About the lost one
        1767960007000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:07Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person file {"attachments":[{"name":"hive one.jpg","media_type":"image/jpeg"},{"name":"voice message","media_type":"audio/aac","is_voice":true}]}: hive one.jpg, voice message
        1767960008000-self 2026-01-09T12:00:08Z Me <self> owner {"links":[{"url":"https://bees.example/rules","title":"Rules for bees"}],"attachments":[{"name":"contract.pdf","media_type":"application/pdf","caption":"page 3"}]}: The contract
        1767960009000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:09Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person {"is_cut":true}: A very long text
        1767960010000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:10Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person file {"attachments":[{"name":"Chidi Obi","contact":{"name":{"givenName":"Chidi","familyName":"Obi"},"number":[{"value":"+15550003333","type":1}]}}]}: Chidi Obi
        1767960012000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:12Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person: This stays
        m-017 2026-01-09T12:00:16Z Signal <Signal> system notice: 10111213-1415-1617-1819-1a1b1c1d1e1f set messages to disappear after 1 week
        m-018 2026-01-09T12:00:17Z Signal <Signal> system notice: 10111213-1415-1617-1819-1a1b1c1d1e1f turned off disappearing messages
        m-019 2026-01-09T12:00:18Z Signal <Signal> system notice: Video call, 12 minutes 3 seconds
        m-020 2026-01-09T12:00:19Z Signal <Signal> system notice: Audio call, missed
        m-021 2026-01-09T12:00:20Z Signal <Signal> system notice: Call
        m-022 2026-01-09T12:00:21Z Signal <Signal> system notice {"left":[{"name":"20212223-2425-2627-2829-2a2b2c2d2e2f","handle":"20212223-2425-2627-2829-2a2b2c2d2e2f"}]}: 20212223-2425-2627-2829-2a2b2c2d2e2f left
        m-023 2026-01-09T12:00:22Z Signal <Signal> system notice {"joined":[{"name":"Me","handle":"self"}],"left":[{"name":"30313233-3435-3637-3839-3a3b3c3d3e3f","handle":"30313233-3435-3637-3839-3a3b3c3d3e3f"}]}: 10111213-1415-1617-1819-1a1b1c1d1e1f added Me. 10111213-1415-1617-1819-1a1b1c1d1e1f removed 30313233-3435-3637-3839-3a3b3c3d3e3f
        m-025 2026-01-09T12:00:24Z Signal <Signal> system notice {"joined":[{"name":"+15550002222","handle":"+15550002222"},{"name":"+15550003333","handle":"+15550003333"}],"left":[{"name":"Me","handle":"self"}]}: +15550002222 and +15550003333 joined. Me left. 10111213-1415-1617-1819-1a1b1c1d1e1f named the group “Old bees”
        m-026 2026-01-09T12:00:25Z Signal <Signal> system notice: Ana changed their name to Ana Lima
        m-028 2026-01-09T12:00:27Z Signal <Signal> system notice: Poll by 10111213-1415-1617-1819-1a1b1c1d1e1f: When? (Saturday, Sunday)
        1767960029000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:29Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person {"story_reply":true}: Lovely picture
        1767960030000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:30Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person unknown {"content_type":"hologram"}: from the future
        1767960035000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:35Z 10111213-1415-1617-1819-1a1b1c1d1e1f <10111213-1415-1617-1819-1a1b1c1d1e1f> person: A time in quotes, half an emoji �
        skipped 4 malformed: 7
        skipped 3 missing_field: {"id":"m-033","conversationId":"c0c1c2c3-0000-4000-8000-00000000bee5","type":"incoming","sent_at":1767960032000,"timest…
        skipped 1 empty: {"id":"m-032","conversationId":"c0c1c2c3-0000-4000-8000-00000000bee5","type":"incoming","sent_at":1767960031000,"timest…
        skipped 1 repeated: {"id":"m-035","conversationId":"c0c1c2c3-0000-4000-8000-00000000bee5","type":"incoming","sent_at":1767960001000,"timest…
        skipped 1 media_placeholder: {"id":"m-016","conversationId":"c0c1c2c3-0000-4000-8000-00000000bee5","type":"incoming","sent_at":1767960015000,"timest…
        skipped 1 deleted: {"id":"m-015","conversationId":"c0c1c2c3-0000-4000-8000-00000000bee5","type":"incoming","sent_at":1767960014000,"timest…
        skipped 3 disappearing: {"id":"m-012","conversationId":"c0c1c2c3-0000-4000-8000-00000000bee5","type":"incoming","sent_at":1767960011000,"timest…
        skipped 2 platform_notice: {"id":"m-024","conversationId":"c0c1c2c3-0000-4000-8000-00000000bee5","type":"group-v2-change","sent_at":1767960023000,…
    "##]],
    );
}

#[test]
fn in_a_chat_with_one_person_the_name_of_the_file_is_theirs() {
    check(
        &fixture("signal-desktop/Ana Lima (+15550001111).json"),
        None,
        expect![[r##"
        # c0c1c2c3-0000-4000-8000-00000000bee5 “Ana Lima” signal c0c1c2c3-0000-4000-8000-00000000bee5 private
        1767960000000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:00Z Ana Lima <10111213-1415-1617-1819-1a1b1c1d1e1f> person {"reactions":[{"emoji":"👍","count":1,"by":["Ana Lima"]},{"emoji":"🌻","count":1,"by":[]}]}: Are you coming?
        1767960001000-c0c1c2c3-0000-4000-8000-00000000bee5 2026-01-09T12:00:01Z Ana Lima <c0c1c2c3-0000-4000-8000-00000000bee5> person: It is me
        1767960002000-+15550001111 2026-01-09T12:00:02Z Ana Lima <+15550001111> person: From before service ids
        1767960003000-self 2026-01-09T12:00:03Z Me <self> owner reply-to=1767960000000-10111213-1415-1617-1819-1a1b1c1d1e1f {"quoted":"Are you coming?"}: Yes
    "##]],
    );
}
