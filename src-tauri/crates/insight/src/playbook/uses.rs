//! Groups the log's tool messages into sessions: tool uses in order, each with its arguments and whether it failed.

use crate::playbook::rules::{FAR, NEAR, SESSION_PAUSE_MS, USES_MAX, VALUE_CHARS_MAX};
use std::collections::{BTreeMap, HashMap};

use keepsake_domain::{ConversationId, InteractionId, MessageType, Timestamp};
use serde_json::Value;

use super::shell;

/// Ignored arguments: they either contain the content of the work, or control the tool rather than the work.
const NOT_ARGUMENTS: [&str; 26] = [
    "old_string", "new_string", "old_str", "new_str", "content", "contents", "edits", "todos", "plan", "explanation",
    "description", "instructions", "prompt", "code", "input", "patch", "timeout", "timeout_ms", "limit", "offset", "workdir",
    "cwd", "run_in_background", "replace_all", "justification", "expected_replacements",
];

/// Argument names for a shell's command line.
const COMMAND_LINES: [&str; 4] = ["command", "cmd", "script", "commandLine"];

/// One log message that involves a tool.
#[derive(Debug, Clone)]
pub struct Logged<'a> {
    /// The message id.
    pub id: &'a InteractionId,
    /// The time of the message.
    pub time: Timestamp,
    /// Only tool uses and results are read; other types are skipped.
    pub message_type: MessageType,
    /// The tool's name.
    pub tool: Option<&'a str>,
    /// The arguments of a use, or the output of a result.
    pub text: &'a str,
    /// The id that links a result to its use.
    pub use_id: Option<&'a str>,
    /// True if the source reports a failure.
    pub is_error: bool,
}

/// The kind of action: the step's name, and the tool it counts as.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// The name, such as `Edit` or `cargo test`.
    pub name: String,
    /// The tool, such as `Edit` or `cargo`.
    pub tool: String,
}

/// The arguments of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// Named values.
    Fields(BTreeMap<String, String>),
    /// The words after the program name.
    Words(Vec<String>),
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The message id.
    pub message: InteractionId,
    /// The time of the message.
    pub time: Timestamp,
    /// The action.
    pub kind: Kind,
    /// The arguments.
    pub arguments: Arguments,
    /// True if the use failed.
    pub has_failed: bool,
}

/// Part of a conversation without a long pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The conversation.
    pub conversation: ConversationId,
    /// The kind of source the conversation came from.
    pub source: String,
    /// Every use of a tool, in order; never empty.
    pub uses: Vec<ToolUse>,
}

impl Session {
    /// The time of the first tool use.
    pub fn began(&self) -> Timestamp {
        self.uses.first().map_or(Timestamp(0), |first| first.time)
    }
}

/// Splits a conversation into sessions. Paths below `folder`, the working directory, become relative to it.
pub fn sessions(conversation: &ConversationId, source: &str, folder: &str, lines: &[Logged<'_>]) -> Vec<Session> {
    let folder = Some(folder.trim_end_matches('/')).filter(|folder| folder.len() > 1);
    let mut all: Vec<Session> = Vec::new();
    let mut last: Option<Timestamp> = None;
    for (at, line) in lines.iter().enumerate() {
        let is_use = match line.message_type {
            MessageType::ToolUse => true,
            // Some sources record only results, so a result without a use counts as the use.
            MessageType::ToolResult => !has_use(lines, at),
            _ => continue,
        };
        let has_paused = last.is_some_and(|last| line.time.0 - last.0 > SESSION_PAUSE_MS);
        last = Some(line.time);
        if !is_use || line.time.0 <= 0 {
            continue;
        }
        let has_failed = if line.message_type == MessageType::ToolUse { failed(lines, at) } else { line.is_error };
        let text = if line.message_type == MessageType::ToolUse { line.text } else { "" };
        let uses = uses(line, text, has_failed, folder);
        match all.last_mut().filter(|_| !has_paused) {
            Some(session) if session.uses.len() < USES_MAX => session.uses.extend(uses),
            Some(_) => {}
            None => all.push(Session { conversation: conversation.clone(), source: source.to_owned(), uses }),
        }
    }
    all.retain(|session| !session.uses.is_empty());
    all
}

/// True if a result belongs to an earlier use.
fn has_use(lines: &[Logged<'_>], at: usize) -> bool {
    let result = &lines[at];
    if let Some(id) = result.use_id {
        let mut before = lines[..at].iter().rev().take(FAR);
        return before.any(|line| line.message_type == MessageType::ToolUse && line.use_id == Some(id));
    }
    // Looks for the nearest earlier use of the same tool that has no nearer result.
    let mut open = 0;
    for line in lines[..at].iter().rev().take(NEAR).filter(|line| line.tool == result.tool && line.use_id.is_none()) {
        match line.message_type {
            MessageType::ToolUse if open == 0 => return true,
            MessageType::ToolUse => open -= 1,
            MessageType::ToolResult => open += 1,
            _ => {}
        }
    }
    false
}

/// True if the result of a use reports a failure.
fn failed(lines: &[Logged<'_>], at: usize) -> bool {
    let one = &lines[at];
    let mut rest = lines[at + 1..].iter().take(FAR).filter(|line| line.message_type == MessageType::ToolResult);
    match one.use_id {
        Some(id) => rest.find(|line| line.use_id == Some(id)).is_some_and(|line| line.is_error),
        None => rest.take(NEAR).find(|line| line.use_id.is_none() && line.tool == one.tool).is_some_and(|line| line.is_error),
    }
}

fn uses(line: &Logged<'_>, text: &str, has_failed: bool, folder: Option<&str>) -> Vec<ToolUse> {
    let Some(tool) = line.tool.map(str::trim).filter(|tool| !tool.is_empty()) else { return Vec::new() };
    let one =
        |kind: Kind, arguments: Arguments| ToolUse { message: line.id.clone(), time: line.time, kind, arguments, has_failed };
    let given: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    if shell::is_shell(tool) {
        let commands = match COMMAND_LINES.iter().find_map(|name| given.get(name)) {
            Some(Value::String(line)) => shell::commands(line),
            Some(Value::Array(words)) => {
                let words: Vec<String> = words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect();
                shell::commands_of_words(&words)
            }
            _ if given.is_null() => shell::commands(text),
            _ => Vec::new(),
        };
        if !commands.is_empty() {
            return commands
                .into_iter()
                .map(|command| {
                    let words = command.words.iter().map(|word| below(word, folder).to_owned()).collect();
                    one(Kind { name: command.name, tool: command.program }, Arguments::Words(words))
                })
                .collect();
        }
        // A shell call without arguments counts as a use of the shell itself. If there are arguments but no commands are left,
        // the call did none of the actual work.
        if !text.trim().is_empty() {
            return Vec::new();
        }
    }
    let mut fields = BTreeMap::new();
    for (name, value) in given.as_object().into_iter().flatten() {
        let value = match value {
            Value::String(value) => value.clone(),
            Value::Number(value) => value.to_string(),
            Value::Bool(value) => value.to_string(),
            _ => continue,
        };
        let is_short = value.chars().count() <= VALUE_CHARS_MAX && !value.contains('\n') && !value.trim().is_empty();
        if is_short && !NOT_ARGUMENTS.contains(&name.as_str()) {
            fields.insert(name.clone(), below(&value, folder).to_owned());
        }
    }
    vec![one(Kind { name: tool.to_owned(), tool: tool.to_owned() }, Arguments::Fields(fields))]
}

/// A path relative to the working directory.
fn below<'v>(value: &'v str, folder: Option<&str>) -> &'v str {
    folder.and_then(|folder| value.strip_prefix(folder)?.strip_prefix('/')).filter(|rest| !rest.is_empty()).unwrap_or(value)
}

/// The kinds that occur, ordered by name, and the number of each.
pub(super) fn numbered<'s>(sessions: impl Iterator<Item = &'s Session>) -> (Vec<Kind>, HashMap<Kind, usize>) {
    let kinds: std::collections::BTreeSet<&Kind> =
        sessions.flat_map(|session| session.uses.iter().map(|one| &one.kind)).collect();
    let kinds: Vec<Kind> = kinds.into_iter().cloned().collect();
    let numbers = kinds.iter().cloned().enumerate().map(|(number, kind)| (kind, number)).collect();
    (kinds, numbers)
}
