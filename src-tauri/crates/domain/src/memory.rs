//! Memories: statements with the spans that support them, and the lifecycle that the person controls.
//!
//! There are two kinds: facts (seed 004) and knowledge (seed 002). Not in this module: how candidates are found (`capture`,
//! `insight`) and where memories are stored (`store`).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Attribute, PartialDate, Span};

/// The error for text that is not the name of a variant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not a known {what}; use one of: {known}")]
pub struct ParseNameError {
    /// The text, cut to 64 characters.
    pub text: String,
    /// Name of the enum.
    pub what: &'static str,
    /// All valid names, separated by commas.
    pub known: String,
}

/// Declares an enum in which each variant has one stable name, shared by code, schema, API and UI.
macro_rules! names {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// All variants, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ParseNameError;

            fn from_str(text: &str) -> Result<Self, $crate::ParseNameError> {
                Self::ALL.iter().copied().find(|v| v.name() == text).ok_or_else(|| $crate::ParseNameError {
                    text: text.chars().take(64).collect(),
                    what: stringify!($name),
                    known: Self::ALL.iter().map(|v| v.name()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}
pub(crate) use names;

names! {
    /// The two kinds of memory.
    pub enum MemoryKind {
        /// A factual statement. Requires a span.
        Fact = "fact",
        /// A position with its reason. Requires a span and a WHY.
        Knowledge = "knowledge",
    }
}

names! {
    /// The category of a memory. The first six are from seed 004; `project` and `story` come from analyses of whole
    /// conversations; the last five are the knowledge types of seed 002.
    pub enum Category {
        /// Name, place, age, job, home, pets, health.
        PersonalInfo = "personal_info",
        /// Likes, habits, opinions, tools of choice.
        Preference = "preference",
        /// Something that happened in the past.
        Experience = "experience",
        /// Family, partners, friends, colleagues.
        Relationship = "relationship",
        /// Something the person wants or plans.
        Goal = "goal",
        /// Something the person can do.
        Skill = "skill",
        /// Ongoing work, found by the analysis of a whole conversation.
        Project = "project",
        /// A story from the past.
        Story = "story",
        /// Transferable reasoning.
        Reasoning = "reasoning",
        /// A conviction.
        Philosophy = "philosophy",
        /// A standard that work must meet.
        Standard = "standard",
        /// A choice with its reason.
        Decision = "decision",
        /// A response that shows a position.
        Reaction = "reaction",
    }
}

names! {
    /// How long a fact is expected to remain true. Ephemeral facts are filtered out before they are stored.
    pub enum Durability {
        /// True only on the day it was said.
        Ephemeral = "ephemeral",
        /// True as long as a situation lasts.
        Situational = "situational",
        /// True for months or years.
        LongTerm = "long_term",
        /// Part of the person's identity.
        Identity = "identity",
    }
}

names! {
    /// How long a position is expected to last (seed 002).
    pub enum Stability {
        /// A conviction that the person would enforce.
        Durable = "durable",
        /// The person's current working view.
        Stable = "stable",
        /// Tentative, still being formed.
        Evolving = "evolving",
    }
}

/// Fields of a knowledge memory (seed 002). The candidate's content states the position, and its reasoning the WHY.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeDetail {
    /// The topic of the position, in a few words.
    pub topic: String,
    /// How long the position is expected to last.
    pub stability: Stability,
    /// Search terms.
    pub tags: Vec<String>,
    /// The context in which this position applies, if the opposite position applies in other contexts.
    pub context: Option<String>,
}

/// The details of a fact, as recognized by the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FactDetail {
    /// What the fact describes, for example the person's home, diet or child.
    pub attribute: Attribute,
    /// The statement contains "not" or "no longer".
    pub is_negated: bool,
    /// When it happened or started, resolved from words such as "three weeks ago" and as precise as those words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<PartialDate>,
}

/// Fields of a memory derived from a whole conversation (seed 004).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StoryDetail {
    /// How strongly it affected the person emotionally, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emotional_weight: Option<f64>,
    /// Names of the people who took part, as written in the conversation.
    #[serde(default)]
    pub participants: Vec<String>,
}

names! {
    /// Types of memories that an analysis of a whole conversation may propose (seed 004).
    pub enum MemoryType {
        /// Name, preferences, simple statements.
        Fact = "fact",
        /// Goals, plans, ongoing work.
        Project = "project",
        /// Events in the conversation or mentioned in it.
        Experience = "experience",
        /// A story from the past.
        Story = "story",
        /// Relationships between people and how they change.
        Relationship = "relationship",
    }
}

names! {
    /// Predefined [`MemoryProfile`]s, from the smallest to the largest.
    pub enum ProfileLevel {
        /// Facts and projects.
        Minimal = "minimal",
        /// Also experiences.
        Balanced = "balanced",
        /// Also stories.
        Full = "full",
        /// All five.
        Unbounded = "unbounded",
    }
}

/// The types of memories that an analysis of a whole conversation may propose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryProfile {
    /// See [`MemoryType::Fact`].
    pub fact: bool,
    /// See [`MemoryType::Project`].
    pub project: bool,
    /// See [`MemoryType::Experience`].
    pub experience: bool,
    /// See [`MemoryType::Story`].
    pub story: bool,
    /// See [`MemoryType::Relationship`].
    pub relationship: bool,
}

impl MemoryProfile {
    /// The profile for a level.
    pub const fn of(level: ProfileLevel) -> Self {
        use ProfileLevel::*;
        Self {
            fact: true,
            project: true,
            experience: !matches!(level, Minimal),
            story: matches!(level, Full | Unbounded),
            relationship: matches!(level, Unbounded),
        }
    }

    /// Whether memories of this type may be proposed.
    pub const fn allows(&self, memory_type: MemoryType) -> bool {
        match memory_type {
            MemoryType::Fact => self.fact,
            MemoryType::Project => self.project,
            MemoryType::Experience => self.experience,
            MemoryType::Story => self.story,
            MemoryType::Relationship => self.relationship,
        }
    }

    /// The types that may be proposed, in order of declaration.
    pub fn types(&self) -> impl Iterator<Item = MemoryType> + '_ {
        MemoryType::ALL.iter().copied().filter(|memory_type| self.allows(*memory_type))
    }
}

impl Default for MemoryProfile {
    /// All five types, because every proposal still needs a person's approval.
    fn default() -> Self {
        Self::of(ProfileLevel::Unbounded)
    }
}

names! {
    /// Status of a memory. See [`MemoryStatus::may_become`] for the legal transitions.
    pub enum MemoryStatus {
        /// Waiting for a decision.
        Pending = "pending",
        /// Approved: searchable and served.
        Active = "active",
        /// Dismissed by a person. Its fingerprint prevents the same proposal from being made again.
        Rejected = "rejected",
        /// Replaced by a newer version.
        Superseded = "superseded",
        /// In the trash; can be restored.
        Archived = "archived",
        /// Looks like an instruction or an injection. Kept as quoted data, never served and never approved automatically.
        Quarantined = "quarantined",
    }
}

/// An illegal transition of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a memory that is {from} cannot become {to}")]
pub struct TransitionError {
    /// Current status.
    pub from: MemoryStatus,
    /// Requested status.
    pub to: MemoryStatus,
}

impl MemoryStatus {
    /// Checks whether a transition is legal. Undo is not a transition: it restores the exact state before an operation.
    pub fn may_become(self, to: Self) -> Result<(), TransitionError> {
        use MemoryStatus::*;
        let legal = matches!(
            (self, to),
            (Pending, Active | Rejected | Superseded | Archived)
                | (Active, Superseded | Archived | Rejected)
                | (Rejected, Pending | Active)
                | (Archived, Active | Pending | Rejected)
                | (Quarantined, Pending | Rejected)
        );
        if legal { Ok(()) } else { Err(TransitionError { from: self, to }) }
    }
}

names! {
    /// How one memory relates to another.
    pub enum Relation {
        /// Is a newer version of the other.
        Supersedes = "supersedes",
        /// Makes the other one outdated: what the other one states changed, ended or was never true. Approving this one
        /// supersedes the other.
        Replaces = "replaces",
        /// Adds detail to the other.
        Extends = "extends",
        /// Was inferred from the other.
        Derives = "derives",
        /// States that the other was never true.
        Debunks = "debunks",
        /// Distinct but similar (seed 004's "distinct but related").
        Related = "related",
        /// A weaker duplicate that was merged into the other.
        MergedInto = "merged_into",
    }
}

names! {
    /// How a new candidate relates to the most similar memory (seed 004, "Deduplication scenarios").
    pub enum DedupOutcome {
        /// Says the same; only the evidence is new.
        Exact = "exact",
        /// Says the same in more detail.
        Reinforcement = "reinforcement",
        /// Similar, but a different fact: both are kept.
        Related = "related",
        /// Not similar.
        Different = "different",
    }
}

/// A proposer's confidence, from 0 to 1, never NaN. Seed 004's scale: 0.95 explicit, 0.80–0.90 clear implication, 0.70–0.75
/// reasonable inference, below 0.70 not extracted.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

impl Confidence {
    /// Said explicitly.
    pub const EXPLICIT: Self = Self(0.95);
    /// Said in words that leave little doubt.
    pub const STATED: Self = Self(0.9);
    /// Clearly implied.
    pub const IMPLIED: Self = Self(0.85);
    /// A reasonable inference.
    pub const INFERRED: Self = Self(0.75);
    /// Minimum confidence. Nothing below it is extracted.
    pub const FLOOR: Self = Self(0.7);

    /// Whether it is at most a reasonable inference (seed 004): neither said explicitly nor clearly implied.
    pub fn is_inferred(self) -> bool {
        self <= Self::INFERRED
    }

    /// Converts `value` to a confidence. `None` unless it is finite and within 0..=1.
    pub fn new(value: f64) -> Option<Self> {
        (value.is_finite() && (0.0..=1.0).contains(&value)).then_some(Self(value))
    }

    /// The value.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Confidence {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        Self::new(value).ok_or_else(|| format!("{value} is not a confidence between 0 and 1"))
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> f64 {
        confidence.0
    }
}

/// The person a memory is about. Never choose the variant by name: anyone may be called "owner".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Subject {
    /// The owner of this Keepsake.
    Owner,
    /// Another speaker.
    Person(Speaker),
}

impl Subject {
    /// `owner`, or the speaker's name, which is never "owner".
    pub fn as_str(&self) -> &str {
        match self {
            Self::Owner => "owner",
            Self::Person(speaker) => speaker.name(),
        }
    }

    /// The label at the start of a statement about the subject.
    pub fn label(&self) -> &str {
        match self {
            Self::Owner => OWNER_LABEL,
            Self::Person(speaker) => speaker.name(),
        }
    }
}

/// The label at the start of a statement about the owner.
pub const OWNER_LABEL: &str = "User";

/// Names that could be mistaken for the owner's, in lower case, letters and digits only.
const OWNER_READINGS: [&str; 4] = ["owner", "theowner", "user", "theuser"];

/// Suffix added to a name that could be mistaken for the owner's.
const TOLD_APART: &str = " (contact)";

/// A speaker other than the owner: a name and a key. Many people share a name, so two speakers are the same person if and only
/// if their keys are equal.
///
/// The code that creates a speaker chooses what the key identifies. While a conversation is read, it identifies a person,
/// taking links between handles into account. In a stored memory, it identifies a handle.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Speaker {
    name: String,
    key: String,
}

impl Speaker {
    /// A speaker with the name shown in the source.
    pub fn new(shown: &str, key: &str) -> Self {
        Self { name: Self::called(shown).into_owned(), key: key.to_owned() }
    }

    /// The name of a person who is not the owner: as shown in the source, with a suffix if it could be mistaken for the owner's.
    pub fn called(shown: &str) -> Cow<'_, str> {
        let letters: String = shown.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if OWNER_READINGS.contains(&letters.as_str()) {
            Cow::Owned(format!("{}{TOLD_APART}", shown.trim()))
        } else {
            Cow::Borrowed(shown)
        }
    }

    /// The speaker's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key that identifies the speaker.
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl PartialEq for Speaker {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Speaker {}

impl PartialOrd for Speaker {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Speaker {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl Hash for Speaker {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// A span that supports a candidate. The message is identified by its position in the conversation that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateEvidence {
    /// Index of the message in the slice passed to the proposer.
    pub message: usize,
    /// The span in that message's text.
    pub span: Span,
}

/// A statement found by a proposer, not yet stored or proposed to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The person it is about.
    pub subject: Subject,
    /// A true, complete sentence: "User …" for the owner, "Ana …" for a speaker named Ana.
    pub content: String,
    /// Fact or knowledge.
    pub kind: MemoryKind,
    /// Its category.
    pub category: Category,
    /// Confidence of the proposer.
    pub confidence: Confidence,
    /// How long it is expected to remain true.
    pub durability: Durability,
    /// Why it was extracted, in one sentence.
    pub reasoning: String,
    /// At least one span, the clearest first.
    pub evidence: Vec<CandidateEvidence>,
    /// Looks like an instruction or an injection, so it is stored as quarantined instead of pending.
    pub is_quarantined: bool,
    /// Set only for knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<KnowledgeDetail>,
    /// Set only for a fact that the reader proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<FactDetail>,
    /// Set only for a memory derived from a whole conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<StoryDetail>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_can_make_a_memory_active_and_quarantine_never_goes_straight_there() {
        assert!(MemoryStatus::Pending.may_become(MemoryStatus::Active).is_ok());
        assert!(
            MemoryStatus::Quarantined.may_become(MemoryStatus::Active).is_err(),
            "a quarantined text must pass review as pending first"
        );
        assert!(MemoryStatus::Superseded.may_become(MemoryStatus::Active).is_err(), "an old version comes back only by undo");
    }

    #[test]
    fn names_read_back() {
        for category in Category::ALL {
            assert_eq!(category.name().parse::<Category>(), Ok(*category));
        }
        assert!("likes".parse::<Category>().is_err());
    }

    #[test]
    fn each_level_of_the_profile_adds_to_the_one_before() {
        let check = |level, expect: &[MemoryType]| {
            assert_eq!(MemoryProfile::of(level).types().collect::<Vec<_>>(), expect, "{level}");
        };
        use MemoryType::*;
        check(ProfileLevel::Minimal, &[Fact, Project]);
        check(ProfileLevel::Balanced, &[Fact, Project, Experience]);
        check(ProfileLevel::Full, &[Fact, Project, Experience, Story]);
        check(ProfileLevel::Unbounded, MemoryType::ALL);
    }

    #[test]
    fn no_name_makes_somebody_the_owner() {
        let check = |shown: &str, expect: &str| {
            let subject = Subject::Person(Speaker::new(shown, "h"));
            assert_eq!((subject.as_str(), subject.label()), (expect, expect), "{shown:?}");
            assert_ne!(subject, Subject::Owner);
            assert_eq!(Speaker::new(expect, "h").name(), expect, "what was told apart stays as it is");
        };
        check("Ana", "Ana");
        check("Owner Ltd", "Owner Ltd");
        check("Userman", "Userman");
        check("owner", "owner (contact)");
        check(" User ", "User (contact)");
        check("USER", "USER (contact)");
        check("the user", "the user (contact)");
        check("us\u{200b}er", "us\u{200b}er (contact)");
        assert_eq!((Subject::Owner.as_str(), Subject::Owner.label()), ("owner", "User"));
    }

    #[test]
    fn speakers_are_one_by_their_keys_and_not_by_their_names() {
        let check = |a: (&str, &str), b: (&str, &str), expect: bool| {
            let (a, b) = (Speaker::new(a.0, a.1), Speaker::new(b.0, b.1));
            assert_eq!((a == b, a.cmp(&b).is_eq()), (expect, expect), "{a:?} {b:?}");
        };
        check(("Ben", "1"), ("Ben", "2"), false);
        check(("Ben", "1"), ("Benjamin", "1"), true);
    }

    #[test]
    fn a_confidence_is_a_number_between_zero_and_one() {
        for bad in [f64::NAN, f64::INFINITY, -0.1, 1.01] {
            assert!(Confidence::new(bad).is_none(), "{bad} is refused");
        }
    }
}
