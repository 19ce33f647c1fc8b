//! Tests permanently erased memories: nothing of them is left except in the messages, they are never proposed again, and no
//! older copy brings them back.

use keepsake_domain::{DAY_MS, MemoryId, MemoryStatus};
use keepsake_engine::{Act, Audience, ContextRequest, Unwatched};
use keepsake_testkit::{Conversation, conversation};

use crate::fixture::Fixture;

const WORD: &str = "xylokarpzebra";

/// The rows of derived tables that contain a word.
fn rows_with(f: &Fixture, word: &str) -> Vec<String> {
    let tables = f.engine.store().read(|tx| tx.derived().derived_rows(&|_, _| false)).unwrap();
    let rows = tables.into_iter().flat_map(|(table, rows)| rows.into_iter().map(move |row| format!("{table}: {row}")));
    rows.filter(|row| row.to_lowercase().contains(word)).collect()
}

fn derive(f: &Fixture) {
    // Long enough for the conversation to end and its session to be summarized.
    f.clock.advance_ms(DAY_MS);
    f.derive();
    f.engine.sessions().queue().unwrap();
    f.run_due();
}

/// Rebuilds all derived data.
fn rebuild(f: &Fixture) {
    f.engine.maintenance().begin_rebuild(&Unwatched).unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_until_idle(&lock, &|_| {}).unwrap();
}

/// A conversation that contains the word among other messages, with everything derived from it.
fn lived_in() -> (Fixture, MemoryId) {
    let f = Fixture::new();
    let id = f.propose(
        "c1",
        &format!(
            "owner Mara: I prefer {WORD} paper for every letter. I live in Porto.\nassistant Nova: Noted.\n\
             owner Mara: I decided to print the letters of the archive on blue paper.\nassistant Nova: Done."
        ),
    );
    let waiting: Vec<MemoryId> = f.rows().into_iter().map(|(id, _)| id).collect();
    f.engine.review().act(&Act::Approve(waiting)).unwrap();
    derive(&f);
    f.engine.conversations().analyze_now(&id, &Unwatched).unwrap();
    let memory = f
        .rows()
        .into_iter()
        .find(|(_, text)| text.starts_with("active") && text.contains(WORD))
        .map(|(id, _)| id)
        .expect("it is remembered");
    (f, memory)
}

fn archive(f: &Fixture, id: &MemoryId) {
    f.engine.review().act(&Act::Archive(vec![id.clone()])).unwrap();
}

#[test]
fn nothing_of_it_stands_anywhere_but_in_the_message_and_nothing_brings_it_back() {
    let (f, id) = lived_in();
    // Make an edit, so that there is a chain of versions, and a request by an agent.
    let edited =
        f.engine.review().act(&Act::Edit(id, format!("User writes on {WORD} paper"), None)).unwrap().created[0].1.clone();
    let audience = Audience { agent: Some("coder".to_owned()), ..Audience::default() };
    let request = ContextRequest { audience, query: Some(WORD.to_owned()), ..ContextRequest::default() };
    assert!(f.engine.serve().context(&request).unwrap().text.contains(WORD));
    archive(&f, &edited);
    let before = rows_with(&f, WORD);
    assert!(before.len() >= 6, "it stands in many tables: {before:#?}");
    let others: Vec<String> = f.memories().into_iter().filter(|text| !text.contains(WORD)).collect();
    let foreseen = f.engine.erasure().preview_erased_memories(std::slice::from_ref(&edited)).unwrap();
    assert_eq!(rows_with(&f, WORD), before, "counting changes nothing");
    let receipt = f.engine.erasure().erase_memories(std::slice::from_ref(&edited)).unwrap();
    assert_eq!(receipt.erased, foreseen, "what was listed is what went");
    assert!(receipt.is_done, "and the files were looked through: {receipt:?}");
    let counts = receipt.erased;
    assert_eq!((counts.memories, counts.versions, counts.reads), (1, 1, 1), "{counts:?}");
    assert!(counts.lines >= 2 && counts.summaries >= 1, "{counts:?}");
    let of_it = |f: &Fixture| rows_with(f, WORD);
    assert_eq!(of_it(&f), Vec::<String>::new(), "at once");
    assert_eq!(f.memories(), others, "what else is remembered stays");
    let said =
        f.engine.store().read(|tx| tx.log().conversation_interactions(&tx.log().conversation_by_source("c1")?.unwrap())).unwrap();
    assert!(said[0].content.contains(WORD), "the message stays as it was said");
    assert!(!f.engine.serve().context(&request).unwrap().text.contains(WORD), "an agent is not given the words");
    // Run every derivation.
    let conversation = said[0].conversation_id.clone();
    f.engine.review().propose(&conversation, None, &Unwatched).unwrap();
    rebuild(&f);
    f.engine.conversations().analyze_now(&conversation, &Unwatched).unwrap();
    derive(&f);
    f.engine.topics().rebuild().unwrap();
    derive(&f);
    assert_eq!(of_it(&f), Vec::<String>::new(), "derived anew");
    let f = f.restarted(9);
    derive(&f);
    f.append(&Conversation::new("later").messages(&format!("owner Mara: I prefer {WORD} paper for every letter.")));
    let later = f.engine.store().read(|tx| tx.log().conversation_by_source("later")).unwrap().unwrap();
    f.engine.review().propose(&later, None, &Unwatched).unwrap();
    assert!(f.memories().iter().all(|text| !text.contains(WORD)), "said once more it is not offered: {:?}", f.memories());
}

#[test]
fn only_what_was_put_away_is_erased() {
    let (f, id) = lived_in();
    let refused = f.engine.erasure().erase_memories(std::slice::from_ref(&id)).unwrap_err().to_string();
    assert!(refused.contains("to the trash first"), "{refused}");
    assert!(f.engine.erasure().preview_erased_memories(std::slice::from_ref(&id)).is_err());
    archive(&f, &id);
    assert_eq!(f.engine.erasure().erase_memories(std::slice::from_ref(&id)).unwrap().erased.memories, 1);
    let undone = f.engine.review().undo(None).unwrap();
    assert!(undone.is_none_or(|(_, _, restored)| !restored.contains(&id)), "no undo brings it back");
    let again = f.engine.erasure().erase_memories(std::slice::from_ref(&id)).unwrap_err().to_string();
    assert!(again.contains("no memory"), "{again}");
}

#[test]
fn a_copy_of_what_is_approved_elsewhere_goes_alone() {
    let f = Fixture::new();
    f.propose("c1", "owner Mara: I live in Porto.");
    let first = f.id_of("Porto");
    f.engine.review().act(&Act::Approve(vec![first.clone()])).unwrap();
    // The same statement in a place that others can see too is a separate memory.
    f.clock.advance_ms(1_000);
    f.append(&Conversation::new("room").channel("matrix", "room").public().messages("owner Mara: I live in Porto."));
    let room = f.engine.store().read(|tx| tx.log().conversation_by_source("room")).unwrap().unwrap();
    f.engine.review().propose(&room, None, &Unwatched).unwrap();
    let copies: Vec<MemoryId> =
        f.rows().into_iter().filter(|(id, text)| *id != first && text.contains("Porto")).map(|(id, _)| id).collect();
    let [copy] = copies.as_slice() else { panic!("one more: {:?}", f.memories()) };
    archive(&f, copy);
    f.engine.erasure().erase_memories(std::slice::from_ref(copy)).unwrap();
    assert_eq!(f.memories().len(), 1, "{:?}", f.memories());
    assert!(f.memories()[0].starts_with("active"), "the approved one stays");
    assert_eq!(f.engine.store().read(|tx| tx.lifecycle().forgotten_places()).unwrap(), [], "and its words are of use");
}

#[test]
fn an_older_backup_does_not_bring_it_back() {
    let (f, id) = lived_in();
    let outside = tempfile::tempdir().unwrap();
    let backup = outside.path().join("mine.db");
    f.engine.backups().back_up(&backup, &Unwatched).unwrap();
    archive(&f, &id);
    f.engine.erasure().erase_memories(std::slice::from_ref(&id)).unwrap();
    let others = f.memories();
    f.engine.backups().restore(&backup, &Unwatched).unwrap();
    assert_eq!(f.memories(), others);
    assert_eq!(rows_with(&f, WORD), Vec::<String>::new());
    derive(&f);
    assert_eq!(rows_with(&f, WORD), Vec::<String>::new(), "nor is it derived again");
    // The same holds for an export that is restored into another store, with the decisions applied.
    let folder = outside.path().join("export");
    f.engine.exports().export(&folder, &Unwatched).unwrap();
    let other = Fixture::new();
    other.engine.exports().restore(&folder, &Unwatched).unwrap();
    rebuild(&other);
    assert!(other.memories().iter().all(|text| !text.contains(WORD)), "{:?}", other.memories());
}

#[test]
fn a_refused_memory_that_is_erased_stays_refused() {
    let f = Fixture::new();
    let id = f.append(&conversation("c1", "owner Mara: I'm allergic to peanuts."));
    f.engine.review().propose(&id, None, &Unwatched).unwrap();
    let memory = f.id_of("peanuts");
    f.engine.review().act(&Act::Reject(vec![memory.clone()], None)).unwrap();
    f.engine.erasure().erase_memories(std::slice::from_ref(&memory)).unwrap();
    assert!(f.memories().is_empty());
    f.clock.advance_ms(1_000);
    for (name, line) in
        [("c2", "owner Mara: I'm allergic to peanuts."), ("c3", "owner Mara: Remember that I am allergic to peanuts.")]
    {
        f.clock.advance_ms(1_000);
        f.propose(name, line);
        let waits = |f: &Fixture| {
            f.rows()
                .into_iter()
                .filter(|(id, _)| f.engine.store().read(|tx| tx.memories().memory(id)).unwrap().status == MemoryStatus::Pending)
                .count()
        };
        assert_eq!(waits(&f), 0, "{line} {:?}", f.memories());
    }
    let stopped = f.engine.store().read(|tx| tx.derived().derived_rows(&|_, _| false)).unwrap();
    assert!(stopped["gate_log"].iter().all(|row| !row.contains("peanuts")), "the log does not say it either");
}
