//! Finds memories that contradict each other, such as living in two towns, or eating meat and not eating it.
//!
//! Both memories stay until the person decides. The result is cached until a memory in use changes.
//!
//! Not in this module: how two statements relate (`capture::dedup`), and what an audit reports about them (`audit`).

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use keepsake_capture::dedup::{Claim, conflict, conflicting};
use keepsake_domain::{MemoryId, MemoryKind, MemoryStatus, Relation, Subject};
use keepsake_store::{MemoryRow, StoreError};

use crate::Result;
use crate::areas::Review;

/// The conflicts found, and the state of the store they were computed from.
#[derive(Debug)]
pub(crate) struct Conflicts {
    seen: ([i64; 5], i64),
    found: Arc<Vec<MemoryId>>,
}

/// Maximum number of memories compared with approved ones per action. A person who decides on more at once does not read a
/// notice about each, and the list of conflicts contains them all anyway.
const COMPARED_MAX: usize = 20;

/// Two memories that cannot both be true.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// The memory that was looked up.
    pub id: MemoryId,
    /// An approved memory that contradicts it.
    pub other: MemoryRow,
}

/// The claim of a memory, for comparison with others.
pub(crate) fn claim(memory: &MemoryRow) -> Claim<'_> {
    Claim { content: &memory.content, fact: memory.fact }
}

impl Review<'_> {
    /// The approved memories that the given memories contradict, each pair once. Empty if there are more than
    /// [`COMPARED_MAX`] ids.
    pub(crate) fn contradictions(&self, ids: &[MemoryId]) -> Result<Vec<Contradiction>> {
        if ids.len() > COMPARED_MAX {
            return Ok(Vec::new());
        }
        Ok(self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            let mut found = Vec::new();
            let approved: Vec<MemoryRow> =
                tx.memories().pending_and_active()?.into_iter().filter(|memory| memory.status == MemoryStatus::Active).collect();
            for id in ids {
                let memory = match tx.memories().memory(id) {
                    Ok(memory) => memory,
                    Err(StoreError::NotFound { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let about = map.speakers.behind(&memory.subject);
                let mut replaced: Vec<MemoryId> = tx.memories().replaced_by(id)?;
                let replaces =
                    tx.memories().relations_from(id)?.into_iter().filter(|(relation, ..)| *relation == Relation::Replaces);
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

    /// The active and pending memories that contradict another one about the same subject.
    pub fn conflicting_memories(&self) -> Result<Arc<Vec<MemoryId>>> {
        let mut kept = self.engine.inner.conflicts.lock().unwrap_or_else(PoisonError::into_inner);
        let conflicts = self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            let seen = (tx.memories().signature()?, map.version);
            if let Some(known) = kept.as_ref().filter(|known| known.seen == seen) {
                return Ok(Conflicts { seen, found: Arc::clone(&known.found) });
            }
            let mut subjects: HashMap<(Subject, MemoryKind), Vec<MemoryRow>> = HashMap::new();
            for memory in tx.memories().pending_and_active()? {
                let about = map.speakers.behind(&memory.subject);
                subjects.entry((about, memory.kind)).or_default().push(memory);
            }
            let mut found = Vec::new();
            for memories in subjects.into_values() {
                let claims: Vec<Claim<'_>> = memories.iter().map(claim).collect();
                found.extend(conflicting(&claims).into_iter().map(|at| memories[at].id.clone()));
            }
            found.extend(tx.memories().replacing_pairs()?.into_iter().flat_map(|(newer, older)| [newer, older]));
            found.sort();
            found.dedup();
            Ok(Conflicts { seen, found: Arc::new(found) })
        })?;
        let found = Arc::clone(&conflicts.found);
        *kept = Some(conflicts);
        Ok(found)
    }
}
