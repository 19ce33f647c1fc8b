//! Acts of a person over memories, each with what stood before, so that undo restores it exactly.

use keepsake_domain::{MemoryId, MemoryStatus, OperationId, Relation, Timestamp};
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::changes::Tag;
use crate::memories::MemoryRow;
use crate::open::{ReadTx, WriteTx};
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// The columns of a memory that may change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryState {
    /// Where it stands.
    pub status: MemoryStatus,
    /// Out of the queue until then.
    pub snoozed_until: Option<Timestamp>,
    /// Why it was refused.
    pub reject_reason: Option<String>,
    /// When a person decided.
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

/// What an operation does to one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryChange {
    /// Which.
    pub id: MemoryId,
    /// What stood before; absent for a version that the operation itself made.
    pub before: Option<MemoryState>,
    /// What stands after.
    pub after: MemoryState,
    /// Relations that the operation added, from this memory.
    pub relations: Vec<(Relation, MemoryId)>,
}

#[derive(Serialize, Deserialize)]
struct StoredAfter {
    state: MemoryState,
    relations: Vec<(Relation, MemoryId)>,
}

/// One operation.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationRow {
    /// Id.
    pub id: OperationId,
    /// For the notice.
    pub summary: String,
    /// When it was undone.
    pub undone: Option<Timestamp>,
}

impl ReadTx<'_> {
    /// An operation, or the newest one of a person that is not undone: what was parked or tidied overnight is taken
    /// back by name only.
    pub fn operation_to_undo(&self, id: Option<&OperationId>) -> Result<Option<OperationRow>> {
        let found = self
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

    /// What an operation did, in the order it did it.
    pub fn operation_changes(&self, id: &OperationId) -> Result<Vec<MemoryChange>> {
        let mut statement = self
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

    /// Where a memory stood before the newest operation over it that still counts.
    pub fn status_before(&self, id: &MemoryId) -> Result<Option<MemoryStatus>> {
        let before = self
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

impl WriteTx<'_> {
    /// Applies and records an operation. Every change must be a legal step from what stands now.
    pub fn apply_operation(
        &self,
        id: &OperationId,
        kind: &str,
        summary: &str,
        changes: &[MemoryChange],
        now: Timestamp,
    ) -> Result<()> {
        self.conn.execute(
            "INSERT INTO operations (id, kind, summary, created_at_ms) VALUES (?1, ?2, ?3, ?4)",
            params![id.as_str(), kind, summary, now.0],
        )?;
        let mut record = self.conn.prepare_cached(
            "INSERT INTO operation_changes (operation_id, position, memory_id, before, after) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (position, change) in changes.iter().enumerate() {
            if let Some(before) = &change.before {
                if before.status != change.after.status {
                    before.status.may_become(change.after.status)?;
                }
                self.swap_state(&change.id, before, &change.after)?;
            }
            // Only what was new is recorded: undo must not take away a relation that stood before.
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
        self.touch(Tag::Memories);
        Ok(())
    }

    /// Puts `after` where exactly `before` stands; refused when something else stands there.
    fn swap_state(&self, id: &MemoryId, before: &MemoryState, after: &MemoryState) -> Result<()> {
        let changed = self
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

    /// Undoes an operation: every memory back to exactly what stood before; versions it made step aside.
    /// Returns the restored ids. Fails, and changes nothing, when one of them was changed by a later operation.
    pub fn undo_operation(&self, id: &OperationId, now: Timestamp) -> Result<Vec<MemoryId>> {
        let marked = self.conn.execute(
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
                    // The person took the wording back: it stays in the chain of versions, but no longer counts.
                    let stepped_aside = MemoryState { status: MemoryStatus::Superseded, ..change.after.clone() };
                    self.swap_state(&change.id, &change.after, &stepped_aside)?;
                }
            }
            for (relation, to) in &change.relations {
                self.unrelate(&change.id, *relation, to)?;
            }
        }
        self.undo_reflections(id, now)?;
        restored.reverse();
        self.touch(Tag::Memories);
        Ok(restored)
    }
}
