//! Signal's own plaintext export: `main.jsonl`, one frame of a backup per line, beside `metadata.json` and the files.
//!
//! The first line gives the version; the account, recipients, chats and chat items follow, each after what it refers to. The
//! ids of recipients and chats are valid only within one file, so people are identified by their service id (ACI), groups by
//! their key, and messages by their author and the time at which they were first sent, as in Signal itself. Deliberately not
//! here: the files and the encrypted backups. Exports by other programs have their own modules: the records of Signal Desktop
//! (`desktop.rs`), and what signal-export makes of them (`exported.rs`, `page.rs`). For the formats, see docs/formats.md,
//! "Signal".

mod desktop;
mod exported;
mod page;
mod people;
mod updates;

pub(crate) use desktop::DESKTOP;
pub(crate) use exported::{EXPORTED, FOLDER};
pub(crate) use page::PAGE;

use std::collections::HashMap;
use std::io::BufRead;

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceKind, TimeCertainty, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::SkipReason;
use crate::conversation::{Attachments, Program, Reactions, Room, When, note};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, StandIns};
use crate::json::{Balance, Entries, Items, Loose, mend, object, record, small_value};
use crate::limits::{ELEMENT_BYTES_MAX, NAMES_MAX};
use crate::lines::each_line;
use crate::out::Out;
use crate::regroup::Regroup;
use crate::time::{from_unix, rfc3339};
use people::People;

/// Signal's plaintext export.
pub(crate) const SIGNAL: Format =
    Format { kind: SourceKind::Signal, names_owner: true, input: Input::Document { claims, check: Check::JsonLines, read } };

/// Channel type for Signal.
const CHANNEL: &str = "signal";

/// Signal as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Signal, name: "Signal", handle: "Signal" };

/// The beginnings of frames. A line with such a beginning never continues the previous line.
const FRAMES: [&[u8]; 4] = [b"{\"chatItem\":", b"{\"recipient\":", b"{\"chat\":", b"{\"account\":"];

/// The keys of a chat item that do not indicate its type.
const DETAILS: [&str; 12] = [
    "chatId", "authorId", "dateSent", "expireStartDate", "expiresInMs", "revisions", "sms", "incoming", "outgoing",
    "directionless", "pinDetails", "id",
];

/// True if the file begins with the first frames of a backup.
fn claims(head: &Head<'_>) -> bool {
    let outline = &head.outline;
    outline.has_all(&["version", "backupTimeMs"])
        && ["account.givenName", "account.accountSettings", "recipient.id", "chatItem.chatId"].iter().any(|key| outline.has(key))
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow, default)]
    account: Option<&'a RawValue>,
    #[serde(borrow, default)]
    recipient: Option<&'a RawValue>,
    #[serde(borrow, default)]
    chat: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "chatItem")]
    item: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "adHocCall")]
    call: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Chat<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default, rename = "recipientId")]
    recipient: Loose<'a>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default, rename = "chatId")]
    chat: Loose<'a>,
    #[serde(borrow, default, rename = "authorId")]
    author: Loose<'a>,
    #[serde(borrow, default, rename = "dateSent")]
    sent: Loose<'a>,
    #[serde(borrow, default, rename = "expiresInMs")]
    expires: Loose<'a>,
    #[serde(borrow, default)]
    revisions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    sms: Loose<'a>,
    #[serde(borrow, default)]
    outgoing: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Words<'a> {
    #[serde(borrow, default)]
    body: Loose<'a>,
    #[serde(borrow, default, rename = "bodyRanges")]
    ranges: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Range<'a> {
    #[serde(borrow, default)]
    start: Loose<'a>,
    #[serde(borrow, default)]
    length: Loose<'a>,
    #[serde(borrow, default, rename = "mentionAci")]
    mention: Loose<'a>,
}

#[derive(Deserialize)]
struct Standard<'a> {
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "longText")]
    long_text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    quote: Option<&'a RawValue>,
    #[serde(borrow, default)]
    attachments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "linkPreview")]
    links: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reactions: Option<&'a RawValue>,
    /// The words of an answer to a story.
    #[serde(borrow, default, rename = "textReply")]
    story_words: Option<&'a RawValue>,
    /// The emoji of an answer to a story.
    #[serde(borrow, default)]
    emoji: Loose<'a>,
    /// A shared contact.
    #[serde(borrow, default)]
    contact: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Quote<'a> {
    #[serde(borrow, default, rename = "targetSentTimestamp")]
    target: Loose<'a>,
    #[serde(borrow, default, rename = "authorId")]
    author: Loose<'a>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Attachment<'a> {
    #[serde(borrow, default)]
    pointer: Option<&'a RawValue>,
    #[serde(borrow, default)]
    flag: Loose<'a>,
}

#[derive(Deserialize)]
struct Pointer<'a> {
    #[serde(borrow, default, rename = "contentType")]
    media: Loose<'a>,
    #[serde(borrow, default, rename = "fileName")]
    name: Loose<'a>,
    #[serde(borrow, default)]
    caption: Loose<'a>,
}

#[derive(Deserialize)]
struct Link<'a> {
    #[serde(borrow, default)]
    url: Loose<'a>,
    #[serde(borrow, default)]
    title: Loose<'a>,
}

#[derive(Deserialize)]
struct Reaction<'a> {
    #[serde(borrow, default)]
    emoji: Loose<'a>,
    #[serde(borrow, default, rename = "authorId")]
    author: Loose<'a>,
}

/// Reads one file.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut backup = Backup::default();
    // A frame that is not complete yet, because some programs leave line breaks in its text.
    let mut open: Vec<u8> = Vec::new();
    each_line(input, out, |bytes, out| {
        if !open.is_empty() && (FRAMES.iter().any(|frame| bytes.starts_with(frame)) || open.len() > ELEMENT_BYTES_MAX) {
            out.skip_bytes(SkipReason::Malformed, &std::mem::take(&mut open));
        }
        if open.is_empty() && Balance::default().feed(bytes).is_some() {
            backup.take(bytes.trim_ascii(), out)?;
        } else if !open.is_empty() || bytes.starts_with(b"{") {
            if !open.is_empty() {
                open.push(b'\n');
            }
            open.extend_from_slice(bytes);
            if Balance::default().feed(&open).is_some() {
                backup.take(&std::mem::take(&mut open), out)?;
            }
        } else if !bytes.trim_ascii().is_empty() {
            out.skip_bytes(SkipReason::Malformed, bytes);
        }
        Ok(())
    })?;
    if !open.is_empty() {
        out.skip_bytes(SkipReason::Malformed, &open);
    }
    Ok(backup.groups.flush(out)?)
}

/// What is known from earlier frames.
#[derive(Default)]
struct Backup {
    people: People,
    chats: HashMap<String, Room>,
    /// The ids of edited messages, by the times of their later versions, to which quotes may refer.
    edited: HashMap<String, String>,
    known: SeenIds,
    stand_ins: StandIns,
    last_time: Option<Timestamp>,
    groups: Regroup,
}

/// A chat item whose chat, author and time are known.
struct Placed<'i> {
    chat: Room,
    author: Author,
    id: String,
    sent: String,
    when: When,
    edited: Option<Timestamp>,
    item: &'i Item<'i>,
}

impl Backup {
    fn take(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        // Half an emoji is noticed only when its text is read, so it is searched for beforehand.
        let has_halves = [b"\\ud", b"\\uD"].iter().any(|half| memchr::memmem::find(bytes, *half).is_some());
        let repaired = has_halves.then(|| mend(bytes)).flatten();
        let bytes = repaired.as_deref().map_or(bytes, str::as_bytes);
        let mut mended = String::new();
        let Some(frame) = record::<Frame<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) else {
            out.skip_bytes(SkipReason::Malformed, bytes);
            return Ok(());
        };
        let is_known = if let Some(account) = frame.account {
            self.people.learn_account(account)
        } else if let Some(recipient) = frame.recipient {
            self.people.learn(recipient)
        } else if let Some(chat) = frame.chat {
            self.learn_chat(chat)
        } else if let Some(item) = frame.item {
            return self.take_item(item, out);
        } else {
            if let Some(call) = frame.call {
                out.skip(SkipReason::NotAMessage, call.get());
            }
            true
        };
        if !is_known {
            out.skip_bytes(SkipReason::Malformed, bytes);
        }
        Ok(())
    }

    /// Remembers a chat. Returns false if it is not a valid one.
    fn learn_chat(&mut self, raw: &RawValue) -> bool {
        let Some(chat) = object::<Chat<'_>>(raw) else { return false };
        let (Some(id), Some(recipient)) = (chat.id.id(), chat.recipient.id()) else { return false };
        let Some(place) = self.people.place(&recipient) else { return false };
        if self.chats.len() < NAMES_MAX {
            self.chats.insert(id.into_owned(), place);
        }
        true
    }

    fn take_item(&mut self, raw: &RawValue, out: &mut Out<'_>) -> Result<(), Halt> {
        let entries = serde_json::from_str::<Entries<'_>>(raw.get()).unwrap_or_default().0;
        let Some(item) = object::<Item<'_>>(raw) else {
            out.skip(SkipReason::Malformed, raw.get());
            return Ok(());
        };
        let Some(placed) = self.placed(&item, out) else {
            out.skip(SkipReason::MissingField, raw.get());
            return Ok(());
        };
        // Zero means that no timer is set.
        if item.expires.number().is_some_and(|span| span > 0.0) {
            out.skip(SkipReason::Disappearing, raw.get());
            return Ok(());
        }
        let Some((kind, content)) = entries.iter().find(|(key, value)| !DETAILS.contains(&key.as_str()) && value.get() != "null")
        else {
            out.skip(SkipReason::MissingField, raw.get());
            return Ok(());
        };
        match self.told(&placed, kind, content) {
            Ok(message) => {
                let key = format!("{}\n{}", message.source.conversation, message.source.message);
                if !self.known.is_new(&key) {
                    out.skip(SkipReason::Repeated, raw.get());
                    return Ok(());
                }
                self.groups.take(message, out)?;
            }
            Err(reason) => out.skip(reason, raw.get()),
        }
        Ok(())
    }

    /// The chat, author and time of an item. `None` if its chat or author is unknown.
    fn placed<'i>(&mut self, item: &'i Item<'i>, out: &Out<'_>) -> Option<Placed<'i>> {
        let chat = self.chats.get(item.chat.id()?.as_ref())?.clone();
        let mut author = self.people.author(item.author.id()?.as_ref())?;
        // Outgoing items are the owner's, whatever the author's id refers to.
        if item.outgoing.is_some() && author.role != Role::Owner {
            author = self.people.owner();
        }
        let revisions = Items::of(item.revisions).0;
        let first = revisions.first().and_then(|raw| object::<Item<'_>>(raw));
        let shown = item.sent.number().and_then(from_unix);
        let original = first.as_ref().and_then(|first| first.sent.number()).and_then(from_unix);
        let sent = first.as_ref().and_then(|first| first.sent.id()).or_else(|| item.sent.id());
        let sent = sent.map(|sent| sent.into_owned()).unwrap_or_default();
        let when = match original.or(shown) {
            Some(time) => (time, TimeCertainty::Exact),
            None => (self.last_time.unwrap_or(out.options.file_time), TimeCertainty::Inferred),
        };
        self.last_time = Some(when.0);
        let id = format!("{sent}-{}", author.handle.handle);
        let later = revisions
            .iter()
            .skip(1)
            .filter_map(|raw| object::<Item<'_>>(raw))
            .filter_map(|later| later.sent.id().map(|sent| sent.into_owned()));
        for version in later.chain(original.and(item.sent.id()).map(|sent| sent.into_owned())) {
            if self.edited.len() < NAMES_MAX {
                self.edited.insert(format!("{version}-{}", author.handle.handle), id.clone());
            }
        }
        Some(Placed { chat, author, id, sent, when, edited: original.and(shown), item })
    }

    /// The message that an item gives, or why there is none.
    fn told(&mut self, placed: &Placed<'_>, kind: &str, content: &RawValue) -> Result<Message, SkipReason> {
        let mut message = match kind {
            "standardMessage" | "contactMessage" | "directStoryReplyMessage" => self.words(placed, kind, content)?,
            "remoteDeletedMessage" | "adminDeletedMessage" => return Err(SkipReason::Deleted),
            "viewOnceMessage" => return Err(SkipReason::Disappearing),
            "stickerMessage" => return Err(SkipReason::MediaPlaceholder),
            "giftBadge" => return Err(SkipReason::PlatformNotice),
            "updateMessage" | "poll" | "paymentNotification" => {
                let notice = match kind {
                    "updateMessage" => updates::update(content, &placed.author, &self.people)?,
                    "poll" => updates::poll(content, &placed.author).ok_or(SkipReason::Malformed)?,
                    _ => updates::payment(content, &placed.author).ok_or(SkipReason::Malformed)?,
                };
                // Several changes may have the same author and time.
                let id = self.stand_ins.next(&placed.chat.id, &placed.sent, &placed.author.handle.handle, &notice.text);
                Message { metadata: notice.metadata, ..placed.chat.notice(id, placed.when, notice.text) }
            }
            unknown => {
                let mut message = self.empty(placed);
                message.message_type = MessageType::Unknown;
                message.metadata.insert("content_type".to_owned(), unknown.into());
                message.metadata.insert("content".to_owned(), small_value(content));
                message
            }
        };
        if let Some(edited) = placed.edited {
            message.metadata.insert("edited_at".to_owned(), rfc3339(edited).into());
        }
        if placed.item.sms.is_true() {
            message.metadata.insert("sms".to_owned(), true.into());
        }
        Ok(message)
    }

    fn empty(&self, placed: &Placed<'_>) -> Message {
        placed.chat.message(placed.id.clone(), placed.when, placed.author.clone(), MessageType::Text, String::new())
    }

    /// A message with words, files, or a shared contact.
    fn words(&self, placed: &Placed<'_>, kind: &str, content: &RawValue) -> Result<Message, SkipReason> {
        let said = object::<Standard<'_>>(content).ok_or(SkipReason::Malformed)?;
        let mut message = self.empty(placed);
        message.text = self.text(said.text).unwrap_or_default();
        if kind == "directStoryReplyMessage" {
            message.metadata.insert("story_reply".to_owned(), true.into());
            if let Some(inner) = said.story_words.and_then(object::<Standard<'_>>) {
                message.text = self.text(inner.text).unwrap_or_default();
            }
            if let Some(emoji) = said.emoji.text().filter(|_| message.text.is_empty()) {
                message.text = emoji.to_owned();
                message.message_type = MessageType::Reaction;
            }
        }
        if let Some(quote) = said.quote.and_then(object::<Quote<'_>>) {
            self.answer(&quote, &mut message);
        }
        if said.long_text.is_some() {
            // The rest of a very long text is in a separate file, whose name cannot be derived from the frame.
            message.metadata.insert("is_cut".to_owned(), true.into());
        }
        let links: Vec<Value> = Items::of(said.links).0.into_iter().filter_map(link).collect();
        note(&mut message.metadata, "links", links);
        let mut attachments = Attachments::default();
        Items::of(said.attachments).0.into_iter().for_each(|raw| add_file(raw, &mut attachments));
        if let Some(contact) = said.contact {
            let mut about = Metadata::new();
            note(&mut about, "contact", small_value(contact));
            attachments.add(&updates::contact_name(contact), about);
        }
        attachments.attach(&mut message);
        let mut reactions = Reactions::default();
        for reaction in Items::of(said.reactions).0.into_iter().filter_map(object::<Reaction<'_>>) {
            let name = reaction.author.id().and_then(|id| self.people.author(&id)).map(|author| author.name);
            if let Some(emoji) = reaction.emoji.text() {
                reactions.add_one(emoji, name.as_deref());
            }
        }
        note(&mut message.metadata, "reactions", reactions.into_value());
        if message.text.trim().is_empty() { Err(SkipReason::Empty) } else { Ok(message) }
    }

    /// Records which message is answered, and the quoted words that are shown above the answer.
    fn answer(&self, quote: &Quote<'_>, message: &mut Message) {
        let author = quote.author.id().and_then(|id| self.people.author(&id));
        if let (Some(sent), Some(author)) = (quote.target.id().filter(|sent| sent != "0"), author) {
            let id = format!("{sent}-{}", author.handle.handle);
            message.reply_to = Some(self.edited.get(&id).cloned().unwrap_or(id));
        }
        if let Some(text) = self.text(quote.text) {
            message.metadata.insert("quoted".to_owned(), text.into());
        }
    }

    /// Text in which mentions are replaced by people's names. The positions of mentions are counted in UTF-16 units.
    fn text(&self, raw: Option<&RawValue>) -> Option<String> {
        let words = raw.and_then(object::<Words<'_>>)?;
        let body = words.body.text()?;
        let mut mentions: Vec<(usize, usize, String)> = Vec::new();
        for range in Items::of(words.ranges).0.into_iter().filter_map(object::<Range<'_>>) {
            let Some(named) = range.mention.text().map(|aci| self.people.named(aci)) else { continue };
            // The export omits positions of zero.
            let place = |number: &Loose<'_>| number.number().unwrap_or_default().max(0.0) as usize;
            mentions.push((place(&range.start), place(&range.length), format!("@{}", named.name)));
        }
        Some(with_mentions(body, mentions))
    }
}

/// Replaces these ranges of the text with names. The ranges are counted in UTF-16 units.
fn with_mentions(body: &str, mut mentions: Vec<(usize, usize, String)>) -> String {
    if mentions.is_empty() {
        return body.to_owned();
    }
    mentions.sort();
    let units: Vec<u16> = body.encode_utf16().collect();
    let mut text = Vec::with_capacity(units.len());
    let mut at = 0;
    for (start, length, name) in mentions {
        let end = start.saturating_add(length);
        let (Some(before), true) = (units.get(at..start), end <= units.len()) else { continue };
        text.extend_from_slice(before);
        text.extend(name.encode_utf16());
        at = end;
    }
    text.extend_from_slice(units.get(at..).unwrap_or_default());
    String::from_utf16_lossy(&text)
}

/// A link with the title of its page.
fn link(raw: &RawValue) -> Option<Value> {
    let link = object::<Link<'_>>(raw)?;
    Some(json!({ "url": link.url.text()?, "title": link.title.text() }))
}

/// Adds the name and kind of a file.
fn add_file(raw: &RawValue, attachments: &mut Attachments) {
    let Some(attachment) = object::<Attachment<'_>>(raw) else { return };
    let Some(pointer) = attachment.pointer.and_then(object::<Pointer<'_>>) else { return };
    let media = pointer.media.text();
    let is_voice = attachment.flag.text() == Some("VOICE_MESSAGE");
    let name = pointer.name.text().or(is_voice.then_some("voice message")).or(media).unwrap_or("file");
    let mut about = Metadata::new();
    note(&mut about, "media_type", media);
    note(&mut about, "caption", pointer.caption.text());
    if is_voice {
        note(&mut about, "is_voice", true);
    }
    attachments.add(name, about);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_frames_of_a_backup_are_recognized() {
        let claimed = |text: &str| claims(&Head::of(text.as_bytes()));
        let first = "{\"version\":\"1\",\"backupTimeMs\":\"1767225600000\"}\n";
        assert!(claimed(&format!("{first}{{\"account\":{{\"givenName\":\"Ana\"}}}}\n")));
        assert!(claimed(&format!("{first}{{\"recipient\":{{\"id\":\"1\",\"self\":{{}}}}}}\n")));
        for other in [
            first,
            "{\"version\":\"1\",\"account\":{\"givenName\":\"Ana\"}}\n",
            "{\"chatItem\":{\"chatId\":\"1\"}}\n",
            "{\"text\":\"{\\\"version\\\":1,\\\"backupTimeMs\\\":1,\\\"recipient\\\":{\\\"id\\\":1}}\"}\n",
        ] {
            assert!(!claimed(other), "{other}");
        }
    }
}
