//! The title of a topic: key phrases that set it apart from other topics and are close to its content, chosen as in KeyBERT
//! (Grootendorst 2020).
//!
//! The title follows the content: if another phrase comes to dominate the topic, the title changes. To avoid frequent changes,
//! the current leading phrase stays while it is nearly as strong as the strongest.

use crate::topic::rules::{
    FEW_TURNS, NEARNESS_MIN, ONCE_SHARE, OPENING_WORDS, PHRASES_LOOKED_AT, RECURS, SECOND_FROM, STAYS_FROM, TITLE_TITLE_CHARS_MAX,
};
use std::collections::BTreeMap;

use super::merge::TopicText;
use crate::Turn;
use crate::analysis::{RankedPhrase, ranked_phrases};
use crate::conversation::names_time;
use crate::text::Document;

/// Returns the cosine of each phrase with the topic's content; `None` if no model is available.
pub type Near<'n> = dyn Fn(&[&str]) -> Option<Vec<f32>> + 'n;

/// The title of a topic with messages `turns` and text `text`. `telling` are the stems that set it apart from other topics
/// ([`super::TopicStep`]); `previous` is its current title.
pub fn title(text: &TopicText, turns: &[Turn<'_>], telling: &[(String, f32)], near: &Near<'_>, previous: Option<&str>) -> String {
    let document = Document::read(turns);
    let mut phrases = ranked_phrases(&document);
    // A date or time such as "August" is not a subject.
    phrases.retain(|phrase| !phrase.text.split_whitespace().all(|word| names_time(&word.to_lowercase())));
    weigh(&mut phrases, telling, document.plain.len());
    phrases.truncate(PHRASES_LOOKED_AT);
    phrases.iter_mut().for_each(|phrase| phrase.text = whole_name(&phrase.text, turns));
    if let Some(cosines) = near(&phrases.iter().map(|phrase| phrase.text.as_str()).collect::<Vec<_>>()) {
        phrases.iter_mut().zip(cosines).for_each(|(phrase, cosine)| phrase.score *= cosine.max(NEARNESS_MIN).powi(2));
        sort(&mut phrases);
    }
    let Some(best) = phrases.first().map(|phrase| phrase.score).filter(|best| *best > 0.0) else { return opening(text) };
    if let Some(previous) = previous {
        let stays = |phrase: &RankedPhrase| phrase.score >= STAYS_FROM * best && leads(previous, &phrase.text);
        if let Some(at) = phrases.iter().position(stays) {
            let leading = phrases.remove(at);
            phrases.insert(0, leading);
        }
    }
    let lead = &phrases[0];
    let shares = |a: &RankedPhrase, b: &RankedPhrase| a.stems.iter().any(|stem| b.stems.contains(stem));
    let second = phrases
        .iter()
        .skip(1)
        .find(|phrase| phrase.score >= SECOND_FROM * lead.score && phrase.turns > 1 && !shares(phrase, lead));
    let alone = capitalised(&lead.text);
    match second {
        Some(second) => {
            let both = format!("{alone} and {}", second.text);
            if both.chars().count() <= TITLE_TITLE_CHARS_MAX { both } else { alone }
        }
        None => alone,
    }
}

/// Completes a name: "Príncipe" becomes "Príncipe Real" if "Real" usually follows it.
fn whole_name(phrase: &str, turns: &[Turn<'_>]) -> String {
    // "At the Quarry I …": the pronoun is not part of a name.
    let is_me = |word: &str| word == "I" || word.starts_with("I'") || word.starts_with("I’");
    let is_name = |word: &str| word.chars().next().is_some_and(char::is_uppercase) && !is_me(word);
    let Some(last) = phrase.split_whitespace().last().filter(|last| is_name(last)) else { return phrase.to_owned() };
    let mut followed: BTreeMap<String, usize> = BTreeMap::new();
    let mut stands = 0;
    for turn in turns {
        let words: Vec<&str> = turn.text.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            if word.trim_matches(|c: char| !c.is_alphanumeric()) != last {
                continue;
            }
            stands += 1;
            // Punctuation after a word ends the name.
            let mut end = at;
            let mut name = Vec::new();
            while words.get(end).is_some_and(|word| word.ends_with(char::is_alphanumeric)) && name.len() < 2 {
                end += 1;
                let Some(next) = words.get(end) else { break };
                name.push(next.trim_matches(|c: char| !c.is_alphanumeric()));
                if is_name(next) {
                    *followed.entry(name.join(" ")).or_default() += 1;
                    break;
                }
                if !matches!(*next, "do" | "da" | "de" | "del" | "di" | "of" | "la" | "van" | "von") {
                    break;
                }
            }
        }
    }
    let most = followed.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
    most.filter(|(_, count)| count * 2 > stands).map_or_else(|| phrase.to_owned(), |(rest, _)| format!("{phrase} {rest}"))
}

/// Scores each phrase by how well its words set the topic apart. A phrase of several words that occurs only once counts less.
fn weigh(phrases: &mut [RankedPhrase], telling: &[(String, f32)], turns: usize) {
    for phrase in phrases.iter_mut() {
        let of = |stem: &String| telling.iter().find(|(word, _)| word == stem).map_or(0.0, |(_, strength)| *strength);
        let sum: f32 = phrase.stems.iter().map(of).sum();
        phrase.score = sum / (phrase.stems.len() as f32).sqrt() * (1.0 + RECURS * (phrase.turns.max(1) as f32).ln());
        // Two words that occur together only once are usually part of a sentence rather than a name: "door blocks".
        if phrase.stems.len() > 1 && phrase.turns < 2 && turns > FEW_TURNS {
            phrase.score *= ONCE_SHARE;
        }
        if phrase.text.chars().count() > TITLE_TITLE_CHARS_MAX {
            phrase.score = 0.0;
        }
    }
    sort(phrases);
}

fn sort(phrases: &mut [RankedPhrase]) {
    phrases.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.turns.cmp(&a.turns)).then(a.text.cmp(&b.text)));
}

fn leads(title: &str, phrase: &str) -> bool {
    let title = title.to_lowercase();
    let phrase = phrase.to_lowercase();
    title == phrase || title.strip_prefix(&phrase).is_some_and(|rest| rest.starts_with(" and "))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn opening(text: &TopicText) -> String {
    let Some(line) = text.lines.first() else { return "Untitled".to_owned() };
    let words: Vec<&str> = line.text.split_whitespace().take(OPENING_WORDS).collect();
    let mut title: String = words.join(" ").chars().take(TITLE_TITLE_CHARS_MAX - 1).collect();
    if line.text.split_whitespace().count() > OPENING_WORDS {
        title.push('…');
    }
    title
}
