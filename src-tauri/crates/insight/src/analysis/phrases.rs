//! Themes and key topics: noun phrases ranked by how far they run through the conversation.
//!
//! In the family of RAKE and YAKE: candidates are runs of content words between small words; they score by frequency,
//! spread over turns and position. There is no tagger, so a phrase counts only where its surroundings show a noun
//! (a determiner or preposition before it, or a capital inside a sentence).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::Role;

use crate::text::{
    Document, Language, Sentence, Token, is_determiner, is_pronoun, is_stop_word, is_vague_noun, is_verb_form, stem,
};

/// More than five themes are a list and no gist.
pub const THEMES_MAX: usize = 5;

/// More than eight topics are an index.
pub const TOPICS_MAX: usize = 8;

/// Longer runs are fragments of sentences.
const PHRASE_WORDS_MAX: usize = 3;

/// No more distinct phrases than this are ranked; the most frequent stay.
const PHRASES_RANKED_MAX: usize = 400;

/// What an assistant says names a topic less than what people say.
const ASSISTANT_WEIGHT: f32 = 0.35;

/// A longer phrase takes in a shorter one inside it from this share of the shorter one's occurrences.
const ABSORB_SHARE_MIN: f32 = 0.34;

/// Themes and key topics as the text writes them.
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
    weight: f32,
    count: usize,
    shown_noun: usize,
    inner_capitals: usize,
    words: usize,
    first: usize,
    by_person: bool,
}

/// Ranks the phrases of `document`.
pub(super) fn rank(document: &Document<'_>) -> Phrases {
    choose(&tallied(document), document.plain.len())
}

/// A phrase with how much it says about the document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankedPhrase {
    /// The form that the text uses most.
    pub(crate) text: String,
    /// Its words' stems.
    pub(crate) stems: Vec<String>,
    /// How strong it is; comparable within one document.
    pub(crate) score: f32,
    /// In how many turns it stands.
    pub(crate) turns: usize,
}

/// The phrases of `document`, the strongest first.
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
            // Calling each other by name is not a topic.
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
            tally.shown_noun += usize::from(phrase.shown_noun);
            tally.inner_capitals += usize::from(phrase.inner_capital);
            tally.by_person |= sentence.role != Role::Assistant;
        }
    }
    let mut scored: Vec<(Vec<String>, f32, Tally)> = tallies
        .into_iter()
        .filter(|(_, tally)| is_noun_phrase(tally))
        .map(|(key, tally)| (key, score(&tally, document.sentences.len()), tally))
        .collect();
    sort(&mut scored);
    scored.truncate(PHRASES_RANKED_MAX);
    without_overlap(scored)
}

/// A single word must show itself a noun most of the time; a longer phrase once.
fn is_noun_phrase(tally: &Tally) -> bool {
    let shown = tally.shown_noun.max(tally.inner_capitals);
    if tally.words == 1 { shown * 2 >= tally.count && (tally.by_person || tally.count > 1) } else { shown > 0 }
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
    let told = if tally.by_person { 1.0 } else { 0.5 };
    // A noun that stands once without a capital is a mention and no topic.
    let once = if tally.count == 1 && tally.words == 1 && tally.inner_capitals == 0 { 0.45 } else { 1.0 };
    (tally.weight.sqrt() * 0.6 + (1.0 + spread).ln() * tally.weight.min(1.0)) * early * length * proper * told * once
}

/// Drops phrases that are contained in a better one, or contain a much better one.
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
            // A short one that also stands alone often is the topic; else the long one says it better.
            let all = (long_tally.count + short_tally.count) as f32;
            let share = long_tally.count as f32 / all;
            absorbed.insert(if share >= ABSORB_SHARE_MIN { short } else { long });
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

/// Themes are the phrases that run through the conversation; topics are those and the concrete names beside them.
fn choose(kept: &[(Vec<String>, f32, Tally)], plain_turns: usize) -> Phrases {
    let runs_through = |tally: &Tally| tally.turns.len() >= 2 || plain_turns <= 2;
    let themes: Vec<&(Vec<String>, f32, Tally)> = {
        let mut themes: Vec<_> = kept.iter().filter(|(_, _, tally)| runs_through(tally)).take(THEMES_MAX).collect();
        let more = kept.iter().filter(|(_, _, tally)| !runs_through(tally) && tally.words > 1 && tally.by_person);
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

/// The form the text uses most; of equal ones the one with fewer capitals, then the shorter.
fn shown(tally: &Tally) -> String {
    let capitals = |form: &str| form.chars().filter(|c| c.is_uppercase()).count();
    let mut forms: Vec<(&String, &usize)> = tally.forms.iter().collect();
    forms.sort_by(|a, b| b.1.cmp(a.1).then(capitals(a.0).cmp(&capitals(b.0))).then(a.0.len().cmp(&b.0.len())).then(a.0.cmp(b.0)));
    forms.first().map(|(form, _)| (*form).clone()).unwrap_or_default()
}

struct Phrase {
    words: Vec<String>,
    text: String,
    shown_noun: bool,
    inner_capital: bool,
}

fn phrases_of(sentence: &Sentence<'_>) -> Vec<Phrase> {
    let mut found = Vec::new();
    let tokens = &sentence.tokens;
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
        // "trip to Lisbon", "viaje a Lisboa": a noun, one small word, a name.
        let links = tokens
            .get(end)
            .is_some_and(|token| matches!(token.word.as_str(), "to" | "of" | "in" | "a" | "nach" | "à" | "de" | "para"));
        let mut joined = None;
        let named = tokens.get(end + 1).is_some_and(|token| token.is_capitalised() && token.raw.len() > 2)
            && is_content(sentence, end + 1);
        if links && named && end - at == 1 && !tokens[at].is_capitalised() && shows_noun(sentence, at) {
            joined = phrase(sentence, at, end + 2);
        }
        match joined {
            Some(joined) => {
                found.push(joined);
                end += 2;
            }
            None => found.extend(run(sentence, at, end)),
        }
        at = end;
    }
    found
}

/// A run of content words as a phrase; the last words where it is too long.
fn run(sentence: &Sentence<'_>, mut start: usize, mut end: usize) -> Option<Phrase> {
    let tokens = &sentence.tokens;
    let weak = |at: usize| tokens.get(at).is_some_and(|token| is_vague_noun(&token.word) || token.word.ends_with("ly"));
    let whole = end;
    while start < end && weak(end - 1) {
        end -= 1;
    }
    while start < end && weak(start) {
        start += 1;
    }
    let proper = |at: usize| tokens.get(at).is_some_and(Token::is_capitalised);
    if end > start + PHRASE_WORDS_MAX {
        if (start..end).all(proper) {
            return None;
        }
        start = end - PHRASE_WORDS_MAX;
    }
    // "a tough time" leaves "tough", which is no noun.
    let found = (start < end).then(|| phrase(sentence, start, end)).flatten()?;
    (end == whole || found.inner_capital).then_some(found)
}

fn phrase(sentence: &Sentence<'_>, start: usize, end: usize) -> Option<Phrase> {
    let tokens = sentence.tokens.get(start..end)?;
    let (first, last) = (tokens.first()?, tokens.last()?);
    let offset = sentence.bytes.start;
    let raw = sentence.text.get(first.bytes.start.checked_sub(offset)?..last.bytes.end.checked_sub(offset)?)?;
    let letters = raw.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 3 && !raw.chars().all(char::is_uppercase) {
        return None;
    }
    // A shout has capitals everywhere; they say nothing.
    let shouted = sentence.text.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let inner_capital = !shouted && start > 0 && first.is_capitalised() && !sentence.tokens[start - 1].is_break();
    let german_noun = sentence.language != Language::German || last.is_capitalised();
    let mut text = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    if start == 0
        && sentence.language != Language::German
        && !tokens.iter().skip(1).any(Token::is_capitalised)
        && !raw.chars().skip(1).any(char::is_uppercase)
        && tokens.len() > 1
    {
        text = lower_first(&text);
    }
    let words = tokens.iter().filter(|token| token.is_word).map(|token| token.word.clone()).collect();
    Some(Phrase {
        words,
        text,
        shown_noun: shows_noun(sentence, start) && german_noun,
        inner_capital: inner_capital && german_noun,
    })
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Whether what stands before the word at `at` makes it a noun.
fn shows_noun(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|at| sentence.tokens.get(at)) else { return false };
    if is_determiner(&before.word) || before.word == "'s" {
        return true;
    }
    // "to the new kitchen": an adjective of the small-word list may stand between.
    let further = at.checked_sub(2).and_then(|at| sentence.tokens.get(at));
    further.is_some_and(|further| {
        is_determiner(&further.word) && is_stop_word(&before.word) && !is_pronoun(&before.word) && before.is_word
    })
}

/// Only a space or a hyphen between them.
fn adjacent(a: &Token<'_>, b: &Token<'_>) -> bool {
    b.bytes.start.saturating_sub(a.bytes.end) <= 1 && !a.is_break() && !b.is_break()
}

/// "Thanks, Jon!", "Jon, look": somebody is addressed.
fn is_vocative(sentence: &Sentence<'_>, at: usize) -> bool {
    let tokens = &sentence.tokens;
    let ends = tokens.iter().skip(at + 1).all(|token| !token.is_word);
    let after_comma = at > 0 && tokens[at - 1].raw == ",";
    let greeted = at == 1
        && matches!(
            tokens[0].word.as_str(),
            "hi" | "hey" | "hello" | "thanks" | "hola" | "hallo" | "bonjour" | "salut" | "olá" | "dear"
        );
    let leads = at == 0 && tokens.get(1).is_some_and(|next| next.raw == ",");
    after_comma && ends || greeted || leads
}

fn is_content(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    if token.raw == "-" {
        let inner =
            |at: Option<usize>| at.and_then(|at| sentence.tokens.get(at)).is_some_and(|t| t.is_word && !is_stop_word(&t.word));
        return inner(at.checked_sub(1))
            && inner(Some(at + 1))
            && at > 0
            && sentence.tokens[at - 1].bytes.end == token.bytes.start;
    }
    if !token.is_word || token.is_tail || !token.word.chars().any(char::is_alphabetic) || token.word.chars().count() < 2 {
        return false;
    }
    if is_stop_word(&token.word)
        || sentence.foreign.iter().any(|range| range.contains(&token.bytes.start))
        || token.raw.contains(['_', '.', '@', ':'])
    {
        return false;
    }
    if sentence.tokens.get(at + 1).is_some_and(|next| next.is_tail && next.word != "'s") {
        return false;
    }
    let previous = at.checked_sub(1).and_then(|at| sentence.tokens.get(at));
    if token.is_capitalised() && is_vocative(sentence, at) {
        return false;
    }
    match sentence.language {
        Language::English => {
            let inner_capital = token.is_capitalised() && at > 0;
            if inner_capital {
                return true;
            }
            let verbal_place = previous.is_some_and(|p| {
                is_pronoun(&p.word)
                    || matches!(
                        p.word.as_str(),
                        "to" | "will"
                            | "can"
                            | "could"
                            | "would"
                            | "should"
                            | "not"
                            | "let's"
                            | "who"
                            | "please"
                            | "might"
                            | "must"
                            | "may"
                    )
            });
            let names_deed = token.word.ends_with("ing")
                && previous.is_some_and(|p| {
                    is_pronoun(&p.word)
                        || matches!(
                            p.word.as_str(),
                            "am" | "is"
                                | "are"
                                | "was"
                                | "were"
                                | "been"
                                | "be"
                                | "keep"
                                | "start"
                                | "started"
                                | "of"
                                | "by"
                                | "for"
                                | "about"
                                | "with"
                                | "without"
                                | "after"
                                | "before"
                                | "while"
                                | "when"
                        )
                })
                && !sentence.tokens.get(at + 1).is_some_and(|next| next.is_break());
            let past = token.word.ends_with("ed") && token.word.len() > 4;
            let adverb = token.word.ends_with("ly")
                && token.word.len() > 4
                && !matches!(token.word.as_str(), "family" | "italy" | "supply" | "assembly" | "anomaly" | "monopoly");
            !verbal_place && !names_deed && !past && !adverb && !is_verb_form(&token.word)
        }
        // German writes its nouns with a capital; the other three show them by what stands before.
        Language::German => token.is_capitalised() && (at > 0 || token.word.len() > 4),
        _ => previous.is_some_and(|p| is_determiner(&p.word)) || token.is_capitalised() && at > 0,
    }
}
