//! The durable queue: jobs with leases, one running job at a time per lane. A job's effects and its completion share one
//! transaction.
//!
//! A worker takes a job under a lease whose epoch only increases. A worker that has lost its lease cannot complete the job
//! (SECURITY.md, "Queue"). The engine decides what a job does; this module stores jobs and enforces their state transitions.

use keepsake_domain::job::{JOB_LEASE_MS, RETRY_AFTER_MAX_MS, RETRY_DELAYS_MS};
use keepsake_domain::{JobId, JobKind, JobState, Lane, LeaseLoss, Timestamp, after_lease_loss};
use rusqlite::{OptionalExtension, Row, params};

use crate::areas::{Jobs, JobsMut};
use crate::changes::Tag;
use crate::text::{parse, to_json};
use crate::{Result, StoreError};

/// A job to queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Fresh id.
    pub id: JobId,
    /// Kind of work.
    pub kind: JobKind,
    /// At most one queued or running job may have this kind and key.
    pub idempotency_key: String,
    /// JSON with ids and options only.
    pub payload: String,
}

/// A job, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// Order of arrival.
    pub seq: i64,
    /// Id.
    pub id: JobId,
    /// Kind of work.
    pub kind: JobKind,
    /// Its state.
    pub state: JobState,
    /// At most one queued or running job may have this kind and key.
    pub idempotency_key: String,
    /// JSON with ids and options only.
    pub payload: String,
    /// Number of failures so far.
    pub attempts: u32,
    /// How often the process died while running this job.
    pub crashes: u32,
    /// Epoch of the newest lease.
    pub lease_epoch: i64,
    /// Earliest start time.
    pub not_before: Timestamp,
    /// The person asked it to stop.
    pub cancel_requested: bool,
    /// Current step, for display.
    pub stage: Option<String>,
    /// Units of work done.
    pub done: u64,
    /// Total units of work; 0 if unknown.
    pub total: u64,
    /// The last error.
    pub error: Option<String>,
    /// JSON result of a finished job.
    pub result: Option<String>,
    /// When it was queued.
    pub created: Timestamp,
    /// When it started.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub finished: Option<Timestamp>,
}

/// The right to work on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// The lease is lost once the stored epoch differs from this one.
    pub epoch: i64,
}

/// What happens to a job after an unsuccessful attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    /// The job is retried later.
    Retry {
        /// Earliest time of the next attempt.
        at: Timestamp,
    },
    /// The job failed permanently.
    Dead,
    /// The person asked the job to stop, so it is not retried.
    Cancelled,
}

const RETRY_DELAY_MAX_MS: i64 = RETRY_DELAYS_MS[RETRY_DELAYS_MS.len() - 1];

/// Maximum number of finished and canceled jobs kept. This is enough to look up a maintenance run and a large import, and small
/// enough that queries stay fast no matter how long the store is used.
const SETTLED_JOBS_MAX: i64 = 1_000;

/// The sections of the job list, in order.
const LISTED: [&str; 4] = [
    "state = 'running' ORDER BY seq LIMIT ?1",
    "state = 'dead' ORDER BY seq DESC LIMIT ?1",
    "state = 'queued' ORDER BY seq LIMIT ?1",
    "state IN ('done', 'cancelled') ORDER BY seq DESC LIMIT ?1",
];

const HAS_DEAD: &str = "SELECT 1 FROM jobs WHERE kind = ?1 AND state = 'dead'";

const FORGET: &str = "DELETE FROM jobs WHERE seq IN (
    SELECT seq FROM jobs WHERE state IN ('done', 'cancelled') AND kind <> 'erase' ORDER BY seq DESC LIMIT -1 OFFSET ?1)";

/// `?2` is less than `?3`, so the first condition on `not_before_ms` is redundant, but it lets SQLite use the index.
const PULL_BACK: &str = "UPDATE jobs INDEXED BY jobs_put_off SET not_before_ms = ?1
    WHERE state = 'queued' AND not_before_ms > ?2 AND not_before_ms > CASE lane WHEN 'model' THEN ?3 ELSE ?2 END";

const COLUMNS: &str =
    "seq, id, kind, state, idempotency_key, payload, attempts, crashes, lease_epoch, not_before_ms, cancel_requested, stage,
    done_units, total_units, error, result, created_at_ms, started_at_ms, finished_at_ms";

fn job(row: &Row<'_>) -> Result<JobRow> {
    Ok(JobRow {
        seq: row.get(0)?,
        id: parse("job id", &row.get::<_, String>(1)?)?,
        kind: parse("job kind", &row.get::<_, String>(2)?)?,
        state: parse("job state", &row.get::<_, String>(3)?)?,
        idempotency_key: row.get(4)?,
        payload: row.get(5)?,
        attempts: row.get(6)?,
        crashes: row.get(7)?,
        lease_epoch: row.get(8)?,
        not_before: Timestamp(row.get(9)?),
        cancel_requested: row.get(10)?,
        stage: row.get(11)?,
        done: row.get::<_, i64>(12)? as u64,
        total: row.get::<_, i64>(13)? as u64,
        error: row.get(14)?,
        result: row.get(15)?,
        created: Timestamp(row.get(16)?),
        started: row.get::<_, Option<i64>>(17)?.map(Timestamp),
        finished: row.get::<_, Option<i64>>(18)?.map(Timestamp),
    })
}

impl Jobs<'_> {
    /// Whether a job is running in one of these lanes.
    pub fn has_running(&self, lanes: &[Lane]) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached("SELECT 1 FROM jobs WHERE lane = ?1 AND state = 'running'")?;
        for lane in lanes {
            if statement.exists([lane.to_string()])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The job with this id; an error if there is none.
    pub fn job(&self, id: &JobId) -> Result<JobRow> {
        self.jobs_where("id = ?1", params![id.as_str()])?.pop().ok_or_else(|| StoreError::not_found("job", id.as_str()))
    }

    fn jobs_where(&self, tail: &str, params: impl rusqlite::Params) -> Result<Vec<JobRow>> {
        let mut statement = self.tx.conn.prepare_cached(&format!("SELECT {COLUMNS} FROM jobs WHERE {tail}"))?;
        let mut rows = statement.query(params)?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(job(row)?);
        }
        Ok(items)
    }

    /// Running jobs first, then failed ones that need the person's attention, then queued ones in order, then the latest
    /// finished or canceled ones.
    pub fn recent(&self, limit: u32) -> Result<Vec<JobRow>> {
        let mut jobs = Vec::new();
        for part in LISTED {
            let left = (limit as usize).saturating_sub(jobs.len());
            jobs.extend(self.jobs_where(part, params![left as i64])?);
        }
        Ok(jobs)
    }

    /// Whether a job of this kind failed permanently and needs the person's attention.
    pub fn has_dead(&self, kind: JobKind) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached(HAS_DEAD)?.exists([kind.name()])?)
    }

    /// Number of queued or running jobs.
    pub fn unsettled(&self) -> Result<u64> {
        let count: i64 = self
            .tx
            .conn
            .prepare_cached("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')")?
            .query_row([], |row| row.get(0))?;
        Ok(count as u64)
    }

    /// Number of queued jobs that need a model.
    pub fn waiting_for_model(&self) -> Result<u64> {
        let count: i64 = self
            .tx
            .conn
            .prepare_cached("SELECT count(*) FROM jobs WHERE lane = 'model' AND state = 'queued'")?
            .query_row([], |row| row.get(0))?;
        Ok(count as u64)
    }

    /// When the next queued job of a lane may start; `None` if none is queued.
    pub fn next_due(&self, lane: Lane) -> Result<Option<Timestamp>> {
        let due: Option<i64> = self
            .tx
            .conn
            .prepare_cached("SELECT min(not_before_ms) FROM jobs WHERE lane = ?1 AND state = 'queued'")?
            .query_row(params![lane.name()], |row| row.get(0))?;
        Ok(due.map(Timestamp))
    }

    /// When the first lease of a lane expires, among jobs that this process is not working on; `None` if there is none.
    pub fn next_lease_end(&self, lane: Lane, at_work: &[JobId]) -> Result<Option<Timestamp>> {
        let end: Option<i64> = self
            .tx
            .conn
            .prepare_cached(
                "SELECT min(coalesce(lease_until_ms, 0)) FROM jobs
                  WHERE lane = ?1 AND state = 'running' AND id NOT IN (SELECT value FROM json_each(?2))",
            )?
            .query_row(params![lane.name(), to_json("ids of jobs", &at_work)?], |row| row.get(0))?;
        Ok(end.map(Timestamp))
    }

    /// Whether the person asked this job to stop. A job that no longer exists counts as stopped.
    pub fn is_cancel_requested(&self, id: &JobId) -> Result<bool> {
        let asked = self
            .tx
            .conn
            .prepare_cached("SELECT cancel_requested FROM jobs WHERE id = ?1")?
            .query_row(params![id.as_str()], |row| row.get(0))
            .optional()?;
        Ok(asked.unwrap_or(true))
    }
}

impl JobsMut<'_> {
    /// Queues a job. If a job with the same kind and key is queued or running, returns the id of that job instead.
    pub fn enqueue(&self, job: &NewJob, now: Timestamp) -> Result<JobId> {
        let waiting = self
            .tx
            .conn
            .prepare_cached("SELECT id FROM jobs WHERE kind = ?1 AND idempotency_key = ?2 AND state IN ('queued', 'running')")?
            .query_row(params![job.kind.name(), job.idempotency_key], |row| row.get::<_, String>(0))
            .optional()?;
        if let Some(id) = waiting {
            return parse("job id", &id);
        }
        self.tx.conn
            .prepare_cached(
                "INSERT INTO jobs (id, kind, lane, state, idempotency_key, payload, created_at_ms) VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6)",
            )?
            .execute(params![
                job.id.as_str(),
                job.kind.name(),
                job.kind.lane().name(),
                job.idempotency_key,
                job.payload,
                now.0
            ])?;
        self.tx.touch(Tag::Jobs);
        Ok(job.id.clone())
    }

    /// Leases the next job of a lane that may start, unless another job of the lane is running.
    ///
    /// A failed job that is waiting for its next attempt does not block the jobs behind it.
    pub fn lease_next(&self, lane: Lane, now: Timestamp) -> Result<Option<(Lease, JobRow)>> {
        self.heed_clock(now)?;
        let busy = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM jobs WHERE lane = ?1 AND state = 'running'")?
            .exists(params![lane.name()])?;
        if busy {
            return Ok(None);
        }
        let found = self
            .jobs_where(
                "lane = ?1 AND state = 'queued' AND not_before_ms <= ?2 ORDER BY seq LIMIT 1",
                params![lane.name(), now.0],
            )?
            .pop();
        found.map(|job| self.give_lease(job, now)).transpose()
    }

    /// Leases this particular job if it is queued, for a caller that wants to run it immediately.
    pub fn lease(&self, id: &JobId, now: Timestamp) -> Result<Option<(Lease, JobRow)>> {
        let found = self.jobs_where("id = ?1 AND state = 'queued'", params![id.as_str()])?.pop();
        found.map(|job| self.give_lease(job, now)).transpose()
    }

    fn give_lease(&self, mut job: JobRow, now: Timestamp) -> Result<(Lease, JobRow)> {
        job.lease_epoch += 1;
        job.state = JobState::Running;
        job.started = Some(now);
        self.tx.conn
            .prepare_cached(
                "UPDATE jobs SET state = 'running', lease_epoch = ?2, lease_until_ms = ?3, started_at_ms = ?4, finished_at_ms = NULL,
                        stage = NULL, done_units = 0, total_units = 0
                  WHERE id = ?1",
            )?
            .execute(params![job.id.as_str(), job.lease_epoch, now.plus_ms(JOB_LEASE_MS).0, now.0])?;
        self.tx.touch(Tag::Jobs);
        Ok((Lease { job: job.id.clone(), epoch: job.lease_epoch }, job))
    }

    /// Reports progress and shows that the worker is still alive. Fails if the lease was lost.
    pub fn heartbeat(&self, lease: &Lease, stage: &str, done: u64, total: u64, now: Timestamp) -> Result<()> {
        let changed = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE jobs SET lease_until_ms = ?3, stage = ?4, done_units = ?5, total_units = ?6
                  WHERE id = ?1 AND lease_epoch = ?2 AND state = 'running'",
            )?
            .execute(params![lease.job.as_str(), lease.epoch, now.plus_ms(JOB_LEASE_MS).0, stage, done as i64, total as i64])?;
        self.tx.touch(Tag::Jobs);
        self.held(lease, changed)
    }

    /// Caps stored times at the values that they could have if the clock had never been set back. Otherwise, if the computer's
    /// clock were set back by a day, a retry due in five seconds or a lease of one minute would last a day.
    fn heed_clock(&self, now: Timestamp) -> Result<()> {
        self.tx.conn.prepare_cached(PULL_BACK)?.execute(params![
            now.0,
            now.plus_ms(RETRY_DELAY_MAX_MS).0,
            now.plus_ms(RETRY_AFTER_MAX_MS).0
        ])?;
        self.tx
            .conn
            .prepare_cached("UPDATE jobs SET lease_until_ms = ?1 WHERE state = 'running' AND lease_until_ms > ?1")?
            .execute(params![now.plus_ms(JOB_LEASE_MS).0])?;
        Ok(())
    }

    fn held(&self, lease: &Lease, changed: usize) -> Result<()> {
        if changed == 0 { Err(StoreError::LeaseLost(lease.job.to_string())) } else { Ok(()) }
    }

    /// Fails unless the lease is still valid. Called in the transaction that writes the job's effects.
    pub fn check_lease(&self, lease: &Lease) -> Result<()> {
        let holds = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM jobs WHERE id = ?1 AND lease_epoch = ?2 AND state = 'running'")?
            .exists(params![lease.job.as_str(), lease.epoch])?;
        self.held(lease, usize::from(holds))
    }

    /// Finishes a job, in the same transaction as its effects.
    pub fn complete(&self, lease: &Lease, result: &str, now: Timestamp) -> Result<()> {
        let changed = self.tx.conn.execute(
            "UPDATE jobs SET state = 'done', lease_until_ms = NULL, finished_at_ms = ?3, result = ?4, error = NULL,
                    done_units = max(done_units, total_units)
              WHERE id = ?1 AND lease_epoch = ?2 AND state = 'running'",
            params![lease.job.as_str(), lease.epoch, now.0, result],
        )?;
        self.tx.touch(Tag::Jobs);
        self.held(lease, changed)?;
        self.forget_settled()
    }

    /// Deletes the oldest finished and canceled jobs, but keeps the receipts of erasures.
    fn forget_settled(&self) -> Result<()> {
        self.tx.conn.prepare_cached(FORGET)?.execute([SETTLED_JOBS_MAX])?;
        Ok(())
    }

    /// Ends a running job that the person canceled.
    pub fn finish_cancelled(&self, lease: &Lease, now: Timestamp) -> Result<()> {
        let changed = self.tx.conn.execute(
            "UPDATE jobs SET state = 'cancelled', lease_until_ms = NULL, finished_at_ms = ?3
              WHERE id = ?1 AND lease_epoch = ?2 AND state = 'running'",
            params![lease.job.as_str(), lease.epoch, now.0],
        )?;
        self.tx.touch(Tag::Jobs);
        self.held(lease, changed)?;
        self.forget_settled()
    }

    /// Records a failure. The job is retried after 5, 10 and 20 s, then marked as dead. If retrying cannot help, it is marked
    /// as dead immediately.
    pub fn fail(&self, lease: &Lease, error: &str, is_retryable: bool, now: Timestamp) -> Result<JobOutcome> {
        self.fail_after(lease, error, is_retryable, 0, now)
    }

    /// Like [`fail`](Self::fail), but delays the next attempt by at least `wait_ms`, up to [`RETRY_AFTER_MAX_MS`]. This is for a
    /// delay requested by a server (Retry-After).
    pub fn fail_after(&self, lease: &Lease, error: &str, is_retryable: bool, wait_ms: i64, now: Timestamp) -> Result<JobOutcome> {
        let job = self.job(&lease.job)?;
        let delay = RETRY_DELAYS_MS.get(job.attempts as usize).copied().filter(|_| is_retryable);
        let delay = delay.map(|delay| delay.max(wait_ms.min(RETRY_AFTER_MAX_MS)));
        let (state, at, outcome) = match delay {
            _ if job.cancel_requested => (JobState::Cancelled, now, JobOutcome::Cancelled),
            Some(delay) => {
                let at = now.plus_ms(delay);
                (JobState::Queued, at, JobOutcome::Retry { at })
            }
            None => (JobState::Dead, now, JobOutcome::Dead),
        };
        let changed = self.tx.conn.execute(
            "UPDATE jobs SET state = ?3, attempts = attempts + 1, error = ?4, not_before_ms = ?5, lease_until_ms = NULL, finished_at_ms = ?6
              WHERE id = ?1 AND lease_epoch = ?2 AND state = 'running'",
            params![
                lease.job.as_str(),
                lease.epoch,
                state.name(),
                error,
                at.0,
                state.is_settled().then_some(now.0)
            ],
        )?;
        self.tx.touch(Tag::Jobs);
        self.held(lease, changed)?;
        Ok(outcome)
    }

    /// Postpones a job that could not finish yet but has not failed: its attempt count stays the same, and `why` is shown.
    pub fn postpone(&self, lease: &Lease, why: &str, at: Timestamp) -> Result<()> {
        let changed = self.tx.conn.execute(
            "UPDATE jobs SET state = 'queued', error = ?3, not_before_ms = ?4, lease_until_ms = NULL
              WHERE id = ?1 AND lease_epoch = ?2 AND state = 'running'",
            params![lease.job.as_str(), lease.epoch, why, at.0],
        )?;
        self.tx.touch(Tag::Jobs);
        self.held(lease, changed)
    }

    /// Completes an erasure and deletes the hashes that were used to detect leftovers of the erased text.
    pub fn complete_erasure(&self, lease: &Lease, result: &str, now: Timestamp) -> Result<()> {
        self.complete(lease, result, now)?;
        self.tx
            .conn
            .execute("UPDATE jobs SET payload = json_remove(payload, '$.traces') WHERE id = ?1", params![lease.job.as_str()])?;
        Ok(())
    }

    /// Requeues jobs whose worker is lost. After [`LeaseLoss::ProcessEnded`], these are all running jobs; a process calls this
    /// when it has just started working on the queue. Otherwise, these are the jobs with an expired lease. Returns the jobs
    /// that crashed too often and are now dead.
    ///
    /// If a lease expired while the computer slept and no process requeued the job, the worker simply continues: its next
    /// heartbeat renews the lease with the same epoch.
    pub fn recover(&self, loss: LeaseLoss, now: Timestamp) -> Result<Vec<JobId>> {
        self.heed_clock(now)?;
        let lost = self.jobs_where(
            "state = 'running' AND (?1 OR lease_until_ms IS NULL OR lease_until_ms < ?2) ORDER BY seq",
            params![loss == LeaseLoss::ProcessEnded, now.0],
        )?;
        self.give_back(&lost, loss, now)
    }

    /// Requeues jobs of a lane that are marked as running but are not running: their lease has expired, and they are not in
    /// `at_work`, the jobs of this process. This happens when the end of a job could not be written, for example on a full
    /// disk.
    pub fn recover_lane(&self, lane: Lane, at_work: &[JobId], now: Timestamp) -> Result<()> {
        self.heed_clock(now)?;
        let lost = self.jobs_where(
            "lane = ?1 AND state = 'running' AND (lease_until_ms IS NULL OR lease_until_ms < ?2)
                AND id NOT IN (SELECT value FROM json_each(?3)) ORDER BY seq",
            params![lane.name(), now.0, to_json("ids of jobs", &at_work)?],
        )?;
        self.give_back(&lost, LeaseLoss::RanOut, now).map(drop)
    }

    fn give_back(&self, lost: &[JobRow], loss: LeaseLoss, now: Timestamp) -> Result<Vec<JobId>> {
        let mut parked = Vec::new();
        for job in lost {
            let (state, crashes) = after_lease_loss(loss, job.crashes, job.cancel_requested);
            let error = (state == JobState::Dead).then_some("the program ended more than once while this job was running");
            if state == JobState::Dead {
                parked.push(job.id.clone());
            }
            self.tx.conn.execute(
                "UPDATE jobs SET state = ?2, crashes = ?5, lease_epoch = lease_epoch + 1, lease_until_ms = NULL,
                        error = coalesce(?3, error), finished_at_ms = ?4
                  WHERE id = ?1",
                params![job.id.as_str(), state.name(), error, state.is_settled().then_some(now.0), crashes],
            )?;
            self.tx.touch(Tag::Jobs);
        }
        Ok(parked)
    }

    /// Requeues the jobs of this process on a clean shutdown, without counting a crash.
    pub fn release(&self, now: Timestamp) -> Result<()> {
        self.tx.conn.execute(
            "UPDATE jobs SET state = CASE WHEN cancel_requested = 1 THEN 'cancelled' ELSE 'queued' END, lease_epoch = lease_epoch + 1,
                    lease_until_ms = NULL, finished_at_ms = CASE WHEN cancel_requested = 1 THEN ?1 END
              WHERE state = 'running'",
            params![now.0],
        )?;
        self.tx.touch(Tag::Jobs);
        Ok(())
    }

    /// Asks a job to stop. A queued job stops immediately, a running job as soon as its worker checks. Returns `true` if the
    /// job has already stopped.
    pub fn request_cancel(&self, id: &JobId, now: Timestamp) -> Result<bool> {
        let job = self.job(id)?;
        let settled = match job.state {
            _ if job.kind == JobKind::Erase => {
                return Err(StoreError::Refused("an erasure cannot be cancelled; it runs until it is complete"));
            }
            JobState::Queued | JobState::Dead => {
                self.tx.conn.execute(
                    "UPDATE jobs SET state = 'cancelled', cancel_requested = 1, finished_at_ms = ?2 WHERE id = ?1",
                    params![id.as_str(), now.0],
                )?;
                true
            }
            JobState::Running => {
                self.tx.conn.execute("UPDATE jobs SET cancel_requested = 1 WHERE id = ?1", params![id.as_str()])?;
                false
            }
            JobState::Done | JobState::Cancelled => true,
        };
        self.tx.touch(Tag::Jobs);
        Ok(settled)
    }

    /// Retries a dead job with its attempts reset.
    pub fn retry(&self, id: &JobId, now: Timestamp) -> Result<()> {
        let changed = self.tx.conn.execute(
            "UPDATE jobs SET state = 'queued', attempts = 0, crashes = 0, cancel_requested = 0, not_before_ms = ?2, finished_at_ms = NULL
              WHERE id = ?1 AND state = 'dead'
                AND NOT EXISTS (SELECT 1 FROM jobs o WHERE o.kind = jobs.kind AND o.idempotency_key = jobs.idempotency_key
                                   AND o.state IN ('queued', 'running'))",
            params![id.as_str(), now.0],
        )?;
        if changed == 0 {
            return Err(StoreError::not_found("failed job", id.as_str()));
        }
        self.tx.touch(Tag::Jobs);
        Ok(())
    }

    /// Cancels every queued or running job whose payload names this conversation, and returns the number of these jobs.
    pub fn cancel_about(&self, conversation: &str, now: Timestamp) -> Result<u64> {
        let about = self.jobs_where(
            "state IN ('queued', 'running') AND json_extract(payload, '$.conversation_id') = ?1",
            params![conversation],
        )?;
        for job in &about {
            self.request_cancel(&job.id, now)?;
        }
        Ok(about.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::Store;

    #[test]
    fn what_is_asked_often_is_found_by_an_index() {
        let dir = tempfile::tempdir().expect("a folder");
        let store = Store::open(dir.path(), Timestamp(0)).expect("it opens");
        let plan = |sql: &str| {
            let plan = store.read(|tx| {
                let mut statement = tx.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                (1..=statement.parameter_count()).try_for_each(|at| statement.raw_bind_parameter(at, 1))?;
                let mut rows = statement.raw_query();
                let mut plan = String::new();
                while let Some(row) = rows.next()? {
                    plan.push_str(&row.get::<_, String>(3)?);
                    plan.push('\n');
                }
                Ok(plan)
            });
            plan.expect("SQLite explains it")
        };
        let listed = LISTED.map(|part| format!("SELECT {COLUMNS} FROM jobs WHERE {part}"));
        let page = crate::log::conversations::listed("1", 0, 100);
        let mut wanted: Vec<(&str, &str)> = listed.iter().map(|sql| (sql.as_str(), "jobs_by_state")).collect();
        wanted.extend([
            (HAS_DEAD, "jobs_dead"),
            (PULL_BACK, "jobs_put_off"),
            (FORGET, "USING COVERING INDEX jobs_by_state"),
            (crate::log::conversations::TO_EXTRACT, "jobs_dead"),
            (crate::log::conversations::PARTICIPANTS, "USING COVERING INDEX interactions_by_author"),
            (crate::log::conversations::MEMORIES_OF_ONE, "memories_by_conversation"),
            (page.as_str(), "conversations_by_activity"),
            (page.as_str(), "SEARCH p USING"),
            (crate::people::unidentified_speakers::VOICES_OF_ONE, "SEARCH p USING PRIMARY KEY (conversation_id=?)"),
            (crate::lifecycle::erase::PENDING, "jobs_of_erasures"),
        ]);
        for (sql, index) in wanted {
            let plan = plan(sql);
            assert!(
                plan.contains(index) && !plan.contains("SCAN jobs\n") && !plan.contains("SCAN j\n") && !plan.contains("SCAN p\n"),
                "{sql}\n{plan}"
            );
        }
        let control = plan("SELECT 1 FROM jobs WHERE payload = '' AND done_units = 3");
        assert!(control.contains("SCAN jobs\n"), "a control: {control}");
    }
}
