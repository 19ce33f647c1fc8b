//! Migrations: forward only, embedded, each in its own transaction.
//!
//! Released ones are never edited; a new one is added. An older database is brought up to date, a newer one is refused before
//! anything is touched.

use std::io::Read;
use std::path::Path;

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use crate::{Result, StoreError};

/// "KEEP" as a number: marks the file as ours.
pub(crate) const APPLICATION_ID: i64 = 0x4B45_4550;

const STEPS: &[M<'static>] = &[
    M::up(include_str!("../../../../migrations/0001_interactions.sql")),
    M::up(include_str!("../../../../migrations/0002_memories.sql")),
    M::up(include_str!("../../../../migrations/0003_work.sql")),
    M::up(include_str!("../../../../migrations/0004_index.sql")),
];

/// The newest schema this program knows.
pub(crate) const SCHEMA_VERSION: i64 = STEPS.len() as i64;

/// Bytes of the database header and of the first page's own header, where the schema table begins.
const HEADER_BYTES: usize = 108;

/// Refuses a file that is no database, another program's or a newer Keepsake's, from its first bytes alone: even a read-only
/// connection leaves `-wal` and `-shm` files beside a database in WAL mode. Offsets: sqlite.org/fileformat2.html 1.3 and 1.6.
pub(crate) fn check_header(path: &Path) -> Result<()> {
    let unreadable = |reason: String| StoreError::Open {
        path: path.to_owned(),
        reason: format!("{reason}; choose another data folder or restore a backup"),
    };
    let mut header = Vec::with_capacity(HEADER_BYTES);
    std::fs::File::open(path)
        .and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut header))
        .map_err(|error| unreadable(error.to_string()))?;
    if header.is_empty() {
        return Ok(());
    }
    if header.len() < HEADER_BYTES || !header.starts_with(b"SQLite format 3\0") {
        return Err(unreadable("it is no database".to_owned()));
    }
    let number = |at: usize| i64::from(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
    // A leaf page without cells is an empty schema table.
    let has_tables = (header[100], header[103], header[104]) != (0x0d, 0, 0);
    judge(path, has_tables, number(68), number(60))
}

fn judge(path: &Path, has_tables: bool, application_id: i64, version: i64) -> Result<()> {
    let is_blank = !has_tables && application_id == 0 && version == 0;
    if application_id != APPLICATION_ID && !is_blank {
        return Err(StoreError::NotOurs { path: path.to_owned() });
    }
    if version > SCHEMA_VERSION {
        return Err(StoreError::FromTheFuture { path: path.to_owned(), found: version, known: SCHEMA_VERSION });
    }
    Ok(())
}

/// The same, asked of SQLite: for a file whose newest pages still stand in its log.
pub(crate) fn check(conn: &Connection, path: &Path) -> Result<()> {
    let number = |pragma: &str| conn.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let not_a_database = |error: rusqlite::Error| StoreError::Open {
        path: path.to_owned(),
        reason: format!("it is no readable database ({error}); choose another data folder or restore a backup"),
    };
    let tables = conn.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0)).map_err(not_a_database)?;
    let application_id = number("application_id").map_err(not_a_database)?;
    let found = number("user_version").map_err(not_a_database)?;
    judge(path, tables > 0, application_id, found)
}

/// Brings the schema up to date.
pub(crate) fn run(conn: &mut Connection) -> Result<()> {
    if conn.query_row("PRAGMA application_id", [], |row| row.get::<_, i64>(0))? != APPLICATION_ID {
        conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    Migrations::from_slice(STEPS).to_latest(conn)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_applies_and_keeps_foreign_keys() {
        Migrations::from_slice(STEPS).validate().unwrap_or_else(|error| {
            // `erasing()` exists only on our connections; creating a trigger that names it is legal all the same.
            panic!("migrations must apply to an empty database: {error}")
        });
    }
}
