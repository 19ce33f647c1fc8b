//! Compares the queue with a simple in-memory model, using random actions and a clock that jumps by up to a day (SECURITY.md,
//! "Queue").

use keepsake_domain::job::{JOB_CRASHES_MAX, JOB_LEASE_MS, RETRY_DELAYS_MS};
use keepsake_domain::{DAY_MS, JobId, JobKind, JobState, Lane, LeaseLoss, Timestamp};
use keepsake_store::{JobOutcome, Lease, NewJob};
use proptest::prelude::*;

use crate::bench::{Bench, NOW};

#[derive(Debug, Clone)]
enum Action {
    Enqueue(usize, u8),
    LeaseNext(usize),
    /// Uses any lease granted so far, including stale ones.
    Heartbeat(usize),
    Complete(usize),
    Fail(usize, bool),
    FinishCancelled(usize),
    Recover(bool),
    RequestCancel(usize),
    Retry(usize),
    Clock(i64),
}

fn action() -> impl Strategy<Value = Action> {
    let jump = prop::sample::select(vec![1, 4_999, 5_000, 10_000, 20_000, JOB_LEASE_MS, JOB_LEASE_MS + 1, DAY_MS, -DAY_MS]);
    prop_oneof![
        4 => (0..JobKind::ALL.len(), 0..3_u8).prop_map(|(kind, key)| Action::Enqueue(kind, key)),
        6 => (0..Lane::ALL.len()).prop_map(Action::LeaseNext),
        2 => (0..8_usize).prop_map(Action::Heartbeat),
        3 => (0..8_usize).prop_map(Action::Complete),
        4 => (0..8_usize, prop::bool::weighted(0.8)).prop_map(|(lease, retryable)| Action::Fail(lease, retryable)),
        1 => (0..8_usize).prop_map(Action::FinishCancelled),
        2 => any::<bool>().prop_map(Action::Recover),
        1 => (0..16_usize).prop_map(Action::RequestCancel),
        1 => (0..16_usize).prop_map(Action::Retry),
        4 => jump.prop_map(Action::Clock),
    ]
}

#[derive(Debug, Clone, PartialEq)]
struct Job {
    id: JobId,
    kind: JobKind,
    key: String,
    state: JobState,
    attempts: u32,
    crashes: u32,
    epoch: i64,
    not_before: i64,
    cancel_requested: bool,
    lease_until: i64,
}

#[derive(Default)]
struct Model {
    jobs: Vec<Job>,
    completions: u32,
}

impl Model {
    fn unsettled(&self, kind: JobKind, key: &str) -> Option<&Job> {
        self.jobs.iter().find(|job| job.kind == kind && job.key == key && !job.state.is_settled())
    }

    fn held(&mut self, lease: &Lease) -> Option<&mut Job> {
        self.jobs.iter_mut().find(|job| job.id == lease.job && job.epoch == lease.epoch && job.state == JobState::Running)
    }

    /// Limits times to the values that they could have if the clock had never been set back.
    fn heed_clock(&mut self, now: i64) {
        for job in &mut self.jobs {
            if job.state == JobState::Queued && job.not_before > now + RETRY_DELAYS_MS[2] {
                job.not_before = now;
            }
            if job.state == JobState::Running {
                job.lease_until = job.lease_until.min(now + JOB_LEASE_MS);
            }
        }
    }

    fn lease_next(&mut self, lane: Lane, now: i64) -> Option<Lease> {
        self.heed_clock(now);
        if self.jobs.iter().any(|job| job.kind.lane() == lane && job.state == JobState::Running) {
            return None;
        }
        let next =
            self.jobs.iter_mut().find(|job| job.kind.lane() == lane && job.state == JobState::Queued && job.not_before <= now)?;
        next.state = JobState::Running;
        next.epoch += 1;
        next.lease_until = now + JOB_LEASE_MS;
        Some(Lease { job: next.id.clone(), epoch: next.epoch })
    }

    fn fail(&mut self, lease: &Lease, is_retryable: bool, now: i64) -> Option<JobOutcome> {
        let job = self.held(lease)?;
        let delay = RETRY_DELAYS_MS.get(job.attempts as usize).filter(|_| is_retryable);
        job.attempts += 1;
        job.not_before = now;
        Some(if job.cancel_requested {
            job.state = JobState::Cancelled;
            JobOutcome::Cancelled
        } else if let Some(delay) = delay {
            job.state = JobState::Queued;
            job.not_before = now + delay;
            JobOutcome::Retry { at: Timestamp(now + delay) }
        } else {
            job.state = JobState::Dead;
            JobOutcome::Dead
        })
    }

    fn recover(&mut self, all: bool, now: i64) -> Vec<JobId> {
        self.heed_clock(now);
        let mut parked = Vec::new();
        for job in self.jobs.iter_mut().filter(|job| job.state == JobState::Running && (all || job.lease_until < now)) {
            job.crashes += u32::from(all);
            job.epoch += 1;
            job.state = if job.cancel_requested {
                JobState::Cancelled
            } else if all && job.crashes >= JOB_CRASHES_MAX {
                parked.push(job.id.clone());
                JobState::Dead
            } else {
                JobState::Queued
            };
        }
        parked
    }

    fn request_cancel(&mut self, index: usize) -> bool {
        let job = &mut self.jobs[index];
        match job.state {
            JobState::Running => job.cancel_requested = true,
            JobState::Queued | JobState::Dead => (job.state, job.cancel_requested) = (JobState::Cancelled, true),
            JobState::Done | JobState::Cancelled => {}
        }
        job.state != JobState::Running
    }

    fn retry(&mut self, index: usize, now: i64) -> bool {
        let job = self.jobs[index].clone();
        if job.state != JobState::Dead || self.unsettled(job.kind, &job.key).is_some() {
            return false;
        }
        let fresh = Job { state: JobState::Queued, attempts: 0, crashes: 0, not_before: now, cancel_requested: false, ..job };
        self.jobs[index] = fresh;
        true
    }
}

/// Performs an action on the store and the model, and checks that both have the same outcome.
fn step(bench: &Bench, model: &mut Model, leases: &mut Vec<Lease>, now: &mut i64, action: &Action) -> Result<(), TestCaseError> {
    let store = &bench.store;
    let at = Timestamp(*now);
    let lease = |index: usize| leases.len().checked_sub(1 + index % leases.len().max(1)).map(|index| leases[index].clone());
    match action {
        Action::Clock(delta_ms) => *now += delta_ms,
        Action::Enqueue(kind, key) => {
            let (kind, key) = (JobKind::ALL[*kind], key.to_string());
            let id = JobId::fresh(&bench.ids);
            let new = NewJob { id: id.clone(), kind, idempotency_key: key.clone(), payload: "{}".to_owned() };
            let stored = store.write(|tx| tx.jobs().enqueue(&new, at)).unwrap();
            let expected = model.unsettled(kind, &key).map(|job| job.id.clone());
            if expected.is_none() {
                let (state, not_before) = (JobState::Queued, 0);
                let (attempts, crashes, epoch, lease_until, cancel_requested) = (0, 0, 0, 0, false);
                model.jobs.push(Job {
                    id: id.clone(),
                    kind,
                    key,
                    state,
                    attempts,
                    crashes,
                    epoch,
                    not_before,
                    cancel_requested,
                    lease_until,
                });
            }
            prop_assert_eq!(stored, expected.unwrap_or(id));
        }
        Action::LeaseNext(lane) => {
            let lane = Lane::ALL[*lane];
            let stored = store.write(|tx| tx.jobs().lease_next(lane, at)).unwrap().map(|(lease, _)| lease);
            prop_assert_eq!(&stored, &model.lease_next(lane, at.0));
            leases.extend(stored);
        }
        Action::Heartbeat(index) => {
            let Some(lease) = lease(*index) else { return Ok(()) };
            let stored = store.write(|tx| tx.jobs().heartbeat(&lease, "s", 1, 2, at)).is_ok();
            let held = model.held(&lease).map(|job| job.lease_until = at.0 + JOB_LEASE_MS).is_some();
            prop_assert_eq!(stored, held);
        }
        Action::Complete(index) => {
            let Some(lease) = lease(*index) else { return Ok(()) };
            // Write the effect first, so that only a rollback can undo it.
            let stored = store.write(|tx| {
                let count: u32 = tx.settings().setting("effects")?.map_or(0, |text| text.parse().unwrap());
                tx.settings().put("effects", &(count + 1).to_string(), at)?;
                tx.jobs().complete(&lease, "{}", at)
            });
            let held = model.held(&lease).map(|job| job.state = JobState::Done).is_some();
            model.completions += u32::from(held);
            prop_assert_eq!(stored.is_ok(), held);
        }
        Action::Fail(index, is_retryable) => {
            let Some(lease) = lease(*index) else { return Ok(()) };
            let stored = store.write(|tx| tx.jobs().fail(&lease, "x", *is_retryable, at)).ok();
            prop_assert_eq!(stored, model.fail(&lease, *is_retryable, at.0));
        }
        Action::FinishCancelled(index) => {
            let Some(lease) = lease(*index) else { return Ok(()) };
            let stored = store.write(|tx| tx.jobs().finish_cancelled(&lease, at)).is_ok();
            let held = model.held(&lease).map(|job| job.state = JobState::Cancelled).is_some();
            prop_assert_eq!(stored, held);
        }
        Action::Recover(all) => {
            prop_assert_eq!(
                store.write(|tx| tx.jobs().recover(if *all { LeaseLoss::ProcessEnded } else { LeaseLoss::RanOut }, at)).unwrap(),
                model.recover(*all, at.0)
            );
        }
        Action::RequestCancel(index) if *index < model.jobs.len() => {
            let id = model.jobs[*index].id.clone();
            if model.jobs[*index].kind == JobKind::Erase {
                prop_assert!(store.write(|tx| tx.jobs().request_cancel(&id, at)).is_err(), "an erasure runs to its end");
                return Ok(());
            }
            prop_assert_eq!(store.write(|tx| tx.jobs().request_cancel(&id, at)).unwrap(), model.request_cancel(*index));
        }
        Action::Retry(index) if *index < model.jobs.len() => {
            let id = model.jobs[*index].id.clone();
            prop_assert_eq!(store.write(|tx| tx.jobs().retry(&id, at)).is_ok(), model.retry(*index, at.0));
        }
        Action::RequestCancel(_) | Action::Retry(_) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_queue_behaves_as_the_model(actions in prop::collection::vec(action(), 1..60)) {
        let bench = Bench::new();
        let (mut model, mut leases, mut now) = (Model::default(), Vec::new(), NOW.0);
        let mut before: Vec<(JobId, JobState, i64)> = Vec::new();
        for action in &actions {
            step(&bench, &mut model, &mut leases, &mut now, action)?;
            let mut stored = bench.store.read(|tx| tx.jobs().recent(1_000)).unwrap();
            stored.sort_by_key(|job| job.seq);
            let seen: Vec<_> = stored.iter().map(|job| {
                let lease_until = model.jobs.iter().find(|other| other.id == job.id).map_or(0, |other| other.lease_until);
                Job {
                    id: job.id.clone(), kind: job.kind, key: job.idempotency_key.clone(), state: job.state, attempts: job.attempts,
                    crashes: job.crashes, epoch: job.lease_epoch, not_before: job.not_before.0, cancel_requested: job.cancel_requested,
                    lease_until,
                }
            }).collect();
            prop_assert_eq!(&seen, &model.jobs, "after {:?}", action);
            for (id, state, epoch) in &before {
                let job = stored.iter().find(|job| job.id == *id).unwrap();
                prop_assert!(job.lease_epoch >= *epoch, "an epoch never goes back");
                let is_legal = job.state == *state || state.may_become(job.state);
                prop_assert!(is_legal, "{} became {} by {:?}", state, job.state, action);
            }
            before = stored.into_iter().map(|job| (job.id, job.state, job.lease_epoch)).collect();
        }
        let effects: u32 = bench.store.read(|tx| tx.settings().setting("effects")).unwrap().map_or(0, |text| text.parse().unwrap());
        prop_assert_eq!(effects, model.completions, "every completed job took effect exactly once");
    }
}
