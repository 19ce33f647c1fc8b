//! Migrations. They only go forward and are embedded in the program. Each migration runs in its own transaction.
//!
//! Released migrations are never edited; changes are added as new migrations. Before an older database is upgraded, a verified
//! copy of it is added to the backups. If this fails, the database stays unchanged. A newer database is refused before anything
//! is changed.

use std::io::Read;
use std::path::Path;

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use crate::{Result, StoreError};

/// "KEEP" as a number, which marks the file as a Keepsake database.
pub(crate) const APPLICATION_ID: i64 = 0x4B45_4550;

const STEPS: &[M<'static>] = &[
    M::up(include_str!("../../../../../migrations/0001_interactions.sql")),
    M::up(include_str!("../../../../../migrations/0002_memories.sql")),
    M::up(include_str!("../../../../../migrations/0003_work.sql")),
    M::up(include_str!("../../../../../migrations/0004_index.sql")),
    M::up(include_str!("../../../../../migrations/0005_models.sql")),
    M::up(include_str!("../../../../../migrations/0006_counts.sql")),
    M::up(include_str!("../../../../../migrations/0007_people.sql")),
    M::up(include_str!("../../../../../migrations/0008_conversations.sql")),
    M::up(include_str!("../../../../../migrations/0009_profiles.sql")),
    M::up(include_str!("../../../../../migrations/0010_models_of_people.sql")),
    M::up(include_str!("../../../../../migrations/0011_topics.sql")),
    M::up(include_str!("../../../../../migrations/0012_vectors.sql")),
    M::up(include_str!("../../../../../migrations/0013_times.sql")),
    M::up(include_str!("../../../../../migrations/0014_topic_models.sql")),
    M::up(include_str!("../../../../../migrations/0015_playbooks.sql")),
    M::up(include_str!("../../../../../migrations/0016_served.sql")),
    M::up(include_str!("../../../../../migrations/0017_maintenance.sql")),
    M::up(include_str!("../../../../../migrations/0018_sessions.sql")),
    M::up(include_str!("../../../../../migrations/0019_reflection.sql")),
    M::up(include_str!("../../../../../migrations/0020_waits.sql")),
    M::up(include_str!("../../../../../migrations/0021_model_records.sql")),
    M::up(include_str!("../../../../../migrations/0022_model_replies.sql")),
    M::up(include_str!("../../../../../migrations/0023_tools_of_a_circle.sql")),
    M::up(include_str!("../../../../../migrations/0024_subjects.sql")),
    M::up(include_str!("../../../../../migrations/0025_upkeep.sql")),
    M::up(include_str!("../../../../../migrations/0026_agent_reads.sql")),
    M::up(include_str!("../../../../../migrations/0027_voices.sql")),
    M::up(include_str!("../../../../../migrations/0028_forgotten.sql")),
    M::up(include_str!("../../../../../migrations/0029_private_intervals.sql")),
    M::up(include_str!("../../../../../migrations/0030_promises_by.sql")),
    M::up(include_str!("../../../../../migrations/0031_attributes.sql")),
    M::up(include_str!("../../../../../migrations/0032_readings.sql")),
    M::up(include_str!("../../../../../migrations/0033_dates.sql")),
    M::up(include_str!("../../../../../migrations/0034_reflection_kinds.sql")),
    M::up(include_str!("../../../../../migrations/0035_stories.sql")),
    M::up(include_str!("../../../../../migrations/0036_agents.sql")),
    M::up(include_str!("../../../../../migrations/0037_live_files.sql")),
    M::up(include_str!("../../../../../migrations/0038_live_sources.sql")),
    M::up(include_str!("../../../../../migrations/0039_members_of_exports.sql")),
    M::up(include_str!("../../../../../migrations/0040_continued_channels.sql")),
];

/// The newest schema version that this program knows.
pub(crate) const SCHEMA_VERSION: i64 = STEPS.len() as i64;

/// Length of the database header plus the header of the first page, where the schema table begins.
const HEADER_BYTES: usize = 108;

/// Checks that the file is a Keepsake database and not from a newer version, and returns its schema version. It reads only the
/// first bytes, because even a read-only connection would leave `-wal` and `-shm` files beside a database in WAL mode. Offsets:
/// sqlite.org/fileformat2.html 1.3 and 1.6.
pub(crate) fn check_header(path: &Path) -> Result<i64> {
    let unreadable = |reason: String| StoreError::Open {
        path: path.to_owned(),
        reason: format!("{reason}; choose another data folder or restore a backup"),
    };
    let mut header = Vec::with_capacity(HEADER_BYTES);
    std::fs::File::open(path)
        .and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut header))
        .map_err(|error| unreadable(error.to_string()))?;
    if header.is_empty() {
        return Ok(0);
    }
    if header.len() < HEADER_BYTES || !header.starts_with(b"SQLite format 3\0") {
        return Err(unreadable("it is not a database".to_owned()));
    }
    let number = |at: usize| i64::from(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
    // A leaf page without cells means an empty schema table.
    let has_tables = (header[100], header[103], header[104]) != (0x0d, 0, 0);
    judge(path, has_tables, number(68), number(60))
}

fn judge(path: &Path, has_tables: bool, application_id: i64, version: i64) -> Result<i64> {
    let is_blank = !has_tables && application_id == 0 && version == 0;
    if application_id != APPLICATION_ID && !is_blank {
        return Err(StoreError::NotOurs { path: path.to_owned() });
    }
    if version > SCHEMA_VERSION {
        return Err(StoreError::FromTheFuture { path: path.to_owned(), found: version, known: SCHEMA_VERSION });
    }
    Ok(version)
}

/// The same check through SQLite, for a file whose newest pages are still in its write-ahead log.
pub(crate) fn check(conn: &Connection, path: &Path) -> Result<i64> {
    let number = |pragma: &str| conn.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let not_a_database = |error: rusqlite::Error| StoreError::Open {
        path: path.to_owned(),
        reason: format!("it is not a readable database ({error}); choose another data folder or restore a backup"),
    };
    let tables = conn.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0)).map_err(not_a_database)?;
    let application_id = number("application_id").map_err(not_a_database)?;
    let found = number("user_version").map_err(not_a_database)?;
    judge(path, tables > 0, application_id, found)
}

/// Upgrades the schema to the newest version.
pub(crate) fn run(conn: &mut Connection) -> Result<()> {
    if conn.query_row("PRAGMA application_id", [], |row| row.get::<_, i64>(0))? != APPLICATION_ID {
        conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    Migrations::from_slice(STEPS).to_latest(conn)?;
    Ok(())
}

/// Gives an empty file the schema of an earlier version.
pub(crate) fn run_to(conn: &mut Connection, version: i64) -> Result<()> {
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    let version = usize::try_from(version).unwrap_or(0).min(STEPS.len());
    Migrations::from_slice(STEPS).to_version(conn, version)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_applies_and_keeps_foreign_keys() {
        Migrations::from_slice(STEPS).validate().unwrap_or_else(|error| {
            // This connection lacks `erasing()`, but SQLite can still create a trigger that calls it.
            panic!("migrations must apply to an empty database: {error}")
        });
    }
}
