//! Whole copies of the file, each looked over at once.
//!
//! A copy is taken with SQLite's online backup from one snapshot: whoever writes meanwhile goes on, and the copy is of the moment at
//! which it began. It gets its name only once it was read back, found sound and found to hold as many rows in every table and the
//! same head of the hash chain. Where the chain of the store itself is broken the copy is made all the same and its report says where.
//! It is no log-keeping file, so that reading it leaves nothing beside it, and only its owner may read it.
//! Deliberately not here: when a copy is made and which are kept (`keepsake-engine`), and the way back ([`crate::restore`]).

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use chrono::DateTime;
use keepsake_domain::Timestamp;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::chain::{ChainFault, Hash};
use crate::error::without_sql;
use crate::open::{ReadTx, Store};
use crate::private_files::create_private_dir;
use crate::{Result, StoreError, migrate, schema, unfinished};

/// The folder beside the database in which copies lie that Keepsake makes on its own.
pub const BACKUPS_DIR: &str = "backups";

/// Why a copy was made that the store makes by itself: a newer program brings its schema up to date.
pub const BEFORE_UPGRADE: &str = "before-upgrade";

/// How moments are written in names of backups: no sign that any system forbids, and so exact that the newest of a list is the last
/// made.
const NAME_TIME: &str = "%Y-%m-%dT%H-%M-%S%.3fZ";

/// Begins the names of the copies that earlier programs laid beside the database before an upgrade. None may outlive an erasure.
const FORMER_COPY_PREFIX: &str = "keepsake.schema-";

/// Begins the names under which a damaged database is kept aside.
pub(crate) const DAMAGED_PREFIX: &str = "keepsake.damaged-";

/// What a copy is called while it is being made.
pub(crate) const PART_ENDING: &str = "part";

/// Pages of 4 KiB copied at once: 8 MiB, some milliseconds, so that a cancel is heard soon.
const STEP_PAGES: i32 = 2_048;

/// Faults told of a file that is not sound; the first already says it.
const FAULTS_MAX: i64 = 3;

/// Told how many pages of how many are done; `false` stops it.
pub type Watch<'w> = &'w mut dyn FnMut(u64, u64) -> bool;

/// What a file holds, as it was read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Schema version.
    pub schema: i64,
    /// Rows of every table.
    pub rows: BTreeMap<String, u64>,
    /// The hash of the newest message, in hexadecimal digits.
    pub head: String,
}

impl Contents {
    /// How many rows a table has.
    pub fn rows_of(&self, table: &str) -> u64 {
        self.rows.get(table).copied().unwrap_or(0)
    }

    /// Whether nobody ever put anything in.
    pub fn is_blank(&self) -> bool {
        ["interactions", "tombstones", "memories", "imports"].iter().all(|table| self.rows_of(table) == 0)
    }
}

/// A copy that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What it holds.
    pub contents: Contents,
    /// Where the chain of its messages breaks, if it does: the copy is as good as the store was, and no better.
    pub doubt: Option<ChainFault>,
}

impl Store {
    /// Copies the store to `target`, as it is at this moment, and reads the copy back. An older backup there is replaced once the new
    /// one is known to be whole; anything else there stays and is told of.
    pub fn back_up(&self, target: &Path, watch: Watch<'_>) -> Result<BackupReport> {
        back_up(self.path(), target, watch)
    }

    /// The copies that Keepsake made of its own accord, unfinished ones included: none of them may outlive an erasure.
    pub(crate) fn own_copies(&self) -> Vec<PathBuf> {
        let mut copies = Vec::new();
        let named = |folder: &Path, is_ours: fn(&str) -> bool| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            entries.filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_ours)).collect::<Vec<_>>()
        };
        copies.extend(named(&self.path().with_file_name(BACKUPS_DIR), |name| name.contains(".db")));
        if let Some(folder) = self.path().parent() {
            copies.extend(named(folder, |name| name.starts_with(DAMAGED_PREFIX) || name.starts_with(FORMER_COPY_PREFIX)));
        }
        copies
    }
}

/// Where a backup of Keepsake's own goes that is made now, as `backups/keepsake-2026-01-05T10-00-00.250Z-daily.db`: a name that is
/// free, in a folder that only its owner may read.
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

/// As [`Store::back_up`], for a file that nobody here holds open.
pub(crate) fn back_up(source: &Path, target: &Path, watch: Watch<'_>) -> Result<BackupReport> {
    let refused = |reason: String| StoreError::Backup { path: target.to_owned(), reason };
    if same_file(source, target) {
        return Err(refused("it is the database itself; choose another file".to_owned()));
    }
    if target.exists() && migrate::check_header(target).is_err() {
        return Err(refused("another file has this name and is left as it is; choose another name".to_owned()));
    }
    let mut part = target.as_os_str().to_owned();
    part.push(".");
    part.push(PART_ENDING);
    let part = PathBuf::from(part);
    let begun = unfinished::begin(source.parent().unwrap_or(Path::new(".")), &part)
        .map_err(|error| refused(format!("it could not be noted as begun: {error}")))?;
    let made = copy(source, &part, watch).and_then(|(contents, doubt)| {
        let bytes = std::fs::metadata(&part).map(|meta| meta.len()).unwrap_or(0);
        std::fs::rename(&part, target).map_err(|error| refused(format!("it could not be given its name: {error}")))?;
        sync_folder(target).map_err(|error| refused(format!("its folder could not be written to the disk: {error}")))?;
        Ok(BackupReport { path: target.to_owned(), bytes, contents, doubt })
    });
    if made.is_err() {
        // What is left of it is of no use; where even that cannot be removed, the next try begins there.
        unfinished::remove(&part);
    }
    if !part.exists() {
        begun.end();
    }
    made
}

/// Copies to `part` and looks the copy over; what it holds, and where its chain breaks.
fn copy(source: &Path, part: &Path, watch: Watch<'_>) -> Result<(Contents, Option<ChainFault>)> {
    let refused = |reason: String| StoreError::Backup { path: part.with_extension(""), reason };
    let sql = |error: rusqlite::Error| refused(without_sql(&error));
    create_private(part).map_err(|error| refused(error.to_string()))?;
    let from = open_plain(source, false).map_err(sql)?;
    // One snapshot: a writer between two steps would begin the copy anew, and under an import it would never end.
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
    // A file that keeps a log leaves two more beside it whenever it is read.
    to.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(())).map_err(sql)?;
    to.close().map_err(|(_, error)| sql(error))?;
    File::open(part)
        .and_then(|file| file.sync_all())
        .map_err(|error| refused(format!("it could not reach the disk: {error}")))?;
    let made = open_plain(part, false).map_err(sql)?;
    if let Some(fault) = fault_of(&made)? {
        return Err(refused(format!("the copy is not sound ({fault}); the disk or the database is damaged")));
    }
    if contents_of(&made)? != expected {
        return Err(refused("the copy does not hold what was copied; the disk is damaged".to_owned()));
    }
    let mut made = open_plain(part, true).map_err(sql)?;
    // What somebody did to the locks of the store meanwhile is taken out as it starts the next time; the copy never has it. Where that
    // cannot be done the copy is as good as the store is, and a restore looks again.
    if schema::settle_copy(&mut made).unwrap_or(false) {
        File::open(part)
            .and_then(|file| file.sync_all())
            .map_err(|error| refused(format!("it could not reach the disk: {error}")))?;
    }
    // A doubtful copy is worth more than none: what it is worth is said, and whoever restores it decides.
    let doubt = ReadTx { conn: &made }.verify_chain()?.doubt();
    Ok((expected, doubt))
}

/// Copies every page in steps; what is copied to takes all of it or nothing. A step of no pages only locks it for other writers, and
/// the lock holds as long as the backup does.
pub(crate) fn run(backup: &Backup<'_, '_>, watch: Watch<'_>, step_pages: i32) -> Result<()> {
    /// Another process that writes is done within milliseconds; each try waits as long as any write of ours does.
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

/// A connection without the locks of an open store: nothing but copies, and files that are not in use yet, are handled through it.
pub(crate) fn open_plain(path: &Path, may_write: bool) -> rusqlite::Result<Connection> {
    let access = if may_write { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
    let conn = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "trusted_schema", "OFF")?;
    conn.pragma_update(None, "cell_size_check", "ON")?;
    conn.pragma_update(None, "mmap_size", 0)?;
    Ok(conn)
}

/// What a database holds.
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
    let head: Hash = ReadTx { conn }.chain_head()?;
    Ok(Contents { schema, rows, head: head.iter().map(|byte| format!("{byte:02x}")).collect() })
}

/// What is wrong with a database, seen as a file and as a set of rows that refer to each other.
pub(crate) fn fault_of(conn: &Connection) -> Result<Option<String>> {
    let damaged = |error: rusqlite::Error| match error {
        rusqlite::Error::SqliteFailure(..) => Ok(Some(without_sql(&error))),
        error => Err(error.into()),
    };
    let check = conn.query_row(&format!("PRAGMA integrity_check({FAULTS_MAX})"), [], |row| row.get::<_, String>(0));
    match check {
        Ok(said) if said == "ok" => {}
        // What the check says names pages and tables, never what stands in them.
        Ok(said) => return Ok(Some(said.lines().next().unwrap_or_default().to_owned())),
        Err(error) => return damaged(error),
    }
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    match rows.next() {
        Ok(None) => Ok(None),
        Ok(Some(row)) => Ok(Some(format!("rows of {} refer to rows that are not there", row.get::<_, String>(0)?))),
        Err(error) => damaged(error),
    }
}

/// An empty file that only its owner may read; what was left under this name is removed.
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

/// Whether both names lead to one file.
fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A new name is on the disk only once its folder is.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
