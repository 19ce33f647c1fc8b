//! Versions of topics and their lines. The evidence lock applies: all evidence of every line is checked against the stored
//! messages.

use std::collections::{BTreeMap, BTreeSet};

use keepsake_domain::{EvidenceSpan, Timestamp, TopicId, TopicVersionId};
use rusqlite::{Row, params};

use crate::areas::{Topics, TopicsMut};
use crate::changes::Tag;
use crate::derived::profiles::place;
use crate::text::{parse, to_json};
use crate::{Result, StoreError};

/// A line of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicLineRow {
    /// Name of its section.
    pub section: String,
    /// The text of the line.
    pub text: String,
    /// The evidence for the line.
    pub place: EvidenceSpan,
    /// Further evidence, if a model worded the line from several messages.
    pub also: Vec<EvidenceSpan>,
}

/// A version of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicVersionRow {
    /// Its id.
    pub id: TopicVersionId,
    /// Its topic.
    pub topic: TopicId,
    /// Number of the version, from 1.
    pub number: u32,
    /// The version it replaces, if any.
    pub supersedes: Option<TopicVersionId>,
    /// Title derived from the content.
    pub title: String,
    /// Entities, as JSON.
    pub entities: String,
    /// Contributors, as JSON.
    pub contributors: String,
    /// Number of messages so far.
    pub messages: u32,
    /// Time of the first message.
    pub first_at: Timestamp,
    /// Time of the last message.
    pub last_at: Timestamp,
    /// Time of the event that led to this version.
    pub made_at: Timestamp,
    /// Name and version of the rules or the model that wrote the text.
    pub proposer: String,
    /// Whether the version belongs to a history that is no longer in effect.
    pub is_retired: bool,
    /// Hash of everything that led to this version. The same content has the same key in every audience.
    pub content_key: String,
}

const VERSION_COLUMNS: &str =
    "v.id, v.topic_id, v.number, v.supersedes_id, v.title, v.entities, v.contributors, v.messages, v.first_at_ms,
    v.last_at_ms, v.made_at_ms, v.proposer, v.is_retired, v.content_key";

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
        content_key: text(13)?,
    })
}

impl Topics<'_> {
    /// Every version of a topic, oldest first; retired versions come last.
    pub fn versions(&self, id: &TopicId) -> Result<Vec<TopicVersionRow>> {
        self.versions_where("v.topic_id = ?1 ORDER BY v.is_retired, v.number, v.made_at_ms, v.id", id.as_str())
    }

    /// The current version of each topic of an audience, by topic.
    pub fn current_versions(&self, partition: &str) -> Result<BTreeMap<TopicId, TopicVersionRow>> {
        let rows = self.versions_where(
            "v.id IN (SELECT t.version_id FROM topics t WHERE t.audience_id = ?1 AND t.is_retired = 0)",
            partition,
        )?;
        Ok(rows.into_iter().map(|row| (row.topic.clone(), row)).collect())
    }

    /// The version with this id; an error if there is none.
    pub fn version(&self, id: &TopicVersionId) -> Result<TopicVersionRow> {
        let mut rows = self.versions_where("v.id = ?1", id.as_str())?;
        rows.pop().ok_or_else(|| StoreError::not_found("version of a topic", id.as_str()))
    }

    /// A version with this content and proposer, from any audience.
    pub fn version_with_content(&self, content_key: &str, proposer: &str) -> Result<Option<TopicVersionRow>> {
        let sql = format!("SELECT {VERSION_COLUMNS} FROM topic_versions v WHERE v.content_key = ?1 AND v.proposer = ?2 LIMIT 1");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([content_key, proposer])?;
        rows.next()?.map(version).transpose()
    }

    fn versions_where(&self, condition: &str, value: &str) -> Result<Vec<TopicVersionRow>> {
        let sql = format!("SELECT {VERSION_COLUMNS} FROM topic_versions v WHERE {condition}");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([value])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(version(row)?);
        }
        Ok(items)
    }

    /// Whether a version is stored, even if it is retired.
    pub fn has_version(&self, id: &TopicVersionId) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached("SELECT 1 FROM topic_versions WHERE id = ?1")?.exists([id.as_str()])?)
    }

    /// The lines of a version.
    pub fn lines(&self, id: &TopicVersionId) -> Result<Vec<TopicLineRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT section, text, interaction_id, start, \"end\" FROM topic_lines WHERE version_id = ?1 ORDER BY position",
        )?;
        let mut rows = statement.query([id.as_str()])?;
        let mut items: Vec<TopicLineRow> = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(TopicLineRow {
                section: row.get(0)?,
                text: row.get(1)?,
                place: place(row.get_ref(2)?.as_str().unwrap_or_default(), row.get(3)?, row.get(4)?)?,
                also: Vec::new(),
            });
        }
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT position, interaction_id, start, \"end\" FROM topic_line_places WHERE version_id = ?1 ORDER BY position, number",
        )?;
        let mut rows = statement.query([id.as_str()])?;
        while let Some(row) = rows.next()? {
            let position: u32 = row.get(0)?;
            if let Some(line) = items.get_mut(position as usize) {
                line.also.push(place(row.get_ref(1)?.as_str().unwrap_or_default(), row.get(2)?, row.get(3)?)?);
            }
        }
        Ok(items)
    }
}

impl TopicsMut<'_> {
    /// Keeps these versions of an audience in effect and retires all its other versions.
    pub fn keep_versions(&self, partition: &str, live: &BTreeSet<TopicVersionId>) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE topic_versions SET is_retired = id NOT IN (SELECT value FROM json_each(?2))
                  WHERE topic_id IN (SELECT id FROM topics WHERE audience_id = ?1)
                    AND is_retired <> (id NOT IN (SELECT value FROM json_each(?2)))",
            )?
            .execute(params![partition, to_json("versions of topics", live)?])?;
        Ok(())
    }

    /// Sets the content key of a version that an older release stored without one.
    pub fn name_content(&self, id: &TopicVersionId, content_key: &str) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE topic_versions SET content_key = ?2 WHERE id = ?1 AND content_key = ''")?
            .execute(params![id.as_str(), content_key])?;
        Ok(())
    }

    /// Stores a version. Fails unless all evidence of its lines is in the stored messages, was written by a person and is not
    /// excluded.
    pub fn insert_version(&self, row: &TopicVersionRow, lines: &[TopicLineRow]) -> Result<()> {
        for place in lines.iter().flat_map(|line| [&line.place].into_iter().chain(&line.also)) {
            self.tx.profiles().check_own_place(place, None)?;
        }
        self.tx.conn
            .prepare_cached(
                "INSERT INTO topic_versions (id, topic_id, number, supersedes_id, title, entities, contributors, messages, first_at_ms,
                    last_at_ms, made_at_ms, proposer, is_retired, content_key)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13)",
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
                row.proposer,
                row.content_key
            ])?;
        let mut statement = self.tx.conn.prepare_cached(
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
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO topic_line_places (version_id, position, number, interaction_id, start, \"end\") VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for (position, line) in lines.iter().enumerate() {
            for (number, place) in line.also.iter().enumerate() {
                statement.execute(params![
                    row.id.as_str(),
                    position as i64,
                    number as i64,
                    place.interaction.as_str(),
                    place.span.start(),
                    place.span.end()
                ])?;
            }
        }
        self.tx.touch(Tag::Topics);
        Ok(())
    }
}
