//! The tools an agent used, how often and for what purpose, and which of their outputs show a failure.
//!
//! The purpose comes from the first of these sources that exists: the call's own description (`description`), what the agent
//! said right before it, and the arguments of the call.

use crate::session::rules::LINE_CHARS_MAX;
use crate::session::rules::TOOLS_MAX;
use std::ops::Range;

use keepsake_domain::{MessageType, Role, Span};

use super::{Field, Item, SessionInput, fitting, words_at};
use crate::conversation::Place;
use crate::text::Document;

/// Argument names that state the purpose of a call, clearest first.
const PURPOSE_KEYS: [&str; 4] = ["description", "purpose", "explanation", "reason"];

/// Argument names that state the subject of a call.
const OBJECT_KEYS: [&str; 10] = ["query", "prompt", "command", "cmd", "pattern", "url", "file_path", "path", "filename", "text"];

/// Lowercase phrases that programs use to announce an error. A line of tool output that contains one of them shows a failure.
const ANNOUNCED: &[&str] = &[
    "error:", "error[", "fatal:", "panicked at", "traceback (most recent", "exception:", "command not found", "failed:",
    "failure:", "exit code 1", "exit status 1", "timed out", "cannot find", "test result: failed", "npm err!", "syntaxerror",
    "typeerror", "valueerror",
];

/// Lowercase operating system messages (POSIX, `strerror`) that programs pass on. They also show a failure.
const OF_THE_SYSTEM: &[&str] = &[
    "operation not permitted", "no such file or directory", "input/output error", "argument list too long", "exec format error",
    "cannot allocate memory", "permission denied", "device or resource busy", "too many open files", "file too large",
    "no space left on device", "read-only file system", "broken pipe", "disk quota exceeded", "address already in use",
    "network is unreachable", "connection reset by peer", "connection refused", "no route to host",
];

/// The line of tool output that reports the failure.
pub(super) fn failing_line(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let lower = line.to_lowercase();
        if ANNOUNCED.iter().chain(OF_THE_SYSTEM).any(|cue| lower.contains(cue)) || refuses(&lower) {
            let lead = line.len() - line.trim_start().len();
            return Some(start + lead..start + line.trim_end().len());
        }
        start += line.len();
    }
    None
}

/// True if a lowercase line contains an HTTP error status: "HTTP 404", "HTTP/1.1 500".
fn refuses(line: &str) -> bool {
    line.match_indices("http").any(|(at, http)| {
        let rest = line.get(at + http.len()..).unwrap_or_default();
        let rest =
            rest.strip_prefix('/').map_or(rest, |after| after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
        let mut words = rest.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(2);
        let is_status = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        words.find(is_status).is_some_and(|status| status.starts_with(['4', '5']))
    })
}

/// The tools of a session, in the order of their first use.
pub(super) fn tools_used(document: &Document<'_>, input: &SessionInput<'_>) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    let calls: Vec<(usize, &str)> = input
        .turns
        .iter()
        .zip(input.tools)
        .enumerate()
        .filter(|(_, (turn, _))| !turn.is_branch)
        .filter_map(|(index, (turn, tool))| Some((index, turn.message_type, name_of(*tool)?)))
        .filter(|(_, kind, _)| *kind == MessageType::ToolUse)
        .map(|(index, _, name)| (index, name))
        .collect();
    // If a source records only results, they show which tools were used.
    let results = input.turns.iter().zip(input.tools).enumerate().filter_map(|(index, (turn, tool))| {
        let name = name_of(*tool)?;
        (turn.role == Role::Tool && !turn.is_branch && !calls.iter().any(|(_, known)| *known == name)).then_some((index, name))
    });
    let mut all: Vec<(usize, &str)> = calls.iter().copied().chain(results).collect();
    all.sort_unstable();
    for (index, name) in all {
        if let Some(known) = found.iter_mut().find(|item| item.name.as_deref() == Some(name)) {
            known.uses += 1;
            continue;
        }
        let Some((place, text)) = purpose(document, input, index) else { continue };
        found.push(Item { field: Field::ToolsUsed, name: Some(name.to_owned()), uses: 1, text, place });
    }
    if found.len() > TOOLS_MAX {
        let mut uses: Vec<u32> = found.iter().map(|item| item.uses).collect();
        uses.sort_unstable_by(|a, b| b.cmp(a));
        let least = uses.get(TOOLS_MAX - 1).copied().unwrap_or(1);
        found.retain(|item| item.uses >= least);
        found.truncate(TOOLS_MAX);
    }
    found
}

/// The tool's name, if there is one.
fn name_of(tool: Option<&str>) -> Option<&str> {
    tool.map(str::trim).filter(|name| !name.is_empty())
}

fn purpose(document: &Document<'_>, input: &SessionInput<'_>, index: usize) -> Option<(Place, String)> {
    let turn = input.turns.get(index)?;
    let at = |turn: usize, text: &str, bytes: Range<usize>| {
        let span = Span::of_bytes(text, fitting(text, bytes)).ok()?;
        Some((Place { turn, span }, words_at(text, span)?))
    };
    if turn.message_type == MessageType::ToolUse
        && let Some(bytes) = value_of(turn.text, &PURPOSE_KEYS)
    {
        return at(index, turn.text, bytes);
    }
    // What the agent said right before the call, unless the user spoke in between.
    let before = input.turns.iter().enumerate().take(index).rev().take_while(|(_, turn)| turn.role != Role::Owner);
    let said = before.filter(|(_, turn)| turn.role == Role::Assistant && turn.is_plain()).map(|(at, _)| at).next();
    if let Some(said) = said
        && let Some(sentence) = document.of_turn.get(said).and_then(|range| document.sentences.get(range.clone())?.last())
        && sentence.words() >= 2
    {
        return at(said, input.turns.get(said)?.text, sentence.bytes.clone());
    }
    let bytes = value_of(turn.text, &OBJECT_KEYS).unwrap_or_else(|| first_line(turn.text));
    at(index, turn.text, bytes)
}

/// The byte range of the first non-empty line, up to the maximum length of a record's line.
pub(super) fn first_line(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = text[start..end].char_indices().nth(LINE_CHARS_MAX).map_or(end, |(at, _)| start + at);
    start..end
}

/// The byte range of the string value, without its quotation marks, under the first of these keys that the JSON object contains.
fn value_of(json: &str, keys: &[&str]) -> Option<Range<usize>> {
    if !json.trim_start().starts_with('{') {
        return None;
    }
    keys.iter().find_map(|key| {
        let key = format!("\"{key}\"");
        let after = json.find(&key)? + key.len();
        let rest = json.get(after..)?;
        let colon = rest.trim_start().strip_prefix(':')?.trim_start();
        let inner = colon.strip_prefix('"')?;
        let start = json.len() - inner.len();
        let mut is_escaped = false;
        let end = inner.char_indices().find(|(_, c)| {
            let ends = *c == '"' && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            ends
        })?;
        (end.0 > 0).then_some(start..start + end.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_the_line_that_a_program_prints_for_it() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(failing_line(text).map(|bytes| &text[bytes]), expect, "{text}");
        };
        check("building\n  error: linking with cc failed\ndone", Some("error: linking with cc failed"));
        check("tar: backup.tar: No space left on device\n", Some("tar: backup.tar: No space left on device"));
        check("GET /photos\nHTTP/1.1 503 Service Unavailable", Some("HTTP/1.1 503 Service Unavailable"));
        check("http error 404", Some("http error 404"));
        check("HTTP/2 200 ok, 404 bytes", None);
        check("https://example.org/500/list", None);
        check("0 errors, 12 passed", None);
        check("", None);
    }

    #[test]
    fn the_value_of_a_call_is_found_and_nothing_is_made_up() {
        let check = |json: &str, keys: &[&str], expect: Option<&str>| {
            assert_eq!(value_of(json, keys).map(|bytes| &json[bytes]), expect, "{json}");
        };
        check(r#"{"command":"cargo test","description":"Run the tests"}"#, &PURPOSE_KEYS, Some("Run the tests"));
        check(r#"{"command":"cargo test"}"#, &PURPOSE_KEYS, None);
        check(r#"{"command":"echo \"hi\" there"}"#, &OBJECT_KEYS, Some(r#"echo \"hi\" there"#));
        check(r#"{"path": 3}"#, &OBJECT_KEYS, None);
        check(r#"{"path": ""}"#, &OBJECT_KEYS, None);
        check("plain words with \"path\": \"x\"", &OBJECT_KEYS, None);
        check(r#"{"path":"broken"#, &OBJECT_KEYS, None);
    }
}
