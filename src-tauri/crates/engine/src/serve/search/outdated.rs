//! Finds the messages that a later one makes outdated: "no, the 14th" after "the 12th then".
//!
//! The reader judges pairs of messages. This module selects the pairs: an earlier answer, and a later message that is an answer
//! too, is close to it in meaning, or follows right after it. Only messages that the audience may see are compared, so that an
//! answer never reveals that something else was said. Nothing is stored, because what is said tomorrow may change the result.
//!
//! Not in this module: statements that replace each other (`propose::changes`), which a person decides about.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_capture::is_for_reader;
use keepsake_domain::{Role, StatementPair, Timestamp};
use keepsake_retrieval::Query;
use keepsake_store::{InteractionRow, ReadTx, StoreError};

use super::index::{Home, Index};
use super::rank::THREADS;
use super::scope::Scope;
use crate::areas::Serve;
use crate::derive::reading::utterance;
use crate::serve::boundary::View;

/// Minimum probability at which a later answer makes an earlier answer to the same question outdated. Two answers to one
/// question are mostly about the same matter, so a lower probability is enough than for [`OUTDATED_MIN`]. Both values were
/// measured on 504 tasks and questions about six lives that were not used in training (decision 71).
const OUTDATED_BY_ANSWER_MIN: f64 = 0.5;

/// Minimum probability at which any other later message makes an answer outdated. This message is then served although it was
/// not found, so it has to be more certain.
const OUTDATED_MIN: f64 = 0.8;

/// Maximum number of comparisons for one request, closest pairs first. Each takes about 3 ms on two cores, and a context
/// should take no longer than 150 ms.
const PAIRS_MAX: usize = 32;

/// Number of later messages closest in meaning with which an earlier message is compared. On lives by authors not used in
/// training, the message that makes another one outdated is among these and the next two ([`NEXT`]) in 71 of 100 cases, and
/// among twelve in 80.
const NEAR: usize = 4;

/// Minimum similarity of these later messages, and of two answers. Less similar messages are hardly ever about the same matter.
const NEAR_COSINE_MIN: f32 = 0.3;

/// Number of messages right after an earlier message with which it is also compared, because a correction follows at once and
/// is often too short to be similar.
const NEXT: i64 = 2;

/// The latest message that makes another one outdated.
#[derive(Debug, Clone)]
pub(crate) struct Later {
    pub(crate) message: InteractionRow,
    /// Whether its author is the owner or the author of the outdated message. Other people's words do not make outdated what
    /// the owner approved.
    pub(crate) is_own: bool,
}

/// Log positions of two messages to compare, and of the message right before the later one.
struct Compared {
    earlier: i64,
    before: Option<i64>,
    later: i64,
    /// Whether the later message is an answer too.
    is_answer: bool,
}

impl Compared {
    fn is_outdated_at(&self, probability: f64) -> bool {
        probability >= if self.is_answer { OUTDATED_BY_ANSWER_MIN } else { OUTDATED_MIN }
    }
}

impl Serve<'_> {
    /// Maps the log position of each outdated message among `answers` to the latest message that makes it outdated. A later
    /// message counts only if `served` accepts it. Without a reader, the result is empty.
    pub(crate) fn outdated_by(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        until: Option<Timestamp>,
        answers: &BTreeSet<i64>,
        served: impl Fn(&InteractionRow) -> bool,
    ) -> Result<HashMap<i64, Later>, StoreError> {
        let mut pairs = self.compared(tx, view, until, answers)?;
        let wanted: BTreeSet<i64> =
            pairs.iter().flat_map(|pair| [Some(pair.earlier), pair.before, Some(pair.later)]).flatten().collect();
        let rows: HashMap<i64, InteractionRow> = tx.search().messages_at(wanted)?.into_iter().map(|row| (row.seq, row)).collect();
        let counts = |row: &InteractionRow| is_for_reader(row.role, row.message_type, row.is_branch, &row.content) && served(row);
        pairs.retain(|pair| rows.contains_key(&pair.earlier) && rows.get(&pair.later).is_some_and(counts));
        pairs.truncate(PAIRS_MAX);
        let reader = self.engine.inner.embedder.reader();
        let Some(reader) = (!pairs.is_empty()).then(|| reader.ready()).flatten() else { return Ok(HashMap::new()) };
        let said = |seq: i64| utterance(&rows[&seq]);
        let asked: Vec<StatementPair<'_>> = pairs
            .iter()
            .map(|&Compared { earlier, before, later, .. }| StatementPair {
                earlier: said(earlier),
                before: before.filter(|before| rows.contains_key(before)).map(said),
                later: said(later),
            })
            .collect();
        let changes = reader.compare(&asked).unwrap_or_else(|error| {
            tracing::warn!(%error, "messages could not be compared");
            Vec::new()
        });
        let mut latest: HashMap<i64, &InteractionRow> = HashMap::new();
        for (pair, _) in pairs.iter().zip(changes).filter(|(pair, change)| pair.is_outdated_at(change.replaces)) {
            let later = &rows[&pair.later];
            let slot = latest.entry(pair.earlier).or_insert(later);
            if (later.time, later.seq) > (slot.time, slot.seq) {
                *slot = later;
            }
        }
        let with_speaker = |(earlier, later): (i64, &InteractionRow)| {
            let is_own = later.role == Role::Owner || later.handle_id == rows[&earlier].handle_id;
            (earlier, Later { message: later.clone(), is_own })
        };
        Ok(latest.into_iter().map(with_speaker).collect())
    }

    /// The pairs that may be compared, among the messages that the audience may see, closest first.
    fn compared(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        until: Option<Timestamp>,
        answers: &BTreeSet<i64>,
    ) -> Result<Vec<Compared>, StoreError> {
        let Some(embedder) = self.engine.inner.embedder.ready() else { return Ok(Vec::new()) };
        let index = self.engine.inner.search.current(tx, Some(embedder.name()))?;
        let scope = self.scope(tx, &index, view, &Query::default(), until)?;
        let mut close: Vec<(f32, Compared)> = Vec::new();
        for &earlier in answers {
            for (later, cosine) in later_than(tx, &index, &scope, embedder.name(), earlier, answers)? {
                let before =
                    index.neighbour_in_talk(later, -1).filter(|seq| *seq != earlier && scope.home(&index, *seq).is_some());
                close.push((cosine, Compared { earlier, before, later, is_answer: answers.contains(&later) }));
            }
        }
        close.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        Ok(close.into_iter().map(|(_, pair)| pair).collect())
    }
}

/// The later messages that may make the message at this log position outdated, with their similarity.
fn later_than(
    tx: &ReadTx<'_>,
    index: &Index,
    scope: &Scope,
    model: &str,
    seq: i64,
    answers: &BTreeSet<i64>,
) -> Result<BTreeMap<i64, f32>, StoreError> {
    let Some(home) = scope.home(index, seq) else { return Ok(BTreeMap::new()) };
    let is_later = |other: i64| scope.home(index, other).is_some_and(|other_home| (other_home.time, other) > (home.time, seq));
    let next: Vec<i64> =
        (1..=NEXT).filter_map(|offset| index.neighbour_in_talk(seq, offset)).filter(|other| is_later(*other)).collect();
    let mut found: BTreeMap<i64, f32> = next.iter().map(|other| (*other, 0.0)).collect();
    let Some(vector) = tx.vectors().of_message(model, seq)? else { return Ok(found) };
    let answers = index.estimates(&vector, answers.iter().copied().filter(|other| is_later(*other)));
    found.extend(answers.into_iter().filter(|(_, cosine)| *cosine >= NEAR_COSINE_MIN));
    found.extend(index.estimates(&vector, next));
    let allowed = |other: i64, other_home: Home| (other_home.time, other) > (home.time, seq) && scope.allows(other, other_home);
    let near = index.nearest(&vector, |_| NEAR, THREADS, Some(allowed));
    let messages: HashMap<i64, i64> = near.into_iter().map(|(other, arrival)| (arrival, other)).collect();
    let products = tx.vectors().products(&vector, messages.keys().copied())?;
    let near = products.into_iter().filter(|(_, cosine)| *cosine >= NEAR_COSINE_MIN);
    found.extend(near.filter_map(|(arrival, cosine)| Some((*messages.get(&arrival)?, cosine))));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_makes_another_outdated_at_a_lower_probability_than_other_messages_do() {
        let is_outdated = |is_answer: bool, probability: f64| {
            Compared { earlier: 1, before: None, later: 2, is_answer }.is_outdated_at(probability)
        };
        for (probability, by_answer, by_other) in
            [(0.49, false, false), (0.5, true, false), (0.79, true, false), (0.8, true, true)]
        {
            assert_eq!((is_outdated(true, probability), is_outdated(false, probability)), (by_answer, by_other), "{probability}");
        }
    }
}
