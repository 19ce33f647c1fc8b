//! Whole-conversation analysis by a model: replies, and which parts of them are accepted.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::LazyLock;

use expect_test::{ExpectFile, expect_file};
use keepsake_domain::{Gate, MemoryProfile, MemoryType, MessageType, ProfileLevel, Role, StoryDetail, Timestamp};
use keepsake_insight::model::{AnalysisTask, CONVERSATION_CHARS_MAX, ModelAnalysis};
use keepsake_insight::{AnalysisInput, Turn};
use keepsake_prompt::ContextLength;
use keepsake_prompt::scrub::{ScrubConfig, Scrubber};
use keepsake_prompt::{Calls, Outcome, Prompt};
use keepsake_testkit::replies;

fn scrubber() -> &'static Scrubber {
    static SCRUBBER: LazyLock<Scrubber> = LazyLock::new(|| Scrubber::new(&ScrubConfig::default()).unwrap());
    &SCRUBBER
}

fn turn<'a>(role: Role, author: &'a str, text: &'a str) -> Turn<'a> {
    Turn { id: "m", role, author, text, time: Timestamp(1_772_445_600_000), message_type: MessageType::Text, is_branch: false }
}

fn turns() -> Vec<Turn<'static>> {
    vec![
        turn(Role::Owner, "Mara", "I am building a greenhouse behind the shed and I worry about the roof."),
        turn(Role::Assistant, "Nova", "You should use glass."),
        turn(Role::Owner, "Mara", "Good. The roof will be made of glass then, what a relief."),
        turn(Role::Person, "Piet", "I build boats, I can help."),
        turn(Role::Owner, "Mara", "Piet (piet@example.org) helps me on Sundays."),
    ]
}

fn input<'a>(turns: &'a [Turn<'a>]) -> AnalysisInput<'a> {
    AnalysisInput { turns, owner_name: Some("Mara"), vectors: None }
}

const NOTHING: &str = r#"{"memories":[],"summary":[],"themes":[],"key_topics":[],"mood":"neutral","tone":"neutral","emotional_arc":[],"participants":[]}"#;

/// Feeds `reply` to every call named `wanted` and an empty reply to the others.
fn run(turns: &[Turn<'_>], profile: MemoryProfile, wanted: &str, reply: &str) -> (Outcome<ModelAnalysis>, bool) {
    let mut task = AnalysisTask::new(input(turns), profile, scrubber(), ContextLength::default()).unwrap();
    let mut is_refused = false;
    while let Some(call) = task.next() {
        let name = call.prompt.name;
        let answer = if name == wanted {
            reply
        } else if name == "analysis" {
            NOTHING
        } else {
            "{\"facts\":[]}"
        };
        is_refused |= task.feed(answer).is_err();
    }
    (task.finish(), is_refused)
}

/// All types except stories.
fn profile() -> MemoryProfile {
    MemoryProfile { story: false, ..MemoryProfile::default() }
}

fn check(prompt: &str, table: &str, expected: ExpectFile) {
    let turns = turns();
    let mut report = String::new();
    for (name, reply) in replies(table, 4) {
        let (outcome, is_refused) = run(&turns, profile(), prompt, &reply);
        assert_eq!(is_refused, name.starts_with("bad/"), "{prompt}/{name}");
        writeln!(report, "{name}").unwrap();
        match outcome {
            Outcome::Failed { error, .. } => writeln!(report, "  failed: {error}").unwrap(),
            Outcome::Done(found) => tell(&found, &mut report),
            other => panic!("{name}: {other:?}"),
        }
    }
    expected.assert_eq(&report);
}

fn tell(found: &ModelAnalysis, report: &mut String) {
    let analysis = &found.analysis;
    for candidate in &analysis.candidates {
        writeln!(report, "  candidate {} \"{}\"", candidate.category, candidate.content).unwrap();
        let Some(story) = candidate.story.as_ref().filter(|story| **story != StoryDetail::default()) else { continue };
        let turns = turns();
        let quotes: Vec<&str> =
            candidate.evidence.iter().map(|place| place.span.quote(turns[place.message].text).unwrap()).collect();
        writeln!(report, "    weight {:?} with {:?} in {quotes:?}", story.emotional_weight, story.participants).unwrap();
    }
    for stop in &analysis.stops {
        writeln!(report, "  stopped {}: {} \"{}\"", stop.gate, stop.reason, stop.content).unwrap();
    }
    for sentence in &analysis.summary {
        writeln!(report, "  summary {} {}: {}", sentence.turn, sentence.author, sentence.text).unwrap();
    }
    let arc: Vec<String> = analysis.emotional_arc.iter().map(|p| format!("{:?} {} {}", p.stage, p.mood.name(), p.turn)).collect();
    writeln!(
        report,
        "  themes {:?} topics {:?} tone {:?} arc {arc:?} people {:?}",
        analysis.themes,
        analysis.key_topics,
        analysis.tone.as_deref().unwrap_or_default(),
        analysis.participants
    )
    .unwrap();
}

#[test]
fn replies_about_the_whole_conversation() {
    check(
        "analysis",
        include_str!("../fixtures/replies/analysis.txt"),
        expect_file!["../fixtures/replies/analysis.expected.txt"],
    );
}

#[test]
fn replies_about_the_owners_facts() {
    check(
        "analysis_facts",
        include_str!("../fixtures/replies/analysis_facts.txt"),
        expect_file!["../fixtures/replies/analysis_facts.expected.txt"],
    );
}

fn prompts(turns: &[Turn<'_>], profile: MemoryProfile) -> Vec<Prompt> {
    let mut task = AnalysisTask::new(input(turns), profile, scrubber(), ContextLength::default()).unwrap();
    let mut seen = Vec::new();
    while let Some(call) = task.next() {
        let prompt = call.prompt.clone();
        task.feed(if prompt.name == "analysis" { NOTHING } else { "{\"facts\":[]}" }).unwrap();
        seen.push(prompt);
    }
    seen
}

#[test]
fn a_model_that_takes_little_is_shown_the_newest_that_fits() {
    let texts: Vec<String> = (0..200).map(|n| format!("I planted row {n} of the orchard and watered it twice.")).collect();
    let line = turns()[0];
    let turns: Vec<Turn<'_>> = texts.iter().map(|text| Turn { text, ..line }).collect();
    let mut task = AnalysisTask::new(input(&turns), profile(), scrubber(), ContextLength::of_tokens(2_000)).unwrap();
    let mut calls = 0;
    while let Some(call) = task.next() {
        let tokens = call.prompt.tokens() + usize::from(call.prompt.reply_tokens_max);
        assert!(tokens <= 2_000, "{} asks for {tokens} tokens", call.prompt.label());
        assert!(call.prompt.user.as_str().contains("row 199") && !call.prompt.user.as_str().contains("row 0 "));
        let reply = if call.prompt.name == "analysis" { NOTHING } else { "{\"facts\":[]}" };
        task.feed(reply).unwrap();
        calls += 1;
    }
    assert_eq!(calls, 2);
}

#[test]
fn each_prompt_reads_as_it_was_agreed() {
    let prompts = prompts(&turns(), profile());
    let shown = |prompt: &Prompt| {
        format!(
            "{} · at most {} tokens of reply\n\n=== system ===\n{}\n\n=== user ===\n{}\n\n=== reply ===\n{}\n",
            prompt.label(),
            prompt.reply_tokens_max,
            prompt.system,
            prompt.user,
            serde_json::to_string_pretty(&prompt.schema).unwrap()
        )
    };
    expect_file!["../snapshots/analysis.txt"].assert_eq(&shown(&prompts[0]));
    expect_file!["../snapshots/analysis_facts.txt"].assert_eq(&shown(&prompts[1]));
}

#[test]
fn the_profile_switches_types_on_and_off_in_the_prompt_and_in_code() {
    let turns = turns();
    let mentions = |prompt: &Prompt, memory_type: MemoryType| prompt.system.as_str().contains(&format!("- \"{memory_type}\": "));
    for level in ProfileLevel::ALL {
        let profile = MemoryProfile::of(*level);
        let prompts = prompts(&turns, profile);
        for memory_type in MemoryType::ALL.iter().filter(|memory_type| **memory_type != MemoryType::Fact) {
            assert_eq!(mentions(&prompts[0], *memory_type), profile.allows(*memory_type), "{level} {memory_type}");
            let reply = NOTHING.replace(
                "\"memories\":[]",
                &format!(r#""memories":[{{"type":"{memory_type}","line":1,"quote":"I am building a greenhouse","content":"User is building a greenhouse","confidence":0.9,"reasoning":"The user tells of it at length."}}]"#),
            );
            let (Outcome::Done(found), _) = run(&turns, profile, "analysis", &reply) else { panic!("{level} {memory_type}") };
            assert_eq!(found.analysis.candidates.len(), usize::from(profile.allows(*memory_type)), "{level} {memory_type}");
            let stopped: Vec<Gate> = found.analysis.stops.iter().map(|stop| stop.gate).collect();
            assert_eq!(
                stopped.is_empty(),
                profile.allows(*memory_type),
                "{level} {memory_type}: what is switched off is stopped and seen"
            );
        }
    }
    let without = MemoryProfile { fact: false, ..MemoryProfile::default() };
    assert_eq!(prompts(&turns, without).len(), 1, "no call for facts where they are switched off");
}

#[test]
fn the_call_for_facts_sees_the_owners_messages_alone() {
    let prompts = prompts(&turns(), MemoryProfile::default());
    let facts = prompts[1].user.as_str();
    assert!(
        facts.contains("greenhouse") && !facts.contains("You should use glass") && !facts.contains("I build boats"),
        "{facts}"
    );
    let whole = prompts[0].user.as_str();
    assert!(whole.contains("You should use glass") && whole.contains("I build boats") && whole.contains("[EMAIL_1]"), "{whole}");
    for prompt in &prompts {
        assert!(!prompt.user.as_str().contains("piet@example.org") && !prompt.system.as_str().contains("piet@example.org"));
    }
}

#[test]
fn of_a_conversation_that_is_too_long_the_owners_words_stay_longest() {
    let filler = "so it went on and on. ".repeat(900);
    let mut turns: Vec<Turn<'_>> = (0..6).map(|_| turn(Role::Assistant, "Nova", &filler)).collect();
    turns.insert(0, turn(Role::Owner, "Mara", "I am building a greenhouse."));
    let mut task = AnalysisTask::new(input(&turns), MemoryProfile::default(), scrubber(), ContextLength::default()).unwrap();
    let user = task.next().unwrap().prompt.user.to_string();
    assert!(user.contains("I am building a greenhouse") && user.chars().count() < CONVERSATION_CHARS_MAX + 4_000);
    task.feed(NOTHING).unwrap();
    task.feed("{\"facts\":[]}").unwrap();
    let Outcome::Done(found) = task.finish() else { panic!("it ends well") };
    assert_eq!(found.left_out, 2, "and it says how much it did not show");
    let [stop] = found.analysis.stops.as_slice() else { panic!("{:?}", found.analysis.stops) };
    assert_eq!((stop.gate, stop.content.as_str()), (Gate::OverCap, "2 of 7 messages"), "where a person sees it");
    assert!(stop.reason.starts_with("Not read by the model because "), "{}", stop.reason);
}

#[test]
fn an_unusable_reply_is_asked_for_once_more_and_then_nothing_is_told() {
    let turns = turns();
    let mut task = AnalysisTask::new(input(&turns), MemoryProfile::default(), scrubber(), ContextLength::default()).unwrap();
    assert!(task.feed("no").is_err());
    assert_eq!(task.next().map(|call| (call.attempt, call.prompt.name)), Some((2, "analysis")));
    task.feed(NOTHING).unwrap();
    assert_eq!(task.next().map(|call| (call.attempt, call.prompt.name)), Some((1, "analysis_facts")));
    assert!(task.feed("no").is_err() && task.feed("no").is_err());
    assert!(task.next().is_none() && task.feed(NOTHING).is_err());
    assert!(matches!(task.finish(), Outcome::Failed { call, .. } if call == "analysis_facts/1"));
    let silent = [turn(Role::System, "sys", "hello")];
    assert!(
        AnalysisTask::new(input(&silent), MemoryProfile::default(), scrubber(), ContextLength::default()).is_err(),
        "nothing to read"
    );
}

#[test]
fn planted_secrets_leave_through_neither_call() {
    let values: Vec<String> = (0..500)
        .flat_map(|n: u32| {
            [
                format!("zq{n}.canary{}@secret{}.example.org", n * 7, n % 9),
                format!("+49 151 {:04} {:04}", 1000 + n, 9000 - n),
                format!("${},{:03}.00", 100 + n, (n * 37) % 1000),
                format!("sk-proj-{:032x}", u128::from(n) * 0x9e37_79b9_7f4a_7c15_f39c),
            ]
        })
        .collect();
    assert!(values.len() >= 2_000);
    for chunk in values.chunks(100) {
        let texts: Vec<String> = chunk.iter().map(|value| format!("Write this down: {value}, it is mine.")).collect();
        let mut turns: Vec<Turn<'_>> = Vec::new();
        for (n, (text, value)) in texts.iter().zip(chunk).enumerate() {
            turns.push(turn(Role::Owner, "Mara", text));
            turns.push(turn(if n % 2 == 0 { Role::Assistant } else { Role::Person }, value, text));
        }
        for prompt in prompts(&turns, MemoryProfile::default()) {
            let text = format!("{}\n{}", prompt.system, prompt.user);
            let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '-' | '.' | ',' | '+')).collect();
            for value in chunk {
                let bare: String = value.chars().filter(char::is_ascii_digit).collect();
                assert!(!text.contains(value.as_str()), "{value} leaves through {}", prompt.name);
                assert!(bare.len() < 9 || !digits.contains(&bare), "the digits of {value} leave through {}", prompt.name);
            }
        }
        // The control: the same search finds each of them in the unscrubbed text.
        let unscrubbed = texts.join("\n");
        assert!(chunk.iter().all(|value| unscrubbed.contains(value.as_str())));
    }
}
