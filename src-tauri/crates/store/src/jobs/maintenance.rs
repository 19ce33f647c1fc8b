//! Maintenance runs: when each ran, the number of new items since then, and the number of items that await the person.
//!
//! Not here: what a run does and when it is due (`engine`).

use keepsake_domain::{JobId, JobKind, MaintenanceRunId, MemoryId, RunState, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::Result;
use crate::areas::{Maintenance, MaintenanceMut};
use crate::changes::Tag;
use crate::text::parse;

/// A maintenance run, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceRunRow {
    /// Id.
    pub id: MaintenanceRunId,
    /// Its state.
    pub state: RunState,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Option<Timestamp>,
    /// Number of proposals that it marked as expired.
    pub parked: u64,
    /// JSON: counts by name, written when it ended.
    pub digest: Option<String>,
}

/// Named counts, in display order.
pub type Counts = Vec<(&'static str, u64)>;

/// Queries that count the items created or decided on after one time (`?1`) up to another (`?2`), both in milliseconds.
const NEW: [(&str, &str); 6] = [
    ("candidates", "SELECT count(*) FROM memories WHERE created_at_ms > ?1 AND created_at_ms <= ?2 AND supersedes_id IS NULL"),
    ("approved", "SELECT count(*) FROM memories WHERE status = 'active' AND decided_at_ms > ?1 AND decided_at_ms <= ?2"),
    (
        "topics",
        "SELECT count(DISTINCT topic_id) FROM topic_versions WHERE is_retired = 0 AND made_at_ms > ?1 AND made_at_ms <= ?2",
    ),
    ("profile_entries", "SELECT count(*) FROM entity_profiles WHERE created_at_ms > ?1 AND created_at_ms <= ?2"),
    (
        "sessions",
        "SELECT count(*) FROM session_summaries WHERE superseded_at_ms IS NULL AND created_at_ms > ?1 AND created_at_ms <= ?2",
    ),
    ("playbooks", "SELECT count(*) FROM playbooks WHERE found_at_ms > ?1 AND found_at_ms <= ?2"),
];

/// Queries that count the items that await the person, regardless of the time. Suggested links are not counted here, because a
/// link's row alone does not show whether the suggestion is still open.
const WAITING: [(&str, &str); 6] = [
    ("quarantined", "SELECT count(*) FROM memories WHERE status = 'quarantined'"),
    (
        "topic_proposals",
        "SELECT count(*) FROM topic_proposals p WHERE NOT EXISTS (SELECT 1 FROM proposal_ages w
            WHERE w.kind = 'topic' AND w.id = p.id AND w.expired_at_ms IS NOT NULL)",
    ),
    ("playbooks", "SELECT count(*) FROM playbooks WHERE status = 'candidate'"),
    ("reflections", crate::memories::reflections::WAITING),
    (
        "gaps",
        "SELECT count(*) FROM capability_gaps g WHERE g.status IN ('detected', 'reopened') AND g.dismissed_at_ms IS NULL
            AND NOT EXISTS (SELECT 1 FROM proposal_ages w
            WHERE w.kind = 'gap' AND w.id = g.id AND w.expired_at_ms IS NOT NULL AND w.input_version = CAST(g.frequency AS TEXT))",
    ),
    ("alerts", "SELECT count(*) FROM alerts WHERE dismissed_at_ms IS NULL"),
];

const COLUMNS: &str = "id, state, started_at_ms, finished_at_ms, expired, digest";

fn run(row: &Row<'_>) -> Result<MaintenanceRunRow> {
    Ok(MaintenanceRunRow {
        id: parse("run id", row.get_ref(0)?.as_str().unwrap_or_default())?,
        state: parse("run state", row.get_ref(1)?.as_str().unwrap_or_default())?,
        started: Timestamp(row.get(2)?),
        finished: row.get::<_, Option<i64>>(3)?.map(Timestamp),
        parked: row.get::<_, i64>(4)? as u64,
        digest: row.get(5)?,
    })
}

impl Maintenance<'_> {
    /// Maintenance runs, newest first.
    pub fn runs(&self, limit: u32) -> Result<Vec<MaintenanceRunRow>> {
        let sql = format!("SELECT {COLUMNS} FROM maintenance_runs ORDER BY started_at_ms DESC, id DESC LIMIT ?1");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([limit])?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            runs.push(run(row)?);
        }
        Ok(runs)
    }

    /// The run in progress, if any.
    pub fn running(&self) -> Result<Option<MaintenanceRunRow>> {
        let sql = format!("SELECT {COLUMNS} FROM maintenance_runs WHERE state = 'running'");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        rows.next()?.map(run).transpose()
    }

    /// Queued or running jobs of these kinds.
    pub fn unsettled_jobs_of(&self, kinds: &[JobKind]) -> Result<Vec<JobId>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT id FROM jobs WHERE kind = ?1 AND state IN ('queued', 'running') ORDER BY id")?;
        let mut found = Vec::new();
        for kind in kinds {
            let mut rows = statement.query([kind.name()])?;
            while let Some(row) = rows.next()? {
                found.push(parse("job id", row.get_ref(0)?.as_str().unwrap_or_default())?);
            }
        }
        Ok(found)
    }

    /// Counts new items: messages after the sequence number `seq`, everything else after `since` up to `until`.
    pub fn new_since(&self, seq: i64, since: Timestamp, until: Timestamp) -> Result<Counts> {
        let spoken = |sql: &str| -> Result<u64> {
            Ok(self.tx.conn.prepare_cached(sql)?.query_row([seq], |row| row.get::<_, i64>(0))? as u64)
        };
        let mut counts = vec![
            ("messages", spoken("SELECT count(*) FROM interactions WHERE seq > ?1")?),
            ("conversations", spoken("SELECT count(DISTINCT conversation_id) FROM interactions WHERE seq > ?1")?),
        ];
        for (name, sql) in NEW {
            let count: i64 = self.tx.conn.prepare_cached(sql)?.query_row(params![since.0, until.0], |row| row.get(0))?;
            counts.push((name, count as u64));
        }
        Ok(counts)
    }

    /// Counts the items that await the person at a given time. A proposal that is snoozed until exactly `parked` counts as
    /// expired.
    pub fn waiting(&self, now: Timestamp, parked: Timestamp) -> Result<Counts> {
        let (review, _, _) = self.tx.memories().totals(now)?;
        let set_aside: i64 = self
            .tx
            .conn
            .prepare_cached("SELECT count(*) FROM memories WHERE status = 'pending' AND snoozed_until_ms = ?1")?
            .query_row([parked.0], |row| row.get(0))?;
        let mut counts = vec![("review", review), ("parked", set_aside as u64)];
        for (name, sql) in WAITING {
            let count: i64 = self.tx.conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            counts.push((name, count as u64));
        }
        Ok(counts)
    }

    /// Pending proposals that arrived, or came back, before a given time.
    pub fn candidates_waiting_since(&self, before: Timestamp, now: Timestamp) -> Result<Vec<MemoryId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id FROM memories
              WHERE status = 'pending' AND coalesce(snoozed_until_ms, 0) <= ?2
                AND max(created_at_ms, coalesce(snoozed_until_ms, 0)) <= ?1 ORDER BY id",
        )?;
        let rows = statement.query_map(params![before.0, now.0], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("memory id", &row?)).collect()
    }
}

impl MaintenanceMut<'_> {
    /// Begins a run; returns `false` if one is in progress.
    pub fn begin(&self, id: &MaintenanceRunId, now: Timestamp) -> Result<bool> {
        let is_running = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM maintenance_runs WHERE state = 'running'")?
            .query_row([], |row| row.get::<_, i64>(0))
            .optional()?
            .is_some();
        if is_running {
            return Ok(false);
        }
        self.tx
            .conn
            .prepare_cached("INSERT INTO maintenance_runs (id, state, started_at_ms) VALUES (?1, 'running', ?2)")?
            .execute(params![id.as_str(), now.0])?;
        self.tx.touch(Tag::Jobs);
        Ok(true)
    }

    /// Records how many proposals a run marked as expired.
    pub fn note_parked(&self, id: &MaintenanceRunId, parked: u64) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE maintenance_runs SET expired = ?2 WHERE id = ?1")?
            .execute(params![id.as_str(), parked as i64])?;
        Ok(())
    }

    /// Ends the run in progress and stores its digest. A run that the person stopped has no digest.
    pub fn end(&self, id: &MaintenanceRunId, digest: Option<&str>, now: Timestamp) -> Result<()> {
        let state = if digest.is_some() { RunState::Finished } else { RunState::Cancelled };
        self.tx
            .conn
            .prepare_cached(
                "UPDATE maintenance_runs SET state = ?2, digest = ?3, finished_at_ms = ?4 WHERE id = ?1 AND state = 'running'",
            )?
            .execute(params![id.as_str(), state.name(), digest, now.0])?;
        self.tx.touch(Tag::Jobs);
        Ok(())
    }
}
