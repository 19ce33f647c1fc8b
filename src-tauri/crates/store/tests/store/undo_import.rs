//! Undoing an import removes exactly its messages and what is based on them, and keeps everything else; the messages may be
//! imported again.

use std::collections::BTreeMap;

use keepsake_domain::{Gate, ImportId, JobId, JobKind, Message, Subject};
use keepsake_store::{ErasurePreview, ImportSkip, ImportTotals, NewEvidence, NewGateLogRow, NewJob, PreviewState, StoreError};
use keepsake_testkit::{Conversation, conversation};

use crate::backup::{back_up, restore};
use crate::bench::{Bench, NOW, plain};

/// Some messages of a conversation: the lines from index `from` on, counted from 0. Each message keeps its source id.
struct Step {
    /// The import that adds them, or empty if no import does.
    by: &'static str,
    source: &'static str,
    lines: &'static str,
    from: usize,
}

const fn step(by: &'static str, source: &'static str, lines: &'static str, from: usize) -> Step {
    Step { by, source, lines, from }
}

impl Step {
    fn messages(&self) -> Vec<Message> {
        Conversation::new(self.source).title("A talk").messages(self.lines).split_off(self.from)
    }
}

fn take(bench: &Bench, steps: &[&Step]) -> BTreeMap<&'static str, ImportId> {
    let mut imports = BTreeMap::new();
    for step in steps {
        match imports.get(step.by) {
            _ if step.by.is_empty() => drop(bench.append(&step.messages())),
            Some(id) => drop(bench.append_from(&step.messages(), Some(id))),
            None => drop(imports.insert(step.by, bench.import(&step.messages(), false))),
        }
    }
    imports
}

/// The log as a person sees it. Ids and revision numbers are left out, because they depend on earlier contents. `names` maps
/// names to imports.
fn seen(bench: &Bench, names: &BTreeMap<&'static str, ImportId>) -> Vec<String> {
    let mut rows: Vec<String> = [
        "SELECT source_conversation, source_message, author, content, created_at_ms, import_id FROM interactions i
          WHERE NOT EXISTS (SELECT 1 FROM interactions n WHERE n.source_key = i.source_key AND n.revision > i.revision)
          ORDER BY 1, 2",
        "SELECT content FROM interactions ORDER BY content",
        "SELECT c.source_conversation, e.display_name, c.title, c.messages, c.started_at_ms, c.last_activity_at_ms, c.status, c.import_id
           FROM conversations c JOIN entities e ON e.id = c.entity_id ORDER BY 1",
        "SELECT c.source_conversation, h.channel_handle, p.messages, p.first_ms, p.last_ms FROM conversation_people p
           JOIN conversations c ON c.id = p.conversation_id JOIN entity_channels h ON h.id = p.handle_id ORDER BY 1, 2",
        "SELECT channel_handle FROM entity_channels ORDER BY 1",
        "SELECT display_name FROM entities ORDER BY 1",
    ]
    .iter()
    .flat_map(|sql| bench.dump(sql))
    .collect();
    for (name, id) in names {
        rows = rows.into_iter().map(|row| row.replace(id.as_str(), name)).collect();
    }
    rows
}

fn assert_sound(bench: &Bench, what: &str) {
    assert_eq!(bench.store.read(|tx| tx.log().verify_chain()).unwrap().faults, [], "{what}: the chain is whole");
    assert_eq!(bench.dump("PRAGMA integrity_check"), ["ok"], "{what}");
    assert_eq!(bench.dump("PRAGMA foreign_key_check"), Vec::<String>::new(), "{what}");
    bench.dump("INSERT INTO interactions_fts (interactions_fts, rank) VALUES ('integrity-check', 1)");
}

const TALK: &str = "owner Mara: I moved to Porto\nperson Ana: How is it?";
const LONGER: &str = "owner Mara: I moved to Porto\nperson Ana: How is it?\nowner Mara: Windy\nperson Ben 12:00: Bring a coat";
const LONGEST: &str = "owner Mara: I moved to Porto\nperson Ana: How is it?\nowner Mara: Windy\nperson Ben 12:00: Bring a coat
    person Ana 13:00: And shoes\nperson Ana: And a hat";
const EDITED: &str = "owner Mara: I moved to Lisbon";
const EDITED_AGAIN: &str = "owner Mara: I moved to Faro";
const OTHER: &str = "assistant Nova 2026-03-01: Hello\nowner Mara: Hello";

/// What is special about the case, the steps, and three numbers: messages removed, conversations removed, and conversations
/// that lose some of their messages.
type Case = (&'static str, &'static [Step], (u64, u64, u64));

/// The import `a` is undone in each case.
const CASES: &[Case] = &[
    ("it began its conversations", &[step("a", "c", TALK, 0), step("", "d", OTHER, 0), step("a", "e", OTHER, 0)], (4, 2, 0)),
    ("it only added to an old one", &[step("", "c", TALK, 0), step("a", "c", LONGER, 2)], (2, 0, 1)),
    ("a later import extended its conversation", &[step("a", "c", TALK, 0), step("b", "c", LONGER, 2)], (2, 0, 1)),
    ("what nobody imported extended it", &[step("a", "c", TALK, 0), step("", "c", LONGER, 2)], (2, 0, 1)),
    (
        "it is in the middle, and began another",
        &[step("b", "c", TALK, 0), step("a", "c", LONGER, 2), step("a", "d", OTHER, 0), step("b", "c", LONGEST, 4)],
        (4, 1, 1),
    ),
    ("it edited an older message", &[step("", "c", TALK, 0), step("a", "c", EDITED, 0)], (1, 0, 1)),
    ("a later import edited its message", &[step("a", "c", TALK, 0), step("b", "c", EDITED, 0)], (2, 0, 1)),
    (
        "its edit stands between two others",
        &[step("b", "c", TALK, 0), step("a", "c", EDITED, 0), step("b", "c", EDITED_AGAIN, 0)],
        (1, 0, 1),
    ),
    ("nothing else is there", &[step("a", "c", TALK, 0), step("a", "d", OTHER, 0)], (4, 2, 0)),
];

#[test]
fn an_undone_import_is_as_if_it_had_never_been_and_comes_back_when_it_is_imported_again() {
    for (what, steps, (messages, conversations, shortened)) in CASES {
        let bench = Bench::new();
        let mut imports = take(&bench, &steps.iter().collect::<Vec<_>>());
        let import = imports.remove("a").unwrap();
        let foreseen = bench.store.read(|tx| tx.lifecycle().preview_undone_import(&import)).unwrap();
        let expect = ErasurePreview {
            messages: *messages,
            conversations: *conversations,
            shortened: *shortened,
            ..ErasurePreview::default()
        };
        assert_eq!(foreseen, expect, "{what}");
        let whole = seen(&bench, &imports);
        bench.undo(&import);
        assert_sound(&bench, what);

        let never = Bench::new();
        let of_others = take(&never, &steps.iter().filter(|step| step.by != "a").collect::<Vec<_>>());
        assert_eq!(seen(&bench, &imports), seen(&never, &of_others), "{what}");
        assert_ne!(seen(&bench, &imports), whole, "{what}: a control");

        assert_eq!(bench.undo(&import), keepsake_store::Erased::default(), "{what}: a second time there is nothing to undo");
        for step in steps.iter().filter(|step| step.by == "a") {
            let state = PreviewState::new().unwrap();
            let foreseen = bench.store.read(|tx| tx.log().preview_append(&step.messages(), &state, &mut |_, _| {})).unwrap();
            let outcome = bench.append(&step.messages());
            assert_eq!((foreseen.imported, foreseen.erased), (outcome.imported, 0), "{what}");
            assert_eq!(outcome.erased, 0, "{what}");
        }
        let contents = "SELECT source_message, content FROM interactions ORDER BY source_conversation, 1, 2";
        let again = Bench::new();
        take(&again, &steps.iter().collect::<Vec<_>>());
        assert_eq!(bench.dump(contents), again.dump(contents), "{what}: the same messages are there again");
        assert_sound(&bench, what);
    }
}

#[test]
fn what_was_erased_stays_out_also_if_it_was_undone_before() {
    let bench = Bench::new();
    let talk = conversation("c", TALK);
    let import = bench.import(&talk, false);
    bench.undo(&import);
    assert_eq!(bench.append(&talk).imported, 2, "undone, it is new");
    bench.erase("c");
    let state = PreviewState::new().unwrap();
    let foreseen = bench.store.read(|tx| tx.log().preview_append(&talk, &state, &mut |_, _| {})).unwrap();
    let outcome = bench.append(&talk);
    assert_eq!((foreseen.imported, foreseen.erased), (0, 2));
    assert_eq!((outcome.imported, outcome.erased), (0, 2), "erased, it is not");
}

#[test]
fn what_rests_on_other_messages_of_the_same_conversation_stays() {
    let bench = Bench::new();
    let lines = "owner Mara: I love tea\nowner Mara: tea it is\nowner Mara: I love tea indeed\nowner Mara: and rain";
    bench.append(&conversation("c", lines)[..2]);
    let import = bench.import(&conversation("c", lines)[2..], false);
    let place = |needle: &str| bench.place("c", needle);
    let own = bench.insert(&bench.memory("likes tea", vec![place("it is")]));
    let both = bench.insert(&bench.memory("loves tea", vec![place("tea indeed"), place("it is"), place("love tea")]));
    let gone = bench.insert(&bench.memory("likes rain", vec![place("rain"), place("indeed")]));
    let id = bench.conversation("c");
    let stop = |place: Option<NewEvidence>, content: &str| NewGateLogRow {
        conversation_id: id.clone(),
        gate: Gate::ALL[0],
        subject: Subject::Owner,
        content: content.to_owned(),
        reason: "a test".to_owned(),
        place: place.map(|place| (place.interaction_id, place.span)),
        memory_id: None,
        proposer: "rules/1".to_owned(),
        job_id: None,
    };
    bench
        .store
        .write(|tx| {
            tx.memories().log_stop(&stop(Some(place("it is")), "stays"), NOW)?;
            tx.memories().log_stop(&stop(Some(place("rain")), "goes"), NOW)?;
            tx.memories().log_stop(&stop(None, "goes too"), NOW)?;
            tx.sessions().end(&id, 2, "nova", NOW)?;
            tx.sessions().end(&id, 4, "nova", NOW)
        })
        .unwrap();
    let raw = plain(bench.store.path());
    for (decision, needle) in [("tod_1", "it is"), ("tod_2", "rain")] {
        raw.execute(
            "INSERT INTO topic_decisions (id, audience_id, kind, title, decided_at_ms) VALUES (?1, 'p', 'rename', ?1, 0)",
            [decision],
        )
        .unwrap();
        raw.execute(
            "INSERT INTO topic_decision_messages (decision_id, side, interaction_id) VALUES (?1, 'a', ?2)",
            [decision, place(needle).interaction_id.as_str()],
        )
        .unwrap();
    }
    let untouched = |sql: &str| bench.dump(sql);
    let of_own = format!("SELECT * FROM memories m JOIN memory_evidence v ON v.memory_id = m.id WHERE m.id = '{own}'");
    let before = untouched(&of_own);

    assert_eq!(bench.undo(&import).memories, 1);
    assert_eq!(untouched(&of_own), before, "with evidence elsewhere only");
    let evidence = bench.store.read(|tx| tx.memories().evidence(&both)).unwrap();
    assert_eq!(evidence.len(), 2, "it loses the evidence in what is undone, and nothing else");
    assert!(bench.store.read(|tx| tx.memories().memory(&gone)).is_err());
    assert_eq!(bench.dump("SELECT content FROM gate_log"), ["stays"]);
    assert_eq!(bench.dump("SELECT i.content FROM session_ends e JOIN interactions i ON i.id = e.interaction_id"), ["tea it is"]);
    assert_eq!(bench.dump("SELECT count(*) FROM session_ends"), ["1"]);
    assert_eq!(bench.dump("SELECT title FROM topic_decisions"), ["tod_1"]);
    assert_sound(&bench, "a part");
    bench.erase("c");
    for table in ["memories", "gate_log", "session_ends", "topic_decisions"] {
        assert_eq!(bench.dump(&format!("SELECT count(*) FROM {table}")), ["0"], "a control: with the conversation, {table} goes");
    }
}

#[test]
fn what_was_read_stays_read_and_what_was_not_stays_unread() {
    for (is_other_read, left) in [(true, 0), (false, 1)] {
        let bench = Bench::new();
        let longer = conversation("c", LONGER);
        bench.append(&longer[..2]);
        let id = bench.conversation("c");
        if is_other_read {
            bench.store.write(|tx| tx.log().mark_extracted(&id, tx.log().last_seq(&id)?)).unwrap();
        }
        let import = bench.import(&longer[2..], false);
        let unread = || bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap().len();
        assert_eq!(unread(), 1, "a control: the import is unread");
        bench.undo(&import);
        assert_eq!(unread(), left);
        bench.append(&conversation("c", LONGER));
        assert_eq!(unread(), 1, "what comes after is read");
    }
}

#[test]
fn the_record_of_another_import_keeps_what_it_skipped() {
    let bench = Bench::new();
    let other = bench.import(&conversation("c", TALK), false);
    let import = bench.import(&conversation("c", LONGER), false);
    for id in [&other, &import] {
        let skipped = vec![ImportSkip { reason: "empty".to_owned(), count: 1, sample: "line 3".to_owned() }];
        let totals = ImportTotals { skipped, ..ImportTotals::default() };
        bench.store.write(|tx| tx.sources().account_import(id, "done", &totals, None, Some(NOW))).unwrap();
    }
    bench.undo(&import);
    let samples = |id: &ImportId| bench.dump(&format!("SELECT skipped ->> '$[0].sample' FROM imports WHERE id = '{id}'"));
    assert_eq!((samples(&other), samples(&import)), (vec!["line 3".to_owned()], vec![String::new()]));
}

#[test]
fn an_import_is_not_undone_while_it_is_read() {
    let bench = Bench::new();
    let import = bench.import(&conversation("c", TALK), false);
    let undo = || bench.store.undo_import(&import, &JobId::fresh(&bench.ids), NOW);
    let job = NewJob {
        id: JobId::fresh(&bench.ids),
        kind: JobKind::Import,
        idempotency_key: "x".to_owned(),
        payload: format!("{{\"import_id\":\"{import}\"}}"),
    };
    bench.store.write(|tx| tx.jobs().enqueue(&job, NOW)).unwrap();
    assert!(matches!(undo(), Err(StoreError::Refused(_))), "a job waits to read it");
    bench.store.write(|tx| tx.jobs().request_cancel(&job.id, NOW)).unwrap();
    bench.store.write(|tx| tx.sources().begin_import(&import, "export.zip", "keepsake", false, NOW)).unwrap();
    assert!(matches!(undo(), Err(StoreError::Refused(_))), "it is being read");
    assert_eq!(bench.messages("c").len(), 2, "and nothing is removed");
    bench.store.write(|tx| tx.sources().account_import(&import, "cancelled", &ImportTotals::default(), None, Some(NOW))).unwrap();
    assert_eq!(undo().unwrap().messages, 2, "a control: now it is not");
}

#[test]
fn an_import_undone_since_a_backup_stays_undone_and_may_be_imported_again() {
    let bench = Bench::new();
    let longer = conversation("c", LONGER);
    bench.append(&longer[..2]);
    // The owner speaks in both parts, so undoing by speaker would remove too much.
    let import = bench.import(&longer[2..], false);
    let copy = back_up(&bench, "copy.db");
    bench.undo(&import);
    let restored = restore(&bench, &copy).unwrap();
    assert_eq!((restored.erased_again, restored.kept_out, restored.messages), (2, 0, 2));
    assert_sound(&bench, "restored");
    let outcome = bench.append(&longer);
    assert_eq!((outcome.imported, outcome.duplicate, outcome.erased), (2, 2, 0));

    // Control: erasing a person also removes everything they said.
    let erased = Bench::new();
    erased.append(&longer);
    let copy = back_up(&erased, "copy.db");
    erased.erase("c");
    let restored = restore(&erased, &copy).unwrap();
    assert_eq!((restored.erased_again, restored.messages), (4, 0));
    assert_eq!(erased.append(&longer).erased, 4, "and stays out");
}

#[test]
fn what_was_imported_again_after_an_undo_comes_back_with_a_backup_of_it() {
    let bench = Bench::new();
    let talk = conversation("c", TALK);
    let import = bench.import(&talk, false);
    let older = back_up(&bench, "older.db");
    bench.undo(&import);
    let without = back_up(&bench, "without.db");
    bench.append(&talk);
    let newer = back_up(&bench, "newer.db");
    let restored = restore(&bench, &newer).unwrap();
    assert_eq!((restored.erased_again, restored.messages), (0, 2), "these messages were never undone");
    let restored = restore(&bench, &older).unwrap();
    assert_eq!((restored.erased_again, restored.messages), (2, 0), "those were");
    // Restore the state without the import, and then the older backup. The store still remembers the undo.
    restore(&bench, &without).unwrap();
    assert_eq!(restore(&bench, &older).unwrap().erased_again, 2);
    assert_eq!(bench.append(&talk).imported, 2);
    // After an erasure, the conversation stays out, although in the backup its messages are only undone.
    bench.erase("c");
    let restored = restore(&bench, &without).unwrap();
    assert_eq!((restored.erased_again, restored.kept_out, restored.messages), (0, 2, 0));
    assert_eq!(bench.append(&talk).erased, 2);
    assert_sound(&bench, "after all");
}

#[test]
fn an_undo_is_remembered_by_a_backup_from_before_its_import() {
    let bench = Bench::new();
    bench.append(&conversation("d", OTHER));
    let before = back_up(&bench, "before.db");
    let talk = conversation("c", TALK);
    let import = bench.import(&talk, false);
    let during = back_up(&bench, "during.db");
    bench.undo(&import);
    let restored = restore(&bench, &before).unwrap();
    assert_eq!((restored.erased_again, restored.kept_out, restored.messages), (0, 0, 2));
    let restored = restore(&bench, &during).unwrap();
    assert_eq!((restored.erased_again, restored.messages), (2, 2));
    assert_sound(&bench, "twice restored");
    assert_eq!(bench.append(&talk).imported, 2);
}

#[test]
fn a_backup_made_while_an_import_was_read_does_not_read_on() {
    let bench = Bench::new();
    let import = bench.import(&conversation("c", TALK), false);
    let job = NewJob {
        id: JobId::fresh(&bench.ids),
        kind: JobKind::Import,
        idempotency_key: "x".to_owned(),
        payload: format!("{{\"import_id\":\"{import}\"}}"),
    };
    bench.store.write(|tx| tx.jobs().enqueue(&job, NOW)).unwrap();
    let copy = back_up(&bench, "copy.db");
    restore(&bench, &copy).unwrap();
    assert_eq!(bench.dump("SELECT count(*) FROM jobs WHERE kind = 'import'"), ["1"], "a control: it would");
    bench.store.write(|tx| tx.jobs().request_cancel(&job.id, NOW)).unwrap();
    bench.undo(&import);
    restore(&bench, &copy).unwrap();
    assert_eq!(bench.dump("SELECT count(*) FROM jobs WHERE kind = 'import'"), ["0"]);
}
