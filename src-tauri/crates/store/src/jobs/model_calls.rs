//! Calls to language models: the scrubbed text that was sent, the reply and the cost.
//!
//! A call is recorded before it is made, so that the list includes calls during which the process died. An answered call also
//! serves as a cache for its job, so that no answer is paid for twice.
//!
//! Not here: text before scrubbing, and API keys.

use keepsake_domain::{CallId, CallOutcome, ConversationId, JobId, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::Result;
use crate::areas::{ModelCalls, ModelCallsMut};
use crate::changes::Tag;
use crate::text::parse;

/// Maximum number of calls kept. This covers a few weeks of daily use, and takes at most about 100 MB including the texts.
const CALLS_MAX: i64 = 5_000;

/// A call that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewModelCall {
    /// Fresh id.
    pub id: CallId,
    /// Name of the prompt, with its version.
    pub purpose: String,
    /// Host and port of the server.
    pub host: String,
    /// Whether the server is on this computer.
    pub is_local: bool,
    /// Name of the model.
    pub model: String,
    /// The conversation that the call is about; `None` for a connection test and for calls about a person.
    pub conversation_id: Option<ConversationId>,
    /// For calls about a person: the conversations whose content the call includes.
    pub sources: Vec<ConversationId>,
    /// The job that makes the call, if any.
    pub job_id: Option<JobId>,
    /// Hash of everything that determines the reply.
    pub request_hash: Vec<u8>,
    /// The scrubbed text that is sent.
    pub request: String,
    /// When the call is made.
    pub started: Timestamp,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCallEnd {
    /// How it ended.
    pub outcome: CallOutcome,
    /// The reply, if there was one.
    pub reply: Option<String>,
    /// Size of the whole request body in bytes.
    pub request_bytes: u64,
    /// Size of the whole reply in bytes.
    pub reply_bytes: u64,
    /// Tokens read by the model.
    pub tokens_in: u64,
    /// Tokens written by the model.
    pub tokens_out: u64,
    /// The error, without any message text.
    pub error: Option<String>,
    /// When it ended.
    pub ended: Timestamp,
}

/// A call, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCallRow {
    /// Sequence number.
    pub seq: i64,
    /// Id.
    pub id: CallId,
    /// Name of the prompt, with its version.
    pub purpose: String,
    /// Host and port of the server.
    pub host: String,
    /// Whether the server is on this computer.
    pub is_local: bool,
    /// Name of the model.
    pub model: String,
    /// The conversation that the call is about.
    pub conversation_id: Option<ConversationId>,
    /// Title of that conversation.
    pub conversation_title: Option<String>,
    /// The scrubbed text that was sent.
    pub request: String,
    /// Size of the whole request body in bytes; 0 until the call has ended.
    pub request_bytes: u64,
    /// The reply, if there was one.
    pub reply: Option<String>,
    /// Size of the whole reply in bytes.
    pub reply_bytes: u64,
    /// Tokens read by the model.
    pub tokens_in: u64,
    /// Tokens written by the model.
    pub tokens_out: u64,
    /// How it ended.
    pub outcome: CallOutcome,
    /// The error, if there was one.
    pub error: Option<String>,
    /// When it was made.
    pub started: Timestamp,
    /// Duration in milliseconds; `None` until the call has ended.
    pub duration_ms: Option<i64>,
}

/// Usage of models over a period.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelUse {
    /// Number of calls.
    pub calls: u64,
    /// Calls to other computers.
    pub remote_calls: u64,
    /// Tokens sent and received.
    pub tokens: u64,
    /// Tokens sent to and received from other computers.
    pub remote_tokens: u64,
    /// Bytes sent to other computers.
    pub remote_bytes: u64,
}

fn call(row: &Row<'_>) -> Result<ModelCallRow> {
    let conversation: Option<String> = row.get(6)?;
    let count = |column: usize| -> Result<u64> { Ok(row.get::<_, i64>(column)? as u64) };
    Ok(ModelCallRow {
        seq: row.get(0)?,
        id: parse("call id", &row.get::<_, String>(1)?)?,
        purpose: row.get(2)?,
        host: row.get(3)?,
        is_local: row.get(4)?,
        model: row.get(5)?,
        conversation_id: conversation.map(|id| parse("conversation id", &id)).transpose()?,
        conversation_title: row.get(7)?,
        request: row.get(8)?,
        request_bytes: count(9)?,
        reply: row.get(10)?,
        reply_bytes: count(11)?,
        tokens_in: count(12)?,
        tokens_out: count(13)?,
        outcome: parse("call outcome", &row.get::<_, String>(14)?)?,
        error: row.get(15)?,
        started: Timestamp(row.get(16)?),
        duration_ms: row.get(17)?,
    })
}

impl ModelCalls<'_> {
    /// Returns the number of calls and one page of them, newest first. With `remote_only`, counts and lists only calls to other
    /// computers.
    pub fn list(&self, remote_only: bool, offset: u32, limit: u32) -> Result<(u64, Vec<ModelCallRow>)> {
        let total: i64 = self
            .tx
            .conn
            .prepare_cached("SELECT count(*) FROM model_calls WHERE NOT ?1 OR is_local = 0")?
            .query_row(params![remote_only], |row| row.get(0))?;
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT m.seq, m.id, m.purpose, m.host, m.is_local, m.model, m.conversation_id, c.title, m.request, m.request_bytes, m.reply,
                    m.reply_bytes, m.tokens_in, m.tokens_out, m.outcome, m.error, m.started_at_ms, m.duration_ms
               FROM model_calls m LEFT JOIN conversations c ON c.id = m.conversation_id
              WHERE NOT ?1 OR m.is_local = 0 ORDER BY m.seq DESC LIMIT ?2 OFFSET ?3",
        )?;
        let mut rows = statement.query(params![remote_only, limit, offset])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(call(row)?);
        }
        Ok((total as u64, items))
    }

    /// Usage since `since`.
    pub fn model_use(&self, since: Timestamp) -> Result<ModelUse> {
        Ok(self
            .tx
            .conn
            .prepare_cached(
                "SELECT count(*), coalesce(sum(NOT is_local), 0), coalesce(sum(tokens_in + tokens_out), 0),
                        coalesce(sum((tokens_in + tokens_out) * NOT is_local), 0), coalesce(sum(request_bytes * NOT is_local), 0)
                   FROM model_calls WHERE started_at_ms >= ?1",
            )?
            .query_row(params![since.0], |row| {
                let count = |column: usize| row.get::<_, i64>(column).map(|n| n as u64);
                Ok(ModelUse {
                    calls: count(0)?,
                    remote_calls: count(1)?,
                    tokens: count(2)?,
                    remote_tokens: count(3)?,
                    remote_bytes: count(4)?,
                })
            })?)
    }

    /// Total tokens (sent and received) and total milliseconds of the newest answered calls to a model, at most `calls` of
    /// them.
    pub fn pace(&self, model: &str, calls: u32) -> Result<(u64, u64)> {
        Ok(self
            .tx
            .conn
            .prepare_cached(
                "SELECT coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(duration_ms), 0)
                   FROM (SELECT tokens_in, tokens_out, duration_ms FROM model_calls
                          WHERE model = ?1 AND outcome = 'answered' AND duration_ms > 0 ORDER BY seq DESC LIMIT ?2)",
            )?
            .query_row(params![model, calls], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64)))?)
    }

    /// The answer to the same request for the same job, if there is one.
    pub fn answered_call(&self, job: &JobId, request_hash: &[u8]) -> Result<Option<String>> {
        Ok(self
            .tx
            .conn
            .prepare_cached(
                "SELECT reply FROM model_calls WHERE job_id = ?1 AND request_hash = ?2 AND outcome = 'answered' ORDER BY seq DESC LIMIT 1",
            )?
            .query_row(params![job.as_str(), request_hash], |row| row.get(0))
            .optional()?
            .flatten())
    }
}

impl ModelCallsMut<'_> {
    /// Records a call before it is made, and deletes the oldest ones beyond `CALLS_MAX`.
    pub fn begin(&self, call: &NewModelCall, tokens_estimate: u64) -> Result<()> {
        self.tx
            .conn
            .prepare_cached(
                "INSERT INTO model_calls (id, purpose, host, is_local, model, conversation_id, job_id, request_hash, request,
                        request_bytes, tokens_in, outcome, started_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'sent', ?12)",
            )?
            .execute(params![
                call.id.as_str(),
                call.purpose,
                call.host,
                call.is_local,
                call.model,
                call.conversation_id.as_ref().map(ConversationId::as_str),
                call.job_id.as_ref().map(JobId::as_str),
                call.request_hash,
                call.request,
                call.request.len() as i64,
                tokens_estimate as i64,
                call.started.0,
            ])?;
        let mut statement =
            self.tx.conn.prepare_cached("INSERT OR IGNORE INTO model_call_sources (call_id, conversation_id) VALUES (?1, ?2)")?;
        for source in &call.sources {
            statement.execute(params![call.id.as_str(), source.as_str()])?;
        }
        self.tx
            .conn
            .prepare_cached("DELETE FROM model_calls WHERE seq <= (SELECT max(seq) FROM model_calls) - ?1")?
            .execute(params![CALLS_MAX])?;
        self.tx.touch(Tag::ModelCalls);
        Ok(())
    }

    /// Records how a call ended. If its conversation was erased in the meantime, no text is kept.
    pub fn end(&self, id: &CallId, end: &ModelCallEnd) -> Result<()> {
        self.tx.conn
            .prepare_cached(
                "UPDATE model_calls SET outcome = ?2, reply = CASE WHEN request = '' THEN NULL ELSE ?3 END, request_bytes = max(request_bytes, ?4), reply_bytes = ?5, tokens_in = ?6,
                        tokens_out = ?7, error = ?8, duration_ms = ?9 - started_at_ms
                  WHERE id = ?1",
            )?
            .execute(params![
                id.as_str(),
                end.outcome.name(),
                end.reply,
                end.request_bytes as i64,
                end.reply_bytes as i64,
                end.tokens_in as i64,
                end.tokens_out as i64,
                end.error,
                end.ended.0,
            ])?;
        self.tx.touch(Tag::ModelCalls);
        Ok(())
    }

    /// Removes the text of calls that include content of a conversation. The record of the call stays and counts toward the
    /// daily budget. The texts are not added to the traces, because they contain the wording of our prompts, which all calls
    /// share. The message text in them is already covered by the traces of the messages.
    pub(crate) fn erase_about(&self, id: &ConversationId) -> Result<()> {
        let told = "SELECT call_id FROM model_call_sources WHERE conversation_id = ?1";
        self.tx.conn.execute(
            &format!(
                "UPDATE model_calls SET request = '', reply = NULL, error = NULL, conversation_id = NULL, job_id = NULL, request_hash = x''
                  WHERE conversation_id = ?1 OR id IN ({told})"
            ),
            params![id.as_str()],
        )?;
        self.tx.conn.execute(&format!("DELETE FROM model_call_sources WHERE call_id IN ({told})"), params![id.as_str()])?;
        Ok(())
    }

    /// Removes all texts at the person's request. Today's usage still counts toward the budget.
    pub fn forget_texts(&self) -> Result<u64> {
        let changed = self
            .tx
            .conn
            .execute("UPDATE model_calls SET request = '', reply = NULL WHERE outcome <> 'sent' AND request <> ''", [])?;
        self.tx.touch(Tag::ModelCalls);
        Ok(changed as u64)
    }
}
