//! A topic while it is folded: what it holds, how it is compared, and its steps.

use std::collections::BTreeSet;
use std::rc::Rc;

use keepsake_domain::Timestamp;

use super::TopicStep;
use crate::topic::Cluster;
use crate::topic::nearness::{Counts, Lexicon, cosine_of, norm};

/// A topic is founded with so many messages that carry it …
const FOUNDING_CARRIERS_MIN: u32 = 3;

/// … and so many words of content.
const FOUNDING_WORDS_MIN: u32 = 15;

/// Two long messages, such as a question to an assistant and its answer, found one too when they have so many.
const FOUNDING_WORDS_OF_TWO: u32 = 60;

/// A cluster as the fold compares it.
#[derive(Clone)]
pub(super) struct Read<'e> {
    pub(super) cluster: &'e Cluster,
    pub(super) terms: Rc<Counts>,
    /// The length of its vector.
    pub(super) norm: f32,
}

/// A topic, or what may become one.
pub(super) struct Node<'e> {
    pub(super) seed: String,
    pub(super) parent: Option<usize>,
    pub(super) absorbed: Vec<usize>,
    pub(super) clusters: Vec<Read<'e>>,
    pub(super) homes: BTreeSet<&'e str>,
    pub(super) terms: Counts,
    /// Of its terms, by their weights when they came last.
    pub(super) length: f32,
    pub(super) sum: Option<Vec<f32>>,
    /// The length of the sum.
    pub(super) norm: f32,
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
            homes: BTreeSet::new(),
            terms: Counts::new(),
            length: 0.0,
            sum: None,
            norm: 0.0,
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

    /// Its lengths, after all of its clusters were added.
    pub(super) fn weigh(&mut self, lexicon: &Lexicon<'_>) {
        self.length = lexicon.length(&self.terms);
        self.norm = self.sum.as_deref().map_or(0.0, norm);
    }

    pub(super) fn add(&mut self, read: &Read<'e>) {
        for (term, count) in read.terms.iter() {
            *self.terms.entry(*term).or_default() += count;
        }
        self.carriers += read.cluster.carriers;
        self.content_words += read.cluster.content_words;
        if let Some(vector) = &read.cluster.vector {
            let weight = read.cluster.carriers.max(1) as f32;
            let sum = self.sum.get_or_insert_with(|| vec![0.0; vector.len()]);
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += weight * x);
        }
        self.clusters.push(read.clone());
    }

    /// As if it had taken these clusters and no others.
    pub(super) fn retake(&mut self, clusters: Vec<Read<'e>>, lexicon: &Lexicon<'_>) {
        self.clusters.clear();
        self.terms.clear();
        self.sum = None;
        (self.carriers, self.content_words) = (0, 0);
        clusters.iter().for_each(|read| self.add(read));
        self.weigh(lexicon);
    }

    pub(super) fn meaning(&self, other: &Self) -> Option<f32> {
        cosine_of((self.sum.as_deref()?, self.norm), (other.sum.as_deref()?, other.norm))
    }

    pub(super) fn is_substantial(&self) -> bool {
        let recurs = self.terms.values().any(|count| *count >= 2.0);
        let by_many = self.carriers >= FOUNDING_CARRIERS_MIN && self.content_words >= FOUNDING_WORDS_MIN;
        let by_two = self.carriers >= 2 && self.content_words >= FOUNDING_WORDS_OF_TWO;
        recurs && (by_many || by_two)
    }

    pub(super) fn step(&mut self, at: Timestamp, mut added: Vec<String>, removed: Vec<String>) {
        // What one batch brings in several clusters is one version.
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
        self.steps.push(TopicStep { id: self.chain.clone(), at, added, removed });
    }
}

pub(super) fn digest(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
