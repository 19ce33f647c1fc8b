//! Reading batches, folding partitions, and writing what is new.

use std::collections::{BTreeSet, HashMap};

use keepsake_domain::{
    ConversationId, EvidenceSpan, InteractionId, Label, People, Place, Timestamp, TopicId, TopicVersionId, Visibility,
};
use keepsake_insight::Turn;
use keepsake_insight::topic::{
    Act, Batch, Cluster, ClusterEvent, Decision, ENGINE_VERSION, Entities, Event, Folded, ProposalKind, Section, Topic,
    TopicLine, TopicRules, TopicStep, TopicText, batches, clusters, entities, fold, merge, title,
};
use keepsake_store::{
    InteractionRow, Lease, ReadTx, StoredCluster, TopicClusterRow, TopicDecisionRow, TopicLineRow, TopicPartitionRow,
    TopicProposalRow, TopicRow, TopicVersionRow, WriteTx,
};
use serde::{Deserialize, Serialize};

use super::{StoreResult, spoken_rows};
use crate::analyze::insight_turns;
use crate::boundary::{Groups, Map};
use crate::work::Control;
use crate::{Engine, EngineError, Result};

/// What everybody may see.
pub(crate) const PUBLIC_PARTITION: &str = "public";

/// What the owner alone sees: everything that is on the record.
pub(crate) const OWNER_PARTITION: &str = "owner";

/// A title is found in so many messages: more change nothing, and each version reads them.
const TITLE_MESSAGES_MAX: usize = 60;

/// The clusters, decisions and readable places of one partition.
struct Partition {
    row: TopicPartitionRow,
    decisions: Vec<TopicDecisionRow>,
}

/// Who fed a topic.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Contributors {
    pub(crate) sessions: BTreeSet<String>,
    pub(crate) users: BTreeSet<String>,
    pub(crate) interfaces: BTreeSet<String>,
}

/// A version that is to be written, with its lines.
type NewVersion = (TopicVersionRow, Vec<TopicLineRow>);

/// What a partition becomes.
struct Derived {
    row: TopicPartitionRow,
    is_anew: bool,
    topics: Vec<TopicRow>,
    messages: Vec<(TopicId, Vec<(InteractionId, u32)>)>,
    versions: Vec<NewVersion>,
    live: BTreeSet<TopicVersionId>,
    proposals: Vec<TopicProposalRow>,
}

/// Names what a batch was read with.
pub(super) fn batch_mark(rules: &TopicRules, model: &str, rows: &[InteractionRow], batch: &Batch) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(format!("{} {model} {}", rules.cluster_mark(), batch.closes.0).as_bytes());
    for row in rows.get(batch.context.start..batch.fresh.end).into_iter().flatten() {
        hash.update(format!("|{} {} {} {}", row.id, row.role, row.time.0, row.author).as_bytes());
    }
    hash.update(format!("|{}", batch.fresh.len()).as_bytes());
    hash.finalize().to_hex()[..32].to_owned()
}

/// Names up to where a conversation was looked through.
pub(super) fn reading_signature(rules: &TopicRules, model: &str, last_seq: i64, private_through: i64) -> String {
    format!("{} {model} {last_seq} {private_through}", rules.cluster_mark())
}

/// The arrangement of links that a partition was derived under; another one is another partition.
pub(crate) fn partition_key(groups: &Groups, reach: Option<&People>) -> (String, String) {
    let mut hash = blake3::Hasher::new();
    for id in reach.into_iter().flatten() {
        hash.update(b"|");
        for member in groups.get(id).map_or(std::slice::from_ref(id), Vec::as_slice) {
            hash.update(member.as_str().as_bytes());
            hash.update(b" ");
        }
    }
    let key = hash.finalize().to_hex()[..24].to_owned();
    let id = match reach {
        None => PUBLIC_PARTITION.to_owned(),
        Some(reach) if reach.is_empty() => OWNER_PARTITION.to_owned(),
        Some(_) => format!("circle{key}"),
    };
    (id, key)
}

/// The label of what is derived for a circle.
fn label(engine: &Engine, reach: Option<&People>, any: &ConversationId) -> Option<Label> {
    let Some(reach) = reach else { return Some(Label::PUBLIC) };
    let place = Place { conversation: any.clone(), visibility: Visibility::Private, is_off_record: false, people: reach.clone() };
    (engine.inner.law.label_of)(&[&place])
}

impl Engine {
    /// Reads every batch that is complete and was not read under these rules; how many were.
    pub(super) fn read_batches(
        &self,
        rules: &TopicRules,
        model: &str,
        lease: Option<&Lease>,
        control: &dyn Control,
    ) -> Result<u64> {
        let now = self.now();
        let mut changed = self.store().read(|tx| {
            let unread = self.unread_for_topics(tx, rules, model, now)?;
            let readings = tx.topic_readings()?;
            let mut changed = unread.changed;
            // What was still open when it was looked through, and has closed by resting.
            let rested = readings.into_iter().filter(|(_, (_, rests_at))| rests_at.is_some_and(|at| at <= now));
            changed.extend(rested.map(|(id, (signature, _))| (id, signature)));
            changed.sort();
            changed.dedup_by(|a, b| a.0 == b.0);
            Ok(changed)
        })?;
        let embedder = self.embedder().ready();
        let embed = |texts: &[&str]| -> Option<Vec<Vec<f32>>> {
            // A model that fails on a batch must not stop the rules, which work without it.
            embedder.as_ref()?.embed(texts).inspect_err(|error| tracing::warn!(%error, "embedding failed")).ok()
        };
        let total = changed.len() as u64;
        let mut read = 0;
        for (done, (conversation, signature)) in changed.drain(..).enumerate() {
            control.progress("Reading for topics", done as u64, total);
            let (rows, known) =
                self.store().read(|tx| Ok((spoken_rows(tx, &conversation)?, tx.topic_batch_marks(&conversation)?)))?;
            let times: Vec<Timestamp> = rows.iter().map(|row| row.time).collect();
            let turns = insight_turns(&rows);
            let (closed, rests_at) = batches(&times, rules, now);
            for (position, batch) in closed.iter().enumerate() {
                let mark = batch_mark(rules, model, &rows, batch);
                if known.get(position) == Some(&mark) {
                    continue;
                }
                if control.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                let found = clusters(&turns, batch, rules, &embed);
                let found: Vec<StoredCluster> = found
                    .into_iter()
                    .map(|cluster| {
                        let json = serde_json::to_string(&cluster)
                            .map_err(|error| EngineError::Stored { what: "cluster of messages", error })?;
                        Ok((json, cluster.vector))
                    })
                    .collect::<Result<_>>()?;
                // Each batch for itself, so that an interrupted reading goes on where it was.
                self.store().write(|tx| {
                    lease.map_or(Ok(()), |lease| tx.check_lease(lease))?;
                    if tx.conversation(&conversation)?.is_private {
                        return Ok(());
                    }
                    tx.put_topic_batch(&conversation, position as u32, &mark, batch.closes, &found)
                })?;
                read += 1;
                control.progress("Reading for topics", done as u64, total);
            }
            self.store().write(|tx| {
                lease.map_or(Ok(()), |lease| tx.check_lease(lease))?;
                tx.drop_topic_batches(&conversation, closed.len() as u32)?;
                tx.put_topic_reading(&conversation, &signature, rests_at)
            })?;
        }
        Ok(read)
    }

    /// Folds every partition of which something changed, and writes what is new; how many versions were.
    pub(super) fn derive_topics(&self, rules: &TopicRules, lease: Option<&Lease>, control: &dyn Control) -> Result<u64> {
        let (version, partitions, ids) = self.store().read(|tx| {
            let map = self.map(tx)?;
            let (changed, ids) = self.partitions_to_derive(tx, &map, rules)?;
            Ok((map.version, changed, ids))
        })?;
        let total = partitions.len() as u64;
        let mut written = 0;
        for (done, partition) in partitions.into_iter().enumerate() {
            control.progress("Growing topics", done as u64, total);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            written += self.derive_partition(&partition, rules, version, lease)?;
        }
        self.store().write(|tx| {
            lease.map_or(Ok(()), |lease| tx.check_lease(lease))?;
            if tx.boundary_version()? == version { tx.retain_topic_partitions(&ids) } else { Ok(()) }
        })?;
        Ok(written)
    }

    /// Derives one partition at once, as after a person's decision.
    pub(super) fn derive_partition_named(&self, id: &str, rules: &TopicRules) -> Result<()> {
        let (version, partitions) = self.store().read(|tx| {
            let map = self.map(tx)?;
            Ok((map.version, self.partitions_to_derive(tx, &map, rules)?.0))
        })?;
        for partition in partitions.iter().filter(|partition| partition.row.id == id) {
            self.derive_partition(partition, rules, version, None)?;
        }
        Ok(())
    }

    /// Folds one partition and writes what is new, unless the boundary moved meanwhile.
    fn derive_partition(&self, partition: &Partition, rules: &TopicRules, version: i64, lease: Option<&Lease>) -> Result<u64> {
        let derived = self.store().read(|tx| derived(tx, partition, rules))?;
        Ok(self.store().write(|tx| {
            lease.map_or(Ok(()), |lease| tx.check_lease(lease))?;
            // Links, places or a decision changed while it was read: that has its own job.
            let decisions = tx.topic_decisions(&partition.row.id)?;
            if tx.boundary_version()? != version || decisions != partition.decisions {
                return Ok(0);
            }
            derived.write(tx)?;
            Ok(derived.versions.len() as u64)
        })?)
    }

    /// The partitions of which something changed, and the ids of all that there are.
    fn partitions_to_derive(
        &self,
        tx: &ReadTx<'_>,
        map: &Map,
        rules: &TopicRules,
    ) -> StoreResult<(Vec<Partition>, BTreeSet<String>)> {
        let groups = map.persons.groups();
        let mut on_record: Vec<&Place> = map.places.values().filter(|place| !place.is_off_record).collect();
        on_record.sort_by(|a, b| a.conversation.cmp(&b.conversation));
        let private = on_record.iter().filter(|place| place.visibility == Visibility::Private);
        let circles: BTreeSet<People> = private.map(|place| place.people.clone()).chain([People::new()]).collect();
        let reaches: Vec<Option<People>> = [None].into_iter().chain(circles.into_iter().map(Some)).collect();
        let marks = tx.topic_batches_signature()?;
        let known: HashMap<String, TopicPartitionRow> =
            tx.topic_partitions()?.into_iter().map(|row| (row.id.clone(), row)).collect();
        let (mut changed, mut ids) = (Vec::new(), BTreeSet::new());
        for reach in reaches {
            let Some(first) = on_record.first() else { break };
            let Some(own) = label(self, reach.as_ref(), &first.conversation) else { continue };
            let law = &self.inner.law;
            let is_read = |place: &&&Place| (law.label_of)(&[**place]).is_some_and(|from| (law.flows)(&from, &own));
            let sources: Vec<ConversationId> = on_record.iter().filter(is_read).map(|place| place.conversation.clone()).collect();
            let (id, people_key) = partition_key(&groups, reach.as_ref());
            let decisions = tx.topic_decisions(&id)?;
            let mut hash = blake3::Hasher::new();
            hash.update(format!("{} {} {people_key} {decisions:?}", rules.text_mark(), rules.similarity).as_bytes());
            for source in &sources {
                hash.update(format!("|{source} {}", marks.get(source).map_or("", String::as_str)).as_bytes());
            }
            let signature = hash.finalize().to_hex()[..32].to_owned();
            ids.insert(id.clone());
            if known.get(&id).is_none_or(|row| row.signature != signature) {
                changed.push(Partition { row: TopicPartitionRow { id, reach, people_key, sources, signature }, decisions });
            }
        }
        Ok((changed, ids))
    }
}

/// A decision as the fold replays it.
fn act(row: &TopicDecisionRow) -> Option<Act> {
    let texts = |ids: &[InteractionId]| -> Vec<String> { ids.iter().map(ToString::to_string).collect() };
    let (a, b) = (texts(&row.a), texts(&row.b));
    Some(match row.kind.as_str() {
        "rename" => Act::Rename { topic: a, title: row.title.clone() },
        "pin" => Act::Pin { topic: a, is_pinned: true },
        "unpin" => Act::Pin { topic: a, is_pinned: false },
        "merge" => Act::Merge { into: a, from: b },
        "split" => Act::Split { topic: a, apart: b },
        "leave" => Act::Leave { a, b },
        _ => return None,
    })
}

/// What a partition becomes, with the versions that are not stored yet.
fn derived(tx: &ReadTx<'_>, partition: &Partition, rules: &TopicRules) -> StoreResult<Derived> {
    let rows = tx.topic_clusters(&partition.row.sources)?;
    let read: Vec<(String, Timestamp, Cluster)> = rows.into_iter().map(read_cluster).collect::<StoreResult<_>>()?;
    let decisions: Vec<Decision> = partition
        .decisions
        .iter()
        .filter(|row| row.undone_at.is_none())
        .filter_map(|row| Some(Decision { id: row.id.to_string(), at: row.decided_at, act: act(row)? }))
        .collect();
    let mut events: Vec<Event<'_>> = read
        .iter()
        .map(|(key, at, cluster)| {
            Event::Cluster(ClusterEvent { key, home: key.split(' ').next().unwrap_or(key), at: *at, cluster })
        })
        .collect();
    events.extend(decisions.iter().map(Event::Decision));
    let folded = fold(&partition.row.id, &events, rules);
    // What was read before and may not be read now leaves no version behind, so everything is worded anew.
    let before = tx.topic_partitions()?.into_iter().find(|row| row.id == partition.row.id);
    let is_anew = before.is_some_and(|row| row.sources.iter().any(|source| !partition.row.sources.contains(source)));
    let mut wording = Wording { tx, rules, is_anew, known: HashMap::new(), sources: HashMap::new() };
    let mut out = Derived {
        row: partition.row.clone(),
        is_anew,
        topics: Vec::new(),
        messages: Vec::new(),
        versions: Vec::new(),
        live: BTreeSet::new(),
        proposals: proposals(&partition.row.id, &folded),
    };
    for topic in &folded.topics {
        let id = topic_id(&topic.id);
        let versions = wording.versions(&id, topic)?;
        let Some(last) = versions.ids.last().cloned() else { continue };
        out.live.extend(versions.ids);
        out.versions.extend(versions.new);
        out.messages.push((id.clone(), numbered(topic)));
        out.topics.push(TopicRow {
            id,
            partition: partition.row.id.clone(),
            version: last,
            parent: topic.parent.as_deref().map(topic_id),
            absorbed: topic.absorbed.iter().map(|id| topic_id(id)).collect(),
            related: topic.related.iter().map(|(id, nearness)| (topic_id(id), *nearness)).collect(),
            person_title: topic.title.clone(),
            is_pinned: topic.is_pinned,
        });
    }
    Ok(out)
}

/// A cluster as the fold takes it, named by its place and its first message so that no two are the same.
fn read_cluster(row: TopicClusterRow) -> StoreResult<(String, Timestamp, Cluster)> {
    let mut cluster: Cluster = serde_json::from_str(&row.cluster).map_err(|error| keepsake_store::StoreError::Corrupt {
        what: "cluster of messages",
        detail: format!("it does not fit at character {}", error.column()),
    })?;
    cluster.vector = row.vector;
    Ok((format!("{} {:06} {:03}", row.conversation, row.position, row.number), row.closed_at, cluster))
}

/// The fold's own ids are hexadecimal digests, which every prefix takes.
fn topic_id(digest: &str) -> TopicId {
    format!("{}{digest}", TopicId::PREFIX).parse().unwrap_or_else(|_| TopicId::from_uuid(uuid::Uuid::nil()))
}

fn message_id(text: &str) -> Option<InteractionId> {
    text.parse().ok()
}

/// The messages of a topic, each with the number of the version that it came with.
fn numbered(topic: &Topic) -> Vec<(InteractionId, u32)> {
    let mut number: HashMap<&str, u32> = HashMap::new();
    for (at, step) in topic.steps.iter().enumerate() {
        number.extend(step.added.iter().map(|id| (id.as_str(), at as u32 + 1)));
    }
    topic.messages.iter().filter_map(|id| Some((message_id(id)?, number.get(id.as_str()).copied().unwrap_or(1)))).collect()
}

fn proposals(partition: &str, folded: &Folded) -> Vec<TopicProposalRow> {
    let row = |proposal: &keepsake_insight::topic::Proposal| TopicProposalRow {
        id: format!("{partition}{}", proposal.id),
        partition: partition.to_owned(),
        kind: match proposal.kind {
            ProposalKind::Merge => "merge",
            ProposalKind::Split => "split",
        }
        .to_owned(),
        topic: topic_id(&proposal.topic),
        other: proposal.other.as_deref().map(topic_id),
        nearness: proposal.nearness,
        why: proposal.why.clone(),
        apart: proposal.apart.iter().filter_map(|id| message_id(id)).collect(),
    };
    folded.proposals.iter().map(row).collect()
}

impl Derived {
    fn write(&self, tx: &WriteTx<'_>) -> StoreResult<()> {
        if self.is_anew {
            tx.drop_topic_partition(&self.row.id)?;
        }
        tx.put_topic_partition(&self.row)?;
        tx.put_topics(&self.row.id, &self.topics)?;
        for (version, lines) in &self.versions {
            if tx.has_topic_version(&version.id)? {
                continue;
            }
            tx.insert_topic_version(version, lines)?;
        }
        // One that was known and out of sight holds again.
        tx.keep_topic_versions(&self.row.id, &self.live)?;
        for (topic, messages) in &self.messages {
            tx.put_topic_messages(topic, messages)?;
        }
        self.proposals.iter().try_for_each(|proposal| tx.insert_topic_proposal(proposal))
    }
}

/// Words the versions of topics, from the first that is not stored.
struct Wording<'t, 'x> {
    tx: &'t ReadTx<'x>,
    rules: &'t TopicRules,
    is_anew: bool,
    known: HashMap<String, InteractionRow>,
    sources: HashMap<ConversationId, String>,
}

struct Versions {
    ids: Vec<TopicVersionId>,
    new: Vec<NewVersion>,
}

/// A version as the next one is made from it.
struct Standing {
    text: TopicText,
    title: String,
    entities: Entities,
    contributors: Contributors,
    messages: Vec<String>,
    first: Timestamp,
    last: Timestamp,
}

impl Wording<'_, '_> {
    fn versions(&mut self, topic: &TopicId, folded: &Topic) -> StoreResult<Versions> {
        let ids: Vec<TopicVersionId> = folded.steps.iter().map(|step| self.version_id(step)).collect();
        let mut stored = 0;
        while !self.is_anew && stored < ids.len() && self.tx.has_topic_version(&ids[stored])? {
            stored += 1;
        }
        let mut new = Vec::new();
        if stored < ids.len() {
            let mut standing = self.standing(&folded.steps[..stored], stored.checked_sub(1).and_then(|at| ids.get(at)))?;
            for (at, step) in folded.steps.iter().enumerate().skip(stored) {
                standing = self.next(standing, step)?;
                new.push(standing.row(topic, &ids, at, step)?);
            }
        }
        Ok(Versions { ids, new })
    }

    /// What a version is made of names it, so an equal one is the same.
    fn version_id(&self, step: &TopicStep) -> TopicVersionId {
        let hash = blake3::hash(format!("{} {} {}", step.id, step.at.0, self.rules.text_mark()).as_bytes());
        let text = format!("{}{}", TopicVersionId::PREFIX, &hash.to_hex()[..32]);
        text.parse().unwrap_or_else(|_| TopicVersionId::from_uuid(uuid::Uuid::nil()))
    }

    /// The stored version that the first new one is made from.
    fn standing(&mut self, steps: &[TopicStep], id: Option<&TopicVersionId>) -> StoreResult<Option<Standing>> {
        let Some(id) = id else { return Ok(None) };
        let row = self.tx.topic_version(id)?;
        let mut messages: Vec<String> = Vec::new();
        for step in steps {
            messages.retain(|id| !step.removed.contains(id));
            messages.extend(step.added.iter().cloned());
        }
        let stored = self.tx.topic_lines(id)?;
        self.load(&stored.iter().map(|line| line.place.interaction.to_string()).collect::<Vec<_>>())?;
        let lines = stored
            .iter()
            .filter_map(|line| {
                let message = self.known.get(line.place.interaction.as_str())?;
                Some(TopicLine {
                    section: Section::named(&line.section)?,
                    text: line.text.clone(),
                    message: line.place.interaction.to_string(),
                    span: line.place.span,
                    author: message.author.clone(),
                    role: message.role,
                    time: message.time,
                })
            })
            .collect();
        Ok(Some(Standing {
            text: TopicText { lines },
            title: row.title,
            entities: serde_json::from_str(&row.entities).unwrap_or_default(),
            contributors: serde_json::from_str(&row.contributors).unwrap_or_default(),
            messages,
            first: row.first_at,
            last: row.last_at,
        }))
    }

    fn load(&mut self, ids: &[String]) -> StoreResult<()> {
        let missing: Vec<InteractionId> =
            ids.iter().filter(|id| !self.known.contains_key(*id)).filter_map(|id| message_id(id)).collect();
        for row in self.tx.interactions_of(&missing)? {
            if !self.sources.contains_key(&row.conversation_id) {
                let conversation = self.tx.conversation(&row.conversation_id)?;
                self.sources.insert(row.conversation_id.clone(), conversation.channel_type);
            }
            self.known.insert(row.id.to_string(), row);
        }
        Ok(())
    }

    fn next(&mut self, before: Option<Standing>, step: &TopicStep) -> StoreResult<Option<Standing>> {
        self.load(&step.added)?;
        let (before, added) = match before {
            // Where messages went, the text is made anew from those that are left.
            Some(before) if !step.removed.is_empty() => {
                let left: Vec<String> = before.messages.iter().filter(|id| !step.removed.contains(id)).cloned().collect();
                self.load(&left)?;
                (None, left.into_iter().chain(step.added.iter().cloned()).collect())
            }
            before => (before, step.added.clone()),
        };
        let mut rows: Vec<&InteractionRow> = added.iter().filter_map(|id| self.known.get(id)).collect();
        rows.sort_by(|a, b| a.time.cmp(&b.time).then(a.seq.cmp(&b.seq)));
        let rows: Vec<InteractionRow> = rows.into_iter().cloned().collect();
        let turns: Vec<Turn<'_>> = insight_turns(&rows);
        let empty = Standing {
            text: TopicText::default(),
            title: String::new(),
            entities: Entities::default(),
            contributors: Contributors::default(),
            messages: Vec::new(),
            first: Timestamp(i64::MAX),
            last: Timestamp(i64::MIN),
        };
        let before = before.unwrap_or(empty);
        let text = merge(&before.text, &turns, self.rules);
        let mut messages = before.messages;
        messages.extend(added);
        let title = self.title(&text, &messages, &before.title)?;
        let entities = entities(&turns, &before.entities);
        let mut contributors = before.contributors;
        for row in &rows {
            contributors.sessions.insert(row.conversation_id.to_string());
            if !row.author.trim().is_empty() {
                contributors.users.insert(row.author.trim().to_owned());
            }
            contributors.interfaces.extend(self.sources.get(&row.conversation_id).cloned());
        }
        Ok(Some(Standing {
            first: rows.iter().map(|row| row.time).min().map_or(before.first, |time| time.min(before.first)),
            last: rows.iter().map(|row| row.time).max().map_or(before.last, |time| time.max(before.last)),
            text,
            title,
            entities,
            contributors,
            messages,
        }))
    }

    /// A title follows from all messages, of a long topic from the newest.
    fn title(&mut self, text: &TopicText, messages: &[String], before: &str) -> StoreResult<String> {
        let newest = &messages[messages.len().saturating_sub(TITLE_MESSAGES_MAX)..];
        self.load(newest)?;
        let mut rows: Vec<&InteractionRow> = newest.iter().filter_map(|id| self.known.get(id)).collect();
        rows.sort_by(|a, b| a.time.cmp(&b.time).then(a.seq.cmp(&b.seq)));
        let rows: Vec<InteractionRow> = rows.into_iter().cloned().collect();
        Ok(title(text, &insight_turns(&rows), Some(before).filter(|title| !title.is_empty())))
    }
}

trait Row {
    fn row(&self, topic: &TopicId, ids: &[TopicVersionId], at: usize, step: &TopicStep) -> StoreResult<NewVersion>;
}

impl Row for Option<Standing> {
    fn row(&self, topic: &TopicId, ids: &[TopicVersionId], at: usize, step: &TopicStep) -> StoreResult<NewVersion> {
        let corrupt = |detail: String| keepsake_store::StoreError::Corrupt { what: "version of a topic", detail };
        let standing = self.as_ref().ok_or_else(|| corrupt("it has no content".to_owned()))?;
        let json = |value: serde_json::Result<String>| value.map_err(|error| corrupt(error.to_string()));
        let lines = standing
            .text
            .lines
            .iter()
            .filter_map(|line| {
                Some(TopicLineRow {
                    section: line.section.name().to_owned(),
                    text: line.text.clone(),
                    place: EvidenceSpan { interaction: message_id(&line.message)?, span: line.span },
                })
            })
            .collect();
        let row = TopicVersionRow {
            id: ids[at].clone(),
            topic: topic.clone(),
            number: at as u32 + 1,
            supersedes: at.checked_sub(1).and_then(|before| ids.get(before)).cloned(),
            title: standing.title.clone(),
            entities: json(serde_json::to_string(&standing.entities))?,
            contributors: json(serde_json::to_string(&standing.contributors))?,
            messages: standing.messages.len() as u32,
            first_at: standing.first,
            last_at: standing.last,
            made_at: step.at,
            proposer: ENGINE_VERSION.to_owned(),
            is_retired: false,
        };
        Ok((row, lines))
    }
}
