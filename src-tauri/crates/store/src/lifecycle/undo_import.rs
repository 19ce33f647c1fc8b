//! Undoes an import as a whole: removes exactly the messages that it added, wherever they are, by the same procedure as
//! [`crate::lifecycle::erase`].
//!
//! Everything based on these messages is deleted, and data derived from a conversation as a whole is derived again from the
//! remaining messages. Messages from other imports, from agents and from followed files stay, including other revisions of the
//! same message. Conversations left without messages are deleted.
//!
//! Unlike erased messages, undone messages may be imported again and are then new. Their tombstones keep the chain intact and
//! tell a restored backup that these rows are gone; they do not keep the messages out.
//!
//! A message that several imports contain belongs to the first of these imports. Changes that an import made beyond messages
//! are not undone: a conversation stays private, and a speaker stays the owner.

use keepsake_domain::{ConversationId, ImportId, JobId, Timestamp};
use rusqlite::params;

use crate::areas::{Lifecycle, LifecycleMut};
use crate::changes::Tag;
use crate::lifecycle::erase::Erased;
use crate::lifecycle::erase_person::ErasurePreview;
use crate::lifecycle::part::Part;
use crate::open::Store;
use crate::text::{parse, to_json};
use crate::{Result, StoreError};

/// The only tombstone reason that lets later imports bring the message back. No erasure may use it.
const UNDONE: &str = "import undone";

/// Whether a tombstone with this reason keeps its message out of later imports.
pub(crate) fn keeps_out(reason: &str) -> bool {
    reason != UNDONE
}

/// A conversation with messages of an import.
struct Touched {
    conversation: ConversationId,
    messages: u64,
    /// Whether every message of the conversation is from this import.
    is_all: bool,
}

impl Touched {
    /// The part of the conversation to remove.
    fn part<'p>(&'p self, import: &'p ImportId) -> Part<'p> {
        if self.is_all { Part::all(&self.conversation) } else { Part::of_import(&self.conversation, import) }
    }
}

impl Lifecycle<'_> {
    /// Whether the person erased the message with this source key, so that it is not stored again.
    pub(crate) fn is_erased(&self, source_key: &[u8]) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached("SELECT 1 FROM tombstones WHERE source_key = ?1 AND reason <> ?2")?;
        Ok(statement.exists(params![source_key, UNDONE])?)
    }

    fn expect_import(&self, import: &ImportId) -> Result<()> {
        let mut statement = self.tx.conn.prepare_cached("SELECT 1 FROM imports WHERE id = ?1")?;
        statement.exists([import.as_str()])?.then_some(()).ok_or_else(|| StoreError::not_found("import", import.as_str()))
    }

    fn touched_by(&self, import: &ImportId) -> Result<Vec<Touched>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT i.conversation_id, count(*),
                    count(*) = (SELECT count(*) FROM interactions o WHERE o.conversation_id = i.conversation_id)
               FROM interactions i WHERE i.import_id = ?1 GROUP BY 1 ORDER BY 1",
        )?;
        let mut rows = statement.query([import.as_str()])?;
        let mut touched = Vec::new();
        while let Some(row) = rows.next()? {
            touched.push(Touched {
                conversation: parse("conversation id", row.get_ref(0)?.as_str().unwrap_or_default())?,
                messages: row.get::<_, i64>(1)? as u64,
                is_all: row.get(2)?,
            });
        }
        Ok(touched)
    }

    /// Previews [`Store::undo_import`] and returns the same numbers. Fails if there is no such import.
    pub fn preview_undone_import(&self, import: &ImportId) -> Result<ErasurePreview> {
        self.expect_import(import)?;
        let touched = self.touched_by(import)?;
        let parts: Vec<Part<'_>> = touched.iter().map(|one| one.part(import)).collect();
        let conversations = touched.iter().filter(|one| one.is_all).count() as u64;
        Ok(ErasurePreview {
            messages: touched.iter().map(|one| one.messages).sum(),
            conversations,
            shortened: touched.len() as u64 - conversations,
            memories: self.memories_resting_on(&parts)?,
        })
    }

    /// Whether this import may still add messages because it is being read or a job to read it is queued.
    fn is_being_read(&self, import: &ImportId) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT 1 FROM imports WHERE id = ?1 AND state = 'running'
             UNION ALL
             SELECT 1 FROM jobs WHERE kind = 'import' AND state IN ('queued', 'running')
                AND json_extract(payload, '$.import_id') = ?1",
        )?;
        Ok(statement.exists([import.as_str()])?)
    }
}

impl Store {
    /// Undoes an import, as the module documentation describes, and removes the quotes in its record. Refused while the import
    /// is being read. The undo is pending until `job` has completed it. Undoing it again removes nothing. Fails if there is no
    /// such import.
    pub fn undo_import(&self, import: &ImportId, job: &JobId, now: Timestamp) -> Result<Erased> {
        self.erase(|tx| {
            tx.lifecycle().expect_import(import)?;
            if tx.lifecycle().is_being_read(import)? {
                return Err(StoreError::Refused("this import is still being read; wait for its end or cancel it, then undo it"));
            }
            let undone = tx.lifecycle().undo(import, now)?;
            tx.lifecycle().forget_link_work()?;
            tx.lifecycle().forget_silent_speakers()?;
            tx.lifecycle().queue_erasure(job, undone, now)?;
            Ok(undone)
        })
    }
}

impl LifecycleMut<'_> {
    /// Removes what an import added. Works only on the erasing connection.
    fn undo(&self, import: &ImportId, now: Timestamp) -> Result<Erased> {
        let touched = self.touched_by(import)?;
        let parts: Vec<Part<'_>> = touched.iter().map(|one| one.part(import)).collect();
        let undone = self.erase_parts(&parts, UNDONE, now)?;
        // The person chose the visibility of the import's channels with this import, and chooses again when importing it again.
        self.tx.conn.execute(
            "DELETE FROM channel_visibility
              WHERE decided_at_ms >= (SELECT started_at_ms FROM imports WHERE id = ?1)
                AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.channel_type = channel_visibility.channel_type
                                   AND c.channel_id = channel_visibility.channel_id)",
            params![import.as_str()],
        )?;
        // Assign a conversation that this import began to the import of its first remaining message.
        self.tx.conn.execute(
            "UPDATE conversations SET import_id = (
                 SELECT i.import_id FROM interactions i WHERE i.conversation_id = conversations.id ORDER BY i.seq LIMIT 1)
              WHERE import_id = ?1",
            params![import.as_str()],
        )?;
        self.empty_account(import)?;
        Ok(undone)
    }

    /// In a copy of a store, undoes the imports of the messages with these ids. The store itself has already undone them.
    /// Returns the number of messages.
    pub(crate) fn undo_again(&self, messages: &[&str], now: Timestamp) -> Result<u64> {
        let imports = self.ids_of(
            "SELECT DISTINCT import_id FROM interactions WHERE import_id IS NOT NULL AND id IN (SELECT value FROM json_each(?1))",
            [to_json("message ids", &messages)?],
        )?;
        let mut count = 0;
        for import in imports {
            count += self.undo(&parse("import id", &import)?, now)?.messages;
        }
        Ok(count)
    }

    /// Removes the file's path and every quote from the file from an import's record. Deletes the import's jobs and their
    /// alerts.
    fn empty_account(&self, import: &ImportId) -> Result<()> {
        // The record of the sample import is not needed once the sample is gone.
        self.tx.conn.execute("DELETE FROM imports WHERE id = ?1 AND is_sample = 1", params![import.as_str()])?;
        self.tx.conn.execute(
            "UPDATE imports SET path = '', error = NULL, skipped = (
                 SELECT coalesce(json_group_array(json_set(value, '$.sample', '')), '[]') FROM json_each(imports.skipped))
              WHERE id = ?1",
            params![import.as_str()],
        )?;
        // In a restored copy, a job to read the import may still be queued. It would bring back the undone messages.
        let jobs = "SELECT id FROM jobs WHERE kind = 'import' AND json_extract(payload, '$.import_id') = ?1";
        self.tx.conn.execute(&format!("DELETE FROM alerts WHERE job_id IN ({jobs})"), params![import.as_str()])?;
        self.tx.conn.execute(&format!("DELETE FROM jobs WHERE id IN ({jobs})"), params![import.as_str()])?;
        self.tx.touch(Tag::Alerts);
        self.tx.touch(Tag::Jobs);
        Ok(())
    }
}
