//! Topics by the chosen language model, in addition to the rules: it writes the texts of topics, finds messages that do not
//! belong, and judges which topics are the same.
//!
//! A call about a topic contains messages of that topic only, so the result depends on nothing else, and the model is asked
//! about the same content only once, even if several partitions contain it. A call about two topics contains messages of
//! both, from the same partition. Answers are stored separately from topics and used by the derivation (`derive`), so topics
//! that are deleted and recreated are the same. Before an answer is written, two things are checked again: all messages that
//! were shown may still be read, and the topic still has the same content. If the model fails, or nothing in its answer is
//! accepted, the rules' text stays.
//!
//! Not in this module: the prompts, and which parts of an answer are accepted (`insight::topic::model`).

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{ConversationId, InteractionId, JobId, JobKind, TopicId};
use keepsake_insight::topic::model::{PairTask, PairVerdict, TOPIC, TOPIC_PAIR, WordedLine, Wording, WordingInput, WordingTask};
use keepsake_insight::topic::{ENGINE_VERSION, TopicRules};
use keepsake_store::{
    InteractionRow, Lease, NewJob, ReadTx, StoreError, TopicProposalRow, TopicRow, TopicVerdictRow, TopicVersionRow,
    TopicWordingRow, WriteTx, parse_json,
};

use super::wording::worded;
use super::{StoreResult, message_id};
use crate::areas::Topics;
use crate::derive::readable_messages::as_read;
use crate::derive::readable_messages::insight_turns;
use crate::language::{Interview, ModelSettings, Provider, passing};
use crate::queue::control::Control;
use crate::{Engine, EngineError, Result};

/// Minimum similarity at which the model is asked about two topics that the rules keep separate. Below this value, nearly all
/// pairs are different topics.
const ASKED_FROM: f32 = 0.55;

/// Maximum number of pairs that one job asks about. The rest are left to the next job, after topics have grown.
const PAIRS_MAX: usize = 40;

/// Setting that stores what the last successful job covered.
const READ_SETTING: &str = "topics_read_by_model";

/// A topic with the input for a call about it.
struct Matter {
    topic: TopicRow,
    content_key: String,
    /// The text so far, in a model's wording.
    text: Vec<WordedLine>,
    known: Vec<InteractionRow>,
    new: Vec<InteractionRow>,
    /// Messages quoted by the rules' text.
    telling: BTreeSet<InteractionId>,
}

/// Two topics, or the halves of one, with messages from each.
struct Pair {
    subject: String,
    topic: TopicRow,
    other: Option<TopicId>,
    sides: [Vec<InteractionRow>; 2],
}

/// The conversations that these messages belong to.
fn sources<'r>(rows: impl Iterator<Item = &'r InteractionRow>) -> Vec<ConversationId> {
    rows.map(|row| row.conversation_id.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether all of these messages still exist, and none is excluded or arrived during an exclusion.
pub(crate) fn is_readable<'r>(tx: &ReadTx<'_>, rows: impl Iterator<Item = &'r InteractionRow>) -> StoreResult<bool> {
    for row in rows {
        if !tx.conversation_status().are_on_record(std::slice::from_ref(&row.conversation_id))?
            || tx.log().is_in_private_time(row.seq)?
            || tx.log().interaction(&row.id)?.is_none()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Topics<'_> {
    /// Queues a job that lets the chosen model word topics, if a model makes proposals and there is something it has not
    /// read.
    pub(crate) fn queue_for_model(&self) -> Result<()> {
        if self.engine.models().settings()?.proposing().is_none() {
            return Ok(());
        }
        let (mark, read) =
            self.engine.store().read(|tx| Ok((self.unread_by_model(tx)?, tx.settings().setting(READ_SETTING)?)))?;
        if mark.is_empty() || read.as_ref() == Some(&mark) {
            return Ok(());
        }
        let job = NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::TopicsModel,
            idempotency_key: "topics".to_owned(),
            payload: "{}".to_owned(),
        };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.queue().look_for_work();
        Ok(())
    }

    /// Identifies the topics and pairs that no model has read yet; empty if there are none.
    fn unread_by_model(&self, tx: &ReadTx<'_>) -> StoreResult<String> {
        let mut hash = blake3::Hasher::new();
        let mut count = 0;
        for partition in self.partitions_standing(tx)? {
            for (_, key) in tx.topics().unworded(&partition)? {
                hash.update(key.as_bytes());
                count += 1;
            }
            for (subject, ..) in pairs_to_judge(tx, &partition)? {
                hash.update(subject.as_bytes());
                count += 1;
            }
        }
        Ok(if count == 0 { String::new() } else { hash.finalize().to_hex()[..32].to_owned() })
    }

    /// The ids of the partitions whose topics may be read now. The owner's partition comes first, because most of its content
    /// is also in other partitions.
    fn partitions_standing(&self, tx: &ReadTx<'_>) -> StoreResult<Vec<String>> {
        let map = self.engine.access_map(tx)?;
        let standing = map.standing_partitions(tx, &self.engine.inner.policy)?;
        let mut ids: Vec<String> = standing.into_iter().map(|(row, _)| row.id).collect();
        ids.sort_by_key(|id| (id != super::OWNER_PARTITION, id.clone()));
        Ok(ids)
    }

    /// Lets the chosen model word new topics and judge which topics are the same, and completes the job.
    pub(crate) fn perform_by_model(&self, lease: &Lease, control: &dyn Control) -> Result<()> {
        let settings = self.engine.models().settings()?;
        let rules = self.rules()?;
        // If no model is chosen anymore, there is nothing to do.
        let provider = settings.proposing().cloned();
        let (mut worded, mut judged) = (0_u64, 0_u64);
        let mut unusable: Option<EngineError> = None;
        if let Some(provider) = &provider {
            let asking = Asking { engine: self.engine, settings: &settings, provider, rules: &rules, lease, control };
            let mut tried: BTreeSet<String> = BTreeSet::new();
            let partitions = self.engine.store().read(|tx| self.partitions_standing(tx))?;
            for partition in &partitions {
                while let Some(matter) = self.engine.store().read(|tx| self.next_matter(tx, partition, &tried))? {
                    tried.insert(matter.content_key.clone());
                    worded += u64::from(passing(asking.word(&matter), &mut unusable)?);
                }
                let pairs = self.engine.store().read(|tx| pairs(tx, partition))?;
                for pair in pairs.into_iter().take(PAIRS_MAX) {
                    judged += u64::from(passing(asking.judge(&pair), &mut unusable)?);
                }
                // Apply the verdicts to the topics.
                self.derive_partition_named(partition, &rules)?;
            }
        }
        if let Some(error) = unusable {
            return Err(error);
        }
        let result = serde_json::json!({ "worded": worded, "judged": judged }).to_string();
        let now = self.engine.now();
        self.engine.store().write(|tx| {
            tx.jobs().check_lease(lease)?;
            let read = self.unread_by_model(tx)?;
            tx.settings().put(READ_SETTING, &read, now)?;
            tx.jobs().complete(lease, &result, now)
        })?;
        Ok(())
    }

    /// The next topic of a partition whose current content no model has worded.
    fn next_matter(&self, tx: &ReadTx<'_>, partition: &str, tried: &BTreeSet<String>) -> StoreResult<Option<Matter>> {
        // Conversations were excluded or links changed meanwhile. The remaining content gets a job of its own.
        if !self.partitions_standing(tx)?.iter().any(|id| id == partition) {
            return Ok(None);
        }
        let unworded = tx.topics().unworded(partition)?;
        let Some((id, content_key)) = unworded.into_iter().find(|(_, key)| !tried.contains(key)) else { return Ok(None) };
        let topic = tx.topics().topic(&id)?;
        let mut versions: Vec<TopicVersionRow> = tx.topics().versions(&id)?;
        versions.retain(|version| !version.is_retired && version.proposer == ENGINE_VERSION);
        let (text, through) = text_so_far(tx, &versions)?;
        let messages = tx.topics().messages(&id)?;
        let new: Vec<InteractionId> =
            messages.iter().filter(|(_, number)| *number > through).map(|(message, _)| message.clone()).collect();
        let known: BTreeSet<InteractionId> =
            text.iter().flat_map(|line| &line.places).filter_map(|place| message_id(&place.message)).collect();
        let telling = tx.topics().lines(&topic.version)?.into_iter().map(|line| line.place.interaction).collect();
        Ok(Some(Matter {
            known: as_read(tx, tx.topics().interactions_of(&known.into_iter().collect::<Vec<_>>())?)?,
            new: as_read(tx, tx.topics().interactions_of(&new)?)?,
            topic,
            content_key,
            text,
            telling,
        }))
    }
}

/// The newest wording after which no messages were removed, and the number of the version it covers.
fn text_so_far(tx: &ReadTx<'_>, versions: &[TopicVersionRow]) -> StoreResult<(Vec<WordedLine>, u32)> {
    let mut later = u32::MAX;
    for version in versions.iter().rev() {
        // After messages were removed, the text is written again from the start.
        if version.messages >= later {
            break;
        }
        later = version.messages;
        let Some(wording) = tx.topics().wording(&version.content_key)? else { continue };
        let lines: Vec<WordedLine> = parse_json("wording of a topic", &wording.lines)?;
        if !lines.is_empty() {
            return Ok((lines, version.number));
        }
    }
    Ok((Vec::new(), 0))
}

/// The name of a pair of topics, independent of their order.
fn pair_name(a: &TopicId, b: &TopicId) -> String {
    if a <= b { format!("{a} {b}") } else { format!("{b} {a}") }
}

/// A pair that no model has judged: its name, the topic, the other one if any, and the messages that a split would move.
type Unjudged = (String, TopicId, Option<TopicId>, Vec<InteractionId>);

/// Proposed merges and splits, and similar pairs, that no model has judged and no person kept apart.
fn pairs_to_judge(tx: &ReadTx<'_>, partition: &str) -> StoreResult<Vec<Unjudged>> {
    let judged: BTreeSet<String> = tx.topics().verdicts(partition)?.into_iter().map(|row| row.subject).collect();
    let mut found: Vec<Unjudged> = Vec::new();
    let mut names: BTreeSet<String> = judged;
    for TopicProposalRow { id, topic, other, apart, .. } in tx.topics().proposals(partition)? {
        let name = other.as_ref().map_or(id, |other| pair_name(&topic, other));
        if names.insert(name.clone()) {
            found.push((name, topic, other, apart));
        }
    }
    let left = kept_apart(tx, partition)?;
    let mut near: Vec<(f32, String, TopicId, TopicId)> = Vec::new();
    for topic in tx.topics().topics_of(partition)? {
        for (other, nearness) in topic.related.iter().filter(|(_, nearness)| *nearness >= ASKED_FROM) {
            let name = pair_name(&topic.id, other);
            let is_family = topic.parent.as_ref() == Some(other);
            if !is_family && !left.contains(&name) && names.insert(name.clone()) {
                near.push((*nearness, name, topic.id.clone(), other.clone()));
            }
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.extend(near.into_iter().map(|(_, name, topic, other)| (name, topic, Some(other), Vec::new())));
    Ok(found)
}

/// Pairs of topics that a person kept apart or split.
fn kept_apart(tx: &ReadTx<'_>, partition: &str) -> StoreResult<BTreeSet<String>> {
    let decisions = tx.topics().decisions(partition)?;
    let mut holders: BTreeMap<InteractionId, TopicId> = BTreeMap::new();
    let standing: Vec<_> = decisions.iter().filter(|row| row.undone_at.is_none() && row.kind == "leave").collect();
    if standing.is_empty() {
        return Ok(BTreeSet::new());
    }
    for topic in tx.topics().topics_of(partition)? {
        holders.extend(tx.topics().messages(&topic.id)?.into_iter().map(|(message, _)| (message, topic.id.clone())));
    }
    let held = |messages: &[InteractionId]| messages.iter().find_map(|message| holders.get(message));
    let pairs = standing.into_iter().filter_map(|row| Some(pair_name(held(&row.a)?, held(&row.b)?)));
    Ok(pairs.collect())
}

fn pairs(tx: &ReadTx<'_>, partition: &str) -> StoreResult<Vec<Pair>> {
    let mut found = Vec::new();
    for (subject, topic, other, apart) in pairs_to_judge(tx, partition)? {
        let own: Vec<InteractionId> = tx.topics().messages(&topic)?.into_iter().map(|(id, _)| id).collect();
        let (first, second) = match &other {
            Some(other) => (own, tx.topics().messages(other)?.into_iter().map(|(id, _)| id).collect()),
            None => {
                let gone: BTreeSet<&InteractionId> = apart.iter().collect();
                (own.into_iter().filter(|id| !gone.contains(id)).collect(), apart)
            }
        };
        let sides = [as_read(tx, tx.topics().interactions_of(&first)?)?, as_read(tx, tx.topics().interactions_of(&second)?)?];
        found.push(Pair { subject, topic: tx.topics().topic(&topic)?, other, sides });
    }
    Ok(found)
}

/// The context that all calls of a job share.
struct Asking<'a> {
    engine: &'a Engine,
    settings: &'a ModelSettings,
    provider: &'a Provider,
    rules: &'a TopicRules,
    lease: &'a Lease,
    control: &'a dyn Control,
}

impl Asking<'_> {
    fn interview(&self, sources: Vec<ConversationId>) -> Result<Interview<'_>> {
        if self.control.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let job = Some(self.lease.job.clone());
        Ok(Interview::begin(self.engine, self.settings.clone(), self.provider, None, job)?.telling_of(sources))
    }

    /// Writes the text of one topic. Returns whether part of the answer was accepted.
    fn word(&self, matter: &Matter) -> Result<bool> {
        let (known, new) = (insight_turns(&matter.known), insight_turns(&matter.new));
        let telling: BTreeSet<&str> = matter.telling.iter().map(InteractionId::as_str).collect();
        let input = WordingInput { text: &matter.text, known: &known, new: &new, telling: &telling, rules: self.rules };
        let scrubber = self.engine.models().scrubber()?;
        let task = |length| WordingTask::new(input, &scrubber, length);
        let rows = || matter.known.iter().chain(&matter.new);
        let sources = sources(rows());
        let interview = self.interview(sources.clone())?;
        let proposer = interview.proposer(&TOPIC.label());
        let Wording { lines, title, entities, distinct, .. } =
            interview.drive_in_parts(task, "Writing topics with the model", self.control)?.found;
        let stored = |error| EngineError::Stored { what: "wording of a topic", error };
        let row = TopicWordingRow {
            content_key: matter.content_key.clone(),
            proposer: proposer.clone(),
            title,
            entities: serde_json::to_string(&entities).map_err(stored)?,
            lines: serde_json::to_string(&lines).map_err(stored)?,
            sources: sources.clone(),
            worded_at: self.engine.now(),
        };
        let apart: Vec<InteractionId> = distinct.iter().filter_map(|id| message_id(id)).collect();
        let wrote = self.engine.store().write(|tx| {
            tx.jobs().check_lease(self.lease)?;
            if !has_content(tx, &matter.topic.id, &matter.content_key)? || !is_readable(tx, rows())? {
                return Ok(false);
            }
            tx.topics().put_wording(&row)?;
            if !apart.is_empty() {
                tx.topics().put_distinct(&matter.topic, &apart, &proposer, &sources, row.worded_at)?;
            }
            for topic in tx.topics().with_content(&row.content_key)? {
                show(tx, &topic, &row)?;
            }
            Ok(!lines.is_empty())
        })?;
        if !apart.is_empty() {
            self.engine.topics().derive_partition_named(&matter.topic.partition, self.rules)?;
        }
        Ok(wrote)
    }

    /// Judges one pair. Returns whether there is a verdict.
    fn judge(&self, pair: &Pair) -> Result<bool> {
        let [first, second] = pair.sides.each_ref().map(|rows| insight_turns(rows));
        let scrubber = self.engine.models().scrubber()?;
        let task = |length| PairTask::new(&first, &second, &scrubber, length);
        let rows = || pair.sides.iter().flatten();
        let sources = sources(rows());
        let interview = self.interview(sources.clone())?;
        let proposer = interview.proposer(&TOPIC_PAIR.label());
        let verdict = interview.drive_in_parts(task, "Comparing topics with the model", self.control)?.found;
        let answer = match verdict {
            PairVerdict::Same => "same",
            PairVerdict::Distinct => "distinct",
            PairVerdict::Refused(_) => "unsure",
        };
        let row = TopicVerdictRow {
            subject: pair.subject.clone(),
            partition: pair.topic.partition.clone(),
            topic: pair.topic.id.clone(),
            other: pair.other.clone(),
            answer: answer.to_owned(),
            proposer,
            sources,
            judged_at: self.engine.now(),
        };
        Ok(self.engine.store().write(|tx| {
            tx.jobs().check_lease(self.lease)?;
            let is_there = |id: &TopicId| match tx.topics().topic(id) {
                Ok(_) => Ok(true),
                Err(StoreError::NotFound { .. }) => Ok(false),
                Err(error) => Err(error),
            };
            if !is_there(&row.topic)? || !is_readable(tx, rows())? {
                return Ok(false);
            }
            tx.topics().put_verdict(&row)?;
            Ok(!matches!(verdict, PairVerdict::Refused(_)))
        })?)
    }
}

/// Whether a topic exists and still has the content that the model was asked about.
fn has_content(tx: &ReadTx<'_>, topic: &TopicId, content_key: &str) -> StoreResult<bool> {
    match tx.topics().topic(topic) {
        Ok(row) => Ok(tx.topics().version(&row.version)?.content_key == content_key),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes a wording the current version of a topic.
fn show(tx: &WriteTx<'_>, topic: &TopicRow, wording: &TopicWordingRow) -> StoreResult<()> {
    let Some(by_rules) = tx.topics().version_of_content(&topic.id, &wording.content_key, ENGINE_VERSION)? else {
        return Ok(());
    };
    let Some((row, lines)) = worded(tx, &tx.topics().version(&by_rules)?, wording)? else { return Ok(()) };
    if !tx.topics().has_version(&row.id)? {
        tx.topics().insert_version(&row, &lines)?;
    }
    tx.topics().set_version(&topic.id, &row.id)
}
