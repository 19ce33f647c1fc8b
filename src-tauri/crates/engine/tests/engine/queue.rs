//! Tests the queue step by step: order, cancellation, pause, and a crash at every point.

use std::cell::Cell;

use keepsake_domain::job::{JOB_CRASHES_MAX, JOB_LEASE_MS};
use keepsake_domain::{HOUR_MS, JobState, Lane};
use keepsake_engine::{EngineError, ImportRequest, KillPoint, PauseFor, Step};
use keepsake_store::Store;
use keepsake_testkit::MONDAY_TEN;
use keepsake_testkit::exports::write_chatgpt_export;

use crate::fixture::Fixture;

fn export(f: &Fixture, conversations: usize, messages: usize) -> std::path::PathBuf {
    let path = f.dir.path().join("conversations.json");
    let mut file = std::fs::File::create(&path).unwrap();
    write_chatgpt_export(&mut file, conversations, messages, 7).unwrap();
    path
}

fn drain(f: &Fixture) -> u64 {
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_until_idle(&lock, &|_| {}).unwrap()
}

/// Runs the jobs of one lane, like a worker that has just started. The other lanes are not run, because they take far longer.
fn drain_lane(f: &Fixture, lane: Lane) {
    let _lock = f.engine.queue().lock_worker().unwrap();
    while let Step::Ran(..) = f.engine.queue().run_next(lane, &|_| {}).unwrap() {}
}

fn state(f: &Fixture) -> (u64, Vec<String>) {
    (f.engine.store().read(|tx| tx.log().totals()).unwrap().0, f.memories())
}

/// A store in which the next job of the lane is a queued import, or the first job that reads an imported conversation. For
/// the import lane, the import has several batches, and its conversations are not read afterwards. For reading, which takes
/// far longer, one batch is enough.
fn with_work(lane: Lane) -> Fixture {
    let f = Fixture::new();
    let (conversations, messages) = match lane {
        Lane::Import => (10, 450),
        _ => (3, 80),
    };
    f.engine.imports().queue(&ImportRequest::of(export(&f, conversations, messages))).unwrap();
    match lane {
        Lane::Import => leave_unread(&f),
        _ => drop(f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap()),
    }
    f
}

fn leave_unread(f: &Fixture) {
    let now = f.engine.now();
    f.engine.store().write(|tx| tx.settings().put("settings", r#"{"extract_on_import":false}"#, now)).unwrap();
}

#[test]
fn an_import_killed_at_any_point_leaves_the_same_end_as_one_that_was_not() {
    let expected = check_deaths(Lane::Import);
    assert!(expected.0 > 4_000, "the export is large enough for several batches: {}", expected.0);
}

#[test]
fn reading_killed_at_any_point_leaves_the_same_end_as_if_it_was_not() {
    let expected = check_deaths(Lane::Capture);
    assert!(!expected.1.is_empty(), "something was proposed");
}

/// Crashes a job of a lane at each point in turn, and checks that each run ends in the expected state. Returns that state.
fn check_deaths(lane: Lane) -> (u64, Vec<String>) {
    let whole = with_work(lane);
    drain_lane(&whole, lane);
    let expected = state(&whole);
    let points = [(KillPoint::AfterLease, 0), (KillPoint::AfterEffects, 0)];
    for (point, nth) in points.into_iter().chain((0..2).map(|nth| (KillPoint::Working, nth))) {
        check_death((lane, point, nth), &expected);
    }
    expected
}

/// Crashes a job of a lane the n-th time it reaches a point, starts again, and compares the final state.
fn check_death((lane, point, nth): (Lane, KillPoint, u32), expected: &(u64, Vec<String>)) {
    let f = with_work(lane);
    let met = Cell::new(0);
    let kill = |at: KillPoint| {
        met.set(met.get() + u32::from(at == point));
        at == point && met.get() > nth
    };
    let end = f.engine.queue().run_next_killed(lane, &|_| {}, &kill).unwrap();
    assert!(met.get() > nth, "{lane} reaches {point:?} number {nth}");
    assert_eq!(end, None, "the process died at {point:?}");
    let f = f.restarted(2);
    drain_lane(&f, lane);
    assert!(state(&f) == *expected, "other state after it died in {lane} at {point:?} number {nth}");
    let report = f.engine.store().read(|tx| tx.log().verify_chain()).unwrap();
    assert_eq!(report.faults, [], "the chain is whole after {point:?}");
}

#[test]
fn a_job_that_takes_the_program_down_again_and_again_is_parked_with_an_alert() {
    let mut f = Fixture::new();
    f.engine.imports().queue(&ImportRequest::of(export(&f, 1, 10))).unwrap();
    for crash in 1..=JOB_CRASHES_MAX {
        let before = f.engine.store().read(|tx| tx.jobs().recent(10)).unwrap();
        assert_eq!(before[0].state, JobState::Queued, "crash {crash}: it is tried again on its own");
        f.engine.queue().run_next_killed(Lane::Import, &|_| {}, &|at| at == KillPoint::AfterLease).unwrap();
        f = f.restarted(u64::from(crash) + 1);
        drop(f.engine.queue().lock_worker().unwrap());
    }
    let jobs = f.engine.store().read(|tx| tx.jobs().recent(10)).unwrap();
    assert_eq!(jobs[0].state, JobState::Dead);
    assert_eq!(f.engine.store().read(|tx| tx.alerts().all()).unwrap().len(), 1, "a person is told");
    f.engine.queue().retry_job(&jobs[0].id).unwrap();
    drain(&f);
    assert_eq!(f.engine.store().read(|tx| tx.jobs().job(&jobs[0].id)).unwrap().state, JobState::Done, "and may insist");
    assert!(f.engine.store().read(|tx| tx.alerts().all()).unwrap().is_empty(), "retrying settles the alert");
}

#[test]
fn a_computer_that_sleeps_during_a_job_costs_it_nothing() {
    let f = Fixture::new();
    let job = f.engine.imports().queue(&ImportRequest::of(export(&f, 10, 450))).unwrap();
    // Each check for cancellation happens a night later than the previous one, so the lease has expired every time.
    let asleep = |at: KillPoint| {
        if at == KillPoint::Working {
            f.clock.advance_ms(8 * 3_600_000);
        }
        false
    };
    let step = f.engine.queue().run_next_killed(Lane::Import, &|_| {}, &asleep).unwrap();
    assert_eq!(step, Some(Step::Ran(job.clone(), JobState::Done)));
    let row = f.engine.store().read(|tx| tx.jobs().job(&job)).unwrap();
    assert_eq!((row.attempts, row.crashes, row.lease_epoch), (0, 0, 1), "one attempt under one lease");
}

#[test]
fn a_lane_goes_on_after_a_job_whose_end_could_not_be_written() {
    let f = Fixture::new();
    let job = f.engine.imports().queue(&ImportRequest::of(export(&f, 1, 10))).unwrap();
    // A process that blocks all writes has the same effect here as a full disk.
    let other = Store::open(f.dir.path(), MONDAY_TEN).unwrap();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let ended = Cell::new(Some(ended));
        let hold = |at: KillPoint| {
            if at == KillPoint::Working
                && let Some(ended) = ended.take()
            {
                let (begin, begun) = std::sync::mpsc::channel();
                let other = &other;
                scope.spawn(move || other.write(|_| Ok((begin.send(()).is_ok(), ended.recv().is_err()))).unwrap());
                begun.recv().unwrap();
            }
            false
        };
        let failed = f.engine.queue().run_next_killed(Lane::Import, &|_| {}, &hold);
        drop(end);
        assert!(failed.is_err(), "neither its end nor its failure could be stored: {failed:?}");
    });
    let row = |f: &Fixture| f.engine.store().read(|tx| tx.jobs().job(&job)).unwrap();
    assert_eq!(row(&f).state, JobState::Running, "a control: it stands as running");
    assert_eq!(f.engine.queue().live_progress(&job), None, "and is shown as doing nothing");
    let due = Some(MONDAY_TEN.plus_ms(JOB_LEASE_MS));
    assert_eq!(f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(), Step::Idle(due), "the lane looks again then");
    f.clock.advance_ms(JOB_LEASE_MS + 1);
    assert!(matches!(f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(), Step::Ran(_, JobState::Done)));
    assert_eq!((row(&f).state, row(&f).crashes), (JobState::Done, 0));
}

#[test]
fn work_that_is_slow_is_not_taken_twice() {
    let f = Fixture::new();
    f.engine.imports().queue(&ImportRequest::of(export(&f, 1, 10))).unwrap();
    let others = Cell::new(0);
    let slow = |at: KillPoint| {
        if at == KillPoint::Working && others.get() == 0 {
            f.clock.advance_ms(JOB_LEASE_MS * 3);
            assert_eq!(f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(), Step::Idle(None), "the lane is busy");
            others.set(1);
        }
        false
    };
    let step = f.engine.queue().run_next_killed(Lane::Import, &|_| {}, &slow).unwrap();
    assert!(matches!(step, Some(Step::Ran(_, JobState::Done))), "{step:?}");
    assert_eq!(others.get(), 1, "a control: the lane was asked");
}

#[test]
fn a_file_that_was_handed_over_goes_with_the_import_that_nobody_wants() {
    let f = Fixture::new();
    let handed_over = |name: &str| {
        let path = f.engine.imports().incoming_dir().join(name).join("chat.txt");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "just a note\n").unwrap();
        path
    };
    let queued = |name: &str| {
        let path = handed_over(name);
        (f.engine.imports().queue(&ImportRequest::of(&path)).unwrap(), path)
    };
    let (cancelled, path) = queued("cancelled");
    f.engine.queue().cancel_job(&cancelled).unwrap();
    assert!(!path.exists(), "cancelled before it began");

    let (failed, kept) = queued("failed");
    let never = handed_over("never");
    drain(&f);
    assert_eq!(f.engine.store().read(|tx| tx.jobs().job(&failed)).unwrap().state, JobState::Dead);
    assert!(kept.exists(), "it may be tried again");
    drop(f.engine.queue().lock_worker().unwrap());
    assert!(kept.exists(), "also after a restart");
    assert!(!never.exists(), "one that was never imported goes at the next start");

    let (waiting, needed) = queued("waiting");
    let id = f.append(&keepsake_testkit::conversation("c1", "owner Mara: I work as a nurse in Leeds."));
    assert!(f.engine.erasure().erase_conversation(&id, "asked").unwrap().is_done);
    assert!(!kept.exists(), "no copy outlives an erasure");
    assert!(needed.exists(), "but one whose import is still to come leaves with it");
    f.engine.queue().cancel_job(&failed).unwrap();
    f.engine.queue().cancel_job(&waiting).unwrap();
    assert!(!needed.exists());
}

#[test]
fn cancelling_a_running_import_stops_it_and_importing_again_brings_the_rest() {
    let f = Fixture::new();
    leave_unread(&f);
    let path = export(&f, 10, 450);
    let job = f.engine.imports().queue(&ImportRequest::of(&path)).unwrap();
    let step = f.engine.queue().run_next(Lane::Import, &|_| f.engine.queue().cancel_job(&job).unwrap()).unwrap();
    assert_eq!(step, Step::Ran(job, JobState::Cancelled));
    let partial = state(&f).0;
    f.engine.imports().queue(&ImportRequest::of(&path)).unwrap();
    drain_lane(&f, Lane::Import);
    let whole = state(&f).0;
    assert!(partial < whole, "it really stopped: {partial} of {whole}");
    let imports = f.engine.store().read(|tx| tx.sources().imports(10)).unwrap();
    assert!(imports.iter().any(|import| import.state == "cancelled"), "the account of the cancelled one is kept");
}

#[test]
fn paused_starts_nothing_and_loses_nothing() {
    let f = Fixture::new();
    f.engine.imports().queue(&ImportRequest::of(export(&f, 1, 10))).unwrap();
    f.engine.queue().pause_for(PauseFor::Resumed).unwrap();
    assert_eq!(f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(), Step::Paused(None));
    let f = f.restarted(2);
    f.clock.advance_ms(400 * 86_400_000);
    assert!(f.engine.queue().is_paused().unwrap(), "a pause outlives a restart, and a year");
    f.engine.queue().resume().unwrap();
    assert!(drain(&f) > 0);
}

#[test]
fn a_pause_for_a_while_ends_by_itself_also_where_the_program_was_closed() {
    let setting = |f: &Fixture| f.engine.store().read(|tx| tx.settings().setting("queue_paused")).unwrap().unwrap();
    for (wanted, lasts_ms) in [(PauseFor::Hour, HOUR_MS), (PauseFor::Tomorrow, 22 * HOUR_MS)] {
        for is_closed in [false, true] {
            let f = Fixture::new();
            f.engine.imports().queue(&ImportRequest::of(export(&f, 1, 10))).unwrap();
            let end = f.engine.now().plus_ms(lasts_ms);
            assert_eq!(f.engine.queue().pause_for(wanted).unwrap().until, Some(end), "{wanted:?} from ten in the morning");
            f.clock.advance_ms(lasts_ms - 1);
            let f = if is_closed { f.restarted(2) } else { f };
            assert_eq!(
                f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(),
                Step::Paused(Some(end)),
                "{wanted:?} {is_closed}"
            );
            assert_eq!(setting(&f), end.0.to_string());
            f.clock.advance_ms(1);
            let f = if is_closed { f.restarted(3) } else { f };
            assert!(!f.engine.queue().is_paused().unwrap(), "its time has come");
            assert!(matches!(f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(), Step::Ran(..)), "{wanted:?} {is_closed}");
            assert_eq!(setting(&f), "false", "and whoever shows it heard of that");
        }
    }
    // A new pause replaces the previous one; resuming ends any pause.
    let f = Fixture::new();
    f.engine.queue().pause_for(PauseFor::Hour).unwrap();
    f.engine.queue().pause_for(PauseFor::Resumed).unwrap();
    f.clock.advance_ms(HOUR_MS);
    assert_eq!(f.engine.queue().pause().unwrap().map(|pause| pause.until), Some(None));
    f.engine.queue().pause_for(PauseFor::Tomorrow).unwrap();
    f.engine.queue().resume().unwrap();
    assert_eq!(f.engine.queue().pause().unwrap(), None);
}

#[test]
fn a_worker_that_sleeps_through_a_pause_wakes_when_it_ends() {
    let f = Fixture::new();
    f.engine.imports().queue(&ImportRequest::of(export(&f, 1, 10))).unwrap();
    f.engine.queue().pause_for(PauseFor::Hour).unwrap();
    f.clock.advance_ms(3_600_000 - 20);
    let (told, heard) = std::sync::mpsc::channel();
    let worker = f
        .engine
        .queue()
        .start_worker(f.engine.queue().lock_worker().unwrap(), move |progress| drop(told.send(progress.job)))
        .unwrap();
    assert!(f.engine.queue().is_paused().unwrap());
    // Nothing wakes the lane: it checks on its own when the pause ends.
    f.clock.advance_ms(20);
    heard.recv_timeout(std::time::Duration::from_secs(20)).expect("it goes on by itself");
    drop(worker);
}

#[test]
fn a_wrong_file_fails_once_with_one_clear_alert() {
    let f = Fixture::new();
    let path = f.dir.path().join("holiday.txt");
    std::fs::write(&path, "just a note\n").unwrap();
    let job = f.engine.imports().queue(&ImportRequest::of(&path)).unwrap();
    drain(&f);
    let row = f.engine.store().read(|tx| tx.jobs().job(&job)).unwrap();
    assert_eq!((row.state, row.attempts), (JobState::Dead, 1), "trying again cannot mend a wrong file");
    let alerts = f.engine.store().read(|tx| tx.alerts().all()).unwrap();
    assert_eq!(alerts.len(), 1);
    assert!(alerts[0].message.contains(" holiday.txt"), "the alert names the file and not where it lies: {}", alerts[0].message);
}

#[test]
fn one_process_works_the_queue_at_a_time() {
    let f = Fixture::new();
    let held = f.engine.queue().lock_worker().unwrap();
    assert!(matches!(f.engine.queue().lock_worker(), Err(EngineError::AlreadyRunning)));
    drop(held);
    f.engine.queue().lock_worker().unwrap();
}

#[test]
fn the_background_worker_finishes_what_is_queued_and_gives_the_queue_back() {
    let f = Fixture::new();
    let changes = f.engine.store().subscribe();
    let worker = f.engine.queue().start_worker(f.engine.queue().lock_worker().unwrap(), |_| {}).unwrap();
    f.engine.imports().queue(&ImportRequest::of(export(&f, 2, 50))).unwrap();
    while f.engine.store().read(|tx| tx.jobs().unsettled()).unwrap() > 0 {
        changes.recv_timeout(std::time::Duration::from_secs(60)).expect("the worker tells of each step");
        // Computing vectors yields to imports and retries a little later, so the fixed clock must be advanced.
        f.clock.advance_ms(5_000);
    }
    drop(worker);
    assert!(!f.memories().is_empty());
    f.engine.queue().lock_worker().expect("the lock is free again");
}

#[test]
fn a_conversation_whose_extraction_failed_for_good_waits_for_the_person() {
    let f = Fixture::new();
    let id = f.append(&keepsake_testkit::conversation("c1", "owner Mara: I work as a nurse in Leeds."));
    f.engine.imports().queue_extraction(std::slice::from_ref(&id)).unwrap();
    let store = f.engine.store();
    let now = keepsake_domain::Clock::now(f.clock.as_ref());
    let job = store
        .write(|tx| {
            let (lease, job) = tx.jobs().lease_next(Lane::Capture, now)?.unwrap();
            tx.jobs().fail(&lease, "no use in trying again", false, now)?;
            Ok(job.id)
        })
        .unwrap();
    assert_eq!(f.engine.queue().queue_unread().unwrap(), 0, "looking for unread conversations does not start it again");
    f.engine.queue().retry_job(&job).unwrap();
    drain(&f);
    assert!(!f.memories().is_empty(), "but the person's Retry does");
}

#[test]
fn an_import_that_a_process_left_behind_is_accounted_as_failed() {
    let f = Fixture::new();
    let id = keepsake_domain::ImportId::from_uuid(keepsake_domain::IdSource::next_uuid(&keepsake_testkit::SeqIds::new(5)));
    let now = keepsake_domain::Clock::now(f.clock.as_ref());
    f.engine.store().write(|tx| tx.sources().begin_import(&id, "/exports/chat.json", "chatgpt", false, now)).unwrap();
    let f = f.restarted(2);
    drop(f.engine.queue().lock_worker().unwrap());
    let import = f.engine.store().read(|tx| tx.sources().imports(1)).unwrap().remove(0);
    assert_eq!(import.state, "failed");
    assert!(import.error.unwrap().contains("import it again"), "and says what to do");
}
