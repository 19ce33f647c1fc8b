//! The database of Messages on a Mac (`chat.db`) and of an iPhone's backup (`sms.db`): iMessage, SMS and RCS.
//!
//! A person's iMessages and SMS are separate chats in the database but one conversation in Messages, so they are grouped by
//! address. People's names are not in the database. Tapbacks are separate messages there and become reactions here.
//! Deliberately not here: the files, and what apps inside Messages send. For the format, see docs/formats.md, "iMessage".

mod plist;
mod tapbacks;
mod typedstream;

use std::collections::{BTreeMap, HashMap, HashSet};

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, SourceKind, TimeCertainty, Timestamp};
use rusqlite::{Connection, Row, Statement};

use crate::SkipReason;
use crate::conversation::{Attachments, Named, Program, Reactions, Room, When, note};
use crate::database::{Tables, bytes, number, text};
use crate::format::{Format, Input};
use crate::halt::Halt;
use crate::identity::handle;
use crate::limits::NAMES_MAX;
use crate::out::Out;
use crate::row_order::{Turn, in_order};
use crate::time::rfc3339;
use plist::Value as Plist;
use tapbacks::Tapbacks;

/// The database of Messages.
pub(crate) const IMESSAGE: Format =
    Format { kind: SourceKind::Imessage, names_owner: true, input: Input::Database { claims, read } };

/// Channel type for Messages.
const CHANNEL: &str = "imessage";

/// Messages as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Imessage, name: "Messages", handle: "Messages" };

/// The owner's handle if the database does not give the address.
const OWNER: &str = "me";

/// The start of 2001, from which the times are counted, in milliseconds.
const EPOCH_MS: i64 = 978_307_200_000;

/// Times above this are in nanoseconds, which newer versions use. As seconds, they would be more than 31,000 years.
const SECONDS_MAX: u64 = 1_000_000_000_000;

/// The placeholder for a file or an app in text.
const PLACE_OF_FILE: char = '\u{fffc}';

/// The style of a chat that is a group.
const GROUP_STYLE: i64 = 43;

/// The suffix of files that belong to a link preview.
const PREVIEW_FILE: &str = ".pluginPayloadAttachment";

/// The columns of a message, in the order of the indexes below.
const COLUMNS: [&str; 20] = [
    "guid", "text", "attributedBody", "date", "date_edited", "date_retracted", "is_from_me", "handle_id", "other_handle",
    "service", "item_type", "group_action_type", "group_title", "thread_originator_guid", "balloon_bundle_id",
    "message_summary_info", "destination_caller_id", "is_audio_message", "is_spam", "associated_message_type",
];

fn claims(tables: &Tables) -> bool {
    tables.has("message", &["guid", "text", "date", "is_from_me", "handle_id"])
        && tables.has("handle", &["id"])
        && tables.has("chat", &["guid", "chat_identifier"])
        && tables.has("chat_message_join", &["chat_id", "message_id"])
}

/// Reads one database.
fn read(connection: &Connection, out: &mut Out<'_>) -> Result<(), Halt> {
    let tables = Tables::of(connection)?;
    let handles = handles(connection)?;
    let mut archive = Archive {
        chats: Chats::of(connection, &tables)?,
        tapbacks: Tapbacks::of(connection, &tables, &handles)?,
        handles,
        shared: shared(connection)?,
        known: HashSet::new(),
    };
    let order = order(connection, &tables, &mut archive)?;
    let columns = tables.list("message", "m", &COLUMNS);
    let mut messages = connection.prepare(&format!("SELECT {columns} FROM message AS m WHERE m.ROWID = ?1"))?;
    let mut files = files(connection, &tables)?;
    for turn in order {
        archive.take(&mut messages, files.as_mut(), turn, out)?;
    }
    Ok(())
}

/// The addresses of people by row.
fn handles(connection: &Connection) -> rusqlite::Result<HashMap<i64, String>> {
    let mut statement = connection.prepare("SELECT ROWID, id FROM handle")?;
    let mut rows = statement.query([])?;
    let mut handles = HashMap::new();
    while let Some(row) = rows.next()? {
        if let (Some(id), Some(address)) = (number(row, 0), text(row, 1))
            && handles.len() < NAMES_MAX
        {
            handles.insert(id, address);
        }
    }
    Ok(handles)
}

/// The conversations, and which chat rows belong to each.
struct Chats {
    all: Vec<Room>,
    by_row: HashMap<i64, u32>,
    by_address: HashMap<String, u32>,
}

impl Chats {
    fn of(connection: &Connection, tables: &Tables) -> rusqlite::Result<Self> {
        let columns = tables.list("chat", "c", &["chat_identifier", "guid", "display_name", "style"]);
        let mut statement = connection.prepare(&format!("SELECT c.ROWID, {columns} FROM chat AS c ORDER BY c.ROWID"))?;
        let mut rows = statement.query([])?;
        let mut chats = Self { all: Vec::new(), by_row: HashMap::new(), by_address: HashMap::new() };
        while let Some(row) = rows.next()? {
            let (Some(id), Some(address)) = (number(row, 0), text(row, 1).or_else(|| text(row, 2))) else { continue };
            let place = chats.place(&address);
            let is_group = number(row, 4) == Some(GROUP_STYLE) || text(row, 2).is_some_and(|guid| guid.contains(";+;"));
            if let Some(chat) = chats.all.get_mut(place as usize) {
                match text(row, 3) {
                    Some(title) => chat.title = Some(title),
                    None if is_group && chat.title.as_ref() == Some(&address) => chat.title = None,
                    None => {}
                }
            }
            chats.by_row.insert(id, place);
        }
        Ok(chats)
    }

    /// The conversation with this address, which is the address of a person or the name of a group.
    fn place(&mut self, address: &str) -> u32 {
        *self.by_address.entry(address.to_owned()).or_insert_with(|| {
            self.all.push(Room::of(&PROGRAM, address, Some(address.to_owned())));
            u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX)
        })
    }
}

/// The rows of the few messages that are in several chats.
fn shared(connection: &Connection) -> rusqlite::Result<HashSet<i64>> {
    let mut statement = connection.prepare("SELECT message_id FROM chat_message_join GROUP BY message_id HAVING count(*) > 1")?;
    let rows = statement.query_map([], |row| Ok(number(row, 0)))?;
    rows.filter_map(Result::transpose).collect()
}

/// Where a message belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A chat by its number, which is small so that millions of places fit into memory.
    Chat(u32),
    /// In the folder of deleted messages.
    Deleted,
    /// In no chat, and without a sender.
    Nowhere,
}

/// All messages, grouped by conversation and in time order.
fn order(connection: &Connection, tables: &Tables, archive: &mut Archive) -> rusqlite::Result<Vec<Turn<Place>>> {
    let mut deleted = HashSet::new();
    if tables.has("chat_recoverable_message_join", &["message_id"]) {
        let mut statement = connection.prepare("SELECT message_id FROM chat_recoverable_message_join")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            deleted.extend(number(row, 0));
        }
    }
    let mut statement = connection.prepare(
        "SELECT m.ROWID, m.date, m.handle_id, j.chat_id FROM message AS m \
         LEFT JOIN chat_message_join AS j ON j.message_id = m.ROWID",
    )?;
    let mut rows = statement.query([])?;
    let mut order = Vec::new();
    while let Some(found) = rows.next()? {
        let Some(row) = number(found, 0) else { continue };
        if archive.tapbacks.rows.contains(&row) {
            continue;
        }
        let chat = number(found, 3).and_then(|chat| archive.chats.by_row.get(&chat)).copied();
        let person = number(found, 2).and_then(|person| archive.handles.get(&person));
        let place = match (chat, person) {
            (Some(chat), _) => Place::Chat(chat),
            (None, _) if deleted.contains(&row) => Place::Deleted,
            (None, Some(address)) => Place::Chat(archive.chats.place(address)),
            (None, None) => Place::Nowhere,
        };
        order.push(Turn { place, row, time: moment(number(found, 1)) });
    }
    Ok(in_order(order))
}

/// A time of the database.
fn moment(written: Option<i64>) -> Option<Timestamp> {
    let written = written.filter(|written| *written != 0)?;
    let since = if written.unsigned_abs() >= SECONDS_MAX { written / 1_000_000 } else { written.checked_mul(1000)? };
    since.checked_add(EPOCH_MS).filter(|ms| *ms > 0).map(Timestamp)
}

/// The query for the files of a message.
fn files<'c>(connection: &'c Connection, tables: &Tables) -> rusqlite::Result<Option<Statement<'c>>> {
    if !tables.has("message_attachment_join", &["message_id", "attachment_id"]) {
        return Ok(None);
    }
    let columns = ["transfer_name", "filename", "mime_type", "is_sticker", "hide_attachment"];
    let columns = tables.list("attachment", "a", &columns);
    let query = format!(
        "SELECT {columns} FROM message_attachment_join AS j JOIN attachment AS a ON a.ROWID = j.attachment_id \
         WHERE j.message_id = ?1 ORDER BY a.ROWID"
    );
    connection.prepare(&query).map(Some)
}

/// What is known about the whole database.
struct Archive {
    handles: HashMap<i64, String>,
    chats: Chats,
    tapbacks: Tapbacks,
    /// The rows that are in several chats, and the ones among them that were already emitted.
    shared: HashSet<i64>,
    known: HashSet<i64>,
}

/// A message with the columns that decide what it is.
struct Found {
    guid: String,
    words: Option<String>,
    /// True if there are words, but in a form that cannot be read.
    is_unreadable: bool,
    summary: Option<Summary>,
    when: When,
    edited: Option<Timestamp>,
    retracted: bool,
    author: Author,
    other: Option<Named>,
    item: i64,
    action: i64,
    group_title: Option<String>,
    thread: Option<String>,
    app: Option<String>,
    metadata: Metadata,
    /// The kind of reference to another message, other than a tapback; zero for a message that refers to none.
    association: i64,
}

/// What the summary of an edited message says.
#[derive(Debug, Default)]
struct Summary {
    /// The newest text of each edited part.
    parts: BTreeMap<String, String>,
    has_unsent: bool,
}

impl Archive {
    fn take(
        &mut self,
        messages: &mut Statement<'_>,
        files: Option<&mut Statement<'_>>,
        turn: Turn<Place>,
        out: &mut Out<'_>,
    ) -> Result<(), Halt> {
        let chat = match turn.place {
            Place::Chat(at) => self.chats.all.get(at as usize).cloned(),
            Place::Deleted | Place::Nowhere => None,
        };
        let mut rows = messages.query([turn.row])?;
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(()),
            Err(error) => {
                out.skip(SkipReason::Malformed, &error.to_string());
                return Ok(());
            }
        };
        let sample = text(row, 1).or_else(|| text(row, 0)).unwrap_or_default();
        if turn.place == Place::Deleted {
            out.skip(SkipReason::Deleted, &sample);
            return Ok(());
        }
        if self.shared.contains(&turn.row) && !self.known.insert(turn.row) {
            out.skip(SkipReason::Repeated, &sample);
            return Ok(());
        }
        let (Some(chat), Some(guid)) = (chat, text(row, 0)) else {
            out.skip(SkipReason::MissingField, &sample);
            return Ok(());
        };
        let found = self.found(row, guid, &chat, turn, out);
        drop(rows);
        let attached = match files {
            Some(files) => attachments(files, turn.row)?,
            None => Attached::default(),
        };
        match self.told(&chat, found, attached) {
            Ok(message) => out.message(message)?,
            Err(reason) => out.skip(reason, &sample),
        }
        Ok(())
    }

    fn found(&self, row: &Row<'_>, guid: String, chat: &Room, turn: Turn<Place>, out: &Out<'_>) -> Found {
        let certainty = if moment(number(row, 3)).is_some() { TimeCertainty::Exact } else { TimeCertainty::Inferred };
        let when = (turn.time.unwrap_or(out.options.file_time), certainty);
        let author = if number(row, 6) == Some(1) {
            let address = text(row, 16).unwrap_or_else(|| OWNER.to_owned());
            Author { name: "Me".to_owned(), handle: handle(CHANNEL, &address), role: Role::Owner }
        } else {
            let address = number(row, 7).and_then(|person| self.handles.get(&person)).unwrap_or(&chat.id);
            Author { name: address.clone(), handle: handle(CHANNEL, address), role: Role::Person }
        };
        let mut metadata = Metadata::new();
        if let Some(service) = text(row, 9).filter(|service| service != "iMessage") {
            metadata.insert("service".to_owned(), service.into());
        }
        for (key, at) in [("is_audio", 17), ("is_spam", 18)] {
            if number(row, at) == Some(1) {
                metadata.insert(key.to_owned(), true.into());
            }
        }
        let archive = bytes(row, 2);
        let archived = archive.and_then(typedstream::text);
        let plain = text(row, 1).filter(|words| !shown(words).trim().is_empty());
        let other = number(row, 8).and_then(|person| self.handles.get(&person));
        Found {
            is_unreadable: plain.is_none() && archive.is_some() && archived.is_none(),
            words: plain.or(archived).map(|words| shown(&words)),
            summary: bytes(row, 15).and_then(summary),
            when,
            edited: moment(number(row, 4)),
            retracted: moment(number(row, 5)).is_some(),
            author,
            other: other.map(|address| Named { name: address.clone(), handle: address.clone() }),
            item: number(row, 10).unwrap_or_default(),
            action: number(row, 11).unwrap_or_default(),
            group_title: text(row, 12),
            thread: text(row, 13),
            app: text(row, 14),
            metadata,
            association: number(row, 19).unwrap_or_default(),
            guid,
        }
    }

    /// The message that a row contains, or the reason why there is none.
    fn told(&self, chat: &Room, found: Found, attached: Attached) -> Result<Message, SkipReason> {
        if found.item != 0 {
            return event(chat, found);
        }
        match found.association {
            tapbacks::PLACED_STICKER => return Err(SkipReason::MediaPlaceholder),
            tapbacks::VOTE => return Err(SkipReason::Poll),
            _ => {}
        }
        let mut words = found.words.unwrap_or_default();
        if words.trim().is_empty()
            && let Some(summary) = &found.summary
        {
            words = summary.parts.values().map(|part| shown(part)).collect::<Vec<_>>().join("\n");
        }
        let is_empty = words.trim().is_empty() && attached.files.is_empty();
        if is_empty {
            let has_unsent = found.summary.as_ref().is_some_and(|summary| summary.has_unsent);
            return Err(match &found.app {
                _ if found.retracted || has_unsent || found.edited.is_some() => SkipReason::Deleted,
                Some(app) if app.ends_with("com.apple.messages.Polls") => SkipReason::Poll,
                Some(_) => SkipReason::MediaPlaceholder,
                None if found.is_unreadable => SkipReason::Malformed,
                None if attached.has_stickers => SkipReason::MediaPlaceholder,
                None => SkipReason::Empty,
            });
        }
        if found.retracted {
            return Err(SkipReason::Deleted);
        }
        let mut message = chat.message(found.guid, found.when, found.author, MessageType::Text, words);
        message.metadata = found.metadata;
        attached.files.attach(&mut message);
        if let Some(root) = found.thread {
            message.metadata.insert("thread".to_owned(), root.as_str().into());
            message.reply_to = Some(root);
        }
        note(&mut message.metadata, "edited_at", found.edited.map(rfc3339));
        let mut reactions = Reactions::default();
        for (emoji, name) in self.tapbacks.on(&message.source.message) {
            reactions.add_one(emoji, Some(name));
        }
        note(&mut message.metadata, "reactions", reactions.into_value());
        Ok(message)
    }
}

/// The files of a message.
#[derive(Default)]
struct Attached {
    files: Attachments,
    has_stickers: bool,
}

fn attachments(statement: &mut Statement<'_>, id: i64) -> rusqlite::Result<Attached> {
    let mut rows = statement.query([id])?;
    let mut attached = Attached::default();
    while let Some(row) = rows.next()? {
        let path = text(row, 1);
        let of_path = path.as_deref().and_then(|path| path.rsplit('/').next()).map(str::to_owned);
        let media = text(row, 2);
        let name = text(row, 0).or(of_path).or_else(|| media.clone()).unwrap_or_else(|| "file".to_owned());
        let is_hidden = number(row, 4) == Some(1) || name.ends_with(PREVIEW_FILE);
        if number(row, 3) == Some(1) {
            attached.has_stickers = true;
        } else if !is_hidden {
            let mut about = Metadata::new();
            note(&mut about, "media_type", media);
            attached.files.add(&name, about);
        }
    }
    Ok(attached)
}

/// Text without the placeholders for its files.
fn shown(words: &str) -> String {
    words.chars().filter(|character| *character != PLACE_OF_FILE).collect()
}

/// An event in a chat. The numbers are those used by Messages.
fn event(chat: &Room, found: Found) -> Result<Message, SkipReason> {
    let name = found.author.name.as_str();
    let mut metadata = Metadata::new();
    let mut member_of = |key: &str, member: &Named| note(&mut metadata, key, vec![member.value()]);
    let sentence = match (found.item, found.action) {
        (1, 0) if found.other.as_ref().is_some_and(|other| other.handle == found.author.handle.handle) => {
            format!("{name} changed their phone number")
        }
        (1, action @ (0 | 1)) => {
            let member = found.other.as_ref().ok_or(SkipReason::MissingField)?;
            let (key, verb) = if action == 0 { ("joined", "added") } else { ("left", "removed") };
            member_of(key, member);
            format!("{name} {verb} {}", member.name)
        }
        (2, _) => match &found.group_title {
            Some(title) => format!("{name} named the conversation \u{201c}{title}\u{201d}"),
            None => format!("{name} removed the name of the conversation"),
        },
        (3, 0) => {
            member_of("left", &Named { name: name.to_owned(), handle: found.author.handle.handle.clone() });
            format!("{name} left")
        }
        (3, 1 | 2) => format!("{name} changed the picture of the group"),
        (4, _) => format!("{name} changed the sharing of a location"),
        (6, _) => "Call".to_owned(),
        _ => return Err(SkipReason::PlatformNotice),
    };
    Ok(Message { metadata, ..chat.notice(found.guid, found.when, sentence) })
}

/// Reads the summary of a message. The parts of a message are edited one by one.
fn summary(bytes: &[u8]) -> Option<Summary> {
    let root = plist::parse(bytes)?;
    let mut summary = Summary::default();
    if let Some(Plist::Map(parts)) = root.get("ec") {
        for (part, versions) in parts {
            let Plist::Array(versions) = versions else { continue };
            let newest = versions.last().and_then(|version| version.get("t"));
            if let Some(Plist::Data(archive)) = newest
                && let Some(words) = typedstream::text(archive)
            {
                summary.parts.insert(part.clone(), words);
            }
        }
    }
    summary.has_unsent = matches!(root.get("rp"), Some(Plist::Array(parts)) if !parts.is_empty());
    Some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_seconds_or_nanoseconds_since_2001() {
        let noon = Timestamp(1_767_960_000_000);
        assert_eq!(moment(Some(789_652_800)), Some(noon));
        assert_eq!(moment(Some(789_652_800_000_000_000)), Some(noon));
        for none in [None, Some(0), Some(i64::MIN), Some(-978_307_200)] {
            assert_eq!(moment(none), None, "{none:?}");
        }
    }

    #[test]
    fn only_the_tables_of_messages_are_recognized() {
        let claimed = |sql: &str| {
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch(sql).unwrap();
            claims(&Tables::of(&connection).unwrap())
        };
        let message = "CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid, text, date, is_from_me, handle_id);";
        let rest = "CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id); CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid, \
                    chat_identifier); CREATE TABLE chat_message_join (chat_id, message_id);";
        assert!(claimed(&format!("{message}{rest}")));
        assert!(!claimed(message) && !claimed(rest));
        assert!(!claimed(&format!("CREATE TABLE message (_id, key_jid, data); {rest}")));
    }
}
