//! Cleanup proposals for memories (reflection), and the person's decisions about them.
//!
//! A proposal may only concern memories in use. Not here: what to propose and why, and how proposals are combined into a run.

use std::collections::BTreeMap;

use keepsake_domain::{MemoryId, OperationId, ReflectionId, ReflectionKind, ReflectionStatus, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::areas::{Reflections, ReflectionsMut};
use crate::changes::Tag;
use crate::text::parse;
use crate::{Result, StoreError};

/// A cleanup proposal, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectionRow {
    /// Id.
    pub id: ReflectionId,
    /// The kind of cleanup.
    pub kind: ReflectionKind,
    /// Its status.
    pub status: ReflectionStatus,
    /// Whether the proposal expired because it went unanswered for too long.
    pub is_parked_by_age: bool,
    /// The reason, in one sentence.
    pub reason: String,
    /// The memories that it would change.
    pub memories: Vec<MemoryId>,
    /// For a merge: the index of the memory to keep.
    pub keep: Option<usize>,
    /// Name and version of the rules or the model that proposed it.
    pub proposer: String,
    /// When it was first found.
    pub found: Timestamp,
    /// When its status last changed.
    pub changed: Timestamp,
    /// The run that last applied it, even if that run was undone.
    pub operation: Option<OperationId>,
}

const COLUMNS: &str = "id, kind, status, parked_by, reason, keep, proposer, found_at_ms, changed_at_ms, operation_id";

/// Display order: open and accepted proposals, then expired or postponed ones, then applied ones, then the rest; within each
/// group by kind.
const ORDER: &str = "CASE status WHEN 'open' THEN 0 WHEN 'accepted' THEN 0 WHEN 'parked' THEN 1 WHEN 'applied' THEN 2 ELSE 3 END,
    CASE kind WHEN 'archive' THEN 0 ELSE 1 END, id";

/// Counts the proposals that await the person. Leaves out proposals about memories that are no longer in use, are hidden, or have
/// excluded messages as evidence.
pub(crate) const WAITING: &str = "SELECT count(*) FROM reflections r WHERE r.status IN ('open', 'accepted')
    AND NOT EXISTS (SELECT 1 FROM reflection_sources s JOIN memories m ON m.id = s.memory_id
                     WHERE s.reflection_id = r.id AND (m.status <> 'active' OR m.is_hidden = 1))
    AND NOT EXISTS (SELECT 1 FROM reflection_sources s JOIN memory_evidence v ON v.memory_id = s.memory_id AND v.is_support = 0
                      JOIN interactions i ON i.id = v.interaction_id JOIN conversations c ON c.id = i.conversation_id
                     WHERE s.reflection_id = r.id AND (c.is_private = 1 OR EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)))";

fn reflection(row: &Row<'_>) -> Result<ReflectionRow> {
    let text = |at: usize| -> Result<String> { Ok(row.get(at)?) };
    let optional = |at: usize| -> Result<Option<String>> { Ok(row.get(at)?) };
    Ok(ReflectionRow {
        id: parse("reflection id", &text(0)?)?,
        kind: parse("reflection kind", &text(1)?)?,
        status: parse("reflection status", &text(2)?)?,
        is_parked_by_age: optional(3)?.as_deref() == Some("age"),
        reason: text(4)?,
        memories: Vec::new(),
        keep: row.get::<_, Option<i64>>(5)?.and_then(|keep| usize::try_from(keep).ok()),
        proposer: text(6)?,
        found: Timestamp(row.get(7)?),
        changed: Timestamp(row.get(8)?),
        operation: optional(9)?.map(|id| parse("operation id", &id)).transpose()?,
    })
}

impl Reflections<'_> {
    /// Every proposal, regardless of its status, in display order.
    pub fn all(&self) -> Result<Vec<ReflectionRow>> {
        self.reflections_where("1", [])
    }

    /// The proposal with this id; an error if there is none.
    pub fn reflection(&self, id: &ReflectionId) -> Result<ReflectionRow> {
        let found = self.reflections_where("id = ?1", [id.as_str()])?.pop();
        found.ok_or_else(|| StoreError::not_found("proposed cleanup", id.as_str()))
    }

    /// Number of proposals that await the person.
    pub fn reflections_waiting(&self) -> Result<u64> {
        let count: i64 = self.tx.conn.prepare_cached(WAITING)?.query_row([], |row| row.get(0))?;
        Ok(count as u64)
    }

    /// The newest run that is not undone: its operation, its summary and its time.
    pub fn last_run(&self) -> Result<Option<(OperationId, String, Timestamp)>> {
        let found = self
            .tx
            .conn
            .prepare_cached(
                "SELECT o.id, o.summary, o.created_at_ms FROM operations o
                  WHERE o.undone_at_ms IS NULL AND EXISTS (SELECT 1 FROM reflections r WHERE r.operation_id = o.id AND r.status = 'applied')
                  ORDER BY o.seq DESC LIMIT 1",
            )?
            .query_row([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        found.map(|(id, summary, at)| Ok((parse("operation id", &id)?, summary, Timestamp(at)))).transpose()
    }

    fn reflections_where(&self, tail: &str, params: impl rusqlite::Params) -> Result<Vec<ReflectionRow>> {
        let mut statement =
            self.tx.conn.prepare_cached(&format!("SELECT {COLUMNS} FROM reflections WHERE {tail} ORDER BY {ORDER}"))?;
        let mut rows = statement.query(params)?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(reflection(row)?);
        }
        let mut sources =
            self.tx.conn.prepare_cached("SELECT memory_id FROM reflection_sources WHERE reflection_id = ?1 ORDER BY position")?;
        for item in &mut items {
            let mut rows = sources.query([item.id.as_str()])?;
            while let Some(row) = rows.next()? {
                item.memories.push(parse("memory id", row.get_ref(0)?.as_str().unwrap_or_default())?);
            }
        }
        Ok(items)
    }

    /// The status of each proposal.
    pub fn statuses(&self) -> Result<BTreeMap<ReflectionId, ReflectionStatus>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT id, status FROM reflections")?;
        let mut rows = statement.query([])?;
        let mut items = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let status = parse("reflection status", row.get_ref(1)?.as_str().unwrap_or_default())?;
            items.insert(parse("reflection id", row.get_ref(0)?.as_str().unwrap_or_default())?, status);
        }
        Ok(items)
    }

    /// The memories that were merged into this one.
    pub fn merged_into(&self, id: &MemoryId) -> Result<Vec<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT from_id FROM memory_relations WHERE to_id = ?1 AND relation = 'merged_into' ORDER BY from_id",
        )?;
        let ids = statement.query_map([id.as_str()], |row| row.get::<_, String>(0))?;
        ids.map(|id| parse("memory id", &id?)).collect()
    }
}

impl ReflectionsMut<'_> {
    /// Stores a new proposal; does nothing if it is already stored. Fails unless every memory is in use.
    pub fn put(&self, row: &ReflectionRow) -> Result<()> {
        let added = self
            .tx
            .conn
            .prepare_cached(
                "INSERT INTO reflections (id, kind, status, reason, keep, proposer, found_at_ms, changed_at_ms)
                 VALUES (?1, ?2, 'open', ?3, ?4, ?5, ?6, ?6) ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                row.id.as_str(),
                row.kind.name(),
                row.reason,
                row.keep.map(|keep| keep as i64),
                row.proposer,
                row.found.0
            ])?;
        if added == 0 {
            return Ok(());
        }
        if row.memories.is_empty() {
            return Err(StoreError::Evidence("a proposal needs at least one memory".to_owned()));
        }
        for (position, memory) in row.memories.iter().enumerate() {
            let stored = self
                .tx
                .conn
                .prepare_cached(
                    "INSERT INTO reflection_sources (reflection_id, position, memory_id)
                     SELECT ?1, ?2, id FROM memories WHERE id = ?3 AND status = 'active' AND is_hidden = 0",
                )?
                .execute(params![row.id.as_str(), position as i64, memory.as_str()])?;
            if stored == 0 {
                return Err(StoreError::Evidence(format!("a proposal names {memory}, which is not in use")));
            }
        }
        self.tx.touch(Tag::Reflections);
        Ok(())
    }

    /// Deletes a proposal that reflection no longer finds, unless it was applied or dismissed.
    pub fn drop(&self, id: &ReflectionId) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("DELETE FROM reflections WHERE id = ?1 AND status IN ('open', 'accepted', 'parked')")?
            .execute([id.as_str()])?;
        self.tx.touch(Tag::Reflections);
        Ok(())
    }

    /// Stores the person's decision. The lifecycle must allow the transition.
    pub fn decide(&self, id: &ReflectionId, to: ReflectionStatus, now: Timestamp) -> Result<()> {
        let from = self.reflection(id)?.status;
        from.may_become(to).map_err(|error| StoreError::corrupt("step of a proposal", error))?;
        let parked_by = (to == ReflectionStatus::Parked).then_some("person");
        self.tx
            .conn
            .prepare_cached("UPDATE reflections SET status = ?2, parked_by = ?3, changed_at_ms = ?4 WHERE id = ?1")?
            .execute(params![id.as_str(), to.name(), parked_by, now.0])?;
        self.tx.touch(Tag::Reflections);
        Ok(())
    }

    /// Marks proposals as expired if they have been open since before a given time, and returns how many it marked.
    pub fn park(&self, before: Timestamp, now: Timestamp) -> Result<u64> {
        let parked = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE reflections SET status = 'parked', parked_by = 'age', changed_at_ms = ?2
                  WHERE status = 'open' AND max(found_at_ms, changed_at_ms) <= ?1",
            )?
            .execute(params![before.0, now.0])?;
        if parked > 0 {
            self.tx.touch(Tag::Reflections);
        }
        Ok(parked as u64)
    }

    /// Records that a run applied a proposal.
    pub fn mark_applied(&self, id: &ReflectionId, operation: &OperationId, now: Timestamp) -> Result<()> {
        let marked = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE reflections SET before_status = status, status = 'applied', operation_id = ?2, changed_at_ms = ?3
                  WHERE id = ?1 AND status IN ('open', 'accepted')",
            )?
            .execute(params![id.as_str(), operation.as_str(), now.0])?;
        if marked == 0 {
            return Err(StoreError::not_found("open proposal", id.as_str()));
        }
        self.tx.touch(Tag::Reflections);
        Ok(())
    }

    /// Restores the proposals of an undone run to their previous status. The run stays recorded on them, so that they are not
    /// applied again automatically.
    pub(crate) fn undo(&self, operation: &OperationId, now: Timestamp) -> Result<()> {
        let undone = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE reflections SET status = before_status, before_status = NULL, changed_at_ms = ?2
                  WHERE operation_id = ?1 AND status = 'applied'",
            )?
            .execute(params![operation.as_str(), now.0])?;
        if undone > 0 {
            self.tx.touch(Tag::Reflections);
        }
        Ok(())
    }
}
