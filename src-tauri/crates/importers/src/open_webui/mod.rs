//! Open WebUI exports: an array of chats, each a tree of messages in `chat.history`.
//!
//! The thread shown is the path from `history.currentId` up to the root; every other message is kept as a branch. Reasoning and
//! tool calls are in `output` (newer versions) or in `<details>` blocks of the text; see `details`. An administrator can export
//! everybody's chats in the same form, so the account of a chat determines whose words it contains. For formats and pitfalls,
//! see docs/formats.md, "Open WebUI".

mod details;

use std::io::BufRead;

use keepsake_domain::{MessageType, SourceKind, TimeCertainty};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::Program;
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, digest};
use crate::json::{Entries, Items, Loose, compact, each_element, object, parse_mending, record, whole};
use crate::out::Out;
use crate::time::from_unix;
use crate::turns::{Part, Shown, Speaker, Talk, Turn, Turns, split_thinking};

/// The format.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::OpenWebui, names_owner: true, input: Input::Document { claims, check: Check::Json, read } };

const PROGRAM: Program = Program { kind: SourceKind::OpenWebui, name: "Open WebUI", handle: "open-webui" };

/// The tool that runs code.
const INTERPRETER: &str = "code_interpreter";

/// The file name prefix of an export of everybody's chats. Nothing in the file itself shows this.
const EVERYBODY: &str = "all-chats-export";

/// True if the file contains chats. An array of one chat and a single chat are also exports.
fn claims(head: &Head<'_>) -> bool {
    ["[].", ""].iter().any(|root| {
        let has = |path: &str| head.outline.has(&format!("{root}{path}"));
        has("chat.history.messages") && (has("chat.history.currentId") || has("chat.models") || has("user_id"))
    })
}

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    user_id: Loose<'a>,
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    chat: Option<&'a RawValue>,
    #[serde(borrow, default)]
    created_at: Loose<'a>,
    #[serde(borrow, default)]
    folder_id: Loose<'a>,
}

#[derive(Deserialize)]
struct Chat<'a> {
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    system: Loose<'a>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    history: Option<&'a RawValue>,
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Parameters<'a> {
    #[serde(borrow, default)]
    system: Loose<'a>,
}

#[derive(Deserialize)]
struct History<'a> {
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "currentId")]
    current: Loose<'a>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "parentId")]
    parent: Loose<'a>,
    #[serde(borrow, default)]
    role: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    timestamp: Loose<'a>,
    #[serde(borrow, default)]
    model: Loose<'a>,
    #[serde(borrow, default, rename = "modelName")]
    model_name: Loose<'a>,
    #[serde(borrow, default)]
    files: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotation: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "originalContent")]
    original: Option<&'a RawValue>,
}

/// An item of a message's content or output.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    call_id: Loose<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    code: Loose<'a>,
    #[serde(borrow, default)]
    file: Option<&'a RawValue>,
    #[serde(borrow, default)]
    filename: Loose<'a>,
    #[serde(borrow, default)]
    url: Loose<'a>,
}

#[derive(Deserialize)]
struct Annotation<'a> {
    #[serde(borrow, default)]
    rating: Loose<'a>,
    #[serde(borrow, default)]
    comment: Loose<'a>,
}

/// What is carried over from one chat to the next.
#[derive(Default)]
struct Reader {
    /// The account of the first chat, which is the owner's.
    account: Option<String>,
    is_everybody: bool,
    seen: SeenIds,
}

fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut reader = Reader { is_everybody: site.name.starts_with(EVERYBODY), ..Reader::default() };
    each_element(input, out, |bytes, out| {
        match record::<Row<'_>>(bytes, &mut String::new()).filter(|_| bytes.trim_ascii_start().starts_with(b"{")) {
            Some(row) => reader.chat(&row, out)?,
            None => out.skip_bytes(SkipReason::Malformed, bytes),
        }
        Ok(())
    })
}

impl Reader {
    fn chat(&mut self, row: &Row<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
        let chat = row.chat.and_then(object::<Chat<'_>>);
        let title = row.title.text().or(chat.as_ref().and_then(|chat| chat.title.text())).map(str::to_owned);
        let sample = title.as_deref().unwrap_or("a chat without title");
        let Some(chat) = chat else {
            out.skip(SkipReason::MissingField, sample);
            return Ok(());
        };
        let history = chat.history.and_then(object::<History<'_>>);
        let tree = history.as_ref().and_then(|history| history.messages);
        let mut turns = Turns::default();
        let mut first = None;
        let mut messages: Vec<(Option<String>, &RawValue)> = Vec::new();
        match tree.filter(|tree| tree.get().len() > 2) {
            Some(tree) => {
                let Ok(Entries(entries)) = serde_json::from_str(tree.get()) else {
                    out.skip(SkipReason::TooLarge, sample);
                    return Ok(());
                };
                messages.extend(entries.into_iter().map(|(id, raw)| (Some(id), raw)));
            }
            // Very old chats have only a list.
            None => messages.extend(Items::of(chat.messages).0.into_iter().map(|raw| (None, raw))),
        }
        if messages.is_empty() {
            out.skip(SkipReason::NoMessages, sample);
            return Ok(());
        }
        let is_tree = messages.iter().any(|(key, _)| key.is_some());
        let account = row.user_id.id().map(|id| id.into_owned());
        let other = self.other(account.as_deref(), out);
        let parameters = chat.params.and_then(object::<Parameters<'_>>);
        let system = parameters.as_ref().and_then(|parameters| parameters.system.text()).or(chat.system.text());
        let begun = row.created_at.number().and_then(from_unix);
        turns.instruct("system", system, begun, out);
        let mut previous = None;
        for (key, raw) in messages {
            let mut mended = String::new();
            let Some(message) = whole::<RawMessage<'_>>(raw, &mut mended) else {
                out.skip(SkipReason::Malformed, raw.get());
                continue;
            };
            let id = key.or_else(|| message.id.id().map(|id| id.into_owned()));
            let Some(id) = id else {
                out.skip(SkipReason::MissingField, raw.get());
                continue;
            };
            first.get_or_insert_with(|| id.clone());
            let parent = if is_tree { message.parent.id().map(|id| id.into_owned()) } else { previous.take() };
            previous = Some(id.clone());
            let speaker = match (message.role.text().unwrap_or_default(), &other) {
                ("user", None) => Speaker::Owner(account.clone()),
                ("user", Some(other)) => Speaker::Person(other.clone()),
                ("assistant", _) => {
                    let name = message.model_name.text().map(str::to_owned);
                    Speaker::Assistant(name, message.model.text().map(str::to_owned))
                }
                ("system", _) => Speaker::Program,
                _ => {
                    out.skip(SkipReason::MissingField, raw.get());
                    continue;
                }
            };
            turns.push(turn(id, parent, &message, speaker, out), out);
        }
        let id = match row.id.id() {
            Some(id) => id.into_owned(),
            // Without an id, the id of the first message is used, which is just as stable.
            None => format!("h-{}", digest(&[first.as_deref().unwrap_or_default()])),
        };
        if !self.seen.is_new(&id) {
            out.skip(SkipReason::Repeated, sample);
            return Ok(());
        }
        let current = history.and_then(|history| history.current.id().map(|id| id.into_owned()));
        let talk = Talk {
            program: &PROGRAM,
            id,
            title,
            channel_id: row.folder_id.id().map(|id| id.into_owned()),
            is_private: false,
            begun,
            shown: Shown::PathTo(current),
        };
        talk.tell(turns, out)
    }

    /// The account of another person whose chat this is; `None` if it is the owner's.
    fn other(&mut self, account: Option<&str>, out: &Out<'_>) -> Option<String> {
        let first = self.account.get_or_insert_with(|| account.unwrap_or_default().to_owned());
        let is_owner = match account {
            Some(account) if out.me.is("", account) => true,
            Some(account) => !self.is_everybody && account == first,
            None => !self.is_everybody,
        };
        (!is_owner).then(|| account.unwrap_or("another user").to_owned())
    }
}

/// The turn of a message. A message without content is counted as skipped.
fn turn(id: String, parent: Option<String>, message: &RawMessage<'_>, speaker: Speaker, out: &mut Out<'_>) -> Turn {
    let role = message.role.text().unwrap_or_default();
    let (content, mut files) = content_of(message.content);
    files.extend(Items::of(message.files).0.into_iter().filter_map(|raw| file_name(raw, 0)));
    let is_answer = matches!(speaker, Speaker::Assistant(..));
    let (mut words, mut parts) = if is_answer { answer(&content, message.output) } else { (content, Vec::new()) };
    if words.trim().is_empty() && parts.is_empty() && message.error.is_some_and(|error| !matches!(error.get(), "null" | "false"))
    {
        out.skip(SkipReason::ServiceError, &compact(message.error));
        words.clear();
    } else {
        match Part::words(words, &files) {
            Some(mut part) => {
                if matches!(speaker, Speaker::Program) {
                    part.message_type = MessageType::Instruction;
                }
                rate(message, &mut part);
                parts.push(part);
            }
            None if parts.is_empty() => out.skip(SkipReason::Empty, role),
            None => {}
        }
    }
    let time = message.timestamp.number().and_then(from_unix).map(|time| (time, TimeCertainty::Exact));
    Turn { id, parent, speaker, time, is_branch: false, parts }
}

/// Adds what the person did with an answer: rated it, or edited it.
fn rate(message: &RawMessage<'_>, part: &mut Part) {
    let annotation = message.annotation.and_then(object::<Annotation<'_>>);
    let rating = annotation.as_ref().and_then(|annotation| annotation.rating.number());
    if let Some(rating) = rating.filter(|rating| *rating != 0.0) {
        let emoji = if rating > 0.0 { "👍" } else { "👎" };
        let mut reaction = json!({ "emoji": emoji, "count": 1, "by": ["User"] });
        if let (Some(comment), Some(map)) =
            (annotation.and_then(|told| told.comment.text().map(str::to_owned)), reaction.as_object_mut())
        {
            map.insert("comment".to_owned(), comment.into());
        }
        part.metadata.insert("reactions".to_owned(), json!([reaction]));
    }
    if message.original.is_some_and(|original| original.get() != "null") {
        part.metadata.insert("is_edited".to_owned(), true.into());
    }
}

/// The text of a message's content (a string, or a list of items), and the names of the files in it.
fn content_of(content: Option<&RawValue>) -> (String, Vec<String>) {
    let Some(content) = content else { return (String::new(), Vec::new()) };
    if let Some(text) = parse_mending::<String>(content.get()) {
        return (text, Vec::new());
    }
    let mut texts = Vec::new();
    let mut files = Vec::new();
    for raw in Items::of(Some(content)).0 {
        let mut mended = String::new();
        let Some(item) = whole::<Item<'_>>(raw, &mut mended) else { continue };
        match item.text.text() {
            Some(text) => texts.push(text.to_owned()),
            None => files.extend(file_name(raw, 0)),
        }
    }
    (texts.join("\n"), files)
}

/// The name of a file, or its kind if it has no name. A picture may be embedded in the export, without a name.
fn file_name(raw: &RawValue, depth: usize) -> Option<String> {
    let mut mended = String::new();
    let item = whole::<Item<'_>>(raw, &mut mended)?;
    let inner = item.file.filter(|_| depth == 0).and_then(|inner| file_name(inner, depth + 1));
    let url = item.url.text().filter(|url| !url.starts_with("data:")).and_then(|url| url.rsplit('/').next());
    let name = item.name.text().or(item.filename.text());
    let kind = item.kind.text().map(|kind| kind.trim_end_matches("_url"));
    name.map(str::to_owned).or(inner).or_else(|| url.filter(|name| !name.is_empty()).or(kind).map(str::to_owned))
}

/// The words of an answer, and its reasoning and tool calls.
fn answer(content: &str, output: Option<&RawValue>) -> (String, Vec<Part>) {
    let (words, blocks) = details::split(content);
    let (told, mut parts) = output_of(output);
    // `content` and `output` say the same. The output is lossless; the person may have edited the content.
    if parts.is_empty() {
        parts = blocks;
    }
    if words.trim().is_empty() {
        return (told, parts);
    }
    let (thinking, rest) = split_thinking(&words);
    let Some(thinking) = thinking else { return (rest.to_owned(), parts) };
    if !parts.iter().any(|part| part.message_type == MessageType::Thinking) {
        parts.insert(0, Part::of("#thinking", thinking, MessageType::Thinking));
    }
    (rest.to_owned(), parts)
}

/// The words, reasoning and tool calls in an `output`.
fn output_of(output: Option<&RawValue>) -> (String, Vec<Part>) {
    let mut words = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for (at, raw) in Items::of(output).0.into_iter().enumerate() {
        let mut mended = String::new();
        let Some(item) = whole::<Item<'_>>(raw, &mut mended) else { continue };
        let suffix = format!("#{at}");
        let call = item.call_id.text();
        let part = match item.kind.text().unwrap_or_default() {
            "message" => {
                words.push(content_of(item.content).0);
                continue;
            }
            "reasoning" => Part::of(suffix, content_of(item.content).0, MessageType::Thinking),
            "function_call" => {
                let arguments = item
                    .arguments
                    .map_or_else(String::new, |raw| parse_mending::<String>(raw.get()).unwrap_or_else(|| compact(Some(raw))));
                Part::tool(suffix, arguments, MessageType::ToolUse, item.name.text(), call)
            }
            "function_call_output" => {
                let is_call =
                    |part: &&Part| call.is_some() && part.metadata.get("tool_use_id").and_then(|id| id.as_str()) == call;
                let tool = parts.iter().find(is_call).and_then(|part| part.tool.clone());
                Part::tool(suffix, content_of(item.output).0, MessageType::ToolResult, tool.as_deref(), call)
            }
            "open_webui:code_interpreter" => {
                let code = item.code.text().unwrap_or_default();
                parts.push(Part::tool(suffix, code, MessageType::ToolUse, Some(INTERPRETER), None));
                let result = item.output.map_or_else(String::new, |raw| compact(Some(raw)));
                Part::tool(
                    format!("#{at}-result"),
                    if result == "null" { String::new() } else { result },
                    MessageType::ToolResult,
                    Some(INTERPRETER),
                    None,
                )
            }
            _ => continue,
        };
        if !part.text.trim().is_empty() || part.message_type == MessageType::ToolUse {
            parts.push(part);
        }
    }
    words.retain(|words| !words.trim().is_empty());
    (words.join("\n"), parts)
}
