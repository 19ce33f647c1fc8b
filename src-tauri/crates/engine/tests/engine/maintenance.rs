//! The nightly cycle: when it is due, what it waits for, that a crash ends it no differently, and what the digest counts.

use std::cell::Cell;

use keepsake_domain::{Clock, Lane, RunState};
use keepsake_engine::{Act, Digest, KillPoint, MaintenanceRules, PARK_AFTER_DAYS, PARKED_UNTIL, Step};
use keepsake_store::MaintenanceRunRow;
use keepsake_testkit::conversation;

use crate::fixture::Fixture;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn last(f: &Fixture) -> MaintenanceRunRow {
    f.engine.store().read(|tx| tx.maintenance_runs(1)).unwrap().remove(0)
}

fn digest(f: &Fixture) -> Digest {
    f.engine.maintenance().unwrap().runs.remove(0).digest.unwrap()
}

fn count(counts: &[(String, u64)], name: &str) -> u64 {
    counts.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no count is called {name}: {counts:?}")).1
}

/// Works every lane until nothing may start.
fn drain(f: &Fixture) -> usize {
    let mut ran = 0;
    loop {
        let before = ran;
        for &lane in Lane::ALL {
            while let Step::Ran(..) = f.engine.run_next(lane, &|_| {}).unwrap() {
                ran += 1;
            }
        }
        if ran == before {
            return ran;
        }
    }
}

#[test]
fn it_begins_once_a_night_and_not_on_the_day_of_the_first_look() {
    let f = Fixture::new();
    // Monday at ten in the morning.
    let next = f.engine.queue_maintenance().unwrap().unwrap();
    assert_eq!(next.0 - f.clock.now().0, 17 * HOUR_MS, "three in the night");
    assert_eq!(f.engine.store().read(|tx| tx.maintenance_runs(9)).unwrap(), []);
    f.clock.advance_ms(17 * HOUR_MS);
    let next = f.engine.queue_maintenance().unwrap().unwrap();
    assert_eq!(next.0 - f.clock.now().0, DAY_MS, "and the night after");
    drain(&f);
    assert_eq!(last(&f).state, RunState::Finished);
    f.engine.queue_maintenance().unwrap();
    assert_eq!(f.engine.store().read(|tx| tx.maintenance_runs(9)).unwrap().len(), 1, "once is enough");
    f.clock.advance_ms(5 * DAY_MS);
    f.engine.queue_maintenance().unwrap();
    drain(&f);
    f.engine.queue_maintenance().unwrap();
    assert_eq!(
        f.engine.store().read(|tx| tx.maintenance_runs(9)).unwrap().len(),
        2,
        "nights that were missed are made up for once"
    );
    f.engine.set_maintenance_rules(&MaintenanceRules { automatic: false, ..MaintenanceRules::default() }).unwrap();
    f.clock.advance_ms(5 * DAY_MS);
    assert_eq!(f.engine.queue_maintenance().unwrap(), None, "switched off");
    for bad in
        [MaintenanceRules { hour: 24, ..Default::default() }, MaintenanceRules { park_after_days: 1, ..Default::default() }]
    {
        assert!(f.engine.set_maintenance_rules(&bad).is_err(), "{bad:?}");
    }
}

#[test]
fn the_digest_counts_what_came_since_the_one_before_and_what_waits() {
    let f = Fixture::new();
    f.append(&conversation("c1", "owner Mara: I'm allergic to peanuts.\nperson Ana: Good to know."));
    f.engine.start_maintenance().unwrap();
    assert_eq!(last(&f).state, RunState::Running, "its jobs are not worked yet");
    assert!(f.engine.maintenance().unwrap().jobs_left > 0);
    drain(&f);
    let first = digest(&f);
    assert_eq!(
        (count(&first.new, "messages"), count(&first.new, "candidates"), count(&first.waiting, "review")),
        (2, 1, 1),
        "{first:?}"
    );
    f.clock.advance_ms(HOUR_MS);
    f.engine.act(&Act::Approve(vec![f.id_of("peanuts")])).unwrap();
    f.clock.advance_ms(DAY_MS);
    f.append(&conversation("c2", "owner Mara: I live in Porto."));
    f.engine.start_maintenance().unwrap();
    drain(&f);
    let second = digest(&f);
    assert_eq!(count(&second.new, "messages"), 1, "of the first two it told before");
    assert_eq!((count(&second.new, "candidates"), count(&second.new, "approved"), count(&second.waiting, "review")), (1, 1, 1));
    f.clock.advance_ms(DAY_MS);
    f.engine.start_maintenance().unwrap();
    drain(&f);
    let third = digest(&f);
    assert!(third.new.iter().all(|(_, count)| *count == 0), "nothing happened: {third:?}");
}

#[test]
fn it_ends_the_same_wherever_the_program_dies() {
    let talk =
        || conversation("c1", "owner Mara: I'm allergic to peanuts.\nowner Mara: I live in Porto.\nperson Ana: Good to know.");
    let whole = Fixture::new();
    whole.append(&talk());
    whole.engine.start_maintenance().unwrap();
    drain(&whole);
    let mut died = 0;
    for lane in [Lane::Capture, Lane::Embed] {
        for point in [KillPoint::AfterLease, KillPoint::Working, KillPoint::AfterEffects] {
            for nth in 0..6 {
                let f = Fixture::new();
                f.append(&talk());
                f.engine.start_maintenance().unwrap();
                let met = Cell::new(0);
                let kill = |at: KillPoint| {
                    met.set(met.get() + u32::from(at == point));
                    at == point && met.get() > nth
                };
                let mut is_dead = false;
                while !is_dead {
                    match f.engine.run_next_killed(lane, &|_| {}, &kill).unwrap() {
                        Some(Step::Ran(..)) => {}
                        Some(_) => break,
                        None => is_dead = true,
                    }
                }
                died += u32::from(is_dead);
                let f = f.restarted(2);
                drop(f.engine.lock_worker().unwrap());
                f.engine.queue_maintenance().unwrap();
                drain(&f);
                f.engine.queue_maintenance().unwrap();
                assert_eq!(last(&f).state, RunState::Finished, "died in {lane} at {point:?} number {nth}");
                assert_eq!(digest(&f), digest(&whole), "died in {lane} at {point:?} number {nth}");
                assert_eq!(f.memories(), whole.memories());
            }
        }
    }
    assert!(died >= 6, "the program really died: {died} times");
}

#[test]
fn a_cycle_that_is_stopped_leaves_no_job_and_no_digest() {
    let f = Fixture::new();
    f.append(&conversation("c1", "owner Mara: I'm allergic to peanuts."));
    assert!(!f.engine.cancel_maintenance().unwrap(), "there is none");
    let id = f.engine.start_maintenance().unwrap();
    assert_eq!(f.engine.start_maintenance().unwrap(), id, "one at a time");
    assert!(f.engine.cancel_maintenance().unwrap());
    assert_eq!((last(&f).state, last(&f).digest), (RunState::Cancelled, None));
    assert_eq!(drain(&f), 0, "its jobs are gone");
    f.engine.start_maintenance().unwrap();
    assert!(drain(&f) > 0, "control: another one does them");
    assert_eq!(f.memories().len(), 1);
}

#[test]
fn what_waits_too_long_is_parked_stays_visible_and_comes_back() {
    let f = Fixture::new();
    f.propose("c1", "owner Mara: I'm allergic to peanuts.");
    let (old, days) = (f.id_of("peanuts"), i64::from(PARK_AFTER_DAYS));
    f.clock.advance_ms((days - 1) * DAY_MS);
    f.propose("c2", "owner Mara: I live in Porto.");
    assert_eq!(f.engine.park_old_candidates().unwrap(), 0, "a day is left");
    f.clock.advance_ms(DAY_MS);
    f.engine.start_maintenance().unwrap();
    drain(&f);
    assert_eq!(last(&f).parked, 1, "the newer one waits on");
    let waiting = digest(&f).waiting;
    assert_eq!((count(&waiting, "review"), count(&waiting, "parked")), (1, 1));
    let until = || f.engine.store().read(|tx| tx.memory(&old)).unwrap().snoozed_until;
    assert_eq!(until(), Some(PARKED_UNTIL));
    assert_eq!(f.engine.park_old_candidates().unwrap(), 0, "what is parked is not parked again");
    assert_eq!(f.engine.undo(None).unwrap(), None, "undo is for what a person did");
    let back = f.engine.act(&Act::Restore(vec![old.clone()])).unwrap();
    assert_eq!((back.applied.len(), until()), (1, None));
    f.engine.undo(None).unwrap();
    assert_eq!(until(), Some(PARKED_UNTIL), "and undone it is parked as before");
    assert!(f.engine.act(&Act::Approve(vec![old])).unwrap().operation.is_some(), "whoever finds it parked may approve it");
}
