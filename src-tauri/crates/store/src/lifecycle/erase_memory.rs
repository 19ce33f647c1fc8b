//! Permanent erasure of memories, by the same procedure as [`crate::lifecycle::erase`]. A statement is erased together with
//! everything that repeats it, except the messages.
//!
//! These are erased with a memory: its versions; memories merged into it or replaced by it; entries in the trash or the queue
//! with the same statement about the same subject; its evidence links, vector, weight, cleanup proposals and log entries; and
//! data derived from the same words (profile entries, tier and topic lines, gaps, and everything derived from the source
//! conversations as a whole).
//!
//! The messages stay. Only a tombstone with hashes remains of the memory. The places of its words are recorded, so that nothing
//! is derived from them again. If the same statement is still approved elsewhere, the person is only removing a copy, and the
//! words stay usable.
//!
//! Not here: skipping the words of forgotten places when messages are read (`keepsake-engine`), and erasing messages.

use std::collections::BTreeSet;

use keepsake_domain::{EvidenceSpan, JobId, MemoryId, MemoryStatus, Subject, Timestamp};
use rusqlite::params;
use serde::Serialize;

use crate::areas::{Lifecycle, LifecycleMut};
use crate::changes::Tag;
use crate::derived::profiles::place;
use crate::lifecycle::erase::Erased;
use crate::log::hash::hash_parts;
use crate::log::subjects::is_about;
use crate::open::Store;
use crate::text::{parse, to_json};
use crate::{Result, StoreError};

/// Counts of the data that erasing memories removes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct MemoriesErased {
    /// The requested memories.
    pub memories: u64,
    /// Other memories erased together with these: versions, merged memories, and duplicates.
    pub versions: u64,
    /// Evidence links to messages.
    pub lines: u64,
    /// Vectors.
    pub vectors: u64,
    /// Cleanup proposals about the erased memories.
    pub proposals: u64,
    /// Gate log entries.
    pub stops: u64,
    /// Profile entries with the same words as evidence.
    pub profile_entries: u64,
    /// Lines in memory tiers.
    pub tier_lines: u64,
    /// Lines of topics.
    pub topic_lines: u64,
    /// Gaps.
    pub gaps: u64,
    /// Summaries, sessions and analyses of the source conversations. They are recreated without the erased words.
    pub summaries: u64,
    /// Model calls whose text is removed.
    pub calls: u64,
    /// Access log entries about the erased memories.
    pub reads: u64,
}

/// A tombstone of a memory, as copied into a restored backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemoryTombstone {
    pub(crate) id_hash: Vec<u8>,
    statement_hash: Vec<u8>,
    subject_handle: Option<String>,
    erased_at_ms: i64,
}

/// A forgotten place, whose words are no longer read, as copied into a restored backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForgottenPlace {
    interaction: String,
    start: u32,
    end: u32,
    forgotten_at_ms: i64,
}

fn id_hash(key: &[u8; 32], id: &str) -> Vec<u8> {
    hash_parts(Some(key), &[b"memory", id.as_bytes()]).to_vec()
}

fn statement_hash(key: &[u8; 32], fingerprint: &[u8]) -> Vec<u8> {
    hash_parts(Some(key), &[b"statement", fingerprint]).to_vec()
}

/// SQL condition: the place `$row` overlaps with a forgotten place.
macro_rules! is_forgotten {
    ($row:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM forgotten_places f WHERE f.interaction_id = ",
            $row,
            ".interaction_id AND f.start < ",
            $row,
            ".\"end\" AND f.\"end\" > ",
            $row,
            ".start)"
        )
    };
}
pub(crate) use is_forgotten;

/// SQL for the memories to erase along with the given ones (first parameter, a JSON array of ids): other versions of the given
/// memories, and memories merged into or extended by one of them, unless a memory in use refers to them.
const BEHIND: &str = "WITH asked (id) AS (SELECT value FROM json_each(?1)), near (id) AS (
         SELECT m.id FROM memories m WHERE m.supersedes_id IN (SELECT id FROM asked)
         UNION SELECT m.supersedes_id FROM memories m WHERE m.id IN (SELECT id FROM asked) AND m.supersedes_id IS NOT NULL
         UNION SELECT r.from_id FROM memory_relations r WHERE r.to_id IN (SELECT id FROM asked) AND r.relation = 'merged_into'
         UNION SELECT r.to_id FROM memory_relations r WHERE r.from_id IN (SELECT id FROM asked) AND r.relation = 'extends')
     SELECT m.id FROM near JOIN memories m ON m.id = near.id
      WHERE m.status = 'superseded' AND m.id NOT IN (SELECT id FROM asked)
        AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.supersedes_id = m.id AND n.status IN ('active', 'pending'))
        AND NOT EXISTS (SELECT 1 FROM memory_relations r JOIN memories n ON n.id = r.to_id
                         WHERE r.from_id = m.id AND r.relation = 'merged_into' AND n.status IN ('active', 'pending'))
        AND NOT EXISTS (SELECT 1 FROM memory_relations r JOIN memories n ON n.id = r.from_id
                         WHERE r.to_id = m.id AND r.relation = 'extends' AND n.status IN ('active', 'pending'))";

impl Store {
    /// Erases memories that are in the trash or were dismissed. The erasure is pending until `job` has completed it.
    pub fn erase_memories(&self, ids: &[MemoryId], job: &JobId, now: Timestamp) -> Result<MemoriesErased> {
        self.write(|tx| {
            let gone = tx.lifecycle().erase_memories(ids, now)?;
            let counts = Erased { memories: gone.memories + gone.versions, ..Erased::default() };
            tx.lifecycle().queue_erasure(job, counts, now)?;
            Ok(gone)
        })
    }

    /// Preview of [`Self::erase_memories`]. It performs the erasure and rolls it back, so that preview and erasure cannot
    /// disagree.
    pub fn preview_erased_memories(&self, ids: &[MemoryId], now: Timestamp) -> Result<MemoriesErased> {
        self.rehearse(|tx| tx.lifecycle().erase_memories(ids, now))
    }
}

impl Lifecycle<'_> {
    /// Whether this statement about this subject was erased permanently and is not approved anywhere.
    pub fn is_statement_erased(&self, subject: &Subject, fingerprint: &[u8]) -> Result<bool> {
        if !self.has_memory_tombstones()? {
            return Ok(false);
        }
        let hash = statement_hash(&self.tx.log().source_hash_key()?, fingerprint);
        let mut statement = self.tx.conn.prepare_cached(concat!(
            "SELECT 1 FROM memory_tombstones t WHERE t.statement_hash = ?1 AND ",
            is_about!("t", "?2"),
            " AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.fingerprint = ?3 AND m.status = 'active' AND ",
            is_about!("m", "?2"),
            ") LIMIT 1",
        ))?;
        Ok(statement.exists(params![hash, self.tx.log().about(subject)?, fingerprint])?)
    }

    fn has_memory_tombstones(&self) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached("SELECT 1 FROM memory_tombstones LIMIT 1")?.exists([])?)
    }

    /// Every forgotten place, with the time at which it was recorded.
    pub fn forgotten_places(&self) -> Result<Vec<(EvidenceSpan, Timestamp)>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT interaction_id, start, \"end\", forgotten_at_ms FROM forgotten_places ORDER BY 1, 2, 3")?;
        let mut rows = statement.query([])?;
        let mut places = Vec::new();
        while let Some(row) = rows.next()? {
            let at = place(row.get_ref(0)?.as_str().unwrap_or_default(), row.get(1)?, row.get(2)?)?;
            places.push((at, Timestamp(row.get(3)?)));
        }
        Ok(places)
    }

    /// Whether any of these places overlaps with a forgotten place.
    pub fn is_forgotten(&self, places: &[EvidenceSpan]) -> Result<bool> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM forgotten_places WHERE interaction_id = ?1 AND start < ?3 AND \"end\" > ?2 LIMIT 1")?;
        for place in places {
            if statement.exists(params![place.interaction.as_str(), place.span.start(), place.span.end()])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn memory_tombstones(&self) -> Result<Vec<MemoryTombstone>> {
        let mut statement = self
            .tx
            .conn
            .prepare("SELECT id_hash, statement_hash, subject_handle_id, erased_at_ms FROM memory_tombstones ORDER BY id_hash")?;
        let rows = statement.query_map([], |row| {
            Ok(MemoryTombstone {
                id_hash: row.get(0)?,
                statement_hash: row.get(1)?,
                subject_handle: row.get(2)?,
                erased_at_ms: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    pub(crate) fn forgotten_rows(&self) -> Result<Vec<ForgottenPlace>> {
        let mut statement =
            self.tx.conn.prepare("SELECT interaction_id, start, \"end\", forgotten_at_ms FROM forgotten_places")?;
        let rows = statement.query_map([], |row| {
            Ok(ForgottenPlace { interaction: row.get(0)?, start: row.get(1)?, end: row.get(2)?, forgotten_at_ms: row.get(3)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    pub(crate) fn count_of(&self, sql: &str, params: impl rusqlite::Params) -> Result<u64> {
        let count: i64 = self.tx.conn.prepare_cached(sql)?.query_row(params, |row| row.get(0))?;
        Ok(count as u64)
    }

    pub(crate) fn ids_of(&self, sql: &str, params: impl rusqlite::Params) -> Result<Vec<String>> {
        let mut statement = self.tx.conn.prepare_cached(sql)?;
        let ids = statement.query_map(params, |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }

    /// Ids of a memory and of all memories that are erased with it, as the module documentation describes.
    fn with_what_is_behind(&self, id: &MemoryId) -> Result<BTreeSet<String>> {
        let mut gone = BTreeSet::from([id.to_string()]);
        let mut looked_at = BTreeSet::new();
        loop {
            let before = gone.len();
            gone.extend(self.ids_of(BEHIND, [to_json("memory ids", &gone)?])?);
            for one in gone.clone() {
                if looked_at.insert(one.clone()) {
                    gone.extend(self.put_away_twins(&parse("memory id", &one)?)?);
                }
            }
            if gone.len() == before {
                return Ok(gone);
            }
        }
    }

    /// Ids of other memories with the same statement about the same subject that are not in use.
    fn put_away_twins(&self, id: &MemoryId) -> Result<Vec<String>> {
        let memory = self.tx.memories().memory(id)?;
        self.ids_of(
            concat!(
                "SELECT t.id FROM memories t WHERE t.fingerprint = ?1 AND t.id <> ?2
                    AND t.status IN ('pending', 'quarantined', 'rejected', 'archived') AND ",
                is_about!("t", "?3"),
                " AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.supersedes_id = t.id AND n.status IN ('active', 'pending'))",
            ),
            params![memory.fingerprint, id.as_str(), self.tx.log().about(&memory.subject)?],
        )
    }

    /// Whether the same statement is approved elsewhere, or was dismissed as a duplicate.
    fn is_said_elsewhere(&self, id: &MemoryId) -> Result<bool> {
        let memory = self.tx.memories().memory(id)?;
        if memory.reject_reason.as_deref() == Some("duplicate") {
            return Ok(true);
        }
        let mut statement = self.tx.conn.prepare_cached(concat!(
            "SELECT 1 FROM memories t WHERE t.fingerprint = ?1 AND t.id <> ?2 AND t.status = 'active' AND ",
            is_about!("t", "?3"),
        ))?;
        Ok(statement.exists(params![memory.fingerprint, id.as_str(), self.tx.log().about(&memory.subject)?])?)
    }

    /// Ids of the memories in this store that have one of these tombstones.
    pub(crate) fn memories_under(&self, tombstones: &[MemoryTombstone]) -> Result<BTreeSet<String>> {
        let known: BTreeSet<&[u8]> = tombstones.iter().map(|tombstone| tombstone.id_hash.as_slice()).collect();
        if known.is_empty() {
            return Ok(BTreeSet::new());
        }
        let key = self.tx.log().source_hash_key()?;
        let all = self.ids_of("SELECT id FROM memories", [])?;
        Ok(all.into_iter().filter(|id| known.contains(id_hash(&key, id).as_slice())).collect())
    }
}

impl LifecycleMut<'_> {
    fn erase_memories(&self, ids: &[MemoryId], now: Timestamp) -> Result<MemoriesErased> {
        let mut gone = BTreeSet::new();
        let mut forgotten = BTreeSet::new();
        for id in ids {
            self.check_put_away(id)?;
            let behind = self.with_what_is_behind(id)?;
            if !self.is_said_elsewhere(id)? {
                forgotten.extend(behind.iter().cloned());
            }
            gone.extend(behind);
        }
        let asked: BTreeSet<&str> = ids.iter().map(MemoryId::as_str).collect();
        let mut erased = MemoriesErased {
            memories: asked.len() as u64,
            versions: (gone.len() - asked.len()) as u64,
            ..MemoriesErased::default()
        };
        let places = self.places_of(&forgotten)?;
        self.delete_memories(&gone, now, &mut erased)?;
        self.forget_places(&places, now)?;
        self.erase_derived_at(&places, &mut erased)?;
        for tag in [Tag::Memories, Tag::GateLog, Tag::Reflections, Tag::ModelCalls] {
            self.tx.touch(tag);
        }
        Ok(erased)
    }

    /// Fails unless the person archived or dismissed the memory, so that nobody erases a memory in use by mistake.
    fn check_put_away(&self, id: &MemoryId) -> Result<()> {
        if !matches!(self.tx.memories().memory(id)?.status, MemoryStatus::Archived | MemoryStatus::Rejected) {
            return Err(StoreError::Refused(
                "only memories that were dismissed or are in the trash can be erased; move this one to the trash first",
            ));
        }
        let is_in_use = |status| matches!(status, MemoryStatus::Active | MemoryStatus::Pending | MemoryStatus::Quarantined);
        if self.tx.memories().versions(id)?.iter().any(|version| is_in_use(version.status)) {
            return Err(StoreError::Refused("another version of this memory is in use; move that one to the trash first"));
        }
        Ok(())
    }

    fn places_of(&self, gone: &BTreeSet<String>) -> Result<Vec<EvidenceSpan>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT interaction_id, start, \"end\" FROM memory_evidence WHERE memory_id = ?1 ORDER BY position",
        )?;
        let mut places = Vec::new();
        for id in gone {
            let mut rows = statement.query([id])?;
            while let Some(row) = rows.next()? {
                places.push(place(row.get_ref(0)?.as_str().unwrap_or_default(), row.get(1)?, row.get(2)?)?);
            }
        }
        Ok(places)
    }

    /// Deletes memories with everything attached to them, and writes a tombstone for each.
    pub(crate) fn delete_memories(&self, gone: &BTreeSet<String>, now: Timestamp, erased: &mut MemoriesErased) -> Result<()> {
        let ids = to_json("memory ids", gone)?;
        let among = "IN (SELECT value FROM json_each(?1))";
        let proposals = format!("SELECT DISTINCT reflection_id FROM reflection_sources WHERE memory_id {among}");
        let stops = format!(
            "SELECT seq FROM gate_log WHERE memory_id {among} OR content IN (SELECT content FROM memories WHERE id {among})"
        );
        erased.lines += self.count_of(&format!("SELECT count(*) FROM memory_evidence WHERE memory_id {among}"), [&ids])?;
        erased.vectors +=
            self.count_of(&format!("SELECT count(*) FROM embeddings WHERE owner_kind = 'memory' AND owner_id {among}"), [&ids])?;
        erased.proposals += self.count_of(&format!("SELECT count(*) FROM ({proposals})"), [&ids])?;
        erased.stops += self.count_of(&format!("SELECT count(*) FROM ({stops})"), [&ids])?;
        erased.reads +=
            self.count_of(&format!("SELECT count(DISTINCT entry_seq) FROM access_log_items WHERE item_id {among}"), [&ids])?;
        for column in ["content", "reasoning", "tags", "context", "topic"] {
            self.remember_traces(&format!("SELECT {column} FROM memories WHERE id {among}"), &ids)?;
        }
        for column in ["content", "reason"] {
            self.remember_traces(&format!("SELECT {column} FROM gate_log WHERE seq IN ({stops})"), &ids)?;
        }
        self.remember_traces(&format!("SELECT reason FROM reflections WHERE id IN ({proposals})"), &ids)?;
        let key = self.tx.log().source_hash_key()?;
        let mut bury = self.tx.conn.prepare_cached(
            "INSERT INTO memory_tombstones (id_hash, statement_hash, subject_handle_id, erased_at_ms) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
        )?;
        for id in gone {
            let memory = self.tx.memories().memory(&parse("memory id", id)?)?;
            let handle = self.tx.memories().subject_handle(&memory.id)?;
            bury.execute(params![id_hash(&key, id), statement_hash(&key, &memory.fingerprint), handle, now.0])?;
        }
        // Versions refer to each other, so they are deleted together, with foreign keys checked at the end of the transaction.
        self.tx.conn.pragma_update(None, "defer_foreign_keys", "ON")?;
        for sql in [
            format!("DELETE FROM gate_log WHERE seq IN ({stops})"),
            format!("DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_id {among}"),
            format!("DELETE FROM consents WHERE item_kind = 'memory' AND item_id {among}"),
            format!("DELETE FROM operation_changes WHERE memory_id {among}"),
            format!("DELETE FROM reflections WHERE id IN ({proposals})"),
            format!("DELETE FROM memories WHERE id {among}"),
        ] {
            self.tx.conn.execute(&sql, [&ids])?;
        }
        self.delete_empty_operations()
    }

    /// Deletes operations that have no changes left. They cannot be undone, and their notices may quote the erased memory.
    pub(crate) fn delete_empty_operations(&self) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM operations WHERE NOT EXISTS (SELECT 1 FROM operation_changes c WHERE c.operation_id = operations.id)",
            [],
        )?;
        Ok(())
    }

    /// Records these places as forgotten: nothing may be derived from their words again.
    pub fn forget_places(&self, places: &[EvidenceSpan], now: Timestamp) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO forgotten_places (interaction_id, start, \"end\", forgotten_at_ms) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
        )?;
        for place in places {
            statement.execute(params![place.interaction.as_str(), place.span.start(), place.span.end(), now.0])?;
        }
        Ok(())
    }

    /// Adds the tombstones and forgotten places of a store to this copy of it, and erases the memories and derived data that they
    /// cover. Returns the number of memories erased from the copy.
    pub(crate) fn forget_again(&self, tombstones: &[MemoryTombstone], places: &[ForgottenPlace], now: Timestamp) -> Result<u64> {
        let mut erased = MemoriesErased::default();
        let gone = self.memories_under(tombstones)?;
        self.delete_memories(&gone, now, &mut erased)?;
        let mut bury = self.tx.conn.prepare(
            "INSERT INTO memory_tombstones (id_hash, statement_hash, subject_handle_id, erased_at_ms)
             SELECT ?1, ?2, ?3, ?4 WHERE ?3 IS NULL OR EXISTS (SELECT 1 FROM entity_channels WHERE id = ?3)
             ON CONFLICT (id_hash) DO UPDATE SET erased_at_ms = excluded.erased_at_ms",
        )?;
        for tombstone in tombstones {
            let MemoryTombstone { id_hash, statement_hash, subject_handle, erased_at_ms } = tombstone;
            bury.execute(params![id_hash, statement_hash, subject_handle, erased_at_ms])?;
        }
        let mut forget = self.tx.conn.prepare(
            "INSERT INTO forgotten_places (interaction_id, start, \"end\", forgotten_at_ms)
             SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM interactions WHERE id = ?1)
             ON CONFLICT DO NOTHING",
        )?;
        let mut fresh = Vec::new();
        for ForgottenPlace { interaction, start, end, forgotten_at_ms } in places {
            if forget.execute(params![interaction, start, end, forgotten_at_ms])? > 0 {
                fresh.push(place(interaction, *start, *end)?);
            }
        }
        self.erase_derived_at(&fresh, &mut erased)?;
        Ok(gone.len() as u64)
    }

    /// Removes forgotten places whose message no longer exists, and memory tombstones whose person no longer exists.
    pub(crate) fn forget_forgotten(&self) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM forgotten_places WHERE NOT EXISTS (SELECT 1 FROM interactions i WHERE i.id = forgotten_places.interaction_id)",
            [],
        )?;
        self.tx.conn.execute(
            "DELETE FROM memory_tombstones WHERE subject_handle_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM entity_channels h WHERE h.id = memory_tombstones.subject_handle_id)",
            [],
        )?;
        Ok(())
    }
}
