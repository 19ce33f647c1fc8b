//! The status of conversations (layer 1) and their summaries. Both are derived: they are rewritten from the messages and never
//! edited.
//!
//! Status, reasons, tone and promises form one judgment. It is stored in the conversation's row, and the next judgment replaces
//! it. A summary is a separate row that names the range it covers, and the next summary supersedes it.
//!
//! Not here: the judgment itself (`insight`), and who may see it (`boundary`).

use keepsake_domain::{ConversationId, ConversationStatus, InteractionId, JobKind, SummaryId, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::Result;
use crate::areas::{ConversationStatuses, ConversationStatusesMut};
use crate::changes::Tag;
use crate::text::parse;

/// The status of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationStatusRow {
    /// Active, idle or archived.
    pub status: ConversationStatus,
    /// JSON: the reasons for the status. `None` if the status was never judged.
    pub reasons: Option<String>,
    /// JSON: the tone of the conversation.
    pub tone: Option<String>,
    /// JSON: the promises made in the conversation.
    pub pending_actions: String,
    /// Who decided whether the conversation has ended: the rules, or a model with its prompt. `None` if the status was never
    /// judged.
    pub judge: Option<String>,
    /// Sequence number of the last message that was taken into account.
    pub through_seq: i64,
}

/// A new judgment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConversationStatus {
    /// The status and its judge.
    pub standing: ConversationStatusRow,
    /// When to judge again even if no message arrives; `None` if the status cannot change by itself.
    pub due: Option<Timestamp>,
}

/// A summary of a range of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryRow {
    /// Id.
    pub id: SummaryId,
    /// Conversation.
    pub conversation_id: ConversationId,
    /// The text.
    pub text: String,
    /// The first message it covers.
    pub first: InteractionId,
    /// The last message it covers.
    pub last: InteractionId,
    /// The engine that wrote it, with its version.
    pub proposer: String,
    /// The summary that it replaces, if any.
    pub supersedes_id: Option<SummaryId>,
    /// When it was written.
    pub created: Timestamp,
}

const SUMMARY_COLUMNS: &str =
    "s.id, s.conversation_id, s.summary, s.source_range_start, s.source_range_end, s.proposer, s.supersedes_id, s.created_at_ms";

fn summary(row: &Row<'_>) -> Result<SummaryRow> {
    Ok(SummaryRow {
        id: parse("summary id", &row.get::<_, String>(0)?)?,
        conversation_id: parse("conversation id", &row.get::<_, String>(1)?)?,
        text: row.get(2)?,
        first: parse("message id", &row.get::<_, String>(3)?)?,
        last: parse("message id", &row.get::<_, String>(4)?)?,
        proposer: row.get(5)?,
        supersedes_id: row.get::<_, Option<String>>(6)?.map(|id| parse("summary id", &id)).transpose()?,
        created: Timestamp(row.get(7)?),
    })
}

impl ConversationStatuses<'_> {
    /// The status of a conversation; `None` if it is excluded or does not exist.
    pub fn standing(&self, id: &ConversationId) -> Result<Option<ConversationStatusRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT status, status_reason, tone_profile, pending_actions, settled_by, settled_seq FROM conversations
              WHERE id = ?1 AND is_private = 0",
        )?;
        let mut rows = statement.query(params![id.as_str()])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        Ok(Some(ConversationStatusRow {
            status: parse("conversation status", &row.get::<_, String>(0)?)?,
            reasons: row.get(1)?,
            tone: row.get(2)?,
            pending_actions: row.get(3)?,
            judge: row.get(4)?,
            through_seq: row.get(5)?,
        }))
    }

    /// Conversations with promises, ordered by id. Excluded ones are left out.
    pub fn conversations_with_promises(&self) -> Result<Vec<ConversationId>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT id FROM conversations WHERE is_private = 0 AND pending_actions <> '[]' ORDER BY id")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("conversation id", &row?)).collect()
    }

    /// Conversations whose status is due to be judged again. Excluded ones are left out.
    pub fn conversations_to_settle(&self, now: Timestamp) -> Result<Vec<ConversationId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id FROM conversations WHERE is_private = 0 AND settle_due_ms <= ?1 ORDER BY settle_due_ms, id",
        )?;
        let rows = statement.query_map([now.0], |row| row.get::<_, String>(0))?;
        rows.map(|row| parse("conversation id", &row?)).collect()
    }

    /// When the next conversation is due to be judged again. `None` if no conversation is due, or if a status job failed
    /// permanently and awaits the person.
    pub fn next_settling(&self) -> Result<Option<Timestamp>> {
        let due: Option<i64> = self
            .tx
            .conn
            .prepare_cached(
                "SELECT min(settle_due_ms) FROM conversations WHERE is_private = 0 AND settle_due_ms IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = ?1 AND state = 'dead')",
            )?
            .query_row([JobKind::SettleConversations.name()], |row| row.get(0))?;
        Ok(due.map(Timestamp))
    }

    /// Whether a conversation may be analyzed as a whole automatically. It may if it is not excluded and was not imported for
    /// storage only.
    pub fn may_read_unasked(&self, id: &ConversationId) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT 1 FROM conversations c WHERE c.id = ?1 AND c.is_private = 0
                AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.id = c.import_id AND i.is_unread = 1)",
        )?;
        Ok(statement.exists(params![id.as_str()])?)
    }

    /// Whether all of these conversations exist and none is excluded.
    pub fn are_on_record(&self, ids: &[ConversationId]) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached("SELECT 1 FROM conversations WHERE id = ?1 AND is_private = 0")?;
        for id in ids {
            if !statement.exists(params![id.as_str()])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether there is a summary with this id.
    pub fn has_summary(&self, id: &SummaryId) -> Result<bool> {
        let mut statement = self.tx.conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM conversation_summaries WHERE id = ?1)")?;
        Ok(statement.query_row([id.as_str()], |row| row.get(0))?)
    }

    /// The current summary, or the one that was current at a given time.
    pub fn latest_summary(&self, id: &ConversationId, at: Option<Timestamp>) -> Result<Option<SummaryRow>> {
        let sql = format!(
            "SELECT {SUMMARY_COLUMNS} FROM conversation_summaries s WHERE s.conversation_id = ?1 AND s.created_at_ms <= ?2
              ORDER BY s.created_at_ms DESC, s.id DESC LIMIT 1"
        );
        let mut statement = self.tx.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params![id.as_str(), at.map_or(i64::MAX, |at| at.0)])?;
        rows.next()?.map(summary).transpose()
    }
}

impl ConversationStatusesMut<'_> {
    /// Replaces the judgment of a conversation. Writes nothing if it has been excluded in the meantime. If there is a newer
    /// message, the conversation is due again immediately.
    pub fn put(&self, id: &ConversationId, new: &NewConversationStatus, now: Timestamp) -> Result<bool> {
        let NewConversationStatus { standing, due } = new;
        let changed = self
            .tx
            .conn
            .prepare_cached(
                "UPDATE conversations SET status = ?2, status_reason = ?3, tone_profile = ?4, pending_actions = ?5, settled_by = ?6,
                        settled_seq = ?7,
                        archived_at_ms = CASE WHEN ?2 = 'archived' THEN coalesce(archived_at_ms, ?9) END,
                        settle_due_ms = iif(EXISTS (SELECT 1 FROM interactions WHERE conversation_id = ?1 AND seq > ?7), 0, ?8)
                  WHERE id = ?1 AND is_private = 0",
            )?
            .execute(params![
                id.as_str(),
                standing.status.name(),
                standing.reasons,
                standing.tone,
                standing.pending_actions,
                standing.judge,
                standing.through_seq,
                due.map(|due| due.0),
                now.0,
            ])?;
        if changed > 0
            && standing.status == ConversationStatus::Archived
            && let Some(judge) = &standing.judge
        {
            self.tx.sessions().end(id, standing.through_seq, judge, now)?;
        }
        self.tx.touch(Tag::Conversations);
        Ok(changed > 0)
    }

    /// Sets when a conversation is due to be judged again, without changing its judgment.
    pub fn put_settle_due(&self, id: &ConversationId, due: Option<Timestamp>) -> Result<()> {
        self.tx
            .conn
            .prepare_cached("UPDATE conversations SET settle_due_ms = ?2 WHERE id = ?1")?
            .execute(params![id.as_str(), due.map(|due| due.0)])?;
        Ok(())
    }

    /// Stores a summary, which supersedes the previous one.
    pub fn insert_summary(
        &self,
        id: &SummaryId,
        conversation: &ConversationId,
        text: &str,
        range: (&InteractionId, &InteractionId),
        proposer: &str,
        now: Timestamp,
    ) -> Result<()> {
        let before = self
            .tx
            .conn
            .query_row(
                "SELECT id, created_at_ms FROM conversation_summaries WHERE conversation_id = ?1
                  ORDER BY created_at_ms DESC, id DESC LIMIT 1",
                params![conversation.as_str()],
                |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)),
            )
            .optional()?;
        // The newest summary is the current one, so each must be newer than the one it supersedes.
        let created = before.as_ref().map_or(now.0, |(_, created)| now.0.max(created + 1));
        let before = before.map(|(id, _)| id);
        self.tx.conn.execute(
            "INSERT INTO conversation_summaries (id, conversation_id, summary, source_range_start, source_range_end, proposer,
                                                 supersedes_id, created_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![id.as_str(), conversation.as_str(), text, range.0.as_str(), range.1.as_str(), proposer, before, created],
        )?;
        self.tx.touch(Tag::Analyses);
        Ok(())
    }

    /// Resets the judgment of a conversation.
    pub(crate) fn forget(&self, id: &ConversationId) -> Result<()> {
        self.tx.conn.execute(
            "UPDATE conversations SET status = 'active', status_reason = NULL, tone_profile = NULL, pending_actions = '[]',
                    settled_by = NULL, settled_seq = 0, archived_at_ms = NULL WHERE id = ?1",
            params![id.as_str()],
        )?;
        self.tx.touch(Tag::Conversations);
        Ok(())
    }
}
