//! What a derivation takes and gives.

use keepsake_domain::{
    ConversationId, Evidence, EvidenceSpan, Facet, ProfileConfidence, ProfileEntry, ProfileId, ProfileOrigin, ProfileType,
    Timestamp,
};

use crate::text::content_words;
use crate::{Similarity, Utterance};

/// That a person said of an entry that it is not so. Outlives the entry: neither re-import nor re-derivation brings it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debunked {
    /// What it told.
    pub profile_type: ProfileType,
    /// What it was about.
    pub facet: Facet,
    /// What it said; see [`ProfileEntry::fingerprint`].
    pub fingerprint: String,
    /// When the person said so: only what was said later may lead to another entry about the same.
    pub at: Timestamp,
}

impl Debunked {
    /// The record that a debunked entry leaves, if it is one.
    pub fn of(entry: &ProfileEntry) -> Option<Self> {
        entry.debunked_at.map(|at| Self {
            profile_type: entry.profile_type,
            facet: entry.facet.clone(),
            fingerprint: entry.fingerprint.clone(),
            at,
        })
    }
}

/// Everything that a derivation may know.
#[derive(Clone, Copy)]
pub struct ProfileInput<'a> {
    /// It is the person whose Keepsake this is; a name does not say so.
    pub is_owner: bool,
    /// What the entity is called: "User" for the owner, else the name that the source shows.
    pub name: &'a str,
    /// What was said where the entity takes part: all of one privacy partition. The order does not matter.
    pub utterances: &'a [Utterance<'a>],
    /// The entries of the same partition in all versions, superseded and debunked ones included.
    pub entries: &'a [ProfileEntry],
    /// What was debunked and is no longer among the entries. Entries with a `debunked_at` count without being named here.
    pub debunked: &'a [Debunked],
    /// How alike two texts are.
    pub similarity: Similarity<'a>,
}

/// How plainly something was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// A sign: a question, a complaint.
    Passing,
    /// Said outright: "I prefer short answers".
    Stated,
    /// Told by an entry that is sure: it was said often, or a person wrote it.
    Lasting,
}

/// One place where the entity showed something about itself, as a deriver reads it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// What it tells.
    pub profile_type: ProfileType,
    /// What it is about.
    pub facet: Facet,
    /// `facet=value`; see [`fingerprint`].
    pub fingerprint: String,
    /// The sentence of an entry that says so.
    pub content: String,
    /// How plainly.
    pub strength: Strength,
    /// Where.
    pub place: EvidenceSpan,
    /// In which conversation.
    pub conversation: ConversationId,
    /// When.
    pub time: Timestamp,
}

/// An entry that has no id yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// See [`ProfileEntry::profile_type`].
    pub profile_type: ProfileType,
    /// See [`ProfileEntry::facet`].
    pub facet: Facet,
    /// See [`ProfileEntry::fingerprint`].
    pub fingerprint: String,
    /// See [`ProfileEntry::content`].
    pub content: String,
    /// See [`ProfileEntry::confidence`].
    pub confidence: ProfileConfidence,
    /// See [`ProfileEntry::evidence`].
    pub evidence: Evidence,
    /// See [`ProfileEntry::origin`].
    pub origin: ProfileOrigin,
    /// See [`ProfileEntry::valid_from`].
    pub valid_from: Timestamp,
    /// See [`ProfileEntry::valid_to`].
    pub valid_to: Option<Timestamp>,
}

impl NewEntry {
    /// The row that is written for it.
    pub fn stored(self, id: ProfileId, supersedes: Option<ProfileId>, created_at: Timestamp) -> ProfileEntry {
        ProfileEntry {
            id,
            profile_type: self.profile_type,
            facet: self.facet,
            fingerprint: self.fingerprint,
            content: self.content,
            confidence: self.confidence,
            evidence: self.evidence,
            origin: self.origin,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            supersedes,
            created_at,
            superseded_at: None,
            debunked_at: None,
        }
    }
}

/// What is to be written. Nothing is ever changed in place: a superseded entry only gets its `superseded_at`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// An entry about something of which nothing was known.
    Add(NewEntry),
    /// A version that takes the place of another.
    Supersede {
        /// The entry that it supersedes.
        old: ProfileId,
        /// The new version.
        entry: NewEntry,
    },
}

impl Change {
    /// The entry that is written.
    pub const fn entry(&self) -> &NewEntry {
        match self {
            Self::Add(entry) | Self::Supersede { entry, .. } => entry,
        }
    }
}

/// What an entry says about its facet, reduced for comparison.
pub fn fingerprint(facet: &Facet, value: &str) -> String {
    format!("{facet}={value}")
}

/// The value of a fingerprint.
pub(super) fn value_of(fingerprint: &str) -> &str {
    fingerprint.split_once('=').map_or(fingerprint, |(_, value)| value)
}

/// A person's own words in the place of an entry: it holds from when the other did, and no derivation overrides it.
pub fn correction(entry: &ProfileEntry, content: &str) -> Change {
    let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = content_words(&content).join(" ");
    let corrected = NewEntry {
        profile_type: entry.profile_type,
        facet: entry.facet.clone(),
        fingerprint: fingerprint(&entry.facet, &value),
        content,
        confidence: ProfileConfidence::High,
        evidence: entry.evidence.clone(),
        origin: ProfileOrigin::Person,
        valid_from: entry.valid_from,
        valid_to: None,
    };
    Change::Supersede { old: entry.id.clone(), entry: corrected }
}
