//! How near two pieces of conversation are: by the words that they share, and by meaning where a local model gives vectors.
//!
//! What is compared is always a cluster's mean with a topic's mean. With MiniLM those of one subject have a cosine of 0.2 to 0.55 and
//! those of two subjects one below 0.27, so no raw cosine comes near the seed's default of 0.7. [`nearness`] is scaled so that 0.7 is
//! where the two kinds part; decision 10 has the figures.

use std::collections::{BTreeMap, HashMap};

/// Stems and how often they stand.
pub type Terms = BTreeMap<String, f32>;

/// How common each stem is among the clusters that were read so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Commonness {
    clusters: f32,
    with: HashMap<String, f32>,
}

impl Commonness {
    pub(super) fn add(&mut self, terms: &Terms) {
        self.clusters += 1.0;
        for term in terms.keys() {
            *self.with.entry(term.clone()).or_default() += 1.0;
        }
    }

    /// A stem that few clusters have weighs more.
    pub(super) fn weight(&self, term: &str) -> f32 {
        let with = self.with.get(term).copied().unwrap_or(0.0);
        ((self.clusters + 2.0) / (with + 1.0)).ln().max(0.05)
    }
}

/// The length of counts of stems, each by its weight as it is now.
pub(super) fn length(terms: &Terms, commonness: &Commonness) -> f32 {
    terms.iter().map(|(term, n)| (strength(*n) * commonness.weight(term)).powi(2)).sum::<f32>().sqrt()
}

/// The cosine of two counts of stems whose lengths are known. Costs the shorter of the two.
pub(super) fn shared_words(a: (&Terms, f32), b: (&Terms, f32), commonness: &Commonness) -> f32 {
    let (few, many) = if a.0.len() <= b.0.len() { (a.0, b.0) } else { (b.0, a.0) };
    let dot: f32 = few
        .iter()
        .filter_map(|(term, n)| many.get(term).map(|m| strength(*n) * strength(*m) * commonness.weight(term).powi(2)))
        .sum();
    let value = dot / (a.1 * b.1);
    if value.is_finite() { value.min(1.0) } else { 0.0 }
}

fn strength(count: f32) -> f32 {
    1.0 + count.max(1.0).ln()
}

/// The cosine of two vectors of any length; nothing where they cannot be compared.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> Option<f32> {
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let value = dot / (norm(a) * norm(b));
    (a.len() == b.len() && value.is_finite()).then_some(value)
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

/// A product of two counts as a cosine.
pub(super) fn share(dot: f32, a: f32, b: f32) -> f32 {
    let value = dot / (a * b);
    if value.is_finite() { value.min(1.0) } else { 0.0 }
}

/// The length of a vector.
pub(super) fn norm(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

/// As [`cosine`], of vectors whose lengths are known.
pub(super) fn cosine_of(a: (&[f32], f32), b: (&[f32], f32)) -> Option<f32> {
    let dot: f32 = a.0.iter().zip(b.0).map(|(x, y)| x * y).sum();
    let value = dot / (a.1 * b.1);
    (a.0.len() == b.0.len() && value.is_finite()).then_some(value)
}

/// Evidence that a cluster belongs to a topic: cosine of meaning and cosine of words, each as it comes. So much of it counts as the
/// seed's 0.7: where labelled messages are put together with the fewest mistakes, and topics that took in another subject count most
/// among these.
const EVIDENCE_AT: f32 = 0.44;

/// As [`EVIDENCE_AT`] where there are no vectors: clusters of one subject share few words, those of two hardly any.
const WORDS_ALONE_AT: f32 = 0.09;

/// What the seed's default threshold is, where the two kinds part.
const PARTING: f32 = 0.7;

/// What going on from messages of a topic adds to the evidence.
const CONTINUES: f32 = 0.12;

/// From 0 to 1, comparable with the seed's threshold: each bit of evidence takes its share of what is missing to 1.
pub(super) fn nearness(meaning: Option<f32>, words: f32, continues: bool) -> f32 {
    let more = if continues { CONTINUES } else { 0.0 };
    let share = match meaning {
        Some(meaning) => (meaning.max(0.0) + words + more) / EVIDENCE_AT,
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
        check(Some(0.55), 0.0, true);
        check(Some(0.45), 0.0, true);
        check(Some(0.32), 0.13, true);
        check(Some(0.22), 0.02, false);
        check(Some(0.13), 0.0, false);
        check(None, 0.14, true);
        check(None, 0.05, false);
        assert!(nearness(Some(0.25), 0.0, true) > nearness(Some(0.25), 0.0, false), "what goes on is nearer");
    }
}
