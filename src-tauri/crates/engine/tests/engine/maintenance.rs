//! Tests maintenance: when it is due, what it waits for, that a crash does not change the result, and what the digest counts.

use std::cell::Cell;
use std::collections::BTreeSet;

use keepsake_domain::proposal::EXPIRE_AFTER_DAYS;
use keepsake_domain::{Clock, DAY_MS, HOUR_MS, HandleId, Lane, LinkId, PlaybookStatus, ProposalKind, RunState, Timestamp};
use keepsake_engine::{Act, Digest, KillPoint, MaintenanceRules, PARKED_UNTIL, Step, Unwatched};
use keepsake_store::{LinkSuggestionRow, MaintenanceRunRow, TopicProposalRow};
use keepsake_testkit::{Conversation, SeqIds, ToolSession, conversation};

use crate::fixture::Fixture;

fn last(f: &Fixture) -> MaintenanceRunRow {
    f.engine.store().read(|tx| tx.maintenance().runs(1)).unwrap().remove(0)
}

fn digest(f: &Fixture) -> Digest {
    f.engine.maintenance().state().unwrap().runs.remove(0).digest.unwrap()
}

fn count(counts: &[(String, u64)], name: &str) -> u64 {
    counts.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no count is called {name}: {counts:?}")).1
}

/// Runs the jobs of every lane until none may start.
fn drain(f: &Fixture) -> usize {
    let mut ran = 0;
    loop {
        let before = ran;
        for &lane in Lane::ALL {
            while let Step::Ran(..) = f.engine.queue().run_next(lane, &|_| {}).unwrap() {
                ran += 1;
            }
        }
        if ran == before {
            return ran;
        }
    }
}

#[test]
fn it_begins_once_a_night_and_not_on_the_day_of_the_first_look() {
    let f = Fixture::new();
    // Monday at ten in the morning.
    let next = f.engine.maintenance().queue().unwrap().unwrap();
    assert_eq!(next.0 - f.clock.now().0, 17 * HOUR_MS, "three in the night");
    assert_eq!(f.engine.store().read(|tx| tx.maintenance().runs(9)).unwrap(), []);
    f.clock.advance_ms(17 * HOUR_MS);
    let next = f.engine.maintenance().queue().unwrap().unwrap();
    assert_eq!(next.0 - f.clock.now().0, DAY_MS, "and the night after");
    drain(&f);
    assert_eq!(last(&f).state, RunState::Finished);
    f.engine.maintenance().queue().unwrap();
    assert_eq!(f.engine.store().read(|tx| tx.maintenance().runs(9)).unwrap().len(), 1, "once is enough");
    f.clock.advance_ms(5 * DAY_MS);
    f.engine.maintenance().queue().unwrap();
    drain(&f);
    f.engine.maintenance().queue().unwrap();
    assert_eq!(
        f.engine.store().read(|tx| tx.maintenance().runs(9)).unwrap().len(),
        2,
        "nights that were missed are made up for once"
    );
    f.engine.maintenance().set_rules(&MaintenanceRules { automatic: false, ..MaintenanceRules::default() }).unwrap();
    f.clock.advance_ms(5 * DAY_MS);
    assert_eq!(f.engine.maintenance().queue().unwrap(), None, "switched off");
    for bad in
        [MaintenanceRules { hour: 24, ..Default::default() }, MaintenanceRules { park_after_days: 1, ..Default::default() }]
    {
        assert!(f.engine.maintenance().set_rules(&bad).is_err(), "{bad:?}");
    }
}

#[test]
fn the_digest_counts_what_came_since_the_one_before_and_what_waits() {
    let f = Fixture::new();
    f.append(&conversation("c1", "owner Mara: I'm allergic to peanuts.\nperson Ana: Good to know."));
    f.engine.maintenance().start().unwrap();
    assert_eq!(last(&f).state, RunState::Running, "its jobs are not worked yet");
    assert!(f.engine.maintenance().state().unwrap().jobs_left > 0);
    drain(&f);
    let first = digest(&f);
    assert_eq!(
        (count(&first.new, "messages"), count(&first.new, "candidates"), count(&first.waiting, "review")),
        (2, 1, 1),
        "{first:?}"
    );
    f.clock.advance_ms(HOUR_MS);
    f.engine.review().act(&Act::Approve(vec![f.id_of("peanuts")])).unwrap();
    f.clock.advance_ms(DAY_MS);
    f.append(&conversation("c2", "owner Mara: I live in Porto."));
    f.engine.maintenance().start().unwrap();
    drain(&f);
    let second = digest(&f);
    assert_eq!(count(&second.new, "messages"), 1, "of the first two it told before");
    assert_eq!((count(&second.new, "candidates"), count(&second.new, "approved"), count(&second.waiting, "review")), (1, 1, 1));
    f.clock.advance_ms(DAY_MS);
    f.engine.maintenance().start().unwrap();
    drain(&f);
    let third = digest(&f);
    assert!(third.new.iter().all(|(_, count)| *count == 0), "nothing happened: {third:?}");
}

#[test]
fn it_ends_the_same_wherever_the_program_dies() {
    let talk =
        || conversation("c1", "owner Mara: I'm allergic to peanuts.\nowner Mara: I live in Porto.\nperson Ana: Good to know.");
    let whole = Fixture::new();
    whole.append(&talk());
    whole.engine.maintenance().start().unwrap();
    drain(&whole);
    let mut died = 0;
    for lane in [Lane::Capture, Lane::Embed] {
        for point in [KillPoint::AfterLease, KillPoint::Working, KillPoint::AfterEffects] {
            for nth in 0..6 {
                let f = Fixture::new();
                f.append(&talk());
                f.engine.maintenance().start().unwrap();
                let met = Cell::new(0);
                let kill = |at: KillPoint| {
                    met.set(met.get() + u32::from(at == point));
                    at == point && met.get() > nth
                };
                let mut is_dead = false;
                while !is_dead {
                    match f.engine.queue().run_next_killed(lane, &|_| {}, &kill).unwrap() {
                        Some(Step::Ran(..)) => {}
                        Some(_) => break,
                        None => is_dead = true,
                    }
                }
                died += u32::from(is_dead);
                let f = f.restarted(2);
                drop(f.engine.queue().lock_worker().unwrap());
                f.engine.maintenance().queue().unwrap();
                drain(&f);
                f.engine.maintenance().queue().unwrap();
                assert_eq!(last(&f).state, RunState::Finished, "died in {lane} at {point:?} number {nth}");
                assert_eq!(digest(&f), digest(&whole), "died in {lane} at {point:?} number {nth}");
                assert_eq!(f.memories(), whole.memories());
            }
        }
    }
    assert!(died >= 6, "the program really died: {died} times");
}

#[test]
fn a_cycle_that_is_stopped_leaves_no_job_and_no_digest() {
    let f = Fixture::new();
    f.append(&conversation("c1", "owner Mara: I'm allergic to peanuts."));
    assert!(!f.engine.maintenance().cancel().unwrap(), "there is none");
    let id = f.engine.maintenance().start().unwrap();
    assert_eq!(f.engine.maintenance().start().unwrap(), id, "one at a time");
    assert!(f.engine.maintenance().cancel().unwrap());
    assert_eq!((last(&f).state, last(&f).digest), (RunState::Cancelled, None));
    assert_eq!(drain(&f), 0, "its jobs are gone");
    f.engine.maintenance().start().unwrap();
    assert!(drain(&f) > 0, "control: another one does them");
    assert_eq!(f.memories().len(), 1);
}

#[test]
fn what_waits_too_long_is_parked_stays_visible_and_comes_back() {
    let f = Fixture::new();
    f.propose("c1", "owner Mara: I'm allergic to peanuts.");
    let (old, days) = (f.id_of("peanuts"), i64::from(EXPIRE_AFTER_DAYS));
    f.clock.advance_ms((days - 1) * DAY_MS);
    f.propose("c2", "owner Mara: I live in Porto.");
    assert_eq!(f.engine.maintenance().expire_old_memories().unwrap(), 0, "a day is left");
    f.clock.advance_ms(DAY_MS);
    f.engine.maintenance().start().unwrap();
    drain(&f);
    assert_eq!(last(&f).parked, 1, "the newer one waits on");
    let waiting = digest(&f).waiting;
    assert_eq!((count(&waiting, "review"), count(&waiting, "parked")), (1, 1));
    let until = || f.engine.store().read(|tx| tx.memories().memory(&old)).unwrap().snoozed_until;
    assert_eq!(until(), Some(PARKED_UNTIL));
    assert_eq!(f.engine.maintenance().expire_old_memories().unwrap(), 0, "what is parked is not parked again");
    assert_eq!(f.engine.review().undo(None).unwrap(), None, "undo is for what a person did");
    let back = f.engine.review().act(&Act::Restore(vec![old.clone()])).unwrap();
    assert_eq!((back.applied.len(), until()), (1, None));
    f.engine.review().undo(None).unwrap();
    assert_eq!(until(), Some(PARKED_UNTIL), "and undone it is parked as before");
    assert!(
        f.engine.review().act(&Act::Approve(vec![old])).unwrap().operation.is_some(),
        "whoever finds it parked may approve it"
    );
}

/// An open link, topic proposal, playbook and gap.
fn four_proposals() -> Fixture {
    let f = Fixture::new();
    let began = |days: i64| Timestamp(f.clock.now().0 - days * DAY_MS);
    for days in 1..4 {
        f.clock.advance_ms(1_000);
        let script = "Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v1.0.0";
        let session = ToolSession { id: &format!("release-{days}"), began: began(days), folder: "/home/mara/app", script };
        f.append(&session.messages());
    }
    for (id, day) in [("a", "2026-02-05"), ("b", "2026-02-07")] {
        f.clock.advance_ms(1_000);
        let need = "export my notes as PDF";
        let lines = format!("owner Mara {day}: Please {need}.\nassistant Nova {day}: Sorry, I can't {need}.");
        f.append(&Conversation::new(id).channel("chat", id).messages(&lines));
    }
    f.clock.advance_ms(1_000);
    f.append(&Conversation::new("pump").channel("matrix", "pump").messages(
        "owner Mara: The water pump at the well makes no sound when I press the switch.
person Robin Hale: Did you look at the fuse of the water pump in the shed?
owner Mara: The fuse is fine, the pump gets 230 volts at the socket.
person Robin Hale: Then the capacitor of the pump is broken, a new capacitor costs twelve euros.
owner Mara: We decided to try a new capacitor before we buy a new pump.
person Robin Hale: I ordered a capacitor for the pump with 16 microfarad.",
    ));
    f.clock.advance_ms(1_000);
    f.append(&Conversation::new("lisbon").channel("matrix", "lisbon").messages(
        "owner Mara: The flights to Lisbon in May cost 180 each with the morning flight.
person R. Hale: The guesthouse in Lisbon with the garden still has a room for five nights.
owner Mara: I booked the morning flight to Lisbon and reserved the guesthouse.
person R. Hale: We need tickets for the tile museum in Lisbon, they sell out.
owner Mara: The tile museum in Lisbon is closed on Mondays, so I took tickets for Friday.",
    ));
    f.clock.advance_ms(2 * DAY_MS);
    f.engine.people().queue_profiles().unwrap();
    f.engine.playbooks().queue().unwrap();
    f.engine.topics().queue().unwrap();
    drain(&f);
    let handles = f.engine.store().read(|tx| tx.people().handles()).unwrap();
    let id_of = |name: &str| handles.iter().find(|row| row.display_name == name).unwrap().id.clone();
    suggest(&f, id_of("Robin Hale"), id_of("R. Hale"), "f1");
    let topics = f.engine.topics().list().unwrap();
    let (one, other) = (&topics[0].topic, &topics[1].topic);
    let row = TopicProposalRow {
        id: "owner-proposal".to_owned(),
        partition: one.partition.clone(),
        kind: "merge".to_owned(),
        topic: one.id.clone(),
        other: Some(other.id.clone()),
        nearness: 0.6,
        why: Vec::new(),
        apart: Vec::new(),
    };
    f.engine.store().write(|tx| tx.topics().insert_proposal(&row)).unwrap();
    f
}

fn suggest(f: &Fixture, a: HandleId, b: HandleId, evidence_fingerprint: &str) {
    let row = LinkSuggestionRow {
        // Used only for a new pair; a known pair keeps its id.
        id: LinkId::fresh(&SeqIds::new(f.clock.now().0 as u64)),
        a: a.clone().min(b.clone()),
        b: a.max(b),
        strength: "guess".to_owned(),
        evidence_for: format!(r#"[{{"kind":"shared_terms","terms":["{evidence_fingerprint}"],"spans":[]}}]"#),
        evidence_against: "[]".to_owned(),
        evidence_fingerprint: evidence_fingerprint.to_owned(),
        proposer: "test/1".to_owned(),
    };
    f.engine.store().write(|tx| tx.people().replace_link_suggestions(&[row], f.clock.now())).unwrap();
}

/// Starts a run, which expires proposals, and stops it before its jobs find any proposal again.
fn park(f: &Fixture) -> u64 {
    f.engine.maintenance().start().unwrap();
    f.engine.maintenance().cancel().unwrap();
    last(f).parked
}

/// Number of open proposals of each kind: links, topic proposals, playbooks, gaps.
fn waiting(f: &Fixture) -> [u64; 4] {
    let counts = f.engine.store().read(|tx| tx.maintenance().waiting(f.clock.now(), PARKED_UNTIL)).unwrap();
    let counts: Vec<(String, u64)> = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    assert_eq!(f.engine.playbooks().playbooks_waiting().unwrap(), count(&counts, "playbooks"));
    let gaps = f.engine.gaps().list().unwrap().len() as u64;
    assert_eq!(gaps, count(&counts, "gaps"), "the list and the number agree");
    let links = f.engine.people().links().unwrap().iter().filter(|link| link.status.name() == "open").count() as u64;
    assert_eq!(links, f.engine.people().open_links().unwrap(), "the list and the number agree");
    [links, count(&counts, "topic_proposals"), count(&counts, "playbooks"), gaps]
}

fn aside(f: &Fixture) -> Vec<(ProposalKind, String)> {
    f.engine.review().expired_proposals().unwrap().into_iter().map(|one| (one.proposal.kind, one.proposal.id)).collect()
}

#[test]
fn every_kind_of_proposal_that_waits_too_long_is_set_aside_listed_and_comes_back() {
    let f = four_proposals();
    let all = [1, 1, 1, 1];
    assert_eq!(waiting(&f), all);
    assert_eq!((park(&f), waiting(&f), aside(&f)), (0, all, Vec::new()), "nothing has waited yet");
    f.clock.advance_ms((i64::from(EXPIRE_AFTER_DAYS) - 3) * DAY_MS);
    assert_eq!((park(&f), waiting(&f)), (0, all), "nor long enough");
    f.clock.advance_ms(4 * DAY_MS);
    assert_eq!((park(&f), waiting(&f)), (4, [0, 0, 0, 0]));
    let parked = f.engine.review().expired_proposals().unwrap();
    let kinds: BTreeSet<ProposalKind> = parked.iter().map(|one| one.proposal.kind).collect();
    assert_eq!(kinds.len(), 4, "{parked:?}");
    assert!(parked.iter().all(|one| !one.proposal.title.is_empty() && one.at == f.clock.now()), "{parked:?}");
    assert_eq!((park(&f), aside(&f).len()), (0, 4), "a second look changes nothing");
    let before = aside(&f);
    f.engine.review().restore_proposals(&before[..1]).unwrap();
    assert_eq!(aside(&f), before[1..], "one comes back");
    f.engine.review().restore_proposals(&before[1..]).unwrap();
    assert_eq!((waiting(&f), aside(&f)), (all, Vec::new()), "and all of them");
    assert_eq!((park(&f), waiting(&f)), (0, all), "they wait anew");
    assert!(f.engine.review().restore_proposals(&before).is_err(), "what is not set aside cannot be taken back");
    f.clock.advance_ms((i64::from(EXPIRE_AFTER_DAYS) + 1) * DAY_MS);
    assert_eq!(park(&f), 4, "and as long as before");
    let f = f.restarted(3);
    assert_eq!(aside(&f).len(), 4, "which outlives the process");
}

#[test]
fn what_is_set_aside_comes_back_by_itself_when_something_new_speaks_for_it_and_goes_when_it_is_answered() {
    let f = four_proposals();
    park(&f);
    f.clock.advance_ms((i64::from(EXPIRE_AFTER_DAYS) + 1) * DAY_MS);
    assert_eq!(park(&f), 4);
    let handles = f.engine.store().read(|tx| tx.people().link_suggestions()).unwrap().remove(0);
    suggest(&f, handles.a, handles.b, "f2");
    assert_eq!(waiting(&f)[0], 1, "there is new evidence");
    assert!(!aside(&f).iter().any(|(kind, _)| *kind == ProposalKind::Link));
    park(&f);
    assert_eq!(waiting(&f)[0], 1, "and it waits anew");
    let playbook = f.engine.playbooks().list().unwrap().remove(0);
    f.engine.playbooks().decide(&playbook.id, PlaybookStatus::Approved).unwrap();
    let gap = aside(&f).into_iter().find(|(kind, _)| *kind == ProposalKind::Gap).unwrap();
    f.engine.gaps().dismiss(&gap.1.parse().unwrap(), true).unwrap();
    let left: Vec<ProposalKind> = aside(&f).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(left, [ProposalKind::Topic], "what was answered is not told of as set aside");
    f.engine.gaps().dismiss(&gap.1.parse().unwrap(), false).unwrap();
    park(&f);
    let kept = |kind| f.engine.store().read(|tx| tx.memories().waits()).unwrap().iter().any(|row| row.kind == kind);
    assert!(kept(ProposalKind::Playbook), "a cycle that was stopped may not have found again what there is");
    f.engine.maintenance().start().unwrap();
    drain(&f);
    assert!(!kept(ProposalKind::Playbook) && kept(ProposalKind::Gap), "one that ended has");
}

#[test]
fn what_is_set_aside_stays_so_through_a_rebuild() {
    let f = four_proposals();
    park(&f);
    f.clock.advance_ms((i64::from(EXPIRE_AFTER_DAYS) + 1) * DAY_MS);
    assert_eq!(park(&f), 4);
    // The link and the topic proposal were inserted directly, so they are not found again.
    let derived = |(kind, _): &(ProposalKind, String)| matches!(kind, ProposalKind::Gap | ProposalKind::Playbook);
    let before: Vec<_> = aside(&f).into_iter().filter(derived).collect();
    assert_eq!(before.len(), 2);
    f.engine.maintenance().begin_rebuild(&Unwatched).unwrap();
    drain(&f);
    assert_eq!(aside(&f).into_iter().filter(derived).collect::<Vec<_>>(), before);
    assert_eq!(waiting(&f)[2..], [0, 0], "and nothing of it waits");
    f.engine.review().restore_proposals(&before).unwrap();
    assert_eq!(waiting(&f)[2..], [1, 1], "control: they were found again");
}
