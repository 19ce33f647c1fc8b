//! Telegram Desktop's `result.json`: a single chat, or all chats of an account.
//!
//! A single chat is one object with `messages`; an account has its chats in `chats.list` and `left_chats.list`. The id of a
//! chat between two people is that of the other person, so the owner is known. In a group exported by itself, nothing
//! identifies the owner. For the format, see docs/formats.md. Not here: the files next to it, and Telegram's HTML export.

mod content;
mod service;

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceKind, TimeCertainty, Timestamp, Visibility};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::{Program, Room, When, note};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, StandIns, digest, handle};
use crate::json::{Items, Loose, Step, Walk, mend, record, small_value};
use crate::limits::NAMES_MAX;
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::{from_unix, parse_rfc3339, rfc3339};

/// The format. It names the owner in most chats but not in a group that was exported alone, so the person may be asked.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Telegram, names_owner: false, input: Input::Document { claims, check: Check::Json, read } };

/// Channel type.
const CHANNEL: &str = "telegram";

/// Telegram as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Telegram, name: "Telegram", handle: CHANNEL };

/// The name that Telegram shows for deleted accounts. The export leaves their names empty.
const DELETED_ACCOUNT: &str = "Deleted Account";

/// The start of Unix time, in any time zone. Older exports write it as the edit time of messages that were never edited.
const NEVER: [&str; 2] = ["1970-01-01", "1969-12-31"];

/// The objects and arrays of the document that are entered.
const ENTER: &[&str] = &[
    "", "messages", "contacts", "contacts.list", "chats", "chats.list", "chats.list[]", "chats.list[].messages", "left_chats",
    "left_chats.list", "left_chats.list[]", "left_chats.list[].messages",
];

/// The types of chats. Every export of a single chat has one of them near its beginning.
const CHAT_TYPES: &[&str] = &[
    "personal_chat", "bot_chat", "saved_messages", "replies", "verification_codes", "private_group", "private_supergroup",
    "public_supergroup", "private_channel", "public_channel",
];

fn claims(head: &Head<'_>) -> bool {
    let outline = &head.outline;
    let is_account = outline.has_all(&["about", "personal_information.user_id", "personal_information.first_name"])
        || outline.has_all(&["about", "contacts.about", "contacts.list[].date_unixtime", "contacts.list[].phone_number"])
        || ["chats", "left_chats"].iter().any(|list| {
            let has = |key: &str| outline.has(&format!("{list}.{key}"));
            has("about") && has("list[].type") && has("list[].id") && has("list[].messages")
        });
    let is_chat = outline.has_all(&["type", "id", "messages[].id", "messages[].type", "messages[].text"])
        && ["messages[].date", "messages[].date_unixtime"].iter().any(|key| outline.has(key))
        && ["messages[].from_id", "messages[].actor_id"].iter().any(|key| outline.has(key));
    is_account || is_chat && CHAT_TYPES.iter().any(|kind| head.text().contains(&format!("\"{kind}\"")))
}

/// A message as exported. The fields that only some media have are in `content::Media`.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Raw<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow)]
    date: Loose<'a>,
    #[serde(borrow)]
    date_unixtime: Loose<'a>,
    #[serde(borrow)]
    edited: Loose<'a>,
    #[serde(borrow)]
    edited_unixtime: Loose<'a>,
    #[serde(borrow)]
    from: Loose<'a>,
    #[serde(borrow)]
    from_id: Loose<'a>,
    #[serde(borrow)]
    author: Loose<'a>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    text_entities: Option<&'a RawValue>,
    #[serde(borrow)]
    reply_to_message_id: Loose<'a>,
    #[serde(borrow)]
    reply_to_peer_id: Loose<'a>,
    #[serde(borrow, deserialize_with = "present")]
    forwarded_from: Option<Loose<'a>>,
    #[serde(borrow, deserialize_with = "present")]
    saved_from: Option<Loose<'a>>,
    #[serde(borrow)]
    via_bot: Loose<'a>,
    #[serde(borrow)]
    reactions: Option<&'a RawValue>,
    #[serde(borrow)]
    inline_bot_buttons: Option<&'a RawValue>,
}

/// Keeps a field that is present, even if it is null, because null means a forward from a deleted account.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Loose<'a>>, D::Error> {
    Loose::deserialize(deserializer).map(Some)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Person<'a> {
    #[serde(borrow)]
    user_id: Loose<'a>,
    #[serde(borrow)]
    phone_number: Loose<'a>,
}

/// Reads one file.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, ENTER);
    let mut reader = Reader::default();
    while let Some(step) = walk.next()? {
        match step {
            Step::Begin(path) if is_chat(path) => reader.chat = Chat::default(),
            Step::End(path) if is_chat(path) => reader.end_chat(out)?,
            Step::Value(path, value) => reader.take(path, value, out)?,
            Step::TooLarge(path, value) if path.ends_with("messages[]") => out.skip_bytes(SkipReason::TooLarge, value),
            _ => {}
        }
        out.progress(walk.bytes_done())?;
    }
    Ok(reader.end_chat(out)?)
}

/// Whether the object at this path may be a chat. The root is a chat if the export is of a single chat.
fn is_chat(path: &str) -> bool {
    matches!(path, "" | "chats.list[]" | "left_chats.list[]")
}

#[derive(Default)]
struct Reader {
    /// The handle of the owner, which an export of the account contains.
    owner: Option<String>,
    /// The phone numbers of contacts by their handles.
    phone_numbers: HashMap<String, String>,
    chat: Chat,
    groups: Regroup,
}

/// The chat that is being read.
#[derive(Default)]
struct Chat {
    kind: Option<String>,
    id: Option<String>,
    name: Option<String>,
    room: Option<Room>,
    seen: SeenIds,
    stand_ins: StandIns,
    last_time: Option<Timestamp>,
    /// Whether messages disappear from here on.
    is_disappearing: bool,
    /// The topic of messages in a forum, by their ids. The first message of a topic is the notice that it was created.
    topics: HashMap<String, String>,
    /// The contacts whose phone numbers were already noted in this chat.
    told: HashSet<String>,
    /// The handle of the owner in a chat between two people.
    own_side: Option<String>,
}

impl Chat {
    fn is(&self, kinds: &[&str]) -> bool {
        self.kind.as_deref().is_some_and(|kind| kinds.contains(&kind))
    }

    /// The handle of the other person or bot in a chat between two.
    fn other_side(&self) -> Option<String> {
        let id = self.id.as_ref().filter(|_| self.is(&["personal_chat", "bot_chat"]))?;
        Some(format!("user{id}"))
    }

    /// The room. Users, groups and channels may have equal ids, so the kind is part of the id, as it is for authors.
    fn room(&mut self) -> Room {
        if let Some(room) = &self.room {
            return room.clone();
        }
        let (prefix, visibility) = match self.kind.as_deref().unwrap_or_default() {
            "personal_chat" | "bot_chat" | "saved_messages" | "replies" | "verification_codes" => ("user", Visibility::Private),
            "private_group" => ("chat", Visibility::Private),
            "private_supergroup" | "private_channel" => ("channel", Visibility::Private),
            "public_supergroup" | "public_channel" => ("channel", Visibility::Public),
            _ => ("", Visibility::Private),
        };
        let id = match &self.id {
            Some(id) => format!("{prefix}{id}"),
            None => {
                format!("h-{}", digest(&[self.kind.as_deref().unwrap_or_default(), self.name.as_deref().unwrap_or_default()]))
            }
        };
        let title = match self.kind.as_deref() {
            Some("saved_messages") => Some("Saved Messages".to_owned()),
            Some("replies") => Some("Replies".to_owned()),
            _ => self.name.clone(),
        };
        let room = Room { program: &PROGRAM, id, title, visibility };
        self.room = Some(room.clone());
        room
    }

    fn time(&mut self, raw: &Raw<'_>, out: &Out<'_>) -> When {
        let exact = raw.date_unixtime.number().and_then(from_unix).map(|time| (time, TimeCertainty::Exact));
        let local = || raw.date.text().and_then(|date| parse_rfc3339(date, out.options.zone));
        let before = (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred);
        let time = exact.or_else(local).unwrap_or(before);
        self.last_time = Some(time.0);
        time
    }

    /// Sets the message being replied to, and the forum topic that the message belongs to.
    fn place(&mut self, message: &mut Message, raw: &Raw<'_>) {
        let Some(target) = raw.reply_to_message_id.id() else { return };
        if let Some(elsewhere) = raw.reply_to_peer_id.id() {
            note(&mut message.metadata, "reply_to_elsewhere", format!("{elsewhere}/{target}"));
            return;
        }
        if let Some(topic) = self.topics.get(target.as_ref()).cloned() {
            note(&mut message.metadata, "thread", topic.clone());
            if self.topics.len() < NAMES_MAX {
                self.topics.insert(message.source.message.clone(), topic);
            }
        }
        message.reply_to = Some(target.into_owned());
    }
}

impl Reader {
    fn take(&mut self, path: &str, value: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        let key = path.strip_prefix("chats.list[].").or_else(|| path.strip_prefix("left_chats.list[].")).unwrap_or(path);
        let scalar = || serde_json::from_slice::<Loose<'_>>(value).unwrap_or_default();
        match key {
            "messages[]" => self.message(value, out)?,
            "name" => self.chat.name = scalar().text().map(str::to_owned),
            "type" => self.chat.kind = scalar().text().map(str::to_owned),
            "id" => self.chat.id = scalar().id().map(|id| id.into_owned()),
            "personal_information" => {
                let mut mended = String::new();
                self.owner = record::<Person<'_>>(value, &mut mended).and_then(|me| Some(format!("user{}", me.user_id.id()?)));
            }
            "contacts.list[]" => {
                let mut mended = String::new();
                let contact = record::<Person<'_>>(value, &mut mended).unwrap_or_default();
                if let (Some(id), Some(number)) = (contact.user_id.id(), contact.phone_number.text())
                    && self.phone_numbers.len() < NAMES_MAX
                {
                    self.phone_numbers.insert(format!("user{id}"), number.to_owned());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end_chat(&mut self, out: &mut Out<'_>) -> Result<(), crate::Stop> {
        let chat = std::mem::take(&mut self.chat);
        // If the keys of a file were sorted, the name comes after the messages.
        if let (Some(room), Some(name)) = (&chat.room, &chat.name) {
            self.groups.set_title(&room.id, name);
        }
        self.groups.flush(out)
    }

    fn message(&mut self, value: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        // Different functions read the parts of a message, so it is repaired as a whole. A message without escapes seldom needs
        // repair.
        let is_whole = memchr::memchr(b'\\', value).is_none() && serde_json::from_slice::<IgnoredAny>(value).is_ok();
        let mended = if is_whole { None } else { mend(value) };
        let json = mended.as_deref().map_or(value, str::as_bytes);
        let Some(raw) = serde_json::from_slice::<Raw<'_>>(json).ok().filter(|_| json.starts_with(b"{")) else {
            out.skip_bytes(SkipReason::Malformed, value);
            return Ok(());
        };
        let room = self.chat.room();
        if let Some(id) = raw.id.id()
            && !self.chat.seen.is_new(&id)
        {
            out.skip_bytes(SkipReason::Repeated, value);
            return Ok(());
        }
        let made = match raw.kind.text() {
            Some("service") => self.service(&raw, json, &room, out),
            // The exporting program did not know the content either.
            Some("unsupported") => Err(SkipReason::MediaPlaceholder),
            _ => self.said(&raw, json, &room, out),
        };
        match made {
            Ok(message) => self.groups.take(message, out)?,
            Err(reason) => out.skip_bytes(reason, value),
        }
        Ok(())
    }

    fn service(&mut self, raw: &Raw<'_>, json: &[u8], room: &Room, out: &Out<'_>) -> Result<Message, SkipReason> {
        let time = self.chat.time(raw, out);
        let service = service::read(json).ok_or(SkipReason::Malformed)?;
        if let Some(is_disappearing) = service.is_disappearing {
            self.chat.is_disappearing = is_disappearing;
        }
        let author = room.platform();
        let id = self.id_of(raw, room, &author, &service.text);
        if service.begins_topic && self.chat.topics.len() < NAMES_MAX {
            self.chat.topics.insert(id.clone(), id.clone());
        }
        let mut message = room.message(id, time, author, MessageType::Notice, service.text);
        message.metadata = service.metadata;
        Ok(message)
    }

    fn said(&mut self, raw: &Raw<'_>, json: &[u8], room: &Room, out: &Out<'_>) -> Result<Message, SkipReason> {
        let time = self.chat.time(raw, out);
        if self.chat.is_disappearing {
            return Err(SkipReason::Disappearing);
        }
        let text = content::text(raw.text_entities, raw.text);
        let content = content::read(json, text)?;
        let (author, mut metadata) = self.author(raw, room, out);
        let mut message_type = content.message_type;
        if let Some(kind) = raw.kind.text().filter(|kind| *kind != "message") {
            message_type = MessageType::Unknown;
            metadata.insert("content_type".to_owned(), kind.into());
        }
        let name = |name: &Loose<'_>| Value::from(name.text().unwrap_or(DELETED_ACCOUNT));
        let passed_on = raw.forwarded_from.as_ref().or(raw.saved_from.as_ref()).map(name);
        // Text composed by an inline bot is not the words of the person who chose it.
        if let Some(from) = passed_on.or_else(|| raw.via_bot.text().map(Value::from)) {
            if !matches!(message_type, MessageType::Notice | MessageType::Unknown) {
                message_type = MessageType::Forward;
            }
            metadata.insert("forwarded_from".to_owned(), from);
        }
        metadata.extend(content.metadata);
        note(&mut metadata, "saved_from", raw.saved_from.as_ref().map_or(Value::Null, name));
        note(&mut metadata, "via_bot", raw.via_bot.text().unwrap_or_default());
        note(&mut metadata, "signature", raw.author.text().unwrap_or_default());
        note(&mut metadata, "reactions", content::reactions(raw.reactions));
        note(&mut metadata, "edited_at", edited_at(raw).unwrap_or_default());
        let id = self.id_of(raw, room, &author, &content.text);
        let mut message = room.message(id, time, author, message_type, content.text);
        message.metadata = metadata;
        self.chat.place(&mut message, raw);
        Ok(message)
    }

    fn id_of(&mut self, raw: &Raw<'_>, room: &Room, author: &Author, text: &str) -> String {
        let written = raw.date_unixtime.id().or_else(|| raw.date.id()).unwrap_or_default();
        match raw.id.id() {
            Some(id) => id.into_owned(),
            None => self.chat.stand_ins.next(&room.id, &written, &author.handle.handle, text),
        }
    }

    /// Who wrote a message, and the phone number if this is a contact who is new in the chat.
    fn author(&mut self, raw: &Raw<'_>, room: &Room, out: &Out<'_>) -> (Author, Metadata) {
        let mut metadata = Metadata::new();
        let (id, name) = match (peer(&raw.from_id), raw.from.text()) {
            (Some(id), name) => (id, name.unwrap_or(DELETED_ACCOUNT).to_owned()),
            (None, Some(name)) => (name.to_owned(), name.to_owned()),
            // Older exports do not repeat the name of a channel in each of its posts.
            (None, None) => (room.id.clone(), room.title.clone().unwrap_or_else(|| DELETED_ACCOUNT.to_owned())),
        };
        let other_side = self.chat.other_side();
        // In exports before 2021, the id of a chat may differ from the id of the person. Such a chat has the name of the
        // other side.
        let is_named_like_chat = || matches!(raw.from_id, Loose::Int(_)) && self.chat.name.as_deref() == Some(name.as_str());
        let is_other_side = other_side.as_ref() == Some(&id) || other_side.is_some() && is_named_like_chat();
        let may_be_own = other_side.is_some() && !is_other_side && id.starts_with("user");
        // There is only one owner. Anybody else in such a chat, for example after files were merged, is not the owner.
        let is_own = may_be_own && *self.chat.own_side.get_or_insert_with(|| id.clone()) == id;
        // Only bots can put buttons below a message. Buttons below a channel's post come from its administrators.
        let has_buttons = raw.inline_bot_buttons.is_some_and(|buttons| !Items::of(Some(buttons)).0.is_empty());
        let is_bot =
            is_other_side && self.chat.is(&["bot_chat"]) || has_buttons && raw.via_bot.text().is_none() && id.starts_with("user");
        let role = match &self.owner {
            _ if is_bot => Role::Assistant,
            Some(owner) if *owner == id => Role::Owner,
            Some(_) => Role::Person,
            None if self.chat.is(&["saved_messages"]) => Role::Owner,
            None if is_own => Role::Owner,
            None if is_other_side || may_be_own => Role::Person,
            None => out.me.role_of(&name, &id),
        };
        if let Some(number) = self.phone_numbers.get(&id)
            && self.chat.told.insert(id.clone())
        {
            note(&mut metadata, "phone_number", number.clone());
        }
        (Author { name, handle: handle(CHANNEL, &id), role }, metadata)
    }
}

/// When a message was edited.
fn edited_at(raw: &Raw<'_>) -> Option<String> {
    match raw.edited_unixtime.number().and_then(from_unix) {
        Some(time) => Some(rfc3339(time)),
        None => raw.edited.text().filter(|date| !NEVER.iter().any(|never| date.starts_with(never))).map(str::to_owned),
    }
}

/// The id of a user, group or channel. Exports before 2021 write the ids of users as numbers.
fn peer(id: &Loose<'_>) -> Option<String> {
    match id {
        Loose::Int(number) => Some(format!("user{number}")),
        id => id.text().map(str::to_owned),
    }
}

/// A small value of the export, or nothing.
fn kept(raw: Option<&RawValue>) -> Value {
    raw.map_or(Value::Null, small_value)
}
