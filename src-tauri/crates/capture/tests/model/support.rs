//! Helpers that build conversations in a few lines, and scripted models.

use std::sync::LazyLock;

use keepsake_capture::model::Task;
use keepsake_capture::{Conversation, Proposals, Turn};
use keepsake_domain::{MessageType, Role, Timestamp};
use keepsake_prompt::scrub::{ScrubConfig, Scrubber};
use keepsake_prompt::{Calls, Outcome, Prompt};

pub(crate) const MONDAY_TEN: Timestamp = Timestamp(1_772_445_600_000);

/// One scrubber for all tests: it stores no text and takes a few milliseconds to build.
pub(crate) fn scrubber() -> &'static Scrubber {
    static SCRUBBER: LazyLock<Scrubber> = LazyLock::new(|| Scrubber::new(&ScrubConfig::default()).unwrap());
    &SCRUBBER
}

pub(crate) fn turn<'a>(role: Role, author: &'a str, text: &'a str) -> Turn<'a> {
    Turn {
        id: "m",
        role,
        author,
        speaker: author,
        text,
        time: MONDAY_TEN,
        message_type: MessageType::Text,
        is_branch: false,
        thread: "",
    }
}

pub(crate) fn owner(text: &str) -> Turn<'_> {
    turn(Role::Owner, "Mara", text)
}

pub(crate) fn assistant(text: &str) -> Turn<'_> {
    turn(Role::Assistant, "Nova", text)
}

pub(crate) fn person(text: &str) -> Turn<'_> {
    turn(Role::Person, "Ana", text)
}

pub(crate) fn conversation<'a>(turns: &'a [Turn<'a>]) -> Conversation<'a> {
    Conversation { turns, owner_name: Some("Mara"), assistant_name: Some("Nova") }
}

/// Answers every call with `answer`, and approves all facts as the judge; panics if a task does not end.
pub(crate) fn drive(mut task: Task<'_>, mut answer: impl FnMut(&Prompt) -> String) -> Outcome<Proposals> {
    for _ in 0..200 {
        let Some(call) = task.next() else { return task.finish() };
        let reply = if call.prompt.name == "judge_facts" { yes(call.prompt) } else { answer(call.prompt) };
        let _ = task.feed(&reply);
    }
    panic!("the task does not end");
}

/// The result of a task that completed.
pub(crate) fn done(outcome: Outcome<Proposals>) -> Proposals {
    match outcome {
        Outcome::Done(found) => found,
        other => panic!("the task did not end well: {other:?}"),
    }
}

/// The lines of a quoted transcript as the model sees them: number, role, text.
pub(crate) fn lines(prompt: &Prompt) -> Vec<(u32, String, String)> {
    prompt
        .user
        .as_str()
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|line| {
            let number = u32::try_from(line.get("line")?.as_u64()?).ok()?;
            Some((number, line["role"].as_str()?.to_owned(), line["text"].as_str()?.to_owned()))
        })
        .collect()
}

/// The reply of a judge that approves everything.
pub(crate) fn yes(prompt: &Prompt) -> String {
    verdicts(prompt, |_| true)
}

/// The reply of a judge that supports an entry if `holds` returns true for its statement or position, and answers yes to
/// everything else.
pub(crate) fn verdicts(prompt: &Prompt, holds: impl Fn(&str) -> bool) -> String {
    let entries = prompt.user.as_str().lines().filter(|line| line.starts_with("{\"entry\":"));
    let verdicts: Vec<_> = entries
        .map(|line| {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            let number = &entry["entry"];
            if prompt.name == "judge_facts" {
                let holds = holds(entry["statement"].as_str().unwrap());
                serde_json::json!({ "entry": number, "supported": holds, "about_person": true, "lasting": true })
            } else {
                let holds = holds(entry["position"].as_str().unwrap());
                serde_json::json!({ "entry": number, "keep": true, "grounded": holds, "distinctive": true })
            }
        })
        .collect();
    serde_json::json!({ "verdicts": verdicts }).to_string()
}

/// True if the call is for a judge.
pub(crate) fn is_judge(prompt: &Prompt) -> bool {
    prompt.name.starts_with("judge")
}

pub(crate) fn fact(line: u32, quote: &str, content: &str) -> serde_json::Value {
    serde_json::json!({
        "line": line, "quote": quote, "content": content, "category": "personal_info", "confidence": 0.95,
        "reasoning": "The user says this of themself in these very words.",
    })
}

pub(crate) fn facts(facts: &[serde_json::Value]) -> String {
    serde_json::json!({ "facts": facts }).to_string()
}
