//! Topics that grow over all conversations (seed 003): read batch by batch, folded one privacy partition after another, and what a
//! person decides about them.
//!
//! A topic depends on everything that its fold read and not only on its own messages, so each side has topics of its own: the public
//! conversations give the public ones, each circle of people those of what was said in it, and the owner those of everything. A circle
//! sees the public ones beside its own (decision 19). Nothing is filtered afterwards. What was read of a batch is kept, so that only new messages are embedded; the fold over all of it
//! is made anew each time, and only what it brings beyond what is stored is worded and written.
//!
//! The rules word first, in the embed lane. Where a language model is chosen it words the same content afterwards, in its own lane
//! (`by_model`), and its text is shown where it holds.
//!
//! Deliberately not here: what belongs together and what a topic says (`insight::topic`), which partition a destination sees
//! (`boundary`), rows (`store`).

mod acts;
mod by_model;
mod derive;
mod wording;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use keepsake_domain::{ConversationId, JobId, JobKind, Timestamp};
use keepsake_insight::topic::{TopicRules, batches};
use keepsake_store::{InteractionRow, Lease, NewJob, ReadTx, StoreError};

use crate::analyze::insight_turns;
use crate::record::messages_on_record;
use crate::work::Control;
use crate::{EmbedderState, Engine, EngineError, Result};

pub use acts::TopicChoice;
pub(crate) use by_model::is_readable;
pub(crate) use derive::{OWNER_PARTITION, partition_key};
pub(crate) use wording::Contributors;

/// The setting under which the rules are kept.
const RULES_SETTING: &str = "topic_rules";

/// What an error calls them.
const CHOICES: &str = "rules of topics";

/// The setting that says what the last derivation looked at.
pub(crate) const LOOKED_SETTING: &str = "topics_looked_through";

/// The setting that says whose marks were there when topics were last read. A process that reads nothing itself goes by it.
const READER_SETTING: &str = "topics_reader";

type StoreResult<T> = std::result::Result<T, StoreError>;

impl Engine {
    /// How topics are made.
    pub fn topic_rules(&self) -> Result<TopicRules> {
        Ok(self.store().read(|tx| tx.choice(RULES_SETTING, CHOICES))?)
    }

    /// Chooses how topics are made; they are made anew under other rules.
    pub fn set_topic_rules(&self, rules: &TopicRules) -> Result<()> {
        rules.check().map_err(|error| EngineError::Refused(error.to_string()))?;
        let now = self.now();
        self.store().write(|tx| tx.put_choice(RULES_SETTING, CHOICES, rules, now))?;
        self.queue_topics().map(drop)
    }

    /// The model under whose vectors clusters are made; nothing while one is being loaded, since it will be there in a moment.
    fn topic_model(&self) -> Result<Option<String>> {
        let embedder = match self.embedder().state() {
            EmbedderState::Loading => return Ok(None),
            EmbedderState::Ready(model) => model.name().to_owned(),
            EmbedderState::Missing(_) | EmbedderState::Broken(_) => String::new(),
        };
        Ok(Some(format!("{embedder} {}", self.store().read(|tx| self.topic_reader(tx))?)))
    }

    /// Whose marks the takeaways are: the reader of this process, or the one that topics were last read with. Nothing where there was none.
    pub(super) fn topic_reader(&self, tx: &ReadTx<'_>) -> StoreResult<String> {
        match self.embedder().reader().version() {
            Some(version) => Ok(version),
            None => Ok(tx.setting(READER_SETTING)?.unwrap_or_default()),
        }
    }

    /// Queues the keeping up of topics, if a batch closed or something else changed that they rest on; when the next batch closes.
    pub fn queue_topics(&self) -> Result<Option<Timestamp>> {
        let rules = self.topic_rules()?;
        if !rules.automatic {
            return Ok(None);
        }
        let Some(model) = self.topic_model()? else { return Ok(None) };
        let looked = self.store().read(|tx| tx.setting(LOOKED_SETTING))?;
        let beside = self.store().read(|tx| self.looked_at(tx, &rules, &model))?;
        let (is_due, next) = self.topics_due(&rules, &model)?;
        if is_due || looked.as_ref() != Some(&beside) {
            self.queue_topics_job(&beside)?;
        }
        Ok(next)
    }

    /// Queues the keeping up of topics whatever changed, as a person may ask.
    pub fn queue_topics_now(&self) -> Result<()> {
        self.queue_topics_job("now")
    }

    /// Deletes every topic and queues their derivation from the messages. What a person decided is replayed, and what a model wrote
    /// of the same content is taken in again.
    pub fn rebuild_topics(&self) -> Result<()> {
        self.drop_topics()?;
        self.store().write(|tx| tx.drop_topic_readings())?;
        self.queue_topics_job("now")
    }

    /// Deletes every topic, in pieces.
    pub(crate) fn drop_topics(&self) -> Result<()> {
        let ids: Vec<String> = self.store().read(|tx| Ok(tx.topic_partitions()?.into_iter().map(|row| row.id).collect()))?;
        ids.iter().try_for_each(|id| self.drop_partition(id, None))
    }

    fn queue_topics_job(&self, key: &str) -> Result<()> {
        let job = NewJob {
            id: JobId::fresh(self.ids()),
            kind: JobKind::Topics,
            idempotency_key: key.to_owned(),
            payload: "{}".to_owned(),
        };
        self.store().write(|tx| tx.enqueue(&job, self.now()))?;
        self.look_for_work();
        Ok(())
    }

    /// Whether a batch of any conversation closed that was not read, and when the next one closes.
    fn topics_due(&self, rules: &TopicRules, model: &str) -> Result<(bool, Option<Timestamp>)> {
        let now = self.now();
        let unread = self.store().read(|tx| self.unread_for_topics(tx, rules, model, now))?;
        let mut next: Option<Timestamp> = None;
        for (conversation, signature) in unread.changed {
            let (closed, known, rests_at) = self.store().read(|tx| {
                let rows = spoken_rows(tx, &conversation)?;
                let times: Vec<Timestamp> = rows.iter().map(|row| row.time).collect();
                let (closed, rests_at) = batches(&times, rules, now);
                let marks: Vec<String> = closed.iter().map(|batch| derive::batch_mark(rules, model, &rows, batch)).collect();
                Ok((marks, tx.topic_batch_marks(&conversation)?, rests_at))
            })?;
            if closed != known {
                return Ok((true, None));
            }
            // Nothing closed: noted, so that it is not looked through again.
            self.store().write(|tx| tx.put_topic_reading(&conversation, &signature, rests_at))?;
            next = [next, rests_at].into_iter().flatten().min();
        }
        Ok((unread.is_due, [next, unread.next].into_iter().flatten().min()))
    }

    /// The last message of each conversation. A look at the whole log, and this is asked after every write: so it is kept until a message
    /// comes or a conversation goes, which the boundary's version tells.
    fn last_seqs(&self, tx: &ReadTx<'_>) -> StoreResult<Arc<BTreeMap<ConversationId, i64>>> {
        let (last, version) = (tx.last_seq_of_all()?, tx.boundary_version()?);
        let mut kept = self.inner.last_seqs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.as_ref().filter(|known| (known.of_all, known.boundary) == (last, version)) {
            return Ok(Arc::clone(&known.seqs));
        }
        let seqs = Arc::new(tx.last_seqs()?);
        *kept = Some(LastSeqs { of_all: last, boundary: version, seqs: Arc::clone(&seqs) });
        Ok(seqs)
    }

    fn unread_for_topics(&self, tx: &ReadTx<'_>, rules: &TopicRules, model: &str, now: Timestamp) -> StoreResult<Unread> {
        let map = self.map(tx)?;
        let last = self.last_seqs(tx)?;
        let private = tx.all_private_intervals()?;
        let readings = tx.topic_readings()?;
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

    /// Keeps topics up, and completes the job with it.
    pub(crate) fn perform_topics(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let rules = self.topic_rules()?;
        let Some(model) = self.topic_model()? else {
            return Err(EngineError::NotYet { why: "waits for the embedding model to be loaded", retry_ms: MODEL_WAIT_MS });
        };
        let looked = self.store().read(|tx| self.looked_at(tx, &rules, &model))?;
        let reader = self.store().read(|tx| self.topic_reader(tx))?;
        let read = self.read_batches(&rules, &model, Some(lease), control)?;
        let written = self.derive_topics(&rules, Some(lease), control)?;
        let now = self.now();
        self.store().write(|tx| {
            tx.check_lease(lease)?;
            tx.put_setting(LOOKED_SETTING, &looked, now)?;
            tx.put_setting(READER_SETTING, &reader, now)?;
            tx.complete(lease, &serde_json::json!({ "batches": read, "versions": written }).to_string(), now)
        })?;
        self.queue_topics_for_model()?;
        // What came while it was read has its own job.
        self.queue_topics().map(drop)
    }

    /// A text that changes whenever a derivation could bring something else, new messages left aside.
    fn looked_at(&self, tx: &ReadTx<'_>, rules: &TopicRules, model: &str) -> StoreResult<String> {
        let decisions: Vec<String> = tx.topic_decisions_signature()?;
        let by_model = if self.has_proposing_model(tx)? { " by a model" } else { "" };
        Ok(format!(
            "{} {} {} {model} {} {decisions:?}{by_model}",
            rules.cluster_mark(),
            rules.text_mark(),
            rules.similarity,
            tx.boundary_version()?
        ))
    }

    /// Keeps topics up right here, for tests of what is derived.
    #[cfg(test)]
    pub(crate) fn derive_topics_now(&self) -> Result<()> {
        let rules = self.topic_rules()?;
        let model = self.topic_model()?.unwrap_or_default();
        self.read_batches(&rules, &model, None, &crate::Unwatched)?;
        self.derive_topics(&rules, None, &crate::Unwatched).map(drop)
    }
}

/// A job that finds the model loading looks again after this long: it takes seconds.
const MODEL_WAIT_MS: i64 = 3_000;

/// The last message of each conversation, as of the last message of all and a version of the boundary.
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

/// The messages of a conversation that somebody spoke, in order, without what was said off the record.
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
