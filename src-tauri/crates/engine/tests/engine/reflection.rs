//! Tests reflection end to end: what is proposed and what is not, decisions, applying them as one run after a backup, undo,
//! keeping private content private, and erasure together with the sources.

use std::collections::BTreeSet;

use keepsake_capture::dedup::fingerprint;
use keepsake_domain::{
    Category, Clock, Confidence, ConversationId, DAY_MS, Durability, JobState, Lane, MemoryId, MemoryKind, MemoryStatus,
    ProposalKind, ReflectionId, ReflectionKind, ReflectionStatus, Relation, Role, Span, Subject, Visibility,
};
use keepsake_engine::{Act, Audience, BackupReason, ContextRequest, Existing, KillPoint, ReflectionRules, Step, Unwatched};
use keepsake_store::{NewEvidence, NewMemory, ReflectionRow};
use keepsake_testkit::Conversation;

use crate::fixture::Fixture;

/// A memory that a person approved, resting on the one message that contains `words`.
fn kept(f: &Fixture, conversation: &ConversationId, words: &str, content: &str) -> MemoryId {
    kept_as(f, conversation, words, content, Category::PersonalInfo, Durability::LongTerm)
}

fn kept_as(
    f: &Fixture,
    conversation: &ConversationId,
    words: &str,
    content: &str,
    category: Category,
    durability: Durability,
) -> MemoryId {
    let messages = f.engine.store().read(|tx| tx.log().last_messages(conversation, None, 50)).unwrap();
    let message = messages.iter().find(|message| message.content.contains(words)).unwrap();
    let start = message.content.split(words).next().unwrap().chars().count() as u32;
    let id = MemoryId::fresh(&keepsake_testkit::SeqIds::new(f.clock.now().0 as u64 ^ start as u64 ^ content.len() as u64));
    let subject = match message.role {
        Role::Owner => Subject::Owner,
        _ => Subject::Person(keepsake_domain::Speaker::new(&message.author, &message.handle_id)),
    };
    let memory = NewMemory {
        id: id.clone(),
        status: MemoryStatus::Pending,
        kind: MemoryKind::Fact,
        category,
        subject,
        content: content.to_owned(),
        reasoning: "said".to_owned(),
        confidence: Confidence::STATED,
        durability,
        knowledge: None,
        fact: None,
        story: None,
        is_edited: false,
        proposers: vec!["test/1".to_owned()],
        fingerprint: fingerprint(content).into_bytes(),
        supersedes: None,
        evidence: vec![NewEvidence {
            interaction_id: message.id.clone(),
            span: Span::new(start, start + words.chars().count() as u32).unwrap(),
        }],
        created: f.clock.now(),
    };
    f.engine.store().write(|tx| tx.memories().insert(&memory)).unwrap();
    f.engine.review().act(&Act::Approve(vec![id.clone()])).unwrap();
    f.clock.advance_ms(1_000);
    id
}

fn chat(f: &Fixture, id: &str, lines: &str) -> ConversationId {
    f.clock.advance_ms(1_000);
    f.append(&Conversation::new(id).messages(lines))
}

/// Two wordings of one statement, an outdated plan, and an unrelated statement.
fn untidy() -> (Fixture, [MemoryId; 4]) {
    let f = Fixture::new();
    let one = chat(&f, "one", "owner Mara: I love weekend hiking.\nowner Mara: I want to run the Porto marathon in 2024.");
    let two = chat(&f, "two", "owner Mara: I love weekend hiking trips.\nowner Mara: I play the cello.");
    let ids = [
        kept(&f, &one, "I love weekend hiking", "User loves weekend hiking"),
        kept_as(
            &f,
            &one,
            "I want to run the Porto marathon in 2024",
            "User wants to run the Porto marathon in 2024",
            Category::Goal,
            Durability::LongTerm,
        ),
        kept(&f, &two, "I love weekend hiking trips", "User loves weekend hiking trips"),
        kept_as(&f, &two, "I play the cello", "User plays the cello", Category::Skill, Durability::Identity),
    ];
    f.clock.advance_ms(DAY_MS);
    (f, ids)
}

fn look(f: &Fixture) -> Vec<ReflectionRow> {
    f.engine.reflections().reflect(&Unwatched).unwrap();
    f.engine.reflections().list().unwrap()
}

fn kinds(rows: &[ReflectionRow]) -> Vec<ReflectionKind> {
    rows.iter().map(|row| row.kind).collect()
}

fn ids_of(rows: &[ReflectionRow]) -> Vec<ReflectionId> {
    rows.iter().map(|row| row.id.clone()).collect()
}

fn backups(f: &Fixture) -> usize {
    f.engine.backups().list().unwrap().iter().filter(|file| file.name.contains(BackupReason::BeforeReflection.name())).count()
}

fn status(f: &Fixture, id: &MemoryId) -> MemoryStatus {
    f.engine.store().read(|tx| tx.memories().memory(id)).unwrap().status
}

/// Everything that the context and the tables contain about memories in use.
fn told(f: &Fixture) -> String {
    let mut text = f.engine.serve().context(&ContextRequest { budget_chars: 20_000, ..ContextRequest::default() }).unwrap().text;
    let rows = f.engine.store().read(|tx| {
        let mut rows = Vec::new();
        for id in tx.memories().active_at(None)? {
            rows.push(format!(
                "{:?} {:?} {:?}",
                tx.memories().memory(&id)?,
                tx.memories().evidence(&id)?,
                tx.memories().relations_from(&id)?
            ));
        }
        Ok(rows)
    });
    text.push_str(&rows.unwrap().join("\n"));
    let folder = tempfile::tempdir().unwrap();
    f.engine.exports().export(&folder.path().join("out"), &Unwatched).unwrap();
    let mut notes: Vec<_> = Vec::new();
    let mut folders = vec![folder.path().join("out")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                notes.push((path.strip_prefix(folder.path()).unwrap().to_owned(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    notes.sort();
    assert!(!notes.is_empty(), "an export has notes");
    text.push_str(&format!("{notes:?}"));
    text
}

#[test]
fn a_look_proposes_with_reasons_changes_nothing_and_a_second_one_finds_the_same() {
    let (f, ids) = untidy();
    let before = told(&f);
    let rows = look(&f);
    assert_eq!(kinds(&rows), [ReflectionKind::Archive, ReflectionKind::Merge]);
    assert_eq!(rows[0].memories, [ids[1].clone()]);
    assert_eq!(rows[0].reason, "The year it was planned for is over.");
    assert_eq!((rows[1].memories.clone(), rows[1].keep), (vec![ids[0].clone(), ids[2].clone()], Some(1)), "the fuller one stays");
    assert_eq!(told(&f), before, "a look changes nothing that is told");
    assert_eq!(backups(&f), 0, "nothing was applied, so no backup was needed");
    assert_eq!(f.engine.reflections().reflect(&Unwatched).unwrap(), 0, "nothing new the second time");
    assert_eq!(look(&f), rows);
    let f = f.restarted(9);
    assert_eq!(look(&f), rows, "and in another process");
    assert_eq!(f.engine.reflections().reflections_waiting().unwrap(), 2);
}

#[test]
fn a_run_applies_what_was_agreed_to_after_a_backup_and_one_undo_takes_all_of_it_back() {
    let (f, ids) = untidy();
    let rows = look(&f);
    let before = told(&f);
    assert_eq!(f.engine.reflections().apply(None, &Unwatched).unwrap().operation, None, "nobody agreed to anything");
    assert_eq!(backups(&f), 0);
    assert_eq!(f.engine.reflections().decide(&ids_of(&rows), ReflectionStatus::Accepted).unwrap(), []);
    assert_eq!(told(&f), before, "agreeing changes nothing yet");
    let run = f.engine.reflections().apply(None, &Unwatched).unwrap();
    assert_eq!((run.summary.as_str(), run.applied.len()), ("Cleanup (1 archived, 1 merged)", 2));
    assert_eq!(backups(&f), 1, "one backup a run");
    assert_eq!(status(&f, &ids[1]), MemoryStatus::Archived);
    assert_eq!((status(&f, &ids[0]), status(&f, &ids[2])), (MemoryStatus::Superseded, MemoryStatus::Active));
    let evidence = f.engine.store().read(|tx| tx.memories().evidence(&ids[2])).unwrap();
    assert_eq!(evidence.len(), 2, "what stays rests on the lines of both");
    let relations = f.engine.store().read(|tx| tx.memories().relations_from(&ids[0])).unwrap();
    assert!(relations.iter().any(|(relation, to, _)| *relation == Relation::MergedInto && *to == ids[2]), "{relations:?}");
    assert_ne!(told(&f), before);
    assert!(f.engine.reflections().list().unwrap().iter().all(|row| row.status == ReflectionStatus::Applied));
    assert_eq!(f.engine.reflections().reflect(&Unwatched).unwrap(), 0, "what was applied is not proposed again");
    let again = f.engine.reflections().apply(Some(&ids_of(&rows)), &Unwatched).unwrap();
    assert_eq!((again.operation, again.needs_look.len()), (None, 2), "nor applied twice");
    assert_eq!(backups(&f), 1, "and nothing to apply needs no backup");
    // The run is undone as a whole, like any other action.
    let (operation, words, _) = f.engine.review().undo(None).unwrap().unwrap();
    assert_eq!((Some(operation), words.as_str()), (run.operation, "Undid: Cleanup (1 archived, 1 merged)"));
    assert_eq!(told(&f), before, "everything is as it was, byte for byte");
    assert!(
        f.engine.reflections().list().unwrap().iter().all(|row| row.status == ReflectionStatus::Accepted),
        "and so are the answers"
    );
    // The run can be applied and undone again.
    assert_eq!(f.engine.reflections().apply(None, &Unwatched).unwrap().applied.len(), 2);
    assert_eq!(status(&f, &ids[1]), MemoryStatus::Archived);
    assert!(f.engine.reflections().undo(None).unwrap().is_some());
    assert_eq!(told(&f), before);
    assert_eq!(f.engine.reflections().undo(None).unwrap(), None, "no run is left");
}

#[test]
fn what_was_refused_returns_only_where_its_sources_changed() {
    let (f, ids) = untidy();
    let merge = look(&f).into_iter().find(|row| row.kind == ReflectionKind::Merge).unwrap();
    f.engine.reflections().decide(std::slice::from_ref(&merge.id), ReflectionStatus::Refused).unwrap();
    let folds = |f: &Fixture| look(f).into_iter().filter(|row| row.kind == ReflectionKind::Merge).collect::<Vec<_>>();
    assert_eq!(folds(&f).iter().map(|row| row.status).collect::<Vec<_>>(), [ReflectionStatus::Refused]);
    f.clock.advance_ms(30 * DAY_MS);
    assert_eq!(folds(&f).len(), 1, "time alone changes nothing");
    let refused = f.engine.reflections().apply(Some(std::slice::from_ref(&merge.id)), &Unwatched).unwrap();
    assert_eq!(refused.operation, None, "what is refused is not applied by the way");
    let three = chat(&f, "three", "owner Mara: I love weekend hiking, still.");
    let message = f.engine.store().read(|tx| tx.log().last_messages(&three, None, 1)).unwrap().remove(0);
    let place = NewEvidence { interaction_id: message.id, span: Span::new(0, 14).unwrap() };
    f.engine.store().write(|tx| tx.memories().add_evidence(&ids[0], &place).map(drop)).unwrap();
    let open: Vec<_> = folds(&f).into_iter().filter(|row| row.status == ReflectionStatus::Open).collect();
    assert_eq!(open.len(), 1, "said again it is another matter");
    assert_ne!(open[0].id, merge.id);
}

#[test]
fn what_contradicts_is_of_others_or_is_told_to_others_is_never_folded() {
    let folds = |build: &dyn Fn(&Fixture)| {
        let f = Fixture::new();
        build(&f);
        look(&f).iter().filter(|row| row.kind == ReflectionKind::Merge).count()
    };
    let two = |f: &Fixture, a: Conversation, b: Conversation, lines: [&str; 2], contents: [&str; 2]| {
        for ((talk, line), content) in [a, b].into_iter().zip(lines).zip(contents) {
            f.clock.advance_ms(1_000);
            let id = f.append(&talk.messages(line));
            let words = line.split_once(": ").unwrap().1;
            kept(f, &id, words, content);
        }
    };
    let chats = || (Conversation::new("a"), Conversation::new("b"));
    let hiking = ["owner Mara: I love hiking", "owner Mara: I love hiking trips"];
    let says = ["User loves hiking", "User loves hiking trips"];
    assert_eq!(folds(&|f| two(f, chats().0, chats().1, hiking, says)), 1, "control: these are folded");
    let lives = ["owner Mara: I live in Porto", "owner Mara: I live in Faro"];
    assert_eq!(
        folds(&|f| two(f, chats().0, chats().1, lives, ["User lives in Porto", "User lives in Faro"])),
        0,
        "a contradiction"
    );
    let room = |id: &str| Conversation::new(id).channel("matrix", "room");
    let people = ["person Ana: I love hiking", "person Ana: I love hiking trips"];
    let of_ana = ["Ana loves hiking", "Ana loves hiking trips"];
    assert_eq!(folds(&|f| two(f, room("a"), room("b"), people, of_ana)), 1, "control: of one Ana it is one");
    let elsewhere = || Conversation::new("b").channel("slack", "room");
    assert_eq!(folds(&|f| two(f, room("a"), elsewhere(), people, of_ana)), 0, "two handles of one name are two people");
    let open = || Conversation::new("b").channel("forum", "x").public();
    assert_eq!(folds(&|f| two(f, chats().0, open(), hiking, says)), 0, "what is open stays seen where it is");
    assert_eq!(
        folds(&|f| two(f, open(), Conversation::new("c").channel("forum", "x").public(), hiking, says)),
        1,
        "control: both open"
    );
}

#[test]
fn folding_widens_nothing() {
    let f = Fixture::new();
    let ids: Vec<MemoryId> = ["a", "b"]
        .iter()
        .zip(["User loves hiking", "User loves hiking trips"])
        .map(|(id, content)| kept(&f, &chat(&f, id, "owner Mara: I really do like hiking"), "I really do like hiking", content))
        .collect();
    let row = look(&f).into_iter().find(|row| row.kind == ReflectionKind::Merge).unwrap();
    f.engine.reflections().apply(Some(&[row.id]), &Unwatched).unwrap();
    let visible = |channel: &str| {
        let audience = Audience { channel: Some(channel.to_owned()), ..Audience::default() };
        f.engine.with_view(&audience, |tx, view| view.memories(tx, None)).unwrap().memories
    };
    assert_eq!(visible("forum:x"), Vec::<MemoryId>::new(), "said in private, told in no open place");
    assert_eq!(visible("chat").len(), 1, "control: the owner's own program has it");
    let stays = ids.iter().find(|id| status(&f, id) == MemoryStatus::Active).unwrap();
    assert_eq!(f.engine.store().read(|tx| tx.memories().memory(stays)).unwrap().visibility, Visibility::Private);
}

#[test]
fn what_was_folded_before_goes_on_with_its_lines() {
    let f = Fixture::new();
    let of = |id: &str, content: &str| kept(&f, &chat(&f, id, "owner Mara: I like hiking a lot"), "I like hiking a lot", content);
    let (a, b) = (of("a", "User loves weekend hiking"), of("b", "User loves weekend hiking"));
    f.engine.review().act(&Act::Merge(a, b.clone())).unwrap();
    let c = of("c", "User loves weekend hiking trips");
    let row = look(&f).into_iter().find(|row| row.kind == ReflectionKind::Merge).unwrap();
    assert_eq!(row.memories, [b.clone(), c.clone()]);
    f.engine.reflections().apply(Some(&[row.id]), &Unwatched).unwrap();
    assert_eq!(f.engine.store().read(|tx| tx.memories().evidence(&c)).unwrap().len(), 3, "no line is lost");
    f.engine.review().undo(None).unwrap();
    assert_eq!(f.engine.store().read(|tx| tx.memories().evidence(&b)).unwrap().len(), 2);
    assert_eq!(f.engine.store().read(|tx| tx.memories().evidence(&c)).unwrap().len(), 1);
}

#[test]
fn what_is_private_or_taken_back_is_not_proposed_and_leaves_the_list_at_once() {
    let (f, ids) = untidy();
    let all = look(&f);
    assert_eq!(all.len(), 2);
    let conversation = f.engine.store().read(|tx| tx.memories().memory(&ids[3])).unwrap().conversation_id;
    f.engine.erasure().set_private(&conversation, true, Existing::Keep).unwrap();
    let left = f.engine.reflections().list().unwrap();
    assert_eq!(kinds(&left), [ReflectionKind::Archive], "one rests on the conversation");
    assert_eq!(kinds(&look(&f)), [ReflectionKind::Archive]);
    f.engine.review().act(&Act::Reject(vec![ids[1].clone()], None)).unwrap();
    assert_eq!(f.engine.reflections().list().unwrap(), [], "what was refused is tidied by nobody");
    assert_eq!(look(&f), []);
}

#[test]
fn an_erased_source_takes_its_proposals_along() {
    let (f, ids) = untidy();
    assert_eq!(look(&f).len(), 2);
    let conversation = f.engine.store().read(|tx| tx.memories().memory(&ids[1])).unwrap().conversation_id;
    assert!(f.engine.erasure().erase_conversation(&conversation, "test").unwrap().is_done);
    assert_eq!(f.engine.reflections().list().unwrap(), []);
    let file = f.dir.path().join("keepsake.db");
    assert!(!std::fs::read(&file).unwrap().windows(14).any(|window| window == b"Porto marathon"), "nor does the file hold it");
}

#[test]
fn what_waits_too_long_is_parked_and_can_be_restored() {
    let (f, _) = untidy();
    let rows = look(&f);
    let park = || {
        f.engine.maintenance().start().unwrap();
        f.engine.maintenance().cancel().unwrap();
        f.engine.maintenance().state().unwrap().runs[0].row.parked
    };
    f.clock.advance_ms(61 * DAY_MS);
    f.engine.reflections().decide(&ids_of(&rows)[..1], ReflectionStatus::Parked).unwrap();
    assert_eq!(park(), 1, "what a person parked is theirs");
    assert_eq!(f.engine.review().expired_proposals().unwrap().len(), 1, "and is not told of as having waited too long");
    f.engine.reflections().decide(&ids_of(&rows)[..1], ReflectionStatus::Open).unwrap();
    f.clock.advance_ms(61 * DAY_MS);
    assert_eq!(park(), 1);
    let parked = f.engine.reflections().list().unwrap();
    assert!(parked.iter().all(|row| row.status == ReflectionStatus::Parked && row.is_parked_by_age), "{parked:?}");
    assert_eq!(f.engine.reflections().reflections_waiting().unwrap(), 0);
    assert_eq!(f.engine.reflections().reflect(&Unwatched).unwrap(), 0, "parked it is not found anew");
    let aside = f.engine.review().expired_proposals().unwrap();
    assert!(aside.iter().all(|one| one.proposal.kind == ProposalKind::Reflection && !one.proposal.title.is_empty()), "{aside:?}");
    assert_eq!(aside[0].at, f.clock.now(), "the latest first");
    let wanted: Vec<_> = aside.into_iter().map(|one| (one.proposal.kind, one.proposal.id)).collect();
    f.engine.review().restore_proposals(&wanted).unwrap();
    assert_eq!(
        (f.engine.reflections().reflections_waiting().unwrap(), f.engine.review().expired_proposals().unwrap().len()),
        (2, 0)
    );
    assert!(f.engine.review().restore_proposals(&wanted).is_err(), "what is not set aside cannot be taken back");
    assert_eq!(park(), 0);
    assert_eq!(f.engine.reflections().reflections_waiting().unwrap(), 2, "what came back waits anew");
}

fn night(f: &Fixture) {
    f.engine.reflections().queue().unwrap();
    while let Step::Ran(_, state) = f.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {
        assert_eq!(state, JobState::Done);
    }
}

#[test]
fn the_night_applies_only_what_was_allowed_and_asks_again_about_what_was_undone() {
    let (f, ids) = untidy();
    night(&f);
    assert_eq!(
        (f.engine.reflections().reflections_waiting().unwrap(), backups(&f)),
        (2, 0),
        "by default it asks about everything"
    );
    f.engine.reflections().set_rules(&ReflectionRules { automatic: vec![ReflectionKind::Archive] }).unwrap();
    let before = told(&f);
    night(&f);
    assert_eq!((status(&f, &ids[1]), backups(&f)), (MemoryStatus::Archived, 1));
    assert_eq!(status(&f, &ids[0]), MemoryStatus::Active, "merging was not allowed");
    assert_eq!(f.engine.reflections().reflections_waiting().unwrap(), 1);
    let approved = f.engine.review().undo(None).unwrap().unwrap().1;
    assert!(approved.starts_with("Undid: Approved"), "undo is for what a person did: {approved}");
    let (f, ids) = untidy();
    f.engine.reflections().set_rules(&ReflectionRules { automatic: vec![ReflectionKind::Archive] }).unwrap();
    night(&f);
    assert_eq!(status(&f, &ids[1]), MemoryStatus::Archived);
    f.engine.reflections().undo(None).unwrap().unwrap();
    assert_eq!(told(&f), before);
    night(&f);
    assert_eq!(status(&f, &ids[1]), MemoryStatus::Active, "taken back once it is asked about");
    assert_eq!(f.engine.reflections().reflections_waiting().unwrap(), 2);
}

#[test]
fn it_ends_the_same_wherever_the_program_dies() {
    let allowed = ReflectionRules { automatic: vec![ReflectionKind::Archive, ReflectionKind::Merge] };
    let state = |f: &Fixture| {
        let rows = f.engine.reflections().list().unwrap();
        let rows: BTreeSet<_> = rows.into_iter().map(|row| (row.id, row.status.name())).collect();
        (rows, f.memories())
    };
    let whole = untidy().0;
    whole.engine.reflections().set_rules(&allowed).unwrap();
    night(&whole);
    let mut died = 0;
    for point in [KillPoint::AfterLease, KillPoint::Working, KillPoint::AfterEffects] {
        let f = untidy().0;
        f.engine.reflections().set_rules(&allowed).unwrap();
        f.engine.reflections().queue().unwrap();
        died += u32::from(f.engine.queue().run_next_killed(Lane::Capture, &|_| {}, &|at| at == point).unwrap().is_none());
        let f = f.restarted(7);
        drop(f.engine.queue().lock_worker().unwrap());
        night(&f);
        assert_eq!(state(&f), state(&whole), "{point:?}");
    }
    assert_eq!(died, 3, "the program really died");
}

#[test]
fn a_run_that_is_cancelled_leaves_nothing() {
    struct Stopped;
    impl keepsake_engine::Control for Stopped {
        fn progress(&self, _: &str, _: u64, _: u64) {}
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let (f, _) = untidy();
    assert!(f.engine.reflections().reflect(&Stopped).is_err());
    assert_eq!(f.engine.reflections().list().unwrap(), []);
    assert_eq!(look(&f).len(), 2, "control: left to itself it finds them");
}
