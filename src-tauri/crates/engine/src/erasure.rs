//! Erasure seen through: what was erased stays "pending" until no file of ours holds it any more.
//!
//! The store erases and queues the job in one transaction; here the first try is made at once, so that nearly always the receipt
//! already says "done", and whatever a reader holds up is left to the queue. Also the privacy switch, whose strictest form erases.
//! Deliberately not here: what leaves with what (`keepsake-store`), and the words that a window shows.

use keepsake_domain::limits::ERASURE_RETRY_MS;
use keepsake_domain::{ConversationId, EntityId, HandleId, ImportId, JobId, JobState, MemoryId};
use keepsake_store::{Erased, ErasureForeseen, ErasurePayload, JobRow, Lease, MemoriesErased, PrivateTime, Sweep};

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

/// What a person is told of memories that they erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoriesReceipt {
    /// What went.
    pub erased: MemoriesErased,
    /// The job that sees it through.
    pub job: JobId,
    /// Whether the files were found to hold nothing of it.
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
        self.after_erasing(job, erased)
    }

    /// Erases one conversation and whatever rests on it alone.
    pub fn erase_conversation(&self, id: &ConversationId, reason: &str) -> Result<ErasureReceipt> {
        let job = JobId::fresh(self.ids());
        let erased = self.store().erase_conversation(id, reason, &job, self.now())?;
        self.after_erasing(job, erased)
    }

    /// Erases a person under every handle that is theirs: their messages everywhere, conversations with them alone, and what was
    /// worked out about them. What others said stays.
    pub fn erase_person(&self, person: &EntityId, reason: &str) -> Result<ErasureReceipt> {
        let handles = self.handles_of(person)?;
        let job = JobId::fresh(self.ids());
        let erased = self.store().erase_person(&handles, reason, &job, self.now())?;
        self.after_erasing(job, erased)
    }

    /// Erases memories of the trash for good, with everything that was worked out from their words; the messages stay.
    pub fn erase_memories(&self, ids: &[MemoryId]) -> Result<MemoriesReceipt> {
        let job = JobId::fresh(self.ids());
        let erased = self.store().erase_memories(ids, &job, self.now())?;
        // No message came or went, so that each would find that it has looked already.
        self.store().write(|tx| {
            let looked = [crate::profiles::LOOKED_SETTING, crate::topics::LOOKED_SETTING];
            looked.iter().try_for_each(|setting| tx.put_setting(setting, "", self.now()))
        })?;
        let counts = Erased { memories: erased.memories + erased.versions, ..Erased::default() };
        let receipt = self.after_erasing(job, counts)?;
        Ok(MemoriesReceipt { erased, job: receipt.job, is_done: receipt.is_done })
    }

    /// What erasing memories would remove.
    pub fn foresee_erased_memories(&self, ids: &[MemoryId]) -> Result<MemoriesErased> {
        Ok(self.store().foresee_erased_memories(ids, self.now())?)
    }

    /// What erasing a conversation would remove.
    pub fn foresee_erased_conversation(&self, id: &ConversationId) -> Result<ErasureForeseen> {
        Ok(self.store().read(|tx| tx.foresee_erased_conversation(id))?)
    }

    /// What erasing a person would remove.
    pub fn foresee_erased_person(&self, person: &EntityId) -> Result<ErasureForeseen> {
        let handles = self.handles_of(person)?;
        Ok(self.store().read(|tx| tx.foresee_erased_person(&handles))?)
    }

    /// The person whom these words name: `channel:handle`, an id, or a name that one person alone has.
    pub fn person_named(&self, text: &str) -> Result<EntityId> {
        let person = self.store().read(|tx| {
            let map = self.map(tx)?;
            Ok(map.person(tx, text))
        })??;
        self.handles_of(&person)
            .map(|_| person)
            .map_err(|_| EngineError::Refused(format!("there is nobody {text:?}; `keepsake people` lists everybody")))
    }

    fn handles_of(&self, person: &EntityId) -> Result<Vec<HandleId>> {
        let handles: Vec<HandleId> = self.store().read(|tx| {
            let persons = tx.persons()?;
            let person = persons.of(person);
            Ok(tx.handles()?.into_iter().filter(|row| persons.of(&row.entity_id) == person).map(|row| row.id).collect())
        })?;
        if handles.is_empty() {
            return Err(EngineError::Refused(format!("there is no person {person}")));
        }
        Ok(handles)
    }

    /// What was worked out over all messages is worked out again without those that are gone.
    fn after_erasing(&self, job: JobId, erased: Erased) -> Result<ErasureReceipt> {
        self.look_at_links_again()?;
        self.queue_settling()?;
        self.queue_sessions()?;
        self.queue_profiles()?;
        self.queue_topics()?;
        self.queue_playbooks()?;
        self.see_through(job, erased)
    }

    /// Turns a conversation private, with a choice of what becomes of what was derived from it, or back without using what
    /// arrived meanwhile.
    pub fn set_private(&self, id: &ConversationId, is_private: bool, existing: Existing) -> Result<PrivacyOutcome> {
        if is_private { self.begin_private(id, existing) } else { self.end_private(id, PrivateTime::LeaveOut) }
    }

    /// Turns a conversation back. With [`PrivateTime::Use`], what arrived while it was private is read like all else; that can
    /// also be chosen later, when the conversation is not private any more.
    pub fn end_private(&self, id: &ConversationId, private_time: PrivateTime) -> Result<PrivacyOutcome> {
        let unhidden = self.store().write(|tx| {
            tx.end_private(id, private_time)?;
            tx.hide_memories_of(id, false)
        })?;
        // What may be read now, and what was to be read when it was turned private.
        self.queue_unread()?;
        self.look_for_work();
        Ok(PrivacyOutcome { unhidden, ..PrivacyOutcome::default() })
    }

    fn begin_private(&self, id: &ConversationId, existing: Existing) -> Result<PrivacyOutcome> {
        let now = self.now();
        let job = JobId::fresh(self.ids());
        let (mut outcome, erased) = self.store().write(|tx| {
            let mut outcome = PrivacyOutcome::default();
            let mut erased = None;
            match existing {
                Existing::Keep | Existing::Hide => tx.set_private(id, true)?,
                // What it led to is erased, so nothing is to be derived from it anew: all of it is private time.
                Existing::Erase => tx.begin_private(id, 0)?,
            }
            outcome.jobs_cancelled = tx.cancel_jobs_about(id.as_str(), now)?;
            if existing != Existing::Keep {
                tx.drop_vectors(id)?;
            }
            match existing {
                Existing::Keep => {}
                Existing::Hide => outcome.hidden = tx.hide_memories_of(id, true)?,
                Existing::Erase => {
                    let counts = Erased { memories: tx.erase_derived(id)?, ..Erased::default() };
                    tx.queue_erasure(&job, counts, now)?;
                    erased = Some(counts);
                }
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
        let leased = self.lease(|tx, _| tx.lease_job(&job, self.now()))?;
        // Somebody else may have taken it already; then it is theirs.
        let is_done = match leased {
            Some((lease, row, _at_work)) => {
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
        match self.without_backups(|| self.store().sweep(&payload))? {
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
