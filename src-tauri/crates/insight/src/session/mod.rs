//! A session with an agent (seed 000, phase 1): what it was about, what resulted from it and what is worth keeping. Sessions are
//! distilled into the three tiers of long-term memory (phase 2, [`tier`]).
//!
//! A session is everything that one user and one agent say to each other in a conversation until it ends ([`exchanges`]). Its
//! record is extractive: every line is part of a stored message, so nothing in it is made up, and statements about the user are
//! based only on the user's own words. A record made by a language model ([`model`]) has the same form and passes the same
//! checks.
//!
//! Deliberately not here: detecting the end of a session (`conversation`), finding facts about the user (`keepsake-capture` does
//! that, and the caller passes them in), storage, and deciding who may be served.

mod built_in;
mod exchange;
pub mod model;
pub(crate) mod rules;
pub mod tier;
mod tools;

pub use crate::session::rules::LINE_CHARS_MAX;
use std::ops::Range;

use keepsake_domain::{Mark, Span};
use serde::{Deserialize, Serialize};

pub use built_in::summarise;
pub use exchange::{Exchange, Speaker, exchanges};

use crate::Turn;
use crate::conversation::Place;

/// Name and version of these rules, stored with every row they produce. Raise the version when results change.
pub const ENGINE_VERSION: &str = "builtin-session/5";

/// How technical the conversation was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// Everyday words.
    Casual,
    /// Some technical terms.
    Moderate,
    /// Mostly technical terms.
    Expert,
}

impl Depth {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Casual => "casual",
            Self::Moderate => "moderate",
            Self::Expert => "expert",
        }
    }
}

/// The outcome of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The request was carried out or answered.
    Resolved,
    /// The request was partly carried out or answered.
    Partial,
    /// The request was not carried out or answered.
    Unresolved,
}

impl Outcome {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Partial => "partial",
            Self::Unresolved => "unresolved",
        }
    }
}

/// The field of a record that a line belongs to: the lists of seed 000, plus fields for the evidence of the record's single-word
/// values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// What the user wanted.
    Intent,
    /// Evidence for the technical depth.
    TechnicalDepth,
    /// Evidence for the mood.
    UserMood,
    /// Evidence for the outcome.
    Outcome,
    /// How user and agent get along.
    RelationshipNotes,
    /// A goal of the user.
    ActiveGoals,
    /// Something the agent heard from the user.
    Heard,
    /// Something the agent said.
    Said,
    /// Something the agent did.
    Did,
    /// A tool that was used, and what it was used for.
    ToolsUsed,
    /// A fact about the user.
    FactsLearned,
    /// A decision, a solution or a learning that is not about a person.
    KnowledgeLearned,
    /// A preference of the user.
    PreferencesNoted,
    /// Something that failed.
    ErrorsEncountered,
    /// Something that remains to be done.
    FollowUps,
}

impl Field {
    /// All fields, in the order of the record.
    pub const ALL: [Self; 15] = [
        Self::Intent,
        Self::TechnicalDepth,
        Self::UserMood,
        Self::Outcome,
        Self::RelationshipNotes,
        Self::ActiveGoals,
        Self::Heard,
        Self::Said,
        Self::Did,
        Self::ToolsUsed,
        Self::FactsLearned,
        Self::KnowledgeLearned,
        Self::PreferencesNoted,
        Self::ErrorsEncountered,
        Self::FollowUps,
    ];

    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intent => "intent",
            Self::TechnicalDepth => "technical_depth",
            Self::UserMood => "user_mood",
            Self::Outcome => "outcome",
            Self::RelationshipNotes => "relationship_notes",
            Self::ActiveGoals => "active_goals",
            Self::Heard => "heard",
            Self::Said => "said",
            Self::Did => "did",
            Self::ToolsUsed => "tools_used",
            Self::FactsLearned => "facts_learned",
            Self::KnowledgeLearned => "knowledge_learned",
            Self::PreferencesNoted => "preferences_noted",
            Self::ErrorsEncountered => "errors_encountered",
            Self::FollowUps => "follow_ups",
        }
    }

    /// The field with this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }
}

/// One line of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The field that the line belongs to.
    pub field: Field,
    /// For a tool, its name; for knowledge, its kind (`decision`, `solution`, `learning`).
    pub name: Option<String>,
    /// For a tool, how often it was used.
    pub uses: u32,
    /// The words at the line's place, with whitespace normalized.
    pub text: String,
    /// The turn and span that prove the line.
    pub place: Place,
}

/// The result of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// How technical the conversation was. Meaningful only if a line gives evidence for it; only a model provides such lines.
    pub technical_depth: Depth,
    /// The user's mood, as a name from [`crate::Mood`]. Meaningful only if a line gives evidence for it; only a model provides
    /// such lines.
    pub user_mood: String,
    /// 1 (transient) to 5 (foundational).
    pub significance: u8,
    /// The outcome.
    pub outcome: Outcome,
    /// The lines, ordered by field and then by when they were said.
    pub items: Vec<Item>,
}

impl SessionRecord {
    /// The lines of one field.
    pub fn of(&self, field: Field) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.field == field)
    }
}

/// A statement that another component found in the user's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// The place of the words.
    pub place: Place,
    /// The kind of finding.
    pub kind: FindingKind,
}

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// A fact about the user.
    Fact,
    /// A preference or wish of the user.
    Preference,
    /// A goal of the user.
    Goal,
}

/// The input for summarizing one session.
#[derive(Debug, Clone, Copy)]
pub struct SessionInput<'a> {
    /// The turns of this user and this agent only, in order. The user's turns have the owner role, even if the user is another
    /// person.
    pub turns: &'a [Turn<'a>],
    /// For each turn, the tool it used or whose result it contains.
    pub tools: &'a [Option<&'a str>],
    /// The marks that the reader set in each turn.
    pub marks: &'a [Vec<Mark>],
    /// The findings in the user's words.
    pub findings: &'a [Finding],
    /// True if this agent may keep goals.
    pub may_hold_goals: bool,
}

/// Puts text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a record line for a place: exactly the words at that place. `None` if the place does not exist or is empty.
pub fn words_at(text: &str, span: Span) -> Option<String> {
    let words = one_line(span.quote(text).ok()?);
    (!words.is_empty()).then_some(words)
}

/// Shortens a byte range to at most [`LINE_CHARS_MAX`] characters, cutting at a word boundary.
pub(super) fn fitting(text: &str, bytes: Range<usize>) -> Range<usize> {
    let Some(slice) = text.get(bytes.clone()) else { return bytes };
    let Some((cut, _)) = slice.char_indices().nth(LINE_CHARS_MAX) else { return bytes };
    let head = slice.get(..cut).unwrap_or(slice);
    let end = head.rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(cut);
    bytes.start..bytes.start + head.get(..end).unwrap_or(head).trim_end().len()
}
