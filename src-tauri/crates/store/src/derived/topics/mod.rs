//! Topics: the batches read from each conversation, the topics of each audience with all their versions, and the person's
//! decisions. A partition (`topic_audiences`) is the set of topics for one audience.
//!
//! The evidence lock applies, as it does for memories: [`TopicsMut::insert_version`] checks that every line is in its stored
//! message and that the message is not excluded. `batches` stores the readings of conversations, `versions` the texts,
//! `decisions` the person's decisions, and `by_model` the texts and verdicts of language models.
//!
//! Not here: which messages belong together and what a topic says (`insight`), and who may see it (`engine`).

mod batches;
mod by_model;
mod decisions;
mod versions;

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{ConversationId, InteractionId, People, Timestamp, TopicId, TopicVersionId};
use rusqlite::{Row, params};

use crate::areas::{Topics, TopicsMut};
use crate::changes::Tag;
use crate::lifecycle::part::{MESSAGES_OF_PART, Part};
use crate::text::{parse, parse_json, to_json};
use crate::{InteractionRow, Result, StoreError};

pub use batches::{StoredCluster, TopicClusterRow};
pub use by_model::{TopicVerdictRow, TopicWordingRow};
pub use decisions::TopicDecisionRow;
pub use versions::{TopicLineRow, TopicVersionRow};

/// Number of topics deleted per transaction. With all their versions, this takes about 20 ms.
const TOPICS_DROPPED_AT_ONCE: usize = 20;

/// An audience for which topics were derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicPartitionRow {
    /// Its id.
    pub id: String,
    /// The people present in every private place that was read; `None` if no private place was read.
    pub reach: Option<People>,
    /// Key of the links in effect when it was derived.
    pub links_key: String,
    /// The conversations that were read.
    pub sources: Vec<ConversationId>,
    /// Signature of the last derivation's input; empty during the first derivation and while a new one is pending.
    pub signature: String,
}

/// A topic, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicRow {
    /// Its id.
    pub id: TopicId,
    /// Id of its audience.
    pub partition: String,
    /// Its current version.
    pub version: TopicVersionId,
    /// The topic that it was split from, if any.
    pub parent: Option<TopicId>,
    /// Topics that the person merged into it.
    pub absorbed: Vec<TopicId>,
    /// Similar topics with their similarity, highest first.
    pub related: Vec<(TopicId, f32)>,
    /// The title given by the person, if any.
    pub person_title: Option<String>,
    /// Whether the person pinned the topic.
    pub is_pinned: bool,
}

/// A proposal to merge or split topics.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicProposalRow {
    /// Its id.
    pub id: String,
    /// Id of the audience.
    pub partition: String,
    /// Either `merge` or `split`.
    pub kind: String,
    /// The topic that would remain.
    pub topic: TopicId,
    /// For a merge, the topic that would be merged into it.
    pub other: Option<TopicId>,
    /// Similarity of the two topics, or of the two halves.
    pub nearness: f32,
    /// Words shown to explain the proposal.
    pub why: Vec<String>,
    /// For a split, the messages that would move to a new topic.
    pub apart: Vec<InteractionId>,
}

const TOPIC_COLUMNS: &str = "t.id, t.audience_id, t.version_id, t.parent_id, t.absorbed, t.related, t.person_title, t.is_pinned";

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

impl Topics<'_> {
    /// The audiences for which topics were derived.
    pub fn partitions(&self) -> Result<Vec<TopicPartitionRow>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT id, audience, links_key, sources, signature FROM topic_audiences ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let reach: Option<String> = row.get(1)?;
            items.push(TopicPartitionRow {
                id: row.get(0)?,
                reach: reach.map(|json| parse_json("audience of topics", &json)).transpose()?,
                links_key: row.get(2)?,
                sources: parse_json("sources of topics", &row.get::<_, String>(3)?)?,
                signature: row.get(4)?,
            });
        }
        Ok(items)
    }

    /// The topics of an audience, ordered by id.
    pub fn topics_of(&self, partition: &str) -> Result<Vec<TopicRow>> {
        let sql = format!("SELECT {TOPIC_COLUMNS} FROM topics t WHERE t.audience_id = ?1 AND t.is_retired = 0 ORDER BY t.id");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([partition])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(topic(row)?);
        }
        Ok(items)
    }

    /// A topic that is not retired.
    pub fn topic(&self, id: &TopicId) -> Result<TopicRow> {
        let sql = format!("SELECT {TOPIC_COLUMNS} FROM topics t WHERE t.id = ?1 AND t.is_retired = 0");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([id.as_str()])?;
        rows.next()?.map_or_else(|| Err(StoreError::not_found("topic", id.as_str())), topic)
    }

    /// The messages of a topic in order, each with the number of the version that added it.
    pub fn messages(&self, id: &TopicId) -> Result<Vec<(InteractionId, u32)>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT interaction_id, number FROM topic_messages WHERE topic_id = ?1 ORDER BY position")?;
        let rows = statement.query_map([id.as_str()], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?)))?;
        rows.map(|row| {
            let (id, number) = row?;
            Ok((parse("message id", &id)?, number))
        })
        .collect()
    }

    /// For each topic of an audience, the times of its messages, in order.
    pub fn times(&self, partition: &str) -> Result<BTreeMap<TopicId, Vec<Timestamp>>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT m.topic_id, i.created_at_ms FROM topics t JOIN topic_messages m ON m.topic_id = t.id
               JOIN interactions i ON i.id = m.interaction_id WHERE t.audience_id = ?1 AND t.is_retired = 0 ORDER BY 1, 2",
        )?;
        let mut rows = statement.query([partition])?;
        let mut times: BTreeMap<TopicId, Vec<Timestamp>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id = parse("topic id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            times.entry(id).or_default().push(Timestamp(row.get(1)?));
        }
        Ok(times)
    }

    /// Messages by id, ordered by time.
    pub fn interactions_of(&self, ids: &[InteractionId]) -> Result<Vec<InteractionRow>> {
        self.tx.log().interactions_where(
            "i.id IN (SELECT value FROM json_each(?1)) ORDER BY i.created_at_ms, i.seq",
            [to_json("message ids", &ids)?],
        )
    }

    /// The proposals for an audience: merges before splits, most similar first.
    pub fn proposals(&self, partition: &str) -> Result<Vec<TopicProposalRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id, kind, topic_id, other_id, similarity, reason, separated FROM topic_proposals WHERE audience_id = ?1
              ORDER BY kind, similarity DESC, id",
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

impl TopicsMut<'_> {
    /// Stores an audience.
    pub fn put_partition(&self, row: &TopicPartitionRow) -> Result<()> {
        let reach = row.reach.as_ref().map(|reach| to_json("audience of topics", reach)).transpose()?;
        self.tx.conn
            .prepare_cached(
                "INSERT INTO topic_audiences (id, audience, links_key, sources, signature) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (id) DO UPDATE SET audience = excluded.audience, links_key = excluded.links_key, sources = excluded.sources,
                     signature = excluded.signature",
            )?
            .execute(params![row.id, reach, row.links_key, to_json("sources of topics", &row.sources)?, row.signature])?;
        self.tx.touch(Tag::Topics);
        Ok(())
    }

    /// Marks an audience as not derived: none of its topics are shown until they are derived again.
    pub fn hide_partition(&self, id: &str) -> Result<()> {
        self.tx.conn.prepare_cached("UPDATE topic_audiences SET signature = '' WHERE id = ?1")?.execute([id])?;
        self.tx.touch(Tag::Topics);
        Ok(())
    }

    /// Removes some topics of an audience with their versions, and removes the audience once no topic is left. Returns whether
    /// the audience is gone. Works in batches, because other writers have to wait for each batch.
    pub fn drop_partition(&self, id: &str) -> Result<bool> {
        let gone = self
            .tx
            .conn
            .prepare_cached("DELETE FROM topics WHERE id IN (SELECT id FROM topics WHERE audience_id = ?1 LIMIT ?2)")?
            .execute(params![id, TOPICS_DROPPED_AT_ONCE as i64])?;
        if gone == TOPICS_DROPPED_AT_ONCE {
            return Ok(false);
        }
        self.tx.conn.prepare_cached("DELETE FROM topic_audiences WHERE id = ?1")?.execute([id])?;
        self.tx.touch(Tag::Topics);
        Ok(true)
    }

    /// Creates a hidden topic, so that its versions can be written before it is shown.
    pub fn begin(&self, row: &TopicRow) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT OR IGNORE INTO topics (id, audience_id, version_id, absorbed, related, is_pinned, is_retired)
                 VALUES (?1, ?2, ?3, '[]', '[]', 0, 1)",
            )?
            .execute(params![row.id.as_str(), row.partition, row.version.as_str()])?;
        Ok(())
    }

    /// Stores a topic and replaces the previous state under its id.
    pub fn put(&self, row: &TopicRow) -> Result<()> {
        self.tx.conn
            .prepare_cached(
                "INSERT INTO topics (id, audience_id, version_id, parent_id, absorbed, related, person_title, is_pinned, is_retired)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)
                 ON CONFLICT (id) DO UPDATE SET version_id = excluded.version_id, parent_id = excluded.parent_id,
                     absorbed = excluded.absorbed, related = excluded.related, person_title = excluded.person_title,
                     is_pinned = excluded.is_pinned, is_retired = 0",
            )?
            .execute(params![
                row.id.as_str(),
                row.partition,
                row.version.as_str(),
                row.parent.as_ref().map(TopicId::as_str),
                to_json("topics merged into a topic", &row.absorbed)?,
                to_json("related topics", &row.related)?,
                row.person_title,
                row.is_pinned
            ])?;
        self.tx.touch(Tag::Topics);
        Ok(())
    }

    /// Keeps these topics of an audience, retires all its other topics and deletes all its proposals.
    pub fn retain(&self, partition: &str, ids: &BTreeSet<TopicId>) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE topics SET is_retired = 1
                  WHERE audience_id = ?1 AND is_retired = 0 AND id NOT IN (SELECT value FROM json_each(?2))",
            )?
            .execute(params![partition, to_json("topics", ids)?])?;
        self.tx.conn.prepare_cached("DELETE FROM topic_proposals WHERE audience_id = ?1")?.execute([partition])?;
        self.tx.touch(Tag::Topics);
        Ok(())
    }

    /// Removes all messages from a topic.
    pub fn clear_messages(&self, topic: &TopicId) -> Result<()> {
        self.tx.conn.prepare_cached("DELETE FROM topic_messages WHERE topic_id = ?1")?.execute([topic.as_str()])?;
        Ok(())
    }

    /// Appends messages to a topic that already has `from` messages.
    pub fn add_messages(&self, topic: &TopicId, from: usize, messages: &[(InteractionId, u32)]) -> Result<()> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("INSERT INTO topic_messages (topic_id, position, interaction_id, number) VALUES (?1, ?2, ?3, ?4)")?;
        for (position, (message, number)) in messages.iter().enumerate() {
            statement.execute(params![topic.as_str(), (from + position) as i64, message.as_str(), number])?;
        }
        Ok(())
    }

    /// Stores a proposal.
    pub fn insert_proposal(&self, row: &TopicProposalRow) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO topic_proposals (id, audience_id, kind, topic_id, other_id, similarity, reason, separated)
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

    /// Deletes all batches read for topics. Keeps the person's decisions and models' answers.
    pub fn drop_readings(&self) -> Result<()> {
        self.tx.conn.execute("DELETE FROM topic_batches", [])?;
        self.tx.conn.execute("DELETE FROM topic_readings", [])?;
        self.tx.touch(Tag::Topics);
        Ok(())
    }

    /// Deletes everything that topics contain from a conversation: all topics of every audience that read it, its batches,
    /// models' answers based on it, and titles given only to its messages. If an import is undone, only titles given only to
    /// the messages that it added are deleted. The topics are derived again from the remaining messages.
    pub(crate) fn erase_of(&self, part: Part<'_>) -> Result<()> {
        let id = part.conversation.as_str();
        let (of, reach) = (MESSAGES_OF_PART, part.reach().params());
        // A title, an entity or the choice of lines may come from a message that no line quotes. Therefore delete not only the
        // lines, but all topics of every audience that read the conversation: a new derivation would read less.
        let partitions =
            "SELECT p.id FROM topic_audiences p WHERE EXISTS (SELECT 1 FROM json_each(p.sources) s WHERE s.value = ?1)";
        let topics = format!("SELECT id FROM topics WHERE audience_id IN ({partitions})");
        let touched = format!("SELECT topic_id FROM topic_messages WHERE interaction_id IN ({of})
                               UNION SELECT v.topic_id FROM topic_lines l JOIN topic_versions v ON v.id = l.version_id WHERE l.interaction_id IN ({of})");
        self.tx
            .lifecycle()
            .remember_traces_with(&format!("SELECT title FROM topic_versions WHERE topic_id IN ({touched})"), reach)?;
        self.tx
            .lifecycle()
            .remember_traces_with(&format!("SELECT l.text FROM topic_lines l WHERE l.interaction_id IN ({of})"), reach)?;
        let beside =
            "SELECT l.text FROM topic_line_places p JOIN topic_lines l ON l.version_id = p.version_id AND l.position = p.position
                       WHERE p.interaction_id IN";
        self.tx.lifecycle().remember_traces_with(&format!("{beside} ({of})"), reach)?;
        self.erase_replies_of(part.conversation)?;
        self.tx.conn.execute(&format!("DELETE FROM topics WHERE id IN ({topics})"), [id])?;
        self.tx.conn.execute(&format!("DELETE FROM topic_audiences WHERE id IN ({partitions})"), [id])?;
        self.tx.conn.execute("DELETE FROM topic_batches WHERE conversation_id = ?1", [id])?;
        self.tx.conn.execute("DELETE FROM topic_readings WHERE conversation_id = ?1", [id])?;
        // The person may have taken a title from erased messages. Delete it if none of the messages it was given to remain.
        let orphaned = format!(
            "SELECT d.id FROM topic_decisions d WHERE EXISTS (SELECT 1 FROM topic_decision_messages m WHERE m.decision_id = d.id AND m.interaction_id IN ({of}))
                AND NOT EXISTS (SELECT 1 FROM topic_decision_messages m WHERE m.decision_id = d.id AND m.side = 'a' AND m.interaction_id NOT IN ({of}))"
        );
        self.tx.lifecycle().remember_traces_with(
            &format!("SELECT title FROM topic_decisions WHERE title IS NOT NULL AND id IN ({orphaned})"),
            reach,
        )?;
        self.tx.conn.execute(&format!("DELETE FROM topic_decisions WHERE id IN ({orphaned})"), reach)?;
        self.tx.conn.execute(&format!("DELETE FROM topic_decision_messages WHERE interaction_id IN ({of})"), reach)?;
        self.tx.touch(Tag::Topics);
        Ok(())
    }
}
