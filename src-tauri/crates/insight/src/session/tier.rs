//! The three tiers of long-term memory: what of a session goes where ([`route`]), and what of a tier is served ([`serve`]).
//!
//! What is said about the user, and what the user prefers, goes to that user's own tier; how the agent worked, with which tools, what
//! failed and what came of it goes to the agent's; what was decided, solved and learnt goes to the tier that all agents share. Each
//! entry rests on one session, so that nothing of one user is ever mixed with anything of another.
//!
//! The served text obeys its budget; what does not fit stays stored and is named. Deliberately not here: who may be served what (the
//! caller hands in only what may be seen), storing.

use std::collections::BTreeSet;

use keepsake_domain::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Field, Item, Outcome};

/// Undistilled sessions that one pass takes at most (seed 000, `maxJSONLEntriesPerDistillation`).
pub const SESSIONS_PER_PASS_MAX: usize = 50;

/// A tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// What every agent knows.
    Shared,
    /// What one agent knows of its work.
    Agent,
    /// What one agent knows of one user.
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

    /// The tier of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }

    /// Characters that are served of it (seed 000).
    pub const fn budget_chars(self) -> usize {
        match self {
            Self::Shared => 4_000,
            Self::Agent => 8_000,
            Self::User => 4_000,
        }
    }
}

/// One entry as it is routed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routed {
    /// Where it goes.
    pub tier: Tier,
    /// What it is: `fact`, `preference`, `goal`, `decision`, `solution`, `learning`, `tool`, `did`, `error`, `outcome`, `follow_up`,
    /// `relationship`.
    pub kind: String,
    /// Beside a tool its name and uses, beside an outcome which one.
    pub detail: Option<String>,
    /// 1 to 5.
    pub significance: u8,
    /// Which line of the record it is.
    pub item: usize,
}

/// What was learnt takes so many words to say. "Great, it works now!" tells how a session ended, and tells another agent nothing.
const KNOWLEDGE_WORDS_MIN: usize = 5;

/// Where the lines of a session go.
pub fn route(significance: u8, outcome: Outcome, items: &[Item]) -> Vec<Routed> {
    let level = significance.clamp(1, 5);
    let mut routed = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let name = item.name.clone();
        let (tier, kind, detail, significance) = match item.field {
            // What is known of a person lasts longer than the talk it was said in.
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

/// One entry of a tier as it may be served: one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierLine {
    /// Of the entry; breaks ties, so that the same entries give the same text.
    pub id: String,
    /// The whole line. Line breaks in it count as blanks.
    pub text: String,
    /// What it says, without when and by whom: two lines that say the same are one.
    pub says: String,
    /// 1 to 5.
    pub significance: u8,
    /// When it was said.
    pub said: Timestamp,
}

/// What is served of a tier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Served {
    /// The text, line by line.
    pub text: String,
    /// Its characters.
    pub chars: usize,
    /// Which of the given lines stand in it, in its order.
    pub shown: Vec<usize>,
    /// Which would have come next and did not fit, in order.
    pub left_out: Vec<usize>,
    /// Which say what a line before them says.
    pub repeated: Vec<usize>,
}

/// Foundational first, then useful, then recent: which of two goes first where not all fit.
pub const fn band(significance: u8) -> u8 {
    match significance {
        4.. => 0,
        3 => 1,
        _ => 2,
    }
}

/// Words alone, in small letters: what two lines are compared by.
pub fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The text of a tier within `budget_chars` characters: significance 4 and 5 first, then 3, then 1 and 2, and within each the newest
/// first. Where the first line does not fit the text ends: a lower one never takes the place of a higher one. A line that alone is
/// longer than the whole budget is left out and keeps nobody else out. No line is ever cut.
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
