//! Sessions by a model: its record is used if each line occurs in a message. The rules' record stays if the model fails or may
//! not be asked.

use std::sync::{Arc, Mutex, PoisonError};

use keepsake_domain::{Clock, ConversationId, Engines, JobKind, JobState, Lane, Message};
use keepsake_engine::{Engine, Existing, KillPoint, PluggedIn, SessionRules, Step, TierAsk};
use keepsake_store::SessionRow;
use keepsake_testkit::conversation;
use keepsake_testkit::scripted_server::{Answer, Fault, Received, ScriptedServer};
use serde_json::{Value, json};

use super::Desk;
use super::yes::{lines, purpose, reply};

const RULES: &str = "builtin-session/5";
const MODEL: &str = "tiny:1b session/2";

const INDENT: &str = "owner Mara: Can you fix the indent of the parser? I prefer tabs over spaces.
assistant Nova: I fixed the indent and added a check to the linter.
owner Mara: The linter of the office runs on a small machine under my desk. I want to learn sailing this year.
assistant Nova: The root cause was a mixed indent in the grammar.";

const TRAIN: &str = "owner Mara: Can you book a train to Ghent for Saturday?
assistant Nova: I booked the train at nine.
owner Mara: The museum in Ghent opens at ten, so that suits me.
assistant Nova: Then you have an hour for breakfast.";

/// An entry: its field and the quoted words.
type Entry = (&'static str, &'static str);

const MACHINE: Entry = ("fact", "The linter of the office runs on a small machine under my desk");
const CAUSE: Entry = ("solution", "The root cause was a mixed indent in the grammar");
const FIXED: Entry = ("did", "I fixed the indent and added a check to the linter");
const SAILING: Entry = ("goal", "I want to learn sailing this year");
const MUSEUM: Entry = ("learning", "The museum in Ghent opens at ten, so that suits me");

/// The entries whose words occur in the request, each with the number of the line that contains them.
fn entries(request: &Received, entries: &[Entry]) -> Vec<Value> {
    let lines = lines(request);
    let entry = |(field, quote): &Entry| {
        let (line, ..) = lines.iter().find(|(_, _, said)| said.contains(quote))?;
        Some(json!({ "field": field, "line": line, "quote": quote }))
    };
    entries.iter().filter_map(entry).collect()
}

fn answer(items: &[Value]) -> String {
    json!({ "technical_depth": "moderate", "user_mood": "neutral", "outcome": "resolved", "significance": 4, "items": items })
        .to_string()
}

/// A good model's reply to requests about a session; to all others, the reply of the model that says yes.
fn good(request: &Received) -> String {
    if purpose(request) != "session" {
        return reply(request, &[]);
    }
    answer(&entries(request, &[MACHINE, CAUSE, FIXED, SAILING, MUSEUM]))
}

fn server() -> ScriptedServer {
    ScriptedServer::start(|request| Answer::Text(good(request)))
}

/// A server with its own replies to requests about sessions.
fn server_with(about_sessions: impl Fn(&Received) -> String + Send + Sync + 'static) -> ScriptedServer {
    ScriptedServer::start(move |request| {
        Answer::Text(if purpose(request) == "session" { about_sessions(request) } else { reply(request, &[]) })
    })
}

impl Desk {
    /// Stores a conversation, marks its end and runs the queue. Returns the id and the final state of the model's last job.
    fn session(&self, messages: &[Message]) -> (ConversationId, Option<JobState>) {
        let id = self.append(messages);
        self.engine.sessions().end(&id, "nova").unwrap();
        let last = self.work();
        (id, last)
    }

    fn sessions(&self) -> Vec<SessionRow> {
        self.engine.store().read(|tx| tx.sessions().list(None, false)).unwrap()
    }

    /// The only current session, with its lines as `field: text`.
    fn record(&self) -> (SessionRow, Vec<String>) {
        let sessions = self.sessions();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        let row = sessions.into_iter().next().unwrap();
        let items = self.engine.store().read(|tx| tx.sessions().items(std::slice::from_ref(&row.id))).unwrap();
        let lines = items.into_values().flatten().map(|item| format!("{}: {}", item.field, item.text)).collect();
        (row, lines)
    }

    /// The text of all tiers.
    fn tiers(&self) -> String {
        let tiers = self.engine.sessions().tiers(&TierAsk::default()).unwrap().tiers;
        tiers.into_iter().map(|tier| tier.text).collect()
    }

    /// The requests about sessions, oldest first.
    fn asked_of_sessions(&self, server: &ScriptedServer) -> Vec<String> {
        server.received().iter().filter(|request| purpose(request) == "session").map(|request| request.message("user")).collect()
    }

    fn rows_of(&self, table: &str) -> i64 {
        let raw = rusqlite::Connection::open(self.engine.store().path()).unwrap();
        raw.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn a_model_sums_up_a_session_and_each_of_its_lines_stands_in_a_message() {
    let server = server();
    let desk = Desk::new(&server);
    let (_, last) = desk.session(&conversation("indent", INDENT));
    assert_eq!(last, Some(JobState::Done));
    let (session, lines) = desk.record();
    assert_eq!((session.proposer.as_str(), session.significance, session.is_distilled), (MODEL, 4, true));
    for (field, text) in [
        ("facts_learned", "The linter of the office runs on a small machine under my desk."),
        ("knowledge_learned", "The root cause was a mixed indent in the grammar."),
        ("did", "I fixed the indent and added a check to the linter."),
        ("intent", "Can you fix the indent of the parser?"),
    ] {
        assert!(lines.contains(&format!("{field}: {text}")), "{field}: {lines:#?}");
    }
    assert!(!lines.iter().any(|line| line.starts_with("active_goals")), "no agent holds goals unless the person says so");
    let items = desk.engine.store().read(|tx| tx.sessions().items(std::slice::from_ref(&session.id))).unwrap();
    for item in items.values().flatten() {
        let message = desk.engine.store().read(|tx| tx.log().interaction(&item.place.interaction)).unwrap().unwrap();
        assert_eq!(item.place.span.quote(&message.content).unwrap(), item.text, "word for word");
    }
    let history = desk.engine.store().read(|tx| tx.sessions().list(None, true)).unwrap();
    assert_eq!(history.len(), 2, "what the rules said is kept beside it");
    let rules = history.iter().find(|row| row.proposer == RULES).unwrap();
    assert!(session.supersedes.as_ref() == Some(&rules.id) && rules.superseded.is_some());
    let told = desk.tiers();
    assert_eq!(told.matches("small machine under my desk").count(), 1, "served once, as the model has it: {told}");
    // Nothing is new, so no request is sent. Control: without a model, the rules send no request.
    desk.engine.sessions().queue().unwrap();
    assert_eq!((desk.work(), desk.asked_of_sessions(&server).len()), (None, 1));
    let other = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    let before = server.connections();
    let (_, last) = other.session(&conversation("indent", INDENT));
    let (session, lines) = other.record();
    assert_eq!((last, session.proposer.as_str(), server.connections()), (None, RULES, before));
    assert!(!lines.contains(&format!("facts_learned: {}.", MACHINE.1)), "control: the rules alone do not see it: {lines:#?}");
}

#[test]
fn a_session_that_goes_on_is_read_anew_and_the_older_records_stay() {
    let server = server();
    let desk = Desk::new(&server);
    desk.session(&conversation("indent", INDENT));
    let first = desk.record().0;
    desk.clock.advance_ms(3_600_000);
    let mut more =
        conversation("indent", "owner Mara: The museum in Ghent opens at ten, so that suits me.\nassistant Nova: Noted.");
    for (at, message) in more.iter_mut().enumerate() {
        message.source.message = format!("later{at}");
        message.time = desk.clock.now().plus_ms(at as i64);
    }
    desk.session(&more);
    let (second, lines) = desk.record();
    assert_eq!((second.proposer.as_str(), second.messages), (MODEL, 6));
    assert!(lines.iter().any(|line| line.contains("museum")), "{lines:#?}");
    let history = desk.engine.store().read(|tx| tx.sessions().list(None, true)).unwrap();
    assert_eq!(history.len(), 4, "two by the rules and two by the model");
    let by_rules = history.iter().find(|row| Some(&row.id) == second.supersedes.as_ref()).unwrap();
    assert_eq!((by_rules.proposer.as_str(), by_rules.supersedes.as_ref()), (RULES, Some(&first.id)));
    assert_eq!(desk.tiers().matches("small machine under my desk").count(), 1, "and is served once");
}

#[test]
fn records_that_are_deleted_and_made_again_are_the_same_and_nobody_is_asked() {
    let server = server();
    let desk = Desk::new(&server);
    desk.session(&conversation("indent", INDENT));
    desk.session(&conversation("train", TRAIN));
    let told = |desk: &Desk| {
        let rows = desk.sessions();
        let rows = rows.iter().map(|row| format!("{} {} {:?}\n", row.id, row.proposer, row.supersedes)).collect::<String>();
        format!("{rows}{}", desk.tiers())
    };
    let (before, asked) = (told(&desk), desk.asked_of_sessions(&server).len());
    desk.engine.sessions().rebuild().unwrap();
    assert!(desk.sessions().is_empty());
    desk.work();
    assert_eq!((told(&desk), desk.asked_of_sessions(&server).len()), (before, asked));
    assert_eq!(asked, 2);
}

#[test]
fn the_chosen_engine_decides_which_record_stands() {
    let server = server();
    let desk = Desk::new(&server);
    desk.session(&conversation("indent", INDENT));
    for (engines, proposer) in
        [(Engines::BuiltIn, RULES), (Engines::Both, MODEL), (Engines::BuiltIn, RULES), (Engines::Model, MODEL)]
    {
        let mut settings = desk.engine.models().settings().unwrap();
        settings.engines = engines;
        desk.engine.models().set_settings(&settings).unwrap();
        desk.engine.sessions().queue().unwrap();
        desk.work();
        assert_eq!(desk.record().0.proposer, proposer, "{engines:?}");
        let is_told = desk.tiers().contains("small machine under my desk");
        assert_eq!(is_told, proposer == MODEL, "{engines:?}: the tiers follow");
    }
    assert_eq!(desk.asked_of_sessions(&server).len(), 1, "what was summed up once is not asked about again");
}

#[test]
fn a_line_that_nobody_said_is_dropped_and_an_answer_that_mostly_rests_on_nothing_is_refused() {
    const INVENTED: [&str; 3] = ["We sold the house in spring", "I own three horses", "I was born in Paris"];
    let check = |count: usize, proposer: &str| {
        let server = server_with(move |request| {
            let mut told = entries(request, &[MACHINE, FIXED]);
            told.extend(INVENTED.iter().take(count).map(|quote| json!({ "field": "fact", "line": 1, "quote": quote })));
            answer(&told)
        });
        let desk = Desk::new(&server);
        let (_, last) = desk.session(&conversation("indent", INDENT));
        assert_eq!(last, Some(JobState::Done));
        let (session, lines) = desk.record();
        assert_eq!(session.proposer, proposer, "{count} invented lines beside two true ones");
        let everything = format!("{lines:?}{}", desk.tiers());
        assert!(INVENTED.iter().all(|line| !everything.contains(line)), "{everything}");
        assert!(desk.alerts().is_empty(), "a bad answer is no failure");
        desk.engine.sessions().queue().unwrap();
        desk.work();
        assert_eq!(desk.asked_of_sessions(&server).len(), 1, "and it is not asked for again");
    };
    check(2, MODEL);
    check(3, RULES);
}

#[test]
fn goals_are_asked_for_agents_that_may_hold_them_and_agents_on_the_skip_list_are_asked_about_never() {
    let server = server();
    let desk = Desk::new(&server);
    let rules = SessionRules { goal_agents: vec!["Nova".to_owned()], ..SessionRules::default() };
    desk.engine.sessions().set_rules(&rules).unwrap();
    desk.session(&conversation("indent", INDENT));
    let (session, lines) = desk.record();
    assert_eq!(session.proposer, MODEL);
    assert!(lines.contains(&"active_goals: I want to learn sailing this year.".to_owned()), "{lines:#?}");
    let asked = desk.asked_of_sessions(&server).len();
    let skipped = SessionRules { skip_agents: vec!["Nova".to_owned()], goal_agents: Vec::new() };
    desk.engine.sessions().set_rules(&skipped).unwrap();
    desk.session(&conversation("train", TRAIN));
    assert!(desk.sessions().is_empty() && desk.asked_of_sessions(&server).len() == asked);
}

#[test]
fn one_call_shows_what_one_user_and_one_agent_said_and_nothing_else() {
    let server = server();
    let desk = Desk::new(&server);
    let talk = "owner Mara: Can you book a table for the orchid evening?
assistant Nova: I booked the table for the orchid evening.
person Ana: Nova, can you find my saffron recipe?
assistant Nova: I found the saffron recipe for you.";
    desk.session(&conversation("both", talk));
    let asked = desk.asked_of_sessions(&server);
    assert_eq!(asked.len(), 2);
    for text in &asked {
        assert!(text.contains("orchid") != text.contains("saffron"), "two users in one call: {text}");
    }
}

#[test]
fn where_the_model_fails_the_record_of_the_rules_stands_and_a_person_is_told_once() {
    for fault in Fault::ALL {
        let server = ScriptedServer::start(move |request| {
            let good = good(request);
            if purpose(request) == "session" { Answer::Faulty(fault, good) } else { Answer::Text(good) }
        });
        let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| {
            if fault == Fault::Timeout {
                settings.reply_timeout_ms = 1_000;
            }
        });
        let (_, mut last) = desk.session(&conversation("indent", INDENT));
        let mut waits = Vec::new();
        while last == Some(JobState::Queued) {
            assert_eq!(desk.record().0.proposer, RULES, "{fault:?}: it stands while it is retried");
            assert!(desk.alerts().is_empty(), "{fault:?}: no alert before it is given up");
            let due = desk.engine.store().read(|tx| tx.jobs().next_due(Lane::Model)).unwrap().unwrap();
            waits.push(due.0 - desk.clock.now().0);
            desk.clock.set(due);
            last = desk.work();
        }
        assert_eq!(last, Some(JobState::Dead), "{fault:?}");
        let expect = if fault == Fault::TooManyRequests { vec![7_000, 10_000, 20_000] } else { vec![5_000, 10_000, 20_000] };
        assert_eq!(waits, expect, "{fault:?}");
        assert_eq!((desk.record().0.proposer.as_str(), desk.rows_of("session_replies")), (RULES, 0), "{fault:?}");
        let alerts = desk.alerts();
        assert!(alerts.len() == 1 && alerts[0].contains("the summaries by the built-in rules remain"), "{fault:?}: {alerts:?}");
    }
}

#[test]
fn one_session_that_cannot_be_summed_up_keeps_no_other_from_it() {
    let server =
        server_with(|request| if request.message("user").contains("Ghent") { "no idea".to_owned() } else { good(request) });
    let desk = Desk::new(&server);
    let train = desk.append(&conversation("train", TRAIN));
    let indent = desk.append(&conversation("indent", INDENT));
    for id in [&train, &indent] {
        desk.engine.sessions().end(id, "nova").unwrap();
    }
    assert_eq!(desk.work(), Some(JobState::Queued), "it is tried again");
    let proposer = |id: &ConversationId| desk.sessions().into_iter().find(|row| row.conversation_id == *id).unwrap().proposer;
    assert_eq!((proposer(&indent).as_str(), proposer(&train).as_str()), (MODEL, RULES));
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
            if purpose(request) == "session"
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
        let id = desk.append(&conversation("indent", INDENT));
        desk.work();
        desk.engine.sessions().end(&id, "nova").unwrap();
        *slot.lock().unwrap() = Some((desk.engine.clone(), id, meanwhile));
        desk.work();
        assert!(slot.lock().unwrap().is_none(), "{meanwhile:?}: it was asked");
        // If the conversation is used again before a message arrives, the exclusion leaves no trace.
        let kept = i64::from(matches!(meanwhile, Meanwhile::Nothing | Meanwhile::ThereAndBack));
        assert_eq!(desk.rows_of("session_replies"), kept, "{meanwhile:?}: the control keeps its record");
        assert_eq!(desk.tiers().contains("small machine under my desk"), kept == 1, "{meanwhile:?}");
        assert!(desk.alerts().is_empty(), "{meanwhile:?}: {:?}", desk.alerts());
    }
    let desk = Desk::new(&server);
    let asked = desk.asked_of_sessions(&server).len();
    let id = desk.append(&conversation("indent", INDENT));
    desk.engine.sessions().end(&id, "nova").unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    desk.engine.erasure().set_private(&id, true, Existing::Keep).unwrap();
    desk.work();
    assert_eq!(desk.asked_of_sessions(&server).len(), asked, "turned private between the rules and the model");
}

#[test]
fn erasing_a_conversation_takes_what_a_model_made_of_it_along() {
    let server = server();
    let desk = Desk::new(&server);
    let (id, _) = desk.session(&conversation("indent", INDENT));
    desk.session(&conversation("train", TRAIN));
    assert_eq!(desk.rows_of("session_replies"), 2);
    let receipt = desk.engine.erasure().erase_conversation(&id, "a test").unwrap();
    assert!(receipt.is_done, "{receipt:?}");
    desk.work();
    assert_eq!(desk.rows_of("session_replies"), 1);
    assert!(!desk.tiers().contains("small machine") && desk.tiers().contains("museum"), "the other one stands as it was");
    assert_eq!(desk.asked_of_sessions(&server).len(), 2, "and is not asked about again");
}

#[test]
fn a_crash_after_a_reply_does_not_pay_twice_and_a_person_can_stop_it() {
    let server = server();
    let desk = Desk::new(&server);
    let id = desk.append(&conversation("indent", INDENT));
    desk.work();
    desk.engine.sessions().end(&id, "nova").unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let is_answered = || desk.calls().iter().any(|call| call == "session/2 answered");
    let died =
        desk.engine.queue().run_next_killed(Lane::Model, &|_| {}, &|point| point == KillPoint::AfterEffects && is_answered());
    assert_eq!(died.unwrap(), None, "the process ends after the reply was written down");
    let desk = desk.restarted();
    let _lock = desk.engine.queue().lock_worker().unwrap();
    desk.work();
    assert_eq!((desk.record().0.proposer.as_str(), desk.asked_of_sessions(&server).len()), (MODEL, 1));

    let silent = ScriptedServer::start(|request| {
        if purpose(request) == "session" {
            Answer::Held { text: "{}".to_owned(), after_events: 0 }
        } else {
            Answer::Text(reply(request, &[]))
        }
    });
    let desk = Desk::new(&silent);
    let id = desk.append(&conversation("indent", INDENT));
    desk.work();
    desk.engine.sessions().end(&id, "nova").unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let jobs = desk.engine.store().read(|tx| tx.jobs().recent(20)).unwrap();
    let job = jobs.into_iter().find(|job| job.kind == JobKind::SessionsModel).unwrap();
    let before = silent.calls();
    let step = std::thread::scope(|scope| {
        let running = scope.spawn(|| desk.engine.queue().run_next(Lane::Model, &|_| {}).unwrap());
        silent.wait_for_calls(before + 1);
        desk.engine.queue().cancel_job(&job.id).unwrap();
        running.join().unwrap()
    });
    assert!(matches!(step, Step::Ran(_, JobState::Cancelled)), "{step:?}");
    assert_eq!(desk.record().0.proposer, RULES, "what the rules said stands");
}
