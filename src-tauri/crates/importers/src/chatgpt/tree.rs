//! The message tree of a conversation: repairs parents, finds the shown thread, fills in times, and sorts the nodes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use keepsake_domain::Timestamp;
use serde_json::value::RawValue;

use super::Node;

/// The parents of all nodes, without cycles.
pub(crate) struct Nodes {
    parents: Vec<Option<usize>>,
}

impl Nodes {
    /// Builds the tree over `nodes`. A missing parent is taken from a node that lists this one as its child. A cycle is cut where
    /// the path up from `current` first reaches a node again, so that the shown thread stays as long as possible.
    pub(crate) fn of(nodes: &[(Cow<'_, str>, Node<'_>)], index: &HashMap<&str, usize>, current: Option<usize>) -> Self {
        let mut parents: Vec<Option<usize>> = nodes
            .iter()
            .enumerate()
            .map(|(at, (_, node))| node.parent.text().and_then(|id| index.get(id).copied()).filter(|parent| *parent != at))
            .collect();
        // Only a broken tree has a second orphan, so only then is it worth reading the lists of children.
        if parents.iter().filter(|parent| parent.is_none()).count() > 1 {
            for (at, (_, node)) in nodes.iter().enumerate() {
                for child in children(node.children).iter().filter_map(|id| index.get(id.as_str())) {
                    if parents[*child].is_none() && *child != at {
                        parents[*child] = Some(at);
                    }
                }
            }
        }
        let mut tree = Self { parents };
        tree.cut_cycles(current);
        tree
    }

    /// Builds a tree from the given parents, which may contain cycles.
    #[cfg(test)]
    fn over(parents: Vec<Option<usize>>) -> Self {
        let mut tree = Self { parents };
        tree.cut_cycles(None);
        tree
    }

    fn cut_cycles(&mut self, first: Option<usize>) {
        // 0: not seen, 1: on the current path up, 2: known to end at a root.
        let mut marks = vec![0u8; self.parents.len()];
        for start in first.into_iter().chain(0..self.parents.len()) {
            let mut way = Vec::new();
            let mut at = start;
            while marks[at] == 0 {
                marks[at] = 1;
                way.push(at);
                match self.parents[at] {
                    Some(parent) if marks[parent] == 1 => {
                        self.parents[at] = None;
                        break;
                    }
                    Some(parent) => at = parent,
                    None => break,
                }
            }
            for node in way {
                marks[node] = 2;
            }
        }
    }

    /// The ancestors of `at`, nearest first.
    pub(crate) fn ancestors(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parents[at], |above| self.parents[*above])
    }

    /// The shown thread, from its root to `current`. Without a current node, it ends at the latest leaf.
    pub(crate) fn shown(&self, current: Option<usize>, times: &[Option<Timestamp>]) -> Vec<usize> {
        let leaf = current.or_else(|| {
            let inner: HashSet<usize> = self.parents.iter().flatten().copied().collect();
            (0..self.parents.len()).filter(|at| !inner.contains(at)).max_by_key(|at| (times[*at], *at))
        });
        let Some(leaf) = leaf else { return Vec::new() };
        let mut thread: Vec<usize> = std::iter::once(leaf).chain(self.ancestors(leaf)).collect();
        thread.reverse();
        thread
    }

    /// All nodes, parents before their children.
    fn top_down(&self) -> Vec<usize> {
        let mut children = vec![Vec::new(); self.parents.len()];
        let mut stack = Vec::new();
        for (at, parent) in self.parents.iter().enumerate().rev() {
            match parent {
                Some(parent) => children[*parent].push(at),
                None => stack.push(at),
            }
        }
        let mut order = Vec::with_capacity(self.parents.len());
        while let Some(at) = stack.pop() {
            order.push(at);
            stack.append(&mut children[at]);
        }
        order
    }

    /// All nodes, sorted by time. The shown thread keeps its own order even if its times run backward.
    pub(crate) fn order(&self, shown: &[usize], is_shown: &HashSet<usize>, times: &[Timestamp]) -> Vec<usize> {
        let mut keys = times.to_vec();
        for pair in shown.windows(2) {
            keys[pair[1]] = keys[pair[1]].max(keys[pair[0]]);
        }
        let branches = self.top_down().into_iter().filter(|at| !is_shown.contains(at));
        let mut order: Vec<usize> = shown.iter().copied().chain(branches).collect();
        order.sort_by_key(|at| keys[*at]);
        order
    }
}

/// The time of every node: its own, or its parent's, or the earliest among its descendants, or `fallback`.
pub(crate) fn fill_times(tree: &Nodes, times: &[Option<Timestamp>], fallback: Timestamp) -> Vec<Timestamp> {
    let order = tree.top_down();
    let mut filled = times.to_vec();
    for &at in &order {
        if filled[at].is_none() {
            filled[at] = tree.parents[at].and_then(|parent| filled[parent]);
        }
    }
    // Nodes still without a time have no ancestor with one, so they take the earliest time of their children.
    let mut below: Vec<Option<Timestamp>> = vec![None; times.len()];
    for &at in order.iter().rev() {
        let time = filled[at].or(below[at]);
        filled[at] = time;
        if let (Some(parent), Some(time)) = (tree.parents[at], time) {
            below[parent] = Some(below[parent].map_or(time, |known| known.min(time)));
        }
    }
    filled.into_iter().map(|time| time.unwrap_or(fallback)).collect()
}

fn children(raw: Option<&RawValue>) -> Vec<String> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_cut_and_every_walk_ends() {
        for parents in [vec![Some(0)], vec![Some(1), Some(0)], vec![Some(2), Some(0), Some(1), Some(2)], vec![None, Some(0)]] {
            let tree = Nodes::over(parents.clone());
            for at in 0..parents.len() {
                assert!(tree.ancestors(at).count() < parents.len(), "{parents:?} from {at} ends at a root");
            }
            assert_eq!(tree.top_down().len(), parents.len(), "{parents:?}: no node is lost");
        }
    }

    #[test]
    fn a_missing_time_comes_from_above_then_from_below_then_from_the_conversation() {
        let tree = Nodes::over(vec![None, Some(0), Some(1), None]);
        let times = [None, Some(Timestamp(5)), None, None];
        assert_eq!(fill_times(&tree, &times, Timestamp(9)), [5, 5, 5, 9].map(Timestamp));
    }
}
