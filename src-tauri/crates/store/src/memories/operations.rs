//! The person's operations on memories. Each operation stores the previous state, so that undo restores it exactly.

use keepsake_domain::{MemoryId, MemoryStatus, OperationId, Relation, Timestamp};
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::areas::{Memories, MemoriesMut};
use crate::changes::Tag;
use crate::memories::MemoryRow;
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// The columns of a memory that an operation can change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryState {
    /// Its status.
    pub status: MemoryStatus,
    /// Snoozed: not in the review queue until this time.
    pub snoozed_until: Option<Timestamp>,
    /// Why it was dismissed.
    pub reject_reason: Option<String>,
    /// When the person decided on it.
    pub decided: Option<Timestamp>,
}

impl From<&MemoryRow> for MemoryState {
    fn from(row: &MemoryRow) -> Self {
        Self {
            status: row.status,
            snoozed_until: row.snoozed_until,
            reject_reason: row.reject_reason.clone(),
            decided: row.decided,
        }
    }
}

/// The effect of an operation on one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryChange {
    /// The memory.
    pub id: MemoryId,
    /// The state before the operation; `None` for a version that the operation itself created.
    pub before: Option<MemoryState>,
    /// The state after the operation.
    pub after: MemoryState,
    /// Relations that the operation added, from this memory.
    pub relations: Vec<(Relation, MemoryId)>,
}

#[derive(Serialize, Deserialize)]
struct StoredAfter {
    state: MemoryState,
    relations: Vec<(Relation, MemoryId)>,
}

/// An operation, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationRow {
    /// Id.
    pub id: OperationId,
    /// Text shown in the notice after the operation.
    pub summary: String,
    /// When it was undone, if it was.
    pub undone: Option<Timestamp>,
}

impl Memories<'_> {
    /// The operation with this id. Without an id, the person's newest operation that is not undone. Expired proposals and
    /// cleanups by maintenance can only be undone by id.
    pub fn operation_to_undo(&self, id: Option<&OperationId>) -> Result<Option<OperationRow>> {
        let found = self
            .tx
            .conn
            .prepare_cached(
                "SELECT id, summary, undone_at_ms FROM operations
                  WHERE (?1 IS NULL AND undone_at_ms IS NULL AND kind NOT IN ('park', 'tidy')) OR id = ?1 ORDER BY seq DESC LIMIT 1",
            )?
            .query_row(params![id.map(OperationId::as_str)], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<i64>>(2)?))
            })
            .optional()?;
        found
            .map(|(id, summary, undone)| {
                Ok(OperationRow { id: parse("operation id", &id)?, summary, undone: undone.map(Timestamp) })
            })
            .transpose()
    }

    /// The changes of an operation, in the order they were made.
    pub fn operation_changes(&self, id: &OperationId) -> Result<Vec<MemoryChange>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT memory_id, before, after FROM operation_changes WHERE operation_id = ?1 ORDER BY position")?;
        let mut rows = statement.query(params![id.as_str()])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let after: StoredAfter = parse_json("operation", &row.get::<_, String>(2)?)?;
            items.push(MemoryChange {
                id: parse("memory id", &row.get::<_, String>(0)?)?,
                before: parse_json("operation", &row.get::<_, String>(1)?)?,
                after: after.state,
                relations: after.relations,
            });
        }
        Ok(items)
    }

    /// The status of a memory before the newest operation on it that is not undone.
    pub fn status_before(&self, id: &MemoryId) -> Result<Option<MemoryStatus>> {
        let before = self
            .tx
            .conn
            .prepare_cached(
                "SELECT c.before FROM operation_changes c JOIN operations o ON o.id = c.operation_id
                  WHERE c.memory_id = ?1 AND o.undone_at_ms IS NULL ORDER BY o.seq DESC LIMIT 1",
            )?
            .query_row(params![id.as_str()], |row| row.get::<_, String>(0))
            .optional()?;
        let before: Option<MemoryState> = before.map(|json| parse_json("operation", &json)).transpose()?.flatten();
        Ok(before.map(|state| state.status))
    }
}

impl MemoriesMut<'_> {
    /// Applies and records an operation. Every change must be an allowed transition from the current state.
    pub fn apply_operation(
        &self,
        id: &OperationId,
        kind: &str,
        summary: &str,
        changes: &[MemoryChange],
        now: Timestamp,
    ) -> Result<()> {
        self.tx.conn.execute(
            "INSERT INTO operations (id, kind, summary, created_at_ms) VALUES (?1, ?2, ?3, ?4)",
            params![id.as_str(), kind, summary, now.0],
        )?;
        let mut record = self.tx.conn.prepare_cached(
            "INSERT INTO operation_changes (operation_id, position, memory_id, before, after) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (position, change) in changes.iter().enumerate() {
            if let Some(before) = &change.before {
                if before.status != change.after.status {
                    before.status.may_become(change.after.status)?;
                }
                self.swap_state(&change.id, before, &change.after)?;
            }
            // Record only new relations: undo must not remove one that already existed.
            let mut relations = Vec::new();
            for (relation, to) in &change.relations {
                if self.add_relation(&change.id, *relation, to, None, now)? {
                    relations.push((*relation, to.clone()));
                }
            }
            let after = StoredAfter { state: change.after.clone(), relations };
            record.execute(params![
                id.as_str(),
                position as i64,
                change.id.as_str(),
                to_json("operation", &change.before)?,
                to_json("operation", &after)?
            ])?;
        }
        self.tx.touch(Tag::Memories);
        Ok(())
    }

    /// Replaces the state `before` with `after`. Fails if the memory is in any other state.
    fn swap_state(&self, id: &MemoryId, before: &MemoryState, after: &MemoryState) -> Result<()> {
        let changed = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE memories SET status = ?2, snoozed_until_ms = ?3, reject_reason = ?4, decided_at_ms = ?5
                  WHERE id = ?1 AND status = ?6 AND snoozed_until_ms IS ?7 AND reject_reason IS ?8 AND decided_at_ms IS ?9",
            )?
            .execute(params![
                id.as_str(),
                after.status.name(),
                after.snoozed_until.map(|t| t.0),
                after.reject_reason,
                after.decided.map(|t| t.0),
                before.status.name(),
                before.snoozed_until.map(|t| t.0),
                before.reject_reason,
                before.decided.map(|t| t.0)
            ])?;
        if changed == 0 { Err(StoreError::not_found("memory in its expected state", id.as_str())) } else { Ok(()) }
    }

    /// Undoes an operation: every memory returns to its exact previous state, and versions that the operation created are
    /// superseded. Returns the restored ids. Fails without changes if a later operation changed one of the memories.
    pub fn undo_operation(&self, id: &OperationId, now: Timestamp) -> Result<Vec<MemoryId>> {
        let marked = self.tx.conn.execute(
            "UPDATE operations SET undone_at_ms = ?2 WHERE id = ?1 AND undone_at_ms IS NULL",
            params![id.as_str(), now.0],
        )?;
        if marked == 0 {
            return Err(StoreError::not_found("operation that can be undone", id.as_str()));
        }
        let changes = self.operation_changes(id)?;
        let mut restored = Vec::new();
        for change in changes.iter().rev() {
            match &change.before {
                Some(before) => {
                    self.swap_state(&change.id, &change.after, before)?;
                    restored.push(change.id.clone());
                }
                None => {
                    // The person withdrew this wording: it stays in the version history but is no longer in effect.
                    let stepped_aside = MemoryState { status: MemoryStatus::Superseded, ..change.after.clone() };
                    self.swap_state(&change.id, &change.after, &stepped_aside)?;
                }
            }
            for (relation, to) in &change.relations {
                self.unrelate(&change.id, *relation, to)?;
            }
        }
        self.tx.reflections().undo(id, now)?;
        restored.reverse();
        self.tx.touch(Tag::Memories);
        Ok(restored)
    }
}
