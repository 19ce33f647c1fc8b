//! Cursor: the database with chats and bubbles, sub-agents, messages that were taken back, and the Markdown export.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};
use keepsake_importers::{SkipReason, sniff};

use super::{Cell, Feature, Format, Outcome, cell, check, fixture, options, read};

pub(super) fn format() -> Format {
    Format {
        name: "Cursor",
        kind: SourceKind::Cursor,
        export: "cursor/state.sql",
        grown: "cursor/state-later.sql",
        me: None,
        cells: cells(),
    }
}

fn cells() -> Vec<Cell> {
    vec![
        cell(Feature::Author, Outcome::Read, |found| {
            found.saying("Bienenstock").is_some_and(|message| message.author.role == Role::Owner)
        }),
        cell(Feature::Time, Outcome::Read, |found| {
            found.saying("Bienenstock").is_some_and(|message| message.time.0 == 1_767_607_260_000)
                && found.saying("No time").is_some_and(|message| message.time_certainty == TimeCertainty::Inferred)
        }),
        cell(Feature::Reply, Outcome::Read, |found| {
            found.saying("And in @spring").is_some_and(|message| message.reply_to.as_deref() == Some("b5"))
        }),
        cell(Feature::Thread, Outcome::Absent, |_| true),
        cell(Feature::Edit, Outcome::Absent, |_| true),
        cell(Feature::Deletion, Outcome::LeftOut, |found| {
            found.skipped(SkipReason::Deleted)
                && found.saying("took this back").is_none()
                && found.saying("deleted chat").is_none()
        }),
        cell(Feature::Forward, Outcome::Absent, |_| true),
        cell(Feature::Reaction, Outcome::Absent, |_| true),
        cell(Feature::Attachment, Outcome::Kept, |found| {
            found.saying("Bienenstock").is_some_and(|message| message.metadata.contains_key("attachments"))
                && found.saying("only a picture").is_some_and(|message| message.message_type == MessageType::File)
        }),
        cell(Feature::Members, Outcome::Absent, |_| true),
        cell(Feature::Bot, Outcome::Read, |found| {
            found.saying("**winter**").is_some_and(|message| message.author.role == Role::Assistant)
        }),
        cell(Feature::Disappearing, Outcome::Absent, |_| true),
        cell(Feature::Call, Outcome::Absent, |_| true),
        cell(Feature::Poll, Outcome::Absent, |_| true),
    ]
}

#[test]
fn a_database_is_read_with_its_chats_and_bubbles() {
    check(
        &fixture("cursor/state.sql"),
        None,
        expect![[r##"
        # aaaa-0001 “Bienen & hives” chat cursor private
        b1 2026-01-05T10:01:00Z User <user> owner {"attachments":[{"name":"hive.rs"},{"name":"bees"},{"name":"hive photo.png"},{"name":"image"}]}: Warum ist der Bienenstock leer? 🐝 @hive.rs
        b2#thinking 2026-01-05T10:02:00Z Cursor <gpt-5> assistant thinking reply-to=b1 {"model":"gpt-5"}: Winter, perhaps.
        b3 2026-01-05T10:03:00Z Cursor <gpt-5> assistant reply-to=b2#thinking {"model":"gpt-5"}: I look.
        b3#call 2026-01-05T10:03:00Z Cursor <gpt-5> assistant tool_use reply-to=b2#thinking {"tool_use_id":"tc1","model":"gpt-5"}: {"targetFile":"hive.rs"}
        b3#result 2026-01-05T10:03:00Z read_file_v2 <tool> tool tool_result reply-to=b2#thinking {"tool_use_id":"tc1"}: {"contents":"I love bees"}
        b4#call 2026-01-05T10:04:00Z Cursor <gpt-5> assistant tool_use reply-to=b3 {"tool_use_id":"tc2","model":"gpt-5"}: {"command":"ls"}
        b4#result 2026-01-05T10:04:00Z run_terminal_cmd <tool> tool tool_result reply-to=b3 {"tool_use_id":"tc2","is_error":true}: no such folder
        b5 2026-01-05T10:05:00Z Cursor <gpt-5> assistant reply-to=b4#result {"model":"gpt-5"}: It is **winter**.
        b6 2026-01-05T10:06:00Z User <user> owner reply-to=b5: And in @spring?
        b7 2026-01-05T10:06:05Z Cursor <gpt-5> assistant reply-to=b6 {"model":"gpt-5"}: Then they come back.
        b8 2026-01-05T10:07:00Z User <user> owner command reply-to=b7: /summarize
        b9 2026-01-05T10:08:00Z User <user> owner reply-to=b8: /usr/bin/bees is missing
        b10 2026-01-05T10:08:00 inferred Cursor <gpt-5> assistant reply-to=b9 {"model":"gpt-5"}: No time is written here.
        b14 2026-01-05T10:10:00Z User <user> owner file reply-to=b10 {"attachments":[{"name":"only a picture.png"}]}: only a picture.png
        b15 2026-01-05T10:11:00Z User <user> owner reply-to=b14: Broken � emoji
        # bbbb-0002 “Inline” chat cursor private
        i1 2026-01-05T10:00:00 inferred User <user> owner: An older chat
        i2 2026-01-05T10:00:00 inferred Cursor <claude-4.5-sonnet> assistant reply-to=i1 {"model":"claude-4.5-sonnet"}: With its messages inside.
        # cccc-0003 “untitled” chat cursor private
        s1 2026-01-05T10:01:00Z Cursor <cursor> assistant instruction: Explore the code and report.
        s2 2026-01-05T10:02:00Z Cursor <claude-4.5-sonnet> assistant reply-to=s1 {"model":"claude-4.5-sonnet"}: Done.
        # task-toolu_1 “A task” chat cursor private
        k1 2026-01-05T10:01:00Z Cursor <cursor> assistant instruction: Count the bees for me.
        skipped 2 malformed: no json
        skipped 4 missing_field: Neither of us
        skipped 1 no_messages: Draft
        skipped 2 empty: a prompt
        skipped 1 repeated: Warum ist der Bienenstock leer? 🐝 @hive.rs
        skipped 5 deleted: bubbleId:aaaa-0001:b-missing
    "##]],
    );
    let found = read(&fixture("cursor/state.sql"), &options(None)).unwrap();
    assert!(found.messages.iter().all(|message| !message.text.contains("I hate")), "files and context are not read");
    let task = ["Explore the code", "Count the bees"].map(|words| found.saying(words).unwrap());
    assert!(
        task.iter().all(|message| message.author.role == Role::Assistant),
        "what a program asks a sub-agent is not the owner's"
    );
}

#[test]
fn a_markdown_export_is_read_and_gives_the_same_ids_when_it_grew() {
    let path = fixture("cursor/cursor_bienen.md");
    check(
        &path,
        None,
        expect![[r#"
        # h-9fe1b7b9c15ab079 “Bienen zählen” chat cursor private
        h-cc9c71d2ea66b8af 2026-01-01T00:00:00 inferred User <user> owner: Wie zähle ich Bienen? 🐝\n\nOne rule:\n\n---\n\nNo rule follows.
        h-7a2b84f1e36d2b6f 2026-01-01T00:00:00 inferred Cursor <cursor> assistant reply-to=h-cc9c71d2ea66b8af: Count the **wings**.\n```md\n---\n**User**x\n```
        h-d8b97b08c803380a 2026-01-01T00:00:00 inferred User <user> owner reply-to=h-7a2b84f1e36d2b6f: Thanks
        h-d8b97b08c803380a-2 2026-01-01T00:00:00 inferred User <user> owner reply-to=h-d8b97b08c803380a: Thanks
        skipped 1 empty: assistant
    "#]],
    );
    let folder = tempfile::tempdir().unwrap();
    let later = folder.path().join("later.md");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&later, format!("{text}\n**Cursor**\n\nYou are welcome.\n\n---\n")).unwrap();
    let (before, after) = (read(&path, &options(None)).unwrap(), read(&later, &options(None)).unwrap());
    assert!(before.ids().is_subset(&after.ids()) && after.ids().len() == before.ids().len() + 1);
}

#[test]
fn other_files_are_not_claimed() {
    let near = [
        "# Notes\n_Exported on Monday from Notes (1)_\n\n---\n\n**User**\n\nHello\n",
        "# Notes\n\n_Exported on Monday from Cursor (1)_\n\n---\n\n**User**\n\nHello\n",
        "# Notes\n_Exported on Monday from Cursor (1)_\n\nHello\n",
    ];
    super::unclaimed(&near, SourceKind::Cursor);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE ItemTable (key TEXT, value BLOB)").unwrap();
    assert!(sniff(&path).is_err(), "VS Code has the other table as well");
}
