//! ChatGPT data exports: `conversations.json` or `conversations-NNN.json`, an array of conversations, each a tree of nodes.
//!
//! The thread shown to the user is the path from `current_node` up to the root; every other node is kept as a branch. For formats
//! and pitfalls, see docs/formats.md, section 2.

mod content;
mod tree;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::BufRead;

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::halt::Halt;
use crate::identity::{digest, handle};
use crate::json::{Loose, each_element, mend, record, small_object};
use crate::limits::NODES_MAX;
use crate::out::Out;
use crate::time::from_unix;
use content::{Content, read_content};
use tree::{Nodes, fill_times};

/// Channel type for conversations with assistants.
const CHANNEL: &str = "chat";

/// Metadata fields of a message that are dropped because they say nothing about the conversation.
const NOISE: &[&str] = &["pad", "request_id", "timestamp_", "parent_id", "is_complete", "message_type", "finish_details"];

/// The channel for reasoning. Messages on `final` and `commentary` are shown to the user as answers.
const REASONING_CHANNEL: &str = "analysis";

#[derive(Deserialize)]
struct Conversation<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    conversation_id: Loose<'a>,
    #[serde(borrow, default)]
    title: Loose<'a>,
    #[serde(borrow, default)]
    create_time: Loose<'a>,
    #[serde(borrow, default)]
    update_time: Loose<'a>,
    #[serde(borrow, default)]
    mapping: Option<Mapping<'a>>,
    #[serde(borrow, default)]
    current_node: Loose<'a>,
    #[serde(borrow, default)]
    is_do_not_remember: Loose<'a>,
    #[serde(borrow, default)]
    gizmo_id: Loose<'a>,
}

#[derive(Deserialize)]
pub(crate) struct Node<'a> {
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    parent: Loose<'a>,
    #[serde(borrow, default)]
    children: Option<&'a RawValue>,
}

/// The nodes in file order.
struct Mapping<'a>(Vec<(Cow<'a, str>, Node<'a>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Mapping<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Mapping<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping of nodes")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut nodes = Vec::new();
                while let Some(id) = map.next_key::<Loose<'de>>()? {
                    if nodes.len() == NODES_MAX {
                        return Err(A::Error::custom("too many nodes"));
                    }
                    let Loose::Text(id) = id else { return Err(A::Error::custom("a node without id")) };
                    let node = map.next_value::<Option<Node<'de>>>()?;
                    nodes.push((id, node.unwrap_or(Node { message: None, parent: Loose::Nothing, children: None })));
                }
                Ok(Mapping(nodes))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    author: Option<RawAuthor<'a>>,
    #[serde(borrow, default)]
    create_time: Loose<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Loose<'a>,
    #[serde(borrow, default)]
    weight: Loose<'a>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    recipient: Loose<'a>,
    #[serde(borrow, default)]
    channel: Loose<'a>,
}

#[derive(Deserialize)]
struct RawAuthor<'a> {
    #[serde(borrow, default)]
    role: Loose<'a>,
    #[serde(borrow, default)]
    name: Loose<'a>,
}

/// Reads one file.
pub(crate) fn read(input: &mut dyn BufRead, out: &mut Out<'_>) -> Result<(), Halt> {
    each_element(input, out, |bytes, out| {
        // Most of the time is spent here: one pass separates the nodes, a second one reads each message.
        match record::<Conversation<'_>>(bytes, &mut String::new()) {
            Some(conversation) => emit(&conversation, out)?,
            None => out.skip_bytes(SkipReason::Malformed, bytes),
        }
        Ok(())
    })
}

/// The content found in a node.
enum Held {
    /// No message: a root, or an empty link in the chain.
    Nothing,
    /// A record that was skipped.
    Skipped,
    /// A message. Boxed, because otherwise every empty node in a large tree would take as much memory as a message.
    Message(Box<Draft>),
}

/// A message whose time and position in the thread are not yet known.
struct Draft {
    id: String,
    role: Role,
    name: String,
    handle: &'static str,
    text: String,
    message_type: MessageType,
    tool: Option<String>,
    metadata: Metadata,
}

fn emit(conversation: &Conversation<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let title = conversation.title.text();
    let Some(Mapping(nodes)) = &conversation.mapping else {
        out.skip(SkipReason::NoMessages, title.unwrap_or("a conversation without title"));
        return Ok(());
    };
    let id = match conversation.conversation_id.id().or_else(|| conversation.id.id()) {
        Some(id) => id.into_owned(),
        // Without an id, a hash of the first node's id is used, which is equally stable.
        None => match nodes.first() {
            Some((first, _)) => format!("h-{}", digest(&[first])),
            None => String::new(),
        },
    };
    let mut ids_taken = HashSet::new();
    let mut times = vec![None; nodes.len()];
    let mut held = Vec::with_capacity(nodes.len());
    for (index, (node_id, node)) in nodes.iter().enumerate() {
        let (what, time) = hold(node_id, node, &mut ids_taken, out);
        times[index] = time;
        held.push(what);
    }
    if held.iter().all(|what| matches!(what, Held::Nothing)) {
        out.skip(SkipReason::NoMessages, title.unwrap_or("a conversation without title"));
        return Ok(());
    }
    let index: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, (id, _))| (id.as_ref(), at)).collect();
    let current = conversation.current_node.text().and_then(|id| index.get(id).copied());
    let tree = Nodes::of(nodes, &index, current);
    let shown = tree.shown(current, &times);
    let fallback = conversation
        .create_time
        .number()
        .and_then(from_unix)
        .or_else(|| conversation.update_time.number().and_then(from_unix))
        .unwrap_or(out.options.file_time);
    let filled = fill_times(&tree, &times, fallback);
    let is_shown: HashSet<usize> = shown.iter().copied().collect();
    let order = tree.order(&shown, &is_shown, &filled);
    let reply_ids: Vec<Option<String>> = order
        .iter()
        .map(|&at| {
            tree.ancestors(at).find_map(|above| match &held[above] {
                Held::Message(draft) => Some(draft.id.clone()),
                _ => None,
            })
        })
        .collect();
    let is_private = conversation.is_do_not_remember.is_true();
    let gizmo = conversation.gizmo_id.text();
    // Projects are gizmos whose ids begin with "g-p-".
    let channel_id = gizmo.filter(|id| id.starts_with("g-p-")).unwrap_or("chatgpt");
    for (at, reply_to) in order.into_iter().zip(reply_ids) {
        let Held::Message(draft) = std::mem::replace(&mut held[at], Held::Skipped) else { continue };
        let mut draft = *draft;
        if let Some(gizmo) = gizmo {
            draft.metadata.insert("gizmo_id".to_owned(), gizmo.into());
        }
        let time: Timestamp = filled[at];
        out.message(Message {
            source: SourceRef { kind: SourceKind::Chatgpt, conversation: id.clone(), message: draft.id },
            conversation_title: title.map(str::to_owned),
            channel_type: CHANNEL.to_owned(),
            channel_id: channel_id.to_owned(),
            visibility: Visibility::Private,
            is_private,
            time,
            time_certainty: if times[at].is_some() { TimeCertainty::Exact } else { TimeCertainty::Inferred },
            author: Author { name: draft.name, handle: handle(CHANNEL, draft.handle), role: draft.role },
            text: draft.text,
            message_type: draft.message_type,
            tool: draft.tool,
            reply_to,
            is_branch: !is_shown.contains(&at),
            metadata: draft.metadata,
        })?;
    }
    Ok(())
}

/// Reads the message of one node, or counts it as skipped.
fn hold(node_id: &str, node: &Node<'_>, ids_taken: &mut HashSet<String>, out: &mut Out<'_>) -> (Held, Option<Timestamp>) {
    let Some(raw) = node.message.filter(|raw| raw.get() != "null") else { return (Held::Nothing, None) };
    let mended;
    let message: RawMessage<'_> = match serde_json::from_str(raw.get()) {
        Ok(message) => message,
        Err(_) => {
            mended = mend(raw.get().as_bytes());
            match mended.as_deref().and_then(|text| serde_json::from_str(text).ok()) {
                Some(message) => message,
                None => {
                    out.skip(SkipReason::Malformed, raw.get());
                    return (Held::Skipped, None);
                }
            }
        }
    };
    let time = message.create_time.number().and_then(from_unix);
    let metadata = small_object(message.metadata);
    let role = message.author.as_ref().and_then(|author| author.role.text()).unwrap_or_default();
    let Some(mut content) = read_content(message.content, role, &metadata) else {
        out.skip(SkipReason::Malformed, raw.get());
        return (Held::Skipped, time);
    };
    let called = message.recipient.text().filter(|recipient| *recipient != "all");
    if role == "assistant" && matches!(content.message_type, MessageType::Text | MessageType::ToolUse) {
        if let Some(tool) = called {
            // Messages from the assistant to a tool were never shown as answers.
            content.message_type = MessageType::ToolUse;
            content.tool = Some(tool.to_owned());
        } else if message.channel.text() == Some(REASONING_CHANNEL) {
            content.message_type = MessageType::Thinking;
        }
    }
    // Custom instructions are always marked as hidden, but the owner wrote them, so they are kept.
    if content.message_type != MessageType::Instruction {
        let is_hidden = metadata.get("is_visually_hidden_from_conversation").and_then(serde_json::Value::as_bool) == Some(true)
            || message.weight.number() == Some(0.0);
        let reason = if is_hidden {
            Some(SkipReason::Hidden)
        } else if called.is_some() && role == "user" {
            Some(SkipReason::ToolTraffic)
        } else if content.text.trim().is_empty() && content.metadata.is_empty() {
            Some(SkipReason::Empty)
        } else {
            None
        };
        if let Some(reason) = reason {
            // If the text is empty, the sample shows the author instead.
            out.skip(reason, if content.text.is_empty() { role } else { &content.text });
            return (Held::Skipped, time);
        }
    } else if content.text.trim().is_empty() {
        out.skip(SkipReason::Empty, "custom instructions");
        return (Held::Skipped, time);
    }
    let own = message.id.id().unwrap_or(Cow::Borrowed(node_id)).into_owned();
    let id = if ids_taken.contains(&own) { node_id.to_owned() } else { own };
    ids_taken.insert(id.clone());
    (Held::Message(Box::new(draft(id, role, &message, content, metadata))), time)
}

fn draft(id: String, role: &str, message: &RawMessage<'_>, content: Content, mut metadata: Metadata) -> Draft {
    for noise in NOISE {
        metadata.shift_remove(*noise);
    }
    if let Some(channel) = message.channel.text() {
        metadata.insert("channel".to_owned(), channel.into());
    }
    if let Some(status) = message.status.text().filter(|status| *status != "finished_successfully") {
        metadata.insert("status".to_owned(), status.into());
    }
    metadata.extend(content.metadata);
    let author_name = message.author.as_ref().and_then(|author| author.name.text());
    let (role, name, handle, tool) = match role {
        "user" => (Role::Owner, "User", "user", None),
        "assistant" => (Role::Assistant, "ChatGPT", "chatgpt", None),
        "tool" => (Role::Tool, author_name.unwrap_or("tool"), "tool", author_name.map(str::to_owned)),
        _ => (Role::System, "ChatGPT system", "chatgpt-system", None),
    };
    let (role, name, handle) = match content.role {
        Some(Role::Owner) => (Role::Owner, "User", "user"),
        Some(Role::System) => (Role::System, "ChatGPT system", "chatgpt-system"),
        Some(other) => (other, name, handle),
        None => (role, name, handle),
    };
    Draft {
        id,
        role,
        name: name.to_owned(),
        handle,
        text: content.text,
        message_type: content.message_type,
        tool: content.tool.or(tool),
        metadata,
    }
}
