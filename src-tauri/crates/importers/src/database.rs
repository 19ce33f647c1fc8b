//! Opens another program's SQLite database for reading. The database is never changed, and nothing in it is executed: only
//! tables are read, never views, and its triggers and functions are disabled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

use crate::limits::ELEMENT_BYTES_MAX;

/// The beginning of every SQLite file.
pub(crate) const MAGIC: &[u8] = b"SQLite format 3\0";

/// The tables of a database, with the names of their columns.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    columns: BTreeMap<String, BTreeSet<String>>,
    collections: Vec<String>,
}

/// Maximum number of collections whose names are read. A vector database has only a few.
const COLLECTIONS_MAX: u32 = 1_000;

impl Tables {
    /// True if the table `collections` contains a name with this prefix. Programs that store vectors use the same tables and
    /// can be told apart by these names.
    pub(crate) fn holds_collection(&self, beginning: &str) -> bool {
        self.collections.iter().any(|name| name.starts_with(beginning))
    }

    /// True if this table exists and has at least these columns.
    pub(crate) fn has(&self, table: &str, columns: &[&str]) -> bool {
        self.columns.get(table).is_some_and(|found| columns.iter().all(|column| found.contains(*column)))
    }

    /// The tables of the database behind `connection`.
    pub(crate) fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let mut tables = Self::default();
        let mut names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        for name in names.query_map([], |row| row.get::<_, String>(0))? {
            let name = name?;
            let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
            let columns = columns.query_map([&name], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            tables.columns.insert(name, columns);
        }
        if tables.has("collections", &["id", "name"]) {
            let mut names = connection.prepare("SELECT name FROM collections LIMIT ?1")?;
            let mut rows = names.query([COLLECTIONS_MAX])?;
            while let Some(row) = rows.next()? {
                tables.collections.extend(text(row, 0));
            }
        }
        Ok(tables)
    }

    /// A column list for a query, with `NULL` in place of columns that the table does not have. Columns differ between versions
    /// of a program.
    pub(crate) fn list(&self, table: &str, prefix: &str, columns: &[&str]) -> String {
        let named = |column: &&str| {
            if self.has(table, &[column]) { format!("{prefix}.\"{column}\"") } else { "NULL".to_owned() }
        };
        columns.iter().map(named).collect::<Vec<_>>().join(", ")
    }
}

/// An open database, and the copy made to open it, if any.
pub(crate) struct Database {
    connection: Connection,
    _copy: Option<tempfile::TempDir>,
}

impl Database {
    /// Opens the database at `path`.
    pub(crate) fn open(path: &Path) -> rusqlite::Result<Self> {
        let (path, copy) = match copied(path) {
            Ok(Some((path, copy))) => (path, Some(copy)),
            Ok(None) => (path.to_owned(), None),
            Err(error) => return Err(failed(&error)),
        };
        // A copy is opened for writing, because its log is merged into it. Any other database is opened as immutable, so SQLite
        // also needs no extra files beside it.
        let connection = if copy.is_some() {
            Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?
        } else {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(format!("file:{}?immutable=1", uri_path(&path)), flags)?
        };
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(ELEMENT_BYTES_MAX).unwrap_or(i32::MAX))?;
        connection.pragma_update(None, "cell_size_check", true)?;
        Ok(Self { connection, _copy: copy })
    }

    /// The connection.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Checks the structure of the file. Returns the problem, if any.
    pub(crate) fn fault(&self) -> rusqlite::Result<Option<String>> {
        let found: String = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok((found != "ok").then_some(found))
    }

    /// Its tables.
    pub(crate) fn tables(&self) -> rusqlite::Result<Tables> {
        Tables::of(&self.connection)
    }
}

/// A column as text. Numbers are written out, because programs differ in how they store ids.
pub(crate) fn text(row: &Row<'_>, at: usize) -> Option<String> {
    match row.get_ref(at).ok()? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()).filter(|text| !text.is_empty()),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// A column as a whole number.
pub(crate) fn number(row: &Row<'_>, at: usize) -> Option<i64> {
    match row.get_ref(at).ok()? {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Real(number) => Some(number as i64),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// A column as bytes.
pub(crate) fn bytes<'r>(row: &'r Row<'_>, at: usize) -> Option<&'r [u8]> {
    match row.get_ref(at).ok()? {
        ValueRef::Blob(bytes) | ValueRef::Text(bytes) if !bytes.is_empty() => Some(bytes),
        _ => None,
    }
}

/// A copy of the database if there is a log beside it with changes that are not in the file yet. Without the log, the newest
/// messages would be missing. Merging the log changes the file, so it is merged into the copy.
fn copied(path: &Path) -> std::io::Result<Option<(PathBuf, tempfile::TempDir)>> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let log = beside("-wal");
    if !std::fs::metadata(&log).is_ok_and(|found| found.is_file() && found.len() > 0) {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("copy.db");
    std::fs::copy(path, &copy)?;
    std::fs::copy(&log, folder.path().join("copy.db-wal"))?;
    Ok(Some((copy, folder)))
}

fn failed(error: &std::io::Error) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN),
        Some(format!("it cannot be copied: {error}")),
    )
}

/// The path in the form that an SQLite URI needs.
fn uri_path(path: &Path) -> String {
    let mut written = String::new();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => written.push(char::from(byte)),
            other => written.push_str(&format!("%{other:02X}")),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(path: &Path, sql: &str) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch(sql).unwrap();
        connection
    }

    #[test]
    fn a_database_is_read_with_its_log_and_never_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b?#%.db");
        let writer = database(&path, "PRAGMA journal_mode = wal; CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)");
        let before = std::fs::read(&path).unwrap();
        let count =
            |database: &Database| database.connection().query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0));
        assert_eq!(count(&Database::open(&path).unwrap()), Ok(1), "the row is in the log only");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        drop(writer);
        let without_log = Database::open(&path).unwrap();
        assert_eq!(count(&without_log), Ok(1));
        assert!(without_log.tables().unwrap().has("t", &["a", "b"]) && !without_log.tables().unwrap().has("t", &["c"]));
        assert_eq!(without_log.fault(), Ok(None));
        assert!(without_log.connection().execute("DELETE FROM t", []).is_err());
    }

    #[test]
    fn a_view_is_no_table_and_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("view.db");
        drop(database(&path, "CREATE VIEW t AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n"));
        let database = Database::open(&path).unwrap();
        assert!(!database.tables().unwrap().has("t", &[]));
        assert!(database.connection().query_row("SELECT a FROM t", [], |row| row.get::<_, i64>(0)).is_err());
    }
}
