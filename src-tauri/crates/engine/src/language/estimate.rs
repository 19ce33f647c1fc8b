//! What it will cost to have the chosen model read what it has not read: tokens, and time at the pace of its last calls.
//!
//! Deliberately not here: prices, which servers do not tell.

use keepsake_domain::limits::CHARS_PER_TOKEN;

use super::ModelFailure;
use crate::{Engine, Result};

/// What people wrote is read for facts and for positions, with what stands around it, and what is found is read by the judge: on talks
/// of some pages the calls had two to three times the tokens of the words.
const TOKENS_A_TOKEN: f64 = 2.5;

/// Instructions and replies of the calls about a short conversation.
const TOKENS_A_CONVERSATION: u64 = 4_500;

/// Calls by which the pace is judged: the first of a model loads it, and one long reply says little.
const PACE_CALLS: u32 = 20;

/// What reading will cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingEstimate {
    /// Conversations that no model has read.
    pub conversations: u64,
    /// Tokens, both ways.
    pub tokens: u64,
    /// At the pace of the model's last calls; nothing where there were none.
    pub duration_ms: Option<u64>,
}

impl Engine {
    /// What it will cost to have the chosen model read the conversations that no model has read.
    pub fn estimate_reading(&self) -> Result<ReadingEstimate> {
        let settings = self.model_settings()?;
        let provider = settings.proposing().ok_or(ModelFailure::NoModel)?;
        let (conversations, chars, (tokens_read, took_ms)) = self.store().read(|tx| {
            let ids = tx.conversations_for_model()?;
            Ok((ids.len() as u64, tx.chars_for_model(&ids)?, tx.model_pace(&provider.model, PACE_CALLS)?))
        })?;
        let words = chars as f64 / CHARS_PER_TOKEN as f64;
        let tokens = (words * TOKENS_A_TOKEN) as u64 + conversations * TOKENS_A_CONVERSATION;
        let duration_ms = (tokens_read > 0).then(|| (tokens as f64 * took_ms as f64 / tokens_read as f64) as u64);
        Ok(ReadingEstimate { conversations, tokens, duration_ms })
    }
}
