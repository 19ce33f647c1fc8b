//! How a conversation felt, in a closed list of words: its mood, and its emotional arc.
//!
//! A language model alone tells it. No list of words does: it took courtesies for feelings, and half of what people feel stands in none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mood. `mixed` is only ever said of a whole conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mood {
    /// Glad, delighted.
    Joyful,
    /// Looks forward.
    Excited,
    /// Thanks in earnest.
    Grateful,
    /// Warm towards somebody.
    Affectionate,
    /// Hopes.
    Hopeful,
    /// Proud of something or somebody.
    Proud,
    /// A worry is over.
    Relieved,
    /// Laughs.
    Amused,
    /// None in particular, or not known.
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
    /// Pleasant and unpleasant balance.
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

    /// The stable name, which is also a plain adjective.
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

/// Where in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The first third.
    Start,
    /// The second.
    Middle,
    /// The last.
    End,
}

/// The mood of one stage and the turn it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArcPoint {
    /// Which stage.
    pub stage: Stage,
    /// Its mood.
    pub mood: Mood,
    /// Index of the turn that shows it.
    pub turn: usize,
}
