//! Chats of the editor Cursor: its database `state.vscdb`, and the Markdown file of "Export Chat" (see `markdown`).
//!
//! In the database, the table `cursorDiskKV` has a row for each chat (`composerData:<chat>`), with the ids of its messages in order,
//! and one for each message (`bubbleId:<chat>:<message>`). Messages that no chat names any more were taken back or belong to a deleted
//! chat. In the chat of a sub-agent, the "user" is another program. For formats and pitfalls, see docs/formats.md, "Cursor".

mod bubble;
mod markdown;

use std::collections::HashSet;

use keepsake_domain::SourceKind;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::Program;
use crate::database::Tables;
use crate::format::{Check, Format, Input};
use crate::halt::Halt;
use crate::identity::fingerprint;
use crate::json::{Items, Loose, object, record, whole};
use crate::limits::{ELEMENT_BYTES_MAX, NODES_MAX};
use crate::out::Out;
use crate::time::from_unix;
use crate::turns::{Shown, Talk, Turns};
use bubble::{Chat, RawBubble};

/// The database.
pub(crate) const DATABASE: Format =
    Format { kind: SourceKind::Cursor, names_owner: true, input: Input::Database { claims, read } };

/// The Markdown export.
pub(crate) const MARKDOWN: Format = Format {
    kind: SourceKind::Cursor,
    names_owner: true,
    input: Input::Document { claims: markdown::claims, check: Check::Text, read: markdown::read },
};

const PROGRAM: Program = Program { kind: SourceKind::Cursor, name: "Cursor", handle: "cursor" };

/// The prefixes of the keys of chats and of messages, and the first text that sorts after all such keys.
const CHATS: (&str, &str) = ("composerData:", "composerData;");
const BUBBLES: (&str, &str) = ("bubbleId:", "bubbleId;");

/// The beginning of the id of a chat that a tool started for a sub-agent. Nothing else in the chat shows this.
const TASK: &str = "task-";

/// Maximum size of a row that is read. SQLite counts the whole row against its own limit, so this leaves room for the key.
const ROW_BYTES_MAX: usize = ELEMENT_BYTES_MAX - 64 * 1024;

/// Whether the database has Cursor's own table. The other table, `ItemTable`, also exists in VS Code, so it identifies nothing.
fn claims(tables: &Tables) -> bool {
    tables.has("cursorDiskKV", &["key", "value"])
}

#[derive(Deserialize)]
struct RawChat<'a> {
    #[serde(borrow, default)]
    name: Loose<'a>,
    #[serde(borrow, default, rename = "createdAt")]
    created: Loose<'a>,
    #[serde(borrow, default, rename = "fullConversationHeadersOnly")]
    headers: Option<&'a RawValue>,
    /// Older versions store the messages in the chat itself.
    #[serde(borrow, default)]
    conversation: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "modelConfig")]
    model: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "subagentInfo")]
    delegated: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Header<'a> {
    #[serde(borrow, default, rename = "bubbleId")]
    id: Loose<'a>,
}

#[derive(Deserialize)]
struct Model<'a> {
    #[serde(borrow, default, rename = "modelName")]
    name: Loose<'a>,
}

/// A value of the table.
enum Stored {
    Missing,
    TooLarge,
    /// The database is damaged where the value is stored.
    Unreadable,
    Value(Vec<u8>),
}

impl Stored {
    /// Returns a value, or counts it as skipped if it is missing.
    fn or_skip(self, key: &str, out: &mut Out<'_>) -> Option<Vec<u8>> {
        let reason = match self {
            Self::Value(bytes) => return Some(bytes),
            Self::TooLarge => SkipReason::TooLarge,
            Self::Unreadable => SkipReason::Malformed,
            // The message was taken back or deleted, and only the reference to it is left.
            Self::Missing => SkipReason::Deleted,
        };
        out.skip(reason, key);
        None
    }
}

/// The table with the chats.
struct Table<'c> {
    connection: &'c Connection,
    bytes_done: u64,
}

impl Table<'_> {
    /// The keys between two strings, in order; at most `NODES_MAX`.
    fn keys(&self, (from, to): (&str, &str)) -> rusqlite::Result<Vec<String>> {
        let mut query = self.connection.prepare(
            "SELECT key FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 AND typeof(key) = 'text' ORDER BY key LIMIT ?3",
        )?;
        let keys = query.query_map((from, to, i64::try_from(NODES_MAX).unwrap_or(i64::MAX)), |row| {
            Ok(String::from_utf8_lossy(row.get_ref(0)?.as_bytes().unwrap_or_default()).into_owned())
        })?;
        keys.collect()
    }

    /// The value of a key. A damaged row does not stop the import, because messages may already have been emitted before it.
    fn value(&mut self, key: &str) -> Stored {
        let query = self.connection.prepare_cached(
            "SELECT octet_length(value) > ?2, CASE WHEN octet_length(value) <= ?2 THEN value END FROM cursorDiskKV WHERE key = ?1",
        );
        let found = query.and_then(|mut query| {
            let found = query.query_row((key, i64::try_from(ROW_BYTES_MAX).unwrap_or(i64::MAX)), |row| {
                Ok(match row.get_ref(1)? {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Stored::Value(bytes.to_vec()),
                    _ if row.get::<_, Option<bool>>(0)? == Some(true) => Stored::TooLarge,
                    _ => Stored::Missing,
                })
            });
            found.optional()
        });
        let stored = found.map_or(Stored::Unreadable, |found| found.unwrap_or(Stored::Missing));
        if let Stored::Value(bytes) = &stored {
            self.bytes_done += bytes.len() as u64;
        }
        stored
    }
}

fn read(connection: &Connection, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut table = Table { connection, bytes_done: 0 };
    let mut named: HashSet<u64> = HashSet::new();
    // Both lists are read before the first message is emitted.
    let (chats, bubbles) = (table.keys(CHATS)?, table.keys(BUBBLES)?);
    for key in chats {
        let id = key.strip_prefix(CHATS.0).unwrap_or(&key);
        if let Some(bytes) = table.value(&key).or_skip(&key, out) {
            chat(id, &bytes, &mut table, &mut named, out)?;
        }
        out.progress(table.bytes_done)?;
    }
    for key in bubbles {
        if !named.contains(&fingerprint(&key)) {
            out.skip(SkipReason::Deleted, &key);
        }
    }
    Ok(())
}

fn chat(id: &str, bytes: &[u8], table: &mut Table<'_>, named: &mut HashSet<u64>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut mended = String::new();
    let bytes = bytes.trim_ascii();
    let Some(raw) = record::<RawChat<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) else {
        out.skip_bytes(SkipReason::Malformed, bytes);
        return Ok(());
    };
    let title = raw.name.text().map(str::to_owned);
    let model = raw.model.and_then(object::<Model<'_>>).and_then(|model| model.name.text().map(str::to_owned));
    let is_delegated = id.starts_with(TASK) || raw.delegated.is_some();
    let mut chat = Chat { model, is_delegated, zone: out.options.zone };
    let mut turns = Turns::default();
    let mut has_any = false;
    for raw in Items::of(raw.headers).0 {
        let mut mended = String::new();
        let header = whole::<Header<'_>>(raw, &mut mended);
        let Some(bubble) = header.as_ref().and_then(|header| header.id.id()) else {
            out.skip(SkipReason::MissingField, raw.get());
            has_any = true;
            continue;
        };
        has_any = true;
        let key = format!("{}{id}:{bubble}", BUBBLES.0);
        named.insert(fingerprint(&key));
        if let Some(bytes) = table.value(&key).or_skip(&key, out) {
            take(&mut chat, &bubble, &bytes, &mut turns, out);
        }
    }
    if !has_any {
        for raw in Items::of(raw.conversation).0 {
            has_any = true;
            let mut mended = String::new();
            let bubble = whole::<Header<'_>>(raw, &mut mended).and_then(|header| header.id.id().map(|id| id.into_owned()));
            match bubble {
                Some(bubble) => take(&mut chat, &bubble, raw.get().as_bytes(), &mut turns, out),
                None => out.skip(SkipReason::MissingField, raw.get()),
            }
        }
    }
    if !has_any {
        out.skip(SkipReason::NoMessages, title.as_deref().unwrap_or(id));
        return Ok(());
    }
    let talk = Talk {
        program: &PROGRAM,
        id: id.to_owned(),
        title,
        channel_id: None,
        is_private: false,
        begun: raw.created.number().and_then(from_unix),
        shown: Shown::Unmarked,
    };
    talk.tell(turns, out)
}

fn take(chat: &mut Chat, id: &str, bytes: &[u8], turns: &mut Turns, out: &mut Out<'_>) {
    let mut mended = String::new();
    let bytes = bytes.trim_ascii();
    let Some(bubble) = record::<RawBubble<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) else {
        out.skip_bytes(SkipReason::Malformed, bytes);
        return;
    };
    if let Some(turn) = bubble.turn(id, chat, out) {
        turns.push(turn, out);
    }
}
