//! Tests every importer on fixtures: one `check` per special case, with one line per expected message.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic, its set-up included")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use keepsake_domain::{Message, TimeCertainty, Timestamp};
use keepsake_importers::{ImportOptions, MeetingDate, Read, Sink, Stop, Zone, read_path};

#[path = "importers/terminals.rs"]
mod terminals;
#[path = "importers/whatsapp.rs"]
mod whatsapp;

/// A sink that collects everything an importer emits.
#[derive(Default)]
struct Collect {
    messages: Vec<Message>,
    skips: Vec<keepsake_importers::Skip>,
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

/// The result as text: one line per message (conversation/id, time, author, type, marks, text), then the skips and the report.
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
            skipped 1 hidden: "system"
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
            c-modern/t 2025-10-09T08:53:22 ChatGPT(assistant) tool_use tool=web re=u: "search('shift patterns')"
            c-modern/x 2025-10-09T08:53:23 web(tool) tool_result tool=web re=t: "Results"
            c-modern/a 2025-10-09T08:53:24 ChatGPT(assistant) text re=x: "Fixed mornings." {"channel":"final","status":"in_progress"}
            c-private/u 2025-10-09T08:53:30 User(owner) text private: "This stays out of memory."
            c-project/u 2025-10-09T08:53:30 User(owner) text: "Project talk." {"gizmo_id":"g-p-12ab"}
            c-legacy/s 2025-10-09T08:53:40? User(owner) instruction: "I keep bees.\nUse metric units." {"is_user_system_message":true,"user_context_message_data":{"about_user_message":"I keep bees.","about_model_message":"Use metric units."},"is_visually_hidden_from_conversation":true}
            c-legacy/u 2025-10-09T08:53:40 User(owner) text re=s: "How many frames?"
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
            skipped 1 empty: "assistant"
            chatgpt: 1 conversations, 14 seen
        "#]],
    );
}

#[test]
fn chatgpt_calls_and_results_of_tools_are_kept_as_such_and_reasoning_is_no_answer() {
    check(
        "chatgpt/tools.json",
        options(),
        expect![[r#"
        c-tools/u 2025-10-09T08:53:20 User(owner) text: "What is 12 cubed, and is it raining in Leeds?"
        c-tools/r 2025-10-09T08:53:21 ChatGPT(assistant) thinking re=u: "The user wants a number and the weather." {"channel":"analysis"}
        c-tools/c 2025-10-09T08:53:22 ChatGPT(assistant) text re=r: "I will compute first." {"channel":"commentary"}
        c-tools/p 2025-10-09T08:53:23 ChatGPT(assistant) tool_use tool=python re=c: "print(12**3)" {"channel":"commentary"}
        c-tools/x 2025-10-09T08:53:24 python(tool) tool_result tool=python re=p: "1728"
        c-tools/w 2025-10-09T08:53:25 ChatGPT(assistant) tool_use tool=web.run re=x: "{\"q\":\"weather Leeds\"}"
        c-tools/y 2025-10-09T08:53:26 web.run(tool) tool_result tool=web.run re=w: "Light rain"
        c-tools/a 2025-10-09T08:53:29 ChatGPT(assistant) text re=y: "1728, and yes." {"channel":"final"}
        skipped 1 hidden: "hidden call"
        skipped 1 tool_traffic: "typed at a plug-in"
        chatgpt: 1 conversations, 10 seen
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
            c-cycle/p 2025-10-09T08:53:21 User(owner) text: "a cycle of two"
            c-cycle/q 2025-10-09T08:53:22 ChatGPT(assistant) text re=p: "ends somewhere"
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
        ImportOptions { zone: Zone::Fixed(120), ..options() },
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

#[test]
fn claude_blocks_files_branches_and_old_texts() {
    check(
        "claude/blocks_and_branches.json",
        options(),
        expect![[r#"
            k-1/m1 2026-01-05T10:00:00.123 User(owner) text: "I keep two hives."
            k-1/m2#0 2026-01-05T10:00:05 Claude(assistant) thinking re=m1: "They keep bees."
            k-1/m2 2026-01-05T10:00:05 Claude(assistant) text re=m1: "Two is a good start.\n\nHere is more."
            k-1/m2#2 2026-01-05T10:00:05 Claude(assistant) tool_use tool=web_search re=m1: "{\"q\":\"hives\"}"
            k-1/m2#3 2026-01-05T10:00:05 web_search(tool) tool_result tool=web_search re=m1: "Result one\nResult two"
            k-1/m3 2026-01-05T10:01:00 User(owner) text re=m2: "Old exports have only this."
            k-1/m4 2026-01-05T10:02:00 User(owner) text re=m3: "Summarise the file."
            k-1/m4#attachment-0 2026-01-05T10:02:00 User(owner) file re=m3: "notes.txt" {"file_name":"notes.txt","file_type":"text/plain","file_size":20,"extracted_content":"I, the author, hate bees."}
            k-1/m4#file-0 2026-01-05T10:02:00 User(owner) file re=m3: "hive.png" {"file_name":"hive.png"}
            k-1/m5#attachment-0 2026-01-05T10:03:00 User(owner) file re=m4: "pasted text" {"file_type":"txt","file_size":9,"extracted_content":"pasted words"}
            k-1/m8#0 2026-01-05T10:03:00? Claude(assistant) unknown re=m5: "shimmer" {"content":{"type":"hologram","text":"shimmer"}}
            k-2/b1 2026-01-06T10:00:00 User(owner) text: "First try"
            k-2/b2 2026-01-06T10:00:05 Claude(assistant) text branch re=b1: "An answer edited away"
            k-2/b3 2026-01-06T10:00:10 Claude(assistant) text re=b1: "The answer that was kept"
            k-2/b4 2026-01-06T10:00:20 User(owner) text re=b3: "Thanks"
            skipped 1 malformed: "\"nonsense\""
            skipped 1 missing_field: "{     \"uuid\": \"m7\",     \"text\": \"who is this\",     \"content\": [],     \"sender\": \"moderator\",     \"created_at\": \"2026-01…"
            skipped 1 no_messages: "Empty"
            skipped 1 empty: "assistant"
            claude: 2 conversations, 19 seen
        "#]],
    );
}

#[test]
fn claude_projects_are_kept_and_are_nobodys_words() {
    check(
        "claude/projects.json",
        options(),
        expect![[r#"
        p-1/description 2026-01-02T08:00:00 Claude project(system) notice: "Notes on my two hives" {"part":"description","creator":"Jo Fenn"}
        p-1/instructions 2026-01-02T08:00:00 Claude project(system) instruction: "I am a beginner. Answer in metric units." {"part":"instructions","creator":"Jo Fenn"}
        p-1/h-95e98f38a101b401 2026-01-02T08:00:00 Claude project(system) file: "no id, no time" {"part":"document","file_name":"unnamed.txt"}
        p-1/d-1 2026-01-03T08:00:00 Claude project(system) file: "half � a character" {"part":"document","file_name":"earlier.md"}
        p-1/d-2 2026-01-04T08:00:00 Claude project(system) file: "I, the author of a book, hate honey.\n" {"part":"document","file_name":"later.md"}
        h-86547e30539433e0/instructions 2026-01-01T00:00:00? Claude project(system) instruction: "Be brief." {"part":"instructions"}
        skipped 1 malformed: "\"nonsense\""
        skipped 1 no_messages: "How to use projects"
        skipped 1 empty: "empty.md"
        skipped 1 repeated: "the same id again"
        claude: 2 conversations, 10 seen
    "#]],
    );
}

#[test]
fn claude_memories_are_kept_as_the_assistants_words() {
    check(
        "claude/memories.json",
        options(),
        expect![[r#"
        acc/conversations 2026-01-01T00:00:00? Claude(assistant) notice: "**Personal context**\n\nThe user keeps two hives and moved to Leeds." {"part":"conversations"}
        acc/project/p-1 2026-01-01T00:00:00? Claude(assistant) notice: "The user prefers metric units." {"part":"project","project":"p-1"}
        acc/file/bees.md 2026-01-01T00:00:00? Claude(assistant) notice: "Hive two is weak." {"part":"file","file":"bees.md"}
        skipped 2 missing_field: "{\"unexpected\": true}"
        skipped 2 empty: "p-2"
        claude: 1 conversations, 7 seen
    "#]],
    );
}

#[test]
fn claude_account_is_counted_and_is_no_message() {
    check(
        "claude-account/users.json",
        options(),
        expect![[r#"
        skipped 1 not_a_message: "the account of this export"
        claude: 0 conversations, 1 seen
    "#]],
    );
}

#[test]
fn claude_code_session_keeps_words_and_tools_apart() {
    check(
        "claude-code/project/5a0c-session.jsonl",
        options(),
        expect![[r#"
            5a0c0000-0000-4000-8000-00000000000a/u1 2026-01-05T10:00:01 User(owner) text: "I prefer tabs over spaces, fix the indent please" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/a1 2026-01-05T10:00:02 Claude Code(assistant) thinking re=u1: "Look at the file." {"git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000a/a2 2026-01-05T10:00:03 Claude Code(assistant) text re=a1: "Reading it." {"git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000a/a2#1 2026-01-05T10:00:03 Claude Code(assistant) tool_use tool=Read re=a1: "{\"file_path\":\"/home/demo/hives/a.py\"}" {"tool_use_id":"t1","git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000a/u2 2026-01-05T10:00:04 Read(tool) tool_result tool=Read re=a2: "I am the file and no person" {"tool_use_id":"t1","git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u3 2026-01-05T10:00:05 Read(tool) tool_result tool=Read re=u2: "line one\nline two" {"tool_use_id":"t1","is_error":true,"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u5 2026-01-05T10:00:07 User(owner) command re=u4: "/clear" {"written":"<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>","git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u7 2026-01-05T10:00:09 User(owner) text re=u6: "My deadline is Friday." {"added_by_program":["a.py"],"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u10#0 2026-01-05T10:00:13 User(owner) file re=u9: "image" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u10 2026-01-05T10:00:13 User(owner) text re=u9: "What is wrong in this picture?" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/a4 2026-01-05T10:00:16 Claude Code(assistant) text re=u10: "The roof is missing." {"git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000a/sidechain/s1 2026-01-05T10:00:14 Claude Code(assistant) instruction: "Search the repository for hives" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/sidechain/s2 2026-01-05T10:00:15 Claude Code(assistant) text re=s1: "Found two." {"git_branch":"main","model":"claude-opus"}
            skipped 1 malformed: "{broken"
            skipped 1 repeated: "{\"parentUuid\": \"u10\", \"isSidechain\": false, \"userType\": \"external\", \"cwd\": \"/home/demo/hives\", \"sessionId\": \"5a0c0000-0…"
            skipped 6 not_a_message: "{\"type\": \"summary\", \"summary\": \"Another session\", \"leafUuid\": \"zzz\"}"
            skipped 5 added_by_program: "{\"parentUuid\": \"u3\", \"isSidechain\": false, \"userType\": \"external\", \"cwd\": \"/home/demo/hives\", \"sessionId\": \"5a0c0000-00…"
            skipped 1 service_error: "{\"parentUuid\": \"u8\", \"isSidechain\": false, \"userType\": \"external\", \"cwd\": \"/home/demo/hives\", \"sessionId\": \"5a0c0000-00…"
            claude-code: 2 conversations, 27 seen
        "#]],
    );
}

#[test]
fn a_terminal_session_without_a_name_is_titled_by_what_was_asked_first() {
    let title = |name: &str| {
        let mut collect = Collect::default();
        read_path(&fixture(name), &options(), &mut collect).unwrap();
        let mut titles: Vec<_> = collect.messages.into_iter().map(|message| message.conversation_title).collect();
        titles.dedup();
        titles.remove(0)
    };
    assert_eq!(title("claude-code/commands.jsonl").as_deref(), Some("I live in Leeds."), "a command is not it");
    assert_eq!(title("claude-code/project/agent-ab12cd.jsonl").as_deref(), Some("Explore the tests"), "nobody typed in it");
    assert_eq!(title("claude-code/project/5a0c-session.jsonl").as_deref(), Some("Hive repair"), "a name of its own stays");
    assert_eq!(title("codex-cli/session.jsonl").as_deref(), Some("Hive repair"), "so does one of Codex CLI");
    assert_eq!(title("gemini-cli/session.jsonl").as_deref(), Some("Hive repair"), "and one of Gemini CLI");
    assert_eq!(title("whatsapp/dutch.txt").as_deref(), Some("Noor, Sam"), "a chat is called by who is in it");
}

#[test]
fn claude_code_commands_are_kept_as_commands_and_take_no_words_with_them() {
    check(
        "claude-code/commands.jsonl",
        options(),
        expect![[r#"
        5a0c0000-0000-4000-8000-00000000000c/k1 2026-01-05T11:00:01 User(owner) command: "/review I never use tabs" {"written":"<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>I never use tabs</command-args>","git_branch":"main"}
        5a0c0000-0000-4000-8000-00000000000c/k2 2026-01-05T11:00:02 User(owner) command re=k1: "!ls hives" {"written":"<bash-input>ls hives</bash-input>","git_branch":"main"}
        5a0c0000-0000-4000-8000-00000000000c/k4#0 2026-01-05T11:00:04 User(owner) command re=k3: "/model" {"written":"<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>","git_branch":"main"}
        5a0c0000-0000-4000-8000-00000000000c/k4 2026-01-05T11:00:04 User(owner) text re=k3: "I live in Leeds." {"git_branch":"main"}
        5a0c0000-0000-4000-8000-00000000000c/k6 2026-01-05T11:00:06 User(owner) text re=k5: "What does <command-name> mean in a session file?" {"git_branch":"main"}
        skipped 1 added_by_program: "<bash-stdout>one two</bash-stdout><bash-stderr></bash-stderr>"
        skipped 1 command: "<command-name>/inner</command-name>"
        claude-code: 1 conversations, 7 seen
    "#]],
    );
}

#[test]
fn claude_code_folder_reads_sub_agents_and_drops_the_repeats_of_resumed_sessions() {
    check(
        "claude-code/project",
        options(),
        expect![[r#"
            5a0c0000-0000-4000-8000-00000000000a/u1 2026-01-05T10:00:01 User(owner) text: "I prefer tabs over spaces, fix the indent please" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/a1 2026-01-05T10:00:02 Claude Code(assistant) thinking re=u1: "Look at the file." {"git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000a/a2 2026-01-05T10:00:03 Claude Code(assistant) text re=a1: "Reading it." {"git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000a/a2#1 2026-01-05T10:00:03 Claude Code(assistant) tool_use tool=Read re=a1: "{\"file_path\":\"/home/demo/hives/a.py\"}" {"tool_use_id":"t1","git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000a/u2 2026-01-05T10:00:04 Read(tool) tool_result tool=Read re=a2: "I am the file and no person" {"tool_use_id":"t1","git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u3 2026-01-05T10:00:05 Read(tool) tool_result tool=Read re=u2: "line one\nline two" {"tool_use_id":"t1","is_error":true,"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u5 2026-01-05T10:00:07 User(owner) command re=u4: "/clear" {"written":"<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>","git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u7 2026-01-05T10:00:09 User(owner) text re=u6: "My deadline is Friday." {"added_by_program":["a.py"],"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u10#0 2026-01-05T10:00:13 User(owner) file re=u9: "image" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/u10 2026-01-05T10:00:13 User(owner) text re=u9: "What is wrong in this picture?" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/a4 2026-01-05T10:00:16 Claude Code(assistant) text re=u10: "The roof is missing." {"git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000a/sidechain/s1 2026-01-05T10:00:14 Claude Code(assistant) instruction: "Search the repository for hives" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/sidechain/s2 2026-01-05T10:00:15 Claude Code(assistant) text re=s1: "Found two." {"git_branch":"main","model":"claude-opus"}
            5a0c0000-0000-4000-8000-00000000000b/r1 2026-01-05T10:00:40 User(owner) text re=a4: "Back again, now in Leeds" {"git_branch":"main"}
            5a0c0000-0000-4000-8000-00000000000a/ab12cd/g1 2026-01-05T10:00:20 Claude Code(assistant) instruction: "Explore the tests" {"git_branch":"main","agent":"ab12cd"}
            5a0c0000-0000-4000-8000-00000000000a/ab12cd/g2 2026-01-05T10:00:21 Claude Code(assistant) text re=g1: "There are nine tests." {"git_branch":"main","model":"claude-opus","agent":"ab12cd"}
            skipped 1 malformed: "{broken"
            skipped 2 repeated: "{\"parentUuid\": \"u10\", \"isSidechain\": false, \"userType\": \"external\", \"cwd\": \"/home/demo/hives\", \"sessionId\": \"5a0c0000-0…"
            skipped 6 not_a_message: "{\"type\": \"summary\", \"summary\": \"Another session\", \"leafUuid\": \"zzz\"}"
            skipped 5 added_by_program: "{\"parentUuid\": \"u3\", \"isSidechain\": false, \"userType\": \"external\", \"cwd\": \"/home/demo/hives\", \"sessionId\": \"5a0c0000-00…"
            skipped 1 service_error: "{\"parentUuid\": \"u8\", \"isSidechain\": false, \"userType\": \"external\", \"cwd\": \"/home/demo/hives\", \"sessionId\": \"5a0c0000-00…"
            claude-code: 4 conversations, 31 seen
        "#]],
    );
}

#[test]
fn zoom_captions_in_webvtt() {
    check(
        "transcript/zoom.vtt",
        ImportOptions { me: Some("Ben Okoro".into()), ..options() },
        expect![[r#"
        meeting-6807c7998e587285/h-4f75e531f8b1115f 2026-01-01T00:00:02.340? Ana Lima(person) voice: "Good morning everyone. I moved the launch to March. One thing: budgets are due." {"speaker_label":"Ana Lima (Host)","cues":[{"at":0,"start_ms":2340,"end_ms":4000},{"at":23,"start_ms":4100,"end_ms":7500},{"at":52,"start_ms":8100,"end_ms":11000}]}
        meeting-6807c7998e587285/h-27f806f1f4d1b62c 2026-01-01T00:00:11.500? Ben Okoro(owner) voice: "I'll send mine tonight." {"cues":[{"at":0,"start_ms":11500,"end_ms":13000}]}
        meeting-6807c7998e587285/h-0a416783fdb74688 2026-01-01T00:01:30? Ben Okoro(owner) voice: "Back from a long silence." {"cues":[{"at":0,"start_ms":90000,"end_ms":92000}]}
        skipped 1 empty: "00:00:14.000 --> 00:00:15.000"
        skipped 1 filler: "Um, uh"
        transcript: 1 conversations, 5 seen
    "#]],
    );
}

#[test]
fn teams_captions_in_webvtt() {
    check(
        "transcript/teams.vtt",
        options(),
        expect![[r#"
        meeting-9c6c0d2ebcd4fed1/h-237345211ec7e1ea 2026-01-01T00:00:03.010? Ana Lima(person) voice: "I have used Vim since 2009 & still do. Never looked back" {"cues":[{"at":0,"start_ms":3010,"end_ms":6000},{"at":39,"start_ms":7100,"end_ms":9000}]}
        meeting-9c6c0d2ebcd4fed1/h-744162a93bc7faf1 2026-01-01T00:00:09.100? Speaker 1(person) voice: "Who is taking notes?" {"cues":[{"at":0,"start_ms":9100,"end_ms":12000},{"at":7,"start_ms":9100,"end_ms":12000}]}
        skipped 1 filler: "Mm-hmm."
        transcript: 1 conversations, 3 seen
    "#]],
    );
}

#[test]
fn srt_without_speakers() {
    check(
        "transcript/meeting.srt",
        options(),
        expect![[r#"
        meeting-f3afc42a7586c7ec/h-2c1439c0fcc7e518 2026-01-01T00:00:01? Unknown speaker(person) voice: "Welcome back. Here is the thing: it rains. So we stay inside." {"cues":[{"at":0,"start_ms":1000,"end_ms":3500},{"at":14,"start_ms":3600,"end_ms":5000},{"at":43,"start_ms":7100,"end_ms":9000}]}
        skipped 1 filler: "hmm"
        transcript: 1 conversations, 2 seen
    "#]],
    );
}

#[test]
fn google_meet_as_word_leaves_notes_out_and_times_blocks() {
    check(
        "transcript/meet.docx",
        ImportOptions { me: Some("Ben Okoro".into()), ..options() },
        expect![[r#"
        meeting-a8095be4ede363df/h-416a641f7b802e41 2026-01-05T23:06:00 Ana Lima(person) voice: "Good morning. I moved the launch to March." {"cues":[{"at":0,"start_ms":0,"end_ms":null}]}
        meeting-a8095be4ede363df/h-911a3e8fb8b5ffab 2026-01-05T23:06:00 Ben Okoro(owner) voice: "I live in Leeds & I take the train." {"cues":[{"at":0,"start_ms":0,"end_ms":null}]}
        meeting-a8095be4ede363df/h-5cb9fe1d79b53211 2026-01-05T23:06:00 Ana Lima's Presentation(person) voice: "Welcome to the demonstration of our product." {"cues":[{"at":0,"start_ms":0,"end_ms":null}]}
        meeting-a8095be4ede363df/h-98737658a7fd3f23 2026-01-05T23:06:00 edwin(person) voice: "Maybe not. Or perhaps." {"cues":[{"at":0,"start_ms":0,"end_ms":null},{"at":11,"start_ms":0,"end_ms":null}]}
        meeting-a8095be4ede363df/h-f6b94b9aae71d9d1 2026-01-05T23:07:04 edwin(person) voice: "I grew up in Cork." {"cues":[{"at":0,"start_ms":64000,"end_ms":null}]}
        meeting-a8095be4ede363df/h-3b96df931c91f3fc 2026-01-05T23:07:04 Ana Lima(person) voice: "I am vegetarian." {"cues":[{"at":0,"start_ms":64000,"end_ms":null}]}
        skipped 1 empty: "Ben Okoro"
        skipped 7 not_a_message: "✍\u{fe0f} Notes"
        skipped 1 filler: "Um."
        transcript: 1 conversations, 15 seen
    "#]],
    );
}

#[test]
fn google_meet_as_text_without_blocks() {
    check(
        "transcript/meet.txt",
        options(),
        expect![[r#"
        meeting-de42df8c47455605/h-cb3e6922e7af5562 2024-07-18T23:06:00? Ana Lima(person) voice: "I started to learn Welsh… and it goes well." {"cues":[{"at":0,"start_ms":0,"end_ms":null},{"at":26,"start_ms":0,"end_ms":null}]}
        meeting-de42df8c47455605/h-c48d1365153e43ca 2024-07-18T23:06:00? edwin(person) voice: "I prefer Irish." {"cues":[{"at":0,"start_ms":0,"end_ms":null}]}
        meeting-de42df8c47455605/h-aca5bdfeb9ce3b0d 2024-07-18T23:06:00? Ana Lima(person) voice: "One thing: the books are here." {"cues":[{"at":0,"start_ms":0,"end_ms":null}]}
        skipped 6 not_a_message: "Weekly sync (2024-07-18 16:06 GMT-7) - Transcript"
        transcript: 1 conversations, 9 seen
    "#]],
    );
}

#[test]
fn fireflies_by_its_interface_for_programs() {
    check(
        "transcript/fireflies.json",
        options(),
        expect![[r#"
            meeting-6f66c79c8c9e2e87/h-ebbe1b8a0b212bfe 2026-01-05T08:00:01.500 Ana Lima(person) voice: "I keep two hives. They came from Leeds." {"cues":[{"at":0,"start_ms":1500,"end_ms":3250},{"at":18,"start_ms":3500,"end_ms":5000}]}
            meeting-6f66c79c8c9e2e87/h-7e93301fa9e9518d 2026-01-05T08:00:06 Speaker 1(person) voice: "half � word" {"cues":[{"at":0,"start_ms":6000,"end_ms":7000}]}
            skipped 2 malformed: "{\"index\": 4, \"text\": \"no time\", \"speaker_name\": \"Ben Okoro\"}"
            skipped 1 empty: "sentence"
            skipped 1 filler: "Um."
            transcript: 1 conversations, 6 seen
        "#]],
    );
}

#[test]
fn fireflies_by_its_page() {
    check(
        "transcript/fireflies_page.json",
        options(),
        expect![[r#"
            meeting-1f6f6bd857647361/h-879309f7cb0c4ff9 2026-01-01T00:00:05? Ben Okoro(person) voice: "I sing in a choir. Every Monday." {"cues":[{"at":0,"start_ms":5000,"end_ms":8000},{"at":19,"start_ms":8000,"end_ms":10000}]}
            meeting-1f6f6bd857647361/h-d2c548a5692ff862 2026-01-01T01:02:03? Ana Lima(person) voice: "So do I." {"cues":[{"at":0,"start_ms":3723000,"end_ms":3725000}]}
            transcript: 1 conversations, 2 seen
        "#]],
    );
}

#[test]
fn google_meet_captions() {
    check(
        "transcript/meet.sbv",
        options(),
        expect![[r#"
        meeting-18c809bc53878d62/h-ba41ed03b3ed8d79 2026-01-01T00:00:01? Ana Lima(person) voice: "I play the oboe. Every Sunday, in fact." {"cues":[{"at":0,"start_ms":1000,"end_ms":3500},{"at":17,"start_ms":3600,"end_ms":5000}]}
        meeting-18c809bc53878d62/h-c0b5dedb995ebeff 2026-01-01T00:00:06? Ben Okoro(person) voice: "I listen." {"cues":[{"at":0,"start_ms":6000,"end_ms":8000}]}
        transcript: 1 conversations, 2 seen
    "#]],
    );
}

#[test]
fn teams_as_word() {
    check(
        "transcript/teams.docx",
        options(),
        expect![[r#"
        meeting-bb1cf82557c1cac9/h-fb4837cfa99a7982 2026-01-05T13:35:58~ Ana Lima(person) voice: "We should meet again. See you at 9:30" {"cues":[{"at":0,"start_ms":3000,"end_ms":null}]}
        meeting-bb1cf82557c1cac9/h-b4f0b26152ad480b 2026-01-05T13:36:14~ Ben Okoro(person) voice: "I use Linux at home." {"speaker_label":"Ben Okoro [External]","cues":[{"at":0,"start_ms":19000,"end_ms":null}]}
        meeting-bb1cf82557c1cac9/h-983b9653b9d3744f 2026-01-05T14:38:00~ Ana Lima(person) voice: "Thanks." {"cues":[{"at":0,"start_ms":3725000,"end_ms":null}]}
        skipped 5 not_a_message: "Web Governance-20260105_133555-Meeting Transcript"
        transcript: 1 conversations, 8 seen
    "#]],
    );
}

#[test]
fn teams_as_word_of_older_meetings() {
    check(
        "transcript/teams_older.docx",
        options(),
        expect![[r#"
        meeting-5b65d5d725724008/h-a50ecf24a630f202 2026-01-01T00:00:00? Ana Lima(person) voice: "I keep bees. Two hives." {"cues":[{"at":0,"start_ms":0,"end_ms":3640},{"at":13,"start_ms":3640,"end_ms":5000}]}
        meeting-5b65d5d725724008/h-26eb880de6c0ad16 2026-01-01T00:01:05? Ben Okoro(person) voice: "I do not: I keep cats." {"cues":[{"at":0,"start_ms":65000,"end_ms":67000}]}
        transcript: 1 conversations, 2 seen
    "#]],
    );
}

#[test]
fn a_word_document_that_is_no_transcript_is_told_to_be_unknown() {
    for name in ["word/letter.docx", "word/quoted_chat.docx"] {
        assert!(shown(&fixture(name), &options()).starts_with("error: FILE is not an export that Keepsake can read"), "{name}");
    }
}

#[test]
fn otter_text() {
    check(
        "transcript/otter.txt",
        options(),
        expect![[r#"
            meeting-32e59a6c2d9d8bf1/h-59942617b90b6729 2026-01-01T00:00:03? Ana Lima(person) voice: "I grew up in Porto.\nWe left when I was nine." {"cues":[{"at":0,"start_ms":3000,"end_ms":null}]}
            meeting-32e59a6c2d9d8bf1/h-a15a4da19110836b 2026-01-01T00:00:12? Speaker 2(person) voice: "Where did you go?" {"cues":[{"at":0,"start_ms":12000,"end_ms":null}]}
            meeting-32e59a6c2d9d8bf1/h-4f7a1e5cc454c384 2026-01-01T01:02:07? Ana Lima(person) voice: "To Leeds.\nSee you at 9:30" {"cues":[{"at":0,"start_ms":3727000,"end_ms":null}]}
            skipped 1 not_a_message: "Transcribed by https://otter.ai"
            transcript: 1 conversations, 4 seen
        "#]],
    );
}

#[test]
fn zoom_saved_captions_pass_midnight() {
    check(
        "transcript/zoom_captions.txt",
        options(),
        expect![[r#"
        meeting-d1223dc82171c307/h-60c75b78bf134b2c 2026-01-01T23:59:50? Ana Lima(person) voice: "I will be brief." {"cues":[{"at":0,"start_ms":86390000,"end_ms":null}]}
        meeting-d1223dc82171c307/h-2f135201bb72873e 2026-01-02T00:00:10? Ben Okoro(person) voice: "Happy new day." {"cues":[{"at":0,"start_ms":86410000,"end_ms":null}]}
        transcript: 1 conversations, 2 seen
    "#]],
    );
}

/// The first message of a transcript with this file name in this folder, read with these options.
fn first_line(folder: &str, name: &str, options: &ImportOptions) -> (String, bool) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join(folder)).unwrap();
    let path = dir.path().join(folder).join(name);
    std::fs::copy(fixture("transcript/otter.txt"), &path).unwrap();
    let mut collect = Collect::default();
    let report = read_path(&path, options, &mut collect).unwrap();
    let mark = if collect.messages[0].time_certainty == TimeCertainty::Inferred { "?" } else { "~" };
    let time = chrono::DateTime::from_timestamp_millis(collect.messages[0].time.0).unwrap();
    (format!("{}{mark}", time.format("%Y-%m-%dT%H:%M:%SZ")), report.is_date_guessed)
}

#[test]
fn a_meeting_has_the_date_of_its_name_or_folder_else_what_a_person_said_else_it_is_guessed() {
    let said = |text: &str| Some(text.parse().unwrap());
    let check = |name: &str, folder: Option<&str>, meeting, expect: &str, is_guessed: bool| {
        let options = ImportOptions { meeting, ..options() };
        assert_eq!(
            first_line(folder.unwrap_or("Downloads"), name, &options),
            (expect.to_owned(), is_guessed),
            "{name} in {folder:?}, said {meeting:?}"
        );
    };
    check("standup 2025-11-03.txt", None, None, "2025-11-03T00:00:03Z?", false);
    check("standup_20251103_0930.txt", None, None, "2025-11-03T00:00:03Z?", false);
    check("Call, Nov 3rd, 2025.txt", None, None, "2025-11-03T00:00:03Z?", false);
    check("captions.txt", Some("2025-11-03 09.30.15 Weekly Zoom Meeting"), None, "2025-11-03T09:30:03Z~", false);
    check("captions.txt", Some("2025-11-03"), None, "2025-11-03T00:00:03Z?", false);
    check("standup 2025-11-03.txt", Some("2024-01-01"), said("2023-01-01"), "2025-11-03T00:00:03Z?", false);
    check("captions.txt", Some("Downloads"), said("2025-11-03 09:30"), "2025-11-03T09:30:03Z~", false);
    check("captions.txt", None, said("2025-11-03"), "2025-11-03T00:00:03Z?", false);
    check("captions.txt", Some("Downloads"), None, "2026-01-01T00:00:03Z?", true);
}

#[test]
fn what_a_person_says_of_the_date_is_a_date() {
    for text in ["2025-11-03", "2025-11-03 09:30"] {
        assert_eq!(text.parse::<MeetingDate>().unwrap().to_string(), text);
    }
    for text in ["", "3.11.2025", "2025-13-03", "2025-11-03 25:00", "yesterday", "0012-12-03"] {
        assert!(text.parse::<MeetingDate>().unwrap_err().to_string().contains("write it as 2026-01-05"), "{text}");
    }
}

/// What a transcript next to a calendar gives: the title, the time, and what its first turn says about the meeting.
fn beside_a_calendar(name: &str, calendar: &str) -> (Option<String>, String, bool) {
    struct Messages(Vec<keepsake_domain::Message>);
    impl keepsake_importers::Sink for Messages {
        fn take(&mut self, read: keepsake_importers::Read) -> Result<(), keepsake_importers::Stop> {
            if let keepsake_importers::Read::Message(message) = read {
                self.0.push(message);
            }
            Ok(())
        }
        fn progress(&mut self, _: u64, _: u64) -> Result<(), keepsake_importers::Stop> {
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let words = "WEBVTT\n\n00:00:01.000 --> 00:20:00.000\n<v Ana Lima>The budget is short.</v>\n\n00:20:01.000 --> 00:40:00.000\n<v Bo Berg>I know.</v>\n";
    std::fs::write(&path, words).unwrap();
    std::fs::write(folder.path().join("work.ics"), calendar).unwrap();
    let mut messages = Messages(Vec::new());
    let options = keepsake_importers::ImportOptions::new(keepsake_domain::Timestamp(0));
    keepsake_importers::read_path(&path, &options, &mut messages).unwrap();
    let first = &messages.0[0];
    let has_people = first.metadata.get("meeting").is_some_and(|meeting| meeting["attendees"][0]["handle"] == "ana@example.org");
    (first.conversation_title.clone(), first.time.0.to_string(), has_people)
}

#[test]
fn a_calendar_beside_a_transcript_gives_its_title_people_and_time() {
    let event = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Budget review\nDTSTART:20260105T140000Z\nDTEND:20260105T150000Z\n\
                 ATTENDEE;CN=Ana Lima:mailto:ana@example.org\nEND:VEVENT\nEND:VCALENDAR\n";
    let title = |title: &str| Some(title.to_owned());
    let start = "1767621601000".to_owned();
    assert_eq!(beside_a_calendar("GMT20260105-140000_Recording.vtt", event), (title("Budget review"), start.clone(), true));
    assert_eq!(beside_a_calendar("budget_review.vtt", event), (title("Budget review"), start, true));
    assert_eq!(beside_a_calendar("something.vtt", event), (title("something"), "1000".to_owned(), false));
    let (_, _, has_people) = beside_a_calendar("GMT20260105-170000_Recording.vtt", event);
    assert!(!has_people, "three hours later");
}
