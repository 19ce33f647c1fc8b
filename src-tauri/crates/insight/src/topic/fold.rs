//! Finds or creates topics: assigns clusters to topics in the order in which their batches closed, and applies a person's
//! decisions in between.
//!
//! The result depends only on the events, so the same events always give the same topics with the same ids. Dropping everything
//! and folding again changes nothing. To undo a decision, leave it out. Erasing a conversation gives the same result as never
//! importing it. Small talk joins a nearby topic. Content too small for a topic of its own is kept until there is enough of it;
//! the topic is then created from everything kept.

mod node;
mod propose;

use crate::topic::rules::{MERGE_PROPOSED_FROM, RELATED_FROM, RELATED_MAX};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use keepsake_domain::Timestamp;

use super::nearness::{Centre, Counts, Lexicon, nearness, share};
use super::{Cluster, TopicRules};
use node::{Node, Read, digest};

/// One event in the history of topics.
#[derive(Debug, Clone, Copy)]
pub enum Event<'e> {
    /// A batch closed and contained this cluster.
    Cluster(ClusterEvent<'e>),
    /// A person made a decision.
    Decision(&'e Decision),
}

/// A cluster with its position in time.
#[derive(Debug, Clone, Copy)]
pub struct ClusterEvent<'e> {
    /// Identifies the cluster among all others; does not depend on its position.
    pub key: &'e str,
    /// The time at which its batch closed.
    pub at: Timestamp,
    /// The cluster.
    pub cluster: &'e Cluster,
}

/// A person's decision about topics. Topics are identified by some of their messages, whose ids remain valid through every
/// rebuild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The decision's id.
    pub id: String,
    /// The time of the decision.
    pub at: Timestamp,
    /// The decision itself.
    pub act: Act,
}

/// The decisions a person can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Give a topic a custom title. With no title, it is named after its content again.
    Rename {
        /// Messages of the topic.
        topic: Vec<String>,
        /// The custom title.
        title: Option<String>,
    },
    /// Pin a topic to the top, or unpin it.
    Pin {
        /// Messages of the topic.
        topic: Vec<String>,
        /// True to pin it.
        is_pinned: bool,
    },
    /// Merge two topics into one.
    Merge {
        /// Messages of the topic that stays.
        into: Vec<String>,
        /// Messages of the topic that is merged into the other.
        from: Vec<String>,
    },
    /// Split a topic in two.
    Split {
        /// Messages of the topic.
        topic: Vec<String>,
        /// The messages that move to the new topic.
        apart: Vec<String>,
    },
    /// Keep two similar topics separate; if `b` is empty, keep a broad topic whole. The merge or split is not proposed again.
    Leave {
        /// Messages of the first topic.
        a: Vec<String>,
        /// Messages of the second topic.
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

/// One change to a topic; each change produces one version of its text.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicStep {
    /// Derived from the topic and all its steps so far: equal for equal content.
    pub id: String,
    /// The time of the change.
    pub at: Timestamp,
    /// Messages that were added.
    pub added: Vec<String>,
    /// Messages that were removed. If there are any, the text is rebuilt from the remaining messages.
    pub removed: Vec<String>,
    /// The stems that set the topic apart from the others at this point, each with its strength from 0 to 1, strongest first.
    pub telling: Vec<(String, f32)>,
}

/// The state of a topic after all events.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// Derived from its audience and the message that founded it.
    pub id: String,
    /// The topic that it was split from.
    pub parent: Option<String>,
    /// Topics that a person merged into it.
    pub absorbed: Vec<String>,
    /// Its changes, oldest first; never empty.
    pub steps: Vec<TopicStep>,
    /// Its messages in order of arrival.
    pub messages: Vec<String>,
    /// A person's custom title.
    pub title: Option<String>,
    /// True if a person pinned it.
    pub is_pinned: bool,
    /// Nearby topics, nearest first, each with its nearness.
    pub related: Vec<(String, f32)>,
}

/// The kind of change that a proposal suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProposalKind {
    /// Two topics look like one.
    Merge,
    /// One topic looks like two.
    Split,
}

/// A change to the topics that a person may want to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Derived from the proposal's content.
    pub id: String,
    /// The kind of change.
    pub kind: ProposalKind,
    /// The topic that would stay.
    pub topic: String,
    /// For a merge, the topic that would be merged into it.
    pub other: Option<String>,
    /// The nearness of the two topics, or of the two halves.
    pub nearness: f32,
    /// The words the two topics share, or the words of the half that would be split off.
    pub why: Vec<String>,
    /// The messages that would move.
    pub apart: Vec<String>,
}

/// A language model's judgments, which supplement the rules. They never override a person's decisions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// For each topic id, messages that do not belong to it. A cluster is not added if at least half of its messages are among
    /// them.
    pub distinct: BTreeMap<String, BTreeSet<String>>,
    /// Pairs of topics on the same subject; proposed for merging regardless of their nearness. The smaller id comes first.
    pub same: BTreeSet<(String, String)>,
    /// Pairs of topics on different subjects; not proposed for merging. The smaller id comes first.
    pub apart: BTreeSet<(String, String)>,
    /// Ids of split proposals whose halves are about one subject.
    pub whole: BTreeSet<String>,
}

impl Judged {
    /// True if the model judged that these messages do not belong to the topic.
    fn parts(&self, topic: &str, messages: &[String]) -> bool {
        self.distinct
            .get(topic)
            .is_some_and(|apart| messages.iter().filter(|id| apart.contains(*id)).count() * 2 >= messages.len().max(1))
    }

    /// The key of a pair, the same in either order.
    pub fn pair(a: &str, b: &str) -> (String, String) {
        if a <= b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) }
    }
}

/// The result of a fold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Folded {
    /// The topics, in order of founding.
    pub topics: Vec<Topic>,
    /// The proposals for merging and splitting topics.
    pub proposals: Vec<Proposal>,
}

struct Fold<'e, 'r> {
    partition: &'r str,
    rules: &'r TopicRules,
    judged: &'r Judged,
    nodes: Vec<Node<'e>>,
    holder: HashMap<String, usize>,
    lexicon: Lexicon<'e>,
    centre: Centre,
    apart: BTreeSet<(usize, usize)>,
}

/// Folds the events of one audience (`partition`), given in any order, into its topics.
pub fn fold(partition: &str, events: &[Event<'_>], rules: &TopicRules) -> Folded {
    fold_judged(partition, events, rules, &Judged::default())
}

/// Like [`fold`], but also applies a language model's judgments.
pub fn fold_judged(partition: &str, events: &[Event<'_>], rules: &TopicRules, judged: &Judged) -> Folded {
    let mut ordered: Vec<&Event<'_>> = events.iter().collect();
    ordered.sort_by(|a, b| a.place().cmp(&b.place()));
    let mut fold = Fold {
        partition,
        rules,
        judged,
        nodes: Vec::new(),
        holder: HashMap::new(),
        lexicon: Lexicon::default(),
        centre: Centre::default(),
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
        let ClusterEvent { at, cluster, .. } = *event;
        let read = Read {
            cluster,
            terms: Rc::new(self.lexicon.counts(&cluster.terms)),
            own: cluster.vector.as_deref().and_then(|vector| self.centre.read(vector)).map(Rc::from),
        };
        self.lexicon.read(&read.terms);
        // Messages that already belong to a topic are skipped.
        let new: Vec<String> = cluster.messages.iter().filter(|id| !self.holder.contains_key(*id)).cloned().collect();
        let Some(first) = new.first().cloned() else { return };
        let found = self.find(&read);
        let index = found.unwrap_or_else(|| {
            self.nodes.push(Node::new(digest(&[self.partition, &first]), None));
            self.nodes.len() - 1
        });
        new.iter().for_each(|id| {
            self.holder.insert(id.clone(), index);
        });
        self.lexicon.stands_in(index, &read.terms);
        let node = &mut self.nodes[index];
        node.take(&read, &self.lexicon);
        node.messages.extend(new.iter().cloned());
        if node.founded {
            node.step(at, new, Vec::new(), &self.lexicon);
        } else if node.is_substantial() {
            self.found(index, at);
        }
    }

    /// The nearest topic, or possible future topic, if it is near enough for this cluster to join.
    fn find(&self, read: &Read<'e>) -> Option<usize> {
        let mut best: Option<(f32, usize)> = None;
        let own = self.lexicon.length(&read.terms);
        let before: BTreeSet<usize> = read.cluster.context.iter().filter_map(|id| self.holder.get(id)).copied().collect();
        let shared = self.shared_by_node(&read.terms);
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.gone) {
            let near = nearness(node.meaning_of(read), share(shared[index], node.length, own), before.contains(&index));
            let is_best = near >= self.rules.similarity && best.is_none_or(|(known, _)| near > known);
            if is_best && !self.judged.parts(&node.seed, &read.cluster.messages) {
                best = Some((near, index));
            }
        }
        best.map(|(_, index)| index)
    }

    /// For each node, the dot product of its stems with `terms`.
    fn shared_by_node(&self, terms: &Counts) -> Vec<f32> {
        let mut shared = vec![0.0; self.nodes.len()];
        for (term, n) in terms {
            for index in self.lexicon.nodes_with(*term) {
                let node = &self.nodes[*index];
                if let Some(m) = node.terms.get(term).filter(|_| !node.gone) {
                    shared[*index] += self.lexicon.part(*term, *n, *m);
                }
            }
        }
        shared
    }

    fn between(&self, a: usize, b: usize) -> f32 {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        nearness(a.meaning(b), self.lexicon.shared((&a.terms, a.length), (&b.terms, b.length)), false)
    }

    /// Called when a node has become substantial: merges it into the nearest topic if that topic is now near enough, or else
    /// makes it a topic of its own.
    fn found(&mut self, index: usize, at: Timestamp) {
        let mut best: Option<(f32, usize)> = None;
        for other in (0..self.nodes.len()).filter(|other| *other != index) {
            if !self.nodes[other].founded || self.nodes[other].gone {
                continue;
            }
            if self.judged.parts(&self.nodes[other].seed, &self.nodes[index].messages) {
                continue;
            }
            let near = self.between(index, other);
            if near >= self.rules.similarity && best.is_none_or(|(known, _)| near > known) {
                best = Some((near, other));
            }
        }
        match best {
            Some((_, into)) => self.absorb(index, into, at),
            None => {
                let node = &mut self.nodes[index];
                node.founded = true;
                node.step(at, node.messages.clone(), Vec::new(), &self.lexicon);
            }
        }
    }

    fn absorb(&mut self, index: usize, into: usize, at: Timestamp) {
        let from = &mut self.nodes[index];
        from.gone = true;
        let messages = std::mem::take(&mut from.messages);
        let clusters = std::mem::take(&mut from.clusters);
        let absorbed = std::mem::take(&mut from.absorbed);
        let was_founded = from.founded;
        messages.iter().for_each(|id| {
            self.holder.insert(id.clone(), into);
        });
        clusters.iter().for_each(|read| self.lexicon.stands_in(into, &read.terms));
        let node = &mut self.nodes[into];
        clusters.iter().for_each(|read| node.add(read));
        node.weigh(&self.lexicon);
        node.messages.extend(messages.iter().cloned());
        if was_founded {
            node.absorbed.push(index);
            node.absorbed.extend(absorbed);
        }
        node.step(at, messages, Vec::new(), &self.lexicon);
    }

    /// The founded topic that contains most of these messages, provided it contains at least half of those assigned to any topic.
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
        let (away, kept): (Vec<Read<'e>>, Vec<Read<'e>>) = self.nodes[index]
            .clusters
            .iter()
            .cloned()
            .partition(|read| goes(read.cluster) * 2 >= read.cluster.messages.len().max(1));
        // If no cluster moves as a whole, the new topic is described by the clusters that contain the moved messages.
        let away = if away.is_empty() { kept.iter().filter(|read| goes(read.cluster) > 0).cloned().collect() } else { away };
        child.retake(away, &self.lexicon);
        self.lexicon.stands_in(new, &child.terms);
        if !kept.is_empty() {
            self.nodes[index].retake(kept, &self.lexicon);
        }
        go.iter().for_each(|id| {
            self.holder.insert(id.clone(), new);
        });
        child.founded = true;
        child.messages.clone_from(&go);
        child.step(decision.at, go.clone(), Vec::new(), &self.lexicon);
        let parent = &mut self.nodes[index];
        parent.messages = stay;
        parent.step(decision.at, Vec::new(), go, &self.lexicon);
        self.nodes.push(child);
        self.apart.insert((index, new));
    }

    fn end(self) -> Folded {
        let live: Vec<usize> =
            (0..self.nodes.len()).filter(|index| self.nodes[*index].founded && !self.nodes[*index].gone).collect();
        let mut near: BTreeMap<usize, Vec<(usize, f32)>> = BTreeMap::new();
        let mut merges: Vec<(bool, f32, usize, usize)> = Vec::new();
        for (at, a) in live.iter().enumerate() {
            let shared = self.shared_by_node(&self.nodes[*a].terms);
            for b in live.iter().skip(at + 1) {
                let (one, other) = (&self.nodes[*a], &self.nodes[*b]);
                let words = share(shared[*b], one.length, other.length);
                let nearness = nearness(one.meaning(other), words, false);
                if nearness >= RELATED_FROM {
                    near.entry(*a).or_default().push((*b, nearness));
                    near.entry(*b).or_default().push((*a, nearness));
                }
                let is_left = self.apart.contains(&(*a.min(b), *a.max(b)));
                let is_near = nearness >= MERGE_PROPOSED_FROM.min(self.rules.similarity);
                let pair = Judged::pair(&self.nodes[*a].seed, &self.nodes[*b].seed);
                let is_same = self.judged.same.contains(&pair);
                if !is_left && (is_same || is_near && !self.judged.apart.contains(&pair)) {
                    merges.push((is_same, nearness, *a, *b));
                }
            }
        }
        // Large topics are all somewhat alike, and a person who is asked about every pair would answer none of the questions.
        // So each topic is proposed for merging only with its nearest one, and with the next one once the person has answered.
        // Pairs that a model judged to be about the same subject are always proposed.
        merges.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
        let mut asked: BTreeSet<usize> = BTreeSet::new();
        let mut proposals = Vec::new();
        for (is_same, nearness, a, b) in merges {
            if is_same || !asked.contains(&a) && !asked.contains(&b) {
                asked.extend([a, b]);
                proposals.push(self.merge_proposal(a, b, nearness));
            }
        }
        let splits = live.iter().filter_map(|index| self.split_proposal(*index));
        proposals.extend(splits.filter(|split| !self.judged.whole.contains(&split.id)));
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
                    // If the parent was merged into another topic, that other topic is the parent.
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
}
