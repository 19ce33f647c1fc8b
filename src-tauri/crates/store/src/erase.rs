//! Erasure: the one path on which a message leaves, and the deletion of what was derived from it.
//!
//! A content-free tombstone takes each message's place, in the same transaction, so that the chain stays whole and a
//! re-import does not bring it back. What remains true afterwards: removed from the live file and its log; copies that the
//! system or the disk made are beyond a program's reach, and the words shown to people say no more than that.

use keepsake_domain::{ConversationId, ImportId, Timestamp};
use rusqlite::params;

use crate::Result;
use crate::changes::Tag;
use crate::open::{Store, WriteTx};
use crate::text::parse;

/// What an erasure removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erased {
    /// Messages.
    pub messages: u64,
    /// Conversations.
    pub conversations: u64,
    /// Candidates and memories.
    pub memories: u64,
}

impl Store {
    /// Erases every conversation that an import brought, messages included, and whatever rests on them.
    pub fn erase_import(&self, import: &ImportId, reason: &str, now: Timestamp) -> Result<Erased> {
        let erased = self.erase(|tx| {
            let mut statement = tx.conn.prepare("SELECT id FROM conversations WHERE import_id = ?1")?;
            let ids = statement.query_map(params![import.as_str()], |row| row.get::<_, String>(0))?;
            let ids = ids.collect::<rusqlite::Result<Vec<_>>>()?;
            let mut erased = Erased::default();
            for id in ids {
                let id: ConversationId = parse("conversation id", &id)?;
                erased.memories += tx.erase_derived(&id)?;
                erased.messages += tx.erase_messages(&id, reason, now)?;
                erased.conversations += 1;
            }
            tx.forget_silent_speakers()?;
            // Its messages in a conversation that another import began stay, and so does the account of where they came from.
            tx.conn.execute(
                "DELETE FROM imports WHERE id = ?1 AND is_sample = 1 AND NOT EXISTS (SELECT 1 FROM interactions WHERE import_id = ?1)",
                params![import.as_str()],
            )?;
            tx.touch(Tag::Conversations);
            tx.touch(Tag::Messages);
            tx.touch(Tag::Imports);
            Ok(erased)
        })?;
        // A reader that is still busy leaves the text in the log until the next checkpoint, which comes with the next erasure or close.
        self.checkpoint()?;
        Ok(erased)
    }
}

impl WriteTx<'_> {
    /// Deletes what was derived from a conversation: memories that rest only on it, analyses, summaries, its gate log. A memory that
    /// also rests on another conversation stays and loses this evidence. Returns how many memories went.
    pub fn erase_derived(&self, id: &ConversationId) -> Result<u64> {
        let mut statement = self.conn.prepare(
            "SELECT DISTINCT v.memory_id FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id WHERE i.conversation_id = ?1
             UNION SELECT id FROM memories WHERE conversation_id = ?1",
        )?;
        let memories = statement.query_map(params![id.as_str()], |row| row.get::<_, String>(0))?;
        let memories = memories.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut gone = 0;
        for memory in &memories {
            self.conn.prepare_cached(
                "DELETE FROM memory_evidence WHERE memory_id = ?1 AND interaction_id IN (SELECT id FROM interactions WHERE conversation_id = ?2)",
            )?
            .execute(params![memory, id.as_str()])?;
            let moved = self
                .conn
                .prepare_cached(
                    "UPDATE memories SET conversation_id = i.conversation_id, said_at_ms = i.created_at_ms,
                            subject_handle_id = iif(subject_handle_id IS NULL, NULL, i.handle_id)
                       FROM memory_evidence v JOIN interactions i ON i.id = v.interaction_id
                      WHERE memories.id = ?1 AND v.memory_id = ?1
                        AND v.position = (SELECT min(position) FROM memory_evidence WHERE memory_id = ?1)",
                )?
                .execute(params![memory])?;
            match moved {
                1.. => {}
                0 => {
                    self.conn
                        .prepare_cached("DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_id = ?1")?
                        .execute([memory])?;
                    // A newer version by the person may rest on the same lines and goes in its own turn; the link must not hold it.
                    self.conn.prepare_cached("DELETE FROM operation_changes WHERE memory_id = ?1")?.execute([memory])?;
                    gone += 1;
                }
            }
        }
        // Versions refer to each other, so they leave together and foreign keys are checked at the end of the transaction.
        self.conn.pragma_update(None, "defer_foreign_keys", "ON")?;
        for memory in &memories {
            self.conn
                .prepare_cached(
                    "DELETE FROM memories WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memory_evidence WHERE memory_id = ?1)",
                )?
                .execute([memory])?;
        }
        // An act of which nothing is left cannot be undone, and its notice may name what is gone.
        self.conn.execute(
            "DELETE FROM operations WHERE NOT EXISTS (SELECT 1 FROM operation_changes c WHERE c.operation_id = operations.id)",
            [],
        )?;
        for table in ["conversation_summaries", "conversation_analyses", "gate_log"] {
            self.conn.execute(&format!("DELETE FROM {table} WHERE conversation_id = ?1"), params![id.as_str()])?;
        }
        self.conn.execute(
            "DELETE FROM jobs WHERE state NOT IN ('queued', 'running') AND json_extract(payload, '$.conversation_id') = ?1",
            params![id.as_str()],
        )?;
        self.touch(Tag::Memories);
        self.touch(Tag::Analyses);
        self.touch(Tag::GateLog);
        self.touch(Tag::Jobs);
        Ok(gone)
    }

    /// Removes handles that no message carries any more, and entities without a handle.
    fn forget_silent_speakers(&self) -> Result<()> {
        self.conn.execute(
            "DELETE FROM entity_channels WHERE verified = 0
                AND NOT EXISTS (SELECT 1 FROM interactions i WHERE i.handle_id = entity_channels.id)
                AND NOT EXISTS (SELECT 1 FROM link_decisions d WHERE entity_channels.id IN (d.a_handle_id, d.b_handle_id))
                AND NOT EXISTS (SELECT 1 FROM link_suggestions s WHERE entity_channels.id IN (s.a_handle_id, s.b_handle_id))",
            [],
        )?;
        self.conn.execute(
            "DELETE FROM entities WHERE NOT EXISTS (SELECT 1 FROM entity_channels c WHERE c.entity_id = entities.id)
                AND NOT EXISTS (SELECT 1 FROM conversations v WHERE v.entity_id = entities.id)
                AND NOT EXISTS (SELECT 1 FROM interactions i WHERE i.entity_id = entities.id)",
            [],
        )?;
        Ok(())
    }

    /// Replaces a conversation's messages by tombstones and removes the conversation. Only the erasing connection may.
    fn erase_messages(&self, id: &ConversationId, reason: &str, now: Timestamp) -> Result<u64> {
        self.conn.execute(
            "INSERT INTO tombstones (seq, id, source_key, prev_hash, row_hash, erased_at_ms, reason)
             SELECT seq, id, source_key, prev_hash, row_hash, ?2, ?3 FROM interactions WHERE conversation_id = ?1",
            params![id.as_str(), now.0, reason],
        )?;
        self.conn.execute(
            "DELETE FROM embeddings WHERE owner_kind = 'interaction'
                AND owner_id IN (SELECT id FROM interactions WHERE conversation_id = ?1)",
            params![id.as_str()],
        )?;
        let gone = self.conn.execute("DELETE FROM interactions WHERE conversation_id = ?1", params![id.as_str()])?;
        self.conn.execute("DELETE FROM conversations WHERE id = ?1", params![id.as_str()])?;
        Ok(gone as u64)
    }
}
