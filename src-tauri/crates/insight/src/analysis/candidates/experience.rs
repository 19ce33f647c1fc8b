//! Experiences: what happened to the owner and is over, told in the past tense with an event in it.
//!
//! Verbs alone do not make an event ("I ran the tests"), so each names the words that must go with it.

use keepsake_domain::{Category, Confidence, Durability, Gate};

use super::clause::{Actor, clause_end, own_clauses, past_adverbs, word};
use super::people::relation_at;
use super::rewrite::{is_month, third_person};
use super::{Draft, Reading};
use crate::text::{Sentence, Token};

/// What must follow a verb for it to tell an event of a life.
enum Needs {
    /// One of these words within the clause.
    Any(&'static [&'static str]),
    /// Exactly one of these next.
    Next(&'static [&'static str]),
    /// A name of a place or an institution within the clause.
    Name,
    /// Such a name, and with it something that shows a life event: a year, an age, a reason.
    NameAndSign,
    /// "my father", "my best friend".
    Relation,
    /// Nothing.
    Nothing,
}

/// A rule: verbs in their past form, what they need, and how much such an event matters.
struct Rule {
    verbs: &'static [&'static str],
    needs: Needs,
    weight: f32,
}

const BODY: &[&str] = &["arm", "leg", "ankle", "wrist", "foot", "rib", "ribs", "collarbone", "hip", "knee", "shoulder", "acl", "finger", "nose", "elbow"];
const DWELLINGS: &[&str] = &["flat", "apartment", "house", "abroad", "countryside", "village", "dorm", "condo", "cottage"];
const POSSESSIONS: &[&str] =
    &["house", "flat", "apartment", "home", "car", "motorbike", "dog", "cat", "puppy", "kitten", "boat", "business", "company", "farm", "van", "cottage", "cabin"];
const CREATURES: &[&str] = &["dog", "cat", "puppy", "kitten", "child", "baby", "boy", "girl", "daughter", "son", "rabbit", "parrot", "horse", "kittens"];
const CONTESTS: &[&str] = &[
    "marathon", "half-marathon", "race", "award", "prize", "competition", "tournament", "championship", "medal", "scholarship", "hackathon", "grant", "triathlon",
    "ultramarathon", "contest", "lottery", "10k", "5k", "ironman", "camino", "trophy", "fellowship",
];
const STUDIES: &[&str] = &["degree", "phd", "master", "masters", "bachelor", "bachelors", "course", "bootcamp", "apprenticeship", "residency", "thesis", "dissertation", "training", "certification", "chemo", "chemotherapy", "radiation"];
const BEGINNINGS: &[&str] = &["job", "role", "position", "company", "business", "degree", "phd", "chemo", "therapy", "treatment", "school", "university", "uni", "college", "podcast", "internship", "apprenticeship", "studio", "store"];
const WORKS: &[&str] = &[
    "book", "novel", "album", "paper", "article", "app", "company", "startup", "podcast", "store", "shop", "café", "cafe", "restaurant", "bakery", "film",
    "exhibition", "ep", "newsletter", "business", "memoir", "studio", "gallery", "game",
];
const BODY_EVENTS: &[&str] = &[
    "baby", "son", "daughter", "twins", "miscarriage", "surgery", "operation", "accident", "stroke", "wedding", "breakdown", "burnout", "transplant", "seizure",
    "heart", "chemo", "c-section", "caesarean", "concussion", "abortion", "biopsy",
];
const TALKS: &[&str] = &["birth", "talk", "keynote", "speech", "presentation", "lecture", "eulogy"];
const GATHERINGS: &[&str] =
    &["conference", "wedding", "funeral", "concert", "festival", "workshop", "retreat", "ceremony", "graduation", "meetup", "summit", "reunion", "fair", "parade"];
const GROUPS: &[&str] = &["class", "classes", "course", "choir", "band", "orchestra", "club", "gym", "army", "navy", "program", "programme", "league", "union", "congregation"];
const CELEBRATIONS: &[&str] = &["anniversary", "birthday", "wedding", "graduation", "christmas", "retirement", "promotion", "diwali", "eid", "hanukkah"];

const RULES: &[Rule] = &[
    Rule { verbs: &["got"], needs: Needs::Next(&["married", "engaged", "divorced", "diagnosed", "mugged", "evicted"]), weight: 3.0 },
    Rule { verbs: &["got"], needs: Needs::Next(&["promoted", "fired", "laid", "hired", "accepted", "rejected"]), weight: 2.6 },
    Rule { verbs: &["got"], needs: Needs::Any(&["promotion", "offer", "licence", "license", "degree", "visa", "citizenship", "scholarship", "internship"]), weight: 2.2 },
    Rule { verbs: &["was", "were"], needs: Needs::Next(&["diagnosed", "promoted", "laid", "fired", "hospitalised", "hospitalized", "mugged", "robbed", "elected", "awarded", "evicted", "made"]), weight: 2.8 },
    Rule { verbs: &["was", "were"], needs: Needs::Next(&["born", "raised"]), weight: 2.2 },
    Rule { verbs: &["lost"], needs: Needs::Relation, weight: 3.4 },
    Rule { verbs: &["lost"], needs: Needs::Any(&["job", "baby", "house", "home", "dog", "cat", "leg", "sight", "hearing", "savings", "pregnancy"]), weight: 2.8 },
    Rule { verbs: &["quit", "left"], needs: Needs::Any(&["job", "husband", "wife", "university", "uni", "college", "school", "career", "army", "church", "company", "smoking", "drinking"]), weight: 2.5 },
    Rule { verbs: &["resigned", "retired"], needs: Needs::Nothing, weight: 2.6 },
    Rule { verbs: &["moved", "relocated"], needs: Needs::Any(DWELLINGS), weight: 2.2 },
    Rule { verbs: &["moved", "relocated"], needs: Needs::NameAndSign, weight: 2.4 },
    Rule { verbs: &["emigrated", "immigrated"], needs: Needs::Nothing, weight: 2.8 },
    Rule { verbs: &["graduated"], needs: Needs::Nothing, weight: 2.4 },
    Rule { verbs: &["won"], needs: Needs::Any(CONTESTS), weight: 2.4 },
    Rule { verbs: &["ran", "finished", "completed"], needs: Needs::Any(CONTESTS), weight: 2.1 },
    Rule { verbs: &["finished", "completed", "defended", "passed"], needs: Needs::Any(STUDIES), weight: 2.3 },
    Rule { verbs: &["visited", "toured", "explored"], needs: Needs::Name, weight: 1.7 },
    Rule { verbs: &["travelled", "traveled", "flew", "drove", "hiked", "cycled", "backpacked", "walked", "sailed", "trekked"], needs: Needs::Name, weight: 1.7 },
    Rule { verbs: &["went"], needs: Needs::Any(&["honeymoon", "safari", "pilgrimage", "retreat", "cruise", "rehab", "sabbatical", "backpacking", "roadtrip", "camping"]), weight: 1.8 },
    Rule { verbs: &["went"], needs: Needs::NameAndSign, weight: 1.6 },
    Rule { verbs: &["climbed", "summited"], needs: Needs::Name, weight: 1.9 },
    Rule { verbs: &["adopted", "rescued"], needs: Needs::Any(CREATURES), weight: 2.2 },
    Rule { verbs: &["bought", "sold"], needs: Needs::Any(POSSESSIONS), weight: 2.1 },
    Rule { verbs: &["had"], needs: Needs::Any(BODY_EVENTS), weight: 2.6 },
    Rule { verbs: &["broke", "fractured", "tore", "sprained", "dislocated"], needs: Needs::Any(BODY), weight: 2.2 },
    Rule { verbs: &["gave"], needs: Needs::Any(TALKS), weight: 2.0 },
    Rule { verbs: &["spent"], needs: Needs::NameAndSign, weight: 1.8 },
    Rule { verbs: &["grew"], needs: Needs::Next(&["up"]), weight: 2.2 },
    Rule { verbs: &["started", "began"], needs: Needs::Any(BEGINNINGS), weight: 2.0 },
    Rule { verbs: &["published", "launched", "released", "founded", "opened", "directed", "recorded"], needs: Needs::Any(WORKS), weight: 2.3 },
    Rule { verbs: &["joined", "enrolled", "signed"], needs: Needs::Any(GROUPS), weight: 1.7 },
    Rule { verbs: &["attended", "organised", "organized", "hosted"], needs: Needs::Any(GATHERINGS), weight: 1.6 },
    Rule { verbs: &["celebrated"], needs: Needs::Any(CELEBRATIONS), weight: 1.6 },
    Rule { verbs: &["survived"], needs: Needs::Any(&["cancer", "crash", "earthquake", "fire", "accident", "war", "flood", "attack", "stroke"]), weight: 3.0 },
    Rule { verbs: &["volunteered", "interned", "served", "studied", "worked", "taught", "performed", "competed"], needs: Needs::NameAndSign, weight: 1.9 },
    Rule { verbs: &["met", "married", "divorced"], needs: Needs::Relation, weight: 2.4 },
];

/// Names that programs and products bear: "moved to Postgres" is no journey.
const TECHNICAL: &[&str] = &[
    "postgres", "postgresql", "mysql", "sqlite", "redis", "kubernetes", "docker", "aws", "azure", "gcp", "python", "rust", "react", "vue", "angular", "typescript",
    "javascript", "linux", "windows", "mac", "macos", "ubuntu", "debian", "terraform", "github", "gitlab", "slack", "jira", "notion", "vscode", "vim", "neovim",
    "emacs", "node", "java", "go", "kafka", "spark", "excel", "figma", "trello", "asana", "chrome", "firefox", "safari", "android", "ios", "iphone", "netflix",
    "spotify", "amazon", "google", "facebook", "twitter", "reddit", "youtube", "wikipedia", "stackoverflow", "api", "json", "xml", "csv", "sql", "ci", "http", "pr",
    "walmart", "target", "costco", "ikea", "bed", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "django", "rails", "next", "zoom",
    "teams", "outlook", "gmail", "step", "phase", "level", "chapter", "option", "version", "plan", "settings", "v2", "v3", "god",
];

/// A clause with one of these tells a habit or a trifle and no event.
const TRIFLES: &[&str] = &["usually", "always", "often", "sometimes", "every", "never", "table", "column", "database", "endpoint", "endpoints", "cluster", "server", "tests", "test", "build", "function"];

/// Finds what happened to the owner.
pub(super) fn find(reading: &mut Reading<'_, '_>) {
    for (_, sentence) in reading.own_sentences() {
        for (actor, subject, after) in own_clauses(sentence, true) {
            event(reading, sentence, actor, subject, after);
        }
        bereavement(reading, sentence);
    }
}

fn event(reading: &mut Reading<'_, '_>, sentence: &Sentence<'_>, actor: Actor, subject: usize, after: usize) {
    let tokens = &sentence.tokens;
    let elided = subject == after;
    let mut verb = past_adverbs(tokens, after);
    let mut lead = "";
    if !elided && word(tokens, verb) == "have" {
        verb = past_adverbs(tokens, verb + 1);
        lead = actor.agrees("has ", "have ");
    }
    let passive = !lead.is_empty() && verb > 0 && word(tokens, verb - 1) == "been";
    let Some(end) = clause_end(tokens, verb, true) else { return };
    let Some(rule) = RULES.iter().find(|rule| matches(rule, tokens, verb, end, passive)) else { return };
    // Without its "I", a sentence must at least say "my" or stand in a form that only people take.
    let personal = (verb..end).any(|at| matches!(word(tokens, at), "my" | "our")) || matches!(rule.needs, Needs::Next(_));
    if elided && (!personal || word(tokens, verb) == "was" || word(tokens, verb) == "were") {
        return;
    }
    if (verb..end).any(|at| TRIFLES.contains(&word(tokens, at))) || !reading.may(sentence, subject..end) {
        return;
    }
    let Some(rest) = third_person(sentence, verb + 1..end, reading.time(sentence.turn)).or_else(|| (end == verb + 1).then(String::new)) else {
        reading.stop(Gate::Vague, "The sentence leans on the moment or on the listener and cannot stand alone.", sentence);
        return;
    };
    let verb_text = match word(tokens, verb) {
        "was" | "were" => actor.agrees("was", "were"),
        other => other,
    };
    let been = if passive { "been " } else { "" };
    let content = format!("{} {lead}{been}{verb_text} {rest}", actor.name()).trim_end().to_owned();
    let dated = (verb..end).any(|at| is_time_sign(tokens, at));
    let confidence = if elided || !dated { Confidence::STATED } else { Confidence::EXPLICIT };
    let reasoning = if dated { "The person says that it happened, and when." } else { "The person says in the past tense that it happened." };
    let durability = if matches!(word(tokens, verb), "grew") || word(tokens, verb + 1) == "born" || word(tokens, verb + 1) == "raised" { Durability::Identity } else { Durability::LongTerm };
    reading.drafts.push(Draft {
        category: Category::Experience,
        content,
        confidence,
        durability,
        reasoning: reasoning.to_owned(),
        evidence: vec![(sentence.turn, tokens[subject].bytes.start..tokens[end - 1].bytes.end)],
        weight: rule.weight + if dated { 0.2 } else { 0.0 },
    });
}

fn matches(rule: &Rule, tokens: &[Token<'_>], verb: usize, end: usize, passive: bool) -> bool {
    let this = word(tokens, verb);
    let was = rule.verbs.contains(&"was");
    // "I have been diagnosed": the participle stands where the verb would.
    if passive {
        return was && matches!(&rule.needs, Needs::Next(words) if words.contains(&this));
    }
    if !rule.verbs.contains(&this) {
        return false;
    }
    let any = |words: &[&str]| (verb + 1..end).any(|at| words.contains(&word(tokens, at)));
    // The object stands near its verb; further on it belongs to something else.
    let near = |words: &[&str]| (verb + 1..end.min(verb + 8)).any(|at| words.contains(&word(tokens, at)));
    match &rule.needs {
        Needs::Any(words) => near(words),
        Needs::Next(words) => {
            let next = word(tokens, verb + 1);
            let whole = match next {
                "laid" => word(tokens, verb + 2) == "off",
                "made" => word(tokens, verb + 2) == "redundant",
                _ => true,
            };
            words.contains(&next) && whole
        }
        Needs::Name => names_something(tokens, verb + 1, end),
        Needs::NameAndSign => {
            names_something(tokens, verb + 1, end)
                && ((verb..end).any(|at| is_time_sign(tokens, at)) || any(&["family", "husband", "wife", "partner", "girlfriend", "boyfriend", "exchange", "abroad", "trip", "vacation", "holiday"]))
        }
        Needs::Relation => {
            let at = verb + 1;
            matches!(word(tokens, at), "my" | "our") && relation_at(tokens, at + 1).is_some_and(|relation| relation.end <= end)
        }
        Needs::Nothing => true,
    }
}

/// A capitalised word inside the clause that is no product; nothing technical beside it.
fn names_something(tokens: &[Token<'_>], from: usize, end: usize) -> bool {
    let range = || tokens.get(from..end).unwrap_or(&[]).iter();
    let technical = range().any(|token| TECHNICAL.contains(&token.word.as_str()) && (token.is_capitalised() || token.word.len() > 3));
    let named = range().any(|token| token.is_word && token.is_capitalised() && token.raw.chars().count() > 2 && !is_month(&token.word));
    named && !technical
}

/// A year, a month, "when I was", "ago", "last summer", "for three years": it has a place in a life.
fn is_time_sign(tokens: &[Token<'_>], at: usize) -> bool {
    let this = word(tokens, at);
    let is_year = this.len() == 4 && (this.starts_with("19") || this.starts_with("20")) && this.bytes().all(|b| b.is_ascii_digit());
    let unit = |at: usize| matches!(word(tokens, at), "year" | "years" | "month" | "months" | "summer" | "winter" | "week" | "weeks" | "semester" | "spring" | "autumn" | "decade");
    is_year
        || matches!(this, "ago" | "yesterday")
        || this == "last" && (unit(at + 1) || matches!(word(tokens, at + 1), "weekend" | "night" | "fall") || is_month(word(tokens, at + 1)))
        || matches!(this, "in" | "since") && is_month(word(tokens, at + 1))
        || this == "when" && matches!(word(tokens, at + 1), "i" | "we")
        || this == "for" && (1..=3).any(|i| unit(at + i))
        || matches!(this, "two" | "three" | "four" | "five" | "six" | "ten" | "a" | "the" | "one") && unit(at + 1)
        || this.bytes().all(|b| b.is_ascii_digit()) && unit(at + 1)
}

/// "My father died in March": it happened to the owner as well.
fn bereavement(reading: &mut Reading<'_, '_>, sentence: &Sentence<'_>) {
    let tokens = &sentence.tokens;
    for at in 0..tokens.len() {
        if !matches!(word(tokens, at), "my" | "our") {
            continue;
        }
        let Some(relation) = relation_at(tokens, at + 1) else { continue };
        let named = super::people::name_at(tokens, relation.end);
        let verb = past_adverbs(tokens, named.as_ref().map_or(relation.end, |(_, end)| *end));
        let died = match (word(tokens, verb), word(tokens, verb + 1)) {
            ("died", _) => verb + 1,
            ("passed", "away") => verb + 2,
            ("passed", "in" | "last" | "on" | "two" | "a") => verb + 1,
            _ => continue,
        };
        let opens = at == 0 || tokens[at - 1].is_break() || matches!(word(tokens, at - 1), "and" | "when" | "after" | "since" | "because" | "that" | "ago" | "year" | "week" | "month" | "before" | "so");
        let Some(end) = clause_end(tokens, verb, true).filter(|_| opens) else { continue };
        if !reading.may(sentence, at..end) {
            continue;
        }
        let Some(rest) = third_person(sentence, verb..end.max(died), reading.time(sentence.turn)) else {
            reading.stop(Gate::Vague, "The sentence leans on the moment or on the listener and cannot stand alone.", sentence);
            continue;
        };
        let name = named.map(|(name, _)| format!(" {name}")).unwrap_or_default();
        reading.drafts.push(Draft {
            category: Category::Experience,
            content: format!("User's {}{name} {rest}", relation.text),
            confidence: Confidence::EXPLICIT,
            durability: Durability::LongTerm,
            reasoning: "The person says that somebody close to them died.".to_owned(),
            evidence: vec![(sentence.turn, tokens[at].bytes.start..tokens[end - 1].bytes.end)],
            weight: 3.6,
        });
    }
}
