//! The way back from a copy: all of it or nothing, and not past what a person took back since.
//!
//! The copy is laid beside the store and made ready there: checked as a file, as rows and along the hash chain, brought to the present
//! schema, and then brought to what has been decided since it was made. What was erased is erased in it as well and stays out of later
//! imports; what was rejected, debunked, unlinked or made private stays so; a statement that was corrected waits for review instead of
//! holding again. Only then its pages replace those of the live file, in one transaction of SQLite: a reader goes on with what it saw,
//! whoever has the file open sees the restored one afterwards, and a process that is killed leaves the one or the other.
//! What is decided while the copy is made ready is taken over in that same turn, when nobody can decide any more; what is erased
//! meanwhile is not, and the restore is refused.
//! Deliberately not here: where the present state is kept aside, and who is told (`keepsake-engine`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use keepsake_domain::{ConversationId, Timestamp};
use rusqlite::backup::Backup;
use rusqlite::{Connection, params};

use crate::backup::{Contents, DAMAGED_PREFIX, Watch, contents_of, create_private, fault_of, open_plain, run, sync_folder};
use crate::chain::ChainFault;
use crate::changes::Tag;
use crate::erase::Part;
use crate::erase_memory::{ForgottenPlace, MemoryTombstone};
use crate::error::without_sql;
use crate::guard::{self, Purpose};
use crate::open::{ReadTx, Store, has_log, opening_turn, set_up};
use crate::private_files::create_private_dir;
use crate::text::{parse, to_json};
use crate::{Result, StoreError, migrate, schema};

/// The folder beside the database in which a copy is made ready, by one restore or preview at a time.
const STAGING_DIR: &str = "restore.part";

/// Held by whoever uses that folder; the system lets go of it when the process ends.
const STAGING_LOCK: &str = "restore.lock";

/// Bytes copied between two looks at the cancel button.
const CHUNK_BYTES: usize = 8 * 1024 * 1024;

/// What a restore brought back and what it did not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// What the store holds now.
    pub messages: u64,
    /// Conversations it holds.
    pub conversations: u64,
    /// Memories and candidates it holds.
    pub memories: u64,
    /// Whether what was decided since could be looked up at all: the copy is of this store, and the store could be read.
    pub is_same_store: bool,
    /// Messages that were erased since the copy was made and were erased from it as well.
    pub erased_again: u64,
    /// Messages that arrived and were erased since: they stay out of later imports.
    pub kept_out: u64,
    /// Memories that were rejected, put in the trash, hidden or erased since, and are so again.
    pub refused_again: u64,
    /// Memories that were corrected since; the copy knows only the old wording, which waits for review.
    pub reopened: u64,
    /// Entries of profiles that were called wrong since.
    pub debunked_again: u64,
    /// Links that were taken back since.
    pub unlinked_again: u64,
    /// Conversations, channels and shared items that were made private since.
    pub kept_private: u64,
    /// From where on the messages are in doubt, where a copy was taken whose chain is broken.
    pub doubt: Option<ChainFault>,
}

/// What becomes of a copy whose chain is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDoubt {
    /// It is refused.
    Refuse,
    /// It is taken, and what came back says where the doubt begins.
    Salvage,
}

/// What was decided in the live store and may be missing in a copy of it.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    key: Vec<u8>,
    tombstones: Vec<Tombstone>,
    /// Of memories, and the words that they rested on.
    memories: Vec<MemoryTombstone>,
    forgotten: Vec<ForgottenPlace>,
    handles: BTreeSet<String>,
    refused: Vec<(String, String, Option<String>, Option<i64>)>,
    hidden: Vec<String>,
    corrected: Vec<String>,
    debunks: Vec<(String, String, String, String, bool, i64)>,
    unlinked: Vec<(String, String, String, String, i64, String)>,
    /// Voices whose name was taken back.
    unnamed: Vec<(String, i64)>,
    /// Conversations that are private, and since which place in the log.
    private: Vec<(String, i64)>,
    /// Times in which conversations were private: after one place in the log, through another.
    private_times: Vec<(String, i64, i64)>,
    /// Private, and nothing is kept of what was worked out about them.
    emptied: Vec<String>,
    closed: Vec<String>,
    closed_channels: Vec<(String, String, i64)>,
    guests: Vec<(String, i64)>,
    unshared: Vec<(String, String, i64)>,
    settings: Vec<(String, String, i64)>,
    versions: Vec<(&'static str, i64)>,
}

#[derive(Debug)]
struct Tombstone {
    id: String,
    source_key: Vec<u8>,
    row_hash: Vec<u8>,
    erased_at_ms: i64,
    reason: String,
}

/// Counters of changes by which caches in memory know whether they still hold.
const VERSIONS: [&str; 2] = ["boundary_version", "vector_version"];

/// A copy that was checked and made ready; removed when it is dropped.
#[derive(Debug)]
pub struct Staged {
    folder: PathBuf,
    restored: Restored,
    /// What had been decided in the live store when the copy was made ready, where it could tell.
    decided: Option<Decided>,
    kept_settings: Vec<String>,
    _turn: File,
}

impl Staged {
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join("keepsake.db")
    }

    /// Where the chain of its messages breaks, if it does.
    pub fn doubt(&self) -> Option<&ChainFault> {
        self.restored.doubt.as_ref()
    }

    /// Takes over what was decided since the copy was made ready; asked when nobody can decide any more.
    fn catch_up(&mut self, newest: Option<&Decided>) -> Result<()> {
        let newest = match (&self.decided, newest) {
            (Some(_), Some(newest)) => newest,
            // A damaged store told nothing before either.
            (None, None) => return Ok(()),
            _ => return Err(StoreError::Refused("the database could be read at one time and not at another; try again")),
        };
        let mut conn = open_plain(&self.file(), true)?;
        guard::add_functions(&conn, Purpose::Erasing)?;
        let tx = conn.transaction()?;
        if self.restored.is_same_store {
            if self.is_erased_since(&tx, newest)? {
                return Err(StoreError::Refused(
                    "something was erased while the backup was made ready; nothing was changed, try again",
                ));
            }
            decide_again(&tx, newest, &mut self.restored)?;
        }
        keep_settings(&tx, newest)?;
        tx.commit()?;
        Ok(())
    }

    /// Whether something left the store for good since the copy was made ready, that the copy may still hold.
    fn is_erased_since(&self, copy: &Connection, newest: &Decided) -> Result<bool> {
        let Some(seen) = &self.decided else { return Ok(true) };
        let known: BTreeSet<&str> = seen.tombstones.iter().map(|tombstone| tombstone.id.as_str()).collect();
        if newest.tombstones.iter().any(|tombstone| !known.contains(tombstone.id.as_str())) {
            return Ok(true);
        }
        if newest.memories.iter().any(|tombstone| !seen.memories.contains(tombstone)) {
            return Ok(true);
        }
        for id in newest.emptied.iter().filter(|id| !seen.emptied.contains(id)) {
            if copy.query_row("SELECT EXISTS (SELECT 1 FROM conversations WHERE id = ?1)", [id], |row| row.get(0))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // What stays is removed before the next one.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What a copy holds, and why it may only be salvaged, if it may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspected {
    /// What it holds.
    pub contents: Contents,
    /// Where the chain of its messages breaks.
    pub doubt: Option<ChainFault>,
    /// Which of its locks were changed from outside, in words. They are put right in what is restored.
    pub locks: Option<String>,
}

/// Reads a copy and says what it holds, without changing anything beside it: a file that keeps a log is read from a copy of it.
/// What speaks against it is told beside it.
pub fn inspect(file: &Path, data_dir: &Path, watch: Watch<'_>) -> Result<Inspected> {
    let staged = lay_aside(file, data_dir, watch)?;
    look_over(&staged.file(), file, OnDoubt::Salvage)
}

impl Store {
    /// Checks a copy and makes it ready: see the module. The settings named here stay as they are now.
    pub fn stage(&self, file: &Path, kept_settings: &[&str], now: Timestamp, watch: Watch<'_>) -> Result<Staged> {
        self.stage_with(file, kept_settings, OnDoubt::Refuse, now, watch)
    }

    /// As [`stage`](Self::stage), where it may be that the chain of the copy is broken.
    pub fn stage_with(
        &self,
        file: &Path,
        kept_settings: &[&str],
        on_doubt: OnDoubt,
        now: Timestamp,
        watch: Watch<'_>,
    ) -> Result<Staged> {
        let data_dir = self.path().parent().unwrap_or(Path::new("."));
        if matches!((file.canonicalize(), self.path().canonicalize()), (Ok(a), Ok(b)) if a == b) {
            return Err(refused(file, "it is the database in use"));
        }
        let decided = decided(self, kept_settings);
        finish(lay_aside(file, data_dir, watch)?, file, decided, kept_settings, on_doubt, now)
    }

    /// Puts what was made ready in the place of what is here, at one stroke.
    pub fn replace_with(&self, mut staged: Staged, watch: Watch<'_>) -> Result<Restored> {
        self.hold_writer(|| {
            let from = open_plain(&staged.file(), false)?;
            let mut to = open_plain(self.path(), true)?;
            set_up(&to)?;
            let backup = Backup::new(&from, &mut to)?;
            // Locks the file for writers of every process until it is the new one; what is decided now is decided for good.
            run(&backup, watch, 0)?;
            let kept: Vec<&str> = staged.kept_settings.iter().map(String::as_str).collect();
            let newest = decided(self, &kept);
            staged.catch_up(newest.as_ref())?;
            // One step: it is either the old one or the new one.
            run(&backup, watch, -1)
        })?;
        // What stood there before may stay in the log until it is emptied; a reader that holds it up does no harm.
        let _ = self.checkpoint();
        self.publish(Tag::ALL.to_vec());
        Ok(staged.restored.clone())
    }

    /// Puts a copy in the place of a database that cannot be opened. The damaged files stay beside it under another name, which is
    /// returned.
    pub fn replace_damaged(
        data_dir: &Path,
        file: &Path,
        on_doubt: OnDoubt,
        now: Timestamp,
        watch: Watch<'_>,
    ) -> Result<(Restored, Option<PathBuf>)> {
        let live = data_dir.join("keepsake.db");
        create_private_dir(data_dir).map_err(|error| io("the data folder cannot be made", error))?;
        let mut staged = lay_aside(file, data_dir, watch)?;
        look_over(&staged.file(), file, on_doubt)?;
        make_ready(&mut staged, None, on_doubt, now)?;
        let _turn = opening_turn(&live)?;
        let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", live.display()));
        let kept = data_dir.join(format!("{DAMAGED_PREFIX}{}.db", now.0));
        let mut is_kept = false;
        for suffix in ["", "-wal"] {
            if beside(suffix).exists() {
                fs::copy(beside(suffix), format!("{}{suffix}", kept.display()))
                    .map_err(|error| io("the damaged database could not be kept aside; nothing was changed", error))?;
                is_kept = true;
            }
        }
        // The log of one file would be taken for the log of another, also where its own file is gone.
        for suffix in ["-wal", "-shm"] {
            match fs::remove_file(beside(suffix)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(io("the log of the damaged database cannot be removed; nothing was changed", error));
                }
                _ => {}
            }
        }
        fs::rename(staged.file(), &live)
            .and_then(|()| sync_folder(&live))
            .map_err(|error| io("the database could not be put in its place", error))?;
        Ok((staged.restored.clone(), is_kept.then_some(kept)))
    }
}

/// What was decided here. A damaged store may not tell; its owner needs the copy all the more, and hears of it.
pub(crate) fn decided(store: &Store, kept_settings: &[&str]) -> Option<Decided> {
    store.read(|tx| tx.decided(kept_settings)).ok()
}

/// Looks over what was laid aside and makes it ready.
pub(crate) fn finish(
    mut staged: Staged,
    file: &Path,
    decided: Option<Decided>,
    kept_settings: &[&str],
    on_doubt: OnDoubt,
    now: Timestamp,
) -> Result<Staged> {
    look_over(&staged.file(), file, on_doubt)?;
    make_ready(&mut staged, decided.as_ref(), on_doubt, now)?;
    staged.decided = decided;
    staged.kept_settings = kept_settings.iter().map(ToString::to_string).collect();
    Ok(staged)
}

/// The right to use the folder for copies that are made ready; nothing while another has it.
fn staging_turn(data_dir: &Path) -> Result<Option<File>> {
    let failed = |error| io("the lock of the folder for the copy cannot be taken", error);
    let file = File::options().create(true).truncate(false).write(true).open(data_dir.join(STAGING_LOCK)).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// An empty folder in which a copy is made ready.
pub(crate) fn empty_staging(data_dir: &Path) -> Result<Staged> {
    let folder = data_dir.join(STAGING_DIR);
    create_private_dir(data_dir).map_err(|error| io("the data folder cannot be made", error))?;
    let turn = staging_turn(data_dir)?;
    let turn = turn.ok_or(StoreError::Refused("a backup is being looked at or restored already; try again when that is done"))?;
    // A restore that was killed left it.
    let _ = fs::remove_dir_all(&folder);
    create_private_dir(&folder).map_err(|error| io("the folder for the copy cannot be made", error))?;
    Ok(Staged { folder, restored: Restored::default(), decided: None, kept_settings: Vec::new(), _turn: turn })
}

/// Removes the copy that a killed preview or restore left. `false` while one is being made ready.
pub(crate) fn clear_staging(data_dir: &Path) -> Result<bool> {
    let folder = data_dir.join(STAGING_DIR);
    if !folder.exists() {
        return Ok(true);
    }
    let Some(_turn) = staging_turn(data_dir)? else { return Ok(false) };
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(io("the copy that a restore left cannot be removed", error))
        }
        _ => Ok(true),
    }
}

fn refused(file: &Path, why: &str) -> StoreError {
    StoreError::Unrestorable { path: file.to_owned(), reason: why.to_owned() }
}

fn io(what: &str, error: std::io::Error) -> StoreError {
    StoreError::Io { what: what.to_owned(), error }
}

/// Copies a file, and the log beside it, into a folder of our own. The file itself is only read.
fn lay_aside(file: &Path, data_dir: &Path, watch: Watch<'_>) -> Result<Staged> {
    let version = migrate::check_header(file).map_err(|error| match error {
        StoreError::Open { reason, .. } => refused(file, reason.split("; choose").next().unwrap_or_default()),
        StoreError::NotOurs { .. } => refused(file, "it is a database of another program"),
        other => other,
    })?;
    if version == 0 && !has_log(file) {
        return Err(refused(file, "it holds nothing"));
    }
    let staged = empty_staging(data_dir)?;
    let log = PathBuf::from(format!("{}-wal", file.display()));
    let mut parts = vec![(file.to_owned(), staged.file())];
    if has_log(file) {
        parts.push((log, staged.folder.join("keepsake.db-wal")));
    }
    let total = parts.iter().filter_map(|(from, _)| fs::metadata(from).ok()).map(|meta| meta.len()).sum();
    let mut done = 0;
    for (from, to) in parts {
        copy_file(&from, &to, &mut done, total, watch)?;
    }
    Ok(staged)
}

fn copy_file(from: &Path, to: &Path, done: &mut u64, total: u64, watch: Watch<'_>) -> Result<()> {
    use std::io::{Read, Write};
    let reading = |error| io("the backup cannot be read", error);
    let writing = |error| io("the backup cannot be copied into the data folder", error);
    let mut input = fs::File::open(from).map_err(reading)?;
    let mut output = create_private(to).map_err(writing)?;
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let len = input.read(&mut buffer).map_err(reading)?;
        if len == 0 {
            return output.sync_all().map_err(writing);
        }
        output.write_all(&buffer[..len]).map_err(writing)?;
        *done += len as u64;
        if !watch(*done, total) {
            return Err(StoreError::Stopped);
        }
    }
}

/// Sound as a file, as rows and, unless it may be salvaged, along the chain and in its locks; what it holds, and what is in doubt.
fn look_over(copy: &Path, file: &Path, on_doubt: OnDoubt) -> Result<Inspected> {
    let damaged = |error: rusqlite::Error| refused(file, &format!("it is damaged ({})", without_sql(&error)));
    // Its log, where it has one, is taken into it here.
    let conn = open_plain(copy, true).map_err(damaged)?;
    let version = match migrate::check(&conn, file) {
        Err(StoreError::Open { .. }) => return Err(refused(file, "it is damaged")),
        Err(StoreError::NotOurs { .. }) => return Err(refused(file, "it is a database of another program")),
        Err(other) => return Err(other),
        Ok(0) => return Err(refused(file, "it holds nothing")),
        Ok(version) => version,
    };
    if let Some(fault) = fault_of(&conn)? {
        return Err(refused(file, &format!("it is damaged ({fault})")));
    }
    let changed = schema::differences(&conn, version)?;
    if changed.is_of_tables() {
        return Err(refused(file, &format!("its tables were changed from outside ({})", changed.told())));
    }
    let locks = (!changed.is_none()).then(|| changed.told());
    if let (Some(told), OnDoubt::Refuse) = (&locks, on_doubt) {
        // What is salvaged is put right as it is opened, and an alert in it says so.
        let why =
            format!("its locks were changed from outside ({told}); `keepsake restore --salvage` puts them right and takes it");
        return Err(refused(file, &why));
    }
    let doubt = ReadTx { conn: &conn }.verify_chain()?.doubt();
    match doubt {
        Some(fault) if on_doubt == OnDoubt::Refuse => {
            Err(refused(file, &format!("its messages were changed from outside from {fault} (`--salvage` takes it as it is)")))
        }
        doubt => Ok(Inspected { contents: contents_of(&conn)?, doubt, locks }),
    }
}

/// Brings a sound copy to the present schema and to what was decided since it was made.
fn make_ready(staged: &mut Staged, decided: Option<&Decided>, on_doubt: OnDoubt, now: Timestamp) -> Result<()> {
    let path = staged.file();
    // It is a copy itself.
    let copy = Store::open_file(&path, None, now)?;
    let mut restored = Restored::default();
    let is_same = match decided {
        Some(decided) => copy.read(|tx| tx.source_hash_key())?.as_slice() == decided.key,
        None => false,
    };
    restored.is_same_store = is_same;
    if let Some(decided) = decided
        && is_same
    {
        copy.erase(|tx| {
            restored.erased_again = tx.erase_again(decided, now)?;
            restored.refused_again += tx.forget_again(&decided.memories, &decided.forgotten, now)?;
            tx.forget_forgotten()
        })?;
    }
    copy.checkpoint()?;
    drop(copy);
    let mut conn = open_plain(&path, true)?;
    guard::add_functions(&conn, Purpose::Erasing)?;
    let tx = conn.transaction()?;
    if let Some(decided) = decided {
        if is_same {
            restored.kept_out = keep_out(&tx, decided)?;
            decide_again(&tx, decided, &mut restored)?;
        }
        keep_settings(&tx, decided)?;
    }
    // Work that ran when the copy was made waits for its turn again.
    tx.execute("UPDATE jobs SET state = 'queued', lease_until_ms = NULL WHERE state = 'running'", [])?;
    tx.commit()?;
    if let Some(fault) = fault_of(&conn)? {
        return Err(StoreError::Migration { reason: format!("the backup could not be made ready ({fault})") });
    }
    let read = ReadTx { conn: &conn };
    restored.doubt = read.verify_chain()?.doubt();
    if let Some(fault) = restored.doubt.as_ref().filter(|_| on_doubt == OnDoubt::Refuse) {
        return Err(StoreError::Migration { reason: format!("the backup could not be made ready ({})", fault.what) });
    }
    restored.messages = read.count("interactions")?;
    restored.conversations = read.count("conversations")?;
    restored.memories = read.count("memories")?;
    conn.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    staged.restored = restored;
    Ok(())
}

impl ReadTx<'_> {
    /// How many rows a table of ours has.
    fn count(&self, table: &'static str) -> Result<u64> {
        let count: i64 = self.conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
        Ok(count as u64)
    }

    fn rows<T>(&self, sql: &str, row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>) -> Result<Vec<T>> {
        Ok(self.conn.prepare(sql)?.query_map([], row)?.collect::<rusqlite::Result<Vec<_>>>()?)
    }

    /// How many memories and candidates there are, in any state.
    pub fn memory_count(&self) -> Result<u64> {
        self.count("memories")
    }

    /// When something last changed that no rebuild would bring back; nothing in an empty store.
    pub fn last_change(&self) -> Result<Option<Timestamp>> {
        let latest: Option<i64> = self.conn.query_row(
            "SELECT max(at) FROM (
                 SELECT max(appended_at_ms) AS at FROM (SELECT appended_at_ms FROM interactions ORDER BY seq DESC LIMIT 1)
                 UNION ALL SELECT max(erased_at_ms) FROM (SELECT erased_at_ms FROM tombstones ORDER BY seq DESC LIMIT 1)
                 UNION ALL SELECT max(created_at_ms) FROM (SELECT created_at_ms FROM memories ORDER BY rank DESC LIMIT 1)
                 UNION ALL SELECT max(erased_at_ms) FROM memory_tombstones
                 UNION ALL SELECT max(created_at_ms) FROM operations
                 UNION ALL SELECT max(undone_at_ms) FROM operations
                 UNION ALL SELECT max(decided_at_ms) FROM link_decisions
                 UNION ALL SELECT max(decided_at_ms) FROM voices
                 UNION ALL SELECT max(decided_at_ms) FROM profile_debunks
                 UNION ALL SELECT max(decided_at_ms) FROM topic_decisions
                 UNION ALL SELECT max(undone_at_ms) FROM topic_decisions
                 UNION ALL SELECT max(worded_at_ms) FROM topic_wordings
                 UNION ALL SELECT max(decided_at_ms) FROM playbook_decisions
                 UNION ALL SELECT max(undone_at_ms) FROM playbook_decisions
                 UNION ALL SELECT max(decided_at_ms) FROM person_roles
                 UNION ALL SELECT max(ended_at_ms) FROM session_ends
                 UNION ALL SELECT max(made_at_ms) FROM session_replies
                 UNION ALL SELECT max(made_at_ms) FROM model_replies
                 UNION ALL SELECT max(decided_at_ms) FROM channel_visibility)",
            [],
            |row| row.get(0),
        )?;
        Ok(latest.map(Timestamp))
    }

    fn decided(&self, kept_settings: &[&str]) -> Result<Decided> {
        let mut decided = Decided { key: self.source_hash_key()?.to_vec(), ..Decided::default() };
        decided.tombstones =
            self.rows("SELECT id, source_key, row_hash, erased_at_ms, reason FROM tombstones ORDER BY seq", |row| {
                Ok(Tombstone {
                    id: row.get(0)?,
                    source_key: row.get(1)?,
                    row_hash: row.get(2)?,
                    erased_at_ms: row.get(3)?,
                    reason: row.get(4)?,
                })
            })?;
        decided.memories = self.memory_tombstones()?;
        decided.forgotten = self.forgotten_rows()?;
        decided.handles = self.rows("SELECT id FROM entity_channels", |row| row.get(0))?.into_iter().collect();
        decided.refused = self.rows(
            "SELECT id, status, reject_reason, decided_at_ms FROM memories WHERE status IN ('rejected', 'archived', 'quarantined')",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?;
        decided.hidden = self.rows("SELECT id FROM memories WHERE is_hidden = 1", |row| row.get(0))?;
        decided.corrected = self.rows("SELECT id FROM memories WHERE status = 'superseded'", |row| row.get(0))?;
        decided.debunks = self.rows(
            "SELECT entity_id, profile_type, facet, fingerprint, is_debunked, decided_at_ms FROM profile_debunks ORDER BY seq",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)),
        )?;
        decided.unlinked = self.rows(
            "SELECT id, a_handle_id, b_handle_id, decision, decided_at_ms, evidence_fingerprint FROM link_decisions d
              WHERE decision <> 'same' AND NOT EXISTS (SELECT 1 FROM link_decisions later WHERE later.supersedes_id = d.id)",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)),
        )?;
        decided.unnamed = self
            .rows("SELECT handle_id, decided_at_ms FROM voices WHERE name IS NULL AND decided_at_ms IS NOT NULL", |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        decided.private = self
            .rows("SELECT conversation_id, after_seq FROM private_intervals WHERE through_seq IS NULL", |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        decided.private_times = self.rows(
            "SELECT conversation_id, after_seq, through_seq FROM private_intervals WHERE through_seq IS NOT NULL",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        decided.emptied = self.rows(
            "SELECT id FROM conversations c WHERE is_private = 1 AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.conversation_id = c.id)",
            |row| row.get(0),
        )?;
        decided.closed = self.rows("SELECT id FROM conversations WHERE visibility = 'private'", |row| row.get(0))?;
        decided.closed_channels = self.rows(
            "SELECT channel_type, channel_id, decided_at_ms FROM channel_visibility WHERE visibility = 'private'",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        decided.guests = self.rows("SELECT entity_id, decided_at_ms FROM person_roles WHERE role = 'guest'", |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        decided.unshared = self.rows(
            "SELECT item_kind, item_id, decided_at_ms FROM consents c WHERE is_shared = 0
                AND seq = (SELECT max(seq) FROM consents l WHERE l.item_kind = c.item_kind AND l.item_id = c.item_id)",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        let kept = to_json("names of settings", &kept_settings)?;
        let mut settings =
            self.conn.prepare("SELECT key, value, updated_at_ms FROM settings WHERE key IN (SELECT value FROM json_each(?1))")?;
        let settings = settings.query_map([kept], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        decided.settings = settings.collect::<rusqlite::Result<Vec<_>>>()?;
        for table in VERSIONS {
            let version = self.conn.query_row(&format!("SELECT version FROM {table}"), [], |row| row.get(0))?;
            decided.versions.push((table, version));
        }
        Ok(decided)
    }
}

impl crate::WriteTx<'_> {
    /// Erases from a copy what the store has erased since. Whole conversations and whole speakers are erased at a time, and never one
    /// message, so that what the copy holds of an erasure is one of both again.
    fn erase_again(&self, decided: &Decided, now: Timestamp) -> Result<u64> {
        let mut gone: BTreeMap<String, (BTreeSet<String>, u64)> = BTreeMap::new();
        let mut find = self.conn.prepare("SELECT conversation_id, handle_id FROM interactions WHERE source_key = ?1")?;
        for tombstone in &decided.tombstones {
            let rows = find.query_map([&tombstone.source_key], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
            for row in rows {
                let (conversation, handle) = row?;
                let entry = gone.entry(conversation).or_default();
                entry.0.insert(handle);
                entry.1 += 1;
            }
        }
        drop(find);
        for conversation in &decided.emptied {
            self.erase_derived(&parse("conversation id", conversation)?)?;
        }
        let mut messages = 0;
        for (conversation, (handles, count)) in gone {
            let all: i64 =
                self.conn.query_row("SELECT count(*) FROM interactions WHERE conversation_id = ?1", [&conversation], |row| {
                    row.get(0)
                })?;
            let id: ConversationId = parse("conversation id", &conversation)?;
            let handles = to_json("handles", &handles)?;
            let part = Part { conversation: &id, handles: (count < all as u64).then_some(handles.as_str()) };
            messages += self.erase_parts(&[part], "it was erased after the backup was made", now)?.messages;
        }
        if messages > 0 {
            // A confirmed handle of which the store knows nothing any more was a person's who was erased.
            let known = to_json("handles", &decided.handles)?;
            self.conn.execute(
                "UPDATE entity_channels SET verified = 0 WHERE id NOT IN (SELECT value FROM json_each(?1))
                    AND NOT EXISTS (SELECT 1 FROM interactions i WHERE i.handle_id = entity_channels.id)",
                [known],
            )?;
            self.forget_link_work()?;
            self.forget_silent_speakers()?;
        }
        Ok(messages)
    }
}

/// Adds the tombstones that the copy cannot know, at the end of its chain: an export that is read again must not bring back what
/// arrived after the copy was made and was erased.
fn keep_out(conn: &Connection, decided: &Decided) -> Result<u64> {
    let read = ReadTx { conn };
    let mut head = read.chain_head()?.to_vec();
    let last: Option<i64> = conn.query_row(
        "SELECT max(seq) FROM (SELECT max(seq) AS seq FROM interactions UNION ALL SELECT max(seq) FROM tombstones)",
        [],
        |row| row.get(0),
    )?;
    let mut seq = last.unwrap_or(0);
    let mut kept = 0;
    for tombstone in &decided.tombstones {
        let is_known: bool = conn.query_row(
            "SELECT EXISTS (SELECT 1 FROM tombstones WHERE source_key = ?1 OR id = ?2) OR EXISTS (SELECT 1 FROM interactions WHERE source_key = ?1)",
            params![tombstone.source_key, tombstone.id],
            |row| row.get(0),
        )?;
        if is_known {
            continue;
        }
        seq += 1;
        kept += 1;
        conn.execute(
            "INSERT INTO tombstones (seq, id, source_key, prev_hash, row_hash, erased_at_ms, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![seq, tombstone.id, tombstone.source_key, head, tombstone.row_hash, tombstone.erased_at_ms, tombstone.reason],
        )?;
        head.clone_from(&tombstone.row_hash);
    }
    if kept > 0 {
        let counted = conn.execute("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'interactions'", [seq])?;
        if counted == 0 {
            conn.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('interactions', ?1)", [seq])?;
        }
    }
    Ok(kept)
}

/// Takes back in the copy what was taken back in the store since. Only what narrows is repeated: going back to a copy may lose an
/// approval, and never a refusal.
fn decide_again(conn: &Connection, decided: &Decided, restored: &mut Restored) -> Result<()> {
    for (id, status, reason, decided_at) in &decided.refused {
        restored.refused_again += conn.execute(
            "UPDATE memories SET status = ?2, reject_reason = ?3, decided_at_ms = ?4 WHERE id = ?1 AND status IN ('active', 'pending')",
            params![id, status, reason, decided_at],
        )? as u64;
    }
    for id in &decided.hidden {
        restored.refused_again += conn.execute("UPDATE memories SET is_hidden = 1 WHERE id = ?1 AND is_hidden = 0", [id])? as u64;
    }
    for id in &decided.corrected {
        restored.reopened += conn
            .execute("UPDATE memories SET status = 'pending', decided_at_ms = NULL WHERE id = ?1 AND status = 'active'", [id])?
            as u64;
    }
    for (entity, kind, facet, fingerprint, is_debunked, decided_at) in &decided.debunks {
        let added = conn.execute(
            "INSERT INTO profile_debunks (entity_id, profile_type, facet, fingerprint, is_debunked, decided_at_ms)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM entities WHERE id = ?1)
                AND NOT EXISTS (SELECT 1 FROM profile_debunks WHERE entity_id = ?1 AND profile_type = ?2 AND facet = ?3
                                   AND fingerprint = ?4 AND is_debunked = ?5 AND decided_at_ms = ?6)",
            params![entity, kind, facet, fingerprint, is_debunked, decided_at],
        )?;
        restored.debunked_again += if *is_debunked { added as u64 } else { 0 };
    }
    for (id, a, b, decision, decided_at, fingerprint) in &decided.unlinked {
        let parted = conn.execute(
            "INSERT INTO link_decisions (id, a_handle_id, b_handle_id, decision, supersedes_id, decided_at_ms, evidence_fingerprint)
             SELECT ?1, ?2, ?3, ?4, d.id, ?5, ?6 FROM link_decisions d
              WHERE d.a_handle_id = ?2 AND d.b_handle_id = ?3 AND d.decision = 'same'
                AND NOT EXISTS (SELECT 1 FROM link_decisions later WHERE later.supersedes_id = d.id)
                AND NOT EXISTS (SELECT 1 FROM link_decisions WHERE id = ?1)",
            params![id, a, b, decision, decided_at, fingerprint],
        )?;
        if parted > 0 {
            let tx = crate::WriteTx::on(conn);
            tx.part_memories(a, b)?;
            tx.settle_voices_beside(&[a, b])?;
        }
        restored.unlinked_again += parted as u64;
    }
    for (handle, decided_at) in &decided.unnamed {
        restored.unlinked_again += u64::from(crate::WriteTx::on(conn).unname_voice(handle, Timestamp(*decided_at))?);
    }
    // The copy may end earlier in the log: places after its end will hold other messages.
    let last: i64 = conn.query_row("SELECT coalesce(max(seq), 0) FROM interactions", [], |row| row.get(0))?;
    for (id, after_seq) in &decided.private {
        let closed = conn.execute("UPDATE conversations SET is_private = 1 WHERE id = ?1 AND is_private = 0", [id])?;
        if closed > 0 {
            conn.execute(
                "INSERT OR IGNORE INTO private_intervals (conversation_id, after_seq) VALUES (?1, ?2)",
                params![id, after_seq.min(&last)],
            )?;
        }
        restored.kept_private += closed as u64;
    }
    for (id, after_seq, through_seq) in decided.private_times.iter().filter(|(_, after_seq, _)| *after_seq < last) {
        conn.execute(
            "INSERT OR IGNORE INTO private_intervals (conversation_id, after_seq, through_seq)
             SELECT id, ?2, ?3 FROM conversations WHERE id = ?1",
            params![id, after_seq, through_seq.min(&last)],
        )?;
    }
    for id in &decided.closed {
        restored.kept_private += conn.execute(
            "UPDATE conversations SET visibility = 'private', chosen_visibility = 'private' WHERE id = ?1 AND visibility = 'public'",
            [id],
        )? as u64;
    }
    for (channel, id, decided_at) in &decided.closed_channels {
        restored.kept_private += conn.execute(
            "INSERT INTO channel_visibility (channel_type, channel_id, visibility, decided_at_ms) VALUES (?1, ?2, 'private', ?3)
             ON CONFLICT (channel_type, channel_id) DO UPDATE SET visibility = 'private', decided_at_ms = excluded.decided_at_ms
              WHERE visibility = 'public'",
            params![channel, id, decided_at],
        )? as u64;
    }
    // Who is no friend any more does not become one again.
    for (id, decided_at) in &decided.guests {
        restored.kept_private += conn.execute(
            "UPDATE person_roles SET role = 'guest', decided_at_ms = ?2 WHERE entity_id = ?1 AND role <> 'guest'",
            params![id, decided_at],
        )? as u64;
    }
    for (kind, id, decided_at) in &decided.unshared {
        restored.kept_private += conn.execute(
            "INSERT INTO consents (item_kind, item_id, is_shared, decided_at_ms)
             SELECT ?1, ?2, 0, ?3 WHERE (SELECT is_shared FROM consents WHERE item_kind = ?1 AND item_id = ?2 ORDER BY seq DESC LIMIT 1) = 1",
            params![kind, id, decided_at],
        )? as u64;
    }
    Ok(())
}

/// What belongs to this computer and not to a day stays; and caches in memory must see that everything changed.
fn keep_settings(conn: &Connection, decided: &Decided) -> Result<()> {
    for (key, value, updated_at) in &decided.settings {
        conn.execute(
            "INSERT INTO settings (key, value, updated_at_ms) VALUES (?1, ?2, ?3)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at_ms = excluded.updated_at_ms",
            params![key, value, updated_at],
        )?;
    }
    for (table, version) in &decided.versions {
        conn.execute(&format!("UPDATE {table} SET version = max(version, ?1) + 1"), [version])?;
    }
    Ok(())
}
