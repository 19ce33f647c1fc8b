//! Nightly maintenance. Once a night, it updates everything that is derived in the background and lets proposals expire that
//! were left unanswered too long. In the morning, a digest says what is new and what needs attention.
//!
//! Most of the work has been done by then, because each part is queued as soon as something it depends on changes. A
//! maintenance run queues all parts regardless and ends when none of their jobs is left. It therefore continues after a
//! crash when the queue does, and stopping it means stopping those jobs. It does not wait for jobs that call a language
//! model: they may be waiting for power, a server or the next day's budget.
//!
//! Not in this module: the work itself (in the modules that derive each part), and how the digest is shown.

use keepsake_domain::proposal::{EXPIRE_AFTER_DAYS, EXPIRE_AFTER_DAYS_MAX, EXPIRE_AFTER_DAYS_MIN};
use keepsake_domain::{DAY_MS, JobKind, MaintenanceRunId, OperationId, Timestamp};
use keepsake_store::{Counts, MaintenanceRunRow, MemoryChange, MemoryState};
use serde::{Deserialize, Serialize};

use crate::ingest::watched_folders::{WatchKind, next_due};
use crate::{EngineError, Result};

/// Setting that stores when maintenance runs.
const RULES_SETTING: &str = "maintenance";

/// Name of this setting in error messages.
const CHOICES: &str = "maintenance settings";

/// Setting that stores the time from which the first run is scheduled, while none has run yet.
const SINCE_SETTING: &str = "maintenance_since";

/// Default local hour of maintenance: after the hour at which chats are read, before anybody gets up.
pub const NIGHT_HOUR: u8 = 3;

/// An expired proposal is deferred until this moment, the end of the year 9999, that is, until the person restores it.
pub const PARKED_UNTIL: Timestamp = Timestamp(253_402_300_799_000);

/// Number of runs reported.
const RUNS_TOLD: u32 = 30;

/// The jobs that a run waits for, in the order that the seed defines; each builds on those before it.
const STEPS: [JobKind; 10] = [
    JobKind::Extract,
    JobKind::SettleConversations,
    JobKind::Analyze,
    JobKind::Sessions,
    JobKind::Reflect,
    JobKind::Topics,
    JobKind::SuggestLinks,
    JobKind::DeriveProfiles,
    JobKind::Playbooks,
    JobKind::Embed,
];

/// When maintenance runs and when unanswered proposals expire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaintenanceRules {
    /// Whether it runs automatically.
    pub automatic: bool,
    /// Local hour, 0 to 23.
    pub hour: u8,
    /// Days after which an unanswered proposal of any kind expires.
    pub park_after_days: u32,
    /// Whether a desktop notification says that a run ended and how many proposals need attention.
    pub notify: bool,
}

impl Default for MaintenanceRules {
    fn default() -> Self {
        Self { automatic: true, hour: NIGHT_HOUR, park_after_days: EXPIRE_AFTER_DAYS, notify: true }
    }
}

/// Result of a run: counts by name, in display order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Digest {
    /// Counts of new items since the previous digest.
    pub new: Vec<(String, u64)>,
    /// Counts of items that needed the person's attention when the digest was made.
    pub waiting: Vec<(String, u64)>,
    /// Log position that the digest covers.
    through_seq: i64,
}

/// A maintenance run with its digest.
#[derive(Debug, Clone, PartialEq)]
pub struct MaintenanceRun {
    /// The stored row of the run.
    pub row: MaintenanceRunRow,
    /// Its digest, if the run completed.
    pub digest: Option<Digest>,
}

/// State of maintenance.
#[derive(Debug, Clone, PartialEq)]
pub struct Maintenance {
    /// The current rules.
    pub rules: MaintenanceRules,
    /// Runs, newest first.
    pub runs: Vec<MaintenanceRun>,
    /// Number of jobs that the current run still waits for.
    pub jobs_left: u64,
    /// When the next automatic run starts.
    pub next: Option<Timestamp>,
}

fn named(counts: Counts) -> Vec<(String, u64)> {
    counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
}

fn read_digest(run: &MaintenanceRunRow) -> Option<Digest> {
    serde_json::from_str(run.digest.as_ref()?).ok()
}

impl crate::areas::Maintenance<'_> {
    /// When maintenance runs, and when unanswered proposals expire.
    pub fn rules(&self) -> Result<MaintenanceRules> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(RULES_SETTING, CHOICES))?)
    }

    /// Validates and stores the rules.
    pub fn set_rules(&self, rules: &MaintenanceRules) -> Result<()> {
        if rules.hour > 23 {
            return Err(EngineError::Refused(format!("{} is not an hour; choose one from 0 to 23", rules.hour)));
        }
        if !(EXPIRE_AFTER_DAYS_MIN..=EXPIRE_AFTER_DAYS_MAX).contains(&rules.park_after_days) {
            return Err(EngineError::Refused(format!(
                "proposals can expire after {EXPIRE_AFTER_DAYS_MIN} to {EXPIRE_AFTER_DAYS_MAX} days, not after {}",
                rules.park_after_days
            )));
        }
        self.engine.store().write(|tx| tx.settings().put_choice(RULES_SETTING, CHOICES, rules, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// State of maintenance: rules, recent runs, and when the next one starts.
    pub fn state(&self) -> Result<Maintenance> {
        let rules = self.rules()?;
        let next = self.next(&rules)?;
        Ok(self.engine.store().read(|tx| {
            let runs = tx.maintenance().runs(RUNS_TOLD)?;
            let jobs_left =
                if tx.maintenance().running()?.is_some() { tx.maintenance().unsettled_jobs_of(&STEPS)?.len() as u64 } else { 0 };
            let runs = runs.into_iter().map(|row| MaintenanceRun { digest: read_digest(&row), row }).collect();
            Ok(Maintenance { rules: rules.clone(), runs, jobs_left, next })
        })?)
    }

    /// The last completed run, with the number of proposals that needed attention then, if the person wants notifications.
    /// Expired proposals are not counted.
    pub fn digest_notice(&self) -> Result<Option<(MaintenanceRunId, u64)>> {
        if !self.rules()?.notify {
            return Ok(None);
        }
        let runs = self.engine.store().read(|tx| tx.maintenance().runs(RUNS_TOLD))?;
        Ok(runs.into_iter().find_map(|run| {
            let digest = read_digest(&run)?;
            let waiting = digest.waiting.iter().filter(|(name, _)| name != "parked").map(|(_, count)| count).sum();
            Some((run.id, waiting))
        }))
    }

    /// Starts a run and queues its work; returns the current run if there is one.
    pub fn start(&self) -> Result<MaintenanceRunId> {
        if let Some(running) = self.engine.store().read(|tx| tx.maintenance().running())? {
            return Ok(running.id);
        }
        let id = MaintenanceRunId::fresh(self.engine.ids());
        let now = self.engine.now();
        if !self.engine.store().write(|tx| tx.maintenance().begin(&id, now))? {
            // Another thread started a run in the meantime.
            return self.start();
        }
        let parked = self.expire_old_memories()? + self.engine.review().expire_old_proposals(self.parked_from()?)?;
        self.engine.store().write(|tx| tx.maintenance().note_parked(&id, parked))?;
        self.engine.queue().queue_unread()?;
        self.engine.conversations().queue_settling()?;
        self.engine.sessions().queue()?;
        self.engine.reflections().queue()?;
        self.engine.topics().queue()?;
        self.engine.people().queue_identity()?;
        self.engine.people().queue_profiles()?;
        self.engine.playbooks().queue()?;
        self.engine.embeddings().queue()?;
        self.engine.queue().look_for_work();
        self.finish()?;
        Ok(id)
    }

    /// Stops the current run by asking its jobs to stop. What they completed so far stays.
    pub fn cancel(&self) -> Result<bool> {
        let now = self.engine.now();
        let Some((run, jobs)) = self.engine.store().read(|tx| {
            let run = tx.maintenance().running()?;
            run.map(|run| Ok((run, tx.maintenance().unsettled_jobs_of(&STEPS)?))).transpose()
        })?
        else {
            return Ok(false);
        };
        self.engine.store().write(|tx| tx.maintenance().end(&run.id, None, now))?;
        jobs.iter().try_for_each(|job| self.engine.queue().cancel_job(job))?;
        Ok(true)
    }

    /// Ends the current run once none of its jobs is left, and makes the digest. Called after each job, at each start of
    /// the worker and by callers that wait for the run, so that a run whose last job ended in a crash ends too.
    pub(crate) fn finish(&self) -> Result<bool> {
        let is_over = self
            .engine
            .store()
            .read(|tx| Ok(tx.maintenance().running()?.is_some() && tx.maintenance().unsettled_jobs_of(&STEPS)?.is_empty()))?;
        if !is_over {
            return Ok(false);
        }
        self.engine.review().forget_gone_proposal_ages()?;
        let now = self.engine.now();
        let links = self.engine.people().open_links()?;
        let parked = self.engine.review().expired_proposals()?.len() as u64;
        let made = self.engine.store().read(|tx| {
            let Some(run) = tx.maintenance().running()? else { return Ok(None) };
            let before = tx.maintenance().runs(RUNS_TOLD)?.into_iter().find_map(|row| Some((row.finished?, read_digest(&row)?)));
            let (since, seq) = before.map_or((Timestamp(0), 0), |(finished, digest)| (finished, digest.through_seq));
            let mut waiting = named(tx.maintenance().waiting(now, PARKED_UNTIL)?);
            waiting.push(("links".to_owned(), links));
            waiting.iter_mut().filter(|(name, _)| name == "parked").for_each(|(_, count)| *count += parked);
            let new = named(tx.maintenance().new_since(seq, since, now)?);
            Ok(Some((run, Digest { new, waiting, through_seq: tx.log().last_seq_of_all()? })))
        })?;
        let Some((run, digest)) = made else { return Ok(false) };
        let json = serde_json::to_string(&digest).map_err(|error| EngineError::Stored { what: "digest", error })?;
        self.engine.store().write(|tx| tx.maintenance().end(&run.id, Some(&json), now))?;
        Ok(true)
    }

    /// Starts a run if one is due, and returns when the next one is due.
    pub fn queue(&self) -> Result<Option<Timestamp>> {
        self.finish()?;
        let rules = self.rules()?;
        let next = self.next(&rules)?;
        if next.is_some_and(|next| next <= self.engine.now()) {
            self.start()?;
            return self.next(&rules);
        }
        Ok(next)
    }

    /// When the next automatic run starts. The first one starts the night after the first call, because a person who has just
    /// imported their first file is still working with it.
    fn next(&self, rules: &MaintenanceRules) -> Result<Option<Timestamp>> {
        if !rules.automatic {
            return Ok(None);
        }
        let now = self.engine.now();
        let (last, since) = self.engine.store().read(|tx| {
            let last = tx.maintenance().runs(1)?.into_iter().next().map(|run| run.started);
            Ok((last, tx.settings().setting(SINCE_SETTING)?.and_then(|text| text.parse::<i64>().ok()).map(Timestamp)))
        })?;
        let last = match last.or(since) {
            Some(last) => last,
            None => {
                self.engine.store().write(|tx| tx.settings().put(SINCE_SETTING, &now.0.to_string(), now))?;
                now
            }
        };
        Ok(Some(next_due(WatchKind::Chat, rules.hour, Some(last), self.engine.utc_offset_minutes(), now)))
    }

    /// Proposals left unanswered since before this time expire.
    fn parked_from(&self) -> Result<Timestamp> {
        Ok(self.engine.now().plus_ms(-i64::from(self.rules()?.park_after_days) * DAY_MS))
    }

    /// Expires pending memories left unanswered too long, as one operation with one undo, and returns how many.
    pub fn expire_old_memories(&self) -> Result<u64> {
        let days = self.rules()?.park_after_days;
        let now = self.engine.now();
        let before = self.parked_from()?;
        let parked = self.engine.store().write(|tx| {
            let mut changes = Vec::new();
            for id in tx.maintenance().candidates_waiting_since(before, now)? {
                let row = tx.memories().memory(&id)?;
                let state = MemoryState::from(&row);
                let after = MemoryState { snoozed_until: Some(PARKED_UNTIL), ..state.clone() };
                changes.push(MemoryChange { id, before: Some(state), after, relations: Vec::new() });
            }
            if !changes.is_empty() {
                let what = if changes.len() == 1 { "1 proposal".to_owned() } else { format!("{} proposals", changes.len()) };
                let summary = format!("Expired {what} left unanswered for {days} days");
                tx.memories().apply_operation(&OperationId::fresh(self.engine.ids()), "park", &summary, &changes, now)?;
            }
            Ok(changes.len() as u64)
        })?;
        Ok(parked)
    }
}
