//! Promises, as stored with the status of their conversation.
//!
//! Not in this module: finding them and the lines that settle them (`conversation_status`).

use keepsake_domain::{ConversationId, InteractionId, Span, Timestamp};
use keepsake_store::{ReadTx, StoreError, parse_json};
use serde::{Deserialize, Serialize};

/// A range in a stored message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPlace {
    /// Id of the message.
    pub interaction_id: InteractionId,
    /// Index of the first code point of the range.
    pub start: u32,
    /// Index after the last code point of the range.
    pub end: u32,
}

/// A party to a promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredParty {
    /// Whether this is the owner.
    pub is_owner: bool,
    /// Their name in the conversation.
    pub name: String,
    /// Their handle, if only one handle in the conversation has that name.
    pub handle_id: Option<String>,
}

/// A promise, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCommitment {
    /// Who made the promise.
    pub debtor: StoredParty,
    /// Who it was made to; `None` in a group, where that is unclear.
    pub creditor: Option<StoredParty>,
    /// What was promised, in the original words.
    pub what: String,
    /// Where it was promised.
    pub place: StoredPlace,
    /// The time by which it must be fulfilled.
    pub due: Option<Timestamp>,
    /// `hour`, `day` or `period`.
    pub due_precision: Option<String>,
    /// The line that settles it; `None` while it is open.
    pub settled_at: Option<StoredPlace>,
    /// How far the later lines were searched for one that settles the promise.
    #[serde(default)]
    pub(crate) followed: Option<Followed>,
}

impl StoredCommitment {
    /// Whether the promise is still open.
    pub fn is_open(&self) -> bool {
        self.settled_at.is_none()
    }
}

/// How far the lines after a promise were searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Followed {
    /// Version of the reader.
    pub(crate) by: String,
    /// The last line examined.
    pub(crate) through: Option<InteractionId>,
    /// Number of lines examined.
    pub(crate) lines: u32,
    /// Number of lines that the reader compared with the promise.
    pub(crate) compared: u32,
    /// Probability, in thousandths, that the line found settles it; 0 while no line does.
    pub(crate) surest: u32,
}

/// The promises of a conversation, except those whose words are no longer in the log; empty for an excluded conversation.
pub(crate) fn commitments_of(tx: &ReadTx<'_>, id: &ConversationId) -> std::result::Result<Vec<StoredCommitment>, StoreError> {
    let Some(row) = tx.conversation_status().standing(id)? else { return Ok(Vec::new()) };
    let stored: Vec<StoredCommitment> = parse_json("promises of a conversation", &row.pending_actions)?;
    let mut shown = Vec::with_capacity(stored.len());
    for commitment in stored {
        if stands(tx, &commitment.place)? {
            shown.push(commitment);
        }
    }
    Ok(shown)
}

/// Whether the message still exists and contains the range.
fn stands(tx: &ReadTx<'_>, place: &StoredPlace) -> std::result::Result<bool, StoreError> {
    let Ok(span) = Span::new(place.start, place.end) else { return Ok(false) };
    Ok(tx.log().interaction(&place.interaction_id)?.is_some_and(|row| span.quote(&row.content).is_ok()))
}
