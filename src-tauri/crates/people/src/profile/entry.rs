//! The input and output of a derivation.

use keepsake_domain::{
    ConversationId, Evidence, EvidenceSpan, Facet, ProfileConfidence, ProfileEntry, ProfileId, ProfileOrigin, ProfileType,
    Timestamp,
};

use crate::text::content_words;
use crate::{Similarity, Utterance};

/// Records that a person disputed an entry. The record outlives the entry, so that neither a new import nor a new derivation
/// restores the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debunked {
    /// The type of the disputed entry.
    pub profile_type: ProfileType,
    /// The facet of the disputed entry.
    pub facet: Facet,
    /// The statement; see [`ProfileEntry::fingerprint`].
    pub fingerprint: String,
    /// When the person disputed it. Only later statements may lead to a new entry about the same thing.
    pub at: Timestamp,
}

impl Debunked {
    /// The record left by a disputed entry; `None` if it was not disputed.
    pub fn of(entry: &ProfileEntry) -> Option<Self> {
        entry.debunked_at.map(|at| Self {
            profile_type: entry.profile_type,
            facet: entry.facet.clone(),
            fingerprint: entry.fingerprint.clone(),
            at,
        })
    }
}

/// The input for a derivation.
#[derive(Clone, Copy)]
pub struct ProfileInput<'a> {
    /// True for the owner of this Keepsake. The name alone does not show this.
    pub is_owner: bool,
    /// The name of the entity: "User" for the owner, otherwise the name that the source shows.
    pub name: &'a str,
    /// All utterances of one audience in conversations in which the entity takes part, in any order.
    pub utterances: &'a [Utterance<'a>],
    /// All versions of the entries for the same audience, including superseded and disputed ones.
    pub entries: &'a [ProfileEntry],
    /// Disputed statements that are no longer among the entries. Entries with a `debunked_at` need not be listed here.
    pub debunked: &'a [Debunked],
    /// Compares two texts.
    pub similarity: Similarity<'a>,
}

/// How clearly a statement was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// An indirect sign: a question, a complaint.
    Passing,
    /// Stated directly: "I prefer short answers".
    Stated,
    /// From an entry with high confidence: it was said often, or a person wrote it.
    Lasting,
}

/// A place where a deriver found that the entity reveals something about itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The type of entry it supports.
    pub profile_type: ProfileType,
    /// The facet it is about.
    pub facet: Facet,
    /// `facet=value`; see [`fingerprint`].
    pub fingerprint: String,
    /// The sentence that an entry uses to state it.
    pub content: String,
    /// How clearly it was said.
    pub strength: Strength,
    /// The place.
    pub place: EvidenceSpan,
    /// The conversation.
    pub conversation: ConversationId,
    /// The time.
    pub time: Timestamp,
}

/// A new entry, not yet assigned an id.
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
    /// The row to write for this entry.
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

/// A change to be written. Existing entries are never modified, except that a superseded entry gets its `superseded_at`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// An entry about something that was not known before.
    Add(NewEntry),
    /// A new version that replaces another.
    Supersede {
        /// The entry that is superseded.
        old: ProfileId,
        /// The new version.
        entry: NewEntry,
    },
}

impl Change {
    /// The entry to be written.
    pub const fn entry(&self) -> &NewEntry {
        match self {
            Self::Add(entry) | Self::Supersede { entry, .. } => entry,
        }
    }
}

/// The normalized form of a statement about a facet, for comparing statements.
pub fn fingerprint(facet: &Facet, value: &str) -> String {
    format!("{facet}={value}")
}

/// The value part of a fingerprint.
pub(super) fn value_of(fingerprint: &str) -> &str {
    fingerprint.split_once('=').map_or(fingerprint, |(_, value)| value)
}

/// A correction that replaces an entry with a person's own wording. It is valid from the same time as the entry, and no
/// derivation overrides it.
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
