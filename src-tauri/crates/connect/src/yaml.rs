//! The entry in Goose's `config.yaml`. `yaml-rust2` gives the positions; whole lines are inserted or removed, and the result is
//! parsed again and compared, so that an edit that would change anything else is not made. Comments, order and quoting are
//! kept.
//!
//! Edits only the forms that Goose and people write: a mapping on separate lines, or an empty `{}`. Other forms are refused.

mod tree;

use serde_json::{Value as Json, json};

use self::tree::{Entry, Node, Shape};
use super::entry::{Edited, described_command};
use super::error::Fault;
use super::server::{SERVER_NAME, ServerCommand};
use super::text::{append_lines, cut_lines, newline, without_newline};

const EXTENSIONS: &str = "extensions";

/// Goose's own timeout for an extension, in seconds.
const TIMEOUT_S: u64 = 300;

/// Number of spaces by which a nested line is indented.
const INDENT: usize = 2;

pub(super) fn connect(text: &str, server: &ServerCommand) -> Result<Edited, Fault> {
    let root = tree::parse(text)?;
    let Some(ours) = entry(&root)? else {
        return Ok(Edited::ours(with_entry(text, &root, server)?));
    };
    let (program, args) = command_of(&ours.node);
    if !server.owns(program.as_deref(), &args) {
        let bare = without_entry(text, &root)?;
        let other = described_command(program.as_deref(), ours.node.get("uri").is_some());
        return Ok(Edited { text: with_entry(&bare, &tree::parse(&bare)?, server)?, other: Some(other) });
    }
    if program.as_deref() == Some(server.program()) && args == server.args() {
        return Ok(Edited::ours(text.to_owned()));
    }
    updated(text, &root, ours, server).map(Edited::ours)
}

pub(super) fn disconnect(text: &str, server: &ServerCommand) -> Result<Edited, Fault> {
    let root = tree::parse(text)?;
    let Some(ours) = entry(&root)? else { return Ok(Edited::ours(text.to_owned())) };
    let (program, args) = command_of(&ours.node);
    if server.owns(program.as_deref(), &args) {
        return Ok(Edited::ours(without_entry(text, &root)?));
    }
    let other = described_command(program.as_deref(), ours.node.get("uri").is_some());
    Ok(Edited { text: text.to_owned(), other: Some(other) })
}

fn entry(root: &Node) -> Result<Option<&Entry>, Fault> {
    let Some(extensions) = root.get(EXTENSIONS) else { return Ok(None) };
    match extensions.shape {
        Shape::Lines | Shape::Braces(..) | Shape::Nothing => {
            Ok(extensions.entries.iter().find(|entry| entry.name == SERVER_NAME))
        }
        Shape::Other => Err(Fault::unexpected(format!("'{EXTENSIONS}' is not a mapping"))),
    }
}

fn command_of(node: &Node) -> (Option<String>, Vec<String>) {
    let text = |name: &str| node.value.get(name).and_then(Json::as_str).map(str::to_owned);
    let args = node.value.get("args").and_then(Json::as_array).into_iter().flatten();
    (text("cmd"), args.filter_map(Json::as_str).map(str::to_owned).collect())
}

fn value(server: &ServerCommand) -> Json {
    json!({
        "enabled": true, "type": "stdio", "name": SERVER_NAME, "description": "The person's own memory",
        "cmd": server.program(), "args": server.args(), "timeout": TIMEOUT_S,
    })
}

/// The lines of the entry, with its name indented by `indent`.
fn entry_lines(server: &ServerCommand, indent: usize) -> String {
    let mut lines = vec![format!("{}{SERVER_NAME}:", " ".repeat(indent))];
    let inner = " ".repeat(indent + INDENT);
    for (name, value) in value(server).as_object().into_iter().flatten() {
        lines.extend(member_lines(name, value, &inner));
    }
    lines.join("\n")
}

fn member_lines(name: &str, value: &Json, indent: &str) -> Vec<String> {
    match value {
        Json::Array(list) => {
            let items = list.iter().map(|item| format!("{indent}- {}", scalar(item)));
            std::iter::once(format!("{indent}{name}:")).chain(items).collect()
        }
        value => vec![format!("{indent}{name}: {}", scalar(value))],
    }
}

/// A scalar value. Text that could be read as something else is quoted as in JSON, which is valid YAML.
fn scalar(value: &Json) -> String {
    let Some(text) = value.as_str() else { return value.to_string() };
    let begins_plainly = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let is_word = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(&text.to_lowercase().as_str());
    if begins_plainly && is_plain && !is_word { text.to_owned() } else { value.to_string() }
}

fn with_entry(text: &str, root: &Node, server: &ServerCommand) -> Result<String, Fault> {
    let braces = || Fault::unexpected(format!("'{EXTENSIONS}' is written within braces, where nothing can be added safely"));
    let result = match root.entries.iter().find(|entry| entry.name == EXTENSIONS) {
        None if matches!(root.shape, Shape::Braces(..)) => return Err(braces()),
        None => append_lines(text, &format!("{EXTENSIONS}:\n{}", entry_lines(server, INDENT)), false),
        Some(found) => match found.node.shape {
            Shape::Braces(start, _) if found.node.entries.is_empty() => {
                let entry = format!("{SERVER_NAME}: {}", value(server));
                format!("{}{entry}{}", &text[..=start], &text[start + 1..])
            }
            Shape::Braces(..) => return Err(braces()),
            _ => {
                let indent = found.node.entries.first().map_or(found.column + INDENT, |first| first.column);
                let at = end_of(text, root, found, indent);
                insert_lines(text, at, &entry_lines(server, indent))
            }
        },
    };
    let mut expected = root.value.clone();
    if expected.is_null() {
        expected = json!({});
    }
    expected[EXTENSIONS][SERVER_NAME] = value(server);
    verified(result, &expected)
}

/// Removes the entry, and the mapping around it if that is on separate lines and contains nothing else.
fn without_entry(text: &str, root: &Node) -> Result<String, Fault> {
    let by_hand = || Fault::unexpected(format!("'{EXTENSIONS}' is written within braces, where nothing can be taken out safely"));
    let Some(extensions) = root.entries.iter().find(|entry| entry.name == EXTENSIONS) else { return Ok(text.to_owned()) };
    let entries = &extensions.node.entries;
    let Some(at) = entries.iter().position(|entry| entry.name == SERVER_NAME) else { return Ok(text.to_owned()) };
    let ours = &entries[at];
    let lines = Lines::of(text);
    let result = match (&extensions.node.shape, &ours.node.shape) {
        (Shape::Braces(..), Shape::Braces(_, end)) if entries.len() == 1 => {
            format!("{}{}", &text[..ours.start], &text[end + 1..])
        }
        (Shape::Braces(..), _) => return Err(by_hand()),
        _ => {
            let limit = entries.get(at + 1).map_or_else(|| lines.limit(root, extensions), |next| next.line);
            let end = lines.last(ours.line, limit, ours.column + 1) + 1;
            let is_alone = entries.len() == 1 && lines.is_bare(extensions) && extensions.line + 1 == ours.line;
            let start = if is_alone { extensions.line } else { ours.line };
            cut_lines(text, lines.start(start)..lines.start(end), false)
        }
    };
    let mut expected = root.value.clone();
    if let Some(extensions) = expected[EXTENSIONS].as_object_mut() {
        extensions.remove(SERVER_NAME);
    }
    verified(result, &expected)
}

/// Rewrites the program and the arguments in place.
fn updated(text: &str, root: &Node, ours: &Entry, server: &ServerCommand) -> Result<String, Fault> {
    let mut expected = root.value.clone();
    let entry = &mut expected[EXTENSIONS][SERVER_NAME];
    entry["cmd"] = json!(server.program());
    entry["args"] = json!(server.args());
    let (Shape::Lines, Some(first)) = (&ours.node.shape, ours.node.entries.first()) else {
        let Shape::Braces(start, end) = ours.node.shape else { return Err(Fault::TooMuch) };
        let result = format!("{}{entry}{}", &text[..start], &text[end + 1..]);
        return verified(result, &expected);
    };
    let indent = " ".repeat(first.column);
    let mut text = text.to_owned();
    for name in ["args", "cmd"] {
        let new = member_lines(name, &entry[name], &indent).join("\n");
        let root = tree::parse(&text)?;
        let Some(ours) = self::entry(&root)? else { return Err(Fault::TooMuch) };
        let lines = Lines::of(&text);
        let members = &ours.node.entries;
        match members.iter().position(|member| member.name == name) {
            Some(at) => {
                let limit = members.get(at + 1).map_or(lines.count(), |next| next.line);
                let end = lines.last(members[at].line, limit, members[at].column) + 1;
                let range = lines.start(members[at].line)..lines.start(end);
                let tail = if text[range.clone()].ends_with('\n') { newline(&text) } else { "" };
                text.replace_range(range, &format!("{}{tail}", new.replace('\n', newline(&text))));
            }
            None => {
                let at = lines.last(ours.line, lines.count(), ours.column + 1) + 1;
                text = insert_lines(&text, at, &new);
            }
        }
    }
    verified(text, &expected)
}

/// Number of the line after the last line of a mapping on separate lines.
fn end_of(text: &str, root: &Node, found: &Entry, indent: usize) -> usize {
    let lines = Lines::of(text);
    lines.last(found.line, lines.limit(root, found), indent) + 1
}

/// Inserts lines before a line, or at the end.
fn insert_lines(text: &str, at: usize, new: &str) -> String {
    let start = Lines::of(text).start(at);
    if start == text.len() {
        return append_lines(text, new, false);
    }
    let newline = newline(text);
    format!("{}{}{newline}{}", &text[..start], new.replace('\n', newline), &text[start..])
}

/// The text as lines, counted from 0.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).filter(|at| *at < text.len());
        Self { text, starts: starts.collect() }
    }

    fn count(&self) -> usize {
        self.starts.len()
    }

    fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    fn get(&self, line: usize) -> &str {
        &self.text[self.start(line)..without_newline(self.text, self.start(line + 1))]
    }

    /// The first line of the next member of the root.
    fn limit(&self, root: &Node, after: &Entry) -> usize {
        root.entries.iter().map(|entry| entry.line).filter(|line| *line > after.line).min().unwrap_or(self.count())
    }

    /// The last line that is not blank and is indented by at least `indent`, starting at `from` and ending before `limit`.
    fn last(&self, from: usize, limit: usize, indent: usize) -> usize {
        let belongs = |line: &usize| {
            let text = self.get(*line);
            !text.trim().is_empty() && text.len() - text.trim_start().len() >= indent
        };
        (from + 1..limit).rev().find(belongs).unwrap_or(from)
    }

    /// Whether the line of a mapping contains only its name, without even a comment.
    fn is_bare(&self, entry: &Entry) -> bool {
        self.get(entry.line).trim() == format!("{}:", entry.name)
    }
}

/// Returns the text if it parses to the expected value, ignoring an empty mapping of extensions.
fn verified(text: String, expected: &Json) -> Result<String, Fault> {
    let mut found = tree::parse(&text).map_err(|_| Fault::TooMuch)?.value;
    let mut expected = expected.clone();
    for value in [&mut found, &mut expected] {
        let extensions = value.get(EXTENSIONS);
        if extensions.is_some_and(|found| found.is_null() || found.as_object().is_some_and(|map| map.is_empty())) {
            value.as_object_mut().map(|map| map.remove(EXTENSIONS));
        }
        if value.as_object().is_some_and(|map| map.is_empty()) {
            *value = Json::Null;
        }
    }
    if found == expected { Ok(text) } else { Err(Fault::TooMuch) }
}

#[cfg(test)]
mod tests;
