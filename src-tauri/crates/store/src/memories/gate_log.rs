//! The gate log: every proposal that was filtered out, with the gate and the reason, so that the person can review the gates.

use keepsake_domain::{ConversationId, Gate, InteractionId, JobId, MemoryId, Span, Subject, Timestamp};
use rusqlite::params;

use crate::Result;
use crate::areas::{Memories, MemoriesMut};
use crate::changes::Tag;
use crate::text::parse;

/// A new entry of the gate log.
#[derive(Debug, Clone, PartialEq)]
pub struct NewGateLogRow {
    /// Conversation.
    pub conversation_id: ConversationId,
    /// The gate that stopped the proposal.
    pub gate: Gate,
    /// The person that the memory would have been about.
    pub subject: Subject,
    /// The statement of the proposal.
    pub content: String,
    /// Why it was stopped.
    pub reason: String,
    /// The message and span that it was extracted from, if known.
    pub place: Option<(InteractionId, Span)>,
    /// The quarantined memory, or the memory that the proposal repeats.
    pub memory_id: Option<MemoryId>,
    /// Name and version of the proposer.
    pub proposer: String,
    /// The job that ran the gates.
    pub job_id: Option<JobId>,
}

/// An entry of the gate log, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct GateLogRow {
    /// Sequence number.
    pub seq: i64,
    /// Conversation.
    pub conversation_id: ConversationId,
    /// Title of the conversation.
    pub conversation_title: Option<String>,
    /// Channel type of the conversation.
    pub channel_type: String,
    /// The gate that stopped the proposal.
    pub gate: Gate,
    /// The statement of the proposal.
    pub content: String,
    /// Why it was stopped.
    pub reason: String,
    /// The message and span that it was extracted from, if known.
    pub place: Option<(InteractionId, Option<Span>)>,
    /// Name and version of the proposer.
    pub proposer: String,
    /// When it was stopped.
    pub created: Timestamp,
}

impl Memories<'_> {
    /// Number of matching entries, and one page of them, newest first.
    pub fn gate_log(
        &self,
        gate: Option<Gate>,
        conversation: Option<&ConversationId>,
        offset: u32,
        limit: u32,
    ) -> Result<(u64, Vec<GateLogRow>)> {
        let condition = "(?1 IS NULL OR g.gate = ?1) AND (?2 IS NULL OR g.conversation_id = ?2)";
        let gate = gate.map(Gate::name);
        let conversation = conversation.map(ConversationId::as_str);
        let total: i64 = self
            .tx
            .conn
            .prepare_cached(&format!("SELECT count(*) FROM gate_log g WHERE {condition}"))?
            .query_row(params![gate, conversation], |row| row.get(0))?;
        let mut statement = self.tx.conn.prepare_cached(&format!(
            "SELECT g.seq, g.conversation_id, c.title, c.channel_type, g.gate, g.content, g.reason, g.interaction_id, g.proposer, g.created_at_ms, g.start, g.\"end\"
               FROM gate_log g JOIN conversations c ON c.id = g.conversation_id
              WHERE {condition} ORDER BY g.seq DESC LIMIT ?3 OFFSET ?4"
        ))?;
        let mut rows = statement.query(params![gate, conversation, limit, offset])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            let interaction: Option<String> = row.get(7)?;
            let (start, end): (Option<u32>, Option<u32>) = (row.get(10)?, row.get(11)?);
            let span = start.zip(end).and_then(|(start, end)| Span::new(start, end).ok());
            items.push(GateLogRow {
                seq: row.get(0)?,
                conversation_id: parse("conversation id", &row.get::<_, String>(1)?)?,
                conversation_title: row.get(2)?,
                channel_type: row.get(3)?,
                gate: parse("gate", &row.get::<_, String>(4)?)?,
                content: row.get(5)?,
                reason: row.get(6)?,
                place: interaction.map(|id| parse("message id", &id).map(|id| (id, span))).transpose()?,
                proposer: row.get(8)?,
                created: Timestamp(row.get(9)?),
            });
        }
        Ok((total as u64, items))
    }

    /// Number of entries by gate.
    pub fn gate_counts(&self) -> Result<Vec<(String, u64)>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT gate, count(*) FROM gate_log GROUP BY gate ORDER BY 2 DESC, 1")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
        Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
    }

    /// The reason why a memory was quarantined.
    pub fn quarantine_reason(&self, id: &MemoryId) -> Result<Option<String>> {
        let mut statement =
            self.tx.conn.prepare_cached("SELECT reason FROM gate_log WHERE memory_id = ?1 ORDER BY seq LIMIT 1")?;
        let mut rows = statement.query(params![id.as_str()])?;
        Ok(match rows.next()? {
            Some(row) => Some(row.get(0)?),
            None => None,
        })
    }
}

impl MemoriesMut<'_> {
    /// Adds an entry. If the same proposal by the same proposer is stopped at the same place again, nothing is added.
    pub fn log_stop(&self, stop: &NewGateLogRow, now: Timestamp) -> Result<()> {
        let (interaction, span) = match &stop.place {
            Some((id, span)) => (Some(id.as_str()), Some(*span)),
            None => (None, None),
        };
        self.tx.conn
            .prepare_cached(
                "INSERT INTO gate_log (conversation_id, gate, subject, content, reason, interaction_id, start, \"end\", memory_id, proposer,
                                       job_id, created_at_ms)
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
                  WHERE NOT EXISTS (SELECT 1 FROM gate_log WHERE conversation_id = ?1 AND gate = ?2 AND interaction_id IS ?6 AND start IS ?7
                                       AND content = ?4 AND proposer = ?10)",
            )?
            .execute(params![
                stop.conversation_id.as_str(),
                stop.gate.name(),
                stop.subject.as_str(),
                stop.content,
                stop.reason,
                interaction,
                span.map(Span::start),
                span.map(Span::end),
                stop.memory_id.as_ref().map(MemoryId::as_str),
                stop.proposer,
                stop.job_id.as_ref().map(JobId::as_str),
                now.0
            ])?;
        self.tx.touch(Tag::GateLog);
        Ok(())
    }
}
