//! Completes erasures: an erasure stays "pending" until none of Keepsake's files contains any of the erased content.
//!
//! The store erases and queues the job in one transaction. This module makes the first attempt immediately, so the receipt
//! nearly always says "done". If a read transaction still uses an older snapshot, the queue does the rest. This module also
//! excludes conversations from memory, because the strictest form of exclusion erases. Not in this module: what else an
//! erasure removes (`keepsake-store`), and the wording in the window.

use keepsake_domain::job::ERASURE_RETRY_MS;
use keepsake_domain::{ConversationId, EntityId, HandleId, ImportId, JobId, JobState, MemoryId};
use keepsake_store::{Erased, ErasurePayload, ErasurePreview, JobRow, Lease, MemoriesErased, PrivateTime, Sweep};

use crate::areas::Erasure;
use crate::{EngineError, Result};

/// Result of an erasure, as shown to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasureReceipt {
    /// What was removed from the store.
    pub erased: Erased,
    /// The job that completes it, also listed in Activity.
    pub job: JobId,
    /// Whether the files were checked and contain none of the erased content. Until then, the erasure is pending.
    pub is_done: bool,
}

/// Result of erasing memories, as shown to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoriesReceipt {
    /// What was removed.
    pub erased: MemoriesErased,
    /// The job that completes the erasure.
    pub job: JobId,
    /// Whether the files were checked and contain none of the erased content.
    pub is_done: bool,
}

/// What happens to everything derived from a conversation that is excluded from memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays in use.
    Keep,
    /// It stays stored but is served to nobody.
    Hide,
    /// It is erased.
    Erase,
}

/// Result of excluding a conversation from memory, or of including it again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrivacyOutcome {
    /// Number of memories hidden.
    pub hidden: u64,
    /// Number of memories shown again.
    pub unhidden: u64,
    /// Number of jobs canceled.
    pub jobs_cancelled: u64,
    /// The receipt of the erasure, if something was erased.
    pub receipt: Option<ErasureReceipt>,
}

impl Erasure<'_> {
    /// Undoes an import: removes exactly the messages that it added, and everything based on them. The same file may be
    /// imported again afterwards. Refused while the import is still running.
    pub fn undo_import(&self, import: &ImportId) -> Result<ErasureReceipt> {
        let job = JobId::fresh(self.engine.ids());
        let undone = self.engine.store().undo_import(import, &job, self.engine.now())?;
        // The jobs that read the shortened conversations were canceled, but other messages may still be unread.
        self.engine.queue().queue_unread()?;
        self.after_erasing(job, undone)
    }

    /// Erases one conversation and everything that is based only on it.
    pub fn erase_conversation(&self, id: &ConversationId, reason: &str) -> Result<ErasureReceipt> {
        let job = JobId::fresh(self.engine.ids());
        let erased = self.engine.store().erase_conversation(id, reason, &job, self.engine.now())?;
        self.after_erasing(job, erased)
    }

    /// Erases a person under all of their handles: their messages everywhere, conversations with nobody else, and everything
    /// derived about them. Messages of others stay.
    pub fn erase_person(&self, person: &EntityId, reason: &str) -> Result<ErasureReceipt> {
        let handles = self.handles_of(person)?;
        let job = JobId::fresh(self.engine.ids());
        let erased = self.engine.store().erase_person(&handles, reason, &job, self.engine.now())?;
        self.after_erasing(job, erased)
    }

    /// Erases memories from the trash permanently, with everything derived from their words. The messages stay.
    pub fn erase_memories(&self, ids: &[MemoryId]) -> Result<MemoriesReceipt> {
        let job = JobId::fresh(self.engine.ids());
        let erased = self.engine.store().erase_memories(ids, &job, self.engine.now())?;
        // No message was added or removed, so without this reset the profile and topic jobs would skip their run.
        self.engine.store().write(|tx| {
            let looked = [crate::derive::profiles::LOOKED_SETTING, crate::derive::topics::LOOKED_SETTING];
            looked.iter().try_for_each(|setting| tx.settings().put(setting, "", self.engine.now()))
        })?;
        let counts = Erased { memories: erased.memories + erased.versions, ..Erased::default() };
        let receipt = self.after_erasing(job, counts)?;
        Ok(MemoriesReceipt { erased, job: receipt.job, is_done: receipt.is_done })
    }

    /// What erasing memories would remove.
    pub fn preview_erased_memories(&self, ids: &[MemoryId]) -> Result<MemoriesErased> {
        Ok(self.engine.store().preview_erased_memories(ids, self.engine.now())?)
    }

    /// What erasing a conversation would remove.
    pub fn preview_erased_conversation(&self, id: &ConversationId) -> Result<ErasurePreview> {
        Ok(self.engine.store().read(|tx| tx.lifecycle().preview_erased_conversation(id))?)
    }

    /// What undoing an import would remove.
    pub fn preview_undone_import(&self, import: &ImportId) -> Result<ErasurePreview> {
        Ok(self.engine.store().read(|tx| tx.lifecycle().preview_undone_import(import))?)
    }

    /// What erasing a person would remove.
    pub fn preview_erased_person(&self, person: &EntityId) -> Result<ErasurePreview> {
        let handles = self.handles_of(person)?;
        Ok(self.engine.store().read(|tx| tx.lifecycle().preview_erased_person(&handles))?)
    }

    /// The person that this text identifies: `channel:handle`, an id, or a name that only one person has.
    pub fn person_named(&self, text: &str) -> Result<EntityId> {
        let person = self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            Ok(map.person(tx, text))
        })??;
        self.handles_of(&person)
            .map(|_| person)
            .map_err(|_| EngineError::Refused(format!("there is no person {text:?}; `keepsake people` lists everybody")))
    }

    fn handles_of(&self, person: &EntityId) -> Result<Vec<HandleId>> {
        let handles: Vec<HandleId> = self.engine.store().read(|tx| {
            let persons = tx.people().persons()?;
            let person = persons.of(person);
            Ok(tx.people().handles()?.into_iter().filter(|row| persons.of(&row.entity_id) == person).map(|row| row.id).collect())
        })?;
        if handles.is_empty() {
            return Err(EngineError::Refused(format!("there is no person {person}; `keepsake people` lists everybody")));
        }
        Ok(handles)
    }

    /// Queues every derivation that covers all messages, so that it is repeated without the erased ones, and then tries the
    /// erasure job.
    pub(crate) fn after_erasing(&self, job: JobId, erased: Erased) -> Result<ErasureReceipt> {
        self.engine.people().look_at_links_again()?;
        self.engine.conversations().queue_settling()?;
        self.engine.sessions().queue()?;
        self.engine.people().queue_profiles()?;
        self.engine.topics().queue()?;
        self.engine.playbooks().queue()?;
        self.see_through(job, erased)
    }

    /// Excludes a conversation from memory, or includes it again without using messages that arrived while it was excluded.
    /// When excluding, `existing` says what happens to everything derived from it.
    pub fn set_private(&self, id: &ConversationId, is_private: bool, existing: Existing) -> Result<PrivacyOutcome> {
        if is_private { self.begin_private(id, existing) } else { self.end_private(id, PrivateTime::LeaveOut) }
    }

    /// Includes a conversation again. With [`PrivateTime::Use`], messages that arrived while it was excluded are read like
    /// all others. This can also be chosen later, when the conversation is no longer excluded.
    pub fn end_private(&self, id: &ConversationId, private_time: PrivateTime) -> Result<PrivacyOutcome> {
        let unhidden = self.engine.store().write(|tx| {
            tx.log().end_private(id, private_time)?;
            tx.memories().hide_of(id, false)
        })?;
        // Queues the messages that may be read now, including those that were unread when the conversation was excluded.
        self.engine.queue().queue_unread()?;
        self.engine.queue().look_for_work();
        Ok(PrivacyOutcome { unhidden, ..PrivacyOutcome::default() })
    }

    fn begin_private(&self, id: &ConversationId, existing: Existing) -> Result<PrivacyOutcome> {
        let now = self.engine.now();
        let job = JobId::fresh(self.engine.ids());
        let (mut outcome, erased) = self.engine.store().write(|tx| {
            let mut outcome = PrivacyOutcome::default();
            let mut erased = None;
            match existing {
                Existing::Keep | Existing::Hide => tx.log().set_private(id, true)?,
                // Erased results must not be derived again, so the exclusion covers the whole conversation.
                Existing::Erase => tx.log().begin_private(id, 0)?,
            }
            outcome.jobs_cancelled = tx.jobs().cancel_about(id.as_str(), now)?;
            if existing != Existing::Keep {
                tx.vectors().drop(id)?;
            }
            match existing {
                Existing::Keep => {}
                Existing::Hide => outcome.hidden = tx.memories().hide_of(id, true)?,
                Existing::Erase => {
                    let counts = Erased { memories: tx.lifecycle().erase_derived(id)?, ..Erased::default() };
                    tx.lifecycle().queue_erasure(&job, counts, now)?;
                    erased = Some(counts);
                }
            }
            Ok((outcome, erased))
        })?;
        if let Some(erased) = erased {
            outcome.receipt = Some(self.see_through(job, erased)?);
        }
        self.engine.queue().look_for_work();
        Ok(outcome)
    }

    /// Tries the erasure job immediately instead of leaving it to the queue.
    fn see_through(&self, job: JobId, erased: Erased) -> Result<ErasureReceipt> {
        let leased = self.engine.queue().lease(|tx, _| tx.jobs().lease(&job, self.engine.now()))?;
        // A worker may already have taken the job; that worker then completes it.
        let is_done = match leased {
            Some((lease, row, _at_work)) => {
                let done = self.perform(&row, &lease);
                self.engine.queue().settle(&row, &lease, done)? == JobState::Done
            }
            None => self.engine.store().read(|tx| tx.jobs().job(&job))?.state == JobState::Done,
        };
        self.engine.queue().look_for_work();
        Ok(ErasureReceipt { erased, job, is_done })
    }

    /// Makes one attempt: empties the write-ahead log and searches the files for the erased content. Postponed while a read
    /// transaction still uses an older snapshot.
    pub(crate) fn perform(&self, job: &JobRow, lease: &Lease) -> Result<()> {
        let payload: ErasurePayload =
            serde_json::from_str(&job.payload).map_err(|error| EngineError::Stored { what: "erasure", error })?;
        match self.engine.backups().without(|| self.engine.store().sweep(&payload))? {
            Sweep::Clean => {
                let Erased { messages, conversations, memories } = payload.erased;
                let result = serde_json::json!({
                    "messages": messages, "conversations": conversations, "memories": memories, "verified_at_ms": self.engine.now().0,
                });
                Ok(self.engine.store().write(|tx| tx.jobs().complete_erasure(lease, &result.to_string(), self.engine.now()))?)
            }
            Sweep::Held => Err(EngineError::NotYet {
                why: "erased; the database log is emptied once no program is reading the file any more",
                retry_ms: ERASURE_RETRY_MS,
            }),
            Sweep::Left(count) => Err(EngineError::StillThere { count }),
        }
    }
}
