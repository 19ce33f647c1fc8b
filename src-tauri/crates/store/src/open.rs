//! Opening the database and running transactions on it: one writer, several readers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard};

use keepsake_domain::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::changes::{Changes, Feed, Tag};
use crate::fair_lock::Turns;
use crate::guard::{self, Purpose};
use crate::lifecycle::private_files::create_private_dir;
use crate::lifecycle::{copy, migrate, schema, unfinished};
use crate::transaction::{ReadTx, WriteTx};
use crate::{Result, StoreError};

/// SQLite 3.7.0–3.51.2 can corrupt a WAL file when a checkpoint races a commit (SECURITY.md, "SQLite settings").
const SQLITE_VERSION_MIN: i32 = 3_051_003;
const SQLITE_VERSION_MIN_TEXT: &str = "3.51.3";

/// Number of read connections: one for a list, one for a detail view, one for a background job, and one spare.
const READERS: usize = 4;

/// Maximum number of prepared statements cached per connection. The whole program uses fewer.
const STATEMENT_CACHE: usize = 128;

/// How long a connection waits for another process to finish a write (for example, the CLI while the window is open).
const BUSY_TIMEOUT_MS: u32 = 5_000;

/// How long a checkpoint waits for readers, and a rewrite of the file for another process. Reading a list takes less time. A read that takes longer must not block all writes.
const CHECKPOINT_WAIT_MS: u32 = 250;

/// Page cache of the writer: 64 MiB, because a large import updates several indexes at the same time.
const WRITER_CACHE_KIB: i64 = 64 * 1024;

/// Page cache of each reader: 16 MiB. A single search reads several thousand pages of rows, vectors and indexes. With SQLite's
/// default of 2 MiB, these pages would evict the root pages of the B-trees.
const READER_CACHE_KIB: i64 = 16 * 1024;

/// Maximum size of a database that is rewritten in memory. A larger one is rewritten through an unnamed file in the system's
/// temporary folder, because an erasure should not take gigabytes of memory.
const REWRITE_IN_MEMORY_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Size of the write-ahead log that triggers a checkpoint, in pages of 4 KiB (16 MiB in total). With SQLite's default of 4 MiB,
/// an import would copy the same index pages into the file after every batch.
const CHECKPOINT_PAGES: i64 = 4_096;

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    // Declared before the writer, so that readers close first. The last connection to close checkpoints the write-ahead log and
    // removes it, but only if it can write.
    readers: Vec<Mutex<Connection>>,
    writer: Turns<Connection>,
    next_reader: AtomicUsize,
    feed: Feed,
    mended: Option<String>,
}

/// The open database. Clones are cheap and share one store.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

impl Store {
    /// Opens `keepsake.db` in `data_dir`, creating and migrating it as needed. `now` goes into the name of the backup made before
    /// a migration.
    pub fn open(data_dir: &Path, now: Timestamp) -> Result<Self> {
        create_private_dir(data_dir).map_err(|error| StoreError::Open {
            path: data_dir.to_owned(),
            reason: format!("{error}; choose another data folder"),
        })?;
        unfinished::clear(data_dir);
        Self::open_file(&data_dir.join("keepsake.db"), Some(now), now)
    }

    /// Opens a database file. If `copied` is given and the schema needs an upgrade, first backs up the file and uses the given
    /// time in the backup's name.
    pub(crate) fn open_file(path: &Path, copied: Option<Timestamp>, now: Timestamp) -> Result<Self> {
        if rusqlite::version_number() < SQLITE_VERSION_MIN {
            return Err(StoreError::OldSqlite { found: rusqlite::version().to_owned(), wanted: SQLITE_VERSION_MIN_TEXT });
        }
        let mut version = 0;
        if path.exists() {
            version = migrate::check_header(path)?;
            if has_log(path) {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                version = migrate::check(&open_connection(path, flags)?, path)?;
            }
        }
        // If a second process opens a new file while the first is switching it to WAL, SQLite fails instead of waiting. Processes
        // therefore queue here.
        let _turn = opening_turn(path)?;
        if let Some(now) = copied
            && (1..migrate::SCHEMA_VERSION).contains(&version)
        {
            copy::keep_copy(path, now)?;
        }
        let writer_flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut writer = open_connection(path, writer_flags)?;
        set_up(&writer)?;
        guard::add_functions(&writer, Purpose::Ordinary)?;
        // Check before the migrations, so that planted triggers cannot run during them, and again afterwards against the current
        // schema.
        let stands_at = writer.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))?;
        let mut mended = None;
        if (1..migrate::SCHEMA_VERSION).contains(&stands_at) {
            mended = schema::settle(&mut writer, path, stands_at, now)?;
        }
        migrate::run(&mut writer)?;
        mended = schema::settle(&mut writer, path, migrate::SCHEMA_VERSION, now)?.or(mended);
        ensure_keys(&writer)?;
        guard::lock(&writer, Purpose::Ordinary)?;
        let reader_flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let readers = (0..READERS)
            .map(|_| {
                let reader = open_connection(path, reader_flags)?;
                set_up_reader(&reader)?;
                guard::add_functions(&reader, Purpose::Ordinary)?;
                guard::lock(&reader, Purpose::Ordinary)?;
                Ok(Mutex::new(reader))
            })
            .collect::<Result<Vec<_>>>()?;
        let inner = Inner {
            path: path.to_owned(),
            readers,
            writer: Turns::of(writer),
            next_reader: AtomicUsize::new(0),
            feed: Feed::default(),
            mended,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Path of the database file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Describes the locks in the file that something other than Keepsake had changed and that were repaired on opening; `None`
    /// if nothing was repaired.
    pub fn mended(&self) -> Option<&str> {
        self.inner.mended.as_deref()
    }

    /// Compares the locks in the file with the locks of this program, repairs differences, raises an alert and describes the
    /// differences. A file that stays open for weeks thus gets the same check as a file that is being opened.
    pub fn settle_locks(&self, now: Timestamp) -> Result<Option<String>> {
        // Use a separate connection, because the others may not change the schema.
        let mended = self.hold_writer(|| {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let mut conn = open_connection(&self.inner.path, flags)?;
            set_up(&conn)?;
            guard::add_functions(&conn, Purpose::Ordinary)?;
            schema::settle(&mut conn, &self.inner.path, migrate::SCHEMA_VERSION, now)
        })?;
        if mended.is_some() {
            self.publish(vec![Tag::Alerts]);
        }
        Ok(mended)
    }

    /// Reads from one consistent snapshot.
    pub fn read<T>(&self, work: impl FnOnce(&ReadTx<'_>) -> Result<T>) -> Result<T> {
        let mut conn = self.reader()?;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Deferred)?;
        work(&ReadTx { conn: &tx })
    }

    /// Writes in one transaction, all or nothing. The tags that `work` touched are published after the commit.
    pub fn write<T>(&self, work: impl FnOnce(&WriteTx<'_>) -> Result<T>) -> Result<T> {
        let mut conn = self.inner.writer.wait()?;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let write = WriteTx::on(&tx);
        let value = work(&write)?;
        let changes: Changes = write.tags.into_inner().into_iter().collect();
        tx.commit()?;
        drop(conn);
        self.inner.feed.publish(changes);
        Ok(value)
    }

    /// Runs `work` and rolls it back, to find out exactly what it would do. Publishes no changes.
    pub(crate) fn rehearse<T>(&self, work: impl FnOnce(&WriteTx<'_>) -> Result<T>) -> Result<T> {
        let mut conn = self.inner.writer.wait()?;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&WriteTx::on(&tx))?;
        tx.rollback()?;
        Ok(value)
    }

    /// Like [`write`](Self::write), but publishes no changes. For data that no panel shows, such as the saved state of the
    /// window.
    pub fn write_quietly<T>(&self, work: impl FnOnce(&WriteTx<'_>) -> Result<T>) -> Result<T> {
        self.write(|tx| {
            let value = work(tx)?;
            tx.tags.borrow_mut().clear();
            Ok(value)
        })
    }

    /// Subscribes to the change feed: receives the tags of every write from now on.
    pub fn subscribe(&self) -> Receiver<Changes> {
        self.inner.feed.subscribe()
    }

    /// Announces a change that another process wrote.
    pub fn publish(&self, changes: Changes) {
        self.inner.feed.publish(changes);
    }

    /// A number that changes when another process commits.
    pub fn data_version(&self) -> Result<i64> {
        let conn = self.inner.writer.wait()?;
        Ok(conn.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// From now on, counts the steps of SQLite's virtual machine in every connection of this store, so that a test can compare
    /// the work of two queries. Unlike a clock, the count is the same on a busy machine. Counting slows everything down.
    pub fn count_steps(&self) -> Result<Arc<AtomicU64>> {
        let steps = Arc::new(AtomicU64::new(0));
        let count = |conn: &Connection| {
            let steps = Arc::clone(&steps);
            conn.progress_handler(
                1,
                Some(move || {
                    steps.fetch_add(1, Ordering::Relaxed);
                    false
                }),
            )
        };
        for reader in &self.inner.readers {
            count(&*reader.lock().map_err(|_| StoreError::Poisoned)?)?;
        }
        count(&*self.inner.writer.wait()?)?;
        Ok(steps)
    }

    /// Runs an erasure: the only way to remove messages.
    pub(crate) fn erase<T>(&self, work: impl FnOnce(&WriteTx<'_>) -> Result<T>) -> Result<T> {
        // Hold the ordinary writer during the erasure, so that there is still only one writer.
        let writer = self.inner.writer.wait()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut conn = open_connection(&self.inner.path, flags)?;
        set_up(&conn)?;
        guard::add_functions(&conn, Purpose::Erasing)?;
        guard::lock(&conn, Purpose::Erasing)?;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let write = WriteTx::on(&tx);
        let value = work(&write)?;
        let changes: Changes = write.tags.into_inner().into_iter().collect();
        tx.commit()?;
        drop(conn);
        drop(writer);
        self.inner.feed.publish(changes);
        Ok(value)
    }

    /// Runs `work` while nothing else in this process writes.
    pub(crate) fn hold_writer<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let _writer = self.inner.writer.wait()?;
        work()
    }

    /// Moves the write-ahead log into the file and empties it. Returns `false` if a reader still needs the log; try again later.
    pub fn checkpoint(&self) -> Result<bool> {
        let conn = self.inner.writer.wait()?;
        wait_for_others(&conn, CHECKPOINT_WAIT_MS)?;
        let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        wait_for_others(&conn, BUSY_TIMEOUT_MS)?;
        Ok(busy? == 0)
    }

    /// Writes the whole database anew, so that only what its rows contain is left in the file. SQLite overwrites a deleted row, but
    /// not the copies that remain in the free space of a page when rows move to another page. Returns `false` if another process
    /// is writing; try again later.
    pub(crate) fn rewrite(&self) -> Result<bool> {
        self.hold_writer(|| {
            // Use a separate connection, because the authorizer of the others refuses this.
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let conn = open_connection(&self.inner.path, flags)?;
            set_up(&conn)?;
            wait_for_others(&conn, CHECKPOINT_WAIT_MS)?;
            if std::fs::metadata(&self.inner.path).is_ok_and(|file| file.len() > REWRITE_IN_MEMORY_BYTES_MAX) {
                conn.pragma_update(None, "temp_store", "FILE")?;
            }
            match conn.execute_batch("VACUUM") {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
                outcome => Ok(outcome.map(|()| true)?),
            }
        })
    }

    fn reader(&self) -> Result<MutexGuard<'_, Connection>> {
        // Take the first free connection: a single reader then keeps using the same connection, with its schema loaded and
        // statements prepared.
        if let Some(conn) = self.inner.readers.iter().find_map(|reader| reader.try_lock().ok()) {
            return Ok(conn);
        }
        let turn = self.inner.next_reader.fetch_add(1, Ordering::Relaxed);
        self.inner.readers[turn % READERS].lock().map_err(|_| StoreError::Poisoned)
    }
}

/// Takes the lock that a process holds while it opens, creates or migrates the file. The operating system releases it if the
/// process dies.
pub(crate) fn opening_turn(path: &Path) -> Result<std::fs::File> {
    let lock = path.with_extension("lock");
    let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
    file.and_then(|file| file.lock().map(|()| file)).map_err(|error| StoreError::Open {
        path: lock,
        reason: format!("{error}; check that you can write to the folder and that it is on a disk of this computer"),
    })
}

/// Whether the write-ahead log contains changes that may not be in the file yet.
pub(crate) fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

fn open_connection(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let conn = Connection::open_with_flags(path, flags).map_err(|error| StoreError::Open {
        path: path.to_owned(),
        reason: format!("{error}; check that the folder exists and that you can write to it"),
    })?;
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    Ok(conn)
}

fn wait_for_others(conn: &Connection, timeout_ms: u32) -> Result<()> {
    Ok(conn.busy_timeout(std::time::Duration::from_millis(u64::from(timeout_ms)))?)
}

/// Sets the pragmas listed in SECURITY.md, "SQLite settings". That section gives the reason for each pragma.
pub(crate) fn set_up(conn: &Connection) -> Result<()> {
    wait_for_others(conn, BUSY_TIMEOUT_MS)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", "ON")?;
    conn.pragma_update(None, "recursive_triggers", "ON")?;
    conn.pragma_update(None, "secure_delete", "ON")?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "trusted_schema", "OFF")?;
    conn.pragma_update(None, "cell_size_check", "ON")?;
    conn.pragma_update(None, "mmap_size", 0)?;
    conn.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    #[cfg(target_os = "macos")]
    conn.pragma_update(None, "checkpoint_fullfsync", "ON")?;
    Ok(())
}

fn set_up_reader(conn: &Connection) -> Result<()> {
    wait_for_others(conn, BUSY_TIMEOUT_MS)?;
    conn.pragma_update(None, "query_only", "ON")?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "trusted_schema", "OFF")?;
    conn.pragma_update(None, "cell_size_check", "ON")?;
    conn.pragma_update(None, "mmap_size", 0)?;
    conn.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    Ok(())
}

/// Creates the key for hashing source ids if the file has none, using SQLite's random number generator.
fn ensure_keys(conn: &Connection) -> Result<()> {
    if conn.query_row("SELECT count(*) FROM store_keys WHERE name = 'source'", [], |row| row.get::<_, i64>(0))? == 1 {
        // Opening an up-to-date file writes nothing, so it never has to wait for another process.
        return Ok(());
    }
    conn.execute("INSERT OR IGNORE INTO store_keys (name, value) VALUES ('source', randomblob(32))", [])?;
    Ok(())
}

/// The connection that a test attacks.
#[cfg(feature = "testing")]
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// The connection for all ordinary writes.
    Writer,
    /// One of the read connections.
    Reader,
    /// The connection that an erasure opens.
    Erasing,
}

#[cfg(feature = "testing")]
impl Store {
    /// Runs raw SQL on one of the store's own connections, so that tests can prove that the locks work. Never part of a release
    /// build.
    #[doc(hidden)]
    pub fn attack(&self, door: Door, sql: &str) -> rusqlite::Result<()> {
        let closed = |_| rusqlite::Error::InvalidQuery;
        let run = |conn: &Connection| {
            let outcome = conn.execute_batch(sql);
            if !conn.is_autocommit() {
                // A half-finished transaction must not stay open for the next user of the connection.
                conn.execute_batch("ROLLBACK")?;
            }
            outcome
        };
        match door {
            Door::Writer => run(&*self.inner.writer.wait().map_err(closed)?),
            Door::Reader => run(&*self.reader().map_err(closed)?),
            Door::Erasing => match self.erase(|tx| Ok(tx.conn.execute_batch(sql)?)) {
                Err(StoreError::Sqlite(error)) => Err(error),
                other => other.map_err(closed),
            },
        }
    }
}
