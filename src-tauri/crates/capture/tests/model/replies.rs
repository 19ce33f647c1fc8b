//! Tests the replies for every prompt. `fixtures/replies` contains a table of replies for each prompt, and next to it a table
//! of the expected results.

use std::fmt::Write as _;

use expect_test::{ExpectFile, expect_file};
use keepsake_capture::Turn;
use keepsake_capture::model::{Scope, Task};
use keepsake_prompt::{CallError, Calls, ContextLength, Outcome, Prompt};
use keepsake_testkit::replies;
use serde_json::json;

use crate::support::*;

fn turns() -> Vec<Turn<'static>> {
    vec![
        owner("I live in Lyon."),
        assistant("You should try the Alps!"),
        owner("I love bouldering."),
        person("I live in Porto."),
        owner("We never deploy on Fridays, because nobody is around on Saturday to fix what breaks."),
        owner("My sister lives in Oslo. Do you think I should move to Peru?"),
        owner("My address is mara@example.org, write there."),
    ]
}

/// The facts task sees only the owner's lines, so that line numbers in the replies do not count the lines of others.
fn fact_turns() -> Vec<Turn<'static>> {
    let turns = turns();
    [0, 1, 2, 3, 5, 6].into_iter().map(|n| turns[n].clone()).collect()
}

/// The replies that come before the call `wanted`.
fn lead(prompt: &Prompt) -> String {
    let first_friday = lines(prompt).into_iter().find(|(_, _, text)| text.contains("Fridays")).map_or(1, |(line, ..)| line);
    let evidence = json!([{ "line": first_friday, "quote": "never deploy on Fridays" }]);
    let why = "Nobody is around on Saturday to fix what breaks on Friday.";
    match prompt.name {
        "knowledge_observe" => {
            let one = json!({ "type": "standard", "position": "Never deploy on Fridays", "reasoning": why, "evidence": evidence });
            json!({ "observations": [one, one] }).to_string()
        }
        "knowledge_reduce" => {
            json!({ "entries": [{ "type": "standard", "topic": "when to deploy", "position": "Never deploy on Fridays", "reasoning": why, "from": [1] }] }).to_string()
        }
        "judge" | "judge_facts" => yes(prompt),
        _ => json!({ "entries": [{ "type": "standard", "topic": "when to deploy", "position": "Never deploy on Fridays", "reasoning": why, "evidence": evidence }] })
            .to_string(),
    }
}

/// Feeds `reply` to every call named `wanted` and gives good replies to the others.
fn run(mut task: Task<'_>, wanted: &str, reply: &str) -> (Outcome<keepsake_capture::Proposals>, Option<CallError>) {
    let mut error = None;
    let mut is_fed = false;
    while let Some(call) = task.next() {
        if call.prompt.name == wanted {
            is_fed = true;
            if let Err(fault) = task.feed(reply) {
                error = Some(fault);
            }
        } else {
            let answer = lead(call.prompt);
            task.feed(&answer).unwrap();
        }
    }
    assert!(is_fed, "{wanted} is called");
    (task.finish(), error)
}

fn kind_of(error: &CallError) -> &'static str {
    use keepsake_prompt::reply::ReplyError::*;
    match error {
        CallError::Reply(Empty) => "empty",
        CallError::Reply(TooLong { .. }) => "too long",
        CallError::Reply(NotJson { .. }) => "not one JSON value",
        CallError::Reply(WrongShape { .. }) => "another shape",
        CallError::Reply(Mismatch { reason }) => reason,
        CallError::Wording(_) | CallError::NotAsked => "a fault of ours",
    }
}

fn check(prompt: &str, table: &str, expected: ExpectFile, task: impl Fn() -> Task<'static>) {
    let mut report = String::new();
    for (name, reply) in replies(table, 4) {
        let (outcome, error) = run(task(), prompt, &reply);
        write!(report, "{name}: ").unwrap();
        assert_eq!(error.is_some(), name.starts_with("bad/"), "{prompt}/{name}: {error:?}");
        match (&error, outcome) {
            (Some(error), Outcome::Failed { .. }) => write!(report, "failed: {}", kind_of(error)).unwrap(),
            (Some(error), Outcome::Dropped { value, .. }) => {
                assert!(value.candidates.is_empty(), "{prompt}/{name}");
                write!(report, "dropped: {}", kind_of(error)).unwrap();
            }
            (_, Outcome::Done(found)) => {
                let kept =
                    found.candidates.iter().map(|c| format!("kept {:.2} {} \"{}\"", c.confidence.get(), c.category, c.content));
                let stopped = found.stops.iter().map(|s| format!("{}: {}", s.gate, s.reason));
                let all: Vec<String> = kept.chain(stopped).collect();
                report.push_str(if all.is_empty() { "nothing" } else { "" });
                report.push_str(&all.join(" | "));
            }
            (error, outcome) => panic!("{prompt}/{name}: {error:?} {outcome:?}"),
        }
        report.push('\n');
    }
    expected.assert_eq(&report);
}

fn leaked(turns: Vec<Turn<'static>>) -> keepsake_capture::Conversation<'static> {
    // Leaks memory for a few conversations, which then live as long as the test run.
    conversation(Vec::leak(turns))
}

#[test]
fn replies_about_facts() {
    check("facts", include_str!("../fixtures/replies/facts.txt"), expect_file!["../fixtures/replies/facts.expected.txt"], || {
        Task::facts(leaked(fact_turns()), Scope::Whole, scrubber(), ContextLength::default()).unwrap()
    });
}

#[test]
fn replies_about_a_whole_meeting() {
    check(
        "knowledge_whole",
        include_str!("../fixtures/replies/knowledge_whole.txt"),
        expect_file!["../fixtures/replies/knowledge_whole.expected.txt"],
        || Task::knowledge(leaked(turns()), Scope::Whole, scrubber(), ContextLength::default()).unwrap(),
    );
}

#[test]
fn replies_about_facts_and_positions() {
    check(
        "reading",
        include_str!("../fixtures/replies/reading.txt"),
        expect_file!["../fixtures/replies/reading.expected.txt"],
        || Task::reading(leaked(turns()), Scope::Whole, scrubber(), ContextLength::default()).unwrap(),
    );
}

/// One line from the owner, and so much text from others that the meeting does not fit into one pass.
fn long_meeting() -> Vec<Turn<'static>> {
    static FILLER: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| "and so it went on. ".repeat(1_200));
    let mut turns = vec![turns()[4].clone()];
    turns.extend((0..5).map(|_| person(&FILLER)));
    turns
}

#[test]
fn replies_with_observations() {
    check(
        "knowledge_observe",
        include_str!("../fixtures/replies/knowledge_observe.txt"),
        expect_file!["../fixtures/replies/knowledge_observe.expected.txt"],
        || Task::knowledge(leaked(long_meeting()), Scope::Whole, scrubber(), ContextLength::default()).unwrap(),
    );
}

#[test]
fn replies_of_a_reduction() {
    check(
        "knowledge_reduce",
        include_str!("../fixtures/replies/knowledge_reduce.txt"),
        expect_file!["../fixtures/replies/knowledge_reduce.expected.txt"],
        || Task::knowledge(leaked(long_meeting()), Scope::Whole, scrubber(), ContextLength::default()).unwrap(),
    );
}

#[test]
fn replies_of_the_judge() {
    check("judge", include_str!("../fixtures/replies/judge.txt"), expect_file!["../fixtures/replies/judge.expected.txt"], || {
        Task::knowledge(leaked(turns()), Scope::Whole, scrubber(), ContextLength::default()).unwrap()
    });
}
