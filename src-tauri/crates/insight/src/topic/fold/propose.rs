//! Reconciliation: finds topics that look like one, and topics that look like two.

use crate::topic::rules::{
    SPLIT_CLUSTERS_MAX, SPLIT_CLUSTERS_MIN, SPLIT_MESSAGES_MIN, SPLIT_PROPOSED_BELOW, SPLIT_ROUNDS, WHY_TERMS_MAX,
};
use std::collections::BTreeSet;

use super::node::{Node, Read, digest};
use super::{Fold, Proposal, ProposalKind};
use crate::topic::nearness::{Counts, nearness};

impl<'e> Fold<'e, '_> {
    pub(super) fn merge_proposal(&self, a: usize, b: usize, nearness: f32) -> Proposal {
        // The larger topic stays; if they are equal, the older one does.
        let (into, from) = if self.nodes[b].messages.len() > self.nodes[a].messages.len() { (b, a) } else { (a, b) };
        let (into, from) = (&self.nodes[into], &self.nodes[from]);
        let shared: Counts = from.terms.iter().filter_map(|(term, n)| into.terms.get(term).map(|m| (*term, n.min(*m)))).collect();
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

    /// The most telling words, strongest first.
    fn telling(&self, terms: &Counts) -> Vec<String> {
        let mut ranked: Vec<(&str, f32)> =
            terms.iter().map(|(term, n)| (self.lexicon.word(*term), (1.0 + n.ln()) * self.lexicon.weight(*term))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        ranked.into_iter().take(WHY_TERMS_MAX).map(|(term, _)| term.to_owned()).collect()
    }

    pub(super) fn split_proposal(&self, index: usize) -> Option<Proposal> {
        let node = &self.nodes[index];
        if node.is_whole || node.messages.len() < SPLIT_MESSAGES_MIN || node.clusters.len() < 2 * SPLIT_CLUSTERS_MIN {
            return None;
        }
        let of = |clusters: Vec<Read<'e>>| {
            let mut half = Node::new(String::new(), None);
            half.retake(clusters, &self.lexicon);
            half
        };
        let apart = |a: &Node<'e>, b: &Node<'e>| {
            nearness(a.meaning(b), self.lexicon.shared((&a.terms, a.length), (&b.terms, b.length)), false)
        };
        let single: Vec<Node<'e>> = node.clusters.iter().map(|read| of(vec![read.clone()])).collect();
        let stride = single.len().div_ceil(SPLIT_CLUSTERS_MAX).max(1);
        let sample: Vec<&Node<'e>> = single.iter().step_by(stride).collect();
        let mut furthest: Option<(f32, usize, usize)> = None;
        for a in 0..sample.len() {
            for b in a + 1..sample.len() {
                let near = apart(sample[a], sample[b]);
                if furthest.is_none_or(|(known, ..)| near < known) {
                    furthest = Some((near, a, b));
                }
            }
        }
        let (_, a, b) = furthest?;
        let (mut first, mut second) = (of(sample[a].clusters.clone()), of(sample[b].clusters.clone()));
        let mut sides: Vec<bool> = Vec::new();
        for _ in 0..SPLIT_ROUNDS {
            let now: Vec<bool> = sample.iter().map(|one| apart(one, &second) > apart(one, &first)).collect();
            if now == sides {
                break;
            }
            let pick = |side: bool| -> Vec<Read<'e>> {
                let of_side = sample.iter().zip(&now).filter(|(_, is)| **is == side);
                of_side.flat_map(|(one, _)| one.clusters.iter().cloned()).collect()
            };
            (first, second) = (of(pick(false)), of(pick(true)));
            sides = now;
        }
        // The half that started the topic stays.
        let goes = !sides.first().copied().unwrap_or(false);
        let (kept, gone) = if goes { (&first, &second) } else { (&second, &first) };
        let is_fair = |half: &Node<'_>| half.clusters.len() >= SPLIT_CLUSTERS_MIN && half.is_substantial();
        let near = apart(kept, gone);
        if !is_fair(kept) || !is_fair(gone) || near >= SPLIT_PROPOSED_BELOW {
            return None;
        }
        let goes = single.iter().filter(|one| apart(one, gone) > apart(one, kept));
        let held: BTreeSet<&String> = goes.flat_map(|one| &one.clusters).flat_map(|read| &read.cluster.messages).collect();
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
