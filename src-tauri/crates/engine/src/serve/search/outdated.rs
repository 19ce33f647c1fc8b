//! Finds the messages that a later one makes outdated: "no, the 14th" after "the 12th then".
//!
//! The reader judges pairs of messages. This module selects them: an earlier message, and the later ones that are close to it in
//! meaning or follow right after it. Only messages that the audience may see are compared, so that an answer never reveals that
//! something else was said. Nothing is stored: what is said tomorrow may change the result.
//!
//! Not in this module: statements that replace each other (`propose::changes`), which a person decides about.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{Role, StatementPair, Timestamp, Utterance};
use keepsake_retrieval::Query;
use keepsake_store::{InteractionRow, ReadTx, StoreError};

use super::index::{Home, Index};
use super::rank::THREADS;
use super::scope::Scope;
use crate::areas::Serve;
use crate::serve::boundary::View;

/// Minimum probability at which a later message makes an earlier one outdated. Of the eight nearest messages to 504 tasks and
/// questions about six lives that were not used in training, 73 of 225 outdated or otherwise harmful ones give way at this value, and
/// 10 of 438 needed ones; 14 needed ones take a place (decision 66).
const OUTDATED_MIN: f64 = 0.8;

/// Maximum number of comparisons for one request, closest pairs first. Each takes some 9 ms on two cores, and a context should take
/// no longer than 150 ms. With 32, a tenth more of what is outdated gives way.
const PAIRS_MAX: usize = 12;

/// Number of later messages closest in meaning that an earlier one is compared with. On lives of authors not trained on, what makes
/// a message outdated is among these and the next two for 71 of 100, and among twelve for 80.
const NEAR: usize = 4;

/// Minimum similarity of those. Less similar ones are hardly ever about the same matter.
const NEAR_COSINE_MIN: f32 = 0.3;

/// Number of messages right after an earlier one that it is also compared with, because a correction follows at once and is often
/// too short to be similar.
const NEXT: i64 = 2;

impl Serve<'_> {
    /// For each of the messages at these log positions that is outdated, the latest message that makes it so. Without a reader
    /// there are none.
    pub(crate) fn outdated_by(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        until: Option<Timestamp>,
        earlier: &BTreeSet<i64>,
    ) -> Result<HashMap<i64, InteractionRow>, StoreError> {
        let nothing = Ok(HashMap::new());
        let Some(embedder) = self.engine.inner.embedder.ready() else { return nothing };
        let index = self.engine.inner.search.current(tx, Some(embedder.name()))?;
        let scope = self.scope(tx, &index, view, &Query::default(), until)?;
        let mut close: Vec<(f32, (i64, i64))> = Vec::new();
        for &seq in earlier {
            let later = later_than(tx, &index, &scope, embedder.name(), seq)?;
            close.extend(later.into_iter().map(|(later, cosine)| (cosine, (seq, later))));
        }
        if close.is_empty() {
            return nothing;
        }
        close.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let mut pairs: Vec<(i64, i64)> = close.into_iter().take(PAIRS_MAX).map(|(_, pair)| pair).collect();
        let Some(reader) = self.engine.inner.embedder.reader().ready() else { return nothing };
        let before_of = |later: i64| index.neighbour(later, -1).filter(|before| scope.home(&index, *before).is_some());
        let wanted: BTreeSet<i64> =
            pairs.iter().flat_map(|&(earlier, later)| [Some(earlier), Some(later), before_of(later)]).flatten().collect();
        let rows: HashMap<i64, InteractionRow> = tx.search().messages_at(wanted)?.into_iter().map(|row| (row.seq, row)).collect();
        pairs.retain(|(earlier, later)| rows.contains_key(earlier) && rows.get(later).is_some_and(is_said));
        let said = |seq: i64| rows.get(&seq).map(|row| Utterance { role: row.role, text: &row.content });
        let asked: Vec<StatementPair<'_>> = pairs
            .iter()
            .filter_map(|&(earlier, later)| {
                let before = before_of(later).filter(|before| *before != earlier).and_then(said);
                Some(StatementPair { earlier: said(earlier)?, before, later: said(later)? })
            })
            .collect();
        let changes = match reader.compare(&asked) {
            Ok(changes) => changes,
            Err(error) => {
                tracing::warn!(%error, "messages could not be compared");
                return nothing;
            }
        };
        let mut latest: HashMap<i64, i64> = HashMap::new();
        let time = |seq: i64| rows.get(&seq).map(|row| (row.time, seq));
        for ((earlier, later), _) in pairs.into_iter().zip(changes).filter(|(_, change)| change.replaces >= OUTDATED_MIN) {
            let slot = latest.entry(earlier).or_insert(later);
            if time(later) > time(*slot) {
                *slot = later;
            }
        }
        Ok(latest.into_iter().filter_map(|(earlier, later)| Some((earlier, rows.get(&later)?.clone()))).collect())
    }
}

/// Whether a message is something that a person or an assistant said, and not replaced by an edit.
fn is_said(row: &InteractionRow) -> bool {
    !row.is_branch && matches!(row.role, Role::Owner | Role::Person | Role::Assistant)
}

/// The later messages that may make the message at this log position outdated, with their similarity.
fn later_than(tx: &ReadTx<'_>, index: &Index, scope: &Scope, model: &str, seq: i64) -> Result<BTreeMap<i64, f32>, StoreError> {
    let Some(home) = scope.home(index, seq) else { return Ok(BTreeMap::new()) };
    let is_later = |other: i64, time: Timestamp| (time, other) > (home.time, seq);
    let next: Vec<i64> = (1..=NEXT)
        .filter_map(|offset| index.neighbour(seq, offset))
        .filter(|other| scope.home(index, *other).is_some_and(|home| is_later(*other, home.time)))
        .collect();
    let mut found: BTreeMap<i64, f32> = next.iter().map(|other| (*other, 0.0)).collect();
    let Some(vector) = tx.vectors().of_message(model, seq)? else { return Ok(found) };
    found.extend(index.estimates(&vector, next));
    let allowed = |other: i64, home: Home| is_later(other, home.time) && scope.allows(other, home);
    let near = index.nearest(&vector, |_| NEAR, THREADS, Some(allowed));
    let messages: HashMap<i64, i64> = near.into_iter().map(|(other, arrival)| (arrival, other)).collect();
    let products = tx.vectors().products(&vector, messages.keys().copied())?;
    let near = products.into_iter().filter(|(_, cosine)| *cosine >= NEAR_COSINE_MIN);
    found.extend(near.filter_map(|(arrival, cosine)| Some((*messages.get(&arrival)?, cosine))));
    Ok(found)
}
