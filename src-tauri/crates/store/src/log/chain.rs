//! The hash chain over the append log. Each row's hash covers the hash of the row before it, so an edit made outside Keepsake is
//! detected.
//!
//! The chain detects only partial edits, because anyone who can write the file can recompute the whole chain. Message text is
//! included only as a salted hash, so erasing a row does not break the chain and leaves nothing from which its text could be
//! guessed.

use std::borrow::Cow;
use std::fmt;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::Result;
use crate::areas::Log;
use crate::log::hash::{GENESIS, HASH_BYTES, Hash, LINKED_COLUMNS, hash_parts, row_hash};

/// A fault in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainFault {
    /// Sequence number of the row at fault.
    pub seq: i64,
    /// What is wrong with it.
    pub what: &'static str,
}

impl fmt::Display for ChainFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message number {}: {}", self.seq, self.what)
    }
}

/// The result of checking the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// Number of messages and tombstones read.
    pub rows: u64,
    /// The first faults found, at most ten.
    pub faults: Vec<ChainFault>,
}

impl ChainReport {
    /// The earliest fault, or `None` if the chain is intact. The log cannot be trusted from this row on.
    pub fn doubt(&self) -> Option<ChainFault> {
        self.faults.iter().min_by_key(|fault| fault.seq).cloned()
    }
}

/// A stored value as the bytes that were hashed. Text is not decoded, so that damaged text is reported as a fault instead of
/// failing the check.
fn bytes_of(value: ValueRef<'_>) -> Option<Cow<'_, [u8]>> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(Cow::Owned(number.to_le_bytes().to_vec())),
        ValueRef::Real(number) => Some(Cow::Owned(number.to_le_bytes().to_vec())),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(Cow::Borrowed(bytes)),
    }
}

/// Checks a message row on its own and returns its fault, if any.
fn fault_of(row: &Row<'_>) -> rusqlite::Result<Option<&'static str>> {
    let column = |name: &str| Ok::<_, rusqlite::Error>(bytes_of(row.get_ref(name)?));
    let mut owned = Vec::with_capacity(LINKED_COLUMNS.len());
    for name in LINKED_COLUMNS {
        owned.push(column(name)?);
    }
    let mut columns = [None; LINKED_COLUMNS.len()];
    for (slot, value) in columns.iter_mut().zip(&owned) {
        *slot = value.as_deref();
    }
    let (prev, hash) = (column("prev_hash")?.unwrap_or_default(), column("row_hash")?.unwrap_or_default());
    let (salt, content) = (column("salt")?.unwrap_or_default(), column("content")?.unwrap_or_default());
    let content_hash = column("content_hash")?.unwrap_or_default();
    Ok(if hash_parts(None, &[&salt, &content]).as_slice() != &*content_hash {
        Some("its text was changed outside Keepsake")
    } else if row_hash(&prev, &columns).as_slice() != &*hash {
        Some("it was changed outside Keepsake")
    } else {
        None
    })
}

impl Log<'_> {
    /// The hash of the newest row, including erased rows.
    pub(crate) fn chain_head(&self) -> Result<Hash> {
        let mut statement = self.tx.conn.prepare_cached(
            // Each subquery reads only the last row of its table. A single ORDER BY over both would read both tables in full on
            // every append.
            "SELECT row_hash FROM (
                 SELECT * FROM (SELECT seq, row_hash FROM interactions ORDER BY seq DESC LIMIT 1)
                 UNION ALL
                 SELECT * FROM (SELECT seq, row_hash FROM tombstones ORDER BY seq DESC LIMIT 1))
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
        /// Maximum number of faults reported. Further faults would add nothing, because the first one already shows that the
        /// log was changed from outside.
        const FAULTS_MAX: usize = 10;
        let mut report = ChainReport { rows: 0, faults: Vec::new() };
        let fault = |report: &mut ChainReport, seq, what| {
            if report.faults.len() < FAULTS_MAX {
                report.faults.push(ChainFault { seq, what });
            }
        };
        let columns = LINKED_COLUMNS.join(", ");
        let mut messages = self
            .tx
            .conn
            .prepare(&format!("SELECT seq, {columns}, content, salt, prev_hash, row_hash FROM interactions WHERE seq = ?1"))?;
        let mut links = self.tx.conn.prepare(
            "SELECT seq, 0, prev_hash, row_hash FROM interactions UNION ALL SELECT seq, 1, prev_hash, row_hash FROM tombstones
             ORDER BY seq",
        )?;
        let mut rows = links.query([])?;
        let mut expected: Vec<u8> = GENESIS.to_vec();
        let mut last = 0;
        while let Some(row) = rows.next()? {
            let seq: i64 = row.get(0)?;
            if bytes_of(row.get_ref(2)?).as_deref() != Some(expected.as_slice()) {
                fault(&mut report, seq, "a row before it is missing or was added outside Keepsake");
            }
            let is_tombstone: bool = row.get(1)?;
            if !is_tombstone && let Some(what) = messages.query_row([seq], fault_of)? {
                fault(&mut report, seq, what);
            }
            expected = bytes_of(row.get_ref(3)?).unwrap_or_default().into_owned();
            last = seq;
            report.rows += 1;
        }
        // SQLite counts appended rows in a separate table. Without this comparison, missing newest rows would go unnoticed.
        let appended: Option<i64> =
            self.tx.conn.query_row("SELECT max(seq) FROM sqlite_sequence WHERE name = 'interactions'", [], |row| row.get(0))?;
        if appended.unwrap_or(0) != last {
            fault(&mut report, appended.unwrap_or(0), "the newest rows are missing or were added outside Keepsake");
        }
        Ok(report)
    }
}
