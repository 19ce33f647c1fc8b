//! Erasure: the only code that removes messages, together with everything derived from them.
//!
//! A tombstone without content replaces each message in the same transaction, so the hash chain stays intact and a re-import does
//! not bring the message back. (Undoing an import, [`crate::lifecycle::undo_import`], removes messages in the same way, and they
//! may be imported again.) The same transaction queues a job that completes the erasure, because the write-ahead log contains
//! the text as long as any reader uses an older snapshot, and pages of the file contain copies of rows that moved to another
//! page. An erasure is therefore pending until the file has been rewritten, that log has been emptied, and a search of the files
//! has found none of the text ([`Store::sweep`]).
//!
//! Afterwards, the text is guaranteed to be gone from the database, its log and the copies that Keepsake itself made: backups,
//! leftovers of a restore, and files received for an import that failed or never began. A file whose import is still queued is
//! removed together with that import. Keepsake cannot reach copies made by the person, the system or the disk, and the texts in
//! the window promise no more than this.

use std::fs::File;
use std::path::{Path, PathBuf};

use keepsake_domain::{ConversationId, JobId, JobKind, Timestamp};
use rusqlite::params;
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

use crate::areas::{Lifecycle, LifecycleMut};
use crate::changes::Tag;
use crate::jobs::queue::NewJob;
use crate::lifecycle::part::{MESSAGES_OF_PART, OF_PART, Part, RESTS_ON_ANOTHER};
use crate::lifecycle::staging::clear_staging;
use crate::lifecycle::traces::Traces;
use crate::log::imports::INCOMING_DIR;
use crate::open::Store;
use crate::text::to_json;
use crate::{Result, StoreError};

/// Counts of the data that an erasure removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// Messages.
    pub messages: u64,
    /// Conversations.
    pub conversations: u64,
    /// Proposals and memories.
    pub memories: u64,
}

/// Payload of an erasure job: counts, and hashes for detecting leftovers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasurePayload {
    /// Counts of the removed data.
    pub erased: Erased,
    #[serde(default)]
    traces: Traces,
}

pub(crate) const PENDING: &str = "SELECT count(*) FROM jobs WHERE kind = 'erase' AND state <> 'done'";

/// The state of an erasure after a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// The log is empty, and the files contain none of the erased text.
    Clean,
    /// A reader still uses an older snapshot, so the log could not be emptied, or another process is writing.
    Held,
    /// The log is empty, but the files still contain this many stretches of the erased text.
    Left(usize),
}

impl Store {
    /// Rewrites the file, empties the write-ahead log, removes the copies that Keepsake itself made, and searches all files for
    /// the erased text.
    pub fn sweep(&self, payload: &ErasurePayload) -> Result<Sweep> {
        let data_dir = self.path().parent().unwrap_or(Path::new("."));
        // A backup left over from an inspection or a restore may contain the text, so remove it. If a copy is being prepared
        // right now, sweep again later. Because of this erasure, a restore from that copy is refused.
        // The log is emptied first, so that a reader that holds it is noticed before the whole file is written into it.
        if !self.checkpoint()? || !clear_staging(data_dir)? || !self.rewrite()? || !self.checkpoint()? {
            return Ok(Sweep::Held);
        }
        for copy in self.own_copies() {
            remove(&copy)?;
        }
        self.clear_incoming(&["queued", "running"])?;
        let key = self.read(|tx| {
            tx.lifecycle().check_secure_indexes()?;
            tx.log().source_hash_key()
        })?;
        if payload.traces.is_empty() {
            return Ok(Sweep::Clean);
        }
        let mut left = Traces::default();
        for path in self.files() {
            let found = File::open(&path).and_then(|file| payload.traces.found_in(&key, file));
            left.add_all(found.map_err(|error| StoreError::Io { what: format!("cannot read {}", path.display()), error })?);
        }
        if !left.is_empty() {
            // Rows that were not erased may contain the same text.
            let living = self.read(|tx| tx.lifecycle().living_traces(&key, &left))?;
            left.remove(&living);
        }
        Ok(if left.is_empty() { Sweep::Clean } else { Sweep::Left(left.len()) })
    }

    /// The existing files that can contain erased text: the database and its logs.
    fn files(&self) -> Vec<PathBuf> {
        let beside = |suffix: &str| {
            let mut path = self.path().as_os_str().to_owned();
            path.push(suffix);
            PathBuf::from(path)
        };
        ["", "-wal", "-journal"].map(beside).into_iter().filter(|path| path.exists()).collect()
    }
}

/// Removes one of our copies. It is not an error if the copy is already gone.
fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::Io { what: format!("cannot remove the old copy {}", path.display()), error })
        }
        _ => Ok(()),
    }
}

impl Store {
    /// Removes files that were received for an import, unless the import is in one of these states. Nothing reads these files
    /// later.
    fn clear_incoming(&self, states: &[&str]) -> Result<()> {
        let folder = self.path().with_file_name(INCOMING_DIR);
        let found: Vec<PathBuf> = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        if found.is_empty() {
            return Ok(());
        }
        let needed = self.read(|tx| tx.lifecycle().files_of_imports(states))?;
        for path in found {
            let Some(name) = path.file_name() else { continue };
            // Compare only the end of the path: the folder's path may have been written differently when the import was queued.
            let own = Path::new(INCOMING_DIR).join(name);
            if !needed.iter().any(|file| file.ancestors().any(|part| part.ends_with(&own))) {
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Removes leftovers beside the database: the copy that a killed preview or restore left behind, and files whose import has
    /// finished or never began. A failed import keeps its file, because it can be retried. Only the process that works on the
    /// queue may call this.
    pub fn clear_leftovers(&self) -> Result<()> {
        clear_staging(self.path().parent().unwrap_or(Path::new(".")))?;
        self.clear_incoming(&["queued", "running", "dead"])
    }
}

impl Lifecycle<'_> {
    /// Paths of the files of imports in these states.
    fn files_of_imports(&self, states: &[&str]) -> Result<Vec<PathBuf>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT json_extract(payload, '$.path') FROM jobs
              WHERE kind = 'import' AND state IN (SELECT value FROM json_each(?1)) AND json_extract(payload, '$.path') IS NOT NULL",
        )?;
        let rows = statement.query_map([to_json("states of jobs", &states)?], |row| row.get::<_, String>(0))?;
        Ok(rows.map(|path| path.map(PathBuf::from)).collect::<rusqlite::Result<_>>()?)
    }

    /// Number of erasures that are not complete yet.
    pub fn pending_erasures(&self) -> Result<u64> {
        let count: i64 = self.tx.conn.prepare_cached(PENDING)?.query_row([], |row| row.get(0))?;
        Ok(count as u64)
    }

    /// Fails unless secure deletion is on. Without it, the indexes keep the words of deleted rows (SECURITY.md, "Erasure").
    fn check_secure_indexes(&self) -> Result<()> {
        for index in ["interactions_fts", "memories_fts"] {
            let is_on = self
                .tx
                .conn
                .prepare_cached(&format!("SELECT 1 FROM {index}_config WHERE k = 'secure-delete' AND v = 1"))?
                .exists([])?;
            if !is_on {
                return Err(StoreError::corrupt("setting of the search index", "it does not overwrite what is erased"));
            }
        }
        Ok(())
    }

    /// The traces that still occur in some row. Search indexes are skipped: they contain either the same text as the rows, or
    /// text that must not be there.
    fn living_traces(&self, key: &[u8; 32], traces: &Traces) -> Result<Traces> {
        let mut tables = self.tx.conn.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")?;
        let tables = tables.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut living = Traces::default();
        for table in tables {
            let mut statement = self.tx.conn.prepare(&format!("SELECT * FROM \"{table}\""))?;
            let width = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                for column in 0..width {
                    if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = row.get_ref(column)? {
                        let found = traces.found_in(key, bytes);
                        living.add_all(found.map_err(|error| StoreError::Io { what: format!("cannot read {table}"), error })?);
                    }
                }
            }
        }
        Ok(living)
    }
}

impl LifecycleMut<'_> {
    /// Deletes the data derived from a conversation: memories based only on it, analyses, summaries and its gate log. A memory
    /// with evidence in another conversation stays, but loses its evidence in this one. Returns the number of deleted memories.
    pub fn erase_derived(&self, id: &ConversationId) -> Result<u64> {
        self.erase_derived_of(Part::all(id))
    }

    /// Like [`erase_derived`](Self::erase_derived), for a part of a conversation: memories based only on that part are deleted.
    /// Data derived from the conversation as a whole may quote anyone, so it is deleted too and derived again from the
    /// remaining messages.
    pub(crate) fn erase_derived_of(&self, part: Part<'_>) -> Result<u64> {
        let id = part.conversation;
        let gone = self.erase_memories_of(part)?;
        for (table, column) in [("conversation_summaries", "summary"), ("conversation_analyses", "outcome")] {
            self.remember_traces(&format!("SELECT {column} FROM {table} WHERE conversation_id = ?1"), id.as_str())?;
            self.tx.conn.execute(&format!("DELETE FROM {table} WHERE conversation_id = ?1"), params![id.as_str()])?;
        }
        let stops = format!("FROM gate_log WHERE conversation_id = ?1 AND NOT {RESTS_ON_ANOTHER}");
        self.remember_traces_with(&format!("SELECT content {stops}"), part.reach().params())?;
        self.tx.conn.execute(&format!("DELETE {stops}"), part.reach().params())?;
        self.remember_traces("SELECT pending_actions FROM conversations WHERE id = ?1", id.as_str())?;
        self.tx.conversation_status().forget(id)?;
        self.tx.profiles().erase_of(part)?;
        self.tx.gaps().erase_of(part)?;
        self.tx.model_calls().erase_about(id)?;
        self.tx.topics().erase_of(part)?;
        self.tx.playbooks().erase_of(part)?;
        self.tx.sessions().erase_of(part)?;
        self.tx.replies().erase_model_replies_of(id)?;
        self.tx.conn.execute(
            "DELETE FROM jobs WHERE state NOT IN ('queued', 'running') AND json_extract(payload, '$.conversation_id') = ?1",
            params![id.as_str()],
        )?;
        self.tx.touch(Tag::Memories);
        self.tx.touch(Tag::Analyses);
        self.tx.touch(Tag::GateLog);
        self.tx.touch(Tag::Jobs);
        Ok(gone)
    }

    /// Deletes the evidence in a part, and the memories without other evidence. Returns the number of deleted memories.
    fn erase_memories_of(&self, part: Part<'_>) -> Result<u64> {
        let mut statement = self.tx.conn.prepare(&format!(
            "SELECT DISTINCT v.memory_id FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id WHERE {OF_PART}
             UNION SELECT id FROM memories WHERE conversation_id = ?1 AND ?2 IS NULL AND ?3 IS NULL"
        ))?;
        let memories = statement.query_map(part.params(), |row| row.get::<_, String>(0))?;
        let memories = memories.collect::<rusqlite::Result<Vec<_>>>()?;
        for memory in &memories {
            self.remember_traces("SELECT content FROM memories WHERE id = ?1", memory)?;
        }
        let mut gone = 0;
        for memory in &memories {
            let (conversation, handles, import) = part.params();
            self.tx
                .conn
                .prepare_cached(&format!(
                    "DELETE FROM memory_evidence WHERE memory_id = ?4 AND interaction_id IN ({MESSAGES_OF_PART})"
                ))?
                .execute(params![conversation, handles, import, memory])?;
            let moved = self
                .tx
                .conn
                .prepare_cached(
                    "UPDATE memories SET conversation_id = i.conversation_id, said_at_ms = i.created_at_ms,
                            subject_handle_id = iif(subject_handle_id IS NULL, NULL, i.handle_id)
                       FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
                      WHERE memories.id = ?1 AND v.memory_id = ?1
                        AND v.position = (SELECT min(position) FROM memory_evidence WHERE memory_id = ?1)",
                )?
                .execute(params![memory])?;
            match moved {
                1.. => {}
                0 => {
                    self.tx
                        .conn
                        .prepare_cached("DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_id = ?1")?
                        .execute([memory])?;
                    // The person's newer version may have the same evidence and is then deleted too. A reference from an
                    // operation must not prevent its deletion.
                    self.tx.conn.prepare_cached("DELETE FROM operation_changes WHERE memory_id = ?1")?.execute([memory])?;
                    gone += 1;
                }
            }
        }
        // Versions refer to each other, so they are deleted together, with foreign keys checked at the end of the transaction.
        self.tx.conn.pragma_update(None, "defer_foreign_keys", "ON")?;
        for memory in &memories {
            self.tx
                .conn
                .prepare_cached(
                    "DELETE FROM memories WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE memory_id = ?1)",
                )?
                .execute([memory])?;
        }
        self.delete_empty_operations()?;
        Ok(gone)
    }

    /// Records hashes of the texts that `sql` selects by an id. Call this before erasing the texts, so that leftovers can be
    /// detected.
    pub(crate) fn remember_traces(&self, sql: &str, id: &str) -> Result<()> {
        self.remember_traces_with(sql, params![id])
    }

    /// Like [`remember_traces`](Self::remember_traces), with several parameters.
    pub(crate) fn remember_traces_with(&self, sql: &str, params: impl rusqlite::Params) -> Result<()> {
        let key = self.tx.log().source_hash_key()?;
        let mut statement = self.tx.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            if let ValueRef::Text(text) = row.get_ref(0)? {
                self.tx.traces.borrow_mut().add(&key, text);
            }
        }
        Ok(())
    }

    /// Queues the job that completes this transaction's erasure.
    pub fn queue_erasure(&self, job: &JobId, erased: Erased, now: Timestamp) -> Result<()> {
        self.tx.access_log().forget_served()?;
        self.forget_forgotten()?;
        let payload = ErasurePayload { erased, traces: self.tx.traces.take() };
        let job = NewJob {
            id: job.clone(),
            kind: JobKind::Erase,
            // Every erasure gets its own job.
            idempotency_key: job.to_string(),
            payload: to_json("erasure", &payload)?,
        };
        self.tx.jobs().enqueue(&job, now).map(|_| ())
    }

    /// Removes handles without messages, and entities without handles.
    pub(crate) fn forget_silent_speakers(&self) -> Result<()> {
        // Delete suggestions about handles without messages, because no speaker remains behind these handles.
        self.tx.conn.execute(
            "DELETE FROM link_suggestions WHERE NOT EXISTS (SELECT 1 FROM interactions i WHERE i.handle_id = a_handle_id)
                 OR NOT EXISTS (SELECT 1 FROM interactions i WHERE i.handle_id = b_handle_id)",
            [],
        )?;
        self.tx.conn.execute(
            "DELETE FROM entity_channels WHERE verified = 0
                AND NOT EXISTS (SELECT 1 FROM interactions i WHERE i.handle_id = entity_channels.id)
                AND NOT EXISTS (SELECT 1 FROM link_decisions d WHERE entity_channels.id IN (d.a_handle_id, d.b_handle_id))
                AND NOT EXISTS (SELECT 1 FROM link_suggestions s WHERE entity_channels.id IN (s.a_handle_id, s.b_handle_id))",
            [],
        )?;
        self.tx.conn.execute(
            "DELETE FROM entities WHERE NOT EXISTS (SELECT 1 FROM entity_channels c WHERE c.entity_id = entities.id)
                AND NOT EXISTS (SELECT 1 FROM conversations v WHERE v.entity_id = entities.id)
                AND NOT EXISTS (SELECT 1 FROM interactions i WHERE i.entity_id = entities.id)",
            [],
        )?;
        Ok(())
    }

    /// Replaces messages with tombstones, and removes the conversation if it is then empty. Works only on the erasing
    /// connection. Returns the number of messages and whether the conversation was removed.
    pub(crate) fn erase_messages(&self, part: Part<'_>, reason: &str, now: Timestamp) -> Result<(u64, bool)> {
        let id = part.conversation;
        let (conversation, handles, import) = part.params();
        self.tx.conn.execute(
            &format!(
                "INSERT INTO tombstones (seq, id, source_key, prev_hash, row_hash, erased_at_ms, reason)
                 SELECT i.seq, i.id, i.source_key, i.prev_hash, i.row_hash, ?4, ?5 FROM interactions i WHERE {OF_PART}"
            ),
            params![conversation, handles, import, now.0, reason],
        )?;
        self.tx.conn.execute(
            &format!("DELETE FROM embeddings WHERE owner_kind = 'interaction' AND owner_id IN ({MESSAGES_OF_PART})"),
            part.params(),
        )?;
        self.remember_traces_with(&format!("SELECT i.content FROM interactions i WHERE {OF_PART}"), part.params())?;
        let gone = self.tx.conn.execute(&format!("DELETE FROM interactions AS i WHERE {OF_PART}"), part.params())?;
        let is_empty = !self.recount(id)?;
        if is_empty {
            self.tx.conn.execute("DELETE FROM conversations WHERE id = ?1", params![id.as_str()])?;
        }
        Ok((gone as u64, is_empty))
    }

    /// Recomputes a conversation's message counts (total and by speaker), its times and its counterpart from the remaining
    /// messages. Returns `false` if there are none.
    fn recount(&self, id: &ConversationId) -> Result<bool> {
        self.tx.conn.execute(
            "DELETE FROM conversation_people WHERE conversation_id = ?1 AND NOT EXISTS (
                 SELECT 1 FROM interactions i WHERE i.conversation_id = ?1 AND i.handle_id = conversation_people.handle_id)",
            params![id.as_str()],
        )?;
        self.tx.conn.execute(
            "UPDATE conversation_people SET messages = rest.messages, first_ms = rest.first_ms, last_ms = rest.last_ms
               FROM (SELECT handle_id, count(*) AS messages, min(created_at_ms) AS first_ms, max(created_at_ms) AS last_ms
                       FROM interactions WHERE conversation_id = ?1 GROUP BY handle_id) rest
              WHERE conversation_id = ?1 AND conversation_people.handle_id = rest.handle_id",
            params![id.as_str()],
        )?;
        // Choose the counterpart in the same way as when messages are appended.
        let kept = self.tx.conn.execute(
            "UPDATE conversations SET messages = rest.messages, started_at_ms = rest.first_ms, last_activity_at_ms = rest.last_ms,
                    settle_due_ms = 0, entity_id = (
                        SELECT i.entity_id FROM interactions i JOIN entities e ON e.id = i.entity_id WHERE i.conversation_id = ?1
                         ORDER BY e.is_owner, CASE e.entity_type WHEN 'agent' THEN 1 WHEN 'service' THEN 2 ELSE 0 END, i.seq LIMIT 1)
               FROM (SELECT count(*) AS messages, min(created_at_ms) AS first_ms, max(created_at_ms) AS last_ms
                       FROM interactions WHERE conversation_id = ?1) rest
              WHERE id = ?1 AND rest.messages > 0",
            params![id.as_str()],
        )?;
        Ok(kept > 0)
    }
}
