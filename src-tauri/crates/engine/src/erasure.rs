//! Erasure seen through: what was erased stays "pending" until no file of ours holds it any more.
//!
//! The store erases and queues the job in one transaction; here the first try is made at once, so that nearly always the receipt
//! already says "done", and whatever a reader holds up is left to the queue. Also the privacy switch, whose strictest form erases.
//! Deliberately not here: what leaves with what (`keepsake-store`), and the words that a window shows.

use keepsake_domain::limits::ERASURE_RETRY_MS;
use keepsake_domain::{ConversationId, ImportId, JobId, JobState};
use keepsake_store::{Erased, ErasurePayload, JobRow, Lease, Sweep};

use crate::{Engine, EngineError, Result};

/// What a person is told of an erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasureReceipt {
    /// What left the store.
    pub erased: Erased,
    /// The job that sees it through, with its end in Activity.
    pub job: JobId,
    /// Whether the files were found to hold nothing of it. Until then it is pending.
    pub is_done: bool,
}

/// What becomes of what was derived from a conversation that turns private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays.
    Keep,
    /// It stays, and nobody is served it.
    Hide,
    /// It is erased.
    Erase,
}

/// What the privacy switch did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrivacyOutcome {
    /// Memories hidden.
    pub hidden: u64,
    /// Memories shown again.
    pub unhidden: u64,
    /// Jobs cancelled.
    pub jobs_cancelled: u64,
    /// Where something was erased.
    pub receipt: Option<ErasureReceipt>,
}

impl Engine {
    /// Erases what an import brought and everything that rests on it.
    pub fn erase_import(&self, import: &ImportId, reason: &str) -> Result<ErasureReceipt> {
        let job = JobId::fresh(self.ids());
        let erased = self.store().erase_import(import, reason, &job, self.now())?;
        self.see_through(job, erased)
    }

    /// Turns a conversation private or back.
    pub fn set_private(&self, id: &ConversationId, is_private: bool, existing: Existing) -> Result<PrivacyOutcome> {
        let now = self.now();
        let job = JobId::fresh(self.ids());
        let (mut outcome, erased) = self.store().write(|tx| {
            let mut outcome = PrivacyOutcome::default();
            let mut erased = None;
            tx.set_private(id, is_private)?;
            if is_private {
                outcome.jobs_cancelled = tx.cancel_jobs_about(id.as_str(), now)?;
                match existing {
                    Existing::Keep => {}
                    Existing::Hide => outcome.hidden = tx.hide_memories_of(id, true)?,
                    Existing::Erase => {
                        let counts = Erased { memories: tx.erase_derived(id)?, ..Erased::default() };
                        tx.queue_erasure(&job, counts, now)?;
                        erased = Some(counts);
                    }
                }
            } else {
                outcome.unhidden = tx.hide_memories_of(id, false)?;
            }
            Ok((outcome, erased))
        })?;
        if let Some(erased) = erased {
            outcome.receipt = Some(self.see_through(job, erased)?);
        }
        self.look_for_work();
        Ok(outcome)
    }

    /// Tries at once what the queue would do later.
    fn see_through(&self, job: JobId, erased: Erased) -> Result<ErasureReceipt> {
        let leased = self.store().write(|tx| tx.lease_job(&job, self.now()))?;
        // Somebody else may have taken it already; then it is theirs.
        let is_done = match leased {
            Some((lease, row)) => {
                let done = self.perform_erasure(&row, &lease);
                self.settle(&row, &lease, done)? == JobState::Done
            }
            None => self.store().read(|tx| tx.job(&job))?.state == JobState::Done,
        };
        self.look_for_work();
        Ok(ErasureReceipt { erased, job, is_done })
    }

    /// One try: empties the log and looks for what was erased. Put off while somebody reads an older state.
    pub(crate) fn perform_erasure(&self, job: &JobRow, lease: &Lease) -> Result<()> {
        let payload: ErasurePayload =
            serde_json::from_str(&job.payload).map_err(|error| EngineError::Stored { what: "erasure", error })?;
        match self.store().sweep(&payload)? {
            Sweep::Clean => {
                let Erased { messages, conversations, memories } = payload.erased;
                let result = serde_json::json!({
                    "messages": messages, "conversations": conversations, "memories": memories, "verified_at_ms": self.now().0,
                });
                Ok(self.store().write(|tx| tx.complete_erasure(lease, &result.to_string(), self.now()))?)
            }
            Sweep::Held => Err(EngineError::NotYet {
                why: "erased; waits until whoever still reads the file is done, then its log is emptied",
                retry_ms: ERASURE_RETRY_MS,
            }),
            Sweep::Left(count) => Err(EngineError::StillThere { count }),
        }
    }
}
