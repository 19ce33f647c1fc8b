//! What was served, as keyed hashes of its pieces, so that text which comes back is known again.
//!
//! Deliberately not here: what a piece is (`keepsake-capture`), and what an echo is left out of (`keepsake-engine`).

use keepsake_domain::Timestamp;
use rusqlite::{OptionalExtension, params};

use crate::Result;
use crate::open::{ReadTx, WriteTx};

/// Where what can be told of is kept: the tables by whose ids served pieces and reads name it.
const TOLD_TABLES: [&str; 10] = [
    "interactions", "memories", "entity_profiles", "conversation_summaries", "tier_entries", "topics", "playbooks",
    "session_summaries", "capability_gaps", "entities",
];

/// The condition that nothing of the column's id is left, in any of the tables.
pub(crate) fn is_gone(column: &str) -> String {
    let is_not_in = |table: &&str| format!("NOT EXISTS (SELECT 1 FROM {table} told WHERE told.id = {column})");
    TOLD_TABLES.iter().map(is_not_in).collect::<Vec<_>>().join(" AND ")
}

/// Bytes of a hash that are kept: among millions of pieces none is taken for another.
const HASH_BYTES: usize = 16;

fn hash_of(key: &[u8; 32], piece: &str) -> [u8; HASH_BYTES] {
    let mut short = [0; HASH_BYTES];
    short.copy_from_slice(&blake3::keyed_hash(key, piece.as_bytes()).as_bytes()[..HASH_BYTES]);
    short
}

/// Looks pieces up in one snapshot.
pub struct Served<'t> {
    tx: &'t ReadTx<'t>,
    key: [u8; 32],
}

impl<'t> Served<'t> {
    /// Nothing where nothing was ever served before `before`.
    pub fn before(tx: &'t ReadTx<'t>, before: Timestamp) -> Result<Option<Self>> {
        let first: Option<i64> = tx
            .conn
            .prepare_cached("SELECT served_at_ms FROM served_pieces ORDER BY served_at_ms LIMIT 1")?
            .query_row([], |row| row.get(0))
            .optional()?;
        if first.is_none_or(|first| first >= before.0) {
            return Ok(None);
        }
        Ok(Some(Self { tx, key: tx.source_hash_key()? }))
    }

    /// Whether a piece was served, as something else than `item`, before `before`.
    pub fn was(&self, piece: &str, item: &str, before: Timestamp) -> Result<bool> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM served_pieces WHERE hash = ?1 AND item_id <> ?2 AND served_at_ms < ?3 LIMIT 1")?;
        Ok(statement.exists(params![hash_of(&self.key, piece), item, before.0])?)
    }
}

impl ReadTx<'_> {
    /// Those of the pieces of an item that were not served yet.
    pub fn unserved<'p>(&self, item: &str, pieces: &'p [String]) -> Result<Vec<&'p str>> {
        let key = self.source_hash_key()?;
        let mut statement = self.conn.prepare_cached("SELECT 1 FROM served_pieces WHERE hash = ?1 AND item_id = ?2")?;
        let mut fresh = Vec::new();
        for piece in pieces {
            if !statement.exists(params![hash_of(&key, piece), item])? {
                fresh.push(piece.as_str());
            }
        }
        Ok(fresh)
    }
}

impl WriteTx<'_> {
    /// Notes that these pieces of an item are served.
    pub fn note_served(&self, item: &str, pieces: &[String], now: Timestamp) -> Result<()> {
        let key = self.source_hash_key()?;
        let mut statement = self.conn.prepare_cached(
            "INSERT INTO served_pieces (hash, item_id, served_at_ms) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?;
        for piece in pieces {
            statement.execute(params![hash_of(&key, piece), item, now.0])?;
        }
        Ok(())
    }

    /// Removes what was noted of items that are gone.
    pub(crate) fn forget_served(&self) -> Result<()> {
        self.conn.execute(&format!("DELETE FROM served_pieces WHERE {}", is_gone("item_id")), [])?;
        self.conn.execute(&format!("DELETE FROM agent_read_items WHERE {}", is_gone("item_id")), [])?;
        Ok(())
    }
}
