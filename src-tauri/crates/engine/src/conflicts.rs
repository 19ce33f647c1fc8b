//! Memories that cannot be so beside another one: whoever lives in two towns, or eats meat and does not.
//!
//! Both stay until the person decides; here they are only found. What is found is kept as long as nothing that is in use changed.
//!
//! Deliberately not here: what two statements are to each other (`capture::dedup`), and what an audit says of them (`audit`).

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use keepsake_capture::dedup::{Claim, conflict, conflicting};
use keepsake_domain::{MemoryId, MemoryKind, MemoryStatus, Relation, Subject};
use keepsake_store::{MemoryRow, StoreError};

use crate::{Engine, Result};

/// What was found, and what there was then.
#[derive(Debug)]
pub(crate) struct Conflicts {
    seen: ([i64; 5], i64),
    found: Arc<Vec<MemoryId>>,
}

/// So many candidates at a time are compared with what is approved. Whoever approves more at once reads no notice about each, and the
/// list of conflicts holds them all.
const COMPARED_MAX: usize = 20;

/// Two memories that cannot both be so.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// The one asked about.
    pub id: MemoryId,
    /// An approved memory that it contradicts.
    pub other: MemoryRow,
}

/// What a memory says, for the comparison with others.
pub(crate) fn claim(memory: &MemoryRow) -> Claim<'_> {
    Claim { content: &memory.content, fact: memory.fact }
}

impl Engine {
    /// The approved memories that these contradict: each pair once. Of more than [`COMPARED_MAX`] nothing is looked up.
    pub(crate) fn contradictions(&self, ids: &[MemoryId]) -> Result<Vec<Contradiction>> {
        if ids.len() > COMPARED_MAX {
            return Ok(Vec::new());
        }
        Ok(self.store().read(|tx| {
            let map = self.map(tx)?;
            let mut found = Vec::new();
            let approved: Vec<MemoryRow> =
                tx.pending_and_active()?.into_iter().filter(|memory| memory.status == MemoryStatus::Active).collect();
            for id in ids {
                let memory = match tx.memory(id) {
                    Ok(memory) => memory,
                    Err(StoreError::NotFound { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let about = map.speakers.behind(&memory.subject);
                let mut replaced: Vec<MemoryId> = tx.replaced_by(id)?;
                let replaces = tx.relations_from(id)?.into_iter().filter(|(relation, ..)| *relation == Relation::Replaces);
                replaced.extend(replaces.map(|(_, older, _)| older));
                let contradicts = |other: &&MemoryRow| {
                    other.id != memory.id
                        && other.kind == memory.kind
                        && map.speakers.behind(&other.subject) == about
                        && (replaced.contains(&other.id) || conflict(claim(other), claim(&memory)).is_some())
                };
                found.extend(
                    approved.iter().filter(contradicts).map(|other| Contradiction { id: id.clone(), other: other.clone() }),
                );
            }
            Ok(found)
        })?)
    }

    /// The memories and candidates in use that cannot be so beside another one of the same subject.
    pub fn conflicting_memories(&self) -> Result<Arc<Vec<MemoryId>>> {
        let mut kept = self.inner.conflicts.lock().unwrap_or_else(PoisonError::into_inner);
        let conflicts = self.store().read(|tx| {
            let map = self.map(tx)?;
            let seen = (tx.memory_signature()?, map.version);
            if let Some(known) = kept.as_ref().filter(|known| known.seen == seen) {
                return Ok(Conflicts { seen, found: Arc::clone(&known.found) });
            }
            let mut subjects: HashMap<(Subject, MemoryKind), Vec<MemoryRow>> = HashMap::new();
            for memory in tx.pending_and_active()? {
                let about = map.speakers.behind(&memory.subject);
                subjects.entry((about, memory.kind)).or_default().push(memory);
            }
            let mut found = Vec::new();
            for memories in subjects.into_values() {
                let claims: Vec<Claim<'_>> = memories.iter().map(claim).collect();
                found.extend(conflicting(&claims).into_iter().map(|at| memories[at].id.clone()));
            }
            found.extend(tx.replacing_pairs()?.into_iter().flat_map(|(newer, older)| [newer, older]));
            found.sort();
            found.dedup();
            Ok(Conflicts { seen, found: Arc::new(found) })
        })?;
        let found = Arc::clone(&conflicts.found);
        *kept = Some(conflicts);
        Ok(found)
    }
}
