//! Topics: what was read of each conversation, the topics of each privacy partition with all their versions, and what a person decided.
//!
//! The evidence lock holds here as for memories: [`WriteTx::insert_topic_version`] re-checks every line against the stored message
//! and that its conversation is not off the record. Deliberately not here: what belongs together and what a topic says (`insight`),
//! who may see it (`engine`).

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{ConversationId, EvidenceSpan, InteractionId, People, Timestamp, TopicDecisionId, TopicId, TopicVersionId};
use rusqlite::{Row, params};

use crate::changes::Tag;
use crate::embeddings::{from_bytes, to_bytes};
use crate::open::{ReadTx, WriteTx};
use crate::profiles::place;
use crate::text::{parse, parse_json, to_json};
use crate::{InteractionRow, Result, StoreError};

/// A cluster as it is kept: what it holds, and its vector.
pub type StoredCluster = (String, Option<Vec<f32>>);

/// A cluster with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicClusterRow {
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its batch.
    pub position: u32,
    /// Which of the batch.
    pub number: u32,
    /// When the batch closed.
    pub closed_at: Timestamp,
    /// What it holds, as JSON.
    pub cluster: String,
    /// Its vector.
    pub vector: Option<Vec<f32>>,
}

/// A privacy partition for which topics were derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicPartitionRow {
    /// Its id.
    pub id: String,
    /// Who was in all private places read; nothing where none was private.
    pub reach: Option<People>,
    /// Of the links that held.
    pub people_key: String,
    /// The conversations that were read.
    pub sources: Vec<ConversationId>,
    /// Of what the last derivation read.
    pub signature: String,
}

/// A topic as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicRow {
    /// Its id.
    pub id: TopicId,
    /// Its partition.
    pub partition: String,
    /// Its current version.
    pub version: TopicVersionId,
    /// The topic that it was split from.
    pub parent: Option<TopicId>,
    /// Topics that a person merged into it.
    pub absorbed: Vec<TopicId>,
    /// Topics that are near, the nearest first.
    pub related: Vec<(TopicId, f32)>,
    /// A person's title.
    pub person_title: Option<String>,
    /// A person pinned it.
    pub is_pinned: bool,
}

/// A line of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicLineRow {
    /// Name of its section.
    pub section: String,
    /// What it says.
    pub text: String,
    /// What proves it.
    pub place: EvidenceSpan,
}

/// One version of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicVersionRow {
    /// Its id.
    pub id: TopicVersionId,
    /// Its topic.
    pub topic: TopicId,
    /// Counted from 1.
    pub number: u32,
    /// The version before.
    pub supersedes: Option<TopicVersionId>,
    /// Title that the content gives it.
    pub title: String,
    /// Entities, as JSON.
    pub entities: String,
    /// Contributors, as JSON.
    pub contributors: String,
    /// Messages so far.
    pub messages: u32,
    /// The first of them.
    pub first_at: Timestamp,
    /// The last of them.
    pub last_at: Timestamp,
    /// When what made it happened.
    pub made_at: Timestamp,
    /// What worded it.
    pub proposer: String,
    /// Another history holds now.
    pub is_retired: bool,
}

/// Something that a person decided about topics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicDecisionRow {
    /// Its id.
    pub id: TopicDecisionId,
    /// In which partition.
    pub partition: String,
    /// What, by name.
    pub kind: String,
    /// A title.
    pub title: Option<String>,
    /// Messages of the topic.
    pub a: Vec<InteractionId>,
    /// Messages of the other one, or those that go.
    pub b: Vec<InteractionId>,
    /// When.
    pub decided_at: Timestamp,
    /// When it was taken back.
    pub undone_at: Option<Timestamp>,
}

/// Something that reconciliation proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicProposalRow {
    /// Its id.
    pub id: String,
    /// In which partition.
    pub partition: String,
    /// `merge` or `split`.
    pub kind: String,
    /// The topic that would stay.
    pub topic: TopicId,
    /// The one that would go into it.
    pub other: Option<TopicId>,
    /// How near they are.
    pub nearness: f32,
    /// Words that tell why.
    pub why: Vec<String>,
    /// Messages that would go.
    pub apart: Vec<InteractionId>,
}

const VERSION_COLUMNS: &str =
    "v.id, v.topic_id, v.number, v.supersedes_id, v.title, v.entities, v.contributors, v.messages, v.first_at_ms,
    v.last_at_ms, v.made_at_ms, v.proposer, v.is_retired";

fn version(row: &Row<'_>) -> Result<TopicVersionRow> {
    let text = |at: usize| -> Result<String> { Ok(row.get(at)?) };
    let supersedes: Option<String> = row.get(3)?;
    Ok(TopicVersionRow {
        id: parse("version of a topic", &text(0)?)?,
        topic: parse("topic id", &text(1)?)?,
        number: row.get(2)?,
        supersedes: supersedes.map(|id| parse("version of a topic", &id)).transpose()?,
        title: text(4)?,
        entities: text(5)?,
        contributors: text(6)?,
        messages: row.get(7)?,
        first_at: Timestamp(row.get(8)?),
        last_at: Timestamp(row.get(9)?),
        made_at: Timestamp(row.get(10)?),
        proposer: text(11)?,
        is_retired: row.get(12)?,
    })
}

const TOPIC_COLUMNS: &str = "t.id, t.partition_id, t.version_id, t.parent_id, t.absorbed, t.related, t.person_title, t.is_pinned";

fn topic(row: &Row<'_>) -> Result<TopicRow> {
    let text = |at: usize| -> Result<String> { Ok(row.get(at)?) };
    let parent: Option<String> = row.get(3)?;
    Ok(TopicRow {
        id: parse("topic id", &text(0)?)?,
        partition: text(1)?,
        version: parse("version of a topic", &text(2)?)?,
        parent: parent.map(|id| parse("topic id", &id)).transpose()?,
        absorbed: parse_json("topics merged into a topic", &text(4)?)?,
        related: parse_json("related topics", &text(5)?)?,
        person_title: row.get(6)?,
        is_pinned: row.get(7)?,
    })
}

impl ReadTx<'_> {
    /// The marks of the batches that were read of a conversation, in order.
    pub fn topic_batch_marks(&self, conversation: &ConversationId) -> Result<Vec<String>> {
        let mut statement =
            self.conn.prepare_cached("SELECT mark FROM topic_batches WHERE conversation_id = ?1 ORDER BY position")?;
        let rows = statement.query_map([conversation.as_str()], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// A text that changes whenever a batch was read or dropped.
    pub fn topic_batches_signature(&self) -> Result<BTreeMap<ConversationId, String>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT conversation_id, group_concat(mark, ' ') FROM (SELECT * FROM topic_batches ORDER BY conversation_id, position)
              GROUP BY conversation_id",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (conversation, marks) = row?;
            Ok((parse("conversation id", &conversation)?, marks))
        })
        .collect()
    }

    /// Up to where each conversation was looked through, and when what is left of it will be complete.
    pub fn topic_readings(&self) -> Result<BTreeMap<ConversationId, (String, Option<Timestamp>)>> {
        let mut statement = self.conn.prepare_cached("SELECT conversation_id, signature, rests_at_ms FROM topic_readings")?;
        let mut rows = statement.query([])?;
        let mut readings = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id = parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            readings.insert(id, (row.get(1)?, row.get::<_, Option<i64>>(2)?.map(Timestamp)));
        }
        Ok(readings)
    }

    /// Of each conversation what was said while it was off the record: up to this message.
    pub fn private_throughs(&self) -> Result<BTreeMap<ConversationId, i64>> {
        let mut statement = self.conn.prepare_cached("SELECT id, private_through_seq FROM conversations")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
        rows.map(|row| {
            let (id, seq) = row?;
            Ok((parse("conversation id", &id)?, seq))
        })
        .collect()
    }

    /// Every cluster of these conversations.
    pub fn topic_clusters(&self, conversations: &[ConversationId]) -> Result<Vec<TopicClusterRow>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT c.conversation_id, c.position, c.number, b.closed_at_ms, c.cluster, c.vector FROM topic_clusters c
               JOIN topic_batches b ON b.conversation_id = c.conversation_id AND b.position = c.position
              WHERE c.conversation_id IN (SELECT value FROM json_each(?1)) ORDER BY 1, 2, 3",
        )?;
        let mut rows = statement.query([to_json("conversation ids", &conversations)?])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let vector: Option<Vec<u8>> = row.get(5)?;
            items.push(TopicClusterRow {
                conversation: parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                position: row.get(1)?,
                number: row.get(2)?,
                closed_at: Timestamp(row.get(3)?),
                cluster: row.get(4)?,
                vector: vector.map(|bytes| from_bytes(&bytes)).transpose()?,
            });
        }
        Ok(items)
    }

    /// The partitions for which topics were derived.
    pub fn topic_partitions(&self) -> Result<Vec<TopicPartitionRow>> {
        let mut statement =
            self.conn.prepare_cached("SELECT id, reach, people_key, sources, signature FROM topic_partitions ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let reach: Option<String> = row.get(1)?;
            items.push(TopicPartitionRow {
                id: row.get(0)?,
                reach: reach.map(|json| parse_json("reach of topics", &json)).transpose()?,
                people_key: row.get(2)?,
                sources: parse_json("sources of topics", &row.get::<_, String>(3)?)?,
                signature: row.get(4)?,
            });
        }
        Ok(items)
    }

    /// The topics of a partition, by id.
    pub fn topics_of(&self, partition: &str) -> Result<Vec<TopicRow>> {
        let sql = format!("SELECT {TOPIC_COLUMNS} FROM topics t WHERE t.partition_id = ?1 AND t.is_retired = 0 ORDER BY t.id");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([partition])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(topic(row)?);
        }
        Ok(items)
    }

    /// One topic that stands.
    pub fn topic(&self, id: &TopicId) -> Result<TopicRow> {
        let sql = format!("SELECT {TOPIC_COLUMNS} FROM topics t WHERE t.id = ?1 AND t.is_retired = 0");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([id.as_str()])?;
        rows.next()?.map_or_else(|| Err(StoreError::not_found("topic", id.as_str())), topic)
    }

    /// Every version of a topic, the oldest first; those of another history behind those that hold.
    pub fn topic_versions(&self, id: &TopicId) -> Result<Vec<TopicVersionRow>> {
        self.versions_where("v.topic_id = ?1 ORDER BY v.is_retired, v.number, v.made_at_ms, v.id", id.as_str())
    }

    /// The current version of each topic of a partition, by topic.
    pub fn current_topic_versions(&self, partition: &str) -> Result<BTreeMap<TopicId, TopicVersionRow>> {
        let rows = self.versions_where(
            "v.id IN (SELECT t.version_id FROM topics t WHERE t.partition_id = ?1 AND t.is_retired = 0)",
            partition,
        )?;
        Ok(rows.into_iter().map(|row| (row.topic.clone(), row)).collect())
    }

    /// One version.
    pub fn topic_version(&self, id: &TopicVersionId) -> Result<TopicVersionRow> {
        let mut rows = self.versions_where("v.id = ?1", id.as_str())?;
        rows.pop().ok_or_else(|| StoreError::not_found("version of a topic", id.as_str()))
    }

    fn versions_where(&self, condition: &str, value: &str) -> Result<Vec<TopicVersionRow>> {
        let sql = format!("SELECT {VERSION_COLUMNS} FROM topic_versions v WHERE {condition}");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([value])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(version(row)?);
        }
        Ok(items)
    }

    /// Whether a version is stored, in sight or not.
    pub fn has_topic_version(&self, id: &TopicVersionId) -> Result<bool> {
        Ok(self.conn.prepare_cached("SELECT 1 FROM topic_versions WHERE id = ?1")?.exists([id.as_str()])?)
    }

    /// What a person decided about topics and has not taken back, in order.
    pub fn topic_decisions_signature(&self) -> Result<Vec<String>> {
        let mut statement = self.conn.prepare_cached("SELECT id FROM topic_decisions WHERE undone_at_ms IS NULL ORDER BY seq")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The lines of a version.
    pub fn topic_lines(&self, id: &TopicVersionId) -> Result<Vec<TopicLineRow>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT section, text, interaction_id, start, \"end\" FROM topic_lines WHERE version_id = ?1 ORDER BY position",
        )?;
        let mut rows = statement.query([id.as_str()])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(TopicLineRow {
                section: row.get(0)?,
                text: row.get(1)?,
                place: place(row.get_ref(2)?.as_str().unwrap_or_default(), row.get(3)?, row.get(4)?)?,
            });
        }
        Ok(items)
    }

    /// The messages of a topic in the order in which they came, each with the number of the version that it came with.
    pub fn topic_messages(&self, id: &TopicId) -> Result<Vec<(InteractionId, u32)>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT interaction_id, number FROM topic_messages WHERE topic_id = ?1 ORDER BY position")?;
        let rows = statement.query_map([id.as_str()], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?)))?;
        rows.map(|row| {
            let (id, number) = row?;
            Ok((parse("message id", &id)?, number))
        })
        .collect()
    }

    /// When the messages of each topic of a partition were said, sorted.
    pub fn topic_times(&self, partition: &str) -> Result<BTreeMap<TopicId, Vec<Timestamp>>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT m.topic_id, i.created_at_ms FROM topics t JOIN topic_messages m ON m.topic_id = t.id
               JOIN interactions i ON i.id = m.interaction_id WHERE t.partition_id = ?1 AND t.is_retired = 0 ORDER BY 1, 2",
        )?;
        let mut rows = statement.query([partition])?;
        let mut times: BTreeMap<TopicId, Vec<Timestamp>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id = parse("topic id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            times.entry(id).or_default().push(Timestamp(row.get(1)?));
        }
        Ok(times)
    }

    /// Messages by id, in the order of their time.
    pub fn interactions_of(&self, ids: &[InteractionId]) -> Result<Vec<InteractionRow>> {
        self.interactions_where(
            "i.id IN (SELECT value FROM json_each(?1)) ORDER BY i.created_at_ms, i.seq",
            [to_json("message ids", &ids)?],
        )
    }

    /// What a person decided in a partition, the oldest first, what was taken back included.
    pub fn topic_decisions(&self, partition: &str) -> Result<Vec<TopicDecisionRow>> {
        self.decisions_where("d.partition_id = ?1", partition)
    }

    /// One decision.
    pub fn topic_decision(&self, id: &TopicDecisionId) -> Result<TopicDecisionRow> {
        let mut rows = self.decisions_where("d.id = ?1", id.as_str())?;
        rows.pop().ok_or_else(|| StoreError::not_found("decision about a topic", id.as_str()))
    }

    fn decisions_where(&self, condition: &str, value: &str) -> Result<Vec<TopicDecisionRow>> {
        let sql = format!(
            "SELECT d.id, d.partition_id, d.kind, d.title, d.decided_at_ms, d.undone_at_ms,
                    (SELECT json_group_array(interaction_id) FROM topic_decision_messages m WHERE m.decision_id = d.id AND m.side = 'a'),
                    (SELECT json_group_array(interaction_id) FROM topic_decision_messages m WHERE m.decision_id = d.id AND m.side = 'b')
               FROM topic_decisions d WHERE {condition} ORDER BY d.seq"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([value])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(TopicDecisionRow {
                id: parse("decision about a topic", &row.get::<_, String>(0)?)?,
                partition: row.get(1)?,
                kind: row.get(2)?,
                title: row.get(3)?,
                decided_at: Timestamp(row.get(4)?),
                undone_at: row.get::<_, Option<i64>>(5)?.map(Timestamp),
                a: parse_json("messages of a decision", &row.get::<_, String>(6)?)?,
                b: parse_json("messages of a decision", &row.get::<_, String>(7)?)?,
            });
        }
        Ok(items)
    }

    /// What reconciliation proposes in a partition, merges first, the likeliest first.
    pub fn topic_proposals(&self, partition: &str) -> Result<Vec<TopicProposalRow>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id, kind, topic_id, other_id, nearness, why, apart FROM topic_proposals WHERE partition_id = ?1
              ORDER BY kind, nearness DESC, id",
        )?;
        let mut rows = statement.query([partition])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let other: Option<String> = row.get(3)?;
            items.push(TopicProposalRow {
                id: row.get(0)?,
                partition: partition.to_owned(),
                kind: row.get(1)?,
                topic: parse("topic id", &row.get::<_, String>(2)?)?,
                other: other.map(|id| parse("topic id", &id)).transpose()?,
                nearness: row.get::<_, f64>(4)? as f32,
                why: parse_json("reasons of a proposal", &row.get::<_, String>(5)?)?,
                apart: parse_json("messages of a proposal", &row.get::<_, String>(6)?)?,
            });
        }
        Ok(items)
    }
}

impl WriteTx<'_> {
    /// Keeps what was read of a batch in the place of what stood there.
    pub fn put_topic_batch(
        &self,
        conversation: &ConversationId,
        position: u32,
        mark: &str,
        closed_at: Timestamp,
        clusters: &[StoredCluster],
    ) -> Result<()> {
        if self.conversation(conversation)?.is_private {
            return Err(StoreError::Evidence("the conversation is off the record".to_owned()));
        }
        self.conn
            .prepare_cached("DELETE FROM topic_batches WHERE conversation_id = ?1 AND position = ?2")?
            .execute(params![conversation.as_str(), position])?;
        self.conn
            .prepare_cached("INSERT INTO topic_batches (conversation_id, position, mark, closed_at_ms) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![conversation.as_str(), position, mark, closed_at.0])?;
        let mut statement = self.conn.prepare_cached(
            "INSERT INTO topic_clusters (conversation_id, position, number, cluster, vector) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (number, (cluster, vector)) in clusters.iter().enumerate() {
            let vector = vector.as_deref().map(to_bytes);
            statement.execute(params![conversation.as_str(), position, number as i64, cluster, vector])?;
        }
        Ok(())
    }

    /// Notes up to where a conversation was looked through.
    pub fn put_topic_reading(&self, conversation: &ConversationId, signature: &str, rests_at: Option<Timestamp>) -> Result<()> {
        self.conn
            .prepare_cached(
                "INSERT INTO topic_readings (conversation_id, signature, rests_at_ms) VALUES (?1, ?2, ?3)
                 ON CONFLICT (conversation_id) DO UPDATE SET signature = excluded.signature, rests_at_ms = excluded.rests_at_ms",
            )?
            .execute(params![conversation.as_str(), signature, rests_at.map(|at| at.0)])?;
        Ok(())
    }

    /// Forgets what was read of a conversation from a batch on.
    pub fn drop_topic_batches(&self, conversation: &ConversationId, from: u32) -> Result<()> {
        self.conn
            .prepare_cached("DELETE FROM topic_batches WHERE conversation_id = ?1 AND position >= ?2")?
            .execute(params![conversation.as_str(), from])?;
        Ok(())
    }

    /// Keeps a partition.
    pub fn put_topic_partition(&self, row: &TopicPartitionRow) -> Result<()> {
        let reach = row.reach.as_ref().map(|reach| to_json("reach of topics", reach)).transpose()?;
        self.conn
            .prepare_cached(
                "INSERT INTO topic_partitions (id, reach, people_key, sources, signature) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (id) DO UPDATE SET reach = excluded.reach, people_key = excluded.people_key, sources = excluded.sources,
                     signature = excluded.signature",
            )?
            .execute(params![row.id, reach, row.people_key, to_json("sources of topics", &row.sources)?, row.signature])?;
        self.touch(Tag::Topics);
        Ok(())
    }

    /// Removes the partitions that are none of these, with their topics.
    pub fn retain_topic_partitions(&self, ids: &BTreeSet<String>) -> Result<()> {
        let gone = self
            .conn
            .prepare_cached("DELETE FROM topic_partitions WHERE id NOT IN (SELECT value FROM json_each(?1))")?
            .execute([to_json("partitions", ids)?])?;
        if gone > 0 {
            self.touch(Tag::Topics);
        }
        Ok(())
    }

    /// Removes a partition with its topics and all their versions.
    pub fn drop_topic_partition(&self, id: &str) -> Result<()> {
        self.conn.prepare_cached("DELETE FROM topic_partitions WHERE id = ?1")?.execute([id])?;
        self.touch(Tag::Topics);
        Ok(())
    }

    /// Puts the topics of a partition in the place of those that stood. Topics that are not among them are kept, out of sight, with
    /// their versions. Versions that are new must be inserted in the same transaction.
    pub fn put_topics(&self, partition: &str, rows: &[TopicRow]) -> Result<()> {
        self.conn.prepare_cached("UPDATE topics SET is_retired = 1 WHERE partition_id = ?1")?.execute([partition])?;
        self.conn.prepare_cached("DELETE FROM topic_proposals WHERE partition_id = ?1")?.execute([partition])?;
        let mut statement = self.conn.prepare_cached(
            "INSERT INTO topics (id, partition_id, version_id, parent_id, absorbed, related, person_title, is_pinned, is_retired)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)
             ON CONFLICT (id) DO UPDATE SET version_id = excluded.version_id, parent_id = excluded.parent_id, absorbed = excluded.absorbed,
                 related = excluded.related, person_title = excluded.person_title, is_pinned = excluded.is_pinned, is_retired = 0",
        )?;
        for row in rows {
            statement.execute(params![
                row.id.as_str(),
                partition,
                row.version.as_str(),
                row.parent.as_ref().map(TopicId::as_str),
                to_json("topics merged into a topic", &row.absorbed)?,
                to_json("related topics", &row.related)?,
                row.person_title,
                row.is_pinned
            ])?;
        }
        self.touch(Tag::Topics);
        Ok(())
    }

    /// Of the versions of a partition these hold now; all others are kept out of sight.
    pub fn keep_topic_versions(&self, partition: &str, live: &BTreeSet<TopicVersionId>) -> Result<()> {
        self.conn
            .prepare_cached(
                "UPDATE topic_versions SET is_retired = id NOT IN (SELECT value FROM json_each(?2))
                  WHERE topic_id IN (SELECT id FROM topics WHERE partition_id = ?1)
                    AND is_retired <> (id NOT IN (SELECT value FROM json_each(?2)))",
            )?
            .execute(params![partition, to_json("versions of topics", live)?])?;
        Ok(())
    }

    /// Stores a version. Refused unless every line's place stands in its stored message, was spoken, and not off the record.
    pub fn insert_topic_version(&self, row: &TopicVersionRow, lines: &[TopicLineRow]) -> Result<()> {
        for line in lines {
            self.check_own_place(&line.place, None)?;
        }
        self.conn
            .prepare_cached(
                "INSERT INTO topic_versions (id, topic_id, number, supersedes_id, title, entities, contributors, messages, first_at_ms,
                    last_at_ms, made_at_ms, proposer, is_retired)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0)",
            )?
            .execute(params![
                row.id.as_str(),
                row.topic.as_str(),
                row.number,
                row.supersedes.as_ref().map(TopicVersionId::as_str),
                row.title,
                row.entities,
                row.contributors,
                row.messages,
                row.first_at.0,
                row.last_at.0,
                row.made_at.0,
                row.proposer
            ])?;
        let mut statement = self.conn.prepare_cached(
            "INSERT INTO topic_lines (version_id, position, section, text, interaction_id, start, \"end\")
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for (position, line) in lines.iter().enumerate() {
            statement.execute(params![
                row.id.as_str(),
                position as i64,
                line.section,
                line.text,
                line.place.interaction.as_str(),
                line.place.span.start(),
                line.place.span.end()
            ])?;
        }
        self.touch(Tag::Topics);
        Ok(())
    }

    /// Puts the messages of a topic in the place of those that it had.
    pub fn put_topic_messages(&self, topic: &TopicId, messages: &[(InteractionId, u32)]) -> Result<()> {
        self.conn.prepare_cached("DELETE FROM topic_messages WHERE topic_id = ?1")?.execute([topic.as_str()])?;
        let mut statement = self
            .conn
            .prepare_cached("INSERT INTO topic_messages (topic_id, position, interaction_id, number) VALUES (?1, ?2, ?3, ?4)")?;
        for (position, (message, number)) in messages.iter().enumerate() {
            statement.execute(params![topic.as_str(), position as i64, message.as_str(), number])?;
        }
        Ok(())
    }

    /// Keeps what reconciliation proposes.
    pub fn insert_topic_proposal(&self, row: &TopicProposalRow) -> Result<()> {
        self.conn
            .prepare_cached(
                "INSERT INTO topic_proposals (id, partition_id, kind, topic_id, other_id, nearness, why, apart)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                row.id,
                row.partition,
                row.kind,
                row.topic.as_str(),
                row.other.as_ref().map(TopicId::as_str),
                f64::from(row.nearness),
                to_json("reasons of a proposal", &row.why)?,
                to_json("messages of a proposal", &row.apart)?
            ])?;
        Ok(())
    }

    /// Deletes every topic, and what was read for them. What a person decided stays, and is replayed by the next derivation.
    pub fn drop_topics(&self) -> Result<()> {
        self.conn.execute("DELETE FROM topic_partitions", [])?;
        self.conn.execute("DELETE FROM topic_batches", [])?;
        self.conn.execute("DELETE FROM topic_readings", [])?;
        self.touch(Tag::Topics);
        Ok(())
    }

    /// Keeps what a person decided.
    pub fn insert_topic_decision(&self, row: &TopicDecisionRow) -> Result<()> {
        self.conn
            .prepare_cached(
                "INSERT INTO topic_decisions (id, partition_id, kind, title, decided_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![row.id.as_str(), row.partition, row.kind, row.title, row.decided_at.0])?;
        let mut statement = self.conn.prepare_cached(
            "INSERT OR IGNORE INTO topic_decision_messages (decision_id, side, interaction_id) VALUES (?1, ?2, ?3)",
        )?;
        for (side, messages) in [("a", &row.a), ("b", &row.b)] {
            for message in messages {
                statement.execute(params![row.id.as_str(), side, message.as_str()])?;
            }
        }
        self.touch(Tag::Topics);
        Ok(())
    }

    /// Takes a decision back, or makes it again.
    pub fn undo_topic_decision(&self, id: &TopicDecisionId, undone_at: Option<Timestamp>) -> Result<()> {
        let changed = self
            .conn
            .prepare_cached("UPDATE topic_decisions SET undone_at_ms = ?2 WHERE id = ?1")?
            .execute(params![id.as_str(), undone_at.map(|at| at.0)])?;
        if changed == 0 {
            return Err(StoreError::not_found("decision about a topic", id.as_str()));
        }
        self.touch(Tag::Topics);
        Ok(())
    }

    /// Deletes what topics have of a conversation: every version that holds a message of it in its text or came after one did, and
    /// what was read of it. The topics are derived again from what is left.
    pub(crate) fn erase_topics_of(&self, conversation: &ConversationId) -> Result<()> {
        let id = conversation.as_str();
        let of = "SELECT i.id FROM interactions i WHERE i.conversation_id = ?1";
        // A title, an entity or a choice between lines can come from a message that no line quotes, so every topic goes that a message
        // of it is in, and every one of its partitions: what was read there is not what would be read now.
        let partitions =
            "SELECT p.id FROM topic_partitions p WHERE EXISTS (SELECT 1 FROM json_each(p.sources) s WHERE s.value = ?1)";
        let topics = format!("SELECT id FROM topics WHERE partition_id IN ({partitions})");
        let touched = format!("SELECT topic_id FROM topic_messages WHERE interaction_id IN ({of})
                               UNION SELECT v.topic_id FROM topic_lines l JOIN topic_versions v ON v.id = l.version_id WHERE l.interaction_id IN ({of})");
        self.remember_traces(&format!("SELECT title FROM topic_versions WHERE topic_id IN ({touched})"), id)?;
        self.remember_traces(&format!("SELECT l.text FROM topic_lines l WHERE l.interaction_id IN ({of})"), id)?;
        self.conn.execute(&format!("DELETE FROM topics WHERE id IN ({topics})"), [id])?;
        self.conn.execute(&format!("DELETE FROM topic_partitions WHERE id IN ({partitions})"), [id])?;
        self.conn.execute("DELETE FROM topic_batches WHERE conversation_id = ?1", [id])?;
        self.conn.execute("DELETE FROM topic_readings WHERE conversation_id = ?1", [id])?;
        // A person's title may be worded after what is gone: it goes where nothing of what it was given to is left.
        let orphaned = format!(
            "SELECT d.id FROM topic_decisions d WHERE EXISTS (SELECT 1 FROM topic_decision_messages m WHERE m.decision_id = d.id AND m.interaction_id IN ({of}))
                AND NOT EXISTS (SELECT 1 FROM topic_decision_messages m WHERE m.decision_id = d.id AND m.side = 'a' AND m.interaction_id NOT IN ({of}))"
        );
        self.remember_traces(&format!("SELECT title FROM topic_decisions WHERE title IS NOT NULL AND id IN ({orphaned})"), id)?;
        self.conn.execute(&format!("DELETE FROM topic_decisions WHERE id IN ({orphaned})"), [id])?;
        self.conn.execute(&format!("DELETE FROM topic_decision_messages WHERE interaction_id IN ({of})"), [id])?;
        self.touch(Tag::Topics);
        Ok(())
    }
}
