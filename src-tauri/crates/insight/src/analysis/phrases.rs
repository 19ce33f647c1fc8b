//! Themes and key topics: noun phrases ranked by how consistently they recur throughout the conversation.
//!
//! Similar to RAKE (Rose et al. 2010) and YAKE (Campos et al. 2020): candidates are runs of words between stop words, scored by
//! frequency, spread over turns, and position. There is no part-of-speech tagger, so a single word counts only if it is repeated
//! or is capitalized inside a sentence.

use crate::analysis::rules::{ASSISTANT_WEIGHT, ONCE_SHARE, PHRASE_WORDS_MAX, PHRASES_RANKED_MAX};
pub use crate::analysis::rules::{THEMES_MAX, TOPICS_MAX};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::Role;

use crate::text::{Document, Sentence, Token, stem};

/// Themes and key topics, spelled as in the text.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    pub(super) themes: Vec<String>,
    pub(super) topics: Vec<String>,
}

/// All occurrences of one phrase.
#[derive(Debug, Default)]
struct Tally {
    forms: BTreeMap<String, usize>,
    turns: BTreeSet<usize>,
    /// The subset of `turns` that was not written by an assistant.
    person_turns: BTreeSet<usize>,
    weight: f32,
    count: usize,
    inner_capitals: usize,
    /// True if this phrase ends at least one run of content words.
    ends_run: bool,
    words: usize,
    first: usize,
}

pub(super) fn rank(document: &Document<'_>) -> Phrases {
    choose(&tallied(document), document.plain.len())
}

/// A phrase with its relevance to the document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankedPhrase {
    /// The form that occurs most often in the text.
    pub(crate) text: String,
    /// The stems of its words.
    pub(crate) stems: Vec<String>,
    /// Relevance score; only comparable within one document.
    pub(crate) score: f32,
    /// The number of turns it occurs in.
    pub(crate) turns: usize,
}

/// The phrases of `document`, strongest first.
pub(crate) fn ranked(document: &Document<'_>) -> Vec<RankedPhrase> {
    let entry = |(stems, score, tally): (Vec<String>, f32, Tally)| RankedPhrase {
        text: shown(&tally),
        stems,
        score,
        turns: tally.turns.len(),
    };
    tallied(document).into_iter().map(entry).collect()
}

fn tallied(document: &Document<'_>) -> Vec<(Vec<String>, f32, Tally)> {
    let mut tallies: HashMap<Vec<String>, Tally> = HashMap::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for turn in document.turns.iter().filter(|turn| turn.is_plain()) {
        names.extend(turn.author.split_whitespace().map(str::to_lowercase));
    }
    for (index, sentence) in document.sentences.iter().enumerate() {
        for phrase in phrases_of(sentence) {
            // A phrase that consists only of participants' names is not a topic.
            if phrase.words.iter().all(|word| names.contains(word)) {
                continue;
            }
            let key: Vec<String> = phrase.words.iter().map(|word| stem(word)).collect();
            let tally =
                tallies.entry(key).or_insert_with(|| Tally { first: index, words: phrase.words.len(), ..Tally::default() });
            *tally.forms.entry(phrase.text).or_default() += 1;
            tally.turns.insert(sentence.turn);
            tally.weight += if sentence.role == Role::Assistant { ASSISTANT_WEIGHT } else { 1.0 };
            tally.count += 1;
            tally.inner_capitals += usize::from(phrase.inner_capital);
            tally.ends_run |= phrase.ends_run;
            if sentence.role != Role::Assistant {
                tally.person_turns.insert(sentence.turn);
            }
        }
    }
    let mut scored: Vec<(Vec<String>, f32, Tally)> = tallies
        .into_iter()
        .filter(|(_, tally)| is_telling(tally))
        .map(|(key, tally)| (key, score(&tally, document.sentences.len()), tally))
        .collect();
    sort(&mut scored);
    scored.truncate(PHRASES_RANKED_MAX);
    without_overlap(scored)
}

/// True if a phrase may become a theme or topic. A single word must usually be capitalized like a name, or people must repeat it.
/// A phrase of several words must be said by a person or be repeated.
fn is_telling(tally: &Tally) -> bool {
    match tally.words {
        1 => tally.person_turns.len() > 1 || tally.inner_capitals * 2 >= tally.count,
        _ => tally.turns.len() > 1 || !tally.person_turns.is_empty(),
    }
}

fn sort(scored: &mut [(Vec<String>, f32, Tally)]) {
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.2.first.cmp(&b.2.first)).then(a.0.cmp(&b.0)));
}

fn score(tally: &Tally, sentences: usize) -> f32 {
    let spread = tally.turns.len() as f32;
    let early = 1.0 - 0.25 * (tally.first as f32 / sentences.max(1) as f32);
    let length = match tally.words {
        1 => 1.0,
        2 => 1.9,
        _ => 1.8,
    };
    let proper = if tally.inner_capitals * 2 >= tally.count { 1.35 } else { 1.0 };
    let told = if tally.person_turns.is_empty() { 0.5 } else { 1.0 };
    // Words that appear next to each other only once may be part of a sentence rather than a name.
    let once = if tally.count == 1 && tally.inner_capitals == 0 { ONCE_SHARE } else { 1.0 };
    (tally.weight.sqrt() * 0.6 + (1.0 + spread).ln() * tally.weight.min(1.0)) * early * length * proper * told * once
}

/// If one phrase contains another, keeps only the one that people repeat.
fn without_overlap(scored: Vec<(Vec<String>, f32, Tally)>) -> Vec<(Vec<String>, f32, Tally)> {
    let mut absorbed: BTreeSet<usize> = BTreeSet::new();
    for (long, (long_key, _, long_tally)) in scored.iter().enumerate() {
        for (short, (short_key, _, short_tally)) in scored.iter().enumerate() {
            if short == long
                || short_key.len() >= long_key.len()
                || !long_key.windows(short_key.len()).any(|part| part == short_key.as_slice())
            {
                continue;
            }
            let is_said_again = |tally: &Tally| tally.person_turns.len() > 1;
            // "wool" in "wool carpet" and "wool fibres" is only descriptive; "Küche" in "gebrauchte Küche" is the subject itself.
            let keeps_long = is_said_again(long_tally) || !short_tally.ends_run || !is_said_again(short_tally);
            absorbed.insert(if keeps_long { short } else { long });
        }
    }
    let kept = scored.into_iter().enumerate().filter(|(index, _)| !absorbed.contains(index)).map(|(_, entry)| entry);
    let mut result: Vec<(Vec<String>, f32, Tally)> = Vec::new();
    for entry in kept {
        // "Lisbon trip" and "trip to Lisbon" are one topic.
        let shares_all = |other: &Vec<String>| entry.0.iter().filter(|word| word.len() > 2).all(|word| other.contains(word));
        if !result.iter().any(|(other, ..)| shares_all(other)) {
            result.push(entry);
        }
    }
    result
}

/// Themes are the phrases that recur throughout the conversation; topics are the themes plus specific names.
fn choose(kept: &[(Vec<String>, f32, Tally)], plain_turns: usize) -> Phrases {
    let runs_through = |tally: &Tally| tally.turns.len() >= 2 || plain_turns <= 2;
    let themes: Vec<&(Vec<String>, f32, Tally)> = {
        let mut themes: Vec<_> = kept.iter().filter(|(_, _, tally)| runs_through(tally)).take(THEMES_MAX).collect();
        let more = kept.iter().filter(|(_, _, tally)| !runs_through(tally) && tally.words > 1 && !tally.person_turns.is_empty());
        let missing = 2usize.saturating_sub(themes.len());
        themes.extend(more.take(missing));
        let missing = 2usize.saturating_sub(themes.len());
        let any: Vec<_> = kept.iter().filter(|(key, ..)| !themes.iter().any(|(known, ..)| known == key)).take(missing).collect();
        themes.extend(any);
        themes
    };
    let topics = kept.iter().filter(|(_, _, tally)| tally.count > 1 || tally.words > 1 || tally.inner_capitals > 0);
    let mut topics: Vec<String> = topics.take(TOPICS_MAX).map(|(_, _, tally)| shown(tally)).collect();
    if topics.len() < 3 {
        let rest: Vec<String> = kept.iter().map(|(_, _, tally)| shown(tally)).filter(|text| !topics.contains(text)).collect();
        let missing = 3 - topics.len();
        topics.extend(rest.into_iter().take(missing));
    }
    Phrases { themes: themes.into_iter().map(|(_, _, tally)| shown(tally)).collect(), topics }
}

/// The most frequent form in the text; on a tie, the one with fewer capitals, then the shorter one.
fn shown(tally: &Tally) -> String {
    let capitals = |form: &str| form.chars().filter(|c| c.is_uppercase()).count();
    let mut forms: Vec<(&String, &usize)> = tally.forms.iter().collect();
    forms.sort_by(|a, b| b.1.cmp(a.1).then(capitals(a.0).cmp(&capitals(b.0))).then(a.0.len().cmp(&b.0.len())).then(a.0.cmp(b.0)));
    forms.first().map(|(form, _)| (*form).clone()).unwrap_or_default()
}

struct Phrase {
    words: Vec<String>,
    text: String,
    inner_capital: bool,
    ends_run: bool,
}

fn phrases_of(sentence: &Sentence<'_>) -> Vec<Phrase> {
    let mut found = Vec::new();
    let tokens = &sentence.tokens;
    // In an all-caps sentence, capitals carry no information.
    let shouted = sentence.text.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let mut at = 0;
    while at < tokens.len() {
        if !is_content(sentence, at) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < tokens.len() && is_content(sentence, end) && adjacent(&tokens[end - 1], &tokens[end]) {
            end += 1;
        }
        // Matches a word, a stop word, and a name: "trip to Lisbon", "viaje a Lima".
        let links = tokens.get(end).is_some_and(|token| sentence.language.is_stop_word(&token.word));
        let named = tokens.get(end + 1).is_some_and(Token::is_capitalised) && is_content(sentence, end + 1);
        if links && named && end - at == 1 && !tokens[at].is_capitalised() {
            found.extend(phrase(sentence, at, end + 2, shouted));
            end += 2;
        } else {
            // Takes every part of a run, because a phrase such as "connection pool" may be part of a longer run. Parts that
            // never occur on their own are absorbed later.
            let parts = (at..end).flat_map(|from| (from + 1..=end.min(from + PHRASE_WORDS_MAX)).map(move |to| (from, to)));
            found.extend(parts.filter_map(|(from, to)| phrase(sentence, from, to, shouted)));
        }
        at = end;
    }
    found
}

fn phrase(sentence: &Sentence<'_>, start: usize, end: usize, shouted: bool) -> Option<Phrase> {
    let tokens = sentence.tokens.get(start..end)?;
    let (first, last) = (tokens.first()?, tokens.last()?);
    if !first.is_word || !last.is_word {
        return None;
    }
    let offset = sentence.bytes.start;
    let raw = sentence.text.get(first.bytes.start.checked_sub(offset)?..last.bytes.end.checked_sub(offset)?)?;
    let letters = raw.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 3 && !raw.chars().all(char::is_uppercase) {
        return None;
    }
    let inner_capital = !shouted && start > 0 && first.is_capitalised() && !sentence.tokens[start - 1].is_break();
    let mut text = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    if shouted {
        text = text.to_lowercase();
    }
    if start == 0 && !tokens.iter().skip(1).any(Token::is_capitalised) && !raw.chars().skip(1).any(char::is_uppercase) {
        text = lower_first(&text);
    }
    let words = tokens.iter().filter(|token| token.is_word).map(|token| token.word.clone()).collect();
    let ends_run = !is_content(sentence, end);
    Some(Phrase { words, text, inner_capital, ends_run })
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// True if only a space or a hyphen separates the two words.
fn adjacent(a: &Token<'_>, b: &Token<'_>) -> bool {
    b.bytes.start.saturating_sub(a.bytes.end) <= 1 && !a.is_break() && !b.is_break()
}

/// True if the word addresses a person: "Thanks, Jon!", "Jon, look".
fn is_vocative(sentence: &Sentence<'_>, at: usize) -> bool {
    let tokens = &sentence.tokens;
    let ends = || tokens.iter().skip(at + 1).all(|token| !token.is_word);
    let after_comma = at > 0 && tokens[at - 1].raw == ",";
    let leads = at == 0 && tokens.get(1).is_some_and(|next| next.raw == ",");
    after_comma && ends() || leads
}

/// True for a stop word, or for two stop words that are written as one word: "n'a", "qu'il".
fn is_small(sentence: &Sentence<'_>, word: &str) -> bool {
    let stops = |part: &str| part.chars().count() < 2 || sentence.language.is_stop_word(part);
    sentence.language.is_stop_word(word) || word.contains('\'') && word.split('\'').all(stops)
}

/// True if the word at `at` can be part of a key phrase: not a stop word, not quoted, not code, and not the name of a person
/// being addressed.
fn is_content(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    let names = |token: &Token<'_>| token.is_word && !is_small(sentence, &token.word);
    if token.raw == "-" {
        let inner = |at: Option<usize>| at.and_then(|at| sentence.tokens.get(at)).is_some_and(names);
        return inner(at.checked_sub(1))
            && inner(Some(at + 1))
            && at > 0
            && sentence.tokens[at - 1].bytes.end == token.bytes.start;
    }
    names(token)
        && !token.is_tail
        && token.word.chars().any(char::is_alphabetic)
        && token.word.chars().count() > 1
        && !token.raw.contains(['_', '.', '@', ':'])
        && !sentence.foreign.iter().any(|range| range.contains(&token.bytes.start))
        && !sentence.tokens.get(at + 1).is_some_and(|next| next.is_tail && next.word != "'s")
        && !(token.is_capitalised() && is_vocative(sentence, at))
}
