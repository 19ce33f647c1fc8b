//! Language models' answers about topics: texts and verdicts. They are stored separately, because they cost money and a model
//! does not give the same answer twice.
//!
//! Nothing here is shown directly. The derivation of topics decides whether to use an answer. The decision depends on the
//! chosen engine and on which conversations may still be read. The evidence of a line is checked again when the line becomes
//! part of a version.

use std::collections::BTreeSet;

use keepsake_domain::{ConversationId, InteractionId, Timestamp, TopicId, TopicVersionId};
use rusqlite::{OptionalExtension, Row, params};

use super::{TOPIC_COLUMNS, topic};
use crate::areas::{Topics, TopicsMut};
use crate::changes::Tag;
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError, TopicRow};

/// The text that a model wrote for the content of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicWordingRow {
    /// Key of the content.
    pub content_key: String,
    /// Name of the model and its prompt.
    pub proposer: String,
    /// The title, if one was accepted.
    pub title: Option<String>,
    /// Entities, as JSON.
    pub entities: String,
    /// Lines, as JSON; an empty list if no line was accepted.
    pub lines: String,
    /// The conversations whose content was in the input.
    pub sources: Vec<ConversationId>,
    /// When it was written.
    pub worded_at: Timestamp,
}

/// A model's verdict about two topics, or about the two halves of one topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicVerdictRow {
    /// Identifies the pair of topics, or the split proposal.
    pub subject: String,
    /// Id of the audience.
    pub partition: String,
    /// The topic, or the first topic of the pair.
    pub topic: TopicId,
    /// The second topic of the pair; `None` for two halves of one topic.
    pub other: Option<TopicId>,
    /// One of `same`, `distinct`, `unsure`.
    pub answer: String,
    /// Name of the model and its prompt.
    pub proposer: String,
    /// The conversations whose content was in the input.
    pub sources: Vec<ConversationId>,
    /// When the verdict was given.
    pub judged_at: Timestamp,
}

const WORDING_COLUMNS: &str = "content_key, proposer, title, entities, lines, sources, worded_at_ms";

fn wording(row: &Row<'_>) -> Result<TopicWordingRow> {
    Ok(TopicWordingRow {
        content_key: row.get(0)?,
        proposer: row.get(1)?,
        title: row.get(2)?,
        entities: row.get(3)?,
        lines: row.get(4)?,
        sources: parse_json("sources of a wording", &row.get::<_, String>(5)?)?,
        worded_at: Timestamp(row.get(6)?),
    })
}

impl Topics<'_> {
    /// A model's text for this content, if there is one.
    pub fn wording(&self, content_key: &str) -> Result<Option<TopicWordingRow>> {
        let sql = format!("SELECT {WORDING_COLUMNS} FROM topic_wordings WHERE content_key = ?1");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([content_key])?;
        rows.next()?.map(wording).transpose()
    }

    /// Keys of all content for which there is a model's text.
    pub fn worded(&self) -> Result<BTreeSet<String>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT content_key FROM topic_wordings")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The topics of an audience for whose content no model has written a text, with the content key: pinned topics first, then
    /// those with the latest messages.
    pub fn unworded(&self, partition: &str) -> Result<Vec<(TopicId, String)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT t.id, v.content_key FROM topics t JOIN topic_versions v ON v.id = t.version_id
              WHERE t.audience_id = ?1 AND t.is_retired = 0 AND v.content_key <> ''
                AND NOT EXISTS (SELECT 1 FROM topic_wordings w WHERE w.content_key = v.content_key)
              ORDER BY t.is_pinned DESC, v.last_at_ms DESC, t.id",
        )?;
        let rows = statement.query_map([partition], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (id, key) = row?;
            Ok((parse("topic id", &id)?, key))
        })
        .collect()
    }

    /// Topics of any audience whose current version has this content.
    pub fn with_content(&self, content_key: &str) -> Result<Vec<TopicRow>> {
        let sql = format!(
            "SELECT {TOPIC_COLUMNS} FROM topics t JOIN topic_versions v ON v.id = t.version_id
              WHERE v.content_key = ?1 AND t.is_retired = 0 ORDER BY t.id"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([content_key])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(topic(row)?);
        }
        Ok(items)
    }

    /// For each topic of an audience, the messages that a model judged not to belong to it.
    pub fn distinct(&self, partition: &str) -> Result<Vec<(TopicId, InteractionId)>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT topic_id, interaction_id FROM topic_distinct WHERE audience_id = ?1 ORDER BY 1, 2")?;
        let rows = statement.query_map([partition], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (topic, message) = row?;
            Ok((parse("topic id", &topic)?, parse("message id", &message)?))
        })
        .collect()
    }

    /// A model's verdicts for an audience.
    pub fn verdicts(&self, partition: &str) -> Result<Vec<TopicVerdictRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT subject, topic_id, other_id, answer, proposer, sources, judged_at_ms FROM topic_verdicts
              WHERE audience_id = ?1 ORDER BY subject",
        )?;
        let mut rows = statement.query([partition])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let other: Option<String> = row.get(2)?;
            items.push(TopicVerdictRow {
                subject: row.get(0)?,
                partition: partition.to_owned(),
                topic: parse("topic id", &row.get::<_, String>(1)?)?,
                other: other.map(|id| parse("topic id", &id)).transpose()?,
                answer: row.get(3)?,
                proposer: row.get(4)?,
                sources: parse_json("sources of a verdict", &row.get::<_, String>(5)?)?,
                judged_at: Timestamp(row.get(6)?),
            });
        }
        Ok(items)
    }

    /// The version of a topic with this content and proposer.
    pub fn version_of_content(&self, topic: &TopicId, content_key: &str, proposer: &str) -> Result<Option<TopicVersionId>> {
        let found: Option<String> = self
            .tx
            .conn
            .prepare_cached(
                "SELECT id FROM topic_versions WHERE topic_id = ?1 AND content_key = ?2 AND proposer = ?3 AND is_retired = 0
                  ORDER BY number DESC LIMIT 1",
            )?
            .query_row(params![topic.as_str(), content_key, proposer], |row| row.get(0))
            .optional()?;
        found.map(|id| parse("version of a topic", &id)).transpose()
    }
}

impl TopicsMut<'_> {
    /// Stores a model's text. Fails if one of its conversations is excluded.
    pub fn put_wording(&self, row: &TopicWordingRow) -> Result<()> {
        if !self.tx.conversation_status().are_on_record(&row.sources)? {
            return Err(StoreError::Evidence("one of its conversations is excluded from memory".to_owned()));
        }
        self.tx
            .conn
            .prepare_cached(
                "INSERT OR REPLACE INTO topic_wordings (content_key, proposer, title, entities, lines, sources, worded_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                row.content_key,
                row.proposer,
                row.title,
                row.entities,
                row.lines,
                to_json("sources of a wording", &row.sources)?,
                row.worded_at.0
            ])?;
        Ok(())
    }

    /// Makes a version the current one of its topic.
    pub fn set_version(&self, topic: &TopicId, version: &TopicVersionId) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE topics SET version_id = ?2 WHERE id = ?1")?
            .execute(params![topic.as_str(), version.as_str()])?;
        self.tx.touch(Tag::Topics);
        Ok(())
    }

    /// Records that a model judged these messages not to belong to a topic.
    pub fn put_distinct(
        &self,
        topic: &TopicRow,
        messages: &[InteractionId],
        proposer: &str,
        sources: &[ConversationId],
        judged_at: Timestamp,
    ) -> Result<()> {
        let sources = to_json("sources of a verdict", &sources)?;
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT OR REPLACE INTO topic_distinct (audience_id, topic_id, interaction_id, proposer, sources, judged_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for message in messages {
            statement.execute(params![topic.partition, topic.id.as_str(), message.as_str(), proposer, sources, judged_at.0])?;
        }
        Ok(())
    }

    /// Stores a model's verdict. Fails if one of its conversations is excluded.
    pub fn put_verdict(&self, row: &TopicVerdictRow) -> Result<()> {
        if !self.tx.conversation_status().are_on_record(&row.sources)? {
            return Err(StoreError::Evidence("one of its conversations is excluded from memory".to_owned()));
        }
        self.tx.conn
            .prepare_cached(
                "INSERT OR REPLACE INTO topic_verdicts (subject, audience_id, topic_id, other_id, answer, proposer, sources, judged_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                row.subject,
                row.partition,
                row.topic.as_str(),
                row.other.as_ref().map(TopicId::as_str),
                row.answer,
                row.proposer,
                to_json("sources of a verdict", &row.sources)?,
                row.judged_at.0
            ])?;
        Ok(())
    }

    /// Deletes answers whose input included content from a conversation that is gone or excluded.
    pub fn drop_replies_off_record(&self) -> Result<()> {
        for table in REPLIES {
            let gone = "EXISTS (SELECT 1 FROM json_each(sources) s WHERE s.value NOT IN (SELECT id FROM conversations WHERE is_private = 0))";
            self.tx.conn.prepare_cached(&format!("DELETE FROM {table} WHERE {gone}"))?.execute([])?;
        }
        Ok(())
    }

    /// Deletes all answers whose input included content from a conversation.
    pub(super) fn erase_replies_of(&self, conversation: &ConversationId) -> Result<()> {
        let told = "EXISTS (SELECT 1 FROM json_each(sources) s WHERE s.value = ?1)";
        let of = "SELECT i.id FROM interactions i WHERE i.conversation_id = ?1";
        // Record traces only for lines whose evidence is being erased: any other sentence may legitimately be derived again
        // from the remaining messages.
        let lines = format!(
            "SELECT json_extract(l.value, '$.text') FROM topic_wordings w, json_each(w.lines) l WHERE {told}
                AND EXISTS (SELECT 1 FROM json_each(l.value, '$.places') p WHERE json_extract(p.value, '$.message') IN ({of}))"
        );
        self.tx.lifecycle().remember_traces(&lines, conversation.as_str())?;
        for table in REPLIES {
            self.tx.conn.execute(&format!("DELETE FROM {table} WHERE {told}"), [conversation.as_str()])?;
        }
        Ok(())
    }
}

/// The tables that contain models' answers about topics.
const REPLIES: [&str; 3] = ["topic_wordings", "topic_distinct", "topic_verdicts"];
