//! Operations by the person, and undo, which restores the previous state exactly.

use keepsake_domain::{MemoryId, MemoryStatus, OperationId, Relation};
use keepsake_store::{MemoryChange, MemoryState, StoreError};
use keepsake_testkit::{Conversation, conversation};
use proptest::prelude::*;

use crate::bench::{Bench, NOW};

fn state(bench: &Bench, id: &MemoryId) -> MemoryState {
    MemoryState::from(&bench.store.read(|tx| tx.memories().memory(id)).unwrap())
}

fn apply(bench: &Bench, changes: &[MemoryChange]) -> Result<OperationId, StoreError> {
    let id = OperationId::fresh(&bench.ids);
    bench.store.write(|tx| tx.memories().apply_operation(&id, "test", "Changed", changes, NOW)).map(|()| id)
}

fn undo(bench: &Bench, id: &OperationId) -> Result<Vec<MemoryId>, StoreError> {
    bench.store.write(|tx| tx.memories().undo_operation(id, NOW))
}

fn to(bench: &Bench, id: &MemoryId, status: MemoryStatus) -> MemoryChange {
    let before = state(bench, id);
    let after = MemoryState { status, decided: Some(NOW), ..before.clone() };
    MemoryChange { id: id.clone(), before: Some(before), after, relations: Vec::new() }
}

fn snooze(bench: &Bench, id: &MemoryId, delay_ms: i64) -> MemoryChange {
    let before = state(bench, id);
    let after = MemoryState { snoozed_until: Some(NOW.plus_ms(delay_ms)), ..before.clone() };
    MemoryChange { id: id.clone(), before: Some(before), after, relations: Vec::new() }
}

/// All data about the memories up to rank `newest` that the person can see.
fn visible(bench: &Bench, newest: i64) -> Vec<String> {
    let mut rows = bench.dump(&format!("SELECT * FROM memories WHERE rank <= {newest} ORDER BY rank"));
    rows.extend(bench.dump(&format!(
        "SELECT r.* FROM memory_relations r JOIN memories a ON a.id = r.from_id JOIN memories b ON b.id = r.to_id
          WHERE a.rank <= {newest} AND b.rank <= {newest} ORDER BY 1, 2, 3"
    )));
    rows
}

fn talk(count: usize) -> (Bench, Vec<MemoryId>) {
    let bench = Bench::new();
    // Every second conversation is public, so that a merge can change the visibility.
    let ids = (0..count)
        .map(|n| {
            let source = Conversation::new(&format!("c{n}")).channel("forum", "x");
            let source = if n % 2 == 0 { source.public() } else { source };
            bench.append(&source.messages("owner Mara: I love tea"));
            bench.candidate(&format!("c{n}"), "tea")
        })
        .collect();
    (bench, ids)
}

#[test]
fn an_approval_is_recorded_and_undone() {
    let (bench, ids) = talk(2);
    let before = visible(&bench, 99);
    let operation =
        apply(&bench, &[to(&bench, &ids[0], MemoryStatus::Active), to(&bench, &ids[1], MemoryStatus::Active)]).unwrap();
    assert_eq!(state(&bench, &ids[1]).status, MemoryStatus::Active);
    assert_eq!(bench.store.read(|tx| tx.memories().status_before(&ids[0])).unwrap(), Some(MemoryStatus::Pending));
    let found = bench.store.read(|tx| tx.memories().operation_to_undo(None)).unwrap().unwrap();
    assert_eq!((&found.id, found.summary.as_str(), found.undone), (&operation, "Changed", None));
    assert_eq!(undo(&bench, &operation).unwrap(), ids);
    assert_eq!(visible(&bench, 99), before);
    assert_eq!(bench.store.read(|tx| tx.memories().operation_to_undo(None)).unwrap(), None);
    assert!(undo(&bench, &operation).is_err(), "once");
    assert!(undo(&bench, &OperationId::fresh(&bench.ids)).is_err(), "what never was cannot be undone");
}

#[test]
fn illegal_steps_are_refused_and_leave_nothing() {
    let (bench, ids) = talk(1);
    let before = visible(&bench, 99);
    for status in [MemoryStatus::Quarantined, MemoryStatus::Pending] {
        let mut change = to(&bench, &ids[0], status);
        change.before = Some(MemoryState { status: MemoryStatus::Superseded, ..state(&bench, &ids[0]) });
        assert!(matches!(apply(&bench, &[change]), Err(StoreError::Transition(_))), "superseded to {status}");
    }
    for from in MemoryStatus::ALL {
        for status in MemoryStatus::ALL.iter().filter(|status| *status != from && from.may_become(**status).is_err()) {
            let mut change = to(&bench, &ids[0], *status);
            change.before = Some(MemoryState { status: *from, ..state(&bench, &ids[0]) });
            assert!(apply(&bench, &[change]).is_err(), "{from} to {status}");
        }
    }
    assert_eq!(visible(&bench, 99), before);
    assert_eq!(bench.dump("SELECT * FROM operations"), Vec::<String>::new(), "a refused act is no act");
}

#[test]
fn an_act_on_what_no_longer_stands_is_refused() {
    let (bench, ids) = talk(2);
    let stale = [to(&bench, &ids[1], MemoryStatus::Rejected), to(&bench, &ids[0], MemoryStatus::Rejected)];
    apply(&bench, &[to(&bench, &ids[0], MemoryStatus::Active)]).unwrap();
    let before = visible(&bench, 99);
    assert!(apply(&bench, &stale).is_err(), "somebody else was quicker");
    assert_eq!(visible(&bench, 99), before, "not even the first of its two changes stays");
}

#[test]
fn an_older_act_is_not_undone_over_a_newer_one() {
    let (bench, ids) = talk(1);
    let first = apply(&bench, &[snooze(&bench, &ids[0], 1_000)]).unwrap();
    let second = apply(&bench, &[snooze(&bench, &ids[0], 2_000)]).unwrap();
    let before = visible(&bench, 99);
    assert!(undo(&bench, &first).is_err(), "the status is the same, what the person chose is not");
    assert_eq!(visible(&bench, 99), before);
    undo(&bench, &second).unwrap();
    undo(&bench, &first).unwrap();
    assert_eq!(state(&bench, &ids[0]).snoozed_until, None);
}

#[test]
fn undo_leaves_a_relation_that_stood_before() {
    let (bench, ids) = talk(2);
    bench.store.write(|tx| tx.memories().relate(&ids[0], Relation::Extends, &ids[1], Some(0.9), NOW)).unwrap();
    let before = visible(&bench, 99);
    let mut change = to(&bench, &ids[0], MemoryStatus::Active);
    change.relations = vec![(Relation::Extends, ids[1].clone())];
    let operation = apply(&bench, &[change]).unwrap();
    undo(&bench, &operation).unwrap();
    assert_eq!(visible(&bench, 99), before);
}

#[test]
fn a_wording_taken_back_steps_aside_and_stays_in_the_chain() {
    let (bench, ids) = talk(1);
    let before = visible(&bench, 1);
    let (new, operation) = edit(&bench, &ids[0]).unwrap();
    assert_eq!((state(&bench, &new).status, state(&bench, &ids[0]).status), (MemoryStatus::Active, MemoryStatus::Superseded));
    assert_eq!(undo(&bench, &operation).unwrap(), ids);
    assert_eq!(visible(&bench, 1), before);
    assert_eq!(state(&bench, &new).status, MemoryStatus::Superseded);
    assert_eq!(bench.store.read(|tx| tx.memories().versions(&ids[0])).unwrap().len(), 2, "nothing is deleted");
}

/// Replaces a pending or active memory with a new active wording.
fn edit(bench: &Bench, id: &MemoryId) -> Result<(MemoryId, OperationId), StoreError> {
    let old = bench.store.read(|tx| tx.memories().memory(id)).unwrap();
    let evidence = bench.store.read(|tx| tx.memories().evidence(id)).unwrap();
    let evidence = evidence
        .into_iter()
        .map(|row| keepsake_store::NewEvidence { interaction_id: row.interaction_id, span: row.span })
        .collect();
    let mut new = bench.memory(&format!("{} (edited)", old.content), evidence);
    (new.status, new.is_edited, new.supersedes) = (MemoryStatus::Active, true, Some(id.clone()));
    let made = MemoryState { status: MemoryStatus::Active, snoozed_until: None, reject_reason: None, decided: None };
    let changes = [
        MemoryChange { id: new.id.clone(), before: None, after: made, relations: vec![(Relation::Supersedes, id.clone())] },
        to(bench, id, MemoryStatus::Superseded),
    ];
    let operation = OperationId::fresh(&bench.ids);
    bench.store.write(|tx| {
        tx.memories().insert(&new)?;
        tx.memories().apply_operation(&operation, "edit", "Edited", &changes, NOW)
    })?;
    Ok((new.id, operation))
}

#[derive(Debug, Clone)]
enum Act {
    Approve(usize),
    Reject(usize),
    Archive(usize),
    Restore(usize),
    Snooze(usize, i64),
    Edit(usize),
    Merge(usize, usize),
    ApproveAll,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..9_usize).prop_map(Act::Approve),
        (0..9_usize).prop_map(Act::Reject),
        (0..9_usize).prop_map(Act::Archive),
        (0..9_usize).prop_map(Act::Restore),
        (0..9_usize, 1..1_000_i64).prop_map(|(n, ms)| Act::Snooze(n, ms)),
        (0..9_usize).prop_map(Act::Edit),
        (0..9_usize, 0..9_usize).prop_map(|(a, b)| Act::Merge(a, b)),
        Just(Act::ApproveAll),
    ]
}

/// Performs an action if the current state allows it.
fn perform(bench: &Bench, ids: &mut Vec<MemoryId>, act: &Act) -> Result<OperationId, StoreError> {
    let pick = |n: usize| ids[n % ids.len()].clone();
    match act {
        Act::Approve(n) => apply(bench, &[to(bench, &pick(*n), MemoryStatus::Active)]),
        Act::Reject(n) => {
            let mut change = to(bench, &pick(*n), MemoryStatus::Rejected);
            change.after.reject_reason = Some("not true".to_owned());
            apply(bench, &[change])
        }
        Act::Archive(n) => apply(bench, &[to(bench, &pick(*n), MemoryStatus::Archived)]),
        Act::Restore(n) => apply(bench, &[to(bench, &pick(*n), MemoryStatus::Pending)]),
        Act::Snooze(n, delay_ms) => apply(bench, &[snooze(bench, &pick(*n), *delay_ms)]),
        Act::Edit(n) => {
            let (new, operation) = edit(bench, &pick(*n))?;
            ids.push(new);
            Ok(operation)
        }
        Act::Merge(a, b) if pick(*a) != pick(*b) => {
            let mut change = to(bench, &pick(*a), MemoryStatus::Superseded);
            change.relations = vec![(Relation::MergedInto, pick(*b))];
            apply(bench, &[change])
        }
        Act::Merge(..) => Err(StoreError::Poisoned),
        Act::ApproveAll => {
            let all: Vec<_> = ids.iter().filter(|id| state(bench, id).status == MemoryStatus::Pending).collect();
            apply(bench, &all.into_iter().map(|id| to(bench, id, MemoryStatus::Active)).collect::<Vec<_>>())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undoing_everything_restores_exactly_what_stood_before(acts in prop::collection::vec(act(), 1..14)) {
        let (bench, mut ids) = talk(4);
        let mut done: Vec<(OperationId, Vec<String>, i64)> = Vec::new();
        for act in &acts {
            let newest = ids.len() as i64;
            let before = visible(&bench, newest);
            match perform(&bench, &mut ids, act) {
                Ok(operation) => done.push((operation, before, newest)),
                Err(_) => prop_assert_eq!(visible(&bench, newest), before, "{:?} was refused, so it changed nothing", act),
            }
        }
        while let Some((operation, before, newest)) = done.pop() {
            let offered = bench.store.read(|tx| tx.memories().operation_to_undo(None)).unwrap().map(|row| row.id);
            prop_assert_eq!(offered.as_ref(), Some(&operation), "the newest act is offered");
            undo(&bench, &operation).map_err(|error| TestCaseError::fail(format!("{error} after {acts:?}")))?;
            prop_assert_eq!(visible(&bench, newest), before);
        }
        prop_assert_eq!(bench.store.read(|tx| tx.memories().operation_to_undo(None)).unwrap(), None);
    }
}

#[test]
fn alerts_are_raised_once_and_dismissed() {
    use keepsake_domain::{AlertId, JobId};
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: hi"));
    let job = JobId::fresh(&bench.ids);
    let alert = |message: &str| keepsake_store::AlertRow {
        id: AlertId::fresh(&bench.ids),
        kind: "job_failed".to_owned(),
        message: message.to_owned(),
        job_id: Some(job.clone()),
        created: NOW,
    };
    let raise = |message: &str| bench.store.write(|tx| tx.alerts().raise(&alert(message))).unwrap();
    let open = || bench.store.read(|tx| Ok((tx.alerts().count()?, tx.alerts().all()?.len() as u64))).unwrap();
    raise("the import failed");
    raise("the import failed");
    raise("something else");
    assert_eq!(open(), (2, 2), "the same words again are no second alert");
    let first = bench.store.read(|tx| tx.alerts().all()).unwrap().pop().unwrap();
    bench.store.write(|tx| tx.alerts().dismiss(&first.id, NOW)).unwrap();
    assert_eq!(open(), (1, 1));
    bench.store.write(|tx| tx.alerts().dismiss_of(&job, NOW)).unwrap();
    assert_eq!(open(), (0, 0));
    raise("the import failed");
    assert_eq!(open(), (1, 1), "it happened again");
    assert!(bench.store.write(|tx| tx.alerts().dismiss(&AlertId::fresh(&bench.ids), NOW)).is_err());
}
