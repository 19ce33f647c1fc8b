//! Tests sessions of Codex CLI and Gemini CLI.

use expect_test::expect;

use super::{check, options};

#[test]
fn codex_cli_session_tells_what_was_typed_once_and_keeps_tools_apart() {
    check(
        "codex-cli/session.jsonl",
        options(),
        expect![[r##"
            0199c0de-0000-7000-8000-00000000000a/h-1ca1f44e296d4558 2026-01-05T10:00:02.020 User(owner) text: "I prefer tabs over spaces, fix the indent please" {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-bb4cb6058679513e 2026-01-05T10:00:03 Codex(assistant) thinking: "**Looking at the file**" {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_0 2026-01-05T10:00:05 Codex(assistant) tool_use tool=shell: "{\"command\":[\"cat\",\"a.py\"]}" {"tool_use_id":"call_0","git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_0#result 2026-01-05T10:00:06 shell(tool) tool_result tool=shell: "I am the file and no person" {"tool_use_id":"call_0","git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_0-2 2026-01-05T10:00:07 Codex(assistant) tool_use tool=shell: "{\"command\":[\"false\"]}" {"tool_use_id":"call_0","git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_0#result-2 2026-01-05T10:00:08 shell(tool) tool_result tool=shell: "no" {"tool_use_id":"call_0","is_error":true,"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_9 2026-01-05T10:00:09 Codex(assistant) tool_use tool=apply_patch: "*** Begin Patch\n*** End Patch" {"tool_use_id":"call_9","git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_9#result 2026-01-05T10:00:10 apply_patch(tool) tool_result tool=apply_patch: "Success. Updated the following files:\nM a.py" {"tool_use_id":"call_9","git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_11 2026-01-05T10:00:11 Codex(assistant) tool_use tool=local_shell: "{\"type\":\"exec\",\"command\":[\"ls\"]}" {"tool_use_id":"call_11","git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_11#result 2026-01-05T10:00:12 local_shell(tool) tool_result tool=local_shell: "one\ntwo" {"tool_use_id":"call_11","git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-c24144135cb8735c 2026-01-05T10:00:13 Codex(assistant) tool_use tool=web_search: "{\"type\":\"search\",\"query\":\"tabs\"}" {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/call_14 2026-01-05T10:00:14 Codex(assistant) tool_use tool=nothing: "{}" {"tool_use_id":"call_14","git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-c4e6502e43cc8159 2026-01-05T10:00:15 Codex(assistant) text: "The indent is fixed." {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-27f008f9279e93e6 2026-01-05T10:00:20 User(owner) text branch: "I hate tabs" {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-c687d3267e025cfe 2026-01-05T10:00:21 Codex(assistant) text branch: "Back to spaces, then." {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-967060c6724307f3 2026-01-05T10:00:25 User(owner) file: "image" {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-1e4f64d6a4284b4b 2026-01-05T10:00:25 User(owner) text: "My deadline is Friday." {"added_by_program":["# Context from my IDE setup:\n\n## Open tabs:\n- notes.md: I love wasps"],"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-c4e6502e43cc8159-2 2026-01-05T10:00:26 Codex(assistant) text: "The indent is fixed." {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-2b5ee61044c301e0 2026-01-05T10:00:29 Codex(assistant) unknown: "" {"content_type":"hologram","content":{"type":"hologram","payload":{"a":1}},"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-3e4608cb44bb88f7 2026-01-05T10:00:34 User(owner) command: "!ls hives" {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-2ada8e18e6eee329 2026-01-05T10:00:36 User(owner) text: "yes" {"git_branch":"main","model":"gpt-5-codex"}
            0199c0de-0000-7000-8000-00000000000a/h-2ada8e18e6eee329-2 2026-01-05T10:00:37 User(owner) text: "yes" {"git_branch":"main","model":"gpt-5-codex"}
            skipped 2 malformed: "{broken"
            skipped 1 hidden: "{\"timestamp\": \"2026-01-05T10:00:04.000Z\", \"type\": \"response_item\", \"payload\": {\"type\": \"reasoning\", \"summary\": [], \"enc…"
            skipped 1 empty: "{\"timestamp\": \"2026-01-05T10:00:14.000Z\", \"type\": \"response_item\", \"payload\": {\"type\": \"function_call_output\", \"call_id…"
            skipped 7 repeated: "a request that repeats what was typed"
            skipped 11 not_a_message: "{\"timestamp\": \"2026-01-05T10:00:00.000Z\", \"type\": \"session_meta\", \"payload\": {\"id\": \"0199c0de-0000-7000-8000-0000000000…"
            skipped 6 added_by_program: "{\"timestamp\": \"2026-01-05T10:00:01.000Z\", \"type\": \"response_item\", \"payload\": {\"type\": \"message\", \"role\": \"developer\", …"
            skipped 1 service_error: "{\"timestamp\": \"2026-01-05T10:00:32.000Z\", \"type\": \"event_msg\", \"payload\": {\"type\": \"error\", \"message\": \"stream disconne…"
            codex-cli: 1 conversations, 51 seen
        "##]],
    );
}

#[test]
fn codex_cli_requests_are_the_words_where_nothing_tells_what_was_typed() {
    check(
        "codex-cli/requests.jsonl",
        options(),
        expect![[r#"
        0199c0de-0000-7000-8000-00000000000b/h-ead22974473962f0 2026-01-05T10:01:02 User(owner) file: "image" {"git_branch":"main"}
        0199c0de-0000-7000-8000-00000000000b/h-7853b0d26d373260 2026-01-05T10:01:02 User(owner) text: "I keep two hives." {"git_branch":"main"}
        0199c0de-0000-7000-8000-00000000000b/h-4a815e865143f5c5 2026-01-05T10:01:03 Codex(assistant) text: "Noted." {"git_branch":"main"}
        0199c0de-0000-7000-8000-00000000000b/h-043b860443d78257 2026-01-05T10:01:04 User(owner) command: "!ls hives" {"git_branch":"main"}
        0199c0de-0000-7000-8000-00000000000b/h-c6e6631589b3dc08 2026-01-05T10:01:04? User(owner) text: "Without a time" {"git_branch":"main"}
        skipped 1 not_a_message: "{\"timestamp\": \"2026-01-05T10:01:00.000Z\", \"type\": \"session_meta\", \"payload\": {\"id\": \"0199c0de-0000-7000-8000-0000000000…"
        skipped 2 added_by_program: "{\"timestamp\": \"2026-01-05T10:01:01.000Z\", \"type\": \"response_item\", \"payload\": {\"type\": \"message\", \"role\": \"user\", \"cont…"
        codex-cli: 1 conversations, 8 seen
    "#]],
    );
}

#[test]
fn codex_cli_sub_agent_gets_instructions_and_may_be_kept_out_of_memory() {
    check(
        "codex-cli/agent.jsonl",
        options(),
        expect![[r#"
        0199c0de-0000-7000-8000-00000000000c/h-e30afd6781c0a738 2026-01-05T10:01:11 Codex(assistant) instruction private: "Explore the tests" {"git_branch":"main"}
        0199c0de-0000-7000-8000-00000000000c/h-82b3f1030d3f6505 2026-01-05T10:01:12 Codex(assistant) text private: "There are nine tests." {"git_branch":"main"}
        skipped 1 repeated: "a request that repeats what was typed"
        skipped 1 not_a_message: "{\"timestamp\": \"2026-01-05T10:01:10.000Z\", \"type\": \"session_meta\", \"payload\": {\"id\": \"0199c0de-0000-7000-8000-0000000000…"
        codex-cli: 1 conversations, 4 seen
    "#]],
    );
}

#[test]
fn codex_cli_fork_begins_with_messages_of_its_parent() {
    check(
        "codex-cli/fork.jsonl",
        options(),
        expect![[r#"
        0199c0de-0000-7000-8000-00000000000a/h-1ca1f44e296d4558 2026-01-05T10:02:00.007 User(owner) text: "I prefer tabs over spaces, fix the indent please" {"git_branch":"main","model":"gpt-5-codex"}
        0199c0de-0000-7000-8000-00000000000a/h-c4e6502e43cc8159 2026-01-05T10:02:00.008 Codex(assistant) text: "The indent is fixed." {"git_branch":"main","model":"gpt-5-codex"}
        0199c0de-0000-7000-8000-00000000000d/h-48e959cce03c3f43 2026-01-05T10:02:10 User(owner) text: "Back again, now in Leeds" {"git_branch":"main","model":"gpt-5-codex"}
        0199c0de-0000-7000-8000-00000000000d/h-2e9d1582fae2fac5 2026-01-05T10:02:11 Codex(assistant) text: "Welcome back." {"git_branch":"main","model":"gpt-5-codex"}
        skipped 2 repeated: "a request that repeats what was typed"
        skipped 4 not_a_message: "{\"timestamp\": \"2026-01-05T10:02:00.000Z\", \"type\": \"session_meta\", \"payload\": {\"id\": \"0199c0de-0000-7000-8000-0000000000…"
        skipped 3 added_by_program: "{\"timestamp\": \"2026-01-05T10:02:00.002Z\", \"type\": \"response_item\", \"payload\": {\"type\": \"message\", \"role\": \"developer\", …"
        codex-cli: 2 conversations, 13 seen
    "#]],
    );
}

#[test]
fn gemini_cli_session_holds_what_was_written_last_and_keeps_what_was_taken_back() {
    check(
        "gemini-cli/session.jsonl",
        options(),
        expect![[r#"
        5e55-0000-4000-8000-00000000000a/g1 2026-01-05T10:00:02 User(owner) text: "I prefer tabs over spaces, fix @a.md please" {"added_by_program":["Content from @a.md:\nI hate bees"]}
        5e55-0000-4000-8000-00000000000a/g2#thought-0 2026-01-05T10:00:03 Gemini(assistant) thinking: "Looking\nAt the file." {"model":"gemini-3-pro"}
        5e55-0000-4000-8000-00000000000a/g2#call-0 2026-01-05T10:00:03 Gemini(assistant) tool_use tool=read_file: "{\"path\":\"a.md\"}" {"tool_use_id":"read_file-1","model":"gemini-3-pro"}
        5e55-0000-4000-8000-00000000000a/g2#result-0 2026-01-05T10:00:03 read_file(tool) tool_result tool=read_file: "I am the file and no person" {"tool_use_id":"read_file-1","model":"gemini-3-pro"}
        5e55-0000-4000-8000-00000000000a/g2#call-1 2026-01-05T10:00:03 Gemini(assistant) tool_use tool=run_shell_command: "{\"command\":\"false\"}" {"tool_use_id":"shell-2","model":"gemini-3-pro"}
        5e55-0000-4000-8000-00000000000a/g2#result-1 2026-01-05T10:00:03 run_shell_command(tool) tool_result tool=run_shell_command: "exit code 1" {"tool_use_id":"shell-2","is_error":true,"model":"gemini-3-pro"}
        5e55-0000-4000-8000-00000000000a/g3 2026-01-05T10:00:06 Gemini(assistant) text: "The indent is fixed." {"model":"gemini-3-pro"}
        5e55-0000-4000-8000-00000000000a/g4 2026-01-05T10:00:07 User(owner) text branch: "I hate tabs"
        5e55-0000-4000-8000-00000000000a/g5 2026-01-05T10:00:08 Gemini(assistant) text branch: "Back to spaces, then." {"model":"gemini-3-pro"}
        5e55-0000-4000-8000-00000000000a/g6 2026-01-05T10:00:09 User(owner) text: "My deadline is Friday, see @notes.md"
        5e55-0000-4000-8000-00000000000a/g7 2026-01-05T10:00:10 Gemini(assistant) text: "Noted."
        5e55-0000-4000-8000-00000000000a/g7#part-0 2026-01-05T10:00:10 Gemini(assistant) thinking: "A thought"
        5e55-0000-4000-8000-00000000000a/g7#call-0 2026-01-05T10:00:10 Gemini(assistant) tool_use tool=save_memory: "{\"fact\":\"deadline\"}" {"tool_use_id":"s-3"}
        5e55-0000-4000-8000-00000000000a/g8#response-0 2026-01-05T10:00:11 save_memory(tool) tool_result tool=save_memory: "saved" {"tool_use_id":"s-3"}
        5e55-0000-4000-8000-00000000000a/g9 2026-01-05T10:00:12 User(owner) command: "!ls hives"
        5e55-0000-4000-8000-00000000000a/g10 2026-01-05T10:00:13 User(owner) text: "What is wrong in this picture?"
        5e55-0000-4000-8000-00000000000a/g10#file-0 2026-01-05T10:00:13 User(owner) file: "image/png"
        5e55-0000-4000-8000-00000000000a/g11 2026-01-05T10:00:14 Gemini CLI(system) notice: "Update available"
        5e55-0000-4000-8000-00000000000a/g13 2026-01-05T10:00:16 Gemini CLI(system) unknown: "?" {"content_type":"brand-new-kind","content":[{"text":"?"}]}
        skipped 2 malformed: "[\"a\",\"b\"]"
        skipped 2 repeated: "{\"id\": \"g2\", \"timestamp\": \"2026-01-05T10:00:03.000Z\", \"type\": \"gemini\", \"content\": \"\", \"thoughts\": [{\"subject\": \"Lookin…"
        skipped 5 not_a_message: "{\"sessionId\": \"5e55-0000-4000-8000-00000000000a\", \"projectHash\": \"9f2c\", \"startTime\": \"2026-01-05T10:00:00.000Z\", \"last…"
        skipped 3 added_by_program: "{\"id\": \"s1\", \"timestamp\": \"2026-01-05T10:00:17.000Z\", \"type\": \"user\", \"content\": [{\"text\": \"The user said that they lik…"
        skipped 1 service_error: "{\"id\": \"g12\", \"timestamp\": \"2026-01-05T10:00:15.000Z\", \"type\": \"error\", \"content\": \"API error: overloaded\"}"
        gemini-cli: 1 conversations, 32 seen
    "#]],
    );
}

#[test]
fn gemini_cli_older_sessions_are_one_object() {
    check(
        "gemini-cli/older.json",
        options(),
        expect![[r#"
        5e55-0000-4000-8000-00000000000b/o1 2026-01-05T10:01:01 User(owner) text: "I keep two hives."
        5e55-0000-4000-8000-00000000000b/o2 2026-01-05T10:01:02 Gemini(assistant) text: "Two is a good start." {"model":"gemini-2.5-pro"}
        5e55-0000-4000-8000-00000000000b/o2#call-0 2026-01-05T10:01:02 Gemini(assistant) tool_use tool=google_web_search: "{\"query\":\"hives\"}" {"tool_use_id":"w-1","model":"gemini-2.5-pro"}
        5e55-0000-4000-8000-00000000000b/o2#result-0 2026-01-05T10:01:02 google_web_search(tool) tool_result tool=google_web_search: "Result one" {"tool_use_id":"w-1","model":"gemini-2.5-pro"}
        5e55-0000-4000-8000-00000000000b/h-48b78d2adcdf5a18 2026-01-05T10:01:03 User(owner) text: "Without an id"
        skipped 2 empty: ""
        gemini-cli: 1 conversations, 7 seen
    "#]],
    );
}

#[test]
fn gemini_cli_sub_agent_gets_instructions() {
    check(
        "gemini-cli/agent.jsonl",
        options(),
        expect![[r#"
        5e55-0000-4000-8000-00000000000c/a1 2026-01-05T10:01:21 Gemini(assistant) instruction: "Explore the tests"
        5e55-0000-4000-8000-00000000000c/a2 2026-01-05T10:01:22 Gemini(assistant) text: "There are nine tests."
        skipped 1 not_a_message: "{\"sessionId\": \"5e55-0000-4000-8000-00000000000c\", \"projectHash\": \"9f2c\", \"startTime\": \"2026-01-05T10:01:20.000Z\", \"last…"
        gemini-cli: 1 conversations, 3 seen
    "#]],
    );
}

#[test]
fn gemini_cli_history_is_the_session_where_there_are_no_lines() {
    check(
        "gemini-cli/history.jsonl",
        options(),
        expect![[r#"
        5e55-0000-4000-8000-00000000000d/h1 2026-01-05T10:01:31 User(owner) text branch: "I moved to Leeds."
        5e55-0000-4000-8000-00000000000d/h2 2026-01-05T10:01:32 Gemini(assistant) text branch: "Welcome."
        5e55-0000-4000-8000-00000000000d/h3 2026-01-05T10:01:33 User(owner) text: "I moved to Bath."
        skipped 2 not_a_message: "{\"sessionId\": \"5e55-0000-4000-8000-00000000000d\", \"projectHash\": \"9f2c\", \"startTime\": \"2026-01-05T10:01:30.000Z\", \"last…"
        gemini-cli: 1 conversations, 5 seen
    "#]],
    );
}
