//! Whole-conversation analyses and summaries. Every run is kept and never edited.

use keepsake_domain::{AnalysisId, ConversationId, InteractionId, SummaryId, Timestamp};
use rusqlite::params;

use crate::Result;
use crate::areas::{Analyses, AnalysesMut};
use crate::changes::Tag;
use crate::text::parse;

/// An analysis, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisRow {
    /// Id.
    pub id: AnalysisId,
    /// The conversation that was analyzed.
    pub conversation_id: ConversationId,
    /// Name and version of the engine.
    pub proposer: String,
    /// Fingerprint of the transcript that was analyzed.
    pub fingerprint: String,
    /// The engine's result as JSON.
    pub outcome: String,
    /// When it was made.
    pub created: Timestamp,
}

impl Analyses<'_> {
    /// All analyses of a conversation, newest first.
    pub fn of(&self, conversation: &ConversationId) -> Result<Vec<AnalysisRow>> {
        let mut statement = self.tx.conn.prepare_cached(
            "SELECT id, conversation_id, proposer, fingerprint, outcome, created_at_ms FROM conversation_analyses
              WHERE conversation_id = ?1 ORDER BY created_at_ms DESC, id DESC",
        )?;
        let mut rows = statement.query(params![conversation.as_str()])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(AnalysisRow {
                id: parse("analysis id", &row.get::<_, String>(0)?)?,
                conversation_id: parse("conversation id", &row.get::<_, String>(1)?)?,
                proposer: row.get(2)?,
                fingerprint: row.get(3)?,
                outcome: row.get(4)?,
                created: Timestamp(row.get(5)?),
            });
        }
        Ok(items)
    }
}

impl AnalysesMut<'_> {
    /// Stores an analysis and its summary, which supersedes the previous summary.
    pub fn insert_analysis(
        &self,
        analysis: &AnalysisRow,
        summary: Option<(&SummaryId, &str, &InteractionId, &InteractionId)>,
    ) -> Result<()> {
        self.tx.conn.execute(
            "INSERT INTO conversation_analyses (id, conversation_id, proposer, fingerprint, outcome, created_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                analysis.id.as_str(),
                analysis.conversation_id.as_str(),
                analysis.proposer,
                analysis.fingerprint,
                analysis.outcome,
                analysis.created.0
            ],
        )?;
        if let Some((id, text, start, end)) = summary {
            self.tx.conversation_status().insert_summary(
                id,
                &analysis.conversation_id,
                text,
                (start, end),
                &analysis.proposer,
                analysis.created,
            )?;
        }
        self.tx.touch(Tag::Analyses);
        Ok(())
    }
}
