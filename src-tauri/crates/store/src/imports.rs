//! Imports: where messages came from, and how each record of a file was accounted for.

use keepsake_domain::{ImportId, Timestamp};
use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::changes::Tag;
use crate::open::{ReadTx, WriteTx};
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// The folder beside the database in which files wait for their import that a browser sent, and the sample.
pub const INCOMING_DIR: &str = "incoming";

/// Records that were not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportSkip {
    /// Stable name of the reason.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// One of them.
    pub sample: String,
}

/// Seen = imported + duplicate + skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportTotals {
    /// Conversations in the file.
    pub conversations: u64,
    /// Records that are or should be messages.
    pub seen: u64,
    /// New messages.
    pub imported: u64,
    /// Already there.
    pub duplicate: u64,
    /// The rest, by reason.
    pub skipped: Vec<ImportSkip>,
}

/// One import of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// Id.
    pub id: ImportId,
    /// The file.
    pub path: String,
    /// Source kind's name.
    pub source_kind: String,
    /// It is the sample data.
    pub is_sample: bool,
    /// `running`, `done`, `failed`, `cancelled`.
    pub state: String,
    /// The account.
    pub totals: ImportTotals,
    /// What went wrong.
    pub error: Option<String>,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Option<Timestamp>,
}

impl ReadTx<'_> {
    /// Imports, newest first.
    pub fn imports(&self, limit: u32) -> Result<Vec<ImportRow>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id, path, source_kind, is_sample, state, conversations, seen, imported, duplicate, skipped, error, started_at_ms,
                    finished_at_ms
               FROM imports ORDER BY started_at_ms DESC, id DESC LIMIT ?1",
        )?;
        let mut rows = statement.query(params![limit])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(ImportRow {
                id: parse("import id", &row.get::<_, String>(0)?)?,
                path: row.get(1)?,
                source_kind: row.get(2)?,
                is_sample: row.get(3)?,
                state: row.get(4)?,
                totals: ImportTotals {
                    conversations: row.get::<_, i64>(5)? as u64,
                    seen: row.get::<_, i64>(6)? as u64,
                    imported: row.get::<_, i64>(7)? as u64,
                    duplicate: row.get::<_, i64>(8)? as u64,
                    skipped: parse_json("skips", &row.get::<_, String>(9)?)?,
                },
                error: row.get(10)?,
                started: Timestamp(row.get(11)?),
                finished: row.get::<_, Option<i64>>(12)?.map(Timestamp),
            });
        }
        Ok(items)
    }

    /// Whether anything was ever imported.
    pub fn has_imports(&self) -> Result<bool> {
        Ok(self.conn.prepare_cached("SELECT 1 FROM imports LIMIT 1")?.exists([])?)
    }

    /// Imports of sample data that still have conversations.
    pub fn sample_imports(&self) -> Result<Vec<ImportId>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT DISTINCT i.id FROM imports i JOIN conversations c ON c.import_id = i.id WHERE i.is_sample = 1 ORDER BY i.id",
        )?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("import id", &row?)).collect()
    }
}

impl WriteTx<'_> {
    /// Begins an import; beginning the same one again (after a crash) starts its account anew.
    pub fn begin_import(&self, id: &ImportId, path: &str, source_kind: &str, is_sample: bool, now: Timestamp) -> Result<()> {
        self.conn.execute(
            "INSERT INTO imports (id, path, source_kind, is_sample, started_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET state = 'running', error = NULL, finished_at_ms = NULL",
            params![id.as_str(), path, source_kind, is_sample, now.0],
        )?;
        self.touch(Tag::Imports);
        Ok(())
    }

    /// The person asked that no memories be looked for in what an import brings; a rebuild heeds it as well.
    pub fn leave_unread(&self, id: &ImportId) -> Result<()> {
        self.conn.execute("UPDATE imports SET is_unread = 1 WHERE id = ?1", params![id.as_str()])?;
        Ok(())
    }

    /// Ends the account of imports that a process left behind and that no job goes on with.
    pub fn close_lost_imports(&self, now: Timestamp) -> Result<()> {
        let lost = self.conn.execute(
            "UPDATE imports SET state = 'failed', finished_at_ms = ?1,
                    error = 'Keepsake ended while it read this file; import it again, what is stored already is not stored twice.'
              WHERE state = 'running' AND NOT EXISTS (
                    SELECT 1 FROM jobs j WHERE j.kind = 'import' AND j.state IN ('queued', 'running', 'dead')
                       AND json_extract(j.payload, '$.import_id') = imports.id)",
            params![now.0],
        )?;
        if lost > 0 {
            self.touch(Tag::Imports);
        }
        Ok(())
    }

    /// Writes how an import stands.
    pub fn account_import(
        &self,
        id: &ImportId,
        state: &str,
        totals: &ImportTotals,
        error: Option<&str>,
        finished: Option<Timestamp>,
    ) -> Result<()> {
        let changed = self.conn.execute(
            "UPDATE imports SET state = ?2, conversations = ?3, seen = ?4, imported = ?5, duplicate = ?6, skipped = ?7, error = ?8,
                    finished_at_ms = ?9
              WHERE id = ?1",
            params![
                id.as_str(),
                state,
                totals.conversations as i64,
                totals.seen as i64,
                totals.imported as i64,
                totals.duplicate as i64,
                to_json("skips", &totals.skipped)?,
                error,
                finished.map(|t| t.0)
            ],
        )?;
        if changed == 0 {
            return Err(StoreError::not_found("import", id.as_str()));
        }
        self.touch(Tag::Imports);
        Ok(())
    }
}
