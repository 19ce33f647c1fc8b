//! Chats written by signal-export: as data with a page next to it, and as a page alone. The fixtures have every mark of a page,
//! text that looks like a mark, and broken lines.

use expect_test::expect;

use super::*;

/// The cells of both forms, which differ only in whether edits are kept.
fn cells(edit: Outcome) -> Vec<Cell> {
    vec![
        cell(Feature::Author, Outcome::Read, |all| {
            all.saying("Yes, and honey").is_some_and(|message| message.author.role == Role::Owner)
                && all.saying("Are you coming").is_some_and(|message| message.author.name == "AnaLima")
        }),
        cell(Feature::Time, Outcome::Read, |all| {
            all.saying("Are you coming").is_some_and(|message| {
                message.time.0 / 1000 == 1_767_960_000 && message.time_certainty == TimeCertainty::LocalAssumed
            })
        }),
        cell(Feature::Reply, Outcome::Kept, |all| {
            all.saying("Yes, and honey").is_some_and(|message| {
                message.metadata["quoted"] == "Are you coming on Saturday?\nOr not?" && message.reply_to.is_none()
            })
        }),
        cell(Feature::Thread, Outcome::Absent, |_| true),
        cell(Feature::Edit, edit, |all| {
            all.saying("I have three, not two").is_some_and(|message| message.metadata["is_edited"] == true)
        }),
        cell(Feature::Deletion, Outcome::LeftOut, |all| all.skipped(SkipReason::Deleted)),
        cell(Feature::Forward, Outcome::Absent, |_| true),
        cell(Feature::Reaction, Outcome::Kept, |all| {
            all.saying("Yes, and honey").is_some_and(|message| message.metadata["reactions"][1]["by"][0] == "Me")
        }),
        cell(Feature::Attachment, Outcome::Kept, |all| {
            all.saying("hive one.jpg, plan.pdf").is_some_and(|message| message.message_type == MessageType::File)
                && all
                    .saying("The contract")
                    .is_some_and(|message| message.metadata["attachments"][0]["name"] == "contract [2].pdf")
        }),
        cell(Feature::Members, Outcome::Absent, |_| true),
        cell(Feature::Bot, Outcome::Absent, |_| true),
        // The program leaves out disappearing messages by default.
        cell(Feature::Disappearing, Outcome::Absent, |_| true),
        cell(Feature::Call, Outcome::Kept, |all| {
            all.saying("Outgoing video call").is_some_and(|message| message.message_type == MessageType::Notice)
        }),
        cell(Feature::Poll, Outcome::Absent, |_| true),
    ]
}

pub(crate) fn folders() -> Format {
    Format {
        name: "Signal, of signal-export",
        kind: SourceKind::Signal,
        export: "signal-export/export",
        grown: "signal-export/grown/export",
        me: None,
        cells: cells(Outcome::Kept),
    }
}

pub(crate) fn page() -> Format {
    Format {
        name: "Signal, a page of signal-export",
        kind: SourceKind::Signal,
        export: "signal-export/page",
        grown: "signal-export/page-grown",
        me: None,
        cells: cells(Outcome::Absent),
    }
}

#[test]
fn the_chats_of_an_export_give_their_messages_once() {
    check(
        &fixture("signal-export/export"),
        None,
        expect![[r##"
        # h-73abaa7d2ce4abd0 “Ana Lima” signal h-73abaa7d2ce4abd0 private
        h-a0e5fe5162b12805 2026-01-09T12:00:00 local AnaLima <AnaLima> person: Are you coming on Saturday?
        h-b263f08d1b1d4e0d 2026-01-09T12:00:02 local Me <self> owner {"quoted":"Are you coming on Saturday?\nOr not?","reactions":[{"emoji":"👍","count":1,"by":["AnaLima"]},{"emoji":"🌻","count":1,"by":["Me"]}]}: Yes, and honey 🍯
        h-14f1eb281c37f82d 2026-01-09T12:00:03 local AnaLima <AnaLima> person: Two lines\n\nand a gap
        h-4ad466f334754f84 2026-01-09T12:00:04 local AnaLima <AnaLima> person file {"attachments":[{"name":"hive one.jpg"},{"name":"plan.pdf"}]}: hive one.jpg, plan.pdf
        h-849d4619cfb16f45 2026-01-09T12:00:05 local Me <self> owner {"attachments":[{"name":"contract [2].pdf"}],"reactions":[{"emoji":"🔥","count":1,"by":["AnaLima"]}]}: The contract
        h-12a509f3c4c61240 2026-01-09T12:00:09 local Signal <Signal> system notice {"actor":{"name":"AnaLima","handle":"AnaLima"}}: Missed voice call
        h-5d8b56c054fbdb35 2026-01-09T12:00:10 local Signal <Signal> system notice {"actor":{"name":"Me","handle":"self"}}: Outgoing video call (accepted, 12m 3s)
        h-24860b03d33bc3ac 2026-01-09T12:00:11 local AnaLima <AnaLima> person {"is_edited":true}: I have three, not two
        h-969c69bdb4a5061e 2026-01-09T12:00:13 local Me <self> owner: Same words
        h-969c69bdb4a5061e-2 2026-01-09T12:00:13 local Me <self> owner: Same words
        # h-085754b6354d42e8 “Bees” signal h-085754b6354d42e8 private
        h-c53b16023e0201ee 2026-01-09T12:00:20 local Bo <Bo> person: Who has a spare hive?
        h-e46f1141b5cfc65c 2026-01-09T12:00:21 local somebody <No-Sender> person: From a group that changed
        h-c39490778bd61ced 2026-01-09T12:00:22 local Me <self> owner: Look: [2026-01-09 12:00:00] Bo: is how it writes
        h-273e8e07016a9520 2026-01-09T12:01:00 local Bo <Bo> person: Broken � emoji
        h-19c55e495ae9a75a 2026-01-09T12:01:00 inferred Bo <Bo> person: No time
        skipped 3 malformed: [1]
        skipped 2 missing_field: {"date":null,"sender":"Bo","body":"No date  ","quote":"","sticker":"","reactions":[],"attachments":[]}
        skipped 1 empty: {"date": "2026-01-09T12:00:12.123000", "sender": "AnaLima", "body": "  ", "quote": "", "sticker": null, "reactions": []…
        skipped 2 repeated: Ana Lima/chat.md
        skipped 2 media_placeholder: {"date": "2026-01-09T12:00:06.123000", "sender": "AnaLima", "body": "  ", "quote": "", "sticker": {"id": "3", "packId":…
        skipped 1 deleted: {"date": "2026-01-09T12:00:08.123000", "sender": "AnaLima", "body": "  ", "quote": "", "sticker": null, "reactions": []…
    "##]],
    );
}

#[test]
fn a_page_alone_gives_the_messages_of_its_chat() {
    check(
        &fixture("signal-export/page/Ana Lima/chat.md"),
        None,
        expect![[r##"
        # h-73abaa7d2ce4abd0 “Ana Lima” signal h-73abaa7d2ce4abd0 private
        h-854606244cf9c64f 2026-01-09T12:00:00 local AnaLima <AnaLima> person: Are you coming on Saturday?
        h-d987768c4ce5f7b0 2026-01-09T12:00:02 local Me <self> owner {"quoted":"Are you coming on Saturday?\nOr not?","reactions":[{"emoji":"👍","count":1,"by":["AnaLima"]},{"emoji":"🌻","count":1,"by":["Me"]}]}: Yes, and honey 🍯
        h-db05077a3c67b396 2026-01-09T12:00:03 local AnaLima <AnaLima> person: Two lines\n\nand a gap
        h-3e857240b0f23eb8 2026-01-09T12:00:04 local AnaLima <AnaLima> person file {"attachments":[{"name":"hive one.jpg"},{"name":"plan.pdf"}]}: hive one.jpg, plan.pdf
        h-0ed909fe48fa2999 2026-01-09T12:00:05 local Me <self> owner {"attachments":[{"name":"contract [2].pdf"}],"reactions":[{"emoji":"🔥","count":1,"by":["AnaLima"]}]}: The contract
        h-a044e06d2d843289 2026-01-09T12:00:09 local Signal <Signal> system notice {"actor":{"name":"AnaLima","handle":"AnaLima"}}: Missed voice call
        h-b86e721f5f31a41c 2026-01-09T12:00:10 local Signal <Signal> system notice {"actor":{"name":"Me","handle":"self"}}: Outgoing video call (accepted, 12m 3s)
        h-0acb3164a46fa5d0 2026-01-09T12:00:11 local AnaLima <AnaLima> person: I have three, not two
        h-6b47272de099964a 2026-01-09T12:00:13 local Me <self> owner: Same words
        h-6b47272de099964a-2 2026-01-09T12:00:13 local Me <self> owner: Same words
        skipped 1 empty: [2026-01-09 12:00:12] AnaLima:   
        skipped 2 media_placeholder: [2026-01-09 12:00:06] AnaLima:   
        skipped 1 deleted: [2026-01-09 12:00:08] AnaLima: (This message was deleted)
    "##]],
    );
}

#[test]
fn one_chat_by_itself_is_the_same_chat() {
    let whole = read(&fixture("signal-export/export"), &options(None)).unwrap();
    for part in ["signal-export/export/Bees", "signal-export/export/Bees/data.json"] {
        let one = read(&fixture(part), &options(None)).unwrap();
        assert!(!one.messages.is_empty() && one.ids().is_subset(&whole.ids()), "{part}");
    }
}
