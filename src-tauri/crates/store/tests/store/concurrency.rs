//! Several windows and processes use one file at the same time.

use std::sync::{Arc, Barrier};

use keepsake_store::Store;
use keepsake_testkit::conversation;
use tempfile::TempDir;

use crate::bench::{Bench, NOW};

#[test]
fn two_stores_write_the_same_file_without_being_refused() {
    let dir = TempDir::new().unwrap();
    let start = Arc::new(Barrier::new(2));
    let workers: Vec<_> = (0..2)
        .map(|worker| {
            let (path, start) = (dir.path().to_owned(), start.clone());
            std::thread::spawn(move || {
                start.wait();
                let store = Store::open(&path, NOW).unwrap();
                for round in 0..60 {
                    store.write(|tx| tx.settings().put(&format!("{worker}-{round}"), "1", NOW)).unwrap();
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    let settings = crate::bench::dump(&crate::bench::plain(&dir.path().join("keepsake.db")), "SELECT count(*) FROM settings");
    assert_eq!(settings, ["120"]);
}

#[test]
fn many_stores_may_make_the_same_new_file_at_once() {
    // Without the queue in `opening_turn`, some of these rounds would fail.
    for _ in 0..30 {
        let dir = TempDir::new().unwrap();
        let start = Arc::new(Barrier::new(6));
        let workers: Vec<_> = (0..6)
            .map(|_| {
                let (path, start) = (dir.path().to_owned(), start.clone());
                std::thread::spawn(move || {
                    start.wait();
                    Store::open(&path, NOW).map(drop)
                })
            })
            .collect();
        for worker in workers {
            worker.join().unwrap().unwrap();
        }
    }
}

#[test]
fn a_store_opens_while_another_is_in_the_middle_of_a_write() {
    let bench = Bench::new();
    bench
        .store
        .write(|tx| {
            tx.settings().put("a", "1", NOW)?;
            let second = Store::open(bench.dir.path(), NOW)?;
            assert_eq!(second.read(|tx| tx.settings().setting("a"))?, None, "what is not committed is not seen");
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_reader_sees_one_moment() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: one"));
    let other = Store::open(bench.dir.path(), NOW).unwrap();
    bench
        .store
        .read(|tx| {
            let before = tx.log().totals()?;
            bench.append(&conversation("d", "owner Mara: two"));
            assert_eq!(other.read(|tx| tx.log().totals())?, (2, 2), "a new reader sees the new message");
            assert_eq!(tx.log().totals()?, before, "this one stays in its moment");
            Ok(())
        })
        .unwrap();
    assert_eq!(bench.store.read(|tx| tx.log().totals()).unwrap(), (2, 2));
}

#[test]
fn more_readers_than_connections_wait_their_turn() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: one"));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(bench.store.read(|tx| tx.log().totals()).unwrap(), (1, 1));
                }
            });
        }
    });
}

#[test]
fn the_data_version_moves_when_another_process_commits() {
    let bench = Bench::new();
    let other = Store::open(bench.dir.path(), NOW).unwrap();
    let before = bench.store.data_version().unwrap();
    bench.store.write(|tx| tx.settings().put("a", "1", NOW)).unwrap();
    assert_eq!(bench.store.data_version().unwrap(), before, "own writes do not count");
    other.write(|tx| tx.settings().put("b", "1", NOW)).unwrap();
    assert_ne!(bench.store.data_version().unwrap(), before);
}
