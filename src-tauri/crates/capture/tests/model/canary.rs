//! Secrets planted in the input: none of them may appear in any prompt, in any form.

use std::collections::BTreeSet;

use keepsake_capture::model::{Scope, Task};
use keepsake_capture::{Conversation, Turn};
use keepsake_domain::Role;
use keepsake_prompt::{Calls, ContextLength, Prompt};
use serde_json::{Value, json};

use crate::support::*;

/// A planted value, and a sentence that contains it.
struct Canary {
    value: String,
    sentence: String,
}

fn canaries() -> Vec<Canary> {
    let mut out = Vec::new();
    let mut plant = |value: String, before: &str, after: &str| {
        out.push(Canary { sentence: format!("{before}{value}{after}"), value });
    };
    for n in 0..350_u32 {
        plant(format!("zq{n}.canary{}@secret{}.example.org", n * 7, n % 9), "I answer at ", " most days.");
        plant(format!("+49 151 {:04} {:04}", 1000 + n, 9000 - n), "My number is ", ", call me.");
        plant(format!("${},{:03}.00", 100 + n, (n * 37) % 1000), "They owe me ", " for the flat.");
        plant(iban(n), "Please pay to ", " as before.");
        plant(card(n), "My card is ", " until May.");
        plant(format!("sk-proj-{:032x}", u128::from(n) * 0x9e37_79b9_7f4a_7c15_f39c), "The key is ", " for the account.");
    }
    out
}

/// A German account number with valid check digits.
fn iban(n: u32) -> String {
    let account = format!("{:08}{:010}", 37_040_044, 532_013_000_u64 + u64::from(n) * 7_919);
    let remainder = format!("{account}131400").bytes().fold(0_u32, |rest, digit| (rest * 10 + u32::from(digit - b'0')) % 97);
    format!("DE{:02}{account}", 98 - remainder)
}

/// A card number with a valid check digit.
fn card(n: u32) -> String {
    let body = format!("453201{:09}", 511_283_000 + u64::from(n) * 13);
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let digit = u32::from(digit - b'0') * if at % 2 == 0 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for k in 0..=chunk.len() {
            out.push(char::from(ALPHABET[(word >> (18 - 6 * k) & 63) as usize]));
        }
    }
    out
}

fn url_encoded(text: &str) -> String {
    text.bytes().map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// The form in which `value` occurs in `text`, if it does.
fn leak(text: &str, digits_of_text: &str, canary: &Canary) -> Option<&'static str> {
    let value = canary.value.as_str();
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    if text.contains(value) {
        return Some("verbatim");
    }
    // Fewer digits can occur by chance in line numbers and dates.
    if digits.len() >= 9 && digits_of_text.contains(&digits) {
        return Some("digits only");
    }
    if text.contains(&url_encoded(value)) {
        return Some("URL-encoded");
    }
    text.contains(base64(value.as_bytes()).as_str()).then_some("base64")
}

/// Each run of digits, without the spaces and punctuation inside it.
fn digits_of(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, ' ' | '-' | '.' | ',' | '(' | ')' | '/' | '+'))
        .map(|c| if c.is_ascii_digit() { c } else { '|' })
        .collect()
}

fn stated(own: &[(u32, String)]) -> Vec<Value> {
    own.iter().map(|(line, text)| fact(*line, text, &format!("User says {text}"))).collect()
}

/// Drives the task with a model that repeats everything it sees, so that every later prompt contains it.
fn prompts(mut task: Task<'_>) -> Vec<Prompt> {
    let mut seen = Vec::new();
    while let Some(call) = task.next() {
        let prompt = call.prompt.clone();
        let own: Vec<(u32, String)> = lines(&prompt)
            .into_iter()
            .filter(|(_, role, _)| role == "user")
            .map(|(line, _, text)| (line, text))
            .take(12)
            .collect();
        let evidence = |line: u32, text: &str| json!([{ "line": line, "quote": text.chars().take(300).collect::<String>() }]);
        let reply = match prompt.name {
            "facts" => facts(&stated(&own)),
            "judge" | "judge_facts" => yes(&prompt),
            "knowledge_observe" => {
                let all: Vec<Value> = own
                    .iter()
                    .map(|(line, text)| {
                        let text: String = text.chars().take(120).collect();
                        json!({ "type": "standard", "position": text, "reasoning": format!("Because it was said: {text}"), "evidence": evidence(*line, &text) })
                    })
                    .collect();
                json!({ "observations": all }).to_string()
            }
            "knowledge_reduce" => {
                let all: Vec<Value> = prompt
                    .user
                    .as_str()
                    .lines()
                    .filter_map(|line| serde_json::from_str::<Value>(line).ok())
                    .filter_map(|seen| {
                        let position = seen["position"].as_str()?;
                        Some(json!({ "type": "standard", "topic": "how it is done", "position": position, "reasoning": seen["reasoning"], "from": [seen.get("observation")?] }))
                    })
                    .take(8)
                    .collect();
                json!({ "entries": all }).to_string()
            }
            _ => {
                let all: Vec<Value> = own
                    .iter()
                    .map(|(line, text)| {
                        json!({ "type": "standard", "topic": "answers and numbers and keys", "position": text, "reasoning": "Because they owe me and answer most days.", "evidence": evidence(*line, text) })
                    })
                    .collect();
                match prompt.name {
                    "reading" => json!({ "facts": stated(&own), "positions": all }).to_string(),
                    _ => json!({ "entries": all }).to_string(),
                }
            }
        };
        let _ = task.feed(&reply);
        seen.push(prompt);
    }
    seen
}

#[test]
fn two_thousand_planted_secrets_leave_through_no_prompt() {
    let canaries = canaries();
    assert!(canaries.len() >= 2_000, "{}", canaries.len());
    let filler = "and so it went on for quite a while in that room. ".repeat(12);
    let mut names = BTreeSet::new();
    for (n, chunk) in canaries.chunks(60).enumerate() {
        let long: Vec<String> = chunk.iter().map(|canary| format!("{} {filler}", canary.sentence)).collect();
        let mut turns: Vec<Turn<'_>> = Vec::new();
        for (k, canary) in chunk.iter().enumerate() {
            // In the owner's text, in others' text, and as the display name of a person.
            turns.push(owner(&canary.sentence));
            turns.push(turn(if k % 2 == 0 { Role::Person } else { Role::Assistant }, &canary.value, &canary.sentence));
        }
        let assistant = chunk[n % chunk.len()].value.as_str();
        let conversation = Conversation { turns: &turns, owner_name: Some("Mara"), assistant_name: Some(assistant) };
        let mut all = prompts(Task::facts(conversation, Scope::Whole, scrubber(), ContextLength::default()).unwrap());
        all.extend(prompts(Task::knowledge(conversation, Scope::Whole, scrubber(), ContextLength::default()).unwrap()));
        all.extend(prompts(Task::reading(conversation, Scope::Whole, scrubber(), ContextLength::default()).unwrap()));
        if n % 6 == 0 {
            // A meeting that does not fit into one pass, for the observations and their reduction.
            let mut turns: Vec<Turn<'_>> = long.iter().map(|text| owner(text)).collect();
            turns.extend(long.iter().map(|text| turn(Role::Person, assistant, text)));
            turns.extend(long.iter().map(|text| turn(Role::Person, assistant, text)));
            let conversation = Conversation { turns: &turns, ..conversation };
            all.extend(prompts(Task::knowledge(conversation, Scope::Whole, scrubber(), ContextLength::default()).unwrap()));
        }
        for prompt in &all {
            names.insert(prompt.name);
            let text = format!("{}\n{}", prompt.system, prompt.user);
            let digits = digits_of(&text);
            for canary in chunk {
                assert_eq!(leak(&text, &digits, canary), None, "{} leaves through {}", canary.value, prompt.label());
            }
        }
    }
    let expected = ["facts", "judge", "judge_facts", "knowledge_observe", "knowledge_reduce", "knowledge_whole", "reading"];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), expected, "every prompt was tried");
}

#[test]
fn the_same_search_finds_every_planted_secret_in_text_that_was_not_scrubbed() {
    for canary in canaries() {
        let digits: String = canary.value.chars().filter(char::is_ascii_digit).collect();
        let forms = [canary.sentence.clone(), url_encoded(&canary.value), base64(canary.value.as_bytes())];
        for text in &forms {
            assert!(leak(text, &digits_of(text), &canary).is_some(), "{} is not found in {text}", canary.value);
        }
        if digits.len() >= 9 {
            let spread: String = digits.chars().map(|digit| format!("{digit} ")).collect();
            assert_eq!(leak(&spread, &digits_of(&spread), &canary), Some("digits only"), "{spread}");
        }
    }
}
