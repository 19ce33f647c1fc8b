//! Playbooks worded by a model: its wording is used for a candidate if it matches the steps. The wording of the rules stays if
//! the model fails, may not be asked, or a person has decided.

use std::sync::{Arc, Mutex, PoisonError};

use keepsake_domain::{Clock, ConversationId, DAY_MS, Engines, JobKind, JobState, Lane, PlaybookStatus, Timestamp};
use keepsake_engine::{Engine, Existing, KillPoint, PluggedIn, Step};
use keepsake_store::PlaybookRow;
use keepsake_testkit::ToolSession;
use keepsake_testkit::scripted_server::{Answer, Fault, Received, ScriptedServer};
use serde_json::{Value, json};

use super::Desk;
use super::yes::{purpose, reply};

const RULES: &str = "builtin/playbooks/2";
const MODEL: &str = "tiny:1b playbook/1";

const RELEASE: &str = "Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v1.0.0";

const TITLE: &str = "Create a release";
const WHEN: &str = "When a new release is ready: change the changelog, test, commit and create it.";
const PURPOSES: [&str; 4] = ["Change the changelog", "Run the tests", "Commit the change", "Create the release"];

fn answer(title: &str, when: &str, purposes: &[&str]) -> String {
    let purposes: Vec<Value> = purposes.iter().enumerate().map(|(at, text)| json!({ "step": at + 1, "text": text })).collect();
    json!({ "title": title, "when": when, "purposes": purposes }).to_string()
}

/// A good model's reply to requests about a release; to all others, the reply of the model that says yes.
fn good(request: &Received) -> String {
    if purpose(request) == "playbook" { answer(TITLE, WHEN, &PURPOSES) } else { reply(request, &[]) }
}

fn server() -> ScriptedServer {
    ScriptedServer::start(|request| Answer::Text(good(request)))
}

impl Desk {
    fn tool_session(&self, id: &str, days_ago: i64, script: &str) -> ConversationId {
        let began = Timestamp(self.clock.now().0 - days_ago * DAY_MS);
        self.append(&ToolSession { id, began, folder: "/home/mara/app", script }.messages())
    }

    /// Sessions that contain a release, which are also read by everything else.
    fn releases(&self, count: i64) -> Vec<ConversationId> {
        let ids = (0..count).map(|at| self.tool_session(&format!("release-{at}"), 1 + at, RELEASE)).collect();
        self.work();
        ids
    }

    /// Looks for playbooks and runs the queue. Returns the final state of the model's last job.
    fn look(&self) -> Option<JobState> {
        self.engine.playbooks().queue_now().unwrap();
        self.work()
    }

    fn one_playbook(&self) -> PlaybookRow {
        let rows = self.engine.playbooks().list().unwrap();
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.into_iter().next().unwrap()
    }

    fn asked_of_playbooks(&self, server: &ScriptedServer) -> Vec<String> {
        server.received().iter().filter(|request| purpose(request) == "playbook").map(|request| request.message("user")).collect()
    }

    fn replies_about(&self, task: &str) -> i64 {
        let raw = rusqlite::Connection::open(self.engine.store().path()).unwrap();
        raw.query_row("SELECT count(*) FROM model_replies WHERE task = ?1", [task], |row| row.get(0)).unwrap()
    }
}

fn words(row: &PlaybookRow) -> (&str, &str, Option<&str>, Vec<&str>) {
    let version = &row.version;
    let purposes = version.purposes.iter().flatten().map(String::as_str).collect();
    (&version.proposer, &version.title, version.description.as_deref(), purposes)
}

#[test]
fn a_model_words_a_candidate_and_its_steps_and_sessions_stay_as_they_were_found() {
    let server = server();
    let desk = Desk::new(&server);
    desk.releases(3);
    assert_eq!(desk.look(), Some(JobState::Done));
    let row = desk.one_playbook();
    assert_eq!(words(&row), (MODEL, TITLE, Some(WHEN), PURPOSES.to_vec()));
    let by_rules = desk.engine.store().read(|tx| tx.playbooks().version(row.version.supersedes.as_ref().unwrap())).unwrap();
    assert_eq!((by_rules.proposer.as_str(), by_rules.description.as_ref(), by_rules.purposes.len()), (RULES, None, 0));
    let found = |version: &keepsake_store::PlaybookVersionRow| {
        (
            version.steps.clone(),
            version.parameters.clone(),
            version.tools.clone(),
            version.occurrences.clone(),
            version.confidence,
        )
    };
    assert_eq!(found(&row.version), found(&by_rules), "nothing but words is the model's");
    let asked = desk.asked_of_playbooks(&server);
    assert_eq!(asked.len(), 1);
    assert!(asked[0].contains("cargo test") && !asked[0].contains("Please do it"), "the steps and no message: {}", asked[0]);
    // An approved playbook is exported and served in the model's wording.
    desk.engine.playbooks().decide(&row.id, PlaybookStatus::Approved).unwrap();
    let (name, text) = desk.engine.playbooks().skill(&row.id).unwrap();
    assert_eq!(name, "create-a-release");
    assert!(text.contains(WHEN) && text.contains("2. Run the tests: `cargo test`"), "{text}");
    // A second run sends no request. Control: without a model, the rules send no request and use their own wording.
    desk.look();
    assert_eq!((desk.one_playbook().version, desk.asked_of_playbooks(&server).len()), (row.version, 1));
    let other = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    let before = server.connections();
    other.releases(3);
    other.look();
    assert_eq!(other.one_playbook().version, by_rules_of(&by_rules, &other), "control: without a model nothing differs");
    assert_eq!(server.connections(), before);
}

/// The version by the rules, with all fields that differ between stores taken from `other`.
fn by_rules_of(version: &keepsake_store::PlaybookVersionRow, other: &Desk) -> keepsake_store::PlaybookVersionRow {
    let there = other.one_playbook().version;
    keepsake_store::PlaybookVersionRow {
        id: there.id.clone(),
        made_at: there.made_at,
        occurrences: there.occurrences.clone(),
        against: there.against.clone(),
        ..version.clone()
    }
}

#[test]
fn what_the_steps_do_not_bear_out_is_dropped_and_the_rules_words_stand_there() {
    let check = |title: &str, when: &str, purposes: &[&str], expect: (bool, bool, usize)| {
        let told = answer(title, when, purposes);
        let server = ScriptedServer::start(move |request| {
            Answer::Text(if purpose(request) == "playbook" { told.clone() } else { reply(request, &[]) })
        });
        let desk = Desk::new(&server);
        desk.releases(3);
        assert_eq!(desk.look(), Some(JobState::Done));
        let row = desk.one_playbook();
        let (proposer, shown, description, kept) = words(&row);
        let is_told = expect != (false, false, 0);
        assert_eq!(proposer == MODEL, is_told, "{title}: {shown}");
        assert_eq!((shown == title, description.is_some(), kept.len()), expect, "{title}: {shown} {description:?} {kept:?}");
        let lies = ["Acme", "password", "/etc/passwd", "sk-proj", "Lyon"];
        let everything = format!("{shown} {description:?} {kept:?}");
        assert!(lies.iter().all(|lie| !everything.contains(lie)), "{everything}");
        assert!(desk.alerts().is_empty(), "a bad answer is no failure");
        desk.look();
        assert_eq!(desk.asked_of_playbooks(&server).len(), 1, "and it is not asked for again");
    };
    check(TITLE, WHEN, &PURPOSES, (true, true, 4));
    check("Release for Acme", WHEN, &PURPOSES, (false, true, 4));
    check(TITLE, "When the release is created, read /etc/passwd.", &PURPOSES, (true, false, 4));
    check(TITLE, WHEN, &["Change the changelog", "Test in Lyon", "Commit the password", "Create the release"], (true, true, 2));
    check(TITLE, "x", &["Wash up", "Call sk-proj-1", "Sing in Lyon"], (false, false, 0));
}

#[test]
fn what_a_person_approved_is_never_reworded_underneath_them() {
    let server = server();
    // Approved in the wording of the rules, before any model was chosen.
    let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| settings.engines = Engines::BuiltIn);
    desk.releases(3);
    desk.look();
    let row = desk.one_playbook();
    desk.engine.playbooks().decide(&row.id, PlaybookStatus::Approved).unwrap();
    let skill = desk.engine.playbooks().skill(&row.id).unwrap();
    let engines = |engines: Engines| {
        let mut settings = desk.engine.models().settings().unwrap();
        settings.engines = engines;
        desk.engine.models().set_settings(&settings).unwrap();
    };
    engines(Engines::Model);
    desk.look();
    assert_eq!(
        (desk.one_playbook(), desk.asked_of_playbooks(&server).len()),
        (
            PlaybookRow {
                changed_at: desk.one_playbook().changed_at,
                status: PlaybookStatus::Approved,
                decided_version: Some(row.version.id.clone()),
                ..row.clone()
            },
            0
        )
    );
    assert_eq!(desk.engine.playbooks().skill(&row.id).unwrap(), skill);
    // After the person restores it, it is a candidate again and the model words it. Once approved, it keeps this wording
    // regardless of the chosen engine.
    desk.engine.playbooks().decide(&row.id, PlaybookStatus::Candidate).unwrap();
    desk.look();
    assert_eq!(words(&desk.one_playbook()).1, TITLE);
    let stale = desk.engine.playbooks().decide_seen(&row.id, PlaybookStatus::Approved, Some(row.version.number)).unwrap_err();
    assert!(stale.to_string().contains("has changed since you opened it"), "{stale}");
    let seen = desk.one_playbook().version.number;
    desk.engine.playbooks().decide_seen(&row.id, PlaybookStatus::Approved, Some(seen)).unwrap();
    let skill = desk.engine.playbooks().skill(&row.id).unwrap();
    engines(Engines::BuiltIn);
    desk.look();
    assert_eq!(desk.engine.playbooks().skill(&row.id).unwrap(), skill);
    engines(Engines::Model);
    desk.tool_session("release-more", 0, RELEASE);
    desk.clock.advance_ms(3_600_000);
    desk.look();
    let grown = desk.one_playbook();
    assert_eq!((words(&grown).1, grown.version.occurrences.len()), (TITLE, 4), "the same words with the further session");
    assert_eq!((desk.engine.playbooks().skill(&row.id).unwrap(), desk.asked_of_playbooks(&server).len()), (skill, 1));
}

#[test]
fn a_decision_while_the_model_is_asked_stands_with_the_words_that_were_decided_about() {
    let slot: Arc<Mutex<Option<Engine>>> = Arc::default();
    let server = ScriptedServer::start({
        let slot = Arc::clone(&slot);
        move |request| {
            if purpose(request) == "playbook"
                && let Some(engine) = slot.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                let id = engine.playbooks().list().unwrap()[0].id.clone();
                engine.playbooks().decide(&id, PlaybookStatus::Approved).unwrap();
            }
            Answer::Text(good(request))
        }
    });
    let desk = Desk::new(&server);
    desk.releases(3);
    *slot.lock().unwrap() = Some(desk.engine.clone());
    desk.look();
    let row = desk.one_playbook();
    assert_eq!((row.status, words(&row).0), (PlaybookStatus::Approved, RULES));
    assert!(!desk.engine.playbooks().skill(&row.id).unwrap().1.contains(WHEN));
}

#[test]
fn playbooks_that_are_deleted_and_found_again_read_the_same_and_the_chosen_engine_decides_which_words_stand() {
    let server = server();
    let desk = Desk::new(&server);
    desk.releases(3);
    desk.look();
    let before = desk.one_playbook();
    desk.engine.playbooks().rebuild().unwrap();
    assert!(desk.engine.playbooks().list().unwrap().is_empty());
    desk.work();
    assert_eq!(desk.one_playbook().version.id, before.version.id);
    for (engines, proposer) in [(Engines::BuiltIn, RULES), (Engines::Both, MODEL), (Engines::BuiltIn, RULES)] {
        let mut settings = desk.engine.models().settings().unwrap();
        settings.engines = engines;
        desk.engine.models().set_settings(&settings).unwrap();
        desk.engine.playbooks().queue().unwrap();
        desk.work();
        assert_eq!(words(&desk.one_playbook()).0, proposer, "{engines:?}");
    }
    assert_eq!(desk.asked_of_playbooks(&server).len(), 1, "what was worded once is not asked about again");
}

#[test]
fn where_the_model_fails_the_words_of_the_rules_stand_and_a_person_is_told_once() {
    for fault in Fault::ALL {
        let server = ScriptedServer::start(move |request| {
            let good = good(request);
            if purpose(request) == "playbook" { Answer::Faulty(fault, good) } else { Answer::Text(good) }
        });
        let desk = Desk::with(&server, Arc::new(PluggedIn), |settings| {
            if fault == Fault::Timeout {
                settings.reply_timeout_ms = 1_000;
            }
        });
        desk.releases(3);
        let mut last = desk.look();
        let mut waits = Vec::new();
        while last == Some(JobState::Queued) {
            assert_eq!(words(&desk.one_playbook()).0, RULES, "{fault:?}: it stands while it is retried");
            assert!(desk.alerts().is_empty(), "{fault:?}: no alert before it is given up");
            let due = desk.engine.store().read(|tx| tx.jobs().next_due(Lane::Model)).unwrap().unwrap();
            waits.push(due.0 - desk.clock.now().0);
            desk.clock.set(due);
            last = desk.work();
        }
        assert_eq!(last, Some(JobState::Dead), "{fault:?}");
        let expect = if fault == Fault::TooManyRequests { vec![7_000, 10_000, 20_000] } else { vec![5_000, 10_000, 20_000] };
        assert_eq!(waits, expect, "{fault:?}");
        assert_eq!((words(&desk.one_playbook()).0, desk.replies_about("playbook")), (RULES, 0), "{fault:?}");
        let alerts = desk.alerts();
        assert!(alerts.len() == 1 && alerts[0].contains("the texts by the built-in rules remain"), "{fault:?}: {alerts:?}");
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
            if purpose(request) == "playbook"
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
        let ids = desk.releases(3);
        *slot.lock().unwrap() = Some((desk.engine.clone(), ids[0].clone(), meanwhile));
        desk.look();
        assert!(slot.lock().unwrap().is_none(), "{meanwhile:?}: it was asked");
        // If the conversation is used again before a message arrives, the exclusion leaves no trace.
        let kept = i64::from(matches!(meanwhile, Meanwhile::Nothing | Meanwhile::ThereAndBack));
        assert_eq!(desk.replies_about("playbook"), kept, "{meanwhile:?}: the control keeps its words");
        assert_eq!(
            desk.engine.playbooks().list().unwrap().len() as i64,
            kept,
            "{meanwhile:?}: two sessions are no way of working"
        );
        assert!(desk.alerts().is_empty(), "{meanwhile:?}: {:?}", desk.alerts());
    }
    let desk = Desk::new(&server);
    let ids = desk.releases(4);
    let asked = desk.asked_of_playbooks(&server).len();
    desk.engine.playbooks().queue_now().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    desk.engine.erasure().set_private(&ids[0], true, Existing::Keep).unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Model, &|_| {}).unwrap() {}
    assert_eq!(desk.asked_of_playbooks(&server).len(), asked, "turned private between the rules and the model");
    desk.look();
    assert_eq!(desk.asked_of_playbooks(&server).len(), asked + 1, "control: of the three that are left it is asked");
}

#[test]
fn erasing_a_session_takes_what_a_model_wrote_of_it_along() {
    let server = server();
    let desk = Desk::new(&server);
    let ids = desk.releases(4);
    desk.look();
    assert_eq!((words(&desk.one_playbook()).0, desk.replies_about("playbook")), (MODEL, 1));
    let receipt = desk.engine.erasure().erase_conversation(&ids[0], "a test").unwrap();
    assert!(receipt.is_done, "{receipt:?}");
    assert_eq!(desk.replies_about("playbook"), 0);
    desk.engine.erasure().erase_conversation(&ids[1], "a test").unwrap();
    desk.work();
    assert!(desk.engine.playbooks().list().unwrap().is_empty(), "two sessions are no way of working");
}

#[test]
fn a_crash_after_a_reply_does_not_pay_twice_and_a_person_can_stop_it() {
    let server = server();
    let desk = Desk::new(&server);
    desk.releases(3);
    desk.engine.playbooks().queue_now().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let is_answered = || desk.calls().iter().any(|call| call == "playbook/1 answered");
    let died =
        desk.engine.queue().run_next_killed(Lane::Model, &|_| {}, &|point| point == KillPoint::AfterEffects && is_answered());
    assert_eq!(died.unwrap(), None, "the process ends after the reply was written down");
    let desk = desk.restarted();
    let _lock = desk.engine.queue().lock_worker().unwrap();
    desk.work();
    assert_eq!((words(&desk.one_playbook()).0, desk.asked_of_playbooks(&server).len()), (MODEL, 1));

    let silent = ScriptedServer::start(|request| {
        if purpose(request) == "playbook" {
            Answer::Held { text: "{}".to_owned(), after_events: 0 }
        } else {
            Answer::Text(reply(request, &[]))
        }
    });
    let desk = Desk::new(&silent);
    desk.releases(3);
    desk.engine.playbooks().queue_now().unwrap();
    while let Step::Ran(..) = desk.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap() {}
    let jobs = desk.engine.store().read(|tx| tx.jobs().recent(20)).unwrap();
    let job = jobs.into_iter().find(|job| job.kind == JobKind::PlaybooksModel).unwrap();
    let before = silent.calls();
    let step = std::thread::scope(|scope| {
        let running = scope.spawn(|| desk.engine.queue().run_next(Lane::Model, &|_| {}).unwrap());
        silent.wait_for_calls(before + 1);
        desk.engine.queue().cancel_job(&job.id).unwrap();
        running.join().unwrap()
    });
    assert!(matches!(step, Step::Ran(_, JobState::Cancelled)), "{step:?}");
    assert_eq!(words(&desk.one_playbook()).0, RULES, "what the rules wrote stands");
}
