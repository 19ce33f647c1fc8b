//! The extractive summary: two or three sentences from the conversation, chosen to represent the whole.
//!
//! Sentences are scored by centrality as in LexRank (power iteration over tf-idf similarity, refined with embeddings if
//! available), multiplied by the number of content words, the position, and the speaker's role. Maximal marginal relevance then
//! keeps the sentences from repeating each other. The meaning of a sentence is never interpreted. Deliberately not here: writing
//! new sentences, and attribution ("Mara: …"), which the caller that displays the summary adds.

use crate::analysis::rules::{
    CENTRALITY_ROUNDS, CONTENT_WORDS_MIN, DAMPING, QUESTION_WORDS_MIN, RELEVANCE_SHARE, SENTENCES_COMPARED_MAX, SIMILARITY_MIN,
    SUMMARY_SENTENCE_CHARS_MAX, SUMMARY_SENTENCES_MAX, THIRD_SENTENCE_SHARE_MIN, WORDS_MIN,
};
use std::collections::{BTreeMap, HashMap};

use keepsake_domain::{Role, Span};
use serde::{Deserialize, Serialize};

use keepsake_text::{is_instruction, is_unspaced};

use crate::text::{Document, Sentence, Token, stem};

/// One sentence of the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummarySentence {
    /// Index of the sentence's turn.
    pub turn: usize,
    /// Position within that turn.
    pub span: Span,
    /// The words of the span with whitespace normalized; ends with "…" if it was cut.
    pub text: String,
    /// Who said it.
    pub author: String,
    /// The author's role.
    pub role: Role,
}

struct Scored<'a> {
    sentence: &'a Sentence<'a>,
    weight: f32,
    terms: BTreeMap<u32, f32>,
}

/// Chooses the sentences that represent the conversation.
pub(super) fn summarise(document: &Document<'_>, vectors: Option<&[Option<Vec<f32>>]>) -> Vec<SummarySentence> {
    let mut scored = fit_sentences(document, false);
    if scored.len() < 2 {
        // If the conversation consists of questions, the questions summarize it best.
        scored = fit_sentences(document, true);
    }
    if scored.len() > SENTENCES_COMPARED_MAX {
        scored.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(place(a).cmp(&place(b))));
        scored.truncate(SENTENCES_COMPARED_MAX);
        scored.sort_by_key(|entry| place(entry));
    }
    add_terms(&mut scored);
    let similarity = similarities(&scored, vectors);
    let central = centrality(&similarity, scored.len());
    let relevance: Vec<f32> = scored.iter().zip(&central).map(|(entry, central)| entry.weight * (0.35 + central)).collect();
    let mut chosen = choose(&scored, &relevance, &similarity);
    chosen.sort_unstable();
    chosen.into_iter().filter_map(|index| scored.get(index).and_then(|entry| shown(document, entry.sentence))).collect()
}

fn place(entry: &Scored<'_>) -> (usize, usize) {
    (entry.sentence.turn, entry.sentence.bytes.start)
}

fn fit_sentences<'a>(document: &'a Document<'a>, with_questions: bool) -> Vec<Scored<'a>> {
    let last_plain = document.plain.len().saturating_sub(1);
    let mut position = 0;
    let mut found = Vec::new();
    for sentence in &document.sentences {
        while document.plain.get(position).is_some_and(|turn| *turn < sentence.turn) {
            position += 1;
        }
        let weight = weight(sentence, with_questions) * place_weight(position, last_plain);
        if weight > 0.0 {
            found.push(Scored { sentence, weight, terms: BTreeMap::new() });
        }
    }
    found
}

/// Sentences at the beginning (purpose) and at the end (outcome) weigh more.
fn place_weight(position: usize, last: usize) -> f32 {
    match (position, last - position.min(last)) {
        (0, _) => 1.35,
        (1 | 2, _) => 1.15,
        (_, 0 | 1) => 1.2,
        _ => 1.0,
    }
}

fn weight(sentence: &Sentence<'_>, with_questions: bool) -> f32 {
    let words = sentence.words();
    if sentence.is_question && !with_questions || is_instruction(sentence.text) {
        return 0.0;
    }
    let content = content_words(sentence).count();
    // In a script without spaces, a whole clause counts as one word.
    let words_min = if with_questions { QUESTION_WORDS_MIN } else { WORDS_MIN };
    if !is_unspaced(sentence.text) && (words < words_min || content < CONTENT_WORDS_MIN) {
        return 0.0;
    }
    let foreign: usize = sentence.foreign.iter().map(|range| range.len()).sum();
    if foreign * 2 > sentence.bytes.len() || sentence.text.ends_with(':') || sentence.text.contains("http") {
        return 0.0;
    }
    let length = match words {
        0..=6 => 0.75,
        7..=26 => 1.0,
        27..=40 => 0.8,
        _ => 0.5,
    };
    let speaker = match sentence.role {
        Role::Owner => 1.0,
        Role::Person => 0.95,
        _ => 0.45,
    };
    let concrete = match content {
        0..=2 => 0.7,
        3 => 0.9,
        _ => 1.1,
    };
    length * speaker * concrete * names(sentence)
}

/// A factor above 1 for a sentence with names and numbers.
fn names(sentence: &Sentence<'_>) -> f32 {
    let is_name = |token: &&Token<'_>| {
        token.is_word && (token.is_capitalised() && token.raw.len() > 1 || token.raw.chars().all(|c| c.is_ascii_digit()))
    };
    1.0 + 0.08 * sentence.tokens.iter().skip(1).filter(is_name).count().min(3) as f32
}

fn content_words<'a>(sentence: &'a Sentence<'_>) -> impl Iterator<Item = &'a str> {
    sentence
        .tokens
        .iter()
        .filter(|token| token.is_word && token.word.chars().count() > 2 && !sentence.language.is_stop_word(&token.word))
        .map(|t| t.word.as_str())
}

fn add_terms(scored: &mut [Scored<'_>]) {
    let mut ids: HashMap<String, u32> = HashMap::new();
    let mut frequency: HashMap<u32, f32> = HashMap::new();
    for entry in scored.iter_mut() {
        for word in content_words(entry.sentence) {
            let next = ids.len() as u32;
            *entry.terms.entry(*ids.entry(stem(word)).or_insert(next)).or_default() += 1.0;
        }
        entry.terms.keys().for_each(|id| *frequency.entry(*id).or_default() += 1.0);
    }
    let n = scored.len() as f32;
    for entry in scored.iter_mut() {
        for (id, weight) in &mut entry.terms {
            *weight *= ((n + 1.0) / (1.0 + frequency.get(id).copied().unwrap_or(0.0))).ln() + 0.3;
        }
        let norm = entry.terms.values().map(|w| w * w).sum::<f32>().sqrt();
        if norm > 0.0 {
            entry.terms.values_mut().for_each(|w| *w /= norm);
        }
    }
}

/// The pairwise similarity matrix, row by row.
fn similarities(scored: &[Scored<'_>], vectors: Option<&[Option<Vec<f32>>]>) -> Vec<f32> {
    let n = scored.len();
    let mut matrix = vec![0.0; n * n];
    for (i, a) in scored.iter().enumerate() {
        for (j, b) in scored.iter().enumerate().skip(i + 1) {
            let (few, many) = if a.terms.len() <= b.terms.len() { (&a.terms, &b.terms) } else { (&b.terms, &a.terms) };
            let lexical: f32 = few.iter().filter_map(|(id, w)| many.get(id).map(|other| w * other)).sum();
            let meant = vectors.and_then(|v| cosine(v.get(a.sentence.turn)?.as_deref()?, v.get(b.sentence.turn)?.as_deref()?));
            // Vectors represent whole turns, so they cannot compare two sentences of the same turn.
            let value = match meant.filter(|_| a.sentence.turn != b.sentence.turn) {
                Some(meant) => 0.6 * lexical + 0.4 * meant.max(0.0) * 0.5,
                None => lexical,
            };
            let value = if value >= SIMILARITY_MIN { value } else { 0.0 };
            matrix[i * n + j] = value;
            matrix[j * n + i] = value;
        }
    }
    matrix
}

fn cosine(a: &[f32], b: &[f32]) -> Option<f32> {
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let value = dot / (norm(a) * norm(b));
    (a.len() == b.len() && value.is_finite()).then_some(value)
}

/// The centrality of each sentence, scaled so that the highest is 1.
fn centrality(similarity: &[f32], n: usize) -> Vec<f32> {
    if n == 0 {
        return Vec::new();
    }
    let sums: Vec<f32> = similarity.chunks(n).map(|row| row.iter().sum()).collect();
    let mut rank = vec![1.0 / n as f32; n];
    for _ in 0..CENTRALITY_ROUNDS {
        let mut next = vec![(1.0 - DAMPING) / n as f32; n];
        for (i, row) in similarity.chunks(n).enumerate() {
            let Some(share) = sums.get(i).filter(|sum| **sum > 0.0).map(|sum| DAMPING * rank[i] / sum) else { continue };
            next.iter_mut().zip(row).for_each(|(value, similar)| *value += share * similar);
        }
        rank = next;
    }
    let best = rank.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    rank.into_iter().map(|value| value / best).collect()
}

fn choose(scored: &[Scored<'_>], relevance: &[f32], similarity: &[f32]) -> Vec<usize> {
    let n = scored.len();
    let best = relevance.iter().copied().fold(0.0, f32::max);
    if best <= 0.0 {
        return Vec::new();
    }
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < SUMMARY_SENTENCES_MAX.min(n) {
        let gain = |i: usize| {
            let repeats = chosen.iter().map(|c| similarity[i * n + c]).fold(0.0, f32::max);
            let same_turn = chosen.iter().any(|c| scored[*c].sentence.turn == scored[i].sentence.turn);
            let assistant_again =
                scored[i].sentence.role == Role::Assistant && chosen.iter().any(|c| scored[*c].sentence.role == Role::Assistant);
            let spread = if same_turn { 0.75 } else { 1.0 } * if assistant_again { 0.4 } else { 1.0 };
            RELEVANCE_SHARE * spread * relevance[i] / best - (1.0 - RELEVANCE_SHARE) * repeats
        };
        let next = (0..n).filter(|i| !chosen.contains(i)).map(|i| (i, gain(i))).fold(
            None,
            |top: Option<(usize, f32)>, (i, g)| match top {
                Some((_, known)) if known >= g => top,
                _ => Some((i, g)),
            },
        );
        let Some((next, _)) = next else { break };
        if chosen.len() >= 2 && relevance[next] < best * THIRD_SENTENCE_SHARE_MIN {
            break;
        }
        chosen.push(next);
    }
    chosen
}

/// The sentence as displayed, cut at the length limit.
fn shown(document: &Document<'_>, sentence: &Sentence<'_>) -> Option<SummarySentence> {
    let turn = document.turns.get(sentence.turn)?;
    let whole = turn.text.get(sentence.bytes.clone())?;
    let (kept, is_cut) = within(whole);
    let span = document.span(sentence.turn, sentence.bytes.start..sentence.bytes.start + kept.len())?;
    let mut text = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    if is_cut {
        text.push('…');
    }
    Some(SummarySentence { turn: sentence.turn, span, text, author: turn.author.to_owned(), role: turn.role })
}

/// The start of `text` that fits the limit, cut at a clause or at least at a word, and whether it was cut.
fn within(text: &str) -> (&str, bool) {
    let Some((limit, _)) = text.char_indices().nth(SUMMARY_SENTENCE_CHARS_MAX) else { return (text, false) };
    let head = text.get(..limit).unwrap_or(text);
    let clause = head.rfind([',', ';', '–', '—']).filter(|at| *at * 2 > limit);
    let end = clause.or_else(|| head.rfind(char::is_whitespace)).unwrap_or(limit);
    (head.get(..end).unwrap_or(head).trim_end(), true)
}
