//! Counts messages and memories per period of time.
//!
//! SQLite counts messages period by period using only an index, without reading the messages. Memories and the messages of a
//! topic are few. Only their times are read, also from an index, and the caller counts them.
//!
//! Not here: where a period begins, which depends on calendar and time zone (`engine`).

use keepsake_domain::{HandleId, MemoryId, Timestamp, TopicId};
use rusqlite::{OptionalExtension, params};

use crate::Result;
use crate::areas::Timeline;
use crate::text::{parse, to_json};

/// The scope of a timeline.
#[derive(Debug, Clone, Copy)]
pub enum TimelineOf<'a> {
    /// Everything that is stored.
    Everything,
    /// The messages of these handles and the memories about them. With `is_owner`, also the memories about the owner.
    Person {
        /// All handles of the person.
        handles: &'a [HandleId],
        /// Whether the person is the owner.
        is_owner: bool,
    },
    /// The messages of a topic, and the memories from them.
    Topic(&'a TopicId),
}

/// Number of messages in a channel during a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageCount {
    /// Index of the period.
    pub stretch: usize,
    /// Channel type.
    pub channel: String,
    /// Number of messages.
    pub count: u64,
    /// How many of these are in excluded conversations.
    pub off_record: u64,
}

/// A memory or proposal with its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMoment {
    /// Its id.
    pub id: MemoryId,
    /// Name of its status.
    pub status: String,
    /// When its evidence was said.
    pub said: Timestamp,
    /// When it was proposed.
    pub found: Timestamp,
    /// When the person decided on it.
    pub decided: Option<Timestamp>,
}

/// The periods to count in, as `[[from, to], …]` in milliseconds; `to` is exclusive.
const STRETCHES: &str = "stretch (at, from_ms, to_ms) AS MATERIALIZED (SELECT key, value ->> 0, value ->> 1 FROM json_each(?1))";

/// All channel types of messages. Each is found with one step in the index, without scanning the messages.
const CHANNELS: &str = "channel (name) AS (
      SELECT min(channel_type) FROM interactions
      UNION ALL SELECT (SELECT min(i.channel_type) FROM interactions i WHERE i.channel_type > channel.name) FROM channel
                 WHERE channel.name IS NOT NULL)";

impl Timeline<'_> {
    /// Times of the first and the last message.
    pub fn message_span(&self, of: TimelineOf<'_>) -> Result<Option<(Timestamp, Timestamp)>> {
        let span = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Option<(Timestamp, Timestamp)>> {
            let (first, last): (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
            Ok(first.zip(last).map(|(first, last)| (Timestamp(first), Timestamp(last))))
        };
        Ok(match of {
            TimelineOf::Everything => {
                let sql = format!(
                    "WITH RECURSIVE {CHANNELS} SELECT
                        min((SELECT min(i.created_at_ms) FROM interactions i WHERE i.channel_type = channel.name)),
                        max((SELECT max(i.created_at_ms) FROM interactions i WHERE i.channel_type = channel.name)) FROM channel"
                );
                self.tx.conn.prepare_cached(&sql)?.query_row([], span)?
            }
            TimelineOf::Person { handles, .. } => self
                .tx
                .conn
                .prepare_cached(
                    "SELECT min((SELECT min(i.created_at_ms) FROM interactions i WHERE i.handle_id = h.value)),
                            max((SELECT max(i.created_at_ms) FROM interactions i WHERE i.handle_id = h.value)) FROM json_each(?1) h",
                )?
                .query_row([to_json("handle ids", &handles)?], span)?,
            TimelineOf::Topic(id) => self
                .tx
                .conn
                .prepare_cached(
                    "SELECT min(i.created_at_ms), max(i.created_at_ms) FROM topic_messages m JOIN interactions i ON i.id = m.interaction_id
                      WHERE m.topic_id = ?1",
                )?
                .query_row([id.as_str()], span)?,
        })
    }

    /// Total number of messages.
    pub fn message_total(&self, of: TimelineOf<'_>) -> Result<u64> {
        let total: i64 = match of {
            TimelineOf::Everything => {
                self.tx.conn.prepare_cached("SELECT count(*) FROM interactions")?.query_row([], |row| row.get(0))?
            }
            TimelineOf::Person { handles, .. } => self
                .tx
                .conn
                .prepare_cached("SELECT count(*) FROM json_each(?1) h JOIN interactions i ON i.handle_id = h.value")?
                .query_row([to_json("handle ids", &handles)?], |row| row.get(0))?,
            TimelineOf::Topic(id) => self
                .tx
                .conn
                .prepare_cached(
                    "SELECT count(*) FROM topic_messages m JOIN interactions i ON i.id = m.interaction_id WHERE m.topic_id = ?1",
                )?
                .query_row([id.as_str()], |row| row.get(0))?,
        };
        Ok(total as u64)
    }

    /// Number of messages by period and channel. Combinations without messages are left out.
    pub fn messages_in(&self, of: TimelineOf<'_>, stretches: &[(i64, i64)]) -> Result<Vec<MessageCount>> {
        let stretches = to_json("stretches of time", &stretches)?;
        let mut counts = match of {
            TimelineOf::Everything => {
                let sql = format!(
                    "WITH RECURSIVE {STRETCHES}, {CHANNELS}
                     SELECT s.at, c.name, (SELECT count(*) FROM interactions i INDEXED BY interactions_by_channel
                         WHERE i.channel_type = c.name AND i.created_at_ms >= s.from_ms AND i.created_at_ms < s.to_ms) AS said, 0
                       FROM channel c CROSS JOIN stretch s WHERE c.name IS NOT NULL AND said > 0 ORDER BY 1, 2"
                );
                self.message_counts(&sql, params![stretches])?
            }
            TimelineOf::Person { handles, .. } => {
                let sql = format!(
                    "WITH {STRETCHES}
                     SELECT at, name, sum(said), 0 FROM (
                         SELECT s.at, h.channel_type AS name, (SELECT count(*) FROM interactions i INDEXED BY interactions_by_handle
                             WHERE i.handle_id = h.id AND i.created_at_ms >= s.from_ms AND i.created_at_ms < s.to_ms) AS said
                           FROM entity_channels h CROSS JOIN stretch s WHERE h.id IN (SELECT value FROM json_each(?2)))
                      WHERE said > 0 GROUP BY 1, 2 ORDER BY 1, 2"
                );
                self.message_counts(&sql, params![stretches, to_json("handle ids", &handles)?])?
            }
            TimelineOf::Topic(id) => {
                let sql = format!(
                    "WITH {STRETCHES}
                     SELECT s.at, i.channel_type, count(*), sum(c.is_private)
                       FROM topic_messages m JOIN interactions i ON i.id = m.interaction_id JOIN conversations c ON c.id = i.conversation_id
                       JOIN stretch s ON i.created_at_ms >= s.from_ms AND i.created_at_ms < s.to_ms
                      WHERE m.topic_id = ?2 GROUP BY 1, 2 ORDER BY 1, 2"
                );
                self.message_counts(&sql, params![stretches, id.as_str()])?
            }
        };
        for (stretch, channel, count) in self.off_record_in(of, &stretches)? {
            if let Some(found) = counts.iter_mut().find(|row| row.stretch == stretch && row.channel == channel) {
                found.off_record = count.min(found.count);
            }
        }
        Ok(counts)
    }

    fn message_counts(&self, sql: &str, params: impl rusqlite::Params) -> Result<Vec<MessageCount>> {
        let mut statement = self.tx.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params, |row| {
            Ok(MessageCount {
                stretch: row.get::<_, i64>(0)? as usize,
                channel: row.get(1)?,
                count: row.get::<_, i64>(2)? as u64,
                off_record: row.get::<_, i64>(3)? as u64,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The same counts for excluded conversations only. There are few of them, so each is searched individually.
    fn off_record_in(&self, of: TimelineOf<'_>, stretches: &str) -> Result<Vec<(usize, String, u64)>> {
        let within = "i.conversation_id = c.id AND i.created_at_ms >= s.from_ms AND i.created_at_ms < s.to_ms";
        let sql = match of {
            TimelineOf::Everything => format!(
                "WITH {STRETCHES}
                 SELECT at, name, sum(said) FROM (
                     SELECT s.at, c.channel_type AS name,
                            (SELECT count(*) FROM interactions i INDEXED BY interactions_by_conversation WHERE {within}) AS said
                       FROM conversations c CROSS JOIN stretch s
                      WHERE c.is_private = 1 AND c.last_activity_at_ms >= s.from_ms AND c.started_at_ms < s.to_ms)
                  WHERE said > 0 GROUP BY 1, 2"
            ),
            TimelineOf::Person { .. } => format!(
                "WITH {STRETCHES}
                 SELECT at, name, sum(said) FROM (
                     SELECT s.at, h.channel_type AS name,
                            (SELECT count(*) FROM interactions i INDEXED BY interactions_by_conversation
                              WHERE {within} AND i.handle_id = p.handle_id) AS said
                       FROM conversation_people p JOIN conversations c ON c.id = p.conversation_id AND c.is_private = 1
                       JOIN entity_channels h ON h.id = p.handle_id
                      CROSS JOIN stretch s
                      WHERE p.handle_id IN (SELECT value FROM json_each(?2)) AND p.last_ms >= s.from_ms AND p.first_ms < s.to_ms)
                  WHERE said > 0 GROUP BY 1, 2"
            ),
            // The main query has already counted these messages together with the others.
            TimelineOf::Topic(_) => return Ok(Vec::new()),
        };
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)? as usize, row.get(1)?, row.get::<_, i64>(2)? as u64));
        let rows = match of {
            TimelineOf::Person { handles, .. } => {
                statement.query_map(params![stretches, to_json("handle ids", &handles)?], read)?
            }
            TimelineOf::Everything | TimelineOf::Topic(_) => statement.query_map([stretches], read)?,
        };
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Every memory and proposal with its times. If a statement has several versions, only the current one is returned.
    pub fn memory_moments(&self, of: TimelineOf<'_>) -> Result<Vec<MemoryMoment>> {
        const COLUMNS: &str = "m.id, m.status, m.said_at_ms, m.created_at_ms, m.decided_at_ms";
        const STANDS: &str = "m.status IN ('pending', 'active', 'rejected', 'archived', 'quarantined')";
        match of {
            TimelineOf::Everything => {
                let sql = format!("SELECT {COLUMNS} FROM memories m INDEXED BY memories_by_time WHERE {STANDS}");
                self.moments(&sql, [])
            }
            TimelineOf::Person { handles, is_owner } => {
                let sql = format!(
                    "SELECT {COLUMNS} FROM memories m WHERE m.subject_handle_id IN (SELECT value FROM json_each(?1)) AND {STANDS}
                     UNION ALL SELECT {COLUMNS} FROM memories m WHERE ?2 AND m.subject_handle_id IS NULL AND {STANDS}"
                );
                self.moments(&sql, params![to_json("handle ids", &handles)?, is_owner])
            }
            TimelineOf::Topic(id) => {
                let sql = format!(
                    "SELECT {COLUMNS} FROM memories m WHERE {STANDS} AND m.id IN (
                         SELECT v.memory_id FROM topic_messages t JOIN memory_evidence v ON v.interaction_id = t.interaction_id WHERE t.topic_id = ?1)"
                );
                self.moments(&sql, [id.as_str()])
            }
        }
    }

    fn moments(&self, sql: &str, params: impl rusqlite::Params) -> Result<Vec<MemoryMoment>> {
        let mut statement = self.tx.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let mut moments = Vec::new();
        while let Some(row) = rows.next()? {
            moments.push(MemoryMoment {
                id: parse("memory id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                status: row.get(1)?,
                said: Timestamp(row.get(2)?),
                found: Timestamp(row.get(3)?),
                decided: row.get::<_, Option<i64>>(4)?.map(Timestamp),
            });
        }
        Ok(moments)
    }

    /// Memories with evidence in an excluded conversation.
    pub fn memories_resting_off_record(&self) -> Result<std::collections::BTreeSet<MemoryId>> {
        let is_any = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM conversations WHERE is_private = 1 LIMIT 1")?
            .query_row([], |_| Ok(()))
            .optional()?;
        if is_any.is_none() {
            return Ok(Default::default());
        }
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT DISTINCT v.memory_id FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
              WHERE i.conversation_id IN (SELECT id FROM conversations WHERE is_private = 1)",
        )?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("memory id", &row?)).collect()
    }
}
