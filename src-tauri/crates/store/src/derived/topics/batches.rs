//! The batches of messages that were read for topics, by conversation, with their clusters. They are kept because computing the
//! vectors is expensive.

use std::collections::BTreeMap;

use keepsake_domain::{ConversationId, Timestamp};
use rusqlite::params;

use crate::areas::{Topics, TopicsMut};
use crate::derived::embeddings::{from_bytes, to_bytes};
use crate::text::{parse, to_json};
use crate::{Result, StoreError};

/// A stored cluster: its content as JSON, and its vector if it has one.
pub type StoredCluster = (String, Option<Vec<f32>>);

/// A cluster with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicClusterRow {
    /// The conversation.
    pub conversation: ConversationId,
    /// Position of its batch in the conversation.
    pub position: u32,
    /// Number of the cluster within the batch.
    pub number: u32,
    /// When the batch closed.
    pub closed_at: Timestamp,
    /// Its content as JSON.
    pub cluster: String,
    /// Its vector.
    pub vector: Option<Vec<f32>>,
}

impl Topics<'_> {
    /// The marks (fingerprints) of the batches read in a conversation, in order.
    pub fn batch_marks(&self, conversation: &ConversationId) -> Result<Vec<String>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT input_version FROM topic_batches WHERE conversation_id = ?1 ORDER BY position")?;
        let rows = statement.query_map([conversation.as_str()], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// For each conversation, a string that changes whenever a batch is added or deleted.
    pub fn batches_signature(&self) -> Result<BTreeMap<ConversationId, String>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT conversation_id, group_concat(input_version, ' ') FROM (SELECT * FROM topic_batches ORDER BY conversation_id, position)
              GROUP BY conversation_id",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (conversation, marks) = row?;
            Ok((parse("conversation id", &conversation)?, marks))
        })
        .collect()
    }

    /// For each conversation, the signature of its last reading, and the time when its remaining messages will form a complete
    /// batch.
    pub fn readings(&self) -> Result<BTreeMap<ConversationId, (String, Option<Timestamp>)>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT conversation_id, signature, rests_at_ms FROM topic_readings")?;
        let mut rows = statement.query([])?;
        let mut readings = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id = parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            readings.insert(id, (row.get(1)?, row.get::<_, Option<i64>>(2)?.map(Timestamp)));
        }
        Ok(readings)
    }

    /// All clusters of these conversations.
    pub fn clusters(&self, conversations: &[ConversationId]) -> Result<Vec<TopicClusterRow>> {
        let mut statement = self.tx.conn.prepare_cached(
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
}

impl TopicsMut<'_> {
    /// Stores a batch with its clusters, and replaces the batch at the same position.
    pub fn put_batch(
        &self,
        conversation: &ConversationId,
        position: u32,
        mark: &str,
        closed_at: Timestamp,
        clusters: &[StoredCluster],
    ) -> Result<()> {
        if self.tx.log().conversation(conversation)?.is_private {
            return Err(StoreError::Evidence("the conversation is excluded from memory".to_owned()));
        }
        self.tx
            .conn
            .prepare_cached("DELETE FROM topic_batches WHERE conversation_id = ?1 AND position = ?2")?
            .execute(params![conversation.as_str(), position])?;
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO topic_batches (conversation_id, position, input_version, closed_at_ms) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![conversation.as_str(), position, mark, closed_at.0])?;
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO topic_clusters (conversation_id, position, number, cluster, vector) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (number, (cluster, vector)) in clusters.iter().enumerate() {
            let vector = vector.as_deref().map(to_bytes);
            statement.execute(params![conversation.as_str(), position, number as i64, cluster, vector])?;
        }
        Ok(())
    }

    /// Records the last reading of a conversation.
    pub fn put_reading(&self, conversation: &ConversationId, signature: &str, rests_at: Option<Timestamp>) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO topic_readings (conversation_id, signature, rests_at_ms) VALUES (?1, ?2, ?3)
                 ON CONFLICT (conversation_id) DO UPDATE SET signature = excluded.signature, rests_at_ms = excluded.rests_at_ms",
            )?
            .execute(params![conversation.as_str(), signature, rests_at.map(|at| at.0)])?;
        Ok(())
    }

    /// Deletes a conversation's batches from position `from` on.
    pub fn drop_batches(&self, conversation: &ConversationId, from: u32) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("DELETE FROM topic_batches WHERE conversation_id = ?1 AND position >= ?2")?
            .execute(params![conversation.as_str(), from])?;
        Ok(())
    }
}
