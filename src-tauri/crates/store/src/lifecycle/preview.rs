//! Preview of an append: the counts it would have, without writing anything.
//!
//! It uses the rule of the append itself ([`ReadTx::revision_for`]), so the two cannot disagree. Messages may repeat within a
//! file or across the files of a run. What was previewed is therefore remembered, as hashes, in a temporary database. SQLite
//! moves it to disk beyond a few megabytes and removes it when it is closed, because exports have no size limit.

use keepsake_domain::Message;
use rusqlite::{Connection, params};

use crate::Result;
use crate::log::append::{Revision, source_key_of};
use crate::log::chain::hash_parts;
use crate::open::ReadTx;

/// Memory for the temporary database before it moves to disk.
const MEMORY_KIB: i64 = 8 * 1024;

/// Counts of what an append would do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AppendPreview {
    /// New messages, edits included.
    pub imported: u64,
    /// Messages that are already stored.
    pub duplicate: u64,
    /// Messages that stay out because the person erased them earlier.
    pub erased: u64,
}

/// What one preview has covered so far, over all its files.
#[derive(Debug)]
pub struct PreviewState {
    seen: Connection,
}

impl PreviewState {
    /// Starts a preview.
    pub fn new() -> Result<Self> {
        // With an empty name, SQLite opens a private temporary database that vanishes with the connection.
        let seen = Connection::open("")?;
        seen.pragma_update(None, "journal_mode", "OFF")?;
        seen.pragma_update(None, "cache_size", -MEMORY_KIB)?;
        seen.execute_batch(
            "CREATE TABLE seen (source_key BLOB, text BLOB, PRIMARY KEY (source_key, text)) WITHOUT ROWID; BEGIN",
        )?;
        Ok(Self { seen })
    }
}

impl ReadTx<'_> {
    /// Counts what appending these messages would do after everything that `state` has covered.
    pub fn preview_append(&self, messages: &[Message], state: &PreviewState) -> Result<AppendPreview> {
        let key = self.source_hash_key()?;
        let mut remember = state.seen.prepare_cached("INSERT OR IGNORE INTO seen VALUES (?1, ?2)")?;
        let mut foreseen = AppendPreview::default();
        for message in messages {
            let source_key = source_key_of(&key, message);
            match self.revision_for(&source_key, &message.text)? {
                Revision::Same => foreseen.duplicate += 1,
                Revision::Erased => foreseen.erased += 1,
                Revision::Next(_) => {
                    let text = hash_parts(Some(&key), &[message.text.as_bytes()]);
                    let is_new = remember.execute(params![source_key, text])? == 1;
                    foreseen.imported += u64::from(is_new);
                    foreseen.duplicate += u64::from(!is_new);
                }
            }
        }
        Ok(foreseen)
    }
}
