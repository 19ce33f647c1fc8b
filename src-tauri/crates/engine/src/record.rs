//! What is on the record of a conversation: the one place where messages are read for anything that is derived.
//!
//! What was said before a conversation was turned back from private is never read again, by nothing: not by the rules, not by a
//! model, not as the background of a later message. Whoever derives reads here and asks again in the transaction that writes, since
//! a person may have turned it private meanwhile, and back.
//!
//! Deliberately not here: what a person sees of their own messages, and where text may surface (`boundary`).

use keepsake_domain::ConversationId;
use keepsake_store::{ConversationRow, InteractionRow, ReadTx, StoreError};

use crate::echo::unechoed;

type StoreResult<T> = std::result::Result<T, StoreError>;

/// The messages of a conversation that are on the record, without echoes; none while it is private.
pub(crate) fn messages_on_record(tx: &ReadTx<'_>, id: &ConversationId) -> StoreResult<Vec<InteractionRow>> {
    let conversation = tx.conversation(id)?;
    if conversation.is_private {
        return Ok(Vec::new());
    }
    let mut rows = tx.conversation_interactions(id)?;
    rows.retain(|row| row.seq > conversation.private_through_seq);
    unechoed(tx, rows)
}

/// Whether what was read of a conversation when it was `then` may still be used. Turned private and back it may not: all of it was
/// said before.
pub(crate) fn is_still_on_record(tx: &ReadTx<'_>, then: &ConversationRow) -> StoreResult<bool> {
    let now = tx.conversation(&then.id)?;
    Ok(!now.is_private && now.private_through_seq == then.private_through_seq)
}
