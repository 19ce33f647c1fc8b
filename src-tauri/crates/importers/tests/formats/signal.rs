//! Signal's plaintext export: frames of a backup, one per line. The fixture has every kind of frame and chat item, an edited
//! message and a quote of one of its versions, and lines that are broken in the same ways as in real exports.

use expect_test::expect;

use super::*;

pub(crate) fn format() -> Format {
    Format {
        name: "Signal",
        kind: SourceKind::Signal,
        export: "signal/main.jsonl",
        grown: "signal/main-later.jsonl",
        me: None,
        cells: vec![
            cell(Feature::Author, Outcome::Read, |all| {
                all.saying("Yes, and honey").is_some_and(|message| message.author.role == Role::Owner)
                    && all.saying("I have the veils").is_some_and(|message| message.author.name == "Ana L.")
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("I have the veils").is_some_and(|message| message.time == Timestamp(1_767_960_000_000))
            }),
            cell(Feature::Reply, Outcome::Read, |all| {
                let answered = all.saying("I have two, not three").map(|message| message.source.message.clone());
                answered.is_some() && all.saying("Great").is_some_and(|message| message.reply_to == answered)
            }),
            cell(Feature::Thread, Outcome::Absent, |_| true),
            cell(Feature::Edit, Outcome::Read, |all| {
                all.saying("I have two, not three").is_some_and(|message| message.metadata.contains_key("edited_at"))
                    && all.saying("I have three").is_none()
            }),
            cell(Feature::Deletion, Outcome::LeftOut, |all| all.skipped(SkipReason::Deleted)),
            cell(Feature::Forward, Outcome::Absent, |_| true),
            cell(Feature::Reaction, Outcome::Kept, |all| {
                all.saying("spare hive").is_some_and(|message| message.metadata["reactions"][0]["count"] == 2)
            }),
            cell(Feature::Attachment, Outcome::Kept, |all| {
                all.saying("hive one.jpg").is_some_and(|message| message.message_type == MessageType::File)
            }),
            cell(Feature::Members, Outcome::Kept, |all| {
                all.saying("added Mara").is_some_and(|message| message.metadata["joined"][0]["handle"] == "self")
            }),
            cell(Feature::Bot, Outcome::Absent, |_| true),
            cell(Feature::Disappearing, Outcome::LeftOut, |all| all.skipped(SkipReason::Disappearing)),
            cell(Feature::Call, Outcome::Kept, |all| all.saying("Group call, 12 minutes").is_some()),
            cell(Feature::Poll, Outcome::Kept, |all| all.saying("When? (Saturday, Sunday)").is_some()),
        ],
    }
}

#[test]
fn every_frame_of_signal_is_told_or_counted() {
    check(
        &fixture("signal/main.jsonl"),
        None,
        expect![[r##"
            # 10111213-1415-1617-1819-1a1b1c1d1e1f “Ana L.” signal 10111213-1415-1617-1819-1a1b1c1d1e1f private
            1767960000000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:00Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person: Are you bringing the smoker on Saturday?\nI have the veils.
            h-2a38dbe9b621ef7d 2026-01-09T12:00:00 inferred Signal <Signal> system notice: Ana L. changed their phone number
            1767960002000-self 2026-01-09T12:00:02Z Mara Kovač <self> owner reply-to=1767960000000-10111213-1415-1617-1819-1a1b1c1d1e1f {"quoted":"Are you bringing the smoker on Saturday?","reactions":[{"emoji":"👍","count":1,"by":["Ana L."]}]}: Yes, and honey 🍯
            1767960080000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:01:20Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person file {"attachments":[{"name":"hive one.jpg","media_type":"image/jpeg"},{"name":"image/png","media_type":"image/png"}]}: hive one.jpg, image/png
            1767960081000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:01:21Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person file {"attachments":[{"name":"voice message","media_type":"audio/aac","is_voice":true}]}: voice message
            1767960082000-self 2026-01-09T12:01:22Z Mara Kovač <self> owner {"links":[{"url":"https://bees.example/rules","title":"Rules for bees"}],"attachments":[{"name":"contract.pdf","media_type":"application/pdf","caption":"page 3"}]}: The contract
            1767960088000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:01:28Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person: This one stays
            1767960089000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:01:29Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person file {"attachments":[{"name":"Chidi Obi","contact":{"name":{"givenName":"Chidi","familyName":"Obi"},"number":[{"value":"+15550009999","type":"MOBILE"}]}}]}: Chidi Obi
            1767960090000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:01:30Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person {"story_reply":true}: Lovely picture
            1767960091000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:01:31Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person reaction {"story_reply":true}: 🔥
            h-674e70ad52a72800 2026-01-09T12:01:34Z Signal <Signal> system notice: Ana L. sent a payment of 1.5 MOB: for the jars
            h-7cded1c82cf238f3 2026-01-09T12:01:36Z Signal <Signal> system notice: Video call, missed
            h-bfb0b1940d47e216 2026-01-09T12:01:38Z Signal <Signal> system notice: Mara Kovač set messages to disappear after 1 week
            h-f7001aac63472d71 2026-01-09T12:01:39Z Signal <Signal> system notice: Mara Kovač turned off disappearing messages
            h-9bc5419221b071d4 2026-01-09T12:01:40Z Signal <Signal> system notice: Ana changed their name to Ana Lima
            h-373a36a650cca0cd 2026-01-09T12:01:41Z Signal <Signal> system notice: Ana L. changed their phone number
            1767960120000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:02:00Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person: Two lines that\nwere never escaped
            1767960122000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:02:02Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person: A half emoji � and a  bell
            # group-dd728574c36ecf87 “Beekeepers 蜂” signal group-dd728574c36ecf87 private
            h-09ea576e84f53263 2026-01-09T12:00:01Z Signal <Signal> system notice {"joined":[{"name":"Mara Kovač","handle":"self"}]}: Ana L. created the group. Ana L. added Mara Kovač
            1767960003000-20212223-2425-2627-2829-2a2b2c2d2e2f 2026-01-09T12:00:03Z Bo Tanaka <20212223-2425-2627-2829-2a2b2c2d2e2f> person {"reactions":[{"emoji":"👀","count":2,"by":["Mara Kovač","Ana L."]},{"emoji":"🥂","count":1,"by":["Bo Tanaka"]},{"emoji":"❓","count":1,"by":[]}]}: 😀 @Ana L. and @Mara Kovač, who has a spare hive?
            1767960004000-10111213-1415-1617-1819-1a1b1c1d1e1f 2026-01-09T12:00:04Z Ana L. <10111213-1415-1617-1819-1a1b1c1d1e1f> person {"edited_at":"2026-01-09T12:01:00Z"}: I have two, not three.
            1767960070000-self 2026-01-09T12:01:10Z Mara Kovač <self> owner reply-to=1767960004000-10111213-1415-1617-1819-1a1b1c1d1e1f {"quoted":"I have two."}: Great
            1767960071000-self 2026-01-09T12:01:11Z Mara Kovač <self> owner {"quoted":"a message that is gone"}: About the lost one
            h-aabe2273e2f10d92 2026-01-09T12:01:32Z Signal <Signal> system notice: Poll by Bo Tanaka: When? (Saturday, Sunday)
            h-3c5f1f26b4285283 2026-01-09T12:01:33Z Signal <Signal> system notice: Bo Tanaka ended the poll “When?”
            h-2e7ba5c5bafbaafa 2026-01-09T12:01:37Z Signal <Signal> system notice: Group call, 12 minutes 3 seconds
            h-e64d7713bc9a500a 2026-01-09T12:01:44Z Signal <Signal> system notice: Bo Tanaka named the group “Beekeepers 蜂”
            h-0e6e7d80d69cdb1f 2026-01-09T12:01:44Z Signal <Signal> system notice {"left":[{"name":"somebody","handle":"40414243-4445-4647-4849-4a4b4c4d4e4f"}]}: Ana L. removed somebody. Ana L. made Bo Tanaka an admin
            h-fa3830c8c28e92dc 2026-01-09T12:01:45Z Signal <Signal> system notice {"left":[{"name":"Bo Tanaka","handle":"20212223-2425-2627-2829-2a2b2c2d2e2f"}],"joined":[{"name":"Bo Tanaka","handle":"20212223-2425-2627-2829-2a2b2c2d2e2f"}]}: Bo Tanaka left. Bo Tanaka joined
            h-cf04ace9fea2a886 2026-01-09T12:01:47Z Signal <Signal> system notice: Ana L. pinned a message
            # note-to-self “Note to Self” signal note-to-self private
            1767960108000-self 2026-01-09T12:01:48Z Mara Kovač <self> owner {"is_cut":true}: Buy frames.
            # release-notes “Signal” signal release-notes private
            1767960109000-Signal 2026-01-09T12:01:49Z Signal <Signal> system: What is new in Signal
            # +15550001234 “+15550001234” signal +15550001234 private
            1767960110000-+15550001234 2026-01-09T12:01:50Z +15550001234 <+15550001234> person {"sms":true}: Your code is none of your business
            1767960113000-+15550001234 2026-01-09T12:01:53Z +15550001234 <+15550001234> person unknown {"content_type":"hologramMessage","content":{"body":"from the future"}}: 
            skipped 5 malformed: {"recipient":{"id":"10","contact":{"registered":{}}}}
            skipped 4 missing_field: {"chatId":"5","authorId":"6","dateSent":"1767960112000","incoming":{"dateReceived":"1767960112020","dateServerSent":"17…
            skipped 1 empty: {"chatId":"5","authorId":"6","dateSent":"1767960111000","incoming":{"dateReceived":"1767960111020","dateServerSent":"17…
            skipped 1 repeated: {"chatId":"1","authorId":"4","dateSent":"1767960000000","incoming":{"dateReceived":"1767960000020","dateServerSent":"17…
            skipped 1 not_a_message: {"callId":"9","recipientId":"8","state":"GENERIC","callTimestamp":"1767960000000"}
            skipped 1 media_placeholder: {"chatId":"1","authorId":"4","dateSent":"1767960083000","incoming":{"dateReceived":"1767960083020","dateServerSent":"17…
            skipped 2 deleted: {"chatId":"1","authorId":"4","dateSent":"1767960085000","incoming":{"dateReceived":"1767960085020","dateServerSent":"17…
            skipped 2 disappearing: {"chatId":"1","authorId":"4","dateSent":"1767960084000","incoming":{"dateReceived":"1767960084020","dateServerSent":"17…
            skipped 6 platform_notice: {"chatId":"1","authorId":"4","dateSent":"1767960095000","incoming":{"dateReceived":"1767960095020","dateServerSent":"17…
        "##]],
    );
}
