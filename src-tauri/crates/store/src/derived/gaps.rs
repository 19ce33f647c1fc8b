//! Capability gaps with their evidence, and the tasks that the person created from them.
//!
//! The evidence lock applies, as it does for profiles. The wording of a gap never changes; its frequency, status and evidence
//! do.
//!
//! Not here: deciding what counts as a gap, and writing the file that contains a task.

use std::collections::BTreeMap;

use keepsake_domain::{EntityId, EvidenceSpan, GapId, GapStatus, TaskId, TaskStatus, Timestamp};
use rusqlite::params;

use crate::areas::{Gaps, GapsMut};
use crate::changes::Tag;
use crate::derived::profiles::place;
use crate::lifecycle::part::{MESSAGES_OF_PART, Part};
use crate::text::parse;
use crate::{Result, StoreError};

/// A task, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// Id.
    pub id: TaskId,
    /// The file that contains the task, if there is one.
    pub file: Option<String>,
    /// Open or resolved.
    pub status: TaskStatus,
}

/// A gap, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GapRow {
    /// Id.
    pub id: GapId,
    /// The entity with which the gap occurred; `None` if there are several.
    pub entity: Option<EntityId>,
    /// The need that was not met, in the words of its first occurrence.
    pub need: String,
    /// Fingerprint of the need, computed by `people::gap_fingerprint`.
    pub fingerprint: String,
    /// A sentence that describes the gap to the person.
    pub description: String,
    /// Number of occasions on which it occurred.
    pub frequency: u32,
    /// Its status.
    pub status: GapStatus,
    /// When it first occurred.
    pub first_seen: Timestamp,
    /// When it last occurred.
    pub last_seen: Timestamp,
    /// When it was last resolved.
    pub resolved_at: Option<Timestamp>,
    /// When the person dismissed it as not a gap.
    pub dismissed_at: Option<Timestamp>,
    /// When it was found.
    pub created_at: Timestamp,
    /// Every place in the messages that shows the gap, in order of discovery.
    pub evidence: Vec<EvidenceSpan>,
    /// The task that the person created from it, if any.
    pub task: Option<TaskRow>,
    /// Name and version of the model that found any of the evidence, or of the rules if no model did.
    pub proposer: String,
}

/// Another occurrence of a known gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GapSeen {
    /// The gap.
    pub id: GapId,
    /// The new evidence.
    pub evidence: Vec<EvidenceSpan>,
    /// Total number of occasions.
    pub frequency: u32,
    /// The updated description.
    pub description: String,
    /// When it last occurred.
    pub last_seen: Timestamp,
    /// Whether the gap had been resolved before.
    pub is_reopened: bool,
    /// Whether the gap occurred with a different entity than before.
    pub is_shared: bool,
    /// The model that found any of the new evidence; `None` if only the rules did.
    pub model: Option<String>,
}

impl Gaps<'_> {
    /// Every gap, including dismissed ones, most frequent first.
    pub fn all(&self) -> Result<Vec<GapRow>> {
        let mut evidence: BTreeMap<String, Vec<EvidenceSpan>> = BTreeMap::new();
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT gap_id, interaction_id, start, \"end\" FROM gap_evidence ORDER BY gap_id, position")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let place = place(row.get_ref(1)?.as_str().unwrap_or_default(), row.get(2)?, row.get(3)?)?;
            evidence.entry(row.get(0)?).or_default().push(place);
        }
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT g.id, g.entity_id, g.need, g.fingerprint, g.description, g.frequency, g.status, g.first_seen_ms, g.last_seen_ms,
                    g.resolved_at_ms, g.dismissed_at_ms, g.created_at_ms, t.id, t.file_path, t.status,
                    g.proposer
               FROM capability_gaps g LEFT JOIN tasks t ON t.gap_id = g.id
              ORDER BY g.frequency DESC, g.last_seen_ms DESC, g.id",
        )?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let text = |at: usize| -> Result<Option<String>> { Ok(row.get(at)?) };
            let moment = |at: usize| -> Result<Option<Timestamp>> { Ok(row.get::<_, Option<i64>>(at)?.map(Timestamp)) };
            let id: String = row.get(0)?;
            let task = match (text(12)?, text(14)?) {
                (Some(task), Some(status)) => {
                    Some(TaskRow { id: parse("task id", &task)?, file: text(13)?, status: parse("task status", &status)? })
                }
                _ => None,
            };
            items.push(GapRow {
                entity: text(1)?.map(|id| parse("entity id", &id)).transpose()?,
                need: row.get(2)?,
                fingerprint: row.get(3)?,
                description: row.get(4)?,
                frequency: row.get(5)?,
                status: parse("gap status", row.get_ref(6)?.as_str().unwrap_or_default())?,
                first_seen: Timestamp(row.get(7)?),
                last_seen: Timestamp(row.get(8)?),
                resolved_at: moment(9)?,
                dismissed_at: moment(10)?,
                created_at: Timestamp(row.get(11)?),
                evidence: evidence.remove(&id).unwrap_or_default(),
                id: parse("gap id", &id)?,
                task,
                proposer: row.get(15)?,
            });
        }
        Ok(items)
    }

    /// The gap with this id; an error if there is none.
    pub fn gap(&self, id: &GapId) -> Result<GapRow> {
        self.all()?.into_iter().find(|gap| gap.id == *id).ok_or_else(|| StoreError::not_found("gap", id.as_str()))
    }
}

impl GapsMut<'_> {
    /// Stores a new gap. Fails unless every span is in its stored message and none of the messages is excluded.
    pub fn insert(&self, gap: &GapRow) -> Result<()> {
        if gap.evidence.is_empty() {
            return Err(StoreError::Evidence("a gap needs at least one source message".to_owned()));
        }
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO capability_gaps (id, entity_id, need, fingerprint, description, frequency, status, first_seen_ms,
                    last_seen_ms, created_at_ms, proposer) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'detected', ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                gap.id.as_str(),
                gap.entity.as_ref().map(EntityId::as_str),
                gap.need,
                gap.fingerprint,
                gap.description,
                gap.frequency,
                gap.first_seen.0,
                gap.last_seen.0,
                gap.created_at.0,
                gap.proposer
            ])?;
        self.add_evidence(&gap.id, &gap.evidence)
    }

    /// Updates a known gap that occurred again. Returns `false` if it no longer exists.
    pub fn see(&self, seen: &GapSeen) -> Result<bool> {
        let gap = match self.gap(&seen.id) {
            Ok(gap) => gap,
            Err(StoreError::NotFound { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        self.tx
            .conn
            .prepare_cached(
                "UPDATE capability_gaps SET frequency = ?2, description = ?3, last_seen_ms = max(last_seen_ms, ?4),
                        entity_id = iif(?5, NULL, entity_id), proposer = coalesce(?6, proposer) WHERE id = ?1",
            )?
            .execute(params![seen.id.as_str(), seen.frequency, seen.description, seen.last_seen.0, seen.is_shared, seen.model])?;
        self.add_evidence(&seen.id, &seen.evidence)?;
        if seen.is_reopened && gap.status == GapStatus::Resolved {
            self.set_status(&gap, GapStatus::Reopened, None)?;
            self.set_task_status(&seen.id, TaskStatus::Open, None)?;
        }
        Ok(true)
    }

    fn add_evidence(&self, id: &GapId, evidence: &[EvidenceSpan]) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO gap_evidence (gap_id, position, interaction_id, start, \"end\")
             SELECT ?1, (SELECT coalesce(max(position) + 1, 0) FROM gap_evidence WHERE gap_id = ?1), ?2, ?3, ?4
              WHERE NOT EXISTS (SELECT 1 FROM gap_evidence WHERE gap_id = ?1 AND interaction_id = ?2 AND start = ?3 AND \"end\" = ?4)",
        )?;
        for place in evidence {
            self.tx.profiles().check_own_place(place, None)?;
            statement.execute(params![id.as_str(), place.interaction.as_str(), place.span.start(), place.span.end()])?;
        }
        self.tx.touch(Tag::People);
        Ok(())
    }

    fn set_status(&self, gap: &GapRow, to: GapStatus, resolved: Option<Timestamp>) -> Result<()> {
        gap.status.may_become(to).map_err(|error| StoreError::corrupt("step of a gap", error))?;
        self.tx
            .conn
            .prepare_cached(
                "UPDATE capability_gaps SET status = ?2, resolved_at_ms = coalesce(?3, resolved_at_ms) WHERE id = ?1",
            )?
            .execute(params![gap.id.as_str(), to.name(), resolved.map(|time| time.0)])?;
        self.tx.touch(Tag::People);
        Ok(())
    }

    fn set_task_status(&self, gap: &GapId, status: TaskStatus, resolved: Option<Timestamp>) -> Result<()> {
        self.tx.conn.prepare_cached("UPDATE tasks SET status = ?2, resolved_at_ms = ?3 WHERE gap_id = ?1")?.execute(params![
            gap.as_str(),
            status.name(),
            resolved.map(|time| time.0)
        ])?;
        Ok(())
    }

    /// Confirms a gap and turns it into a task in this file. A gap that reappeared keeps its task.
    pub fn confirm(&self, id: &GapId, task: &TaskId, file: Option<&str>, now: Timestamp) -> Result<()> {
        let gap = self.gap(id)?;
        if gap.status != GapStatus::TaskCreated {
            self.set_status(&gap, GapStatus::TaskCreated, None)?;
        }
        self.tx.conn
            .prepare_cached(
                "INSERT INTO tasks (id, gap_id, file_path, status, created_at_ms) VALUES (?1, ?2, ?3, 'open', ?4)
                 ON CONFLICT (gap_id) DO UPDATE SET status = 'open', resolved_at_ms = NULL, file_path = coalesce(excluded.file_path, file_path)",
            )?
            .execute(params![task.as_str(), id.as_str(), file, now.0])?;
        self.tx.conn.prepare_cached("UPDATE capability_gaps SET dismissed_at_ms = NULL WHERE id = ?1")?.execute([id.as_str()])?;
        Ok(())
    }

    /// Applies the state of the task's checkbox: resolved, or open again.
    pub fn settle(&self, id: &GapId, status: TaskStatus, now: Timestamp) -> Result<()> {
        let gap = self.gap(id)?;
        match status {
            TaskStatus::Resolved => {
                self.set_status(&gap, GapStatus::Resolved, Some(now))?;
                self.set_task_status(id, status, Some(now))
            }
            TaskStatus::Open => {
                self.set_status(&gap, GapStatus::Reopened, None)?;
                self.set_task_status(id, status, None)
            }
        }
    }

    /// Dismisses a gap: it is no longer shown, even if it recurs in different words. If `at` is `None`, undoes the dismissal.
    pub fn dismiss(&self, id: &GapId, at: Option<Timestamp>) -> Result<()> {
        let changed = self
            .tx
            .conn
            .prepare_cached("UPDATE capability_gaps SET dismissed_at_ms = ?2 WHERE id = ?1")?
            .execute(params![id.as_str(), at.map(|time| time.0)])?;
        if changed == 0 {
            return Err(StoreError::not_found("gap", id.as_str()));
        }
        self.tx.touch(Tag::People);
        Ok(())
    }

    /// Deletes the gaps whose wording comes from a part of a conversation, together with their tasks. Other gaps stay, but lose
    /// the evidence in the messages of this part.
    pub(crate) fn erase_of(&self, part: Part<'_>) -> Result<()> {
        let within = MESSAGES_OF_PART;
        // The wording of a gap comes from the first message in its evidence or from the request before it. In the second case,
        // that request contains the wording and no remaining message does.
        let says = "SELECT 1 FROM gap_evidence o JOIN interactions i ON i.id = o.interaction_id
                     WHERE o.gap_id = g.id AND instr(lower(i.content), lower(g.need)) > 0 AND o.interaction_id";
        let worded = format!(
            "SELECT g.id FROM capability_gaps g WHERE g.id IN (
                 SELECT v.gap_id FROM gap_evidence v WHERE v.interaction_id IN ({within})
                    AND v.position = (SELECT min(position) FROM gap_evidence first WHERE first.gap_id = v.gap_id))
              OR EXISTS ({says} IN ({within})) AND NOT EXISTS ({says} NOT IN ({within}))"
        );
        for column in ["need", "description", "fingerprint"] {
            let sql = format!("SELECT {column} FROM capability_gaps WHERE id IN ({worded})");
            self.tx.lifecycle().remember_traces_with(&sql, part.params())?;
        }
        self.tx.conn.execute(&format!("DELETE FROM capability_gaps WHERE id IN ({worded})"), part.params())?;
        self.tx.conn.execute(&format!("DELETE FROM gap_evidence WHERE interaction_id IN ({within})"), part.params())?;
        self.tx.conn.execute(
            "DELETE FROM capability_gaps WHERE NOT EXISTS (SELECT 1 FROM gap_evidence v WHERE v.gap_id = capability_gaps.id)",
            [],
        )?;
        Ok(())
    }
}
