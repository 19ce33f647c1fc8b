//! Zed: compressed threads, what prompts mention, sub-agents, threads that somebody shared, and text threads.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};

use super::{Cell, Feature, Format, Outcome, cell, check, fixture, options, read};

pub(super) fn format() -> Format {
    Format {
        name: "Zed",
        kind: SourceKind::Zed,
        export: "zed/threads.sql",
        grown: "zed/threads-later.sql",
        me: None,
        cells: cells(),
    }
}

fn cells() -> Vec<Cell> {
    vec![
        cell(Feature::Author, Outcome::Read, |found| {
            found.saying("Biene").is_some_and(|message| message.author.role == Role::Owner)
                && found.saying("never said this").is_some_and(|message| message.author.role == Role::Person)
        }),
        cell(Feature::Time, Outcome::Read, |found| {
            found
                .saying("Biene")
                .is_some_and(|message| message.time.0 == 1_767_607_200_000 && message.time_certainty == TimeCertainty::Inferred)
        }),
        cell(Feature::Reply, Outcome::Read, |found| {
            found.saying("hive**").is_some_and(|message| message.reply_to.as_deref() == Some("u-1"))
        }),
        cell(Feature::Thread, Outcome::Absent, |_| true),
        cell(Feature::Edit, Outcome::Absent, |_| true),
        cell(Feature::Deletion, Outcome::Absent, |_| true),
        cell(Feature::Forward, Outcome::Absent, |_| true),
        cell(Feature::Reaction, Outcome::Absent, |_| true),
        cell(Feature::Attachment, Outcome::Kept, |found| {
            found.saying("Read @notes.md").is_some_and(|message| message.metadata.contains_key("attachments"))
        }),
        cell(Feature::Members, Outcome::Absent, |_| true),
        cell(Feature::Bot, Outcome::Read, |found| {
            found.saying("hive**").is_some_and(|message| message.author.role == Role::Assistant)
        }),
        cell(Feature::Disappearing, Outcome::Absent, |_| true),
        cell(Feature::Call, Outcome::Absent, |_| true),
        cell(Feature::Poll, Outcome::Absent, |_| true),
    ]
}

#[test]
fn a_database_is_read_with_threads_of_every_form() {
    check(
        &fixture("zed/threads.sql"),
        None,
        expect![[r##"
            # 1111-main “Bienen & stings” chat /home/ana/hive private
            u-1 2026-01-05T10:00:00 inferred User <user> owner: Warum sticht die Biene? 🐝
            u-1#answer-1#0 2026-01-05T10:00:00 inferred Zed <claude-sonnet-4-5> assistant thinking reply-to=u-1 {"model":"claude-sonnet-4-5"}: To defend.
            u-1#answer-1 2026-01-05T10:00:00 inferred Zed <claude-sonnet-4-5> assistant reply-to=u-1 {"model":"claude-sonnet-4-5"}: To defend the **hive**.
            u-2 2026-01-05T10:00:00 inferred User <user> owner reply-to=u-1#answer-1 {"attachments":[{"name":"notes.md"},{"name":"sting"},{"name":"https://bees.example/"},{"name":"image"}]}: Read @notes.md and @sting, also @https://bees.example/ 
            u-2#answer-1#0 2026-01-05T10:00:00 inferred Zed <claude-sonnet-4-5> assistant tool_use reply-to=u-2 {"tool_use_id":"t1","model":"claude-sonnet-4-5"}: {"path":"notes.md"}
            u-2#answer-1#0-result 2026-01-05T10:00:00 inferred read_file <tool> tool tool_result reply-to=u-2 {"tool_use_id":"t1"}: I love bees
            u-2#answer-1#2 2026-01-05T10:00:00 inferred Zed <claude-sonnet-4-5> assistant tool_use reply-to=u-2 {"tool_use_id":"t2","model":"claude-sonnet-4-5"}: {"q":"bee"}
            u-2#answer-1#2-result 2026-01-05T10:00:00 inferred grep <tool> tool tool_result reply-to=u-2 {"tool_use_id":"t2","is_error":true}: nothing found
            u-2#answer-1 2026-01-05T10:00:00 inferred Zed <claude-sonnet-4-5> assistant reply-to=u-2 {"model":"claude-sonnet-4-5"}: I read it.
            u-2#answer-2 2026-01-05T10:00:00 inferred Zed <claude-sonnet-4-5> assistant reply-to=u-2#answer-1 {"model":"claude-sonnet-4-5"}: And on.
            u-3 2026-01-05T10:00:00 inferred User <user> owner file reply-to=u-2#answer-2 {"attachments":[{"name":"image"}]}: image
            u-6 2026-01-05T10:00:00 inferred User <user> owner reply-to=u-3: Broken � emoji
            # 2222-old “Older form” chat /home/ana/old private
            0 2026-01-06T09:00:00 inferred Zed <zed> system instruction: Answer kindly.
            1 2026-01-06T09:00:00 inferred User <user> owner: An old question
            2#0 2026-01-06T09:00:00 inferred Zed <llama3> assistant thinking reply-to=1 {"model":"llama3"}: Old thoughts
            2 2026-01-06T09:00:00 inferred Zed <llama3> assistant reply-to=1 {"model":"llama3"}: An old answer.
            2#call-0 2026-01-06T09:00:00 inferred Zed <llama3> assistant tool_use reply-to=1 {"tool_use_id":"o1","model":"llama3"}: {"a":1}
            2#call-0-result 2026-01-06T09:00:00 inferred find <tool> tool tool_result reply-to=1 {"tool_use_id":"o1"}: I love old tools
            4 2026-01-06T09:00:00 inferred User <user> owner reply-to=2: From version 0.1
            # 3333-sub “Sub-agent” chat zed private
            s-1 2026-01-05T10:00:00 inferred Zed <zed> assistant instruction: Count all bees and report.
            s-1#answer-1 2026-01-05T10:00:00 inferred Zed <claude-sonnet-4-5> assistant reply-to=s-1 {"model":"claude-sonnet-4-5"}: Seven.
            # 4444-shared “🔗 Shared” chat zed private
            h-1 2026-01-05T10:00:00 inferred someone else <someone else> person: I never said this
            h-1#answer-1 2026-01-05T10:00:00 inferred Zed <claude-sonnet-4-5> assistant reply-to=h-1 {"model":"claude-sonnet-4-5"}: Hello.
            skipped 4 malformed: 7
            skipped 2 missing_field: {"User": {"content": [{"Text": "No id"}]}}
            skipped 1 no_messages: Empty
            skipped 1 hidden: {"id": 3, "role": "user", "segments": [{"type": "text", "text": "Hidden words"}], "is_hidden": true}
            skipped 4 empty: a message
            skipped 1 repeated: The same id again
            skipped 1 not_a_message: "Resume"
        "##]],
    );
    check(
        &fixture("zed/first.sql"),
        None,
        expect![[r##"
        # 8888 “First” chat zed private
        f-1 2025-06-01T08:00:00 inferred User <user> owner: From the first table
        f-1#answer-1 2025-06-01T08:00:00 inferred Zed <claude-sonnet-4-5> assistant reply-to=f-1 {"model":"claude-sonnet-4-5"}: Yes.
    "##]],
    );
    let found = read(&fixture("zed/threads.sql"), &options(None)).unwrap();
    assert!(found.messages.iter().all(|message| !message.text.contains("I hate")), "what is mentioned is not read");
    let task = found.saying("Count all bees").unwrap();
    assert_eq!((task.author.role, task.message_type), (Role::Assistant, MessageType::Instruction));
}

#[test]
fn text_threads_are_read_without_what_commands_inserted() {
    check(
        &fixture("zed/Gr%C3%B6%C3%9Fe - 1.zed.json"),
        None,
        expect![[r##"
            # c0ffee-01 “Größe” chat zed private
            0-0 2026-01-01T00:00:00 inferred User <user> owner {"attachments":[{"name":"größe.md"}]}: /file größe.md\nWas steht da? 🐝
            0-3#thought-0 2026-01-01T00:00:00 inferred Zed <zed> assistant thinking reply-to=0-0: Let me see.
            0-3 2026-01-01T00:00:00 inferred Zed <zed> assistant reply-to=0-0: It is about size.
            skipped 2 malformed: 0-12
            skipped 3 missing_field: {    "start": 3   }
            skipped 1 empty: user
        "##]],
    );
    check(
        &fixture("zed/Old - 2.zed.json"),
        None,
        expect![[r#"
        # h-4556f6e7f8f25afa “Old” chat zed private
        0 2026-01-01T00:00:00 inferred User <user> owner: Hello
        1 2026-01-01T00:00:00 inferred Zed <zed> assistant reply-to=0: Hi
    "#]],
    );
}

#[test]
fn other_files_are_not_claimed() {
    let near = [
        r#"{"zed":"settings","version":"1","text":"x","messages":[]}"#,
        r#"{"version":"0.4.0","text":"\"zed\":\"context\"","messages":[{"start":0}]}"#,
    ];
    super::unclaimed(&near, SourceKind::Zed);
}
