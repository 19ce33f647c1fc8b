//! Restores a backup: all or nothing, and without undoing restrictions that the person has set since the backup.
//!
//! The backup is copied beside the store and prepared there. The file, rows and hash chain are checked, the schema is upgraded
//! to the current version, and the decisions made since the backup are applied. Messages erased since the backup are erased
//! from the copy too, and later imports do not bring them back. Imports undone since the backup are undone in the copy too, and
//! may be imported again. Items dismissed, marked as wrong, unlinked, excluded or made private since the backup keep that
//! state, and no agent may read more than it can now. A statement that was corrected since the backup awaits review instead of
//! taking effect again.
//!
//! Only then do the pages of the copy replace the pages of the live file, in one SQLite transaction. Readers continue with
//! their snapshot, and afterwards every process that has the file open sees the restored state. If the process is killed, the
//! file is either the old or the new one. Decisions made while the copy was being prepared are added under the same lock, when
//! no further decisions are possible. If something was erased in the meantime, the restore is refused instead.
//!
//! Not here: making a backup of the current state first, and informing the person (`keepsake-engine`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use keepsake_domain::{ConversationId, Timestamp};
use rusqlite::backup::Backup;
use rusqlite::{Connection, params};

use crate::areas::{Lifecycle, LifecycleMut};
use crate::changes::Tag;
use crate::error::without_sql;
use crate::guard::{self, Purpose};
use crate::lifecycle::copy::{
    Contents, DAMAGED_PREFIX, Watch, contents_of, create_private, fault_of, open_plain, run, sync_folder,
};
use crate::lifecycle::erase_memory::{ForgottenPlace, MemoryTombstone};
use crate::lifecycle::part::Part;
use crate::lifecycle::private_files::create_private_dir;
use crate::lifecycle::staging::{STAGING_DIR, io, staging_turn};
use crate::lifecycle::undo_import::keeps_out;
use crate::lifecycle::{migrate, schema};
use crate::log::chain::ChainFault;
use crate::open::{Store, has_log, opening_turn, set_up};
use crate::text::{parse, to_json};
use crate::transaction::ReadTx;
use crate::{Result, StoreError};

/// Bytes copied between two checks for cancellation.
const CHUNK_BYTES: usize = 8 * 1024 * 1024;

/// Counts of the restored data, and of the decisions made since the backup that were applied to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// Messages in the restored store.
    pub messages: u64,
    /// Conversations in the restored store.
    pub conversations: u64,
    /// Memories and proposals in the restored store.
    pub memories: u64,
    /// Whether later decisions could be applied. This requires that the backup is from this store and that the store could be
    /// read.
    pub is_same_store: bool,
    /// Messages that were erased, or whose import was undone, since the backup. They are now gone from the restored store as well.
    pub erased_again: u64,
    /// Messages that arrived after the backup and were then erased. Later imports leave them out.
    pub kept_out: u64,
    /// Memories that were dismissed, archived, hidden or erased since the backup. The restore did the same to them again.
    pub refused_again: u64,
    /// Memories that were corrected since the backup. The backup contains only the old wording, which awaits review.
    pub reopened: u64,
    /// Profile entries that were marked as wrong since the backup.
    pub debunked_again: u64,
    /// Links that were withdrawn since the backup.
    pub unlinked_again: u64,
    /// Conversations, channels and shared items that were excluded or made private since the backup.
    pub kept_private: u64,
    /// The first message that cannot be trusted, if a backup with a broken chain was accepted.
    pub doubt: Option<ChainFault>,
}

/// What to do with a backup whose hash chain is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDoubt {
    /// Refuse the backup.
    Refuse,
    /// Accept the backup, and report the point from which it cannot be trusted.
    Salvage,
}

/// Decisions in the live store that a backup may lack.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    key: Vec<u8>,
    tombstones: Vec<Tombstone>,
    /// Tombstones of memories; the places of their words are in `forgotten`.
    memories: Vec<MemoryTombstone>,
    forgotten: Vec<ForgottenPlace>,
    handles: BTreeSet<String>,
    refused: Vec<(String, String, Option<String>, Option<i64>)>,
    hidden: Vec<String>,
    corrected: Vec<String>,
    debunks: Vec<(String, String, String, String, bool, i64)>,
    unlinked: Vec<(String, String, String, String, i64, String)>,
    /// Unidentified speakers whose name was withdrawn.
    unnamed: Vec<(String, i64)>,
    /// Excluded conversations, each with the sequence number after which its messages are excluded.
    private: Vec<(String, i64)>,
    /// Past periods in which conversations were excluded. Each begins after one sequence number and ends with another
    /// (inclusive).
    private_times: Vec<(String, i64, i64)>,
    /// Excluded conversations from which everything derived was deleted.
    emptied: Vec<String>,
    closed: Vec<String>,
    closed_channels: Vec<(String, String, i64)>,
    guests: Vec<(String, i64)>,
    unshared: Vec<(String, String, i64)>,
    /// Agents that may read public data only.
    public_agents: Vec<(String, i64)>,
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

/// Change counters against which in-memory caches are checked.
const VERSIONS: [&str; 2] = ["boundary_version", "vector_version"];

/// A copy that has been checked and prepared. Dropping it removes the files.
#[derive(Debug)]
pub struct Staged {
    folder: PathBuf,
    restored: Restored,
    /// The decisions in the live store when the copy was prepared; `None` if the store could not be read.
    decided: Option<Decided>,
    kept_settings: Vec<String>,
    _turn: File,
}

impl Staged {
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join("keepsake.db")
    }

    /// Where the hash chain breaks, if it does.
    pub fn doubt(&self) -> Option<&ChainFault> {
        self.restored.doubt.as_ref()
    }

    /// Adds the decisions made since the copy was prepared. Called when no further decisions are possible.
    fn catch_up(&mut self, newest: Option<&Decided>) -> Result<()> {
        let newest = match (&self.decided, newest) {
            (Some(_), Some(newest)) => newest,
            // The store is damaged and could not be read before, either.
            (None, None) => return Ok(()),
            _ => return Err(StoreError::Refused("the database could be read only some of the time; try again")),
        };
        let mut conn = open_plain(&self.file(), true)?;
        guard::add_functions(&conn, Purpose::Erasing)?;
        let tx = conn.transaction()?;
        if self.restored.is_same_store {
            if self.is_erased_since(&tx, newest)? {
                return Err(StoreError::Refused(
                    "something was erased while the backup was being prepared; nothing was changed. Try again",
                ));
            }
            decide_again(&tx, newest, &mut self.restored)?;
        }
        keep_settings(&tx, newest)?;
        narrow_agents(&tx, newest)?;
        tx.commit()?;
        Ok(())
    }

    /// Whether something was erased from the store after the copy was prepared, so that the copy may still contain it.
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
        // If this fails, the next restore removes the leftovers.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The contents of a backup, and its faults, if any. A backup with faults can only be salvaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspected {
    /// The contents of the backup.
    pub contents: Contents,
    /// Where its hash chain breaks, if it does.
    pub doubt: Option<ChainFault>,
    /// Describes the locks in the backup that were changed from outside, if any. A salvaging restore repairs these locks.
    pub locks: Option<String>,
}

/// Reads a backup and reports its contents and faults. It reads a copy, so the backup and its folder stay unchanged.
pub fn inspect(file: &Path, data_dir: &Path, watch: Watch<'_>) -> Result<Inspected> {
    let staged = lay_aside(file, data_dir, watch)?;
    look_over(&staged.file(), file, OnDoubt::Salvage)
}

impl Store {
    /// Checks and prepares a backup, as the module documentation describes. The settings in `kept_settings` keep their current
    /// values.
    pub fn stage(&self, file: &Path, kept_settings: &[&str], now: Timestamp, watch: Watch<'_>) -> Result<Staged> {
        self.stage_with(file, kept_settings, OnDoubt::Refuse, now, watch)
    }

    /// Like [`stage`](Self::stage), but lets the caller choose what happens if the hash chain is broken.
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

    /// Replaces the store with the prepared copy in one step.
    pub fn replace_with(&self, mut staged: Staged, watch: Watch<'_>) -> Result<Restored> {
        self.hold_writer(|| {
            let from = open_plain(&staged.file(), false)?;
            let mut to = open_plain(self.path(), true)?;
            set_up(&to)?;
            let backup = Backup::new(&from, &mut to)?;
            // Lock the file against the writers of every process until it is replaced, so that the decisions read now are final.
            run(&backup, watch, 0)?;
            let kept: Vec<&str> = staged.kept_settings.iter().map(String::as_str).collect();
            let newest = decided(self, &kept);
            staged.catch_up(newest.as_ref())?;
            // Copy all pages in one step, so that the file is either the old one or the new one.
            run(&backup, watch, -1)
        })?;
        // The write-ahead log may contain the old state until it is emptied. A reader may delay the emptying, which is
        // harmless.
        let _ = self.checkpoint();
        self.publish(Tag::ALL.to_vec());
        Ok(staged.restored.clone())
    }

    /// Replaces a database that cannot be opened. The damaged file is kept beside it under another name, which is returned.
    pub fn replace_damaged(
        data_dir: &Path,
        file: &Path,
        on_doubt: OnDoubt,
        now: Timestamp,
        watch: Watch<'_>,
    ) -> Result<(Restored, Option<PathBuf>)> {
        let live = data_dir.join("keepsake.db");
        create_private_dir(data_dir).map_err(|error| io("the data folder cannot be created", error))?;
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
                    .map_err(|error| io("the damaged database could not be set aside; nothing was changed", error))?;
                is_kept = true;
            }
        }
        // Remove leftover logs. Otherwise, SQLite would apply them to the new file, even though the file that they belong to is
        // gone.
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

/// The decisions in this store, or `None` if it is damaged and cannot be read. In that case the restore continues and its
/// result reports the fact, because the owner then needs the backup all the more.
pub(crate) fn decided(store: &Store, kept_settings: &[&str]) -> Option<Decided> {
    store.read(|tx| tx.lifecycle().decided(kept_settings)).ok()
}

/// Checks and prepares a copy.
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

/// Creates the empty staging folder.
pub(crate) fn empty_staging(data_dir: &Path) -> Result<Staged> {
    let folder = data_dir.join(STAGING_DIR);
    create_private_dir(data_dir).map_err(|error| io("the data folder cannot be created", error))?;
    let turn = staging_turn(data_dir)?;
    let turn = turn.ok_or(StoreError::Refused("a backup is already being checked or restored; try again when that is done"))?;
    // Remove the leftovers of a killed restore.
    let _ = fs::remove_dir_all(&folder);
    create_private_dir(&folder).map_err(|error| io("the folder for the copy cannot be created", error))?;
    Ok(Staged { folder, restored: Restored::default(), decided: None, kept_settings: Vec::new(), _turn: turn })
}

fn refused(file: &Path, why: &str) -> StoreError {
    StoreError::Unrestorable { path: file.to_owned(), reason: why.to_owned() }
}

/// Copies a file and its write-ahead log into the staging folder. The file itself is only read.
fn lay_aside(file: &Path, data_dir: &Path, watch: Watch<'_>) -> Result<Staged> {
    let version = migrate::check_header(file).map_err(|error| match error {
        StoreError::Open { reason, .. } => refused(file, reason.split("; choose").next().unwrap_or_default()),
        StoreError::NotOurs { .. } => refused(file, "it is a database of another program"),
        other => other,
    })?;
    if version == 0 && !has_log(file) {
        return Err(refused(file, "it is empty"));
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

/// Checks the file and rows of the copy, and inspects its hash chain and locks. Faults in the chain or the locks are errors
/// unless the copy may be salvaged. Returns the contents of the copy and these faults.
fn look_over(copy: &Path, file: &Path, on_doubt: OnDoubt) -> Result<Inspected> {
    let damaged = |error: rusqlite::Error| refused(file, &format!("it is damaged ({})", without_sql(&error)));
    // Opening the copy merges its log, if there is one.
    let conn = open_plain(copy, true).map_err(damaged)?;
    let version = match migrate::check(&conn, file) {
        Err(StoreError::Open { .. }) => return Err(refused(file, "it is damaged")),
        Err(StoreError::NotOurs { .. }) => return Err(refused(file, "it is a database of another program")),
        Err(other) => return Err(other),
        Ok(0) => return Err(refused(file, "it is empty")),
        Ok(version) => version,
    };
    if let Some(fault) = fault_of(&conn)? {
        return Err(refused(file, &format!("it is damaged ({fault})")));
    }
    let changed = schema::differences(&conn, version)?;
    if changed.is_of_tables() {
        return Err(refused(file, &format!("its tables were changed outside Keepsake ({})", changed.told())));
    }
    let locks = (!changed.is_none()).then(|| changed.told());
    if let (Some(told), OnDoubt::Refuse) = (&locks, on_doubt) {
        // A salvaged file is repaired when it is opened, and then contains an alert about the repair.
        let why = format!(
            "its safeguards were changed outside Keepsake ({told}); `keepsake restore --salvage` repairs and restores it"
        );
        return Err(refused(file, &why));
    }
    let doubt = ReadTx { conn: &conn }.log().verify_chain()?.doubt();
    match doubt {
        Some(fault) if on_doubt == OnDoubt::Refuse => Err(refused(
            file,
            &format!("its messages were changed outside Keepsake, from {fault} (`--salvage` restores it as it is)"),
        )),
        doubt => Ok(Inspected { contents: contents_of(&conn)?, doubt, locks }),
    }
}

/// Upgrades a checked copy to the current schema and applies the decisions made since the backup.
fn make_ready(staged: &mut Staged, decided: Option<&Decided>, on_doubt: OnDoubt, now: Timestamp) -> Result<()> {
    let path = staged.file();
    // Make no backup before the upgrade, because this file is itself a copy.
    let copy = Store::open_file(&path, None, now)?;
    let mut restored = Restored::default();
    let is_same = match decided {
        Some(decided) => copy.read(|tx| tx.log().source_hash_key())?.as_slice() == decided.key,
        None => false,
    };
    restored.is_same_store = is_same;
    if let Some(decided) = decided
        && is_same
    {
        copy.erase(|tx| {
            restored.erased_again = tx.lifecycle().erase_again(decided, now)?;
            restored.refused_again += tx.lifecycle().forget_again(&decided.memories, &decided.forgotten, now)?;
            tx.lifecycle().forget_forgotten()
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
        narrow_agents(&tx, decided)?;
    }
    // Requeue the jobs that were running when the backup was made.
    tx.execute("UPDATE jobs SET state = 'queued', lease_until_ms = NULL WHERE state = 'running'", [])?;
    tx.commit()?;
    if let Some(fault) = fault_of(&conn)? {
        return Err(StoreError::Migration { reason: format!("the backup could not be prepared ({fault})") });
    }
    let read = ReadTx { conn: &conn };
    restored.doubt = read.log().verify_chain()?.doubt();
    if let Some(fault) = restored.doubt.as_ref().filter(|_| on_doubt == OnDoubt::Refuse) {
        return Err(StoreError::Migration { reason: format!("the backup could not be prepared ({})", fault.what) });
    }
    restored.messages = read.lifecycle().count("interactions")?;
    restored.conversations = read.lifecycle().count("conversations")?;
    restored.memories = read.lifecycle().count("memories")?;
    conn.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    staged.restored = restored;
    Ok(())
}

impl Lifecycle<'_> {
    /// Number of rows in a table. `table` must be a table of the schema.
    fn count(&self, table: &'static str) -> Result<u64> {
        let count: i64 = self.tx.conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
        Ok(count as u64)
    }

    fn rows<T>(&self, sql: &str, row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>) -> Result<Vec<T>> {
        Ok(self.tx.conn.prepare(sql)?.query_map([], row)?.collect::<rusqlite::Result<Vec<_>>>()?)
    }

    /// Number of memories and proposals, in any status.
    pub fn memory_count(&self) -> Result<u64> {
        self.count("memories")
    }

    /// When data that a rebuild cannot restore last changed; `None` for an empty store.
    pub fn last_change(&self) -> Result<Option<Timestamp>> {
        let latest: Option<i64> = self.tx.conn.query_row(
            "SELECT max(at) FROM (
                 SELECT max(appended_at_ms) AS at FROM (SELECT appended_at_ms FROM interactions ORDER BY seq DESC LIMIT 1)
                 UNION ALL SELECT max(erased_at_ms) FROM (SELECT erased_at_ms FROM tombstones ORDER BY seq DESC LIMIT 1)
                 UNION ALL SELECT max(created_at_ms) FROM (SELECT created_at_ms FROM memories ORDER BY rank DESC LIMIT 1)
                 UNION ALL SELECT max(erased_at_ms) FROM memory_tombstones
                 UNION ALL SELECT max(created_at_ms) FROM operations
                 UNION ALL SELECT max(undone_at_ms) FROM operations
                 UNION ALL SELECT max(decided_at_ms) FROM link_decisions
                 UNION ALL SELECT max(decided_at_ms) FROM unidentified_speakers
                 UNION ALL SELECT max(decided_at_ms) FROM profile_disputes
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
        let mut decided = Decided { key: self.tx.log().source_hash_key()?.to_vec(), ..Decided::default() };
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
            "SELECT entity_id, profile_type, facet, fingerprint, is_disputed, decided_at_ms FROM profile_disputes ORDER BY seq",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)),
        )?;
        decided.unlinked = self.rows(
            "SELECT id, a_handle_id, b_handle_id, decision, decided_at_ms, evidence_fingerprint FROM link_decisions d
              WHERE decision <> 'same' AND NOT EXISTS (SELECT 1 FROM link_decisions later WHERE later.supersedes_id = d.id)",
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)),
        )?;
        decided.unnamed = self.rows(
            "SELECT handle_id, decided_at_ms FROM unidentified_speakers WHERE name IS NULL AND decided_at_ms IS NOT NULL",
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
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
        decided.public_agents = self
            .rows("SELECT name, updated_at_ms FROM agents WHERE visibility = 'public'", |row| Ok((row.get(0)?, row.get(1)?)))?;
        let kept = to_json("names of settings", &kept_settings)?;
        let mut settings = self
            .tx
            .conn
            .prepare("SELECT key, value, updated_at_ms FROM settings WHERE key IN (SELECT value FROM json_each(?1))")?;
        let settings = settings.query_map([kept], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        decided.settings = settings.collect::<rusqlite::Result<Vec<_>>>()?;
        for table in VERSIONS {
            let version = self.tx.conn.query_row(&format!("SELECT version FROM {table}"), [], |row| row.get(0))?;
            decided.versions.push((table, version));
        }
        Ok(decided)
    }
}

impl LifecycleMut<'_> {
    /// Erases from the copy everything that the store has erased or undone since the backup. The store erases whole
    /// conversations and all messages of a speaker in them, never single messages, so the same is done in the copy. Imports are
    /// undone first, because the rest of a conversation may have been erased after an undo.
    fn erase_again(&self, decided: &Decided, now: Timestamp) -> Result<u64> {
        let (erased, undone): (Vec<&Tombstone>, Vec<&Tombstone>) =
            decided.tombstones.iter().partition(|tombstone| keeps_out(&tombstone.reason));
        let undone: Vec<&str> = undone.iter().map(|tombstone| tombstone.id.as_str()).collect();
        let mut messages = self.undo_again(&undone, now)?;
        let mut gone: BTreeMap<String, (BTreeSet<String>, u64)> = BTreeMap::new();
        let mut find = self.tx.conn.prepare("SELECT conversation_id, handle_id FROM interactions WHERE source_key = ?1")?;
        for tombstone in erased {
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
        for (conversation, (handles, count)) in gone {
            let all: i64 = self.tx.conn.query_row(
                "SELECT count(*) FROM interactions WHERE conversation_id = ?1",
                [&conversation],
                |row| row.get(0),
            )?;
            let id: ConversationId = parse("conversation id", &conversation)?;
            let handles = to_json("handles", &handles)?;
            let part = if count < all as u64 { Part::of_handles(&id, &handles) } else { Part::all(&id) };
            messages += self.erase_parts(&[part], "it was erased after the backup was made", now)?.messages;
        }
        if messages > 0 {
            // A confirmed handle that the store no longer contains belonged to a person who was erased.
            let known = to_json("handles", &decided.handles)?;
            self.tx.conn.execute(
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

/// Handles messages that arrived after the backup and were then removed. Appends their tombstones to the copy's chain, so that
/// no later restore brings these messages back and, if they were erased, no later import does. Returns the number of erased
/// messages.
fn keep_out(conn: &Connection, decided: &Decided) -> Result<u64> {
    let read = ReadTx { conn };
    let mut head = read.log().chain_head()?.to_vec();
    let last: Option<i64> = conn.query_row(
        "SELECT max(seq) FROM (SELECT max(seq) AS seq FROM interactions UNION ALL SELECT max(seq) FROM tombstones)",
        [],
        |row| row.get(0),
    )?;
    let mut seq = last.unwrap_or(0);
    let (mut added, mut kept) = (0, 0);
    for tombstone in &decided.tombstones {
        let is_erasure = keeps_out(&tombstone.reason);
        // An undone message may be stored again under another id, so only its own id shows whether it is known.
        let is_known: bool = conn.query_row(
            "SELECT EXISTS (SELECT 1 FROM tombstones WHERE id = ?2)
                 OR EXISTS (SELECT 1 FROM interactions WHERE ?3 AND source_key = ?1)",
            params![tombstone.source_key, tombstone.id, is_erasure],
            |row| row.get(0),
        )?;
        if is_known || is_erasure && read.lifecycle().is_erased(&tombstone.source_key)? {
            continue;
        }
        seq += 1;
        added += 1;
        kept += u64::from(is_erasure);
        conn.execute(
            "INSERT INTO tombstones (seq, id, source_key, prev_hash, row_hash, erased_at_ms, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![seq, tombstone.id, tombstone.source_key, head, tombstone.row_hash, tombstone.erased_at_ms, tombstone.reason],
        )?;
        head.clone_from(&tombstone.row_hash);
    }
    if added > 0 {
        let counted = conn.execute("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'interactions'", [seq])?;
        if counted == 0 {
            conn.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('interactions', ?1)", [seq])?;
        }
    }
    Ok(kept)
}

/// Repeats in the copy the restrictions that were set in the store since the backup. Only restrictions are repeated: a restore
/// may lose an approval, but never a dismissal.
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
    for (entity, kind, facet, fingerprint, is_disputed, decided_at) in &decided.debunks {
        let added = conn.execute(
            "INSERT INTO profile_disputes (entity_id, profile_type, facet, fingerprint, is_disputed, decided_at_ms)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM entities WHERE id = ?1)
                AND NOT EXISTS (SELECT 1 FROM profile_disputes WHERE entity_id = ?1 AND profile_type = ?2 AND facet = ?3
                                   AND fingerprint = ?4 AND is_disputed = ?5 AND decided_at_ms = ?6)",
            params![entity, kind, facet, fingerprint, is_disputed, decided_at],
        )?;
        restored.debunked_again += if *is_disputed { added as u64 } else { 0 };
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
            tx.log().part_memories(a, b)?;
            tx.people().settle_speakers_beside(&[a, b])?;
        }
        restored.unlinked_again += parted as u64;
    }
    for (handle, decided_at) in &decided.unnamed {
        restored.unlinked_again += u64::from(crate::WriteTx::on(conn).people().unname_speaker(handle, Timestamp(*decided_at))?);
    }
    // The copy's log may be shorter, and positions after its end will belong to other messages.
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
    // A person who is now a guest must not become a friend again.
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

/// Keeps the settings that belong to this computer, and advances the change counters so that in-memory caches detect the restore.
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

/// Gives each agent the narrower of two levels: the one in the copy and the one that it has now. Tokens are kept as they are
/// now. The rule therefore also applies to a backup of another store, and to an agent that the copy does not know, because an
/// agent without a level may read everything.
fn narrow_agents(conn: &Connection, decided: &Decided) -> Result<()> {
    for (name, updated_at) in &decided.public_agents {
        conn.execute(
            "INSERT INTO agents (name, visibility, updated_at_ms) VALUES (?1, 'public', ?2)
             ON CONFLICT (name) DO UPDATE SET visibility = 'public', updated_at_ms = excluded.updated_at_ms
              WHERE visibility <> 'public'",
            params![name, updated_at],
        )?;
    }
    Ok(())
}
