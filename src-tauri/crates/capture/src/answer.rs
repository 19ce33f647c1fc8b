//! Short answers: "How old are you?" – "29". The question says what the answer is about.

use std::sync::LazyLock;

use keepsake_domain::{Category, Confidence, Durability, Role};
use regex::Regex;

use crate::frames::Found;
use crate::lexicon::*;
use crate::propose::Turn;
use crate::rewrite::{possessive, render, tidy};
use crate::token::{Kind, tokenize};

/// Questions, and how their short answer is said of a person: `{}` stands for the answer, `L` for the person, `P` for the
/// possessive.
/// Pattern, template, category, family, slot.
type Question = (Regex, &'static str, Category, &'static str, &'static str);

static QUESTIONS: LazyLock<Vec<Question>> = LazyLock::new(|| {
    [
        (r"(?i)\bwhere (?:do|are) you (?:live|living|based|located)\b[^?]*\?|\bwhich (?:city|town|country) (?:do you live|are you) in\b", "L lives in {}", Category::PersonalInfo, "a home", "home"),
        (r"(?i)\bwhere (?:are you|do you come) (?:originally )?from\b[^?]*\?", "L is from {}", Category::PersonalInfo, "origin", "origin"),
        (r"(?i)\bhow old are you\b|\bwhat(?:'s| is) your age\b", "L is {} years old", Category::PersonalInfo, "age", "age"),
        (r"(?i)\bwhat(?:'s| is) your name\b|\bwhat (?:should|can|shall|may) i call you\b|\bwho am i (?:speaking|talking) (?:to|with)\b", "P name is {}", Category::PersonalInfo, "name", "name"),
        (r"(?i)\bwhat(?:'s| is) your (favou?rite [a-z ]{3,24})\?", "P $1 is {}", Category::Preference, "a favourite", ""),
        (r"(?i)\b(?:what are you|are you|anything you(?:'re| are)) allergic to\b[^?]*\?|\bany allergies\b[^?]*\?|\bdo you have any (?:food )?allergies\b", "L is allergic to {}", Category::PersonalInfo, "health", ""),
        (r"(?i)\bwhat (?:distro|os|operating system|editor|language|framework|shell|browser|database|phone|camera) (?:are you|do you) (?:on|use|using|run|running)\b[^?]*\?", "L uses {}", Category::Preference, "a tool", ""),
        (r"(?i)\bwhat (?:instrument|instruments) do you play\b", "L plays {}", Category::Skill, "a pastime", ""),
        (r"(?i)\bwhat languages? do you speak\b|\bwhich languages? do you speak\b", "L speaks {}", Category::Skill, "a language", ""),
        (r"(?i)\bwhat(?:'s| is) your (?:first|native) language\b|\bwhat(?:'s| is) your mother tongue\b", "P first language is {}", Category::Skill, "a language", ""),
        (r"(?i)\bwhen(?:'s| is) your birthday\b", "P birthday is {}", Category::PersonalInfo, "an attribute", "birthday"),
    ]
    .into_iter()
    .filter_map(|(pattern, template, category, family, slot)| Regex::new(pattern).ok().map(|regex| (regex, template, category, family, slot)))
    .collect()
});

/// An answer longer than this speaks for itself.
const ANSWER_WORDS_MAX: usize = 6;

/// What `answer` says as the reply to `question`, with the answer's bytes.
pub(crate) fn find(question: &Turn<'_>, answer: &Turn<'_>, label: &str) -> Option<(Found, usize, usize)> {
    if question.speaker == answer.speaker && question.role != Role::Assistant
        || answer.text.contains('?')
        || answer.text.contains('\n')
    {
        return None;
    }
    let last = question.text.trim_end();
    let (regex, template, category, family, slot) = QUESTIONS.iter().find(|(regex, ..)| regex.is_match(last))?;
    let tokens = tokenize(answer.text, 0, answer.text.len());
    let first_end = tokens
        .iter()
        .position(|t| t.kind == Kind::Mark && matches!(t.low.as_str(), "." | "!" | "…" | ";" | "(" | "—"))
        .unwrap_or(tokens.len());
    let mut lo = crate::clause::skip_fillers(&tokens, 0, first_end);
    if crate::clause::matches_at(&tokens, lo, first_end, "it is").is_some() {
        lo += 2;
    }
    let end = crate::parse::trim_end(&tokens, lo, first_end);
    let words: Vec<&str> = tokens.get(lo..end)?.iter().filter(|t| t.is_wordy()).map(|t| t.low.as_str()).collect();
    let evades = words.iter().any(|w| one_of(w, "i my am do not never we you it that this what why none nothing nowhere secret guess depends depend varies dunno idk nope anything everything both neither old enough said told skip pass rather later unknown already hard tough many lots various is are was have know tell guess") || AUXILIARIES.contains(w));
    if words.is_empty() || words.len() > ANSWER_WORDS_MAX || evades {
        return None;
    }
    let is_age = *family == "age";
    let value = render(answer.text, &tokens, lo, end);
    if is_age && !words[0].parse::<u32>().is_ok_and(|n| (5..=110).contains(&n)) {
        return None;
    }
    if one_of(family, "name") && (words.len() > 3 || !tokens[lo].is_capital)
        || *family == "a home" && words[0] == "in" && words.len() < 2
    {
        return None;
    }
    let value = if is_age { words[0].to_owned() } else { value.trim_start_matches("in ").trim_start_matches("from ").to_owned() };
    let asked = regex.captures(last).and_then(|c| c.get(1).map(|m| m.as_str().to_lowercase())).unwrap_or_default();
    let content = template.replace("$1", asked.trim()).replace("{}", &value);
    let content = match content.strip_prefix("L ") {
        Some(rest) => format!("{label} {rest}"),
        None => content.replacen('P', &possessive(label), 1),
    };
    let slot = if slot.is_empty() { None } else { Some((*slot).to_owned()) };
    let found = Found {
        content: tidy(&content),
        category: *category,
        confidence: Confidence::STATED,
        durability: Durability::LongTerm,
        family,
        slot,
    };
    Some((found, tokens[lo].start, tokens[end - 1].end))
}
