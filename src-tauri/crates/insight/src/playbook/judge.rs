//! Decides which patterns are reliable: the evidence for and against each, and the resulting confidence.
//!
//! A session contradicts a pattern if the steps were carried out and one failed, if it started the same way and continued
//! differently, or if it contains the same steps close together in a different order. The last condition separates procedures
//! from tools that are merely used often, because such tools appear in every order.

use crate::playbook::rules::{FOUND_MAX, GAP_MAX, OCCURRENCES_MIN};
use crate::playbook::rules::{HIGH_OCCURRENCES, HIGH_SHARE, MEDIUM_SHARE, SAME_SHARE};
use std::collections::BTreeSet;

use keepsake_domain::PlaybookConfidence;

use super::mine::{Corpus, Pattern, is_within, patterns};
use super::{Against, Contradiction, Occurrence};

/// A pattern accepted as a playbook, with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    pub(super) kinds: Vec<usize>,
    pub(super) confidence: PlaybookConfidence,
    /// For each supporting session, its index and the event index of each step.
    pub(super) support: Vec<(usize, Vec<usize>)>,
    /// For each contradicting session, its index, the event index and the reason.
    pub(super) against: Vec<(usize, usize, Against)>,
}

/// The confidence in a pattern; `None` if it has too little support or too many contradictions.
pub(super) fn confidence(supporting: usize, contradicting: usize) -> Option<PlaybookConfidence> {
    let share = supporting as f64 / (supporting + contradicting).max(1) as f64;
    if supporting < OCCURRENCES_MIN || share < MEDIUM_SHARE {
        return None;
    }
    let is_high = supporting >= HIGH_OCCURRENCES && share >= HIGH_SHARE;
    Some(if is_high { PlaybookConfidence::High } else { PlaybookConfidence::Medium })
}

/// The reliable patterns, each procedure once.
pub(super) fn held(corpus: &Corpus<'_>) -> Vec<Held> {
    let mut patterns = patterns(corpus, |kinds| head(corpus, kinds), MEDIUM_SHARE);
    // The pattern with the most steps is the most informative; on a tie, the one seen in more sessions.
    patterns.sort_by(|a, b| {
        b.kinds.len().cmp(&a.kinds.len()).then(b.sessions.len().cmp(&a.sessions.len())).then(a.kinds.cmp(&b.kinds))
    });
    let mut kept: Vec<Held> = Vec::new();
    for pattern in patterns {
        if kept.iter().any(|longer| is_same_work(&pattern, longer)) {
            continue;
        }
        kept.extend(judge(corpus, &pattern).filter(|held| !has_chance_step(corpus, held)));
    }
    kept.sort_by(|a, b| weight(b).cmp(&weight(a)).then(a.kinds.cmp(&b.kinds)));
    kept.truncate(FOUND_MAX);
    kept
}

/// True if a step is in the pattern by chance: most sessions that contain the other steps lack it, and it usually occurs
/// elsewhere.
fn has_chance_step(corpus: &Corpus<'_>, held: &Held) -> bool {
    let is_share_of = |of: usize, share: f64| held.support.len() as f64 >= of as f64 * share;
    (0..held.kinds.len()).any(|at| {
        if is_share_of(corpus.spread[held.kinds[at]], MEDIUM_SHARE) {
            return false;
        }
        let rest: Vec<usize> = [&held.kinds[..at], &held.kinds[at + 1..]].concat();
        // A session in which the step was tried and failed does not count as lacking it.
        let has_rest = |session: usize| {
            corpus.run(session, &rest, false).is_some()
                && !held.against.iter().any(|(other, _, why)| *other == session && *why == Against::Failed)
        };
        let all = (0..corpus.events.len()).filter(|session| has_rest(*session)).count();
        !is_share_of(all, HIGH_SHARE)
    })
}

fn weight(held: &Held) -> usize {
    held.support.len() * held.kinds.len()
}

fn is_same_work(pattern: &Pattern, kept: &Held) -> bool {
    let steps = pattern.kinds.iter().filter(|kind| kept.kinds.contains(kind)).count();
    let sessions = pattern.sessions.iter().filter(|one| kept.support.iter().any(|(session, _)| session == *one)).count();
    let is_most = |count: usize, of: usize| count as f64 > of as f64 * SAME_SHARE;
    (is_within(&pattern.kinds, &kept.kinds) || is_most(steps, pattern.kinds.len())) && is_most(sessions, pattern.sessions.len())
}

/// The number of steps after which a session counts as having started the same way: at least half of them, and at least up to the
/// rarest one, because the steps before it could belong to any work; but never all of them.
fn head(corpus: &Corpus<'_>, kinds: &[usize]) -> usize {
    let rarest = (0..kinds.len()).min_by_key(|at| (corpus.spread[kinds[*at]], *at)).unwrap_or(0);
    kinds.len().div_ceil(2).max(rarest + 1).min(kinds.len() - 1).max(1)
}

fn judge(corpus: &Corpus<'_>, pattern: &Pattern) -> Option<Held> {
    let kinds = &pattern.kinds;
    let head = &kinds[..head(corpus, kinds)];
    let reversed: Vec<usize> = kinds.iter().rev().copied().collect();
    // With more contradictions than this, the pattern is not reliable.
    let against_max = (pattern.sessions.len() as f64 * (1.0 / MEDIUM_SHARE - 1.0)).floor() as usize;
    let mut support = Vec::new();
    let mut against = Vec::new();
    for session in 0..corpus.events.len() {
        if against.len() > against_max {
            return None;
        }
        let done = corpus.run(session, kinds, false);
        let backwards = corpus.run(session, &reversed, false);
        match (done, backwards) {
            (Some(places), None) => support.push((session, places)),
            (_, Some(places)) => against.push((session, places[0], Against::OtherOrder)),
            (None, None) => {
                let why = corpus
                    .run(session, kinds, true)
                    .map(|places| (failed_step(corpus, session, &places), Against::Failed))
                    .or_else(|| corpus.run(session, head, true).map(|places| (places[places.len() - 1], Against::EndedOtherwise)))
                    .or_else(|| together(corpus, session, kinds).map(|at| (at, Against::OtherOrder)));
                against.extend(why.map(|(at, why)| (session, at, why)));
            }
        }
    }
    let confidence = confidence(support.len(), against.len())?;
    Some(Held { kinds: kinds.clone(), confidence, support, against })
}

fn failed_step(corpus: &Corpus<'_>, session: usize, places: &[usize]) -> usize {
    let row = &corpus.events[session];
    places.iter().copied().find(|at| row[*at].has_failed).unwrap_or(places[0])
}

/// The first event of a stretch that contains all steps, in any order, as close together as a pattern allows.
fn together(corpus: &Corpus<'_>, session: usize, kinds: &[usize]) -> Option<usize> {
    if !corpus.has_all(session, kinds) {
        return None;
    }
    let row = &corpus.events[session];
    let span = kinds.len() + (kinds.len() - 1) * GAP_MAX;
    let wanted: BTreeSet<usize> = kinds.iter().copied().collect();
    let places: Vec<usize> = row.iter().enumerate().filter(|(_, event)| wanted.contains(&event.kind)).map(|(at, _)| at).collect();
    (0..places.len()).map(|from| &places[from..]).find_map(|rest| {
        let within = rest.iter().take_while(|at| **at < rest[0] + span);
        let seen: BTreeSet<usize> = within.map(|at| row[*at].kind).collect();
        (seen.len() == wanted.len()).then(|| rest[0])
    })
}

impl Held {
    /// The occurrences in chronological order.
    pub(super) fn occurrences(&self, corpus: &Corpus<'_>) -> Vec<Occurrence> {
        let occurrence = |(session, places): &(usize, Vec<usize>)| {
            let steps: Vec<&super::ToolUse> = places.iter().filter_map(|at| corpus.uses(*session, *at).last()).collect();
            Some(Occurrence {
                conversation: corpus.sessions[*session].conversation.clone(),
                began: steps.first()?.time,
                ended: steps.last()?.time,
                messages: steps.into_iter().map(|step| step.message.clone()).collect(),
            })
        };
        self.support.iter().filter_map(occurrence).collect()
    }

    /// The contradictions in chronological order.
    pub(super) fn contradictions(&self, corpus: &Corpus<'_>) -> Vec<Contradiction> {
        let contradiction = |(session, at, why): &(usize, usize, Against)| {
            let step = corpus.uses(*session, *at).last()?;
            Some(Contradiction {
                conversation: corpus.sessions[*session].conversation.clone(),
                message: step.message.clone(),
                time: step.time,
                why: *why,
            })
        };
        self.against.iter().filter_map(contradiction).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_holds_exactly_at_its_borders() {
        use PlaybookConfidence::{High, Medium};
        let check = |supporting, contradicting, expect| {
            assert_eq!(confidence(supporting, contradicting), expect, "{supporting} for, {contradicting} against");
        };
        check(2, 0, None);
        check(3, 0, Some(Medium));
        check(4, 0, Some(Medium));
        check(5, 0, Some(High));
        check(4, 1, Some(Medium));
        check(8, 2, Some(High));
        check(8, 3, Some(Medium));
        check(3, 2, Some(Medium));
        check(3, 3, None);
        check(6, 4, Some(Medium));
        check(6, 5, None);
        check(0, 0, None);
    }
}
