//! Analyze Now without a model: one pass over a conversation, every conclusion tied to the words it rests on.
//!
//! Only plain utterances count. Deliberately not here: what is to be remembered; the reader marks that (`keepsake-capture`), and a model
//! may propose projects and stories, and tell how it felt ([`crate::model`]).

mod mood;
mod phrases;
mod summary;

use keepsake_domain::{Candidate, Role, Stop};
use thiserror::Error;

pub use mood::{ArcPoint, Mood, Stage};
pub(crate) use phrases::{RankedPhrase, ranked as ranked_phrases};
pub use phrases::{THEMES_MAX, TOPICS_MAX};
pub use summary::SummarySentence;

use crate::text::Document;
use crate::turn::{AnalysisInput, fingerprint};

/// Names this engine and its version on every row it produces. Raise it when results change.
pub const ENGINE_VERSION: &str = "builtin-analysis/4";

/// What a whole conversation says.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Projects, experiences, stories and relationships of the owner, strongest first; from a model alone.
    pub candidates: Vec<Candidate>,
    /// What looked like a candidate and was stopped, with the gate and the reason.
    pub stops: Vec<Stop>,
    /// Two or three sentences of the conversation itself, in its order; one where there is only one.
    pub summary: Vec<SummarySentence>,
    /// Two to five phrases that run through the conversation, as the text writes them; fewer in a very short one.
    pub themes: Vec<String>,
    /// How it felt over all, in a few words; from a model alone.
    pub tone: Option<String>,
    /// How it felt at the start, in the middle and at the end; from a model alone.
    pub emotional_arc: Vec<ArcPoint>,
    /// Authors of plain utterances, in order of appearance.
    pub participants: Vec<String>,
    /// Three to eight concrete phrases and names, as the text writes them; fewer in a very short one.
    pub key_topics: Vec<String>,
    /// Of the transcript: equal input, equal fingerprint. See [`crate::fingerprint`].
    pub fingerprint: String,
}

/// Nothing in the conversation can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the conversation has no words to analyse: all of its {turns} messages are empty, notices, tool output or abandoned branches"
)]
pub struct TooShort {
    /// How many messages it has in all.
    pub turns: usize,
}

/// Analyses one conversation. Works on anything that has words; ask [`crate::is_long_enough`] first where the soft
/// minimum is to be kept.
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

/// The summary alone, for whoever needs no analysis.
pub(crate) fn summarised(input: &AnalysisInput<'_>) -> Result<Vec<SummarySentence>, TooShort> {
    let document = Document::read(input.turns);
    if document.plain.is_empty() {
        return Err(TooShort { turns: input.turns.len() });
    }
    Ok(summary::summarise(&document, input.vectors))
}

/// The authors of the turns at `plain`, in order of appearance.
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
