//! Commands that erase a conversation, a person, memories or what an import added, and their previews.

use keepsake_domain::{ConversationId, EntityId, ImportId};
use keepsake_engine::ErasureReceipt;
use keepsake_store::{ErasurePreview, MemoriesErased};

use super::ids;
use crate::app::App;
use crate::error::ApiError;
use crate::types::ById;
use crate::types::conversations::{EraseOutcome, ErasePreview};
use crate::types::memories::{MemoriesEraseOutcome, MemoriesErasePreview, MemoriesEraseRequest};

/// Reason stored with the tombstones.
const REASON: &str = "the person asked for it";

pub(super) fn preview(foreseen: ErasurePreview) -> ErasePreview {
    let ErasurePreview { messages, conversations, shortened, memories } = foreseen;
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
    Ok(preview(app.engine().erasure().preview_erased_conversation(&id)?))
}

pub(crate) fn conversation_erase(app: &App, request: ById) -> Result<EraseOutcome, ApiError> {
    let id: ConversationId = request.id.parse()?;
    Ok(outcome(&app.engine().erasure().erase_conversation(&id, REASON)?))
}

pub(crate) fn import_undo_preview(app: &App, request: ById) -> Result<ErasePreview, ApiError> {
    let id: ImportId = request.id.parse()?;
    Ok(preview(app.engine().erasure().preview_undone_import(&id)?))
}

pub(crate) fn import_undo(app: &App, request: ById) -> Result<EraseOutcome, ApiError> {
    let id: ImportId = request.id.parse()?;
    Ok(outcome(&app.engine().erasure().undo_import(&id)?))
}

pub(crate) fn person_erase_preview(app: &App, request: ById) -> Result<ErasePreview, ApiError> {
    let id: EntityId = request.id.parse()?;
    Ok(preview(app.engine().erasure().preview_erased_person(&id)?))
}

pub(crate) fn person_erase(app: &App, request: ById) -> Result<EraseOutcome, ApiError> {
    let id: EntityId = request.id.parse()?;
    Ok(outcome(&app.engine().erasure().erase_person(&id, REASON)?))
}

fn goes(erased: MemoriesErased) -> MemoriesErasePreview {
    MemoriesErasePreview {
        memories: erased.memories,
        versions: erased.versions,
        lines: erased.lines,
        vectors: erased.vectors,
        proposals: erased.proposals,
        stops: erased.stops,
        profile_entries: erased.profile_entries,
        tier_lines: erased.tier_lines,
        topic_lines: erased.topic_lines,
        gaps: erased.gaps,
        summaries: erased.summaries,
        calls: erased.calls,
        reads: erased.reads,
    }
}

pub(crate) fn memories_erase_preview(app: &App, request: MemoriesEraseRequest) -> Result<MemoriesErasePreview, ApiError> {
    Ok(goes(app.engine().erasure().preview_erased_memories(&ids(&request.ids)?)?))
}

pub(crate) fn memories_erase(app: &App, request: MemoriesEraseRequest) -> Result<MemoriesEraseOutcome, ApiError> {
    let receipt = app.engine().erasure().erase_memories(&ids(&request.ids)?)?;
    Ok(MemoriesEraseOutcome { gone: goes(receipt.erased), is_pending: !receipt.is_done, job_id: receipt.job.to_string() })
}
