//! MemPalace: a store of verbatim pieces of text ("drawers"), each in a room of a wing. A room is one conversation.
//!
//! ```text
//! chroma.sqlite3            collections, segments, embeddings (embedding_id), embedding_metadata (key, string_value, …)
//! sqlite_exact.sqlite3      collections, documents (id, document, metadata_json)
//! WING/ROOM.jsonl           { id, document, metadata: { wing, room, source_file, filed_at, added_by } }
//! WING/ROOM.md              # wing / room, and below it each drawer: ## id, > text, | Field | Value |
//! ```
//!
//! All four are read alike, so a drawer has the same id in each. The content of a drawer was copied from files and chats
//! without their authors, so it is treated as written by a program. `knowledge_graph.sqlite3` contains facts that are kept
//! beside the drawers. Deliberately not here: the index of "closets", which is made from the drawers. See docs/formats.md,
//! "MemPalace".

mod facts;
mod pages;

use std::io::BufRead;

use keepsake_domain::{Metadata, SourceKind, TimeCertainty};
use rusqlite::Connection;
use rusqlite::types::Value as Sql;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::SkipReason;
use crate::conversation::When;
use crate::database::{self, Tables};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::json::{Loose, record, small_object};
use crate::limits::METADATA_BYTES_MAX;
use crate::lines::each_record;
use crate::memories::{Memory, Program, moment};
use crate::out::Out;
use crate::regroup::Regroup;

/// Drawers, one per line.
pub(crate) const LINES: Format =
    Format { kind: SourceKind::MemPalace, names_owner: true, input: Input::Document { claims, check: Check::JsonLines, read } };

/// A palace in a Chroma database.
pub(crate) const CHROMA: Format = Format {
    kind: SourceKind::MemPalace,
    names_owner: true,
    input: Input::Database { claims: claims_chroma, read: read_chroma },
};

/// A palace in the form that does not need Chroma.
pub(crate) const EXACT: Format =
    Format { kind: SourceKind::MemPalace, names_owner: true, input: Input::Database { claims: claims_exact, read: read_exact } };

/// The graph of facts.
pub(crate) const FACTS: Format = Format {
    kind: SourceKind::MemPalace,
    names_owner: true,
    input: Input::Database { claims: facts::claims, read: facts::read },
};

/// Pages that MemPalace exported.
pub(crate) const PAGES: Format = Format {
    kind: SourceKind::MemPalace,
    names_owner: true,
    input: Input::Document { claims: pages::claims, check: Check::Text, read: pages::read },
};

const PROGRAM: Program =
    Program { kind: SourceKind::MemPalace, name: "MemPalace", channel: "mempalace", channel_id: None, handle: "mempalace" };

/// The prefix of the names of MemPalace's collections.
const COLLECTIONS: &str = "mempalace";

/// The suffix of the name of the collection that contains the text. The other collections are indexes of it.
const DRAWERS: &str = "_drawers";

/// MemPalace's names for the wing and the room of a drawer that names none.
const NO_WING: &str = "unknown";
const NO_ROOM: &str = "general";

/// The ingest mode of MemPalace's own records of the files it has read.
const REGISTRY: &str = "registry";

/// The key of a drawer's text in Chroma. Other keys with the same prefix belong to Chroma itself.
const CHROMA_TEXT: &str = "chroma:document";
const CHROMA_OWN: &str = "chroma:";

/// A drawer.
struct Drawer {
    id: Option<String>,
    text: Option<String>,
    metadata: Metadata,
}

impl Drawer {
    fn field(&self, name: &str) -> Option<&str> {
        self.metadata.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// Converts the drawer to a memory.
    fn memory(mut self, last: Option<When>, out: &Out<'_>) -> Result<Memory, SkipReason> {
        let (Some(id), Some(text)) = (self.id.take().filter(|id| !id.is_empty()), self.text.take()) else {
            return Err(SkipReason::MissingField);
        };
        if self.field("ingest_mode") == Some(REGISTRY) {
            return Err(SkipReason::NotAMessage);
        }
        if text.trim().is_empty() {
            return Err(SkipReason::Empty);
        }
        let (wing, room) = (self.field("wing").unwrap_or(NO_WING), self.field("room").unwrap_or(NO_ROOM));
        let (conversation, title) = (format!("{wing}/{room}"), format!("{wing} / {room}"));
        let time = self.field("filed_at").and_then(|filed| moment(filed, out.options.zone));
        let inferred = || (last.map_or(out.options.file_time, |(time, _)| time), TimeCertainty::Inferred);
        Ok(Memory { conversation, title, id, time: time.unwrap_or_else(inferred), text, metadata: self.metadata })
    }
}

/// Emits drawers, and counts records that are not drawers.
#[derive(Default)]
struct Room {
    groups: Regroup,
    last: Option<When>,
}

impl Room {
    fn take(&mut self, drawer: Drawer, out: &mut Out<'_>) -> Result<(), Halt> {
        let sample = drawer.text.clone().filter(|text| !text.is_empty()).or_else(|| drawer.id.clone()).unwrap_or_default();
        match drawer.memory(self.last, out) {
            Ok(memory) => {
                self.last = Some(memory.time);
                self.groups.take(PROGRAM.message(memory), out)?;
            }
            Err(reason) => out.skip(reason, &sample),
        }
        Ok(())
    }
}

/// True if a file contains drawers, one per line.
fn claims(head: &Head<'_>) -> bool {
    head.outline.has_all(&["id", "document", "metadata.wing", "metadata.room"])
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    id: Loose<'a>,
    #[serde(borrow, default)]
    document: Loose<'a>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
}

/// Reads drawers, one per line.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut room = Room::default();
    each_record(input, out, |bytes, out| {
        let mut mended = String::new();
        match record::<Record<'_>>(bytes, &mut mended).filter(|_| bytes.starts_with(b"{")) {
            Some(record) => {
                let drawer = Drawer {
                    id: record.id.id().map(std::borrow::Cow::into_owned),
                    text: match record.document {
                        Loose::Text(text) => Some(text.into_owned()),
                        _ => None,
                    },
                    metadata: small_object(record.metadata),
                };
                room.take(drawer, out)?;
            }
            None => out.skip_bytes(SkipReason::Malformed, bytes),
        }
        Ok(())
    })?;
    Ok(room.groups.flush(out)?)
}

/// Why an entry in this collection is not a drawer.
fn not_a_drawer(collection: Option<String>) -> Option<SkipReason> {
    match collection {
        None => Some(SkipReason::MissingField),
        Some(name) => (!name.ends_with(DRAWERS)).then_some(SkipReason::NotAMessage),
    }
}

/// True if a Chroma database is a palace. Many programs keep their vectors in Chroma.
fn claims_chroma(tables: &Tables) -> bool {
    tables.has("embeddings", &["id", "segment_id", "embedding_id"])
        && tables.has("embedding_metadata", &["id", "key", "string_value"])
        && tables.has("segments", &["id", "collection"])
        && tables.holds_collection(COLLECTIONS)
}

/// Reads a palace from a Chroma database.
fn read_chroma(database: &Connection, out: &mut Out<'_>) -> Result<(), Halt> {
    let named =
        |field: &str| format!("(SELECT m.string_value FROM embedding_metadata m WHERE m.id = e.id AND m.key = '{field}')");
    let mut drawers = database.prepare(&format!(
        "SELECT e.id, e.embedding_id, c.name FROM embeddings e LEFT JOIN segments s ON s.id = e.segment_id
           LEFT JOIN collections c ON c.id = s.collection ORDER BY {}, {}, e.id",
        named("wing"),
        named("room")
    ))?;
    let mut fields = database.prepare("SELECT * FROM embedding_metadata WHERE id = ?1 ORDER BY key")?;
    let columns: Vec<String> = fields.column_names().into_iter().map(str::to_owned).collect();
    let mut room = Room::default();
    let mut rows = drawers.query([])?;
    while let Some(row) = rows.next()? {
        let id = database::text(row, 1);
        if let Some(reason) = not_a_drawer(database::text(row, 2)) {
            out.skip(reason, id.as_deref().unwrap_or_default());
            continue;
        }
        let mut drawer = Drawer { id, text: None, metadata: Metadata::new() };
        let mut found = fields.query([row.get::<_, Sql>(0)?])?;
        while let Some(field) = found.next()? {
            let at = |name: &str| columns.iter().position(|column| column == name);
            let written = |name: &str| at(name).and_then(|at| database::text(field, at));
            let number = |name: &str| written(name).and_then(|text| serde_json::from_str::<Value>(&text).ok());
            let Some(key) = written("key") else { continue };
            let value = match written("string_value") {
                Some(text) => Some(Value::String(text)),
                None => number("int_value").or_else(|| number("float_value")).or_else(|| number("bool_value")),
            };
            match (key.as_str(), value) {
                (CHROMA_TEXT, Some(Value::String(text))) => drawer.text = Some(text),
                (key, Some(value))
                    if !key.starts_with(CHROMA_OWN) && value.as_str().is_none_or(|text| text.len() < METADATA_BYTES_MAX) =>
                {
                    drawer.metadata.insert(key.to_owned(), value);
                }
                _ => {}
            }
        }
        room.take(drawer, out)?;
    }
    Ok(room.groups.flush(out)?)
}

/// True if a database is a palace in the form that does not need Chroma.
fn claims_exact(tables: &Tables) -> bool {
    tables.has("documents", &["collection_id", "id", "document", "metadata_json"]) && tables.holds_collection(COLLECTIONS)
}

/// Reads a palace in the form that does not need Chroma.
fn read_exact(database: &Connection, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut drawers = database.prepare(
        "SELECT d.id, d.document, d.metadata_json, c.name FROM documents d LEFT JOIN collections c ON c.id = d.collection_id
          ORDER BY d.rowid",
    )?;
    let mut room = Room::default();
    let mut rows = drawers.query([])?;
    while let Some(row) = rows.next()? {
        let (id, text) = (database::text(row, 0), Some(database::text(row, 1).unwrap_or_default()));
        if let Some(reason) = not_a_drawer(database::text(row, 3)) {
            out.skip(reason, id.as_deref().unwrap_or_default());
            continue;
        }
        let written = database::text(row, 2).unwrap_or_default();
        let raw: Option<&RawValue> = serde_json::from_str(&written).ok();
        room.take(Drawer { id, text, metadata: small_object(raw) }, out)?;
    }
    Ok(room.groups.flush(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawers_are_told_from_other_documents_of_a_vector_store() {
        for (json, expect) in [
            (r#"{"document": "x", "id": "d", "metadata": {"room": "r", "wing": "w"}}"#, true),
            (r#"{"document": "x", "id": "d", "metadata": {"source": "a.md"}}"#, false),
            (r#"{"id": "d", "document": {"wing": 1, "room": 2}}"#, false),
            (r#"[{"document": "x", "id": "d", "metadata": {"room": "r", "wing": "w"}}]"#, false),
        ] {
            assert_eq!(claims(&Head::of(json.as_bytes())), expect, "{json}");
        }
    }
}
