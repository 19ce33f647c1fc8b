//! Estimates what it costs to let the chosen model read the conversations that no model has read: the number of tokens, and the
//! time at the pace of the model's latest calls.
//!
//! Not in this module: prices, which servers do not report.

use keepsake_domain::limits::CHARS_PER_TOKEN;

use super::ModelFailure;
use crate::Result;
use crate::areas::Models;

/// Tokens used per token of conversation. Messages are read once for facts and once for positions, with context, and the judge
/// reads the results. For conversations of several pages, the calls used two to three times as many tokens as the text
/// contains.
const TOKENS_A_TOKEN: f64 = 2.5;

/// Tokens for the instructions and replies in calls about a short conversation.
const TOKENS_A_CONVERSATION: u64 = 4_500;

/// Number of latest calls used to compute the pace. A single call says little: the first one also loads the model, and a reply
/// may be unusually long.
const PACE_CALLS: u32 = 20;

/// Estimated cost of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingEstimate {
    /// Number of conversations that no model has read.
    pub conversations: u64,
    /// Number of tokens, sent and received.
    pub tokens: u64,
    /// Duration in milliseconds at the pace of the model's latest calls; `None` if there were none.
    pub duration_ms: Option<u64>,
}

impl Models<'_> {
    /// Estimates the cost of letting the chosen model read all conversations that no model has read.
    pub fn estimate_reading(&self) -> Result<ReadingEstimate> {
        let settings = self.settings()?;
        let provider = settings.proposing().ok_or(ModelFailure::NoModel)?;
        let (conversations, chars, (tokens_read, took_ms)) = self.engine.store().read(|tx| {
            let ids = tx.log().conversations_for_model()?;
            Ok((ids.len() as u64, tx.log().chars_for_model(&ids)?, tx.model_calls().pace(&provider.model, PACE_CALLS)?))
        })?;
        let words = chars as f64 / CHARS_PER_TOKEN as f64;
        let tokens = (words * TOKENS_A_TOKEN) as u64 + conversations * TOKENS_A_CONVERSATION;
        let duration_ms = (tokens_read > 0).then(|| (tokens as f64 * took_ms as f64 / tokens_read as f64) as u64);
        Ok(ReadingEstimate { conversations, tokens, duration_ms })
    }
}
