//! Tests later statements about the same thing: the newer one is proposed, and approving it makes the older one history.

use keepsake_domain::{MemoryId, Message, Relation, Timestamp};
use keepsake_engine::{Act, Audience, ContextRequest, Unwatched};
use keepsake_testkit::{Conversation, conversation};

use crate::fixture::Fixture;

const DAY_MS: i64 = 86_400_000;

/// The conversation, with its messages moved this many days later.
fn days_later(id: &str, lines: &str, days: i64) -> Vec<Message> {
    later(conversation(id, lines), days)
}

fn later(mut messages: Vec<Message>, days: i64) -> Vec<Message> {
    messages.iter_mut().for_each(|message| message.time = message.time.plus_ms(days * DAY_MS));
    messages
}

fn propose(f: &Fixture, messages: &[Message]) {
    let id = f.append(messages);
    f.engine.review().propose(&id, None, &Unwatched).unwrap();
}

/// The newer and the older memory of each replacement, according to the stored relations.
fn replaced(f: &Fixture) -> Vec<(String, String)> {
    let content = |id: &MemoryId| f.engine.store().read(|tx| tx.memories().memory(id)).unwrap().content;
    let mut found = Vec::new();
    for (id, _) in f.rows() {
        let relations = f.engine.store().read(|tx| tx.memories().relations_from(&id)).unwrap();
        let replaces = relations.into_iter().filter(|(relation, ..)| *relation == Relation::Replaces);
        found.extend(replaces.map(|(_, older, _)| (content(&id), content(&older))));
    }
    found
}

const BEFORE: &str = "owner Mara: I live in Leith.";
const AFTER: &str = "owner Mara: I live in Gorgie now.";

/// A store in which both statements have been read. The newer one was said a hundred days after the older one.
fn moved() -> Fixture {
    let f = Fixture::new();
    propose(&f, &days_later("c1", BEFORE, 0));
    propose(&f, &days_later("c2", AFTER, 100));
    f
}

fn pair() -> Vec<(String, String)> {
    vec![("User: “I live in Gorgie now”".to_owned(), "User: “I live in Leith”".to_owned())]
}

#[test]
fn a_later_statement_is_offered_as_what_makes_the_earlier_one_history() {
    let f = moved();
    assert_eq!(replaced(&f), pair());
    let conflicting = f.engine.review().conflicting_memories().unwrap();
    assert_eq!(conflicting.len(), 2, "both are listed as what cannot both be so: {:?}", f.memories());
    // Control: two statements that may both be true.
    let f = Fixture::new();
    propose(&f, &days_later("c1", "owner Mara: I love Leith.", 0));
    propose(&f, &days_later("c2", "owner Mara: I live in Gorgie now.", 100));
    assert_eq!(replaced(&f), vec![]);
    assert!(f.engine.review().conflicting_memories().unwrap().is_empty());
}

#[test]
fn the_order_of_reading_does_not_matter() {
    let f = Fixture::new();
    propose(&f, &days_later("c2", AFTER, 100));
    propose(&f, &days_later("c1", BEFORE, 0));
    assert_eq!(replaced(&f), pair(), "the newest conversations are read first");
}

#[test]
fn what_was_said_at_once_is_meant_to_stand_together() {
    let f = Fixture::new();
    propose(&f, &conversation("c1", "owner Mara: I love tea. I love no longer coffee."));
    assert_eq!(replaced(&f), vec![]);
}

#[test]
fn approving_the_newer_one_makes_the_older_one_history_and_undo_brings_it_back() {
    let f = moved();
    f.engine.review().act(&Act::Approve(vec![f.id_of("Leith")])).unwrap();
    let before = f.memories();
    let outcome = f.engine.review().act(&Act::Approve(vec![f.id_of("Gorgie")])).unwrap();
    assert!(outcome.contradicts.is_empty(), "it is settled: {outcome:?}");
    assert_eq!(outcome.set_aside, [f.id_of("Leith")], "and the person is told");
    assert_eq!(outcome.summary, "Approved 1 memory, replacing an earlier one");
    assert!(f.memories()[0].starts_with("superseded"), "{:?}", f.memories());
    assert!(f.memories()[1].starts_with("active"), "{:?}", f.memories());
    f.engine.review().undo(None).unwrap();
    assert_eq!(f.memories(), before);
}

#[test]
fn what_waits_is_asked_about_although_a_newer_one_is_approved_and_is_kept_as_history() {
    let f = moved();
    f.engine.review().act(&Act::Approve(vec![f.id_of("Gorgie")])).unwrap();
    assert!(f.memories()[0].starts_with("pending"), "nobody decided on it: {:?}", f.memories());
    f.engine.review().act(&Act::Approve(vec![f.id_of("Leith")])).unwrap();
    assert!(f.memories()[0].starts_with("superseded"), "{:?}", f.memories());
    f.engine.review().undo(None).unwrap();
    assert!(f.memories()[0].starts_with("pending"), "{:?}", f.memories());
}

#[test]
fn both_at_once_or_in_other_words_come_to_the_same() {
    for order in [["Leith", "Gorgie"], ["Gorgie", "Leith"]] {
        let f = moved();
        f.engine.review().act(&Act::Approve(order.map(|words| f.id_of(words)).to_vec())).unwrap();
        assert!(f.memories()[0].starts_with("superseded") && f.memories()[1].starts_with("active"), "{:?}", f.memories());
    }
    let f = moved();
    f.engine.review().act(&Act::Approve(vec![f.id_of("Leith")])).unwrap();
    f.engine.review().act(&Act::Edit(f.id_of("Gorgie"), "User lives in Gorgie".to_owned(), None)).unwrap();
    assert!(f.memories()[0].starts_with("superseded"), "approved as edited: {:?}", f.memories());
}

#[test]
fn a_refused_one_makes_nothing_history() {
    let f = moved();
    f.engine.review().act(&Act::Reject(vec![f.id_of("Gorgie")], None)).unwrap();
    f.engine.review().act(&Act::Approve(vec![f.id_of("Leith")])).unwrap();
    assert!(f.memories()[0].starts_with("active"), "{:?}", f.memories());
}

#[test]
fn what_fewer_may_see_takes_nothing_away_from_those_who_may_see_the_older_one() {
    let propose_moved = |is_after_public: bool| {
        let f = Fixture::new();
        propose(&f, &later(Conversation::new("c1").public().messages(BEFORE), 0));
        let after = Conversation::new("c2");
        let after = if is_after_public { after.public() } else { after };
        propose(&f, &later(after.messages(AFTER), 100));
        f.engine.review().act(&Act::Approve(vec![f.id_of("Leith")])).unwrap();
        let outcome = f.engine.review().act(&Act::Approve(vec![f.id_of("Gorgie")])).unwrap();
        (f.memories()[0].clone(), outcome.contradicts.len())
    };
    let (older, contradicted) = propose_moved(false);
    assert!(older.starts_with("active"), "its absence in public would tell of what was said elsewhere: {older}");
    assert_eq!(contradicted, 1, "the person is told of it");
    // Control: if both are visible to the same people, the older one is replaced.
    let (older, contradicted) = propose_moved(true);
    assert!(older.starts_with("superseded"), "{older}");
    assert_eq!(contradicted, 0);
}

#[test]
fn what_is_history_is_not_served_as_what_is_so_now() {
    let f = moved();
    let served = |f: &Fixture, as_of: Option<Timestamp>| {
        let audience = Audience::default();
        let query = Some("where do I live".to_owned());
        f.engine.serve().context(&ContextRequest { audience, query, budget_chars: 0, as_of }).unwrap().text
    };
    assert!(served(&f, None).contains("Leith"), "nobody decided anything yet");
    f.clock.advance_ms(200 * DAY_MS);
    f.engine.review().act(&Act::Approve(vec![f.id_of("Leith")])).unwrap();
    let said = f.engine.store().read(|tx| tx.memories().memory(&f.id_of("Leith"))).unwrap().said;
    f.engine.review().act(&Act::Approve(vec![f.id_of("Gorgie")])).unwrap();
    let now = served(&f, None);
    assert!(now.contains("Gorgie") && !now.contains("Leith"), "{now}");
    let then = served(&f, Some(said.plus_ms(DAY_MS)));
    assert!(then.contains("Leith") && then.contains("known since") && !then.contains("Gorgie"), "what was so then: {then}");
    let before = served(&f, Some(said.plus_ms(-DAY_MS)));
    assert!(!before.contains("Leith"), "nobody had said it: {before}");
    let after = served(&f, Some(said.plus_ms(101 * DAY_MS)));
    assert!(after.contains("Gorgie") && !after.contains("Leith"), "replaced by then: {after}");
    f.engine.review().undo(None).unwrap();
    assert!(served(&f, None).contains("Leith"), "undone, it is told again");
}

#[test]
fn a_change_is_never_taken_for_the_same_said_again_however_alike_the_words() {
    // The later statement contains all words of the earlier one.
    let (before, after) =
        ("owner Mara: I swim on Mondays at noon.", "owner Mara: I swim on Mondays at noon no more, at six now.");
    for (first, second) in [(0, 100), (100, 0)] {
        let f = Fixture::new();
        propose(&f, &days_later("c1", if first == 0 { before } else { after }, first));
        propose(&f, &days_later("c2", if second == 0 { before } else { after }, second));
        assert_eq!(f.memories().len(), 2, "{:?}", f.memories());
        let mut relations = Vec::new();
        for (id, _) in f.rows() {
            relations.extend(
                f.engine.store().read(|tx| tx.memories().relations_from(&id)).unwrap().into_iter().map(|(kind, ..)| kind),
            );
        }
        assert_eq!(relations, [Relation::Replaces], "whichever is read first");
    }
}
