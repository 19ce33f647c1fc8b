//! Gemini CLI sessions: lines that record how a session grew, or one object with the whole session (older versions).
//!
//! A message may be written again under the same id; the last version is used. A rewind withdraws a message and everything
//! after it, which is kept here as a branch. When the program shortens a session, it writes a history list that repeats and
//! invents user turns. If a file has messages on separate lines, anything that appears only in that list is treated as written
//! by the program. Files that a person referenced with `@` are copied into the prompt; they are not the person's words, and
//! neither are the initial context and the output of shell commands. In a sub-agent's session the "user" is another program.
//! For the format, see docs/formats.md, section 6.

use std::collections::HashMap;
use std::io::{BufRead, Read as _};

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::halt::Halt;
use crate::identity::{StandIns, handle};
use crate::json::{Balance, Fault, Items, Loose, check_document, check_lines, compact, object, record, small_value};
use crate::limits::{ELEMENT_BYTES_MAX, METADATA_BYTES_MAX, REGROUP_BYTES_MAX};
use crate::lines::each_record;
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::parse_rfc3339;

/// Channel type for terminal programs.
const CHANNEL: &str = "cli";

/// The lines before and after the contents of the files that a prompt references.
const FILES_BEGIN: &str = "--- Content from referenced files ---";
const FILES_END: &str = "--- End of content ---";

/// Beginnings of text that the program added to the session.
const PROGRAM_TEXT: &[&str] = &[
    "This is the Gemini CLI. We are setting up the context",
    "<session_context>",
    "<state_snapshot>",
    "<hook_context>",
    "System: Please continue",
];

/// The beginning of a record of a command that the person ran in the program's shell.
const SHELL_COMMAND: &str = "I ran the following shell command:";

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default, rename = "sessionId")]
    session: Loose<'a>,
    #[serde(borrow, default, rename = "projectHash")]
    project: Loose<'a>,
    #[serde(borrow, default)]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    summary: Loose<'a>,
    #[serde(borrow, default)]
    directories: Option<&'a RawValue>,
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "$set")]
    set: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "$rewindTo")]
    rewind_to: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "type")]
    message_kind: Loose<'a>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    timestamp: Loose<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "displayContent")]
    shown: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "toolCalls")]
    calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thoughts: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Loose<'a>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    thought: Loose<'a>,
    #[serde(borrow, default, rename = "inlineData")]
    data: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "fileData")]
    file: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "functionCall")]
    call: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "functionResponse")]
    response: Option<&'a RawValue>,
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
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Loose<'a>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Thought<'a> {
    #[serde(borrow, default)]
    subject: Loose<'a>,
    #[serde(borrow, default)]
    description: Loose<'a>,
}

/// True if the file has one object per line. The older form spreads a single object over many lines.
fn is_lines(head: &[u8]) -> bool {
    let line = memchr::memchr(b'\n', head).map_or(head, |end| &head[..end]);
    Balance::default().feed(line).is_some()
}

/// Checks that a file in either form is complete.
pub(crate) fn check(input: &mut dyn BufRead, tick: &mut dyn FnMut() -> Result<(), crate::Stop>) -> Result<(), Fault> {
    if is_lines(input.fill_buf()?) { check_lines(input, tick) } else { check_document(input, tick) }
}

/// Reads one file.
pub(crate) fn read(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut session = Session::default();
    if is_lines(input.fill_buf()?) {
        return read_on(input, out, &mut session);
    }
    let mut whole = Vec::new();
    input.take(ELEMENT_BYTES_MAX as u64 + 1).read_to_end(&mut whole)?;
    if whole.len() > ELEMENT_BYTES_MAX {
        out.skip_bytes(SkipReason::TooLarge, &whole);
    } else {
        session.take(whole.trim_ascii(), out)?;
    }
    session.emit(out)
}

/// Reads the lines that follow those already recorded in `session`.
pub(crate) fn read_on(input: &mut dyn BufRead, out: &mut Out<'_>, session: &mut Session) -> Result<(), Halt> {
    each_record(input, out, |bytes, out| session.take(bytes, out))?;
    session.emit(out)
}

/// The latest version of a message.
struct Held {
    id: Option<String>,
    json: String,
    is_branch: bool,
}

/// State kept across the lines of one file.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Session {
    id: Option<String>,
    folder: Option<String>,
    project: Option<String>,
    is_delegated: bool,
    has_lines: bool,
    #[serde(skip)]
    held: Vec<Held>,
    #[serde(skip)]
    held_bytes: usize,
    #[serde(skip)]
    places: HashMap<String, usize>,
    last_time: Option<Timestamp>,
    stand_ins: StandIns,
    #[serde(skip)]
    groups: Regroup,
}

impl Session {
    fn take(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        let mut mended = String::new();
        let Some(record) = record::<Record<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) else {
            out.skip_bytes(SkipReason::Malformed, bytes);
            return Ok(());
        };
        if let Some(target) = record.rewind_to {
            let target = serde_json::from_str::<Loose<'_>>(target.get()).unwrap_or_default();
            self.rewind(target.text().unwrap_or_default());
            out.skip_bytes(SkipReason::NotAMessage, bytes);
        } else if record.id.text().is_some() || record.message_kind.text().is_some() {
            self.has_lines = true;
            self.hold(record.id.text().map(str::to_owned), String::from_utf8_lossy(bytes).into_owned(), out)?;
        } else {
            let set = record.set.and_then(object::<Record<'_>>);
            let told = set.as_ref().unwrap_or(&record);
            self.learn(told);
            let messages = Items::of(told.messages).0;
            if messages.is_empty() {
                out.skip_bytes(SkipReason::NotAMessage, bytes);
            }
            // If the file has message lines, this list only repeats them or adds text by the program.
            let is_account = self.has_lines;
            for raw in messages {
                let id = object::<RawMessage<'_>>(raw).and_then(|message| message.id.text().map(str::to_owned));
                if !is_account {
                    self.hold(id, raw.get().to_owned(), out)?;
                } else if id.is_some_and(|id| self.places.contains_key(&id)) {
                    out.skip(SkipReason::Repeated, raw.get());
                } else {
                    out.skip(SkipReason::AddedByProgram, raw.get());
                }
            }
        }
        Ok(())
    }

    fn learn(&mut self, told: &Record<'_>) {
        // A resumed session keeps its first id, so that its messages keep their identity.
        if self.id.is_none() {
            self.id = told.session.text().map(str::to_owned);
        }
        if let Some(project) = told.project.text() {
            self.project = Some(project.to_owned());
        }
        if let Some(raw) = Items::of(told.directories).0.first() {
            self.folder = serde_json::from_str::<String>(raw.get()).ok().or(self.folder.take());
        }
        if told.kind.text() == Some("subagent") {
            self.is_delegated = true;
        }
        if let (Some(id), Some(summary)) = (&self.id, told.summary.text()) {
            self.groups.set_title(id, summary);
        }
    }

    fn hold(&mut self, id: Option<String>, json: String, out: &mut Out<'_>) -> Result<(), Halt> {
        self.held_bytes += json.len();
        let known = id.as_ref().and_then(|id| self.places.get(id)).copied();
        match known.and_then(|place| self.held.get_mut(place)) {
            // If a message is written again, the latest version counts. A message that was withdrawn and then repeated is part of
            // the thread again.
            Some(held) => {
                out.skip(SkipReason::Repeated, &held.json);
                self.held_bytes -= held.json.len();
                held.json = json;
                held.is_branch = false;
            }
            None => {
                if let Some(id) = &id {
                    self.places.insert(id.clone(), self.held.len());
                }
                self.held.push(Held { id, json, is_branch: false });
            }
        }
        if self.held_bytes > REGROUP_BYTES_MAX { self.let_go(out) } else { Ok(()) }
    }

    /// Withdraws a message and everything after it. An unknown id withdraws everything.
    fn rewind(&mut self, id: &str) {
        let start = self.places.get(id).copied().unwrap_or(0);
        for held in self.held.iter_mut().skip(start) {
            held.is_branch = true;
        }
    }

    fn emit(&mut self, out: &mut Out<'_>) -> Result<(), Halt> {
        self.let_go(out)?;
        Ok(self.groups.flush(out)?)
    }

    /// Passes the held messages on to the grouping step.
    fn let_go(&mut self, out: &mut Out<'_>) -> Result<(), Halt> {
        self.held_bytes = 0;
        self.places.clear();
        for held in std::mem::take(&mut self.held) {
            match record::<RawMessage<'_>>(held.json.as_bytes(), &mut String::new()).filter(|_| held.json.starts_with('{')) {
                Some(message) => self.tell(&message, &held, out)?,
                None => out.skip(SkipReason::Malformed, &held.json),
            }
        }
        Ok(())
    }

    fn tell(&mut self, message: &RawMessage<'_>, held: &Held, out: &mut Out<'_>) -> Result<(), Halt> {
        let given = message.timestamp.text().and_then(|text| parse_rfc3339(text, out.options.zone));
        let time = given.unwrap_or((self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred));
        self.last_time = Some(time.0);
        let said = match message.kind.text().unwrap_or_default() {
            "user" => self.prompt(message, out),
            "gemini" => answer(message, out),
            "error" => {
                out.skip(SkipReason::ServiceError, &held.json);
                Vec::new()
            }
            kind => {
                let (text, _) = text_of(message.content);
                let message_type = if matches!(kind, "info" | "warning") { MessageType::Notice } else { MessageType::Unknown };
                let mut said = Said::of("", Role::System, text, message_type);
                if message_type == MessageType::Unknown {
                    said.metadata.insert("content_type".to_owned(), kind.into());
                    if let Some(content) = message.content {
                        said.metadata.insert("content".to_owned(), small_value(content));
                    }
                }
                if said.text.trim().is_empty() && message_type == MessageType::Notice {
                    out.skip(SkipReason::Empty, &held.json);
                    Vec::new()
                } else {
                    vec![said]
                }
            }
        };
        let conversation = self.id.as_deref().unwrap_or("session").to_owned();
        for said in said {
            let id = match &held.id {
                Some(id) => format!("{id}{}", said.suffix),
                None => {
                    let written = message.timestamp.text().unwrap_or_default();
                    self.stand_ins.next(&conversation, written, said.message_type.name(), &said.text)
                }
            };
            let (name, own_handle) = match said.role {
                Role::Owner => ("User", "user"),
                Role::Tool => ("tool", "tool"),
                Role::System => ("Gemini CLI", "gemini-cli"),
                _ => ("Gemini", "gemini"),
            };
            let mut metadata = said.metadata;
            if let Some(model) = message.model.text() {
                metadata.insert("model".to_owned(), model.into());
            }
            let author = said.tool.clone().filter(|_| said.role == Role::Tool).unwrap_or_else(|| name.to_owned());
            let place = self.folder.as_deref().or(self.project.as_deref()).unwrap_or(&conversation).to_owned();
            self.groups.take(
                Message {
                    source: SourceRef { kind: SourceKind::GeminiCli, conversation: conversation.clone(), message: id },
                    conversation_title: None,
                    channel_type: CHANNEL.to_owned(),
                    channel_id: place,
                    visibility: Visibility::Private,
                    is_private: false,
                    time: time.0,
                    time_certainty: time.1,
                    author: Author { name: author, handle: handle(CHANNEL, own_handle), role: said.role },
                    text: said.text,
                    message_type: said.message_type,
                    tool: said.tool,
                    reply_to: None,
                    is_branch: held.is_branch,
                    metadata,
                },
                out,
            )?;
        }
        Ok(())
    }

    /// The words that the person typed, and the text that the program added for the model, marked as such.
    fn prompt(&self, message: &RawMessage<'_>, out: &mut Out<'_>) -> Vec<Said> {
        let mut all = Vec::new();
        let (content, others) = text_of(message.content);
        let (shown, _) = text_of(message.shown);
        // The displayed text is what the person typed. The content may also include the named files.
        let written = if shown.trim().is_empty() { &content } else { &shown };
        let (role, words_type) = match self.is_delegated {
            false => (Role::Owner, MessageType::Text),
            // Another program wrote the sub-agent's task.
            true => (Role::Assistant, MessageType::Instruction),
        };
        match words_of(written) {
            Ok(words) => {
                let message_type = if words.is_command && role == Role::Owner { MessageType::Command } else { words_type };
                let mut said = Said::of("", role, words.text, message_type);
                if !words.added.is_empty() {
                    said.metadata.insert("added_by_program".to_owned(), words.added.into());
                }
                all.push(said);
            }
            Err(SkipReason::Empty) if !others.is_empty() => {}
            Err(reason) => out.skip(reason, written),
        }
        for (at, other) in others.into_iter().enumerate() {
            match other {
                Other::File(name) => all.push(Said::of(&format!("#file-{at}"), role, name, MessageType::File)),
                Other::Response(call) => all.extend(result_of(&call, &format!("#response-{at}"))),
                // A tool call inside a user turn is not the user's.
                Other::Call(call) => out.skip(SkipReason::ToolTraffic, &call.tool.unwrap_or_default()),
                Other::Thought(text) => out.skip(SkipReason::AddedByProgram, &text),
            }
        }
        all
    }
}

/// The model's text, thoughts and tool calls.
fn answer(message: &RawMessage<'_>, out: &mut Out<'_>) -> Vec<Said> {
    let mut all = Vec::new();
    for (at, raw) in Items::of(message.thoughts).0.into_iter().enumerate() {
        let Some(thought) = object::<Thought<'_>>(raw) else {
            out.skip(SkipReason::Malformed, raw.get());
            continue;
        };
        let parts = [thought.subject.text(), thought.description.text()];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
        if text.trim().is_empty() {
            out.skip(SkipReason::Empty, "thought");
        } else {
            all.push(Said::of(&format!("#thought-{at}"), Role::Assistant, text, MessageType::Thinking));
        }
    }
    let (text, others) = text_of(message.content);
    let calls = Items::of(message.calls).0;
    if !text.trim().is_empty() {
        all.push(Said::of("", Role::Assistant, text, MessageType::Text));
    } else if all.is_empty() && others.is_empty() && calls.is_empty() {
        out.skip(SkipReason::Empty, "answer");
    }
    let mut called: Vec<CallOf> = Vec::new();
    for (at, other) in others.into_iter().enumerate() {
        match other {
            Other::File(name) => all.push(Said::of(&format!("#file-{at}"), Role::Assistant, name, MessageType::File)),
            Other::Thought(text) => all.push(Said::of(&format!("#part-{at}"), Role::Assistant, text, MessageType::Thinking)),
            Other::Response(call) => all.extend(result_of(&call, &format!("#response-{at}"))),
            // If `toolCalls` is present, it contains the same calls with their results.
            Other::Call(call) if calls.is_empty() => called.push(call),
            Other::Call(call) => out.skip(SkipReason::Repeated, &call.tool.unwrap_or_default()),
        }
    }
    for raw in calls {
        match object::<Call<'_>>(raw) {
            Some(call) => called.push(CallOf::new(&call, call.result)),
            None => out.skip(SkipReason::Malformed, raw.get()),
        }
    }
    for (at, call) in called.into_iter().enumerate() {
        let mut said = Said::of(&format!("#call-{at}"), Role::Assistant, call.arguments.clone(), MessageType::ToolUse);
        said.tool.clone_from(&call.tool);
        if let Some(id) = &call.id {
            said.metadata.insert("tool_use_id".to_owned(), id.as_str().into());
        }
        all.push(said);
        all.extend(result_of(&call, &format!("#result-{at}")));
    }
    all
}

/// A tool call, with its output if there is one.
struct CallOf {
    id: Option<String>,
    tool: Option<String>,
    arguments: String,
    result: String,
    has_failed: bool,
}

impl CallOf {
    fn new(call: &Call<'_>, result: Option<&RawValue>) -> Self {
        let (result, has_error) = result.map_or((String::new(), false), response_text);
        Self {
            id: call.id.text().map(str::to_owned),
            tool: call.name.text().map(str::to_owned),
            arguments: compact(call.args),
            result,
            has_failed: has_error || call.status.text() == Some("error"),
        }
    }
}

fn result_of(call: &CallOf, suffix: &str) -> Option<Said> {
    if call.result.trim().is_empty() {
        return None;
    }
    let mut said = Said::of(suffix, Role::Tool, call.result.clone(), MessageType::ToolResult);
    said.tool.clone_from(&call.tool);
    if let Some(id) = &call.id {
        said.metadata.insert("tool_use_id".to_owned(), id.as_str().into());
    }
    if call.has_failed {
        said.metadata.insert("is_error".to_owned(), true.into());
    }
    Some(said)
}

/// The output of a tool (text, parts, or a response object), and whether it is an error.
fn response_text(raw: &RawValue) -> (String, bool) {
    if let Some(response) = object::<Response<'_>>(raw) {
        if let Some(error) = response.error {
            return (text_of(Some(error)).0, true);
        }
        if let Some(output) = response.output {
            return (text_of(Some(output)).0, false);
        }
    }
    let (mut text, others) = text_of(Some(raw));
    let mut has_error = false;
    for other in others {
        if let Other::Response(call) = other {
            has_error |= call.has_failed;
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&call.result);
        }
    }
    // An object of an unknown form is kept as JSON.
    if text.is_empty() && object::<Part<'_>>(raw).is_some_and(|part| part.is_nothing()) {
        text = compact(Some(raw));
    }
    (text, has_error)
}

/// An item of a message's content that is not text.
enum Other {
    File(String),
    Thought(String),
    Call(CallOf),
    Response(CallOf),
}

impl Part<'_> {
    fn is_nothing(&self) -> bool {
        let has_object = self.data.or(self.file).or(self.call).or(self.response).is_some();
        !has_object && self.text == Loose::Nothing
    }
}

/// The text of a message's content (a string, a part, or a list of both), and the other items in it.
fn text_of(content: Option<&RawValue>) -> (String, Vec<Other>) {
    let Some(content) = content else { return (String::new(), Vec::new()) };
    if let Ok(text) = serde_json::from_str::<String>(content.get()) {
        return (text, Vec::new());
    }
    let mut text = String::new();
    let mut others = Vec::new();
    let items = if content.get().starts_with('[') { Items::of(Some(content)).0 } else { vec![content] };
    for raw in items {
        if let Ok(more) = serde_json::from_str::<String>(raw.get()) {
            text.push_str(&more);
            continue;
        }
        let Some(part) = object::<Part<'_>>(raw) else { continue };
        let call = |raw: &RawValue| object::<Call<'_>>(raw).map(|call| CallOf::new(&call, call.response));
        if part.thought.is_true() {
            others.extend(part.text.text().map(|text| Other::Thought(text.to_owned())));
        } else if let Some(more) = part.text.text() {
            text.push_str(more);
        } else if let Some(file) = part.data.or(part.file) {
            others.push(Other::File(file_name(file)));
        } else if let Some(made) = part.call.and_then(call) {
            others.push(Other::Call(made));
        } else if let Some(given) = part.response.and_then(call) {
            others.push(Other::Response(given));
        }
    }
    (text, others)
}

/// The name, location or type of a file, whichever is known.
fn file_name(raw: &RawValue) -> String {
    #[derive(Deserialize)]
    struct File<'a> {
        #[serde(borrow, default, rename = "displayName")]
        name: Loose<'a>,
        #[serde(borrow, default, rename = "fileUri")]
        uri: Loose<'a>,
        #[serde(borrow, default, rename = "mimeType")]
        mime: Loose<'a>,
    }
    let file = object::<File<'_>>(raw);
    let name = file.as_ref().and_then(|file| file.name.text().or(file.uri.text()).or(file.mime.text()));
    name.unwrap_or("file").to_owned()
}

/// One message from a record.
struct Said {
    /// The suffix that is added to the record's id.
    suffix: String,
    role: Role,
    text: String,
    message_type: MessageType,
    tool: Option<String>,
    metadata: Metadata,
}

impl Said {
    fn of(suffix: &str, role: Role, text: String, message_type: MessageType) -> Self {
        Self { suffix: suffix.to_owned(), role, text, message_type, tool: None, metadata: Metadata::new() }
    }
}

/// The words of a prompt.
#[derive(Debug, PartialEq)]
struct Words {
    text: String,
    is_command: bool,
    /// Text that the program added to the person's words.
    added: Vec<String>,
}

/// The person's words in `text`, or the reason to skip the text.
fn words_of(text: &str) -> Result<Words, SkipReason> {
    let head = text.trim();
    if head.is_empty() {
        return Err(SkipReason::Empty);
    }
    if PROGRAM_TEXT.iter().any(|prefix| head.starts_with(prefix)) {
        return Err(SkipReason::AddedByProgram);
    }
    if head.starts_with(SHELL_COMMAND) {
        let command = head.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("\n```"));
        return match command {
            Some((command, _)) => Ok(Words { text: format!("!{}", command.trim()), is_command: true, added: Vec::new() }),
            None => Err(SkipReason::AddedByProgram),
        };
    }
    let Some((before, rest)) = text.split_once(FILES_BEGIN) else {
        return Ok(Words { text: text.to_owned(), is_command: false, added: Vec::new() });
    };
    // A file may itself contain the end line, so the last one counts. Without an end line, all text that follows belongs to the
    // files.
    let (files, after) = rest.rsplit_once(FILES_END).unwrap_or((rest, ""));
    let words = [before.trim(), after.trim()].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n\n");
    let added = if files.len() <= METADATA_BYTES_MAX { vec![files.trim().to_owned()] } else { Vec::new() };
    if words.is_empty() { Err(SkipReason::AddedByProgram) } else { Ok(Words { text: words, is_command: false, added }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_context_and_output_in_a_prompt_are_not_the_persons_words() {
        for (text, wanted) in [
            ("I prefer tabs", Ok("I prefer tabs")),
            (
                "Look at @a.md\n--- Content from referenced files ---\nContent from @a.md:\nI hate bees\n--- End of content ---",
                Ok("Look at @a.md"),
            ),
            ("--- Content from referenced files ---\nI hate bees", Err(SkipReason::AddedByProgram)),
            ("This is the Gemini CLI. We are setting up the context for our chat.", Err(SkipReason::AddedByProgram)),
            ("<state_snapshot>\nThe user likes bees", Err(SkipReason::AddedByProgram)),
            (
                "I ran the following shell command:\n```sh\nls hives\n```\n\nThis produced the following result:\n```\none\n```",
                Ok("!ls hives"),
            ),
            (" \n", Err(SkipReason::Empty)),
        ] {
            let words = words_of(text).map(|words| words.text);
            assert_eq!(words.as_deref().map_err(|reason| *reason), wanted, "{text}");
        }
    }

    #[test]
    fn what_a_tool_gave_back_is_unwrapped() {
        for (json, wanted, has_error) in [
            (r#""plain""#, "plain", false),
            (r#"[{"functionResponse":{"id":"t","name":"Read","response":{"output":"one\ntwo"}}}]"#, "one\ntwo", false),
            (r#"[{"functionResponse":{"response":{"error":"no such file"}}}]"#, "no such file", true),
            (r#"{"functionResponse":{"response":{"output":"one"}}}"#, "one", false),
            (r#"{"rows":3}"#, r#"{"rows":3}"#, false),
            (r#"[{"text":"a"},{"text":"b"}]"#, "ab", false),
        ] {
            let raw: &RawValue = serde_json::from_str(json).expect("the test writes JSON");
            assert_eq!(response_text(raw), (wanted.to_owned(), has_error), "{json}");
        }
    }
}
