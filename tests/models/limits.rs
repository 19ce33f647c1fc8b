//! Limits on model use (the daily budget for other computers, and one request at a time), and progress while a model replies.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use keepsake_domain::limits::KNOWLEDGE_PER_SOURCE_MAX;
use keepsake_domain::{JobKind, JobState, Lane};
use keepsake_engine::{PluggedIn, Step, Verdict};
use keepsake_models::language::Shape;
use keepsake_testkit::conversation;
use keepsake_testkit::scripted_server::{Answer, Received, ScriptedServer};

use super::Desk;
use super::yes::{Claim, fact, purpose, reply, server};

const NURSE: &str = "I work as a nurse";
const TALK: &str = "owner Mara: I work as a nurse on a children's ward.\nassistant Nova: That must be demanding.";

fn claims() -> Vec<Claim> {
    vec![fact(NURSE, "User works as a nurse", "personal_info")]
}

#[test]
fn over_the_days_budget_a_model_elsewhere_waits_for_midnight_or_for_the_person() {
    let server = server(claims());
    // An address that leads to this computer but counts as a different computer, because only the address that the person
    // entered matters.
    let elsewhere = format!("http://0.0.0.0:{}", server.port());
    let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| {
        settings.provider.as_mut().unwrap().url = elsewhere;
        settings.this_computer_only = false;
        settings.remote_tokens_a_day = 1;
    });
    desk.append(&conversation("c1", TALK));
    desk.work();
    assert_eq!(server.calls(), 1, "the call that spends the budget is the day's last");
    let Step::Held(hold) = desk.engine.queue().run_next(Lane::Model, &|_| {}).unwrap() else { panic!("it is held") };
    assert!(hold.why.contains("budget of 1 tokens"), "{}", hold.why);
    let day_ms = 24 * 60 * 60 * 1000;
    assert_eq!(hold.until.0 % day_ms, 0, "until the next midnight");
    let job = || {
        let jobs = desk.engine.store().read(|tx| tx.jobs().recent(10)).unwrap();
        jobs.into_iter().find(|job| job.kind == JobKind::ExtractModel).map(|job| (job.state, job.attempts)).unwrap()
    };
    assert_eq!(job(), (JobState::Queued, 0), "to wait is no failure");
    assert!(desk.alerts().is_empty());

    desk.clock.advance_ms(hold.until.0 - keepsake_domain::Clock::now(desk.clock.as_ref()).0);
    desk.work();
    assert_eq!(server.calls(), 2, "a new day, a new budget: one more call");

    // Control: with a higher budget the same job finishes, and calls that were already paid for are not repeated.
    let mut settings = desk.engine.models().settings().unwrap();
    settings.remote_tokens_a_day = 1_000_000;
    desk.engine.models().set_settings(&settings).unwrap();
    assert_eq!(desk.work(), Some(JobState::Done));
    assert!(desk.memories().iter().any(|memory| memory.contains("nurse")));
    let mut bodies: Vec<Vec<u8>> = server.received().into_iter().map(|request| request.body).collect();
    bodies.sort();
    let asked = bodies.len();
    bodies.dedup();
    assert_eq!(bodies.len(), asked, "no request was sent twice");
}

#[test]
fn a_model_on_this_computer_has_no_budget() {
    let server = server(claims());
    let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.remote_tokens_a_day = 0);
    desk.append(&conversation("c1", TALK));
    assert_eq!(desk.work(), Some(JobState::Done));
}

/// Number of calls that a server is currently answering, and the maximum so far.
#[derive(Default)]
struct Calls {
    state: Mutex<(usize, usize)>,
    changed: Condvar,
}

/// How long a call waits for another one.
const STAY: Duration = Duration::from_millis(300);

impl Calls {
    /// Returns when another call arrives, or after [`STAY`] without one.
    fn meet(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        state.1 = state.1.max(state.0);
        self.changed.notify_all();
        let (mut state, _) = self.changed.wait_timeout_while(state, STAY, |state| state.1 < 2).unwrap();
        state.0 -= 1;
    }

    fn most(&self) -> usize {
        self.state.lock().unwrap().1
    }
}

#[test]
fn a_model_is_asked_one_thing_at_a_time() {
    let most = |desks: fn(&ScriptedServer) -> (Desk, Option<Desk>)| {
        let calls = Arc::new(Calls::default());
        let server = ScriptedServer::start({
            let calls = Arc::clone(&calls);
            move |request| {
                calls.meet();
                Answer::Text(reply(request, &claims()))
            }
        });
        let (desk, other) = desks(&server);
        desk.append(&conversation("c1", TALK));
        while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
        let provider = desk.engine.models().settings().unwrap().provider.unwrap();
        assert_eq!(provider.shape, Shape::OpenAi);
        let tried_by = other.as_ref().unwrap_or(&desk).engine.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| desk.engine.queue().run_next(Lane::Model, &|_| {}).unwrap());
            server.wait_for_calls(1);
            // A person tests the model while a job is using it.
            scope.spawn(move || tried_by.models().try_model(&provider).unwrap());
        });
        assert!(server.calls() >= 3, "the job asked twice or more and the person once");
        calls.most()
    };
    assert_eq!(most(|server| (Desk::new(server), None)), 1);
    assert_eq!(
        most(|server| (Desk::new(server), Some(Desk::new(server)))),
        2,
        "control: two Keepsakes do not wait for each other"
    );
}

#[test]
fn how_much_of_an_answer_has_come_is_told_while_it_comes() {
    let server = server(claims());
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", TALK));
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let stages = Mutex::new(Vec::new());
    desk.engine
        .queue()
        .run_next(Lane::Model, &|progress| {
            stages.lock().unwrap().push(progress.stage);
            // Progress is reported a few times per second.
            desk.clock.advance_ms(1_000);
        })
        .unwrap();
    let stages = stages.into_inner().unwrap();
    let chars: Vec<u64> = stages
        .iter()
        .filter_map(|stage| {
            stage.strip_prefix("Looking for facts and positions, ")?.strip_suffix(" characters so far")?.parse().ok()
        })
        .collect();
    // The count starts at 0 again for the judge's reply.
    let first = chars.windows(2).position(|pair| pair[1] < pair[0]).map_or(chars.len(), |at| at + 1);
    let chars = &chars[..first];
    assert!(chars.len() > 5 && chars.is_sorted() && chars[0] < chars[chars.len() - 1], "{stages:?}");
}

/// Positions with their reasons, as stated in a meeting.
const POSITIONS: [(&str, &str); 11] = [
    ("I review every change twice because a rushed review costs more than it saves", "User reviews every change twice"),
    ("I write the test before the fix because otherwise nobody sees it fail", "User writes the test before the fix"),
    ("I keep meetings under thirty minutes because attention fades after that", "User keeps meetings under thirty minutes"),
    ("I read the logs before the code because logs remember what happened", "User reads the logs before the code"),
    ("I ask three people before a large purchase because one opinion misleads", "User asks three people before a large purchase"),
    ("I park the car far from the door because walking wakes me", "User parks the car far from the door"),
    ("I delete dead code at once because readers trust what they see", "User deletes dead code at once"),
    ("I avoid shared staging servers because everybody blames everybody there", "User avoids shared staging servers"),
    ("I answer customers on the same day because silence sounds like neglect", "User answers customers on the same day"),
    ("I draw the picture first because words hide disagreements", "User draws the picture first"),
    ("I rotate the on-call duty weekly because fatigue breeds mistakes", "User rotates the on-call duty weekly"),
];

#[test]
fn a_meeting_brings_at_most_eight_positions_however_long_it_is_and_however_often_it_is_read() {
    /// More messages than are read in one pass.
    const STRETCH: usize = 2_000;
    const OTHER: (&str, &str) =
        ("I sweep the floor before guests come because order calms me", "User sweeps the floor before guests come");
    let claims = POSITIONS.iter().chain([&OTHER]).map(|(said, position)| fact(said, position, "preference")).collect();
    let lines = |from: usize, to: usize| -> String {
        POSITIONS[from..to].iter().map(|(said, _)| format!("owner Mara: {said}.\n")).collect()
    };
    let filler: String = (0..STRETCH).map(|n| format!("person Ana: Item {n}.\n")).collect();
    let log = |to: usize| {
        let long = format!("{}{filler}{}", lines(0, 5), lines(5, to));
        keepsake_testkit::Conversation::new("c1").channel("meeting", "c1").messages(&long)
    };
    let positions = |desk: &Desk| desk.memories().iter().filter(|memory| memory.contains(" standard ")).count();
    let server = server(claims);
    let desk = Desk::new(&server);
    desk.append(&log(10));
    desk.work();
    assert_eq!(positions(&desk), KNOWLEDGE_PER_SOURCE_MAX, "{:#?}\n{:#?}", desk.memories(), desk.log());
    assert!(
        desk.stops().iter().any(|(gate, count)| gate == "over_cap" && *count >= 2),
        "what is too much is told: {:?}",
        desk.stops()
    );
    desk.append(&log(11));
    desk.work();
    assert_eq!(positions(&desk), KNOWLEDGE_PER_SOURCE_MAX, "read again when it grew: {:#?}", desk.memories());
    // Another meeting has its own limit.
    desk.append(
        &keepsake_testkit::Conversation::new("c2").channel("meeting", "c2").messages(&format!("owner Mara: {}.", OTHER.0)),
    );
    desk.work();
    assert_eq!(positions(&desk), KNOWLEDGE_PER_SOURCE_MAX + 1, "{:#?}", desk.memories());
}

#[test]
fn a_talk_with_an_agent_is_a_reading_its_judge_and_a_summary() {
    let server = ScriptedServer::start(|request| {
        let answer = reply(request, &[fact(NURSE, "User works as a nurse", "personal_info")]);
        let mut answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        if purpose(request) == "reading" {
            answer["positions"] = serde_json::json!([]);
        }
        Answer::Text(answer.to_string())
    });
    let desk = Desk::new(&server);
    let id = desk.append(&conversation("c1", "owner Mara: I work as a nurse, what shall I cook?\nassistant Nova: A soup."));
    desk.work();
    desk.engine.sessions().end(&id, "nova").unwrap();
    desk.work();
    let asked: Vec<&str> = server.received().iter().filter(|request| request.is_chat()).map(purpose).collect();
    assert_eq!(asked, ["reading", "judge_facts", "session"], "nothing is read twice");
    assert!(desk.memories().iter().any(|memory| memory.contains("nurse")), "control: it was believed");
}

#[test]
fn what_others_say_of_themselves_is_proposed_about_them_from_one_reading() {
    let server =
        server(vec![fact(NURSE, "User works as a nurse", "personal_info"), fact("keep bees", "Ana keeps bees", "personal_info")]);
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", "owner Mara: I work as a nurse, and you?\nperson Ana: I keep bees on the roof"));
    assert_eq!(desk.work(), Some(JobState::Done), "{:?}", desk.alerts());
    let memories = desk.memories();
    for wanted in ["pending personal_info owner: User works as a nurse", "pending personal_info Ana: Ana keeps bees"] {
        assert!(memories.iter().any(|memory| memory.starts_with(wanted)), "{wanted}: {memories:#?}");
    }
    let readings = server.received().iter().filter(|request| purpose(request) == "reading").count();
    assert_eq!(readings, 1, "one reading for everybody");
}

#[test]
fn a_model_is_downloaded_by_the_ollama_here_one_at_a_time() {
    let server = server(claims());
    let desk = Desk::new(&server);
    let part = r#"{"status":"pulling 6a07","total":2000,"completed":1500}"#.to_owned();
    server.behave(|server| server.pull = vec![part, r#"{"status":"success"}"#.to_owned()]);
    let over = || loop {
        match desk.engine.models().pull() {
            Some(pull) if !pull.is_over => std::thread::yield_now(),
            over => return over,
        }
    };
    assert_eq!(desk.engine.models().pull(), None);
    desk.engine.models().start_pull(&server.url(), "qwen3:4b").unwrap();
    let done = over().unwrap();
    assert_eq!((done.model.as_str(), done.done, done.total, done.problem), ("qwen3:4b", 1_500, 2_000, None));
    // A second download while one is in progress, a canceled one, and one on another computer.
    server.behave(|server| server.pull.clear());
    desk.engine.models().start_pull(&server.url(), "qwen3:8b").unwrap();
    assert!(
        desk.engine
            .models()
            .start_pull(&server.url(), "qwen3:4b")
            .unwrap_err()
            .to_string()
            .contains("another model is already being downloaded")
    );
    desk.engine.models().stop_pull();
    assert_eq!(over(), None, "what was called off is not told of");
    let refused = desk.engine.models().start_pull("http://192.0.2.7:11434", "qwen3:4b").unwrap_err().to_string();
    assert!(refused.contains("not on this computer"), "{refused}");
}

#[test]
fn what_reading_will_cost_is_told_before_and_how_long_once_the_model_was_heard() {
    let server = server(claims());
    let desk = Desk::new(&server);
    assert_eq!(desk.engine.models().estimate_reading().unwrap().conversations, 0);
    desk.append(&conversation("c1", TALK));
    let short = desk.engine.models().estimate_reading().unwrap();
    assert_eq!((short.conversations, short.duration_ms), (1, None), "nothing is known of its pace");
    desk.append(&conversation("c2", &format!("{TALK}\n").repeat(200)));
    let both = desk.engine.models().estimate_reading().unwrap();
    assert!(both.conversations == 2 && both.tokens > 2 * short.tokens, "{short:?} {both:?}");
    desk.work();
    assert_eq!(desk.engine.models().estimate_reading().unwrap().tokens, 0, "all is read");
    let used = desk.engine.store().read(|tx| tx.model_calls().model_use(keepsake_domain::Timestamp(0))).unwrap().tokens;
    assert!((both.tokens / 3..both.tokens * 3).contains(&used), "foreseen {}, used {used}", both.tokens);
}

#[test]
fn a_model_is_rated_by_what_it_finds_and_makes_up() {
    let say = |words, content| fact(words, content, "personal_info");
    let good = vec![
        say("moved to Lisbon", "User lives in Lisbon"),
        say("work as a nurse", "User works as a nurse"),
        say("two cats", "User has two cats"),
        say("can't eat peanuts", "User can't eat peanuts"),
        say("used to play the cello", "User used to play the cello"),
        say("been vegetarian", "Ben is vegetarian"),
        say("daughter Ida", "Ana's daughter is called Ida"),
        say("brother Tom", "User's brother is called Tom"),
        say("ride horses", "User rides horses"),
    ];
    let rated = |server: &ScriptedServer| {
        let desk = Desk::new(server);
        let provider = desk.engine.models().settings().unwrap().provider.unwrap();
        let rated = desk.engine.models().rate(&provider).unwrap();
        assert!(desk.memories().is_empty(), "nothing of it is kept");
        rated.into_iter().map(|one| (one.task, one.verdict, one.right, one.wrong)).collect::<Vec<_>>()
    };
    // Finds everything and approves everything, so it must not be used as a judge.
    let [facts, judge, _] = rated(&server(good))[..] else { panic!("three tasks") };
    assert_eq!(facts, ("facts", Verdict::Good, 9, 0));
    assert_eq!((judge.1, judge.2, judge.3), (Verdict::Weak, 3, 3), "three of six are right by chance");
    // Finds only statements that are not true.
    let bad = vec![
        say("castles", "User owns castles"),
        say("dragons", "User slays dragons"),
        say("live on a boat", "User lives on a boat"),
    ];
    assert_eq!(rated(&server(bad))[0], ("facts", Verdict::Unfit, 0, 3));
    // Never replies in the requested format.
    let prose = rated(&ScriptedServer::saying("Sure! Here you are."));
    assert!(prose.iter().all(|(_, verdict, right, _)| *verdict == Verdict::Unfit && *right == 0), "{prose:?}");
}

#[test]
fn a_task_may_have_a_model_of_its_own() {
    let server = server(claims());
    let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| {
        settings.task_models.judge = Some("careful:9b".to_owned());
    });
    desk.append(&conversation("c1", TALK));
    assert_eq!(desk.work(), Some(JobState::Done));
    let mut asked: Vec<(String, &str)> = server
        .received()
        .iter()
        .map(|request| (request.json()["model"].as_str().unwrap().to_owned(), purpose(request)))
        .filter(|(_, purpose)| ["reading", "judge_facts"].contains(purpose))
        .collect();
    asked.sort();
    asked.dedup();
    assert_eq!(asked, [("careful:9b".to_owned(), "judge_facts"), ("tiny:1b".to_owned(), "reading")]);
    assert!(
        desk.memories().iter().any(|memory| memory.contains("nurse") && memory.contains("[tiny:1b reading/")),
        "who proposed it"
    );
    // Another server does not have this model.
    let mut settings = desk.engine.models().settings().unwrap();
    settings.provider.as_mut().unwrap().url = "http://127.0.0.1:9".to_owned();
    desk.engine.models().set_settings(&settings).unwrap();
    assert_eq!(desk.engine.models().settings().unwrap().task_models.judge, None);
}

/// A server that replies like `yes`, but rejects requests longer than `chars`, as llama.cpp does.
fn of_context(chars: usize, claims: Vec<Claim>) -> ScriptedServer {
    ScriptedServer::start(move |request| {
        let asked = request.message("system").len() + request.message("user").len();
        if asked > chars {
            let body = br#"{"error":{"code":400,"message":"too long","type":"exceed_context_size_error"}}"#.to_vec();
            return Answer::Http { status: 400, headers: Vec::new(), body };
        }
        Answer::Text(reply(request, &claims))
    })
}

#[test]
fn a_model_that_takes_little_is_asked_in_parts_and_about_all_of_it() {
    let long: String = (0..60)
        .map(|n| format!("owner Mara: The {n}th letter about the roof came today and says nothing that was not in the last.\n"))
        .collect();
    let talk = format!("owner Mara: I work as a nurse.\n{long}owner Mara: I keep two goats.\n");
    let claims = || {
        vec![fact(NURSE, "User works as a nurse", "personal_info"), fact("two goats", "User keeps two goats", "personal_info")]
    };
    let known = |desk: &Desk| {
        let memories = desk.memories();
        ["nurse", "goats"].map(|word| memories.iter().any(|memory| memory.contains(word)))
    };
    let server = of_context(7_000, claims());
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", &talk));
    assert_eq!(desk.work(), Some(JobState::Done), "{:?}", desk.alerts());
    assert_eq!(known(&desk), [true, true], "{:#?}", desk.memories());
    assert!(desk.alerts().is_empty(), "{:?}", desk.alerts());
    // A request length that was rejected once is not tried again.
    let refused = |server: &ScriptedServer| {
        let long = |request: &Received| request.message("system").len() + request.message("user").len() > 7_000;
        server.received().iter().filter(|request| request.is_chat() && long(request)).count()
    };
    let before = refused(&server);
    assert!((1..=3).contains(&before), "found out by asking: {before}");
    desk.append(&conversation("c2", &talk.replace("goats", "sheep")));
    desk.work();
    assert_eq!(refused(&server), before);

    // Control: a model that accepts no request raises an alert, and nothing is stored.
    let server = of_context(100, claims());
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", &talk));
    assert_eq!(desk.work(), Some(JobState::Dead));
    assert_eq!(known(&desk), [false, false]);
    assert!(desk.alerts().iter().any(|alert| alert.contains("longer than the model can read")), "{:?}", desk.alerts());
}
