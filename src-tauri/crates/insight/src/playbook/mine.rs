//! Mines frequent ordered patterns with PrefixSpan (Pei et al., "PrefixSpan: Mining Sequential Patterns Efficiently by
//! Prefix-Projected Pattern Growth", ICDE 2001) with a bounded gap between steps and closed patterns (Yan, Han, Afshar,
//! "CloSpan", SDM 2003): of two patterns found in the same sessions, only the longer one is kept.
//!
//! With a bounded gap, the first match of a prefix is no longer always the best one, so a projection keeps every place where the
//! prefix ends (Pei, Han, Wang, "Constraint-based sequential pattern mining", 2007). A step occurs only once in a pattern,
//! because seed 000 counts distinct uses and treats repetitions as part of the step. The work is bounded; patterns with rarer
//! steps are more informative and are searched first, in case the limit is reached.

use crate::playbook::rules::{GAP_MAX, PATTERNS_MAX, PREFIXES_MAX, STEPS_MAX};
use crate::playbook::rules::{OCCURRENCES_MIN, TOOLS_MIN};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::uses::{Kind, Session, ToolUse, numbered};

/// An action done once or several times in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// Index of its kind.
    pub(super) kind: usize,
    /// The session's tool uses that form this event.
    pub(super) uses: std::ops::Range<usize>,
    /// True if the last use failed. An action that failed and then succeeded counts as done.
    pub(super) has_failed: bool,
}

/// The sessions as sequences of kind indices.
pub(super) struct Corpus<'s> {
    pub(super) sessions: Vec<&'s Session>,
    pub(super) kinds: Vec<Kind>,
    pub(super) events: Vec<Vec<Event>>,
    /// The number of sessions in which each kind occurs.
    pub(super) spread: Vec<usize>,
    /// For each session and each kind, the events at which it occurs.
    places: Vec<Vec<Vec<usize>>>,
}

impl<'s> Corpus<'s> {
    pub(super) fn of(sessions: &[&'s Session]) -> Self {
        let mut sessions: Vec<&Session> = sessions.to_vec();
        // Sorted, so that the result does not depend on the order in which sessions were read.
        sessions.sort_by(|a, b| {
            let start = |session: &Session| session.uses.first().map(|first| (first.time, first.message.clone()));
            start(a).cmp(&start(b)).then(a.conversation.cmp(&b.conversation))
        });
        let (kinds, numbers) = numbered(sessions.iter().copied());
        let events: Vec<Vec<Event>> = sessions.iter().map(|session| events(&session.uses, &numbers)).collect();
        let mut places = vec![vec![Vec::new(); kinds.len()]; events.len()];
        for (row, places) in events.iter().zip(&mut places) {
            row.iter().enumerate().for_each(|(at, event)| places[event.kind].push(at));
        }
        let spread = (0..kinds.len()).map(|kind| places.iter().filter(|row| !row[kind].is_empty()).count()).collect();
        Self { sessions, kinds, events, spread, places }
    }

    /// The number of different tools in a pattern.
    pub(super) fn tools(&self, pattern: &[usize]) -> usize {
        pattern.iter().map(|kind| self.kinds[*kind].tool.as_str()).collect::<BTreeSet<_>>().len()
    }

    /// The uses of an event.
    pub(super) fn uses(&self, session: usize, event: usize) -> &'s [ToolUse] {
        &self.sessions[session].uses[self.events[session][event].uses.clone()]
    }
}

fn events(uses: &[ToolUse], numbers: &HashMap<Kind, usize>) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (at, one) in uses.iter().enumerate() {
        let Some(&kind) = numbers.get(&one.kind) else { continue };
        match events.last_mut().filter(|last| last.kind == kind) {
            Some(last) => {
                last.uses.end = at + 1;
                last.has_failed = one.has_failed;
            }
            None => events.push(Event { kind, uses: at..at + 1, has_failed: one.has_failed }),
        }
    }
    events
}

/// A pattern and the sessions that contain it, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) kinds: Vec<usize>,
    pub(super) sessions: Vec<usize>,
}

/// For each session, the events at which a prefix ends, in ascending order.
type Projection = Vec<(usize, Vec<usize>)>;

/// All closed patterns that have enough tools, occur in enough sessions and may still be reliable. `head` returns how many first
/// steps of a pattern count as its start. Of the sessions with that start, at least `least_share` must reach the last step.
pub(super) fn patterns(corpus: &Corpus<'_>, head: impl Fn(&[usize]) -> usize, least_share: f64) -> Vec<Pattern> {
    let mut search = Search { corpus, found: Vec::new(), left: 0, head: &head, least_share };
    for kind in rarest_first(corpus, (0..corpus.kinds.len()).collect()) {
        let projection: Projection = (0..corpus.events.len())
            .filter_map(|session| {
                let row = &corpus.events[session];
                let done: Vec<usize> = corpus.places[session][kind].iter().copied().filter(|at| !row[*at].has_failed).collect();
                (!done.is_empty()).then_some((session, done))
            })
            .collect();
        if projection.len() >= OCCURRENCES_MIN {
            search.left = PREFIXES_MAX;
            search.grow(&mut vec![(kind, projection.len())], &projection);
        }
    }
    closed(search.found)
}

fn rarest_first(corpus: &Corpus<'_>, mut kinds: Vec<usize>) -> Vec<usize> {
    kinds.sort_by_key(|kind| (corpus.spread[*kind], *kind));
    kinds
}

struct Search<'c, 's, F> {
    corpus: &'c Corpus<'s>,
    found: Vec<Pattern>,
    left: usize,
    head: &'c F,
    least_share: f64,
}

impl<F: Fn(&[usize]) -> usize> Search<'_, '_, F> {
    /// Extends a prefix. `prefix` contains each step with the number of sessions that reached it.
    fn grow(&mut self, prefix: &mut Vec<(usize, usize)>, projection: &Projection) {
        if self.left == 0 || self.found.len() >= PATTERNS_MAX {
            return;
        }
        self.left -= 1;
        let kinds: Vec<usize> = prefix.iter().map(|(kind, _)| *kind).collect();
        if self.corpus.tools(&kinds) >= TOOLS_MIN {
            let began = prefix[(self.head)(&kinds) - 1].1;
            if projection.len() as f64 >= began as f64 * self.least_share {
                self.found
                    .push(Pattern { kinds: kinds.clone(), sessions: projection.iter().map(|(session, _)| *session).collect() });
            }
        }
        if prefix.len() == STEPS_MAX {
            return;
        }
        let mut next: Vec<Projection> = vec![Vec::new(); self.corpus.kinds.len()];
        for (session, ends) in projection {
            let row = &self.corpus.events[*session];
            let mut seen = 0;
            for &end in ends {
                // Visits each event once and in order; an earlier end may already have covered some of them.
                let reach = (end + 1).max(seen)..row.len().min(end + 2 + GAP_MAX);
                for (at, event) in reach.clone().zip(row.get(reach).into_iter().flatten()) {
                    seen = at + 1;
                    if event.has_failed || kinds.contains(&event.kind) {
                        continue;
                    }
                    match next[event.kind].last_mut().filter(|(known, _)| known == session) {
                        Some((_, places)) => places.push(at),
                        None => next[event.kind].push((*session, vec![at])),
                    }
                }
            }
        }
        let grown: Vec<usize> = (0..next.len()).filter(|kind| next[*kind].len() >= OCCURRENCES_MIN).collect();
        for kind in rarest_first(self.corpus, grown) {
            prefix.push((kind, next[kind].len()));
            self.grow(prefix, &next[kind]);
            prefix.pop();
        }
    }
}

/// Keeps the patterns that are not contained in a longer pattern found in the same sessions.
fn closed(found: Vec<Pattern>) -> Vec<Pattern> {
    let mut by_sessions: BTreeMap<Vec<usize>, Vec<Vec<usize>>> = BTreeMap::new();
    for pattern in found {
        by_sessions.entry(pattern.sessions).or_default().push(pattern.kinds);
    }
    let mut kept = Vec::new();
    for (sessions, mut all) in by_sessions {
        all.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        let mut longest: Vec<Vec<usize>> = Vec::new();
        for kinds in all {
            if !longest.iter().any(|longer| longer.len() > kinds.len() && is_within(&kinds, longer)) {
                longest.push(kinds);
            }
        }
        kept.extend(longest.into_iter().map(|kinds| Pattern { kinds, sessions: sessions.clone() }));
    }
    kept.sort_by(|a, b| a.kinds.cmp(&b.kinds));
    kept
}

/// True if the steps occur in the longer pattern in the same order.
pub(super) fn is_within(steps: &[usize], longer: &[usize]) -> bool {
    let mut rest = longer.iter();
    steps.iter().all(|step| rest.any(|other| other == step))
}

impl Corpus<'_> {
    /// True if all of these kinds occur in a session.
    pub(super) fn has_all(&self, session: usize, kinds: &[usize]) -> bool {
        kinds.iter().all(|kind| !self.places[session][*kind].is_empty())
    }

    /// The tightest run of these steps in a session, or the last of several equally tight ones. With `takes_failed`, failed steps
    /// also count.
    pub(super) fn run(&self, session: usize, steps: &[usize], takes_failed: bool) -> Option<Vec<usize>> {
        if !self.has_all(session, steps) {
            return None;
        }
        let row = &self.events[session];
        // For each step, every event at which the step can occur: the event, the event at which the run began, and the previous
        // step's event that keeps the run shortest.
        let mut best: Vec<Vec<(usize, usize, usize)>> = Vec::with_capacity(steps.len());
        for (number, step) in steps.iter().enumerate() {
            let places = self.places[session][*step].iter().copied().filter(|at| takes_failed || !row[*at].has_failed);
            let here: Vec<(usize, usize, usize)> = match number.checked_sub(1) {
                None => places.map(|at| (at, at, at)).collect(),
                Some(before) => places
                    .filter_map(|at| {
                        let reach = best[before].iter().filter(|(before, ..)| *before < at && at - before <= GAP_MAX + 1);
                        reach.max_by_key(|(before, began, _)| (*began, *before)).map(|(before, began, _)| (at, *began, *before))
                    })
                    .collect(),
            };
            if here.is_empty() {
                return None;
            }
            best.push(here);
        }
        let (mut at, ..) = *best.last()?.iter().min_by_key(|(at, began, _)| (at - began, usize::MAX - at))?;
        let mut run = vec![at];
        for here in best.iter().skip(1).rev() {
            at = here.iter().find(|(place, ..)| *place == at)?.2;
            run.push(at);
        }
        run.reverse();
        Some(run)
    }
}
