//! Capability gaps: the evidence lock, the lifecycle of a task, and erasure.

use keepsake_domain::{EvidenceSpan, GapId, GapStatus, TaskId, TaskStatus, Timestamp};
use keepsake_store::{GapRow, GapSeen, StoreError};
use keepsake_testkit::conversation;

use crate::bench::{Bench, NOW, files_of};

const CANARY: &str = "xylokarpzebra";

fn places(bench: &Bench, places: &[(&str, &str)]) -> Vec<EvidenceSpan> {
    let place = |(source, needle): &(&str, &str)| {
        let place = bench.place(source, needle);
        EvidenceSpan { interaction: place.interaction_id, span: place.span }
    };
    places.iter().map(place).collect()
}

fn gap(bench: &Bench, need: &str, evidence: Vec<EvidenceSpan>) -> GapRow {
    GapRow {
        id: GapId::fresh(&bench.ids),
        entity: None,
        need: need.to_owned(),
        fingerprint: need.to_owned(),
        description: format!("Was wanted and could not be done: {need}"),
        frequency: 2,
        status: GapStatus::Detected,
        first_seen: NOW,
        last_seen: NOW,
        resolved_at: None,
        dismissed_at: None,
        created_at: NOW,
        evidence,
        task: None,
        proposer: "builtin-gap/1".to_owned(),
    }
}

fn put(bench: &Bench, gap: &GapRow) -> keepsake_store::Result<()> {
    bench.store.write(|tx| tx.gaps().insert(gap))
}

fn stored(bench: &Bench, id: &GapId) -> GapRow {
    bench.store.read(|tx| tx.gaps().gap(id)).unwrap()
}

#[test]
fn a_gap_is_stored_with_its_lines_or_not_at_all() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: Export my notes\nassistant Nova: Sorry, I can't"));
    assert!(matches!(put(&bench, &gap(&bench, "export", Vec::new())), Err(StoreError::Evidence(_))), "without a line");
    let id = bench.conversation("c");
    let here = places(&bench, &[("c", "I can't")]);
    bench.store.write(|tx| tx.log().set_private(&id, true)).unwrap();
    assert!(matches!(put(&bench, &gap(&bench, "export", here.clone())), Err(StoreError::Evidence(_))), "off the record");
    assert!(bench.store.read(|tx| tx.gaps().all()).unwrap().is_empty(), "nothing half-done is left");
    bench.store.write(|tx| tx.log().set_private(&id, false)).unwrap();
    put(&bench, &gap(&bench, "export", here)).unwrap();
}

#[test]
fn a_task_is_made_resolved_and_opened_again_when_its_gap_recurs() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: Export my notes\nassistant Nova: Sorry, I can't"));
    let row = gap(&bench, "export", places(&bench, &[("c", "I can't")]));
    put(&bench, &row).unwrap();
    let settle = |status| bench.store.write(|tx| tx.gaps().settle(&row.id, status, NOW));
    assert!(settle(TaskStatus::Resolved).is_err(), "what has no task is not resolved");
    let task = TaskId::fresh(&bench.ids);
    bench.store.write(|tx| tx.gaps().confirm(&row.id, &task, Some("/tasks.md"), NOW)).unwrap();
    settle(TaskStatus::Resolved).unwrap();
    let done = stored(&bench, &row.id);
    assert_eq!(
        (done.status, done.resolved_at, done.task.unwrap().status),
        (GapStatus::Resolved, Some(NOW), TaskStatus::Resolved)
    );
    let seen = GapSeen {
        id: row.id.clone(),
        evidence: places(&bench, &[("c", "Export")]),
        frequency: 3,
        description: "again".to_owned(),
        last_seen: Timestamp(NOW.0 + 9),
        is_reopened: true,
        is_shared: false,
        model: None,
    };
    assert!(bench.store.write(|tx| tx.gaps().see(&seen)).unwrap());
    let again = stored(&bench, &row.id);
    assert_eq!((again.status, again.frequency, again.evidence.len()), (GapStatus::Reopened, 3, 2));
    assert_eq!(again.task.unwrap().status, TaskStatus::Open);
    bench.store.write(|tx| tx.gaps().dismiss(&row.id, Some(NOW))).unwrap();
    assert_eq!(stored(&bench, &row.id).dismissed_at, Some(NOW));
    let unknown = GapSeen { id: GapId::fresh(&bench.ids), ..seen };
    assert!(!bench.store.write(|tx| tx.gaps().see(&unknown)).unwrap(), "one that is gone is not made again");
}

#[test]
fn a_rebuild_makes_again_what_the_rules_found_and_keeps_what_a_model_did() {
    let bench = Bench::new();
    bench.append(&conversation("c", "owner Mara: Export my notes, or print them\nassistant Nova: Sorry, I can't"));
    let mut found = ["by the rules", "by a model", "by both"].map(|need| gap(&bench, need, places(&bench, &[("c", "I can't")])));
    found[1].proposer = "profile/1 model/7b".to_owned();
    for row in &found {
        put(&bench, row).unwrap();
    }
    let seen = GapSeen {
        id: found[2].id.clone(),
        evidence: places(&bench, &[("c", "print them")]),
        frequency: 3,
        description: "again".to_owned(),
        last_seen: NOW,
        is_reopened: false,
        is_shared: false,
        model: Some("profile/1 model/7b".to_owned()),
    };
    bench.store.write(|tx| tx.gaps().see(&seen)).unwrap();
    // Having read the messages does not prove that a model found the gap.
    let raw = crate::bench::plain(bench.store.path());
    raw.execute_batch(
        "INSERT INTO profile_reads (entity_id, conversation_id, links_key, through_seq)
         SELECT entity_id, id, '', 1 FROM conversations",
    )
    .unwrap();
    let dropped = bench.store.write(|tx| tx.derived().drop_derived()).unwrap();
    assert!(dropped.made.contains_key(found[0].id.as_str()), "it will be as old as it was");
    let mut left: Vec<_> =
        bench.store.read(|tx| tx.gaps().all()).unwrap().into_iter().map(|gap| (gap.need, gap.proposer)).collect();
    left.sort();
    let model = || "profile/1 model/7b".to_owned();
    assert_eq!(left, [("by a model".to_owned(), model()), ("by both".to_owned(), model())]);
}

#[test]
fn erasure_takes_a_gap_with_its_task_where_its_words_were_said() {
    let bench = Bench::new();
    let filler = "owner Mara: tea and rain\n".repeat(30);
    bench.append(&conversation("stays", &format!("assistant Nova: Sorry, I can't print\n{filler}")));
    bench.append(&conversation("gone", &format!("assistant Nova: I can't {CANARY}, nor print\n{filler}")));
    let canary = gap(&bench, CANARY, places(&bench, &[("gone", CANARY), ("stays", "can't print")]));
    let print = gap(&bench, "print", places(&bench, &[("stays", "can't print"), ("gone", "nor print")]));
    for row in [&canary, &print] {
        put(&bench, row).unwrap();
        let task = TaskId::fresh(&bench.ids);
        bench.store.write(|tx| tx.gaps().confirm(&row.id, &task, None, NOW)).unwrap();
    }
    let count = || -> usize {
        let files = files_of(bench.store.path());
        files.iter().map(|(_, bytes)| bytes.windows(CANARY.len()).filter(|window| *window == CANARY.as_bytes()).count()).sum()
    };
    assert!(count() > 3, "the canary is there to be found");
    bench.erase("gone");
    assert_eq!(count(), 0, "no byte of it is left");
    let left = bench.store.read(|tx| tx.gaps().all()).unwrap();
    assert_eq!(left.iter().map(|gap| (gap.need.as_str(), gap.evidence.len())).collect::<Vec<_>>(), [("print", 1)]);
    assert_eq!(bench.dump("SELECT count(*) FROM tasks"), ["1"]);
    assert_eq!(bench.dump("PRAGMA foreign_key_check"), Vec::<String>::new());
}

#[test]
fn erasing_a_person_takes_the_gaps_in_their_words_and_leaves_those_of_others() {
    let bench = Bench::new();
    let lines = format!(
        "owner Mara: Hello.
         person Ana: Please export the {CANARY} list.
         assistant Nova: Sorry, I can't do that.
         person Ben: Please print the whole garden plan.
         assistant Nova: Sorry, I can't do this.
         person Ana: Print the whole garden plan for me too."
    );
    bench.append(&conversation("room", &lines));
    let of_ana =
        gap(&bench, &format!("export the {CANARY} list"), places(&bench, &[("room", "can't do that"), ("room", CANARY)]));
    let of_ben = gap(
        &bench,
        "print the whole garden plan",
        places(&bench, &[("room", "can't do this"), ("room", "print the whole"), ("room", "Print the whole")]),
    );
    for row in [&of_ana, &of_ben] {
        put(&bench, row).unwrap();
    }
    let handles = bench.store.read(|tx| tx.people().handles()).unwrap();
    let ana: Vec<_> = handles.into_iter().filter(|row| row.display_name == "Ana").map(|row| row.id).collect();
    let job = keepsake_domain::JobId::fresh(&bench.ids);
    bench.store.erase_person(&ana, "a test", &job, NOW).unwrap();
    let left = bench.store.read(|tx| tx.gaps().all()).unwrap();
    assert_eq!(
        left.iter().map(|gap| (gap.need.as_str(), gap.evidence.len())).collect::<Vec<_>>(),
        [("print the whole garden plan", 2)],
        "Ben's stays and loses her place; hers goes, though the refusal was not hers"
    );
    let text = bench.dump("SELECT need || description || fingerprint FROM capability_gaps");
    assert!(!text.concat().contains(CANARY));
}
