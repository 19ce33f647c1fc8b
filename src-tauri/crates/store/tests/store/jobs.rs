//! The rules of the queue, each tested on its own.

use keepsake_domain::job::{JOB_CRASHES_MAX, JOB_LEASE_MS, RETRY_DELAYS_MS};
use keepsake_domain::{DAY_MS, JobId, JobKind, JobState, Lane, LeaseLoss, Timestamp};
use keepsake_store::{JobOutcome, JobRow, Lease, NewJob, StoreError};
use keepsake_testkit::conversation;

use crate::bench::{Bench, NOW};

pub(crate) fn enqueue(bench: &Bench, kind: JobKind, key: &str) -> JobId {
    let job = NewJob {
        id: JobId::fresh(&bench.ids),
        kind,
        idempotency_key: key.to_owned(),
        payload: format!("{{\"conversation_id\":\"{key}\"}}"),
    };
    bench.store.write(|tx| tx.jobs().enqueue(&job, NOW)).unwrap()
}

pub(crate) fn lease(bench: &Bench, lane: Lane, now: Timestamp) -> Option<Lease> {
    bench.store.write(|tx| tx.jobs().lease_next(lane, now)).unwrap().map(|(lease, _)| lease)
}

fn job(bench: &Bench, id: &JobId) -> JobRow {
    bench.store.read(|tx| tx.jobs().job(id)).unwrap()
}

fn is_lost<T: std::fmt::Debug>(outcome: Result<T, StoreError>) -> bool {
    matches!(outcome, Err(StoreError::LeaseLost(_)))
}

#[test]
fn a_lane_is_first_in_first_out_and_one_at_a_time() {
    let bench = Bench::new();
    let ids: Vec<_> = (0..3).map(|n| enqueue(&bench, JobKind::Extract, &n.to_string())).collect();
    for id in &ids {
        let lease = lease(&bench, Lane::Capture, NOW).unwrap();
        assert_eq!(&lease.job, id, "in order of arrival");
        assert_eq!(self::lease(&bench, Lane::Capture, NOW), None, "one at a time");
        bench.store.write(|tx| tx.jobs().complete(&lease, "{}", NOW)).unwrap();
    }
    assert_eq!(bench.store.read(|tx| tx.jobs().unsettled()).unwrap(), 0);
}

#[test]
fn lanes_do_not_wait_for_each_other() {
    let bench = Bench::new();
    enqueue(&bench, JobKind::Import, "a");
    enqueue(&bench, JobKind::Analyze, "b");
    enqueue(&bench, JobKind::Embed, "c");
    enqueue(&bench, JobKind::Erase, "d");
    enqueue(&bench, JobKind::ExtractModel, "e");
    for lane in Lane::ALL {
        assert!(lease(&bench, *lane, NOW).is_some(), "{lane}");
    }
}

#[test]
fn a_job_is_queued_once_until_it_is_settled() {
    let bench = Bench::new();
    let first = enqueue(&bench, JobKind::Extract, "k");
    assert_eq!(enqueue(&bench, JobKind::Extract, "k"), first, "waiting");
    assert_ne!(enqueue(&bench, JobKind::Analyze, "k"), first, "another kind is another job");
    let held = lease(&bench, Lane::Capture, NOW).unwrap();
    assert_eq!(enqueue(&bench, JobKind::Extract, "k"), first, "running");
    bench.store.write(|tx| tx.jobs().complete(&held, "{}", NOW)).unwrap();
    assert_ne!(enqueue(&bench, JobKind::Extract, "k"), first, "done, so there is new work");
}

#[test]
fn a_failure_is_tried_again_after_5_10_and_20_s_and_then_dead() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Extract, "k");
    let mut now = NOW;
    for delay_ms in RETRY_DELAYS_MS {
        let held = lease(&bench, Lane::Capture, now).unwrap();
        let at = now.plus_ms(delay_ms);
        let outcome = bench.store.write(|tx| tx.jobs().fail(&held, "no answer", true, now)).unwrap();
        assert_eq!(outcome, JobOutcome::Retry { at });
        assert_eq!(bench.store.read(|tx| tx.jobs().next_due(Lane::Capture)).unwrap(), Some(at));
        assert_eq!(lease(&bench, Lane::Capture, at.plus_ms(-1)), None, "not a millisecond early");
        now = at;
    }
    let held = lease(&bench, Lane::Capture, now).unwrap();
    assert_eq!(bench.store.write(|tx| tx.jobs().fail(&held, "no answer", true, now)).unwrap(), JobOutcome::Dead);
    let dead = job(&bench, &id);
    assert_eq!(
        (dead.state, dead.attempts, dead.error.as_deref(), dead.finished),
        (JobState::Dead, 4, Some("no answer"), Some(now))
    );
    assert_eq!(lease(&bench, Lane::Capture, now.plus_ms(DAY_MS)), None, "dead stays dead");
}

#[test]
fn a_failure_that_no_retry_mends_is_dead_at_once() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Import, "k");
    let held = lease(&bench, Lane::Import, NOW).unwrap();
    assert_eq!(bench.store.write(|tx| tx.jobs().fail(&held, "no such file", false, NOW)).unwrap(), JobOutcome::Dead);
    assert_eq!(job(&bench, &id).state, JobState::Dead);
}

#[test]
fn a_failed_job_does_not_hold_up_the_ones_behind_it() {
    let bench = Bench::new();
    enqueue(&bench, JobKind::Extract, "poison");
    let behind = enqueue(&bench, JobKind::Extract, "behind");
    let poison = lease(&bench, Lane::Capture, NOW).unwrap();
    bench.store.write(|tx| tx.jobs().fail(&poison, "x", true, NOW)).unwrap();
    assert_eq!(lease(&bench, Lane::Capture, NOW).unwrap().job, behind);
}

#[test]
fn a_dead_job_starts_anew_when_a_person_retries_it() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Extract, "k");
    let held = lease(&bench, Lane::Capture, NOW).unwrap();
    bench.store.write(|tx| tx.jobs().fail(&held, "x", false, NOW)).unwrap();
    bench.store.write(|tx| tx.jobs().retry(&id, NOW)).unwrap();
    assert_eq!((job(&bench, &id).state, job(&bench, &id).attempts), (JobState::Queued, 0));
    assert!(bench.store.write(|tx| tx.jobs().retry(&id, NOW)).is_err(), "only a dead one");
    let again = lease(&bench, Lane::Capture, NOW).unwrap();
    assert!(again.epoch > held.epoch, "the epoch never starts again");
    assert!(is_lost(bench.store.write(|tx| tx.jobs().complete(&held, "{}", NOW))), "the old worker comes too late");
    bench.store.write(|tx| tx.jobs().fail(&again, "x", false, NOW)).unwrap();
    enqueue(&bench, JobKind::Extract, "k");
    assert!(bench.store.write(|tx| tx.jobs().retry(&id, NOW)).is_err(), "the same work is queued already");
}

#[test]
fn who_lost_the_lease_can_do_nothing_more() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Extract, "k");
    let stale = lease(&bench, Lane::Capture, NOW).unwrap();
    let late = NOW.plus_ms(JOB_LEASE_MS + 1);
    assert!(bench.store.write(|tx| tx.jobs().recover(LeaseLoss::RanOut, NOW.plus_ms(JOB_LEASE_MS))).unwrap().is_empty());
    assert_eq!(job(&bench, &id).state, JobState::Running, "a lease that runs is respected");
    bench.store.write(|tx| tx.jobs().recover(LeaseLoss::RanOut, late)).unwrap();
    let fresh = lease(&bench, Lane::Capture, late).unwrap();
    assert!(fresh.epoch > stale.epoch);
    let before = job(&bench, &id);
    assert!(is_lost(bench.store.write(|tx| tx.jobs().heartbeat(&stale, "reading", 1, 2, late))));
    assert!(is_lost(bench.store.write(|tx| tx.jobs().check_lease(&stale))));
    assert!(is_lost(bench.store.write(|tx| tx.jobs().complete(&stale, "{}", late))));
    assert!(is_lost(bench.store.write(|tx| tx.jobs().fail(&stale, "x", true, late))));
    assert!(is_lost(bench.store.write(|tx| tx.jobs().finish_cancelled(&stale, late))));
    assert_eq!(job(&bench, &id), before);
    bench.store.write(|tx| tx.jobs().complete(&fresh, "{}", late)).unwrap();
    assert!(is_lost(bench.store.write(|tx| tx.jobs().complete(&fresh, "{}", late))), "once");
}

#[test]
fn settled_jobs_are_kept_up_to_a_number_and_receipts_of_erasures_always() {
    const KEPT: usize = 1_000;
    let bench = Bench::new();
    let settle = |kind: JobKind, key: &str| {
        let id = enqueue(&bench, kind, key);
        let (lease, _) = bench.store.write(|tx| tx.jobs().lease(&id, NOW)).unwrap().unwrap();
        bench.store.write(|tx| tx.jobs().complete(&lease, "{}", NOW)).unwrap();
        id
    };
    let receipt = settle(JobKind::Erase, "erased");
    let dead = enqueue(&bench, JobKind::Extract, "dead");
    let (lost, _) = bench.store.write(|tx| tx.jobs().lease(&dead, NOW)).unwrap().unwrap();
    bench.store.write(|tx| tx.jobs().fail(&lost, "no", false, NOW)).unwrap();
    let waiting = enqueue(&bench, JobKind::Embed, "waiting");
    let first = settle(JobKind::Extract, "first");
    let raw = crate::bench::plain(bench.store.path());
    raw.execute(
        "INSERT INTO jobs (id, kind, lane, state, idempotency_key, payload, created_at_ms)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
         SELECT 'job_' || printf('%032x', n), 'extract', 'capture', 'done', n, '{}', 0 FROM n",
        [KEPT as i64],
    )
    .unwrap();
    let last = settle(JobKind::Extract, "last");
    let stands = |id: &JobId| bench.store.read(|tx| tx.jobs().job(id)).is_ok();
    assert_eq!([&receipt, &dead, &waiting, &first, &last].map(stands), [true, true, true, false, true]);
    let count = bench.dump("SELECT count(*) FROM jobs WHERE state = 'done' AND kind <> 'erase'");
    assert_eq!(count, [KEPT.to_string()], "exactly so many");
    let listed = bench.store.read(|tx| tx.jobs().recent(4)).unwrap();
    let states: Vec<_> = listed.iter().map(|job| job.state).collect();
    assert_eq!(states, [JobState::Dead, JobState::Queued, JobState::Done, JobState::Done]);
    assert_eq!(listed[2].id, last, "the latest first");
}

#[test]
fn a_lane_gives_back_what_ran_out_and_nobody_works_on() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Import, "a");
    lease(&bench, Lane::Import, NOW).unwrap();
    let recover = |lane, at_work: &[JobId], now| {
        bench.store.write(|tx| tx.jobs().recover_lane(lane, at_work, now)).unwrap();
        job(&bench, &id).state
    };
    let late = NOW.plus_ms(JOB_LEASE_MS + 1);
    let mine = std::slice::from_ref(&id);
    for (lane, at_work, now, expect, why) in [
        (Lane::Import, &[][..], NOW.plus_ms(JOB_LEASE_MS), JobState::Running, "the lease holds"),
        (Lane::Capture, &[], late, JobState::Running, "another lane"),
        (Lane::Import, mine, late, JobState::Running, "slow work, and no lost one"),
        (Lane::Import, &[], late, JobState::Queued, "nobody works on it"),
    ] {
        assert_eq!(recover(lane, at_work, now), expect, "{why}");
    }
    assert_eq!((job(&bench, &id).crashes, job(&bench, &id).attempts), (0, 0));
    let again = lease(&bench, Lane::Import, late).unwrap();
    assert_eq!(again.epoch, 3, "whoever had it before can complete nothing");
    let end = |at_work: &[JobId]| bench.store.read(|tx| tx.jobs().next_lease_end(Lane::Import, at_work)).unwrap();
    assert_eq!((end(&[]), end(mine)), (Some(late.plus_ms(JOB_LEASE_MS)), None));
}

#[test]
fn a_job_put_off_has_not_failed() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Erase, "k");
    let at = NOW.plus_ms(5_000);
    for round in 0..20 {
        let (now, at) = (NOW.plus_ms(5_000 * round), at.plus_ms(5_000 * round));
        let held = lease(&bench, Lane::Upkeep, now).unwrap();
        bench.store.write(|tx| tx.jobs().postpone(&held, "somebody reads", at)).unwrap();
        assert!(is_lost(bench.store.write(|tx| tx.jobs().postpone(&held, "somebody reads", at))), "once");
        assert_eq!(lease(&bench, Lane::Upkeep, at.plus_ms(-1)), None, "not a millisecond early");
    }
    let row = job(&bench, &id);
    assert_eq!((row.state, row.attempts, row.error.as_deref()), (JobState::Queued, 0, Some("somebody reads")));
    assert!(bench.store.write(|tx| tx.jobs().lease(&id, NOW)).unwrap().is_some(), "whoever asks for it by name need not wait");
    assert!(bench.store.write(|tx| tx.jobs().lease(&id, NOW)).unwrap().is_none(), "but it is given once");
}

#[test]
fn a_heartbeat_keeps_the_lease_and_shows_progress() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Import, "k");
    let held = lease(&bench, Lane::Import, NOW).unwrap();
    let changes = bench.store.subscribe();
    let later = NOW.plus_ms(JOB_LEASE_MS - 1);
    bench.store.write(|tx| tx.jobs().heartbeat(&held, "reading", 3, 9, later)).unwrap();
    assert_eq!(changes.try_recv().unwrap(), [keepsake_store::Tag::Jobs]);
    bench.store.write(|tx| tx.jobs().recover(LeaseLoss::RanOut, NOW.plus_ms(JOB_LEASE_MS + 1))).unwrap();
    let row = job(&bench, &id);
    assert_eq!((row.state, row.stage.as_deref(), row.done, row.total), (JobState::Running, Some("reading"), 3, 9));
}

#[test]
fn a_job_that_takes_the_program_down_again_and_again_is_parked() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Extract, "k");
    let other = enqueue(&bench, JobKind::Extract, "other");
    for crashes in 1..JOB_CRASHES_MAX {
        lease(&bench, Lane::Capture, NOW).unwrap();
        assert!(bench.store.write(|tx| tx.jobs().recover(LeaseLoss::ProcessEnded, NOW)).unwrap().is_empty());
        assert_eq!((job(&bench, &id).state, job(&bench, &id).crashes), (JobState::Queued, crashes), "tried again on its own");
    }
    lease(&bench, Lane::Capture, NOW).unwrap();
    assert_eq!(bench.store.write(|tx| tx.jobs().recover(LeaseLoss::ProcessEnded, NOW)).unwrap(), std::slice::from_ref(&id));
    assert_eq!(job(&bench, &id).state, JobState::Dead);
    assert_eq!(lease(&bench, Lane::Capture, NOW).unwrap().job, other, "the others go on");
}

#[test]
fn a_computer_that_sleeps_again_and_again_parks_no_job() {
    let bench = Bench::new();
    let id = enqueue(&bench, JobKind::Import, "k");
    let mut held = lease(&bench, Lane::Import, NOW).unwrap();
    let mut now = NOW;
    for night in 0..5 {
        now = now.plus_ms(DAY_MS / 3);
        bench.store.write(|tx| tx.jobs().heartbeat(&held, "reading", night, 9, now)).unwrap();
        assert_eq!(job(&bench, &id).lease_epoch, held.epoch, "the one who slept goes on under its own lease");
        now = now.plus_ms(DAY_MS / 3);
        assert!(bench.store.write(|tx| tx.jobs().recover(LeaseLoss::RanOut, now)).unwrap().is_empty(), "nothing is parked");
        assert_eq!((job(&bench, &id).state, job(&bench, &id).crashes), (JobState::Queued, 0), "given back, it has not failed");
        assert!(is_lost(bench.store.write(|tx| tx.jobs().heartbeat(&held, "reading", 1, 9, now))), "and its old worker is told");
        held = lease(&bench, Lane::Import, now).unwrap();
    }
    bench.store.write(|tx| tx.jobs().complete(&held, "{}", now)).unwrap();
}

#[test]
fn cancelling_a_waiting_a_running_a_failing_and_a_dead_job() {
    let bench = Bench::new();
    let cancel = |id: &JobId| bench.store.write(|tx| tx.jobs().request_cancel(id, NOW)).unwrap();
    let waiting = enqueue(&bench, JobKind::Extract, "waiting");
    assert!(cancel(&waiting), "settled at once");
    assert_eq!(lease(&bench, Lane::Capture, NOW), None);

    let running = enqueue(&bench, JobKind::Extract, "running");
    let held = lease(&bench, Lane::Capture, NOW).unwrap();
    assert!(!cancel(&running), "its worker has to look first");
    assert!(bench.store.read(|tx| tx.jobs().is_cancel_requested(&running)).unwrap());
    bench.store.write(|tx| tx.jobs().finish_cancelled(&held, NOW)).unwrap();
    assert_eq!(job(&bench, &running).state, JobState::Cancelled);

    let failing = enqueue(&bench, JobKind::Extract, "failing");
    let held = lease(&bench, Lane::Capture, NOW).unwrap();
    cancel(&failing);
    assert_eq!(
        bench.store.write(|tx| tx.jobs().fail(&held, "x", true, NOW)).unwrap(),
        JobOutcome::Cancelled,
        "no retry of what nobody wants"
    );
    assert_eq!(job(&bench, &failing).state, JobState::Cancelled);

    let crashed = enqueue(&bench, JobKind::Extract, "crashed");
    lease(&bench, Lane::Capture, NOW).unwrap();
    cancel(&crashed);
    bench.store.write(|tx| tx.jobs().recover(LeaseLoss::ProcessEnded, NOW)).unwrap();
    assert_eq!(job(&bench, &crashed).state, JobState::Cancelled);

    let dead = enqueue(&bench, JobKind::Extract, "dead");
    let held = lease(&bench, Lane::Capture, NOW).unwrap();
    bench.store.write(|tx| tx.jobs().fail(&held, "x", false, NOW)).unwrap();
    assert!(cancel(&dead));
    assert!(bench.store.write(|tx| tx.jobs().retry(&dead, NOW)).is_err());

    let about = enqueue(&bench, JobKind::Extract, "conv_x");
    enqueue(&bench, JobKind::Extract, "conv_y");
    assert_eq!(bench.store.write(|tx| tx.jobs().cancel_about("conv_x", NOW)).unwrap(), 1);
    assert_eq!(job(&bench, &about).state, JobState::Cancelled);
}

#[test]
fn a_clock_set_back_by_a_day_delays_no_job_beyond_a_lease() {
    let bench = Bench::new();
    let back = NOW.plus_ms(-DAY_MS);
    enqueue(&bench, JobKind::Extract, "failing");
    let held = lease(&bench, Lane::Capture, NOW).unwrap();
    bench.store.write(|tx| tx.jobs().fail(&held, "x", true, NOW)).unwrap();
    assert!(lease(&bench, Lane::Capture, back).is_some(), "its five seconds are not a day and five seconds");

    bench.store.write(|tx| tx.jobs().recover(LeaseLoss::RanOut, back)).unwrap();
    let late = back.plus_ms(JOB_LEASE_MS + 1);
    bench.store.write(|tx| tx.jobs().recover(LeaseLoss::RanOut, late)).unwrap();
    assert!(lease(&bench, Lane::Capture, late).is_some(), "a worker that died holds its lane for one lease");
}

#[test]
fn a_jobs_effects_and_its_end_are_one_step() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: I love tea and rain"));
    enqueue(&bench, JobKind::Extract, "c");
    let held = lease(&bench, Lane::Capture, NOW).unwrap();
    let places = [bench.place("c", "tea"), bench.place("c", "rain")];
    let conversation = bench.conversation("c");
    let memories: Vec<_> = places.into_iter().map(|place| bench.memory("User loves it", vec![place])).collect();
    let tables = ["memories", "memory_evidence", "memory_relations", "memories_fts", "jobs", "conversations", "settings"];
    let everything = || tables.map(|table| bench.dump(&format!("SELECT * FROM {table}"))).concat();
    // Fails before step `stop`; succeeds if there are fewer steps.
    let work = |stop: usize| {
        bench.store.write(|tx| {
            let steps: [&dyn Fn() -> keepsake_store::Result<()>; 6] = [
                &|| tx.jobs().check_lease(&held),
                &|| tx.memories().insert(&memories[0]),
                &|| tx.memories().insert(&memories[1]),
                &|| tx.memories().relate(&memories[0].id, keepsake_domain::Relation::Related, &memories[1].id, Some(0.9), NOW),
                &|| tx.log().mark_extracted(&conversation, 1),
                &|| tx.jobs().complete(&held, "{}", NOW),
            ];
            for (number, step) in steps.iter().enumerate() {
                if number == stop {
                    return Err(StoreError::Poisoned);
                }
                step()?;
            }
            if stop == steps.len() { Err(StoreError::Poisoned) } else { Ok(()) }
        })
    };
    let before = everything();
    for stop in 0..=6 {
        assert!(work(stop).is_err());
        assert_eq!(everything(), before, "killed before step {stop}: nothing half done");
    }
    work(7).unwrap();
    assert_eq!(bench.dump("SELECT count(*) FROM memories"), ["2"]);
    assert!(is_lost(work(7)), "a second run of the same lease leaves nothing");
    assert_eq!(bench.dump("SELECT count(*) FROM memories"), ["2"]);
}
