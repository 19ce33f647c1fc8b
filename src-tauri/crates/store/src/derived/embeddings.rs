//! Vectors, stored beside the rows they describe, each with its model and dimension. Models are never mixed.
//!
//! Vectors are derived: the embed job recomputes deleted ones.

use keepsake_domain::MemoryId;
use rusqlite::params;

use crate::areas::{Vectors, VectorsMut};
use crate::changes::Tag;
use crate::text::parse;
use crate::{Result, StoreError};

/// The kind of row that a vector belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingOwner {
    /// A proposal or memory.
    Memory,
    /// A message.
    Interaction,
}

impl EmbeddingOwner {
    const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Interaction => "interaction",
        }
    }
}

const PROGRESS: &str = "SELECT coalesce(sum(EXISTS (SELECT 1 FROM embeddings e INDEXED BY embeddings_by_model
                                WHERE e.owner_kind = 'memory' AND e.owner_id = m.id AND e.model = ?1)), 0), count(*)
      FROM memories m INDEXED BY memories_counted WHERE m.status IN ('pending', 'active')";

pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Vec<f32>> {
    if !bytes.len().is_multiple_of(4) {
        return Err(StoreError::corrupt("vector", "its length is not a multiple of four bytes"));
    }
    Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

impl Vectors<'_> {
    /// The vector of an item by this model, if there is one.
    pub fn embedding(&self, owner: EmbeddingOwner, id: &str, model: &str) -> Result<Option<Vec<f32>>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT vector FROM embeddings WHERE owner_kind = ?1 AND owner_id = ?2 AND model = ?3")?;
        let mut rows = statement.query(params![owner.name(), id, model])?;
        match rows.next()? {
            Some(row) => Ok(Some(from_bytes(&row.get::<_, Vec<u8>>(0)?)?)),
            None => Ok(None),
        }
    }

    /// Up to `limit` pending, active and quarantined memories without a vector of this model, as id and text.
    pub fn memories_without_embedding(&self, model: &str, limit: u32) -> Result<Vec<(MemoryId, String)>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT m.id, m.content FROM memories m
              WHERE m.status IN ('pending', 'active')
                AND NOT EXISTS (SELECT 1 FROM embeddings e INDEXED BY embeddings_by_model
                                 WHERE e.owner_kind = 'memory' AND e.owner_id = m.id AND e.model = ?1)
              ORDER BY m.rank DESC LIMIT ?2",
        )?;
        let mut rows = statement.query(params![model, limit])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push((parse("memory id", &row.get::<_, String>(0)?)?, row.get(1)?));
        }
        Ok(items)
    }

    /// How many memories have a vector of this model, and how many should. The query reads only indexes (`memories_counted`, `embeddings_by_model`),
    /// because the window runs it after every decision. Otherwise SQLite would use the primary key, whose pages contain the
    /// vectors.
    pub fn embedding_progress(&self, model: &str) -> Result<(u64, u64)> {
        let (done, total): (i64, i64) =
            self.tx.conn.prepare_cached(PROGRESS)?.query_row(params![model], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((done as u64, total as u64))
    }
}

impl VectorsMut<'_> {
    /// Stores or replaces a vector.
    pub fn put_embedding(&self, owner: EmbeddingOwner, id: &str, model: &str, vector: &[f32]) -> Result<()> {
        self.tx.conn
            .prepare_cached(
                "INSERT INTO embeddings (owner_kind, owner_id, model, dimension, vector) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (owner_kind, owner_id, model) DO UPDATE SET vector = excluded.vector, dimension = excluded.dimension",
            )?
            .execute(params![owner.name(), id, model, vector.len() as i64, to_bytes(vector)])?;
        self.tx.touch(Tag::Embeddings);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use keepsake_domain::Timestamp;

    use super::*;
    use crate::Store;

    /// SQLite's query plan, one step per line.
    fn plan(sql: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Timestamp(0)).unwrap();
        let explained = format!("EXPLAIN QUERY PLAN {sql}");
        store
            .read(|tx| {
                let mut statement = tx.conn.prepare(&explained)?;
                let steps = statement.query_map(["m"], |row| row.get::<_, String>(3))?;
                Ok(steps.collect::<rusqlite::Result<Vec<_>>>()?)
            })
            .unwrap()
    }

    #[test]
    fn progress_is_counted_without_touching_a_memory_or_a_vector() {
        let touches_rows = |sql: &str| {
            let steps = plan(sql);
            let reads: Vec<&String> =
                steps.iter().filter(|step| step.starts_with("SEARCH") || step.starts_with("SCAN")).collect();
            assert_eq!(reads.len(), 2, "memories and their vectors: {steps:?}");
            reads.iter().any(|step| !step.contains("COVERING INDEX"))
        };
        assert!(!touches_rows(PROGRESS));
        let as_sqlite_likes = PROGRESS.replace("INDEXED BY embeddings_by_model", "");
        assert!(touches_rows(&as_sqlite_likes), "left to itself SQLite reads the vectors, or the index need not be named");
    }
}
