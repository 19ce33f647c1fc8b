//! Every fault in every call: nothing is stored, the job is retried after 5, 10 and 20 s and then given up with one alert, and
//! nothing else is affected.

use keepsake_domain::JobState;
use keepsake_testkit::conversation;
use keepsake_testkit::scripted_server::{Answer, Fault, ScriptedServer};

use super::Desk;
use super::yes::{Claim, fact, purpose, reply};

fn claims() -> Vec<Claim> {
    vec![fact(
        "I review every change twice because a rushed review costs more than it saves",
        "User reviews every change twice",
        "preference",
    )]
}

const TALK: &str = "owner Mara: I review every change twice because a rushed review costs more than it saves.
assistant Nova: Noted.";

const LONG: u32 = 12;
const TOO_LONG: u32 = 44;

/// Timeout for a silent server: long enough for the calls before it, even on a busy computer.
const SILENCE_MS: u64 = 1_000;

/// A meeting longer than the context window, or even too long for one pass, so that it is mapped and reduced.
fn meeting(points: u32) -> Vec<keepsake_domain::Message> {
    let filler =
        "We went through the list of open points and agreed on who writes which part of it until the next time. ".repeat(12);
    let mut lines = String::new();
    for n in 0..points {
        lines.push_str(&format!(
            "owner Mara: Point {n}. I review every change twice because a rushed review costs more than it saves. {filler}\n"
        ));
        lines.push_str(&format!("person Ana: Fine, point {n}. {filler}\n"));
    }
    keepsake_testkit::Conversation::new("meeting")
        .source(keepsake_domain::SourceKind::Transcript)
        .channel("meeting", "meeting")
        .messages(&lines)
}

/// The server replies to the first call of one kind with a fault, in each attempt.
fn check(kind: &'static str, fault: Fault, messages: &[keepsake_domain::Message], analyse: bool) {
    let server = ScriptedServer::start(move |request| {
        let good = reply(request, &claims());
        if purpose(request) == kind { Answer::Faulty(fault, good) } else { Answer::Text(good) }
    });
    let desk = Desk::with(&server, std::sync::Arc::new(keepsake_engine::PluggedIn), |settings| {
        if fault == Fault::Timeout {
            settings.reply_timeout_ms = SILENCE_MS;
        }
    });
    let id = desk.append(messages);
    if analyse {
        // Only the analysis is tested here; extraction has its own case.
        desk.engine
            .store()
            .write(|tx| tx.log().mark_extracted(&id, i64::MAX).and_then(|()| tx.log().mark_model_read(&id, i64::MAX)))
            .unwrap();
        desk.work();
        desk.engine.conversations().queue_analysis(&id, true).unwrap();
    }
    let what = format!("{kind} meets {fault:?}");
    let is_judge_of_text = kind.starts_with("judge") && fault.is_of_the_text();
    // Failing to find positions does not affect the facts.
    let reads_positions = ["entries", "observe", "reduce"].contains(&kind);
    let is_partial = is_judge_of_text || reads_positions && fault.is_of_the_text();
    let mut waits = Vec::new();
    let mut last = desk.work();
    while last == Some(JobState::Queued) {
        assert_eq!(desk.memories(), Vec::<String>::new(), "{what}: nothing is stored while it is retried");
        assert!(desk.alerts().is_empty(), "{what}: no alert before it is given up");
        // The store can be used while the job waits.
        desk.engine.store().read(|tx| tx.log().totals()).unwrap();
        let due = desk.engine.store().read(|tx| tx.jobs().next_due(keepsake_domain::Lane::Model)).unwrap().unwrap();
        let wait = due.0 - keepsake_domain::Clock::now(desk.clock.as_ref()).0;
        waits.push(wait);
        desk.clock.advance_ms(wait);
        last = desk.work();
    }
    if is_partial {
        assert_eq!(
            last,
            Some(JobState::Done),
            "{what}: an unusable judge drops its batch (seed 002), an unusable reading of positions itself: no failure of the job"
        );
    } else {
        assert_eq!(last, Some(JobState::Dead), "{what}");
        let expect = if fault == Fault::TooManyRequests { vec![7_000, 10_000, 20_000] } else { vec![5_000, 10_000, 20_000] };
        assert_eq!(waits, expect, "{what}");
    }
    // The entries of the other part are kept.
    let is_of_knowledge = kind == "judge" || reads_positions;
    let (hit, kept): (Vec<String>, Vec<String>) =
        desk.memories().into_iter().partition(|memory| !is_partial || memory.contains(" standard ") == is_of_knowledge);
    assert_eq!(hit, Vec::<String>::new(), "{what}: nothing is stored");
    assert!(kind != "entries" || !is_partial || !kept.is_empty(), "{what}: the facts are kept");
    assert_eq!(desk.alerts().len(), 1, "{what}: {:?}", desk.alerts());
    let promises = ["again later", "asked again", "tried again"];
    assert!(
        !desk.alerts().iter().any(|alert| promises.iter().any(|words| alert.contains(words))),
        "{what}: no try is left: {:?}",
        desk.alerts()
    );
    assert!(desk.engine.store().read(|tx| tx.analyses().of(&id)).unwrap().is_empty(), "{what}: no analysis either");
}

#[test]
fn no_fault_of_a_models_server_stores_anything_at_any_call() {
    let talk = conversation("c1", TALK);
    for fault in Fault::ALL {
        for kind in ["judge", "judge_facts"] {
            check(kind, fault, &talk, false);
        }
        check("entries", fault, &meeting(LONG), false);
        check("analysis", fault, &talk, true);
    }
}

#[test]
fn no_fault_at_a_reading_stores_anything() {
    let talk = conversation("c1", TALK);
    for fault in Fault::ALL {
        check("reading", fault, &talk, false);
        check("facts", fault, &meeting(LONG), false);
        // The second call of an analysis also asks for facts.
        check("facts", fault, &talk, true);
    }
}

#[test]
fn no_fault_within_map_and_reduce_stores_anything() {
    let meeting = meeting(TOO_LONG);
    for fault in Fault::ALL {
        for kind in ["observe", "reduce"] {
            check(kind, fault, &meeting, false);
        }
    }
}

#[test]
fn without_a_fault_the_same_conversations_bring_memories() {
    for messages in [conversation("c1", TALK), meeting(LONG), meeting(TOO_LONG)] {
        let server = ScriptedServer::start(|request| Answer::Text(reply(request, &claims())));
        let desk = Desk::new(&server);
        desk.append(&messages);
        assert_eq!(desk.work(), Some(JobState::Done));
        let memories = desk.memories();
        assert!(
            memories.iter().any(|m| m.contains("standard")),
            "the control finds what the faults suppress: {memories:?} {:#?}",
            desk.log()
        );
        assert!(desk.alerts().is_empty());
    }
}

#[test]
fn a_model_that_is_asked_once_more_is_told_what_was_wrong() {
    const WRONG: &str = "Your last reply was not JSON alone.";
    let server = ScriptedServer::start(|request| {
        let is_first = purpose(request) == "reading" && !request.message("user").contains(WRONG);
        Answer::Text(if is_first { "Sure! Here is what I found.".to_owned() } else { reply(request, &claims()) })
    });
    let desk = Desk::new(&server);
    desk.append(&conversation("c1", TALK));
    assert_eq!(desk.work(), Some(JobState::Done));
    assert!(!desk.memories().is_empty());
    let asked: Vec<bool> = server
        .received()
        .iter()
        .filter(|request| purpose(request) == "reading")
        .map(|request| request.message("user").contains(WRONG))
        .collect();
    assert_eq!(asked, [false, true], "what is wrong is said the second time and never before");
}
