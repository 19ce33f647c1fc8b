//! A summary that names what it covers: the first and last interaction, so that a later one supersedes it openly.
//!
//! The sentences are those of the extractive summary; here is only the range, over all turns and not just those that speak.

use serde::{Deserialize, Serialize};

use crate::analysis::{SummarySentence, TooShort, summarised};
use crate::turn::{AnalysisInput, fingerprint};

/// A summary of a stretch of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recap {
    /// Id of the first message it covers.
    pub first: String,
    /// Id of the last.
    pub last: String,
    /// How many messages lie between, both included.
    pub covers: usize,
    /// The sentences, in order, each with its turn and span.
    pub sentences: Vec<SummarySentence>,
    /// Of what was read; a summary of the same words need not be made again. See [`crate::fingerprint`].
    pub fingerprint: String,
}

impl Recap {
    /// The seeds' own writing of a source range: `int_…..int_…`.
    pub fn source_range(&self) -> String {
        format!("{}..{}", self.first, self.last)
    }
}

/// Summarises the turns of `input`, which are the stretch it names.
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
