//! Previews an append: returns the counts that the append would have, without writing anything.
//!
//! The preview uses the same rule as the append ([`Log::revision_for`]), so the two cannot disagree. Messages may repeat within
//! a file or across the files of a run, so the preview keeps hashes of the messages in a temporary database. Exports have no
//! size limit. SQLite therefore moves the database to disk when it exceeds a few megabytes, and removes it on closing.

use keepsake_domain::Message;
use rusqlite::{Connection, params};

use crate::Result;
use crate::areas::Log;
use crate::log::append::{Revision, source_key_of};
use crate::log::hash::hash_parts;

/// Memory that the temporary database may use before it moves to disk.
const MEMORY_KIB: i64 = 8 * 1024;

/// The counts that an append would have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AppendPreview {
    /// New messages, edits included.
    pub imported: u64,
    /// Messages that are already stored.
    pub duplicate: u64,
    /// Messages that would be left out because the person erased them.
    pub erased: u64,
}

/// The messages that a preview has covered so far, across all its files.
#[derive(Debug)]
pub struct PreviewState {
    seen: Connection,
}

impl PreviewState {
    /// Starts a preview.
    pub fn new() -> Result<Self> {
        // With an empty name, SQLite opens a private temporary database that disappears with the connection.
        let seen = Connection::open("")?;
        seen.pragma_update(None, "journal_mode", "OFF")?;
        seen.pragma_update(None, "cache_size", -MEMORY_KIB)?;
        seen.execute_batch(
            "CREATE TABLE seen (source_key BLOB, text BLOB, PRIMARY KEY (source_key, text)) WITHOUT ROWID; BEGIN",
        )?;
        Ok(Self { seen })
    }
}

impl Log<'_> {
    /// Returns the counts of appending these messages after all messages that `state` has covered. Calls `each` with every
    /// message that the append would process, and with whether the message would be added. Erased messages are skipped.
    pub fn preview_append(
        &self,
        messages: &[Message],
        state: &PreviewState,
        each: &mut dyn FnMut(&Message, bool),
    ) -> Result<AppendPreview> {
        let key = self.source_hash_key()?;
        let mut remember = state.seen.prepare_cached("INSERT OR IGNORE INTO seen VALUES (?1, ?2)")?;
        let mut foreseen = AppendPreview::default();
        for message in messages {
            let source_key = source_key_of(&key, &message.source);
            match self.revision_for(&source_key, &message.text)? {
                Revision::Same => {
                    foreseen.duplicate += 1;
                    each(message, false);
                }
                Revision::Erased => foreseen.erased += 1,
                Revision::Next(_) => {
                    let text = hash_parts(Some(&key), &[message.text.as_bytes()]);
                    let is_new = remember.execute(params![source_key, text])? == 1;
                    foreseen.imported += u64::from(is_new);
                    foreseen.duplicate += u64::from(!is_new);
                    each(message, is_new);
                }
            }
        }
        Ok(foreseen)
    }
}
