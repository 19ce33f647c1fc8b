//! Keyed hashes of the pieces of text that were served. They identify a served piece when a message repeats it.
//!
//! Not here: how text is split into pieces (`keepsake-capture`), and where repeated pieces (echoes) are left out
//! (`keepsake-engine`).

use keepsake_domain::Timestamp;
use rusqlite::{OptionalExtension, params};

use crate::Result;
use crate::areas::{AccessLog, AccessLogMut};
use crate::transaction::ReadTx;

/// The tables with rows that can be served to an agent or written by one. Served pieces and the access log refer to the ids of
/// these rows.
const TOLD_TABLES: [&str; 11] = [
    "interactions", "memories", "entity_profiles", "conversation_summaries", "tier_entries", "topics", "playbooks",
    "session_summaries", "capability_gaps", "entities", "conversations",
];

/// SQL condition: the id in `column` no longer exists in any of these tables.
pub(crate) fn is_gone(column: &str) -> String {
    let is_not_in = |table: &&str| format!("NOT EXISTS (SELECT 1 FROM {table} told WHERE told.id = {column})");
    TOLD_TABLES.iter().map(is_not_in).collect::<Vec<_>>().join(" AND ")
}

/// Length of a stored hash in bytes. It is enough to rule out a collision among millions of pieces.
const HASH_BYTES: usize = 16;

fn hash_of(key: &[u8; 32], piece: &str) -> [u8; HASH_BYTES] {
    let mut short = [0; HASH_BYTES];
    short.copy_from_slice(&blake3::keyed_hash(key, piece.as_bytes()).as_bytes()[..HASH_BYTES]);
    short
}

/// Looks up served pieces within one snapshot.
pub struct Served<'t> {
    tx: &'t ReadTx<'t>,
    key: [u8; 32],
}

impl<'t> Served<'t> {
    /// Creates a look-up. Returns `None` if nothing was served before `before`.
    pub fn before(tx: &'t ReadTx<'t>, before: Timestamp) -> Result<Option<Self>> {
        let first: Option<i64> = tx
            .conn
            .prepare_cached("SELECT served_at_ms FROM served_texts ORDER BY served_at_ms LIMIT 1")?
            .query_row([], |row| row.get(0))
            .optional()?;
        if first.is_none_or(|first| first >= before.0) {
            return Ok(None);
        }
        Ok(Some(Self { tx, key: tx.log().source_hash_key()? }))
    }

    /// Whether a piece was served before `before`, as part of any item other than `item`.
    pub fn was(&self, piece: &str, item: &str, before: Timestamp) -> Result<bool> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM served_texts WHERE hash = ?1 AND item_id <> ?2 AND served_at_ms < ?3 LIMIT 1")?;
        Ok(statement.exists(params![hash_of(&self.key, piece), item, before.0])?)
    }
}

impl AccessLog<'_> {
    /// The pieces of an item that have not been served yet.
    pub fn unserved<'p>(&self, item: &str, pieces: &'p [String]) -> Result<Vec<&'p str>> {
        let key = self.tx.log().source_hash_key()?;
        let mut statement = self.tx.conn.prepare_cached("SELECT 1 FROM served_texts WHERE hash = ?1 AND item_id = ?2")?;
        let mut fresh = Vec::new();
        for piece in pieces {
            if !statement.exists(params![hash_of(&key, piece), item])? {
                fresh.push(piece.as_str());
            }
        }
        Ok(fresh)
    }
}

impl AccessLogMut<'_> {
    /// Records that these pieces of an item are being served.
    pub fn note_served(&self, item: &str, pieces: &[String], now: Timestamp) -> Result<()> {
        let key = self.tx.log().source_hash_key()?;
        let mut statement = self.tx.conn.prepare_cached(
            "INSERT INTO served_texts (hash, item_id, served_at_ms) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?;
        for piece in pieces {
            statement.execute(params![hash_of(&key, piece), item, now.0])?;
        }
        Ok(())
    }

    /// Deletes the records of items that no longer exist.
    pub(crate) fn forget_served(&self) -> Result<()> {
        self.tx.conn.execute(&format!("DELETE FROM served_texts WHERE {}", is_gone("item_id")), [])?;
        self.tx.conn.execute(&format!("DELETE FROM access_log_items WHERE {}", is_gone("item_id")), [])?;
        Ok(())
    }
}
