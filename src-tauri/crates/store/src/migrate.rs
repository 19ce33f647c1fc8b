//! Migrations: forward only, embedded, each in its own transaction.
//!
//! Released ones are never edited; a new one is added. An older database is brought up to date, a newer one is refused before
//! anything is touched.

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
];

/// The newest schema this program knows.
pub(crate) const SCHEMA_VERSION: i64 = STEPS.len() as i64;

/// Refuses a file that is another program's or a newer Keepsake's. Reads only.
pub(crate) fn check(conn: &Connection, path: &Path) -> Result<()> {
    let number = |pragma: &str| conn.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let not_a_database = |error: rusqlite::Error| StoreError::Open {
        path: path.to_owned(),
        reason: format!("it is no readable database ({error}); choose another data folder or restore a backup"),
    };
    let tables = conn.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0)).map_err(not_a_database)?;
    let application_id = number("application_id").map_err(not_a_database)?;
    let found = number("user_version").map_err(not_a_database)?;
    if tables > 0 && application_id != APPLICATION_ID {
        return Err(StoreError::NotOurs { path: path.to_owned() });
    }
    if found > SCHEMA_VERSION {
        return Err(StoreError::FromTheFuture { path: path.to_owned(), found, known: SCHEMA_VERSION });
    }
    Ok(())
}

/// Brings the schema up to date.
pub(crate) fn run(conn: &mut Connection) -> Result<()> {
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
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
