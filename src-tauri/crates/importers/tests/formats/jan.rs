//! Jan: folders of threads, branches, files in prompts, and the older forms of reasoning and tools.

use expect_test::expect;
use keepsake_domain::{Role, SourceKind, TimeCertainty};
use keepsake_importers::SkipReason;

use super::{Cell, Feature, Format, Outcome, cell, check, fixture, options, read};

pub(super) fn format() -> Format {
    Format { name: "Jan", kind: SourceKind::Jan, export: "jan/first", grown: "jan/later", me: None, cells: cells() }
}

fn cells() -> Vec<Cell> {
    vec![
        cell(Feature::Author, Outcome::Read, |found| {
            found.saying("Teig").is_some_and(|message| message.author.role == Role::Owner)
        }),
        cell(Feature::Time, Outcome::Read, |found| {
            found.saying("Teig").is_some_and(|message| message.time.0 == 1_767_607_200_000)
                && found.saying("No time").is_some_and(|message| message.time_certainty == TimeCertainty::Inferred)
        }),
        cell(Feature::Reply, Outcome::Read, |found| {
            found.saying("Tipo 00").is_some_and(|message| message.reply_to.as_deref() == Some("r1b"))
        }),
        cell(Feature::Thread, Outcome::Read, |found| {
            ["Which flour?", "Wheat", "Any flour"]
                .iter()
                .all(|words| found.saying(words).is_some_and(|message| message.is_branch))
                && ["Tipo", "for pizza", "without parent", "past the answer"]
                    .iter()
                    .all(|words| found.saying(words).is_some_and(|message| !message.is_branch))
        }),
        cell(Feature::Edit, Outcome::Absent, |_| true),
        cell(Feature::Deletion, Outcome::Absent, |_| true),
        cell(Feature::Forward, Outcome::Absent, |_| true),
        cell(Feature::Reaction, Outcome::Absent, |_| true),
        cell(Feature::Attachment, Outcome::Kept, |found| {
            found.saying("Read the recipe").is_some_and(|message| message.metadata.contains_key("attachments"))
        }),
        cell(Feature::Members, Outcome::Absent, |_| true),
        cell(Feature::Bot, Outcome::Read, |found| {
            found.saying("An hour").is_some_and(|message| message.author.role == Role::Assistant)
        }),
        cell(Feature::Disappearing, Outcome::Absent, |_| true),
        cell(Feature::Call, Outcome::Absent, |_| true),
        cell(Feature::Poll, Outcome::Absent, |_| true),
    ]
}

#[test]
fn threads_are_read_with_their_branches_and_tools() {
    check(
        &fixture("jan/first"),
        None,
        expect![[r##"
            # 01JBROKEN “untitled” chat jan private
            b1 2026-01-05T10:00:05Z User <user> owner: Its thread file is wrong
            # 01JPLAIN “Brot backen 🍞” chat proj-7 private
            instructions 2026-01-05T10:00:00Z Jan <jan> system instruction: You bake. Today is {{current_date}}.
            01A 2026-01-05T10:00:00Z User <user> owner: Wie lange geht der Teig?
            01B#0-thinking 2026-01-05T10:00:05Z Baker <jan> assistant thinking reply-to=01A: Dough: an hour.
            01B 2026-01-05T10:00:05Z Baker <jan> assistant reply-to=01A: An hour.
            01C 2026-01-05T10:00:10Z User <user> owner reply-to=01B {"attachments":[{"name":"image"},{"name":"recipe, old.pdf"},{"name":"salt.txt"}]}: Read the recipe
            01D#0 2026-01-05T10:00:15Z Baker <jan> assistant thinking reply-to=01C: The recipe says so.
            01D#1 2026-01-05T10:00:15Z Baker <jan> assistant tool_use reply-to=01C {"tool_use_id":"c1"}: {"path":"recipe"}
            01D#1-result 2026-01-05T10:00:15Z read_file <tool> tool tool_result reply-to=01C {"tool_use_id":"c1"}: I love yeast
            01D 2026-01-05T10:00:15Z Baker <jan> assistant reply-to=01C: Use **yeast**.
            01E#call-0 2026-01-05T10:00:20Z Old Baker <llama-2> assistant tool_use reply-to=01D {"tool_use_id":"x1","model":"llama-2"}: {"minutes":60}
            01E#result-0 2026-01-05T10:00:20Z timer <tool> tool tool_result reply-to=01D {"tool_use_id":"x1"}: ringing
            01E 2026-01-05T10:00:20Z Old Baker <llama-2> assistant reply-to=01D {"model":"llama-2"}: Old tools
            01H 2026-01-05T10:00:35Z tool <tool> tool tool_result reply-to=01E {"tool_use_id":"c9"}: Result of a tool
            01I 2026-01-05T10:00:36Z Jan <jan> system instruction reply-to=01H: Speak slowly.
            01J 2026-01-05T10:00:36 inferred User <user> owner reply-to=01H: No time was written
            h-9dd91e9a4e1460a0 2026-01-05T10:01:00Z User <user> owner reply-to=01J: A message without an id
            01L 2026-01-05T10:01:05Z User <user> owner reply-to=h-9dd91e9a4e1460a0: A plain text
            01N 2026-01-05T10:01:10Z User <user> owner reply-to=01L: Broken � emoji
            # 01JTREE “Pizza” chat jan private
            r1 2026-01-05T10:00:00Z User <user> owner: Which flour?
            r2 2026-01-05T10:00:01Z Jan <jan> assistant reply-to=r1: Wheat.
            r1b 2026-01-05T10:00:02Z User <user> owner: Which flour for pizza?
            r3 2026-01-05T10:00:03Z Jan <jan> assistant reply-to=r1b: Tipo 00.
            r4 2026-01-05T10:00:04Z Jan <jan> assistant reply-to=r1b: Any flour.
            r5 2026-01-05T10:00:05Z User <user> owner reply-to=r3: Thanks
            r6 2026-01-05T10:00:06Z Jan <jan> assistant reply-to=r5: An answer without parent.
            r7 2026-01-05T10:00:07Z User <user> owner reply-to=r6: Linked past the answer
            skipped 1 malformed: [1,2]
            skipped 1 missing_field: [{"type": "text", "text": {"value": "Nobody's words", "annotations": []}}]
            skipped 1 no_messages: Nothing yet
            skipped 2 empty: user
            skipped 1 repeated: The same id again
            skipped 1 not_a_message: [   "no object" ]
            skipped 1 service_error: "Out of memory"
            skipped 1 other_kind: readme.txt
        "##]],
    );
    let found = read(&fixture("jan/first"), &options(None)).unwrap();
    assert!(found.skipped(SkipReason::ServiceError) && found.skipped(SkipReason::NoMessages));
    assert!(found.messages.iter().all(|message| !message.text.contains("I hate salt")), "the text of a file is not read");
}

#[test]
fn the_folder_of_one_thread_is_an_export_too() {
    let found = read(&fixture("jan/first/threads/01JTREE"), &options(None)).unwrap();
    assert_eq!(found.messages.len(), 8);
    assert!(found.messages.iter().all(|message| message.source.conversation == "01JTREE"));
}
