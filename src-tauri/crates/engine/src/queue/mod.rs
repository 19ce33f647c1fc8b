//! The worker: takes jobs lane by lane, runs them, and stores how each one ended.
//!
//! One step of a lane is [`Queue::run_next`], which tests call directly; [`Worker`] repeats it on one thread per lane.
//! During a pause, no further jobs start and none are lost. An idle thread uses no CPU: it sleeps until it is woken or a
//! retry is due.

pub(crate) mod control;
pub(crate) mod import_payload;
pub(crate) mod pause;
pub(crate) mod power;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use keepsake_domain::{AlertId, ConversationId, EntityId, JobId, JobKind, JobState, Lane, LeaseLoss, Timestamp};
use keepsake_store::{AlertRow, JobOutcome, JobRow, Lease, NewJob, StoreError, WriteTx};
use serde::Deserialize;

use crate::areas::Queue;
use crate::ingest::import::named;
use crate::ingest::live::notifications::Notifications;
use crate::queue::control::Control;
use crate::queue::import_payload::ImportPayload;
use crate::{Engine, EngineError, Result};

/// How often a running job stores its progress, in milliseconds. Each write is durable and takes milliseconds.
const HEARTBEAT_MS: i64 = 1_000;

/// How often a running job reports progress to the window, in milliseconds. People cannot see faster updates.
const PROGRESS_MS: i64 = 100;

/// How often a held lane checks whether the power is back or the budget was raised, in milliseconds.
const HOLD_LOOK_MS: i64 = 60_000;

/// How often a caller that waits for running jobs checks whether they have ended, in milliseconds. It has to poll, because the
/// end of a job wakes no waiting caller.
const HELD_LOOK_MS: u64 = 100;

/// The point in a job's life at which a test ends the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillPoint {
    /// The lease is stored, but no work has been done.
    AfterLease,
    /// In the middle of the work, at a check for cancellation.
    Working,
    /// The effects and the job's completion are stored.
    AfterEffects,
}

/// Result of one step of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A job ran and is now in this state.
    Ran(JobId, JobState),
    /// Nothing may start now. Contains the time of the next retry, if one is pending.
    Idle(Option<Timestamp>),
    /// Background work is paused. Contains the end of the pause, if it ends by itself.
    Paused(Option<Timestamp>),
    /// A job is ready but held: the computer is on battery, or the day's budget is used up.
    Held(Hold),
}

/// Why models may not be called now, and when to check again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// The reason, in words for the person.
    pub why: String,
    /// When to check again.
    pub until: Timestamp,
}

/// Progress of a running job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Id of the job.
    pub job: JobId,
    /// What the job is doing.
    pub stage: String,
    /// Number of units done.
    pub done: u64,
    /// Total number of units; 0 if unknown.
    pub total: u64,
}

/// Wakes sleeping lanes, and shares the signals that running jobs must receive immediately.
#[derive(Default)]
pub(crate) struct Wake {
    generation: AtomicU64,
    sleeping: Mutex<()>,
    bell: Condvar,
    stopping: AtomicBool,
    held_up: AtomicBool,
    cancelled: Mutex<HashSet<JobId>>,
    live: Mutex<HashMap<JobId, Progress>>,
    at_work: Mutex<HashSet<JobId>>,
}

impl Wake {
    /// Whether the worker is being stopped.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    pub(crate) fn all(&self) {
        let _guard = self.sleeping.lock().unwrap_or_else(PoisonError::into_inner);
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.bell.notify_all();
    }

    /// Sleeps until woken after `seen`, or until `timeout` has passed.
    fn sleep(&self, seen: u64, timeout: Option<Duration>) {
        let mut guard = self.sleeping.lock().unwrap_or_else(PoisonError::into_inner);
        while self.generation.load(Ordering::SeqCst) == seen && !self.stopping.load(Ordering::SeqCst) {
            match timeout {
                Some(timeout) => {
                    let (_guard, _) = self.bell.wait_timeout(guard, timeout).unwrap_or_else(PoisonError::into_inner);
                    return;
                }
                None => guard = self.bell.wait(guard).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Marks a job as being worked on by this process, no matter how long ago its last heartbeat was. Dropping it also removes
/// the in-memory state of the job.
pub(crate) struct AtWork<'e> {
    wake: &'e Wake,
    job: JobId,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.wake.at_work.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.job);
        self.wake.cancelled.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.job);
        self.wake.live.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.job);
    }
}

/// While this value exists, no job starts except an erasure.
pub(crate) struct HeldUp<'e>(&'e Engine);

impl Drop for HeldUp<'_> {
    fn drop(&mut self) {
        self.0.inner.wake.held_up.store(false, Ordering::SeqCst);
        self.0.inner.wake.all();
    }
}

/// The right to run the queue: one process per data folder, enforced by a lock that the system
/// releases when the process ends.
#[derive(Debug)]
pub struct WorkerLock {
    _file: File,
}

/// The lock alone, before the jobs of a dead worker are recovered.
#[derive(Debug)]
pub struct QueueTurn {
    file: File,
}

impl QueueTurn {
    fn open(data_dir: &Path) -> Result<File> {
        let path = data_dir.join("worker.lock");
        let opened = File::options().create(true).truncate(false).write(true).open(&path);
        opened.map_err(|error| EngineError::Io { what: format!("cannot open {}", path.display()), error })
    }

    /// Waits until no other process runs the queue of this folder. The system wakes the thread; there is no polling.
    pub fn wait(data_dir: &Path) -> Result<Self> {
        let file = Self::open(data_dir)?;
        file.lock().map_err(|error| EngineError::Io { what: "cannot wait for the lock of the job queue".to_owned(), error })?;
        Ok(Self { file })
    }

    /// Takes the lock; an error if another process runs the queue.
    fn try_take(data_dir: &Path) -> Result<Self> {
        let file = Self::open(data_dir)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(EngineError::AlreadyRunning),
            Err(std::fs::TryLockError::Error(error)) => {
                Err(EngineError::Io { what: "cannot lock the job queue".to_owned(), error })
            }
        }
    }
}

#[derive(Debug, Deserialize)]
struct ConversationPayload {
    conversation_id: ConversationId,
}

#[derive(Debug, Deserialize)]
struct PersonPayload {
    entity_id: EntityId,
}

/// The control of work that has no job: cancels it when the worker stops.
struct Stopping<'e>(&'e Engine);

impl Control for Stopping<'_> {
    fn progress(&self, _stage: &str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        self.0.inner.wake.stopping.load(Ordering::SeqCst)
    }
}

/// The control of a running job: renews its lease, reports its progress, and passes on cancellation.
struct JobControl<'e> {
    engine: &'e Engine,
    lease: &'e Lease,
    tell: &'e dyn Fn(Progress),
    kill: &'e dyn Fn(KillPoint) -> bool,
    killed: AtomicBool,
    last_beat: AtomicI64,
    last_told: AtomicI64,
    lost: AtomicBool,
}

impl Control for JobControl<'_> {
    fn progress(&self, stage: &str, done: u64, total: u64) {
        let now = self.engine.now();
        if now.0 - self.last_told.load(Ordering::Relaxed) >= PROGRESS_MS {
            self.last_told.store(now.0, Ordering::Relaxed);
            let progress = Progress { job: self.lease.job.clone(), stage: stage.to_owned(), done, total };
            self.engine
                .inner
                .wake
                .live
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(self.lease.job.clone(), progress.clone());
            (self.tell)(progress);
        }
        if now.0 - self.last_beat.load(Ordering::Relaxed) >= HEARTBEAT_MS {
            self.last_beat.store(now.0, Ordering::Relaxed);
            let beat = self.engine.store().write(|tx| tx.jobs().heartbeat(self.lease, stage, done, total, now));
            let asked = self.engine.store().read(|tx| tx.jobs().is_cancel_requested(&self.lease.job));
            if matches!(beat, Err(StoreError::LeaseLost(_))) {
                self.lost.store(true, Ordering::Relaxed);
            }
            if matches!(asked, Ok(true)) {
                self.engine.inner.wake.cancelled.lock().unwrap_or_else(PoisonError::into_inner).insert(self.lease.job.clone());
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        if (self.kill)(KillPoint::Working) {
            self.killed.store(true, Ordering::Relaxed);
            return true;
        }
        self.lost.load(Ordering::Relaxed)
            || self.engine.inner.wake.stopping.load(Ordering::SeqCst)
            || self.engine.inner.wake.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&self.lease.job)
    }
}

impl<'e> Queue<'e> {
    /// Takes the right to run the queue and recovers the jobs of a dead worker.
    pub fn lock_worker(&self) -> Result<WorkerLock> {
        self.take_queue(QueueTurn::try_take(self.engine.data_dir())?)
    }

    /// Like [`lock_worker`](Self::lock_worker), with the lock already taken.
    pub fn take_queue(&self, turn: QueueTurn) -> Result<WorkerLock> {
        let now = self.engine.now();
        let parked = self.engine.store().write(|tx| {
            let parked = tx.jobs().recover(LeaseLoss::ProcessEnded, now)?;
            tx.sources().close_lost_imports(now)?;
            Ok(parked)
        })?;
        for job in parked {
            self.alert_about(&job, "the program ended more than once while this job was running")?;
        }
        if let Err(error) = self.engine.store().clear_leftovers() {
            // This failure does not stop the worker; the next start tries again.
            tracing::warn!(%error, "leftovers could not be removed");
        }
        Ok(WorkerLock { _file: turn.file })
    }

    /// Waits until running jobs have finished, and lets no new ones start, except erasures, until the returned value is
    /// dropped. This state is not stored, so the queue is not blocked if the process dies meanwhile.
    pub(crate) fn hold_up_work(&self, control: &dyn Control) -> Result<HeldUp<'e>> {
        self.engine.inner.wake.held_up.store(true, Ordering::SeqCst);
        let held = HeldUp(self.engine);
        let lanes: Vec<Lane> = Lane::ALL.iter().copied().filter(|lane| *lane != Lane::Upkeep).collect();
        loop {
            let seen = self.engine.inner.wake.generation.load(Ordering::SeqCst);
            // Done in a write transaction: leases taken earlier are visible, and any later attempt to take one sees that work
            // is held up.
            let (now, at_work) = (self.engine.now(), self.at_work());
            let is_running = self.engine.store().write(|tx| {
                for &lane in &lanes {
                    tx.jobs().recover_lane(lane, &at_work, now)?;
                }
                tx.jobs().has_running(&lanes)
            })?;
            if !is_running {
                return Ok(held);
            }
            control.progress("waiting", 0, 0);
            if control.is_cancelled() || self.engine.inner.wake.stopping.load(Ordering::SeqCst) {
                return Err(EngineError::Cancelled);
            }
            self.engine.inner.wake.sleep(seen, Some(Duration::from_millis(HELD_LOOK_MS)));
        }
    }

    /// Wakes the sleeping lanes so that they check again, because another process may have queued something.
    pub fn look_for_work(&self) {
        self.engine.inner.wake.all();
    }

    /// Asks a job to stop.
    pub fn cancel_job(&self, id: &JobId) -> Result<()> {
        let settled = self.engine.store().write(|tx| tx.jobs().request_cancel(id, self.engine.now()))?;
        if settled {
            self.forget_file_of(&self.engine.store().read(|tx| tx.jobs().job(id))?);
        } else {
            self.engine.inner.wake.cancelled.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone());
        }
        self.engine.inner.wake.all();
        Ok(())
    }

    /// Removes the uploaded file of an import that will not run anymore.
    fn forget_file_of(&self, job: &JobRow) {
        if job.kind == JobKind::Import
            && job.state != JobState::Done
            && let Ok(payload) = read_payload::<ImportPayload>(job)
        {
            self.engine.imports().forget_incoming(&payload.path);
        }
    }

    /// Tries a failed job again.
    pub fn retry_job(&self, id: &JobId) -> Result<()> {
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            tx.jobs().retry(id, now)?;
            tx.alerts().dismiss_of(id, now)
        })?;
        self.engine.inner.wake.all();
        Ok(())
    }

    /// The latest progress of a running job, more recent than the stored one.
    pub fn live_progress(&self, id: &JobId) -> Option<Progress> {
        self.engine.inner.wake.live.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Queues extraction for every conversation with unread messages, unless the reader is known to be
    /// missing. Returns how many.
    pub fn queue_unread(&self) -> Result<usize> {
        if !self.engine.conversations().may_read() {
            return Ok(0);
        }
        let ids = self.engine.store().read(|tx| tx.log().conversations_to_extract())?;
        Ok(self.engine.imports().queue_extraction(&ids)?.len())
    }

    /// Runs the next job of a lane, if one may start.
    pub fn run_next(&self, lane: Lane, tell: &dyn Fn(Progress)) -> Result<Step> {
        Ok(self.run_next_killed(lane, tell, &|_| false)?.unwrap_or(Step::Idle(None)))
    }

    /// Like [`run_next`](Self::run_next), but stops at the kill point that `kill` selects, as if the process died there, and
    /// then returns `None`.
    #[doc(hidden)]
    pub fn run_next_killed(&self, lane: Lane, tell: &dyn Fn(Progress), kill: &dyn Fn(KillPoint) -> bool) -> Result<Option<Step>> {
        // Ordinary work is held up, but not an erasure, because a person is waiting for it.
        let is_held_up = || lane != Lane::Upkeep && self.engine.inner.wake.held_up.load(Ordering::SeqCst);
        if is_held_up() {
            return Ok(Some(Step::Paused(None)));
        }
        if lane != Lane::Upkeep
            && let Some(pause) = self.pause()?
        {
            return Ok(Some(Step::Paused(pause.until)));
        }
        self.end_pause_in_time()?;
        let now = self.engine.now();
        if lane == Lane::Model
            && let Some(hold) = self.engine.models().hold(now)?
        {
            return Ok(Some(Step::Held(hold)));
        }
        if lane == Lane::Embed
            && let Some(hold) = self.engine.embeddings().hold(now)?
        {
            return Ok(Some(Step::Held(hold)));
        }
        let leased = self.lease(|tx, at_work| {
            if is_held_up() {
                return Ok(None);
            }
            tx.jobs().recover_lane(lane, at_work, now)?;
            tx.jobs().lease_next(lane, now)
        })?;
        let Some((lease, job, _at_work)) = leased else {
            let at_work = self.at_work();
            let due =
                self.engine.store().read(|tx| Ok([tx.jobs().next_due(lane)?, tx.jobs().next_lease_end(lane, &at_work)?]))?;
            return Ok(Some(Step::Idle(due.into_iter().flatten().min())));
        };
        if kill(KillPoint::AfterLease) {
            return Ok(None);
        }
        let control = JobControl {
            engine: self.engine,
            lease: &lease,
            tell,
            kill,
            killed: AtomicBool::new(false),
            last_beat: AtomicI64::new(now.0),
            last_told: AtomicI64::new(0),
            lost: AtomicBool::new(false),
        };
        // A panic in one job must not take the others down. Only its location is recorded, never message text.
        let done = catch_unwind(AssertUnwindSafe(|| self.perform(&job, &lease, &control)))
            .unwrap_or_else(|_| Err(EngineError::Refused("an internal error stopped the job; please report this".to_owned())));
        if control.killed.load(Ordering::Relaxed) || (done.is_ok() && kill(KillPoint::AfterEffects)) {
            return Ok(None);
        }
        let state = self.settle(&job, &lease, done)?;
        tracing::info!(job = %job.id, %state, "job ends");
        self.engine.maintenance().finish()?;
        Ok(Some(Step::Ran(job.id, state)))
    }

    /// The jobs this process is working on.
    fn at_work(&self) -> Vec<JobId> {
        self.engine.inner.wake.at_work.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Leases the job that `choose` selects, given the jobs this process already works on. The job is registered as being
    /// worked on until the returned marker is dropped.
    pub(crate) fn lease(
        &self,
        choose: impl FnOnce(&WriteTx<'_>, &[JobId]) -> keepsake_store::Result<Option<(Lease, JobRow)>>,
    ) -> Result<Option<(Lease, JobRow, AtWork<'e>)>> {
        let wake = &self.engine.inner.wake;
        let taken = self.engine.store().write(|tx| {
            // Done inside the write transaction, so that no job is seen as running before this process has registered it as its
            // own.
            let taken = choose(tx, &self.at_work())?;
            if let Some((lease, _)) = &taken {
                wake.at_work.lock().unwrap_or_else(PoisonError::into_inner).insert(lease.job.clone());
            }
            Ok(taken.map(|(lease, job)| (lease, AtWork { wake, job: job.id.clone() }, job)))
        })?;
        Ok(taken.map(|(lease, at_work, job)| (lease, job, at_work)))
    }

    /// Runs a job. On success, the job is completed in the same transaction as its last effect.
    fn perform(&self, job: &JobRow, lease: &Lease, control: &dyn Control) -> Result<()> {
        tracing::info!(job = %job.id, kind = %job.kind, "job begins");
        match job.kind {
            JobKind::Import => {
                let payload: ImportPayload = read_payload(job)?;
                let (import_id, request) = payload.request();
                self.engine.imports().import(&import_id, &request, control)?;
                let now = self.engine.now();
                self.engine.store().write(|tx| {
                    tx.jobs().complete(lease, &serde_json::json!({ "import_id": import_id }).to_string(), now)?;
                    // Includes every conversation with unread messages, not only those of this run: when an interrupted
                    // import is resumed, its first part is already stored. Messages that must not be read were marked as read
                    // when they were stored.
                    for id in tx.log().conversations_to_extract()? {
                        tx.jobs().enqueue(&self.extraction(&id), now)?;
                    }
                    Ok(())
                })?;
                self.engine.imports().forget_incoming(&request.path);
                self.engine.inner.wake.all();
                self.engine.embeddings().queue()?;
                self.engine.conversations().queue_settling()?;
                self.engine.people().queue_identity()?;
                self.engine.topics().queue()?;
                self.engine.playbooks().queue()?;
                self.engine.people().queue_profiles()
            }
            JobKind::Extract => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.engine.review().propose(&conversation_id, Some(lease), control)?;
                self.engine.models().queue_for_model(&conversation_id)?;
                // Queue messages that arrived during the run: until now, their job would have counted as a duplicate of this
                // one.
                let (conversation, last) = self
                    .engine
                    .store()
                    .read(|tx| Ok((tx.log().conversation(&conversation_id)?, tx.log().last_seq(&conversation_id)?)))?;
                if self.engine.conversations().has_reader()
                    && !conversation.is_private
                    && last > conversation.extracted_through_seq
                {
                    self.engine.imports().queue_extraction(&[conversation_id])?;
                }
                Ok(())
            }
            JobKind::Analyze => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.engine.conversations().analyze(&conversation_id, Some(lease), control).map(|_| ())
            }
            JobKind::ExtractModel => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.engine.models().propose_by_model(&conversation_id, lease, control)
            }
            JobKind::AnalyzeModel => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.engine.conversations().analyze_by_model(&conversation_id, Some(lease), control).map(drop)
            }
            JobKind::SuggestLinks => self.engine.people().suggest_links(lease, control),
            JobKind::SettleConversations => self.engine.conversations().settle(lease, control),
            JobKind::SettleModel => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.engine.conversations().settle_by_model(&conversation_id, lease, control)
            }
            JobKind::Sessions => self.engine.sessions().perform(lease, control),
            JobKind::SessionsModel => self.engine.sessions().perform_by_model(lease, control),
            JobKind::DeriveProfiles => self.engine.people().derive_profiles(lease, control),
            JobKind::DeriveProfilesModel => {
                let PersonPayload { entity_id } = read_payload(job)?;
                self.engine.people().derive_profiles_by_model(&entity_id, lease, control)
            }
            JobKind::Topics => self.engine.topics().perform(lease, control),
            JobKind::TopicsModel => self.engine.topics().perform_by_model(lease, control),
            JobKind::Playbooks => self.engine.playbooks().perform(lease, control),
            JobKind::Reflect => self.engine.reflections().perform(lease, control),
            JobKind::ReflectModel => self.engine.reflections().perform_by_model(lease, control),
            JobKind::PlaybooksModel => self.engine.playbooks().perform_by_model(lease, control),
            JobKind::PlaybookNotice => self.engine.playbooks().perform_notice(lease),
            JobKind::Embed => {
                let filled = self.engine.embeddings().embed_missing(control)?;
                self.engine.store().write(|tx| {
                    tx.jobs().complete(lease, &serde_json::json!({ "filled": filled }).to_string(), self.engine.now())
                })?;
                Ok(())
            }
            JobKind::Erase => self.engine.erasure().perform(job, lease),
        }
    }

    pub(crate) fn extraction(&self, id: &ConversationId) -> NewJob {
        self.conversation_job(JobKind::Extract, id)
    }

    /// A job for one conversation.
    pub(crate) fn conversation_job(&self, kind: JobKind, id: &ConversationId) -> NewJob {
        NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind,
            idempotency_key: id.to_string(),
            payload: serde_json::json!({ "conversation_id": id }).to_string(),
        }
    }

    /// Stores how an attempt ended, and returns the job's new state.
    pub(crate) fn settle(&self, job: &JobRow, lease: &Lease, done: Result<()>) -> Result<JobState> {
        let now = self.engine.now();
        let error = match done {
            Ok(()) => return Ok(JobState::Done),
            Err(EngineError::Cancelled) if self.engine.inner.wake.stopping.load(Ordering::SeqCst) => {
                // The program is closing. The job continues at the next start, and this does not count
                // as a crash caused by it.
                return Ok(JobState::Running);
            }
            Err(EngineError::Cancelled) => {
                self.engine.store().write(|tx| tx.jobs().finish_cancelled(lease, now))?;
                self.forget_file_of(job);
                return Ok(JobState::Cancelled);
            }
            Err(EngineError::Store(StoreError::LeaseLost(_))) => return Ok(JobState::Queued),
            Err(EngineError::NotYet { why, retry_ms }) => {
                self.engine.store().write(|tx| tx.jobs().postpone(lease, why, now.plus_ms(retry_ms)))?;
                return Ok(JobState::Queued);
            }
            Err(error) => error,
        };
        tracing::warn!(job = %lease.job, kind = %job.kind, "job failed");
        if let EngineError::Model(failure) = &error
            && let Some(wait_ms) = failure.hold_ms()
        {
            // Not the job's fault, so not counted as an attempt: it waits until the model may be called.
            self.engine.models().hold_models(failure.to_string(), now.plus_ms(wait_ms));
            self.engine.store().write(|tx| tx.jobs().postpone(lease, &failure.to_string(), now))?;
            return Ok(JobState::Queued);
        }
        let words = match job.kind {
            JobKind::Import => {
                read_payload::<ImportPayload>(job).map_or_else(|_| error.to_string(), |p| named(&error.to_string(), &p.path))
            }
            _ => error.to_string(),
        };
        let wait_ms = error.retry_after_ms().unwrap_or(0);
        let outcome = self.engine.store().write(|tx| tx.jobs().fail_after(lease, &words, error.is_retryable(), wait_ms, now))?;
        Ok(match outcome {
            JobOutcome::Retry { .. } => JobState::Queued,
            JobOutcome::Cancelled => {
                self.forget_file_of(job);
                JobState::Cancelled
            }
            JobOutcome::Dead => {
                self.alert_about(&lease.job, &words)?;
                JobState::Dead
            }
        })
    }

    fn alert_about(&self, job: &JobId, words: &str) -> Result<()> {
        let row = self.engine.store().read(|tx| tx.jobs().job(job))?;
        let what = match row.kind {
            JobKind::Import => "An import failed",
            JobKind::Extract => "Looking for memories failed",
            JobKind::ExtractModel => "Looking for memories with the model failed",
            JobKind::Analyze | JobKind::AnalyzeModel => "An analysis failed",
            JobKind::SuggestLinks => "Comparing accounts failed",
            JobKind::SettleConversations => "Updating the status of conversations failed",
            JobKind::SettleModel => {
                "Checking with the model whether a conversation has ended failed; the built-in rules decided instead"
            }
            JobKind::Sessions => "Summarizing sessions failed",
            JobKind::SessionsModel => "Summarizing sessions with the model failed; the summaries by the built-in rules remain",
            JobKind::DeriveProfiles => "Updating profiles failed",
            JobKind::DeriveProfilesModel => "Updating a profile with the model failed; the entries by the built-in rules remain",
            JobKind::Topics => "Updating topics failed",
            JobKind::TopicsModel => "Writing topics with the model failed; the texts by the built-in rules remain",
            JobKind::Playbooks => "Looking for playbooks failed",
            JobKind::Reflect => "Looking for cleanups failed",
            JobKind::ReflectModel => "Looking for cleanups with the model failed; the proposals by the built-in rules remain",
            JobKind::PlaybooksModel => "Describing playbooks with the model failed; the texts by the built-in rules remain",
            JobKind::PlaybookNotice => "Reporting new playbooks to the webhook failed",
            JobKind::Embed => "Indexing by meaning failed",
            JobKind::Erase => "An erasure did not complete",
        };
        let alert = AlertRow {
            id: AlertId::fresh(self.engine.ids()),
            kind: "job_failed".to_owned(),
            message: format!("{what}: {words}"),
            job_id: Some(job.clone()),
            created: self.engine.now(),
        };
        Ok(self.engine.store().write(|tx| tx.alerts().raise(&alert))?)
    }

    /// Runs all lanes until nothing may start now, and returns how many jobs ran.
    pub fn run_due(&self, lock: &WorkerLock, tell: &dyn Fn(Progress)) -> Result<u64> {
        Ok(self.run_round(lock, tell)?.0)
    }

    /// Runs every job that may start now in any lane, including jobs that these queue. Returns how many jobs ran and when the
    /// next retry is due.
    fn run_round(&self, _lock: &WorkerLock, tell: &dyn Fn(Progress)) -> Result<(u64, Option<Timestamp>)> {
        let mut ran = 0;
        loop {
            let before = ran;
            let mut due: Option<Timestamp> = None;
            for &lane in Lane::ALL {
                loop {
                    match self.run_next(lane, tell)? {
                        Step::Ran(..) => ran += 1,
                        Step::Idle(at) => {
                            due = [due, at].into_iter().flatten().min();
                            break;
                        }
                        Step::Paused(_) => break,
                        // Do not wait, because the hold may last for hours.
                        Step::Held(_) => break,
                    }
                }
            }
            if ran == before {
                return Ok((ran, due));
            }
        }
    }

    /// Like [`run_due`](Self::run_due), but then waits for retries until nothing is left.
    pub fn run_until_idle(&self, lock: &WorkerLock, tell: &dyn Fn(Progress)) -> Result<u64> {
        let mut ran = 0;
        loop {
            let (now_ran, due) = self.run_round(lock, tell)?;
            ran += now_ran;
            let Some(due) = due else { return Ok(ran) };
            let wait_ms = (due.0 - self.engine.now().0).max(0);
            let seen = self.engine.inner.wake.generation.load(Ordering::SeqCst);
            self.engine.inner.wake.sleep(seen, Some(Duration::from_millis(wait_ms as u64 + 1)));
        }
    }

    /// Runs the queue in the background, one thread per lane, until the returned worker is dropped.
    pub fn start_worker(&self, lock: WorkerLock, tell: impl Fn(Progress) + Send + Sync + 'static) -> Result<Worker> {
        let tell: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(tell);
        let mut threads = Vec::new();
        for &lane in Lane::ALL {
            let engine = self.engine.clone();
            let tell = Arc::clone(&tell);
            let thread = std::thread::Builder::new()
                .name(format!("lane-{lane}"))
                .spawn(move || engine.queue().work_lane(lane, &*tell))
                .map_err(|error| EngineError::Io { what: "cannot start a worker thread".to_owned(), error })?;
            threads.push(thread);
        }
        Ok(Worker { engine: self.engine.clone(), threads, _lock: lock })
    }

    /// Queues new files in watched sources, and reads one followed file. Returns when the lane must check again.
    fn look_at_watched(&self, due: Option<Timestamp>, notifications: &mut Notifications) -> Option<Timestamp> {
        /// Delay after a failure of the store, in milliseconds. A full disk is not freed within moments.
        const TROUBLE_MS: i64 = 30_000;
        let next = self.engine.sources().queue_watched().unwrap_or_else(|error| {
            tracing::error!(%error, "watched sources cannot be looked at");
            None
        });
        let live = self.engine.sources().follow_folders(notifications).unwrap_or_else(|error| {
            tracing::error!(%error, "followed folders cannot be read");
            Some(self.engine.now().plus_ms(TROUBLE_MS))
        });
        let queued = self.engine.store().read(|tx| tx.jobs().next_due(Lane::Import)).unwrap_or(due);
        [due, queued, next, live].into_iter().flatten().min()
    }

    /// Queues jobs for conversations that may have ended because time has passed, for people about whom something changed,
    /// for playbooks and for sessions. Returns when the lane must check again.
    fn look_at_standing(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        let next = self.engine.conversations().queue_settling().unwrap_or_else(|error| {
            tracing::error!(%error, "conversations cannot be looked at");
            None
        });
        let people = self.engine.people().queue_what_changed().unwrap_or_else(|error| {
            tracing::error!(%error, "people cannot be looked at");
            None
        });
        let playbooks = self.engine.playbooks().queue().unwrap_or_else(|error| {
            tracing::error!(%error, "playbooks cannot be looked for");
            None
        });
        if let Err(error) = self.engine.sessions().queue() {
            tracing::error!(%error, "sessions cannot be looked at");
        }
        let next = [next, people, playbooks].into_iter().flatten().min();
        let queued = self.engine.store().read(|tx| tx.jobs().next_due(Lane::Capture)).unwrap_or(due);
        [due, queued, next].into_iter().flatten().min()
    }

    /// Queues an update of topics if a batch is complete. Returns when the lane must check again.
    fn look_at_topics(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        let next = self.engine.topics().queue().unwrap_or_else(|error| {
            tracing::error!(%error, "topics cannot be looked at");
            None
        });
        let queued = self.engine.store().read(|tx| tx.jobs().next_due(Lane::Embed)).unwrap_or(due);
        [due, queued, next].into_iter().flatten().min()
    }

    /// Makes the daily backup and checks the chain if due. Returns when the lane must check again.
    fn look_at_backups(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        /// Delay after a failure, in milliseconds. A full disk is not freed quickly, and nobody is waiting for this.
        const TROUBLE_MS: i64 = 60 * 60 * 1000;
        let next = self.engine.backups().keep_daily(&Stopping(self.engine)).unwrap_or_else(|error| {
            tracing::error!(%error, "the day's backup was not made");
            Some(self.engine.now().plus_ms(TROUBLE_MS))
        });
        // Done after the backup, which also checks the chain, so that the result is already known.
        let checked = self.engine.backups().keep_chain_checked().unwrap_or_else(|error| {
            tracing::error!(%error, "the chain of the messages could not be checked");
            Some(self.engine.now().plus_ms(TROUBLE_MS))
        });
        [due, next, checked].into_iter().flatten().min()
    }

    /// Starts nightly maintenance if due. Returns when the lane must check again.
    fn look_at_the_night(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        let next = self.engine.maintenance().queue().unwrap_or_else(|error| {
            tracing::error!(%error, "the nightly cycle cannot begin");
            None
        });
        [due, next].into_iter().flatten().min()
    }

    fn work_lane(&self, lane: Lane, tell: &dyn Fn(Progress)) {
        /// After a failure of the queue itself, such as a full disk, the lane waits this long before it tries again.
        const TROUBLE_WAIT: Duration = Duration::from_secs(5);
        let mut notifications = Notifications::default();
        while !self.engine.inner.wake.stopping.load(Ordering::SeqCst) {
            let seen = self.engine.inner.wake.generation.load(Ordering::SeqCst);
            match self.run_next(lane, tell) {
                Ok(Step::Ran(..)) => {}
                Ok(Step::Idle(due)) => {
                    let due = match lane {
                        Lane::Import => self.look_at_watched(self.look_at_the_night(due), &mut notifications),
                        Lane::Capture => self.look_at_standing(due),
                        Lane::Embed => self.look_at_backups(self.look_at_topics(due)),
                        _ => due,
                    };
                    let timeout = due.map(|due| Duration::from_millis((due.0 - self.engine.now().0).max(0) as u64 + 1));
                    self.engine.inner.wake.sleep(seen, timeout);
                }
                Ok(Step::Paused(until)) => {
                    // A timer does not count the time that the computer sleeps, so the clock is checked regularly.
                    let wait = until.map(|until| (until.0 - self.engine.now().0).clamp(1, HOLD_LOOK_MS) as u64);
                    self.engine.inner.wake.sleep(seen, wait.map(Duration::from_millis));
                }
                Ok(Step::Held(hold)) => {
                    let wait_ms = (hold.until.0 - self.engine.now().0).clamp(1, HOLD_LOOK_MS);
                    self.engine.inner.wake.sleep(seen, Some(Duration::from_millis(wait_ms as u64)));
                }
                Err(error) => {
                    tracing::error!(%lane, %error, "the queue cannot be worked");
                    self.engine.inner.wake.sleep(seen, Some(TROUBLE_WAIT));
                }
            }
        }
    }
}

fn read_payload<T: for<'d> Deserialize<'d>>(job: &JobRow) -> Result<T> {
    serde_json::from_str(&job.payload).map_err(|error| EngineError::Stored { what: "job", error })
}

/// The background worker. Dropping it stops running jobs at their next check and releases the queue.
pub struct Worker {
    engine: Engine,
    threads: Vec<JoinHandle<()>>,
    _lock: WorkerLock,
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.engine.inner.wake.stopping.store(true, Ordering::SeqCst);
        self.engine.inner.wake.all();
        for thread in self.threads.drain(..) {
            // A lane that panicked has nothing more to report.
            let _ = thread.join();
        }
        // Jobs interrupted by closing are queued again without counting a crash.
        let now = self.engine.now();
        let _ = self.engine.store().write(|tx| tx.jobs().release(now));
        self.engine.inner.wake.stopping.store(false, Ordering::SeqCst);
    }
}
