//! Commands for playbooks: the list, the details, decisions, and export as skills.

use std::path::Path;

use keepsake_domain::{PlaybookDecisionId, PlaybookId, PlaybookStatus};
use keepsake_store::{PlaybookRow, ReadTx, Result as StoreResult};

use super::title_or_stand_in;
use crate::app::App;
use crate::error::ApiError;
use crate::types::playbooks::*;
use crate::types::{ById, Nothing};

fn row(playbook: &PlaybookRow) -> PlaybookListRow {
    let version = &playbook.version;
    PlaybookListRow {
        id: playbook.id.to_string(),
        title: version.title.clone(),
        tools: version.tools.clone(),
        steps: version.steps.len() as u32,
        occurrences: version.occurrences.len() as u32,
        against: version.against.len() as u32,
        confidence: version.confidence.to_string(),
        status: playbook.status.to_string(),
        is_parked_by_age: playbook.is_parked_by_age,
        found: playbook.found_at.0,
        last: version.occurrences.iter().map(|one| one.ended.0).max().unwrap_or(0),
        version: version.number,
    }
}

fn title(tx: &ReadTx<'_>, conversation: &keepsake_domain::ConversationId) -> StoreResult<String> {
    let row = tx.log().conversation(conversation)?;
    Ok(title_or_stand_in(row.title.as_deref()))
}

fn detail(tx: &ReadTx<'_>, playbook: &PlaybookRow) -> StoreResult<PlaybookDetail> {
    let version = &playbook.version;
    let mut supporting = Vec::new();
    for one in &version.occurrences {
        supporting.push(PlaybookSessionView {
            conversation_id: one.conversation.to_string(),
            title: title(tx, &one.conversation)?,
            message_ids: one.messages.iter().map(ToString::to_string).collect(),
            time: one.began.0,
            against: None,
        });
    }
    let mut contradicting = Vec::new();
    for one in &version.against {
        contradicting.push(PlaybookSessionView {
            conversation_id: one.conversation.to_string(),
            title: title(tx, &one.conversation)?,
            message_ids: vec![one.message.to_string()],
            time: one.time.0,
            against: Some(one.why.clone()),
        });
    }
    supporting.sort_by_key(|one| std::cmp::Reverse(one.time));
    contradicting.sort_by_key(|one| std::cmp::Reverse(one.time));
    let step = |(at, step): (usize, &keepsake_store::PlaybookStepRow)| PlaybookStepView {
        name: step.name.clone(),
        tool: step.tool.clone(),
        text: step.text.clone(),
        purpose: version.purposes.get(at).cloned().flatten(),
    };
    let parameter = |one: &keepsake_store::PlaybookParameterRow| PlaybookParameterView {
        name: one.name.clone(),
        steps: one.steps.iter().map(|step| *step as u32).collect(),
        values: one.values as u32,
    };
    Ok(PlaybookDetail {
        row: row(playbook),
        description: version.description.clone(),
        steps: version.steps.iter().enumerate().map(step).collect(),
        parameters: version.parameters.iter().map(parameter).collect(),
        supporting,
        contradicting,
        proposer: version.proposer.clone(),
    })
}

pub(crate) fn playbooks_list(app: &App, _: Nothing) -> Result<PlaybooksResponse, ApiError> {
    Ok(PlaybooksResponse { items: app.engine().playbooks().list()?.iter().map(row).collect() })
}

pub(crate) fn playbook_get(app: &App, request: ById) -> Result<PlaybookDetail, ApiError> {
    let playbook = app.engine().playbooks().playbook(&request.id.parse::<PlaybookId>()?)?;
    Ok(app.engine().store().read(|tx| detail(tx, &playbook))?)
}

pub(crate) fn playbook_decide(app: &App, request: PlaybookDecideRequest) -> Result<PlaybookDecided, ApiError> {
    let status: PlaybookStatus = request.status.parse().map_err(|_| {
        ApiError::invalid(format!(
            "'{}' is not a status of a playbook; use candidate, approved, rejected or parked",
            request.status
        ))
    })?;
    let decision = app.engine().playbooks().decide_seen(&request.id.parse()?, status, request.version)?;
    Ok(PlaybookDecided { decision_id: decision.to_string() })
}

pub(crate) fn playbook_undo(app: &App, request: ById) -> Result<Nothing, ApiError> {
    app.engine().playbooks().undo_decision(&request.id.parse::<PlaybookDecisionId>()?)?;
    Ok(Nothing {})
}

pub(crate) fn playbook_export(app: &App, request: PlaybookExportRequest) -> Result<PlaybookExported, ApiError> {
    let dir = Path::new(request.dir.trim());
    if !dir.is_absolute() {
        return Err(ApiError::refused("the path of the folder is not absolute; enter the full path"));
    }
    let path = app.engine().playbooks().export(&request.id.parse()?, dir)?;
    Ok(PlaybookExported { path: path.to_string_lossy().into_owned() })
}

pub(crate) fn playbooks_refresh(app: &App, _: Nothing) -> Result<Nothing, ApiError> {
    app.engine().playbooks().queue_now()?;
    Ok(Nothing {})
}

pub(crate) fn playbook_settings_get(app: &App, _: Nothing) -> Result<PlaybookSettings, ApiError> {
    Ok(PlaybookSettings { webhook: app.engine().playbooks().webhook()? })
}

pub(crate) fn playbook_settings_set(app: &App, request: PlaybookSettings) -> Result<PlaybookSettings, ApiError> {
    app.engine().playbooks().set_webhook(request.webhook.as_deref())?;
    playbook_settings_get(app, Nothing {})
}
