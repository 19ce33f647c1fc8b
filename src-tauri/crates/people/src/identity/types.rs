//! What identity suggestions read and what they say; all of it typed, so that each shell words it in its own language.

use keepsake_domain::{ConversationId, EntityId, EntityType, HandleId, InteractionId, LinkStrength, Span, Timestamp};
use serde::{Deserialize, Serialize};

/// One handle and what is known about it without reading a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandleRecord {
    /// The handle.
    pub id: HandleId,
    /// Its entity; handles of one entity belong together already and are never suggested.
    pub entity: EntityId,
    /// Channel type: `matrix`, `email`, `whatsapp` …
    pub channel_type: String,
    /// The handle as the channel writes it; where a source has none, the importer put the display name here.
    pub address: String,
    /// Display names seen with it.
    pub names: Vec<String>,
    /// What its profile says beyond the name (e-mail, phone, links), each value as it stands there.
    pub profile: Vec<String>,
    /// What it is; only persons are suggested.
    pub entity_type: EntityType,
    /// It is the owner's own.
    pub is_owner: bool,
    /// Its first message.
    pub first_seen: Timestamp,
    /// Its last message.
    pub last_seen: Timestamp,
    /// How many messages it wrote.
    pub messages: u32,
}

/// One message of a handle. The caller leaves out private conversations, branches, tool output and notices.
#[derive(Debug, Clone, Copy)]
pub struct Utterance<'a> {
    /// The message.
    pub interaction: &'a InteractionId,
    /// Who wrote it.
    pub handle: &'a HandleId,
    /// Where.
    pub conversation: &'a ConversationId,
    /// The text, exactly as stored: spans count its code points.
    pub text: &'a str,
    /// When.
    pub time: Timestamp,
}

/// Where a clue stands: a stretch of a stored message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Evidence {
    /// The message.
    pub interaction: InteractionId,
    /// Where in it.
    pub span: Span,
}

/// How a contact detail came to belong to a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactSource {
    /// The handle is itself that address or number.
    Handle,
    /// Its profile says so.
    Profile,
    /// Its owner said so in their own words.
    Statement,
    /// It stands in the signature under their own words.
    Signature,
}

/// One reason for or against.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ClueKind {
    /// For: both give this address or number as their own.
    SameContact {
        /// In the form that was compared: lower-case address or E.164 number.
        contact: String,
        /// How it belongs to the pair's first handle.
        a: ContactSource,
        /// How it belongs to the second.
        b: ContactSource,
    },
    /// For: `by` says that the other handle is its own.
    DeclaredHandle {
        /// Who says so.
        by: HandleId,
        /// What was named, as written.
        handle: String,
    },
    /// For: both name this account as theirs, of which no message is stored.
    SameAccount {
        /// The channel, canonical.
        channel: String,
        /// The account, folded.
        handle: String,
    },
    /// For, never alone: the same full name.
    SameFullName {
        /// The name, folded.
        name: String,
    },
    /// For: both talk with the same people.
    SharedCompanions {
        /// Handles of the pair's first side; of the second those that belong to the same people.
        companions: Vec<HandleId>,
    },
    /// For: both use words that few others use.
    SharedTerms {
        /// The words, folded, in order.
        terms: Vec<String>,
    },
    /// Against: both write in one conversation.
    SameConversation {
        /// Which.
        conversation: ConversationId,
        /// How often one answered the other there.
        answers: u32,
    },
    /// Against: their full names differ.
    DifferentNames {
        /// Name of the first.
        a: String,
        /// Name of the second.
        b: String,
        /// They share a part, as after a marriage.
        is_partly_shared: bool,
    },
    /// Against: both are on one server, where a person rarely needs two accounts.
    SameServer {
        /// The server; empty for channels without servers.
        server: String,
    },
    /// Against: `by` says that the other is not theirs.
    Denied {
        /// Who says so.
        by: HandleId,
    },
    /// Against: `by` names another handle as theirs on the channel of the other.
    DeclaredOther {
        /// Who says so.
        by: HandleId,
        /// The handle they named.
        handle: String,
    },
    /// Against: a name is written in letters of two scripts, as imitations are.
    MixedScripts {
        /// Whose name.
        handle: HandleId,
    },
    /// Against: somebody else of that name talks with one of them, so the name does not tell who is meant.
    Namesake {
        /// The other bearer.
        handle: HandleId,
    },
    /// Against: a person said "different" of one of these and a handle that is linked to the other.
    DecidedDifferent {
        /// One handle of that answer.
        a: HandleId,
        /// The other.
        b: HandleId,
    },
}

/// A reason and the words it rests on; a handle that is itself an address needs no words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Clue {
    /// The reason.
    #[serde(flatten)]
    pub kind: ClueKind,
    /// Where it stands, oldest first, capped.
    pub spans: Vec<Evidence>,
}

/// Two handles that may belong to one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The handle whose id sorts first.
    pub a: HandleId,
    /// The other.
    pub b: HandleId,
    /// What it rests on at best.
    pub strength: LinkStrength,
    /// Reasons for, strongest first; never empty.
    pub evidence_for: Vec<Clue>,
    /// Reasons against.
    pub evidence_against: Vec<Clue>,
    /// Of the reasons for.
    pub fingerprint: Fingerprint,
}

/// A set of digests, one a reason: tells later whether anything was added to it.
///
/// A single digest of the whole could not: it also changes when a reason falls away (an erased message), which is no cause to
/// ask again. Shared people and words count in powers of two, so that one more word does not count as new evidence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// Bytes of a reason's digest: four thousand million to one against two of a dozen reasons meeting.
const DIGEST_BYTES: usize = 8;

impl Fingerprint {
    /// The fingerprint of these reasons; their order and spans do not matter.
    pub fn of(clues: &[Clue]) -> Self {
        let mut digests: Vec<String> = clues.iter().flat_map(|clue| digests(&clue.kind)).collect();
        digests.sort_unstable();
        digests.dedup();
        Self(digests.join("."))
    }

    /// A fingerprint as stored.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// For storing.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this rests on something that `earlier` did not rest on.
    pub fn has_news_over(&self, earlier: &Self) -> bool {
        self.0.split('.').any(|digest| !digest.is_empty() && !earlier.0.split('.').any(|known| known == digest))
    }
}

/// The digests of one reason: one, or for a countable one a digest for each power of two that its count has reached.
fn digests(kind: &ClueKind) -> Vec<String> {
    let one = |parts: &[&str]| {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().as_str()[..DIGEST_BYTES * 2].to_owned()
    };
    let steps =
        |name: &str, count: usize| (0..=count.max(1).ilog2()).map(|step| one(&[name, &step.to_string()])).collect::<Vec<_>>();
    match kind {
        ClueKind::SameContact { contact, .. } => vec![one(&["contact", contact])],
        ClueKind::DeclaredHandle { by, .. } => vec![one(&["declared", by.as_str()])],
        ClueKind::SameAccount { channel, handle } => vec![one(&["account", channel, handle])],
        ClueKind::SameFullName { name } => vec![one(&["name", name])],
        ClueKind::SharedCompanions { companions } => steps("companions", companions.len()),
        ClueKind::SharedTerms { terms } => steps("terms", terms.len()),
        ClueKind::SameConversation { .. }
        | ClueKind::DifferentNames { .. }
        | ClueKind::SameServer { .. }
        | ClueKind::Denied { .. }
        | ClueKind::DeclaredOther { .. }
        | ClueKind::MixedScripts { .. }
        | ClueKind::Namesake { .. }
        | ClueKind::DecidedDifferent { .. } => Vec::new(),
    }
}

/// What a person said earlier about two handles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// One handle.
    pub a: HandleId,
    /// The other; order does not matter.
    pub b: HandleId,
    /// The answer that holds now.
    pub answer: Answer,
}

/// The answers that bear on suggestions. An unlinked pair has none: it may be suggested again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Linked; links chain, so what is linked through a third handle is linked too.
    Same,
    /// Never again for this pair; pairs around it are unaffected.
    Different,
    /// Again once there is evidence that was not in this fingerprint.
    Unsure(Fingerprint),
}
