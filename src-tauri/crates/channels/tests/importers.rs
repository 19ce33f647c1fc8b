//! Every importer on fixtures: one `check` a quirk, the messages as one line each.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use keepsake_channels::{ImportOptions, Read, Sink, Stop, read_path};
use keepsake_domain::{Message, TimeCertainty, Timestamp};

/// Collects what an importer hands out.
#[derive(Default)]
struct Collect {
    messages: Vec<Message>,
    skips: Vec<keepsake_channels::Skip>,
}

impl Sink for Collect {
    fn take(&mut self, read: Read) -> Result<(), Stop> {
        match read {
            Read::Message(message) => self.messages.push(message),
            Read::Skipped(skip) => self.skips.push(skip),
        }
        Ok(())
    }

    fn progress(&mut self, _: u64, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures").join(name)
}

/// 2026-01-01T00:00:00Z, the time of every fixture.
const FILE_TIME: Timestamp = Timestamp(1_767_225_600_000);

fn options() -> ImportOptions {
    ImportOptions::new(FILE_TIME)
}

/// One line a message: conversation/id, time, author, type, marks, text; then skips and the report.
fn shown(path: &Path, options: &ImportOptions) -> String {
    let mut collect = Collect::default();
    let report = match read_path(path, options, &mut collect) {
        Ok(report) => report,
        Err(error) => {
            assert!(collect.messages.is_empty(), "a refused file hands out nothing");
            return format!("error: {}\n", error.to_string().replace(&path.display().to_string(), "FILE"));
        }
    };
    let mut out = String::new();
    for message in &collect.messages {
        let Message { source, time, author, text, message_type, tool, reply_to, metadata, .. } = message;
        let certainty = match message.time_certainty {
            TimeCertainty::Exact => "",
            TimeCertainty::LocalAssumed => "~",
            TimeCertainty::Inferred => "?",
        };
        let mut marks = String::new();
        if message.is_branch {
            marks += " branch";
        }
        if message.is_private {
            marks += " private";
        }
        if let Some(tool) = tool {
            let _ = write!(marks, " tool={tool}");
        }
        if let Some(reply_to) = reply_to {
            let _ = write!(marks, " re={reply_to}");
        }
        let metadata = if metadata.is_empty() { String::new() } else { format!(" {}", serde_json::to_string(metadata).unwrap()) };
        let _ = writeln!(
            out,
            "{}/{} {}{certainty} {}({}) {message_type}{marks}: {text:?}{metadata}",
            source.conversation,
            source.message,
            chrono::DateTime::from_timestamp_millis(time.0).unwrap().format("%Y-%m-%dT%H:%M:%S%.f"),
            author.name,
            author.role,
        );
    }
    let skipped: u64 = collect.skips.iter().map(|skip| skip.count).sum();
    for skip in &collect.skips {
        let _ = writeln!(out, "skipped {} {}: {:?}", skip.count, skip.reason.name(), skip.sample);
    }
    assert_eq!(report.skipped, skipped, "every skip is told");
    assert_eq!(report.emitted, collect.messages.len() as u64, "every message is counted");
    assert_eq!(report.seen, report.emitted + report.skipped, "nothing is lost silently");
    let _ = writeln!(out, "{}: {} conversations, {} seen", report.kind, report.conversations, report.seen);
    out
}

fn check(name: &str, options: ImportOptions, expect: Expect) {
    expect.assert_eq(&shown(&fixture(name), &options));
}

#[test]
fn chatgpt_shows_one_thread_and_keeps_the_other_branches() {
    check(
        "chatgpt/branches.json",
        options(),
        expect![[r#"
        c-branch/u1 2025-10-09T08:53:21 User(owner) text: "I moved to Bergen in May."
        c-branch/a1b 2025-10-09T08:53:23 ChatGPT(assistant) text branch re=u1: "A first answer, regenerated away."
        c-branch/a1 2025-10-09T08:53:25 ChatGPT(assistant) text re=u1: "Bergen has fine trails." {"model_slug":"gpt-5"}
        c-branch/u2b 2025-10-09T08:53:27 User(owner) text branch re=a1: "I hate hills."
        c-branch/a2b 2025-10-09T08:53:28 ChatGPT(assistant) text branch re=u2b: "Then walk along the fjord."
        c-branch/u2 2025-10-09T08:53:32 User(owner) text re=a1: "I love hills."
        c-branch/a2 2025-10-09T08:53:34.625 ChatGPT(assistant) text re=u2: "Then take Ulriken."
        c-notcurrent/x 2025-10-09T08:53:21 User(owner) text: "latest leaf wins"
        c-notcurrent/y 2025-10-09T08:53:22 ChatGPT(assistant) text branch re=x: "early"
        c-notcurrent/z 2025-10-09T08:53:29 ChatGPT(assistant) text re=x: "late"
        skipped 1 hidden: ""
        chatgpt: 2 conversations, 11 seen
    "#]],
    );
}

#[test]
fn chatgpt_hidden_nodes_are_skipped_and_custom_instructions_kept() {
    check(
        "chatgpt/modern.json",
        options(),
        expect![[r#"
        c-modern/ctx 2025-10-09T08:53:21? User(owner) instruction: "I am a nurse in Graz.\nAnswer briefly." {"is_visually_hidden_from_conversation":true,"is_user_system_message":true}
        c-modern/u 2025-10-09T08:53:21 User(owner) text re=ctx: "Which shift pattern suits two toddlers?"
        c-modern/x 2025-10-09T08:53:23 web(tool) tool_result tool=web re=u: "Results"
        c-modern/a 2025-10-09T08:53:24 ChatGPT(assistant) text re=x: "Fixed mornings." {"channel":"final","status":"in_progress"}
        c-private/u 2025-10-09T08:53:30 User(owner) text private: "This stays out of memory."
        c-project/u 2025-10-09T08:53:30 User(owner) text: "Project talk." {"gizmo_id":"g-p-12ab"}
        c-legacy/s 2025-10-09T08:53:40? User(owner) instruction: "I keep bees.\nUse metric units." {"is_user_system_message":true,"user_context_message_data":{"about_user_message":"I keep bees.","about_model_message":"Use metric units."},"is_visually_hidden_from_conversation":true}
        c-legacy/u 2025-10-09T08:53:40 User(owner) text re=s: "How many frames?"
        skipped 1 tool_traffic: "search('shift patterns')"
        chatgpt: 4 conversations, 9 seen
    "#]],
    );
}

#[test]
fn chatgpt_content_types() {
    check(
        "chatgpt/content_types.json",
        options(),
        expect![[r#"
        c-types/n0 2025-10-09T08:53:20 User(owner) text: "What plant is this?" {"files":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-abc","width":10}]}
        c-types/n1 2025-10-09T08:53:21 User(owner) file re=n0: "garden.png" {"attachments":[{"name":"garden.png","id":"file-def"}],"files":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-def"}]}
        c-types/n2 2025-10-09T08:53:22 User(owner) voice re=n1: "I spoke this aloud." {"files":[{"content_type":"audio_asset_pointer","asset_pointer":"sediment://x"}]}
        c-types/n3 2025-10-09T08:53:23 ChatGPT(assistant) thinking re=n2: "Weighing\nIt may be ivy."
        c-types/n4 2025-10-09T08:53:24 ChatGPT(assistant) thinking re=n3: "Thought for 4 seconds"
        c-types/n5 2025-10-09T08:53:25 ChatGPT(assistant) tool_use tool=python re=n4: "print(1)"
        c-types/n6 2025-10-09T08:53:26 python(tool) tool_result tool=python re=n5: "1\n"
        c-types/n7 2025-10-09T08:53:27 browser(tool) tool_result tool=browser re=n6: "Ivy\nexample.org\nA quotation."
        c-types/n8 2025-10-09T08:53:28 ChatGPT system(system) notice re=n7: "User likes ivy."
        c-types/n9 2025-10-09T08:53:29 ChatGPT(assistant) unknown re=n8: "shimmering" {"content_type":"hologram_v2","content":{"content_type":"hologram_v2","payload":{"a":[1,2]},"text":"shimmering"}}
        c-types/n10 2025-10-09T08:53:30 ChatGPT system(system) notice tool=web re=n9: "tool_error\nTimed out"
        c-types/n11 2025-10-09T08:53:31 User(owner) text re=n10: "two\nparts"
        c-types/n13 2025-10-09T08:53:33 ChatGPT(assistant) text re=n11: "Ivy."
        skipped 1 empty: ""
        chatgpt: 1 conversations, 14 seen
    "#]],
    );
}

#[test]
fn chatgpt_broken_trees_are_repaired() {
    check(
        "chatgpt/repairs.json",
        options(),
        expect![[r#"
        c-nochildren/u0 2025-10-09T08:53:21 User(owner) text: "no children lists, no metadata"
        c-nochildren/a0 2025-10-09T08:53:22 ChatGPT(assistant) text re=u0: "still one thread"
        c-cycle/p 2025-10-09T08:53:21 User(owner) text branch re=q: "a cycle of two"
        c-cycle/q 2025-10-09T08:53:22 ChatGPT(assistant) text: "ends somewhere"
        c-orphan/u 2025-10-09T08:53:21 User(owner) text: "before the gap"
        c-orphan/a 2025-10-09T08:53:22 ChatGPT(assistant) text re=u: "its parent is missing but the child list knows"
        c-orphan/v 2025-10-09T08:53:23 User(owner) text re=a: "nobody knows my parent"
        c-times/u 2025-10-09T08:55:00.988? User(owner) text: "no time, takes the next"
        c-times/s 2025-10-09T08:55:00.988? ChatGPT system(system) notice re=u: "visible system words do not break the chain"
        c-times/a 2025-10-09T08:55:00.988 ChatGPT(assistant) text re=s: "fractional"
        c-times/w 2025-10-09T08:55:00.988? User(owner) text re=a: "no time, takes the one above"
        c-times/z 2025-10-09T08:56:40.500 ChatGPT(assistant) text re=w: "time as text"
        c-notimes/u 2025-10-09T08:53:20.250? User(owner) text: "takes the conversation's"
        h-33cb422686c2c95b/only 2025-10-09T08:53:20 User(owner) text: "an id is made up"
        chatgpt: 6 conversations, 14 seen
    "#]],
    );
}

#[test]
fn chatgpt_bad_records_are_skipped_and_counted() {
    check(
        "chatgpt/bad_records.json",
        options(),
        expect![[r#"
        c-partly/u 2025-10-09T08:53:21 User(owner) text: "good"
        c-partly/e 2025-10-09T08:53:23 ChatGPT(assistant) text re=u: "also good"
        c-half/u 2025-10-09T08:53:21 User(owner) text: "café � and 😀"
        skipped 9 malformed: "42"
        skipped 2 no_messages: "Corrupted entry"
        chatgpt: 2 conversations, 14 seen
    "#]],
    );
}

#[test]
fn keepsake_jsonl_with_every_field_and_with_the_fewest() {
    check(
        "keepsake/fields.jsonl",
        ImportOptions { utc_offset_minutes: 120, ..options() },
        expect![[r#"
        trip/m1 2026-01-05T10:00:00 Ana(person) text: "Shall we go to Oslo?" {"mood":"happy","nested":{"a":[1,null]}}
        trip/m2 2026-01-05T10:01:00.500 Jo(owner) text re=m1: "Yes, I love trains."
        trip/m3 2026-01-05T10:02:00~ Bot(assistant) tool_use tool=search: "search trains"
        trip/m4 2026-01-05T10:03:00 search(tool) tool_result tool=search: "3 trains"
        trip/m5 2026-01-05T10:03:00? system(system) notice: "Ana left"
        few/h-6f36ef94e9ba9b46 2026-01-05T10:03:00? person(person) text: "hello"
        few/h-6f36ef94e9ba9b46-2 2026-01-05T10:03:00? person(person) text: "hello"
        few/h-2edc96432db58f77 2026-01-05T10:03:00? person(person) text private: "half � emoji" {"is_private":true}
        skipped 2 malformed: "{\"conversation\": broken"
        skipped 3 missing_field: "{\"conversation\": \"few\", \"role\": \"wizard\", \"text\": \"unknown role\"}"
        skipped 1 empty: "{\"conversation\": \"few\", \"role\": \"person\", \"text\": \"   \"}"
        keepsake: 2 conversations, 14 seen
    "#]],
    );
}

#[test]
fn keepsake_jsonl_interleaved_conversations_come_out_together_and_me_overrides() {
    check(
        "keepsake/interleaved.jsonl",
        ImportOptions { me: Some("ANA@example.org".into()), ..options() },
        expect![[r#"
        a/1 2026-01-05T10:00:00 Ana(owner) text: "first in a"
        a/2 2026-01-05T10:01:00 ana@example.org(owner) text: "second in a"
        a/3 2026-01-05T10:02:00 Bo(person) text: "third in a"
        b/1 2026-01-05T10:00:30 Bo(person) text: "first in b"
        keepsake: 2 conversations, 4 seen
    "#]],
    );
}
