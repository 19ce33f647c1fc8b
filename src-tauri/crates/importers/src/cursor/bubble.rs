//! One message of a Cursor chat, which Cursor calls a bubble: a prompt, or a step of an answer with reasoning, a tool call or words.

use keepsake_domain::{MessageType, TimeCertainty, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{Items, Loose, compact, object, parse_mending, whole};
use crate::limits::METADATA_BYTES_MAX;
use crate::out::Out;
use crate::time::{from_unix, parse_rfc3339};
use crate::turns::{Part, Speaker, Turn, is_slash_command};
use crate::{SkipReason, Zone};

/// Types of bubbles, by author.
const PROMPT: f64 = 1.0;
const ANSWER: f64 = 2.0;

/// Times below this (September 2001) are not dates but milliseconds since the window was opened.
const MOMENT_MIN: f64 = 1e12;

/// What is known about the chat.
pub(super) struct Chat {
    /// The model that answers.
    pub(super) model: Option<String>,
    /// True if another program wrote the prompts.
    pub(super) is_delegated: bool,
    pub(super) zone: Zone,
}

#[derive(Deserialize)]
pub(super) struct RawBubble<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default, rename = "richText")]
    rich_text: Loose<'a>,
    #[serde(borrow, default, rename = "createdAt")]
    created: Loose<'a>,
    #[serde(borrow, default, rename = "timingInfo")]
    timing: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "toolFormerData")]
    tool: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "modelInfo")]
    model: Option<&'a RawValue>,
    #[serde(borrow, default)]
    context: Option<&'a RawValue>,
    #[serde(borrow, default)]
    images: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Model<'a> {
    #[serde(borrow, default, rename = "modelName")]
    name: Loose<'a>,
}

#[derive(Deserialize)]
struct Timing<'a> {
    #[serde(borrow, default, rename = "clientStartTime")]
    start: Loose<'a>,
    #[serde(borrow, default, rename = "clientRpcSendTime")]
    sent: Loose<'a>,
    #[serde(borrow, default, rename = "clientEndTime")]
    end: Loose<'a>,
}

#[derive(Deserialize)]
struct Thinking<'a> {
    #[serde(borrow, default)]
    text: Loose<'a>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default, rename = "toolCallId")]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "rawArgs")]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Context<'a> {
    #[serde(borrow, default, rename = "fileSelections")]
    files: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "folderSelections")]
    folders: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "selectedImages")]
    images: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Selected<'a> {
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default)]
    path: Loose<'a>,
    #[serde(borrow, default, rename = "fsPath")]
    system_path: Loose<'a>,
    #[serde(borrow, default, rename = "relativePath")]
    relative: Loose<'a>,
}

impl RawBubble<'_> {
    /// The turn. An empty bubble is counted as skipped.
    pub(super) fn turn(&self, id: &str, chat: &mut Chat, out: &mut Out<'_>) -> Option<Turn> {
        let model = self.model.and_then(object::<Model<'_>>).and_then(|model| model.name.text().map(str::to_owned));
        // A prompt names the model that will answer it.
        if model.is_some() {
            chat.model = model;
        }
        let words = self.words();
        let kind = self.kind.number();
        let mut parts = Vec::new();
        let speaker = if kind == Some(PROMPT) && !chat.is_delegated {
            let files = self.files();
            let is_command = is_slash_command(&words);
            parts.extend(Part::words(words, &files).map(|mut part| {
                if is_command {
                    part.message_type = MessageType::Command;
                }
                part
            }));
            Speaker::Owner(None)
        } else if kind == Some(PROMPT) {
            // The assistant that started the sub-agent wrote the task.
            parts.extend((!words.trim().is_empty()).then(|| Part::of("", words, MessageType::Instruction)));
            Speaker::Assistant(None, None)
        } else if kind == Some(ANSWER) {
            self.answer(words, &mut parts);
            Speaker::Assistant(Some("Cursor".to_owned()), chat.model.clone())
        } else {
            out.skip(SkipReason::MissingField, self.text.text().unwrap_or(id));
            return None;
        };
        if parts.is_empty() {
            out.skip(SkipReason::Empty, if kind == Some(PROMPT) { "a prompt" } else { "an answer" });
            return None;
        }
        let time = self.time(chat.zone);
        Some(Turn { id: id.to_owned(), parent: None, speaker, time, is_branch: false, parts })
    }

    fn words(&self) -> String {
        match self.text.text() {
            Some(text) => text.to_owned(),
            None => self.rich_text.text().map(plain).unwrap_or_default(),
        }
    }

    fn answer(&self, words: String, parts: &mut Vec<Part>) {
        let mut mended = String::new();
        let thinking = self.thinking.and_then(|raw| match whole::<Thinking<'_>>(raw, &mut mended) {
            Some(thinking) => thinking.text.text().map(str::to_owned),
            None => parse_mending::<String>(raw.get()),
        });
        if let Some(thinking) = thinking.filter(|text| !text.trim().is_empty()) {
            parts.push(Part::of("#thinking", thinking, MessageType::Thinking));
        }
        parts.extend(Part::words(words, &[]));
        let mut mended = String::new();
        let Some(call) = self.tool.and_then(|raw| whole::<Call<'_>>(raw, &mut mended)) else { return };
        // Bubbles without a tool call may contain an empty one.
        let Some(tool) = call.name.text() else { return };
        let id = call.id.text();
        let arguments = text_of(call.arguments).filter(|text| !text.is_empty()).or_else(|| text_of(call.params));
        parts.push(Part::tool("#call", arguments.unwrap_or_default(), MessageType::ToolUse, Some(tool), id));
        let error = text_of(call.error);
        if let Some(output) = text_of(call.result).or(error.clone()).filter(|text| !text.trim().is_empty()) {
            let mut part = Part::tool("#result", output, MessageType::ToolResult, Some(tool), id);
            if error.is_some() {
                part.metadata.insert("is_error".to_owned(), true.into());
            }
            parts.push(part);
        }
    }

    fn time(&self, zone: Zone) -> Option<(Timestamp, TimeCertainty)> {
        if let Some(time) = self.created.text().and_then(|text| parse_rfc3339(text, zone)) {
            return Some(time);
        }
        let timing = self.timing.and_then(object::<Timing<'_>>);
        let timing = timing.iter().flat_map(|timing| [&timing.start, &timing.sent, &timing.end]);
        let mut moments = std::iter::once(&self.created).chain(timing).filter_map(Loose::number);
        let moment = moments.find(|moment| *moment >= MOMENT_MIN).and_then(from_unix);
        moment.map(|time| (time, TimeCertainty::Exact))
    }

    /// The names of the files that the person attached. Their text is elsewhere in the bubble, and is not read.
    fn files(&self) -> Vec<String> {
        let mut mended = String::new();
        let context = self.context.and_then(|raw| whole::<Context<'_>>(raw, &mut mended));
        let selected = context.as_ref().map(|context| [context.files, context.folders, context.images]).unwrap_or_default();
        let mut names: Vec<String> =
            selected.into_iter().flat_map(|list| Items::of(list).0).filter_map(|raw| name_of(raw, 0)).collect();
        for raw in Items::of(self.images).0 {
            names.push(name_of(raw, 0).unwrap_or_else(|| "image".to_owned()));
        }
        names.dedup();
        names
    }
}

/// The text in a string; anything else as JSON.
fn text_of(raw: Option<&RawValue>) -> Option<String> {
    let raw = raw.filter(|raw| raw.get() != "null")?;
    Some(parse_mending::<String>(raw.get()).unwrap_or_else(|| compact(Some(raw))))
}

fn name_of(raw: &RawValue, depth: usize) -> Option<String> {
    let mut mended = String::new();
    let selected = whole::<Selected<'_>>(raw, &mut mended)?;
    let within = selected.uri.filter(|_| depth == 0).and_then(|uri| name_of(uri, depth + 1));
    let path = selected.relative.text().or(selected.path.text()).or(selected.system_path.text());
    within.or_else(|| path?.rsplit(['/', '\\']).find(|name| !name.is_empty()).map(str::to_owned))
}

/// The words of a prompt in the editor's own form, which is a tree in JSON.
fn plain(rich_text: &str) -> String {
    if rich_text.len() > METADATA_BYTES_MAX || !rich_text.starts_with('{') {
        return String::new();
    }
    let Some(tree) = parse_mending::<Value>(rich_text) else { return String::new() };
    let mut words = String::new();
    add_words(tree.get("root").unwrap_or(&tree), &mut words);
    words.trim_end().to_owned()
}

fn add_words(node: &Value, words: &mut String) {
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    match node.get("text").and_then(Value::as_str) {
        Some(text) => words.push_str(text),
        None if kind == "linebreak" => words.push('\n'),
        None => {}
    }
    for child in node.get("children").and_then(Value::as_array).into_iter().flatten() {
        add_words(child, words);
    }
    if kind == "paragraph" {
        words.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_rich_text_are_found() {
        let tree = r#"{"root":{"children":[{"type":"paragraph","children":[{"type":"text","text":"See "},{"type":"mention","text":"@a.rs"}]},{"type":"paragraph","children":[{"text":"now"}]}]}}"#;
        assert_eq!(plain(tree), "See @a.rs\nnow");
        assert_eq!(plain("plain words"), "");
        assert_eq!(plain(&"{\"children\":[".repeat(100_000)), "", "a tree deeper than the parser allows is no text");
    }
}
