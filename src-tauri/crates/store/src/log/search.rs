//! Keyword search over messages and memories.
//!
//! Not here: interpreting typed text (`query`).

use keepsake_domain::{ConversationId, EntityId, InteractionId, MemoryId, TopicId};
use rusqlite::{OptionalExtension, params};

use crate::Result;
use crate::areas::Search;
use crate::log::conversations::{INTERACTION_COLUMNS, INTERACTION_JOINS, InteractionRow, interaction};
use crate::log::query::{WordMatch, fts_query};
use crate::text::parse;

/// A message found by a keyword search.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageHit {
    /// The message.
    pub message: InteractionRow,
    /// Title of its conversation.
    pub conversation_title: Option<String>,
    /// Relevance; higher is better. Comparable only with other scores of the same search.
    pub score: f64,
}

/// A handle, with the fields that searches use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedHandle {
    /// Its id.
    pub id: String,
    /// The handle's own entity.
    pub entity: EntityId,
    /// Whether the entity is the owner.
    pub is_owner: bool,
    /// Name shown in the channel, or given by the person to an unidentified speaker.
    pub name: String,
    /// Channel type.
    pub channel_type: String,
    /// The handle as written in the channel.
    pub address: String,
}

impl Search<'_> {
    /// Passes the sequence numbers of matching messages to `take`, newest first, until it returns `false`.
    pub fn matching_messages(&self, words: &WordMatch, mut take: impl FnMut(i64) -> bool) -> Result<()> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT rowid FROM interactions_fts WHERE interactions_fts MATCH ?1 ORDER BY rowid DESC")?;
        let mut rows = statement.query([&words.0])?;
        while let Some(row) = rows.next()? {
            if !take(row.get(0)?) {
                break;
            }
        }
        Ok(())
    }

    /// Passes every indexed word to `take`, in its indexed form: lower case, without diacritics.
    pub fn message_words(&self, mut take: impl FnMut(&str)) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached("SELECT term FROM interactions_words")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(row.get_ref(0)?.as_str().unwrap_or_default());
        }
        Ok(())
    }

    /// Passes the text of every message after this sequence number to `take`.
    pub fn texts_after(&self, seq: i64, mut take: impl FnMut(&str)) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached("SELECT content FROM interactions WHERE seq > ?1")?;
        let mut rows = statement.query([seq])?;
        while let Some(row) = rows.next()? {
            take(row.get_ref(0)?.as_str().unwrap_or_default());
        }
        Ok(())
    }

    /// Messages by sequence number, in the requested order. Messages that no longer exist are left out.
    pub fn messages_at(&self, seqs: impl IntoIterator<Item = i64>) -> Result<Vec<InteractionRow>> {
        let mut found = Vec::new();
        for seq in seqs {
            found.extend(self.tx.log().interactions_where("i.seq = ?1", params![seq])?);
        }
        Ok(found)
    }

    /// The text of a message and the id of its handle.
    pub fn line_at(&self, seq: i64) -> Result<Option<(String, String)>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT content, handle_id FROM interactions WHERE seq = ?1")?;
        Ok(statement.query_row([seq], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    /// The sequence number of a message.
    pub fn place_of(&self, id: &InteractionId) -> Result<Option<i64>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT seq FROM interactions WHERE id = ?1")?;
        Ok(statement.query_row([id.as_str()], |row| row.get(0)).optional()?)
    }

    /// Sequence numbers of a topic's messages.
    pub fn places_of_topic(&self, id: &TopicId) -> Result<Vec<i64>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT i.seq FROM topic_messages m JOIN interactions i ON i.id = m.interaction_id WHERE m.topic_id = ?1 ORDER BY m.position",
        )?;
        let rows = statement.query_map([id.as_str()], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Every handle with its name, address and entity, and whether it is the owner's. Does not count messages per handle,
    /// because counting would read a row for every conversation.
    pub fn named_handles(&self) -> Result<Vec<NamedHandle>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT h.id, h.entity_id, e.is_owner, coalesce(v.name, h.display_name), h.channel_type, h.channel_handle
               FROM entity_channels h JOIN entities e ON e.id = h.entity_id LEFT JOIN unidentified_speakers v ON v.handle_id = h.id ORDER BY h.id",
        )?;
        let mut rows = statement.query([])?;
        let mut handles = Vec::new();
        while let Some(row) = rows.next()? {
            handles.push(NamedHandle {
                id: row.get(0)?,
                entity: parse("entity id", row.get_ref(1)?.as_str().unwrap_or_default())?,
                is_owner: row.get(2)?,
                name: row.get(3)?,
                channel_type: row.get(4)?,
                address: row.get(5)?,
            });
        }
        Ok(handles)
    }

    /// Passes each handle to `take` with each conversation in which it spoke.
    pub fn handles_in_conversations(&self, mut take: impl FnMut(&str, &str)) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached("SELECT handle_id, conversation_id FROM conversation_people")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(row.get_ref(0)?.as_str().unwrap_or_default(), row.get_ref(1)?.as_str().unwrap_or_default());
        }
        Ok(())
    }

    /// Sequence numbers of a handle's messages.
    pub fn messages_of_handle(&self, handle: &str) -> Result<Vec<i64>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT seq FROM interactions WHERE handle_id = ?1")?;
        let rows = statement.query_map([handle], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Conversations that match typed text: a channel type, a channel id, `type:id`, an id (ours or the export's), or part of a
    /// title.
    pub fn conversations_named(&self, text: &str) -> Result<Vec<ConversationId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id FROM conversations
              WHERE lower(channel_type) = lower(?1) OR channel_id = ?1 OR channel_type || ':' || channel_id = ?1 OR id = ?1
                 OR source_conversation = ?1 OR instr(lower(coalesce(title, '')), lower(?1)) > 0",
        )?;
        let rows = statement.query_map([text], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("conversation id", &row?)).collect()
    }

    /// Passes id and title of every conversation with a title to `take`, latest activity first.
    pub fn conversation_titles(&self, mut take: impl FnMut(&str, &str)) -> Result<()> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT id, title FROM conversations WHERE title <> '' ORDER BY last_activity_at_ms DESC, id")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(row.get_ref(0)?.as_str().unwrap_or_default(), row.get_ref(1)?.as_str().unwrap_or_default());
        }
        Ok(())
    }

    /// The first sequence number of a conversation.
    pub fn first_seq(&self, conversation: &str) -> Result<Option<i64>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT min(seq) FROM interactions WHERE conversation_id = ?1")?;
        Ok(statement.query_row([conversation], |row| row.get(0))?)
    }

    /// Title and channel type of a conversation.
    pub fn conversation_head(&self, id: &ConversationId) -> Result<Option<(Option<String>, String)>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT title, channel_type FROM conversations WHERE id = ?1")?;
        Ok(statement.query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    /// Messages that match the query, best first.
    pub fn messages(&self, typed: &str, limit: u32) -> Result<Vec<MessageHit>> {
        let Some(query) = fts_query(typed) else { return Ok(Vec::new()) };
        // The subquery selects the best rows using only the index; only these rows are read in full.
        let mut statement = self.tx.conn.prepare_cached(&format!(
            "SELECT {INTERACTION_COLUMNS}, c.title, -best.score
               FROM (SELECT rowid, bm25(interactions_fts) AS score FROM interactions_fts
                      WHERE interactions_fts MATCH ?1 ORDER BY score LIMIT ?2) best
               JOIN interactions i ON i.seq = best.rowid {INTERACTION_JOINS}
               JOIN conversations c ON c.id = i.conversation_id
              ORDER BY best.score, i.seq",
        ))?;
        let mut rows = statement.query(params![query, limit])?;
        let mut hits = Vec::new();
        while let Some(row) = rows.next()? {
            hits.push(MessageHit { message: interaction(row)?, conversation_title: row.get(18)?, score: row.get(19)? });
        }
        Ok(hits)
    }

    /// Approved memories that match the query, best first, with their scores; hidden ones are left out.
    pub fn memories(&self, typed: &str, limit: u32) -> Result<Vec<(MemoryId, f64)>> {
        let Some(query) = fts_query(typed) else { return Ok(Vec::new()) };
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT m.id, -bm25(memories_fts) FROM memories_fts f JOIN memories m ON m.rank = f.rowid
              WHERE memories_fts MATCH ?1 AND m.status = 'active' AND m.is_hidden = 0
              ORDER BY bm25(memories_fts), m.rank LIMIT ?2",
        )?;
        let mut rows = statement.query(params![query, limit])?;
        let mut hits = Vec::new();
        while let Some(row) = rows.next()? {
            hits.push((parse("memory id", &row.get::<_, String>(0)?)?, row.get(1)?));
        }
        Ok(hits)
    }
}
