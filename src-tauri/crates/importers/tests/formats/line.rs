//! Chats exported by LINE. The fixture has messages of several lines in every form, LINE's own phrases in two languages, dates
//! that only the day of the week makes clear, and a date that nothing makes clear.

use expect_test::expect;

use super::*;

pub(crate) fn format() -> Format {
    Format {
        name: "LINE",
        kind: SourceKind::Line,
        export: "line/bees.txt",
        grown: "line/bees-later.txt",
        me: Some("Mara"),
        cells: vec![
            cell(Feature::Author, Outcome::Read, |all| {
                all.saying("Yes!").is_some_and(|message| message.author.role == Role::Owner)
                    && all.saying("paint the hives").is_some_and(|message| message.author.name == "Ana Lima")
            }),
            cell(Feature::Time, Outcome::Read, |all| {
                all.saying("Yes!").is_some_and(|message| {
                    message.time == Timestamp(1_767_906_360_000) && message.time_certainty == TimeCertainty::LocalAssumed
                })
            }),
            cell(Feature::Reply, Outcome::Absent, |_| true),
            cell(Feature::Thread, Outcome::Absent, |_| true),
            cell(Feature::Edit, Outcome::Absent, |_| true),
            cell(Feature::Deletion, Outcome::LeftOut, |all| all.skipped(SkipReason::Deleted)),
            cell(Feature::Forward, Outcome::Absent, |_| true),
            cell(Feature::Reaction, Outcome::Absent, |_| true),
            cell(Feature::Attachment, Outcome::Kept, |all| {
                all.saying("list.pdf").is_some_and(|message| message.message_type == MessageType::File)
            }),
            cell(Feature::Members, Outcome::Kept, |all| {
                all.saying("added Chidi").is_some_and(|message| message.metadata["joined"][1]["name"] == "Dita")
            }),
            cell(Feature::Bot, Outcome::Absent, |_| true),
            cell(Feature::Disappearing, Outcome::Absent, |_| true),
            cell(Feature::Call, Outcome::Kept, |all| all.saying("Call, 12 minutes 3 seconds").is_some()),
            cell(Feature::Poll, Outcome::LeftOut, |all| all.skipped(SkipReason::Poll)),
        ],
    }
}

#[test]
fn every_line_of_a_line_chat_is_told_or_counted() {
    check(
        &fixture("line/bees.txt"),
        Some("Mara"),
        expect![[r##"
        # 8fb45414ab378bca “Bees & Friends 蜂” line 8fb45414ab378bca private
        h-e352546427ac589a 2026-01-08T00:01:00 local Mara <Mara> owner: after midnight of the same day\n10:99PM	Mara	no such time
        h-e683c2da1948260c 2026-01-08T21:05:00 local Ana Lima <Ana Lima> person: Shall we paint the hives?
        h-e683c2da1948260c-2 2026-01-08T21:05:00 local Ana Lima <Ana Lima> person: Shall we paint the hives?
        h-e5b4df71cfc6180a 2026-01-08T21:06:00 local Mara <Mara> owner: Yes! 🐝
        h-ad8d292c35f51be9 2026-01-08T21:07:00 local Bo 🐝 <Bo 🐝> person: The list:\n- blue paint\n- a "big" brush\n\nFri, 09/01/2026\nis when the shop is open
        h-fda11c844db2a0df 2026-01-08T21:08:00 local LINE <LINE> system notice {"joined":[{"name":"Chidi","handle":"Chidi"},{"name":"Dita","handle":"Dita"}]}: Ana Lima added Chidi, Dita to the group.
        h-3437a3f71ba9f5ea 2026-01-08T21:08:00 local LINE <LINE> system notice {"joined":[{"name":"Eve","handle":"Eve"}]}: Eve joined the group.
        h-fa494ea893a42dba 2026-01-08T21:09:00 local LINE <LINE> system notice {"left":[{"name":"Eve","handle":"Eve"}]}: Eve left the group.
        h-b2c58ee48a3b816a 2026-01-08T21:09:00 local LINE <LINE> system notice: Mara changed the group's picture.
        h-860ca91cf71f8ace 2026-01-08T21:11:00 local Ana Lima <Ana Lima> person file {"attachments":[{"name":"list.pdf"}]}: list.pdf
        h-16f2ce17cc057dca 2026-01-08T21:11:00 local LINE <LINE> system notice {"actor":{"name":"Mara","handle":"Mara"}}: Call, 12 minutes 3 seconds
        h-93e5c1c68d99ae87 2026-01-08T21:12:00 local LINE <LINE> system notice {"actor":{"name":"Ana Lima","handle":"Ana Lima"}}: Call
        h-f1bad3004c65ff0c 2026-01-08T21:14:00 local Ana Lima <Ana Lima> person: Bo joined the group. That is what I wrote
        h-30359f6c0c8609ba 2026-01-08T21:14:00 local Ana Lima <Ana Lima> person: words with	a tab
        h-cc670b7a88b0697e 2026-01-08T21:15:00 local Ana Lima <Ana Lima> person: "Only" one line in quotes
        h-66ebcaeb82ed134b 2026-01-08T21:15:00 local Bo 🐝 <Bo 🐝> person: "never closed
        h-adbeb244b4b7a997 2026-01-08T21:16:00 local Mara <Mara> owner: two lines without\nquotes
        h-824eb4a2afc5bd39 2026-01-09T00:05:00 local Ana Lima <Ana Lima> person: five past midnight
        h-d8a704dd9ddb8e89 2026-01-09T08:00:00 local Bo 🐝 <Bo 🐝> person: "a mark that stays open
        h-86d4ba8d156c1e7e 2026-01-10T09:00:00 local Ana Lima <Ana Lima> person: The next day
        h-6e09cabaefe8bf77 2026-01-10T10:00:00 local Mara <Mara> owner: "ends with "a word" here"
        h-296bdf8ea366454c 2026-01-11T10:00:00 local Mara <Mara> owner: See you there, https://bees.example
        skipped 1 missing_field: 9:00AM Ana Lima a day that cannot be told from its month
        skipped 2 empty: 9:17PM Mara 
        skipped 2 media_placeholder: 9:10PM Ana Lima [Sticker]
        skipped 2 deleted: 9:12PM  Bo 🐝 unsent a message.
        skipped 1 poll: 9:13PM Bo 🐝 [Poll] Which blue?
    "##]],
    );
}

#[test]
fn what_line_writes_in_japanese_is_understood() {
    check(
        &fixture("line/japanese.txt"),
        Some("Mara"),
        expect![[r##"
        # 58d32f1ba98f161f “Ana” line 58d32f1ba98f161f private
        h-d700519e5503d5cc 2026-01-08T21:05:00 local Ana <Ana> person: こんにちは
        h-ea8cce05f8368f1b 2026-01-08T21:08:00 local LINE <LINE> system notice {"actor":{"name":"Mara","handle":"Mara"}}: Call, 1 hour 2 minutes
        h-2c0d3024e1b675c5 2026-01-08T21:09:00 local LINE <LINE> system notice {"joined":[{"name":"Bo","handle":"Bo"}]}: Boがグループに参加しました。
        skipped 1 media_placeholder: 午後9:07 Mara [スタンプ]
        skipped 1 deleted: 午後9:06  Anaがメッセージの送信を取り消しました
    "##]],
    );
}

#[test]
fn a_chat_in_a_language_whose_words_are_unknown_is_read_by_its_shape() {
    check(
        &fixture("line/indonesian.txt"),
        Some("Mara"),
        expect![[r#"
        # ea0ed3c5979a1c46 “Riwayat obrolan dengan Ana Lima” line ea0ed3c5979a1c46 private
        h-4e22af45de9e0b7b 2026-01-13T22:05:00 local Ana Lima <Ana Lima> person: Hai
        h-86aeb2f12de095e5 2026-01-13T22:06:00 local Mara <Mara> owner: Halo
        h-4882a0052c432536 2026-01-13T22:07:00 local LINE <LINE> system notice: Ana Lima keluar
    "#]],
    );
}
