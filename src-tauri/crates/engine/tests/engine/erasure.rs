//! Tests erasure that is held up: it is pending while another process reads, and done only when no file contains the text
//! anymore.

use keepsake_domain::{ImportId, JobState, Lane};
use keepsake_engine::{Existing, ImportRequest, PauseFor, Step, Unwatched};
use keepsake_store::Store;
use keepsake_testkit::MONDAY_TEN;

use crate::fixture::Fixture;

const CANARY: &str = "xylokarpzebra";

/// How often the canary occurs in the files of the data folder.
fn canaries(f: &Fixture) -> usize {
    let files = std::fs::read_dir(f.dir.path()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    files
        .filter(|path| path.extension().is_none_or(|extension| extension != "jsonl"))
        .map(|path| {
            let bytes = std::fs::read(path).unwrap();
            bytes.windows(CANARY.len()).filter(|window| window.eq_ignore_ascii_case(CANARY.as_bytes())).count()
        })
        .sum()
}

fn import(f: &Fixture) -> ImportId {
    let path = f.dir.path().join("chat.jsonl");
    let line = |n: usize| {
        format!(
            r#"{{"conversation":"c1","channel_type":"chat","channel_id":"c1","id":"m{n}","time":"2026-03-02T10:00:00Z","author":"Mara","role":"owner","text":"I am allergic to {CANARY}, reason {n}."}}"#
        )
    };
    std::fs::write(&path, (0..50).map(|n| line(n) + "\n").collect::<String>()).unwrap();
    f.engine.imports().queue(&ImportRequest::of(&path)).unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
    assert!(!f.memories().is_empty(), "something was derived from it");
    assert!(f.engine.store().checkpoint().unwrap());
    f.engine.store().read(|tx| tx.sources().imports(1)).unwrap()[0].id.clone()
}

#[test]
fn with_nobody_reading_the_receipt_says_done_at_once() {
    let f = Fixture::new();
    let import = import(&f);
    assert!(canaries(&f) > 50, "it is there to be found");
    let receipt = f.engine.erasure().undo_import(&import).unwrap();
    assert!(receipt.is_done && receipt.erased.messages == 50, "{receipt:?}");
    assert_eq!(canaries(&f), 0);
    let job = f.engine.store().read(|tx| tx.jobs().job(&receipt.job)).unwrap();
    assert_eq!(job.state, JobState::Done);
    let result = job.result.unwrap();
    assert!(result.contains("\"messages\":50") && result.contains("verified_at_ms"), "the receipt is kept: {result}");
}

/// Erases while another process reads, and checks the receipt and the files before and after that process finishes.
fn held_up(erase: impl FnOnce(&Fixture, &ImportId) -> keepsake_engine::ErasureReceipt, remains: usize) {
    let f = Fixture::new();
    let import = import(&f);
    let other = Store::open(f.dir.path(), MONDAY_TEN).unwrap();
    let receipt = other
        .read(|tx| {
            tx.log().totals()?;
            let receipt = erase(&f, &import);
            assert!(!receipt.is_done, "somebody reads an older state: {receipt:?}");
            assert!(canaries(&f) > remains, "so the text still stands in the files");
            let job = f.engine.store().read(|tx| tx.jobs().job(&receipt.job))?;
            assert_eq!(job.state, JobState::Queued, "a job waits for it");
            assert!(job.error.unwrap().contains("is reading the file"), "and says for what");
            for round in 0..6 {
                assert_eq!(tx.log().totals()?.0, 50, "the reader is still there");
                f.clock.advance_ms(5_000);
                let step = f.engine.queue().run_next(Lane::Upkeep, &|_| {}).unwrap();
                assert_eq!(step, Step::Ran(receipt.job.clone(), JobState::Queued), "try {round} neither fails nor gives up");
            }
            Ok(receipt)
        })
        .unwrap();
    assert!(canaries(&f) > remains, "control: when the reader is gone and no job runs, the text is still there");
    let f = f.restarted(2);
    assert!(f.engine.store().read(|tx| tx.lifecycle().pending_erasures()).unwrap() == 1, "a restart forgets nothing");
    f.clock.advance_ms(5_000);
    assert_eq!(f.engine.queue().run_next(Lane::Upkeep, &|_| {}).unwrap(), Step::Ran(receipt.job.clone(), JobState::Done));
    assert_eq!(canaries(&f), remains, "now it is done");
    assert_eq!(f.engine.store().read(|tx| tx.lifecycle().pending_erasures()).unwrap(), 0);
    drop(other);
}

#[test]
fn an_undone_import_is_pending_while_a_reader_holds_it_up() {
    held_up(|f, import| f.engine.erasure().undo_import(import).unwrap(), 0);
}

#[test]
fn an_erased_conversation_is_pending_while_a_reader_holds_it_up() {
    let erase = |f: &Fixture, _: &ImportId| {
        let id = f.engine.store().read(|tx| tx.log().conversation_by_source("c1")).unwrap().unwrap();
        f.engine.erasure().erase_conversation(&id, "asked").unwrap()
    };
    held_up(erase, 0);
}

#[test]
fn what_was_derived_is_pending_while_a_reader_holds_it_up() {
    // The messages stay, in the log and in the index; only data derived from them is erased.
    let stays = {
        let f = Fixture::new();
        import(&f);
        let id = f.engine.store().read(|tx| tx.log().conversation_by_source("c1")).unwrap().unwrap();
        assert!(f.engine.erasure().set_private(&id, true, Existing::Erase).unwrap().receipt.unwrap().is_done);
        canaries(&f)
    };
    let erase = |f: &Fixture, _: &ImportId| {
        let id = f.engine.store().read(|tx| tx.log().conversation_by_source("c1")).unwrap().unwrap();
        let outcome = f.engine.erasure().set_private(&id, true, Existing::Erase).unwrap();
        assert!(f.memories().is_empty());
        outcome.receipt.unwrap()
    };
    held_up(erase, stays);
}

#[test]
fn a_worker_that_dies_over_an_erasure_leaves_it_to_the_next() {
    let f = Fixture::new();
    let import = import(&f);
    let other = Store::open(f.dir.path(), MONDAY_TEN).unwrap();
    let receipt = other
        .read(|tx| {
            tx.log().totals()?;
            Ok(f.engine.erasure().undo_import(&import).unwrap())
        })
        .unwrap();
    assert!(!receipt.is_done);
    f.clock.advance_ms(5_000);
    let end = f.engine.queue().run_next_killed(Lane::Upkeep, &|_| {}, &|_| true).unwrap();
    assert_eq!(end, None, "the process died with the lease in its hand");
    let f = f.restarted(3);
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
    assert_eq!(f.engine.store().read(|tx| tx.jobs().job(&receipt.job)).unwrap().state, JobState::Done);
    assert_eq!(canaries(&f), 0);
}

#[test]
fn an_undone_import_is_forgotten_by_name_and_may_be_imported_again() {
    let f = Fixture::new();
    let import = import(&f);
    f.engine.erasure().undo_import(&import).unwrap();
    let row = f.engine.store().read(|tx| tx.sources().imports(1)).unwrap().pop().unwrap();
    assert_eq!((row.path.as_str(), row.totals.imported), ("", 50));
    let again = f.dir.path().join("chat.jsonl");
    let id = ImportId::fresh(&keepsake_testkit::SeqIds::new(5));
    let outcome = f.engine.imports().import(&id, &ImportRequest::of(&again), &Unwatched).unwrap();
    assert_eq!((outcome.totals.imported, outcome.totals.skipped.len()), (50, 0), "imported again, it is new");
}

#[test]
fn paused_work_does_not_hold_up_an_erasure() {
    let f = Fixture::new();
    let import = import(&f);
    let other = Store::open(f.dir.path(), MONDAY_TEN).unwrap();
    let receipt = other
        .read(|tx| {
            tx.log().totals()?;
            Ok(f.engine.erasure().undo_import(&import).unwrap())
        })
        .unwrap();
    assert!(!receipt.is_done, "a reader holds it up");
    drop(other);
    f.engine.queue().pause_for(PauseFor::Resumed).unwrap();
    f.clock.advance_ms(keepsake_domain::job::ERASURE_RETRY_MS);
    assert_eq!(f.engine.queue().run_next(Lane::Import, &|_| {}).unwrap(), Step::Paused(None));
    let step = f.engine.queue().run_next(Lane::Upkeep, &|_| {}).unwrap();
    assert!(matches!(step, Step::Ran(_, JobState::Done)), "{step:?}");
    assert_eq!(canaries(&f), 0);
}
