//! Reflection by a model: its proposals appear in the same list under its name if the rules allow them, and the same run applies
//! them with the same undo. The rules' proposals stay if the model fails or may not be asked.

use std::sync::{Arc, Mutex, PoisonError};

use keepsake_capture::dedup::fingerprint;
use keepsake_domain::{
    Category, Clock, Confidence, ConversationId, DAY_MS, Durability, Engines, JobKind, JobState, Lane, MemoryId, MemoryKind,
    MemoryStatus, ReflectionId, ReflectionKind, Span, Subject,
};
use keepsake_engine::{Act, Engine, Existing, KillPoint, PluggedIn, ReflectionRules, Step, Unwatched};
use keepsake_store::{NewEvidence, NewMemory, ReflectionRow};
use keepsake_testkit::scripted_server::{Answer, Fault, Received, ScriptedServer};
use keepsake_testkit::{Conversation, SeqIds, conversation};
use serde_json::{Value, json};

use super::Desk;
use super::yes::{purpose, reply};

const RULES: &str = "builtin-reflection/2";
const MODEL: &str = "tiny:1b reflect/2";

const TALK: &str = "owner Mara: I bake rye bread for the neighbours. I bake fresh bread. I play the cello.
assistant Nova: That sounds fine.
owner Mara: I am building a boat shed.
assistant Nova: That is a fine plan, and since there is so much to say about the ground, the wood, the roof, the neighbours and everything else around it I will begin with the paperwork today. The shed needs a permit.
owner Mara: I am reading a book about the Alps.";

const ALPS: &str = "User is reading a book about the Alps";
const RYE: &str = "User bakes rye bread for the neighbours";
const FRESH: &str = "User bakes fresh bread";
const CELLO: &str = "User plays the cello";
const SHED: &str = "User is building a boat shed";

/// The entries in a request: number and text.
fn entries(request: &Received) -> Vec<(u64, String)> {
    let text = request.message("user");
    let read = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    read.filter_map(|line| Some((line["entry"].as_u64()?, line["text"].as_str()?.to_owned()))).collect()
}

/// A good model's reply to requests about these entries; to all others, the reply of the model that says yes.
fn good(request: &Received) -> String {
    if purpose(request) != "reflect" {
        return reply(request, &[]);
    }
    let entries = entries(request);
    let of = |content: &str| entries.iter().find(|(_, text)| text == content).map(|(number, _)| *number);
    json!({
        "archive": of(ALPS).map(|entry| json!({ "entry": entry, "because": "over" })).into_iter().collect::<Vec<_>>(),
        "merge": of(RYE).zip(of(FRESH)).map(|(a, b)| json!([a, b])).into_iter().collect::<Vec<_>>(),
    })
    .to_string()
}

fn server() -> ScriptedServer {
    ScriptedServer::start(|request| Answer::Text(good(request)))
}

fn server_with(about_entries: impl Fn(&Received) -> String + Send + Sync + 'static) -> ScriptedServer {
    ScriptedServer::start(move |request| {
        Answer::Text(if purpose(request) == "reflect" { about_entries(request) } else { reply(request, &[]) })
    })
}

impl Desk {
    /// An approved memory with the one message that contains `words` as its evidence.
    fn approved(&self, conversation: &ConversationId, words: &str, content: &str, category: Category) -> MemoryId {
        let messages = self.engine.store().read(|tx| tx.log().last_messages(conversation, None, 50)).unwrap();
        let message = messages.iter().find(|message| message.content.contains(words)).unwrap();
        let start = message.content.split(words).next().unwrap().chars().count() as u32;
        let id = MemoryId::fresh(&SeqIds::new(self.clock.now().0 as u64 ^ u64::from(start) ^ content.len() as u64));
        let memory = NewMemory {
            id: id.clone(),
            status: MemoryStatus::Pending,
            kind: MemoryKind::Fact,
            category,
            subject: Subject::Owner,
            content: content.to_owned(),
            reasoning: "said".to_owned(),
            confidence: Confidence::STATED,
            durability: Durability::LongTerm,
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
            created: self.clock.now(),
        };
        self.engine.store().write(|tx| tx.memories().insert(&memory)).unwrap();
        self.engine.review().act(&Act::Approve(vec![id.clone()])).unwrap();
        self.clock.advance_ms(1_000);
        id
    }

    /// Memories from two months ago for which the rules find no cleanup.
    fn untidy(&self) -> (ConversationId, [MemoryId; 5]) {
        let id = self.append(&conversation("talk", TALK));
        self.work();
        let ids = [
            (ALPS, "I am reading a book about the Alps", Category::PersonalInfo),
            (RYE, "I bake rye bread for the neighbours", Category::PersonalInfo),
            (FRESH, "I bake fresh bread", Category::PersonalInfo),
            (CELLO, "I play the cello", Category::Skill),
            (SHED, "I am building a boat shed", Category::Project),
        ]
        .map(|(content, words, category)| self.approved(&id, words, content, category));
        self.clock.advance_ms(60 * DAY_MS);
        (id, ids)
    }

    /// Looks for cleanups and runs the queue. Returns the final state of the model's last job.
    fn reflect(&self) -> Option<JobState> {
        self.engine.reflections().queue().unwrap();
        self.work()
    }

    fn proposals(&self) -> Vec<ReflectionRow> {
        self.engine.reflections().list().unwrap()
    }

    fn by_model(&self) -> Vec<ReflectionKind> {
        self.proposals().iter().filter(|row| row.proposer == MODEL).map(|row| row.kind).collect()
    }

    fn asked_to_reflect(&self, server: &ScriptedServer) -> Vec<String> {
        server.received().iter().filter(|request| purpose(request) == "reflect").map(|request| request.message("user")).collect()
    }

    fn status(&self, id: &MemoryId) -> MemoryStatus {
        self.engine.store().read(|tx| tx.memories().memory(id)).unwrap().status
    }

    fn reflections_kept(&self) -> i64 {
        let raw = rusqlite::Connection::open(self.engine.store().path()).unwrap();
        raw.query_row("SELECT count(*) FROM model_replies WHERE task = 'reflection'", [], |row| row.get(0)).unwrap()
    }
}

fn ids(rows: &[ReflectionRow]) -> Vec<ReflectionId> {
    rows.iter().map(|row| row.id.clone()).collect()
}

const ALL_KINDS: [ReflectionKind; 2] = [ReflectionKind::Archive, ReflectionKind::Merge];

#[test]
fn a_model_proposes_both_kinds_in_the_same_list_and_one_run_applies_them_with_one_undo() {
    let server = server();
    let desk = Desk::new(&server);
    let (_, [alps, rye, fresh, ..]) = desk.untidy();
    assert_eq!(desk.reflect(), Some(JobState::Done));
    assert_eq!(desk.by_model(), ALL_KINDS, "{:?}", desk.proposals());
    let rows = desk.proposals();
    // A second run sends no request and finds the same proposals.
    desk.reflect();
    assert_eq!((ids(&desk.proposals()), desk.asked_to_reflect(&server).len()), (ids(&rows), 1));
    let run = desk.engine.reflections().apply(Some(&ids(&rows)), &Unwatched).unwrap();
    assert_eq!((run.applied.len(), run.needs_look.len()), (2, 0), "{run:?}");
    assert_eq!(
        [&alps, &rye, &fresh].map(|id| desk.status(id)),
        [MemoryStatus::Archived, MemoryStatus::Active, MemoryStatus::Superseded]
    );
    desk.engine.reflections().undo(run.operation.as_ref()).unwrap().unwrap();
    assert!([&alps, &rye, &fresh].iter().all(|id| desk.status(id) == MemoryStatus::Active), "one undo for all of it");
    // Control: without a model, the rules send no request and make none of these proposals.
    let other = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    let before = server.connections();
    other.untidy();
    other.reflect();
    assert_eq!((other.proposals(), server.connections()), (Vec::new(), before));
}

#[test]
fn what_a_person_refused_stays_refused_and_a_part_that_was_applied_leaves_the_rest() {
    let server = server();
    let desk = Desk::new(&server);
    desk.untidy();
    desk.reflect();
    let of = |kind: ReflectionKind| desk.proposals().into_iter().find(|row| row.kind == kind).unwrap().id;
    let (archive, merge) = (of(ReflectionKind::Archive), of(ReflectionKind::Merge));
    desk.engine.reflections().decide(std::slice::from_ref(&archive), keepsake_domain::ReflectionStatus::Refused).unwrap();
    desk.engine.reflections().apply(Some(std::slice::from_ref(&merge)), &Unwatched).unwrap();
    desk.reflect();
    let waiting: Vec<ReflectionKind> =
        desk.proposals().iter().filter(|row| row.status == keepsake_domain::ReflectionStatus::Open).map(|row| row.kind).collect();
    assert_eq!(waiting, []);
    assert_eq!(desk.asked_to_reflect(&server).len(), 2, "the one that stays rests on more than it did, and is another entry");
    desk.reflect();
    assert_eq!(desk.asked_to_reflect(&server).len(), 2, "and then nobody is asked anew");
}

#[test]
fn nothing_of_a_models_is_applied_without_a_person_whatever_the_night_may_do() {
    let server = server();
    let desk = Desk::new(&server);
    let (_, ids) = desk.untidy();
    let automatic = vec![ReflectionKind::Archive, ReflectionKind::Merge];
    desk.engine.reflections().set_rules(&ReflectionRules { automatic }).unwrap();
    desk.reflect();
    desk.reflect();
    assert_eq!(desk.by_model(), ALL_KINDS);
    assert!(ids.iter().all(|id| desk.status(id) == MemoryStatus::Active));
}

#[test]
fn the_chosen_engine_decides_whether_a_models_proposals_are_there() {
    let server = server();
    let desk = Desk::new(&server);
    desk.untidy();
    desk.reflect();
    let before = ids(&desk.proposals());
    for (engines, count) in [(Engines::BuiltIn, 0), (Engines::Both, 2), (Engines::BuiltIn, 0), (Engines::Model, 2)] {
        let mut settings = desk.engine.models().settings().unwrap();
        settings.engines = engines;
        desk.engine.models().set_settings(&settings).unwrap();
        desk.reflect();
        assert_eq!(desk.by_model().len(), count, "{engines:?}");
    }
    assert_eq!((ids(&desk.proposals()), desk.asked_to_reflect(&server).len()), (before, 1), "deleted and made again, the same");
}

#[test]
fn entries_that_are_not_there_and_merges_that_contradict_are_dropped() {
    let server = server_with(|request| {
        let of = |content: &str| entries(request).into_iter().find(|(_, text)| text == content).map_or(0, |(number, _)| number);
        json!({
            "archive": [{ "entry": 77, "because": "over" }, { "entry": 0, "because": "done" }],
            "merge": [[of(RYE), 77], [of(RYE), of(CELLO)], [of(ALPS)]],
        })
        .to_string()
    });
    let desk = Desk::new(&server);
    desk.untidy();
    assert_eq!(desk.reflect(), Some(JobState::Done));
    assert_eq!((desk.by_model(), desk.asked_to_reflect(&server).len()), (Vec::new(), 1), "{:?}", desk.proposals());
    assert!(desk.alerts().is_empty(), "a bad answer is no failure");
    desk.reflect();
    assert_eq!(desk.asked_to_reflect(&server).len(), 1, "and it is not asked for again");
}

#[test]
fn one_call_shows_entries_of_one_circle_and_nothing_else() {
    let server = server();
    let desk = Desk::new(&server);
    let own = desk.append(&conversation("own", "owner Mara: I collect orchids in the cellar.\nassistant Nova: Noted."));
    let open =
        Conversation::new("lounge").channel("matrix", "lounge").public().messages("owner Mara: I grow saffron on the roof.");
    let open = desk.append(&open);
    desk.work();
    desk.approved(&own, "I collect orchids in the cellar", "User collects orchids in the cellar", Category::PersonalInfo);
    desk.approved(&open, "I grow saffron on the roof", "User grows saffron on the roof", Category::PersonalInfo);
    desk.clock.advance_ms(60 * DAY_MS);
    desk.reflect();
    let asked = desk.asked_to_reflect(&server);
    assert_eq!(asked.len(), 2);
    for text in &asked {
        assert!(text.contains("orchids") != text.contains("saffron"), "two circles in one call: {text}");
    }
}

#[test]
fn where_the_model_fails_what_the_rules_propose_stands_and_a_person_is_told_once() {
    for fault in Fault::ALL {
        let server = ScriptedServer::start(move |request| {
            let good = good(request);
            if purpose(request) == "reflect" { Answer::Faulty(fault, good) } else { Answer::Text(good) }
        });
        let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| {
            if fault == Fault::Timeout {
                settings.reply_timeout_ms = 1_000;
            }
        });
        let (talk, _) = desk.untidy();
        // A proposal by the rules.
        desk.approved(&talk, "I play the cello", "User wants to run the Porto marathon in 2024", Category::Goal);
        let mut last = desk.reflect();
        let mut waits = Vec::new();
        while last == Some(JobState::Queued) {
            assert!(desk.alerts().is_empty(), "{fault:?}: no alert before it is given up");
            let due = desk.engine.store().read(|tx| tx.jobs().next_due(Lane::Model)).unwrap().unwrap();
            waits.push(due.0 - desk.clock.now().0);
            desk.clock.set(due);
            last = desk.work();
        }
        assert_eq!(last, Some(JobState::Dead), "{fault:?}");
        let expect = if fault == Fault::TooManyRequests { vec![7_000, 10_000, 20_000] } else { vec![5_000, 10_000, 20_000] };
        assert_eq!(waits, expect, "{fault:?}");
        let proposers: Vec<String> = desk.proposals().into_iter().map(|row| row.proposer).collect();
        assert_eq!((proposers, desk.reflections_kept()), (vec![RULES.to_owned()], 0), "{fault:?}");
        let alerts = desk.alerts();
        assert!(alerts.len() == 1 && alerts[0].contains("the proposals by the built-in rules remain"), "{fault:?}: {alerts:?}");
    }
}

#[test]
fn off_the_record_nobody_is_asked_and_what_turns_private_or_is_erased_meanwhile_leaves_nothing() {
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Meanwhile {
        Nothing,
        Private,
        ThereAndBack,
        Erased,
    }
    let slot: Arc<Mutex<Option<(Engine, ConversationId, Meanwhile)>>> = Arc::default();
    let server = ScriptedServer::start({
        let slot = Arc::clone(&slot);
        move |request| {
            if purpose(request) == "reflect"
                && let Some((engine, id, meanwhile)) = slot.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                match meanwhile {
                    Meanwhile::Nothing => {}
                    Meanwhile::Private => drop(engine.erasure().set_private(&id, true, Existing::Keep).unwrap()),
                    Meanwhile::ThereAndBack => {
                        engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
                        engine.erasure().set_private(&id, false, Existing::Keep).unwrap();
                    }
                    Meanwhile::Erased => drop(engine.erasure().erase_conversation(&id, "a test").unwrap()),
                }
            }
            Answer::Text(good(request))
        }
    });
    for meanwhile in [Meanwhile::Nothing, Meanwhile::Private, Meanwhile::ThereAndBack, Meanwhile::Erased] {
        let desk = Desk::new(&server);
        let (id, _) = desk.untidy();
        *slot.lock().unwrap() = Some((desk.engine.clone(), id, meanwhile));
        desk.reflect();
        assert!(slot.lock().unwrap().is_none(), "{meanwhile:?}: it was asked");
        // If the conversation is used again before a message arrives, the exclusion leaves no trace.
        let is_kept = matches!(meanwhile, Meanwhile::Nothing | Meanwhile::ThereAndBack);
        assert_eq!(desk.reflections_kept(), i64::from(is_kept), "{meanwhile:?}: the control keeps what was said");
        assert_eq!(desk.by_model().len(), if is_kept { 2 } else { 0 }, "{meanwhile:?}");
        assert!(desk.alerts().is_empty(), "{meanwhile:?}: {:?}", desk.alerts());
    }
    let desk = Desk::new(&server);
    let (id, _) = desk.untidy();
    let asked = desk.asked_to_reflect(&server).len();
    desk.engine.reflections().queue().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    desk.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
    desk.work();
    assert_eq!(desk.asked_to_reflect(&server).len(), asked, "turned private between the rules and the model");
}

#[test]
fn erasing_a_conversation_takes_what_a_model_said_of_it_along() {
    let server = server();
    let desk = Desk::new(&server);
    let (id, _) = desk.untidy();
    desk.reflect();
    assert_eq!((desk.reflections_kept(), desk.by_model().len()), (1, 2));
    let receipt = desk.engine.erasure().erase_conversation(&id, "a test").unwrap();
    assert!(receipt.is_done, "{receipt:?}");
    assert_eq!((desk.reflections_kept(), desk.proposals()), (0, Vec::new()));
}

#[test]
fn a_crash_after_a_reply_does_not_pay_twice_and_a_person_can_stop_it() {
    let server = server();
    let desk = Desk::new(&server);
    desk.untidy();
    desk.engine.reflections().queue().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let is_answered = || desk.calls().iter().any(|call| call == "reflect/2 answered");
    let died =
        desk.engine.queue().run_next_killed(Lane::Model, &|_| {}, &|point| point == KillPoint::AfterEffects && is_answered());
    assert_eq!(died.unwrap(), None, "the process ends after the reply was written down");
    let desk = desk.restarted();
    let _lock = desk.engine.queue().lock_worker().unwrap();
    desk.work();
    assert_eq!((desk.by_model().len(), desk.asked_to_reflect(&server).len()), (2, 1));

    let silent = ScriptedServer::start(|request| {
        if purpose(request) == "reflect" {
            Answer::Held { text: "{}".to_owned(), after_events: 0 }
        } else {
            Answer::Text(reply(request, &[]))
        }
    });
    let desk = Desk::new(&silent);
    desk.untidy();
    desk.engine.reflections().queue().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let jobs = desk.engine.store().read(|tx| tx.jobs().recent(20)).unwrap();
    let job = jobs.into_iter().find(|job| job.kind == JobKind::ReflectModel).unwrap();
    let before = silent.calls();
    let step = std::thread::scope(|scope| {
        let running = scope.spawn(|| desk.engine.queue().run_next(Lane::Model, &|_| {}).unwrap());
        silent.wait_for_calls(before + 1);
        desk.engine.queue().cancel_job(&job.id).unwrap();
        running.join().unwrap()
    });
    assert!(matches!(step, Step::Ran(_, JobState::Cancelled)), "{step:?}");
    assert!(desk.proposals().is_empty(), "what the rules propose stands, and here it is nothing");
}
