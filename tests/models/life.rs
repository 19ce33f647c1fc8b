//! The life of a model's proposals: they share the queue with the built-in engine's proposals, are stored once, are paid for
//! once, and can be stopped by a person.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use keepsake_capture::model::READING;
use keepsake_domain::{Engines, JobKind, JobState, Lane, SourceKind};
use keepsake_engine::{Existing, KillPoint, Power, Step};
use keepsake_testkit::conversation;
use keepsake_testkit::scripted_server::{Answer, Fault, RETRY_AFTER_S, ScriptedServer};

use super::Desk;
use super::yes::{Claim, fact, purpose, reply, server};

const LISBON: &str = "I moved to Lisbon in March";
const NURSE: &str = "I work as a nurse";

fn claims() -> Vec<Claim> {
    vec![
        fact(NURSE, "User works as a nurse", "personal_info"),
        fact(
            "I review every change twice because a rushed review costs more than it saves",
            "User reviews every change twice",
            "preference",
        ),
    ]
}

const TALK: &str = "owner Mara: I work as a nurse on a children's ward.
assistant Nova: That must be demanding.
owner Mara: I review every change twice because a rushed review costs more than it saves.
owner Mara: Write to mara@example.org or +49 151 23456789.";

#[test]
fn a_model_proposes_through_the_same_gates_and_everything_waits_for_the_person() {
    let server = server(claims());
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", TALK));
    assert_eq!(desk.work(), Some(JobState::Done));
    let memories = desk.memories();
    assert!(
        memories
            .iter()
            .any(|m| *m == format!("pending personal_info owner: User works as a nurse [tiny:1b {}]", READING.label())),
        "{memories:#?}"
    );
    assert!(memories.iter().all(|m| m.starts_with("pending")), "nothing is active without the person: {memories:#?}");
    assert!(
        memories.iter().any(|m| m.contains("standard owner: User reviews every change twice")),
        "a position with its why is knowledge: {memories:#?} {:#?}",
        desk.log()
    );
    assert!(desk.calls().iter().all(|call| call.ends_with("answered")), "{:?}", desk.calls());
    let sent: String = server.received().iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect();
    assert!(
        sent.contains("[EMAIL_1]") && !sent.contains("example.org") && !sent.contains("23456789"),
        "only scrubbed text leaves"
    );
    // The same conversation again: there is nothing new to read, so nothing is sent.
    let calls = server.calls();
    desk.append(&conversation("c1", TALK));
    desk.work();
    assert_eq!(server.calls(), calls, "a conversation without anything new is not sent again");
}

#[test]
fn where_both_engines_say_the_same_the_queue_has_one_candidate_with_two_proposers() {
    let server = server(claims());
    let desk = Desk::with(&server, Arc::new(keepsake_engine::PluggedIn), |settings| settings.engines = Engines::Both);
    desk.append(&conversation("c1", TALK));
    desk.work();
    let nurse: Vec<String> = desk.memories().into_iter().filter(|m| m.contains("personal_info") && m.contains("nurse")).collect();
    assert_eq!(nurse.len(), 1, "{nurse:#?}");
    assert!(nurse[0].contains("reader/") && nurse[0].contains(&format!("tiny:1b {}", READING.label())), "{nurse:#?}");
}

#[test]
fn without_a_model_or_with_the_built_in_engine_alone_nothing_is_sent() {
    let server = server(claims());
    let desk = Desk::with(&server, Arc::new(keepsake_engine::PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    desk.append(&conversation("c1", TALK));
    assert_eq!(desk.work(), None);
    assert_eq!(server.connections(), 0);
    assert!(desk.memories().iter().any(|m| m.contains("nurse")), "the built-in engine proposes");
}

#[test]
fn a_private_conversation_is_never_sent_even_when_it_turns_private_between_two_calls() {
    let server = server(claims());
    let desk = Desk::new(&server);
    let id = desk.append(&conversation("c1", TALK));
    // The built-in lane runs first and queues the model's job. Then the person excludes the conversation.
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    desk.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
    desk.work();
    assert_eq!(server.connections(), 0, "asked again before anything leaves");
    assert!(desk.memories().iter().all(|m| !m.contains("tiny")));

    // Between two calls: the person excludes the conversation while the first call is being answered.
    let slot: Arc<Mutex<Option<(keepsake_engine::Engine, keepsake_domain::ConversationId)>>> = Arc::default();
    let server = ScriptedServer::start({
        let slot = Arc::clone(&slot);
        move |request| {
            if let Some((engine, id)) = slot.lock().unwrap_or_else(PoisonError::into_inner).take() {
                engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
            }
            Answer::Text(reply(request, &claims()))
        }
    });
    let desk = Desk::new(&server);
    let id = desk.append(&conversation("c2", TALK));
    *slot.lock().unwrap() = Some((desk.engine.clone(), id));
    assert_eq!(desk.work(), Some(JobState::Cancelled), "it is not read on");
    assert_eq!(server.calls(), 1, "nothing more is sent");
    assert_eq!(desk.memories(), Vec::<String>::new(), "and nothing of it is stored");
}

#[test]
fn a_crash_after_a_reply_does_not_pay_twice() {
    let server = server(claims());
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", TALK));
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    // The moment when the server receives the request is too early: on a busy computer, its reply may still be on the way.
    let is_answered = || desk.calls().iter().any(|call| call.ends_with("answered"));
    let died =
        desk.engine.queue().run_next_killed(Lane::Model, &|_| {}, &|point| point == KillPoint::Working && is_answered()).unwrap();
    assert_eq!(died, None, "the process ends after the first reply");
    let paid = server.calls();
    assert!(paid >= 1);
    let desk = desk.restarted();
    let _lock = desk.engine.queue().lock_worker().unwrap();
    assert_eq!(desk.work(), Some(JobState::Done));
    let of_facts = server.received().iter().filter(|request| purpose(request) == "reading").count();
    assert_eq!(of_facts, 1, "the first reply was kept and is not asked for again");
    assert!(desk.memories().iter().any(|m| m.contains("nurse")), "and what it said is there");
}

#[test]
fn a_person_can_cancel_while_the_model_is_silent() {
    let server = ScriptedServer::start(|_| Answer::Held { text: "{}".to_owned(), after_events: 0 });
    let desk = Desk::with(&server, Arc::new(keepsake_engine::PluggedIn), |settings| settings.reply_timeout_ms = 60_000);
    desk.append(&conversation("c1", TALK));
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let job = desk
        .engine
        .store()
        .read(|tx| tx.jobs().recent(10))
        .unwrap()
        .into_iter()
        .find(|job| job.kind == JobKind::ExtractModel)
        .unwrap();
    let step = std::thread::scope(|scope| {
        let running = scope.spawn(|| desk.engine.queue().run_next(Lane::Model, &|_| {}).unwrap());
        server.wait_for_calls(1);
        desk.engine.queue().cancel_job(&job.id).unwrap();
        running.join().unwrap()
    });
    assert!(matches!(step, Step::Ran(_, JobState::Cancelled)), "{step:?}");
    server.wait_until_left(1);
    assert_eq!(desk.memories(), Vec::<String>::new());
    assert!(desk.calls().iter().all(|call| call.ends_with("cancelled")), "{:?}", desk.calls());
}

#[test]
fn a_busy_server_is_left_alone_as_long_as_it_asks() {
    let server = server(claims());
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", TALK));
    server.inject_from(0, Fault::TooManyRequests);
    assert_eq!(desk.work(), Some(JobState::Queued));
    let asked = server.calls();
    desk.clock.advance_ms(5_001);
    assert_eq!(desk.work(), None, "the first retry would be after 5 s, but the server asked for {RETRY_AFTER_S}");
    assert_eq!(server.calls(), asked);
    server.heal();
    desk.clock.advance_ms(2_000);
    assert_eq!(desk.work(), Some(JobState::Done));
}

#[test]
fn a_model_that_is_being_loaded_is_waited_for_and_that_is_no_failure() {
    let server = server(claims());
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", TALK));
    server.behave(|behaviour| behaviour.is_loading = true);
    for _ in 0..8 {
        assert!(matches!(desk.work(), Some(JobState::Queued) | None));
        desk.clock.advance_ms(10_001);
    }
    let job = desk
        .engine
        .store()
        .read(|tx| tx.jobs().recent(10))
        .unwrap()
        .into_iter()
        .find(|job| job.kind == JobKind::ExtractModel)
        .unwrap();
    assert_eq!((job.state, job.attempts), (JobState::Queued, 0), "eight looks at a loading model are no failed attempt");
    assert!(desk.alerts().is_empty());
    server.behave(|behaviour| behaviour.is_loading = false);
    desk.clock.advance_ms(10_001);
    assert_eq!(desk.work(), Some(JobState::Done));
}

#[derive(Default)]
struct Battery(AtomicBool);

impl Power for Battery {
    fn is_on_battery(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

#[test]
fn on_battery_models_wait_and_the_built_in_engine_works_on() {
    let server = server(claims());
    let battery = Arc::new(Battery::default());
    battery.0.store(true, Ordering::SeqCst);
    let desk = Desk::with(&server, Arc::<Battery>::clone(&battery), |settings| settings.engines = Engines::Both);
    desk.append(&conversation("c1", TALK));
    assert_eq!(desk.work(), None);
    assert_eq!(server.connections(), 0);
    assert!(
        matches!(desk.engine.queue().run_next(Lane::Model, &|_| {}).unwrap(), Step::Held(hold) if hold.why.contains("battery"))
    );
    assert!(!desk.memories().is_empty(), "the built-in engine proposes all the same");
    battery.0.store(false, Ordering::SeqCst);
    assert_eq!(desk.work(), Some(JobState::Done));
}

#[test]
fn a_server_elsewhere_is_refused_while_this_computer_only_is_on() {
    let server = server(claims());
    let desk = Desk::new(&server);
    let mut settings = desk.engine.models().settings().unwrap();
    settings.provider.as_mut().unwrap().url = "https://models.example".to_owned();
    let error = desk.engine.models().set_settings(&settings).unwrap_err().to_string();
    assert!(error.contains("not on this computer"), "{error}");
    settings.this_computer_only = false;
    desk.engine.models().set_settings(&settings).unwrap();
    settings.this_computer_only = true;
    assert!(desk.engine.models().set_settings(&settings).is_err(), "the switch cannot be turned on beside a server elsewhere");
}

#[test]
fn a_judge_that_answers_nonsense_twice_drops_the_whole_batch_and_a_person_is_told() {
    let server = ScriptedServer::start(|request| {
        let text = if purpose(request) == "judge" { "yes, all of them".to_owned() } else { reply(request, &claims()) };
        Answer::Text(text)
    });
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", TALK));
    assert_eq!(desk.work(), Some(JobState::Done));
    let memories = desk.memories();
    assert!(memories.iter().all(|m| !m.contains("standard")), "no unjudged entry: {memories:#?}");
    assert!(memories.iter().any(|m| m.contains("nurse")), "facts have a judge of their own");
    assert_eq!(server.received().iter().filter(|request| purpose(request) == "judge").count(), 2, "asked twice, not more");
    let alerts = desk.alerts();
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    assert!(alerts[0].contains("judge"), "{alerts:?}");
    assert!(desk.stops().iter().any(|(gate, count)| gate == "judge" && *count >= 1));
}

#[test]
fn a_judge_that_says_no_stops_the_entry_and_the_log_says_why() {
    let server = ScriptedServer::start(|request| {
        let good = reply(request, &claims());
        let text = if purpose(request) == "judge" { good.replace("\"distinctive\":true", "\"distinctive\":false") } else { good };
        Answer::Text(text)
    });
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", TALK));
    desk.work();
    assert!(desk.memories().iter().all(|m| !m.contains("standard")));
    assert!(desk.stops().iter().any(|(gate, _)| gate == "judge"));
    assert!(desk.alerts().is_empty(), "a verdict is no failure");
}

#[test]
fn analyze_now_uses_the_chosen_model_and_keeps_the_history_by_proposer() {
    let server = server(vec![
        fact(LISBON, "User moved to Lisbon in March", "experience"),
        fact(NURSE, "User works as a nurse", "personal_info"),
    ]);
    let desk = Desk::with(&server, Arc::new(keepsake_engine::PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    let lines = "owner Mara: I moved to Lisbon in March.
assistant Nova: How do you like it?
owner Mara: I work as a nurse there.
assistant Nova: Good for you.
owner Mara: I am setting up a garden on the roof this spring.";
    let id = desk.append(&conversation("c1", lines));
    desk.work();
    desk.engine.conversations().queue_analysis(&id, true).unwrap();
    desk.work();
    let mut settings = desk.engine.models().settings().unwrap();
    settings.engines = Engines::Both;
    desk.engine.models().set_settings(&settings).unwrap();
    desk.engine.conversations().queue_analysis(&id, false).unwrap();
    assert_eq!(desk.work(), Some(JobState::Done));
    let analyses = desk.engine.store().read(|tx| tx.analyses().of(&id)).unwrap();
    let proposers: Vec<&str> = analyses.iter().map(|analysis| analysis.proposer.as_str()).collect();
    assert_eq!(proposers.len(), 2, "{proposers:?}");
    assert!(
        proposers.iter().any(|p| p.starts_with("builtin-analysis/")) && proposers.contains(&"tiny:1b analysis/2"),
        "{proposers:?}"
    );
    // This model has already read it, so there is nothing new.
    let again = desk.engine.conversations().queue_analysis(&id, false).unwrap();
    assert!(matches!(again, keepsake_engine::AnalyzeStart::NothingNew(_)), "{again:?}");
}

#[test]
fn threads_are_read_apart_and_an_assistants_talk_is_one() {
    let (wall, boat) = (
        "I paint walls twice because one coat lets the old colour through",
        "I oil the boat in spring because salt eats dry wood",
    );
    let lines = format!(
        "owner Mara: {wall}.\nowner Mara: {boat}.\nperson Ana: Which colour is it?\nperson Bo: Which oil is it?\nowner Mara: Green.\nowner Mara: Linseed."
    );
    let check = |source: SourceKind, answers: [Option<&str>; 6], expect: usize, why: &str| {
        let server = server(claims());
        let desk = Desk::new(&server);
        let mut messages = keepsake_testkit::Conversation::new("c1").source(source).messages(&lines);
        for (message, answers) in messages.iter_mut().zip(answers) {
            message.reply_to = answers.map(str::to_owned);
        }
        desk.append(&messages);
        desk.work();
        let asked: Vec<String> = server
            .received()
            .iter()
            .filter(|request| purpose(request) == "reading")
            .map(|request| request.message("user"))
            .collect();
        assert_eq!(asked.len(), expect, "{why}: {asked:#?}");
        let both = asked.iter().filter(|text| text.contains("paint walls") && text.contains("oil the boat")).count();
        assert_eq!(both, usize::from(expect == 1), "{why}: {asked:#?}");
        let answer = asked.iter().find(|text| text.contains("Which colour")).unwrap();
        assert!(answer.contains("paint walls") && answer.contains("Green"), "{why}: a thread is read as a whole: {answer}");
    };
    let two = [None, None, Some("m1"), Some("m2"), Some("m3"), Some("m4")];
    check(SourceKind::KeepsakeJsonl, [None; 6], 1, "nobody answers anybody");
    check(SourceKind::KeepsakeJsonl, two, 2, "two threads");
    check(SourceKind::Chatgpt, two, 1, "links of an export of an assistant");
}
