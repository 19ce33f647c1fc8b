//! Topics by a model: replies, and which parts of them are accepted.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use expect_test::{ExpectFile, expect_file};
use keepsake_domain::{MessageType, Role, Span, Timestamp};
use keepsake_insight::Turn;
use keepsake_insight::topic::model::{LinePlace, PairTask, PairVerdict, WordedLine, Wording, WordingInput, WordingTask};
use keepsake_insight::topic::{Section, TopicRules, words};
use keepsake_prompt::ContextLength;
use keepsake_prompt::scrub::{ScrubConfig, Scrubber};
use keepsake_prompt::{Calls, Outcome, Prompt};
use keepsake_testkit::replies;

fn scrubber() -> &'static Scrubber {
    static SCRUBBER: LazyLock<Scrubber> = LazyLock::new(|| Scrubber::new(&ScrubConfig::default()).unwrap());
    &SCRUBBER
}

fn turns<'a>(from: usize, lines: &[(Role, &'a str, &'a str)], ids: &'a [String]) -> Vec<Turn<'a>> {
    let turn = |(at, (role, author, text)): (usize, &(Role, &'a str, &'a str))| Turn {
        id: &ids[from + at],
        role: *role,
        author,
        text,
        time: Timestamp(1_772_445_600_000 + (from + at) as i64 * 60_000),
        message_type: MessageType::Text,
        is_branch: false,
    };
    lines.iter().enumerate().map(turn).collect()
}

fn ids(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("m{n}")).collect()
}

/// The message that the notes are based on: line 1.
const KNOWN: &[(Role, &str, &str)] = &[(Role::Owner, "Mara", "The well was dug in the garden behind the shed.")];

/// The new messages: lines 2 to 9.
const NEW: &[(Role, &str, &str)] = &[
    (Role::Owner, "Mara", "The water pump at the well makes no sound when I press the switch."),
    (Role::Person, "Ana", "Did you look at the fuse of the water pump in the shed?"),
    (Role::Owner, "Mara", "The fuse is fine, the pump gets 230 volts at the socket."),
    (Role::Person, "Ana", "Then the capacitor of the pump is broken, a new capacitor costs twelve euros."),
    (Role::Owner, "Mara", "We decided to try a new capacitor before we buy a new pump."),
    (Role::Assistant, "Nova", "You should check the suction filter every spring."),
    (Role::Owner, "Mara", "The capacitor is in and the water pump runs again."),
    (Role::Person, "Ana", "The invoice goes to ana@example.org by Friday."),
];

fn notes() -> Vec<WordedLine> {
    let span = Span::of_bytes(KNOWN[0].2, 0..KNOWN[0].2.len()).unwrap();
    let text = "The well was dug behind the shed".to_owned();
    vec![WordedLine { section: Section::Detail, text, places: vec![LinePlace { message: "m1".to_owned(), span }] }]
}

fn run(text: &[WordedLine], reply: &str) -> (Outcome<Wording>, bool, Option<Prompt>) {
    let ids = ids(9);
    let (known, new) = (turns(0, KNOWN, &ids), turns(1, NEW, &ids));
    let (telling, rules) = (BTreeSet::new(), TopicRules::default());
    let input = WordingInput { text, known: &known, new: &new, telling: &telling, rules: &rules };
    let mut task = WordingTask::new(input, scrubber(), ContextLength::default()).unwrap();
    let prompt = task.next().map(|call| call.prompt.clone());
    let mut is_refused = false;
    while task.next().is_some() {
        is_refused |= task.feed(reply).is_err();
    }
    (task.finish(), is_refused, prompt)
}

fn corpus<T>(
    prompt: &str,
    table: &str,
    ask: impl Fn(&str) -> (Outcome<T>, bool),
    tell: impl Fn(T, &mut String),
    expected: ExpectFile,
) {
    let mut report = String::new();
    for (name, reply) in replies(table, 8) {
        let (outcome, is_refused) = ask(&reply);
        assert_eq!(is_refused, name.starts_with("bad/"), "{prompt}/{name}");
        writeln!(report, "{name}").unwrap();
        match outcome {
            Outcome::Failed { error, .. } => writeln!(report, "  failed: {error}").unwrap(),
            Outcome::Done(found) => tell(found, &mut report),
            _ => panic!("{name}"),
        }
    }
    expected.assert_eq(&report);
}

fn tell(found: Wording, report: &mut String) {
    for line in &found.lines {
        writeln!(report, "  {}: {}", line.section.name(), line.text).unwrap();
        assert!(!line.places.is_empty(), "every line rests on something");
        for place in &line.places {
            let at: usize = place.message[1..].parse().unwrap();
            let (_, author, text) = KNOWN.iter().chain(NEW).nth(at - 1).unwrap();
            writeln!(report, "    {author}: \"{}\"", place.span.quote(text).unwrap()).unwrap();
        }
    }
    for stop in &found.stops {
        writeln!(report, "  stopped {}: {} \"{}\"", stop.gate, stop.reason, stop.content).unwrap();
    }
    let names = found.entities;
    let rest = (&found.distinct, &names.people, &names.projects, &names.technologies);
    writeln!(report, "  title {:?} distinct and names {rest:?}", found.title).unwrap();
}

#[test]
fn replies_about_a_topic() {
    let ask = |reply: &str| {
        let (outcome, is_refused, _) = run(&notes(), reply);
        (outcome, is_refused)
    };
    corpus(
        "topic",
        include_str!("../fixtures/replies/topic.txt"),
        ask,
        tell,
        expect_file!["../fixtures/replies/topic.expected.txt"],
    );
}

const SECOND: &[(Role, &str, &str)] = &[
    (Role::Person, "Ana", "The suction filter of the pump was full of sand."),
    (Role::Owner, "Mara", "I learned that it has to be cleaned every spring."),
];

#[test]
fn replies_about_a_pair() {
    let ids = ids(9);
    let ask = |reply: &str| {
        let (first, second) = (turns(0, NEW, &ids), turns(0, SECOND, &ids));
        let mut task = PairTask::new(&first, &second, scrubber(), ContextLength::default()).unwrap();
        let mut is_refused = false;
        while task.next().is_some() {
            is_refused |= task.feed(reply).is_err();
        }
        (task.finish(), is_refused)
    };
    let tell = |verdict: PairVerdict, report: &mut String| writeln!(report, "  {verdict:?}").unwrap();
    corpus(
        "topic_pair",
        include_str!("../fixtures/replies/topic_pair.txt"),
        ask,
        tell,
        expect_file!["../fixtures/replies/topic_pair.expected.txt"],
    );
}

fn written(prompt: &Prompt) -> String {
    format!(
        "{} · at most {} tokens of reply\n\n=== system ===\n{}\n\n=== user ===\n{}\n\n=== reply ===\n{}\n",
        prompt.label(),
        prompt.reply_tokens_max,
        prompt.system,
        prompt.user,
        serde_json::to_string_pretty(&prompt.schema).unwrap()
    )
}

#[test]
fn the_prompts_read_as_they_were_agreed() {
    let (_, _, prompt) = run(&notes(), "{}");
    expect_file!["../snapshots/topic.txt"].assert_eq(&written(&prompt.unwrap()));
    let ids = ids(9);
    let (first, second) = (turns(0, NEW, &ids), turns(0, SECOND, &ids));
    let task = PairTask::new(&first, &second, scrubber(), ContextLength::default()).unwrap();
    expect_file!["../snapshots/topic_pair.txt"].assert_eq(&written(task.next().unwrap().prompt));
}

#[test]
fn without_notes_nothing_is_distinct_and_nothing_can_be_kept() {
    let reply = r#"{"distinct":[2],"keep":[1],"lines":[],"title":"","people":[],"projects":[],"technologies":[]}"#;
    let (Outcome::Done(found), false, prompt) = run(&[], reply) else { panic!("it is read") };
    assert!(found.distinct.is_empty() && found.lines.is_empty(), "{found:?}");
    assert!(prompt.unwrap().user.as_str().contains("(none yet)"));
    let (Outcome::Done(found), false, _) = run(&notes(), reply) else { panic!("it is read") };
    assert_eq!((found.distinct, found.lines), (vec!["m2".to_owned()], notes()), "the control: with notes both hold");
}

#[test]
fn no_text_is_longer_than_the_rules_allow_however_much_a_model_writes() {
    // Ninety true lines of twelve words each.
    let texts: Vec<String> =
        (0..90).map(|n| format!("Room {n} has a wooden floor and two windows to the garden side.")).collect();
    let ids = ids(texts.len());
    let lines: Vec<(Role, &str, &str)> = texts.iter().map(|text| (Role::Owner, "Mara", text.as_str())).collect();
    let new = turns(0, &lines, &ids);
    let entries: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| format!(r#"{{"section":"detail","text":"{text}","places":[{{"line":{},"quote":"{text}"}}]}}"#, at + 1))
        .collect();
    let reply = format!(
        r#"{{"distinct":[],"keep":[],"lines":[{}],"title":"Rooms","people":[],"projects":[],"technologies":[]}}"#,
        entries.join(",")
    );
    let check = |target_words: u32, max_words: u32, least: usize, most: usize| {
        let (telling, rules) = (BTreeSet::new(), TopicRules { target_words, max_words, ..TopicRules::default() });
        let input = WordingInput { text: &[], known: &[], new: &new, telling: &telling, rules: &rules };
        let mut task = WordingTask::new(input, scrubber(), ContextLength::default()).unwrap();
        task.feed(&reply).unwrap();
        let Outcome::Done(found) = task.finish() else { panic!("it is read") };
        let count: usize = found.lines.iter().map(|line| words(&line.text)).sum();
        assert!((least..=most).contains(&count), "{count} words with a target of {target_words} and at most {max_words}");
        assert_eq!(found.lines.len() + found.stops.len(), 90, "what has no room is told");
    };
    check(400, 1_000, 480, 500);
    check(900, 1_000, 980, 1_000);
    check(400, 400, 380, 400);
    check(1_000, 1_000, 980, 1_000);
}

#[test]
fn what_does_not_fit_into_a_call_is_left_out_whole_and_what_tells_most_goes_first() {
    let long = "so it went on and on. ".repeat(400);
    let texts: Vec<String> = (0..20).map(|n| format!("number {n}. {long}")).collect();
    let ids = ids(texts.len());
    let lines: Vec<(Role, &str, &str)> = texts.iter().map(|text| (Role::Owner, "Mara", text.as_str())).collect();
    let new = turns(0, &lines, &ids);
    let (telling, rules) = (BTreeSet::from(["m1"]), TopicRules::default());
    let input = WordingInput { text: &[], known: &[], new: &new, telling: &telling, rules: &rules };
    let task = WordingTask::new(input, scrubber(), ContextLength::default()).unwrap();
    let shown = task.next().unwrap().prompt.user.as_str().to_owned();
    assert!(shown.contains("number 0.") && shown.contains("number 19.") && !shown.contains("number 5."));
    assert_eq!(shown.matches(long.trim_end()).count(), shown.matches("number ").count(), "never a part of a message");
}

#[test]
fn planted_secrets_do_not_leave() {
    let secrets: Vec<String> = (0..60)
        .flat_map(|n: u32| {
            [format!("zq{n}.canary@secret{}.example.org", n % 9), format!("+49 151 {:04} {:04}", 1000 + n, 9000 - n)]
        })
        .collect();
    let texts: Vec<String> = secrets.iter().map(|secret| format!("The pump belongs to {secret}, write it down.")).collect();
    let ids = ids(texts.len());
    let lines: Vec<(Role, &str, &str)> =
        texts.iter().zip(&secrets).map(|(text, name)| (Role::Person, name.as_str(), text.as_str())).collect();
    let new = turns(0, &lines, &ids);
    let note = WordedLine { section: Section::Detail, text: texts[0].clone(), places: notes()[0].places.clone() };
    let (telling, rules) = (BTreeSet::new(), TopicRules::default());
    let input = WordingInput { text: &[note], known: &[], new: &new, telling: &telling, rules: &rules };
    let task = WordingTask::new(input, scrubber(), ContextLength::default()).unwrap();
    let pair = PairTask::new(&new, &new, scrubber(), ContextLength::default()).unwrap();
    let shown = format!("{}{}", task.next().unwrap().prompt.user, pair.next().unwrap().prompt.user);
    for secret in &secrets {
        assert!(!shown.contains(secret.as_str()), "{secret} leaves");
    }
    assert!(shown.matches("The pump belongs to").count() > secrets.len(), "and everything else does, in notes and in lines");
    assert!(
        secrets.iter().all(|secret| texts.iter().any(|text| text.contains(secret.as_str()))),
        "the control: the search finds them"
    );
}
