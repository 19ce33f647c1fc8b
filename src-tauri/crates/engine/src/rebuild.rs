//! Making everything that is derived again, from the messages and from what a person decided.
//!
//! It is what somebody does who does not trust what is shown, or wants it as today's rules would make it. Nothing that a person or a
//! model said is lost ([`keepsake_store::WriteTx::drop_derived`]), and a backup is made first. What is made again has the ids and the
//! dates that it had, so that what names it still finds it, a candidate that waited does not begin to wait anew, and the digest of
//! the night does not call it new.
//!
//! The rest is a cycle of maintenance: it goes on after a crash as any other does; only the dates, which are kept in memory, are then
//! those of the rebuild.

use std::path::PathBuf;
use std::sync::PoisonError;

use keepsake_domain::{JobKind, MaintenanceRunId, Timestamp};

use crate::work::Control;
use crate::{BackupReason, Engine, EngineError, Result};

/// What a rebuild began with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilding {
    /// The state before it.
    pub backup: PathBuf,
    /// Candidates that are looked for again.
    pub candidates: u64,
    /// The cycle that makes it.
    pub run: MaintenanceRunId,
}

impl Engine {
    /// Keeps a backup, waits for what is under way, deletes what was derived and queues its making. Until it deletes, a cancel leaves
    /// everything as it is, but for a cycle of maintenance that was under way.
    pub fn begin_rebuild(&self, control: &dyn Control) -> Result<Rebuilding> {
        if self.inner.embedder.ready().is_none() && self.store().read(|tx| tx.last_vector_arrival())? > 0 {
            return Err(EngineError::Refused(
                "the embedding model with which it was made is not there, so it would not become the same; put the model back first"
                    .to_owned(),
            ));
        }
        let backup = self.keep_backup(BackupReason::BeforeBulk, control)?.path;
        self.cancel_maintenance()?;
        // What runs beside would write what it made of the old into the new.
        let held_up = self.hold_up_work(control)?;
        control.progress("deleting", 0, 0);
        self.drop_topics()?;
        let dropped = self.store().write(|tx| {
            let dropped = tx.drop_derived()?;
            for setting in [
                crate::identity::LOOKED_SETTING,
                crate::profiles::LOOKED_SETTING,
                crate::topics::LOOKED_SETTING,
                crate::playbooks::LOOKED_SETTING,
            ] {
                tx.put_setting(setting, "", self.now())?;
            }
            let now = self.now();
            let jobs = dropped.analysed.iter().map(|id| self.conversation_job(JobKind::Analyze, id));
            jobs.into_iter().try_for_each(|job| tx.enqueue(&job, now).map(drop))?;
            Ok(dropped)
        })?;
        self.forget_caches();
        *self.inner.made.lock().unwrap_or_else(PoisonError::into_inner) = dropped.made;
        let run = self.start_maintenance()?;
        drop(held_up);
        Ok(Rebuilding { backup, candidates: dropped.candidates, run })
    }

    /// When something was made first: now, unless it is made again.
    pub(crate) fn made_first(&self, id: &str) -> Timestamp {
        let made = self.inner.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.get(id).copied().unwrap_or_else(|| self.now())
    }
}
