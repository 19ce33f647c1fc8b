//! The nearness of two parts of conversations: based on the words they share and, if a local model provides vectors, on
//! meaning.
//!
//! To a sentence model, all conversation looks alike. The average of ordinary messages is therefore subtracted from the vectors,
//! which are then compared by how they differ from the mean of everything read so far ([`Centre`]). For two topics, the value is
//! the mean over all pairs of their clusters. [`nearness`] is scaled so that the seed's default of 0.7 is the value at which
//! subjects separate.

use crate::topic::rules::{CONTINUES, EVIDENCE_AT, PARTING, TYPICAL_WEIGHT, WORDS_ALONE_AT, WORDS_SHARE};
use std::collections::{BTreeMap, HashMap};

/// Stems and how often they occur.
pub type Terms = BTreeMap<String, f32>;

/// The vector scaled to length one; `None` for a zero vector.
pub(super) fn unit(vector: impl Iterator<Item = f32> + Clone) -> Option<Vec<f32>> {
    let norm = vector.clone().map(|x| x * x).sum::<f32>().sqrt();
    (norm > 0.0).then(|| vector.map(|x| x / norm).collect())
}

/// The running mean of all clusters read so far and of typical conversation (the origin). It depends only on earlier clusters, so
/// later ones do not change earlier results.
#[derive(Debug, Default)]
pub(super) struct Centre {
    sum: Vec<f32>,
    read: f32,
}

impl Centre {
    /// Adds a vector to the mean and returns its difference from the mean, normalized.
    pub(super) fn read(&mut self, vector: &[f32]) -> Option<Vec<f32>> {
        self.sum.resize(vector.len(), 0.0);
        self.sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        self.read += 1.0;
        let weight = TYPICAL_WEIGHT + self.read;
        unit(vector.iter().zip(&self.sum).map(|(x, sum)| x - sum / weight))
    }
}

/// Stem counts. Keys are stem numbers for speed, because the fold compares each cluster with every topic.
pub(super) type Counts = BTreeMap<u32, f32>;

/// Numbers the stems and records how common each is among the clusters read so far and which nodes contain it.
#[derive(Debug, Default)]
pub(super) struct Lexicon<'e> {
    numbers: HashMap<&'e str, u32>,
    words: Vec<&'e str>,
    /// For each stem, the natural logarithm of one plus the number of clusters that contain it.
    commonness: Vec<f32>,
    with: Vec<f32>,
    clusters: f32,
    nodes: Vec<Vec<usize>>,
}

impl<'e> Lexicon<'e> {
    pub(super) fn counts(&mut self, terms: &'e Terms) -> Counts {
        terms.iter().map(|(term, count)| (self.number(term), *count)).collect()
    }

    fn number(&mut self, term: &'e str) -> u32 {
        let next = self.words.len() as u32;
        let number = *self.numbers.entry(term).or_insert(next);
        if number == next {
            self.words.push(term);
            self.commonness.push(0.0);
            self.with.push(0.0);
            self.nodes.push(Vec::new());
        }
        number
    }

    pub(super) fn read(&mut self, cluster: &Counts) {
        self.clusters += 1.0;
        for term in cluster.keys() {
            let at = *term as usize;
            self.with[at] += 1.0;
            self.commonness[at] = (self.with[at] + 1.0).ln();
        }
    }

    /// The weight of a stem; stems found in few clusters weigh more.
    pub(super) fn weight(&self, term: u32) -> f32 {
        ((self.clusters + 2.0).ln() - self.commonness[term as usize]).max(0.05)
    }

    pub(super) fn word(&self, term: u32) -> &'e str {
        self.words[term as usize]
    }

    /// Records that a node contains these stems.
    pub(super) fn stands_in(&mut self, node: usize, terms: &Counts) {
        for term in terms.keys() {
            let nodes = &mut self.nodes[*term as usize];
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
    }

    /// The nodes that contain a stem or used to.
    pub(super) fn nodes_with(&self, term: u32) -> &[usize] {
        &self.nodes[term as usize]
    }

    pub(super) fn length(&self, terms: &Counts) -> f32 {
        terms.iter().map(|(term, n)| (strength(*n) * self.weight(*term)).powi(2)).sum::<f32>().sqrt()
    }

    /// The contribution of one stem to the dot product of two counts.
    pub(super) fn part(&self, term: u32, n: f32, m: f32) -> f32 {
        strength(n) * strength(m) * self.weight(term).powi(2)
    }

    /// The cosine of two counts whose lengths are known. Takes time proportional to the shorter one.
    pub(super) fn shared(&self, a: (&Counts, f32), b: (&Counts, f32)) -> f32 {
        let (few, many) = if a.0.len() <= b.0.len() { (a.0, b.0) } else { (b.0, a.0) };
        let dot: f32 = few.iter().filter_map(|(term, n)| many.get(term).map(|m| self.part(*term, *n, *m))).sum();
        share(dot, a.1, b.1)
    }
}

fn strength(count: f32) -> f32 {
    1.0 + count.max(1.0).ln()
}

/// Converts the dot product of two counts, with lengths `a` and `b`, to a cosine.
pub(super) fn share(dot: f32, a: f32, b: f32) -> f32 {
    let value = dot / (a * b);
    if value.is_finite() { value.min(1.0) } else { 0.0 }
}

/// Nearness from 0 to 1, on the same scale as the seed's threshold. Each further unit of evidence closes the same share of the
/// remaining gap to 1.
pub(super) fn nearness(meaning: Option<f32>, words: f32, continues: bool) -> f32 {
    let more = if continues { CONTINUES } else { 0.0 };
    let share = match meaning {
        Some(meaning) => (meaning + WORDS_SHARE * words + more).max(0.0) / EVIDENCE_AT,
        None => (words + more * WORDS_ALONE_AT / EVIDENCE_AT) / WORDS_ALONE_AT,
    };
    1.0 - (1.0 - PARTING).powf(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_threshold_is_where_the_evidence_parts() {
        let check = |meaning: Option<f32>, words: f32, belongs: bool| {
            let near = nearness(meaning, words, false);
            assert_eq!(near >= 0.7 - 1e-6, belongs, "{meaning:?} and {words} are {near}");
            assert!((0.0..=1.0).contains(&near), "a nearness is a share");
        };
        check(Some(0.45), 0.0, true);
        check(Some(0.25), 0.15, true);
        check(Some(0.22), 0.02, false);
        check(Some(-0.2), 0.0, false);
        check(None, 0.14, true);
        check(None, 0.05, false);
        assert!(nearness(Some(0.25), 0.0, true) > nearness(Some(0.25), 0.0, false), "what goes on is nearer");
    }

    #[test]
    fn what_comes_later_moves_nothing_that_was_read() {
        let vectors = [[0.9, 0.1, 0.2], [0.8, 0.3, 0.1], [0.1, 0.9, 0.4]];
        let read = |count: usize| {
            let mut centre = Centre::default();
            vectors[..count].iter().map(|vector| centre.read(vector)).collect::<Vec<_>>()
        };
        assert_eq!(read(2), read(3)[..2]);
    }
}
