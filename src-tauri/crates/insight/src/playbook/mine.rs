//! Frequent ordered patterns: PrefixSpan (Pei et al., "PrefixSpan: Mining Sequential Patterns Efficiently by Prefix-Projected Pattern
//! Growth", ICDE 2001) with a bounded gap between steps and closed patterns (Yan, Han, Afshar, "CloSpan", SDM 2003): of two that hold
//! in the same sessions only the longer one is kept.
//!
//! A gap bound makes the first match of a prefix no longer the best one, so a projection keeps every place where the prefix ends
//! (Pei, Han, Wang, "Constraint-based sequential pattern mining", 2007). A step stands in a pattern once: seed 000 counts distinct uses,
//! and what is done again is part of the step. Work is bounded; where the bound is met, the patterns of rarer steps, which say more, are
//! found first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::uses::{Kind, Session, ToolUse, numbered};
use super::{OCCURRENCES_MIN, TOOLS_MIN};

/// What may stand between two steps. Within a way of working one looks something up or mends something; after more, other work began.
pub(super) const GAP_MAX: usize = 4;

/// Longer ones are two.
const STEPS_MAX: usize = 14;

/// Prefixes that are grown for each first step. Some hundred are usual; sessions in which everything follows on everything could keep
/// the computer busy for ever.
const PREFIXES_MAX: usize = 1_000;

/// Patterns that are handed on at most.
const PATTERNS_MAX: usize = 10_000;

/// What is done once or several times in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// Number of its kind.
    pub(super) kind: usize,
    /// The uses of the session that it is.
    pub(super) uses: std::ops::Range<usize>,
    /// The last use failed: what failed and was done again is done.
    pub(super) has_failed: bool,
}

/// The sessions as rows of numbers.
pub(super) struct Corpus<'s> {
    pub(super) sessions: Vec<&'s Session>,
    pub(super) kinds: Vec<Kind>,
    pub(super) events: Vec<Vec<Event>>,
    /// In how many sessions each kind occurs.
    pub(super) spread: Vec<usize>,
    /// Session by session and kind by kind, where it stands.
    places: Vec<Vec<Vec<usize>>>,
}

impl<'s> Corpus<'s> {
    pub(super) fn of(sessions: &[&'s Session]) -> Self {
        let mut sessions: Vec<&Session> = sessions.to_vec();
        // The order in which they are read must not show in what is found.
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

/// A pattern and the sessions that hold it, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) kinds: Vec<usize>,
    pub(super) sessions: Vec<usize>,
}

/// Where a prefix ends, session by session, ascending.
type Projection = Vec<(usize, Vec<usize>)>;

/// Every closed pattern with enough tools in enough sessions of which it is possible that it holds; `least_share` is the share of the
/// sessions with its first steps that must go on to the last one, and `head` says how many those are.
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
    /// `prefix` holds each step with the number of sessions that got there.
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
                // Places come in order and each once: an earlier end has reached some of them.
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

/// Those that no longer pattern of the same sessions contains.
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

/// Whether the steps stand in the longer ones in the same order.
pub(super) fn is_within(steps: &[usize], longer: &[usize]) -> bool {
    let mut rest = longer.iter();
    steps.iter().all(|step| rest.any(|other| other == step))
}

impl Corpus<'_> {
    /// Whether each of these kinds occurs in a session at all.
    pub(super) fn has_all(&self, session: usize, kinds: &[usize]) -> bool {
        kinds.iter().all(|kind| !self.places[session][*kind].is_empty())
    }

    /// The tightest run of these steps in a session, the last of several; with `takes_failed` also where a step failed.
    pub(super) fn run(&self, session: usize, steps: &[usize], takes_failed: bool) -> Option<Vec<usize>> {
        if !self.has_all(session, steps) {
            return None;
        }
        let row = &self.events[session];
        // For each step where it can stand as the last one: the place, where the run began, and the place before it that keeps it shortest.
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
