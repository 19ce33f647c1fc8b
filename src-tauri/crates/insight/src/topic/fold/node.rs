//! A topic during the fold: its contents, its comparison with others, and its steps.

use crate::topic::rules::{FOUNDING_CARRIERS_MIN, FOUNDING_WORDS_MIN, FOUNDING_WORDS_OF_TWO, TELLING_MAX};
use std::rc::Rc;

use keepsake_domain::Timestamp;

use super::TopicStep;
use crate::topic::Cluster;
use crate::topic::nearness::{Counts, Lexicon};

/// A cluster in the form in which the fold compares it.
#[derive(Clone)]
pub(super) struct Read<'e> {
    pub(super) cluster: &'e Cluster,
    pub(super) terms: Rc<Counts>,
    /// The cluster's vector, as its difference from the mean of all conversation, normalized to length one.
    pub(super) own: Option<Rc<[f32]>>,
}

/// A topic, or a possible future topic.
pub(super) struct Node<'e> {
    pub(super) seed: String,
    pub(super) parent: Option<usize>,
    pub(super) absorbed: Vec<usize>,
    pub(super) clusters: Vec<Read<'e>>,
    pub(super) terms: Counts,
    /// The length of the term vector, with the weights that applied when terms were last added.
    pub(super) length: f32,
    /// The sum of its clusters' vectors, each taken relative to the mean of all conversation.
    sum: Vec<f32>,
    /// The number of vectors in the sum.
    summed: f32,
    pub(super) carriers: u32,
    pub(super) content_words: u32,
    pub(super) messages: Vec<String>,
    pub(super) founded: bool,
    pub(super) gone: bool,
    pub(super) is_whole: bool,
    pub(super) title: Option<String>,
    pub(super) is_pinned: bool,
    pub(super) steps: Vec<TopicStep>,
    pub(super) chain: String,
}

impl<'e> Node<'e> {
    pub(super) fn new(seed: String, parent: Option<usize>) -> Self {
        Self {
            seed,
            parent,
            absorbed: Vec::new(),
            clusters: Vec::new(),
            terms: Counts::new(),
            length: 0.0,
            sum: Vec::new(),
            summed: 0.0,
            carriers: 0,
            content_words: 0,
            messages: Vec::new(),
            founded: false,
            gone: false,
            is_whole: false,
            title: None,
            is_pinned: false,
            steps: Vec::new(),
            chain: String::new(),
        }
    }

    pub(super) fn take(&mut self, read: &Read<'e>, lexicon: &Lexicon<'_>) {
        self.add(read);
        self.weigh(lexicon);
    }

    /// Recomputes the length of the term vector after all clusters are added.
    pub(super) fn weigh(&mut self, lexicon: &Lexicon<'_>) {
        self.length = lexicon.length(&self.terms);
    }

    pub(super) fn add(&mut self, read: &Read<'e>) {
        for (term, count) in read.terms.iter() {
            *self.terms.entry(*term).or_default() += count;
        }
        self.carriers += read.cluster.carriers;
        self.content_words += read.cluster.content_words;
        if let Some(own) = &read.own {
            self.sum.resize(own.len(), 0.0);
            self.sum.iter_mut().zip(own.iter()).for_each(|(sum, x)| *sum += x);
            self.summed += 1.0;
        }
        self.clusters.push(read.clone());
    }

    /// Resets the node to contain exactly these clusters.
    pub(super) fn retake(&mut self, clusters: Vec<Read<'e>>, lexicon: &Lexicon<'_>) {
        self.clusters.clear();
        self.terms.clear();
        self.sum.clear();
        self.summed = 0.0;
        (self.carriers, self.content_words) = (0, 0);
        clusters.iter().for_each(|read| self.add(read));
        self.weigh(lexicon);
    }

    /// The mean cosine between its clusters and those of another node.
    pub(super) fn meaning(&self, other: &Self) -> Option<f32> {
        mean_cosine((&self.sum, self.summed), (&other.sum, other.summed))
    }

    /// The mean cosine between its clusters and a single cluster.
    pub(super) fn meaning_of(&self, read: &Read<'_>) -> Option<f32> {
        mean_cosine((&self.sum, self.summed), (read.own.as_deref()?, 1.0))
    }

    pub(super) fn is_substantial(&self) -> bool {
        let recurs = self.terms.values().any(|count| *count >= 2.0);
        let by_many = self.carriers >= FOUNDING_CARRIERS_MIN && self.content_words >= FOUNDING_WORDS_MIN;
        let by_two = self.carriers >= 2 && self.content_words >= FOUNDING_WORDS_OF_TWO;
        recurs && (by_many || by_two)
    }

    pub(super) fn step(&mut self, at: Timestamp, mut added: Vec<String>, removed: Vec<String>, lexicon: &Lexicon<'_>) {
        // Clusters from the same batch are combined into one version.
        if let Some(last) = self.steps.last()
            && last.at == at
            && last.removed.is_empty()
            && removed.is_empty()
            && let Some(last) = self.steps.pop()
        {
            added.splice(0..0, last.added);
            self.chain = self.steps.last().map_or_else(String::new, |before| before.id.clone());
        }
        self.chain = digest(&[&self.seed, &self.chain, &added.join(" "), &removed.join(" ")]);
        self.steps.push(TopicStep { id: self.chain.clone(), at, added, removed, telling: self.telling(lexicon) });
    }

    /// The stems that set it apart: frequent in it, spread over many of its clusters, and rare among all clusters (class-based
    /// tf-idf, as in BERTopic).
    fn telling(&self, lexicon: &Lexicon<'_>) -> Vec<(String, f32)> {
        let spread = |term: &u32| self.clusters.iter().filter(|read| read.terms.contains_key(term)).count() as f32;
        let strength = |(term, n): (&u32, &f32)| (*term, (1.0 + n.ln()) * lexicon.weight(*term) * spread(term).sqrt());
        let mut found: Vec<(u32, f32)> = self.terms.iter().map(strength).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| lexicon.word(a.0).cmp(lexicon.word(b.0))));
        found.truncate(TELLING_MAX);
        let most = found.first().map_or(1.0, |(_, strength)| *strength);
        found.into_iter().map(|(term, strength)| (lexicon.word(term).to_owned(), strength / most)).collect()
    }
}

/// The mean cosine over all pairs, given two sums of unit vectors and the number of vectors in each.
fn mean_cosine(a: (&[f32], f32), b: (&[f32], f32)) -> Option<f32> {
    let dot: f32 = a.0.iter().zip(b.0).map(|(x, y)| x * y).sum();
    (a.0.len() == b.0.len() && a.1 > 0.0 && b.1 > 0.0).then(|| dot / (a.1 * b.1))
}

pub(super) fn digest(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
