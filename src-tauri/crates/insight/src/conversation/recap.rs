//! A summary that names the range it covers (first and last interaction), so that it is visible when a later summary supersedes
//! it.
//!
//! The sentences come from the extractive summary. This module adds only the range, which covers all turns, including those
//! without words.

use serde::{Deserialize, Serialize};

use crate::analysis::{SummarySentence, TooShort, summarised};
use crate::turn::{AnalysisInput, fingerprint};

/// A summary of part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recap {
    /// Id of the first message covered.
    pub first: String,
    /// Id of the last message covered.
    pub last: String,
    /// The number of messages covered, including the first and the last.
    pub covers: usize,
    /// The summary sentences in order, each with its turn and span.
    pub sentences: Vec<SummarySentence>,
    /// Fingerprint of the summarized text, so that the same words need not be summarized again. See [`crate::fingerprint`].
    pub fingerprint: String,
}

impl Recap {
    /// The source range in the notation of the seeds: `int_…..int_…`.
    pub fn source_range(&self) -> String {
        format!("{}..{}", self.first, self.last)
    }
}

/// Summarizes `input` and names the range that its turns cover.
pub fn recap(input: &AnalysisInput<'_>) -> Result<Recap, TooShort> {
    let sentences = summarised(input)?;
    let (Some(first), Some(last)) = (input.turns.first(), input.turns.last()) else { return Err(TooShort { turns: 0 }) };
    Ok(Recap {
        first: first.id.to_owned(),
        last: last.id.to_owned(),
        covers: input.turns.len(),
        sentences,
        fingerprint: fingerprint(input.turns),
    })
}
