//! The mood of a conversation and its emotional arc, chosen from a closed list of words.
//!
//! Only a language model sets these values. Word lists are not used: they mistook courtesies for feelings, and half of what
//! people feel appears in no list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mood. `mixed` is only used for a whole conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mood {
    /// Glad, delighted.
    Joyful,
    /// Looking forward to something.
    Excited,
    /// Sincerely thankful.
    Grateful,
    /// Warm toward another person.
    Affectionate,
    /// Hoping for something.
    Hopeful,
    /// Proud of something or of another person.
    Proud,
    /// Glad that a worry has passed.
    Relieved,
    /// Laughing.
    Amused,
    /// No particular mood, or unknown.
    Neutral,
    /// Afraid, anxious, under pressure.
    Worried,
    /// Annoyed or disappointed.
    Frustrated,
    /// Angry.
    Angry,
    /// Sad, grieving, lonely.
    Sad,
    /// Exhausted, overwhelmed.
    Tired,
    /// Pleasant and unpleasant feelings in about equal measure.
    Mixed,
}

impl Mood {
    /// Every mood, pleasant ones first.
    pub const ALL: &'static [Self] = &[
        Self::Joyful,
        Self::Excited,
        Self::Grateful,
        Self::Affectionate,
        Self::Hopeful,
        Self::Proud,
        Self::Relieved,
        Self::Amused,
        Self::Neutral,
        Self::Worried,
        Self::Frustrated,
        Self::Angry,
        Self::Sad,
        Self::Tired,
        Self::Mixed,
    ];

    /// The stable name, which is also an ordinary adjective.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Joyful => "joyful",
            Self::Excited => "excited",
            Self::Grateful => "grateful",
            Self::Affectionate => "affectionate",
            Self::Hopeful => "hopeful",
            Self::Proud => "proud",
            Self::Relieved => "relieved",
            Self::Amused => "amused",
            Self::Neutral => "neutral",
            Self::Worried => "worried",
            Self::Frustrated => "frustrated",
            Self::Angry => "angry",
            Self::Sad => "sad",
            Self::Tired => "tired",
            Self::Mixed => "mixed",
        }
    }
}

/// A stage of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The first third.
    Start,
    /// The second third.
    Middle,
    /// The last third.
    End,
}

/// The mood of one stage and the turn that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArcPoint {
    /// The stage.
    pub stage: Stage,
    /// The mood in that stage.
    pub mood: Mood,
    /// Index of the turn that shows the mood.
    pub turn: usize,
}
