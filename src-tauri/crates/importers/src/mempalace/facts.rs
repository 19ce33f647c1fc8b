//! The graph of facts that MemPalace keeps beside its drawers: how entities are related, and since when.
//!
//! A fact has no text of its own; it is written out as its three parts. Deliberately not here: the entities, of which only the
//! names are used.

use keepsake_domain::{Metadata, TimeCertainty};
use rusqlite::Connection;

use super::PROGRAM;
use crate::SkipReason;
use crate::database::{self, Tables};
use crate::halt::Halt;
use crate::memories::{Memory, moment};
use crate::out::Out;
use crate::regroup::Regroup;

/// The conversation of all facts, and its title.
const CONVERSATION: &str = "facts";
const TITLE: &str = "Facts";

/// Whether a database is such a graph.
pub(super) fn claims(tables: &Tables) -> bool {
    let fact = ["id", "subject", "predicate", "object", "valid_from", "valid_to", "source_closet", "extracted_at"];
    tables.has("triples", &fact) && tables.has("entities", &["id", "name"])
}

/// Reads the facts.
pub(super) fn read(database: &Connection, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut facts = database.prepare(
        "SELECT t.id, coalesce(s.name, t.subject), t.predicate, coalesce(o.name, t.object), t.valid_from, t.valid_to, t.extracted_at
           FROM triples t LEFT JOIN entities s ON s.id = t.subject LEFT JOIN entities o ON o.id = t.object ORDER BY t.rowid",
    )?;
    let mut group = Regroup::default();
    let mut rows = facts.query([])?;
    while let Some(row) = rows.next()? {
        let part = |column: usize| database::text(row, column).filter(|text| !text.trim().is_empty());
        let (Some(id), Some(subject), Some(predicate), Some(object)) = (part(0), part(1), part(2), part(3)) else {
            out.skip(SkipReason::MissingField, part(0).as_deref().unwrap_or_default());
            continue;
        };
        let mut metadata = Metadata::new();
        for (name, column) in [("valid_from", 4), ("valid_to", 5)] {
            if let Some(value) = part(column) {
                metadata.insert(name.to_owned(), value.into());
            }
        }
        // SQLite writes the current time in UTC, without a zone.
        let written = part(6).and_then(|time| moment(&format!("{time}Z"), out.options.zone).or(moment(&time, out.options.zone)));
        let memory = Memory {
            conversation: CONVERSATION.to_owned(),
            title: TITLE.to_owned(),
            id,
            time: written.unwrap_or((out.options.file_time, TimeCertainty::Inferred)),
            text: format!("{subject} {} {object}", predicate.replace('_', " ")),
            metadata,
        };
        group.take(PROGRAM.message(memory), out)?;
    }
    Ok(group.flush(out)?)
}
