//! Which known statements a new one replaces, and which known one replaces it: "we've moved to Gorgie" after "I live in Leith".
//!
//! The reader judges a pair of statements; here the pairs are chosen: those about the same somebody that are close in meaning. What was
//! said first is the earlier one, in whatever order they were read.
//!
//! Deliberately not here: what becomes of a pair (`review` sets the older one aside once the newer is approved).

use std::collections::BTreeSet;
use std::sync::PoisonError;

use keepsake_capture::{dedup::shared_words, spoken};
use keepsake_domain::{MemoryId, MemoryKind, Role, StatementPair, Subject, Timestamp};
use keepsake_models::cosine;
use keepsake_store::{StoreError, WriteTx};

use super::Prepared;
use super::known::KnownMemory;
use crate::boundary::Map;
use crate::{Engine, Result};

/// A newer statement replaces an older one from this probability on. It is low because of what is asked besides: together with
/// [`CLOSE_COSINE_MIN`] 17 of 20 are such, on pairs of an author not trained on among twice as many that have nothing to do with each
/// other (decision 33).
const REPLACES_MIN: f64 = 0.12;

/// Less alike, two statements are hardly ever about one matter. Of thousands of pairs few are a change, and the reader alone, which learnt
/// from pairs that are near each other, finds changes where there are none. What is put in wholly other words is missed.
const CLOSE_COSINE_MIN: f32 = 0.7;

/// Statements that a new one is held against, the closest first. Each costs the reading of a short message.
const CLOSE_MAX: usize = 8;

/// A statement that the new one is held against.
#[derive(Debug, Clone, PartialEq)]
enum Other {
    Known(MemoryId),
    /// A new one as well, by its place.
    New(usize),
}

/// One of two statements replaces the other, and how surely.
#[derive(Debug, Clone)]
struct Replacement {
    other: Other,
    is_new_later: bool,
    probability: f64,
}

/// What replaces what among the new statements and the known ones, by the place of the new one.
#[derive(Debug, Default)]
pub(super) struct Replacements {
    of: Vec<Vec<Replacement>>,
    /// The ids that new statements were given, as far as they were stored.
    ids: Vec<Option<MemoryId>>,
}

/// A statement as it is held against others.
struct Said<'a> {
    about: Subject,
    kind: MemoryKind,
    content: &'a str,
    vector: Option<&'a [f32]>,
    time: Option<Timestamp>,
    /// Of a new one, the place of its message: two of one message were said at once.
    message: Option<usize>,
}

impl<'a> Said<'a> {
    fn new(map: &Map, prepared: &'a Prepared<'_>) -> Self {
        let candidate = &prepared.candidate;
        let message = candidate.evidence.first().map(|place| place.message);
        Self {
            about: map.speakers.behind(&candidate.subject),
            kind: candidate.kind,
            content: &candidate.content,
            vector: prepared.vector.as_deref(),
            time: message.and_then(|at| prepared.rows.get(at)).map(|row| row.time),
            message,
        }
    }

    fn known(about: Subject, memory: &'a KnownMemory) -> Self {
        Self {
            about,
            kind: memory.kind,
            content: &memory.content,
            vector: memory.vector.as_deref(),
            time: memory.said,
            message: None,
        }
    }

    /// By meaning; without vectors by the words they share.
    fn closeness(&self, other: &Self) -> f32 {
        match self.vector.zip(other.vector) {
            Some((a, b)) => cosine(a, b),
            None => shared_words(self.content, other.content) as f32,
        }
    }

    fn words(&self) -> String {
        spoken(self.content).unwrap_or(self.content).to_owned()
    }
}

/// Those of `others` that `new` is held against, by their places.
fn chosen(new: &Said<'_>, others: &[(Other, Said<'_>)]) -> Vec<usize> {
    // What was said at once is meant to stand together; of what is known the time alone tells that.
    let is_apart = |other: &Said<'_>| match other.message {
        Some(_) => other.message != new.message,
        None => other.time.is_some() && other.time != new.time,
    };
    let is_open = |other: &Said<'_>| other.about == new.about && other.kind == new.kind && is_apart(other);
    let open = (0..others.len()).filter(|&at| is_open(&others[at].1));
    let mut close: Vec<(f32, usize)> =
        open.map(|at| (new.closeness(&others[at].1), at)).filter(|(closeness, _)| *closeness >= CLOSE_COSINE_MIN).collect();
    close.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    close.into_iter().take(CLOSE_MAX).map(|(_, at)| at).collect()
}

impl Engine {
    /// What replaces what; nothing where there is no reader.
    pub(super) fn replacements(&self, prepared: &[Prepared<'_>], model: Option<&str>) -> Result<Replacements> {
        let mut found = Replacements { of: vec![Vec::new(); prepared.len()], ids: vec![None; prepared.len()] };
        if prepared.is_empty() {
            return Ok(found);
        }
        let Some(reader) = self.inner.embedder.reader().ready() else { return Ok(found) };
        let pairs = {
            let mut known = self.inner.known.lock().unwrap_or_else(PoisonError::into_inner);
            self.store().read(|tx| {
                let map = self.map(tx)?;
                known.refresh(tx, &map, model)?;
                let mut pairs: Vec<(usize, Other, bool, String, String)> = Vec::new();
                let all: Vec<Said<'_>> = prepared.iter().map(|one| Said::new(&map, one)).collect();
                for (at, new) in all.iter().enumerate().filter(|(at, _)| !prepared[*at].candidate.is_quarantined) {
                    let Some(time) = new.time else { continue };
                    let memories = known.subjects.get(&new.about).map_or(&[][..], |subject| &subject.memories);
                    let mut others: Vec<(Other, Said<'_>)> = memories
                        .iter()
                        .filter(|memory| !memory.is_gone.get())
                        .map(|memory| (Other::Known(memory.id.clone()), Said::known(new.about.clone(), memory)))
                        .collect();
                    others.extend(
                        (0..at)
                            .filter(|&n| !prepared[n].candidate.is_quarantined)
                            .map(|n| (Other::New(n), Said::new(&map, &prepared[n]))),
                    );
                    for place in chosen(new, &others) {
                        let (other, said) = &others[place];
                        // Of two messages of one moment the one that was read later counts as the later.
                        let is_new_later = said.time.is_some_and(|other| other <= time);
                        let (earlier, later) = if is_new_later { (said, new) } else { (new, said) };
                        pairs.push((at, other.clone(), is_new_later, earlier.words(), later.words()));
                    }
                }
                Ok(pairs)
            })?
        };
        let role = |at: usize| if prepared[at].candidate.subject == Subject::Owner { Role::Owner } else { Role::Person };
        let asked: Vec<StatementPair<'_>> =
            pairs.iter().map(|(at, _, _, earlier, later)| StatementPair { role: role(*at), earlier, later }).collect();
        let changes = reader.compare(&asked)?;
        for ((at, other, is_new_later, ..), change) in pairs.iter().zip(changes) {
            if change.replaces >= REPLACES_MIN && change.replaces > change.same {
                found.of[*at].push(Replacement {
                    other: other.clone(),
                    is_new_later: *is_new_later,
                    probability: change.replaces,
                });
            }
        }
        Ok(found)
    }
}

impl Replacements {
    /// The stored statements that the new one at this place replaces or is replaced by: however alike, they do not say the same.
    pub(super) fn with(&self, at: usize) -> BTreeSet<MemoryId> {
        self.of.get(at).into_iter().flatten().filter_map(|replacement| self.stored(&replacement.other).cloned()).collect()
    }

    fn stored<'r>(&'r self, other: &'r Other) -> Option<&'r MemoryId> {
        match other {
            Other::Known(id) => Some(id),
            Other::New(n) => self.ids.get(*n).and_then(Option::as_ref),
        }
    }

    /// Writes down what replaces what, now that the new statement at this place is stored under this id.
    pub(super) fn store(
        &mut self,
        tx: &WriteTx<'_>,
        at: usize,
        id: &MemoryId,
        now: Timestamp,
    ) -> std::result::Result<(), StoreError> {
        if let Some(place) = self.ids.get_mut(at) {
            *place = Some(id.clone());
        }
        for replacement in self.of.get(at).into_iter().flatten() {
            // Erased meanwhile, or never stored.
            let Some(other) = self.stored(&replacement.other) else { continue };
            if !tx.has_memory(other)? {
                continue;
            }
            let (newer, older) = if replacement.is_new_later { (id, other) } else { (other, id) };
            tx.relate(newer, keepsake_domain::Relation::Replaces, older, Some(replacement.probability), now)?;
        }
        Ok(())
    }
}
