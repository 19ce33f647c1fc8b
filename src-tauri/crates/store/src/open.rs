//! Opening the file and running transactions on it: one writer, several readers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard};

use keepsake_domain::Timestamp;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::changes::{Changes, Feed, Tag};
use crate::guard::{self, Purpose};
use crate::private_files::create_private_dir;
use crate::traces::Traces;
use crate::turns::Turns;
use crate::{Result, StoreError, migrate, schema, unfinished};

/// SQLite 3.7.0–3.51.2 can corrupt a WAL file when a checkpoint races a commit (security.md 0.10).
const SQLITE_VERSION_MIN: i32 = 3_051_003;
const SQLITE_VERSION_MIN_TEXT: &str = "3.51.3";

/// Readers: one for a list, one for a detail, one for a background job, one to spare.
const READERS: usize = 4;

/// Statements kept prepared a connection; the whole program has fewer.
const STATEMENT_CACHE: usize = 128;

/// How long a connection waits for another process (the command line beside the window) to finish a write.
const BUSY_TIMEOUT_MS: u32 = 5_000;

/// How long emptying the log waits for readers: a list that is being read ends sooner, and whatever takes longer must not keep
/// every write waiting with it.
const CHECKPOINT_WAIT_MS: u32 = 250;

/// Pages of 4 KiB kept in memory by the writer, 64 MiB: a large import appends to several indexes at once.
const WRITER_CACHE_KIB: i64 = 64 * 1024;

/// Pages kept in memory by each reader, 16 MiB: one search reads some thousand pages of rows, vectors and index, and SQLite's own 2 MiB
/// would lose the ones at the root of each tree before it is done.
const READER_CACHE_KIB: i64 = 16 * 1024;

/// Pages of the write-ahead log, 16 MiB, after which it is moved into the file: at SQLite's own 4 MiB an import would move the same
/// pages of its indexes after every batch.
const CHECKPOINT_PAGES: i64 = 4_096;

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    // Before the writer, so that they close before it: only a connection that may write moves the write-ahead log into the file and
    // removes it, and only as the last one.
    readers: Vec<Mutex<Connection>>,
    writer: Turns<Connection>,
    next_reader: AtomicUsize,
    feed: Feed,
    mended: Option<String>,
}

/// The open database. Cheap to clone; all clones are one store.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

impl Store {
    /// Opens `keepsake.db` in `data_dir`, creating and migrating as needed; a copy that is kept before a migration is named by `now`.
    pub fn open(data_dir: &Path, now: Timestamp) -> Result<Self> {
        create_private_dir(data_dir).map_err(|error| StoreError::Open {
            path: data_dir.to_owned(),
            reason: format!("{error}; choose another data folder"),
        })?;
        unfinished::clear(data_dir);
        Self::open_file(&data_dir.join("keepsake.db"), Some(now), now)
    }

    /// Opens one file, of which a copy is kept before its schema is brought up to date where a moment is given for its name.
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
        // SQLite makes no second process wait while a first one switches a new file to WAL: it fails, so openers queue up here.
        let _turn = opening_turn(path)?;
        if let Some(now) = copied
            && (1..migrate::SCHEMA_VERSION).contains(&version)
        {
            migrate::keep_copy(path, now)?;
        }
        let writer_flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut writer = open_connection(path, writer_flags)?;
        set_up(&writer)?;
        guard::add_functions(&writer, Purpose::Ordinary)?;
        // Before the migrations, so that what was planted does not run in them; and after, where it is the schema of today.
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

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Which locks of the file had been changed from outside and were put right as it was opened, in words.
    pub fn mended(&self) -> Option<&str> {
        self.inner.mended.as_deref()
    }

    /// Looks whether the locks in the file are those of this program still, puts right what is not, leaves an alert of it, and says what
    /// it was: a file that stays open for weeks is compared as one that is opened.
    pub fn settle_locks(&self, now: Timestamp) -> Result<Option<String>> {
        // Its own connection, since the others may not change the schema.
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

    /// Writes in one transaction: all of it or nothing. The tags that `work` touched are published after the commit.
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

    /// Does what `work` does and takes it back, so that what would come of it is known exactly. Nobody is told.
    pub(crate) fn rehearse<T>(&self, work: impl FnOnce(&WriteTx<'_>) -> Result<T>) -> Result<T> {
        let mut conn = self.inner.writer.wait()?;
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&WriteTx::on(&tx))?;
        tx.rollback()?;
        Ok(value)
    }

    /// As [`write`](Self::write), but nobody is told: for what no panel shows (the window remembering its own places).
    pub fn write_quietly<T>(&self, work: impl FnOnce(&WriteTx<'_>) -> Result<T>) -> Result<T> {
        self.write(|tx| {
            let value = work(tx)?;
            tx.tags.borrow_mut().clear();
            Ok(value)
        })
    }

    /// The tags of every write from now on.
    pub fn subscribe(&self) -> Receiver<Changes> {
        self.inner.feed.subscribe()
    }

    /// Says that something changed that no write of this process shows (another process wrote).
    pub fn publish(&self, changes: Changes) {
        self.inner.feed.publish(changes);
    }

    /// A number that changes when another process commits.
    pub fn data_version(&self) -> Result<i64> {
        let conn = self.inner.writer.wait()?;
        Ok(conn.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// Runs the erasure path: the only door through which a message leaves.
    pub(crate) fn erase<T>(&self, work: impl FnOnce(&WriteTx<'_>) -> Result<T>) -> Result<T> {
        // The ordinary writer waits, so there is still one writer.
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

    /// Runs `work` while nobody else of this process writes.
    pub(crate) fn hold_writer<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let _writer = self.inner.writer.wait()?;
        work()
    }

    /// Moves the write-ahead log into the file and empties it. `false` when a reader still needs it: try again later.
    pub fn checkpoint(&self) -> Result<bool> {
        let conn = self.inner.writer.wait()?;
        wait_for_others(&conn, CHECKPOINT_WAIT_MS)?;
        let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        wait_for_others(&conn, BUSY_TIMEOUT_MS)?;
        Ok(busy? == 0)
    }

    fn reader(&self) -> Result<MutexGuard<'_, Connection>> {
        // The first that is free: whoever reads alone keeps to one connection, which has read the schema and prepared its statements.
        if let Some(conn) = self.inner.readers.iter().find_map(|reader| reader.try_lock().ok()) {
            return Ok(conn);
        }
        let turn = self.inner.next_reader.fetch_add(1, Ordering::Relaxed);
        self.inner.readers[turn % READERS].lock().map_err(|_| StoreError::Poisoned)
    }
}

/// Held while one process opens, creates or migrates the file; the system lets go of it when the process ends.
pub(crate) fn opening_turn(path: &Path) -> Result<std::fs::File> {
    let lock = path.with_extension("lock");
    let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
    file.and_then(|file| file.lock().map(|()| file)).map_err(|error| StoreError::Open {
        path: lock,
        reason: format!("{error}; check that the folder is yours to write and on a disk of this computer"),
    })
}

/// Whether changes stand in the write-ahead log that may not be in the file yet.
pub(crate) fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

fn open_connection(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let conn = Connection::open_with_flags(path, flags).map_err(|error| StoreError::Open {
        path: path.to_owned(),
        reason: format!("{error}; check that the folder is there and yours to write"),
    })?;
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    Ok(conn)
}

fn wait_for_others(conn: &Connection, timeout_ms: u32) -> Result<()> {
    Ok(conn.busy_timeout(std::time::Duration::from_millis(u64::from(timeout_ms)))?)
}

/// The pragmas of security.md 2.2, each for the reason given there.
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

/// The key under which source ids are hashed, made once by SQLite's own randomness.
fn ensure_keys(conn: &Connection) -> Result<()> {
    if conn.query_row("SELECT count(*) FROM store_keys WHERE name = 'source'", [], |row| row.get::<_, i64>(0))? == 1 {
        // Opening an up-to-date file writes nothing, so that it never waits for another process.
        return Ok(());
    }
    conn.execute("INSERT OR IGNORE INTO store_keys (name, value) VALUES ('source', randomblob(32))", [])?;
    Ok(())
}

/// Which connection a test attacks.
#[cfg(feature = "testing")]
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// The one that all ordinary writes use.
    Writer,
    /// One of those that all reads use.
    Reader,
    /// The one of the erasure path.
    Erasing,
}

#[cfg(feature = "testing")]
impl Store {
    /// Runs raw SQL on one of the store's own connections: how tests prove that their locks hold. Never part of a product build.
    #[doc(hidden)]
    pub fn attack(&self, door: Door, sql: &str) -> rusqlite::Result<()> {
        let closed = |_| rusqlite::Error::InvalidQuery;
        let run = |conn: &Connection| {
            let outcome = conn.execute_batch(sql);
            if !conn.is_autocommit() {
                // What failed half-way must not stay open for the next user of the connection.
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

/// One consistent view of the store.
#[derive(Debug)]
pub struct ReadTx<'c> {
    pub(crate) conn: &'c Connection,
}

/// A transaction that may write. Everything a [`ReadTx`] can do, it can do too.
#[derive(Debug)]
pub struct WriteTx<'c> {
    read: ReadTx<'c>,
    tags: RefCell<BTreeSet<Tag>>,
    /// How to recognise what this transaction erases.
    pub(crate) traces: RefCell<Traces>,
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &ReadTx<'c> {
        &self.read
    }
}

impl<'c> WriteTx<'c> {
    pub(crate) fn on(conn: &'c Connection) -> Self {
        Self { read: ReadTx { conn }, tags: RefCell::default(), traces: RefCell::default() }
    }

    /// Notes that rows of this kind changed.
    pub(crate) fn touch(&self, tag: Tag) {
        self.tags.borrow_mut().insert(tag);
    }
}
