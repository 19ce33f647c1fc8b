//! The nightly cycle: everything that is worked out in the background is brought up to date once a night, what waited too long for an
//! answer is parked, and in the morning a digest says what is new and what waits.
//!
//! Most of the work has been done by then: each part is queued as soon as something changed that it rests on. The cycle queues all
//! of them, whatever they think, and ends when none of their jobs is left. So it goes on after a crash where the queue does, and stopping
//! it is stopping those jobs. Jobs that ask a language model are not waited for: they may wait for power, a server or the next day's
//! budget.
//!
//! Deliberately not here: the work itself, each in its own module, and how the digest is shown.

use keepsake_domain::{DAY_MS, JobKind, MaintenanceRunId, OperationId, Timestamp};
use keepsake_store::{Counts, MaintenanceRunRow, MemoryChange, MemoryState};
use serde::{Deserialize, Serialize};

use crate::schedule::{WatchKind, next_due};
use crate::{Engine, EngineError, Result};

/// The setting under which it is kept when the cycle runs.
const RULES_SETTING: &str = "maintenance";

/// What an error calls them.
const CHOICES: &str = "maintenance rules";

/// The setting under which it is kept since when cycles are counted, where none ran yet.
const SINCE_SETTING: &str = "maintenance_since";

/// Local hour at which it runs unless the person says otherwise: after the hour at which chat is read, before anybody gets up.
pub const NIGHT_HOUR: u8 = 3;

/// Days that a candidate waits before it is parked unless the person says otherwise: a queue that only grows is one that nobody
/// opens any more (reference `ux.md` 3.1).
pub const PARK_AFTER_DAYS: u32 = 60;

/// Choices outside these are mistakes: sooner would take away what a holiday left, later is never.
const PARK_AFTER_DAYS_MIN: u32 = 7;
const PARK_AFTER_DAYS_MAX: u32 = 3_650;

/// A parked candidate is put off until this moment, the end of the year 9999: until somebody takes it back.
pub const PARKED_UNTIL: Timestamp = Timestamp(253_402_300_799_000);

/// Cycles that are told of.
const RUNS_TOLD: u32 = 30;

/// The jobs that a cycle waits for, in the order of the seed: each rests on those before it.
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

/// When the cycle runs and what it does about candidates that wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaintenanceRules {
    /// Whether it runs by itself.
    pub automatic: bool,
    /// Local hour, 0 to 23.
    pub hour: u8,
    /// Days after which a candidate or another proposal that nobody answered is parked.
    pub park_after_days: u32,
    /// Whether the desktop tells by a number that a cycle ended and something waits.
    pub notify: bool,
}

impl Default for MaintenanceRules {
    fn default() -> Self {
        Self { automatic: true, hour: NIGHT_HOUR, park_after_days: PARK_AFTER_DAYS, notify: true }
    }
}

/// What a cycle left: counts by name, in the order in which they are told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Digest {
    /// Since the digest before.
    pub new: Vec<(String, u64)>,
    /// For the person, when it was made.
    pub waiting: Vec<(String, u64)>,
    /// How far the log reached.
    through_seq: i64,
}

/// A cycle with its digest.
#[derive(Debug, Clone, PartialEq)]
pub struct MaintenanceRun {
    /// The cycle.
    pub row: MaintenanceRunRow,
    /// Its digest, when it ended by itself.
    pub digest: Option<Digest>,
}

/// Where maintenance stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Maintenance {
    /// The choices.
    pub rules: MaintenanceRules,
    /// Cycles, the newest first.
    pub runs: Vec<MaintenanceRun>,
    /// Jobs that the cycle under way still waits for.
    pub jobs_left: u64,
    /// When the next cycle begins by itself.
    pub next: Option<Timestamp>,
}

fn named(counts: Counts) -> Vec<(String, u64)> {
    counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
}

fn read_digest(run: &MaintenanceRunRow) -> Option<Digest> {
    serde_json::from_str(run.digest.as_ref()?).ok()
}

impl Engine {
    /// When the cycle runs, and after how long candidates are parked.
    pub fn maintenance_rules(&self) -> Result<MaintenanceRules> {
        Ok(self.store().read(|tx| tx.choice(RULES_SETTING, CHOICES))?)
    }

    /// Stores the choices.
    pub fn set_maintenance_rules(&self, rules: &MaintenanceRules) -> Result<()> {
        if rules.hour > 23 {
            return Err(EngineError::Refused(format!("there is no hour {}; give one from 0 to 23", rules.hour)));
        }
        if !(PARK_AFTER_DAYS_MIN..=PARK_AFTER_DAYS_MAX).contains(&rules.park_after_days) {
            return Err(EngineError::Refused(format!(
                "candidates can be parked after {PARK_AFTER_DAYS_MIN} to {PARK_AFTER_DAYS_MAX} days, not after {}",
                rules.park_after_days
            )));
        }
        self.store().write(|tx| tx.put_choice(RULES_SETTING, CHOICES, rules, self.now()))?;
        self.look_for_work();
        Ok(())
    }

    /// Where maintenance stands.
    pub fn maintenance(&self) -> Result<Maintenance> {
        let rules = self.maintenance_rules()?;
        let next = self.next_maintenance(&rules)?;
        Ok(self.store().read(|tx| {
            let runs = tx.maintenance_runs(RUNS_TOLD)?;
            let jobs_left = if tx.maintenance_running()?.is_some() { tx.unsettled_jobs_of(&STEPS)?.len() as u64 } else { 0 };
            let runs = runs.into_iter().map(|row| MaintenanceRun { digest: read_digest(&row), row }).collect();
            Ok(Maintenance { rules: rules.clone(), runs, jobs_left, next })
        })?)
    }

    /// The cycle that ended last by itself with how much waited for the person then, where the person wants to be told; what is set
    /// aside does not wait.
    pub fn digest_notice(&self) -> Result<Option<(MaintenanceRunId, u64)>> {
        if !self.maintenance_rules()?.notify {
            return Ok(None);
        }
        let runs = self.store().read(|tx| tx.maintenance_runs(RUNS_TOLD))?;
        Ok(runs.into_iter().find_map(|run| {
            let digest = read_digest(&run)?;
            let waiting = digest.waiting.iter().filter(|(name, _)| name != "parked").map(|(_, count)| count).sum();
            Some((run.id, waiting))
        }))
    }

    /// Begins a cycle and queues its work; the one under way, if there is one.
    pub fn start_maintenance(&self) -> Result<MaintenanceRunId> {
        if let Some(running) = self.store().read(|tx| tx.maintenance_running())? {
            return Ok(running.id);
        }
        let id = MaintenanceRunId::fresh(self.ids());
        let now = self.now();
        if !self.store().write(|tx| tx.begin_maintenance(&id, now))? {
            // Somebody else began one in between.
            return self.start_maintenance();
        }
        let parked = self.park_old_candidates()? + self.park_old_proposals(self.parked_from()?)?;
        self.store().write(|tx| tx.note_parked(&id, parked))?;
        self.queue_unread()?;
        self.queue_settling()?;
        self.queue_sessions()?;
        self.queue_reflection()?;
        self.queue_topics()?;
        self.queue_identity()?;
        self.queue_profiles()?;
        self.queue_playbooks()?;
        self.queue_embedding()?;
        self.look_for_work();
        self.finish_maintenance()?;
        Ok(id)
    }

    /// Stops the cycle under way: its jobs are asked to stop. What they did so far stays, each of them whole.
    pub fn cancel_maintenance(&self) -> Result<bool> {
        let now = self.now();
        let Some((run, jobs)) = self.store().read(|tx| {
            let run = tx.maintenance_running()?;
            run.map(|run| Ok((run, tx.unsettled_jobs_of(&STEPS)?))).transpose()
        })?
        else {
            return Ok(false);
        };
        self.store().write(|tx| tx.end_maintenance(&run.id, None, now))?;
        jobs.iter().try_for_each(|job| self.cancel_job(job))?;
        Ok(true)
    }

    /// Ends the cycle under way when no job of it is left, and makes the digest. Asked after each job, at each start of the worker and
    /// by whoever waits, so that one whose last job ended in a crash ends too.
    pub(crate) fn finish_maintenance(&self) -> Result<bool> {
        let is_over =
            self.store().read(|tx| Ok(tx.maintenance_running()?.is_some() && tx.unsettled_jobs_of(&STEPS)?.is_empty()))?;
        if !is_over {
            return Ok(false);
        }
        self.forget_gone_waits()?;
        let now = self.now();
        let links = self.open_links()?;
        let parked = self.parked_proposals()?.len() as u64;
        let made = self.store().read(|tx| {
            let Some(run) = tx.maintenance_running()? else { return Ok(None) };
            let before = tx.maintenance_runs(RUNS_TOLD)?.into_iter().find_map(|row| Some((row.finished?, read_digest(&row)?)));
            let (since, seq) = before.map_or((Timestamp(0), 0), |(finished, digest)| (finished, digest.through_seq));
            let mut waiting = named(tx.waiting(now, PARKED_UNTIL)?);
            waiting.push(("links".to_owned(), links));
            waiting.iter_mut().filter(|(name, _)| name == "parked").for_each(|(_, count)| *count += parked);
            let new = named(tx.new_since(seq, since, now)?);
            Ok(Some((run, Digest { new, waiting, through_seq: tx.last_seq_of_all()? })))
        })?;
        let Some((run, digest)) = made else { return Ok(false) };
        let json = serde_json::to_string(&digest).map_err(|error| EngineError::Stored { what: "digest", error })?;
        self.store().write(|tx| tx.end_maintenance(&run.id, Some(&json), now))?;
        Ok(true)
    }

    /// Begins a cycle where one is due; when the next one is.
    pub fn queue_maintenance(&self) -> Result<Option<Timestamp>> {
        self.finish_maintenance()?;
        let rules = self.maintenance_rules()?;
        let next = self.next_maintenance(&rules)?;
        if next.is_some_and(|next| next <= self.now()) {
            self.start_maintenance()?;
            return self.next_maintenance(&rules);
        }
        Ok(next)
    }

    /// When a cycle begins by itself. The first one is that of the night after the first look: somebody who just read their first file
    /// is busy with it.
    fn next_maintenance(&self, rules: &MaintenanceRules) -> Result<Option<Timestamp>> {
        if !rules.automatic {
            return Ok(None);
        }
        let now = self.now();
        let (last, since) = self.store().read(|tx| {
            let last = tx.maintenance_runs(1)?.into_iter().next().map(|run| run.started);
            Ok((last, tx.setting(SINCE_SETTING)?.and_then(|text| text.parse::<i64>().ok()).map(Timestamp)))
        })?;
        let last = match last.or(since) {
            Some(last) => last,
            None => {
                self.store().write(|tx| tx.put_setting(SINCE_SETTING, &now.0.to_string(), now))?;
                now
            }
        };
        Ok(Some(next_due(WatchKind::Chat, rules.hour, Some(last), self.utc_offset_minutes(), now)))
    }

    /// What waits since before this moment has waited too long.
    fn parked_from(&self) -> Result<Timestamp> {
        Ok(self.now().plus_ms(-i64::from(self.maintenance_rules()?.park_after_days) * DAY_MS))
    }

    /// Parks the candidates that waited too long, as one operation with one undo; how many.
    pub fn park_old_candidates(&self) -> Result<u64> {
        let days = self.maintenance_rules()?.park_after_days;
        let now = self.now();
        let before = self.parked_from()?;
        let parked = self.store().write(|tx| {
            let mut changes = Vec::new();
            for id in tx.candidates_waiting_since(before, now)? {
                let row = tx.memory(&id)?;
                let state = MemoryState::from(&row);
                let after = MemoryState { snoozed_until: Some(PARKED_UNTIL), ..state.clone() };
                changes.push(MemoryChange { id, before: Some(state), after, relations: Vec::new() });
            }
            if !changes.is_empty() {
                let what = if changes.len() == 1 { "1 candidate".to_owned() } else { format!("{} candidates", changes.len()) };
                let summary = format!("Parked {what} that waited {days} days");
                tx.apply_operation(&OperationId::fresh(self.ids()), "park", &summary, &changes, now)?;
            }
            Ok(changes.len() as u64)
        })?;
        Ok(parked)
    }
}
