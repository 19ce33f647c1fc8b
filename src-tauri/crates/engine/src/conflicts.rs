//! Memories that cannot be so beside another one: whoever lives in two towns, or eats meat and does not.
//!
//! Both stay until the person decides; here they are only found. What is found is kept as long as nothing that is in use changed.
//!
//! Deliberately not here: what two statements are to each other (`capture::dedup`), and what an audit says of them (`audit`).

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use keepsake_capture::dedup::conflicting;
use keepsake_domain::{MemoryId, MemoryKind, Subject};

use crate::{Engine, Result};

/// What was found, and what there was then.
#[derive(Debug)]
pub(crate) struct Conflicts {
    seen: ([i64; 5], i64),
    found: Arc<Vec<MemoryId>>,
}

impl Engine {
    /// The memories and candidates in use that cannot be so beside another one of the same subject.
    pub fn conflicting_memories(&self) -> Result<Arc<Vec<MemoryId>>> {
        let mut kept = self.inner.conflicts.lock().unwrap_or_else(PoisonError::into_inner);
        let conflicts = self.store().read(|tx| {
            let map = self.map(tx)?;
            let seen = (tx.memory_signature()?, map.version);
            if let Some(known) = kept.as_ref().filter(|known| known.seen == seen) {
                return Ok(Conflicts { seen, found: Arc::clone(&known.found) });
            }
            let mut subjects: HashMap<(Subject, MemoryKind), Vec<(MemoryId, String)>> = HashMap::new();
            for memory in tx.pending_and_active()? {
                let about = map.speakers.behind(&memory.subject);
                subjects.entry((about, memory.kind)).or_default().push((memory.id, memory.content));
            }
            let mut found = Vec::new();
            for memories in subjects.into_values() {
                let statements: Vec<&str> = memories.iter().map(|(_, content)| content.as_str()).collect();
                found.extend(conflicting(&statements).into_iter().map(|at| memories[at].0.clone()));
            }
            found.sort();
            Ok(Conflicts { seen, found: Arc::new(found) })
        })?;
        let found = Arc::clone(&conflicts.found);
        *kept = Some(conflicts);
        Ok(found)
    }
}
