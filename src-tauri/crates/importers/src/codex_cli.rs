//! Codex CLI sessions ("rollouts"): one JSON object per line, one file per session, fork or sub-agent.
//!
//! A file contains each prompt twice: as a typing event, and in the request sent to the model. Requests also contain
//! instructions and context that the program sends in the person's name. If a file has typing events, only they count as the
//! owner's words. In a sub-agent's session the "user" is another program, so nothing there is the owner's. Lines have no ids,
//! and the two records of one message have different times, so a message id is a hash of the text plus a count of its
//! repetitions. The ids stay the same when the file grows, and in the copy of the parent session that a fork begins with.
//! Deliberately not read: `history.jsonl` and `session_index.jsonl`, which repeat the sessions. For the format, see
//! docs/formats.md, section 5.

use std::collections::HashMap;
use std::io::BufRead;

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::claude::result_text;
use crate::halt::Halt;
use crate::identity::{StandIns, fingerprint, handle};
use crate::json::{Items, Loose, compact, object, parse_mending, record, small_value};
use crate::limits::{METADATA_BYTES_MAX, NAMES_MAX, REGROUP_BYTES_MAX};
use crate::lines::each_record;
use crate::out::Out;
use crate::regroup::{Regroup, weight};
use crate::time::parse_rfc3339;

/// Channel type for terminal programs.
const CHANNEL: &str = "cli";

/// Beginnings of text that the program added to a request.
const PROGRAM_TEXT: &[&str] = &[
    "<user_instructions>",
    "<environment_context>",
    "<turn_aborted>",
    "<no retained transcript delta entries>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
    "<skill>",
    "<skills_instructions>",
    "<plugins_instructions>",
    "<apps_instructions>",
    "<subagent_notification>",
    "<model_switch>",
    "<user_action>",
    "<hook_prompt",
    "# AGENTS.md instructions",
    "Another language model started to solve this problem",
];

/// The beginning of a record of a command that the person ran in the program's shell.
const SHELL_COMMAND: &str = "<user_shell_command>";

/// Editors list the open files under headings before the prompt. The prompt itself follows this heading.
const REQUEST_HEADING: &str = "## My request for Codex:";

/// A fork begins with a copy of its parent, written when the fork is created. Lines written more than this long after the
/// fork's start belong to the fork itself.
const FORK_COPY_MS: i64 = 2_000;

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    timestamp: Loose<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

/// The fields of all payload kinds. The kind determines which fields are present.
#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    cwd: Loose<'a>,
    #[serde(borrow, default)]
    memory_mode: Loose<'a>,
    #[serde(borrow, default)]
    source: Option<&'a RawValue>,
    #[serde(borrow, default)]
    git: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Loose<'a>,
    #[serde(borrow, default)]
    role: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    summary: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    call_id: Loose<'a>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Loose<'a>,
    #[serde(borrow, default)]
    images: Option<&'a RawValue>,
    #[serde(borrow, default)]
    local_images: Option<&'a RawValue>,
    #[serde(borrow, default)]
    num_turns: Loose<'a>,
    #[serde(borrow, default)]
    thread_name: Loose<'a>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
}

#[derive(Deserialize)]
struct Git<'a> {
    #[serde(borrow, default)]
    branch: Loose<'a>,
}

/// The wrapped form of a tool's output.
#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    success: Loose<'a>,
    #[serde(borrow, default)]
    metadata: Option<ExitCode<'a>>,
}

#[derive(Deserialize)]
struct ExitCode<'a> {
    #[serde(borrow, default)]
    exit_code: Loose<'a>,
}

/// A message that may still turn out to be a copy or part of a branch.
struct Held {
    message: Message,
    /// True for a request to the model. Its text counts as the owner's only if the file has no typing events.
    is_request: bool,
}

/// State kept across the lines of one file.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Session {
    /// The id of the file's session.
    id: Option<String>,
    started: Option<Timestamp>,
    /// The session from which the current lines were copied.
    copied: Option<String>,
    cwd: Option<String>,
    branch: Option<String>,
    model: Option<String>,
    /// True if the session was started by another program, which is then the "user".
    is_delegated: bool,
    is_private: bool,
    has_typed: bool,
    last_time: Option<Timestamp>,
    /// Tool names by call id.
    tools: HashMap<String, String>,
    call_ids: HashMap<String, u32>,
    /// For each answer, how often it appeared as an item and as an event. Only one of each pair is emitted.
    answers: HashMap<u64, (u32, u32)>,
    stand_ins: StandIns,
    /// Counted separately from events, so that a request and the matching event get the same id.
    request_ids: StandIns,
    #[serde(skip)]
    held: Vec<Held>,
    #[serde(skip)]
    held_bytes: usize,
    /// The start index in `held` of each user turn.
    #[serde(skip)]
    turns: Vec<usize>,
    #[serde(skip)]
    groups: Regroup,
}

/// Reads one file.
pub(crate) fn read(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut session = Session::default();
    session.read_lines(input, out)?;
    session.emit(out)
}

/// Reads the lines after those that `session` already covers. Returns `false` and emits nothing while it is unknown whose words
/// the requests contain, because the typing event of a prompt comes after its request and before the answer.
pub(crate) fn read_on(input: &mut dyn BufRead, out: &mut Out<'_>, session: &mut Session) -> Result<bool, Halt> {
    session.read_lines(input, out)?;
    if !session.has_typed && session.answers.is_empty() {
        return Ok(false);
    }
    session.emit(out)?;
    Ok(true)
}

impl Session {
    fn read_lines(&mut self, input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
        each_record(input, out, |bytes, out| {
            match record::<Record<'_>>(bytes, &mut String::new()) {
                Some(record) => self.take(&record, bytes, out)?,
                None => out.skip_bytes(SkipReason::Malformed, bytes),
            }
            Ok(())
        })
    }

    fn emit(&mut self, out: &mut Out<'_>) -> Result<(), Halt> {
        self.let_go(out)?;
        Ok(self.groups.flush(out)?)
    }

    fn take(&mut self, record: &Record<'_>, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        let Some(payload) = record.payload.and_then(object::<Payload<'_>>) else {
            out.skip_bytes(SkipReason::Malformed, bytes);
            return Ok(());
        };
        let given = record.timestamp.text().and_then(|text| parse_rfc3339(text, out.options.zone));
        let time = given.unwrap_or((self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred));
        self.last_time = Some(time.0);
        if self.started.is_some_and(|started| time.0 > started.plus_ms(FORK_COPY_MS)) {
            self.copied = None;
        }
        match record.kind.text().unwrap_or_default() {
            "session_meta" => {
                self.begin(&payload, time.0);
                out.skip_bytes(SkipReason::NotAMessage, bytes);
            }
            "turn_context" => {
                self.cwd = payload.cwd.text().map(str::to_owned).or(self.cwd.take());
                self.model = payload.model.text().map(str::to_owned).or(self.model.take());
                out.skip_bytes(SkipReason::NotAMessage, bytes);
            }
            "response_item" => self.item(&payload, record.payload, bytes, time, out)?,
            "event_msg" => self.event(&payload, bytes, time, out)?,
            // The program's own summary of messages that it no longer sends.
            "compacted" => out.skip_bytes(SkipReason::AddedByProgram, bytes),
            _ => out.skip_bytes(SkipReason::NotAMessage, bytes),
        }
        Ok(())
    }

    /// Reads a session header. The first one in a file names its session; a later one with a different id means that a copy of
    /// the parent session follows.
    fn begin(&mut self, payload: &Payload<'_>, time: Timestamp) {
        let Some(id) = payload.id.text() else { return };
        if self.id.as_deref().is_some_and(|own| own != id) {
            self.copied = Some(id.to_owned());
            return;
        }
        self.id = Some(id.to_owned());
        self.started = Some(time);
        self.cwd = payload.cwd.text().map(str::to_owned);
        self.is_private = payload.memory_mode.text() == Some("disabled");
        let git = payload.git.and_then(object::<Git<'_>>);
        self.branch = git.and_then(|git| git.branch.text().map(str::to_owned));
        self.is_delegated = match payload.source.map(small_value) {
            Some(serde_json::Value::Object(source)) => !source.contains_key("custom"),
            Some(serde_json::Value::String(source)) => matches!(source.as_str(), "mcp" | "internal" | "subagent"),
            _ => false,
        };
    }

    fn item(
        &mut self,
        payload: &Payload<'_>,
        raw: Option<&RawValue>,
        bytes: &[u8],
        time: (Timestamp, TimeCertainty),
        out: &mut Out<'_>,
    ) -> Result<(), Halt> {
        let kind = payload.kind.text().unwrap_or_default();
        match kind {
            "message" => match payload.role.text() {
                Some("user") => self.request(payload, bytes, time, out),
                Some("assistant") => {
                    let text = joined(payload.content);
                    if text.trim().is_empty() {
                        out.skip_bytes(SkipReason::Empty, bytes);
                        return Ok(());
                    }
                    self.answer(text, true, bytes, time, out)
                }
                // The program added all developer and system text.
                _ => {
                    out.skip_bytes(SkipReason::AddedByProgram, bytes);
                    Ok(())
                }
            },
            "reasoning" => {
                let text = [joined(payload.summary), joined(payload.content)].into_iter().find(|text| !text.trim().is_empty());
                match text {
                    Some(text) => self.say(Said::of(Role::Assistant, text, MessageType::Thinking), time, out),
                    // Reasoning without text is encrypted; only the service can read it.
                    None => {
                        out.skip_bytes(SkipReason::Hidden, bytes);
                        Ok(())
                    }
                }
            }
            "function_call"
            | "custom_tool_call"
            | "local_shell_call"
            | "web_search_call"
            | "tool_search_call"
            | "image_generation_call" => self.call(kind, payload, time, out),
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => self.result(payload, bytes, time, out),
            "compaction" | "compaction_summary" | "ghost_snapshot" => {
                out.skip_bytes(SkipReason::NotAMessage, bytes);
                Ok(())
            }
            kind => {
                let mut said = Said::of(Role::Assistant, joined(payload.content), MessageType::Unknown);
                said.metadata.insert("content_type".to_owned(), kind.into());
                if let Some(raw) = raw {
                    said.metadata.insert("content".to_owned(), small_value(raw));
                }
                self.say(said, time, out)
            }
        }
    }

    fn event(
        &mut self,
        payload: &Payload<'_>,
        bytes: &[u8],
        time: (Timestamp, TimeCertainty),
        out: &mut Out<'_>,
    ) -> Result<(), Halt> {
        match payload.kind.text().unwrap_or_default() {
            "user_message" => {
                if !self.has_typed {
                    // The file has typing events, so requests are only copies.
                    self.has_typed = true;
                    self.turns.clear();
                    let before = self.held.len();
                    self.held.retain(|held| !held.is_request);
                    for _ in self.held.len()..before {
                        out.skip(SkipReason::Repeated, "a request that repeats what was typed");
                    }
                }
                self.turns.push(self.held.len());
                let images = Items::of(payload.images).0.len() + Items::of(payload.local_images).0.len();
                for _ in 0..images {
                    self.say(self.user("image".to_owned(), MessageType::File), time, out)?;
                }
                match words_of(payload.message.text().unwrap_or_default()) {
                    Ok(words) => self.typed(words, false, time, out),
                    Err(SkipReason::Empty) if images > 0 => Ok(()),
                    Err(reason) => {
                        out.skip_bytes(reason, bytes);
                        Ok(())
                    }
                }
            }
            "agent_message" => match payload.message.text() {
                Some(text) if !text.trim().is_empty() => self.answer(text.to_owned(), false, bytes, time, out),
                _ => {
                    out.skip_bytes(SkipReason::Empty, bytes);
                    Ok(())
                }
            },
            "thread_rolled_back" => {
                self.roll_back(payload.num_turns.number().unwrap_or(0.0));
                out.skip_bytes(SkipReason::NotAMessage, bytes);
                Ok(())
            }
            "thread_name_updated" => {
                if let (Some(id), Some(name)) = (&self.id, payload.thread_name.text()) {
                    self.groups.set_title(id, name);
                }
                out.skip_bytes(SkipReason::NotAMessage, bytes);
                Ok(())
            }
            kind => {
                let reason = match kind {
                    "agent_reasoning" | "agent_reasoning_raw_content" => SkipReason::Repeated,
                    "error" | "stream_error" => SkipReason::ServiceError,
                    _ => SkipReason::NotAMessage,
                };
                out.skip_bytes(reason, bytes);
                Ok(())
            }
        }
    }

    /// Reads a message that was sent to the model in the user's name.
    fn request(
        &mut self,
        payload: &Payload<'_>,
        bytes: &[u8],
        time: (Timestamp, TimeCertainty),
        out: &mut Out<'_>,
    ) -> Result<(), Halt> {
        let mut words: Option<Words> = None;
        let mut reason = SkipReason::Empty;
        let mut images = 0;
        for raw in Items::of(payload.content).0 {
            let Some(part) = object::<Part<'_>>(raw) else { continue };
            if part.kind.text() == Some("input_image") {
                images += 1;
                continue;
            }
            match (words_of(part.text.text().unwrap_or_default()), &mut words) {
                (Ok(more), None) => words = Some(more),
                (Ok(more), Some(words)) => {
                    words.text.push_str("\n\n");
                    words.text.push_str(&more.text);
                    words.added.extend(more.added);
                }
                (Err(SkipReason::Empty), _) => {}
                (Err(why), _) => reason = why,
            }
        }
        if let Some(command) = words.take_if(|words| words.is_command) {
            // Commands run in the program's shell have no typing event.
            self.turns.push(self.held.len());
            return self.typed(command, false, time, out);
        }
        if self.has_typed {
            let is_copy = words.is_some() || images > 0;
            out.skip_bytes(if is_copy { SkipReason::Repeated } else { reason }, bytes);
            return Ok(());
        }
        if words.is_none() && images == 0 {
            out.skip_bytes(reason, bytes);
            return Ok(());
        }
        self.turns.push(self.held.len());
        for _ in 0..images {
            let said = Said { is_request: true, ..self.user("image".to_owned(), MessageType::File) };
            self.say(said, time, out)?;
        }
        match words {
            Some(words) => self.typed(words, true, time, out),
            None => Ok(()),
        }
    }

    fn typed(&mut self, words: Words, is_request: bool, time: (Timestamp, TimeCertainty), out: &mut Out<'_>) -> Result<(), Halt> {
        let message_type = if words.is_command { MessageType::Command } else { MessageType::Text };
        let mut said = Said { is_request, ..self.user(words.text, message_type) };
        if !words.added.is_empty() {
            said.metadata.insert("added_by_program".to_owned(), words.added.into());
        }
        self.say(said, time, out)
    }

    /// Creates a message in the user's name. In a session started by another program, it is an instruction from an assistant.
    fn user(&self, text: String, message_type: MessageType) -> Said {
        match self.is_delegated {
            false => Said::of(Role::Owner, text, message_type),
            true if message_type == MessageType::File => Said::of(Role::Assistant, text, message_type),
            true => Said::of(Role::Assistant, text, MessageType::Instruction),
        }
    }

    /// Reads an answer. Each answer appears both as an item and as an event, in either order.
    fn answer(
        &mut self,
        text: String,
        is_item: bool,
        bytes: &[u8],
        time: (Timestamp, TimeCertainty),
        out: &mut Out<'_>,
    ) -> Result<(), Halt> {
        if self.answers.len() >= NAMES_MAX {
            self.answers.clear();
        }
        let (items, events) = self.answers.entry(fingerprint(&text)).or_default();
        let (mine, other) = if is_item { (items, events) } else { (events, items) };
        *mine += 1;
        if *mine <= *other {
            out.skip_bytes(SkipReason::Repeated, bytes);
            return Ok(());
        }
        self.say(Said::of(Role::Assistant, text, MessageType::Text), time, out)
    }

    fn call(
        &mut self,
        kind: &str,
        payload: &Payload<'_>,
        time: (Timestamp, TimeCertainty),
        out: &mut Out<'_>,
    ) -> Result<(), Halt> {
        let input = payload.arguments.or(payload.input).or(payload.action);
        // The arguments are JSON inside a string.
        let text = input.and_then(|raw| parse_mending::<String>(raw.get())).unwrap_or_else(|| compact(input));
        let tool = payload.name.text().unwrap_or_else(|| kind.trim_end_matches("_call")).to_owned();
        let mut said = Said::of(Role::Assistant, text, MessageType::ToolUse);
        if let Some(id) = payload.call_id.text() {
            if self.tools.len() >= NAMES_MAX {
                self.tools.clear();
            }
            self.tools.insert(id.to_owned(), tool.clone());
            said.id = Some(self.next_id(id));
            said.metadata.insert("tool_use_id".to_owned(), id.into());
        }
        said.tool = Some(tool);
        self.say(said, time, out)
    }

    fn result(
        &mut self,
        payload: &Payload<'_>,
        bytes: &[u8],
        time: (Timestamp, TimeCertainty),
        out: &mut Out<'_>,
    ) -> Result<(), Halt> {
        let (text, is_error) = output_of(payload.output);
        if text.trim().is_empty() {
            out.skip_bytes(SkipReason::Empty, bytes);
            return Ok(());
        }
        let mut said = Said::of(Role::Tool, text, MessageType::ToolResult);
        if let Some(id) = payload.call_id.text() {
            said.tool = self.tools.get(id).cloned();
            said.id = Some(self.next_id(&format!("{id}#result")));
            said.metadata.insert("tool_use_id".to_owned(), id.into());
        }
        if is_error {
            said.metadata.insert("is_error".to_owned(), true.into());
        }
        self.say(said, time, out)
    }

    /// A unique id for a call. Some services restart their numbering in each answer, so a second `call_0` is a different call.
    fn next_id(&mut self, id: &str) -> String {
        if self.call_ids.len() >= NAMES_MAX {
            self.call_ids.clear();
        }
        let count = self.call_ids.entry(id.to_owned()).or_default();
        *count += 1;
        if *count == 1 { id.to_owned() } else { format!("{id}-{count}") }
    }

    fn say(&mut self, said: Said, (time, time_certainty): (Timestamp, TimeCertainty), out: &mut Out<'_>) -> Result<(), Halt> {
        let conversation = self.copied.as_ref().or(self.id.as_ref()).map_or("session", String::as_str).to_owned();
        let (name, own_handle) = match said.role {
            Role::Owner => ("User", "user"),
            Role::Tool => ("tool", "tool"),
            _ => ("Codex", "codex"),
        };
        let id = match said.id {
            Some(id) => id,
            None => {
                let ids = if said.is_request { &mut self.request_ids } else { &mut self.stand_ins };
                ids.next(&conversation, said.message_type.name(), name, &said.text)
            }
        };
        let mut metadata = said.metadata;
        for (key, value) in [("git_branch", &self.branch), ("model", &self.model)] {
            if let Some(value) = value {
                metadata.insert(key.to_owned(), value.as_str().into());
            }
        }
        let author = said.tool.clone().filter(|_| said.role == Role::Tool).unwrap_or_else(|| name.to_owned());
        let message = Message {
            source: SourceRef { kind: SourceKind::CodexCli, conversation: conversation.clone(), message: id },
            conversation_title: None,
            channel_type: CHANNEL.to_owned(),
            channel_id: self.cwd.clone().unwrap_or(conversation),
            visibility: Visibility::Private,
            is_private: self.is_private,
            time,
            time_certainty,
            author: Author { name: author, handle: handle(CHANNEL, own_handle), role: said.role },
            text: said.text,
            message_type: said.message_type,
            tool: said.tool,
            reply_to: None,
            is_branch: false,
            metadata,
        };
        self.held_bytes += weight(&message);
        self.held.push(Held { message, is_request: said.is_request });
        if self.held_bytes > REGROUP_BYTES_MAX { self.let_go(out) } else { Ok(()) }
    }

    /// Moves the last `turns` user turns to a branch, because the person went back in the conversation.
    fn roll_back(&mut self, turns: f64) {
        let kept = self.turns.len().saturating_sub(turns.max(0.0) as usize);
        let start = if turns < 1.0 { self.held.len() } else { self.turns.get(kept).copied().unwrap_or(0) };
        for held in &mut self.held[start..] {
            held.message.is_branch = true;
        }
        self.turns.truncate(kept);
    }

    /// Passes the held messages on to the grouping step.
    fn let_go(&mut self, out: &mut Out<'_>) -> Result<(), Halt> {
        self.held_bytes = 0;
        self.turns.clear();
        for held in std::mem::take(&mut self.held) {
            self.groups.take(held.message, out)?;
        }
        Ok(())
    }
}

/// One message from a line.
struct Said {
    id: Option<String>,
    role: Role,
    text: String,
    message_type: MessageType,
    tool: Option<String>,
    metadata: Metadata,
    is_request: bool,
}

impl Said {
    fn of(role: Role, text: String, message_type: MessageType) -> Self {
        Self { id: None, role, text, message_type, tool: None, metadata: Metadata::new(), is_request: false }
    }
}

/// The words of a prompt.
#[derive(Debug, PartialEq)]
struct Words {
    text: String,
    is_command: bool,
    /// Text that the program added around the person's words.
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
        let command = head.split_once("<command>").and_then(|(_, rest)| rest.split_once("</command>"));
        return match command {
            Some((command, _)) => Ok(Words { text: format!("!{}", command.trim()), is_command: true, added: Vec::new() }),
            None => Err(SkipReason::AddedByProgram),
        };
    }
    if head.starts_with("# ")
        && let Some((around, words)) = head.split_once(REQUEST_HEADING)
    {
        let added = if around.len() <= METADATA_BYTES_MAX { vec![around.trim().to_owned()] } else { Vec::new() };
        let words = words.trim();
        return match words.is_empty() {
            true => Err(SkipReason::AddedByProgram),
            false => Ok(Words { text: words.to_owned(), is_command: false, added }),
        };
    }
    Ok(Words { text: text.to_owned(), is_command: false, added: Vec::new() })
}

/// The text of a list of parts, joined.
fn joined(raw: Option<&RawValue>) -> String {
    result_text(raw)
}

/// The output of a tool, and whether it failed.
fn output_of(raw: Option<&RawValue>) -> (String, bool) {
    let Some(raw) = raw else { return (String::new(), false) };
    let written = parse_mending::<String>(raw.get());
    let json = written.as_deref().unwrap_or(raw.get());
    let wrapped = json.trim_start().starts_with('{').then(|| serde_json::from_str::<Output<'_>>(json).ok()).flatten();
    match wrapped {
        Some(Output { output, content, success, metadata }) if output.or(content).is_some() => {
            let failed = metadata.and_then(|metadata| metadata.exit_code.number()).is_some_and(|code| code != 0.0);
            (result_text(output.or(content)), failed || success == Loose::Bool(false))
        }
        _ => (written.unwrap_or_else(|| result_text(Some(raw))), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_sends_in_the_persons_name_is_not_their_words() {
        let editor = "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nI prefer tabs\n";
        for (text, wanted) in [
            ("I prefer tabs", Ok("I prefer tabs")),
            (" spaces stay ", Ok(" spaces stay ")),
            ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", Err(SkipReason::AddedByProgram)),
            ("\n<user_instructions>I hate bees</user_instructions>", Err(SkipReason::AddedByProgram)),
            ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>I hate bees</INSTRUCTIONS>", Err(SkipReason::AddedByProgram)),
            (editor, Ok("I prefer tabs")),
            ("# Files mentioned by the user:\n- a.rs\n## My request for Codex:\n ", Err(SkipReason::AddedByProgram)),
            ("# A heading of my own", Ok("# A heading of my own")),
            ("What does <environment_context> mean?", Ok("What does <environment_context> mean?")),
            ("<user_shell_command>\n<command>\nls hives\n</command>\n<result>one</result>", Ok("!ls hives")),
            ("  ", Err(SkipReason::Empty)),
        ] {
            let words = words_of(text).map(|words| words.text);
            assert_eq!(words.as_deref().map_err(|reason| *reason), wanted, "{text}");
        }
    }

    #[test]
    fn what_a_tool_gave_back_is_unwrapped() {
        for (json, wanted, failed) in [
            (r#""plain""#, "plain", false),
            (r#""{\"output\":\"one\\ntwo\",\"metadata\":{\"exit_code\":1}}""#, "one\ntwo", true),
            (r#""{\"output\":\"one\",\"metadata\":{\"exit_code\":0}}""#, "one", false),
            (r#""{\"other\":1}""#, "{\"other\":1}", false),
            (r#"{"content":"no","success":false}"#, "no", true),
            (r#"[{"type":"input_text","text":"a"},{"type":"input_image"},{"type":"input_text","text":"b"}]"#, "a\nb", false),
            ("7", "", false),
        ] {
            let raw: &RawValue = serde_json::from_str(json).expect("the test writes JSON");
            assert_eq!(output_of(Some(raw)), (wanted.to_owned(), failed), "{json}");
        }
        assert_eq!(output_of(None), (String::new(), false));
    }
}
