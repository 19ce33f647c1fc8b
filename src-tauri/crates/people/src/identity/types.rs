//! Input and output of identity suggestions. All values are typed instead of worded, so that each interface can phrase them in
//! its own language.

use crate::identity::rules::DIGEST_BYTES;
use keepsake_domain::{ConversationId, EntityId, EntityType, HandleId, InteractionId, LinkStrength, Span, Timestamp};
use serde::{Deserialize, Serialize};

/// A handle with the data that is known without reading its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandleRecord {
    /// The id of the handle.
    pub id: HandleId,
    /// The entity it belongs to. Handles of the same entity are already linked and are never suggested.
    pub entity: EntityId,
    /// The type of channel: `matrix`, `email`, `whatsapp` …
    pub channel_type: String,
    /// The handle as written on the channel. If the source has none, the importer uses the display name.
    pub address: String,
    /// The display names seen with it.
    pub names: Vec<String>,
    /// Further details from its profile (email, phone, links), each value exactly as stored.
    pub profile: Vec<String>,
    /// The type of entity; only persons are suggested.
    pub entity_type: EntityType,
    /// True if it belongs to the owner.
    pub is_owner: bool,
    /// The time of its first message.
    pub first_seen: Timestamp,
    /// The time of its last message.
    pub last_seen: Timestamp,
    /// The number of messages it wrote.
    pub messages: u32,
}

/// A message written by a handle. The caller leaves out private conversations, branches, tool output and notices.
#[derive(Debug, Clone, Copy)]
pub struct Utterance<'a> {
    /// The id of the quoted message.
    pub interaction: &'a InteractionId,
    /// The author.
    pub handle: &'a HandleId,
    /// The conversation.
    pub conversation: &'a ConversationId,
    /// The text, exactly as stored; spans count its code points.
    pub text: &'a str,
    /// The time of the message.
    pub time: Timestamp,
}

/// The place of a clue: a span of a stored message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Evidence {
    /// The message.
    pub interaction: InteractionId,
    /// Position in the message.
    pub span: Span,
}

/// How a contact detail is known to belong to a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactSource {
    /// The handle itself is that address or number.
    Handle,
    /// The profile contains it.
    Profile,
    /// The owner of the handle stated it in their own words.
    Statement,
    /// It is in the signature below their own words.
    Signature,
}

/// A reason for or against a pair.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ClueKind {
    /// Evidence in favor: both give this address or number as their own.
    SameContact {
        /// The compared form: a lowercase address or an E.164 number.
        contact: String,
        /// How it is known to belong to the first handle of the pair.
        a: ContactSource,
        /// How it is known to belong to the second handle.
        b: ContactSource,
    },
    /// For: `by` says that it also owns the other handle.
    DeclaredHandle {
        /// The handle that makes the statement.
        by: HandleId,
        /// The other handle, as written.
        handle: String,
    },
    /// For: both name this account as theirs, and no message from the account is stored.
    SameAccount {
        /// The canonical name of the channel.
        channel: String,
        /// The account, in lowercase.
        handle: String,
    },
    /// For, but never sufficient: the same full name.
    SameFullName {
        /// The name, in lowercase without accents.
        name: String,
    },
    /// For: both talk with the same people.
    SharedCompanions {
        /// The companions as handles known from the first handle's conversations; the second one talks with the same people.
        companions: Vec<HandleId>,
    },
    /// For: both use words that few others use.
    SharedTerms {
        /// The words in lowercase, sorted.
        terms: Vec<String>,
    },
    /// Against: both write in the same conversation.
    SameConversation {
        /// The conversation.
        conversation: ConversationId,
        /// How often one followed the other there.
        answers: u32,
    },
    /// Against: their full names differ.
    DifferentNames {
        /// The name of the first handle.
        a: String,
        /// The name of the second handle.
        b: String,
        /// True if they have a part in common, for example after a marriage.
        is_partly_shared: bool,
    },
    /// Against: both are on the same server, where one person rarely needs two accounts.
    SameServer {
        /// The server; empty for channels without servers.
        server: String,
    },
    /// Against: `by` says that the other handle is not theirs.
    Denied {
        /// The handle that makes the statement.
        by: HandleId,
    },
    /// Against: `by` names a different handle as theirs on the channel of the other handle.
    DeclaredOther {
        /// The handle that makes the statement.
        by: HandleId,
        /// The handle that `by` named.
        handle: String,
    },
    /// Against: a name mixes letters of two scripts, as imitations do.
    MixedScripts {
        /// The handle with that name.
        handle: HandleId,
    },
    /// Against: another person with the same name talks with one of them, so the name does not identify anybody.
    Namesake {
        /// That person's handle.
        handle: HandleId,
    },
    /// Against: a person answered "different" about one of these handles and a handle linked to the other.
    DecidedDifferent {
        /// The first handle of that answer.
        a: HandleId,
        /// The second handle.
        b: HandleId,
    },
}

/// A reason and the words that support it. A handle that is itself an address needs no words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Clue {
    /// The reason.
    #[serde(flatten)]
    pub kind: ClueKind,
    /// The places that show it, oldest first, up to a limit.
    pub spans: Vec<Evidence>,
}

/// Two handles that may belong to the same person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The handle whose id sorts first.
    pub a: HandleId,
    /// The other handle.
    pub b: HandleId,
    /// The strength of its best reason.
    pub strength: LinkStrength,
    /// The reasons for it, strongest first; never empty.
    pub evidence_for: Vec<Clue>,
    /// The reasons against it.
    pub evidence_against: Vec<Clue>,
    /// The fingerprint of the reasons for it.
    pub fingerprint: Fingerprint,
}

/// A set of digests, one per reason, that later shows whether there is new evidence.
///
/// A single digest of everything would not work: it would also change when a reason disappears (for example, because a message
/// is erased), and a missing reason is no cause to ask again. Shared people and words are counted in powers of two, so that one
/// more word does not count as new evidence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of these reasons; their order and spans do not matter.
    pub fn of(clues: &[Clue]) -> Self {
        let mut digests: Vec<String> = clues.iter().flat_map(|clue| digests(&clue.kind)).collect();
        digests.sort_unstable();
        digests.dedup();
        Self(digests.join("."))
    }

    /// A fingerprint as read from storage.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The fingerprint as text for storage.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if this contains a reason that `earlier` does not contain.
    pub fn has_news_over(&self, earlier: &Self) -> bool {
        self.0.split('.').any(|digest| !digest.is_empty() && !earlier.0.split('.').any(|known| known == digest))
    }
}

/// The digests of one reason: a single digest, or, for a reason with a count, one digest for each power of two that the count has
/// reached.
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

/// A person's earlier answer about two handles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The first handle.
    pub a: HandleId,
    /// The second handle; the order does not matter.
    pub b: HandleId,
    /// The current answer.
    pub answer: Answer,
}

/// The answers that affect suggestions. An unlinked pair has none, so it may be suggested again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Linked. Links form chains, so handles linked through a third one are linked too.
    Same,
    /// Never suggest this pair again; other pairs are not affected.
    Different,
    /// Suggest again only with evidence that is not in this fingerprint.
    Unsure(Fingerprint),
}
