//! Analyze Now without a model: one pass over a conversation. Every conclusion names the words it is based on.
//!
//! Only plain utterances are analyzed. Deliberately not here: deciding what to remember, which the trained reader does
//! (`keepsake-capture`). A model can also propose projects and stories and describe the mood of the conversation
//! ([`crate::model`]).

mod mood;
mod phrases;
pub(crate) mod rules;
mod summary;

use keepsake_domain::{Candidate, Role, Stop};
use thiserror::Error;

pub use mood::{ArcPoint, Mood, Stage};
pub(crate) use phrases::{RankedPhrase, ranked as ranked_phrases};
pub use phrases::{THEMES_MAX, TOPICS_MAX};
pub use summary::SummarySentence;

use crate::text::Document;
use crate::turn::{AnalysisInput, fingerprint};

/// Engine name and version, stored with every row this engine produces. Raise the version when results change.
pub const ENGINE_VERSION: &str = "builtin-analysis/4";

/// The result of analyzing a whole conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The owner's projects, experiences, stories and relationships, strongest first. Only a model produces these.
    pub candidates: Vec<Candidate>,
    /// Candidates that a gate filtered out, each with the gate and the reason.
    pub stops: Vec<Stop>,
    /// Two or three sentences from the conversation, in their original order; only one if the conversation has no others.
    pub summary: Vec<SummarySentence>,
    /// Two to five phrases that recur throughout the conversation, spelled as in the text; fewer in a very short conversation.
    pub themes: Vec<String>,
    /// The overall tone in a few words. Only a model produces this.
    pub tone: Option<String>,
    /// The mood at the start, in the middle and at the end. Only a model produces these.
    pub emotional_arc: Vec<ArcPoint>,
    /// Authors of plain utterances, in order of appearance.
    pub participants: Vec<String>,
    /// Three to eight concrete phrases and names, spelled as in the text; fewer in a very short conversation.
    pub key_topics: Vec<String>,
    /// Fingerprint of the transcript: equal for equal input. See [`crate::fingerprint`].
    pub fingerprint: String,
}

/// The conversation contains no words that can be analyzed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the conversation has no words to analyze: all of its {turns} messages are empty, notices, tool output or abandoned branches"
)]
pub struct TooShort {
    /// Total number of messages in the conversation.
    pub turns: usize,
}

/// Analyzes one conversation of any length, as long as it contains words. To enforce the soft minimum, call
/// [`crate::is_long_enough`] first.
pub fn analyse(input: &AnalysisInput<'_>) -> Result<Analysis, TooShort> {
    let document = Document::read(input.turns);
    if document.plain.is_empty() {
        return Err(TooShort { turns: input.turns.len() });
    }
    let phrases = phrases::rank(&document);
    let summary = summary::summarise(&document, input.vectors);
    Ok(Analysis {
        candidates: Vec::new(),
        stops: Vec::new(),
        summary,
        themes: phrases.themes,
        tone: None,
        emotional_arc: Vec::new(),
        participants: participants(input, &document.plain),
        key_topics: phrases.topics,
        fingerprint: fingerprint(input.turns),
    })
}

/// Computes only the summary, for callers that do not need the whole analysis.
pub(crate) fn summarised(input: &AnalysisInput<'_>) -> Result<Vec<SummarySentence>, TooShort> {
    let document = Document::read(input.turns);
    if document.plain.is_empty() {
        return Err(TooShort { turns: input.turns.len() });
    }
    Ok(summary::summarise(&document, input.vectors))
}

/// The authors of the turns listed in `plain`, in order of first appearance.
pub(crate) fn participants(input: &AnalysisInput<'_>, plain: &[usize]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for turn in plain.iter().filter_map(|index| input.turns.get(*index)) {
        let shown = turn.author.trim();
        let placeholder =
            shown.is_empty() || ["you", "user", "me", "human", "owner"].iter().any(|word| shown.eq_ignore_ascii_case(word));
        let name = match input.owner_name.map(str::trim).filter(|name| !name.is_empty()) {
            Some(owner) if turn.role == Role::Owner && placeholder => owner,
            _ => shown,
        };
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}
