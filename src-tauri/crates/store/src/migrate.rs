//! Migrations: forward only, embedded, each in its own transaction.
//!
//! Released ones are never edited; a new one is added. An older database is brought up to date, and before that a checked copy of
//! it is laid beside it; without that copy nothing is touched. A newer database is refused before anything is touched.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::{M, Migrations};

use crate::error::without_sql;
use crate::{Result, StoreError};

/// "KEEP" as a number: marks the file as ours.
pub(crate) const APPLICATION_ID: i64 = 0x4B45_4550;

const STEPS: &[M<'static>] = &[
    M::up(include_str!("../../../../migrations/0001_interactions.sql")),
    M::up(include_str!("../../../../migrations/0002_memories.sql")),
    M::up(include_str!("../../../../migrations/0003_work.sql")),
    M::up(include_str!("../../../../migrations/0004_index.sql")),
    M::up(include_str!("../../../../migrations/0005_models.sql")),
    M::up(include_str!("../../../../migrations/0006_counts.sql")),
    M::up(include_str!("../../../../migrations/0007_people.sql")),
    M::up(include_str!("../../../../migrations/0008_conversations.sql")),
    M::up(include_str!("../../../../migrations/0009_profiles.sql")),
    M::up(include_str!("../../../../migrations/0010_models_of_people.sql")),
    M::up(include_str!("../../../../migrations/0011_topics.sql")),
    M::up(include_str!("../../../../migrations/0012_vectors.sql")),
    M::up(include_str!("../../../../migrations/0013_times.sql")),
    M::up(include_str!("../../../../migrations/0014_topic_models.sql")),
    M::up(include_str!("../../../../migrations/0015_playbooks.sql")),
    M::up(include_str!("../../../../migrations/0016_served.sql")),
    M::up(include_str!("../../../../migrations/0017_maintenance.sql")),
    M::up(include_str!("../../../../migrations/0018_sessions.sql")),
    M::up(include_str!("../../../../migrations/0019_reflection.sql")),
    M::up(include_str!("../../../../migrations/0020_waits.sql")),
    M::up(include_str!("../../../../migrations/0021_model_records.sql")),
    M::up(include_str!("../../../../migrations/0022_model_replies.sql")),
];

/// The newest schema this program knows.
pub(crate) const SCHEMA_VERSION: i64 = STEPS.len() as i64;

/// Copies of older schemas that are kept: the last two upgrades and one to spare. Each is as large as the data was.
const SAFETY_COPIES_MAX: usize = 3;

/// Bytes of the database header and of the first page's own header, where the schema table begins.
const HEADER_BYTES: usize = 108;

/// Refuses a file that is no database, another program's or a newer Keepsake's, from its first bytes alone: even a read-only
/// connection leaves `-wal` and `-shm` files beside a database in WAL mode. Offsets: sqlite.org/fileformat2.html 1.3 and 1.6.
/// Returns the schema version.
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
        return Err(unreadable("it is no database".to_owned()));
    }
    let number = |at: usize| i64::from(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
    // A leaf page without cells is an empty schema table.
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

/// The same, asked of SQLite: for a file whose newest pages still stand in its log.
pub(crate) fn check(conn: &Connection, path: &Path) -> Result<i64> {
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

/// Makes an empty file one of an earlier schema.
pub(crate) fn run_to(conn: &mut Connection, version: i64) -> Result<()> {
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    let version = usize::try_from(version).unwrap_or(0).min(STEPS.len());
    Migrations::from_slice(STEPS).to_version(conn, version)?;
    Ok(())
}

/// `keepsake.db` with schema 4 is copied to `keepsake.schema-4.db`.
fn copy_prefix(path: &Path) -> String {
    format!("{}.schema-", path.file_stem().unwrap_or_default().to_string_lossy())
}

/// Copies that earlier upgrades left beside the database, unfinished ones included, the newest schema first.
pub(crate) fn safety_copies(path: &Path) -> Vec<PathBuf> {
    let prefix = copy_prefix(path);
    let version = |file: &Path| {
        let name = file.file_name()?.to_str()?.strip_prefix(&prefix)?.to_owned();
        name.split('.').next()?.parse::<i64>().ok()
    };
    let entries = path.parent().and_then(|dir| std::fs::read_dir(dir).ok());
    let mut copies: Vec<(i64, PathBuf)> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter_map(|file| Some((version(&file)?, file)))
        .collect();
    copies.sort_by(|a, b| b.cmp(a));
    copies.into_iter().map(|(_, file)| file).collect()
}

/// Lays a checked copy of a database with an older schema beside it. It gets its name only once it is known to be whole and on the
/// disk, so that what carries the name is always a copy that can be opened.
pub(crate) fn keep_copy(path: &Path) -> Result<()> {
    let refused = |reason: String| StoreError::NoSafetyCopy { path: path.to_owned(), reason };
    let sql = |error: rusqlite::Error| refused(without_sql(&error));
    let io = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| refused(format!("{what}: {error}"))
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(path, flags).map_err(sql)?;
    let version = source.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).map_err(sql)?;
    if version >= SCHEMA_VERSION {
        // Another process was quicker.
        return Ok(());
    }
    let copy = path.with_file_name(format!("{}{version}.db", copy_prefix(path)));
    let part = copy.with_extension("db.part");
    match std::fs::remove_file(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io("an unfinished copy is in the way")(error)),
        _ => {}
    }
    let made = source.execute("VACUUM INTO ?1", [part.to_string_lossy()]).map_err(sql).and_then(|_| {
        File::open(&part).and_then(|file| file.sync_all()).map_err(io("it could not be written to the disk"))?;
        if is_true_copy(&source, &Connection::open_with_flags(&part, flags).map_err(sql)?).map_err(sql)? {
            std::fs::rename(&part, &copy).map_err(io("it could not be given its name"))
        } else {
            Err(refused("the copy is not whole; the disk or the database is damaged".to_owned()))
        }
    });
    if let Err(error) = made {
        // What is left of it is of no use; where even that cannot be removed, the next try begins there.
        let _ = std::fs::remove_file(&part);
        return Err(error);
    }
    #[cfg(unix)]
    if let Some(dir) = path.parent() {
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(io("its folder could not be written to the disk"))?;
    }
    for old in safety_copies(path).into_iter().skip(SAFETY_COPIES_MAX) {
        // One copy too many is no reason to refuse.
        let _ = std::fs::remove_file(old);
    }
    Ok(())
}

/// Sound, of the same version, and with as many rows in every table.
fn is_true_copy(source: &Connection, copy: &Connection) -> rusqlite::Result<bool> {
    let text = |conn: &Connection, sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0));
    let number = |conn: &Connection, sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    if text(copy, "PRAGMA integrity_check")? != "ok" {
        return Ok(false);
    }
    let tables = "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table'";
    for sql in ["PRAGMA user_version", "PRAGMA application_id", tables] {
        if number(source, sql)? != number(copy, sql)? {
            return Ok(false);
        }
    }
    let mut names = source.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')")?;
    let names = names.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    for name in names {
        let sql = format!("SELECT count(*) FROM \"{name}\"");
        if number(source, &sql)? != number(copy, &sql)? {
            return Ok(false);
        }
    }
    Ok(true)
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
