//! Derives topics: reads batches, folds each partition, and writes what is new. Not in this module: when this happens
//! (`topics`), and the wording (`wording`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{ConversationId, InteractionId, Label, People, Place, Timestamp, TopicId, TopicVersionId, Visibility};
use keepsake_insight::topic::{
    Act, Batch, Cluster, ClusterEvent, Decision, Embed, Event, Folded, Judged, ProposalKind, Topic, TopicRules, batches,
    clusters, fold_judged,
};
use keepsake_models::Embedder;
use keepsake_store::{
    InteractionRow, Lease, PrivateInterval, ReadTx, StoredCluster, TopicClusterRow, TopicDecisionRow, TopicPartitionRow,
    TopicProposalRow, TopicRow, TopicVerdictRow, WriteTx, parse_json,
};

use super::wording::{Meanings, NewVersion, Wording};
use super::{StoreResult, message_id, spoken_rows};
use crate::areas::Topics;
use crate::derive::readable_messages::insight_turns;
use crate::derive::readable_messages::messages_on_record;
use crate::queue::control::Control;
use crate::serve::boundary::{AccessMap, Groups};
use crate::{Engine, EngineError, Result};

/// Id of the partition that everybody may see.
pub(crate) const PUBLIC_PARTITION: &str = "public";

/// Id of the partition that only the owner sees: everything except excluded conversations.
pub(crate) const OWNER_PARTITION: &str = "owner";

/// Number of batches stored in one transaction: each transaction is a durable write, which takes milliseconds.
const BATCHES_AT_ONCE: usize = 16;

/// Maximum cost of one transaction, measured in messages. The transaction takes about 20 ms, so other writers do not wait long.
/// A line costs as much as [`LINE_COST`] messages, because its location is looked up again.
const COST_AT_ONCE: usize = 1_500;

/// See [`COST_AT_ONCE`].
const LINE_COST: usize = 6;

/// Maximum number of a topic's messages in one [`Piece`].
const MESSAGES_AT_ONCE: usize = 1_000;

/// A partition to derive, with the person's decisions and a model's judgments.
struct Partition {
    row: TopicPartitionRow,
    decisions: Vec<TopicDecisionRow>,
    judged: Judged,
    /// Whether a model words topics. If it has worded a topic, its text is shown.
    has_model: bool,
}

/// A part of a derived partition. Parts are written in order, and a topic is complete when its last part is written.
enum Piece<'d> {
    /// Creates the topic, hidden until it is complete.
    Begin(&'d TopicRow),
    /// Writes a version of the topic.
    Version(&'d NewVersion),
    /// Adds the missing content key of a version.
    Name(&'d TopicVersionId, &'d str),
    /// Removes the topic's messages before they are written again.
    Clear(&'d TopicId),
    /// Writes some of the topic's messages.
    Messages(&'d TopicId, usize, &'d [(InteractionId, u32)]),
    /// Writes the topic itself.
    Topic(&'d TopicRow),
}

/// The derived state of a partition.
struct Derived {
    row: TopicPartitionRow,
    is_anew: bool,
    topics: Vec<Grown>,
    live: BTreeSet<TopicVersionId>,
    proposals: Vec<TopicProposalRow>,
}

/// The derived state of a topic.
struct Grown {
    row: TopicRow,
    is_same: bool,
    versions: Vec<NewVersion>,
    unnamed: Vec<(TopicVersionId, String)>,
    /// Its messages, and how many of them are already stored; `None` if they did not change.
    messages: Option<(Vec<(InteractionId, u32)>, usize)>,
}

/// Identifies a batch's messages and what they were read with: the rules and the model.
pub(super) fn batch_mark(rules: &TopicRules, model: &str, rows: &[InteractionRow], batch: &Batch) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(format!("{} {model} {}", rules.cluster_mark(), batch.closes.0).as_bytes());
    for row in rows.get(batch.context.start..batch.fresh.end).into_iter().flatten() {
        hash.update(format!("|{} {} {} {}", row.id, row.role, row.time.0, row.author).as_bytes());
    }
    hash.update(format!("|{}", batch.fresh.len()).as_bytes());
    hash.finalize().to_hex()[..32].to_owned()
}

/// Identifies how far a conversation was searched, with which rules and model, and which intervals were left out.
pub(super) fn reading_signature(rules: &TopicRules, model: &str, last_seq: i64, private: &[PrivateInterval]) -> String {
    let mut signature = format!("{} {model} {last_seq}", rules.cluster_mark());
    for interval in private {
        signature.push_str(&format!(" {}-{}", interval.after_seq, interval.through_seq.unwrap_or(i64::MAX)));
    }
    signature
}

/// The id of a partition, and the key of the links that it was derived under. Under other links it is a different partition.
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

/// The label of the topics derived for an audience.
fn label(engine: &Engine, reach: Option<&People>, any: &ConversationId) -> Option<Label> {
    let Some(reach) = reach else { return Some(Label::PUBLIC) };
    let place = Place { conversation: any.clone(), visibility: Visibility::Private, is_off_record: false, people: reach.clone() };
    (engine.inner.policy.label_of)(&[&place])
}

impl Topics<'_> {
    /// Reads every complete batch that has not been read under these rules, and returns how many were read.
    pub(super) fn read_batches(
        &self,
        rules: &TopicRules,
        model: &str,
        lease: Option<&Lease>,
        control: &dyn Control,
    ) -> Result<u64> {
        let now = self.engine.now();
        let mut changed = self.engine.store().read(|tx| {
            let unread = self.unread_for(tx, rules, model, now)?;
            let readings = tx.topics().readings()?;
            let mut changed = unread.changed;
            // Batches that were still open at the last search and are now complete because the conversation has been quiet.
            let rested = readings.into_iter().filter(|(_, (_, rests_at))| rests_at.is_some_and(|at| at <= now));
            changed.extend(rested.map(|(id, (signature, _))| (id, signature)));
            changed.sort();
            changed.dedup_by(|a, b| a.0 == b.0);
            Ok(changed)
        })?;
        let embedder = self.engine.embedder().ready();
        let embed = |texts: &[&str]| embedded(embedder.as_deref(), texts);
        let total = changed.len() as u64;
        let mut read = 0;
        for (done, (conversation, signature)) in changed.drain(..).enumerate() {
            control.progress("Reading messages for topics", done as u64, total);
            let (rows, known) =
                self.engine.store().read(|tx| Ok((spoken_rows(tx, &conversation)?, tx.topics().batch_marks(&conversation)?)))?;
            // The reader marks takeaways. The wording later uses the stored marks, without the reader.
            let all = self.engine.store().read(|tx| messages_on_record(tx, &conversation))?;
            self.engine.conversations().read_rows(&conversation, &all, 0, control)?;
            let times: Vec<Timestamp> = rows.iter().map(|row| row.time).collect();
            let turns = insight_turns(&rows);
            let (closed, rests_at) = batches(&times, rules, now);
            let mut found_so_far: Vec<(u32, String, Timestamp, Vec<StoredCluster>)> = Vec::new();
            // Stored in small groups, so that an interrupted run continues where it stopped.
            let store = |found: &mut Vec<(u32, String, Timestamp, Vec<StoredCluster>)>, is_last: bool| -> Result<()> {
                self.engine.store().write(|tx| {
                    lease.map_or(Ok(()), |lease| tx.jobs().check_lease(lease))?;
                    // The conversation was erased or excluded meanwhile.
                    if !tx.conversation_status().are_on_record(std::slice::from_ref(&conversation))? {
                        return Ok(());
                    }
                    for (position, mark, closes, clusters) in &*found {
                        tx.topics().put_batch(&conversation, *position, mark, *closes, clusters)?;
                    }
                    if is_last {
                        tx.topics().drop_batches(&conversation, closed.len() as u32)?;
                        tx.topics().put_reading(&conversation, &signature, rests_at)?;
                    }
                    Ok(())
                })?;
                found.clear();
                Ok(())
            };
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
                found_so_far.push((position as u32, mark, batch.closes, found));
                if found_so_far.len() == BATCHES_AT_ONCE {
                    store(&mut found_so_far, false)?;
                }
                read += 1;
                control.progress("Reading messages for topics", done as u64, total);
            }
            store(&mut found_so_far, true)?;
        }
        Ok(read)
    }

    /// Folds every partition in which something changed, writes what is new, and returns the number of new versions.
    pub(super) fn derive(&self, rules: &TopicRules, lease: Option<&Lease>, control: &dyn Control) -> Result<u64> {
        self.engine.store().write(|tx| {
            lease.map_or(Ok(()), |lease| tx.jobs().check_lease(lease))?;
            tx.topics().drop_replies_off_record()
        })?;
        let (version, partitions, ids) = self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            let (changed, ids) = self.partitions_to_derive(tx, &map, rules)?;
            Ok((map.version, changed, ids))
        })?;
        let total = partitions.len() as u64;
        let mut written = 0;
        for (done, partition) in partitions.into_iter().enumerate() {
            control.progress("Updating topics", done as u64, total);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            written += self.derive_partition(&partition, rules, version, lease)?;
        }
        let gone: Vec<String> = self.engine.store().read(|tx| {
            let known = if tx.privacy().boundary_version()? == version { tx.topics().partitions()? } else { Vec::new() };
            Ok(known.into_iter().map(|row| row.id).filter(|id| !ids.contains(id)).collect())
        })?;
        gone.iter().try_for_each(|id| self.drop_partition(id, lease))?;
        Ok(written)
    }

    /// Removes a partition in several transactions. It is hidden from the first transaction on.
    pub(super) fn drop_partition(&self, id: &str, lease: Option<&Lease>) -> Result<()> {
        self.engine.store().write(|tx| tx.topics().hide_partition(id))?;
        loop {
            let is_gone = self.engine.store().write(|tx| {
                lease.map_or(Ok(()), |lease| tx.jobs().check_lease(lease))?;
                tx.topics().drop_partition(id)
            })?;
            if is_gone {
                return Ok(());
            }
        }
    }

    /// Derives one partition immediately, for example after a person's decision.
    pub(super) fn derive_partition_named(&self, id: &str, rules: &TopicRules) -> Result<()> {
        let (version, partitions) = self.engine.store().read(|tx| {
            let map = self.engine.access_map(tx)?;
            Ok((map.version, self.partitions_to_derive(tx, &map, rules)?.0))
        })?;
        for partition in partitions.iter().filter(|partition| partition.row.id == id) {
            self.derive_partition(partition, rules, version, None)?;
        }
        Ok(())
    }

    /// Folds one partition and writes what is new, unless something that the result depends on changes meanwhile. That change
    /// gets its own job, which reuses what was already written.
    fn derive_partition(&self, partition: &Partition, rules: &TopicRules, version: i64, lease: Option<&Lease>) -> Result<u64> {
        let reader = self.engine.store().read(|tx| self.reader(tx))?;
        let embedder = self.engine.embedder().ready();
        let embed = |texts: &[&str]| embedded(embedder.as_deref(), texts);
        let derived = self.engine.store().read(|tx| derived(tx, partition, rules, &reader, &embed))?;
        let id = &partition.row.id;
        let holds = |tx: &WriteTx<'_>| -> StoreResult<bool> {
            lease.map_or(Ok(()), |lease| tx.jobs().check_lease(lease))?;
            Ok(tx.privacy().boundary_version()? == version && tx.topics().decisions(id)? == partition.decisions)
        };
        if derived.is_anew {
            self.drop_partition(id, lease)?;
        }
        let begun = self.engine.store().write(|tx| Ok(holds(tx)? && derived.begin(tx).map(|()| true)?))?;
        if !begun {
            return Ok(0);
        }
        let pieces = derived.pieces();
        let mut rest = pieces.as_slice();
        while !rest.is_empty() {
            let mut cost = 0;
            let fits = |piece: &&Piece<'_>| {
                let is_first = cost == 0;
                cost += piece.cost();
                is_first || cost <= COST_AT_ONCE
            };
            let (some, others) = rest.split_at(rest.iter().take_while(fits).count());
            rest = others;
            let held = self.engine.store().write(|tx| {
                let held = holds(tx)?;
                if held {
                    some.iter().try_for_each(|piece| piece.write(tx))?;
                }
                Ok(held)
            })?;
            if !held {
                return Ok(0);
            }
        }
        Ok(self.engine.store().write(|tx| {
            if !holds(tx)? {
                return Ok(0);
            }
            derived.end(tx)?;
            Ok(derived.topics.iter().map(|topic| topic.versions.len() as u64).sum())
        })?)
    }

    /// The partitions in which something changed, and the ids of all partitions.
    fn partitions_to_derive(
        &self,
        tx: &ReadTx<'_>,
        map: &AccessMap,
        rules: &TopicRules,
    ) -> StoreResult<(Vec<Partition>, BTreeSet<String>)> {
        let groups = map.persons.groups();
        let mut on_record: Vec<&Place> = map.places.values().filter(|place| !place.is_off_record).collect();
        on_record.sort_by(|a, b| a.conversation.cmp(&b.conversation));
        let private = on_record.iter().filter(|place| place.visibility == Visibility::Private);
        let circles: BTreeSet<People> = private.map(|place| place.people.clone()).chain([People::new()]).collect();
        let reaches: Vec<Option<People>> = [None].into_iter().chain(circles.into_iter().map(Some)).collect();
        let marks = tx.topics().batches_signature()?;
        let known: HashMap<String, TopicPartitionRow> =
            tx.topics().partitions()?.into_iter().map(|row| (row.id.clone(), row)).collect();
        let has_model = self.engine.models().has_proposing(tx)?;
        let (mut changed, mut ids) = (Vec::new(), BTreeSet::new());
        for reach in reaches {
            let Some(first) = on_record.first() else { break };
            let Some(own) = label(self.engine, reach.as_ref(), &first.conversation) else { continue };
            let policy = &self.engine.inner.policy;
            // A closed audience sees public topics in addition to its own, so its own are made only from its private
            // conversations.
            let is_its_own = |place: &Place| match &reach {
                Some(people) if !people.is_empty() => place.visibility == Visibility::Private,
                _ => true,
            };
            let is_read = |place: &&&Place| (policy.label_of)(&[**place]).is_some_and(|from| (policy.flows)(&from, &own));
            let sources: Vec<ConversationId> = on_record
                .iter()
                .filter(|place| is_its_own(place))
                .filter(is_read)
                .map(|place| place.conversation.clone())
                .collect();
            let (id, links_key) = partition_key(&groups, reach.as_ref());
            let decisions = tx.topics().decisions(&id)?;
            let judged = if has_model { judged(tx, &id)? } else { Judged::default() };
            let mut hash = blake3::Hasher::new();
            hash.update(format!("{} {} {links_key} {decisions:?}", rules.text_mark(), rules.similarity).as_bytes());
            if has_model {
                hash.update(format!(" by a model {judged:?}").as_bytes());
            }
            for source in &sources {
                hash.update(format!("|{source} {}", marks.get(source).map_or("", String::as_str)).as_bytes());
            }
            let signature = hash.finalize().to_hex()[..32].to_owned();
            ids.insert(id.clone());
            if known.get(&id).is_none_or(|row| row.signature != signature) {
                let row = TopicPartitionRow { id, reach, links_key, sources, signature };
                changed.push(Partition { row, decisions, judged, has_model });
            }
        }
        Ok((changed, ids))
    }
}

/// A decision in the form that the fold replays.
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

/// What a model judged about the topics of a partition. The fold's ids are topic ids without their prefix.
fn judged(tx: &ReadTx<'_>, partition: &str) -> StoreResult<Judged> {
    let mut judged = Judged::default();
    for (topic, message) in tx.topics().distinct(partition)? {
        judged.distinct.entry(seed(&topic).to_owned()).or_default().insert(message.to_string());
    }
    for TopicVerdictRow { subject, topic, other, answer, .. } in tx.topics().verdicts(partition)? {
        match (other, answer.as_str()) {
            (Some(other), "same") => drop(judged.same.insert(Judged::pair(seed(&topic), seed(&other)))),
            (Some(other), "distinct") => drop(judged.apart.insert(Judged::pair(seed(&topic), seed(&other)))),
            (None, "same") => drop(judged.whole.insert(subject.strip_prefix(partition).unwrap_or(&subject).to_owned())),
            _ => {}
        }
    }
    Ok(judged)
}

/// Embeds texts; `None` if the model is missing or fails. Neither stops the rules, which work without vectors.
fn embedded(embedder: Option<&dyn Embedder>, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
    embedder?.embed_apart(texts).inspect_err(|error| tracing::warn!(%error, "embedding failed")).ok()
}

fn seed(topic: &TopicId) -> &str {
    topic.as_str().strip_prefix(TopicId::PREFIX).unwrap_or_else(|| topic.as_str())
}

/// The derived state of a partition, including the versions that are not stored yet.
fn derived(tx: &ReadTx<'_>, partition: &Partition, rules: &TopicRules, reader: &str, embed: &Embed<'_>) -> StoreResult<Derived> {
    let rows = tx.topics().clusters(&partition.row.sources)?;
    let read: Vec<(String, Timestamp, Cluster)> = rows.into_iter().map(read_cluster).collect::<StoreResult<_>>()?;
    let decisions: Vec<Decision> = partition
        .decisions
        .iter()
        .filter(|row| row.undone_at.is_none())
        .filter_map(|row| Some(Decision { id: row.id.to_string(), at: row.decided_at, act: act(row)? }))
        .collect();
    let mut events: Vec<Event<'_>> =
        read.iter().map(|(key, at, cluster)| Event::Cluster(ClusterEvent { key, at: *at, cluster })).collect();
    events.extend(decisions.iter().map(Event::Decision));
    let folded = fold_judged(&partition.row.id, &events, rules, &partition.judged);
    // A source that was read before and may not be read now must leave no trace in any version, so
    // everything is worded again.
    let before = tx.topics().partitions()?.into_iter().find(|row| row.id == partition.row.id);
    let is_anew = before.is_some_and(|row| row.sources.iter().any(|source| !partition.row.sources.contains(source)));
    let meanings = Meanings::new(read.iter().map(|(_, _, cluster)| cluster), embed);
    let mut wording = Wording::new(tx, rules, reader, meanings, is_anew)?;
    let mut stored: BTreeMap<TopicId, TopicRow> = BTreeMap::new();
    if !is_anew {
        stored.extend(tx.topics().topics_of(&partition.row.id)?.into_iter().map(|row| (row.id.clone(), row)));
    }
    let mut out = Derived {
        row: partition.row.clone(),
        is_anew,
        topics: Vec::new(),
        live: BTreeSet::new(),
        proposals: proposals(&partition.row.id, &folded),
    };
    for topic in &folded.topics {
        let id = topic_id(&topic.id);
        let versions = wording.versions(&id, topic)?;
        let by_model = versions.by_model.filter(|_| partition.has_model);
        let Some(last) = by_model.or(versions.by_rules) else { continue };
        out.live.extend(versions.live);
        let row = TopicRow {
            id,
            partition: partition.row.id.clone(),
            version: last,
            parent: topic.parent.as_deref().map(topic_id),
            absorbed: topic.absorbed.iter().map(|id| topic_id(id)).collect(),
            related: topic.related.iter().map(|(id, nearness)| (topic_id(id), *nearness)).collect(),
            person_title: topic.title.clone(),
            is_pinned: topic.is_pinned,
        };
        let before = stored.get(&row.id);
        let messages = if before.is_some_and(|before| before.version == row.version) {
            None
        } else {
            let messages = numbered(topic);
            let known = if before.is_some() { tx.topics().messages(&row.id)? } else { Vec::new() };
            let kept = if messages.starts_with(&known) { known.len() } else { 0 };
            Some((messages, kept))
        };
        let is_same = before == Some(&row);
        out.topics.push(Grown { is_same, row, versions: versions.new, unnamed: versions.unnamed, messages });
    }
    Ok(out)
}

/// A cluster in the form that the fold uses, with a unique key made from its conversation, batch position and number.
fn read_cluster(row: TopicClusterRow) -> StoreResult<(String, Timestamp, Cluster)> {
    let mut cluster: Cluster = parse_json("cluster of messages", &row.cluster)?;
    cluster.vector = row.vector;
    Ok((format!("{} {:06} {:03}", row.conversation, row.position, row.number), row.closed_at, cluster))
}

/// The fold's own ids are hexadecimal digests, which are valid with any prefix.
fn topic_id(digest: &str) -> TopicId {
    format!("{}{digest}", TopicId::PREFIX).parse().unwrap_or_else(|_| TopicId::from_uuid(uuid::Uuid::nil()))
}

/// The messages of a topic, each with the number of the version that added it.
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

impl Piece<'_> {
    fn cost(&self) -> usize {
        match self {
            Self::Version((_, lines)) => 4 + LINE_COST * lines.len(),
            Self::Messages(_, _, messages) => messages.len(),
            Self::Clear(_) => MESSAGES_AT_ONCE,
            Self::Begin(_) | Self::Name(..) | Self::Topic(_) => 2,
        }
    }

    fn write(&self, tx: &WriteTx<'_>) -> StoreResult<()> {
        match self {
            Self::Begin(row) => tx.topics().begin(row),
            Self::Version((version, lines)) => {
                if tx.topics().has_version(&version.id)? {
                    return Ok(());
                }
                tx.topics().insert_version(version, lines)
            }
            Self::Name(version, key) => tx.topics().name_content(version, key),
            Self::Clear(topic) => tx.topics().clear_messages(topic),
            Self::Messages(topic, from, messages) => tx.topics().add_messages(topic, *from, messages),
            Self::Topic(row) => tx.topics().put(row),
        }
    }
}

impl Derived {
    /// Stores the sources first, so that an erasure in the meantime finds them. The partition is considered derived only once
    /// everything is written.
    fn begin(&self, tx: &WriteTx<'_>) -> StoreResult<()> {
        let known = tx.topics().partitions()?.into_iter().find(|row| row.id == self.row.id);
        let signature = known.map_or_else(String::new, |row| row.signature);
        tx.topics().put_partition(&TopicPartitionRow { signature, ..self.row.clone() })
    }

    fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        for topic in &self.topics {
            let id = &topic.row.id;
            if !topic.versions.is_empty() {
                pieces.push(Piece::Begin(&topic.row));
            }
            pieces.extend(topic.versions.iter().map(Piece::Version));
            pieces.extend(topic.unnamed.iter().map(|(id, key)| Piece::Name(id, key)));
            if let Some((messages, kept)) = &topic.messages {
                if *kept == 0 {
                    pieces.push(Piece::Clear(id));
                }
                let parts = messages[*kept..].chunks(MESSAGES_AT_ONCE).enumerate();
                pieces.extend(parts.map(|(at, part)| Piece::Messages(id, kept + at * MESSAGES_AT_ONCE, part)));
            }
            if !topic.is_same {
                pieces.push(Piece::Topic(&topic.row));
            }
        }
        pieces
    }

    fn end(&self, tx: &WriteTx<'_>) -> StoreResult<()> {
        tx.topics().retain(&self.row.id, &self.topics.iter().map(|topic| topic.row.id.clone()).collect())?;
        // A stored but hidden version is valid again.
        tx.topics().keep_versions(&self.row.id, &self.live)?;
        self.proposals.iter().try_for_each(|proposal| tx.topics().insert_proposal(proposal))?;
        tx.topics().put_partition(&self.row)
    }
}
