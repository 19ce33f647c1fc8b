//! A thread of Zed's agent, in its current form and in older ones, in which a message has a role and segments.

use std::collections::HashMap;

use keepsake_domain::{MessageType, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{PROGRAM, Row};
use crate::SkipReason;
use crate::halt::Halt;
use crate::json::{Entries, Items, Loose, compact, object, parse_mending, record, whole};
use crate::out::Out;
use crate::turns::{Part, Shown, Speaker, Talk, Turn, Turns};

/// The message that only tells the agent to continue.
const RESUME: &str = "\"Resume\"";

/// The name given to the person who shared an imported thread, because Zed keeps no name.
const SHARED_BY: &str = "someone else";

#[derive(Deserialize)]
struct RawThread<'a> {
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    summary: Loose<'a>,
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Option<&'a RawValue>,
    #[serde(borrow, default)]
    imported: Loose<'a>,
    #[serde(borrow, default)]
    subagent_context: Option<&'a RawValue>,
    #[serde(borrow, default)]
    initial_project_snapshot: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Model<'a> {
    #[serde(borrow, default)]
    model: Loose<'a>,
}

#[derive(Deserialize)]
struct Snapshot<'a> {
    #[serde(borrow, default)]
    worktree_snapshots: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Worktree<'a> {
    #[serde(borrow, default)]
    worktree_path: Loose<'a>,
}

/// A message: an object whose only field says who wrote it, or (older) an object with a role.
#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default, rename = "User")]
    user: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "Agent")]
    agent: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    role: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    segments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_uses: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_results: Option<&'a RawValue>,
    #[serde(borrow, default)]
    is_hidden: Loose<'a>,
}

#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_results: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default, rename = "Text")]
    text: Loose<'a>,
    #[serde(borrow, default, rename = "Thinking")]
    thinking: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "ToolUse")]
    call: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "Mention")]
    mention: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "Image")]
    image: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Segment<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    raw_input: Loose<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow, default)]
    tool_use_id: Loose<'a>,
    #[serde(borrow, default)]
    tool_name: Loose<'a>,
    #[serde(borrow, default)]
    is_error: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct OutputText<'a> {
    #[serde(borrow, default, rename = "Text")]
    canonical: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
}

#[derive(Deserialize)]
struct Mention<'a> {
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
}

/// What a mention points to.
#[derive(Deserialize)]
struct Target<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    abs_path: Loose<'a>,
    #[serde(borrow, default)]
    path: Loose<'a>,
    #[serde(borrow, default)]
    url: Loose<'a>,
}

/// Who speaks in a thread.
struct People {
    user: User,
    model: Option<String>,
}

/// Who wrote the prompts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    Owner,
    /// The person who shared the thread.
    Other,
    /// The agent that started this one.
    Agent,
}

impl People {
    fn user(&self) -> Speaker {
        match self.user {
            User::Owner => Speaker::Owner(None),
            User::Other => Speaker::Person(SHARED_BY.to_owned()),
            User::Agent => Speaker::Assistant(None, None),
        }
    }

    fn agent(&self) -> Speaker {
        Speaker::Assistant(Some("Zed".to_owned()), self.model.clone())
    }
}

/// Emits the messages of the thread in `json`.
pub(super) fn tell(row: &Row, json: &[u8], begun: Option<Timestamp>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut mended = String::new();
    let json = json.trim_ascii();
    let Some(raw) = record::<RawThread<'_>>(json, &mut mended).filter(|_| json.starts_with(b"{")) else {
        out.skip_bytes(SkipReason::Malformed, json);
        return Ok(());
    };
    let summary = (!row.summary.is_empty()).then(|| row.summary.clone());
    let title = raw.title.text().or(raw.summary.text()).map(str::to_owned).or(summary);
    let messages = Items::of(raw.messages).0;
    if messages.is_empty() {
        out.skip(SkipReason::NoMessages, title.as_deref().unwrap_or(&row.id));
        return Ok(());
    }
    let user = if row.parent.is_some() || raw.subagent_context.is_some() {
        User::Agent
    } else if raw.imported.is_true() {
        User::Other
    } else {
        User::Owner
    };
    let model = raw.model.and_then(object::<Model<'_>>).and_then(|model| model.model.text().map(str::to_owned));
    let people = People { user, model };
    let mut turns = Turns::default();
    // Answers have no ids, so they are numbered from the prompt before them.
    let (mut prompt, mut answers) = ("start".to_owned(), 0_usize);
    for raw in messages {
        if raw.get() == RESUME {
            out.skip(SkipReason::NotAMessage, raw.get());
            continue;
        }
        let mut mended = String::new();
        let Some(message) = whole::<RawMessage<'_>>(raw, &mut mended) else {
            out.skip(SkipReason::Malformed, raw.get());
            continue;
        };
        let mut next = || {
            answers += 1;
            format!("{prompt}#answer-{answers}")
        };
        let turn = if let Some(said) = message.user.and_then(object::<Said<'_>>) {
            let Some(id) = said.id.id().map(|id| id.into_owned()) else {
                out.skip(SkipReason::MissingField, raw.get());
                continue;
            };
            (prompt, answers) = (id.clone(), 0);
            turn(id, people.user(), prompt_parts(said.content, people.user))
        } else if let Some(said) = message.agent.and_then(object::<Said<'_>>) {
            turn(next(), people.agent(), answer_parts(said.content, said.tool_results))
        } else {
            match message.role.text() {
                Some("user") if !message.is_hidden.is_true() => {
                    let id = message.id.id().map_or_else(next, |id| id.into_owned());
                    turn(id, people.user(), old_parts(&message, people.user, false))
                }
                Some("user") => {
                    out.skip(SkipReason::Hidden, raw.get());
                    continue;
                }
                Some("assistant") => {
                    let id = message.id.id().map_or_else(next, |id| id.into_owned());
                    turn(id, people.agent(), old_parts(&message, people.user, true))
                }
                Some("system") => {
                    let id = message.id.id().map_or_else(next, |id| id.into_owned());
                    let text = old_text(&message);
                    let parts = (!text.trim().is_empty()).then(|| Part::of("", text, MessageType::Instruction));
                    turn(id, Speaker::Program, parts.into_iter().collect())
                }
                _ => {
                    out.skip(SkipReason::MissingField, raw.get());
                    continue;
                }
            }
        };
        if turn.parts.is_empty() {
            out.skip(SkipReason::Empty, "a message");
            continue;
        }
        turns.push(turn, out);
    }
    let folder = row.folders.as_deref().and_then(|folders| folders.lines().next()).map(str::to_owned);
    let talk = Talk {
        program: &PROGRAM,
        id: row.id.clone(),
        title,
        channel_id: folder.or_else(|| first_folder(raw.initial_project_snapshot)),
        is_private: false,
        begun,
        shown: Shown::Unmarked,
    };
    talk.tell(turns, out)
}

fn first_folder(snapshot: Option<&RawValue>) -> Option<String> {
    let trees = Items::of(object::<Snapshot<'_>>(snapshot?)?.worktree_snapshots).0;
    let mut mended = String::new();
    whole::<Worktree<'_>>(trees.first()?, &mut mended)?.worktree_path.text().map(str::to_owned)
}

fn turn(id: String, speaker: Speaker, parts: Vec<Part>) -> Turn {
    Turn { id, parent: None, speaker, time: None, is_branch: false, parts }
}

/// The parts of a prompt. A mentioned item is represented by its name; its text is not read.
fn prompt_parts(content: Option<&RawValue>, user: User) -> Vec<Part> {
    let mut words = String::new();
    let mut files = Vec::new();
    for raw in Items::of(content).0 {
        let mut mended = String::new();
        let Some(item) = whole::<Item<'_>>(raw, &mut mended) else { continue };
        if let Some(text) = item.text.text() {
            words.push_str(text);
        } else if let Some(name) = item.mention.and_then(mentioned) {
            words.push('@');
            words.push_str(&name);
            files.push(name);
        } else if item.image.is_some() {
            files.push("image".to_owned());
        }
    }
    instruction_of(Part::words(words, &files), user)
}

/// What one agent writes to another is an instruction.
fn instruction_of(part: Option<Part>, user: User) -> Vec<Part> {
    let part = part.map(|mut part| {
        if user == User::Agent && part.message_type == MessageType::Text {
            part.message_type = MessageType::Instruction;
        }
        part
    });
    part.into_iter().collect()
}

/// The name of what is mentioned: `{"uri": {"File": {"abs_path": …}}}`.
fn mentioned(raw: &RawValue) -> Option<String> {
    let uri = object::<Mention<'_>>(raw)?.uri?;
    let Ok(Entries(kinds)) = serde_json::from_str(uri.get()) else { return None };
    let (kind, target) = kinds.into_iter().next()?;
    let mut mended = String::new();
    let target = whole::<Target<'_>>(target, &mut mended);
    let target = target.as_ref();
    let path = target.and_then(|target| target.abs_path.text().or(target.path.text()));
    let file = path.and_then(|path| path.rsplit(['/', '\\']).find(|name| !name.is_empty()));
    let name = target.and_then(|target| target.name.text().or(target.url.text())).or(file);
    Some(name.map_or_else(|| kind.to_lowercase(), str::to_owned))
}

fn answer_parts(content: Option<&RawValue>, results: Option<&RawValue>) -> Vec<Part> {
    let results = results.and_then(|raw| serde_json::from_str::<Entries<'_>>(raw.get()).ok()).unwrap_or_default();
    let results: HashMap<String, &RawValue> = results.0.into_iter().collect();
    let mut words: Vec<String> = Vec::new();
    // Consecutive text items are joined. Text items that something else separates are not.
    let mut was_text = false;
    let mut parts = Vec::new();
    for (at, raw) in Items::of(content).0.into_iter().enumerate() {
        let (mut for_item, mut for_inner) = (String::new(), String::new());
        let Some(item) = whole::<Item<'_>>(raw, &mut for_item) else { continue };
        let suffix = format!("#{at}");
        let follows = std::mem::replace(&mut was_text, item.text.text().is_some());
        if let Some(text) = item.text.text() {
            match words.last_mut().filter(|_| follows) {
                Some(last) => last.push_str(text),
                None => words.push(text.to_owned()),
            }
        } else if let Some(thinking) = item.thinking.and_then(|raw| whole::<Segment<'_>>(raw, &mut for_inner)) {
            let text = thinking.text.text().unwrap_or_default();
            parts.extend((!text.trim().is_empty()).then(|| Part::of(suffix, text, MessageType::Thinking)));
        } else if let Some(call) = item.call.and_then(|raw| whole::<Call<'_>>(raw, &mut for_inner)) {
            let result = call.id.text().and_then(|id| results.get(id)).copied();
            call_parts(&call, result, &suffix, &mut parts);
        }
    }
    words.retain(|words| !words.trim().is_empty());
    parts.extend(Part::words(words.join("\n\n"), &[]));
    parts
}

fn call_parts(call: &Call<'_>, result: Option<&RawValue>, suffix: &str, parts: &mut Vec<Part>) {
    let (tool, id) = (call.name.text(), call.id.text());
    let arguments = call.raw_input.text().map_or_else(|| compact(call.input), str::to_owned);
    parts.push(Part::tool(suffix, arguments, MessageType::ToolUse, tool, id));
    let mut mended = String::new();
    let Some(result) = result.and_then(|raw| whole::<Output<'_>>(raw, &mut mended)) else { return };
    let text = output_text(result.content);
    if !text.trim().is_empty() {
        let tool = tool.or(result.tool_name.text());
        let mut part = Part::tool(format!("{suffix}-result"), text, MessageType::ToolResult, tool, id);
        if result.is_error.is_true() {
            part.metadata.insert("is_error".to_owned(), true.into());
        }
        parts.push(part);
    }
}

/// The text of a tool's output: a string, `{"Text": …}`, or a list of these. Pictures give no text.
fn output_text(content: Option<&RawValue>) -> String {
    let Some(content) = content else { return String::new() };
    let items = if content.get().starts_with('[') { Items::of(Some(content)).0 } else { vec![content] };
    let texts = items.into_iter().filter_map(|raw| {
        let mut mended = String::new();
        match whole::<OutputText<'_>>(raw, &mut mended) {
            Some(found) => found.canonical.text().or(found.text.text()).map(str::to_owned),
            None => parse_mending::<String>(raw.get()),
        }
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The text of a message in an older form.
fn old_text(message: &RawMessage<'_>) -> String {
    let mut text = message.text.text().unwrap_or_default().to_owned();
    for raw in Items::of(message.segments).0 {
        let mut mended = String::new();
        let segment = whole::<Segment<'_>>(raw, &mut mended).filter(|segment| segment.kind.text() == Some("text"));
        text.push_str(segment.as_ref().and_then(|segment| segment.text.text()).unwrap_or_default());
    }
    text
}

/// The parts of a message in an older form.
fn old_parts(message: &RawMessage<'_>, user: User, is_answer: bool) -> Vec<Part> {
    if !is_answer {
        return instruction_of(Part::words(old_text(message), &[]), user);
    }
    let mut parts = Vec::new();
    for (at, raw) in Items::of(message.segments).0.into_iter().enumerate() {
        let mut mended = String::new();
        let Some(segment) = whole::<Segment<'_>>(raw, &mut mended) else { continue };
        let text = segment.text.text().unwrap_or_default();
        if segment.kind.text() == Some("thinking") && !text.trim().is_empty() {
            parts.push(Part::of(format!("#{at}"), text, MessageType::Thinking));
        }
    }
    parts.extend(Part::words(old_text(message), &[]));
    let results = Items::of(message.tool_results).0;
    for (at, raw) in Items::of(message.tool_uses).0.into_iter().enumerate() {
        let mut mended = String::new();
        let Some(call) = whole::<Call<'_>>(raw, &mut mended) else { continue };
        let result = results.iter().copied().find(|raw| {
            let mut mended = String::new();
            whole::<Output<'_>>(raw, &mut mended).is_some_and(|result| result.tool_use_id == call.id && call.id.text().is_some())
        });
        call_parts(&call, result, &format!("#call-{at}"), &mut parts);
    }
    parts
}
