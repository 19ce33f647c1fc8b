//! A session with an agent (seed 000, phase 1): what it was about, what came of it, and what of it is worth keeping; and the three
//! tiers of long-term memory that sessions are distilled into (phase 2, [`tier`]).
//!
//! A session is what one user and one agent said to each other in a conversation, up to where it ended ([`exchanges`]). Its record is
//! extractive: every line is a stretch of a stored message, so nothing stands in it that nobody said, and what is said about the user
//! rests on the user's own words alone. A record made by a language model ([`model`]) has the same form and passes the same checks.
//!
//! Deliberately not here: when a session has ended (`conversation`), facts about the user (`keepsake-capture` finds them, the caller
//! hands them in), storing, who may be told.

mod built_in;
mod exchange;
pub mod model;
pub mod tier;
mod tools;

use keepsake_domain::{Mark, Span};
use serde::{Deserialize, Serialize};

pub use built_in::summarise;
pub use exchange::{Exchange, Speaker, exchanges};

use crate::Turn;
use crate::conversation::Place;

/// Names these rules and their version on every row made with them. Raise it when results change.
pub const ENGINE_VERSION: &str = "builtin-session/5";

/// A line of a record is cut at a word within so many characters: it is to be read at a glance, and its message is a click away.
pub const LINE_CHARS_MAX: usize = 240;

/// How deep the talk went into a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// Everyday words.
    Casual,
    /// Some words of a trade.
    Moderate,
    /// Mostly such words.
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

/// What came of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// What was wanted was done or answered.
    Resolved,
    /// Some of it.
    Partial,
    /// Nothing of it.
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

/// What a line of a record tells: the lists of seed 000, and the lines that show what its single words say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// What the user came for.
    Intent,
    /// Shows the technical depth.
    TechnicalDepth,
    /// Shows the mood.
    UserMood,
    /// Shows the outcome.
    Outcome,
    /// How user and agent get along.
    RelationshipNotes,
    /// What the user works towards.
    ActiveGoals,
    /// What I heard.
    Heard,
    /// What I said.
    Said,
    /// What I did.
    Did,
    /// A tool, with what for.
    ToolsUsed,
    /// A fact about the user.
    FactsLearned,
    /// A decision, a solution or a learning, which is about no person.
    KnowledgeLearned,
    /// What the user wants how.
    PreferencesNoted,
    /// What failed.
    ErrorsEncountered,
    /// What is still to be done.
    FollowUps,
}

impl Field {
    /// Every field in the order of the record.
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

    /// The field of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }
}

/// One line of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What it tells.
    pub field: Field,
    /// Beside a tool its name, beside knowledge its kind (`decision`, `solution`, `learning`).
    pub name: Option<String>,
    /// How often a tool was used.
    pub uses: u32,
    /// The words of its place, white space evened out.
    pub text: String,
    /// The turn and the stretch that prove it.
    pub place: Place,
}

/// What one session comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// How deep the talk went. Known only where a line shows it, which a model alone tells.
    pub technical_depth: Depth,
    /// How the user felt, by the names of [`crate::Mood`]. Known only where a line shows it, which a model alone tells.
    pub user_mood: String,
    /// 1 (transient) to 5 (foundational).
    pub significance: u8,
    /// What came of it.
    pub outcome: Outcome,
    /// Its lines, by field and within each in the order in which they were said.
    pub items: Vec<Item>,
}

impl SessionRecord {
    /// The lines of one field.
    pub fn of(&self, field: Field) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.field == field)
    }
}

/// What somebody else found in the user's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What it is.
    pub kind: FindingKind,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// A fact about the user.
    Fact,
    /// What the user likes or wants.
    Preference,
    /// What the user works towards.
    Goal,
}

/// One session as it is read.
#[derive(Debug, Clone, Copy)]
pub struct SessionInput<'a> {
    /// The turns of this user and this agent alone, in order; those of the user have the role of the owner, whoever they are.
    pub turns: &'a [Turn<'a>],
    /// The tool of each turn that used one or brought its result.
    pub tools: &'a [Option<&'a str>],
    /// What the reader marked in each turn.
    pub marks: &'a [Vec<Mark>],
    /// What was found in the user's words.
    pub findings: &'a [Finding],
    /// The agent is one that may hold goals.
    pub may_hold_goals: bool,
}

/// The words of a stretch on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words that a line of a record has at a place: those of the place and no others. Nothing where the place is none.
pub fn words_at(text: &str, span: Span) -> Option<String> {
    let words = one_line(span.quote(text).ok()?);
    (!words.is_empty()).then_some(words)
}
