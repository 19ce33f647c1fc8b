//! Find or create: clusters become topics in the order in which their batches closed, with a person's decisions among them.
//!
//! A fold over events and nothing else, so the same events give the same topics with the same ids: dropping everything and folding
//! again changes nothing, undoing a decision is leaving it out, and an erased conversation is one that never came. Small talk joins a
//! topic that it is near to; what is not substantial waits until it is, and is then founded with all that waited.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::Timestamp;

use super::nearness::{Commonness, Terms, cosine, length, nearness, shared_words};
use super::{Cluster, TopicRules};

/// A topic is founded with so many messages that carry it …
const FOUNDING_CARRIERS_MIN: u32 = 3;

/// … and so many words of content.
const FOUNDING_WORDS_MIN: u32 = 15;

/// Two long messages, such as a question to an assistant and its answer, found one too when they have so many.
const FOUNDING_WORDS_OF_TWO: u32 = 60;

/// What was said in another conversation must be nearer: the same words mean the same less often there.
const ELSEWHERE_SHARE: f32 = 0.93;

/// The merge answers "distinct" where hardly a word is shared and nothing goes on …
const DISTINCT_WORDS_BELOW: f32 = 0.02;

/// … unless the meaning is this much nearer than it needs to be.
const DISTINCT_UNLESS_NEARER_BY: f32 = 0.12;

/// Topics that are nearer than this, beside the threshold itself, are proposed for merging.
const MERGE_PROPOSED_FROM: f32 = 0.66;

/// Halves of a topic that are further apart than this are proposed for splitting.
const SPLIT_PROPOSED_BELOW: f32 = 0.42;

/// A topic of fewer messages is not too broad.
const SPLIT_MESSAGES_MIN: usize = 24;

/// Each half has at least so many clusters.
const SPLIT_CLUSTERS_MIN: usize = 2;

/// A broad topic shows in so many of its clusters.
const SPLIT_CLUSTERS_MAX: usize = 100;

/// Rounds until the halves of a topic stay as they are.
const SPLIT_ROUNDS: usize = 6;

/// Topics nearer than this are related.
const RELATED_FROM: f32 = 0.4;

/// More related topics than these are a list of everything.
const RELATED_MAX: usize = 5;

/// Words that tell why a proposal is made.
const WHY_TERMS_MAX: usize = 5;

/// One thing that happened.
#[derive(Debug, Clone, Copy)]
pub enum Event<'e> {
    /// A batch closed that has this cluster.
    Cluster(ClusterEvent<'e>),
    /// A person decided something.
    Decision(&'e Decision),
}

/// A cluster with its place in time.
#[derive(Debug, Clone, Copy)]
pub struct ClusterEvent<'e> {
    /// Names the cluster among all others, whatever its place.
    pub key: &'e str,
    /// Its conversation.
    pub home: &'e str,
    /// When its batch closed.
    pub at: Timestamp,
    /// What was read.
    pub cluster: &'e Cluster,
}

/// Something that a person decided about topics. Topics are named by messages of theirs, which outlive every rebuild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Its id.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// What.
    pub act: Act,
}

/// What a person can decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A title of their own; nothing gives the title back to the content.
    Rename {
        /// Messages of the topic.
        topic: Vec<String>,
        /// The title.
        title: Option<String>,
    },
    /// Keeps a topic at the top, or no longer.
    Pin {
        /// Messages of the topic.
        topic: Vec<String>,
        /// Whether it is pinned.
        is_pinned: bool,
    },
    /// Two are one.
    Merge {
        /// Messages of the topic that stays.
        into: Vec<String>,
        /// Messages of the one that goes into it.
        from: Vec<String>,
    },
    /// Part of a topic is one of its own.
    Split {
        /// Messages of the topic.
        topic: Vec<String>,
        /// Those that go.
        apart: Vec<String>,
    },
    /// Two that look alike are two, or one that looks broad is one: `b` is empty then. Not proposed again.
    Leave {
        /// Messages of one.
        a: Vec<String>,
        /// Messages of the other.
        b: Vec<String>,
    },
}

impl Event<'_> {
    fn place(&self) -> (Timestamp, u8, &str) {
        match self {
            Self::Cluster(event) => (event.at, 0, event.key),
            Self::Decision(decision) => (decision.at, 1, &decision.id),
        }
    }
}

/// One change of a topic: what a version of its text is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicStep {
    /// Follows from the topic and all its steps so far: equal for equal content.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// Messages that came.
    pub added: Vec<String>,
    /// Messages that went; where some did, the text is made anew from those that are left.
    pub removed: Vec<String>,
}

/// A topic as it stands after all events.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// Follows from its partition and the message that founded it.
    pub id: String,
    /// The topic that it was split from.
    pub parent: Option<String>,
    /// Topics that a person merged into it.
    pub absorbed: Vec<String>,
    /// Its changes, the oldest first; never empty.
    pub steps: Vec<TopicStep>,
    /// Its messages in the order in which they came.
    pub messages: Vec<String>,
    /// A person's title.
    pub title: Option<String>,
    /// A person pinned it.
    pub is_pinned: bool,
    /// Topics that are near, the nearest first.
    pub related: Vec<(String, f32)>,
}

/// What a proposal would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProposalKind {
    /// Two topics look like one.
    Merge,
    /// One looks like two.
    Split,
}

/// Something that a person may want to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Of its content.
    pub id: String,
    /// What.
    pub kind: ProposalKind,
    /// The topic that would stay.
    pub topic: String,
    /// The one that would go into it.
    pub other: Option<String>,
    /// How near they are, or the halves.
    pub nearness: f32,
    /// The words that they share, or those of the half that would go.
    pub why: Vec<String>,
    /// The messages that would go.
    pub apart: Vec<String>,
}

/// What a fold gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Folded {
    /// Topics, the first founded first.
    pub topics: Vec<Topic>,
    /// What reconciliation proposes.
    pub proposals: Vec<Proposal>,
}

/// A topic, or what may become one.
struct Node<'e> {
    seed: String,
    parent: Option<usize>,
    absorbed: Vec<usize>,
    clusters: Vec<&'e Cluster>,
    homes: BTreeSet<&'e str>,
    terms: Terms,
    /// Of its terms, by their weights when they came last.
    length: f32,
    sum: Option<Vec<f32>>,
    carriers: u32,
    content_words: u32,
    messages: Vec<String>,
    founded: bool,
    gone: bool,
    is_whole: bool,
    title: Option<String>,
    is_pinned: bool,
    steps: Vec<TopicStep>,
    chain: String,
}

impl<'e> Node<'e> {
    fn new(seed: String, parent: Option<usize>) -> Self {
        Self {
            seed,
            parent,
            absorbed: Vec::new(),
            clusters: Vec::new(),
            homes: BTreeSet::new(),
            terms: Terms::new(),
            length: 0.0,
            sum: None,
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

    fn take(&mut self, cluster: &'e Cluster, commonness: &Commonness) {
        self.add(cluster);
        self.length = length(&self.terms, commonness);
    }

    fn add(&mut self, cluster: &'e Cluster) {
        for (term, count) in &cluster.terms {
            *self.terms.entry(term.clone()).or_default() += count;
        }
        self.carriers += cluster.carriers;
        self.content_words += cluster.content_words;
        if let Some(vector) = &cluster.vector {
            let weight = cluster.carriers.max(1) as f32;
            let sum = self.sum.get_or_insert_with(|| vec![0.0; vector.len()]);
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += weight * x);
        }
        self.clusters.push(cluster);
    }

    /// As if it had taken these clusters and no others.
    fn retake(&mut self, clusters: Vec<&'e Cluster>, commonness: &Commonness) {
        self.clusters.clear();
        self.terms.clear();
        self.sum = None;
        (self.carriers, self.content_words) = (0, 0);
        clusters.into_iter().for_each(|cluster| self.add(cluster));
        self.length = length(&self.terms, commonness);
    }

    fn is_substantial(&self) -> bool {
        let recurs = self.terms.values().any(|count| *count >= 2.0);
        let by_many = self.carriers >= FOUNDING_CARRIERS_MIN && self.content_words >= FOUNDING_WORDS_MIN;
        let by_two = self.carriers >= 2 && self.content_words >= FOUNDING_WORDS_OF_TWO;
        recurs && (by_many || by_two)
    }

    fn step(&mut self, at: Timestamp, mut added: Vec<String>, removed: Vec<String>) {
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

fn digest(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

struct Fold<'e, 'r> {
    partition: &'r str,
    rules: &'r TopicRules,
    nodes: Vec<Node<'e>>,
    holder: HashMap<String, usize>,
    commonness: Commonness,
    apart: BTreeSet<(usize, usize)>,
}

/// Folds the events of one partition, in any order, into its topics.
pub fn fold(partition: &str, events: &[Event<'_>], rules: &TopicRules) -> Folded {
    let mut ordered: Vec<&Event<'_>> = events.iter().collect();
    ordered.sort_by(|a, b| a.place().cmp(&b.place()));
    let mut fold = Fold {
        partition,
        rules,
        nodes: Vec::new(),
        holder: HashMap::new(),
        commonness: Commonness::default(),
        apart: BTreeSet::new(),
    };
    for event in ordered {
        match event {
            Event::Cluster(event) => fold.read(event),
            Event::Decision(decision) => fold.decide(decision),
        }
    }
    fold.end()
}

impl<'e> Fold<'e, '_> {
    fn read(&mut self, event: &ClusterEvent<'e>) {
        let ClusterEvent { home, at, cluster, .. } = *event;
        self.commonness.add(&cluster.terms);
        // A message that somebody already holds is not read twice.
        let new: Vec<String> = cluster.messages.iter().filter(|id| !self.holder.contains_key(*id)).cloned().collect();
        let Some(first) = new.first().cloned() else { return };
        let found = self.find(cluster, home);
        let index = found.unwrap_or_else(|| {
            self.nodes.push(Node::new(digest(&[self.partition, &first]), None));
            self.nodes.len() - 1
        });
        new.iter().for_each(|id| {
            self.holder.insert(id.clone(), index);
        });
        let node = &mut self.nodes[index];
        node.take(cluster, &self.commonness);
        node.homes.insert(home);
        node.messages.extend(new.iter().cloned());
        if node.founded {
            node.step(at, new, Vec::new());
        } else if node.is_substantial() {
            self.found(index, at);
        }
    }

    /// The topic, or what may become one, that a cluster belongs to.
    fn find(&self, cluster: &Cluster, home: &str) -> Option<usize> {
        let mut best: Option<(f32, usize)> = None;
        let own = length(&cluster.terms, &self.commonness);
        let before: BTreeSet<usize> = cluster.context.iter().filter_map(|id| self.holder.get(id)).copied().collect();
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.gone) {
            let continues = before.contains(&index);
            let words = shared_words((&node.terms, node.length), (&cluster.terms, own), &self.commonness);
            let meaning = self.meaning(node.sum.as_deref(), cluster.vector.as_deref());
            let near = nearness(meaning, words, continues) * if node.homes.contains(home) { 1.0 } else { ELSEWHERE_SHARE };
            let is_distinct =
                !continues && words < DISTINCT_WORDS_BELOW && near < self.rules.similarity + DISTINCT_UNLESS_NEARER_BY;
            if near >= self.rules.similarity && !is_distinct && best.is_none_or(|(known, _)| near > known) {
                best = Some((near, index));
            }
        }
        best.map(|(_, index)| index)
    }

    fn meaning(&self, a: Option<&[f32]>, b: Option<&[f32]>) -> Option<f32> {
        cosine(a?, b?)
    }

    fn between(&self, a: usize, b: usize) -> (f32, f32) {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        let words = shared_words((&a.terms, a.length), (&b.terms, b.length), &self.commonness);
        (nearness(self.meaning(a.sum.as_deref(), b.sum.as_deref()), words, false), words)
    }

    /// What waited has become substantial: it goes into the topic that it is near to by now, or is one.
    fn found(&mut self, index: usize, at: Timestamp) {
        let mut best: Option<(f32, usize)> = None;
        for other in (0..self.nodes.len()).filter(|other| *other != index) {
            if !self.nodes[other].founded || self.nodes[other].gone {
                continue;
            }
            let (near, words) = self.between(index, other);
            let is_elsewhere = self.nodes[index].homes.is_disjoint(&self.nodes[other].homes);
            let near = near * if is_elsewhere { ELSEWHERE_SHARE } else { 1.0 };
            if near >= self.rules.similarity && words >= DISTINCT_WORDS_BELOW && best.is_none_or(|(known, _)| near > known) {
                best = Some((near, other));
            }
        }
        match best {
            Some((_, into)) => self.absorb(index, into, at),
            None => {
                let node = &mut self.nodes[index];
                node.founded = true;
                node.step(at, node.messages.clone(), Vec::new());
            }
        }
    }

    fn absorb(&mut self, index: usize, into: usize, at: Timestamp) {
        let from = &mut self.nodes[index];
        from.gone = true;
        let messages = std::mem::take(&mut from.messages);
        let clusters = std::mem::take(&mut from.clusters);
        let homes = std::mem::take(&mut from.homes);
        let absorbed = std::mem::take(&mut from.absorbed);
        let was_founded = from.founded;
        messages.iter().for_each(|id| {
            self.holder.insert(id.clone(), into);
        });
        let node = &mut self.nodes[into];
        clusters.into_iter().for_each(|cluster| node.add(cluster));
        node.length = length(&node.terms, &self.commonness);
        node.homes.extend(homes);
        node.messages.extend(messages.iter().cloned());
        if was_founded {
            node.absorbed.push(index);
            node.absorbed.extend(absorbed);
        }
        node.step(at, messages, Vec::new());
    }

    /// The founded topic that holds most of these messages, if it holds half of those that anybody holds.
    fn named(&self, messages: &[String]) -> Option<usize> {
        let mut held: BTreeMap<usize, usize> = BTreeMap::new();
        for index in messages.iter().filter_map(|id| self.holder.get(id)) {
            *held.entry(*index).or_default() += 1;
        }
        let total: usize = held.values().sum();
        let (index, most) = held.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?;
        (most * 2 >= total && self.nodes[index].founded).then_some(index)
    }

    fn decide(&mut self, decision: &Decision) {
        match &decision.act {
            Act::Rename { topic, title } => {
                if let Some(index) = self.named(topic) {
                    self.nodes[index].title.clone_from(title);
                }
            }
            Act::Pin { topic, is_pinned } => {
                if let Some(index) = self.named(topic) {
                    self.nodes[index].is_pinned = *is_pinned;
                }
            }
            Act::Merge { into, from } => {
                if let (Some(into), Some(from)) = (self.named(into), self.named(from))
                    && into != from
                {
                    self.absorb(from, into, decision.at);
                }
            }
            Act::Split { topic, apart } => self.split(topic, apart, decision),
            Act::Leave { a, b } => match (self.named(a), self.named(b)) {
                (Some(a), Some(b)) if a != b => {
                    self.apart.insert((a.min(b), a.max(b)));
                }
                (Some(a), None) if b.is_empty() => self.nodes[a].is_whole = true,
                _ => {}
            },
        }
    }

    fn split(&mut self, topic: &[String], apart: &[String], decision: &Decision) {
        let Some(index) = self.named(topic) else { return };
        let leave: BTreeSet<&String> = apart.iter().filter(|id| self.holder.get(*id) == Some(&index)).collect();
        let (go, stay): (Vec<String>, Vec<String>) =
            self.nodes[index].messages.iter().cloned().partition(|id| leave.contains(id));
        if go.is_empty() || stay.is_empty() {
            return;
        }
        let new = self.nodes.len();
        let mut child = Node::new(digest(&[self.partition, &decision.id]), Some(index));
        let goes = |cluster: &Cluster| cluster.messages.iter().filter(|id| leave.contains(id)).count();
        let (away, kept): (Vec<&Cluster>, Vec<&Cluster>) =
            self.nodes[index].clusters.iter().copied().partition(|cluster| goes(cluster) * 2 >= cluster.messages.len().max(1));
        // Where no cluster goes as a whole, what goes is known by those that it is part of.
        let away = if away.is_empty() { kept.iter().copied().filter(|cluster| goes(cluster) > 0).collect() } else { away };
        child.retake(away, &self.commonness);
        child.homes.clone_from(&self.nodes[index].homes);
        if !kept.is_empty() {
            self.nodes[index].retake(kept, &self.commonness);
        }
        go.iter().for_each(|id| {
            self.holder.insert(id.clone(), new);
        });
        child.founded = true;
        child.messages.clone_from(&go);
        child.step(decision.at, go.clone(), Vec::new());
        let parent = &mut self.nodes[index];
        parent.messages = stay;
        parent.step(decision.at, Vec::new(), go);
        self.nodes.push(child);
        self.apart.insert((index, new));
    }

    fn end(self) -> Folded {
        let live: Vec<usize> =
            (0..self.nodes.len()).filter(|index| self.nodes[*index].founded && !self.nodes[*index].gone).collect();
        let mut near: BTreeMap<usize, Vec<(usize, f32)>> = BTreeMap::new();
        let mut proposals = Vec::new();
        for (at, a) in live.iter().enumerate() {
            for b in live.iter().skip(at + 1) {
                let (nearness, words) = self.between(*a, *b);
                if nearness >= RELATED_FROM {
                    near.entry(*a).or_default().push((*b, nearness));
                    near.entry(*b).or_default().push((*a, nearness));
                }
                let is_left = self.apart.contains(&(*a.min(b), *a.max(b)));
                if nearness >= MERGE_PROPOSED_FROM.min(self.rules.similarity) && words >= DISTINCT_WORDS_BELOW && !is_left {
                    proposals.push(self.merge_proposal(*a, *b, nearness));
                }
            }
        }
        proposals.extend(live.iter().filter_map(|index| self.split_proposal(*index)));
        proposals.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.nearness.total_cmp(&a.nearness)).then(a.id.cmp(&b.id)));
        let topics = live
            .iter()
            .map(|index| {
                let node = &self.nodes[*index];
                let mut related = near.remove(index).unwrap_or_default();
                related.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                related.truncate(RELATED_MAX);
                let id_of = |index: usize| self.nodes[index].seed.clone();
                Topic {
                    id: node.seed.clone(),
                    // A parent that was merged away is the topic that took it in.
                    parent: node.parent.map(|parent| self.standing(parent)).filter(|parent| parent != index).map(id_of),
                    absorbed: node.absorbed.iter().map(|index| id_of(*index)).collect(),
                    steps: node.steps.clone(),
                    messages: node.messages.clone(),
                    title: node.title.clone(),
                    is_pinned: node.is_pinned,
                    related: related.into_iter().map(|(index, nearness)| (id_of(index), nearness)).collect(),
                }
            })
            .collect();
        Folded { topics, proposals }
    }

    fn standing(&self, index: usize) -> usize {
        self.nodes.iter().position(|node| !node.gone && node.absorbed.contains(&index)).unwrap_or(index)
    }

    fn merge_proposal(&self, a: usize, b: usize, nearness: f32) -> Proposal {
        // The larger stays; of equal ones the older.
        let (into, from) = if self.nodes[b].messages.len() > self.nodes[a].messages.len() { (b, a) } else { (a, b) };
        let (into, from) = (&self.nodes[into], &self.nodes[from]);
        let shared: Terms =
            from.terms.iter().filter_map(|(term, n)| into.terms.get(term).map(|m| (term.clone(), n.min(*m)))).collect();
        Proposal {
            id: digest(&["merge", &into.seed, &from.seed]),
            kind: ProposalKind::Merge,
            topic: into.seed.clone(),
            other: Some(from.seed.clone()),
            nearness,
            why: self.telling(&shared),
            apart: from.messages.clone(),
        }
    }

    /// The words that tell most, the strongest first.
    fn telling(&self, terms: &Terms) -> Vec<String> {
        let mut ranked: Vec<(&String, f32)> =
            terms.iter().map(|(term, n)| (term, (1.0 + n.ln()) * self.commonness.weight(term))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        ranked.into_iter().take(WHY_TERMS_MAX).map(|(term, _)| term.clone()).collect()
    }

    fn split_proposal(&self, index: usize) -> Option<Proposal> {
        let node = &self.nodes[index];
        if node.is_whole || node.messages.len() < SPLIT_MESSAGES_MIN || node.clusters.len() < 2 * SPLIT_CLUSTERS_MIN {
            return None;
        }
        let of = |clusters: &[&'e Cluster]| {
            let mut half = Node::new(String::new(), None);
            half.retake(clusters.to_vec(), &self.commonness);
            half
        };
        let apart = |a: &Node<'e>, b: &Node<'e>| {
            let words = shared_words((&a.terms, a.length), (&b.terms, b.length), &self.commonness);
            nearness(self.meaning(a.sum.as_deref(), b.sum.as_deref()), words, false)
        };
        let stride = node.clusters.len().div_ceil(SPLIT_CLUSTERS_MAX).max(1);
        let sample: Vec<&'e Cluster> = node.clusters.iter().copied().step_by(stride).collect();
        let single: Vec<Node<'e>> = sample.iter().map(|cluster| of(&[*cluster])).collect();
        let pairs = (0..single.len()).flat_map(|a| (a + 1..single.len()).map(move |b| (a, b)));
        let (a, b) = pairs.min_by(|x, y| apart(&single[x.0], &single[x.1]).total_cmp(&apart(&single[y.0], &single[y.1])))?;
        let (mut first, mut second) = (of(&[sample[a]]), of(&[sample[b]]));
        let mut sides: Vec<bool> = Vec::new();
        for _ in 0..SPLIT_ROUNDS {
            let now: Vec<bool> = single.iter().map(|one| apart(one, &second) > apart(one, &first)).collect();
            if now == sides {
                break;
            }
            let pick = |side: bool| -> Vec<&'e Cluster> {
                sample.iter().zip(&now).filter(|(_, is)| **is == side).map(|(cluster, _)| *cluster).collect()
            };
            (first, second) = (of(&pick(false)), of(&pick(true)));
            sides = now;
        }
        // What founded the topic stays.
        let goes = !sides.first().copied().unwrap_or(false);
        let (kept, gone) = if goes { (&first, &second) } else { (&second, &first) };
        let is_fair = |half: &Node<'_>| half.clusters.len() >= SPLIT_CLUSTERS_MIN && half.is_substantial();
        let near = apart(kept, gone);
        if !is_fair(kept) || !is_fair(gone) || near >= SPLIT_PROPOSED_BELOW {
            return None;
        }
        let goes = |cluster: &&&'e Cluster| {
            let one = of(&[**cluster]);
            apart(&one, gone) > apart(&one, kept)
        };
        let held: BTreeSet<&String> = node.clusters.iter().filter(goes).flat_map(|cluster| &cluster.messages).collect();
        let messages: Vec<String> = node.messages.iter().filter(|id| held.contains(id)).cloned().collect();
        Some(Proposal {
            id: digest(&["split", &node.seed, &messages.join(" ")]),
            kind: ProposalKind::Split,
            topic: node.seed.clone(),
            other: None,
            nearness: near,
            why: self.telling(&gone.terms),
            apart: messages,
        })
    }
}
