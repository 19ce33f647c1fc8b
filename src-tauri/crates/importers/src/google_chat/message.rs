//! One message of a Google Chat group.

use keepsake_domain::{Author, Message, MessageType, Metadata, Role};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{CHANNEL, Group, Person, address, date};
use crate::SkipReason;
use crate::conversation::{Attachments, PARTS_OF_MESSAGE_MAX, Reactions, call, note};
use crate::identity::handle;
use crate::json::{Items, Loose, object, record, small_value};
use crate::out::Out;
use crate::time::rfc3339;

/// The key under which the export wraps a web address.
const WRAPPED_URL: &str = "private_do_not_access_or_else_safe_url_wrapped_value";

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    message_id: Loose<'a>,
    #[serde(borrow, default)]
    topic_id: Loose<'a>,
    #[serde(borrow, default)]
    creator: Option<&'a RawValue>,
    #[serde(borrow, default)]
    created_date: Loose<'a>,
    #[serde(borrow, default)]
    updated_date: Loose<'a>,
    #[serde(borrow, default)]
    deleted_date: Loose<'a>,
    #[serde(borrow, default)]
    message_state: Loose<'a>,
    #[serde(borrow, default)]
    deletion_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    attached_files: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reactions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    quoted_message_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    previous_message_versions: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Version<'a> {
    #[serde(borrow, default)]
    created_date: Loose<'a>,
}

#[derive(Deserialize)]
struct Attached<'a> {
    #[serde(borrow, default)]
    original_name: Loose<'a>,
    #[serde(borrow, default)]
    export_name: Loose<'a>,
}

#[derive(Deserialize)]
struct Quoted<'a> {
    #[serde(borrow, default)]
    message_id: Loose<'a>,
    #[serde(borrow, default)]
    creator: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Loose<'a>,
}

#[derive(Deserialize)]
struct Reaction<'a> {
    #[serde(borrow, default)]
    emoji: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reactor_emails: Option<&'a RawValue>,
}

impl Group {
    /// Reads one message.
    pub(super) fn message(&mut self, raw: &[u8], out: &Out<'_>) -> Result<Message, SkipReason> {
        let mut mended = String::new();
        let record: Record<'_> = record(raw, &mut mended).filter(|_| raw.starts_with(b"{")).ok_or(SkipReason::Malformed)?;
        let is_deleted = record.message_state.text().is_some_and(|state| state.eq_ignore_ascii_case("deleted"))
            || record.deleted_date.text().is_some()
            || record.deletion_metadata.is_some_and(|raw| raw.get() != "null");
        // Only the first version of an edited message has its original time.
        let versions = Items::of(record.previous_message_versions).0;
        let first = versions.into_iter().filter_map(object::<Version<'_>>).find_map(|version| {
            version.created_date.text().map(str::to_owned) // The version is gone after this.
        });
        let written = record.created_date.text().or(first.as_deref()).or(record.updated_date.text());
        let when = self.time(written, out);
        if is_deleted {
            return Err(SkipReason::Deleted);
        }
        let creator = record.creator.and_then(object::<Person<'_>>).ok_or(SkipReason::MissingField)?;
        let author = self.author(&creator, out).ok_or(SkipReason::MissingField)?;
        let said = self.said(&record, &author.name)?;
        let id = match record.message_id.id() {
            Some(id) => id.into_owned(),
            None => self.stand_ins.next("", written.unwrap_or_default(), &author.handle.handle, &said.text),
        };
        let mut message = match said.kind {
            MessageType::Notice => self.room.notice(&id, when, said.text),
            kind => self.room.message(&id, when, author, kind, said.text),
        };
        message.metadata = said.metadata;
        let edited = record.updated_date.text().filter(|_| message.message_type != MessageType::Notice);
        if let Some(written) = edited {
            let read = date::read(written, out.options.zone).map(|(time, _)| rfc3339(time));
            note(&mut message.metadata, "edited_at", read.unwrap_or_else(|| written.to_owned()));
        }
        // The id of a thread's first message ends with the id of the thread, twice.
        if let (Some(topic), Some((before, own))) = (record.topic_id.text(), id.rsplit_once('/'))
            && own != topic
            && before.ends_with(topic)
        {
            let root = format!("{before}/{topic}");
            note(&mut message.metadata, "thread", root.as_str());
            message.reply_to = Some(root);
        }
        let quoted = record.quoted_message_metadata.and_then(object::<Quoted<'_>>);
        if let Some(quoted) = quoted {
            let from = quoted.creator.and_then(object::<Person<'_>>);
            let from = from.as_ref().and_then(|from| from.name.text());
            note(&mut message.metadata, "quoted", json!({ "from": from, "text": quoted.text.text() }));
            message.reply_to = quoted.message_id.id().map(|id| id.into_owned()).or(message.reply_to);
        }
        note(&mut message.metadata, "reactions", self.reactions(&record).into_value());
        Ok(message)
    }

    pub(super) fn author(&self, creator: &Person<'_>, out: &Out<'_>) -> Option<Author> {
        let email = address(&creator.email);
        let name = creator.name.text().map(str::trim).filter(|name| !name.is_empty());
        let name = name.map(str::to_owned).or_else(|| email.as_deref().map(|email| self.name_of(email)))?;
        let is_program = creator.user_type.text().is_some_and(|kind| !kind.eq_ignore_ascii_case("human"));
        let id = email.clone().unwrap_or_else(|| name.clone());
        let role = match &self.owner {
            _ if is_program => Role::Assistant,
            Some(owner) if Some(owner) == email.as_ref() => Role::Owner,
            Some(_) => Role::Person,
            None => out.me.role_of(&name, &id),
        };
        Some(Author { name, handle: handle(CHANNEL, &id), role })
    }

    /// What a message says, and what is attached to it.
    fn said(&self, record: &Record<'_>, who: &str) -> Result<Said, SkipReason> {
        let mut metadata = Metadata::new();
        let creator = record.creator.and_then(object::<Person<'_>>);
        let behind = creator.and_then(|creator| creator.acting_user).and_then(object::<Person<'_>>);
        note(&mut metadata, "in_name_of", behind.as_ref().and_then(|behind| behind.name.text()));
        let text = record.text.text().filter(|text| !text.trim().is_empty());
        let files = Items::of(record.attached_files).0.into_iter().take(PARTS_OF_MESSAGE_MAX);
        let mut attachments = Attachments::default();
        for file in files.filter_map(object::<Attached<'_>>) {
            if let Some(name) = file.original_name.text().or(file.export_name.text()) {
                attachments.add_name(name);
            }
        }
        let names = attachments.names();
        note(&mut metadata, "attachments", attachments.into_value());
        let annotations = Items::of(record.annotations).0.into_iter().take(PARTS_OF_MESSAGE_MAX);
        let annotations: Vec<Value> = annotations.map(small_value).collect();
        let links: Vec<Value> = annotations.iter().filter_map(link).collect();
        let said = |kind, text: &str, metadata| Ok(Said { kind, text: text.to_owned(), metadata });
        let told = annotations.iter().find_map(|annotation| notice(annotation, who));
        if let Some(notice) = told.filter(|_| text.is_none() && names.is_empty()) {
            note(&mut metadata, "links", links);
            return said(MessageType::Notice, &notice, metadata);
        }
        let shown = links.iter().find_map(|link| ["title", "url"].iter().find_map(|key| link.get(*key)?.as_str()));
        let shown = shown.map(str::to_owned);
        note(&mut metadata, "links", links);
        match (text, shown) {
            (Some(text), _) => said(MessageType::Text, text, metadata),
            (None, _) if !names.is_empty() => said(MessageType::File, &names, metadata),
            (None, Some(shown)) => said(MessageType::File, &shown, metadata),
            (None, None) => Err(SkipReason::Empty),
        }
    }

    fn reactions(&self, record: &Record<'_>) -> Reactions {
        let mut found = Reactions::default();
        let raw = Items::of(record.reactions).0.into_iter().take(PARTS_OF_MESSAGE_MAX);
        for raw in raw.filter_map(object::<Reaction<'_>>) {
            let emoji = raw.emoji.map(small_value).unwrap_or_default();
            let own = emoji.get("custom_emoji").and_then(|own| own.get("short_code").or(own.get("shortcode")));
            let Some(emoji) = emoji.get("unicode").or(own).and_then(Value::as_str) else { continue };
            let by = Items::of(raw.reactor_emails).0.into_iter().take(PARTS_OF_MESSAGE_MAX);
            let by = by.filter_map(|email| serde_json::from_str::<String>(email.get()).ok());
            let by: Vec<String> = by.map(|email| self.name_of(&email)).collect();
            found.add(emoji, by.len() as u64, by);
        }
        found
    }
}

/// What a message says.
struct Said {
    kind: MessageType,
    text: String,
    metadata: Metadata,
}

/// The link, document or video that an annotation describes.
fn link(annotation: &Value) -> Option<Value> {
    let field =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let mut found = Metadata::new();
    if let Some(url) = annotation.get("url_metadata") {
        let address = url.get("url").and_then(|url| field(url, WRAPPED_URL));
        note(&mut found, "title", field(url, "title"));
        note(&mut found, "url", address.or_else(|| field(url, "image_url")));
    } else if let Some(document) = annotation.get("drive_metadata") {
        note(&mut found, "title", field(document, "title"));
        note(&mut found, "drive", field(document, "id"));
    } else if let Some(video) = annotation.get("youtube_metadata") {
        note(&mut found, "youtube", field(video, "id"));
    } else if let Some(call) = annotation.get("video_call_metadata") {
        note(&mut found, "url", call.get("meeting_space").and_then(|space| field(space, "meeting_url")));
    }
    (!found.is_empty()).then(|| found.into())
}

/// The notice for an annotation in a message without words: a call, a task or an event.
fn notice(annotation: &Value, who: &str) -> Option<String> {
    if annotation.get("video_call_metadata").is_some() {
        return Some(call("Call", None));
    }
    let made = annotation.get("gsuite_integration_metadata")?;
    if let Some(held) = made.get("call_data") {
        let is_missed = held.get("call_status").and_then(Value::as_str).is_some_and(|status| status.contains("MISSED"));
        return Some(if is_missed { "Call, missed".to_owned() } else { call("Call", None) });
    }
    if let Some(task) = made.get("tasks_data") {
        let title = task.get("task_properties").and_then(|task| task.get("title")?.as_str()).unwrap_or_default();
        let what = if task.get("creation").is_some() { "created" } else { "changed" };
        return Some(format!("{who} {what} the task {title}"));
    }
    let event = made.get("calendar_event_data")?.get("calendar_event")?;
    Some(format!("{who} shared the event {}", event.get("title").and_then(Value::as_str).unwrap_or_default()))
}
