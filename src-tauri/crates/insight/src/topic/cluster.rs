//! Groups the messages of a batch by subject.
//!
//! People stay on one subject for a while, so a cluster is a contiguous stretch of a batch. It is either the whole batch, or
//! one of the parts before and after the place where the subject changes most, if the change is clear. Messages are not
//! compared one by one: "yes, at six" has no subject of its own, and in tests on the development life (a made-up history,
//! decision 42), clusters of single messages broke up every subject.

use crate::topic::rules::{EMBEDDED_CHARS_MAX, PART_MESSAGES_MIN, PARTS_BELOW, WORDS_COUNTED_MAX};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::nearness::{Terms, unit};
use super::terms::{stems, tells};
use super::{Batch, TopicRules};
use crate::Turn;
use crate::text::Document;

/// Returns a vector for each text, with the average of all conversation already subtracted; `None` if no model is ready.
pub type Embed<'e> = dyn Fn(&[&str]) -> Option<Vec<Vec<f32>>> + 'e;

/// Messages of one batch on one subject. Turns are identified by their ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// New messages, in order.
    pub messages: Vec<String>,
    /// Messages before the batch that this cluster continues.
    pub context: Vec<String>,
    /// The number of new messages that are meaningful by themselves.
    pub carriers: u32,
    /// The number of content words in the new messages.
    pub content_words: u32,
    /// The stems of the content words.
    pub terms: Terms,
    /// The mean vector of the messages, weighted toward longer ones; not normalized. Not serialized, because vectors are stored
    /// separately.
    #[serde(skip)]
    pub vector: Option<Vec<f32>>,
}

/// A message in the form that clustering needs.
struct Said {
    turn: usize,
    weight: f32,
    stems: Vec<String>,
}

/// The clusters of a batch of `turns`. Every new plain message is in exactly one of them.
pub fn clusters(turns: &[Turn<'_>], batch: &Batch, rules: &TopicRules, embed: &Embed<'_>) -> Vec<Cluster> {
    debug_assert!(rules.check().is_ok(), "rules are checked where they are chosen");
    let Some(read) = turns.get(batch.context.start..batch.fresh.end) else { return Vec::new() };
    let first_fresh = batch.fresh.start - batch.context.start;
    let document = Document::read(read);
    let fresh = (first_fresh..read.len()).filter(|turn| read[*turn].is_plain());
    let (said, texts): (Vec<Said>, Vec<String>) = fresh.map(|turn| spoken(&document, turn)).unzip();
    if said.is_empty() {
        return Vec::new();
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embed(&texts).filter(|vectors| vectors.len() == texts.len());
    let sums = vectors.map(|vectors| sums(&said, &vectors));
    let whole = 0..said.len();
    let stretches = sums.as_ref().map_or_else(|| std::iter::once(whole.clone()).collect(), |sums| parts(sums, whole.clone()));
    let id_of = |turn: usize| read[turn].id.to_owned();
    let cluster = |stretch: Range<usize>| {
        let part = &said[stretch.clone()];
        let mut terms = Terms::new();
        for stem in part.iter().flat_map(|said| &said.stems) {
            *terms.entry(stem.clone()).or_default() += 1.0;
        }
        Cluster {
            messages: part.iter().map(|said| id_of(said.turn)).collect(),
            // Only the first part continues the earlier messages.
            context: if stretch.start == 0 { (0..first_fresh).map(id_of).collect() } else { Vec::new() },
            carriers: part.iter().filter(|said| tells(&said.stems)).count() as u32,
            content_words: terms.values().sum::<f32>() as u32,
            vector: sums.as_ref().and_then(|sums| mean(sums, &stretch)),
            terms,
        }
    };
    stretches.into_iter().map(cluster).collect()
}

/// The speaker's own words in a turn, without quotations and code.
fn spoken(document: &Document<'_>, turn: usize) -> (Said, String) {
    let range = document.of_turn.get(turn).cloned().unwrap_or(0..0);
    let sentences = document.sentences.get(range).unwrap_or(&[]);
    let mut text = String::new();
    for sentence in sentences {
        if text.len() > EMBEDDED_CHARS_MAX {
            break;
        }
        text.push_str(sentence.text);
        text.push(' ');
    }
    let words: usize = sentences.iter().map(|sentence| sentence.words()).sum();
    (Said { turn, weight: (words.min(WORDS_COUNTED_MAX) as f32).sqrt(), stems: stems(document, turn) }, text)
}

/// Prefix sums of the weighted vectors: the sum over no messages, over the first, over the first two, and so on. The last
/// element of each vector is the sum of the weights.
fn sums(said: &[Said], vectors: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let size = vectors.first().map_or(0, Vec::len);
    let mut sum = vec![0.0; size + 1];
    let mut found = vec![sum.clone()];
    for (said, vector) in said.iter().zip(vectors) {
        sum.iter_mut().zip(vector.iter().chain([&1.0])).for_each(|(sum, x)| *sum += said.weight * x);
        found.push(sum.clone());
    }
    found
}

/// The mean vector of a stretch; `None` if it contains no words.
fn mean(sums: &[Vec<f32>], stretch: &Range<usize>) -> Option<Vec<f32>> {
    let mut found: Vec<f32> = sums[stretch.end].iter().zip(&sums[stretch.start]).map(|(end, start)| end - start).collect();
    let weight = found.pop().filter(|weight| *weight > 0.0)?;
    found.iter_mut().for_each(|x| *x /= weight);
    Some(found)
}

/// Cuts a stretch where its two sides are least alike, if they are on different subjects, and then cuts each side in the same
/// way.
fn parts(sums: &[Vec<f32>], stretch: Range<usize>) -> Vec<Range<usize>> {
    let own = |part: Range<usize>| unit(mean(sums, &part)?.into_iter());
    let alike = |at: usize| {
        let (before, after) = (own(stretch.start..at)?, own(at..stretch.end)?);
        Some((before.iter().zip(&after).map(|(a, b)| a * b).sum::<f32>(), at))
    };
    let places = (stretch.start + PART_MESSAGES_MIN)..(stretch.end + 1).saturating_sub(PART_MESSAGES_MIN);
    match places.filter_map(alike).min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((least, at)) if least < PARTS_BELOW => [parts(sums, stretch.start..at), parts(sums, at..stretch.end)].concat(),
        _ => vec![stretch],
    }
}

#[cfg(test)]
mod tests {
    use keepsake_domain::{MessageType, Role, Timestamp};

    use super::*;

    /// Checks the clusters of a batch with one message per character: each letter is a subject, and a dot is a message without
    /// content. The clusters are compared as strings of these characters.
    fn check(subjects: &str, expect: &[&str]) {
        let texts: Vec<String> = subjects
            .chars()
            .map(|c| if c == '.' { "ok".to_owned() } else { format!("{c} said of it at length by somebody") })
            .collect();
        let ids: Vec<String> = (0..texts.len()).map(|at| at.to_string()).collect();
        let turn = |(id, text): (&'_ String, &'_ String)| -> (String, String) { (id.clone(), text.clone()) };
        let owned: Vec<(String, String)> = ids.iter().zip(&texts).map(turn).collect();
        let turns: Vec<Turn<'_>> = owned
            .iter()
            .map(|(id, text)| Turn {
                id,
                role: Role::Person,
                author: "Ana",
                text,
                time: Timestamp(1),
                message_type: MessageType::Text,
                is_branch: false,
            })
            .collect();
        let vector = |text: &&str| match text.chars().next() {
            Some('a') => vec![1.0, 0.0],
            Some('b') => vec![0.0, 1.0],
            _ => vec![0.0, 0.0],
        };
        let embed = |texts: &[&str]| Some(texts.iter().map(vector).collect());
        let batch = Batch { context: 0..0, fresh: 0..turns.len(), closes: Timestamp(2) };
        let letter = |id: &String| subjects.chars().nth(id.parse().unwrap()).unwrap();
        let found: Vec<String> = clusters(&turns, &batch, &TopicRules::default(), &embed)
            .iter()
            .map(|cluster| cluster.messages.iter().map(letter).collect())
            .collect();
        assert_eq!(found, expect, "{subjects}");
    }

    #[test]
    fn a_batch_is_cut_where_the_subject_changes_clearly_and_an_aside_cuts_nothing() {
        check("aaaaaaaa", &["aaaaaaaa"]);
        check("aaaaabbbbb", &["aaaaa", "bbbbb"]);
        check("a.aa.abb.bbb", &["a.aa.a", "bb.bbb"]);
        check("aaaabbaaaa", &["aaaabbaaaa"]);
        check("aab", &["aab"]);
        check("aaaabbbbaaaa", &["aaaabbbbaaaa"]);
    }

    #[test]
    fn without_vectors_a_batch_is_one_cluster() {
        let turns: [Turn<'_>; 0] = [];
        let batch = Batch { context: 0..0, fresh: 0..0, closes: Timestamp(2) };
        assert!(clusters(&turns, &batch, &TopicRules::default(), &|_| None).is_empty(), "of nothing there is none");
    }
}
