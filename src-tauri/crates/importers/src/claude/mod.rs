//! Claude.ai data exports: `conversations.json`, an array of conversations with flat lists of messages, along with
//! `projects.json`, `memories.json` and `users.json`, or folders with one file per project or account.
//!
//! Newer exports store the text in `content` blocks and leave `text` empty; older ones do the reverse. The text of a message
//! becomes one message. Thoughts, tool calls, tool results and files become separate messages, because the author wrote only the
//! text. Text extracted from an attachment is kept in the file's metadata and never counts as the person's words. The kind of a
//! record is detected by its keys, not by the file name. For formats and pitfalls, see docs/formats.md, section 3.

mod account;

use std::collections::HashMap;
use std::io::BufRead;

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::halt::Halt;
use crate::identity::{StandIns, digest, handle};
use crate::json::{Entries, Items, Loose, compact, each_element, mend, record, small_value};
use crate::limits::PARTS_MAX;
use crate::out::Out;
use crate::time::parse_rfc3339;

/// Channel type for conversations with assistants.
const CHANNEL: &str = "chat";

/// One element of any of the files. Its fields determine its kind.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    uuid: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    created_at: Loose<'a>,
    #[serde(borrow, default)]
    current_leaf_message_uuid: Loose<'a>,
    #[serde(borrow, default)]
    chat_messages: Option<Items<'a>>,
    // Fields of a project.
    #[serde(borrow, default)]
    description: Loose<'a>,
    #[serde(borrow, default)]
    prompt_template: Loose<'a>,
    #[serde(borrow, default)]
    creator: Option<&'a RawValue>,
    #[serde(borrow, default)]
    docs: Option<&'a RawValue>,
    // Fields of the memories.
    #[serde(borrow, default)]
    conversations_memory: Loose<'a>,
    #[serde(borrow, default)]
    project_memories: Option<Entries<'a>>,
    #[serde(borrow, default)]
    memory_files: Option<&'a RawValue>,
    #[serde(borrow, default)]
    account_uuid: Loose<'a>,
    // Fields of the account.
    #[serde(borrow, default)]
    full_name: Loose<'a>,
    #[serde(borrow, default)]
    email_address: Loose<'a>,
}

impl Record<'_> {
    fn take(&self, out: &mut Out<'_>) -> Result<(), Halt> {
        let is_memory =
            self.conversations_memory != Loose::Nothing || self.project_memories.is_some() || self.memory_files.is_some();
        if self.chat_messages.is_some() {
            emit(self, out)
        } else if is_memory {
            account::memories(self, out)
        } else if self.docs.is_some() || self.prompt_template != Loose::Nothing {
            account::project(self, out)
        } else if self.full_name != Loose::Nothing || self.email_address != Loose::Nothing {
            account::account(out);
            Ok(())
        } else {
            emit(self, out)
        }
    }
}

/// The id of a record, or a stable substitute.
fn id_or_digest(id: &Loose<'_>, what: &str, name: &str) -> String {
    id.id().map_or_else(|| format!("h-{}", digest(&[what, name])), std::borrow::Cow::into_owned)
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default)]
    uuid: Loose<'a>,
    #[serde(borrow, default)]
    sender: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    created_at: Loose<'a>,
    #[serde(borrow, default)]
    attachments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    files: Option<&'a RawValue>,
    #[serde(borrow, default)]
    parent_message_uuid: Loose<'a>,
}

/// A block of a message's content. Tool results contain blocks of the same form.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    thinking: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default)]
    file_name: Loose<'a>,
}

/// Reads one file.
pub(crate) fn read(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
    each_element(input, out, |bytes, out| {
        match record::<Record<'_>>(bytes, &mut String::new()) {
            Some(record) => record.take(out)?,
            None => out.skip_bytes(SkipReason::Malformed, bytes),
        }
        Ok(())
    })
}

/// A message of the export, with its parts.
struct Turn {
    id: String,
    parent: Option<String>,
    role: Role,
    time: Option<Timestamp>,
    parts: Vec<Part>,
}

/// A part that becomes a message. Its id is the turn's id; all parts except the text add a suffix.
struct Part {
    suffix: String,
    text: String,
    message_type: MessageType,
    tool: Option<String>,
    metadata: Metadata,
}

fn emit(conversation: &Record<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let title = conversation.name.text();
    let messages = conversation.chat_messages.as_ref().map(|items| items.0.as_slice()).unwrap_or_default();
    if messages.is_empty() {
        out.skip(SkipReason::NoMessages, title.unwrap_or("a conversation without title"));
        return Ok(());
    }
    let turns = turns_of(messages, out);
    let id = match conversation.uuid.id() {
        Some(id) => id.into_owned(),
        None => format!("h-{}", digest(&[turns.first().map_or("", |turn| &turn.id)])),
    };
    let is_shown = shown(&turns, conversation.current_leaf_message_uuid.text());
    let ids: HashMap<String, ()> = turns.iter().map(|turn| (turn.id.clone(), ())).collect();
    // A turn without a time gets the time of the previous turn. At the start, it gets the time of the first turn that has one, or
    // of the conversation.
    let mut last = turns
        .iter()
        .find_map(|turn| turn.time)
        .or(time_of(&conversation.created_at, out.options.zone))
        .unwrap_or(out.options.file_time);
    let mut previous: Option<String> = None;
    let mut placed = Vec::with_capacity(turns.len());
    for (mut turn, is_shown) in turns.into_iter().zip(is_shown) {
        let certainty = if turn.time.is_some() { TimeCertainty::Exact } else { TimeCertainty::Inferred };
        last = turn.time.unwrap_or(last);
        let reply_to = match turn.parent.take() {
            Some(parent) => Some(parent).filter(|parent| ids.contains_key(parent)),
            None => previous.take(),
        };
        previous = Some(turn.id.clone());
        placed.push((turn, last, certainty, reply_to, is_shown));
    }
    placed.sort_by_key(|(_, time, ..)| *time);
    for (turn, time, time_certainty, reply_to, is_shown) in placed {
        for part in turn.parts {
            let (role, name, author) = match (part.message_type, turn.role) {
                (MessageType::ToolResult, _) => (Role::Tool, part.tool.clone().unwrap_or_else(|| "tool".to_owned()), "tool"),
                (_, Role::Owner) => (Role::Owner, "User".to_owned(), "user"),
                _ => (Role::Assistant, "Claude".to_owned(), "claude"),
            };
            out.message(Message {
                source: SourceRef {
                    kind: SourceKind::Claude,
                    conversation: id.clone(),
                    message: format!("{}{}", turn.id, part.suffix),
                },
                conversation_title: title.map(str::to_owned),
                channel_type: CHANNEL.to_owned(),
                channel_id: "claude".to_owned(),
                visibility: Visibility::Private,
                is_private: false,
                time,
                time_certainty,
                author: Author { name, handle: handle(CHANNEL, author), role },
                text: part.text,
                message_type: part.message_type,
                tool: part.tool,
                reply_to: reply_to.clone(),
                is_branch: !is_shown,
                metadata: part.metadata,
            })?;
        }
    }
    Ok(())
}

/// Reads the messages of a conversation. Messages that cannot be read, and parts beyond the limit, are counted as skipped.
fn turns_of(messages: &[&RawValue], out: &mut Out<'_>) -> Vec<Turn> {
    let zone = out.options.zone;
    let mut turns = Vec::with_capacity(messages.len());
    let mut stand_ins = StandIns::default();
    let mut parts_held = 0;
    for raw in messages {
        let mended;
        let message: RawMessage<'_> = match serde_json::from_str(raw.get()) {
            Ok(message) => message,
            Err(_) => {
                mended = mend(raw.get().as_bytes()).unwrap_or_default();
                match serde_json::from_str(&mended) {
                    Ok(message) => message,
                    Err(_) => {
                        out.skip(SkipReason::Malformed, raw.get());
                        continue;
                    }
                }
            }
        };
        let role = match message.sender.text() {
            Some("human") => Role::Owner,
            Some("assistant") => Role::Assistant,
            _ => {
                out.skip(SkipReason::MissingField, raw.get());
                continue;
            }
        };
        let mut parts = parts_of(&message, role);
        if parts.is_empty() {
            out.skip(SkipReason::Empty, message.sender.text().unwrap_or_default());
            continue;
        }
        for beyond in parts.drain(parts.len().min(PARTS_MAX - parts_held)..) {
            out.skip(SkipReason::TooLarge, &beyond.text);
        }
        parts_held += parts.len();
        if parts.is_empty() {
            continue;
        }
        turns.push(Turn {
            id: match message.uuid.id() {
                Some(id) => id.into_owned(),
                None => stand_ins.next("", message.created_at.text().unwrap_or_default(), role.name(), &parts[0].text),
            },
            // The root's parent is a zero UUID that refers to nothing.
            parent: message.parent_message_uuid.text().map(str::to_owned),
            role,
            time: time_of(&message.created_at, zone),
            parts,
        });
    }
    turns
}

/// The time in a field, if it can be read.
fn time_of(text: &Loose<'_>, zone: crate::Zone) -> Option<Timestamp> {
    text.text().and_then(|text| parse_rfc3339(text, zone)).map(|(time, _)| time)
}

/// Returns for each turn whether it is on the shown thread. Without parents, all turns are. With parents, those on the path up
/// from the current leaf are; if the export names no leaf, the last message is used.
fn shown(turns: &[Turn], current: Option<&str>) -> Vec<bool> {
    let index: HashMap<&str, usize> = turns.iter().enumerate().map(|(at, turn)| (turn.id.as_str(), at)).collect();
    let parent_of = |at: usize| turns[at].parent.as_deref().and_then(|id| index.get(id).copied());
    let roots = (0..turns.len()).filter(|at| parent_of(*at).is_none()).count();
    if turns.is_empty() || roots > 1 {
        return vec![true; turns.len()];
    }
    let mut is_shown = vec![false; turns.len()];
    let mut at = current.and_then(|id| index.get(id).copied()).or(Some(turns.len() - 1));
    while let Some(now) = at.filter(|now| !is_shown[*now]) {
        is_shown[now] = true;
        at = parent_of(now);
    }
    is_shown
}

/// The parts of a message in their original order, with files last.
fn parts_of(message: &RawMessage<'_>, role: Role) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut words = String::new();
    let mut words_at = None;
    for (at, raw) in Items::of(message.content).0.iter().enumerate() {
        let mended;
        let json = if serde_json::from_str::<Block<'_>>(raw.get()).is_ok() {
            raw.get()
        } else {
            mended = mend(raw.get().as_bytes()).unwrap_or_default();
            &mended
        };
        let Ok(block) = serde_json::from_str::<Block<'_>>(json) else { continue };
        let suffix = format!("#{at}");
        let part = |text: String, message_type| Part { suffix, text, message_type, tool: None, metadata: Metadata::new() };
        let tool = block.name.text().map(str::to_owned);
        match block.kind.text().unwrap_or_default() {
            "text" => {
                if let Some(text) = block.text.text() {
                    if !words.is_empty() {
                        words.push_str("\n\n");
                    }
                    words.push_str(text);
                    words_at.get_or_insert(parts.len());
                }
            }
            "thinking" => parts.push(part(block.thinking.text().unwrap_or_default().to_owned(), MessageType::Thinking)),
            "tool_use" => {
                let input = compact(block.input);
                parts.push(Part { tool, ..part(input, MessageType::ToolUse) });
            }
            "tool_result" => parts.push(Part { tool, ..part(result_text(block.content), MessageType::ToolResult) }),
            "image" => parts.push(part("image".to_owned(), MessageType::File)),
            // These blocks only control the display.
            "token_budget" | "flag" => {}
            _ => {
                let mut unknown = part(block.text.text().unwrap_or_default().to_owned(), MessageType::Unknown);
                unknown.metadata.insert("content".to_owned(), small_value(raw));
                parts.push(unknown);
            }
        }
    }
    if words.is_empty()
        && let Some(text) = message.text.text()
    {
        words.push_str(text);
    }
    parts.retain(|part| !part.text.trim().is_empty() || !part.metadata.is_empty());
    if !words.trim().is_empty() {
        let at = words_at.unwrap_or(parts.len()).min(parts.len());
        parts.insert(
            at,
            Part { suffix: String::new(), text: words, message_type: MessageType::Text, tool: None, metadata: Metadata::new() },
        );
    }
    for (list, prefix) in [(message.attachments, "attachment"), (message.files, "file")] {
        for (at, raw) in Items::of(list).0.iter().enumerate() {
            let name = serde_json::from_str::<File<'_>>(raw.get()).ok().and_then(|file| file.file_name.text().map(str::to_owned));
            let mut metadata = match small_value(raw) {
                Value::Object(map) => map,
                _ => continue,
            };
            metadata.retain(|_, value| !crate::json::is_empty(value));
            parts.push(Part {
                suffix: format!("#{prefix}-{at}"),
                text: name.unwrap_or_else(|| if role == Role::Owner { "pasted text".to_owned() } else { "file".to_owned() }),
                message_type: MessageType::File,
                tool: None,
                metadata,
            });
        }
    }
    parts
}

/// The text of a tool result: a string, or blocks of text.
pub(crate) fn result_text(raw: Option<&RawValue>) -> String {
    let Some(raw) = raw else { return String::new() };
    if let Some(text) = crate::json::parse_mending::<String>(raw.get()) {
        return text;
    }
    let mut out = String::new();
    for item in Items::of(Some(raw)).0 {
        let text: Option<ResultText> = crate::json::parse_mending(item.get());
        if let Some(text) = text.and_then(|block| block.text).filter(|text| !text.is_empty()) {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&text);
        }
    }
    out
}

#[derive(Deserialize)]
struct ResultText {
    #[serde(default)]
    text: Option<String>,
}
