//! The worker: takes jobs lane by lane and runs them to an end that is stored.
//!
//! One step of a lane is [`Engine::run_next`], which tests drive by hand; [`Worker`] repeats it on a thread a lane. Pausing starts
//! no further job and loses none. Idle means idle: a thread without work sleeps until it is woken or a retry is due.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use keepsake_domain::{
    AlertId, ConversationId, EntityId, ImportId, JobId, JobKind, JobState, Lane, LeaseLoss, SourceKind, Timestamp,
};
use keepsake_store::{AlertRow, JobOutcome, JobRow, Lease, NewJob, StoreError, WriteTx};
use serde::{Deserialize, Serialize};

use crate::import::{ImportRequest, named};
use crate::work::Control;
use crate::{Engine, EngineError, Result};
use keepsake_channels::Zone;

/// How often a running job writes its progress down: each write is made durable and costs milliseconds.
const HEARTBEAT_MS: i64 = 1_000;

/// How often a running job tells the window: more often than the eye follows is noise.
const PROGRESS_MS: i64 = 100;

/// How often a held lane looks whether the power is back or the budget was raised.
const HOLD_LOOK_MS: i64 = 60_000;

/// How often whoever waits for work under way looks whether it is over; a job that ends rings no bell.
const HELD_LOOK_MS: u64 = 100;

/// Where in a job's life a test ends the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillPoint {
    /// The lease is stored, no work done.
    AfterLease,
    /// In the middle of the work, at one of its looks at the cancel button.
    Working,
    /// The work is done and stored with the job's completion.
    AfterEffects,
}

/// What one step of a lane did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A job was run; where it stands now.
    Ran(JobId, JobState),
    /// Nothing may start now; when the next retry is due, if one waits.
    Idle(Option<Timestamp>),
    /// Background work is paused; until when, if it ends by itself.
    Paused(Option<Timestamp>),
    /// A job waits, but not for its turn: on battery, or the day's budget is spent.
    Held(Hold),
}

/// Why models may not be asked now, and when to look again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// In words for the person.
    pub why: String,
    /// When to look again.
    pub until: Timestamp,
}

/// A running job moved on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The job.
    pub job: JobId,
    /// What it is doing.
    pub stage: String,
    /// n.
    pub done: u64,
    /// m; 0 when not known.
    pub total: u64,
}

/// Wakes sleeping lanes, and carries what running jobs must hear at once.
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
    pub(crate) fn all(&self) {
        let _guard = self.sleeping.lock().unwrap_or_else(PoisonError::into_inner);
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.bell.notify_all();
    }

    /// Sleeps until woken since `seen`, or until `timeout`.
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

/// A job that this process works on, however long since its last heartbeat; what is known of it in memory goes with it.
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

/// No job begins while this lives; an erasure does.
pub(crate) struct HeldUp<'e>(&'e Engine);

impl Drop for HeldUp<'_> {
    fn drop(&mut self) {
        self.0.inner.wake.held_up.store(false, Ordering::SeqCst);
        self.0.inner.wake.all();
    }
}

/// The right to work the queue: one process a data folder, kept by a lock that the system drops when the process ends.
#[derive(Debug)]
pub struct WorkerLock {
    _file: File,
}

/// The lock alone, before what a worker that is gone left was given back.
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

    /// Waits until no other process works the queue of this folder. The system wakes the thread; nothing runs meanwhile.
    pub fn wait(data_dir: &Path) -> Result<Self> {
        let file = Self::open(data_dir)?;
        file.lock().map_err(|error| EngineError::Io { what: "cannot wait for the queue".to_owned(), error })?;
        Ok(Self { file })
    }

    /// Takes it, unless another process works the queue.
    fn try_take(data_dir: &Path) -> Result<Self> {
        let file = Self::open(data_dir)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(EngineError::AlreadyRunning),
            Err(std::fs::TryLockError::Error(error)) => Err(EngineError::Io { what: "cannot take the queue".to_owned(), error }),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ImportPayload {
    import_id: ImportId,
    path: PathBuf,
    source: Option<SourceKind>,
    me: Option<String>,
    date_order: Option<String>,
    #[serde(default)]
    zone: Option<String>,
    #[serde(default)]
    meeting: Option<String>,
    private: bool,
    is_sample: bool,
}

const DATE_ORDERS: [(&str, keepsake_channels::DateOrder); 3] = [
    ("day_first", keepsake_channels::DateOrder::DayFirst),
    ("month_first", keepsake_channels::DateOrder::MonthFirst),
    ("year_first", keepsake_channels::DateOrder::YearFirst),
];

impl ImportPayload {
    pub(crate) fn new(import_id: &ImportId, request: &ImportRequest) -> Self {
        Self {
            import_id: import_id.clone(),
            path: request.path.clone(),
            source: request.source,
            me: request.me.clone(),
            date_order: DATE_ORDERS
                .iter()
                .find(|(_, order)| Some(*order) == request.date_order)
                .map(|(name, _)| (*name).to_owned()),
            zone: request.zone.and_then(Zone::name).map(str::to_owned),
            meeting: request.meeting.map(|meeting| meeting.to_string()),
            private: request.private,
            is_sample: request.is_sample,
        }
    }

    fn request(self) -> (ImportId, ImportRequest) {
        let date_order = DATE_ORDERS.iter().find(|(name, _)| Some(*name) == self.date_order.as_deref()).map(|(_, order)| *order);
        let request = ImportRequest {
            path: self.path,
            source: self.source,
            me: self.me,
            date_order,
            zone: self.zone.as_deref().and_then(Zone::named),
            meeting: self.meeting.as_deref().and_then(|text| text.parse().ok()),
            private: self.private,
            is_sample: self.is_sample,
        };
        (self.import_id, request)
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

/// Work that no job tells of stops when the worker does.
struct Stopping<'e>(&'e Engine);

impl Control for Stopping<'_> {
    fn progress(&self, _stage: &str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        self.0.inner.wake.stopping.load(Ordering::SeqCst)
    }
}

/// Watches a running job: keeps its lease, tells its progress, hears its cancel button.
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
            let beat = self.engine.store().write(|tx| tx.heartbeat(self.lease, stage, done, total, now));
            let asked = self.engine.store().read(|tx| tx.is_cancel_requested(&self.lease.job));
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

impl Engine {
    /// Takes the right to work the queue, and gives back the jobs of a worker that is gone.
    pub fn lock_worker(&self) -> Result<WorkerLock> {
        self.take_queue(QueueTurn::try_take(self.data_dir())?)
    }

    /// As [`lock_worker`](Self::lock_worker), with the lock taken already.
    pub fn take_queue(&self, turn: QueueTurn) -> Result<WorkerLock> {
        let now = self.now();
        let parked = self.store().write(|tx| {
            let parked = tx.recover_jobs(LeaseLoss::ProcessEnded, now)?;
            tx.close_lost_imports(now)?;
            Ok(parked)
        })?;
        for job in parked {
            self.alert_about(&job, "the program ended while working on it, more than once")?;
        }
        if let Err(error) = self.store().clear_leftovers() {
            // No reason not to work; the next start tries again.
            tracing::warn!(%error, "leftovers could not be removed");
        }
        Ok(WorkerLock { _file: turn.file })
    }

    /// Lets what is under way come to its end and begins nothing more, until what is returned goes. Not kept: a process that dies with
    /// it holds up nothing.
    pub(crate) fn hold_up_work(&self, control: &dyn Control) -> Result<HeldUp<'_>> {
        self.inner.wake.held_up.store(true, Ordering::SeqCst);
        let held = HeldUp(self);
        let lanes: Vec<Lane> = Lane::ALL.iter().copied().filter(|lane| *lane != Lane::Upkeep).collect();
        loop {
            let seen = self.inner.wake.generation.load(Ordering::SeqCst);
            // As a write: a lease that was taken before is seen, and whoever takes one later sees that work is held up.
            let (now, at_work) = (self.now(), self.at_work());
            let is_running = self.store().write(|tx| {
                for &lane in &lanes {
                    tx.recover_lane(lane, &at_work, now)?;
                }
                tx.has_running_jobs(&lanes)
            })?;
            if !is_running {
                return Ok(held);
            }
            control.progress("waiting", 0, 0);
            if control.is_cancelled() || self.inner.wake.stopping.load(Ordering::SeqCst) {
                return Err(EngineError::Cancelled);
            }
            self.inner.wake.sleep(seen, Some(Duration::from_millis(HELD_LOOK_MS)));
        }
    }

    /// Lets sleeping lanes look again: another process may have queued something.
    pub fn look_for_work(&self) {
        self.inner.wake.all();
    }

    /// Asks a job to stop.
    pub fn cancel_job(&self, id: &JobId) -> Result<()> {
        let settled = self.store().write(|tx| tx.request_cancel(id, self.now()))?;
        if settled {
            self.forget_file_of(&self.store().read(|tx| tx.job(id))?);
        } else {
            self.inner.wake.cancelled.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone());
        }
        self.inner.wake.all();
        Ok(())
    }

    /// Removes what was handed over for an import that nobody wants any more.
    fn forget_file_of(&self, job: &JobRow) {
        if job.kind == JobKind::Import
            && job.state != JobState::Done
            && let Ok(payload) = read_payload::<ImportPayload>(job)
        {
            self.forget_incoming(&payload.path);
        }
    }

    /// Tries a failed job again.
    pub fn retry_job(&self, id: &JobId) -> Result<()> {
        let now = self.now();
        self.store().write(|tx| {
            tx.retry(id, now)?;
            tx.dismiss_alerts_of(id, now)
        })?;
        self.inner.wake.all();
        Ok(())
    }

    /// The latest progress of running jobs, finer than what is written down.
    pub fn live_progress(&self, id: &JobId) -> Option<Progress> {
        self.inner.wake.live.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Queues extraction for every conversation with unread messages, unless the reader is known to be absent.
    pub fn queue_unread(&self) -> Result<usize> {
        if !self.may_read() {
            return Ok(0);
        }
        let ids = self.store().read(|tx| tx.conversations_to_extract())?;
        Ok(self.queue_extraction(&ids)?.len())
    }

    /// Runs the next job of a lane, if one may start.
    pub fn run_next(&self, lane: Lane, tell: &dyn Fn(Progress)) -> Result<Step> {
        Ok(self.run_next_killed(lane, tell, &|_| false)?.unwrap_or(Step::Idle(None)))
    }

    /// As [`run_next`](Self::run_next), but ends at the kill point that `kill` chooses, as a process that dies there would: `None`.
    #[doc(hidden)]
    pub fn run_next_killed(&self, lane: Lane, tell: &dyn Fn(Progress), kill: &dyn Fn(KillPoint) -> bool) -> Result<Option<Step>> {
        // A pause holds up work, not an erasure that a person waits for.
        let is_held_up = || lane != Lane::Upkeep && self.inner.wake.held_up.load(Ordering::SeqCst);
        if is_held_up() {
            return Ok(Some(Step::Paused(None)));
        }
        if lane != Lane::Upkeep
            && let Some(pause) = self.pause()?
        {
            return Ok(Some(Step::Paused(pause.until)));
        }
        self.end_pause_in_time()?;
        let now = self.now();
        if lane == Lane::Model
            && let Some(hold) = self.model_hold(now)?
        {
            return Ok(Some(Step::Held(hold)));
        }
        if lane == Lane::Embed
            && let Some(hold) = self.embedding_hold(now)?
        {
            return Ok(Some(Step::Held(hold)));
        }
        let leased = self.lease(|tx, at_work| {
            if is_held_up() {
                return Ok(None);
            }
            tx.recover_lane(lane, at_work, now)?;
            tx.lease_next(lane, now)
        })?;
        let Some((lease, job, _at_work)) = leased else {
            let at_work = self.at_work();
            let due = self.store().read(|tx| Ok([tx.next_due(lane)?, tx.next_lease_end(lane, &at_work)?]))?;
            return Ok(Some(Step::Idle(due.into_iter().flatten().min())));
        };
        if kill(KillPoint::AfterLease) {
            return Ok(None);
        }
        let control = JobControl {
            engine: self,
            lease: &lease,
            tell,
            kill,
            killed: AtomicBool::new(false),
            last_beat: AtomicI64::new(now.0),
            last_told: AtomicI64::new(0),
            lost: AtomicBool::new(false),
        };
        // A panic in one job must not take the others down. It carries no text of messages, only where it happened.
        let done = catch_unwind(AssertUnwindSafe(|| self.perform(&job, &lease, &control)))
            .unwrap_or_else(|_| Err(EngineError::Refused("an internal failure stopped it; please report this".to_owned())));
        if control.killed.load(Ordering::Relaxed) || (done.is_ok() && kill(KillPoint::AfterEffects)) {
            return Ok(None);
        }
        let state = self.settle(&job, &lease, done)?;
        tracing::info!(job = %job.id, %state, "job ends");
        self.finish_maintenance()?;
        Ok(Some(Step::Ran(job.id, state)))
    }

    /// What this process works on now.
    fn at_work(&self) -> Vec<JobId> {
        self.inner.wake.at_work.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Takes the job that `choose` takes, told what this process works on already, and remembers it as such until it is dropped.
    pub(crate) fn lease(
        &self,
        choose: impl FnOnce(&WriteTx<'_>, &[JobId]) -> keepsake_store::Result<Option<(Lease, JobRow)>>,
    ) -> Result<Option<(Lease, JobRow, AtWork<'_>)>> {
        let wake = &self.inner.wake;
        let taken = self.store().write(|tx| {
            // In the turn of the writer, so that a job is never seen as running and not yet as ours.
            let taken = choose(tx, &self.at_work())?;
            if let Some((lease, _)) = &taken {
                wake.at_work.lock().unwrap_or_else(PoisonError::into_inner).insert(lease.job.clone());
            }
            Ok(taken.map(|(lease, job)| (lease, AtWork { wake, job: job.id.clone() }, job)))
        })?;
        Ok(taken.map(|(lease, at_work, job)| (lease, job, at_work)))
    }

    /// Does the work; on success the job is completed in the same transaction as its last effect.
    fn perform(&self, job: &JobRow, lease: &Lease, control: &dyn Control) -> Result<()> {
        tracing::info!(job = %job.id, kind = %job.kind, "job begins");
        match job.kind {
            JobKind::Import => {
                let payload: ImportPayload = read_payload(job)?;
                let (import_id, request) = payload.request();
                self.import(&import_id, &request, control)?;
                let now = self.now();
                self.store().write(|tx| {
                    tx.complete(lease, &serde_json::json!({ "import_id": import_id }).to_string(), now)?;
                    // Every conversation with something unread, not only those of this run: an import that was interrupted and
                    // goes on finds its first part already stored. What was not to be looked at counts as read since it was stored.
                    for id in tx.conversations_to_extract()? {
                        tx.enqueue(&self.extraction(&id), now)?;
                    }
                    Ok(())
                })?;
                self.forget_incoming(&request.path);
                self.inner.wake.all();
                self.queue_embedding()?;
                self.queue_settling()?;
                self.queue_identity()?;
                self.queue_topics()?;
                self.queue_playbooks()?;
                self.queue_profiles()
            }
            JobKind::Extract => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.propose(&conversation_id, Some(lease), control)?;
                self.queue_for_model(&conversation_id)?;
                // Messages that arrived while it was read: their own job would have been taken for this one.
                let (conversation, last) =
                    self.store().read(|tx| Ok((tx.conversation(&conversation_id)?, tx.last_seq(&conversation_id)?)))?;
                if self.has_reader() && !conversation.is_private && last > conversation.extracted_through_seq {
                    self.queue_extraction(&[conversation_id])?;
                }
                Ok(())
            }
            JobKind::Analyze => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.analyze(&conversation_id, Some(lease), control).map(|_| ())
            }
            JobKind::ExtractModel => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.propose_by_model(&conversation_id, lease, control)
            }
            JobKind::AnalyzeModel => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.analyze_by_model(&conversation_id, Some(lease), control).map(drop)
            }
            JobKind::SuggestLinks => self.suggest_links(lease, control),
            JobKind::SettleConversations => self.settle_conversations(lease, control),
            JobKind::SettleModel => {
                let ConversationPayload { conversation_id } = read_payload(job)?;
                self.settle_by_model(&conversation_id, lease, control)
            }
            JobKind::Sessions => self.perform_sessions(lease, control),
            JobKind::SessionsModel => self.perform_sessions_by_model(lease, control),
            JobKind::DeriveProfiles => self.derive_profiles(lease, control),
            JobKind::DeriveProfilesModel => {
                let PersonPayload { entity_id } = read_payload(job)?;
                self.derive_profiles_by_model(&entity_id, lease, control)
            }
            JobKind::Topics => self.perform_topics(lease, control),
            JobKind::TopicsModel => self.perform_topics_by_model(lease, control),
            JobKind::Playbooks => self.perform_playbooks(lease, control),
            JobKind::Reflect => self.perform_reflection(lease, control),
            JobKind::ReflectModel => self.perform_reflection_by_model(lease, control),
            JobKind::PlaybooksModel => self.perform_playbooks_by_model(lease, control),
            JobKind::PlaybookNotice => self.perform_playbook_notice(lease),
            JobKind::Embed => {
                let filled = self.embed_missing(control)?;
                self.store().write(|tx| tx.complete(lease, &serde_json::json!({ "filled": filled }).to_string(), self.now()))?;
                Ok(())
            }
            JobKind::Erase => self.perform_erasure(job, lease),
        }
    }

    fn extraction(&self, id: &ConversationId) -> NewJob {
        self.conversation_job(JobKind::Extract, id)
    }

    /// A job over one conversation.
    pub(crate) fn conversation_job(&self, kind: JobKind, id: &ConversationId) -> NewJob {
        NewJob {
            id: JobId::fresh(self.ids()),
            kind,
            idempotency_key: id.to_string(),
            payload: serde_json::json!({ "conversation_id": id }).to_string(),
        }
    }

    /// Stores how an attempt ended.
    pub(crate) fn settle(&self, job: &JobRow, lease: &Lease, done: Result<()>) -> Result<JobState> {
        let now = self.now();
        let error = match done {
            Ok(()) => return Ok(JobState::Done),
            Err(EngineError::Cancelled) if self.inner.wake.stopping.load(Ordering::SeqCst) => {
                // The program is closing: the job goes on at the next start, and this is no crash of its making.
                return Ok(JobState::Running);
            }
            Err(EngineError::Cancelled) => {
                self.store().write(|tx| tx.finish_cancelled(lease, now))?;
                self.forget_file_of(job);
                return Ok(JobState::Cancelled);
            }
            Err(EngineError::Store(StoreError::LeaseLost(_))) => return Ok(JobState::Queued),
            Err(EngineError::NotYet { why, retry_ms }) => {
                self.store().write(|tx| tx.postpone(lease, why, now.plus_ms(retry_ms)))?;
                return Ok(JobState::Queued);
            }
            Err(error) => error,
        };
        tracing::warn!(job = %lease.job, kind = %job.kind, "job failed");
        if let EngineError::Model(failure) = &error
            && let Some(wait_ms) = failure.hold_ms()
        {
            // Not its fault and no attempt of its: it waits until the model may be asked.
            self.hold_models(failure.to_string(), now.plus_ms(wait_ms));
            self.store().write(|tx| tx.postpone(lease, &failure.to_string(), now))?;
            return Ok(JobState::Queued);
        }
        let words = match job.kind {
            JobKind::Import => {
                read_payload::<ImportPayload>(job).map_or_else(|_| error.to_string(), |p| named(&error.to_string(), &p.path))
            }
            _ => error.to_string(),
        };
        let wait_ms = error.retry_after_ms().unwrap_or(0);
        let outcome = self.store().write(|tx| tx.fail_after(lease, &words, error.is_retryable(), wait_ms, now))?;
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
        let row = self.store().read(|tx| tx.job(job))?;
        let what = match row.kind {
            JobKind::Import => "An import failed",
            JobKind::Extract => "Looking for memories failed",
            JobKind::ExtractModel => "Looking for memories with the model failed",
            JobKind::Analyze | JobKind::AnalyzeModel => "An analysis failed",
            JobKind::SuggestLinks => "Comparing handles failed",
            JobKind::SettleConversations => "Judging where conversations stand failed",
            JobKind::SettleModel => {
                "Judging with the model whether a conversation has ended failed, and what the rules say of it stands"
            }
            JobKind::Sessions => "Summing up sessions failed",
            JobKind::SessionsModel => "Summing up sessions with the model failed, and what the rules say of them stands",
            JobKind::DeriveProfiles => "Getting to know people failed",
            JobKind::DeriveProfilesModel => {
                "Getting to know somebody with the model failed, and what the rules know of them stays"
            }
            JobKind::Topics => "Keeping topics up failed",
            JobKind::TopicsModel => "Wording topics with the model failed, and what the rules wrote of them stands",
            JobKind::Playbooks => "Looking for playbooks failed",
            JobKind::Reflect => "Looking for what could be tidied failed",
            JobKind::ReflectModel => "Looking over memories with the model failed, and what the rules propose stands",
            JobKind::PlaybooksModel => "Wording playbooks with the model failed, and what the rules wrote of them stands",
            JobKind::PlaybookNotice => "The address that hears of new playbooks could not be told",
            JobKind::Embed => "Embedding failed",
            JobKind::Erase => "An erasure could not be seen through",
        };
        let alert = AlertRow {
            id: AlertId::fresh(self.ids()),
            kind: "job_failed".to_owned(),
            message: format!("{what}: {words}"),
            job_id: Some(job.clone()),
            created: self.now(),
        };
        Ok(self.store().write(|tx| tx.raise_alert(&alert))?)
    }

    /// Works all lanes until nothing may start now; how many jobs ran.
    pub fn run_due(&self, lock: &WorkerLock, tell: &dyn Fn(Progress)) -> Result<u64> {
        Ok(self.run_round(lock, tell)?.0)
    }

    /// Runs what may start now in every lane, and what that queues; how many jobs ran, and when the next retry is due.
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
                        // Nothing that waiting here would change within a sensible time.
                        Step::Held(_) => break,
                    }
                }
            }
            if ran == before {
                return Ok((ran, due));
            }
        }
    }

    /// As [`run_due`](Self::run_due), and then waits for retries until nothing is left.
    pub fn run_until_idle(&self, lock: &WorkerLock, tell: &dyn Fn(Progress)) -> Result<u64> {
        let mut ran = 0;
        loop {
            let (now_ran, due) = self.run_round(lock, tell)?;
            ran += now_ran;
            let Some(due) = due else { return Ok(ran) };
            let wait_ms = (due.0 - self.now().0).max(0);
            let seen = self.inner.wake.generation.load(Ordering::SeqCst);
            self.inner.wake.sleep(seen, Some(Duration::from_millis(wait_ms as u64 + 1)));
        }
    }

    /// Works the queue in the background, a thread a lane, until the returned worker is dropped.
    pub fn start_worker(&self, lock: WorkerLock, tell: impl Fn(Progress) + Send + Sync + 'static) -> Result<Worker> {
        let tell: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(tell);
        let mut threads = Vec::new();
        for &lane in Lane::ALL {
            let engine = self.clone();
            let tell = Arc::clone(&tell);
            let thread = std::thread::Builder::new()
                .name(format!("lane-{lane}"))
                .spawn(move || engine.work_lane(lane, &*tell))
                .map_err(|error| EngineError::Io { what: "cannot start a worker thread".to_owned(), error })?;
            threads.push(thread);
        }
        Ok(Worker { engine: self.clone(), threads, _lock: lock })
    }

    /// Queues what watched sources have new; when the lane has to look again.
    fn look_at_watched(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        let next = self.queue_watched().unwrap_or_else(|error| {
            tracing::error!(%error, "watched sources cannot be looked at");
            None
        });
        let queued = self.store().read(|tx| tx.next_due(Lane::Import)).unwrap_or(due);
        [due, queued, next].into_iter().flatten().min()
    }

    /// Queues a look at conversations that time alone may have ended, at people of whom something changed, and for playbooks; when the
    /// lane has to look again.
    fn look_at_standing(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        let next = self.queue_settling().unwrap_or_else(|error| {
            tracing::error!(%error, "conversations cannot be looked at");
            None
        });
        let people = self.queue_what_changed().unwrap_or_else(|error| {
            tracing::error!(%error, "people cannot be looked at");
            None
        });
        let playbooks = self.queue_playbooks().unwrap_or_else(|error| {
            tracing::error!(%error, "playbooks cannot be looked for");
            None
        });
        if let Err(error) = self.queue_sessions() {
            tracing::error!(%error, "sessions cannot be looked at");
        }
        let next = [next, people, playbooks].into_iter().flatten().min();
        let queued = self.store().read(|tx| tx.next_due(Lane::Capture)).unwrap_or(due);
        [due, queued, next].into_iter().flatten().min()
    }

    /// Queues the keeping up of topics where a batch closed; when the lane has to look again.
    fn look_at_topics(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        let next = self.queue_topics().unwrap_or_else(|error| {
            tracing::error!(%error, "topics cannot be looked at");
            None
        });
        let queued = self.store().read(|tx| tx.next_due(Lane::Embed)).unwrap_or(due);
        [due, queued, next].into_iter().flatten().min()
    }

    /// Makes the day's backup and looks at the chain where they are due; when the lane has to look again.
    fn look_at_backups(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        /// A full disk is full in an hour as well, and nobody waits for this.
        const TROUBLE_MS: i64 = 60 * 60 * 1000;
        let next = self.keep_daily_backup(&Stopping(self)).unwrap_or_else(|error| {
            tracing::error!(%error, "the day's backup was not made");
            Some(self.now().plus_ms(TROUBLE_MS))
        });
        // After it: a backup reads the log as well, and what it holds is known then.
        let checked = self.keep_chain_checked().unwrap_or_else(|error| {
            tracing::error!(%error, "the chain of the messages could not be checked");
            Some(self.now().plus_ms(TROUBLE_MS))
        });
        [due, next, checked].into_iter().flatten().min()
    }

    /// Begins the night's cycle where it is due; when the lane has to look again.
    fn look_at_the_night(&self, due: Option<Timestamp>) -> Option<Timestamp> {
        let next = self.queue_maintenance().unwrap_or_else(|error| {
            tracing::error!(%error, "the nightly cycle cannot begin");
            None
        });
        [due, next].into_iter().flatten().min()
    }

    fn work_lane(&self, lane: Lane, tell: &dyn Fn(Progress)) {
        /// After a failure of the queue itself (a full disk, say) the lane waits this long before it looks again.
        const TROUBLE_WAIT: Duration = Duration::from_secs(5);
        while !self.inner.wake.stopping.load(Ordering::SeqCst) {
            let seen = self.inner.wake.generation.load(Ordering::SeqCst);
            match self.run_next(lane, tell) {
                Ok(Step::Ran(..)) => {}
                Ok(Step::Idle(due)) => {
                    let due = match lane {
                        Lane::Import => self.look_at_watched(self.look_at_the_night(due)),
                        Lane::Capture => self.look_at_standing(due),
                        Lane::Embed => self.look_at_backups(self.look_at_topics(due)),
                        _ => due,
                    };
                    let timeout = due.map(|due| Duration::from_millis((due.0 - self.now().0).max(0) as u64 + 1));
                    self.inner.wake.sleep(seen, timeout);
                }
                Ok(Step::Paused(until)) => {
                    // A computer that slept counts less time than has gone by.
                    let wait = until.map(|until| (until.0 - self.now().0).clamp(1, HOLD_LOOK_MS) as u64);
                    self.inner.wake.sleep(seen, wait.map(Duration::from_millis));
                }
                Ok(Step::Held(hold)) => {
                    let wait_ms = (hold.until.0 - self.now().0).clamp(1, HOLD_LOOK_MS);
                    self.inner.wake.sleep(seen, Some(Duration::from_millis(wait_ms as u64)));
                }
                Err(error) => {
                    tracing::error!(%lane, %error, "the queue cannot be worked");
                    self.inner.wake.sleep(seen, Some(TROUBLE_WAIT));
                }
            }
        }
    }
}

fn read_payload<T: for<'d> Deserialize<'d>>(job: &JobRow) -> Result<T> {
    serde_json::from_str(&job.payload).map_err(|error| EngineError::Stored { what: "job", error })
}

/// The background worker; dropping it lets running jobs stop at their next look and gives the queue back.
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
            // A lane that panicked has nothing more to say.
            let _ = thread.join();
        }
        // What was interrupted by closing waits again, without a crash to its name.
        let now = self.engine.now();
        let _ = self.engine.store().write(|tx| tx.release_jobs(now));
        self.engine.inner.wake.stopping.store(false, Ordering::SeqCst);
    }
}
