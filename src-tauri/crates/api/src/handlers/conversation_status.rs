//! Commands for the status of a conversation and the promises between people.

use keepsake_domain::{ConversationId, EntityId};
use keepsake_engine::{StoredCommitment, StoredParty, StoredPlace};
use keepsake_store::{ReadTx, Result as StoreResult};
use serde::Serialize;

use super::title_or_stand_in;
use crate::app::App;
use crate::error::ApiError;
use crate::types::ById;
use crate::types::conversations::*;

fn stretch(place: &StoredPlace) -> StretchView {
    StretchView { message_id: place.interaction_id.to_string(), start: place.start, end: place.end }
}

/// The name that a value serializes to.
fn name(word: impl Serialize) -> Option<String> {
    serde_json::to_value(word).ok()?.as_str().map(str::to_owned)
}

fn commitment(tx: &ReadTx<'_>, id: &ConversationId, stored: &StoredCommitment) -> StoreResult<CommitmentView> {
    let conversation = tx.log().conversation(id)?;
    let named = |party: &StoredParty| (!party.is_owner).then(|| party.name.clone());
    Ok(CommitmentView {
        conversation_id: id.to_string(),
        conversation_title: title_or_stand_in(conversation.title.as_deref()),
        debtor: named(&stored.debtor),
        creditor: stored.creditor.as_ref().and_then(named),
        is_owed_to_owner: stored.creditor.as_ref().is_some_and(|party| party.is_owner),
        what: stored.what.clone(),
        place: stretch(&stored.place),
        due: stored.due.map(|due| due.0),
        due_precision: stored.due_precision.clone(),
        settled: !stored.is_open(),
        settled_at: stored.settled_at.as_ref().map(stretch),
    })
}

pub(crate) fn conversation_standing(app: &App, request: ById) -> Result<ConversationStatusView, ApiError> {
    let id: ConversationId = request.id.parse()?;
    let engine = app.engine();
    Ok(engine.store().read(|tx| {
        tx.log().conversation(&id)?;
        let Some(standing) = engine.conversations().status_of(tx, &id)? else {
            return Ok(ConversationStatusView::default());
        };
        Ok(ConversationStatusView {
            status: Some(standing.status.to_string()),
            reasons: standing
                .reasons
                .iter()
                .map(|reason| ReasonView {
                    kind: reason.kind.clone(),
                    silence_ms: reason.silence_ms,
                    usual_ms: reason.usual_ms,
                    end_ms: reason.end_ms,
                    place: reason.place.as_ref().map(stretch),
                })
                .collect(),
            judge: standing.judge,
            tone: standing.tone.map(|tone| ToneView {
                pace: tone.pace.and_then(name),
                typical_words: tone.typical_words,
                messages: tone.messages,
            }),
            commitments: standing.commitments.iter().map(|one| commitment(tx, &id, one)).collect::<StoreResult<_>>()?,
            summary: standing.summary.map(|summary| SummaryView {
                id: summary.id.to_string(),
                text: summary.text,
                first_message_id: summary.first.to_string(),
                last_message_id: summary.last.to_string(),
                proposer: summary.proposer,
                created_at: summary.created.0,
            }),
        })
    })?)
}

pub(crate) fn person_commitments(app: &App, request: ById) -> Result<CommitmentsResponse, ApiError> {
    let id: EntityId = request.id.parse()?;
    let owed = app.engine().conversations().commitments_with(&id)?;
    let items = app
        .engine()
        .store()
        .read(|tx| owed.iter().map(|(conversation, stored)| commitment(tx, conversation, stored)).collect::<StoreResult<_>>())?;
    Ok(CommitmentsResponse { items })
}
