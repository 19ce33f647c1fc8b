//! Experiences: what happened to the owner and is over, told in the past tense with an event in it.
//!
//! Verbs alone do not make an event ("I ran the tests"), so each names the words that must go with it.

use keepsake_domain::{Category, Confidence, Durability, Gate};

use super::clause::{Actor, clause_end, own_clauses, past_adverbs, word};
use super::events::{Needs, RULES, Rule, TECHNICAL, TRIFLES};
use super::people::relation_at;
use super::rewrite::{is_month, third_person};
use super::{Draft, Reading};
use crate::text::{Sentence, Token, is_stop_word};

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
    let Some(rest) =
        third_person(sentence, verb + 1..end, reading.time(sentence.turn)).or_else(|| (end == verb + 1).then(String::new))
    else {
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
    let reasoning =
        if dated { "The person says that it happened, and when." } else { "The person says in the past tense that it happened." };
    let durability =
        if matches!(word(tokens, verb), "grew") || word(tokens, verb + 1) == "born" || word(tokens, verb + 1) == "raised" {
            Durability::Identity
        } else {
            Durability::LongTerm
        };
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
    // The noun must head its phrase ("a dog bed" is no dog) and stand near its verb; further on it belongs to another.
    let near =
        |words: &[&str]| (verb + 1..end.min(verb + 8)).any(|at| words.contains(&word(tokens, at)) && heads_phrase(tokens, at));
    let any = |words: &[&str]| (verb + 1..end).any(|at| words.contains(&word(tokens, at)));
    match &rule.needs {
        Needs::Any(words) => near(words),
        Needs::Next(words) => {
            let next = word(tokens, verb + 1);
            let whole = match next {
                "laid" => word(tokens, verb + 2) == "off",
                "made" => word(tokens, verb + 2) == "redundant",
                "fired" => word(tokens, verb + 2) != "up",
                "born" | "raised" => matches!(word(tokens, verb + 2), "in" | "on" | "at" | "near" | "to" | "by" | "with"),
                _ => true,
            };
            words.contains(&next) && whole
        }
        Needs::Name => names_something(tokens, verb + 1, end),
        Needs::NameAndSign => {
            names_something(tokens, verb + 1, end)
                && ((verb..end).any(|at| is_time_sign(tokens, at))
                    || any(&[
                        "family",
                        "husband",
                        "wife",
                        "partner",
                        "girlfriend",
                        "boyfriend",
                        "exchange",
                        "abroad",
                        "trip",
                        "vacation",
                        "holiday",
                    ]))
        }
        Needs::Relation => {
            let at = verb + 1;
            matches!(word(tokens, at), "my" | "our") && relation_at(tokens, at + 1).is_some_and(|relation| relation.end <= end)
        }
        Needs::Nothing => true,
    }
}

/// Whether no further noun follows the one at `at`.
fn heads_phrase(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(next) = tokens.get(at + 1) else { return true };
    let joined = next.raw == "-" || next.word == "'s";
    !joined
        && (!next.is_word
            || is_stop_word(&next.word)
            || next.word.len() > 4 && next.word.ends_with("ed")
            || next.word.bytes().all(|b| b.is_ascii_digit()))
}

/// A capitalised word inside the clause that is no product; nothing technical beside it.
fn names_something(tokens: &[Token<'_>], from: usize, end: usize) -> bool {
    let range = || tokens.get(from..end).unwrap_or(&[]).iter();
    let technical =
        range().any(|token| TECHNICAL.contains(&token.word.as_str()) && (token.is_capitalised() || token.word.len() > 3));
    let named =
        range().any(|token| token.is_word && token.is_capitalised() && token.raw.chars().count() > 2 && !is_month(&token.word));
    named && !technical
}

/// A year, a month, "when I was", "ago", "last summer", "for three years": it has a place in a life.
fn is_time_sign(tokens: &[Token<'_>], at: usize) -> bool {
    let this = word(tokens, at);
    let is_year =
        this.len() == 4 && (this.starts_with("19") || this.starts_with("20")) && this.bytes().all(|b| b.is_ascii_digit());
    let unit = |at: usize| {
        matches!(
            word(tokens, at),
            "year"
                | "years"
                | "month"
                | "months"
                | "summer"
                | "winter"
                | "week"
                | "weeks"
                | "semester"
                | "spring"
                | "autumn"
                | "decade"
        )
    };
    is_year
        || matches!(this, "ago" | "yesterday")
        || this == "last"
            && (unit(at + 1) || matches!(word(tokens, at + 1), "weekend" | "night" | "fall") || is_month(word(tokens, at + 1)))
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
        let opens = at == 0
            || tokens[at - 1].is_break()
            || matches!(
                word(tokens, at - 1),
                "and" | "when" | "after" | "since" | "because" | "that" | "ago" | "year" | "week" | "month" | "before" | "so"
            );
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
