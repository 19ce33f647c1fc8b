//! The person's choices: one JSON value a key, in the same file as everything else, so that one backup holds all.

use keepsake_domain::Timestamp;
use rusqlite::params;

use crate::Result;
use crate::changes::Tag;
use crate::open::{ReadTx, WriteTx};

impl ReadTx<'_> {
    /// The JSON stored under `key`.
    pub fn setting(&self, key: &str) -> Result<Option<String>> {
        let mut statement = self.conn.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
        let mut rows = statement.query(params![key])?;
        Ok(match rows.next()? {
            Some(row) => Some(row.get(0)?),
            None => None,
        })
    }
}

impl WriteTx<'_> {
    /// Stores JSON under `key`.
    pub fn put_setting(&self, key: &str, json: &str, now: Timestamp) -> Result<()> {
        self.conn.execute(
            "INSERT INTO settings (key, value, updated_at_ms) VALUES (?1, ?2, ?3)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at_ms = excluded.updated_at_ms",
            params![key, json, now.0],
        )?;
        self.touch(Tag::Settings);
        Ok(())
    }
}
