//! Which messages of a batch are about one subject.
//!
//! Messages that carry a subject are joined from the nearest pair on, by shared words, by meaning where there are vectors, and because
//! an answer follows its question. What stands beside them and carries nothing goes with them.

use serde::{Deserialize, Serialize};

use super::nearness::{Commonness, Terms, cosine, length, shared_words};
use super::weight::{Weight, stems, weigh};
use super::{Batch, TopicRules};
use crate::Turn;
use crate::text::Document;

/// Gives a vector to each text, or nothing where no model is ready.
pub type Embed<'e> = dyn Fn(&[&str]) -> Option<Vec<Vec<f32>>> + 'e;

/// Messages of one batch on one subject. Turns are named by their ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// New messages, in order.
    pub messages: Vec<String>,
    /// Messages of the batch before that it goes on from.
    pub context: Vec<String>,
    /// How many of its new messages carry the subject.
    pub carriers: u32,
    /// Words of content in them.
    pub content_words: u32,
    /// Stems of content in them.
    pub terms: Terms,
    /// The mean over its messages, its length one. Kept apart from the rest, as vectors are.
    #[serde(skip)]
    pub vector: Option<Vec<f32>>,
}

/// A message is embedded up to here: the local model reads some 250 words.
const EMBEDDED_CHARS_MAX: usize = 1_200;

/// Two groups are joined from this similarity on.
const JOIN_MIN: f32 = 0.28;

/// Meaning counts from here: two turns of one conversation are always a little alike.
const MEANING_FROM: f32 = 0.12;

/// What standing one, two or three messages apart adds: talk stays on its subject unless something shows that it left.
const BESIDE: [f32; 3] = [0.24, 0.15, 0.08];

/// What an answer to a question adds.
const ANSWERS: f32 = 0.10;

/// A pause longer than this parts what stands beside each other.
const PAUSE_MS: i64 = 45 * 60_000;

/// A message without a subject goes with one that is no further away than this.
const FOLLOWS_WITHIN: usize = 2;

struct Carrier {
    turn: usize,
    terms: Terms,
    length: f32,
    vector: Option<Vec<f32>>,
    asks: bool,
}

/// The clusters of a batch of `turns`. Every new message is in one of them at most.
pub fn clusters(turns: &[Turn<'_>], batch: &Batch, rules: &TopicRules, embed: &Embed<'_>) -> Vec<Cluster> {
    debug_assert!(rules.check().is_ok(), "rules are checked where they are chosen");
    let Some(read) = turns.get(batch.context.start..batch.fresh.end) else { return Vec::new() };
    let first_fresh = batch.fresh.start - batch.context.start;
    let document = Document::read(read);
    let weights: Vec<(Weight, Vec<String>)> = (0..read.len())
        .map(|index| {
            let found = stems(&document, index);
            (weigh(&document, index, &found), found)
        })
        .collect();
    let mut carriers = carriers(&document, &weights, embed);
    let mut commonness = Commonness::default();
    carriers.iter().for_each(|carrier| commonness.add(&carrier.terms));
    carriers.iter_mut().for_each(|carrier| carrier.length = length(&carrier.terms, &commonness));
    let groups = join(read, &carriers, &commonness);
    let mut of_turn: Vec<Option<usize>> = vec![None; read.len()];
    for (group, members) in groups.iter().enumerate() {
        for member in members {
            of_turn[carriers[*member].turn] = Some(group);
        }
    }
    let followers = follow(read, &of_turn);
    let mut found = Vec::new();
    for (group, members) in groups.iter().enumerate() {
        let fresh: Vec<&Carrier> = members.iter().map(|at| &carriers[*at]).filter(|c| c.turn >= first_fresh).collect();
        if fresh.is_empty() {
            continue;
        }
        let mut terms = Terms::new();
        for (term, count) in fresh.iter().flat_map(|carrier| &carrier.terms) {
            *terms.entry(term.clone()).or_default() += count;
        }
        let id_of = |turn: usize| read[turn].id.to_owned();
        found.push(Cluster {
            messages: (first_fresh..read.len()).filter(|turn| followers[*turn] == Some(group)).map(id_of).collect(),
            context: (0..first_fresh).filter(|turn| of_turn[*turn] == Some(group)).map(id_of).collect(),
            carriers: fresh.len() as u32,
            content_words: fresh.iter().map(|carrier| carrier.terms.values().sum::<f32>() as u32).sum(),
            vector: mean(fresh.iter().map(|carrier| carrier.vector.as_deref())),
            terms,
        });
    }
    found.sort_by_key(|cluster| order(read, &cluster.messages));
    found
}

fn order(read: &[Turn<'_>], messages: &[String]) -> usize {
    messages.first().and_then(|id| read.iter().position(|turn| turn.id == id)).unwrap_or(usize::MAX)
}

fn carriers(document: &Document<'_>, weights: &[(Weight, Vec<String>)], embed: &Embed<'_>) -> Vec<Carrier> {
    let turns: Vec<usize> = (0..weights.len()).filter(|index| weights[*index].0 == Weight::Carries).collect();
    let texts: Vec<String> = turns.iter().map(|index| spoken(document, *index)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = if texts.is_empty() { None } else { embed(&texts).filter(|vectors| vectors.len() == texts.len()) };
    let mut vectors = vectors.map_or_else(|| vec![None; texts.len()], |all| all.into_iter().map(Some).collect()).into_iter();
    turns
        .into_iter()
        .map(|turn| {
            let mut terms = Terms::new();
            for term in &weights[turn].1 {
                *terms.entry(term.clone()).or_default() += 1.0;
            }
            let range = document.of_turn.get(turn).cloned().unwrap_or(0..0);
            let asks = document.sentences.get(range).and_then(<[_]>::last).is_some_and(|sentence| sentence.is_question);
            Carrier { turn, terms, length: 0.0, vector: vectors.next().flatten(), asks }
        })
        .collect()
}

/// What somebody said themselves in a turn: no quotations, no code.
fn spoken(document: &Document<'_>, index: usize) -> String {
    let range = document.of_turn.get(index).cloned().unwrap_or(0..0);
    let mut text = String::new();
    for sentence in document.sentences.get(range).into_iter().flatten() {
        if text.len() > EMBEDDED_CHARS_MAX {
            break;
        }
        text.push_str(sentence.text);
        text.push(' ');
    }
    text
}

/// Groups of carriers, joined from the nearest pair of groups on (average linkage).
fn join(read: &[Turn<'_>], carriers: &[Carrier], commonness: &Commonness) -> Vec<Vec<usize>> {
    let similarity: Vec<Vec<f32>> =
        carriers.iter().map(|a| carriers.iter().map(|b| alike(read, a, b, commonness)).collect()).collect();
    let mut groups: Vec<Vec<usize>> = (0..carriers.len()).map(|index| vec![index]).collect();
    loop {
        let mut best: Option<(f32, usize, usize)> = None;
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                let pairs = groups[a].iter().flat_map(|i| groups[b].iter().map(|j| similarity[*i][*j]));
                // The mean holds groups together; the best pair lets a chain of question and answer go on.
                let (sum, most) = pairs.fold((0.0_f32, 0.0_f32), |(sum, most), value| (sum + value, most.max(value)));
                let link = 0.5 * sum / (groups[a].len() * groups[b].len()) as f32 + 0.5 * most;
                if link >= JOIN_MIN && best.is_none_or(|(known, ..)| link > known) {
                    best = Some((link, a, b));
                }
            }
        }
        let Some((_, a, b)) = best else { return groups };
        let joined = groups.remove(b);
        groups[a].extend(joined);
        groups[a].sort_unstable();
    }
}

fn alike(read: &[Turn<'_>], a: &Carrier, b: &Carrier, commonness: &Commonness) -> f32 {
    let (first, second) = if a.turn <= b.turn { (a, b) } else { (b, a) };
    let words = shared_words((&a.terms, a.length), (&b.terms, b.length), commonness);
    let meaning = match (&a.vector, &b.vector) {
        (Some(a), Some(b)) => cosine(a, b).map(|value| (value - MEANING_FROM).max(0.0)),
        _ => None,
    };
    let own = match meaning {
        Some(meaning) => 1.1 * meaning + 0.6 * words,
        None => 1.6 * words,
    };
    let distance = second.turn - first.turn;
    let is_pause = read[second.turn].time.0 - read[first.turn].time.0 > PAUSE_MS;
    if distance == 0 || is_pause {
        return own;
    }
    let beside = BESIDE.get(distance - 1).copied().unwrap_or(0.0);
    let answers = distance == 1 && first.asks && read[first.turn].author != read[second.turn].author;
    own + beside + if answers { ANSWERS } else { 0.0 }
}

/// For each turn the group that it goes with: its own, or that of the nearest turn that has one, the earlier first. Small talk and
/// arrangements count for the subject that they stand beside, and make none.
fn follow(read: &[Turn<'_>], of_turn: &[Option<usize>]) -> Vec<Option<usize>> {
    (0..read.len())
        .map(|turn| {
            if of_turn[turn].is_some() {
                return of_turn[turn];
            }
            if !read[turn].is_plain() {
                return None;
            }
            (1..=FOLLOWS_WITHIN).find_map(|away| {
                let near = |other: Option<usize>| {
                    let other = other.filter(|other| *other < read.len())?;
                    ((read[turn].time.0 - read[other].time.0).abs() <= PAUSE_MS).then(|| of_turn[other]).flatten()
                };
                near(turn.checked_sub(away)).or_else(|| if away == 1 { near(Some(turn + 1)) } else { None })
            })
        })
        .collect()
}

/// The mean of vectors, its length one; nothing where one is missing.
pub(super) fn mean<'v>(vectors: impl Iterator<Item = Option<&'v [f32]>>) -> Option<Vec<f32>> {
    let mut sum: Vec<f32> = Vec::new();
    for vector in vectors {
        let vector = vector?;
        if sum.is_empty() {
            sum = vec![0.0; vector.len()];
        }
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
    }
    let norm = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    (norm > 0.0).then(|| sum.into_iter().map(|x| x / norm).collect())
}
