//! Complete copies of a database file, each verified as soon as it is made.
//!
//! A copy is made with SQLite's online backup from one snapshot. Writers can continue in the meantime; the copy contains the
//! state at its start. The copy gets its final name only after it has been read back and checked. It must be undamaged, and it
//! must have the same number of rows in every table and the same head of the hash chain as the original. If the store's own
//! chain is broken, the copy is still made, and its report says where the chain breaks. A copy does not use a write-ahead log,
//! so reading it leaves no files beside it. Only the owner of a copy can read it.
//!
//! Not here: the copies of an open store ([`crate::lifecycle::backup`]), when a backup is made and which are kept
//! (`keepsake-engine`), and restoring ([`crate::lifecycle::restore`]).

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use chrono::DateTime;
use keepsake_domain::Timestamp;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::error::without_sql;
use crate::lifecycle::private_files::{BACKUPS_DIR, create_private_dir};
use crate::lifecycle::unfinished::{self, PART_ENDING};
use crate::lifecycle::{migrate, schema};
use crate::log::chain::ChainFault;
use crate::log::hash::Hash;
use crate::transaction::ReadTx;
use crate::{Result, StoreError};

/// The reason in the name of the backup that the store itself makes before a newer program upgrades the schema.
pub const BEFORE_UPGRADE: &str = "before-upgrade";

/// Time format in backup names. It avoids characters that some operating systems forbid in file names, and is precise enough that
/// the last name in sorted order is the latest backup.
const NAME_TIME: &str = "%Y-%m-%dT%H-%M-%S%.3fZ";

/// Name prefix under which a damaged database is set aside.
pub(crate) const DAMAGED_PREFIX: &str = "keepsake.damaged-";

/// Pages of 4 KiB copied per step. A step of 8 MiB takes a few milliseconds, so canceling takes effect quickly.
const STEP_PAGES: i32 = 2_048;

/// Maximum number of faults that the integrity check reports. One fault is enough to reject a file.
const FAULTS_MAX: i64 = 3;

/// Progress callback: pages done and pages in total. Returning `false` stops the copy.
pub type Watch<'w> = &'w mut dyn FnMut(u64, u64) -> bool;

/// The contents of a database file, as read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Schema version.
    pub schema: i64,
    /// Number of rows by table.
    pub rows: BTreeMap<String, u64>,
    /// The hash of the newest message, in hexadecimal.
    pub head: String,
}

impl Contents {
    /// Number of rows in a table.
    pub fn rows_of(&self, table: &str) -> u64 {
        self.rows.get(table).copied().unwrap_or(0)
    }

    /// Whether no data was ever stored in the database.
    pub fn is_blank(&self) -> bool {
        ["interactions", "tombstones", "memories", "imports"].iter().all(|table| self.rows_of(table) == 0)
    }
}

/// A finished backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// Path of the backup file.
    pub path: PathBuf,
    /// File size in bytes.
    pub bytes: u64,
    /// The verified contents of the backup.
    pub contents: Contents,
    /// Where the hash chain breaks, if it does. The store's own chain is then broken as well.
    pub doubt: Option<ChainFault>,
}

/// A free path for a backup made now, such as `backups/keepsake-2026-01-05T10-00-00.250Z-daily.db`, in a folder that only its
/// owner can read.
pub fn own_backup_path(data_dir: &Path, now: Timestamp, reason: &str) -> io::Result<PathBuf> {
    let folder = data_dir.join(BACKUPS_DIR);
    create_private_dir(&folder)?;
    let time = DateTime::from_timestamp_millis(now.0).unwrap_or_default().format(NAME_TIME);
    let named = |number: u32| {
        let number = if number == 0 { String::new() } else { format!(".{number}") };
        folder.join(format!("keepsake-{time}-{reason}{number}.db"))
    };
    Ok((0..).map(named).find(|path| !path.exists()).unwrap_or_else(|| named(0)))
}

/// Copies the database file `source` to `target` and verifies the copy; see [`crate::Store::back_up`].
pub(crate) fn back_up(source: &Path, target: &Path, watch: Watch<'_>) -> Result<BackupReport> {
    let refused = |reason: String| StoreError::Backup { path: target.to_owned(), reason };
    if same_file(source, target) {
        return Err(refused("it is the database itself; choose another file".to_owned()));
    }
    if target.exists() && migrate::check_header(target).is_err() {
        return Err(refused("another file has this name and was left unchanged; choose another name".to_owned()));
    }
    let mut part = target.as_os_str().to_owned();
    part.push(".");
    part.push(PART_ENDING);
    let part = PathBuf::from(part);
    let begun = unfinished::begin(source.parent().unwrap_or(Path::new(".")), &part)
        .map_err(|error| refused(format!("its start could not be recorded: {error}")))?;
    let made = copy(source, &part, watch).and_then(|(contents, doubt)| {
        let bytes = std::fs::metadata(&part).map(|meta| meta.len()).unwrap_or(0);
        std::fs::rename(&part, target).map_err(|error| refused(format!("it could not be given its final name: {error}")))?;
        sync_folder(target).map_err(|error| refused(format!("its folder could not be written to the disk: {error}")))?;
        Ok(BackupReport { path: target.to_owned(), bytes, contents, doubt })
    });
    if made.is_err() {
        // Remove the incomplete copy. If this fails, the next attempt removes it first.
        unfinished::remove(&part);
    }
    if !part.exists() {
        begun.end();
    }
    made
}

/// Copies to `part` and verifies the copy. Returns its contents and where its chain breaks.
fn copy(source: &Path, part: &Path, watch: Watch<'_>) -> Result<(Contents, Option<ChainFault>)> {
    let refused = |reason: String| StoreError::Backup { path: part.with_extension(""), reason };
    let sql = |error: rusqlite::Error| refused(without_sql(&error));
    create_private(part).map_err(|error| refused(error.to_string()))?;
    let from = open_plain(source, false).map_err(sql)?;
    // Read from one snapshot: otherwise a write between two steps would restart the copy, which would then never finish during an
    // import.
    from.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;").map_err(sql)?;
    let expected = contents_of(&from)?;
    let mut to = open_plain(part, true).map_err(sql)?;
    Backup::new(&from, &mut to).map_err(StoreError::from).and_then(|backup| run(&backup, watch, STEP_PAGES)).map_err(
        |error| match error {
            StoreError::Sqlite(error) => sql(error),
            other => other,
        },
    )?;
    drop(from);
    // Turn off the write-ahead log, which would put two more files beside the copy whenever it is read.
    to.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(())).map_err(sql)?;
    to.close().map_err(|(_, error)| sql(error))?;
    File::open(part)
        .and_then(|file| file.sync_all())
        .map_err(|error| refused(format!("it could not be written to the disk: {error}")))?;
    let made = open_plain(part, false).map_err(sql)?;
    if let Some(fault) = fault_of(&made)? {
        return Err(refused(format!("the copy is damaged ({fault}), so the disk or the database is damaged; check the disk")));
    }
    if contents_of(&made)? != expected {
        return Err(refused("the copy differs from the original, so the disk is damaged; choose another disk".to_owned()));
    }
    let mut made = open_plain(part, true).map_err(sql)?;
    // At its next start, the store removes changes that were made to its triggers from outside. The copy should not contain them
    // either. If they cannot be removed here, the copy is no worse than the store, and a restore checks again.
    if schema::settle_copy(&mut made).unwrap_or(false) {
        File::open(part)
            .and_then(|file| file.sync_all())
            .map_err(|error| refused(format!("it could not be written to the disk: {error}")))?;
    }
    // A copy with a broken chain is better than no copy: the report says so, and the person decides when restoring it.
    let doubt = ReadTx { conn: &made }.log().verify_chain()?.doubt();
    Ok((expected, doubt))
}

/// Copies all pages in steps; the target receives all of them or none. A step of zero pages copies nothing, but locks the target
/// against other writers for as long as the `Backup` exists.
pub(crate) fn run(backup: &Backup<'_, '_>, watch: Watch<'_>, step_pages: i32) -> Result<()> {
    /// Maximum number of attempts. Another process finishes a write within milliseconds, and each attempt waits as long as any
    /// of our own writes does.
    const TRIES_MAX: u32 = 3;
    let mut tries = 0;
    loop {
        let step = backup.step(step_pages)?;
        let progress = backup.progress();
        let total = u64::try_from(progress.pagecount).unwrap_or(0);
        let done = total.saturating_sub(u64::try_from(progress.remaining).unwrap_or(0));
        match step {
            StepResult::Done => {
                watch(total, total);
                return Ok(());
            }
            StepResult::More if step_pages == 0 => return Ok(()),
            StepResult::More if watch(done, total) => {}
            StepResult::More => return Err(StoreError::Stopped),
            _ if tries < TRIES_MAX => tries += 1,
            _ => return Err(StoreError::Refused("another program keeps the database busy; close it and try again")),
        }
    }
}

/// Opens a connection without the protections of an open store. Only for copies and for files that are not in use yet.
pub(crate) fn open_plain(path: &Path, may_write: bool) -> rusqlite::Result<Connection> {
    let access = if may_write { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
    let conn = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "trusted_schema", "OFF")?;
    conn.pragma_update(None, "cell_size_check", "ON")?;
    conn.pragma_update(None, "mmap_size", 0)?;
    Ok(conn)
}

/// Reads the contents of a database.
pub(crate) fn contents_of(conn: &Connection) -> Result<Contents> {
    let schema = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let mut names =
        conn.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') ORDER BY name")?;
    let names = names.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut rows = BTreeMap::new();
    for name in names {
        let count: i64 =
            conn.query_row(&format!("SELECT count(*) FROM \"{}\"", name.replace('"', "\"\"")), [], |row| row.get(0))?;
        rows.insert(name, count as u64);
    }
    let head: Hash = ReadTx { conn }.log().chain_head()?;
    Ok(Contents { schema, rows, head: head.iter().map(|byte| format!("{byte:02x}")).collect() })
}

/// The first fault of a database: damage to the file, or rows that refer to missing rows.
pub(crate) fn fault_of(conn: &Connection) -> Result<Option<String>> {
    let damaged = |error: rusqlite::Error| match error {
        rusqlite::Error::SqliteFailure(..) => Ok(Some(without_sql(&error))),
        error => Err(error.into()),
    };
    let check = conn.query_row(&format!("PRAGMA integrity_check({FAULTS_MAX})"), [], |row| row.get::<_, String>(0));
    match check {
        Ok(said) if said == "ok" => {}
        // The integrity check names pages and tables, never their contents.
        Ok(said) => return Ok(Some(said.lines().next().unwrap_or_default().to_owned())),
        Err(error) => return damaged(error),
    }
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    match rows.next() {
        Ok(None) => Ok(None),
        Ok(Some(row)) => Ok(Some(format!("rows of {} refer to rows that do not exist", row.get::<_, String>(0)?))),
        Err(error) => damaged(error),
    }
}

/// Creates an empty file that only its owner can read. An existing file with this name is removed.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Whether both paths lead to the same file.
fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Syncs the folder of `path`, because a new file name is on disk only after its folder has been synced.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Adds a verified copy of a database with an older schema to the backups. If this fails, nothing may be migrated.
pub(crate) fn keep_copy(path: &Path, now: Timestamp) -> Result<()> {
    let refused = |reason: String| StoreError::NoSafetyCopy { path: path.to_owned(), reason };
    let sql = |error: rusqlite::Error| refused(without_sql(&error));
    let source = open_plain(path, false).map_err(sql)?;
    let version = source.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).map_err(sql)?;
    if version >= migrate::SCHEMA_VERSION {
        // Another process has upgraded the database in the meantime.
        return Ok(());
    }
    let data_dir = path.parent().unwrap_or(Path::new("."));
    let copy = own_backup_path(data_dir, now, BEFORE_UPGRADE).map_err(|error| refused(error.to_string()))?;
    match back_up(path, &copy, &mut |_, _| true) {
        Ok(_) => Ok(()),
        Err(StoreError::Backup { reason, .. }) => Err(refused(reason)),
        Err(StoreError::Sqlite(error)) => Err(sql(error)),
        Err(error) => Err(refused(error.to_string())),
    }
}
