//! Wishes about time: when not to call, when to meet, how soon an answer is expected.
//!
//! Only habits: "don't call me before ten" is one, "don't call me before ten tomorrow" and "call me after six" are arrangements.

use std::sync::LazyLock;

use keepsake_domain::ProfileType;
use keepsake_text::pattern::re;
use regex::Regex;

use super::entry::Strength;
use super::stated::Core;
use super::wishes::Wish;

const CLOCK: &str = r"(?:half past |quarter (?:past|to) )?(?:\d{1,2}(?:[:.]\d{2})?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midday|lunch|midnight)(?: o'clock| uhr)?(?: ?(?:am|pm|a\.m|p\.m))?(?: in the (?:morning|afternoon|evening))?";
const HABIT: &str = r"(?:on |at |over |during |in )?(?:the )?(?:weekends?|sundays|saturdays|mondays|tuesdays|wednesdays|thursdays|fridays|holidays|vacations|lunch|lunch breaks?|night|evenings?|mornings?|afternoons?|dinner|dinner time)";
const DURATION: &str = r"(?:the )?same day|within (?:an?|one|two|three|four|five|six|\d+|a few) (?:minutes?|hours?|days?|business days?|working days?|weeks?)|within the (?:hour|day|week)|(?:by )?the next (?:business |working )?day|(?:quickly|promptly|immediately|right away|straight away|in good time)";

/// The wish that the whole clause is.
pub(super) fn whole(core: &Core) -> Option<Wish> {
    unwanted(&core.text).or_else(|| wanted(core)).or_else(|| answer(core))
}

/// What is not to happen at some time.
fn unwanted(text: &str) -> Option<Wish> {
    static UNWANTED: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(
            r"^(?:(?:don't|do not|never)(?: ever)? (?P<verb>call|phone|ring|text|message|email|write to|write|disturb|contact|wake|schedule|book|plan)(?: me)?(?: any| anything)?(?P<noun> calls| meetings| appointments)?|no (?P<what>calls|phone calls|meetings|messages|appointments|emails)|i (?:don't|do not) (?:want|take|do|like|accept)(?: to be)?(?: any)? (?P<kind>called|calls|phone calls|meetings|messages|appointments|disturbed))(?: (?P<side>before|after|until|past) (?P<clock>{CLOCK})| (?P<habit>{HABIT}))$"
        ))
    });
    static GERMAN: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(r"^(?:ruf|ruft|rufen sie) mich (?:bitte )?(?:nicht|nie) (?P<side>vor|nach) (?P<clock>{CLOCK})(?: an)?$"))
    });
    let is_german = GERMAN.is_match(text);
    let found = UNWANTED.captures(text).or_else(|| GERMAN.captures(text))?;
    let named = |group: &str| found.name(group).map(|text| text.as_str().trim());
    let kind = if is_german {
        "calls"
    } else {
        match (named("noun").or(named("what")).or(named("kind")), named("verb")) {
            (Some("meetings" | "appointments"), _) | (_, Some("schedule" | "book" | "plan")) => "meetings",
            (Some("calls" | "phone calls" | "called"), _) | (_, Some("call" | "phone" | "ring")) => "calls",
            _ => "messages",
        }
    };
    let (facet, value, when) = match (named("side"), named("clock"), named("habit")) {
        (Some("after" | "nach" | "past"), Some(clock), _) => {
            let clock = numbered(clock);
            (format!("timing:{kind} after"), format!("not after {clock}"), format!("after {clock}"))
        }
        (Some(_), Some(clock), _) => {
            let clock = numbered(clock);
            (format!("timing:{kind} before"), format!("not before {clock}"), format!("before {clock}"))
        }
        (_, _, Some(habit)) => {
            let bare = bare_habit(habit);
            (format!("timing:{kind} on {bare}"), "none".to_owned(), spoken_habit(&bare))
        }
        _ => return None,
    };
    Some(wish(&facet, &value, format!("Does not want {kind} {when}"), Strength::Passing))
}

/// When something is best.
fn wanted(core: &Core) -> Option<Wish> {
    static PREFERRED: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(
            r"^(?:i(?:'d| would)?(?: much| really| generally| always)? prefer (?:(?P<kind>calls|phone calls|meetings|appointments|to (?:meet|talk|call|be called)|being called|meeting|talking) )?(?:(?P<side>after|before) (?P<clock>{CLOCK})|(?P<habit>{HABIT}))|(?P<best>mornings|afternoons|evenings|weekends) (?:work|works|are|suit)(?: me)? (?:best|better)(?: for me)?)$"
        ))
    });
    static CALLED: LazyLock<Regex> =
        LazyLock::new(|| re(&format!(r"^(?:call|phone|ring) me (?:only )?(?P<side>after|before) (?P<clock>{CLOCK})$")));
    let (found, is_call) = match PREFERRED.captures(&core.text) {
        Some(found) => (found, false),
        None => (CALLED.captures(&core.text).filter(|_| core.is_lasting)?, true),
    };
    let named = |group: &str| found.name(group).map(|text| text.as_str().trim());
    let kind = match named("kind") {
        _ if is_call => "calls",
        Some("calls" | "phone calls" | "to call" | "to be called" | "being called") => "calls",
        _ => "meetings",
    };
    let when = match (named("side"), named("clock"), named("habit").or(named("best"))) {
        (Some(side), Some(clock), _) => format!("{side} {}", numbered(clock)),
        (_, _, Some(habit)) => spoken_habit(&bare_habit(habit)),
        _ => return None,
    };
    Some(wish(&format!("timing:{kind}"), &when, format!("Prefers {kind} {when}"), Strength::Stated))
}

/// How soon an answer is expected.
fn answer(core: &Core) -> Option<Wish> {
    const ANSWER: &str = "(?:an? )?(?:answers?|repl(?:y|ies)|responses?)|to hear (?:back|from you)|to get (?:an? )?(?:answers?|repl(?:y|ies)|responses?)|you to (?:answer|reply|respond|get back to me)";
    static EXPECTED: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(
            r"^(?:i|we)(?:'d| would)?(?: usually| always| generally| normally| do)? expect (?:{ANSWER})(?: from you)? (?:on )?(?P<in>{DURATION})$"
        ))
    });
    static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
        re(&format!(
            r"^(?:answer|reply|respond|get back to me|reply to me|answer me|answer my messages|reply to my messages) (?:on )?(?P<in>{DURATION})$"
        ))
    });
    static UNHURRIED: LazyLock<Regex> = LazyLock::new(|| {
        re(
            r"^i (?:don't|do not|never) expect (?:an? )?(?:immediate|instant|quick|fast|speedy) (?:answers?|repl(?:y|ies)|responses?)$|^(?:there's |there is )?no need to (?:answer|reply|respond) (?:immediately|right away|straight away|quickly)$",
        )
    });
    if UNHURRIED.is_match(&core.text) {
        return Some(wish("timing:reply", "no hurry", "Does not expect an immediate answer".to_owned(), Strength::Stated));
    }
    let found = EXPECTED.captures(&core.text).or_else(|| ALWAYS.captures(&core.text).filter(|_| core.is_lasting))?;
    let soon = found.name("in")?.as_str();
    let soon = match soon {
        "same day" => "the same day",
        "right away" | "straight away" => "immediately",
        other => other,
    };
    Some(wish("timing:reply", soon, format!("Expects an answer {soon}"), Strength::Stated))
}

fn wish(facet: &str, value: &str, sentence: String, strength: Strength) -> Wish {
    let profile_type = if facet == "timing:reply" { ProfileType::Expectations } else { ProfileType::Preferences };
    Wish {
        profile_type,
        facet: facet.to_owned(),
        value: value.to_owned(),
        phrase: String::new(),
        sentence: Some(sentence),
        strength,
    }
}

/// "ten" and "10 o'clock" are one time.
fn numbered(clock: &str) -> String {
    const WORDS: [&str; 12] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let words = clock.replace("o'clock", "").replace("uhr", "").replace("a.m", "am").replace("p.m", "pm").replace('.', ":");
    let mut out: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        let split = word.find(|c: char| c.is_alphabetic()).filter(|at| *at > 0 && word.starts_with(|c: char| c.is_ascii_digit()));
        match (WORDS.iter().position(|known| *known == word), split) {
            (Some(at), _) => out.push((at + 1).to_string()),
            (None, Some(at)) => out.extend([word[..at].to_owned(), word[at..].to_owned()]),
            (None, None) => out.push(word.to_owned()),
        }
    }
    out.join(" ")
        .replace(" in the morning", " am")
        .replace(" in the evening", " pm")
        .replace(" in the afternoon", " pm")
        .replace(":00", "")
}

/// "on weekends", "at the weekend" → "weekends".
fn bare_habit(habit: &str) -> String {
    let last = habit
        .split(' ')
        .filter(|word| !matches!(*word, "on" | "at" | "over" | "during" | "in" | "the"))
        .collect::<Vec<_>>()
        .join(" ");
    match last.as_str() {
        "weekend" => "weekends".to_owned(),
        "evening" | "morning" | "afternoon" => format!("{last}s"),
        "lunch break" | "lunch breaks" => "lunch".to_owned(),
        _ => last,
    }
}

fn spoken_habit(bare: &str) -> String {
    match bare {
        "night" => "at night".to_owned(),
        "lunch" | "dinner" => format!("during {bare}"),
        "evenings" | "mornings" | "afternoons" => format!("in the {bare}"),
        _ => format!("on {bare}"),
    }
}
