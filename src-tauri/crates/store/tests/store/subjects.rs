//! Subjects of memories: a person is identified by handles and the links in effect, never by a name.

use keepsake_domain::{EntityId, HandleId, LinkAnswer, LinkId, MemoryStatus, Speaker, Subject};
use keepsake_store::{MemoryChange, MemoryFilter, MemoryState, NewMemory, Persons};
use keepsake_testkit::Conversation;
use proptest::prelude::*;

use crate::backup::{back_up, restore};
use crate::bench::{Bench, NOW, plain, upgrade_step};

/// The relationship between two people called Ben.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tie {
    Unlinked,
    Linked,
    LinkedAndUnlinked,
}

use Tie::{Linked, LinkedAndUnlinked, Unlinked};

/// Two people called Ben, each in a room of a different network, who say the same words.
fn bens(tie: Tie) -> (Bench, Subject, Subject) {
    let bench = Bench::new();
    for room in ["a", "b"] {
        bench.append(&Conversation::new(room).channel(room, room).messages("person Ben: I keep two cats and I live in Oslo"));
    }
    let (a, b) = (bench.person("a", "Ben"), bench.person("b", "Ben"));
    if tie != Unlinked {
        bench.answer(&a, &b, LinkAnswer::Same);
    }
    if tie == LinkedAndUnlinked {
        bench.answer(&a, &b, LinkAnswer::Unlinked);
    }
    (bench, a, b)
}

fn cats(bench: &Bench, room: &str, subject: &Subject) -> NewMemory {
    let mut memory = bench.memory("Ben keeps two cats", vec![bench.place(room, "I keep two cats")]);
    memory.subject = subject.clone();
    memory
}

fn decide(bench: &Bench, memory: &NewMemory, status: MemoryStatus) {
    let row = bench.store.read(|tx| tx.memories().memory(&memory.id)).unwrap();
    let after = MemoryState { status, snoozed_until: None, reject_reason: None, decided: Some(NOW) };
    let change = MemoryChange { id: row.id.clone(), before: Some(MemoryState::from(&row)), after, relations: Vec::new() };
    let id = keepsake_domain::OperationId::fresh(&bench.ids);
    bench.store.write(|tx| tx.memories().apply_operation(&id, "decide", "Decided", &[change], NOW)).unwrap();
}

#[test]
fn what_one_person_says_is_said_by_all_their_handles_and_by_no_namesake() {
    let check = |tie: Tie, is_one: bool| {
        let (bench, a, b) = bens(tie);
        let read = |subject: &Subject| bench.store.read(|tx| tx.log().is_one_subject(&a, subject)).unwrap();
        assert_eq!((read(&a), read(&b), read(&Subject::Owner)), (true, is_one, false), "{tie:?}");

        let memory = cats(&bench, "a", &a);
        bench.insert(&memory);
        let of_b = bench.place("b", "I keep two cats");
        let added = bench.store.write(|tx| tx.memories().add_evidence(&memory.id, &of_b)).is_ok();
        assert_eq!(added, is_one, "{tie:?}: a line of the other proves it");
        let taken = bench.store.write(|tx| tx.memories().insert(&cats(&bench, "b", &a))).is_ok();
        assert_eq!(taken, is_one, "{tie:?}: a memory about the one rests on the other's line");
    };
    check(Unlinked, false);
    check(Linked, true);
    check(LinkedAndUnlinked, false);
}

#[test]
fn a_decision_about_one_person_is_none_about_their_namesake() {
    let check = |tie: Tie, is_one: bool| {
        let (bench, a, b) = bens(tie);
        let (of_a, of_b) = (cats(&bench, "a", &a), cats(&bench, "b", &b));
        bench.insert(&of_a);
        bench.insert(&of_b);
        let twins = |memory: &NewMemory| bench.store.read(|tx| tx.retractions().twins_of(&memory.id)).unwrap().len();
        assert_eq!(
            (twins(&of_a), twins(&of_b)),
            (usize::from(is_one), usize::from(is_one)),
            "{tie:?}: says the same of the same"
        );

        decide(&bench, &of_a, MemoryStatus::Rejected);
        let suppressed =
            |subject: &Subject| bench.store.read(|tx| tx.memories().suppressed_by(subject, &of_a.fingerprint)).unwrap().is_some();
        assert_eq!((suppressed(&a), suppressed(&b), suppressed(&Subject::Owner)), (true, is_one, false), "{tie:?}: known again");
        let at = |subject: &Subject| {
            bench.store.read(|tx| tx.memories().memory_at(&of_a.evidence[0], subject, of_a.category)).unwrap().is_some()
        };
        assert_eq!((at(&a), at(&b), at(&Subject::Owner)), (true, is_one, false), "{tie:?}: proposed before");

        // A retraction is in effect as long as the same statement about the same person is not approved.
        let taken = || bench.store.read(|tx| tx.retractions().of_memories(None)).unwrap();
        assert_eq!(taken().len(), 1, "{tie:?}: of one of them");
        decide(&bench, &of_b, MemoryStatus::Active);
        assert_eq!(taken().is_empty(), is_one, "{tie:?}: it counts again of the same person");

        decide(&bench, &of_b, MemoryStatus::Rejected);
        let refused = bench.store.read(|tx| tx.retractions().twins_refused_with(&of_a.id)).unwrap().len();
        assert_eq!(refused, usize::from(is_one), "{tie:?}: refused together");
    };
    check(Unlinked, false);
    check(Linked, true);
    check(LinkedAndUnlinked, false);
}

#[test]
fn after_a_link_is_taken_back_each_has_their_own_again() {
    let (bench, a, b) = bens(Linked);
    let (of_a, of_b) = (cats(&bench, "a", &a), cats(&bench, "b", &b));
    bench.insert(&of_a);
    bench.insert(&of_b);
    // The proposal about one Ben is merged into the proposal about the other. His message is now also evidence for a statement
    // that is stored only about the other Ben.
    assert!(bench.store.write(|tx| tx.memories().fold_into(&of_b.id, &of_a.id)).unwrap());
    let mut home =
        bench.memory("Ben lives in Oslo", vec![bench.place("a", "I live in Oslo"), bench.place("b", "I live in Oslo")]);
    home.subject = a.clone();
    bench.insert(&home);
    for room in ["a", "b"] {
        let id = bench.conversation(room);
        bench.store.write(|tx| tx.log().mark_extracted(&id, tx.log().last_seq(&id)?)).unwrap();
    }
    let lines = |memory: &NewMemory| bench.store.read(|tx| tx.memories().evidence(&memory.id)).unwrap().len();
    let status = |memory: &NewMemory| bench.store.read(|tx| tx.memories().memory(&memory.id)).unwrap().status;
    let unread = || bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap();
    assert_eq!((lines(&of_a), lines(&home), status(&of_b)), (2, 2, MemoryStatus::Superseded), "the control: they were one");
    assert!(unread().is_empty());
    bench.answer(&a, &b, LinkAnswer::Different);
    assert_eq!((lines(&of_a), lines(&home)), (1, 1), "a line of somebody else proves nothing");
    assert_eq!(status(&of_b), MemoryStatus::Pending, "what was folded waits again");
    assert_eq!(unread(), [bench.conversation("b")], "and what else was said there is read anew");
    let before = bench.dump("SELECT * FROM memory_evidence");
    bench.answer(&a, &b, LinkAnswer::Unsure);
    assert_eq!(bench.dump("SELECT * FROM memory_evidence"), before, "only taking back a link parts anything");
}

#[test]
fn going_back_to_when_two_were_linked_parts_them_again() {
    let check = |is_parted_since: bool, lines_left: usize| {
        let (bench, a, b) = bens(Linked);
        let mut memory = cats(&bench, "a", &a);
        memory.evidence.push(bench.place("b", "I keep two cats"));
        bench.insert(&memory);
        let copy = back_up(&bench, "copy.db");
        if is_parted_since {
            bench.answer(&a, &b, LinkAnswer::Unlinked);
        }
        restore(&bench, &copy).unwrap();
        assert_eq!(
            bench.store.read(|tx| tx.memories().evidence(&memory.id)).unwrap().len(),
            lines_left,
            "parted since: {is_parted_since}"
        );
    };
    check(true, 1);
    check(false, 2);
}

#[test]
fn somebody_called_owner_is_not_the_owner() {
    let bench = Bench::new();
    bench.append(&Conversation::new("c").channel("m", "c").messages("owner Mara: I like rain\nperson owner: I live in Oslo"));
    let mut memory = bench.memory("owner (contact) lives in Oslo", vec![bench.place("c", "I live in Oslo")]);
    memory.subject = bench.person("c", "owner");
    bench.insert(&memory);
    bench.candidate("c", "rain");
    let stored = bench.store.read(|tx| tx.memories().memory(&memory.id)).unwrap();
    assert_eq!((stored.subject.as_str(), stored.subject == Subject::Owner), ("owner (contact)", false));
    let facets = bench.store.read(|tx| tx.memories().facets(&MemoryFilter::default())).unwrap();
    assert_eq!(facets.subject, [("owner".to_owned(), 1), ("owner (contact)".to_owned(), 1)]);
}

/// Reruns the migration that upgrades the rows of an earlier version.
fn upgrade(bench: &Bench) {
    let raw = plain(bench.store.path());
    raw.execute_batch(
        "DROP INDEX entity_channels_by_address;
         ALTER TABLE conversations ADD COLUMN private_through_seq INTEGER NOT NULL DEFAULT 0",
    )
    .unwrap();
    raw.execute_batch(&upgrade_step(24)).unwrap();
    raw.execute_batch("ALTER TABLE conversations DROP COLUMN private_through_seq").unwrap();
}

#[test]
fn an_upgrade_parts_what_namesakes_shared_and_keeps_what_linked_people_share() {
    let check = |tie: Tie, lines_left: usize| {
        let (bench, a, b) = bens(if tie == Unlinked { Linked } else { tie });
        bench.append(&Conversation::new("o").channel("a", "o").messages("person owner: I live in Oslo"));
        let mut memory = cats(&bench, "a", &a);
        memory.evidence.push(bench.place("b", "I keep two cats"));
        bench.insert(&memory);
        let mut called = bench.memory("owner lives in Oslo", vec![bench.place("o", "I live in Oslo")]);
        called.subject = bench.person("o", "owner");
        bench.insert(&called);
        for room in ["a", "b", "o"] {
            let id = bench.conversation(room);
            bench.store.write(|tx| tx.log().mark_extracted(&id, tx.log().last_seq(&id)?)).unwrap();
        }
        let raw = plain(bench.store.path());
        if tie == Unlinked {
            // Store the data as an earlier version left it: one memory with evidence from two people who were never linked.
            raw.execute_batch("DELETE FROM link_decisions").unwrap();
        }
        raw.execute_batch(
            "DROP TRIGGER memories_no_rewording; UPDATE memories SET subject = 'owner' WHERE subject = 'owner (contact)';
             CREATE TRIGGER memories_no_rewording BEFORE UPDATE ON memories BEGIN SELECT 1; END",
        )
        .unwrap();
        upgrade(&bench);
        assert_eq!(bench.store.read(|tx| tx.memories().evidence(&memory.id)).unwrap().len(), lines_left, "{tie:?}");
        let unread = bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap();
        let expect = if lines_left == 1 { vec![bench.conversation("b")] } else { Vec::new() };
        assert_eq!(unread, expect, "{tie:?}: read anew");
        assert_eq!(bench.dump("SELECT subject FROM memories ORDER BY rank"), ["Ben", "owner (contact)"]);
        assert!(
            bench.store.attack(keepsake_store::Door::Writer, "UPDATE memories SET subject = 'x'").is_err(),
            "the guard stands"
        );
        let _ = b;
    };
    check(Unlinked, 1);
    check(Linked, 2);
}

#[test]
fn an_upgrade_reads_rooms_anew_in_which_two_of_one_name_speak() {
    let check = |names: [&str; 2], expect: usize| {
        let bench = Bench::new();
        let mut messages =
            Conversation::new("c").channel("m", "c").messages("person Ben: I live in Oslo\nperson Ben: I live in Bergen");
        for (message, handle) in messages.iter_mut().zip(["@ben:a", "@ben:b"]) {
            message.author.handle.handle = handle.to_owned();
        }
        messages[1].author.name = names[1].to_owned();
        bench.append(&messages);
        let id = bench.conversation("c");
        bench.store.write(|tx| tx.log().mark_extracted(&id, tx.log().last_seq(&id)?)).unwrap();
        upgrade(&bench);
        assert_eq!(bench.store.read(|tx| tx.log().conversations_to_extract()).unwrap().len(), expect, "{names:?}");
    };
    check(["Ben", "Ben"], 1);
    check(["Ben", "Ana"], 0);
}

/// Appends a message under each of these addresses and numbers the resulting handles. Equal numbers mean the same handle.
fn handles_of(bench: &Bench, written: &[(&str, &str)]) -> Vec<usize> {
    let mut known: Vec<String> = Vec::new();
    let place = |(n, (channel, address)): (usize, &(&str, &str))| {
        let room = format!("{n} {channel}");
        let mut messages = Conversation::new(&room).channel(channel, &room).messages("person Ana: hello");
        messages[0].author.handle.handle = (*address).to_owned();
        bench.append(&messages);
        let handle = bench.messages(&room)[0].handle_id.clone();
        known.iter().position(|one| *one == handle).unwrap_or_else(|| {
            known.push(handle);
            known.len() - 1
        })
    };
    written.iter().enumerate().map(place).collect()
}

#[test]
fn one_address_is_one_handle_however_it_is_written() {
    let check = |written: &[(&str, &str)], expect: &[usize]| {
        let bench = Bench::new();
        assert_eq!(handles_of(&bench, written), expect, "{written:?}");
        let (channel, address) = written[0];
        assert_eq!(
            bench.dump("SELECT channel_type || ' ' || channel_handle FROM entity_channels ORDER BY id LIMIT 1"),
            [format!("{channel} {address}")]
        );
        for (n, (channel, address)) in written.iter().enumerate() {
            let found = bench.store.read(|tx| tx.people().handle_by_address(channel, address)).unwrap().unwrap();
            let said = bench.messages(&format!("{n} {channel}"))[0].handle_id.clone();
            assert_eq!(found.id.as_str(), said, "{channel}:{address} is found");
        }
    };
    check(&[("email", "Ana@Example.org"), ("email", "ana@example.org"), ("Email", "ana@example.org")], &[0, 0, 0]);
    check(&[("email", "ana@example.org"), ("email", "ben@example.org")], &[0, 1]);
    check(&[("matrix", "@ana:a"), ("Matrix", "@ana:a"), ("matrix", "@Ana:a")], &[0, 0, 1]);
    check(&[("whatsapp", "Ana"), ("whatsapp", "ana"), ("WhatsApp", "Ana")], &[0, 1, 0]);
    check(&[("email", "Ana"), ("email", "ana")], &[0, 1]);
}

#[test]
fn handles_that_an_earlier_version_kept_apart_stay_two_until_the_person_says() {
    let bench = Bench::new();
    let written = [("email", "Ana@Example.org"), ("email", "x@example.org")];
    assert_eq!(handles_of(&bench, &written), [0, 1]);
    // Store the addresses as an earlier version did.
    plain(bench.store.path())
        .execute_batch("UPDATE entity_channels SET channel_handle = 'ana@example.org' WHERE channel_handle = 'x@example.org'")
        .unwrap();
    let found = |channel: &str, address: &str| {
        bench.store.read(|tx| tx.people().handle_by_address(channel, address)).unwrap().unwrap().handle
    };
    assert_eq!(found("email", "Ana@Example.org"), "Ana@Example.org", "each is found as it is written");
    assert_eq!(found("email", "ana@example.org"), "ana@example.org");
    assert_eq!(found("Email", "ana@example.org"), "ana@example.org", "the address decides before the channel's name");
    assert_eq!(found("email", "ANA@example.org"), "Ana@Example.org", "written anew it is the first of them");
    let entities = bench.dump("SELECT count(DISTINCT entity_id) FROM entity_channels");
    assert_eq!(entities, ["2"], "nothing links them");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The rule for which handles belong to one person gives the same result for single rows as for the computation over all
    /// persons.
    #[test]
    fn rows_and_the_map_of_persons_agree(links in prop::collection::vec((0_usize..5, 0_usize..5, prop::bool::ANY), 0..6)) {
        let bench = Bench::new();
        let lines: Vec<String> = (0..5).map(|n| format!("{} P{n}: hello", if n == 4 { "owner" } else { "person" })).collect();
        bench.append(&Conversation::new("c").channel("m", "c").messages(&lines.join("\n")));
        let handles: Vec<HandleId> = bench.messages("c").iter().map(|m| m.handle_id.parse().unwrap()).collect();
        for (a, b, is_same) in links {
            if a != b {
                let answer = if is_same { LinkAnswer::Same } else { LinkAnswer::Different };
                let id = LinkId::fresh(&bench.ids);
                bench.store.write(|tx| tx.people().answer_link(&id, &handles[a], &handles[b], answer, "", NOW)).unwrap();
            }
        }
        let persons: Persons = bench.store.read(|tx| tx.people().persons()).unwrap();
        let entities: Vec<EntityId> = handles
            .iter()
            .map(|id| bench.store.read(|tx| tx.people().handles()).unwrap().into_iter().find(|row| row.id == *id).unwrap().entity_id)
            .collect();
        let speakers = bench.store.read(|tx| tx.log().speakers_by(&persons)).unwrap();
        for a in 0..5 {
            for b in 0..5 {
                let subject = |n: usize| Subject::Person(Speaker::new("x", handles[n].as_str()));
                let expect = persons.of(&entities[a]) == persons.of(&entities[b]);
                prop_assert_eq!(bench.store.read(|tx| tx.log().is_one_subject(&subject(a), &subject(b))).unwrap(), expect);
                prop_assert_eq!(speakers.behind(&subject(a)) == speakers.behind(&subject(b)), expect);
            }
        }
    }
}
