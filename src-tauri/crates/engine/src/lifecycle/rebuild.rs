//! Rebuilds everything derived, from the messages and from what a person decided.
//!
//! This is for people who do not trust the current results, or who want the results that the current rules would produce. No
//! answer from a person or a model is lost ([`keepsake_store::areas::DerivedTablesMut::drop_derived`]), and a backup is made
//! first. Everything is recreated with its previous id and date. References therefore still work, the waiting time of a
//! proposal does not start again, and the nightly digest does not report it as new.
//!
//! The work itself is done by a maintenance run, which continues after a crash like any other. The previous dates are kept
//! only in memory, so items recreated after a crash get the date of the rebuild.

use std::path::PathBuf;
use std::sync::PoisonError;

use keepsake_domain::{JobKind, MaintenanceRunId, Timestamp};

use crate::areas::Maintenance;
use crate::queue::control::Control;
use crate::{BackupReason, EngineError, Result};

/// Describes a rebuild that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilding {
    /// Path of the backup of the previous state.
    pub backup: PathBuf,
    /// Number of proposals that were deleted and are searched for again.
    pub candidates: u64,
    /// The maintenance run that recreates everything.
    pub run: MaintenanceRunId,
}

impl Maintenance<'_> {
    /// Makes a backup, waits for running work, deletes everything derived and queues its recreation. Canceling before the
    /// deletion leaves everything as it was, except that a running maintenance run has been stopped.
    pub fn begin_rebuild(&self, control: &dyn Control) -> Result<Rebuilding> {
        if self.engine.inner.embedder.ready().is_none() && self.engine.store().read(|tx| tx.vectors().last_arrival())? > 0 {
            return Err(EngineError::Refused(
                "the embedding model that the current data was built with is missing, so a rebuild would give different \
                 results; install the model again first"
                    .to_owned(),
            ));
        }
        let backup = self.engine.backups().keep(BackupReason::BeforeBulk, control)?.path;
        self.cancel()?;
        // A job running at the same time would write results of the old data into the new data.
        let held_up = self.engine.queue().hold_up_work(control)?;
        control.progress("deleting", 0, 0);
        self.engine.topics().drop()?;
        let dropped = self.engine.store().write(|tx| {
            let dropped = tx.derived().drop_derived()?;
            for setting in [
                crate::derive::identity::LOOKED_SETTING,
                crate::derive::profiles::LOOKED_SETTING,
                crate::derive::topics::LOOKED_SETTING,
                crate::derive::playbooks::LOOKED_SETTING,
            ] {
                tx.settings().put(setting, "", self.engine.now())?;
            }
            let now = self.engine.now();
            let jobs = dropped.analysed.iter().map(|id| self.engine.queue().conversation_job(JobKind::Analyze, id));
            jobs.into_iter().try_for_each(|job| tx.jobs().enqueue(&job, now).map(drop))?;
            Ok(dropped)
        })?;
        self.engine.backups().forget_caches();
        *self.engine.inner.made.lock().unwrap_or_else(PoisonError::into_inner) = dropped.made;
        let run = self.start()?;
        drop(held_up);
        Ok(Rebuilding { backup, candidates: dropped.candidates, run })
    }

    /// When the item with this id was first created: its previous date if a rebuild recreates it, otherwise now.
    pub(crate) fn made_first(&self, id: &str) -> Timestamp {
        let made = self.engine.inner.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.get(id).copied().unwrap_or_else(|| self.engine.now())
    }
}
