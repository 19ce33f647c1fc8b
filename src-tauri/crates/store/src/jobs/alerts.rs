//! Alerts: failures that stay visible until the person dismisses them.

use keepsake_domain::{AlertId, JobId, Timestamp};
use rusqlite::params;

use crate::areas::{Alerts, AlertsMut};
use crate::changes::Tag;
use crate::text::parse;
use crate::{Result, StoreError};

/// An alert, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRow {
    /// Id.
    pub id: AlertId,
    /// Kind of failure.
    pub kind: String,
    /// What happened, what it affects and what to do about it.
    pub message: String,
    /// The job that failed, if a job raised it.
    pub job_id: Option<JobId>,
    /// When it was raised.
    pub created: Timestamp,
}

impl Alerts<'_> {
    /// Alerts not dismissed, newest first.
    pub fn all(&self) -> Result<Vec<AlertRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id, kind, message, job_id, created_at_ms FROM alerts WHERE dismissed_at_ms IS NULL ORDER BY created_at_ms DESC, id DESC",
        )?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let job: Option<String> = row.get(3)?;
            items.push(AlertRow {
                id: parse("alert id", &row.get::<_, String>(0)?)?,
                kind: row.get(1)?,
                message: row.get(2)?,
                job_id: job.map(|id| parse("job id", &id)).transpose()?,
                created: Timestamp(row.get(4)?),
            });
        }
        Ok(items)
    }

    /// Number of alerts not dismissed.
    pub fn count(&self) -> Result<u64> {
        let count: i64 = self
            .tx
            .conn
            .prepare_cached("SELECT count(*) FROM alerts WHERE dismissed_at_ms IS NULL")?
            .query_row([], |row| row.get(0))?;
        Ok(count as u64)
    }
}

impl AlertsMut<'_> {
    /// Raises an alert, unless one with the same message is already open.
    pub fn raise(&self, alert: &AlertRow) -> Result<()> {
        self.tx.conn.execute(
            "INSERT INTO alerts (id, kind, message, job_id, created_at_ms)
             SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (
                 SELECT 1 FROM alerts WHERE kind = ?2 AND message = ?3 AND job_id IS ?4 AND dismissed_at_ms IS NULL)",
            params![alert.id.as_str(), alert.kind, alert.message, alert.job_id.as_ref().map(JobId::as_str), alert.created.0],
        )?;
        self.tx.touch(Tag::Alerts);
        Ok(())
    }

    /// Dismisses an alert that the person has seen.
    pub fn dismiss(&self, id: &AlertId, now: Timestamp) -> Result<()> {
        let changed =
            self.tx.conn.execute("UPDATE alerts SET dismissed_at_ms = ?2 WHERE id = ?1", params![id.as_str(), now.0])?;
        if changed == 0 {
            return Err(StoreError::not_found("alert", id.as_str()));
        }
        self.tx.touch(Tag::Alerts);
        Ok(())
    }

    /// Dismisses the alerts of a job because it was retried.
    pub fn dismiss_of(&self, job: &JobId, now: Timestamp) -> Result<()> {
        self.tx.conn.execute(
            "UPDATE alerts SET dismissed_at_ms = ?2 WHERE job_id = ?1 AND dismissed_at_ms IS NULL",
            params![job.as_str(), now.0],
        )?;
        self.tx.touch(Tag::Alerts);
        Ok(())
    }
}
