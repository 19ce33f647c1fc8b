//! LibreChat exports: one object with a conversation, or an array of such objects. Its messages are a list, or a tree in which each
//! message contains its answers; see `tree`.
//!
//! The export does not say which branch was shown last, so the path to the latest message is used. Exports in Markdown, text or
//! CSV are not read: the same menu exports JSON, which loses nothing. For formats and pitfalls, see docs/formats.md,
//! "LibreChat".

mod tree;

use std::collections::HashSet;
use std::io::BufRead;

use keepsake_domain::{MessageType, Metadata, SourceKind, TimeCertainty, Timestamp};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::Program;
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::digest;
use crate::json::{Items, Loose, Step, Walk, compact, object, parse_mending, record, whole};
use crate::limits::NAMES_MAX;
use crate::out::Out;
use crate::time::{from_unix, parse_rfc3339};
use crate::turns::{Part, Shown, Speaker, Talk, Turn, Turns};

/// The format.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::LibreChat, names_owner: true, input: Input::Document { claims, check: Check::Json, read } };

const PROGRAM: Program = Program { kind: SourceKind::LibreChat, name: "LibreChat", handle: "librechat" };

/// The parent of the first message of a conversation.
const NO_PARENT: &str = "00000000-0000-0000-0000-000000000000";

/// The lines around the reasoning in an answer of an older version.
const THINKING_BEGIN: &str = ":::thinking\n";
const THINKING_END: &str = "\n:::\n";

/// The objects and arrays around the messages.
const ENTER: &[&str] = &["", "messages", "messagesTree", "[]", "[].messages", "[].messagesTree"];

fn claims(head: &Head<'_>) -> bool {
    ["messages", "messagesTree", "[].messages", "[].messagesTree"].iter().any(|list| {
        ["messageId", "parentMessageId", "isCreatedByUser"].iter().all(|key| head.outline.has(&format!("{list}[].{key}")))
    })
}

#[derive(Deserialize)]
struct Options<'a> {
    #[serde(borrow, default, rename = "promptPrefix")]
    prefix: Loose<'a>,
    #[serde(borrow, default)]
    system: Loose<'a>,
    #[serde(borrow, default)]
    instructions: Loose<'a>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default, rename = "messageId")]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "parentMessageId")]
    parent: Loose<'a>,
    #[serde(borrow, default, rename = "conversationId")]
    conversation: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    sender: Loose<'a>,
    #[serde(borrow, default, rename = "isCreatedByUser")]
    is_users: Loose<'a>,
    #[serde(borrow, default, rename = "createdAt")]
    created: Loose<'a>,
    #[serde(borrow, default)]
    user: Loose<'a>,
    #[serde(borrow, default)]
    model: Loose<'a>,
    #[serde(borrow, default)]
    error: Loose<'a>,
    #[serde(borrow, default)]
    unfinished: Loose<'a>,
    #[serde(borrow, default)]
    files: Option<&'a RawValue>,
    #[serde(borrow, default)]
    attachments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    feedback: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "expiredAt")]
    expires: Loose<'a>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    think: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_call: Option<&'a RawValue>,
    #[serde(borrow, default)]
    image_file: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function: Option<&'a RawValue>,
    #[serde(borrow, default)]
    code_interpreter: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default)]
    filename: Loose<'a>,
    #[serde(borrow, default)]
    filepath: Loose<'a>,
}

#[derive(Deserialize)]
struct Feedback<'a> {
    #[serde(borrow, default)]
    rating: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
}

/// The conversation that is being read.
#[derive(Default)]
struct Conversation {
    id: Option<String>,
    title: Option<String>,
    instructions: Option<String>,
    has_only_shown: bool,
    is_temporary: bool,
    first: Option<String>,
    turns: Turns,
    has_messages: bool,
}

fn read(input: &mut dyn BufRead, _site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, ENTER);
    let mut conversation = Conversation::default();
    let mut is_array = false;
    // The conversations already read, so that one that appears twice in the file is read once.
    let mut seen = HashSet::new();
    loop {
        let Some(step) = walk.next()? else { return Ok(()) };
        let mut is_over = false;
        match step {
            Step::Value(path, bytes) => match path.trim_start_matches("[].") {
                "messages[]" | "messagesTree[]" => conversation.messages(bytes, out),
                // An array element that is not a conversation.
                "[]" => out.skip_bytes(SkipReason::Malformed, bytes),
                field => conversation.learn(field, bytes),
            },
            Step::TooLarge(path, head) => {
                if path.ends_with("[]") {
                    out.skip_bytes(SkipReason::TooLarge, head);
                }
            }
            Step::Begin("[]") => is_array = true,
            Step::End("[]") => is_over = true,
            Step::End("") => is_over = !is_array,
            Step::Begin(_) | Step::End(_) => {}
        }
        if is_over {
            let ended = std::mem::take(&mut conversation);
            let is_new = ended.id.as_ref().is_none_or(|id| seen.len() >= NAMES_MAX || seen.insert(id.clone()));
            if is_new {
                ended.tell(out)?;
            } else {
                out.skip(SkipReason::Repeated, ended.title.as_deref().unwrap_or("a conversation without title"));
            }
        }
        out.progress(walk.bytes_done())?;
    }
}

impl Conversation {
    fn learn(&mut self, field: &str, bytes: &[u8]) {
        let mut mended = String::new();
        match field {
            "conversationId" => self.id = scalar(bytes),
            "title" => self.title = scalar(bytes),
            "branches" => self.has_only_shown = bytes == b"false",
            "options" if bytes.starts_with(b"{") => {
                let Some(options) = record::<Options<'_>>(bytes, &mut mended) else { return };
                let told = [options.prefix, options.instructions, options.system];
                self.instructions = told.iter().find_map(|text| text.text()).map(str::to_owned);
            }
            _ => {}
        }
    }

    /// Reads a message and the messages nested in it.
    fn messages(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        if !bytes.starts_with(b"{") {
            out.skip_bytes(SkipReason::Malformed, bytes);
            return;
        }
        let flat = tree::flatten(bytes);
        for _ in 0..flat.beyond {
            out.skip(SkipReason::TooLarge, "a message of a very long conversation");
        }
        for bytes in flat.messages {
            let mut mended = String::new();
            match record::<RawMessage<'_>>(&bytes, &mut mended) {
                Some(message) => self.message(&message, &bytes, out),
                None => out.skip_bytes(SkipReason::Malformed, &bytes),
            }
        }
    }

    fn message(&mut self, message: &RawMessage<'_>, bytes: &[u8], out: &mut Out<'_>) {
        self.has_messages = true;
        let Some(id) = message.id.id().map(|id| id.into_owned()) else {
            out.skip_bytes(SkipReason::MissingField, bytes);
            return;
        };
        if self.id.is_none() {
            self.id = message.conversation.id().map(|id| id.into_owned());
        }
        self.first.get_or_insert_with(|| id.clone());
        self.is_temporary |= message.expires.text().is_some();
        let speaker = match message.is_users {
            Loose::Bool(true) => Speaker::Owner(message.user.id().map(|id| id.into_owned())),
            Loose::Bool(false) => {
                let name = message.sender.text().map(str::to_owned);
                Speaker::Assistant(name, message.model.text().map(str::to_owned))
            }
            _ => {
                out.skip_bytes(SkipReason::MissingField, bytes);
                return;
            }
        };
        let parent = message.parent.id().map(|id| id.into_owned()).filter(|id| id != NO_PARENT);
        let written = message.created.text().and_then(|text| parse_rfc3339(text, out.options.zone));
        let time = written.or_else(|| Some((from_unix(message.created.number()?)?, TimeCertainty::Exact)));
        let parts = parts_of(message, matches!(speaker, Speaker::Assistant(..)), out);
        self.turns.push(Turn { id, parent, speaker, time, is_branch: false, parts }, out);
    }

    fn tell(self, out: &mut Out<'_>) -> Result<(), Halt> {
        if !self.has_messages {
            out.skip(SkipReason::NoMessages, self.title.as_deref().unwrap_or("a conversation without title"));
            return Ok(());
        }
        let id = self.id.unwrap_or_else(|| format!("h-{}", digest(&[self.first.as_deref().unwrap_or_default()])));
        let mut turns = Turns::default();
        let begun: Option<Timestamp> = self.turns.begun();
        turns.instruct("instructions", self.instructions.as_deref(), begun, out);
        turns.append(self.turns, out);
        let talk = Talk {
            program: &PROGRAM,
            id,
            title: self.title,
            channel_id: None,
            is_private: self.is_temporary,
            begun,
            shown: if self.has_only_shown { Shown::Unmarked } else { Shown::PathTo(None) },
        };
        talk.tell(turns, out)
    }
}

/// A string or number.
fn scalar(bytes: &[u8]) -> Option<String> {
    let mut mended = String::new();
    record::<Loose<'_>>(bytes, &mut mended)?.id().map(|id| id.into_owned())
}

/// The parts of a message. A message without content is counted as skipped.
fn parts_of(message: &RawMessage<'_>, is_answer: bool, out: &mut Out<'_>) -> Vec<Part> {
    let text = message.text.text().unwrap_or_default();
    let mut files = Vec::new();
    let (mut words, mut parts) = contents(message.content, &mut files);
    files.extend([message.files, message.attachments].into_iter().flat_map(|list| Items::of(list).0).filter_map(file_name));
    if is_answer && message.error.is_true() {
        out.skip(SkipReason::ServiceError, if words.is_empty() { text } else { &words });
        return Vec::new();
    }
    if words.trim().is_empty() {
        words = text.to_owned();
    }
    // Older versions put an answer's reasoning in its text.
    if is_answer && let Some((thinking, rest)) = words.strip_prefix(THINKING_BEGIN).and_then(|text| text.split_once(THINKING_END))
    {
        parts.insert(0, Part::of("#thinking", thinking, MessageType::Thinking));
        words = rest.trim_start_matches('\n').to_owned();
    }
    match Part::words(words, &files) {
        Some(mut part) => {
            part.metadata.extend(remarks(message));
            parts.push(part);
        }
        None if parts.is_empty() => out.skip(SkipReason::Empty, message.sender.text().unwrap_or_default()),
        None => {}
    }
    parts
}

/// The metadata kept for a message in addition to its words.
fn remarks(message: &RawMessage<'_>) -> Metadata {
    let mut metadata = Metadata::new();
    let feedback = message.feedback.and_then(object::<Feedback<'_>>);
    let emoji = feedback.as_ref().and_then(|feedback| match feedback.rating.text()? {
        "thumbsUp" => Some("👍"),
        "thumbsDown" => Some("👎"),
        _ => None,
    });
    if let Some(emoji) = emoji {
        let mut reaction = json!({ "emoji": emoji, "count": 1, "by": ["User"] });
        let comment = feedback.as_ref().and_then(|feedback| feedback.text.text());
        if let (Some(comment), Some(map)) = (comment, reaction.as_object_mut()) {
            map.insert("comment".to_owned(), comment.into());
        }
        metadata.insert("reactions".to_owned(), json!([reaction]));
    }
    if message.unfinished.is_true() {
        metadata.insert("is_unfinished".to_owned(), true.into());
    }
    metadata
}

fn file_name(raw: &RawValue) -> Option<String> {
    let mut mended = String::new();
    let file = whole::<File<'_>>(raw, &mut mended)?;
    let path = file.filepath.text().filter(|path| !path.starts_with("data:")).and_then(|path| path.rsplit('/').next());
    file.filename.text().or(path).map(str::to_owned)
}

/// The words and the other parts of a message's content.
fn contents(content: Option<&RawValue>, files: &mut Vec<String>) -> (String, Vec<Part>) {
    let mut words: Vec<String> = Vec::new();
    let mut parts = Vec::new();
    for (at, raw) in Items::of(content).0.into_iter().enumerate() {
        let mut mended = String::new();
        let Some(item) = whole::<Item<'_>>(raw, &mut mended) else { continue };
        let suffix = format!("#{at}");
        match item.kind.text().unwrap_or_default() {
            "text" => words.push(value_text(item.text)),
            "error" => words.push(value_text(item.error.or(item.text))),
            "think" => {
                let text = value_text(item.think);
                if !text.trim().is_empty() {
                    parts.push(Part::of(suffix, text, MessageType::Thinking));
                }
            }
            "tool_call" => {
                if let Some(raw) = item.tool_call {
                    call_parts(raw, &suffix, &mut parts);
                }
            }
            "image_file" => files.push(item.image_file.and_then(file_name).unwrap_or_else(|| "image".to_owned())),
            "image_url" => files.push("image".to_owned()),
            // Notes from the program, such as which agent continues.
            _ => {}
        }
    }
    words.retain(|words| !words.trim().is_empty());
    (words.join("\n\n"), parts)
}

/// A tool call and its output.
fn call_parts(raw: &RawValue, suffix: &str, parts: &mut Vec<Part>) {
    let mut mended = String::new();
    let Some(call) = whole::<Call<'_>>(raw, &mut mended) else { return };
    let mut mended = String::new();
    let function = call.function.and_then(|raw| whole::<Call<'_>>(raw, &mut mended));
    let inner = function.as_ref();
    let is_code = call.code_interpreter.is_some();
    let tool = call.name.text().or(inner.and_then(|inner| inner.name.text())).or(is_code.then_some("code_interpreter"));
    let arguments = call.args.or(call.arguments).or(inner.and_then(|inner| inner.arguments)).or(call.code_interpreter);
    let output = call.output.or(inner.and_then(|inner| inner.output));
    let id = call.id.text();
    parts.push(Part::tool(suffix, value_text(arguments), MessageType::ToolUse, tool, id));
    let output = value_text(output);
    if !output.trim().is_empty() {
        parts.push(Part::tool(format!("{suffix}-result"), output, MessageType::ToolResult, tool, id));
    }
}

/// The text of a string or of `{"value": …}`; any other value as JSON.
fn value_text(raw: Option<&RawValue>) -> String {
    #[derive(Deserialize)]
    struct Value<'a> {
        #[serde(borrow, default)]
        value: Loose<'a>,
    }
    let Some(raw) = raw.filter(|raw| raw.get() != "null") else { return String::new() };
    if let Some(text) = parse_mending::<String>(raw.get()) {
        return text;
    }
    match object::<Value<'_>>(raw).as_ref().and_then(|value| value.value.text()) {
        Some(text) => text.to_owned(),
        None => compact(Some(raw)),
    }
}
