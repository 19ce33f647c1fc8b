//! Reflection by the chosen language model, in addition to the rules. Each call covers the entries of one person and one
//! audience, and the model makes the same two kinds of proposals.
//!
//! The accepted part of an answer is stored as references, with a hash of each entry's statement and evidence, and every
//! search uses it again. A model's proposals are therefore in the same list, are applied and undone by the same runs, and
//! disappear with their sources. Nothing from a model is applied without a person's confirmation.
//!
//! Not in this module: the prompt, and which parts of an answer are accepted (`capture::reflect::model`).

use std::collections::BTreeSet;

use keepsake_capture::reflect::Remembered;
use keepsake_capture::reflect::model::{Opinion, ReflectTask, Reflected, Shown, unread};
use keepsake_domain::{ConversationId, InteractionId, JobId, JobKind, MemoryId};
use keepsake_store::{Lease, ModelReplyRow, NewJob, ReadTx, ReplyTask, parse_json};

use super::{StoreResult, gather, settle};
use crate::areas::Reflections;
use crate::language::{Interview, ModelSettings, Provider, passing};
use crate::queue::control::Control;
use crate::{EngineError, Result};

/// Earlier answers of models: their opinions, the proposer of each, and the entries that the models had read.
#[derive(Default)]
pub(super) struct Said {
    pub(super) opinions: Vec<Opinion>,
    /// The proposer of each opinion.
    pub(super) by: Vec<String>,
    read: BTreeSet<Shown>,
}

/// Earlier answers of models, except those based on sources that have been excluded since.
pub(super) fn said(tx: &ReadTx<'_>) -> StoreResult<Said> {
    let mut said = Said::default();
    for reply in tx.replies().model_replies(ReplyTask::Reflection)? {
        let Some(json) = &reply.found else { continue };
        let told: Reflected = parse_json("cleanup proposals of a model", json)?;
        said.by.extend(told.opinions.iter().map(|_| reply.proposer.clone()));
        said.opinions.extend(told.opinions);
        said.read.extend(told.read);
    }
    Ok(said)
}

/// Entries shown in one call, with the messages and conversations they rest on.
struct Bundle {
    memories: Vec<Remembered>,
    messages: Vec<InteractionId>,
    sources: Vec<ConversationId>,
}

impl Reflections<'_> {
    /// The bundles that no model has read.
    fn unread_bundles(&self, tx: &ReadTx<'_>) -> StoreResult<Vec<Bundle>> {
        let map = self.engine.access_map(tx)?;
        // The questions to the model do not depend on vectors.
        let Some((ids, memories)) = gather::gather(tx, &map, None, &mut |_, _| true)? else { return Ok(Vec::new()) };
        let said = said(tx)?;
        unread(&memories, &said.read).into_iter().map(|bundle| bundle_of(tx, &ids, &memories, &bundle)).collect()
    }

    /// Queues a job for the chosen model if a model makes proposals and there are entries that no model has read.
    pub(crate) fn queue_for_model(&self) -> Result<()> {
        if self.engine.models().settings()?.proposing().is_none()
            || self.engine.store().read(|tx| self.unread_bundles(tx))?.is_empty()
        {
            return Ok(());
        }
        // One job is enough: it handles everything unread when it runs.
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::ReflectModel,
            idempotency_key: "all".to_owned(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Lets the chosen model read the unread entries, stores its proposals, and completes the job.
    pub(crate) fn perform_by_model(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let settings = self.engine.models().settings()?;
        let (mut asked, mut told, mut unusable) = (0_u64, 0_u64, None);
        // If no model makes proposals anymore, there is nothing to ask.
        if let Some(provider) = settings.proposing() {
            for bundle in self.engine.store().read(|tx| self.unread_bundles(tx))? {
                if control.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                asked += 1;
                told += u64::from(passing(self.ask_to_reflect(&bundle, &settings, provider, lease, control), &mut unusable)?);
            }
        }
        let found = self.look(control)?;
        let now = self.engine.now();
        let done = self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            let new = settle(tx, &found, now)?;
            let result = serde_json::json!({ "asked": asked, "told": told, "new": new }).to_string();
            if unusable.is_none() { tx.jobs().complete(lease, &result, now) } else { Ok(()) }
        });
        match unusable {
            Some(error) => Err(error),
            None => Ok(done?),
        }
    }

    /// Asks about one bundle. Returns whether the stored answer contains an opinion.
    fn ask_to_reflect(
        &self,
        bundle: &Bundle,
        settings: &ModelSettings,
        provider: &Provider,
        lease: &Lease,
        control: &dyn Control,
    ) -> Result<bool> {
        let all: Vec<usize> = (0..bundle.memories.len()).collect();
        let scrubber = self.engine.models().scrubber()?;
        let task = ReflectTask::new(&bundle.memories, &all, self.engine.now(), &scrubber)
            .map_err(|error| EngineError::Refused(error.to_string()))?;
        let interview = Interview::begin(self.engine, settings.clone(), provider, None, Some(lease.job.clone()))?
            .telling_of(bundle.sources.clone());
        let proposer = interview.proposer(&task.label());
        let told = interview.drive(task, "Looking for cleanups with the model", control)?.found;
        let json = |told: &Reflected| {
            serde_json::to_string(told).map_err(|error| EngineError::Stored { what: "cleanup proposals of a model", error })
        };
        let reply = ModelReplyRow {
            task: ReplyTask::Reflection,
            matter: matter(&told.read),
            proposer,
            found: Some(json(&told)?),
            sources: bundle.sources.clone(),
            made_at: self.engine.now(),
        };
        Ok(self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            // A source was excluded or erased during the call, so the answer is out of date.
            if !tx.conversation_status().are_on_record(&bundle.sources)?
                || !tx.playbooks().are_messages_on_record(&bundle.messages)?
            {
                return Ok(false);
            }
            tx.replies().put_model_reply(&reply)?;
            Ok(!told.opinions.is_empty())
        })?)
    }
}

/// Hash of the entries shown to the model.
fn matter(read: &[Shown]) -> String {
    let mut hash = blake3::Hasher::new();
    for shown in read {
        hash.update(format!("{} {}|", shown.id, shown.digest).as_bytes());
    }
    hash.finalize().to_hex()[..32].to_owned()
}

fn bundle_of(tx: &ReadTx<'_>, ids: &[MemoryId], memories: &[Remembered], bundle: &[usize]) -> StoreResult<Bundle> {
    let (mut messages, mut sources) = (BTreeSet::new(), BTreeSet::new());
    let mut own = Vec::new();
    for at in bundle {
        let (Some(id), Some(memory)) = (ids.get(*at), memories.get(*at)) else { continue };
        messages.extend(tx.memories().founding_evidence(id)?.into_iter().map(|place| place.interaction_id));
        own.push(memory.clone());
    }
    for message in &messages {
        sources.extend(tx.log().interaction(message)?.map(|row| row.conversation_id));
    }
    Ok(Bundle { memories: own, messages: messages.into_iter().collect(), sources: sources.into_iter().collect() })
}
