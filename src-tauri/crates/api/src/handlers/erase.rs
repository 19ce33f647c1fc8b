//! Erasing a conversation or a person: what would go, and that it goes.

use keepsake_domain::{ConversationId, EntityId};
use keepsake_engine::ErasureReceipt;
use keepsake_store::ErasureForeseen;

use crate::app::App;
use crate::error::ApiError;
use crate::types::ById;
use crate::types::conversations::{EraseOutcome, ErasePreview};

/// What stands beside the tombstones as the reason.
const REASON: &str = "the person asked for it";

fn preview(foreseen: ErasureForeseen) -> ErasePreview {
    let ErasureForeseen { messages, conversations, shortened, memories } = foreseen;
    ErasePreview { messages, conversations, shortened, memories }
}

fn outcome(receipt: &ErasureReceipt) -> EraseOutcome {
    EraseOutcome {
        messages: receipt.erased.messages,
        conversations: receipt.erased.conversations,
        memories: receipt.erased.memories,
        is_pending: !receipt.is_done,
        job_id: receipt.job.to_string(),
    }
}

pub(crate) fn conversation_erase_preview(app: &App, request: ById) -> Result<ErasePreview, ApiError> {
    let id: ConversationId = request.id.parse()?;
    Ok(preview(app.engine().foresee_erased_conversation(&id)?))
}

pub(crate) fn conversation_erase(app: &App, request: ById) -> Result<EraseOutcome, ApiError> {
    let id: ConversationId = request.id.parse()?;
    Ok(outcome(&app.engine().erase_conversation(&id, REASON)?))
}

pub(crate) fn person_erase_preview(app: &App, request: ById) -> Result<ErasePreview, ApiError> {
    let id: EntityId = request.id.parse()?;
    Ok(preview(app.engine().foresee_erased_person(&id)?))
}

pub(crate) fn person_erase(app: &App, request: ById) -> Result<EraseOutcome, ApiError> {
    let id: EntityId = request.id.parse()?;
    Ok(outcome(&app.engine().erase_person(&id, REASON)?))
}
