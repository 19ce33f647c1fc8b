//! The change feed publishes after a commit, never after a rollback.

use std::sync::mpsc::TryRecvError;

use keepsake_store::{StoreError, Tag};
use keepsake_testkit::conversation;

use crate::bench::{Bench, NOW};

#[test]
fn tags_arrive_once_and_after_the_commit() {
    let bench = Bench::new();
    let changes = bench.store.subscribe();
    bench
        .store
        .write(|tx| {
            tx.settings().put("theme", "\"dark\"", NOW)?;
            tx.settings().put("theme", "\"light\"", NOW)?;
            assert_eq!(changes.try_recv(), Err(TryRecvError::Empty), "nothing is told before the commit");
            Ok(())
        })
        .unwrap();
    assert_eq!(changes.try_recv(), Ok(vec![Tag::Settings]));
    assert_eq!(changes.try_recv(), Err(TryRecvError::Empty));
    bench.append(&conversation("c", "owner Mara: hi"));
    assert_eq!(changes.try_recv(), Ok(vec![Tag::Conversations, Tag::Messages]));
    bench.append(&conversation("c", "owner Mara: hi"));
    assert_eq!(changes.try_recv(), Err(TryRecvError::Empty), "a repeat changed nothing");
}

#[test]
fn a_rollback_tells_nothing_and_leaves_nothing() {
    let bench = Bench::new();
    let changes = bench.store.subscribe();
    let outcome = bench.store.write(|tx| {
        tx.settings().put("theme", "\"dark\"", NOW)?;
        Err::<(), _>(StoreError::Poisoned)
    });
    assert!(outcome.is_err());
    assert_eq!(changes.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(bench.store.read(|tx| tx.settings().setting("theme")).unwrap(), None);
}

#[test]
fn a_commit_that_fails_tells_nothing() {
    let bench = Bench::new();
    let changes = bench.store.subscribe();
    let memory = {
        bench.append(&conversation("c", "owner Mara: tea"));
        let _ = changes.try_recv();
        let mut memory = bench.memory("User likes tea", vec![bench.place("c", "tea")]);
        memory.supersedes = Some(keepsake_domain::MemoryId::fresh(&bench.ids));
        memory
    };
    assert!(bench.store.write(|tx| tx.memories().insert(&memory)).is_err(), "a version of nothing is refused");
    assert_eq!(changes.try_recv(), Err(TryRecvError::Empty));
    assert!(bench.store.write(|tx| tx.settings().put("x", "1", NOW)).is_ok(), "and the next write goes on");
}

#[test]
fn a_listener_that_hung_up_is_forgotten() {
    let bench = Bench::new();
    let (kept, dropped) = (bench.store.subscribe(), bench.store.subscribe());
    drop(dropped);
    for round in 0..3 {
        bench.store.publish(vec![Tag::Jobs]);
        assert_eq!(kept.try_recv(), Ok(vec![Tag::Jobs]), "round {round}: the others still hear");
    }
    bench.store.publish(Vec::new());
    assert_eq!(kept.try_recv(), Err(TryRecvError::Empty), "no news is not told");
}
