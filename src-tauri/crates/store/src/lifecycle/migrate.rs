//! The schema, and the steps that upgrade older databases to it. They only go forward and are embedded in the program. Each step
//! runs in its own transaction.
//!
//! A new database gets the whole schema at once. Existing steps are never edited; a change is a new step (`LATER`). Before an older
//! database is upgraded, a verified copy of it is added to the backups. If this fails, the database stays unchanged. A newer
//! database is refused before anything is changed.

use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

use crate::{Result, StoreError};

/// "KEEP" as a number, which marks the file as a Keepsake database.
pub(crate) const APPLICATION_ID: i64 = 0x4B45_4550;

/// The whole schema at version [`FIRST_VERSION`], for a new database.
const SCHEMA: &str = concat!(
    include_str!("../../../../../migrations/schema/log.sql"),
    include_str!("../../../../../migrations/schema/people.sql"),
    include_str!("../../../../../migrations/schema/memories.sql"),
    include_str!("../../../../../migrations/schema/derived.sql"),
    include_str!("../../../../../migrations/schema/jobs.sql"),
);

/// The version of a new database with only [`SCHEMA`].
const FIRST_VERSION: usize = 41;

/// The steps that bring an older database to [`FIRST_VERSION`]. Each begins with the line `-- version N`.
const UPGRADE: &str = concat!(
    include_str!("../../../../../migrations/upgrade/versions_01_to_12.sql"),
    include_str!("../../../../../migrations/upgrade/versions_13_to_41.sql"),
);

/// Begins a step of [`UPGRADE`].
const STEP: &str = "\n-- version ";

/// Changes since [`FIRST_VERSION`], in order. Both new and older databases get them.
const LATER: &[&str] = &[];

/// The newest schema version that this program knows.
pub(crate) const SCHEMA_VERSION: i64 = (FIRST_VERSION + LATER.len()) as i64;

/// All steps from an empty database on. The number of a step is the version that it leads to.
fn steps() -> Migrations<'static> {
    let older = UPGRADE.split(STEP).skip(1).map(|step| step.split_once('\n').map_or("", |(_, sql)| sql));
    Migrations::new(older.chain(LATER.iter().copied()).map(M::up).collect())
}

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

/// Gives a new database the newest schema, and upgrades an older one to it.
pub(crate) fn run(conn: &mut Connection) -> Result<()> {
    let number = |conn: &Connection, pragma: &str| conn.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    if number(conn, "application_id")? != APPLICATION_ID {
        conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    if number(conn, "user_version")? == 0 {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another program may have created the schema meanwhile.
        if number(&tx, "user_version")? == 0 {
            tx.execute_batch(SCHEMA)?;
            tx.pragma_update(None, "user_version", FIRST_VERSION as i64)?;
        }
        tx.commit()?;
    }
    Ok(steps().to_latest(conn)?)
}

/// Gives an empty file the schema of an earlier version.
pub(crate) fn run_to(conn: &mut Connection, version: i64) -> Result<()> {
    if version >= SCHEMA_VERSION {
        return run(conn);
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(steps().to_version(conn, usize::try_from(version).unwrap_or(0))?)
}

#[cfg(test)]
mod tests {
    use rusqlite::types::Value;

    use super::*;
    use crate::lifecycle::schema;

    #[test]
    fn every_migration_applies_and_keeps_foreign_keys() {
        steps().validate().unwrap_or_else(|error| {
            // This connection lacks `erasing()`, but SQLite can still create a trigger that calls it.
            panic!("migrations must apply to an empty database: {error}")
        });
    }

    #[test]
    fn a_new_database_and_an_upgraded_one_have_the_same_schema() {
        let mut upgraded = Connection::open_in_memory().unwrap();
        steps().to_latest(&mut upgraded).unwrap();
        let found = schema::differences(&upgraded, SCHEMA_VERSION).unwrap();
        assert!(found.is_none(), "{}", found.told());

        let mut unfinished = Connection::open_in_memory().unwrap();
        steps().to_version(&mut unfinished, FIRST_VERSION - 1).unwrap();
        assert!(!schema::differences(&unfinished, SCHEMA_VERSION).unwrap().is_none(), "control: a step is missing");
    }

    /// The tables that the last step of [`UPGRADE`] renames or changes: the name before it, the name after it, and a row.
    const RENAMED: &[(&str, &str, &str)] = &[
        ("voices", "unidentified_speakers", "'h', 'Ana', 'Ana', 0, 5"),
        ("proposal_waits", "proposal_ages", "'gap', 'g', 'v1', 5, 6"),
        ("maintenance_runs", "maintenance_runs", "'run', 'finished', 5, 6, 3, '{}'"),
        ("profile_debunks", "profile_disputes", "1, 'e', 'style', 'pace', 'f', 1, 5"),
        ("profile_marks", "profile_inputs", "'e', 's'"),
        ("profile_reads", "profile_reads", "'e', 'c', 'k', 7"),
        (
            "entity_profiles",
            "entity_profiles",
            "'p', 'e', 'k', '[\"e\"]', 'style', 'pace', 'f', '{}', 'high', 'model', 1, 2, NULL, 3, NULL, 'r'",
        ),
        ("topic_partitions", "topic_audiences", "'t', '[\"e\"]', 'k', '[]', 's'"),
        ("topics", "topics", "'top', 't', 'v', NULL, '[]', '[]', 'title', 1, 0"),
        ("topic_decisions", "topic_decisions", "1, 'd', 't', 'rename', 'title', 5, NULL"),
        ("topic_proposals", "topic_proposals", "'pro', 't', 'split', 'top', NULL, 0.5, '[\"word\"]', '[\"int\"]'"),
        ("topic_distinct", "topic_distinct", "'t', 'top', 'int', 'm', '[]', 5"),
        ("topic_verdicts", "topic_verdicts", "'pair', 't', 'top', 'other', 'same', 'm', '[]', 5"),
        ("topic_batches", "topic_batches", "'c', 0, 'v1', 5"),
        ("playbook_against", "playbook_counterexamples", "'pbv', 0, 'c', 'int', 5, 'failed'"),
        ("session_ends", "session_ends", "'c', 'int', 'rules/1', 5"),
        ("session_readings", "session_readings", "'c', 'int', 'v1'"),
        ("model_replies", "model_replies", "'playbook', 'hash', 'm', '{}', '[]', 5"),
        ("agent_reads", "access_log", "1, 'nova', 'context', NULL, 10, 1, 5"),
        ("agent_read_items", "access_log_items", "1, 0, 'mem'"),
        ("served_pieces", "served_texts", "x'02', 'mem', 5"),
    ];

    #[test]
    fn the_rows_of_renamed_tables_are_kept() {
        let mut conn = Connection::open_in_memory().unwrap();
        let before = i64::try_from(FIRST_VERSION).unwrap() - 1;
        run_to(&mut conn, before).unwrap();
        conn.pragma_update(None, "foreign_keys", false).unwrap();
        for (old, _, row) in RENAMED {
            conn.execute(&format!("INSERT INTO {old} VALUES ({row})"), []).unwrap_or_else(|error| panic!("{old}: {error}"));
        }
        let rows = |conn: &Connection, table: &str| {
            let mut statement = conn.prepare(&format!("SELECT * FROM {table}")).unwrap();
            let width = statement.column_count();
            let row =
                |row: &rusqlite::Row<'_>| (0..width).map(|at| row.get::<_, Value>(at)).collect::<rusqlite::Result<Vec<_>>>();
            statement.query_map([], row).unwrap().collect::<rusqlite::Result<Vec<_>>>().unwrap()
        };
        let old: Vec<Vec<Vec<Value>>> = RENAMED.iter().map(|(old, ..)| rows(&conn, old)).collect();
        assert!(old.iter().all(|rows| rows.len() == 1), "each table has its row");
        run(&mut conn).unwrap();
        for ((_, new, _), old) in RENAMED.iter().zip(old) {
            assert_eq!(rows(&conn, new), old, "{new}");
        }
        let named: Vec<&str> = UPGRADE.rsplit(STEP).next().unwrap().split_whitespace().collect();
        let altered = named.windows(3).filter(|words| words[..2] == ["ALTER", "TABLE"]).map(|words| words[2]);
        let known = |table: &str| RENAMED.iter().any(|(old, new, _)| [*old, *new].contains(&table));
        assert_eq!(
            altered.filter(|table| !known(table)).collect::<Vec<_>>(),
            Vec::<&str>::new(),
            "every table of the step is checked"
        );
    }
}
