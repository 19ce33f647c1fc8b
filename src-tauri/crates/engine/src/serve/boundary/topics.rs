//! Computes which topics a destination may see: the topics of its own partition, provided that everything their derivation
//! read is still visible to that audience.
//!
//! A topic depends on everything that its derivation read, even content that the topic does not mention. A partition is
//! therefore shown or hidden as a whole: if any of its sources has since been excluded, erased, or closed to the destination,
//! it shows nothing until it is derived again.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{Destination, InteractionId, Label, People, Place, Visibility};
use keepsake_store::{ReadTx, StoreError, TopicPartitionRow, TopicRow, TopicVersionRow};

use super::{AccessMap, PrivacyPolicy, View};
use crate::areas::Topics;
use crate::derive::topics::{OWNER_PARTITION, partition_key};

/// A topic that may surface, with its current version.
#[derive(Debug, Clone, PartialEq)]
pub struct VisibleTopic {
    /// The topic itself.
    pub topic: TopicRow,
    /// Its current version.
    pub version: TopicVersionRow,
    /// Ids of its messages.
    pub messages: Vec<InteractionId>,
}

impl VisibleTopic {
    /// The title a person gave it, or else the one derived from its content.
    pub fn title(&self) -> &str {
        self.topic.person_title.as_deref().unwrap_or(&self.version.title)
    }
}

fn label_of(policy: &PrivacyPolicy, row: &TopicPartitionRow) -> Option<Label> {
    let Some(reach) = &row.reach else { return Some(Label::PUBLIC) };
    let place = Place {
        conversation: row.sources.first()?.clone(),
        visibility: Visibility::Private,
        is_off_record: false,
        people: reach.clone(),
    };
    (policy.label_of)(&[&place])
}

impl AccessMap {
    /// The partitions derived under the current links whose sources are all still visible to their audience.
    pub(crate) fn standing_partitions(
        &self,
        tx: &ReadTx<'_>,
        policy: &PrivacyPolicy,
    ) -> std::result::Result<Vec<(TopicPartitionRow, Label)>, StoreError> {
        let groups = self.persons.groups();
        let mut standing = Vec::new();
        for row in tx.topics().partitions()?.into_iter().filter(|row| !row.signature.is_empty()) {
            let Some(own) = label_of(policy, &row) else { continue };
            let (id, links_key) = partition_key(&groups, row.reach.as_ref());
            let is_read = |place: &Place| (policy.label_of)(&[place]).is_some_and(|from| (policy.flows)(&from, &own));
            let holds = row
                .sources
                .iter()
                .all(|source| self.places.get(source).is_some_and(|place| !place.is_off_record && is_read(place)));
            if holds && id == row.id && links_key == row.links_key {
                standing.push((row, own));
            }
        }
        Ok(standing)
    }
}

impl View {
    /// The topics that this destination may see: first those of its own audience, then those open to everybody. A topic is
    /// left out if at least half of its messages belong to topics before it.
    pub fn topics(&self, tx: &ReadTx<'_>) -> std::result::Result<Vec<VisibleTopic>, StoreError> {
        let destination = Destination { conversation: None, ..self.destination.clone() };
        let standing = self.map.standing_partitions(tx, &self.policy)?;
        let open: Vec<(TopicPartitionRow, Label)> =
            standing.into_iter().filter(|(_, label)| (self.policy.may_surface)(label, false, &destination).is_ok()).collect();
        // If one of two partitions reads everything that the other does, only that one is used. The owner's partition also
        // reads public content; the partitions of other closed audiences do not.
        let reads_more = |a: &TopicPartitionRow, b: &TopicPartitionRow| match (&a.reach, &b.reach) {
            (Some(a), None) => a.is_empty(),
            (Some(a), Some(b)) => a != b && a.is_subset(b),
            (None, _) => false,
        };
        let mut fullest: Vec<&TopicPartitionRow> =
            open.iter().map(|(row, _)| row).filter(|row| !open.iter().any(|(other, _)| reads_more(other, row))).collect();
        fullest.sort_by(|a, b| people_order(a.reach.as_ref()).cmp(&people_order(b.reach.as_ref())));
        let mut visible: Vec<VisibleTopic> = Vec::new();
        let mut told: BTreeSet<InteractionId> = BTreeSet::new();
        for row in fullest {
            let mut own = topics_of(tx, row)?;
            own.retain(|topic| topic.messages.iter().filter(|id| told.contains(id)).count() * 2 < topic.messages.len());
            told.extend(own.iter().flat_map(|topic| topic.messages.iter().cloned()));
            visible.extend(own);
        }
        Ok(visible)
    }
}

fn people_order(reach: Option<&People>) -> (bool, usize, Option<&People>) {
    (reach.is_none(), reach.map_or(0, People::len), reach)
}

/// The topics of one partition: pinned ones first, then the most recently extended.
fn topics_of(tx: &ReadTx<'_>, row: &TopicPartitionRow) -> std::result::Result<Vec<VisibleTopic>, StoreError> {
    heads_of(tx, row)?
        .into_iter()
        .map(|(topic, version)| {
            let messages = tx.topics().messages(&topic.id)?.into_iter().map(|(id, _)| id).collect();
            Ok(VisibleTopic { topic, version, messages })
        })
        .collect()
}

/// A topic with its current version but without its messages.
pub(crate) type TopicHead = (TopicRow, TopicVersionRow);

/// Like [`topics_of`], but without the messages, which are most of the data in a large store.
fn heads_of(tx: &ReadTx<'_>, row: &TopicPartitionRow) -> std::result::Result<Vec<TopicHead>, StoreError> {
    let mut versions: BTreeMap<_, _> = tx.topics().current_versions(&row.id)?;
    let mut heads: Vec<TopicHead> = Vec::new();
    for topic in tx.topics().topics_of(&row.id)? {
        heads.extend(versions.remove(&topic.id).map(|version| (topic, version)));
    }
    heads.sort_by(|(a, a_version), (b, b_version)| {
        b.is_pinned.cmp(&a.is_pinned).then(b_version.last_at.cmp(&a_version.last_at)).then(a.id.cmp(&b.id))
    });
    Ok(heads)
}

impl Topics<'_> {
    /// Every topic, for the owner only. Empty after a source was excluded or erased, until the topics are derived again.
    pub fn list(&self) -> crate::Result<Vec<VisibleTopic>> {
        Ok(self.engine.store().read(|tx| self.own(tx))?)
    }

    /// Like [`list`](Self::list), in the given snapshot.
    pub fn own(&self, tx: &ReadTx<'_>) -> std::result::Result<Vec<VisibleTopic>, StoreError> {
        self.own_partition(tx)?.map_or_else(|| Ok(Vec::new()), |row| topics_of(tx, &row))
    }

    /// Like [`own`](Self::own), but without the messages.
    pub(crate) fn own_heads(&self, tx: &ReadTx<'_>) -> std::result::Result<Vec<TopicHead>, StoreError> {
        self.own_partition(tx)?.map_or_else(|| Ok(Vec::new()), |row| heads_of(tx, &row))
    }

    fn own_partition(&self, tx: &ReadTx<'_>) -> std::result::Result<Option<TopicPartitionRow>, StoreError> {
        let standing = self.engine.access_map(tx)?.standing_partitions(tx, &self.engine.inner.policy)?;
        Ok(standing.into_iter().map(|(row, _)| row).find(|row| row.id == OWNER_PARTITION))
    }

    /// Whether the owner's topics have been derived and all their sources are still visible.
    pub fn stand(&self, tx: &ReadTx<'_>) -> std::result::Result<bool, StoreError> {
        Ok(self.own_partition(tx)?.is_some())
    }
}
