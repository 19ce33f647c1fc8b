//! One message of a Jan thread.
//!
//! The text of a prompt ends with a list of the attached files, which is meant for the model and is not part of the person's
//! words. Reasoning and tool calls are in the content (newer versions), or in `<think>` and in `metadata.tool_calls`.

use keepsake_domain::{MessageType, TimeCertainty};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::identity::StandIns;
use crate::json::{Items, Loose, compact, parse_mending, whole};
use crate::out::Out;
use crate::time::from_unix;
use crate::turns::{Part, Speaker, Turn, split_thinking};

/// The lines around the list of attached files that the program adds to a prompt.
const FILES_BEGIN: &str = "[ATTACHED_FILES]";
const FILES_END: &str = "[/ATTACHED_FILES]";

#[derive(Deserialize)]
pub(super) struct RawMessage<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    pub(super) thread_id: Loose<'a>,
    #[serde(borrow, default)]
    role: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Loose<'a>,
    #[serde(borrow, default)]
    created_at: Loose<'a>,
    #[serde(borrow, default)]
    completed_at: Loose<'a>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_call_id: Loose<'a>,
}

#[derive(Deserialize, Default)]
struct Metadata<'a> {
    #[serde(borrow, default, rename = "parentId", deserialize_with = "even_null")]
    parent: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "activeChildId")]
    chosen: Loose<'a>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    inline_file_contents: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    assistant: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "modelId")]
    model: Loose<'a>,
}

/// Keeps a value that is present, even if it is null, because having no parent differs from having an unknown one.
fn even_null<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_call_id: Loose<'a>,
    #[serde(borrow, default)]
    tool_name: Loose<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Value<'a> {
    #[serde(borrow, default)]
    value: Loose<'a>,
}

/// A tool call in the metadata, as older versions write it.
#[derive(Deserialize)]
struct OldCall<'a> {
    #[serde(borrow, default)]
    tool: Option<OldTool<'a>>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct OldTool<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    function: Option<OldFunction<'a>>,
}

#[derive(Deserialize)]
struct OldFunction<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ResponseItem<'a> {
    #[serde(borrow, default)]
    text: Loose<'a>,
}

/// What a message says about its place in the tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Nothing: the thread has no branches, or the link was not written.
    Unknown,
    /// It is the first message, or a version of it.
    Root,
    /// It follows this message.
    Parent(String),
}

/// A message with what it says about its place in the tree.
pub(super) struct Linked {
    pub(super) turn: Turn,
    pub(super) link: Link,
    /// The version of the next message that is shown.
    pub(super) chosen: Option<String>,
    pub(super) is_answer: bool,
}

impl Linked {
    /// Its approximate memory use.
    pub(super) fn weight(&self) -> usize {
        1000 + self.turn.parts.iter().map(|part| 500 + part.text.len()).sum::<usize>()
    }
}

impl RawMessage<'_> {
    /// The message. An empty message is counted as skipped, but keeps its place in the tree.
    pub(super) fn linked(&self, assistant: Option<&str>, stand_ins: &mut StandIns, out: &mut Out<'_>) -> Option<Linked> {
        let mut mended = String::new();
        let metadata = self.metadata.and_then(|raw| whole::<Metadata<'_>>(raw, &mut mended)).unwrap_or_default();
        let role = self.role.text().unwrap_or_default();
        let named = metadata.assistant.and_then(|raw| serde_json::from_str::<Named<'_>>(raw.get()).ok());
        let name = named.as_ref().and_then(|named| named.name.text()).or(assistant).map(str::to_owned);
        let speaker = match role {
            "user" => Speaker::Owner(None),
            "assistant" | "tool" => Speaker::Assistant(name, metadata.model.text().map(str::to_owned)),
            "system" => Speaker::Program,
            _ => {
                out.skip(SkipReason::MissingField, self.content.map_or(role, RawValue::get));
                return None;
            }
        };
        let has_failed = self.status.text() == Some("error") || metadata.error.is_some_and(|error| error.get() != "null");
        let mut parts = Vec::new();
        if has_failed && role == "assistant" {
            out.skip(SkipReason::ServiceError, &metadata.error.map_or_else(|| compact(self.content), |raw| compact(Some(raw))));
        } else {
            parts = self.parts(&metadata, role);
            if parts.is_empty() {
                out.skip(SkipReason::Empty, role);
            }
        }
        let written = [&self.created_at, &self.completed_at].into_iter().filter_map(Loose::number);
        let time = written.filter_map(from_unix).next().map(|time| (time, TimeCertainty::Exact));
        let id = match self.id.id() {
            Some(id) => id.into_owned(),
            None => {
                let text = parts.first().map_or("", |part| part.text.as_str());
                stand_ins.next("", &self.created_at.id().unwrap_or_default(), role, text)
            }
        };
        let link = match metadata.parent {
            None => Link::Unknown,
            Some(raw) => match serde_json::from_str::<Loose<'_>>(raw.get()).ok().as_ref().and_then(Loose::id) {
                Some(parent) => Link::Parent(parent.into_owned()),
                None => Link::Root,
            },
        };
        let chosen = metadata.chosen.id().map(|id| id.into_owned());
        let turn = Turn { id, parent: None, speaker, time, is_branch: false, parts };
        Some(Linked { turn, link, chosen, is_answer: role != "user" && role != "system" })
    }

    fn parts(&self, metadata: &Metadata<'_>, role: &str) -> Vec<Part> {
        let mut words: Vec<String> = Vec::new();
        let mut files: Vec<String> = Vec::new();
        let mut parts = Vec::new();
        if let Some(text) = self.content.and_then(|raw| parse_mending::<String>(raw.get())) {
            words.push(text);
        }
        for (at, raw) in Items::of(self.content).0.into_iter().enumerate() {
            let mut mended = String::new();
            let Some(item) = whole::<Item<'_>>(raw, &mut mended) else { continue };
            let suffix = format!("#{at}");
            match item.kind.text().unwrap_or_default() {
                "text" => {
                    let text = value_of(item.text);
                    let (thinking, rest) = if role == "assistant" { split_thinking(&text) } else { (None, text.as_str()) };
                    parts
                        .extend(thinking.map(|thinking| Part::of(format!("{suffix}-thinking"), thinking, MessageType::Thinking)));
                    words.push(rest.to_owned());
                }
                "reasoning" => {
                    let text = value_of(item.text);
                    if !text.trim().is_empty() {
                        parts.push(Part::of(suffix, text, MessageType::Thinking));
                    }
                }
                "tool_call" => {
                    let (tool, call) = (item.tool_name.text(), item.tool_call_id.text());
                    parts.push(Part::tool(suffix.clone(), text_of(item.input), MessageType::ToolUse, tool, call));
                    let output = response_of(item.output);
                    if !output.trim().is_empty() {
                        parts.push(Part::tool(format!("{suffix}-result"), output, MessageType::ToolResult, tool, call));
                    }
                }
                "" => {}
                kind => files.push(kind.trim_end_matches("_url").to_owned()),
            }
        }
        for (at, raw) in Items::of(metadata.tool_calls).0.into_iter().enumerate() {
            let mut mended = String::new();
            let Some(call) = whole::<OldCall<'_>>(raw, &mut mended) else { continue };
            let function = call.tool.as_ref().and_then(|tool| tool.function.as_ref());
            let (tool, id) = (function.and_then(|found| found.name.text()), call.tool.as_ref().and_then(|tool| tool.id.text()));
            let arguments = text_of(function.and_then(|found| found.arguments));
            parts.push(Part::tool(format!("#call-{at}"), arguments, MessageType::ToolUse, tool, id));
            let output = response_of(call.response);
            if !output.trim().is_empty() {
                parts.push(Part::tool(format!("#result-{at}"), output, MessageType::ToolResult, tool, id));
            }
        }
        words.retain(|words| !words.trim().is_empty());
        let mut text = words.join("\n\n");
        if role == "user" {
            text = without_files(&text, &mut files);
        }
        let inline = Items::of(metadata.inline_file_contents).0;
        files.extend(inline.into_iter().filter_map(|raw| {
            let mut mended = String::new();
            whole::<Named<'_>>(raw, &mut mended).and_then(|file| file.name.text().map(str::to_owned))
        }));
        files.dedup();
        if role == "tool" {
            let call = self.tool_call_id.text();
            parts.extend((!text.trim().is_empty()).then(|| Part::tool("", text, MessageType::ToolResult, None, call)));
            return parts;
        }
        parts.extend(Part::words(text, &files).map(|mut part| {
            if role == "system" {
                part.message_type = MessageType::Instruction;
            }
            part
        }));
        parts
    }
}

/// The words of a prompt without the list of attached files. The names of the files are added to `files`.
fn without_files(text: &str, files: &mut Vec<String>) -> String {
    let Some((words, list)) = text.rsplit_once(FILES_BEGIN).filter(|(_, list)| list.trim_end().ends_with(FILES_END)) else {
        return text.to_owned();
    };
    for line in list.lines() {
        let name = line.split_once("name: ").map(|(_, rest)| rest.split(", type: ").next().unwrap_or(rest));
        files.extend(name.map(|name| name.split(", size: ").next().unwrap_or(name).trim().to_owned()));
    }
    words.trim_end().to_owned()
}

/// The text in `{"value": …}` or in a string.
fn value_of(raw: Option<&RawValue>) -> String {
    let Some(raw) = raw else { return String::new() };
    let mut mended = String::new();
    match whole::<Value<'_>>(raw, &mut mended) {
        Some(value) => value.value.text().unwrap_or_default().to_owned(),
        None => parse_mending::<String>(raw.get()).unwrap_or_default(),
    }
}

/// The text of a string; any other value as JSON.
fn text_of(raw: Option<&RawValue>) -> String {
    let Some(raw) = raw.filter(|raw| raw.get() != "null") else { return String::new() };
    parse_mending::<String>(raw.get()).unwrap_or_else(|| compact(Some(raw)))
}

/// The text of a tool's response. The response is usually a list of text items.
fn response_of(raw: Option<&RawValue>) -> String {
    let mut mended = String::new();
    let content = raw.and_then(|raw| whole::<Response<'_>>(raw, &mut mended)).and_then(|response| response.content);
    let items = Items::of(content.or(raw)).0;
    let mut texts = Vec::new();
    for raw in &items {
        let mut mended = String::new();
        let item = whole::<ResponseItem<'_>>(raw, &mut mended);
        texts.extend(item.and_then(|item| item.text.text().map(str::to_owned)));
    }
    if texts.is_empty() { text_of(raw) } else { texts.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_attached_files_is_not_the_persons() {
        let check = |text: &str, expect: &str, names: &[&str]| {
            let mut files = Vec::new();
            assert_eq!(without_files(text, &mut files), expect, "{text}");
            assert_eq!(files, names, "{text}");
        };
        check(
            "Read it\n\n[ATTACHED_FILES]\n- file_id: a, name: my, file.pdf, type: pdf, size: 3\n[/ATTACHED_FILES]",
            "Read it",
            &["my, file.pdf"],
        );
        check(
            "[ATTACHED_FILES]\n- file_id: a, name: b.txt\n- file_id: c, name: d.txt\n[/ATTACHED_FILES]\n",
            "",
            &["b.txt", "d.txt"],
        );
        check("What does [ATTACHED_FILES] mean?", "What does [ATTACHED_FILES] mean?", &[]);
    }
}
