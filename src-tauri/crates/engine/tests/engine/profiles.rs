//! Tests profiles end to end: derived by the job, visible where their sources are, corrected, disputed, and restored exactly.

use keepsake_domain::{ConversationId, DAY_MS, Facet, JobState, Lane, Message, ProfileId, ProfileOrigin, Timestamp};
use keepsake_engine::{Act, Audience, Context, ContextRequest, Existing, KillPoint, Step, current_profiles, profiles_at};
use keepsake_models::fake::{PhraseReader, SentenceReader};
use keepsake_store::ConsentItem;
use keepsake_testkit::Conversation;

use crate::fixture::Fixture;

fn derive(f: &Fixture) {
    f.engine.people().queue_profiles().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_until_idle(&lock, &|_| {}).unwrap();
}

/// The fixture's ids depend on the clock, so each conversation arrives a second later.
fn append(f: &Fixture, messages: &[Message]) -> ConversationId {
    f.clock.advance_ms(1_000);
    f.append(messages)
}

fn room(f: &Fixture, id: &str, lines: &str) -> ConversationId {
    append(f, &Conversation::new(id).channel("matrix", id).public().messages(lines))
}

fn dm(f: &Fixture, id: &str, lines: &str) -> ConversationId {
    append(f, &Conversation::new(id).channel("matrix", id).messages(lines))
}

/// The current profile entries of a person, sorted.
fn known(f: &Fixture, person: &str) -> Vec<String> {
    let person = f.engine.erasure().person_named(person).unwrap();
    let rows = f.engine.people().profile_rows(&person).unwrap();
    let current = current_profiles(&rows);
    let mut known: Vec<String> =
        rows.into_iter().filter(|row| current.contains(&row.entry.id)).map(|row| row.entry.content).collect();
    known.sort();
    known
}

fn entry(f: &Fixture, person: &str, content: &str) -> keepsake_domain::ProfileId {
    let person = f.engine.erasure().person_named(person).unwrap();
    let rows = f.engine.people().profile_rows(&person).unwrap();
    rows.into_iter().find(|row| row.entry.content == content).unwrap().entry.id
}

fn context(f: &Fixture, channel: &str, person: &str) -> Context {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let audience = Audience { agent: None, person: text(person), channel: text(channel) };
    f.engine.serve().context(&ContextRequest { audience, ..ContextRequest::default() }).unwrap()
}

fn sees(f: &Fixture, channel: &str, person: &str, words: &str) -> bool {
    let context = context(f, channel, person);
    let lines = context.items.iter().filter(|item| item.kind == "profile").count();
    assert!(lines > 0 || !context.text.contains("- [ep_"), "each line has its item");
    context.text.lines().any(|line| line.starts_with("- [ep_") && line.contains(words))
}

#[test]
fn an_entry_is_seen_where_all_that_it_was_read_from_may_be() {
    let f = Fixture::new();
    room(&f, "garden", "owner Mara: Hello.\nperson Ana: Hello. Please answer in French.\nperson Ben: Hi.");
    dm(&f, "ana", "person Ana: I prefer short answers.\nowner Mara: Fine.");
    dm(&f, "ben", "person Ben: Hello.\nowner Mara: Hello.");
    derive(&f);
    assert_eq!(known(&f, "Ana"), ["Wants: “I prefer short answers”", "Wants: “Please answer in French”"]);
    let check = |channel, person, french, short, why: &str| {
        assert_eq!((sees(&f, channel, person, "French"), sees(&f, channel, person, "short answers")), (french, short), "{why}");
    };
    check("matrix:garden", "", true, false, "in public only what was said in public");
    check("matrix:ana", "", true, true, "with Ana both");
    check("matrix:ben", "", false, false, "Ana is not there, so nothing is told of her");
    let withheld = context(&f, "matrix:garden", "").withheld;
    assert_eq!(withheld.iter().map(|one| (one.rule, one.count)).collect::<Vec<_>>(), [("private_into_public", 1)]);
    let id = entry(&f, "Ana", "Wants: “I prefer short answers”");
    f.engine.store().write(|tx| tx.privacy().set_shared(ConsentItem::Profile, id.as_str(), true, Timestamp(0))).unwrap();
    check("matrix:garden", "", true, true, "the person shared that one entry");
}

#[test]
fn what_is_said_off_the_record_feeds_nothing_and_what_is_turned_private_is_shown_to_nobody() {
    let f = Fixture::new();
    append(
        &f,
        &Conversation::new("attic").channel("matrix", "attic").public().private().messages("person Ana: I prefer short answers."),
    );
    let later = room(&f, "garden", "person Ana: Please answer in French.");
    derive(&f);
    assert_eq!(known(&f, "Ana"), ["Wants: “Please answer in French”"]);
    f.engine.erasure().set_private(&later, true, Existing::Keep).unwrap();
    assert!(known(&f, "Ana").is_empty() && !sees(&f, "matrix:garden", "", "French"));
}

#[test]
fn deriving_again_changes_nothing_and_new_words_make_a_version() {
    let f = Fixture::new();
    dm(&f, "one", "person Ana 2026-01-05: I prefer short answers.");
    derive(&f);
    let first = f.engine.people().profile_rows(&f.engine.erasure().person_named("Ana").unwrap()).unwrap();
    f.engine.people().queue_profiles().unwrap();
    assert_eq!(
        f.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap(),
        Step::Idle(None),
        "nothing changed, so nothing is queued"
    );
    f.clock.advance_ms(DAY_MS);
    dm(&f, "two", "person Ana 2026-01-09: I prefer long answers.");
    derive(&f);
    let rows = f.engine.people().profile_rows(&f.engine.erasure().person_named("Ana").unwrap()).unwrap();
    assert_eq!((first.len(), rows.len()), (1, 2));
    assert_eq!(rows[1].entry.supersedes.as_ref(), Some(&first[0].entry.id));
    assert_eq!(known(&f, "Ana"), ["Wants: “I prefer long answers”"]);
    // A context as of an earlier moment contains the entries believed then.
    let then = ContextRequest {
        audience: Audience { channel: Some("matrix:one".to_owned()), ..Audience::default() },
        as_of: Some(f.engine.now()),
        ..ContextRequest::default()
    };
    assert!(f.engine.serve().context(&then).unwrap().text.contains("I prefer long"));
    let then = ContextRequest { as_of: Some(f.engine.now().plus_ms(-1)), ..then };
    assert!(f.engine.serve().context(&then).unwrap().text.contains("I prefer short answers"));
    let (old, new) = (&rows[0].entry, &rows[1].entry);
    let day = |time: Timestamp| profiles_at(&rows, time);
    assert_eq!((day(old.created_at).believed, day(new.created_at).believed), (vec![old.id.clone()], vec![new.id.clone()]));
    assert_eq!((day(old.valid_from).held, day(new.valid_from).held), (vec![old.id.clone()], vec![new.id.clone()]));
    assert_eq!(day(old.valid_from).believed, [], "on that day nothing had been read yet");
}

#[test]
fn a_derivation_that_dies_anywhere_is_done_once() {
    for (point, nth) in
        [(KillPoint::AfterLease, 0), (KillPoint::Working, 0), (KillPoint::Working, 1), (KillPoint::AfterEffects, 0)]
    {
        let f = Fixture::new();
        room(&f, "garden", "person Ana: Please answer in French.\nperson Ben: Keep it short.");
        dm(&f, "ana", "person Ana: I prefer short answers.");
        f.engine.people().queue_profiles().unwrap();
        let met = std::cell::Cell::new(0);
        let kill = |at: KillPoint| {
            met.set(met.get() + i32::from(at == point));
            at == point && met.get() > nth
        };
        assert_eq!(f.engine.queue().run_next_killed(Lane::Capture, &|_| {}, &kill).unwrap(), None, "{point:?}");
        let f = f.restarted(9);
        derive(&f);
        assert_eq!(known(&f, "Ana"), ["Wants: “I prefer short answers”", "Wants: “Please answer in French”"], "{point:?}");
        assert_eq!(
            f.engine.people().profile_rows(&f.engine.erasure().person_named("Ana").unwrap()).unwrap().len(),
            2,
            "{point:?}"
        );
        let jobs = f.engine.store().read(|tx| tx.jobs().recent(10)).unwrap();
        assert!(jobs.iter().all(|job| job.state == JobState::Done), "{point:?}");
    }
}

#[test]
fn what_a_person_debunked_comes_back_neither_by_import_nor_by_derivation() {
    let f = Fixture::new();
    let messages = Conversation::new("c").channel("matrix", "c").messages("person Ana: I prefer short answers.");
    append(&f, &messages);
    derive(&f);
    let id = entry(&f, "Ana", "Wants: “I prefer short answers”");
    f.clock.advance_ms(DAY_MS);
    f.engine.people().dispute_profile(&id, true).unwrap();
    for round in 0..3 {
        f.append(&messages);
        dm(&f, &format!("again-{round}"), "person Ana: I really prefer short answers.");
        derive(&f);
        assert!(known(&f, "Ana").is_empty(), "round {round}");
    }
    // Control: once the dispute is undone, the entry returns.
    f.engine.people().dispute_profile(&id, false).unwrap();
    derive(&f);
    assert_eq!(known(&f, "Ana"), ["Wants: “I prefer short answers”"]);
}

#[test]
fn a_correction_by_a_person_holds_against_every_derivation() {
    let f = Fixture::new();
    dm(&f, "c", "person Ana: I prefer short answers.");
    derive(&f);
    let id = entry(&f, "Ana", "Wants: “I prefer short answers”");
    assert!(f.engine.people().correct_profile(&id, "  ").is_err());
    f.clock.advance_ms(DAY_MS);
    f.engine.people().correct_profile(&id, "Prefers long answers about policy").unwrap();
    dm(&f, "d", "person Ana: I always prefer short answers.");
    derive(&f);
    assert_eq!(known(&f, "Ana"), ["Prefers long answers about policy"]);
    assert!(f.engine.people().correct_profile(&id, "x").is_err(), "a version that does not hold any more is not corrected");
}

#[test]
fn linking_and_taking_it_back_leaves_every_profile_as_it_was() {
    let f = Fixture::new();
    let handle =
        |channel: &str, name: &str| f.engine.store().read(|tx| tx.people().handle_by_address(channel, name)).unwrap().unwrap().id;
    dm(&f, "ana", "person Ana: I prefer short answers.\nowner Mara: Please answer in French.");
    append(
        &f,
        &Conversation::new("mail")
            .channel("email", "mail")
            .messages("person Annie: I want long, detailed explanations.\nowner Mara: I prefer bullet points."),
    );
    derive(&f);
    let all = || {
        let people = ["Ana", "Annie", "Mara"]
            .map(|name| f.engine.people().profile_rows(&f.engine.erasure().person_named(name).unwrap()).unwrap());
        (people, context(&f, "matrix:ana", "").text, context(&f, "email:mail", "").text)
    };
    let before = all();
    f.engine.people().link_handles(&handle("matrix", "Ana"), &handle("email", "Annie")).unwrap();
    derive(&f);
    f.clock.advance_ms(21 * DAY_MS);
    assert_ne!(all(), before, "the link does change what is seen, or this would show nothing");
    assert_eq!(known(&f, "Ana"), known(&f, "Annie"), "one person");
    let link = f.engine.people().links().unwrap().remove(0);
    f.engine.people().unlink(&link.id).unwrap();
    assert_eq!(all(), before, "at once");
    derive(&f);
    assert_eq!(all(), before, "and after the next derivation");
}

/// Stores the owner's wish as an entry with a closed facet, as a language model would.
fn prefers_short_answers(f: &Fixture) {
    let mara = f.engine.erasure().person_named("Mara").unwrap();
    let mut row = f.engine.people().profile_rows(&mara).unwrap().remove(0);
    row.entry.id = ProfileId::from_uuid(uuid::Uuid::from_u128(7));
    row.entry.facet = Facet::new("length").unwrap();
    row.entry.fingerprint = "length=short".to_owned();
    row.entry.content = "Prefers short answers".to_owned();
    row.entry.origin = ProfileOrigin::Model;
    row.proposer = "model".to_owned();
    f.engine.store().write(|tx| tx.profiles().insert(&row, std::slice::from_ref(&mara))).unwrap();
}

#[test]
fn who_wants_it_brief_gets_fewer_lines() {
    let served = |is_brief: bool| {
        let f = Fixture::new();
        let chatter = "owner Mara: The garden needs water, and so do the tomatoes behind the shed.\n".repeat(60);
        let lines = format!("{chatter}owner Mara: I prefer short answers.");
        append(&f, &Conversation::new("chat").channel("chat", "nova").messages(&lines));
        derive(&f);
        if is_brief {
            prefers_short_answers(&f);
        }
        let context = context(&f, "chat:nova", "");
        (context.text.lines().filter(|line| line.starts_with("- ")).count(), context.detail)
    };
    let ((brief, why), (plain, nothing)) = (served(true), served(false));
    assert!(brief * 4 < plain * 3, "{brief} lines for somebody who wants it brief, {plain} for anybody");
    assert_eq!((why.level, why.reason.as_str()), ("brief", "Because of this entry: Prefers short answers."));
    assert!(why.because.len() == 1 && why.because[0].starts_with("ep_"), "{why:?}");
    assert_eq!((nothing.level, nothing.because.len()), ("balanced", 0), "own words alone size nothing: {nothing:?}");
}

#[test]
fn what_is_new_is_followed_once_it_is_quiet_and_an_idle_engine_queues_nothing() {
    let f = Fixture::new();
    f.propose("c", "owner Mara: I work as a nurse in Leeds.");
    derive(&f);
    let jobs = || f.engine.store().read(|tx| tx.jobs().unsettled()).unwrap();
    let idle = || (f.engine.people().queue_what_changed().unwrap(), jobs());
    assert_eq!(idle(), (None, 0), "nothing changed");
    f.engine.review().act(&Act::Approve(vec![f.id_of("nurse")])).unwrap();
    assert_eq!(idle(), (None, 0), "what is approved is served itself, and tells nothing new of anybody");
    dm(&f, "d", "person Ana: I prefer short answers.");
    let due = f.engine.people().queue_what_changed().unwrap().expect("it is looked at again soon");
    assert_eq!(jobs(), 0, "more may be said in a moment");
    f.clock.set(due);
    assert_eq!(idle(), (None, 2), "quiet now: who is who, and what they want");
    assert_eq!(idle().1, 2, "one of each at a time");
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
    for _ in 0..3 {
        f.clock.advance_ms(DAY_MS);
        assert_eq!(idle(), (None, 0), "idle is idle");
    }
}

#[test]
fn another_reader_reads_everybody_again() {
    let f = Fixture::new();
    f.engine.embedder().reader().put(std::sync::Arc::new(PhraseReader::default()));
    dm(&f, "c", "person Ana: I prefer short answers.");
    derive(&f);
    assert!(known(&f, "Ana").is_empty(), "words alone decide nothing");
    f.engine.embedder().reader().put(std::sync::Arc::new(SentenceReader));
    derive(&f);
    assert_eq!(known(&f, "Ana"), ["Wants: “I prefer short answers”"]);
}

#[test]
fn a_derivation_that_failed_for_good_is_not_tried_for_ever() {
    let f = Fixture::new();
    dm(&f, "c", "person Ana: I prefer short answers.");
    f.engine.people().queue_profiles().unwrap();
    let now = f.engine.now();
    let fail = |tx: &keepsake_store::WriteTx<'_>| {
        let (lease, _) = tx.jobs().lease_next(Lane::Capture, now)?.unwrap();
        tx.jobs().fail(&lease, "no use in trying again", false, now)
    };
    f.engine.store().write(fail).unwrap();
    dm(&f, "d", "person Ana: Please answer in French.");
    for _ in 0..3 {
        assert_eq!(f.engine.people().queue_what_changed().unwrap(), None);
        f.clock.advance_ms(DAY_MS);
    }
}

#[test]
fn the_worker_follows_what_is_stale_from_its_start_on() {
    let f = Fixture::new();
    dm(&f, "c", "person Ana: I prefer short answers.");
    let changes = f.engine.store().subscribe();
    let worker = f.engine.queue().start_worker(f.engine.queue().lock_worker().unwrap(), |_| {}).unwrap();
    for _ in 0..600 {
        // Time passes, and the lanes check for work.
        f.clock.advance_ms(20_000);
        f.engine.queue().look_for_work();
        if !known(&f, "Ana").is_empty() {
            break;
        }
        let _ = changes.recv_timeout(std::time::Duration::from_millis(100));
    }
    drop(worker);
    assert_eq!(known(&f, "Ana"), ["Wants: “I prefer short answers”"]);
}

#[test]
fn what_was_said_while_a_conversation_was_private_is_in_no_profile_after_it_is_turned_back() {
    for is_private in [true, false] {
        let f = Fixture::new();
        let say = |n: u8, line: &str| {
            let mut messages = Conversation::new("c").channel("matrix", "c").messages(line);
            messages[0].source.message = format!("m{n}");
            append(&f, &messages)
        };
        let id = say(1, "person Ana: Hello.");
        if is_private {
            f.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
        }
        say(2, "person Ana: I prefer short answers.");
        f.engine.erasure().set_private(&id, false, Existing::Keep).unwrap();
        say(3, "person Ana: Please answer in French.");
        derive(&f);
        let expect: &[&str] = if is_private {
            &["Wants: “Please answer in French”"]
        } else {
            &["Wants: “I prefer short answers”", "Wants: “Please answer in French”"]
        };
        assert_eq!(known(&f, "Ana"), expect, "the control says it on the record");
    }
}

#[test]
fn an_entry_whose_older_line_went_off_the_record_gets_a_version_of_what_is_left() {
    let f = Fixture::new();
    let first = dm(&f, "one", "person Ana 2026-01-05: I prefer short answers.");
    dm(&f, "two", "person Ana 2026-01-06: I prefer short answers.");
    derive(&f);
    f.engine.erasure().set_private(&first, true, Existing::Keep).unwrap();
    dm(&f, "three", "person Ana 2026-01-09: I prefer short answers.");
    derive(&f);
    assert_eq!(known(&f, "Ana"), ["Wants: “I prefer short answers”"]);
    let ana = f.engine.erasure().person_named("Ana").unwrap();
    let rows = f.engine.people().profile_rows(&ana).unwrap();
    let live = rows.iter().find(|row| row.entry.is_live()).unwrap();
    for place in live.entry.evidence.as_slice() {
        let message = f.engine.store().read(|tx| tx.log().interaction(&place.interaction)).unwrap().unwrap();
        assert_ne!(message.conversation_id, first, "nothing of it rests on what is off the record");
    }
}
