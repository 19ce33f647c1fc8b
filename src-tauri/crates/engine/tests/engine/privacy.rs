//! Tests that an excluded conversation is never analyzed, and that including it again does not read messages from the time of
//! exclusion.

use keepsake_domain::Lane;
use keepsake_engine::{AnalyzeStart, Existing, Step, Unwatched};
use keepsake_store::PrivateTime;
use keepsake_testkit::{Conversation, conversation};

use crate::fixture::Fixture;

const CANARY: &str = "owner Mara: I'm allergic to zanzibarnuts.";

#[test]
fn nothing_is_derived_from_a_private_conversation() {
    let f = Fixture::new();
    let id = f.append(&Conversation::new("c1").private().messages(CANARY));
    assert_eq!(f.engine.imports().queue_extraction(std::slice::from_ref(&id)).unwrap(), [], "no job is queued");
    assert!(f.engine.store().read(|tx| tx.log().conversations_to_extract()).unwrap().is_empty(), "no sweep finds it");
    f.engine.review().propose(&id, None, &Unwatched).unwrap();
    assert!(f.engine.conversations().analyze(&id, None, &Unwatched).is_err(), "asking for it is refused");
    assert_eq!(f.engine.conversations().queue_analysis(&id, true).unwrap(), AnalyzeStart::Private, "force does not help");
    assert_eq!((f.memories(), f.gates()), (Vec::new(), Vec::new()), "no memory, no gate log");
    // Control: the same words in a conversation that is not excluded do become a proposal.
    f.propose("c2", CANARY);
    assert_eq!(f.memories().len(), 1);
}

#[test]
fn turning_private_while_a_job_waits_leaves_nothing() {
    let f = Fixture::new();
    let id = f.append(&conversation("c1", CANARY));
    f.engine.imports().queue_extraction(std::slice::from_ref(&id)).unwrap();
    let now = f.engine.now();
    f.engine
        .store()
        .write(|tx| {
            tx.log().set_private(&id, true)?;
            tx.jobs().cancel_about(id.as_str(), now)
        })
        .unwrap();
    assert_eq!(f.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap(), Step::Idle(None), "the waiting job is gone");
    assert_eq!(f.memories(), Vec::<String>::new());
}

#[test]
fn what_was_said_in_private_is_not_read_back() {
    let f = Fixture::new();
    let open = "owner Mara: I live in Utrecht.";
    let id = f.propose("c1", open);
    f.engine.store().write(|tx| tx.log().set_private(&id, true)).unwrap();
    f.clock.advance_ms(60_000);
    let longer = format!("{open}\n{CANARY}");
    f.append(&conversation("c1", &longer));
    f.engine.store().write(|tx| tx.log().set_private(&id, false)).unwrap();
    f.engine.review().propose(&id, None, &Unwatched).unwrap();
    assert_eq!(f.memories().len(), 1, "only what was open: {:?}", f.memories());
    f.clock.advance_ms(60_000);
    f.append(&conversation("c1", &format!("{longer}\nowner Mara: I play the cello.")));
    f.engine.review().propose(&id, None, &Unwatched).unwrap();
    let memories = f.memories().join("\n");
    assert!(memories.contains("cello") && !memories.contains("zanzibar"), "reading goes on with what comes after: {memories}");
}

#[test]
fn hiding_and_erasing_touch_what_rests_only_on_it() {
    let f = Fixture::new();
    let id = f.propose("c1", "owner Mara: I live in Utrecht.\nowner Mara: I play the cello.");
    f.propose("c2", "owner Mara: I live in Utrecht.");
    let hidden = f.engine.store().write(|tx| tx.memories().hide_of(&id, true)).unwrap();
    assert_eq!(hidden, 1, "the home is also known from elsewhere");
    assert_eq!(f.engine.store().write(|tx| tx.memories().hide_of(&id, false)).unwrap(), 1);
    f.engine.store().write(|tx| tx.lifecycle().erase_derived(&id)).unwrap();
    assert_eq!(
        f.memories(),
        ["pending personal_info owner: User: “I live in Utrecht”"],
        "what another conversation proves stays"
    );
    let counts = f.engine.store().read(|tx| tx.log().privacy_counts(&id)).unwrap();
    assert_eq!((counts.pending, counts.gate_entries, counts.analyses), (0, 0, 0));
}

#[test]
fn importing_as_private_also_covers_what_was_imported_before() {
    use keepsake_domain::{IdSource, ImportId};
    use keepsake_engine::ImportRequest;
    let f = Fixture::new();
    let path = f.dir.path().join("chat.jsonl");
    let line = r#"{"conversation":"c1","channel_type":"chat","channel_id":"c1","id":"m1","time":"2026-03-02T10:00:00Z","author":"Mara","role":"owner","text":"I live in Utrecht."}"#;
    std::fs::write(&path, line).unwrap();
    let ids = keepsake_testkit::SeqIds::new(9);
    let import = |private| {
        let request = ImportRequest { private, ..ImportRequest::of(&path) };
        f.engine.imports().import(&ImportId::from_uuid(ids.next_uuid()), &request, &Unwatched).unwrap()
    };
    import(false);
    assert_eq!(import(true).totals.duplicate, 1);
    assert_eq!(f.engine.queue().queue_unread().unwrap(), 0, "nothing of it is to be read any more");
}

#[test]
fn what_was_said_in_private_is_used_when_the_person_says_so_now_or_later() {
    for says_so_later in [false, true] {
        let f = Fixture::new();
        let open = "owner Mara: I live in Utrecht.";
        let id = f.propose("c1", open);
        f.engine.erasure().set_private(&id, true, Existing::Hide).unwrap();
        f.clock.advance_ms(60_000);
        f.append(&conversation("c1", &format!("{open}\n{CANARY}")));
        if says_so_later {
            f.engine.erasure().end_private(&id, PrivateTime::LeaveOut).unwrap();
            f.engine.review().propose(&id, None, &Unwatched).unwrap();
            assert!(!f.memories().join("\n").contains("zanzibar"), "control: not before they say so");
        }
        f.engine.erasure().end_private(&id, PrivateTime::Use).unwrap();
        f.run_due();
        let memories = f.memories().join("\n");
        assert!(memories.contains("zanzibar") && memories.contains("Utrecht"), "later: {says_so_later}: {memories}");
        assert!(f.engine.store().read(|tx| tx.log().private_intervals(&id)).unwrap().is_empty());
    }
}

#[test]
fn a_toggle_taken_back_at_once_leaves_the_conversation_to_be_analysed() {
    let f = Fixture::new();
    let talk = "owner Mara: I live in Utrecht.\nassistant Nova: Nice.\nowner Mara: I play the cello.\nassistant Nova: Lovely.\n\
                owner Mara: My dog is called Biscuit.";
    let id = f.append(&conversation("c1", talk));
    f.engine.erasure().set_private(&id, true, Existing::Hide).unwrap();
    f.engine.erasure().set_private(&id, false, Existing::Keep).unwrap();
    assert!(
        matches!(f.engine.conversations().queue_analysis(&id, false).unwrap(), AnalyzeStart::Queued(_)),
        "not \"only 0 messages\""
    );
    f.run_due();
    assert!(f.memories().join("\n").contains("Utrecht"), "and it is read without being asked for");
}

#[test]
fn an_import_made_private_by_mistake_can_be_used() {
    let f = Fixture::new();
    let id = f.append(&Conversation::new("c1").private().messages(CANARY));
    f.engine.erasure().end_private(&id, PrivateTime::LeaveOut).unwrap();
    f.engine.review().propose(&id, None, &Unwatched).unwrap();
    assert_eq!(f.memories(), Vec::<String>::new(), "control: turning it off alone uses nothing of that time");
    f.engine.erasure().end_private(&id, PrivateTime::Use).unwrap();
    f.engine.review().propose(&id, None, &Unwatched).unwrap();
    assert_eq!(f.memories().len(), 1);
}
