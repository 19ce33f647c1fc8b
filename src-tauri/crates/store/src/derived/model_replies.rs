//! Language models' answers about data that is derived repeatedly. They are stored separately, because they cost money and a
//! model does not give the same answer twice.
//!
//! An answer is looked up by its input, so the same question is asked only once. Nothing here is shown directly.
//!
//! Not here: which part of an answer is accepted (`insight`, `capture`), when a model is asked, and how the result is used
//! (`engine`).

use keepsake_domain::{ConversationId, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::areas::{Replies, RepliesMut};
use crate::text::{parse_json, to_json};
use crate::{Result, StoreError};

/// The task that a model is asked to perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyTask {
    /// Write the text of a playbook.
    Playbook,
    /// Suggest cleanups of memories.
    Reflection,
}

impl ReplyTask {
    const fn name(self) -> &'static str {
        match self {
            Self::Playbook => "playbook",
            Self::Reflection => "reflection",
        }
    }
}

/// A model's answer about one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReplyRow {
    /// The task that the model was asked to perform.
    pub task: ReplyTask,
    /// Key of the input.
    pub matter: String,
    /// Name of the model and its prompt.
    pub proposer: String,
    /// The accepted part of the answer as JSON; `None` if nothing was accepted.
    pub found: Option<String>,
    /// The conversations whose content was in the input.
    pub sources: Vec<ConversationId>,
    /// When the answer was given.
    pub made_at: Timestamp,
}

impl Replies<'_> {
    /// A model's answer about an input, if there is one and none of its conversations has been excluded since.
    pub fn model_reply(&self, task: ReplyTask, matter: &str) -> Result<Option<ModelReplyRow>> {
        let found: Option<(String, Option<String>, String, i64)> = self
            .tx
            .conn
            .prepare_cached(
                "SELECT proposer, result, sources, made_at_ms FROM model_replies WHERE task = ?1 AND input_hash = ?2",
            )?
            .query_row([task.name(), matter], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        let Some((proposer, found, sources, made_at)) = found else { return Ok(None) };
        let sources: Vec<ConversationId> = parse_json("sources of a reply", &sources)?;
        if !self.tx.conversation_status().are_on_record(&sources)? {
            return Ok(None);
        }
        Ok(Some(ModelReplyRow { task, matter: matter.to_owned(), proposer, found, sources, made_at: Timestamp(made_at) }))
    }

    /// All answers for a task, except those whose input included a conversation that has been excluded since.
    pub fn model_replies(&self, task: ReplyTask) -> Result<Vec<ModelReplyRow>> {
        let mut statement = self
            .tx
            .conn
            .prepare_cached("SELECT input_hash FROM model_replies WHERE task = ?1 ORDER BY made_at_ms, input_hash")?;
        let matters = statement.query_map([task.name()], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut rows = Vec::new();
        for matter in matters {
            rows.extend(self.model_reply(task, &matter)?);
        }
        Ok(rows)
    }
}

impl RepliesMut<'_> {
    /// Stores an answer. Fails if one of its conversations is excluded.
    pub fn put_model_reply(&self, row: &ModelReplyRow) -> Result<()> {
        if !self.tx.conversation_status().are_on_record(&row.sources)? {
            return Err(StoreError::Evidence("one of its conversations is excluded from memory".to_owned()));
        }
        self.tx
            .conn
            .prepare_cached(
                "INSERT OR REPLACE INTO model_replies (task, input_hash, proposer, result, sources, made_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                row.task.name(),
                row.matter,
                row.proposer,
                row.found,
                to_json("sources of a reply", &row.sources)?,
                row.made_at.0
            ])?;
        Ok(())
    }

    /// Deletes the answers whose input included content from a conversation.
    pub(crate) fn erase_model_replies_of(&self, conversation: &ConversationId) -> Result<()> {
        self.tx.conn.execute(
            "DELETE FROM model_replies WHERE EXISTS (SELECT 1 FROM json_each(sources) s WHERE s.value = ?1)",
            [conversation.as_str()],
        )?;
        Ok(())
    }
}
