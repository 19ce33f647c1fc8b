//! One message of a Teams or Skype conversation.

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, TimeCertainty};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::markup::{self, Content, element, elements, unescaped};
use super::{Account, CHANNEL, Chat, properties};
use crate::SkipReason;
use crate::conversation::{Attachments, Named, Reactions, When, call, note};
use crate::identity::handle;
use crate::json::{Loose, record};
use crate::out::Out;
use crate::time::{from_unix, parse_rfc3339, rfc3339};

/// The network prefix of programs' ids.
pub(super) const PROGRAMS: &str = "28:";

/// Kinds of messages that say nothing about the conversation.
const STANDARD: &[&str] = &["Notice", "PopCard", "InviteFreeRelationshipChanged/Initialized"];

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "displayName")]
    name: Loose<'a>,
    #[serde(borrow, default, rename = "originalarrivaltime")]
    time: Loose<'a>,
    #[serde(borrow, default, rename = "messagetype")]
    kind: Loose<'a>,
    #[serde(borrow, default)]
    content: Loose<'a>,
    #[serde(borrow, default)]
    from: Loose<'a>,
    #[serde(borrow, default)]
    properties: Option<&'a RawValue>,
}

/// Reads one message.
pub(super) fn read(raw: &[u8], chat: &mut Chat, account: &mut Account, out: &Out<'_>) -> Result<Message, SkipReason> {
    let mut mended = String::new();
    let record: Record<'_> = record(raw, &mut mended).filter(|_| raw.starts_with(b"{")).ok_or(SkipReason::Malformed)?;
    let from = record.from.text().ok_or(SkipReason::MissingField)?;
    if let Some(name) = record.name.text() {
        account.learn(from, name);
    }
    let properties = properties(record.properties);
    let kind = record.kind.text().unwrap_or_default();
    let content = record.content.text().unwrap_or_default();
    let written = record.time.text().unwrap_or_default();
    let when = parse_rfc3339(written, out.options.zone)
        .or_else(|| Some((record.id.number().and_then(from_unix)?, TimeCertainty::Exact)))
        .ok_or(SkipReason::MissingField)?;
    let id = match record.id.id() {
        Some(id) => id.into_owned(),
        None => chat.stand_ins.next("", written, from, content),
    };
    if properties.get("deletetime").is_some_and(|at| !at.is_null()) {
        return Err(SkipReason::Deleted);
    }
    let reader = Reader { chat, account, id: &id, when, from, content, properties: &properties, out };
    match kind {
        "Text" | "RichText" | "RichText/Html" => reader.words(kind),
        "Event/Call" => reader.call(),
        "Poll" => reader.poll(),
        _ if kind.starts_with("ThreadActivity/") => reader.activity(kind),
        _ if kind.starts_with("EndToEndEncryption/") => Err(SkipReason::Hidden),
        _ if kind.starts_with("Control/") => Err(SkipReason::NotAMessage),
        _ if STANDARD.contains(&kind) => Err(SkipReason::PlatformNotice),
        _ => reader.other(kind),
    }
}

struct Reader<'r, 'o> {
    chat: &'r Chat,
    account: &'r Account,
    id: &'r str,
    when: When,
    from: &'r str,
    content: &'r str,
    properties: &'r Value,
    out: &'r Out<'o>,
}

impl Reader<'_, '_> {
    fn author(&self) -> Author {
        let name = self.account.name_of(self.from);
        let role = match &self.account.owner {
            _ if self.from.starts_with(PROGRAMS) => Role::Assistant,
            Some(owner) if owner == self.from => Role::Owner,
            Some(_) => Role::Person,
            None => self.out.me.role_of(&name, self.from),
        };
        Author { name, handle: handle(CHANNEL, self.from), role }
    }

    fn notice(&self, text: String) -> Message {
        self.chat.room.notice(self.id, self.when, text)
    }

    /// A message with text, including what it answers and the files that were sent with it.
    fn words(&self, kind: &str) -> Result<Message, SkipReason> {
        // A deleted message keeps its place and loses its content.
        if self.content.is_empty() && self.files().is_empty() {
            return Err(SkipReason::Deleted);
        }
        let content = match kind {
            "Text" => Content { text: self.content.to_owned(), ..Content::default() },
            _ => markup::read(self.content, kind == "RichText/Html"),
        };
        self.message(content, MessageType::Text)
    }

    fn message(&self, mut content: Content, kind: MessageType) -> Result<Message, SkipReason> {
        let mut metadata = Metadata::new();
        let mut kind = kind;
        content.files.extend(self.files());
        let mut attachments = Attachments::default();
        content.files.iter().for_each(|name| attachments.add_name(name));
        let files = attachments.names();
        note(&mut metadata, "attachments", attachments.into_value());
        let mut text = content.text;
        let mut reply_to = None;
        if let Some(quote) = content.quote {
            if text.trim().is_empty() {
                kind = MessageType::Forward;
                note(&mut metadata, "forwarded_from", quote.from);
                text = quote.text;
            } else {
                note(&mut metadata, "quoted", json!({ "from": quote.from, "text": quote.text }));
                reply_to = quote.message.filter(|_| !quote.is_forward);
            }
        }
        if text.trim().is_empty() && !files.is_empty() {
            kind = MessageType::File;
            text = files;
        }
        if text.trim().is_empty() {
            return Err(SkipReason::Empty);
        }
        let edited = self.properties.get("edittime").map(|at| at.as_str().map_or_else(|| at.to_string(), str::to_owned));
        let edited = edited.or(content.edited).and_then(|at| at.parse().ok()).and_then(from_unix);
        note(&mut metadata, "edited_at", edited.map(rfc3339));
        note(&mut metadata, "reactions", self.reactions().into_value());
        let mut message = self.chat.room.message(self.id, self.when, self.author(), kind, text);
        message.reply_to = reply_to;
        message.metadata = metadata;
        Ok(message)
    }

    /// A property that is a list, or a list written as a string.
    fn list(&self, name: &str) -> Vec<Value> {
        let value = self.properties.get(name).cloned().unwrap_or_default();
        let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
        match parsed.unwrap_or(value) {
            Value::Array(items) => items,
            _ => Vec::new(),
        }
    }

    fn files(&self) -> Vec<String> {
        let name = |file: &Value| ["fileName", "title"].iter().find_map(|key| file.get(*key)?.as_str()).map(str::to_owned);
        self.list("files").iter().filter_map(name).collect()
    }

    fn reactions(&self) -> Reactions {
        let mut found = Reactions::default();
        for given in self.list("emotions") {
            let Some(emoji) = given.get("key").and_then(Value::as_str) else { continue };
            let users = given.get("users").and_then(Value::as_array).into_iter().flatten();
            for user in users.filter_map(|user| user.get("mri")?.as_str()) {
                found.add_one(emoji, Some(&self.account.name_of(user)));
            }
        }
        found
    }

    /// The notice of a call that has ended. The notice of its beginning is skipped, because it describes the same call.
    fn call(&self) -> Result<Message, SkipReason> {
        let text = if self.content.contains("type=\"missed\"") {
            "Call, missed".to_owned()
        } else if self.content.contains("type=\"started\"") {
            return Err(SkipReason::PlatformNotice);
        } else {
            let seconds = elements(self.content, "duration").filter_map(|text| text.trim().parse::<f64>().ok());
            call("Call", seconds.reduce(f64::max))
        };
        let mut message = self.notice(text);
        let there: Vec<String> = elements(self.content, "displayName").map(unescaped).collect();
        note(&mut message.metadata, "participants", there);
        Ok(message)
    }

    fn poll(&self) -> Result<Message, SkipReason> {
        let question = markup::read(self.content, false).title.ok_or(SkipReason::Poll)?;
        Ok(self.notice(format!("{} asked: {question}", self.account.name_of(self.from))))
    }

    /// A notice that somebody joined or left, or that the conversation was renamed.
    fn activity(&self, kind: &str) -> Result<Message, SkipReason> {
        let by = element(self.content, "initiator").unwrap_or(self.from);
        let told: Value = serde_json::from_str(self.content).unwrap_or_default();
        let mut people: Vec<Named> =
            elements(self.content, "target").map(|id| Named { name: self.account.name_of(id), handle: id.to_owned() }).collect();
        for person in told.get("members").and_then(Value::as_array).into_iter().flatten() {
            let Some(id) = person.get("id").and_then(Value::as_str) else { continue };
            let name = person.get("friendlyname").and_then(Value::as_str).filter(|name| !name.is_empty());
            let name = name.map_or_else(|| self.account.name_of(id), str::to_owned);
            people.push(Named { name, handle: id.to_owned() });
        }
        let names = people.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
        let alone = matches!(people.as_slice(), [one] if one.handle == by);
        let who = self.account.name_of(by);
        let (what, text) = match kind {
            "ThreadActivity/AddMember" if alone => ("joined", format!("{names} joined")),
            "ThreadActivity/AddMember" => ("joined", format!("{who} added {names}")),
            "ThreadActivity/DeleteMember" if alone => ("left", format!("{names} left")),
            "ThreadActivity/DeleteMember" => ("left", format!("{who} removed {names}")),
            "ThreadActivity/MemberJoined" => ("joined", format!("{names} joined")),
            "ThreadActivity/MemberLeft" => ("left", format!("{names} left")),
            "ThreadActivity/TopicUpdate" => {
                let title = element(self.content, "value").map(unescaped).ok_or(SkipReason::PlatformNotice)?;
                return Ok(self.notice(format!("{who} named the conversation {title}")));
            }
            _ => return Err(SkipReason::PlatformNotice),
        };
        if people.is_empty() {
            return Err(SkipReason::PlatformNotice);
        }
        let mut message = self.notice(text);
        note(&mut message.metadata, what, people.iter().map(Named::value).collect::<Value>());
        Ok(message)
    }

    /// Files, cards, places, and unknown kinds.
    fn other(&self, kind: &str) -> Result<Message, SkipReason> {
        let mut content = markup::read(self.content, false);
        let is_media = kind.starts_with("RichText/Media_") || kind == "RichText/UriObject";
        if !content.files.is_empty() || !self.files().is_empty() {
            return self.message(content, MessageType::File);
        }
        if content.text.trim().is_empty() {
            content.text = content.title.take().unwrap_or_default();
        }
        if content.text.trim().is_empty() && is_media {
            return Err(SkipReason::MediaPlaceholder);
        }
        let mut message = self.message(content, MessageType::Unknown)?;
        note(&mut message.metadata, "type", kind);
        Ok(message)
    }
}
