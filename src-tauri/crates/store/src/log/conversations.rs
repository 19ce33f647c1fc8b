//! Conversations and their messages: lists, the reading view, and excluding a conversation from memory.

use std::collections::{HashMap, HashSet};

use keepsake_domain::{
    ConversationId, HandleId, ImportId, InteractionId, MemoryId, MessageType, Role, Timestamp, TopicId, Visibility,
};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params, params_from_iter};

use crate::areas::{Log, LogMut};
use crate::changes::Tag;
use crate::log::query::fts_query;
use crate::text::{parse, placeholders, to_json};
use crate::{Result, StoreError};

/// A conversation, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationRow {
    /// Id.
    pub id: ConversationId,
    /// Name of the source kind.
    pub source_kind: String,
    /// The conversation's id in the export.
    pub source_conversation: String,
    /// Title, if the source gave one.
    pub title: Option<String>,
    /// Channel type.
    pub channel_type: String,
    /// Channel id.
    pub channel_id: String,
    /// Effective visibility: the person's choice, or else what the source declared.
    pub visibility: Visibility,
    /// The visibility that the person chose for this conversation, if any.
    pub chosen: Option<Visibility>,
    /// Not used for memory, because the person excluded the conversation from analysis.
    pub is_private: bool,
    /// One of `active`, `idle`, `archived`.
    pub status: String,
    /// Number of messages.
    pub messages: u64,
    /// Time of the first message.
    pub first: Timestamp,
    /// Time of the last message.
    pub last: Timestamp,
    /// Extraction has read the messages up to this sequence number.
    pub extracted_through_seq: i64,
    /// A model has read the messages up to this sequence number.
    pub model_read_through_seq: i64,
    /// Number of periods of exclusion in which messages arrived, including an ongoing one.
    pub private_intervals: u32,
    /// It belongs to the sample data.
    pub is_sample: bool,
    /// The source gave no time for its last message, so the time was inferred and is shown as a guess.
    pub is_time_inferred: bool,
}

impl ConversationRow {
    /// The visibility of everything derived from this conversation.
    pub fn label(&self) -> Visibility {
        crate::log::append::label_of(self.visibility, self.is_private)
    }
}

/// A message, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct InteractionRow {
    /// Sequence number in the log.
    pub seq: i64,
    /// Id.
    pub id: InteractionId,
    /// Conversation.
    pub conversation_id: ConversationId,
    /// Role. A speaker whom the person identified as themselves counts as the owner.
    pub role: Role,
    /// The author's name in the source, or the name that the person gave to an unidentified speaker.
    pub author: String,
    /// The source's label for a speaker whom the person named; `None` for everyone else.
    pub label: Option<String>,
    /// The author is an unidentified speaker without a name ([`crate::UnidentifiedSpeakerRow`]).
    pub is_unnamed: bool,
    /// Handle id.
    pub handle_id: String,
    /// The exact text.
    pub content: String,
    /// Kind of message.
    pub message_type: MessageType,
    /// It is on a branch that was abandoned by an edit or a regeneration.
    pub is_branch: bool,
    /// Name of the tool, if a tool wrote it.
    pub tool: Option<String>,
    /// When it was written.
    pub time: Timestamp,
    /// Name of the certainty, which says how reliable `time` is.
    pub time_certainty: String,
    /// Name of the source kind.
    pub source_kind: String,
    /// The conversation's id in the export.
    pub source_conversation: String,
    /// The message's id in the export.
    pub source_message: String,
    /// 0 for the original text, higher for its edits.
    pub revision: i64,
}

/// Where to start reading in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    /// At this position, counted from 0.
    Offset(u32),
    /// So that this message is in the middle.
    Around(InteractionId),
}

/// Filter for conversations. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConversationFilter {
    /// Words in the title or in a message.
    pub query: Option<String>,
    /// Channel types; empty means all.
    pub channels: Vec<String>,
    /// Only excluded conversations (`true`) or only the others (`false`).
    pub is_private: Option<bool>,
    /// At least one message must meet all of these conditions.
    pub said: Option<Said>,
}

/// Conditions on a single message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Written at or after this time.
    pub from: Option<Timestamp>,
    /// Written before this time.
    pub to: Option<Timestamp>,
    /// Written under one of these handles.
    pub handles: Option<Vec<HandleId>>,
    /// In this topic.
    pub topic: Option<TopicId>,
}

impl Said {
    fn sql(&self, conditions: &mut Vec<String>, values: &mut Vec<Value>) -> Result<()> {
        let mut all = vec!["i.conversation_id = c.id".to_owned()];
        let mut bind = |value: Value| {
            values.push(value);
            values.len()
        };
        if let Some(from) = self.from {
            all.push(format!("i.created_at_ms >= ?{}", bind(from.0.into())));
        }
        if let Some(to) = self.to {
            all.push(format!("i.created_at_ms < ?{}", bind(to.0.into())));
        }
        if let Some(handles) = &self.handles {
            let list = bind(to_json("handle ids", handles)?.into());
            all.push(format!("i.handle_id IN (SELECT value FROM json_each(?{list}))"));
            // Rule out conversations without these handles before reading their messages.
            conditions.push(format!(
                "c.id IN (SELECT p.conversation_id FROM conversation_people p WHERE p.handle_id IN (SELECT value FROM json_each(?{list})))"
            ));
        }
        if let Some(topic) = &self.topic {
            let topic = bind(topic.as_str().to_owned().into());
            all.push(format!("i.id IN (SELECT t.interaction_id FROM topic_messages t WHERE t.topic_id = ?{topic})"));
        }
        conditions.push(format!(
            "EXISTS (SELECT 1 FROM interactions i INDEXED BY interactions_by_conversation WHERE {})",
            all.join(" AND ")
        ));
        Ok(())
    }
}

/// Channel, handle, and whether the handle is verified.
pub type OwnerHandle = (String, String, bool);

/// Counts of the data that excluding a conversation would remove.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrivacyCounts {
    /// Approved memories based only on this conversation.
    pub active: u64,
    /// Proposals based only on this conversation.
    pub pending: u64,
    /// Analyses and summaries.
    pub analyses: u64,
    /// Entries of the gate log.
    pub gate_entries: u64,
}

/// Maximum length of a title query. No title is longer. SQLite rejects LIKE patterns over 50,000 bytes, and pasting a whole
/// page must not cause an error.
const TITLE_QUERY_CHARS_MAX: usize = 1_000;

const CONVERSATION_COLUMNS: &str =
    "c.id, c.source_kind, c.source_conversation, c.title, c.channel_type, c.channel_id, c.visibility,
    c.is_private, c.status, c.messages, c.started_at_ms, c.last_activity_at_ms, c.extracted_through_seq,
    EXISTS (SELECT 1 FROM imports i WHERE i.id = c.import_id AND i.is_sample = 1) AS is_sample,
    c.model_read_seq, c.chosen_visibility,
    (SELECT count(*) FROM private_intervals p WHERE p.conversation_id = c.id) AS private_intervals,
    coalesce((SELECT i.time_certainty = 'inferred' FROM interactions i INDEXED BY interactions_by_conversation
               WHERE i.conversation_id = c.id ORDER BY i.created_at_ms DESC, i.seq DESC LIMIT 1), 0) AS is_time_inferred";

pub(crate) const INTERACTION_COLUMNS: &str = "i.seq, i.id, i.conversation_id,
    CASE WHEN i.role = 'person' AND e.is_owner = 1 THEN 'owner' ELSE i.role END AS role,
    coalesce(v.name, i.author), i.handle_id, i.content, i.message_type, i.is_branch, i.tool, i.created_at_ms, i.time_certainty,
    i.source_kind, i.source_conversation, i.source_message, i.revision,
    iif(v.name IS NULL, NULL, i.author) AS label, v.handle_id IS NOT NULL AND v.name IS NULL AS is_unnamed";

/// The joins that [`INTERACTION_COLUMNS`] needs; they go after `interactions i`.
pub(crate) const INTERACTION_JOINS: &str =
    "JOIN entities e ON e.id = i.entity_id LEFT JOIN unidentified_speakers v ON v.handle_id = i.handle_id";

fn conversation(row: &Row<'_>) -> Result<ConversationRow> {
    Ok(ConversationRow {
        id: parse("conversation id", &row.get::<_, String>(0)?)?,
        source_kind: row.get(1)?,
        source_conversation: row.get(2)?,
        title: row.get(3)?,
        channel_type: row.get(4)?,
        channel_id: row.get(5)?,
        visibility: parse("visibility", &row.get::<_, String>(6)?)?,
        is_private: row.get(7)?,
        status: row.get(8)?,
        messages: row.get::<_, i64>(9)? as u64,
        first: Timestamp(row.get(10)?),
        last: Timestamp(row.get(11)?),
        extracted_through_seq: row.get(12)?,
        is_sample: row.get(13)?,
        model_read_through_seq: row.get(14)?,
        chosen: row.get::<_, Option<String>>(15)?.map(|text| parse("visibility", &text)).transpose()?,
        private_intervals: row.get(16)?,
        is_time_inferred: row.get(17)?,
    })
}

pub(crate) fn interaction(row: &Row<'_>) -> Result<InteractionRow> {
    Ok(InteractionRow {
        seq: row.get(0)?,
        id: parse("message id", &row.get::<_, String>(1)?)?,
        conversation_id: parse("conversation id", &row.get::<_, String>(2)?)?,
        role: parse("role", &row.get::<_, String>(3)?)?,
        author: row.get(4)?,
        handle_id: row.get(5)?,
        content: row.get(6)?,
        message_type: parse("message type", &row.get::<_, String>(7)?)?,
        is_branch: row.get(8)?,
        tool: row.get(9)?,
        time: Timestamp(row.get(10)?),
        time_certainty: row.get(11)?,
        source_kind: row.get(12)?,
        source_conversation: row.get(13)?,
        source_message: row.get(14)?,
        revision: row.get(15)?,
        label: row.get(16)?,
        is_unnamed: row.get(17)?,
    })
}

impl ConversationFilter {
    fn sql(&self) -> Result<(String, Vec<Value>)> {
        let mut conditions = vec!["1".to_owned()];
        let mut values: Vec<Value> = Vec::new();
        if let Some(query) = self.query.as_deref().map(str::trim).filter(|query| !query.is_empty()) {
            let title: String = query.chars().filter(|c| !matches!(c, '%' | '_')).take(TITLE_QUERY_CHARS_MAX).collect();
            values.push(format!("%{title}%").into());
            let title = format!("c.title LIKE ?{}", values.len());
            match fts_query(query) {
                Some(words) => {
                    values.push(words.into());
                    conditions.push(format!(
                        "({title} OR c.id IN (SELECT i.conversation_id FROM interactions_fts f JOIN interactions i ON i.seq = f.rowid
                          WHERE interactions_fts MATCH ?{}))",
                        values.len()
                    ));
                }
                None => conditions.push(title),
            }
        }
        if !self.channels.is_empty() {
            conditions.push(format!("c.channel_type IN ({})", placeholders(values.len() + 1, self.channels.len())));
            values.extend(self.channels.iter().cloned().map(Value::from));
        }
        if let Some(is_private) = self.is_private {
            conditions.push(format!("c.is_private = {}", i64::from(is_private)));
        }
        if let Some(said) = &self.said {
            said.sql(&mut conditions, &mut values)?;
        }
        Ok((conditions.join(" AND "), values))
    }
}

/// Reads only an index, because the conversation list runs this query for every row.
pub(crate) const PARTICIPANTS: &str =
    "SELECT author FROM interactions WHERE conversation_id = ?1 AND role IN ('owner', 'person', 'assistant')
      GROUP BY author ORDER BY count(*) DESC, min(seq) LIMIT ?2";

/// Reads only an index, because the conversation list runs this query for every row.
pub(crate) const MEMORIES_OF_ONE: &str =
    "SELECT coalesce(sum(status = 'active'), 0), coalesce(sum(status = 'pending'), 0) FROM memories WHERE conversation_id = ?1";

pub(crate) const TO_EXTRACT: &str = "SELECT c.id FROM conversations c
      WHERE c.is_private = 0
        AND EXISTS (SELECT 1 FROM interactions i WHERE i.conversation_id = c.id AND i.seq > c.extracted_through_seq
                       AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq))
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'extract' AND j.idempotency_key = c.id AND j.state = 'dead')
      ORDER BY c.last_activity_at_ms DESC, c.id";

/// SQL for one page of the conversation list, latest activity first.
pub(crate) fn listed(condition: &str, offset: u32, limit: u32) -> String {
    format!(
        "SELECT {CONVERSATION_COLUMNS} FROM conversations c WHERE {condition}
          ORDER BY c.last_activity_at_ms DESC, c.id LIMIT {limit} OFFSET {offset}"
    )
}

impl Log<'_> {
    /// The conversation with this id; an error if there is none.
    pub fn conversation(&self, id: &ConversationId) -> Result<ConversationRow> {
        let sql = format!("SELECT {CONVERSATION_COLUMNS} FROM conversations c WHERE c.id = ?1");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params![id.as_str()])?;
        match rows.next()? {
            Some(row) => conversation(row),
            None => Err(StoreError::not_found("conversation", id.as_str())),
        }
    }

    /// Finds a conversation by its id in the export.
    pub fn conversation_by_source(&self, source_conversation: &str) -> Result<Option<ConversationId>> {
        let id = self
            .tx
            .conn
            .prepare_cached("SELECT id FROM conversations WHERE source_conversation = ?1 ORDER BY id LIMIT 1")?
            .query_row(params![source_conversation], |row| row.get::<_, String>(0))
            .optional()?;
        id.map(|id| parse("conversation id", &id)).transpose()
    }

    /// The number of matching conversations, and one page of them, latest activity first.
    pub fn conversations(&self, filter: &ConversationFilter, offset: u32, limit: u32) -> Result<(u64, Vec<ConversationRow>)> {
        let (condition, values) = filter.sql()?;
        let count_sql = format!("SELECT count(*) FROM conversations c WHERE {condition}");
        let total: i64 = self.tx.conn.query_row(&count_sql, params_from_iter(values.iter()), |row| row.get(0))?;
        let sql = listed(&condition, offset, limit);
        let mut statement = self.tx.conn.prepare(&sql)?;
        let mut rows = statement.query(params_from_iter(values.iter()))?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(conversation(row)?);
        }
        Ok((total as u64, items))
    }

    /// Number of conversations by channel type, and how many are excluded.
    pub fn conversation_facets(&self) -> Result<(Vec<(String, u64)>, u64)> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT channel_type, count(*) FROM conversations GROUP BY channel_type ORDER BY 2 DESC, 1")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)? as u64)))?;
        let by_channel = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        let private: i64 =
            self.tx.conn.query_row("SELECT count(*) FROM conversations WHERE is_private = 1", [], |row| row.get(0))?;
        Ok((by_channel, private as u64))
    }

    /// Names of the participants, most talkative first.
    pub fn participants(&self, id: &ConversationId, limit: u32) -> Result<Vec<String>> {
        let mut statement = self.tx.conn.prepare_cached(PARTICIPANTS)?;
        let rows = statement.query_map(params![id.as_str(), limit], |row| row.get(0))?;
        let mut names: Vec<String> = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        let named = self.tx.people().unidentified_speakers(Some(id))?;
        for name in &mut names {
            let voice = named.iter().find(|voice| voice.label == *name);
            name.clone_from(voice.and_then(|voice| voice.name.as_ref()).unwrap_or(&name.clone()));
        }
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Ok(names)
    }

    /// All messages of a conversation in the order in which they were written; older revisions of edited messages are left out.
    pub fn conversation_interactions(&self, id: &ConversationId) -> Result<Vec<InteractionRow>> {
        self.interactions_where(
            "i.conversation_id = ?1 AND NOT EXISTS (SELECT 1 FROM interactions n WHERE n.source_key = i.source_key AND n.revision > i.revision)
             ORDER BY i.created_at_ms, i.seq",
            params![id.as_str()],
        )
    }

    /// Part of a conversation. Returns the total number of messages, the position of the first message returned, and the
    /// messages.
    pub fn conversation_stretch(&self, id: &ConversationId, spot: &Spot, limit: u32) -> Result<(u32, u32, Vec<InteractionRow>)> {
        let total: u32 = self
            .tx
            .conn
            .prepare_cached("SELECT count(*) FROM interactions WHERE conversation_id = ?1")?
            .query_row(params![id.as_str()], |row| row.get(0))?;
        let offset = match spot {
            Spot::Offset(offset) => (*offset).min(total),
            Spot::Around(message) => {
                let position: u32 = self
                    .tx
                    .conn
                    .prepare_cached(
                        "SELECT count(*) FROM interactions i JOIN interactions m ON m.id = ?2
                          WHERE i.conversation_id = ?1 AND (i.created_at_ms, i.seq) < (m.created_at_ms, m.seq)",
                    )?
                    .query_row(params![id.as_str(), message.as_str()], |row| row.get(0))?;
                position.saturating_sub(limit / 2)
            }
        };
        let items = self.interactions_where(
            "i.conversation_id = ?1 ORDER BY i.created_at_ms, i.seq LIMIT ?2 OFFSET ?3",
            params![id.as_str(), limit, offset],
        )?;
        Ok((total, offset, items))
    }

    /// A message, if it still exists.
    pub fn interaction(&self, id: &InteractionId) -> Result<Option<InteractionRow>> {
        Ok(self.interactions_where("i.id = ?1", params![id.as_str()])?.pop())
    }

    /// Up to `count` messages (text, voice or file) before and after a message in its conversation.
    pub fn surroundings(&self, message: &InteractionRow, count: u32) -> Result<(Vec<InteractionRow>, Vec<InteractionRow>)> {
        let plain = "i.message_type IN ('text', 'voice', 'file')";
        let mut before = self.interactions_where(
            &format!(
                "i.conversation_id = ?1 AND (i.created_at_ms, i.seq) < (?2, ?3) AND {plain} ORDER BY i.created_at_ms DESC, i.seq DESC LIMIT ?4"
            ),
            params![message.conversation_id.as_str(), message.time.0, message.seq, count],
        )?;
        before.reverse();
        let after = self.interactions_where(
            &format!("i.conversation_id = ?1 AND (i.created_at_ms, i.seq) > (?2, ?3) AND {plain} ORDER BY i.created_at_ms, i.seq LIMIT ?4"),
            params![message.conversation_id.as_str(), message.time.0, message.seq, count],
        )?;
        Ok((before, after))
    }

    pub(crate) fn interactions_where(&self, tail: &str, params: impl rusqlite::Params) -> Result<Vec<InteractionRow>> {
        let sql = format!("SELECT {INTERACTION_COLUMNS} FROM interactions i {INTERACTION_JOINS} WHERE {tail}");
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params)?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(interaction(row)?);
        }
        Ok(items)
    }

    /// Conversations with messages that extraction has not read. Excluded conversations are left out. So are conversations
    /// whose job failed permanently, until the person retries the job.
    pub fn conversations_to_extract(&self) -> Result<Vec<ConversationId>> {
        let mut statement = self.tx.conn.prepare_cached(TO_EXTRACT)?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("conversation id", &row?)).collect()
    }

    /// The replies in a conversation: the sequence number of each reply, with the id in the export of the message that it
    /// answers.
    pub fn answers_in(&self, id: &ConversationId) -> Result<HashMap<i64, String>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT seq, reply_to FROM interactions WHERE conversation_id = ?1 AND reply_to IS NOT NULL")?;
        let rows = statement.query_map(params![id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The newest sequence number in a conversation, 0 if it has no messages.
    pub fn last_seq(&self, id: &ConversationId) -> Result<i64> {
        Ok(self
            .tx
            .conn
            .prepare_cached("SELECT coalesce(max(seq), 0) FROM interactions WHERE conversation_id = ?1")?
            .query_row(params![id.as_str()], |row| row.get(0))?)
    }

    /// The newest sequence number in the log, 0 if it is empty.
    pub fn last_seq_of_all(&self) -> Result<i64> {
        Ok(self.tx.conn.prepare_cached("SELECT coalesce(max(seq), 0) FROM interactions")?.query_row([], |row| row.get(0))?)
    }

    /// Counts the data that would be removed by excluding the conversation.
    pub fn privacy_counts(&self, id: &ConversationId) -> Result<PrivacyCounts> {
        let number = |sql: &str| -> Result<u64> {
            Ok(self.tx.conn.prepare_cached(sql)?.query_row(params![id.as_str()], |row| row.get::<_, i64>(0))? as u64)
        };
        let only_here = "NOT EXISTS (SELECT 1 FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
                                      WHERE v.memory_id = m.id AND i.conversation_id <> ?1)";
        Ok(PrivacyCounts {
            active: number(&format!(
                "SELECT count(*) FROM memories m WHERE m.conversation_id = ?1 AND m.status = 'active' AND {only_here}"
            ))?,
            pending: number(&format!(
                "SELECT count(*) FROM memories m WHERE m.conversation_id = ?1 AND m.status IN ('pending', 'quarantined') AND {only_here}"
            ))?,
            analyses: number(
                "SELECT (SELECT count(*) FROM conversation_analyses WHERE conversation_id = ?1)
                      + (SELECT count(*) FROM conversation_summaries WHERE conversation_id = ?1)",
            )?,
            gate_entries: number("SELECT count(*) FROM gate_log WHERE conversation_id = ?1")?,
        })
    }

    /// Number of approved memories and of proposals from a conversation.
    pub fn memory_counts(&self, id: &ConversationId) -> Result<(u64, u64)> {
        let (active, pending): (i64, i64) = self
            .tx
            .conn
            .prepare_cached(MEMORIES_OF_ONE)?
            .query_row(params![id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((active as u64, pending as u64))
    }

    /// Number of knowledge items ever extracted from a conversation, including dismissed ones. Several versions of an item count
    /// as one.
    pub fn knowledge_of(&self, id: &ConversationId) -> Result<u64> {
        let count: i64 = self
            .tx
            .conn
            .prepare_cached(
                "SELECT count(*) FROM memories
                  WHERE conversation_id = ?1 AND kind = 'knowledge' AND supersedes_id IS NULL AND status <> 'quarantined'",
            )?
            .query_row(params![id.as_str()], |row| row.get(0))?;
        Ok(count as u64)
    }

    /// Number of stored messages and conversations.
    pub fn totals(&self) -> Result<(u64, u64)> {
        let messages: i64 =
            self.tx.conn.query_row("SELECT coalesce(sum(messages), 0) FROM conversations", [], |row| row.get(0))?;
        let conversations: i64 = self.tx.conn.query_row("SELECT count(*) FROM conversations", [], |row| row.get(0))?;
        Ok((messages as u64, conversations as u64))
    }

    /// The owner's name and handles `(channel, handle, verified)`, if a source or the person has identified the owner.
    pub fn owner(&self) -> Result<Option<(String, Vec<OwnerHandle>)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT c.channel_type, c.channel_handle, c.verified, c.display_name FROM entity_channels c JOIN entities e ON e.id = c.entity_id
              WHERE e.is_owner = 1 ORDER BY c.created_at_ms, c.id",
        )?;
        let rows = statement.query_map([], |row| {
            Ok(((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?), row.get::<_, String>(3)?))
        })?;
        let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        // Exports from assistants call the user "You" or "User", so prefer a real name from any channel.
        let name = rows.iter().map(|(_, name)| name).find(|name| !matches!(name.as_str(), "You" | "User" | "user" | "owner"));
        let name = name.or_else(|| rows.first().map(|(_, name)| name)).cloned();
        Ok(name.map(|name| (name, rows.into_iter().map(|(handle, _)| handle).collect())))
    }
}

impl Log<'_> {
    /// Conversations with messages by the owner that no model has read, latest first. Leaves out excluded conversations.
    pub fn conversations_for_model(&self) -> Result<Vec<ConversationId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT c.id FROM conversations c
              WHERE c.is_private = 0
                AND EXISTS (SELECT 1 FROM interactions i JOIN entities e ON e.id = i.entity_id
                             WHERE i.conversation_id = c.id AND i.seq > c.model_read_seq
                               AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
                               AND (i.role = 'owner' OR e.is_owner = 1))
              ORDER BY c.last_activity_at_ms DESC, c.id",
        )?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|id| parse("conversation id", &id?)).collect()
    }
}

impl Log<'_> {
    /// Number of characters in these conversations that people wrote and no model has read.
    pub fn chars_for_model(&self, conversations: &[ConversationId]) -> Result<u64> {
        let chars: i64 = self
            .tx
            .conn
            .prepare_cached(
                "SELECT coalesce(sum(length(i.content)), 0) FROM json_each(?1) wanted
                   JOIN conversations c ON c.id = wanted.value
                   JOIN interactions i ON i.conversation_id = c.id AND i.seq > c.model_read_seq
                  WHERE i.role IN ('owner', 'person')",
            )?
            .query_row([to_json("conversation ids", &conversations)?], |row| row.get(0))?;
        Ok(u64::try_from(chars).unwrap_or(0))
    }
}

impl LogMut<'_> {
    /// Records that a model has read the conversation up to `seq`.
    pub fn mark_model_read(&self, id: &ConversationId, seq: i64) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE conversations SET model_read_seq = max(model_read_seq, ?2) WHERE id = ?1")?
            .execute(params![id.as_str(), seq])?;
        self.tx.touch(Tag::Conversations);
        Ok(())
    }

    /// Records that extraction has read the conversation up to `seq`.
    pub fn mark_extracted(&self, id: &ConversationId, seq: i64) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE conversations SET extracted_through_seq = max(extracted_through_seq, ?2) WHERE id = ?1")?
            .execute(params![id.as_str(), seq])?;
        self.tx.touch(Tag::Conversations);
        Ok(())
    }

    /// Marks the conversation's messages of this import as read by extraction; without an import, the messages that come from
    /// no import. If the conversation has other unread messages, all of them stay unread: there is a single mark per
    /// conversation, and it must not skip messages from another import.
    pub fn pass_over_import(&self, id: &ConversationId, import: Option<&ImportId>) -> Result<()> {
        let waits: bool = self
            .tx
            .conn
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM interactions i JOIN conversations c ON c.id = i.conversation_id
                                 WHERE c.id = ?1 AND i.seq > c.extracted_through_seq AND i.import_id IS NOT ?2)",
            )?
            .query_row(params![id.as_str(), import.map(ImportId::as_str)], |row| row.get(0))?;
        if waits { Ok(()) } else { self.mark_extracted(id, self.last_seq(id)?) }
    }

    /// Recomputes the visibility of the memories that have evidence in a conversation.
    pub(crate) fn relabel(&self, id: &ConversationId) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT v.memory_id FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id WHERE i.conversation_id = ?1
             UNION
             SELECT r.to_id FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
               JOIN memory_relations r ON r.from_id = v.memory_id AND r.relation = 'merged_into'
              WHERE i.conversation_id = ?1",
        )?;
        let memories = statement.query_map(params![id.as_str()], |row| row.get::<_, String>(0))?;
        for memory in memories.collect::<rusqlite::Result<Vec<_>>>()? {
            self.relabel_memory(&parse("memory id", &memory)?)?;
        }
        Ok(())
    }

    /// Recomputes the visibility of a memory: private if any of its evidence is, including the evidence of merged duplicates.
    pub(crate) fn relabel_memory(&self, id: &MemoryId) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "UPDATE memories SET visibility = CASE WHEN EXISTS (
                     SELECT 1 FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
                       JOIN conversations c ON c.id = i.conversation_id
                      WHERE (v.is_support = 0
                             OR NOT EXISTS (SELECT 1 FROM memory_evidence w WHERE w.memory_id = v.memory_id AND w.is_support = 0))
                        AND (v.memory_id = ?1 OR v.memory_id IN (
                                SELECT r.from_id FROM memory_relations r WHERE r.to_id = ?1 AND r.relation = 'merged_into'))
                        AND (c.is_private = 1 OR c.visibility = 'private')) THEN 'private' ELSE 'public' END
                  WHERE id = ?1",
            )?
            .execute(params![id.as_str()])?;
        Ok(())
    }
}
