//! Topics that grow over all conversations (seed 003): messages are read in batches, the batches are folded into topics for
//! one audience after another, and a person's decisions change the topics.
//!
//! A topic depends on everything that its derivation read and not only on its own messages, so each audience has its own set of
//! topics, called a partition: public topics come from public conversations, a closed audience's topics from its private
//! conversations, and the owner's topics from everything. A closed audience sees the public topics in addition to its own
//! (decision 19). Nothing is filtered afterwards. The result of reading a batch is stored, so that only new messages are
//! embedded. The fold over all batches runs from the start each time, but only versions that are not stored yet are worded and
//! written.
//!
//! The rules write the text of topics first, in the embed lane. If a language model is chosen, it words the same content
//! afterwards, in its own lane (`by_model`), and its text is shown if it is accepted.
//!
//! Not in this module: what belongs together and what a topic says (`insight::topic`), which partition a destination sees
//! (`boundary`), and rows (`store`).

mod acts;
mod by_model;
mod derive;
mod wording;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use keepsake_domain::{ConversationId, InteractionId, JobId, JobKind, Timestamp};
use keepsake_insight::topic::{TopicRules, batches};
use keepsake_store::{InteractionRow, Lease, NewJob, ReadTx, StoreError};

use crate::areas::Topics;
use crate::derive::readable_messages::insight_turns;
use crate::derive::readable_messages::messages_on_record;
use crate::queue::control::Control;
use crate::{EmbedderState, EngineError, Result};

pub use acts::TopicChoice;
pub(crate) use by_model::is_readable;
pub(crate) use derive::{OWNER_PARTITION, partition_key};
pub(crate) use wording::Contributors;

/// Setting that stores the rules.
const RULES_SETTING: &str = "topic_rules";

/// Name of the rules in error messages.
const CHOICES: &str = "topic settings";

/// Setting that stores the state of the data at the last derivation.
pub(crate) const LOOKED_SETTING: &str = "topics_looked_through";

/// Setting that stores the version of the reader whose marks were used when topics were last read, for processes without a
/// reader.
const READER_SETTING: &str = "topics_reader";

type StoreResult<T> = std::result::Result<T, StoreError>;

/// Parses the message id that a topic refers to.
fn message_id(text: &str) -> Option<InteractionId> {
    text.parse().ok()
}

impl Topics<'_> {
    /// The rules for deriving topics.
    pub fn rules(&self) -> Result<TopicRules> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(RULES_SETTING, CHOICES))?)
    }

    /// Sets the rules for deriving topics. If the rules changed, topics are derived again.
    pub fn set_rules(&self, rules: &TopicRules) -> Result<()> {
        rules.check().map_err(|error| EngineError::Refused(error.to_string()))?;
        let now = self.engine.now();
        self.engine.store().write(|tx| tx.settings().put_choice(RULES_SETTING, CHOICES, rules, now))?;
        self.queue().map(drop)
    }

    /// Name of the model whose vectors are used for clusters. `None` while a model is loading, because it will
    /// be available in a moment.
    fn model(&self) -> Result<Option<String>> {
        if matches!(self.engine.embedder().state(), EmbedderState::Loading) {
            return Ok(None);
        }
        let embedder = self.engine.embedder().name().unwrap_or_default();
        Ok(Some(format!("{embedder} {}", self.engine.store().read(|tx| self.reader(tx))?)))
    }

    /// Version of the reader whose marks determine the takeaways: this process's reader, or otherwise the reader with which
    /// topics were last read; empty if there was none.
    pub(super) fn reader(&self, tx: &ReadTx<'_>) -> StoreResult<String> {
        match self.engine.embedder().reader().version() {
            Some(version) => Ok(version),
            None => Ok(tx.settings().setting(READER_SETTING)?.unwrap_or_default()),
        }
    }

    /// Queues an update of topics, if a batch is complete or something else they depend on changed. Returns when the next
    /// batch will be complete.
    pub fn queue(&self) -> Result<Option<Timestamp>> {
        let rules = self.rules()?;
        if !rules.automatic {
            return Ok(None);
        }
        let Some(model) = self.model()? else { return Ok(None) };
        let looked = self.engine.store().read(|tx| tx.settings().setting(LOOKED_SETTING))?;
        let beside = self.engine.store().read(|tx| self.looked_at(tx, &rules, &model))?;
        let (is_due, next) = self.due(&rules, &model)?;
        if is_due || looked.as_ref() != Some(&beside) {
            self.queue_job(&beside)?;
        }
        Ok(next)
    }

    /// Queues an update of topics regardless of changes, at a person's request.
    pub fn queue_now(&self) -> Result<()> {
        self.queue_job("now")
    }

    /// Deletes every topic and queues their derivation from the messages. A person's decisions are replayed, and a model's
    /// texts for the same content are reused.
    pub fn rebuild(&self) -> Result<()> {
        self.drop()?;
        self.engine.store().write(|tx| tx.topics().drop_readings())?;
        self.queue_job("now")
    }

    /// Deletes every topic, in several transactions.
    pub(crate) fn drop(&self) -> Result<()> {
        let ids: Vec<String> =
            self.engine.store().read(|tx| Ok(tx.topics().partitions()?.into_iter().map(|row| row.id).collect()))?;
        ids.iter().try_for_each(|id| self.drop_partition(id, None))
    }

    fn queue_job(&self, key: &str) -> Result<()> {
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::Topics,
            idempotency_key: key.to_owned(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Whether there is a complete but unread batch in any conversation, and when the next one will be complete.
    fn due(&self, rules: &TopicRules, model: &str) -> Result<(bool, Option<Timestamp>)> {
        let now = self.engine.now();
        let unread = self.engine.store().read(|tx| self.unread_for(tx, rules, model, now))?;
        let mut next: Option<Timestamp> = None;
        for (conversation, signature) in unread.changed {
            let (closed, known, rests_at) = self.engine.store().read(|tx| {
                let rows = spoken_rows(tx, &conversation)?;
                let times: Vec<Timestamp> = rows.iter().map(|row| row.time).collect();
                let (closed, rests_at) = batches(&times, rules, now);
                let marks: Vec<String> = closed.iter().map(|batch| derive::batch_mark(rules, model, &rows, batch)).collect();
                Ok((marks, tx.topics().batch_marks(&conversation)?, rests_at))
            })?;
            if closed != known {
                return Ok((true, None));
            }
            // No new batch is complete. Store this fact, so that the conversation is not searched again.
            self.engine.store().write(|tx| tx.topics().put_reading(&conversation, &signature, rests_at))?;
            next = [next, rests_at].into_iter().flatten().min();
        }
        Ok((unread.is_due, [next, unread.next].into_iter().flatten().min()))
    }

    /// Sequence number of each conversation's last message. Finding it scans the whole log, and it is needed after every
    /// write, so it is cached until a message arrives or a conversation is removed, which changes the boundary version.
    fn last_seqs(&self, tx: &ReadTx<'_>) -> StoreResult<Arc<BTreeMap<ConversationId, i64>>> {
        let (last, version) = (tx.log().last_seq_of_all()?, tx.privacy().boundary_version()?);
        let mut kept = self.engine.inner.last_seqs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.as_ref().filter(|known| (known.of_all, known.boundary) == (last, version)) {
            return Ok(Arc::clone(&known.seqs));
        }
        let seqs = Arc::new(tx.profiles().last_seqs()?);
        *kept = Some(LastSeqs { of_all: last, boundary: version, seqs: Arc::clone(&seqs) });
        Ok(seqs)
    }

    fn unread_for(&self, tx: &ReadTx<'_>, rules: &TopicRules, model: &str, now: Timestamp) -> StoreResult<Unread> {
        let map = self.engine.access_map(tx)?;
        let last = self.last_seqs(tx)?;
        let private = tx.log().all_private_intervals()?;
        let readings = tx.topics().readings()?;
        let mut unread = Unread::default();
        for place in map.places.values().filter(|place| !place.is_off_record) {
            let id = &place.conversation;
            let signature = derive::reading_signature(
                rules,
                model,
                last.get(id).copied().unwrap_or(0),
                private.get(id).map_or(&[][..], Vec::as_slice),
            );
            match readings.get(id) {
                Some((known, rests_at)) if *known == signature => match rests_at {
                    Some(at) if *at <= now => unread.is_due = true,
                    Some(at) => unread.next = Some(unread.next.map_or(*at, |next| next.min(*at))),
                    None => {}
                },
                _ => unread.changed.push((id.clone(), signature)),
            }
        }
        unread.changed.sort();
        Ok(unread)
    }

    /// Updates topics and completes the job.
    pub(crate) fn perform(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let rules = self.rules()?;
        let Some(model) = self.model()? else {
            return Err(EngineError::NotYet { why: "waiting for the embedding model to load", retry_ms: MODEL_WAIT_MS });
        };
        let looked = self.engine.store().read(|tx| self.looked_at(tx, &rules, &model))?;
        let reader = self.engine.store().read(|tx| self.reader(tx))?;
        let read = self.read_batches(&rules, &model, Some(lease), control)?;
        let written = self.derive(&rules, Some(lease), control)?;
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            tx.settings().put(LOOKED_SETTING, &looked, now)?;
            tx.settings().put(READER_SETTING, &reader, now)?;
            tx.jobs().complete(lease, &serde_json::json!({ "batches": read, "versions": written }).to_string(), now)
        })?;
        self.queue_for_model()?;
        // Messages that arrived during the update get a job of their own.
        self.queue().map(drop)
    }

    /// A string that changes whenever a derivation could give a different result, apart from new messages.
    fn looked_at(&self, tx: &ReadTx<'_>, rules: &TopicRules, model: &str) -> StoreResult<String> {
        let decisions: Vec<String> = tx.topics().decisions_signature()?;
        let by_model = if self.engine.models().has_proposing(tx)? { " by a model" } else { "" };
        Ok(format!(
            "{} {} {} {model} {} {decisions:?}{by_model}",
            rules.cluster_mark(),
            rules.text_mark(),
            rules.similarity,
            tx.privacy().boundary_version()?
        ))
    }

    /// Updates topics without the queue, for tests that check the result.
    #[cfg(test)]
    pub(crate) fn derive_now(&self) -> Result<()> {
        let rules = self.rules()?;
        let model = self.model()?.unwrap_or_default();
        self.read_batches(&rules, &model, None, &crate::Unwatched)?;
        self.derive(&rules, None, &crate::Unwatched).map(drop)
    }
}

/// Delay in milliseconds before a job tries again if the model is still loading. Loading takes seconds.
const MODEL_WAIT_MS: i64 = 3_000;

/// Sequence number of each conversation's last message, valid for one log position and one boundary version.
#[derive(Debug)]
pub(crate) struct LastSeqs {
    of_all: i64,
    boundary: i64,
    seqs: Arc<BTreeMap<ConversationId, i64>>,
}

#[derive(Default)]
struct Unread {
    changed: Vec<(ConversationId, String)>,
    is_due: bool,
    next: Option<Timestamp>,
}

/// The messages of a conversation written by speakers, in order, without excluded ones.
fn spoken_rows(tx: &ReadTx<'_>, id: &ConversationId) -> StoreResult<Vec<InteractionRow>> {
    let mut rows = match messages_on_record(tx, id) {
        Err(StoreError::NotFound { .. }) => return Ok(Vec::new()),
        rows => rows?,
    };
    let plain: Vec<bool> = insight_turns(&rows).iter().map(keepsake_insight::Turn::is_plain).collect();
    let mut plain = plain.into_iter();
    rows.retain(|_| plain.next().unwrap_or(false));
    Ok(rows)
}

#[cfg(test)]
mod noninterference;
