//! Tests answers about whether two handles belong to the same person, and undoing these answers.

use keepsake_domain::{HandleId, LinkAnswer, LinkId};
use keepsake_engine::Existing;
use keepsake_store::LinkSuggestionRow;
use keepsake_testkit::{Conversation, MONDAY_TEN, SeqIds, conversation};

use crate::fixture::Fixture;

/// Two people in two conversations, and a suggestion that they are the same person.
fn suggested() -> (Fixture, LinkId) {
    let f = Fixture::new();
    f.append(&conversation("c1", "owner Mara: Shall we?\nperson Robin Hale: On Friday."));
    f.append(&conversation("c2", "owner Mara: And you?\nperson R. Hale: Gladly.\nperson R. Hale: On Friday?"));
    let handles = f.engine.store().read(|tx| tx.people().handles()).unwrap();
    let id_of = |name: &str| -> HandleId {
        let found = handles.iter().find(|row| row.display_name == name);
        found.unwrap_or_else(|| panic!("{name} has a handle: {handles:?}")).id.clone()
    };
    let (a, b) = (id_of("Robin Hale"), id_of("R. Hale"));
    let id = LinkId::fresh(&SeqIds::new(9));
    let row = LinkSuggestionRow {
        id: id.clone(),
        a: a.clone().min(b.clone()),
        b: a.max(b),
        strength: "guess".to_owned(),
        evidence_for: r#"[{"kind":"shared_terms","terms":["friday"],"spans":[]}]"#.to_owned(),
        evidence_against: "[]".to_owned(),
        evidence_fingerprint: "f1".to_owned(),
        proposer: "test/1".to_owned(),
    };
    f.engine.store().write(|tx| tx.people().replace_link_suggestions(&[row], MONDAY_TEN)).unwrap();
    (f, id)
}

#[test]
fn each_answer_can_be_taken_back_and_the_pair_is_asked_about_again() {
    for answer in [LinkAnswer::Same, LinkAnswer::Different, LinkAnswer::Unsure] {
        let (f, id) = suggested();
        let view = |f: &Fixture| (f.engine.people().links().unwrap(), f.engine.people().list().unwrap());
        let before = view(&f);
        assert_eq!(before.0[0].status.name(), "open");
        assert_eq!(f.engine.people().open_links().unwrap(), 1, "one pair waits");
        f.engine.people().answer_link(&id, answer).unwrap();
        assert_ne!(view(&f).0, before.0, "{answer:?} shows");
        assert_eq!(f.engine.people().open_links().unwrap(), 0, "{answer:?} is an answer");
        f.engine.people().reopen_link(&id).unwrap();
        assert_eq!(f.engine.people().open_links().unwrap(), 1);
        assert_eq!(view(&f), before, "after taking {answer:?} back everything is as it was");
    }
}

#[test]
fn taking_back_an_answer_that_was_never_given_writes_nothing() {
    let (f, id) = suggested();
    let version = |f: &Fixture| f.engine.store().read(|tx| tx.privacy().boundary_version()).unwrap();
    let before = version(&f);
    f.engine.people().reopen_link(&id).unwrap();
    assert_eq!(version(&f), before);
    f.engine.people().answer_link(&id, LinkAnswer::Different).unwrap();
    assert_ne!(version(&f), before, "an answer does write, so that the version tells");
}

#[test]
fn what_was_said_while_a_conversation_was_private_suggests_nothing_after_it_is_turned_back() {
    let check = |is_private: bool, expect: usize, why: &str| {
        let f = Fixture::new();
        let append = |messages: &[keepsake_domain::Message]| {
            f.clock.advance_ms(1_000);
            f.append(messages)
        };
        append(&Conversation::new("mail").channel("email", "mail").messages("person robin@example.org: The tent is booked."));
        let dm = |n: u8, line: &str| {
            let mut messages = Conversation::new("dm").channel("matrix", "dm").messages(line);
            messages[0].source.message = format!("m{n}");
            messages[0].time = MONDAY_TEN.plus_ms(i64::from(n) * 60_000);
            append(&messages)
        };
        let id = dm(1, "person Robin: Hello.");
        if is_private {
            f.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
        }
        dm(2, "person Robin: My e-mail address is robin@example.org.");
        f.engine.erasure().set_private(&id, false, Existing::Keep).unwrap();
        dm(3, "person Robin: The weather is fine.");
        f.engine.people().queue_identity().unwrap();
        let lock = f.engine.queue().lock_worker().unwrap();
        f.engine.queue().run_due(&lock, &|_| {}).unwrap();
        let links = f.engine.people().links().unwrap();
        assert_eq!(links.len(), expect, "{why}: {links:?}");
    };
    check(true, 0, "said off the record");
    check(false, 1, "the control: said on the record");
}
