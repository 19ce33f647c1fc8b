//! How far each file in a watched folder has been read. A file's row changes in the transaction that stores its messages, so no
//! content is read twice or missed.
//!
//! Not here: what to read (`keepsake-engine`), and what the state means (`keepsake-importers`).

use keepsake_domain::Timestamp;
use rusqlite::{OptionalExtension, Row, params};

use crate::Result;
use crate::areas::{Sources, SourcesMut};
use crate::changes::Tag;

/// How far a file has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveFileRow {
    /// Path of the file.
    pub path: String,
    /// The watched folder that contains it.
    pub folder: String,
    /// Name of the importer that reads the file; `None` if no importer does.
    pub kind: Option<String>,
    /// Its size when it was last checked.
    pub size: u64,
    /// Its modification time when it was last checked, in milliseconds.
    pub modified_ms: i64,
    /// Offset just after the last line read.
    pub read_to: u64,
    /// Hash of the first and the last bytes before that offset.
    pub digest: Vec<u8>,
    /// The information that the importer needs about the lines already read.
    pub state: Option<String>,
    /// When something was last read from it.
    pub read_at: Option<Timestamp>,
}

const COLUMNS: &str = "path, folder, kind, size, modified_ms, read_to, digest, state, read_at_ms";

fn row_of(row: &Row<'_>) -> rusqlite::Result<LiveFileRow> {
    Ok(LiveFileRow {
        path: row.get(0)?,
        folder: row.get(1)?,
        kind: row.get(2)?,
        size: row.get::<_, i64>(3)? as u64,
        modified_ms: row.get(4)?,
        read_to: row.get::<_, i64>(5)? as u64,
        digest: row.get(6)?,
        state: row.get(7)?,
        read_at: row.get::<_, Option<i64>>(8)?.map(Timestamp),
    })
}

impl Sources<'_> {
    /// How far this file has been read.
    pub fn live_file(&self, path: &str) -> Result<Option<LiveFileRow>> {
        let mut statement = self.tx.conn.prepare_cached(&format!("SELECT {COLUMNS} FROM live_files WHERE path = ?1"))?;
        Ok(statement.query_row([path], row_of).optional()?)
    }

    /// The files of a folder, each with its size and modification time when it was last checked.
    pub fn live_files_of(&self, folder: &str) -> Result<Vec<(String, u64, i64)>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT path, size, modified_ms FROM live_files WHERE folder = ?1")?;
        let rows = statement.query_map([folder], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64, row.get(2)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// When something was last read from a folder.
    pub fn live_folder_read_at(&self, folder: &str) -> Result<Option<Timestamp>> {
        let mut statement = self.tx.conn.prepare_cached("SELECT max(read_at_ms) FROM live_files WHERE folder = ?1")?;
        Ok(statement.query_row([folder], |row| row.get::<_, Option<i64>>(0))?.map(Timestamp))
    }
}

impl SourcesMut<'_> {
    /// Stores how far a file has been read.
    pub fn put_live_file(&self, file: &LiveFileRow) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO live_files ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
            ))?
            .execute(params![
                file.path,
                file.folder,
                file.kind,
                file.size as i64,
                file.modified_ms,
                file.read_to as i64,
                file.digest,
                file.state,
                file.read_at.map(|time| time.0),
            ])?;
        self.tx.touch(Tag::Imports);
        Ok(())
    }

    /// Removes the row of a file that no longer exists.
    pub fn forget_live_file(&self, path: &str) -> Result<()> {
        self.tx.conn.prepare_cached("DELETE FROM live_files WHERE path = ?1")?.execute([path])?;
        Ok(())
    }

    /// Removes the rows of files in all folders except these.
    pub fn keep_live_folders(&self, folders: &[String]) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM live_files WHERE folder NOT IN (SELECT value FROM json_each(?1))",
            [serde_json::Value::from(folders).to_string()],
        )?;
        Ok(())
    }
}
