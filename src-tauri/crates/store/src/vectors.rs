//! Vectors of messages: which messages still need one, storing them, and reading them into an index.
//!
//! The newest messages are made first. Which ones are done is kept as stretches of the log, so that neither a new message nor a job
//! that was stopped makes anybody look through all of them again. Messages of a conversation that is off the record, or that fell
//! into such a period, get no vector.
//!
//! Deliberately not here: the model, the index in memory, and who may see what.

use std::ops::RangeInclusive;

use keepsake_domain::ConversationId;
use rusqlite::{OptionalExtension, params};

use crate::changes::Tag;
use crate::open::{ReadTx, WriteTx};
use crate::{Result, StoreError};

/// The largest value of a signed byte: components are steps from -127 to 127.
const STEPS: f32 = 127.0;

/// A model's place in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorModel {
    /// Number.
    pub id: i64,
    /// Length of its vectors.
    pub dimension: usize,
}

/// A vector as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorRow {
    /// Grows with every vector that is stored.
    pub arrival: i64,
    /// The message's place in the log.
    pub seq: i64,
    /// Part of a long message, from 0.
    pub part: u32,
    /// The vector.
    pub vector: Vec<f32>,
}

/// A message that may need a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// Its place in the log.
    pub seq: i64,
    /// Who said it.
    pub author: String,
    /// What; nothing where it gets no vector.
    pub text: Option<String>,
}

/// The newest stretch without vectors, or the upper end of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// From here on.
    pub first_seq: i64,
    /// Up to here.
    pub last_seq: i64,
    /// The messages in it, the newest first.
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

/// Sums that are kept apart: one after another would wait for each other.
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

impl ReadTx<'_> {
    /// A model of which vectors are stored.
    pub fn vector_model(&self, name: &str) -> Result<Option<VectorModel>> {
        let mut statement = self.conn.prepare_cached("SELECT id, dimension FROM vector_models WHERE name = ?1")?;
        let found = statement.query_row([name], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).optional()?;
        Ok(found.map(|(id, dimension)| VectorModel { id, dimension: dimension as usize }))
    }

    /// Changes whenever a vector or a message was removed.
    pub fn vector_version(&self) -> Result<i64> {
        Ok(self.conn.prepare_cached("SELECT version FROM vector_version")?.query_row([], |row| row.get(0))?)
    }

    /// The arrival of the newest vector; 0 where there is none.
    pub fn last_vector_arrival(&self) -> Result<i64> {
        Ok(self.conn.prepare_cached("SELECT coalesce(max(arrival), 0) FROM vectors")?.query_row([], |row| row.get(0))?)
    }

    /// The vectors of a model that arrived after `arrival`, in that order.
    pub fn vectors_since(&self, model: VectorModel, arrival: i64, mut take: impl FnMut(VectorRow)) -> Result<()> {
        let mut statement = self.conn.prepare_cached(
            "SELECT arrival, seq, part, scale, vector FROM vectors WHERE arrival > ?1 AND model_id = ?2 ORDER BY arrival",
        )?;
        let mut rows = statement.query(params![arrival, model.id])?;
        while let Some(row) = rows.next()? {
            let vector = from_steps(row.get(3)?, row.get_ref(4)?.as_blob().unwrap_or_default());
            if vector.len() != model.dimension {
                return Err(StoreError::corrupt("vector", "its length is not the model's"));
            }
            take(VectorRow { arrival: row.get(0)?, seq: row.get(1)?, part: row.get(2)?, vector });
        }
        Ok(())
    }

    /// The products of a vector with stored ones, by their arrival; what is gone is left out.
    pub fn vector_products(&self, query: &[f32], arrivals: impl IntoIterator<Item = i64>) -> Result<Vec<(i64, f32)>> {
        let mut statement = self.conn.prepare_cached("SELECT scale, vector FROM vectors WHERE arrival = ?1")?;
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

    /// Stretches that are done, the newest first.
    fn vector_ranges(&self, model: i64) -> Result<Vec<(i64, i64)>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT first_seq, last_seq FROM vector_ranges WHERE model_id = ?1 ORDER BY last_seq DESC")?;
        let rows = statement.query_map([model], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The newest messages that were not looked at for a model, at most `limit`, or nothing when all were.
    pub fn vector_gap(&self, model: &str, limit: u32) -> Result<Option<Gap>> {
        let mut last = self.last_seq_of_all()?;
        let mut first = 1;
        if let Some(model) = self.vector_model(model)? {
            for (from, to) in self.vector_ranges(model.id)? {
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
        let mut statement = self.conn.prepare_cached(
            "SELECT i.seq, i.author, CASE WHEN c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
                                           AND i.message_type IN ('text', 'voice', 'file') THEN i.content END
               FROM interactions i JOIN conversations c ON c.id = i.conversation_id
              WHERE i.seq BETWEEN ?1 AND ?2 ORDER BY i.seq DESC LIMIT ?3",
        )?;
        let rows = statement.query_map(params![first, last, limit], |row| {
            Ok(Unembedded { seq: row.get(0)?, author: row.get(1)?, text: row.get(2)? })
        })?;
        let messages = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        let reached = messages.last().map(|oldest| oldest.seq).filter(|_| messages.len() == limit as usize);
        Ok(Some(Gap { first_seq: reached.unwrap_or(first), last_seq: last, messages }))
    }

    /// Messages that were looked at for a model, and all messages.
    pub fn vector_progress(&self, model: &str) -> Result<(u64, u64)> {
        let (total, _) = self.totals()?;
        let done: i64 = self
            .conn
            .prepare_cached(
                "SELECT coalesce(sum(r.messages), 0) FROM vector_ranges r JOIN vector_models m ON m.id = r.model_id WHERE m.name = ?1",
            )?
            .query_row([model], |row| row.get(0))?;
        Ok(((done as u64).min(total), total))
    }

    /// Every message's conversation, place in the log and time, conversation by conversation in the order of what was said.
    pub fn message_order(&self, mut take: impl FnMut(&str, i64, i64)) -> Result<()> {
        let mut statement = self.conn.prepare_cached(
            "SELECT conversation_id, seq, created_at_ms FROM interactions INDEXED BY interactions_by_conversation
              ORDER BY conversation_id, created_at_ms, seq",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(row.get_ref(0)?.as_str().unwrap_or_default(), row.get(1)?, row.get(2)?);
        }
        Ok(())
    }

    /// As [`message_order`](Self::message_order), of one conversation.
    pub fn message_order_in(&self, conversation: &str) -> Result<Vec<(i64, i64)>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT seq, created_at_ms FROM interactions WHERE conversation_id = ?1 ORDER BY created_at_ms, seq",
        )?;
        let rows = statement.query_map([conversation], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Conversations with messages after this place in the log.
    pub fn conversations_after(&self, seq: i64) -> Result<Vec<String>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT DISTINCT conversation_id FROM interactions WHERE seq > ?1 ORDER BY conversation_id")?;
        let rows = statement.query_map([seq], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl WriteTx<'_> {
    /// The model's place, made where it has none.
    fn vector_model_of(&self, name: &str, dimension: usize) -> Result<VectorModel> {
        if let Some(model) = self.vector_model(name)? {
            return Ok(model);
        }
        self.conn.execute("INSERT INTO vector_models (name, dimension) VALUES (?1, ?2)", params![name, dimension as i64])?;
        Ok(VectorModel { id: self.conn.last_insert_rowid(), dimension })
    }

    /// Stores the vectors of a gap and counts it as done: `(place in the log, part, vector)`.
    ///
    /// Nothing is stored of a message that is gone or that went off the record since it was read; the gap counts as done all the same.
    pub fn put_vectors(&self, model: &str, dimension: usize, gap: &Gap, vectors: &[(i64, u32, Vec<f32>)]) -> Result<()> {
        let model = self.vector_model_of(model, dimension)?;
        let mut insert = self.conn.prepare_cached(
            "INSERT INTO vectors (seq, part, model_id, scale, vector)
             SELECT i.seq, ?2, ?3, ?4, ?5 FROM interactions i JOIN conversations c ON c.id = i.conversation_id
              WHERE i.seq = ?1 AND c.is_private = 0 AND NOT EXISTS (SELECT 1 FROM private_time_messages x WHERE x.seq = i.seq)
             ON CONFLICT DO NOTHING",
        )?;
        for (seq, part, vector) in vectors {
            if vector.len() != model.dimension {
                return Err(StoreError::corrupt("vector", "its length is not the model's"));
            }
            let (scale, bytes) = to_steps(vector);
            insert.execute(params![seq, part, model.id, scale, bytes])?;
        }
        self.close_gap(model.id, gap)?;
        self.touch(Tag::Embeddings);
        Ok(())
    }

    /// One stretch from the gap and those that touch it.
    fn close_gap(&self, model: i64, gap: &Gap) -> Result<()> {
        let (mut first, mut last) = (gap.first_seq, gap.last_seq);
        let mut messages: i64 = self
            .conn
            .prepare_cached("SELECT count(*) FROM interactions WHERE seq BETWEEN ?1 AND ?2")?
            .query_row(params![first, last], |row| row.get(0))?;
        let mut touching = self.conn.prepare_cached(
            "DELETE FROM vector_ranges WHERE model_id = ?1 AND first_seq <= ?3 + 1 AND last_seq >= ?2 - 1
             RETURNING first_seq, last_seq, messages",
        )?;
        let mut rows = touching.query(params![model, first, last])?;
        while let Some(row) = rows.next()? {
            first = first.min(row.get(0)?);
            last = last.max(row.get(1)?);
            messages += row.get::<_, i64>(2)?;
        }
        self.conn
            .prepare_cached("INSERT INTO vector_ranges (model_id, first_seq, last_seq, messages) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![model, first, last, messages])?;
        Ok(())
    }

    /// Removes the vectors of a conversation's messages.
    pub fn drop_vectors(&self, conversation: &ConversationId) -> Result<()> {
        self.conn
            .prepare_cached("DELETE FROM vectors WHERE seq IN (SELECT seq FROM interactions WHERE conversation_id = ?1)")?
            .execute([conversation.as_str()])?;
        self.touch(Tag::Embeddings);
        Ok(())
    }

    /// Lets messages of a conversation that may be read and have no vector be embedded again: they were passed over, or lost their
    /// vectors, while it was private.
    pub(crate) fn reopen_vectors(&self, conversation: &ConversationId) -> Result<()> {
        let mut models = self.conn.prepare_cached("SELECT id FROM vector_models")?;
        let models = models.query_map([], |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut missing = self.conn.prepare_cached(
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
        self.touch(Tag::Embeddings);
        Ok(())
    }

    /// Takes a stretch of the log out of what is done.
    fn reopen_stretch(&self, model: i64, first: i64, last: i64) -> Result<()> {
        let mut overlapping = self.conn.prepare_cached(
            "DELETE FROM vector_ranges WHERE model_id = ?1 AND first_seq <= ?3 AND last_seq >= ?2 RETURNING first_seq, last_seq",
        )?;
        let ranges = overlapping.query_map(params![model, first, last], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut insert = self.conn.prepare_cached(
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

    /// Removes the vectors of every model but this one.
    pub fn drop_other_vectors(&self, model: &str) -> Result<()> {
        let others = "SELECT id FROM vector_models WHERE name <> ?1";
        for table in ["vectors", "vector_ranges"] {
            self.conn.execute(&format!("DELETE FROM {table} WHERE model_id IN ({others})"), [model])?;
        }
        self.conn.execute("DELETE FROM vector_models WHERE name <> ?1", [model])?;
        self.touch(Tag::Embeddings);
        Ok(())
    }
}

/// Numbers in order as stretches without a hole.
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
