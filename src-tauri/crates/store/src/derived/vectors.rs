//! Vectors of messages: finding messages without a vector, storing vectors, and reading them into an index.
//!
//! The newest messages are processed first. Processed messages are recorded as ranges of the log, so that neither a new message
//! nor a stopped job requires a search through all messages. Excluded messages get no vector.
//!
//! Not here: the model, the in-memory index, and the rules about who may see a message.

use std::ops::RangeInclusive;

use keepsake_domain::{ConversationId, Role};
use rusqlite::{OptionalExtension, params};

use crate::areas::{Vectors, VectorsMut};
use crate::changes::Tag;
use crate::text::parse;
use crate::{Result, StoreError};

/// Largest component of a stored vector: components are integers from -127 to 127.
const STEPS: f32 = 127.0;

/// A model that has vectors in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorModel {
    /// Its number in the store.
    pub id: i64,
    /// Length of its vectors.
    pub dimension: usize,
}

/// A vector, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorRow {
    /// Arrival number; increases with every stored vector.
    pub arrival: i64,
    /// Sequence number of the message.
    pub seq: i64,
    /// Number of the part of a long message, counted from 0.
    pub part: u32,
    /// The vector.
    pub vector: Vec<f32>,
}

/// A message that may need a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// Sequence number of the message.
    pub seq: i64,
    /// Role of the author.
    pub role: Role,
    /// Name of the author.
    pub author: String,
    /// Its text; `None` if it gets no vector.
    pub text: Option<String>,
}

/// The newest unprocessed range of the log, or its newest part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// First sequence number.
    pub first_seq: i64,
    /// Last sequence number.
    pub last_seq: i64,
    /// The messages in the range, newest first.
    pub messages: Vec<Unembedded>,
}

fn to_steps(vector: &[f32]) -> (f32, Vec<u8>) {
    let largest = vector.iter().fold(f32::MIN_POSITIVE, |largest, x| largest.max(x.abs()));
    let scale = largest / STEPS;
    (scale, vector.iter().map(|x| (x / scale).round().clamp(-STEPS, STEPS) as i8 as u8).collect())
}

fn from_steps(scale: f32, bytes: &[u8]) -> Vec<f32> {
    bytes.iter().map(|byte| f32::from(*byte as i8) * scale).collect()
}

/// Number of partial sums. With a single sum, every addition would have to wait for the previous one.
const SUMS: usize = 8;

fn product(bytes: &[u8], query: &[f32]) -> f32 {
    let (bytes, last_bytes) = bytes.as_chunks::<SUMS>();
    let (query, last) = query.as_chunks::<SUMS>();
    let mut sums = [0.0; SUMS];
    for (bytes, query) in bytes.iter().zip(query) {
        for ((sum, byte), x) in sums.iter_mut().zip(bytes).zip(query) {
            *sum += f32::from(*byte as i8) * x;
        }
    }
    let rest: f32 = last_bytes.iter().zip(last).map(|(byte, x)| f32::from(*byte as i8) * x).sum();
    sums.iter().sum::<f32>() + rest
}

impl Vectors<'_> {
    /// A model by name, if there are vectors of it.
    pub fn model(&self, name: &str) -> Result<Option<VectorModel>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT id, dimension FROM vector_models WHERE name = ?1")?;
        let found = statement.query_row([name], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).optional()?;
        Ok(found.map(|(id, dimension)| VectorModel { id, dimension: dimension as usize }))
    }

    /// A counter that increases whenever a vector or a message is removed from the store.
    pub fn version(&self) -> Result<i64> {
        Ok(self.tx.conn.prepare_cached("SELECT version FROM vector_version")?.query_row([], |row| row.get(0))?)
    }

    /// Arrival number of the newest vector, 0 if there is none.
    pub fn last_arrival(&self) -> Result<i64> {
        Ok(self.tx.conn.prepare_cached("SELECT coalesce(max(arrival), 0) FROM vectors")?.query_row([], |row| row.get(0))?)
    }

    /// Passes the vectors of a model that arrived after `arrival` to `take`, in order of arrival.
    pub fn since(&self, model: VectorModel, arrival: i64, mut take: impl FnMut(VectorRow)) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT arrival, seq, part, scale, vector FROM vectors WHERE arrival > ?1 AND model_id = ?2 ORDER BY arrival",
        )?;
        let mut rows = statement.query(params![arrival, model.id])?;
        while let Some(row) = rows.next()? {
            let vector = from_steps(row.get(3)?, row.get_ref(4)?.as_blob().unwrap_or_default());
            if vector.len() != model.dimension {
                return Err(StoreError::corrupt("vector", "its length differs from the model's"));
            }
            take(VectorRow { arrival: row.get(0)?, seq: row.get(1)?, part: row.get(2)?, vector });
        }
        Ok(())
    }

    /// The vector of a message's first part, if there is one.
    pub fn of_message(&self, model: &str, seq: i64) -> Result<Option<Vec<f32>>> {
        let Some(model) = self.model(model)? else { return Ok(None) };
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT scale, vector FROM vectors WHERE seq = ?1 AND model_id = ?2 ORDER BY part LIMIT 1")?;
        let mut rows = statement.query(params![seq, model.id])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        Ok(Some(from_steps(row.get(0)?, row.get_ref(1)?.as_blob().unwrap_or_default())))
    }

    /// Dot products of `query` with stored vectors, by arrival number; removed vectors are left out.
    pub fn products(&self, query: &[f32], arrivals: impl IntoIterator<Item = i64>) -> Result<Vec<(i64, f32)>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT scale, vector FROM vectors WHERE arrival = ?1")?;
        let mut products = Vec::new();
        for arrival in arrivals {
            let mut rows = statement.query([arrival])?;
            if let Some(row) = rows.next()? {
                let scale: f32 = row.get(0)?;
                let bytes = row.get_ref(1)?.as_blob().unwrap_or_default();
                products.push((arrival, product(bytes, query) * scale));
            }
        }
        Ok(products)
    }

    /// Processed ranges, newest first.
    fn ranges(&self, model: i64) -> Result<Vec<(i64, i64)>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT first_seq, last_seq FROM vector_ranges WHERE model_id = ?1 ORDER BY last_seq DESC")?;
        let rows = statement.query_map([model], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The newest messages that were not processed for a model, at most `limit`; `None` if all have been processed.
    pub fn gap(&self, model: &str, limit: u32) -> Result<Option<Gap>> {
        let mut last = self.tx.log().last_seq_of_all()?;
        let mut first = 1;
        if let Some(model) = self.model(model)? {
            for (from, to) in self.ranges(model.id)? {
                if to < last {
                    first = to + 1;
                    break;
                }
                last = last.min(from - 1);
            }
        }
        if last < first {
            return Ok(None);
        }
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT i.seq, i.role, i.author, CASE WHEN c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
                                           AND i.message_type IN ('text', 'voice', 'file') THEN i.content END
               FROM interactions i JOIN conversations c ON c.id = i.conversation_id
              WHERE i.seq BETWEEN ?1 AND ?2 ORDER BY i.seq DESC LIMIT ?3",
        )?;
        let rows = statement.query_and_then(params![first, last, limit], |row| -> Result<Unembedded> {
            Ok(Unembedded {
                seq: row.get(0)?,
                role: parse("role", row.get_ref(1)?.as_str().unwrap_or_default())?,
                author: row.get(2)?,
                text: row.get(3)?,
            })
        })?;
        let messages = rows.collect::<Result<Vec<_>>>()?;
        let reached = messages.last().map(|oldest| oldest.seq).filter(|_| messages.len() == limit as usize);
        Ok(Some(Gap { first_seq: reached.unwrap_or(first), last_seq: last, messages }))
    }

    /// Number of messages processed for a model, and total number of messages.
    pub fn progress(&self, model: &str) -> Result<(u64, u64)> {
        let (total, _) = self.tx.log().totals()?;
        let done: i64 = self
            .tx
            .conn
            .prepare_cached(
                "SELECT coalesce(sum(r.messages), 0) FROM vector_ranges r JOIN vector_models m ON m.id = r.model_id WHERE m.name = ?1",
            )?
            .query_row([model], |row| row.get(0))?;
        Ok(((done as u64).min(total), total))
    }

    /// Passes the conversation, sequence number and time of every message to `take`, ordered by conversation and time.
    pub fn message_order(&self, mut take: impl FnMut(&str, i64, i64)) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT conversation_id, seq, created_at_ms FROM interactions INDEXED BY interactions_by_conversation
              ORDER BY conversation_id, created_at_ms, seq",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(row.get_ref(0)?.as_str().unwrap_or_default(), row.get(1)?, row.get(2)?);
        }
        Ok(())
    }

    /// Like [`message_order`](Self::message_order), for one conversation.
    pub fn message_order_in(&self, conversation: &str) -> Result<Vec<(i64, i64)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT seq, created_at_ms FROM interactions WHERE conversation_id = ?1 ORDER BY created_at_ms, seq",
        )?;
        let rows = statement.query_map([conversation], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Conversations with messages after this sequence number.
    pub fn conversations_after(&self, seq: i64) -> Result<Vec<String>> {
        let mut statement = self
            .tx
            .conn
            // Search by sequence number. Otherwise, SQLite would read the index of all conversations in order to sort the
            // result.
            .prepare_cached(
                "SELECT DISTINCT conversation_id FROM interactions NOT INDEXED WHERE seq > ?1 ORDER BY conversation_id",
            )?;
        let rows = statement.query_map([seq], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl VectorsMut<'_> {
    /// The model's entry in the store, created if missing.
    fn model_of(&self, name: &str, dimension: usize) -> Result<VectorModel> {
        if let Some(model) = self.model(name)? {
            return Ok(model);
        }
        self.tx.conn.execute("INSERT INTO vector_models (name, dimension) VALUES (?1, ?2)", params![name, dimension as i64])?;
        Ok(VectorModel { id: self.tx.conn.last_insert_rowid(), dimension })
    }

    /// Stores the vectors of a gap as `(sequence number, part, vector)` and marks the gap as processed.
    ///
    /// Messages that were erased or excluded after they were read get no vector, but the gap is still marked as processed.
    pub fn put(&self, model: &str, dimension: usize, gap: &Gap, vectors: &[(i64, u32, Vec<f32>)]) -> Result<()> {
        let model = self.model_of(model, dimension)?;
        let mut insert = self.tx.conn.prepare_cached(
            "INSERT INTO vectors (seq, part, model_id, scale, vector)
             SELECT i.seq, ?2, ?3, ?4, ?5 FROM interactions i JOIN conversations c ON c.id = i.conversation_id
              WHERE i.seq = ?1 AND c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
             ON CONFLICT DO NOTHING",
        )?;
        for (seq, part, vector) in vectors {
            if vector.len() != model.dimension {
                return Err(StoreError::corrupt("vector", "its length differs from the model's"));
            }
            let (scale, bytes) = to_steps(vector);
            insert.execute(params![seq, part, model.id, scale, bytes])?;
        }
        self.close_gap(model.id, gap)?;
        self.tx.touch(Tag::Embeddings);
        Ok(())
    }

    /// Merges the gap with the processed ranges next to it.
    fn close_gap(&self, model: i64, gap: &Gap) -> Result<()> {
        let (mut first, mut last) = (gap.first_seq, gap.last_seq);
        let mut messages: i64 = self
            .tx
            .conn
            .prepare_cached("SELECT count(*) FROM interactions WHERE seq BETWEEN ?1 AND ?2")?
            .query_row(params![first, last], |row| row.get(0))?;
        let mut touching = self.tx.conn.prepare_cached(
            "DELETE FROM vector_ranges WHERE model_id = ?1 AND first_seq <= ?3 + 1 AND last_seq >= ?2 - 1
             RETURNING first_seq, last_seq, messages",
        )?;
        let mut rows = touching.query(params![model, first, last])?;
        while let Some(row) = rows.next()? {
            first = first.min(row.get(0)?);
            last = last.max(row.get(1)?);
            messages += row.get::<_, i64>(2)?;
        }
        self.tx
            .conn
            .prepare_cached("INSERT INTO vector_ranges (model_id, first_seq, last_seq, messages) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![model, first, last, messages])?;
        Ok(())
    }

    /// Deletes the vectors of a conversation's messages.
    pub fn drop(&self, conversation: &ConversationId) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("DELETE FROM vectors WHERE seq IN (SELECT seq FROM interactions WHERE conversation_id = ?1)")?
            .execute([conversation.as_str()])?;
        self.tx.touch(Tag::Embeddings);
        Ok(())
    }

    /// Marks a conversation's messages as unprocessed if they have no vector and are not excluded. They were skipped or lost
    /// their vectors while the conversation was excluded.
    pub(crate) fn reopen(&self, conversation: &ConversationId) -> Result<()> {
        let mut models = self.tx.conn.prepare_cached("SELECT id FROM vector_models")?;
        let models = models.query_map([], |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut missing = self.tx.conn.prepare_cached(
            "SELECT i.seq FROM interactions i
              WHERE i.conversation_id = ?1 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.seq = i.seq AND v.model_id = ?2)
                AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq) ORDER BY i.seq",
        )?;
        for model in models {
            let seqs = missing.query_map(params![conversation.as_str(), model], |row| row.get::<_, i64>(0))?;
            for run in runs(seqs.collect::<rusqlite::Result<Vec<_>>>()?) {
                self.reopen_stretch(model, *run.start(), *run.end())?;
            }
        }
        self.tx.touch(Tag::Embeddings);
        Ok(())
    }

    /// Removes part of the log from the processed ranges.
    fn reopen_stretch(&self, model: i64, first: i64, last: i64) -> Result<()> {
        let mut overlapping = self.tx.conn.prepare_cached(
            "DELETE FROM vector_ranges WHERE model_id = ?1 AND first_seq <= ?3 AND last_seq >= ?2 RETURNING first_seq, last_seq",
        )?;
        let ranges = overlapping.query_map(params![model, first, last], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut insert = self.tx.conn.prepare_cached(
            "INSERT INTO vector_ranges (model_id, first_seq, last_seq, messages)
             SELECT ?1, ?2, ?3, count(*) FROM interactions WHERE seq BETWEEN ?2 AND ?3",
        )?;
        for (from, to) in ranges.collect::<rusqlite::Result<Vec<(i64, i64)>>>()? {
            for (from, to) in [(from, first - 1), (last + 1, to)] {
                if from <= to {
                    insert.execute(params![model, from, to])?;
                }
            }
        }
        Ok(())
    }

    /// Deletes the vectors of every other model.
    pub fn drop_other(&self, model: &str) -> Result<()> {
        let others = "SELECT id FROM vector_models WHERE name <> ?1";
        for table in ["vectors", "vector_ranges"] {
            self.tx.conn.execute(&format!("DELETE FROM {table} WHERE model_id IN ({others})"), [model])?;
        }
        self.tx.conn.execute("DELETE FROM vector_models WHERE name <> ?1", [model])?;
        self.tx.touch(Tag::Embeddings);
        Ok(())
    }
}

/// Groups ascending numbers into contiguous ranges.
fn runs(numbers: Vec<i64>) -> Vec<RangeInclusive<i64>> {
    let mut runs: Vec<RangeInclusive<i64>> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(run) if *run.end() + 1 == number => *run = *run.start()..=number,
            _ => runs.push(number..=number),
        }
    }
    runs
}
