//! The database of SimpleX (`simplex_v1_chat.db`), unencrypted: chats with contacts, groups, and the owner's own notes.
//!
//! SimpleX has no user ids. A contact is only a row of this database, so the id is made of the row and its creation time;
//! members of a group have an id that is valid in that group. The same chats, as the program's interface writes them, are in
//! `api`. Deliberately not here: files, connections, and the decryption of a database. For the format, see docs/formats.md,
//! "SimpleX".

pub mod api;
mod content;
mod people;

use std::collections::HashMap;

use keepsake_domain::{Author, Message, MessageType, Role, SourceKind, TimeCertainty, Timestamp};
use rusqlite::{Connection, Row, Statement, params};
use serde_json::Value;

use crate::SkipReason;
use crate::conversation::{Attachments, Program, Reactions, Room, When, note};
use crate::database::{Tables, bytes, number, text};
use crate::format::{Format, Input};
use crate::halt::Halt;
use crate::identity::{digest, handle};
use crate::json::parse_mending;
use crate::out::Out;
use crate::row_order::{Turn, in_order};
use crate::time::{Zone, parse_rfc3339, rfc3339};
use content::{Content, Said};
use people::{Dealings, People};

/// The database of SimpleX.
pub(crate) const SIMPLEX: Format =
    Format { kind: SourceKind::Simplex, names_owner: true, input: Input::Database { claims, read } };

/// Channel type for SimpleX.
const CHANNEL: &str = "simplex";

/// SimpleX as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Simplex, name: "SimpleX", handle: "SimpleX" };

/// The columns of a chat item, in the order of the indexes below.
const COLUMNS: [&str; 21] = [
    "contact_id", "group_id", "note_folder_id", "group_member_id", "item_sent", "item_ts", "item_deleted", "item_content",
    "shared_msg_id", "quoted_shared_msg_id", "quoted_sent", "quoted_member_id", "quoted_content", "item_edited", "timed_ttl",
    "fwd_from_tag", "fwd_from_chat_name", "fwd_from_msg_dir", "user_id", "show_group_as_sender", "updated_at",
];

fn claims(tables: &Tables) -> bool {
    tables.has("chat_items", &["contact_id", "group_id", "group_member_id", "item_sent", "item_ts", "item_content", "item_text"])
        && tables.has("contacts", &["contact_profile_id", "local_display_name"])
        && tables.has("contact_profiles", &["display_name"])
}

/// Reads one database.
fn read(connection: &Connection, out: &mut Out<'_>) -> Result<(), Halt> {
    let tables = Tables::of(connection)?;
    let people = People::of(connection, &tables)?;
    let columns = tables.list("chat_items", "i", &COLUMNS);
    let mut queries = Queries {
        item: connection.prepare(&format!("SELECT {columns} FROM chat_items AS i WHERE i.chat_item_id = ?1"))?,
        files: prepared(connection, &tables, "files", &["chat_item_id", "file_name"], FILES)?,
        versions: prepared(connection, &tables, "chat_item_versions", &["chat_item_id", "item_version_ts"], VERSIONS)?,
        reactions: prepared(connection, &tables, "chat_item_reactions", &["shared_msg_id", "item_member_id"], REACTIONS)?,
    };
    let mut chats: HashMap<Dealings, Option<Room>> = HashMap::new();
    for turn in order(connection, &tables)? {
        let chat = chats.entry(turn.place).or_insert_with(|| people.conversation(turn.place));
        match queries.message(turn, chat.as_ref(), &people, out)? {
            Ok(message) => out.message(message)?,
            Err((reason, sample)) => out.skip(reason, &sample),
        }
    }
    Ok(())
}

const FILES: &str = "SELECT file_name FROM files WHERE chat_item_id = ?1 ORDER BY file_id";
const VERSIONS: &str = "SELECT max(item_version_ts) FROM chat_item_versions WHERE chat_item_id = ?1";
const REACTIONS: &str = "SELECT reaction, reaction_sent, group_member_id, contact_id FROM chat_item_reactions \
     WHERE shared_msg_id = ?1 AND contact_id IS ?2 AND group_id IS ?3 AND (?4 IS NULL OR item_member_id IS ?4) \
     ORDER BY chat_item_reaction_id";

/// A query of a table that older versions do not have.
fn prepared<'c>(
    connection: &'c Connection,
    tables: &Tables,
    table: &str,
    columns: &[&str],
    query: &str,
) -> rusqlite::Result<Option<Statement<'c>>> {
    tables.has(table, columns).then(|| connection.prepare(query)).transpose()
}

/// All items, grouped by chat and in time order.
fn order(connection: &Connection, tables: &Tables) -> rusqlite::Result<Vec<Turn<Dealings>>> {
    let columns = tables.list("chat_items", "i", &["contact_id", "group_id", "note_folder_id", "user_id", "item_ts"]);
    let mut statement = connection.prepare(&format!("SELECT i.chat_item_id, {columns} FROM chat_items AS i"))?;
    let mut rows = statement.query([])?;
    let mut turns = Vec::new();
    while let Some(found) = rows.next()? {
        let Some(row) = number(found, 0) else { continue };
        let place = match (number(found, 1), number(found, 2), number(found, 3)) {
            (Some(contact), _, _) => Dealings::Contact(contact),
            (None, Some(group), _) => Dealings::Group(group),
            (None, None, Some(_)) => Dealings::Notes(number(found, 4).unwrap_or_default()),
            (None, None, None) => Dealings::Nobody,
        };
        turns.push(Turn { place, row, time: text(found, 5).and_then(|written| moment(&written)) });
    }
    Ok(in_order(turns))
}

/// A time of the database, which is in UTC and names no zone.
fn moment(written: &str) -> Option<Timestamp> {
    parse_rfc3339(written, Zone::UTC).map(|(time, _)| time)
}

/// Bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The id of a message. A member could use the id of somebody else's message, so the member's own id is part of it.
fn id_of(shared: &[u8], member: Option<&[u8]>) -> String {
    match member {
        Some(member) => format!("{}-{}", hex(shared), hex(member)),
        None => hex(shared),
    }
}

/// The id of an item that has no other id.
fn id_of_row(row: i64) -> String {
    format!("item-{row}")
}

/// The handle of a contact. The number of a deleted contact may be reused, but not with the same creation time.
fn contact_handle(row: i64, made: &str) -> String {
    format!("contact-{}", digest(&["simplex contact", &row.to_string(), made]))
}

/// The handle of a group. It includes the creation time for the same reason as the handle of a contact.
fn group_handle(row: i64, made: &str) -> String {
    format!("group-{}", digest(&["simplex group", &row.to_string(), made]))
}

/// The handle of the owner with one of their profiles.
fn owner_handle(user: i64) -> String {
    format!("user-{user}")
}

/// The conversation with the notes of one of the owner's profiles.
fn notes_handle(user: i64) -> String {
    format!("notes-{user}")
}

/// The title of the notes.
const NOTES: &str = "Private notes";

/// The queries for one item.
struct Queries<'c> {
    item: Statement<'c>,
    files: Option<Statement<'c>>,
    versions: Option<Statement<'c>>,
    reactions: Option<Statement<'c>>,
}

/// Everything about a message that does not depend on its content.
struct Frame {
    id: String,
    when: When,
    author: Author,
    /// The owner, with the profile that the chat belongs to.
    owner: Author,
    is_edited: bool,
    is_hidden: bool,
    updated: Option<Timestamp>,
    reply_to: Option<String>,
    quoted: Option<String>,
    forwarded_from: Option<String>,
}

/// An item of the database.
struct Item {
    frame: Frame,
    contact: Option<i64>,
    group: Option<i64>,
    shared: Option<Vec<u8>>,
    /// The id, within the group, of the member who wrote it.
    member: Option<Vec<u8>>,
    content: String,
    deleted: i64,
    disappears: bool,
}

/// Why a record gives no message, and the beginning of the record.
type Refusal = (SkipReason, String);

impl Queries<'_> {
    /// The message that an item gives, or why there is none.
    fn message(
        &mut self,
        turn: Turn<Dealings>,
        chat: Option<&Room>,
        people: &People,
        out: &Out<'_>,
    ) -> Result<Result<Message, Refusal>, Halt> {
        let mut rows = self.item.query([turn.row])?;
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(Err((SkipReason::Malformed, turn.row.to_string()))),
            Err(error) => return Ok(Err((SkipReason::Malformed, error.to_string()))),
        };
        let sample = text(row, 7).unwrap_or_default();
        let Some(chat) = chat else { return Ok(Err((SkipReason::MissingField, sample))) };
        let Some(item) = item(row, turn, chat, people, out) else { return Ok(Err((SkipReason::MissingField, sample))) };
        drop(rows);
        match item.deleted {
            0 => {}
            // Written by a member whom the owner or an admin has blocked.
            2 | 3 => return Ok(Err((SkipReason::Hidden, sample))),
            _ => return Ok(Err((SkipReason::Deleted, sample))),
        }
        if item.disappears {
            return Ok(Err((SkipReason::Disappearing, sample)));
        }
        let frame = &item.frame;
        let content = match Content::parse(&item.content, &frame.author, &frame.owner, &|row, name| people.named(row, name)) {
            Ok(content) => content,
            Err(reason) => return Ok(Err((reason, sample))),
        };
        let mut message = match content {
            Content::Notice { text, metadata } => {
                let notice = chat.notice(frame.id.as_str(), frame.when, text);
                return Ok(Ok(Message { metadata, is_private: frame.is_hidden, ..notice }));
            }
            Content::Unknown { metadata } => {
                let author = frame.author.clone();
                let message = chat.message(frame.id.as_str(), frame.when, author, MessageType::Unknown, String::new());
                Message { metadata, ..message }
            }
            Content::Words(said) => {
                let files = self.files(turn.row)?;
                match worded(frame, chat, said, files) {
                    Ok(message) => message,
                    Err(reason) => return Ok(Err((reason, sample))),
                }
            }
        };
        message.is_private = frame.is_hidden;
        if frame.is_edited {
            let edited = self.edited(turn.row)?.or(frame.updated).unwrap_or(frame.when.0);
            note(&mut message.metadata, "edited_at", rfc3339(edited));
        }
        note(&mut message.metadata, "reactions", self.reactions(&item, people)?.into_value());
        Ok(Ok(message))
    }

    fn files(&mut self, row: i64) -> rusqlite::Result<Attachments> {
        let mut found = Attachments::default();
        let Some(files) = &mut self.files else { return Ok(found) };
        let mut rows = files.query([row])?;
        while let Some(row) = rows.next()? {
            text(row, 0).iter().for_each(|name| found.add_name(name));
        }
        Ok(found)
    }

    fn edited(&mut self, row: i64) -> rusqlite::Result<Option<Timestamp>> {
        let Some(versions) = &mut self.versions else { return Ok(None) };
        let mut rows = versions.query([row])?;
        Ok(rows.next()?.and_then(|row| text(row, 0)).and_then(|written| moment(&written)))
    }

    fn reactions(&mut self, item: &Item, people: &People) -> rusqlite::Result<Reactions> {
        let mut found = Reactions::default();
        let (Some(reactions), Some(shared)) = (&mut self.reactions, &item.shared) else { return Ok(found) };
        let mut rows = reactions.query(params![shared, item.contact, item.group, item.member])?;
        while let Some(row) = rows.next()? {
            let reaction = text(row, 0).and_then(|json| parse_mending::<Value>(&json));
            let Some(emoji) = reaction.as_ref().and_then(|reaction| reaction.get("emoji")).and_then(Value::as_str) else {
                continue;
            };
            let name = match (number(row, 1), number(row, 2), number(row, 3)) {
                (Some(1), _, _) => people.owner_of(item.contact, item.group).map(|owner| owner.name),
                (_, Some(member), _) => people.member(member).map(|member| member.name.clone()),
                (_, None, contact) => contact.and_then(|contact| people.contact(contact)).map(|contact| contact.name.clone()),
            };
            found.add_one(emoji, name.as_deref());
        }
        Ok(found)
    }
}

/// The item in a row. `None` if the author is unknown.
fn item(row: &Row<'_>, turn: Turn<Dealings>, chat: &Room, people: &People, out: &Out<'_>) -> Option<Item> {
    let is_sent = number(row, 4) == Some(1);
    let (contact, group, member) = (number(row, 0), number(row, 1), number(row, 3));
    let user = number(row, 18).unwrap_or_default();
    let sender = member.and_then(|member| people.member(member));
    let author = if is_sent {
        people.owner(user)
    } else if let Some(member) = sender {
        people.author_of_member(member)
    } else if let Some(contact) = contact {
        people.author_of_contact(contact)?
    } else if group.is_some() && number(row, 19) == Some(1) {
        // The channel itself is the author.
        Author { name: chat.title.clone().unwrap_or_default(), handle: handle(CHANNEL, &chat.id), role: Role::System }
    } else if group.is_some() {
        // The rows of former members are deleted, so several of them cannot be told apart.
        let name = "a former member".to_owned();
        Author { name, handle: handle(CHANNEL, &format!("former@{}", chat.id)), role: Role::Person }
    } else {
        people.owner(user)
    };
    let member_id = sender.filter(|_| !is_sent).and_then(|member| member.member_id.clone());
    let shared = bytes(row, 8).map(<[u8]>::to_vec);
    let id = match &shared {
        Some(shared) => id_of(shared, member_id.as_deref()),
        None => id_of_row(turn.row),
    };
    let quoted_member = bytes(row, 11).filter(|_| number(row, 10) != Some(1));
    let quoted: Option<Value> = text(row, 12).and_then(|json| parse_mending(&json));
    let certainty =
        if text(row, 5).and_then(|written| moment(&written)).is_some() { TimeCertainty::Exact } else { TimeCertainty::Inferred };
    let forwarded = text(row, 15).map(|_| match number(row, 17) {
        Some(1) => people.owner(user).name,
        _ => text(row, 16).unwrap_or_else(|| "unknown".to_owned()),
    });
    let frame = Frame {
        id,
        when: (turn.time.unwrap_or(out.options.file_time), certainty),
        author,
        owner: people.owner(user),
        is_edited: number(row, 13) == Some(1),
        is_hidden: people.is_hidden(user),
        updated: text(row, 20).and_then(|written| moment(&written)),
        reply_to: bytes(row, 9).map(|shared| id_of(shared, quoted_member)),
        quoted: quoted.and_then(|quoted| Some(quoted.get("text")?.as_str()?.to_owned())).filter(|text| !text.is_empty()),
        forwarded_from: forwarded,
    };
    Some(Item {
        frame,
        contact,
        group,
        shared,
        member: member_id,
        content: text(row, 7).unwrap_or_default(),
        deleted: number(row, 6).unwrap_or_default(),
        disappears: number(row, 14).is_some(),
    })
}

/// A message with words or files.
fn worded(frame: &Frame, chat: &Room, said: Said, mut files: Attachments) -> Result<Message, SkipReason> {
    let mut message = chat.message(frame.id.as_str(), frame.when, frame.author.clone(), MessageType::Text, said.text);
    message.metadata = said.metadata;
    if files.is_empty() && message.text.trim().is_empty() {
        // A file that was never received.
        said.stand_in.iter().for_each(|name| files.add_name(name));
    }
    files.attach(&mut message);
    message.reply_to.clone_from(&frame.reply_to);
    if let Some(quoted) = &frame.quoted {
        message.metadata.insert("quoted".to_owned(), quoted.as_str().into());
    }
    if let Some(from) = &frame.forwarded_from {
        message.message_type = MessageType::Forward;
        message.metadata.insert("forwarded_from".to_owned(), from.as_str().into());
    }
    if message.text.trim().is_empty() { Err(SkipReason::Empty) } else { Ok(message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc_with_or_without_a_zone() {
        for written in ["2026-01-09 12:00:00", "2026-01-09 12:00:00.000000", "2026-01-09T12:00:00Z"] {
            assert_eq!(moment(written), Some(Timestamp(1_767_960_000_000)), "{written}");
        }
        assert_eq!(moment("soon"), None);
    }

    #[test]
    fn only_the_tables_of_simplex_are_recognized() {
        let claimed = |sql: &str| {
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch(sql).unwrap();
            claims(&Tables::of(&connection).unwrap())
        };
        let items = "CREATE TABLE chat_items (chat_item_id INTEGER PRIMARY KEY, contact_id, group_id, group_member_id, item_sent, \
                     item_ts, item_content, item_text);";
        let rest = "CREATE TABLE contacts (contact_id INTEGER PRIMARY KEY, contact_profile_id, local_display_name); \
                    CREATE TABLE contact_profiles (contact_profile_id INTEGER PRIMARY KEY, display_name);";
        assert!(claimed(&format!("{items}{rest}")));
        assert!(!claimed(items) && !claimed(rest));
        assert!(!claimed(&format!("CREATE TABLE chat_items (session_id, id, seq, at, kind, body); {rest}")));
    }
}
