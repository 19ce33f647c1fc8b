//! Chats as Signal Desktop stores them: its own records, exported by sigtop (`export-messages -f json`), with one file per chat
//! that contains an array.
//!
//! The records have ids but no names: a chat's name is in its file name, `Ana Lima (+15550001111).json`, or `(group)` for a
//! group. People are identified by their service id, and messages by author and time, as in Signal's own export. Deliberately
//! not here: the database itself, which is encrypted. For the format, see docs/formats.md, "Signal".

mod notices;

use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceKind, TimeCertainty, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::people::OWNER;
use super::updates::contact_name;
use super::{CHANNEL, PROGRAM, Reaction, link, with_mentions};
use crate::SkipReason;
use crate::conversation::{Attachments, Named, Reactions, Room, When, note};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, handle};
use crate::json::{Items, Loose, each_element, object, record, small_value};
use crate::limits::NAMES_MAX;
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::{from_unix, rfc3339};

/// The records of a chat.
pub(crate) const DESKTOP: Format =
    Format { kind: SourceKind::Signal, names_owner: true, input: Input::Document { claims, check: Check::Json, read } };

/// The text in brackets in a group's file name. For a person, it is their number, user name or service id.
const GROUP: &str = "group";

/// The content type of an attachment that holds the full text of an overlong message.
const LONG_TEXT: &str = "text/x-signal-plain";

/// The flag that marks an attachment as a voice message.
const VOICE: u64 = 1;

/// True if the file has the keys of a record.
fn claims(head: &Head<'_>) -> bool {
    let outline = &head.outline;
    let has_any = |keys: &[&str]| keys.iter().any(|key| outline.has(key));
    outline.has_all(&["[].conversationId", "[].sent_at", "[].type"])
        && has_any(&["[].received_at", "[].received_at_ms", "[].schemaVersion"])
}

/// A record. The fields of notices are in `notices`.
#[derive(Deserialize)]
pub(super) struct Entry<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "conversationId")]
    chat: Loose<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Loose<'a>,
    #[serde(borrow, default)]
    body: Loose<'a>,
    #[serde(borrow, default)]
    sent_at: Loose<'a>,
    #[serde(borrow, default)]
    source: Loose<'a>,
    #[serde(borrow, default, rename = "sourceServiceId")]
    service: Loose<'a>,
    /// The name of the service id field before 2023. A record may have both fields.
    #[serde(borrow, default, rename = "sourceUuid")]
    uuid: Loose<'a>,
    #[serde(borrow, default, rename = "expireTimer")]
    expires: Loose<'a>,
    #[serde(borrow, default, rename = "isViewOnce")]
    is_view_once: Loose<'a>,
    #[serde(borrow, default, rename = "isErased")]
    is_erased: Loose<'a>,
    #[serde(borrow, default, rename = "deletedForEveryone")]
    is_deleted: Loose<'a>,
    #[serde(borrow, default)]
    attachments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "bodyAttachment")]
    long_text: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "bodyRanges")]
    ranges: Option<&'a RawValue>,
    #[serde(borrow, default)]
    quote: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reactions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    preview: Option<&'a RawValue>,
    #[serde(borrow, default)]
    contact: Option<&'a RawValue>,
    #[serde(borrow, default)]
    sticker: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "editHistory")]
    edits: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "storyReplyContext")]
    story: Option<&'a RawValue>,
}

impl Entry<'_> {
    /// The service id of the record's author.
    fn service_id(&self) -> Option<String> {
        self.service.text().or(self.uuid.text()).map(str::to_lowercase)
    }
}

#[derive(Deserialize)]
struct Edit<'a> {
    #[serde(borrow, default)]
    body: Loose<'a>,
    #[serde(borrow, default, rename = "bodyRanges")]
    ranges: Option<&'a RawValue>,
    #[serde(borrow, default)]
    timestamp: Loose<'a>,
}

#[derive(Deserialize)]
struct Range<'a> {
    #[serde(borrow, default)]
    start: Loose<'a>,
    #[serde(borrow, default)]
    length: Loose<'a>,
    #[serde(borrow, default, rename = "mentionAci")]
    mention: Loose<'a>,
    #[serde(borrow, default, rename = "mentionUuid")]
    older: Loose<'a>,
}

#[derive(Deserialize)]
struct Quote<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "authorAci")]
    author: Loose<'a>,
    #[serde(borrow, default, rename = "authorUuid")]
    uuid: Loose<'a>,
    #[serde(borrow, default, rename = "author")]
    number: Loose<'a>,
    #[serde(borrow, default)]
    text: Loose<'a>,
    #[serde(borrow, default, rename = "bodyRanges")]
    ranges: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow, default, rename = "fileName")]
    name: Loose<'a>,
    #[serde(borrow, default, rename = "contentType")]
    media: Loose<'a>,
    #[serde(borrow, default)]
    caption: Loose<'a>,
    #[serde(borrow, default)]
    flags: Loose<'a>,
}

#[derive(Deserialize)]
struct From<'a> {
    #[serde(borrow, default, rename = "fromId")]
    id: Loose<'a>,
}

/// Reads one file.
fn read(input: &mut dyn BufRead, site: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut reader = Reader::of(site.stem());
    each_element(input, out, |bytes, out| match reader.take(bytes, out) {
        Ok(message) => Ok(reader.groups.take(message, out)?),
        Err(reason) => {
            out.skip_bytes(reason, bytes);
            Ok(())
        }
    })?;
    Ok(reader.groups.flush(out)?)
}

/// The other side of the chat in a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct With {
    title: Option<String>,
    /// True if it is a single person. Only the file name shows this.
    is_direct: bool,
}

impl With {
    /// Parses the name of a file: `Ana Lima (+15550001111)`.
    fn of(stem: &str) -> Self {
        match stem.strip_suffix(')').and_then(|stem| stem.rsplit_once(" (")) {
            Some((name, detail)) => Self { title: Some(name.to_owned()), is_direct: detail != GROUP },
            None => Self { title: Some(stem.to_owned()).filter(|stem| !stem.is_empty()), is_direct: false },
        }
    }
}

/// What is known from earlier records.
pub(super) struct Reader {
    with: With,
    /// The owner's service ids, which the owner's own messages have.
    own: BTreeSet<String>,
    /// The ids of messages, by the times of all of their versions. Quotations refer to these times.
    sent: HashMap<String, String>,
    known: SeenIds,
    last_time: Option<Timestamp>,
    groups: Regroup,
}

impl Reader {
    fn of(stem: &str) -> Self {
        Self {
            with: With::of(stem),
            own: BTreeSet::new(),
            sent: HashMap::new(),
            known: SeenIds::default(),
            last_time: None,
            groups: Regroup::default(),
        }
    }

    /// The message of a record, or why there is none.
    fn take(&mut self, bytes: &[u8], out: &Out<'_>) -> Result<Message, SkipReason> {
        let mut mended = String::new();
        let entry: Entry<'_> = record(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")).ok_or(SkipReason::Malformed)?;
        let chat = entry.chat.id().ok_or(SkipReason::MissingField)?;
        let room = Room::of(&PROGRAM, chat, self.with.title.clone());
        let when: When = match entry.sent_at.number().and_then(from_unix) {
            Some(time) => (time, TimeCertainty::Exact),
            None => (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred),
        };
        self.last_time = Some(when.0);
        let is_own = entry.kind.text() == Some("outgoing");
        if let Some(id) = entry.service_id().filter(|_| is_own && self.own.len() < NAMES_MAX) {
            self.own.insert(id);
        }
        if entry.is_view_once.is_true() || entry.kind.text() == Some("story") {
            return Err(SkipReason::Disappearing);
        }
        if entry.is_deleted.is_true() || entry.is_erased.is_true() {
            return Err(SkipReason::Deleted);
        }
        let message = match notices::notice(bytes, &entry, &room, when, self)? {
            Some(notice) => Message { source: source_of(&room, entry.id.id().ok_or(SkipReason::MissingField)?), ..notice },
            // A change of the timer also contains the new timer, so it is handled before this check.
            None if entry.expires.number().is_some_and(|span| span > 0.0) => return Err(SkipReason::Disappearing),
            None => {
                let author = if is_own { self.owner() } else { self.author(&entry, &room)? };
                self.words(&entry, &room, when, author)?
            }
        };
        if self.known.is_new(&format!("{}\n{}", message.source.conversation, message.source.message)) {
            Ok(message)
        } else {
            Err(SkipReason::Repeated)
        }
    }

    pub(super) fn owner(&self) -> Author {
        Author { name: "Me".to_owned(), handle: handle(CHANNEL, OWNER), role: Role::Owner }
    }

    /// The author of a record that is not the owner's. Without an id, the author is the other side of the chat.
    pub(super) fn author(&self, entry: &Entry<'_>, room: &Room) -> Result<Author, SkipReason> {
        let id = entry.service_id().or_else(|| entry.source.id().map(|number| number.into_owned()));
        let id = id.or_else(|| self.with.is_direct.then(|| room.id.clone())).ok_or(SkipReason::MissingField)?;
        Ok(self.person(&id))
    }

    fn person(&self, id: &str) -> Author {
        let named = self.named(id);
        let role = if named.handle == OWNER { Role::Owner } else { Role::Person };
        Author { name: named.name, handle: handle(CHANNEL, &named.handle), role }
    }

    /// A person by id, in a chat where only the other side has a name.
    pub(super) fn named(&self, id: &str) -> Named {
        let id = id.to_lowercase();
        if self.own.contains(&id) {
            return Named { name: self.owner().name, handle: OWNER.to_owned() };
        }
        let name = self.with.title.clone().filter(|_| self.with.is_direct).unwrap_or_else(|| id.clone());
        Named { name, handle: id }
    }

    fn words(&mut self, entry: &Entry<'_>, room: &Room, when: When, author: Author) -> Result<Message, SkipReason> {
        // The newest version comes first, and has the words that are shown.
        let edits: Vec<Edit<'_>> = Items::of(entry.edits).0.into_iter().filter_map(object::<Edit<'_>>).collect();
        let newest = edits.first().filter(|edit| edit.body.text().is_some());
        let (body, ranges) = newest.map_or((&entry.body, entry.ranges), |edit| (&edit.body, edit.ranges));
        let sent = edits.last().and_then(|edit| edit.timestamp.id()).or_else(|| entry.sent_at.id()).unwrap_or_default();
        let id = format!("{sent}-{}", author.handle.handle);
        let when = edits
            .last()
            .and_then(|edit| edit.timestamp.number())
            .and_then(from_unix)
            .map_or(when, |time| (time, TimeCertainty::Exact));
        for version in edits.iter().filter_map(|edit| edit.timestamp.id()).chain(entry.sent_at.id()) {
            if self.sent.len() < NAMES_MAX {
                self.sent.insert(version.into_owned(), id.clone());
            }
        }
        let text = body.text().map(|body| self.text(body, ranges)).unwrap_or_default();
        let mut message = room.message(id, when, author, MessageType::Text, text);
        if let Some(edited) =
            edits.first().filter(|_| edits.len() > 1).and_then(|edit| edit.timestamp.number()).and_then(from_unix)
        {
            message.metadata.insert("edited_at".to_owned(), rfc3339(edited).into());
        }
        if let Some(quote) = entry.quote.and_then(object::<Quote<'_>>) {
            self.answer(&quote, &mut message);
        }
        if entry.story.is_some_and(|story| story.get() != "null") {
            message.metadata.insert("story_reply".to_owned(), true.into());
        }
        note(&mut message.metadata, "links", Items::of(entry.preview).0.into_iter().filter_map(link).collect::<Vec<Value>>());
        self.attach(entry, &mut message);
        let mut reactions = Reactions::default();
        for raw in Items::of(entry.reactions).0 {
            let (Some(reaction), Some(from)) = (object::<Reaction<'_>>(raw), object::<From<'_>>(raw)) else { continue };
            // The person who reacted is given by chat id, so only the other side of this chat is known.
            let name = from.id.id().filter(|id| self.with.is_direct && *id == room.id).and(self.with.title.as_deref());
            if let Some(emoji) = reaction.emoji.text() {
                reactions.add_one(emoji, name);
            }
        }
        note(&mut message.metadata, "reactions", reactions.into_value());
        match entry.kind.text() {
            _ if message.text.trim().is_empty() && is_there(entry.sticker) => Err(SkipReason::MediaPlaceholder),
            _ if message.text.trim().is_empty() => Err(SkipReason::Empty),
            Some("incoming" | "outgoing") | None => Ok(message),
            Some(unknown) => {
                message.message_type = MessageType::Unknown;
                message.metadata.insert("content_type".to_owned(), unknown.into());
                Ok(message)
            }
        }
    }

    fn attach(&self, entry: &Entry<'_>, message: &mut Message) {
        let mut attachments = Attachments::default();
        let mut is_cut = is_there(entry.long_text);
        for file in Items::of(entry.attachments).0.into_iter().filter_map(object::<File<'_>>) {
            if file.media.text() == Some(LONG_TEXT) {
                is_cut = true;
                continue;
            }
            let is_voice = file.flags.number().is_some_and(|flags| flags as u64 & VOICE != 0);
            let name = file.name.text().or(is_voice.then_some("voice message")).or(file.media.text()).unwrap_or("file");
            let mut about = Metadata::new();
            note(&mut about, "media_type", file.media.text());
            note(&mut about, "caption", file.caption.text());
            if is_voice {
                note(&mut about, "is_voice", true);
            }
            attachments.add(name, about);
        }
        for contact in Items::of(entry.contact).0 {
            let mut about = Metadata::new();
            note(&mut about, "contact", small_value(contact));
            attachments.add(&contact_name(contact), about);
        }
        attachments.attach(message);
        if is_cut {
            // The rest of a very long text is in a separate file.
            message.metadata.insert("is_cut".to_owned(), true.into());
        }
    }

    /// Records which message is answered, and the quoted words that are shown above the answer.
    fn answer(&self, quote: &Quote<'_>, message: &mut Message) {
        if let Some(sent) = quote.id.id().filter(|sent| sent != "0") {
            let author = quote.author.id().or_else(|| quote.uuid.id()).or_else(|| quote.number.id());
            let by = author.map(|author| format!("{sent}-{}", self.named(&author).handle));
            message.reply_to = self.sent.get(sent.as_ref()).cloned().or(by);
        }
        if let Some(text) = quote.text.text() {
            message.metadata.insert("quoted".to_owned(), self.text(text, quote.ranges).into());
        }
    }

    /// Text in which mentions are replaced by people's names.
    fn text(&self, body: &str, ranges: Option<&RawValue>) -> String {
        let mut mentions = Vec::new();
        for range in Items::of(ranges).0.into_iter().filter_map(object::<Range<'_>>) {
            let Some(service) = range.mention.text().or(range.older.text()) else { continue };
            let place = |number: &Loose<'_>| number.number().unwrap_or_default().max(0.0) as usize;
            mentions.push((place(&range.start), place(&range.length), format!("@{}", self.named(service).name)));
        }
        with_mentions(body, mentions)
    }
}

fn is_there(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| !matches!(raw.get(), "null" | "{}"))
}

fn source_of(room: &Room, id: std::borrow::Cow<'_, str>) -> keepsake_domain::SourceRef {
    keepsake_domain::SourceRef { kind: SourceKind::Signal, conversation: room.id.clone(), message: id.into_owned() }
}

/// People as metadata.
pub(super) fn people(named: &[Named]) -> Value {
    json!(named.iter().map(Named::value).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_array_of_the_records_is_recognized() {
        let claimed = |text: &str| claims(&Head::of(text.as_bytes()));
        assert!(claimed("[\n{\"id\":\"a\",\"conversationId\":\"b\",\"sent_at\":1,\"type\":\"incoming\",\"schemaVersion\":10}"));
        for other in [
            "{\"conversationId\":\"b\",\"sent_at\":1,\"type\":\"incoming\",\"schemaVersion\":10}",
            "[{\"conversationId\":\"b\",\"sent_at\":1,\"type\":\"incoming\"}]",
            "[{\"type\":\"incoming\",\"received_at\":1,\"schemaVersion\":10}]",
        ] {
            assert!(!claimed(other), "{other}");
        }
    }

    #[test]
    fn the_name_of_a_file_tells_who_a_chat_is_with() {
        for (stem, title, is_direct) in [
            ("Ana Lima (+15550001111)", "Ana Lima", true),
            ("Bees (old) (group)", "Bees (old)", false),
            ("Ana (ana.01)", "Ana", true),
            ("export", "export", false),
        ] {
            assert_eq!(With::of(stem), With { title: Some(title.to_owned()), is_direct }, "{stem}");
        }
    }
}
