//! Imports: where messages came from, and what happened to each record of a file.

use keepsake_domain::{ImportId, Timestamp};
use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::areas::{Sources, SourcesMut};
use crate::changes::Tag;
use crate::text::{parse, parse_json, to_json};
use crate::{Result, StoreError};

/// The folder beside the database for files to be imported: files sent by a browser, and the sample data.
pub const INCOMING_DIR: &str = "incoming";

/// Records that were skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportSkip {
    /// Stable name of the reason.
    pub reason: String,
    /// Number of records.
    pub count: u64,
    /// Example of a skipped record.
    pub sample: String,
}

/// Totals of an import: `seen` = `imported` + `duplicate` + the counts in `skipped`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportTotals {
    /// Conversations in the file.
    pub conversations: u64,
    /// Records that are messages or should have been messages.
    pub seen: u64,
    /// New messages.
    pub imported: u64,
    /// Messages that were already stored.
    pub duplicate: u64,
    /// Skipped records, by reason.
    pub skipped: Vec<ImportSkip>,
}

/// An import of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// Id.
    pub id: ImportId,
    /// Path of the file.
    pub path: String,
    /// Name of the source kind.
    pub source_kind: String,
    /// It is the sample data.
    pub is_sample: bool,
    /// One of `running`, `done`, `failed`, `cancelled`.
    pub state: String,
    /// Counts of its conversations and records.
    pub totals: ImportTotals,
    /// The error, if the import failed.
    pub error: Option<String>,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Option<Timestamp>,
}

impl Sources<'_> {
    /// Imports, newest first. Live sources are listed separately.
    pub fn imports(&self, limit: u32) -> Result<Vec<ImportRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id, path, source_kind, is_sample, state, conversations, seen, imported, duplicate, skipped, error, started_at_ms,
                    finished_at_ms
               FROM imports WHERE id NOT IN (SELECT import_id FROM live_sources)
              ORDER BY started_at_ms DESC, id DESC LIMIT ?1",
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

    /// Whether there ever was an import.
    pub fn has_imports(&self) -> Result<bool> {
        Ok(self.tx.conn.prepare_cached("SELECT 1 FROM imports LIMIT 1")?.exists([])?)
    }

    /// Imports of sample data that still have conversations.
    pub fn sample_imports(&self) -> Result<Vec<ImportId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT DISTINCT i.id FROM imports i JOIN conversations c ON c.import_id = i.id WHERE i.is_sample = 1 ORDER BY i.id",
        )?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("import id", &row?)).collect()
    }
}

impl SourcesMut<'_> {
    /// Begins an import. Beginning the same import again after a crash resets its record.
    pub fn begin_import(&self, id: &ImportId, path: &str, source_kind: &str, is_sample: bool, now: Timestamp) -> Result<()> {
        self.tx.conn.execute(
            "INSERT INTO imports (id, path, source_kind, is_sample, started_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET state = 'running', error = NULL, finished_at_ms = NULL",
            params![id.as_str(), path, source_kind, is_sample, now.0],
        )?;
        self.tx.touch(Tag::Imports);
        Ok(())
    }

    /// Marks an import whose messages the person does not want to be searched for memories. A rebuild also respects this mark.
    pub fn leave_unread(&self, id: &ImportId) -> Result<()> {
        self.tx.conn.execute("UPDATE imports SET is_unread = 1 WHERE id = ?1", params![id.as_str()])?;
        Ok(())
    }

    /// Marks an import as failed if a process left it running and no job continues it.
    pub fn close_lost_imports(&self, now: Timestamp) -> Result<()> {
        let lost = self.tx.conn.execute(
            "UPDATE imports SET state = 'failed', finished_at_ms = ?1,
                    error = 'Keepsake ended while it read this file; import it again, what is stored already is not stored twice.'
              WHERE state = 'running' AND NOT EXISTS (
                    SELECT 1 FROM jobs j WHERE j.kind = 'import' AND j.state IN ('queued', 'running', 'dead')
                       AND json_extract(j.payload, '$.import_id') = imports.id)",
            params![now.0],
        )?;
        if lost > 0 {
            self.tx.touch(Tag::Imports);
        }
        Ok(())
    }

    /// Removes the record of an import that has no messages left.
    pub fn forget_import(&self, id: &ImportId) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM imports WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM interactions i WHERE i.import_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.import_id = ?1)",
            params![id.as_str()],
        )?;
        self.tx.touch(Tag::Imports);
        Ok(())
    }

    /// Updates the record of an import.
    pub fn account_import(
        &self,
        id: &ImportId,
        state: &str,
        totals: &ImportTotals,
        error: Option<&str>,
        finished: Option<Timestamp>,
    ) -> Result<()> {
        let changed = self.tx.conn.execute(
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
        self.tx.touch(Tag::Imports);
        Ok(())
    }
}
