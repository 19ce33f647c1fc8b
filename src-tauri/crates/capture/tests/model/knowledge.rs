//! Which parts of replies about knowledge are accepted, and the order of a task's calls.

use keepsake_capture::Turn;
use keepsake_capture::model::{Scope, Task};
use keepsake_domain::{Category, Confidence, Gate, MemoryKind, Stability, limits::KNOWLEDGE_PER_SOURCE_MAX};
use keepsake_prompt::{Calls, ContextLength, Outcome, Prompt};
use serde_json::{Value, json};

use crate::support::*;

const FRIDAY: &str = "We never deploy on Fridays, because nobody is around on Saturday to fix what breaks.";

fn entry(line: u32, quote: &str, position: &str) -> Value {
    json!({
        "type": "standard", "topic": "when to deploy software", "position": position,
        "reasoning": "Nobody is around on Saturday to fix what breaks on Friday.",
        "confidence": "high", "stability": "durable", "tags": ["Deploys"], "variant_of": null,
        "evidence": [{ "line": line, "quote": quote }],
    })
}

fn entries(entries: &[Value]) -> String {
    json!({ "entries": entries }).to_string()
}

/// Runs one meeting with one reply and a judge that approves everything.
fn believed(turns: &[Turn<'_>], entry: &Value) -> Result<keepsake_domain::Candidate, (Gate, String)> {
    let scrubber = scrubber();
    let task = Task::knowledge(conversation(turns), Scope::Whole, scrubber, ContextLength::default()).unwrap();
    let found =
        done(drive(task, |prompt| if prompt.name == "judge" { yes(prompt) } else { entries(std::slice::from_ref(entry)) }));
    match found.candidates.into_iter().find(|c| !c.is_quarantined) {
        Some(candidate) => Ok(candidate),
        None => Err(found.stops.into_iter().next().map(|stop| (stop.gate, stop.reason)).expect("a stop says why")),
    }
}

#[test]
fn a_position_in_the_owners_words_is_kept_with_its_why_and_its_place() {
    let turns = [owner(FRIDAY)];
    let kept = believed(&turns, &entry(1, "never deploy on Fridays", "Never deploy on Fridays.")).unwrap();
    assert_eq!((kept.kind, kept.category, kept.confidence), (MemoryKind::Knowledge, Category::Standard, Confidence::STATED));
    assert_eq!(kept.content, "Never deploy on Fridays");
    assert_eq!(kept.evidence[0].span.quote(FRIDAY), Ok("never deploy on Fridays"));
    let detail = kept.knowledge.unwrap();
    assert_eq!(
        (detail.topic.as_str(), detail.stability, detail.tags),
        ("when to deploy software", Stability::Durable, vec!["deploys".to_owned()])
    );
    let mut sparse = entry(1, "never deploy on Fridays", "Never deploy on Fridays");
    for field in ["confidence", "stability", "tags", "variant_of"] {
        sparse.as_object_mut().unwrap().remove(field);
    }
    let kept = believed(&turns, &sparse).unwrap();
    assert_eq!(kept.confidence, Confidence::INFERRED, "medium when nothing is said");
    assert_eq!(kept.knowledge.map(|detail| detail.stability), Some(Stability::Stable));
}

#[test]
fn rules_and_maxims_are_positions_though_no_facts() {
    let check = |text: &str, quote: &str, position: &str| {
        let mut rule = entry(1, quote, position);
        rule["topic"] = "tests and trust".into();
        rule["reasoning"] = "A test that lies costs more trust than a missing test.".into();
        assert!(believed(&[owner(text)], &rule).is_ok(), "{position}: {:?}", believed(&[owner(text)], &rule));
    };
    check(
        "If a test is flaky we delete it. A test that lies is worse than no test.",
        "If a test is flaky we delete it",
        "Delete a flaky test",
    );
    check("Keep interfaces small, a test needs only one door.", "Keep interfaces small", "Keep interfaces small");
}

#[test]
fn a_position_without_a_place_a_why_or_a_topic_is_stopped() {
    let check = |turns: &[Turn<'_>], entry: &Value, gate: Gate, why: &str| {
        let stopped = believed(turns, entry).expect_err(why);
        assert_eq!(stopped.0, gate, "{why}: {}", stopped.1);
    };
    let friday = "never deploy on Fridays";
    let good = |position: &str| entry(1, friday, position);
    let turns =
        [owner(FRIDAY), assistant("Never deploy on Mondays, because people are tired."), person("I always deploy on Sundays.")];
    check(&turns, &entry(2, "Never deploy on Mondays", "Never deploy on Mondays"), Gate::Ungrounded, "the assistant's words");
    check(&turns, &entry(3, "I always deploy on Sundays", "Always deploy on Sundays"), Gate::Ungrounded, "somebody else's words");
    check(&turns, &entry(1, "we love Kubernetes", "Kubernetes is the best platform"), Gate::Ungrounded, "invented");
    check(
        &[owner("She said \"we never deploy on Fridays, never ever\"")],
        &good("Never deploy on Fridays"),
        Gate::QuotedText,
        "quoted",
    );

    let with = |field: &str, value: Value| {
        let mut entry = good("Never deploy on Fridays");
        entry[field] = value;
        entry
    };
    check(&turns, &with("reasoning", "It's important.".into()), Gate::Invalid, "boilerplate for a why");
    check(&turns, &with("reasoning", "".into()), Gate::Invalid, "no why");
    check(&turns, &with("reasoning", "Never deploy on Fridays.".into()), Gate::Invalid, "the position for a why");
    check(&turns, &with("topic", "".into()), Gate::Invalid, "no topic");
    check(&turns, &with("topic", "never deploy on Fridays".into()), Gate::Invalid, "the position for a topic");
    check(&turns, &with("evidence", json!([])), Gate::Ungrounded, "no evidence");
    check(&turns, &with("variant_of", "see https://evil.example/x".into()), Gate::Ungrounded, "a link nobody wrote");
}

#[test]
fn at_most_eight_entries_a_source_the_strongest_first() {
    let scrubber = scrubber();
    let text: Vec<String> = (0..12).map(|n| format!("We review module {n} twice because bugs hide in module {n}.")).collect();
    let turns: Vec<Turn<'_>> = text.iter().map(|text| owner(text)).collect();
    let given: Vec<Value> = (0..12)
        .map(|n| {
            let mut entry = entry(n + 1, &format!("We review module {n} twice"), &format!("Review module {n} twice"));
            entry["topic"] = format!("how often to review module {n}").into();
            entry["reasoning"] = "Bugs hide in a module until it is read twice.".into();
            entry["confidence"] = if n >= 10 { "high" } else { "medium" }.into();
            entry
        })
        .collect();
    let task = Task::knowledge(conversation(&turns), Scope::Whole, scrubber, ContextLength::default()).unwrap();
    let found = done(drive(task, |prompt| if prompt.name == "judge" { yes(prompt) } else { entries(&given) }));
    assert_eq!(found.candidates.len(), KNOWLEDGE_PER_SOURCE_MAX);
    assert_eq!(found.candidates[0].content, "Review module 10 twice", "the strongest come first");
    assert_eq!(found.stops.iter().filter(|stop| stop.gate == Gate::OverCap).count(), 4);
}

fn verdicts(prompt: &Prompt, keep: bool, grounded: bool, distinctive: bool) -> String {
    yes(prompt)
        .replace("\"keep\":true", &format!("\"keep\":{keep}"))
        .replace("\"grounded\":true", &format!("\"grounded\":{grounded}"))
        .replace("\"distinctive\":true", &format!("\"distinctive\":{distinctive}"))
}

#[test]
fn an_entry_stays_only_when_the_judge_says_yes_three_times() {
    let scrubber = scrubber();
    let turns = [owner(FRIDAY)];
    let check = |keep: bool, grounded: bool, distinctive: bool, expect: Option<&str>| {
        let task = Task::knowledge(conversation(&turns), Scope::Whole, scrubber, ContextLength::default()).unwrap();
        let found = done(drive(task, |prompt| {
            if prompt.name == "judge" {
                verdicts(prompt, keep, grounded, distinctive)
            } else {
                entries(&[entry(1, "never deploy on Fridays", "Never deploy on Fridays")])
            }
        }));
        assert_eq!(found.candidates.is_empty(), expect.is_some(), "{keep} {grounded} {distinctive}");
        assert_eq!(found.stops.first().map(|stop| (stop.gate, stop.reason.as_str())), expect.map(|reason| (Gate::Judge, reason)));
    };
    check(true, true, true, None);
    check(false, true, true, Some("The judge found it not worth keeping."));
    check(true, false, true, Some("The judge found it not supported by what was said."));
    check(true, true, false, Some("The judge found it too generic."));
    check(false, false, true, Some("The judge found it not worth keeping and not supported by what was said."));
}

#[test]
fn a_judge_without_a_usable_answer_twice_drops_the_whole_batch() {
    let scrubber = scrubber();
    let turns = [owner(FRIDAY)];
    let check = |bad: &str| {
        let task = Task::knowledge(conversation(&turns), Scope::Whole, scrubber, ContextLength::default()).unwrap();
        let mut asked = 0;
        let outcome = drive(task, |prompt| {
            asked += usize::from(prompt.name == "judge");
            if prompt.name == "judge" {
                bad.to_owned()
            } else {
                entries(&[entry(1, "never deploy on Fridays", "Never deploy on Fridays")])
            }
        });
        assert_eq!(asked, 2, "asked once more: {bad}");
        let Outcome::Dropped { value, reason } = outcome else { panic!("{bad}: not dropped") };
        assert!(value.candidates.is_empty(), "{bad}");
        assert_eq!(value.stops.iter().map(|stop| stop.gate).collect::<Vec<_>>(), [Gate::Judge], "{bad}");
        assert!(reason.contains("1 entries") && !reason.contains("Fridays"), "{reason}");
    };
    for bad in [
        "",
        "Yes, all of them are fine.",
        "{\"verdicts\":[]}",
        "{\"verdicts\":[{\"entry\":2,\"keep\":true,\"grounded\":true,\"distinctive\":true}]}",
        "{\"verdicts\":[{\"entry\":0,\"keep\":true,\"grounded\":true,\"distinctive\":true}]}",
        "{\"verdicts\":[{\"entry\":1,\"keep\":true,\"grounded\":true,\"distinctive\":true},{\"entry\":1,\"keep\":true,\"grounded\":true,\"distinctive\":true}]}",
        "{\"verdicts\":[{\"entry\":1,\"keep\":true,\"grounded\":true}]}",
        "{\"verdicts\":[{\"entry\":1,\"keep\":1,\"grounded\":true,\"distinctive\":true}]}",
    ] {
        check(bad);
    }
}

/// A meeting of `count` messages that does not fit into one pass.
fn long_meeting(count: usize) -> Vec<String> {
    let filler = "and then we talked about it for a while. ".repeat(60);
    (0..count).map(|n| format!("We always test part {n} twice because part {n} broke before. {filler}")).collect()
}

#[test]
fn a_long_meeting_is_mapped_and_reduced_in_two_levels_and_its_entries_lead_back_to_lines() {
    let scrubber = scrubber();
    let texts = long_meeting(66);
    let turns: Vec<Turn<'_>> = texts.iter().map(|text| owner(text)).collect();
    let task = Task::knowledge(conversation(&turns), Scope::Whole, scrubber, ContextLength::default()).unwrap();
    let mut names: Vec<&'static str> = Vec::new();
    let found = done(drive(task, |prompt| {
        names.push(prompt.name);
        match prompt.name {
            "knowledge_observe" => {
                let observations: Vec<Value> = lines(prompt)
                    .into_iter()
                    .take(12)
                    .map(|(line, _, text)| {
                        let quote = text.split('.').next().unwrap().to_owned();
                        json!({ "type": "standard", "position": quote.split(" because").next(), "reasoning": "It broke before and would break again.",
                                "evidence": [{ "line": line, "quote": quote }] })
                    })
                    .collect();
                json!({ "observations": observations }).to_string()
            }
            "knowledge_reduce" => {
                let given: Vec<Value> = prompt.user.as_str().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
                let reduced: Vec<Value> = given
                    .iter()
                    .filter_map(|observation| Some((observation.get("observation")?, observation["position"].as_str()?)))
                    .take(20)
                    .map(|(number, position)| {
                        json!({ "type": "standard", "topic": "how parts are tested", "position": position,
                                "reasoning": "It broke before and would break again.", "from": [number] })
                    })
                    .collect();
                entries(&reduced)
            }
            _ => yes(prompt),
        }
    }));
    let count = |name: &str| names.iter().filter(|n| **n == name).count();
    assert!(count("knowledge_observe") >= 6, "{names:?}");
    assert_eq!(count("knowledge_reduce"), 3, "66 observations: two groups, then one: {names:?}");
    assert_eq!((count("judge"), names.last()), (1, Some(&"judge")));
    assert_eq!(found.candidates.len(), KNOWLEDGE_PER_SOURCE_MAX);
    for candidate in &found.candidates {
        let place = &candidate.evidence[0];
        let quote = place.span.quote(&texts[place.message]).unwrap();
        assert!(quote.starts_with(candidate.content.as_str()), "{quote} for {}", candidate.content);
    }
}

#[test]
fn a_reduction_cannot_bring_in_what_the_judge_does_not_find_in_the_lines() {
    let scrubber = scrubber();
    let texts = long_meeting(50);
    let turns: Vec<Turn<'_>> = texts.iter().map(|text| owner(text)).collect();
    let observe = |prompt: &Prompt| {
        let (line, _, text) = lines(prompt).into_iter().next().unwrap();
        let quote = text.split('.').next().unwrap().to_owned();
        json!({ "observations": [{ "type": "standard", "position": "We always test parts twice", "reasoning": "It broke before and would break again.",
                "evidence": [{ "line": line, "quote": quote }] }] })
        .to_string()
    };
    let reduced = |position: &str, from: Value| {
        entries(&[json!({ "type": "standard", "topic": "how parts are tested", "position": position,
                          "reasoning": "It broke before and would break again.", "from": from })])
    };
    let run = |position: &str, from: Value| {
        let task = Task::knowledge(conversation(&turns), Scope::Whole, scrubber, ContextLength::default()).unwrap();
        drive(task, |prompt| match prompt.name {
            "knowledge_observe" => observe(prompt),
            "knowledge_reduce" => reduced(position, from.clone()),
            _ => crate::support::verdicts(prompt, |position| position.contains("test parts")),
        })
    };
    assert_eq!(done(run("We always test parts twice", json!([1, 2]))).candidates.len(), 1, "control: a true entry passes");
    assert!(done(run("Rewrite all services in Rust at once", json!([1]))).candidates.is_empty(), "invented in the reduction");
    assert!(done(run("We always test parts twice", json!([]))).candidates.is_empty(), "from nothing");
    assert!(
        matches!(run("We always test parts twice", json!([900])), Outcome::Failed { .. }),
        "from an observation that is not there"
    );
}

#[test]
fn a_chat_is_read_a_window_at_a_time_and_what_was_read_is_not_read_again() {
    let scrubber = scrubber();
    let filler = "so that is how it went. ".repeat(500);
    let texts: Vec<String> = (0..6).map(|n| format!("Part {n}: {filler}")).collect();
    let mut turns: Vec<Turn<'_>> = texts.iter().map(|text| owner(text)).collect();
    turns.extend(texts.iter().map(|text| person(text)));
    let calls = |mut task: Task<'_>, name: &str, reply: &str| {
        let mut seen = Vec::new();
        while let Some(call) = task.next() {
            assert_eq!(call.prompt.name, name);
            seen.push(lines(call.prompt).iter().any(|(_, role, _)| role == "user"));
            task.feed(reply).unwrap();
        }
        seen
    };
    let reading = |scope: Scope| {
        let task = Task::reading(conversation(&turns), scope, scrubber, ContextLength::default()).unwrap();
        calls(task, "reading", "{\"facts\":[],\"positions\":[]}").len()
    };
    let all = reading(Scope::Whole);
    assert!(all >= 3, "{all}");
    assert!(reading(Scope::New { from: 5 }) < all, "windows that were read before are not read again");
    assert_eq!(reading(Scope::New { from: 12 }), 0);
    let meeting = Task::knowledge(conversation(&turns), Scope::Whole, scrubber, ContextLength::default()).unwrap();
    let is_owner_in = calls(meeting, "knowledge_observe", "{\"observations\":[]}");
    assert!(
        (1..all).contains(&is_owner_in.len()) && is_owner_in.iter().all(|is_in| *is_in),
        "the owner speaks in each: {is_owner_in:?}"
    );
}
