//! The other parts of a Claude.ai export: projects, the memories that Claude wrote, and the account.
//!
//! The owner said none of this, so none of it may ever be evidence about them. Project instructions and documents become system
//! messages (they may be pasted, shared, or from a starter project). Memories become assistant messages. The text is kept word
//! for word. A message id identifies the part, not its text, so an edited document or a longer memory is a later version of the
//! same message. Deliberately not here: turning memories into candidates, because no utterance backs them up as evidence.

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde::Deserialize;

use super::{CHANNEL, Record, id_or_digest};
use crate::SkipReason;
use crate::halt::Halt;
use crate::identity::{digest, handle};
use crate::json::{Items, Loose, mend, parse_mending};
use crate::limits::PARTS_MAX;
use crate::out::Out;
use crate::time::parse_rfc3339;

/// Title of the conversation that contains the memories.
const MEMORIES_TITLE: &str = "What Claude remembered";

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, default)]
    filename: Loose<'a>,
    #[serde(borrow, default)]
    file_name: Loose<'a>,
    #[serde(borrow, default)]
    content: Loose<'a>,
    #[serde(borrow, default)]
    created_at: Loose<'a>,
    #[serde(borrow, default)]
    uuid: Loose<'a>,
}

#[derive(Deserialize)]
struct Creator<'a> {
    #[serde(borrow, default)]
    full_name: Loose<'a>,
}

/// A memory file from newer exports. Its format is not documented.
#[derive(Deserialize)]
struct MemoryFile<'a> {
    #[serde(borrow, default)]
    path: Loose<'a>,
    #[serde(borrow, default)]
    content: Loose<'a>,
}

/// A piece of text that becomes one message.
struct Note {
    id: String,
    time: Option<Timestamp>,
    text: String,
    message_type: MessageType,
    metadata: Metadata,
}

/// Emits the messages of a project: its description, its instructions and its documents.
pub(super) fn project(record: &Record<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let zone = out.options.zone;
    let time_of = |text: &Loose<'_>| text.text().and_then(|text| parse_rfc3339(text, zone)).map(|(time, _)| time);
    let title = record.name.text();
    let begun = time_of(&record.created_at);
    let creator: Option<Creator<'_>> = record.creator.and_then(|raw| serde_json::from_str(raw.get()).ok());
    let creator = creator.as_ref().and_then(|creator| creator.full_name.text());
    let mut notes = Vec::new();
    for (what, text, message_type) in [
        ("description", &record.description, MessageType::Notice),
        ("instructions", &record.prompt_template, MessageType::Instruction),
    ] {
        let Some(text) = text.text().filter(|text| !text.trim().is_empty()) else { continue };
        let mut metadata = Metadata::new();
        metadata.insert("part".to_owned(), what.into());
        if let Some(creator) = creator {
            metadata.insert("creator".to_owned(), creator.into());
        }
        notes.push(Note { id: what.to_owned(), time: begun, text: text.to_owned(), message_type, metadata });
    }
    for raw in Items::of(record.docs).0 {
        let mended;
        let json = if serde_json::from_str::<Document<'_>>(raw.get()).is_ok() {
            raw.get()
        } else {
            mended = mend(raw.get().as_bytes()).unwrap_or_default();
            &mended
        };
        let Ok(document) = serde_json::from_str::<Document<'_>>(json) else {
            out.skip(SkipReason::Malformed, raw.get());
            continue;
        };
        let name = document.filename.text().or(document.file_name.text()).unwrap_or("document");
        let Some(text) = document.content.text().filter(|text| !text.trim().is_empty()) else {
            out.skip(SkipReason::Empty, name);
            continue;
        };
        let mut metadata = Metadata::new();
        metadata.insert("part".to_owned(), "document".into());
        metadata.insert("file_name".to_owned(), name.into());
        notes.push(Note {
            id: document.uuid.text().map_or_else(|| format!("h-{}", digest(&[name, text])), str::to_owned),
            time: time_of(&document.created_at).or(begun),
            text: text.to_owned(),
            message_type: MessageType::File,
            metadata,
        });
    }
    if notes.is_empty() {
        out.skip(SkipReason::NoMessages, title.unwrap_or("a project without name"));
        return Ok(());
    }
    let conversation = id_or_digest(&record.uuid, "project", title.unwrap_or_default());
    emit(conversation, title, (Role::System, "Claude project", "claude-project"), notes, out)
}

/// Emits Claude's notes about its user: those across all conversations, and those for each project.
pub(super) fn memories(record: &Record<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut notes = Vec::new();
    let mut note = |part: &str, about: Option<&str>, text: &str| {
        let mut metadata = Metadata::new();
        metadata.insert("part".to_owned(), part.into());
        if let Some(about) = about {
            metadata.insert(part.to_owned(), about.into());
        }
        let id = about.map_or_else(|| part.to_owned(), |about| format!("{part}/{about}"));
        notes.push(Note { id, time: None, text: text.to_owned(), message_type: MessageType::Notice, metadata });
    };
    if let Some(text) = record.conversations_memory.text().filter(|text| !text.trim().is_empty()) {
        note("conversations", None, text);
    }
    let projects = record.project_memories.as_ref().map(|entries| entries.0.as_slice()).unwrap_or_default();
    for (project, raw) in projects {
        match parse_mending::<String>(raw.get()) {
            Some(text) if text.trim().is_empty() => out.skip(SkipReason::Empty, project),
            Some(text) => note("project", Some(project), &text),
            None => out.skip(SkipReason::MissingField, raw.get()),
        }
    }
    for raw in Items::of(record.memory_files).0 {
        let file: Option<MemoryFile<'_>> = serde_json::from_str(raw.get()).ok();
        let text = file.as_ref().and_then(|file| file.content.text()).filter(|text| !text.trim().is_empty());
        match (&file, text) {
            (Some(file), Some(text)) => note("file", file.path.text(), text),
            _ => out.skip(SkipReason::MissingField, raw.get()),
        }
    }
    if notes.is_empty() {
        out.skip(SkipReason::Empty, "memories");
        return Ok(());
    }
    let conversation = id_or_digest(&record.account_uuid, "memories", "");
    emit(conversation, Some(MEMORIES_TITLE), (Role::Assistant, "Claude", "claude"), notes, out)
}

/// Counts the account as skipped, because it contains nothing that belongs to a conversation.
pub(super) fn account(out: &mut Out<'_>) {
    out.skip(SkipReason::NotAMessage, "the account of this export");
}

fn emit(
    conversation: String,
    title: Option<&str>,
    (role, name, own): (Role, &str, &str),
    mut notes: Vec<Note>,
    out: &mut Out<'_>,
) -> Result<(), Halt> {
    for beyond in notes.drain(notes.len().min(PARTS_MAX)..) {
        out.skip(SkipReason::TooLarge, &beyond.text);
    }
    let fallback = notes.iter().filter_map(|note| note.time).min().unwrap_or(out.options.file_time);
    notes.sort_by_key(|note| note.time.unwrap_or(fallback));
    let mut ids = std::collections::HashSet::new();
    for note in notes {
        if !ids.insert(note.id.clone()) {
            out.skip(SkipReason::Repeated, &note.text);
            continue;
        }
        out.message(Message {
            source: SourceRef { kind: SourceKind::Claude, conversation: conversation.clone(), message: note.id },
            conversation_title: title.map(str::to_owned),
            channel_type: CHANNEL.to_owned(),
            channel_id: "claude".to_owned(),
            visibility: Visibility::Private,
            is_private: false,
            time: note.time.unwrap_or(fallback),
            time_certainty: if note.time.is_some() { TimeCertainty::Exact } else { TimeCertainty::Inferred },
            author: Author { name: name.to_owned(), handle: handle(CHANNEL, own), role },
            text: note.text,
            message_type: note.message_type,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata: note.metadata,
        })?;
    }
    Ok(())
}
