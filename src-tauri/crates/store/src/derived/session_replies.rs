//! Language models' answers about sessions. They are stored separately from the session records, because they cost money and a
//! model does not give the same answer twice.
//!
//! An answer is stored as positions in messages, under the id of the record that the rules made from the same messages. The
//! answer is never shown directly. It becomes a separate record, which must pass the evidence lock of
//! [`crate::derived::sessions`].
//!
//! Not here: which part of an answer is accepted (`insight`), and when a model is asked (`engine`).

use keepsake_domain::{ConversationId, SessionId, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::Result;
use crate::areas::{Replies, RepliesMut};
use crate::changes::Tag;
use crate::derived::sessions::{FoundSession, SessionEnd};
use crate::text::parse;

/// A model's answer about one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionReplyRow {
    /// Id of the record made by the rules.
    pub session: SessionId,
    /// The conversation of the session.
    pub conversation_id: ConversationId,
    /// Name of the model and its prompt.
    pub proposer: String,
    /// The record as JSON; `None` if the rules' record stays in effect.
    pub record: Option<String>,
    /// When the answer was given.
    pub made_at: Timestamp,
}

impl Replies<'_> {
    /// The answer of a model about a session, if there is one.
    pub fn session_reply(&self, session: &SessionId) -> Result<Option<SessionReplyRow>> {
        let found: Option<(String, String, Option<String>, i64)> = self
            .tx
            .conn
            .prepare_cached("SELECT conversation_id, proposer, record, made_at_ms FROM session_replies WHERE session_id = ?1")?
            .query_row([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        found
            .map(|(conversation, proposer, record, made_at)| {
                Ok(SessionReplyRow {
                    session: session.clone(),
                    conversation_id: parse("conversation id", &conversation)?,
                    proposer,
                    record,
                    made_at: Timestamp(made_at),
                })
            })
            .transpose()
    }

    /// Sessions whose current record was made by these rules and that no model has read, latest first. Sessions of excluded
    /// conversations are left out.
    pub fn sessions_unread_by_model(&self, rules: &str) -> Result<Vec<SessionId>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT s.id FROM session_summaries s JOIN conversations c ON c.id = s.conversation_id
              WHERE c.is_private = 0 AND s.superseded_at_ms IS NULL AND s.proposer = ?1
                AND NOT EXISTS (SELECT 1 FROM session_replies r WHERE r.session_id = s.id)
              ORDER BY s.last_at_ms DESC, s.id",
        )?;
        let rows = statement.query_map([rules], |row| row.get::<_, String>(0))?;
        rows.map(|id| parse("session id", &id?)).collect()
    }

    /// The session end up to which a conversation was last analyzed.
    pub fn session_end_read(&self, id: &ConversationId) -> Result<Option<SessionEnd>> {
        let found: Option<(String, i64)> = self
            .tx
            .conn
            .prepare_cached(
                "SELECT r.interaction_id, i.seq FROM session_readings r JOIN interactions i ON i.id = r.interaction_id
                  WHERE r.conversation_id = ?1",
            )?
            .query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        found
            .map(|(through, through_seq)| {
                Ok(SessionEnd { conversation_id: id.clone(), through: parse("message id", &through)?, through_seq })
            })
            .transpose()
    }
}

impl RepliesMut<'_> {
    /// Stores a model's answer about a session and replaces the rules' record with the record made from the answer. Returns
    /// `false` and stores nothing if the rules' record is no longer in effect or the conversation is excluded.
    pub fn put_session_reply(&self, reply: &SessionReplyRow, found: &FoundSession, now: Timestamp) -> Result<bool> {
        let stands = self
            .tx
            .conn
            .prepare_cached("SELECT 1 FROM session_summaries WHERE id = ?1 AND superseded_at_ms IS NULL")?
            .exists([reply.session.as_str()])?;
        if !stands || !self.tx.conversation_status().are_on_record(std::slice::from_ref(&reply.conversation_id))? {
            return Ok(false);
        }
        self.tx
            .conn
            .prepare_cached(
                "INSERT OR REPLACE INTO session_replies (session_id, conversation_id, proposer, record, made_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                reply.session.as_str(),
                reply.conversation_id.as_str(),
                reply.proposer,
                reply.record,
                reply.made_at.0
            ])?;
        self.tx.sessions().stand(found, &[], now)?;
        self.tx.touch(Tag::Sessions);
        Ok(true)
    }
}
