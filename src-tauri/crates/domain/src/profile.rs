//! Profiles (Layer 2) and capability gaps: what an entity needs, expects and prefers, and which of its requests could not be met.
//!
//! Entries are never changed: a later entry supersedes an earlier one, or a person disputes it. Evidence is never empty. Not in
//! this module: how entries and gaps are found (`people`) and where they are stored (`store`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::memory::names;
use crate::{InteractionId, ProfileId, Span, Timestamp};

names! {
    /// Type of a profile entry (seed 001).
    pub enum ProfileType {
        /// What the entity asks for repeatedly.
        Needs = "needs",
        /// What it expects by default: response time, depth, format, technical level.
        Expectations = "expectations",
        /// How it likes things to be done.
        Preferences = "preferences",
        /// What it needed but did not get.
        Gaps = "gaps",
        /// What worked well and what caused friction.
        Satisfaction = "satisfaction",
    }
}

names! {
    /// Confidence of an entry, in seed 001's three levels.
    pub enum ProfileConfidence {
        /// Based on a single weak sign.
        Low = "low",
        /// Said explicitly once, or based on several signs.
        Medium = "medium",
        /// Said to be permanent, repeated, or confirmed by a person.
        High = "high",
    }
}

names! {
    /// Who added a profile entry.
    pub enum ProfileOrigin {
        /// The rules of the built-in engine.
        BuiltIn = "built_in",
        /// A language model; the entry passed the same gates.
        Model = "model",
        /// A person, manually. No derivation overrides it.
        Person = "person",
    }
}

names! {
    /// How much detail a person wants. It determines the size of the served context.
    pub enum DetailLevel {
        /// Only what answers the question.
        Brief = "brief",
        /// The default, if nothing suggests more or less detail.
        Balanced = "balanced",
        /// Everything relevant.
        Detailed = "detailed",
    }
}

names! {
    /// Status of a capability gap. See [`GapStatus::may_become`] for the legal transitions.
    pub enum GapStatus {
        /// Found; waiting for a decision.
        Detected = "detected",
        /// Confirmed by a person and turned into a task.
        TaskCreated = "task_created",
        /// The task is done.
        Resolved = "resolved",
        /// It came up again after it had been resolved.
        Reopened = "reopened",
    }
}

names! {
    /// Status of a task, according to its checkbox in a Markdown file.
    pub enum TaskStatus {
        /// The checkbox is empty.
        Open = "open",
        /// The checkbox is ticked.
        Resolved = "resolved",
    }
}

/// An illegal transition of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a gap that is {from} cannot become {to}")]
pub struct GapTransitionError {
    /// Current status.
    pub from: GapStatus,
    /// Requested status.
    pub to: GapStatus,
}

impl GapStatus {
    /// Checks whether a transition is legal. Only a gap that has or had a task can be resolved, and only a resolved gap can be
    /// reopened.
    pub fn may_become(self, to: Self) -> Result<(), GapTransitionError> {
        use GapStatus::*;
        let legal = matches!(
            (self, to),
            (Detected, TaskCreated) | (TaskCreated, Resolved) | (Resolved, Reopened) | (Reopened, TaskCreated | Resolved)
        );
        if legal { Ok(()) } else { Err(GapTransitionError { from: self, to }) }
    }
}

/// A span of a message that supports something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EvidenceSpan {
    /// The message id.
    pub interaction: InteractionId,
    /// The span in the message's text.
    pub span: Span,
}

/// The error for missing evidence, which is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a profile entry needs at least one passage in a stored message as evidence")]
pub struct NoEvidence;

/// Supporting spans: at least one, without duplicates, in display order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<EvidenceSpan>", into = "Vec<EvidenceSpan>")]
pub struct Evidence(Vec<EvidenceSpan>);

impl Evidence {
    /// Creates evidence from spans and removes duplicates. Fails if there are no spans.
    pub fn new(spans: Vec<EvidenceSpan>) -> Result<Self, NoEvidence> {
        let mut kept: Vec<EvidenceSpan> = Vec::with_capacity(spans.len());
        for span in spans {
            if !kept.contains(&span) {
                kept.push(span);
            }
        }
        if kept.is_empty() { Err(NoEvidence) } else { Ok(Self(kept)) }
    }

    /// The spans.
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

/// Subject of an entry: `length`, `timing:reply`, `topic:deployment status`. It identifies an entry regardless of the wording
/// of its statement. The values of a facet exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Facet(Box<str>);

/// The error for text that is not a valid facet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a facet is a word such as 'length', or two parts such as 'topic:deployment status', in lower case, with at most {} \
     characters",
    Facet::CHARS_MAX
)]
pub struct FacetError;

impl Facet {
    /// Maximum length in characters. Anything longer is a sentence, which would never occur twice.
    pub const CHARS_MAX: usize = 120;

    /// Parses a facet: one part, or two parts separated by a colon, in lower case.
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

    /// The part before the colon, or the whole facet if it has no colon.
    pub fn kind(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(kind, _)| kind)
    }

    /// The part after the colon, if there is one.
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

/// A stored version of a profile entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileEntry {
    /// Its id.
    pub id: ProfileId,
    /// Its type.
    pub profile_type: ProfileType,
    /// Its subject.
    pub facet: Facet,
    /// The statement in a normalized form for comparison, such as `length=short`. It identifies disputed statements.
    pub fingerprint: String,
    /// A plain, complete and true sentence about the entity.
    pub content: String,
    /// How certain it is.
    pub confidence: ProfileConfidence,
    /// The evidence. A person's correction keeps the evidence of the entry it corrects.
    pub evidence: Evidence,
    /// Who added it.
    pub origin: ProfileOrigin,
    /// Start of validity, according to the messages.
    pub valid_from: Timestamp,
    /// End of validity, exclusive; `None` while it is valid. An entry that supersedes this one also ends it.
    pub valid_to: Option<Timestamp>,
    /// The version that this one replaced.
    pub supersedes: Option<ProfileId>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When a later version replaced it.
    pub superseded_at: Option<Timestamp>,
    /// When a person disputed it.
    pub debunked_at: Option<Timestamp>,
}

impl ProfileEntry {
    /// Whether it is current, meaning neither superseded nor disputed.
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
