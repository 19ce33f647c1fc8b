//! Reading the log into sessions: shells, results, and pauses.

use keepsake_domain::{ConversationId, InteractionId, MessageType, Timestamp};
use keepsake_insight::playbook::{Arguments, Logged, Session, sessions};
use uuid::Uuid;

use crate::bench::{MINUTE, NOW};

struct Row(MessageType, &'static str, &'static str, Option<&'static str>, bool, i64);

use MessageType::{Text, ToolResult, ToolUse};

fn read(rows: &[Row]) -> Vec<Session> {
    let ids: Vec<InteractionId> = (0..rows.len()).map(|at| InteractionId::from_uuid(Uuid::from_u128(at as u128 + 1))).collect();
    let lines: Vec<Logged<'_>> = rows
        .iter()
        .zip(&ids)
        .map(|(Row(message_type, tool, text, use_id, is_error, minutes), id)| Logged {
            id,
            time: Timestamp(NOW.0 + minutes * MINUTE),
            message_type: *message_type,
            tool: Some(*tool).filter(|tool| !tool.is_empty()),
            text,
            use_id: *use_id,
            is_error: *is_error,
        })
        .collect();
    sessions(&ConversationId::from_uuid(Uuid::from_u128(1)), "claude-code", "/srv/app/", &lines)
}

/// Compares the read sessions with `expect`: one list per session, with names and whether they failed.
fn check(rows: &[Row], expect: &[&[(&str, bool)]]) {
    let read = read(rows);
    let read: Vec<Vec<(&str, bool)>> =
        read.iter().map(|session| session.uses.iter().map(|one| (one.kind.name.as_str(), one.has_failed)).collect()).collect();
    assert_eq!(read, expect);
}

#[test]
fn the_shells_of_all_programs_are_seen_through() {
    check(
        &[
            Row(ToolUse, "Bash", r#"{"command":"cd x && git add -A && git commit -m y"}"#, Some("1"), false, 0),
            Row(ToolUse, "shell", r#"{"command":["bash","-lc","cargo test | tail"],"workdir":"/x"}"#, Some("2"), false, 1),
            Row(ToolUse, "exec_command", r#"{"cmd":"make release"}"#, Some("3"), false, 2),
            Row(ToolUse, "run_shell_command", r#"{"command":"npm run build"}"#, Some("4"), false, 3),
            Row(ToolUse, "shell", r#"{"command":["apply_patch","*** Begin Patch"]}"#, Some("5"), false, 4),
            Row(ToolUse, "apply_patch", "*** Begin Patch", Some("6"), false, 5),
            Row(ToolUse, "mcp__tracker__create", r#"{"title":"x"}"#, Some("7"), false, 6),
            Row(ToolUse, "bash", "ls -la", None, false, 7),
            Row(ToolUse, "Bash", r#"{"command":"cd x"}"#, Some("8"), false, 8),
        ],
        &[&[
            ("git add", false),
            ("git commit", false),
            ("cargo test", false),
            ("make release", false),
            ("npm run build", false),
            ("apply_patch", false),
            ("apply_patch", false),
            ("mcp__tracker__create", false),
            ("ls", false),
        ]],
    );
}

#[test]
fn a_result_says_whether_its_own_use_failed() {
    check(
        &[
            Row(ToolUse, "Edit", "{}", Some("1"), false, 0),
            Row(ToolUse, "Read", "{}", Some("2"), false, 0),
            Row(ToolResult, "Read", "no such file", Some("2"), true, 1),
            Row(ToolResult, "Edit", "done", Some("1"), false, 1),
            Row(ToolUse, "Grep", "{}", None, false, 2),
            Row(ToolResult, "Grep", "boom", None, true, 2),
        ],
        &[&[("Edit", false), ("Read", true), ("Grep", true)]],
    );
}

#[test]
fn a_source_that_keeps_results_alone_tells_by_them_what_was_used() {
    check(
        &[
            Row(ToolResult, "search", "three hits", None, false, 0),
            Row(ToolResult, "search", "two hits", None, false, 1),
            Row(ToolUse, "fetch", "https://x", None, false, 2),
            Row(ToolResult, "fetch", "the page", None, false, 3),
            Row(ToolResult, "fetch", "another page", None, true, 4),
        ],
        &[&[("search", false), ("search", false), ("fetch", false), ("fetch", true)]],
    );
}

#[test]
fn four_hours_without_a_tool_begin_another_session() {
    let row = |minutes| Row(ToolUse, "Read", "{}", None, false, minutes);
    check(&[row(0), row(240)], &[&[("Read", false), ("Read", false)]]);
    check(&[row(0), row(241)], &[&[("Read", false)], &[("Read", false)]]);
    check(&[row(0), Row(Text, "", "words", None, false, 120), row(241)], &[&[("Read", false)], &[("Read", false)]]);
    check(&[Row(Text, "", "words", None, false, 0)], &[]);
}

#[test]
fn arguments_are_what_a_person_would_write_into_a_step() {
    let read = read(&[Row(
        ToolUse,
        "Edit",
        r#"{"file_path":"/srv/app/src/a.rs","old_string":"the work","replace_all":true,"mode":"fast","note":"two\nlines","n":3}"#,
        None,
        false,
        0,
    )]);
    let Arguments::Fields(fields) = &read[0].uses[0].arguments else { panic!("named values") };
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(fields, [("file_path", "src/a.rs"), ("mode", "fast"), ("n", "3")]);
}
