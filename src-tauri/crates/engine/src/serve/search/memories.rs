//! Finds memories for a question, by words and meaning. Search results and contexts use the same order.

use std::collections::{HashMap, HashSet};

use keepsake_domain::MemoryId;
use keepsake_retrieval::{Filters, Kind, Query};
use keepsake_store::{ReadTx, StoreError};

use super::scope::Scope;
use super::{Why, best_first, memory_fits};
use crate::areas::Serve;
use crate::serve::boundary::View;

/// Weight of similarity in meaning relative to one rare word: a cosine of 0.5 counts about as much as one word.
const MEANING_WEIGHT: f64 = 8.0;

/// Minimum cosine; below it, a statement has nothing to do with the question.
const MEANING_MIN: f32 = 0.25;

/// A memory found by a search.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHit {
    /// Id of the memory.
    pub id: MemoryId,
    /// Higher is better. Only comparable with other scores of the same search.
    pub score: f64,
    /// Cosine with the question; `None` without a model.
    pub meaning: Option<f32>,
    /// Why it was found.
    pub why: Vec<Why>,
}

impl MemoryHit {
    /// Whether it contains a word of the question.
    pub(crate) fn has_words(&self) -> bool {
        self.why.contains(&Why::Words)
    }
}

impl Serve<'_> {
    /// The given memories that relate to a question, best first, with the reason.
    pub(crate) fn rank_memories(
        &self,
        tx: &ReadTx<'_>,
        memories: &[MemoryId],
        typed: &str,
        vector: Option<(&str, &[f32])>,
        limit: usize,
    ) -> Result<Vec<MemoryHit>, StoreError> {
        let by_words: HashMap<MemoryId, f64> = tx.search().memories_within(typed, memories)?.into_iter().collect();
        let cosines: HashMap<MemoryId, f32> = match vector {
            Some((model, vector)) => self.memory_meanings(tx, memories, model, vector)?.into_iter().collect(),
            None => HashMap::new(),
        };
        let meaning = |id: &MemoryId| cosines.get(id).copied().filter(|cosine| *cosine >= MEANING_MIN);
        // Newest first before sorting by score, so that equal scores keep that order.
        let score = |id: &MemoryId| match (by_words.get(id), meaning(id)) {
            (None, None) => None,
            (words, meaning) => {
                Some(words.copied().unwrap_or(0.0) + meaning.map_or(0.0, |cosine| f64::from(cosine) * MEANING_WEIGHT))
            }
        };
        let scored = memories.iter().rev().filter_map(|id| score(id).map(|score| (id.clone(), score))).collect();
        Ok(best_first(scored, limit)
            .into_iter()
            .map(|(id, score)| {
                let mut why = Vec::new();
                if by_words.contains_key(&id) {
                    why.push(Why::Words);
                }
                if meaning(&id).is_some() {
                    why.push(Why::Meaning);
                }
                MemoryHit { meaning: cosines.get(&id).copied(), id, score, why }
            })
            .collect())
    }

    fn memory_meanings(
        &self,
        tx: &ReadTx<'_>,
        memories: &[MemoryId],
        model: &str,
        vector: &[f32],
    ) -> Result<Vec<(MemoryId, f32)>, StoreError> {
        self.engine.inner.search.add_memories(tx, model, memories)?;
        let index = self.engine.inner.search.current(tx, Some(model))?;
        Ok(memories.iter().filter_map(|id| Some((id.clone(), index.memory_meaning(vector, id)?))).collect())
    }

    /// Memories that answer the query, among those the audience may see.
    pub(crate) fn search_memories(
        &self,
        tx: &ReadTx<'_>,
        view: Option<&View>,
        query: &Query,
        vector: Option<(&str, &[f32])>,
        limit: usize,
    ) -> Result<Vec<MemoryHit>, StoreError> {
        let filters = &query.filters;
        if !query.has_words() && !filters.kinds.contains(&Kind::Memory) {
            return Ok(Vec::new());
        }
        let mut open = match view {
            Some(view) => view.memories(tx, None)?.memories,
            None => tx.memories().active_at(None)?,
        };
        if filters.after.is_some() || filters.before.is_some() {
            let mut fitting = Vec::new();
            for id in open {
                if memory_fits(query, tx.memories().memory(&id)?.said) {
                    fitting.push(id);
                }
            }
            open = fitting;
        }
        if !filters.people.is_empty() || !filters.channels.is_empty() {
            let rests_on = self.memories_said_in(tx, view, query)?;
            open.retain(|id| rests_on.contains(id));
        }
        if !query.has_words() {
            // Newest first.
            let newest = open.into_iter().rev().take(limit);
            return Ok(newest.map(|id| MemoryHit { id, score: 0.0, meaning: None, why: vec![Why::Filter] }).collect());
        }
        let phrases = query.phrases.iter().map(|phrase| {
            let words: Vec<&str> = phrase.iter().map(|term| term.plain.as_str()).collect();
            format!("\"{}\"", words.join(" "))
        });
        let words = query.terms.iter().map(|term| format!("{}{}", term.plain, if term.is_prefix { "*" } else { "" }));
        let typed = phrases.chain(words).collect::<Vec<_>>().join(" ");
        // A phrase must occur literally; similarity in meaning does not count.
        let vector = vector.filter(|_| query.phrases.is_empty());
        let mut hits = self.rank_memories(tx, &open, &typed, vector, limit)?;
        if let Some((_, question)) = vector {
            self.add_of_attribute(tx, &open, question, &mut hits)?;
            hits.truncate(limit);
        }
        Ok(hits)
    }

    /// Memories that rest on a line by the requested people and in the requested channels, provided that the audience may see
    /// that line. A memory that was shared without its lines must not reveal who said it or where.
    fn memories_said_in(&self, tx: &ReadTx<'_>, view: Option<&View>, query: &Query) -> Result<HashSet<MemoryId>, StoreError> {
        let index = self.engine.inner.search.current(tx, None)?;
        let map = self.engine.access_map(tx)?;
        let people = self.people_meant(tx, view, &index, &query.filters.people)?;
        // The time filter applies to the memory, not to its lines.
        let filters = Filters { after: None, before: None, ..query.filters.clone() };
        let scope = Scope::new(tx, &index, view, &filters, None, &people, |entity| map.persons.of(entity))?;
        let lines = tx.memories().evidence_lines()?.into_iter();
        Ok(lines.filter(|(_, seq)| scope.home(&index, *seq).is_some()).map(|(id, _)| id).collect())
    }
}
