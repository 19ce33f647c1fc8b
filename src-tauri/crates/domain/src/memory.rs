//! Memories: what was understood, with the span that proves it and the lifecycle a person steers.
//!
//! Two kinds share the queue: facts (seed 004) and knowledge (seed 002).
//! Deliberately not here: how candidates are found (`capture`, `insight`) and where they are kept (`store`).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Attribute, PartialDate, Span};

/// A name that no variant bears.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is no {what}; known: {known}")]
pub struct ParseNameError {
    /// The text that was given.
    pub text: String,
    /// What it should have been.
    pub what: &'static str,
    /// The names there are.
    pub known: String,
}

/// Declares an enum whose variants have one stable name in code, schema, API and UI.
macro_rules! names {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every variant, in order of declaration.
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
        /// Something that is so: needs a span.
        Fact = "fact",
        /// A position with its reasons: needs a span and a WHY.
        Knowledge = "knowledge",
    }
}

names! {
    /// What a memory is about. The first six are seed 004's; `project` and `story` come from whole-conversation
    /// analysis; the last five are seed 002's knowledge types.
    pub enum Category {
        /// Name, place, age, job, home, pets, health.
        PersonalInfo = "personal_info",
        /// Likes, habits, opinions, tools of choice.
        Preference = "preference",
        /// What happened and is over.
        Experience = "experience",
        /// Family, partners, friends, colleagues.
        Relationship = "relationship",
        /// What is wanted or planned.
        Goal = "goal",
        /// What somebody can do.
        Skill = "skill",
        /// Ongoing work seen over a whole conversation.
        Project = "project",
        /// A narrative from the past.
        Story = "story",
        /// Transferable reasoning.
        Reasoning = "reasoning",
        /// A conviction.
        Philosophy = "philosophy",
        /// A bar that work must meet.
        Standard = "standard",
        /// A choice with its why.
        Decision = "decision",
        /// A response that shows a position.
        Reaction = "reaction",
    }
}

names! {
    /// How long a fact can be expected to stay true. Ephemeral ones are stopped before storage.
    pub enum Durability {
        /// Over within the day.
        Ephemeral = "ephemeral",
        /// Holds while a situation lasts.
        Situational = "situational",
        /// Holds for months or years.
        LongTerm = "long_term",
        /// Part of who the person is.
        Identity = "identity",
    }
}

names! {
    /// How long a position can be expected to hold (seed 002).
    pub enum Stability {
        /// A conviction that its holder would enforce.
        Durable = "durable",
        /// The working view of today.
        Stable = "stable",
        /// Tentative, still being formed.
        Evolving = "evolving",
    }
}

/// What a piece of knowledge has beside a fact (seed 002). The position itself is the candidate's content, the WHY its reasoning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeDetail {
    /// What the position is about, in a few words.
    pub topic: String,
    /// How long it can be expected to hold.
    pub stability: Stability,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Where a known move is applied the opposite way: the context in which this variant holds.
    pub context: Option<String>,
}

/// What a fact says of a person, as far as the reader saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FactDetail {
    /// What it is about: their home, their diet, a child.
    pub attribute: Attribute,
    /// It says "not" or "no longer".
    pub is_negated: bool,
    /// When it happened or holds from, worked out of words such as "three weeks ago"; as precise as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<PartialDate>,
}

/// What a memory of a whole conversation has besides (seed 004).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StoryDetail {
    /// How much it moved the person, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emotional_weight: Option<f64>,
    /// Who was part of it, by the names that the conversation has.
    #[serde(default)]
    pub participants: Vec<String>,
}

names! {
    /// What a whole-conversation analysis may propose: seed 004's memory types.
    pub enum MemoryType {
        /// Name, preferences, simple statements.
        Fact = "fact",
        /// Goals, plans, ongoing work.
        Project = "project",
        /// What happened in and around the conversation.
        Experience = "experience",
        /// A narrative from the past.
        Story = "story",
        /// Bonds between people and how they change.
        Relationship = "relationship",
    }
}

names! {
    /// Named settings of a [`MemoryProfile`], from the sparsest to the fullest.
    pub enum ProfileLevel {
        /// Facts and projects.
        Minimal = "minimal",
        /// Experiences as well.
        Balanced = "balanced",
        /// Stories as well.
        Full = "full",
        /// All five.
        Unbounded = "unbounded",
    }
}

/// Which types of memory a whole-conversation analysis may propose.
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
    /// The profile that a level names.
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

    /// Whether entries of this type may be proposed.
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
    /// All five: what is proposed still waits for a person.
    fn default() -> Self {
        Self::of(ProfileLevel::Unbounded)
    }
}

names! {
    /// Where a memory stands. See [`MemoryStatus::may_become`] for the legal steps.
    pub enum MemoryStatus {
        /// Waits for a person.
        Pending = "pending",
        /// Approved: searchable and served.
        Active = "active",
        /// Refused by a person; its fingerprint keeps it from coming back.
        Rejected = "rejected",
        /// A newer version took its place.
        Superseded = "superseded",
        /// Set aside, restorable.
        Archived = "archived",
        /// Looks like an instruction or an injection: kept as quoted data, never served, never auto-approved.
        Quarantined = "quarantined",
    }
}

/// A step that a memory's lifecycle does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a memory that is {from} cannot become {to}")]
pub struct TransitionError {
    /// Where it stands.
    pub from: MemoryStatus,
    /// Where it was asked to go.
    pub to: MemoryStatus,
}

impl MemoryStatus {
    /// The legal steps. Undo is not a step: it restores the state before an operation exactly.
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
    /// How one memory stands to another.
    pub enum Relation {
        /// Takes the place of the other.
        Supersedes = "supersedes",
        /// Says what makes the other one history: it changed, ended or was never so. Approving this one sets the other aside.
        Replaces = "replaces",
        /// Adds detail to the other.
        Extends = "extends",
        /// Was concluded from the other.
        Derives = "derives",
        /// Says that the other was never so.
        Debunks = "debunks",
        /// Distinct but close (seed 004's "distinct but related").
        Related = "related",
        /// A weaker duplicate that was merged into the other.
        MergedInto = "merged_into",
    }
}

names! {
    /// What a new candidate is to the nearest existing memory (seed 004, "Deduplication scenarios").
    pub enum DedupOutcome {
        /// Says the same: nothing new to store but the evidence.
        Exact = "exact",
        /// Says the same with more detail.
        Reinforcement = "reinforcement",
        /// Close, but another fact: both stay.
        Related = "related",
        /// Nothing alike.
        Different = "different",
    }
}

/// How sure a proposer is, from 0 to 1, never NaN. Seed 004's scale: 0.95 explicit, 0.80–0.90 clear implication,
/// 0.70–0.75 reasonable inference, below 0.70 not extracted.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

impl Confidence {
    /// Said outright.
    pub const EXPLICIT: Self = Self(0.95);
    /// Said, in words that leave little doubt.
    pub const STATED: Self = Self(0.9);
    /// Clearly implied.
    pub const IMPLIED: Self = Self(0.85);
    /// A reasonable inference.
    pub const INFERRED: Self = Self(0.75);
    /// Below this nothing is extracted.
    pub const FLOOR: Self = Self(0.7);

    /// At most a reasonable inference (seed 004), not said outright nor clearly implied.
    pub fn is_inferred(self) -> bool {
        self <= Self::INFERRED
    }

    /// `value` as a confidence, if it is finite and within 0..=1.
    pub fn new(value: f64) -> Option<Self> {
        (value.is_finite() && (0.0..=1.0).contains(&value)).then_some(Self(value))
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Confidence {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        Self::new(value).ok_or_else(|| format!("{value} is no confidence between 0 and 1"))
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> f64 {
        confidence.0
    }
}

/// Whom a memory is about. Which of the two it is never follows from a name: anybody may be called "owner".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Subject {
    /// The person whose Keepsake this is.
    Owner,
    /// Another speaker.
    Person(Speaker),
}

impl Subject {
    /// `owner`, or how the speaker is called, which is never that.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Owner => "owner",
            Self::Person(speaker) => speaker.name(),
        }
    }

    /// What a statement about them begins with.
    pub fn label(&self) -> &str {
        match self {
            Self::Owner => OWNER_LABEL,
            Self::Person(speaker) => speaker.name(),
        }
    }
}

/// What a statement about the owner begins with.
pub const OWNER_LABEL: &str = "User";

/// Names that read as the owner's, by their letters alone.
const OWNER_READINGS: [&str; 4] = ["owner", "theowner", "user", "theuser"];

/// What follows a name that reads as the owner's.
const TOLD_APART: &str = " (contact)";

/// Another speaker: how they are called, and a key. Many bear one name, so two are one exactly where their keys are equal.
///
/// Whoever makes one says what its key is: in a conversation that is read, the person as links stand; in a stored memory, a handle.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Speaker {
    name: String,
    key: String,
}

impl Speaker {
    /// A speaker by the name that the source shows.
    pub fn new(shown: &str, key: &str) -> Self {
        Self { name: Self::called(shown).into_owned(), key: key.to_owned() }
    }

    /// How somebody who is not the owner is called: as the source shows it, and told apart where that would read as the owner.
    pub fn called(shown: &str) -> Cow<'_, str> {
        let letters: String = shown.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if OWNER_READINGS.contains(&letters.as_str()) {
            Cow::Owned(format!("{}{TOLD_APART}", shown.trim()))
        } else {
            Cow::Borrowed(shown)
        }
    }

    /// How they are called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What tells them apart.
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

/// One place that proves a candidate, by the position of the message in the conversation that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateEvidence {
    /// Index of the message in the slice that was given to the proposer.
    pub message: usize,
    /// Where in that message's text.
    pub span: Span,
}

/// What a proposer found: not yet stored, not yet anybody's memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Whom it is about.
    pub subject: Subject,
    /// A true, complete sentence: "User …" for the owner, "Ana …" for a speaker named Ana.
    pub content: String,
    /// Fact or knowledge.
    pub kind: MemoryKind,
    /// What it is about.
    pub category: Category,
    /// How sure the proposer is.
    pub confidence: Confidence,
    /// How long it can be expected to stay true.
    pub durability: Durability,
    /// One sentence: why this was extracted.
    pub reasoning: String,
    /// At least one place; the first is the clearest.
    pub evidence: Vec<CandidateEvidence>,
    /// Looks like an instruction or an injection: stored as quarantined, not as pending.
    pub is_quarantined: bool,
    /// What a piece of knowledge has besides; nothing for a fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<KnowledgeDetail>,
    /// What a fact of the reader says of the person; nothing where somebody else proposed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<FactDetail>,
    /// What a memory of a whole conversation has besides.
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
