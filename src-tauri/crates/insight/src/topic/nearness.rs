//! How near two pieces of conversation are: by meaning where a local model gives vectors, and by the words that they share.
//!
//! All talk is alike to a model of sentences, so vectors come less what is typical of ordinary messages, and are compared by how they
//! differ from the mean of what was read so far as well ([`Centre`]). What is compared is the mean over
//! all pairs of clusters of two topics. [`nearness`] is scaled so that the seed's default of 0.7 is where subjects part.

use std::collections::{BTreeMap, HashMap};

/// Stems and how often they stand.
pub type Terms = BTreeMap<String, f32>;

/// So many clusters what is typical stands for, beside those that were read.
const TYPICAL_WEIGHT: f32 = 60.0;

/// A vector of length one; nothing where it has no length.
pub(super) fn unit(vector: impl Iterator<Item = f32> + Clone) -> Option<Vec<f32>> {
    let norm = vector.clone().map(|x| x * x).sum::<f32>().sqrt();
    (norm > 0.0).then(|| vector.map(|x| x / norm).collect())
}

/// The mean of what is typical, which is the origin, and of all clusters that were read so far. It follows from what came before alone,
/// so what comes later moves nothing.
#[derive(Debug, Default)]
pub(super) struct Centre {
    sum: Vec<f32>,
    read: f32,
}

impl Centre {
    /// Reads a vector, and gives what sets it apart.
    pub(super) fn read(&mut self, vector: &[f32]) -> Option<Vec<f32>> {
        self.sum.resize(vector.len(), 0.0);
        self.sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        self.read += 1.0;
        let weight = TYPICAL_WEIGHT + self.read;
        unit(vector.iter().zip(&self.sum).map(|(x, sum)| x - sum / weight))
    }
}

/// Stems as the fold counts them: by number, since it compares each cluster with every topic.
pub(super) type Counts = BTreeMap<u32, f32>;

/// Stems by number, how common each is among the clusters that were read so far, and in which nodes it stands.
#[derive(Debug, Default)]
pub(super) struct Lexicon<'e> {
    numbers: HashMap<&'e str, u32>,
    words: Vec<&'e str>,
    /// Natural logarithms of how many clusters have each, and one more.
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

    /// A stem that few clusters have weighs more.
    pub(super) fn weight(&self, term: u32) -> f32 {
        ((self.clusters + 2.0).ln() - self.commonness[term as usize]).max(0.05)
    }

    pub(super) fn word(&self, term: u32) -> &'e str {
        self.words[term as usize]
    }

    /// A node has these stems from now on.
    pub(super) fn stands_in(&mut self, node: usize, terms: &Counts) {
        for term in terms.keys() {
            let nodes = &mut self.nodes[*term as usize];
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
    }

    /// The nodes that have a stem, or had it.
    pub(super) fn nodes_with(&self, term: u32) -> &[usize] {
        &self.nodes[term as usize]
    }

    pub(super) fn length(&self, terms: &Counts) -> f32 {
        terms.iter().map(|(term, n)| (strength(*n) * self.weight(*term)).powi(2)).sum::<f32>().sqrt()
    }

    /// What one stem adds to the product of two counts.
    pub(super) fn part(&self, term: u32, n: f32, m: f32) -> f32 {
        strength(n) * strength(m) * self.weight(term).powi(2)
    }

    /// The cosine of two counts of stems whose lengths are known. Costs the shorter of the two.
    pub(super) fn shared(&self, a: (&Counts, f32), b: (&Counts, f32)) -> f32 {
        let (few, many) = if a.0.len() <= b.0.len() { (a.0, b.0) } else { (b.0, a.0) };
        let dot: f32 = few.iter().filter_map(|(term, n)| many.get(term).map(|m| self.part(*term, *n, *m))).sum();
        share(dot, a.1, b.1)
    }
}

fn strength(count: f32) -> f32 {
    1.0 + count.max(1.0).ln()
}

/// A product of two counts as a cosine.
pub(super) fn share(dot: f32, a: f32, b: f32) -> f32 {
    let value = dot / (a * b);
    if value.is_finite() { value.min(1.0) } else { 0.0 }
}

/// Evidence that two belong together: the cosine of meaning, and the cosine of words by this share. So much of it is where subjects
/// part: on a development life (decision 42) from 0.25 to 0.35 most topics are found and none is mixed.
const EVIDENCE_AT: f32 = 0.30;

/// See [`EVIDENCE_AT`]. From 0.3 to 0.6 as good; words alone hold together what is named alike and no more.
const WORDS_SHARE: f32 = 0.6;

/// As [`EVIDENCE_AT`] where there are no vectors: clusters of one subject share few words, those of two hardly any.
const WORDS_ALONE_AT: f32 = 0.09;

/// What the seed's default threshold is, where the two kinds part.
const PARTING: f32 = 0.7;

/// What going on from messages of a topic adds to the evidence.
const CONTINUES: f32 = 0.1;

/// From 0 to 1, comparable with the seed's threshold: each bit of evidence takes its share of what is missing to 1.
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
