//! The periods in which conversations were excluded: intervals of the log from which nothing is derived.
//!
//! Whether a message belongs to an interval depends on its position in the log: what counts is when the message arrived, not
//! when it was written. Excluding an import therefore covers all its messages. An interval in which nothing arrived is deleted.
//! The view `private_time_messages` (`migrations/schema/log.sql`) lists the messages for SQL; [`PrivateInterval`] applies the same rule
//! to rows that were already read.
//!
//! Not here: who may see a conversation (`boundary`), and what happens to existing memories (`erase`).

use std::collections::BTreeMap;

use keepsake_domain::ConversationId;
use rusqlite::params;

use crate::areas::{Log, LogMut};
use crate::changes::Tag;
use crate::text::parse;
use crate::{Result, StoreError};

/// A period in which a conversation was excluded, as positions in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrivateInterval {
    /// Sequence number of the last message in the log before it began.
    pub after_seq: i64,
    /// Sequence number of the last message in the log before it ended; `None` while it is ongoing.
    pub through_seq: Option<i64>,
}

impl PrivateInterval {
    /// Whether a message with this sequence number arrived during this period.
    pub fn contains(&self, seq: i64) -> bool {
        seq > self.after_seq && self.through_seq.is_none_or(|through| seq <= through)
    }
}

/// What to do with messages that arrived while a conversation was excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivateTime {
    /// Nothing is ever derived from them, unless the person decides otherwise later.
    LeaveOut,
    /// They are used like all other messages.
    Use,
}

impl Log<'_> {
    /// The periods in which a conversation was excluded, earliest first.
    pub fn private_intervals(&self, id: &ConversationId) -> Result<Vec<PrivateInterval>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT after_seq, through_seq FROM private_intervals WHERE conversation_id = ?1 ORDER BY after_seq",
        )?;
        let rows =
            statement.query_map([id.as_str()], |row| Ok(PrivateInterval { after_seq: row.get(0)?, through_seq: row.get(1)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The excluded periods of every conversation that has any, earliest first.
    pub fn all_private_intervals(&self) -> Result<BTreeMap<ConversationId, Vec<PrivateInterval>>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT conversation_id, after_seq, through_seq FROM private_intervals ORDER BY 1, 2")?;
        let mut rows = statement.query([])?;
        let mut intervals: BTreeMap<ConversationId, Vec<PrivateInterval>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let id = parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?;
            intervals.entry(id).or_default().push(PrivateInterval { after_seq: row.get(1)?, through_seq: row.get(2)? });
        }
        Ok(intervals)
    }

    /// Whether a message arrived while its conversation was excluded.
    pub fn is_in_private_time(&self, seq: i64) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached("SELECT 1 FROM private_time_messages WHERE seq = ?1")?.exists([seq])?)
    }

    /// Number of messages that arrived while this conversation was excluded.
    pub fn private_time_messages(&self, id: &ConversationId) -> Result<u64> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT count(DISTINCT i.seq) FROM interactions i JOIN private_intervals p ON p.conversation_id = i.conversation_id
              WHERE i.conversation_id = ?1 AND i.seq > p.after_seq AND (p.through_seq IS NULL OR i.seq <= p.through_seq)",
        )?;
        Ok(statement.query_row([id.as_str()], |row| row.get::<_, i64>(0))? as u64)
    }
}

impl LogMut<'_> {
    /// Excludes a conversation from now on, or includes it again without using the messages that arrived in the meantime.
    pub fn set_private(&self, id: &ConversationId, is_private: bool) -> Result<()> {
        if is_private { self.begin_private(id, self.last_seq_of_all()?) } else { self.end_private(id, PrivateTime::LeaveOut) }
    }

    /// Excludes a conversation, including every message after this sequence number.
    pub fn begin_private(&self, id: &ConversationId, after_seq: i64) -> Result<()> {
        let open = self.private_intervals(id)?.into_iter().find(|interval| interval.through_seq.is_none());
        if open.is_some_and(|open| open.after_seq <= after_seq) {
            return Ok(());
        }
        self.tx.conn.execute("UPDATE conversations SET is_private = 1 WHERE id = ?1", [id.as_str()])?;
        self.tx.readings().drop_of(id)?;
        // Intervals that overlap with this one are merged into it.
        self.tx.conn.execute(
            "DELETE FROM private_intervals WHERE conversation_id = ?1 AND after_seq >= ?2",
            params![id.as_str(), after_seq],
        )?;
        self.tx.conn.execute(
            "INSERT INTO private_intervals (conversation_id, after_seq) VALUES (?1, ?2)",
            params![id.as_str(), after_seq],
        )?;
        self.privacy_changed(id)
    }

    /// Includes a conversation again. An interval in which nothing arrived is deleted.
    pub fn end_private(&self, id: &ConversationId, private_time: PrivateTime) -> Result<()> {
        if self.conversation(id)?.is_private {
            let last = self.last_seq(id)?;
            self.tx.conn.execute("UPDATE conversations SET is_private = 0 WHERE id = ?1", [id.as_str()])?;
            self.tx.conn.execute(
                "DELETE FROM private_intervals WHERE conversation_id = ?1 AND through_seq IS NULL AND after_seq >= ?2",
                params![id.as_str(), last],
            )?;
            self.tx.conn.execute(
                "UPDATE private_intervals SET through_seq = ?2 WHERE conversation_id = ?1 AND through_seq IS NULL",
                params![id.as_str(), last],
            )?;
            // Messages without vectors get them now.
            self.tx.vectors().reopen(id)?;
            self.privacy_changed(id)?;
        }
        match private_time {
            PrivateTime::LeaveOut => Ok(()),
            PrivateTime::Use => self.use_private_time(id),
        }
    }

    /// Releases the messages that arrived while the conversation was excluded. Fails if it is still excluded.
    fn use_private_time(&self, id: &ConversationId) -> Result<()> {
        let Some(first) = self.private_intervals(id)?.first().copied() else { return Ok(()) };
        if first.through_seq.is_none() {
            return Err(StoreError::Refused("the conversation is excluded from memory; use it for memory again first"));
        }
        self.tx.conn.execute("DELETE FROM private_intervals WHERE conversation_id = ?1", [id.as_str()])?;
        self.tx.conn.execute(
            "UPDATE conversations SET extracted_through_seq = min(extracted_through_seq, ?2),
                    model_read_seq = min(model_read_seq, ?2) WHERE id = ?1",
            params![id.as_str(), first.after_seq],
        )?;
        self.tx.vectors().reopen(id)?;
        self.privacy_changed(id)
    }

    fn privacy_changed(&self, id: &ConversationId) -> Result<()> {
        self.tx.conn.execute("UPDATE conversations SET settle_due_ms = 0 WHERE id = ?1", [id.as_str()])?;
        self.relabel(id)?;
        self.tx.touch(Tag::Conversations);
        self.tx.touch(Tag::Memories);
        Ok(())
    }
}
