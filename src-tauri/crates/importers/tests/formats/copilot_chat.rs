//! Copilot Chat: sessions as objects and as logs of changes; pieces of responses, and what the program puts into prompts.

use expect_test::expect;
use keepsake_domain::{MessageType, Role, SourceKind, TimeCertainty};
use keepsake_importers::SkipReason;

use super::{Cell, Feature, Format, Outcome, cell, check, fixture, options, read};

pub(super) fn format() -> Format {
    Format {
        name: "Copilot Chat",
        kind: SourceKind::CopilotChat,
        export: "copilot-chat/session.json",
        grown: "copilot-chat/session-later.json",
        me: None,
        cells: cells(),
    }
}

fn cells() -> Vec<Cell> {
    vec![
        cell(Feature::Author, Outcome::Read, |found| {
            found.saying("Parser fehl").is_some_and(|message| message.author.role == Role::Owner)
        }),
        cell(Feature::Time, Outcome::Read, |found| {
            found.saying("Parser fehl").is_some_and(|message| message.time.0 == 1_767_607_260_000)
                && found.saying("No time").is_some_and(|message| message.time_certainty == TimeCertainty::Inferred)
        }),
        cell(Feature::Reply, Outcome::Read, |found| {
            found.saying("Try **now**").is_some_and(|message| message.reply_to.as_deref() == Some("request_1"))
        }),
        cell(Feature::Thread, Outcome::Read, |found| {
            ["And now?", "Now it works"].iter().all(|words| found.saying(words).is_some_and(|message| message.is_branch))
                && found.saying("Try **now**").is_some_and(|message| !message.is_branch)
        }),
        cell(Feature::Edit, Outcome::Absent, |_| true),
        cell(Feature::Deletion, Outcome::Absent, |_| true),
        cell(Feature::Forward, Outcome::Absent, |_| true),
        cell(Feature::Reaction, Outcome::Kept, |found| {
            found.saying("Try **now**").is_some_and(|message| message.metadata.contains_key("reactions"))
        }),
        cell(Feature::Attachment, Outcome::Kept, |found| {
            found.saying("Parser fehl").is_some_and(|message| {
                message.metadata.get("attachments") == Some(&serde_json::json!([{"name": "parser.rs"}, {"name": "Pasted Image"}]))
            })
        }),
        cell(Feature::Members, Outcome::Absent, |_| true),
        cell(Feature::Bot, Outcome::Read, |found| {
            found.saying("Try **now**").is_some_and(|message| message.author.role == Role::Assistant)
        }),
        cell(Feature::Disappearing, Outcome::Absent, |_| true),
        cell(Feature::Call, Outcome::Absent, |_| true),
        cell(Feature::Poll, Outcome::Absent, |_| true),
    ]
}

#[test]
fn a_session_is_read_with_the_pieces_of_its_responses() {
    check(
        &fixture("copilot-chat/session.json"),
        None,
        expect![[r##"
        # 0f3b-11 “Parser & bees” chat copilot private
        request_1 2026-01-05T10:01:00Z User <ana-codes> owner {"attachments":[{"name":"parser.rs"},{"name":"Pasted Image"}]}: Warum schlägt der Parser fehl? 🐛
        response_1#1 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant thinking reply-to=request_1 {"model":"copilot/gpt-5"}: The file may be empty.
        response_1#7 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant tool_use reply-to=request_1 {"tool_use_id":"call_copilot_readFile","model":"copilot/gpt-5"}: Ran copilot_readFile
        response_1#8 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant tool_use reply-to=request_1 {"tool_use_id":"call_run_in_terminal","model":"copilot/gpt-5"}: cargo test
        response_1#9 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant tool_use reply-to=request_1 {"tool_use_id":"call_mcp_search","model":"copilot/gpt-5"}: {"q":"bees"}
        response_1#9-result 2026-01-05T10:01:20Z mcp_search <tool> tool tool_result reply-to=request_1 {"tool_use_id":"call_mcp_search","is_error":true}: I love bees
        response_1#10 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant tool_use reply-to=request_1 {"tool_use_id":"call_runSubagent","model":"copilot/gpt-5"}: Find the bug
        response_1#10-result 2026-01-05T10:01:20Z runSubagent <tool> tool tool_result reply-to=request_1 {"tool_use_id":"call_runSubagent"}: It is in line 3
        response_1 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_1 {"reactions":[{"emoji":"👍","count":1,"by":["User"]}],"model":"copilot/gpt-5"}: I look at `parser.rs` first.\n\nThe fix:\n\nTry **now**.
        request_2 2026-01-05T10:02:00Z User <ana-codes> owner reply-to=response_1: And now?
        response_2 2026-01-05T10:02:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_2 {"model":"copilot/gpt-5"}: Now it works.
        request_3 2026-01-05T10:03:00Z User <ana-codes> owner command reply-to=response_1: /tests for the parser
        response_3 2026-01-05T10:03:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_3 {"model":"copilot/gpt-5"}: Done.
        response_4 2026-01-05T10:04:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=response_3 {"model":"copilot/gpt-5"}: I continue.
        request_5 2026-01-05T10:05:00Z User <ana-codes> owner reply-to=response_4: Is anybody there?
        response_6 2026-01-05T10:06:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_5 {"model":"copilot/gpt-5"}: You said nothing.
        request_7 2026-01-05T10:06:20 inferred User <ana-codes> owner reply-to=response_6: No time was written
        response_7 2026-01-05T10:06:20 inferred GitHub Copilot <copilot/gpt-5> assistant reply-to=request_7 {"model":"copilot/gpt-5"}: No.
        request_8 2026-01-05T10:08:00Z User <ana-codes> owner reply-to=response_7: An empty answer
        h-de14a3340e9dd033 2026-01-05T10:09:00Z User <ana-codes> owner reply-to=request_8: An old prompt
        h-de14a3340e9dd033#response 2026-01-05T10:09:00 inferred GitHub Copilot <copilot> assistant reply-to=h-de14a3340e9dd033: An old answer.
        request_11 2026-01-05T10:11:00Z User <ana-codes> owner reply-to=h-de14a3340e9dd033#response: Not answered yet
        request_12 2026-01-05T10:12:00Z User <ana-codes> owner reply-to=request_11: Broken � emoji
        response_12 2026-01-05T10:12:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_12 {"model":"copilot/gpt-5"}: Fine.
        request_13 2026-01-05T10:13:00Z User <ana-codes> owner reply-to=response_12: Wrong types
        skipped 2 malformed: 7
        skipped 1 missing_field: a request without a prompt
        skipped 2 empty: a prompt
        skipped 2 repeated: The same id again
        skipped 1 added_by_program: @agent Continue: "Continue to iterate?"
        skipped 1 service_error: Sorry, you have exceeded your rate limit.
    "##]],
    );
    check(
        &fixture("copilot-chat/exported.json"),
        None,
        expect![[r##"
        # h-8243d3fd431baece “untitled” chat copilot private
        request_30 2026-01-05T10:30:00Z User <user> owner: From an export
        response_30 2026-01-05T10:30:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_30 {"model":"copilot/gpt-5"}: Exported.
    "##]],
    );
    check(
        &fixture("copilot-chat/empty.json"),
        None,
        expect![[r#"
        skipped 1 no_messages: a session without title
    "#]],
    );
    let found = read(&fixture("copilot-chat/session.json"), &options(None)).unwrap();
    assert!(found.messages.iter().all(|message| !message.text.contains("I hate")), "files and instructions are not read");
    assert!(found.skipped(SkipReason::AddedByProgram) && found.skipped(SkipReason::ServiceError));
    assert!(found.saying("/tests").is_some_and(|message| message.message_type == MessageType::Command));
}

#[test]
fn a_log_of_changes_gives_the_session_at_its_end() {
    check(
        &fixture("copilot-chat/log.jsonl"),
        None,
        expect![[r##"
        # 0f3b-33 “From a log” chat copilot private
        request_1 2026-01-05T10:01:00Z User <user> owner: Was ist neu?
        response_1#0 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant thinking reply-to=request_1 {"model":"copilot/gpt-5"}: Hm.
        response_1#3 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant tool_use reply-to=request_1 {"tool_use_id":"call_x","model":"copilot/gpt-5"}: {}
        response_1#3-result 2026-01-05T10:01:20Z x <tool> tool tool_result reply-to=request_1 {"tool_use_id":"call_x"}: found
        response_1 2026-01-05T10:01:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_1 {"model":"copilot/gpt-5"}: Something of note.
        request_2 2026-01-05T10:02:00Z User <user> owner reply-to=response_1: A prompt that was edited and taken back
        response_2 2026-01-05T10:02:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_2 {"model":"copilot/gpt-5"}: Oh.
        request_4 2026-01-05T10:04:00Z User <user> owner reply-to=response_1: The last prompt
        response_4 2026-01-05T10:04:20Z GitHub Copilot <copilot/gpt-5> assistant reply-to=request_4 {"model":"copilot/gpt-5"}: The last answer.
        skipped 1 malformed: [1]
    "##]],
    );
}

#[test]
fn other_exports_are_not_claimed() {
    let near = [
        r#"{"requests":[{"message":"x","url":"y"}]}"#,
        r#"{"requests":[{"message":{"text":"x"},"id":1}],"sessionId":"a"}"#,
        r#"{"kind":0,"v":{"requests":[1]}}"#,
        r#"{"kind":"Deployment","v":{"sessionId":"x"}}"#,
    ];
    super::unclaimed(&near, SourceKind::CopilotChat);
}
