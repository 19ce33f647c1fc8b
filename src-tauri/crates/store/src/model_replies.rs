//! What a language model made of something that is derived again from time to time: kept apart from it, since a reply is paid for and
//! does not come twice the same.
//!
//! A reply is found by what was shown, so that the same is asked about once. Nothing of it is shown as it is. Deliberately not here:
//! what of a reply is believed (`insight`, `capture`), when a model is asked and what becomes of it (`engine`).

use keepsake_domain::{ConversationId, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::open::{ReadTx, WriteTx};
use crate::text::{parse_json, to_json};
use crate::{Result, StoreError};

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyTask {
    /// To word a way of working.
    Playbook,
    /// To tidy what is remembered.
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

/// What a model made of one matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReplyRow {
    /// What it was asked for.
    pub task: ReplyTask,
    /// Names what was shown.
    pub matter: String,
    /// The model with its prompt.
    pub proposer: String,
    /// What held of its answer, as JSON; nothing where nothing did.
    pub found: Option<String>,
    /// The conversations told of.
    pub sources: Vec<ConversationId>,
    /// When.
    pub made_at: Timestamp,
}

impl ReadTx<'_> {
    /// What a model made of a matter, if one was asked and all that it was told of is still on the record.
    pub fn model_reply(&self, task: ReplyTask, matter: &str) -> Result<Option<ModelReplyRow>> {
        let found: Option<(String, Option<String>, String, i64)> = self
            .conn
            .prepare_cached("SELECT proposer, found, sources, made_at_ms FROM model_replies WHERE task = ?1 AND matter = ?2")?
            .query_row([task.name(), matter], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        let Some((proposer, found, sources, made_at)) = found else { return Ok(None) };
        let sources: Vec<ConversationId> = parse_json("sources of a reply", &sources)?;
        if !self.are_on_record(&sources)? {
            return Ok(None);
        }
        Ok(Some(ModelReplyRow { task, matter: matter.to_owned(), proposer, found, sources, made_at: Timestamp(made_at) }))
    }

    /// What a model made of everything that it was asked for, as far as all that it was told of is still on the record.
    pub fn model_replies(&self, task: ReplyTask) -> Result<Vec<ModelReplyRow>> {
        let mut statement =
            self.conn.prepare_cached("SELECT matter FROM model_replies WHERE task = ?1 ORDER BY made_at_ms, matter")?;
        let matters = statement.query_map([task.name()], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut rows = Vec::new();
        for matter in matters {
            rows.extend(self.model_reply(task, &matter)?);
        }
        Ok(rows)
    }
}

impl WriteTx<'_> {
    /// Keeps what a model made of a matter. Refused where something told of is off the record.
    pub fn put_model_reply(&self, row: &ModelReplyRow) -> Result<()> {
        if !self.are_on_record(&row.sources)? {
            return Err(StoreError::Evidence("a conversation that it tells of is off the record".to_owned()));
        }
        self.conn
            .prepare_cached(
                "INSERT OR REPLACE INTO model_replies (task, matter, proposer, found, sources, made_at_ms)
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

    /// Erases what a model made of what was said in a conversation.
    pub(crate) fn erase_model_replies_of(&self, conversation: &ConversationId) -> Result<()> {
        self.conn.execute(
            "DELETE FROM model_replies WHERE EXISTS (SELECT 1 FROM json_each(sources) s WHERE s.value = ?1)",
            [conversation.as_str()],
        )?;
        Ok(())
    }
}
