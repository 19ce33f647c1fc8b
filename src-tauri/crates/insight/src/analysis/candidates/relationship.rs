//! Relationships: people close to the owner, what they are to them, and how they stand with each other.

use std::ops::Range;

use keepsake_domain::{Category, Confidence, Durability, Gate};

use super::clause::{clause_end, own_clauses, past_adverbs, word};
use super::people::{name_at, relation_at};
use super::rewrite::third_person;
use super::{Draft, Reading};
use crate::text::{Sentence, Token, is_stop_word, is_verb_form};

/// Finds who is close to the owner.
pub(super) fn find(reading: &mut Reading<'_, '_>) {
    for (_, sentence) in reading.own_sentences() {
        named(reading, sentence);
        standing(reading, sentence);
        together(reading, sentence);
    }
}

/// "My sister Ana", "my sister is called Ana", "my boss, Tom,", "Ana is my sister".
fn named(reading: &mut Reading<'_, '_>, sentence: &Sentence<'_>) {
    let tokens = &sentence.tokens;
    for at in 0..tokens.len() {
        if !matches!(word(tokens, at), "my" | "our") {
            continue;
        }
        let Some(relation) = relation_at(tokens, at + 1) else { continue };
        let after = relation.end;
        let found = match (word(tokens, after), word(tokens, after + 1)) {
            (",", _) => name_at(tokens, after + 1).filter(|(_, end)| matches!(word(tokens, *end), "," | "" | ".")),
            ("is" | "'s", "called" | "named") => name_at(tokens, after + 2),
            ("'s", "name") if matches!(word(tokens, after + 2), "is" | "'s") => name_at(tokens, after + 3),
            ("named" | "called", _) => name_at(tokens, after + 1),
            ("'s", _) => None,
            _ => name_at(tokens, after).filter(|(_, end)| ends_name(tokens, *end)),
        };
        let before = || -> Option<(String, usize)> {
            let verb = at.checked_sub(1).filter(|verb| matches!(word(tokens, *verb), "is" | "'s"))?;
            let start = verb.checked_sub(1)?;
            let (name, end) = name_at(tokens, start)?;
            (end == verb && (start == 0 || tokens[start - 1].is_break())).then_some((name, start))
        };
        let (name, start, end) = match (found, before()) {
            (Some((name, end)), _) => (name, at, end),
            (None, Some((name, start))) => (name, start, after),
            _ => continue,
        };
        // The naming holds even in a question or under an "if"; play and quotations still forbid it.
        if let Some((gate, reason)) = reading.guards.stop(sentence, start..end)
            && !matches!(gate, Gate::QuestionOrRequest | Gate::Hypothetical)
        {
            reading.stop(gate, reason, sentence);
            continue;
        }
        let content = format!("User's {} is named {name}", relation.text);
        let content = if relation.text.starts_with("late ") { content.replace(" is named ", " was named ") } else { content };
        reading.drafts.extend(draft(sentence, start..end, content).map(|draft| Draft {
            confidence: Confidence::EXPLICIT,
            durability: if relation.is_kin { Durability::Identity } else { Durability::LongTerm },
            reasoning: "The person names somebody close to them and what they are to each other.".to_owned(),
            weight: 2.2,
            ..draft
        }));
    }
}

/// Whether what follows lets a name be over: "my ex Machina poster" names nobody.
fn ends_name(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(next) = tokens.get(at) else { return true };
    !next.is_word
        || next.is_tail
        || is_stop_word(&next.word)
        || is_verb_form(&next.word)
        || next.word.ends_with('s')
        || next.word.ends_with("ed")
}

/// How the owner stands with somebody: close, estranged, caring, married for years.
fn standing(reading: &mut Reading<'_, '_>, sentence: &Sentence<'_>) {
    let tokens = &sentence.tokens;
    for (actor, subject, after) in own_clauses(sentence, false) {
        let verb = past_adverbs(tokens, after);
        let pattern: (&str, usize) =
            match (word(tokens, verb), word(tokens, verb + 1), word(tokens, verb + 2), word(tokens, verb + 3)) {
                ("am" | "are", "close", "to", _) => ("is close to", verb + 3),
                ("am" | "are", "very" | "really" | "super", "close", "to") => ("is very close to", verb + 4),
                ("am" | "are", "married", "to", _) => ("is married to", verb + 3),
                ("am" | "are", "engaged", "to", _) => ("is engaged to", verb + 3),
                ("look" | "care", "after" | "for", _, _) => {
                    (if word(tokens, verb) == "look" { "looks after" } else { "cares for" }, verb + 2)
                }
                ("do", "not", "get", "along") if word(tokens, verb + 4) == "with" => ("does not get along with", verb + 5),
                ("do", "not", "speak" | "talk", "to" | "with") => ("does not speak to", verb + 4),
                ("have", "not", "spoken" | "talked", "to" | "with") => ("has not spoken to", verb + 4),
                ("fell", "out", "with", _) => ("fell out with", verb + 3),
                ("made", "up", "with", _) => ("made up with", verb + 3),
                ("broke", "up", "with", _) => ("broke up with", verb + 3),
                ("trust", _, _, _) => ("trusts", verb + 1),
                ("live", "with", _, _) => ("lives with", verb + 2),
                ("have", "been", "married", "for" | "since") => ("has been married", verb + 3),
                ("have", "been", "together", "for" | "since") => ("has been with their partner", verb + 3),
                ("have", "been", "friends" | "best", "with" | "friends") => {
                    ("has been friends with", verb + if word(tokens, verb + 2) == "best" { 5 } else { 4 })
                }
                _ => continue,
            };
        let (told, object) = pattern;
        let Some(end) = clause_end(tokens, object, true) else { continue };
        let lasting = matches!(told, "has been married" | "has been with their partner");
        let names_somebody = matches!(word(tokens, object), "my" | "our") && relation_at(tokens, object + 1).is_some()
            || word(tokens, object) == "my"
                && matches!(word(tokens, object + 1), "parents" | "family" | "kids" | "children" | "in")
            || name_at(tokens, object).is_some();
        // "We have been married for ten years" is about the owner; any other "we" is about a group.
        let speaks_for_self = lasting || actor == super::clause::Actor::Owner;
        if !(lasting || names_somebody)
            || !speaks_for_self
            || told == "has been with their partner" && actor == super::clause::Actor::Owner
        {
            continue;
        }
        if !reading.may(sentence, subject..end) {
            continue;
        }
        let Some(rest) = third_person(sentence, object..end, reading.time(sentence.turn)) else {
            reading.stop(Gate::Vague, "The sentence leans on the moment or on the listener and cannot stand alone.", sentence);
            continue;
        };
        reading.drafts.extend(draft(sentence, subject..end, format!("User {told} {rest}")));
    }
}

/// "My sister Clara and I haven't spoken since the funeral."
fn together(reading: &mut Reading<'_, '_>, sentence: &Sentence<'_>) {
    let tokens = &sentence.tokens;
    for at in 0..tokens.len() {
        if word(tokens, at) != "my"
            || at > 0
                && !tokens[at - 1].is_break()
                && !matches!(word(tokens, at - 1), "and" | "but" | "because" | "that" | "also" | "so")
        {
            continue;
        }
        let Some(relation) = relation_at(tokens, at + 1) else { continue };
        let named = name_at(tokens, relation.end);
        let after = named.as_ref().map_or(relation.end, |(_, end)| *end);
        if word(tokens, after) != "and" || !matches!(word(tokens, after + 1), "i" | "me") {
            continue;
        }
        let verb = past_adverbs(tokens, after + 2);
        let (told, from) = match (word(tokens, verb), word(tokens, verb + 1), word(tokens, verb + 2)) {
            ("have", "not", "spoken" | "talked") => ("have not spoken", verb + 3),
            ("do" | "did", "not", "speak" | "talk") => ("do not speak", verb + 3),
            ("do", "not", "get") if word(tokens, verb + 3) == "along" => ("do not get along", verb + 4),
            ("are", "close", _) => ("are close", verb + 2),
            ("are", "very" | "really" | "super", "close") => ("are very close", verb + 3),
            ("have", "been", "married" | "together" | "friends") => ("have been", verb + 2),
            ("grew", "up", "together") => ("grew up together", verb + 3),
            ("fell", "out", _) => ("fell out", verb + 2),
            _ => continue,
        };
        let end = clause_end(tokens, from, false).unwrap_or(from);
        if !reading.may(sentence, at..end) {
            continue;
        }
        let rest = if end > from { third_person(sentence, from..end, reading.time(sentence.turn)) } else { Some(String::new()) };
        let Some(rest) = rest else {
            reading.stop(Gate::Vague, "The sentence leans on the moment or on the listener and cannot stand alone.", sentence);
            continue;
        };
        let name = named.map(|(name, _)| format!(" {name}")).unwrap_or_default();
        let content = format!("User and their {}{name} {told} {rest}", relation.text).trim_end().to_owned();
        reading.drafts.extend(draft(sentence, at..end, content).map(|draft| Draft { weight: 2.6, ..draft }));
    }
}

/// A draft over the tokens of `sentence`.
fn draft(sentence: &Sentence<'_>, tokens: Range<usize>, content: String) -> Option<Draft> {
    let place = sentence.tokens.get(tokens.start)?.bytes.start..sentence.tokens.get(tokens.end.checked_sub(1)?)?.bytes.end;
    Some(Draft {
        category: Category::Relationship,
        content,
        confidence: Confidence::STATED,
        durability: Durability::LongTerm,
        reasoning: "The person says how they stand with somebody close to them.".to_owned(),
        evidence: vec![(sentence.turn, place)],
        weight: 2.4,
    })
}
