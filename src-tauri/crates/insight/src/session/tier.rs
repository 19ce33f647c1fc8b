//! The three tiers of long-term memory: which line of a session goes to which tier ([`route`]), and what is served from a tier
//! ([`serve`]).
//!
//! Facts about the user and the user's preferences go to that user's own tier. How the agent worked (tools, failures, results)
//! goes to the agent's tier. Decisions, solutions and learnings go to the tier shared by all agents. Each entry is based on one
//! session, so data of different users is never mixed.
//!
//! The served text stays within its budget; lines that do not fit remain stored and are reported. Deliberately not here: access
//! control (the caller passes in only the lines that may be served), and storage.

use crate::session::rules::KNOWLEDGE_WORDS_MIN;
pub use crate::session::rules::SESSIONS_PER_PASS_MAX;
use std::collections::BTreeSet;

use keepsake_domain::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Field, Item, Outcome};

/// A tier of long-term memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Known to every agent.
    Shared,
    /// What one agent knows about its work.
    Agent,
    /// What one agent knows about one user.
    User,
}

impl Tier {
    /// Every tier.
    pub const ALL: [Self; 3] = [Self::Shared, Self::Agent, Self::User];

    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Agent => "agent",
            Self::User => "user",
        }
    }

    /// The tier with this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }

    /// Maximum number of characters served from this tier (seed 000).
    pub const fn budget_chars(self) -> usize {
        match self {
            Self::Shared => 4_000,
            Self::Agent => 8_000,
            Self::User => 4_000,
        }
    }
}

/// One line of a session, routed to a tier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routed {
    /// The tier that the line goes to.
    pub tier: Tier,
    /// The kind: `fact`, `preference`, `goal`, `decision`, `solution`, `learning`, `tool`, `did`, `error`, `outcome`,
    /// `follow_up`, `relationship`.
    pub kind: String,
    /// For a tool, its name and number of uses; for an error, the tool that failed; for an outcome, which one.
    pub detail: Option<String>,
    /// Significance, 1 to 5.
    pub significance: u8,
    /// Index of the line in the record.
    pub item: usize,
}

/// Assigns the lines of a session to tiers.
pub fn route(significance: u8, outcome: Outcome, items: &[Item]) -> Vec<Routed> {
    let level = significance.clamp(1, 5);
    let mut routed = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let name = item.name.clone();
        let (tier, kind, detail, significance) = match item.field {
            // Facts about a person outlast the conversation in which they were said.
            Field::FactsLearned => (Tier::User, "fact", None, level.max(3)),
            Field::PreferencesNoted => (Tier::User, "preference", None, level.max(4)),
            Field::ActiveGoals => (Tier::User, "goal", None, level.max(3)),
            Field::RelationshipNotes => (Tier::User, "relationship", None, level.min(2)),
            Field::FollowUps => (Tier::User, "follow_up", None, level.min(3)),
            Field::KnowledgeLearned if item.text.split_whitespace().count() < KNOWLEDGE_WORDS_MIN => continue,
            Field::KnowledgeLearned => (Tier::Shared, kind_of(item.name.as_deref()), None, level.max(2)),
            Field::ToolsUsed => {
                let detail = name.map(|name| if item.uses > 1 { format!("{name} ×{}", item.uses) } else { name });
                (Tier::Agent, "tool", detail, level.min(3))
            }
            Field::Did => (Tier::Agent, "did", None, level.min(2)),
            Field::ErrorsEncountered => (Tier::Agent, "error", name, level.min(3)),
            Field::Intent => (Tier::Agent, "outcome", Some(outcome.name().to_owned()), level),
            Field::TechnicalDepth | Field::UserMood | Field::Outcome | Field::Heard | Field::Said => continue,
        };
        routed.push(Routed { tier, kind: kind.to_owned(), detail, significance, item: index });
    }
    routed
}

fn kind_of(name: Option<&str>) -> &'static str {
    match name {
        Some("decision") => "decision",
        Some("solution") => "solution",
        _ => "learning",
    }
}

/// One entry of a tier as a line that may be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierLine {
    /// The entry's id. It breaks ties, so that the same entries give the same text.
    pub id: String,
    /// The whole line; line breaks are treated as spaces.
    pub text: String,
    /// The statement without its time and speaker; lines with equal statements are served only once.
    pub says: String,
    /// Significance, 1 to 5.
    pub significance: u8,
    /// When it was said.
    pub said: Timestamp,
}

/// The text served from a tier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Served {
    /// The text, line by line.
    pub text: String,
    /// The number of characters.
    pub chars: usize,
    /// Indices of the lines in the text, in their order there.
    pub shown: Vec<usize>,
    /// Indices of the lines that did not fit, in the order in which the text would have contained them.
    pub left_out: Vec<usize>,
    /// Indices of the lines that repeat an earlier one.
    pub repeated: Vec<usize>,
}

/// The priority band of a significance value: foundational (0), useful (1), recent (2). Lower bands are served first.
pub const fn band(significance: u8) -> u8 {
    match significance {
        4.. => 0,
        3 => 1,
        _ => 2,
    }
}

/// Reduces a line to its words in lowercase, for comparison with another line.
pub fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The text of a tier within `budget_chars` characters: significance 4 and 5 first, then 3, then 1 and 2, each newest first. The
/// text ends at the first line that does not fit, so a less significant line never displaces a more significant one. A line that
/// exceeds the whole budget by itself is left out and does not block the others. No line is ever cut.
pub fn serve(lines: &[TierLine], budget_chars: usize) -> Served {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| {
        let key = |at: &usize| lines.get(*at).map(|line| (band(line.significance), std::cmp::Reverse(line.said), &line.id));
        key(a).cmp(&key(b)).then(a.cmp(b))
    });
    let mut served = Served::default();
    let mut said: BTreeSet<String> = BTreeSet::new();
    let mut is_full = false;
    for index in order {
        let Some(line) = lines.get(index) else { continue };
        let says = folded(&line.says);
        if !says.is_empty() && !said.insert(says) {
            served.repeated.push(index);
            continue;
        }
        let text = super::one_line(&line.text);
        let chars = text.chars().count() + 1;
        if is_full || served.chars + chars > budget_chars {
            is_full |= chars <= budget_chars;
            served.left_out.push(index);
            continue;
        }
        served.text.push_str(&text);
        served.text.push('\n');
        served.chars += chars;
        served.shown.push(index);
    }
    served
}
