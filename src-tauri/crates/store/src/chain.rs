//! The hash chain over the append log: each row's hash covers the one before, so an edit made outside Keepsake shows.
//!
//! It is tamper-evident against partial edits only: whoever can write the file can recompute the whole chain. The content
//! enters as a salted hash, so an erased row keeps the chain whole without anything left to guess its text from.

use rusqlite::{Row, params};

use crate::Result;
use crate::open::ReadTx;

/// Bytes of a stored hash: 128 bits are beyond accident, and the threat is accident and casual edits.
pub(crate) const HASH_BYTES: usize = 16;

/// A stored hash.
pub(crate) type Hash = [u8; HASH_BYTES];

/// The hash before the first row.
pub(crate) const GENESIS: Hash = [0; HASH_BYTES];

/// Rows checked per step, so that a reader never holds a snapshot for long.
const VERIFY_STEP_ROWS: i64 = 20_000;

/// Hash over length-prefixed parts, so that no two lists of parts collide by concatenation.
pub(crate) fn hash_parts(key: Option<&[u8; 32]>, parts: &[&[u8]]) -> Hash {
    let mut hasher = match key {
        Some(key) => blake3::Hasher::new_keyed(key),
        None => blake3::Hasher::new(),
    };
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut hash = GENESIS;
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..HASH_BYTES]);
    hash
}

/// The columns that a row's hash covers.
pub(crate) struct Links<'a> {
    pub prev: &'a Hash,
    pub id: &'a str,
    pub conversation_id: &'a str,
    pub handle_id: &'a str,
    pub role: &'a str,
    pub message_type: &'a str,
    pub author: &'a str,
    pub is_branch: bool,
    pub created_at_ms: i64,
    pub source_key: &'a [u8],
    pub revision: i64,
    pub content_hash: &'a [u8],
    pub metadata: Option<&'a str>,
}

impl Links<'_> {
    pub(crate) fn row_hash(&self) -> Hash {
        hash_parts(
            None,
            &[
                self.prev,
                self.id.as_bytes(),
                self.conversation_id.as_bytes(),
                self.handle_id.as_bytes(),
                self.role.as_bytes(),
                self.message_type.as_bytes(),
                self.author.as_bytes(),
                &[u8::from(self.is_branch)],
                &self.created_at_ms.to_le_bytes(),
                self.source_key,
                &self.revision.to_le_bytes(),
                self.content_hash,
                self.metadata.unwrap_or("").as_bytes(),
            ],
        )
    }
}

/// Where the chain breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainFault {
    /// Sequence number of the row.
    pub seq: i64,
    /// What is wrong with it.
    pub what: &'static str,
}

/// What a check of the chain found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// Messages and tombstones read.
    pub rows: u64,
    /// The first faults, at most ten.
    pub faults: Vec<ChainFault>,
}

struct Stored {
    seq: i64,
    prev: Vec<u8>,
    hash: Vec<u8>,
    /// Absent for a tombstone.
    recomputed: Option<(Hash, bool)>,
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let prev: Vec<u8> = row.get("prev_hash")?;
    let hash: Vec<u8> = row.get("row_hash")?;
    let id: Option<String> = row.get("id")?;
    let recomputed = match id {
        None => None,
        Some(id) => {
            let content: String = row.get("content")?;
            let salt: Vec<u8> = row.get("salt")?;
            let content_hash: Vec<u8> = row.get("content_hash")?;
            let mut prev_hash = GENESIS;
            if prev.len() == HASH_BYTES {
                prev_hash.copy_from_slice(&prev);
            }
            let metadata: Option<String> = row.get("metadata")?;
            let links = Links {
                prev: &prev_hash,
                id: &id,
                conversation_id: &row.get::<_, String>("conversation_id")?,
                handle_id: &row.get::<_, String>("handle_id")?,
                role: &row.get::<_, String>("role")?,
                message_type: &row.get::<_, String>("message_type")?,
                author: &row.get::<_, String>("author")?,
                is_branch: row.get("is_branch")?,
                created_at_ms: row.get("created_at_ms")?,
                source_key: &row.get::<_, Vec<u8>>("source_key")?,
                revision: row.get("revision")?,
                content_hash: &content_hash,
                metadata: metadata.as_deref(),
            };
            let content_holds = hash_parts(None, &[&salt, content.as_bytes()]).as_slice() == content_hash;
            Some((links.row_hash(), content_holds))
        }
    };
    Ok(Stored { seq: row.get("seq")?, prev, hash, recomputed })
}

impl ReadTx<'_> {
    /// The hash of the newest row, erased ones included.
    pub(crate) fn chain_head(&self) -> Result<Hash> {
        let mut statement = self.conn.prepare_cached(
            "SELECT row_hash FROM (SELECT seq, row_hash FROM interactions UNION ALL SELECT seq, row_hash FROM tombstones)
             ORDER BY seq DESC LIMIT 1",
        )?;
        let mut rows = statement.query([])?;
        let mut head = GENESIS;
        if let Some(row) = rows.next()? {
            let bytes: Vec<u8> = row.get(0)?;
            if bytes.len() == HASH_BYTES {
                head.copy_from_slice(&bytes);
            }
        }
        Ok(head)
    }

    /// Recomputes the whole chain.
    pub fn verify_chain(&self) -> Result<ChainReport> {
        /// More say nothing new: the first one already means that the log was changed from outside.
        const FAULTS_MAX: usize = 10;
        let mut report = ChainReport { rows: 0, faults: Vec::new() };
        let mut expected: Vec<u8> = GENESIS.to_vec();
        let mut after = 0_i64;
        loop {
            let mut statement = self.conn.prepare_cached(
                "SELECT seq, id, conversation_id, handle_id, role, message_type, author, is_branch, created_at_ms, source_key, revision,
                        content, salt, content_hash, metadata, prev_hash, row_hash
                   FROM interactions WHERE seq > ?1
                 UNION ALL
                 SELECT seq, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, source_key, 0, NULL, NULL, NULL, NULL, prev_hash, row_hash
                   FROM tombstones WHERE seq > ?1
                 ORDER BY seq LIMIT ?2",
            )?;
            let mut rows = statement.query(params![after, VERIFY_STEP_ROWS])?;
            let mut read = 0;
            while let Some(row) = rows.next()? {
                let stored = read_row(row)?;
                let mut fault = |what| {
                    if report.faults.len() < FAULTS_MAX {
                        report.faults.push(ChainFault { seq: stored.seq, what });
                    }
                };
                if stored.prev != expected {
                    fault("a row before it is missing or was added from outside");
                }
                match stored.recomputed {
                    Some((_, false)) => fault("its text was changed from outside"),
                    Some((hash, true)) if hash.as_slice() != stored.hash => fault("it was changed from outside"),
                    _ => {}
                }
                expected = stored.hash;
                after = stored.seq;
                read += 1;
                report.rows += 1;
            }
            if read < VERIFY_STEP_ROWS {
                return Ok(report);
            }
        }
    }
}
