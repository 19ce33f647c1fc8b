//! Profiles (Layer 2) and capability gaps: what an entity is known to need, expect and prefer, and what could not be done for it.
//!
//! An entry is never changed: a later one supersedes it, or a person debunks it. Evidence is never empty.
//! Deliberately not here: how entries and gaps are found (`people`) and where they are kept (`store`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::memory::names;
use crate::{InteractionId, ProfileId, Span, Timestamp};

names! {
    /// What an entry of a profile tells (seed 001).
    pub enum ProfileType {
        /// What the entity asks for again and again.
        Needs = "needs",
        /// What it takes for granted: response time, depth, format, technical level.
        Expectations = "expectations",
        /// How it wants things.
        Preferences = "preferences",
        /// What it needed and did not get.
        Gaps = "gaps",
        /// What worked well and what caused friction.
        Satisfaction = "satisfaction",
    }
}

names! {
    /// How sure an entry is, in seed 001's three steps.
    pub enum ProfileConfidence {
        /// One passing sign.
        Low = "low",
        /// Said outright once, or several signs.
        Medium = "medium",
        /// Said to hold for good, repeated, or confirmed by a person.
        High = "high",
    }
}

names! {
    /// Who put an entry into a profile.
    pub enum ProfileOrigin {
        /// The rules of the built-in engine.
        BuiltIn = "built_in",
        /// A language model; passed the same gates.
        Model = "model",
        /// A person, by hand: no derivation overrides it.
        Person = "person",
    }
}

names! {
    /// How much detail somebody wants; sizes the context that is served.
    pub enum DetailLevel {
        /// As little as answers the question.
        Brief = "brief",
        /// Nothing is known that speaks for more or less.
        Balanced = "balanced",
        /// Everything that bears on it.
        Detailed = "detailed",
    }
}

names! {
    /// Where a capability gap stands. See [`GapStatus::may_become`] for the legal steps.
    pub enum GapStatus {
        /// Found; waits for a person.
        Detected = "detected",
        /// A person confirmed it and it became a task.
        TaskCreated = "task_created",
        /// The task is done.
        Resolved = "resolved",
        /// It came up again after it was resolved.
        Reopened = "reopened",
    }
}

names! {
    /// Where a task stands, as its box in a Markdown file says.
    pub enum TaskStatus {
        /// The box is empty.
        Open = "open",
        /// The box is ticked.
        Resolved = "resolved",
    }
}

/// A step that a gap's lifecycle does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a capability gap that is {from} cannot become {to}")]
pub struct GapTransitionError {
    /// Where it stands.
    pub from: GapStatus,
    /// Where it was asked to go.
    pub to: GapStatus,
}

impl GapStatus {
    /// The legal steps. Only a gap that has or had a task can be resolved, and only a resolved one can come up again.
    pub fn may_become(self, to: Self) -> Result<(), GapTransitionError> {
        use GapStatus::*;
        let legal = matches!(
            (self, to),
            (Detected, TaskCreated) | (TaskCreated, Resolved) | (Resolved, Reopened) | (Reopened, TaskCreated | Resolved)
        );
        if legal { Ok(()) } else { Err(GapTransitionError { from: self, to }) }
    }
}

/// One place in the log that proves something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EvidenceSpan {
    /// The message.
    pub interaction: InteractionId,
    /// Where in its text.
    pub span: Span,
}

/// Evidence was asked for and none was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("nothing is kept without at least one place in a stored message that shows it")]
pub struct NoEvidence;

/// The places that prove something: at least one, each once, in the order in which they are to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<EvidenceSpan>", into = "Vec<EvidenceSpan>")]
pub struct Evidence(Vec<EvidenceSpan>);

impl Evidence {
    /// The evidence of these places; a place given twice counts once.
    pub fn new(spans: Vec<EvidenceSpan>) -> Result<Self, NoEvidence> {
        let mut kept: Vec<EvidenceSpan> = Vec::with_capacity(spans.len());
        for span in spans {
            if !kept.contains(&span) {
                kept.push(span);
            }
        }
        if kept.is_empty() { Err(NoEvidence) } else { Ok(Self(kept)) }
    }

    /// The places.
    pub fn as_slice(&self) -> &[EvidenceSpan] {
        &self.0
    }
}

impl TryFrom<Vec<EvidenceSpan>> for Evidence {
    type Error = NoEvidence;

    fn try_from(spans: Vec<EvidenceSpan>) -> Result<Self, NoEvidence> {
        Self::new(spans)
    }
}

impl From<Evidence> for Vec<EvidenceSpan> {
    fn from(evidence: Evidence) -> Self {
        evidence.0
    }
}

/// What an entry is about, so that the same statement is one entry whatever its wording: `length`, `timing:reply`,
/// `topic:deployment status`. Values of one facet exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Facet(Box<str>);

/// A text that is no facet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a facet is a word such as 'length', or two parts such as 'topic:deployment status', in lower case and of at most {} characters",
    Facet::CHARS_MAX
)]
pub struct FacetError;

impl Facet {
    /// A longer one is a sentence and would never be met twice.
    pub const CHARS_MAX: usize = 120;

    /// The facet called so.
    pub fn new(text: &str) -> Result<Self, FacetError> {
        let is_plain =
            |c: char| c.is_alphanumeric() && !c.is_uppercase() || matches!(c, ' ' | '-' | '_' | '\'' | '.' | '+' | '#');
        let is_part = |part: &str| !part.is_empty() && part == part.trim() && part.chars().all(is_plain);
        let is_facet = match text.split_once(':') {
            Some((kind, detail)) => is_part(kind) && is_part(detail),
            None => is_part(text),
        };
        if is_facet && text.chars().count() <= Self::CHARS_MAX { Ok(Self(text.into())) } else { Err(FacetError) }
    }

    /// The facet as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the colon, or all of it.
    pub fn kind(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(kind, _)| kind)
    }

    /// The part behind the colon.
    pub fn detail(&self) -> Option<&str> {
        self.0.split_once(':').map(|(_, detail)| detail)
    }
}

impl fmt::Display for Facet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Facet {
    type Err = FacetError;

    fn from_str(text: &str) -> Result<Self, FacetError> {
        Self::new(text)
    }
}

impl TryFrom<String> for Facet {
    type Error = FacetError;

    fn try_from(text: String) -> Result<Self, FacetError> {
        Self::new(&text)
    }
}

impl From<Facet> for String {
    fn from(facet: Facet) -> String {
        facet.0.into()
    }
}

/// One version of one entry of a profile, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileEntry {
    /// Its id.
    pub id: ProfileId,
    /// What it tells.
    pub profile_type: ProfileType,
    /// What it is about.
    pub facet: Facet,
    /// What it says about its facet, reduced for comparison: `length=short`. A debunked statement is known again by it.
    pub fingerprint: String,
    /// A plain, true, complete sentence about the entity.
    pub content: String,
    /// How sure it is.
    pub confidence: ProfileConfidence,
    /// What shows it. A person's correction keeps the evidence of the entry that it corrects.
    pub evidence: Evidence,
    /// Who put it there.
    pub origin: ProfileOrigin,
    /// True from, by the messages' times.
    pub valid_from: Timestamp,
    /// True until, exclusive; open where nothing ended it. An entry that supersedes this one ends it as well.
    pub valid_to: Option<Timestamp>,
    /// The version that it takes the place of.
    pub supersedes: Option<ProfileId>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When a later version took its place.
    pub superseded_at: Option<Timestamp>,
    /// When a person said that it is not so.
    pub debunked_at: Option<Timestamp>,
}

impl ProfileEntry {
    /// Whether it is what is believed now: neither superseded nor debunked.
    pub const fn is_live(&self) -> bool {
        self.superseded_at.is_none() && self.debunked_at.is_none()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_gap_becomes_a_task_is_resolved_and_may_come_up_again() {
        use GapStatus::*;
        let legal: Vec<(GapStatus, GapStatus)> = GapStatus::ALL
            .iter()
            .flat_map(|from| GapStatus::ALL.iter().map(|to| (*from, *to)))
            .filter(|(from, to)| from.may_become(*to).is_ok())
            .collect();
        let expect = [
            (Detected, TaskCreated),
            (TaskCreated, Resolved),
            (Resolved, Reopened),
            (Reopened, TaskCreated),
            (Reopened, Resolved),
        ];
        assert_eq!(legal, expect, "these steps and no others");
    }

    #[test]
    fn a_facet_is_short_lower_case_and_has_at_most_two_parts() {
        for good in ["length", "technical level", "topic:deployment status", "timing:reply", "topic:c++ größe"] {
            assert_eq!(Facet::new(good).map(String::from).as_deref(), Ok(good));
        }
        let long = "x".repeat(Facet::CHARS_MAX + 1);
        for bad in ["", ":", "topic:", ":x", "Length", "a:b:c", "a\nb", " a", "topic: b", long.as_str()] {
            assert!(Facet::new(bad).is_err(), "{bad:?} is no facet");
        }
    }

    #[test]
    fn evidence_is_never_empty_and_holds_each_place_once() {
        let place = EvidenceSpan { interaction: InteractionId::from_uuid(Uuid::from_u128(1)), span: Span::new(0, 4).unwrap() };
        assert_eq!(Evidence::new(Vec::new()), Err(NoEvidence));
        let twice = Evidence::new(vec![place.clone(), place.clone()]).unwrap();
        assert_eq!(twice.as_slice(), std::slice::from_ref(&place));
        assert!(serde_json::from_str::<Evidence>("[]").is_err(), "nor does it come in empty from outside");
    }
}
