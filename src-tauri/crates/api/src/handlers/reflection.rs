//! Commands for cleanup proposals: the list, details before and after, decisions, runs, undo, and settings for automatic
//! application.

use keepsake_domain::{JobKind, ReflectionId, ReflectionKind, ReflectionStatus, Visibility};
use keepsake_engine::{ReflectionRules, Unwatched};
use keepsake_store::{ReadTx, ReflectionRow, Result as StoreResult};

use super::title_or_stand_in;
use crate::app::App;
use crate::error::ApiError;
use crate::types::reflection::*;
use crate::types::{ById, Nothing};

fn row(tx: &ReadTx<'_>, found: &ReflectionRow) -> StoreResult<ReflectionListRow> {
    let mut visibility = Visibility::Public;
    let mut title = String::new();
    for (at, id) in found.memories.iter().enumerate() {
        let memory = tx.memories().memory(id)?;
        visibility = visibility.max(memory.visibility);
        if at == found.keep.unwrap_or(0) {
            title = memory.content;
        }
    }
    Ok(ReflectionListRow {
        id: found.id.to_string(),
        kind: found.kind.to_string(),
        status: found.status.to_string(),
        is_parked_by_age: found.is_parked_by_age,
        title,
        memories: found.memories.len() as u32,
        reason: found.reason.clone(),
        visibility: visibility.to_string(),
        found: found.found.0,
        changed: found.changed.0,
    })
}

fn detail(tx: &ReadTx<'_>, found: &ReflectionRow) -> StoreResult<ReflectionDetail> {
    let is_applied = found.status == ReflectionStatus::Applied;
    let (mut before, mut after, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    for id in &found.memories {
        let memory = tx.memories().memory(id)?;
        let mut own = 0;
        for place in tx.memories().evidence(id)? {
            own += u32::from(place.memory_id == *id);
            let Some(message) = tx.log().interaction(&place.interaction_id)? else { continue };
            let Ok(quote) = place.span.quote(&message.content) else { continue };
            // Evidence of a merged memory is listed under that memory.
            if place.memory_id != *id && found.memories.contains(&place.memory_id) {
                continue;
            }
            let conversation = tx.log().conversation(&message.conversation_id)?;
            sources.push(ReflectionSource {
                memory_id: id.to_string(),
                conversation_id: conversation.id.to_string(),
                title: title_or_stand_in(conversation.title.as_deref()),
                message_id: message.id.to_string(),
                author: message.author.clone(),
                time: message.time.0,
                quote: quote.to_owned(),
            });
        }
        before.push(ReflectionSide {
            memory_id: id.to_string(),
            content: memory.content,
            sources: own,
            state: "in_use".to_owned(),
        });
    }
    let all: u32 = before.iter().map(|side| side.sources).sum();
    for (at, side) in before.iter().enumerate() {
        let (state, sources) = match found.kind {
            ReflectionKind::Archive => ("set_aside", side.sources),
            ReflectionKind::Merge if found.keep == Some(at) => ("in_use", all),
            ReflectionKind::Merge => ("folded", side.sources),
        };
        after.push(ReflectionSide { state: state.to_owned(), sources, ..side.clone() });
    }
    Ok(ReflectionDetail {
        row: row(tx, found)?,
        before,
        after,
        sources,
        proposer: found.proposer.clone(),
        operation_id: found.operation.as_ref().filter(|_| is_applied).map(ToString::to_string),
    })
}

fn looks(found: Vec<(ReflectionId, String)>) -> Vec<ReflectionLook> {
    found.into_iter().map(|(id, reason)| ReflectionLook { id: id.to_string(), reason }).collect()
}

fn ids_of(ids: &[String]) -> Result<Vec<ReflectionId>, ApiError> {
    Ok(ids.iter().map(|id| id.parse()).collect::<Result<Vec<_>, _>>()?)
}

pub(crate) fn reflections_list(app: &App, _: Nothing) -> Result<ReflectionsResponse, ApiError> {
    let found = app.engine().reflections().list()?;
    Ok(app.engine().store().read(|tx| {
        let run = tx.reflections().last_run()?.map(|(id, summary, at)| ReflectionRunView {
            operation_id: id.to_string(),
            summary,
            at: at.0,
        });
        Ok(ReflectionsResponse {
            items: found.iter().map(|found| row(tx, found)).collect::<StoreResult<_>>()?,
            run,
            job_id: tx.maintenance().unsettled_jobs_of(&[JobKind::Reflect])?.first().map(ToString::to_string),
        })
    })?)
}

pub(crate) fn reflection_get(app: &App, request: ById) -> Result<ReflectionDetail, ApiError> {
    let found = app.engine().reflections().reflection(&request.id.parse()?)?;
    Ok(app.engine().store().read(|tx| detail(tx, &found))?)
}

pub(crate) fn reflections_decide(app: &App, request: ReflectionsDecideRequest) -> Result<ReflectionsDecided, ApiError> {
    let status: ReflectionStatus = request.status.parse().map_err(|_| {
        ApiError::invalid(format!("'{}' is not a status of a proposal; use open, accepted, refused or parked", request.status))
    })?;
    let needs_look = app.engine().reflections().decide(&ids_of(&request.ids)?, status)?;
    Ok(ReflectionsDecided { needs_look: looks(needs_look) })
}

pub(crate) fn reflections_apply(app: &App, request: ReflectionsApplyRequest) -> Result<ReflectionsApplied, ApiError> {
    let ids = request.ids.as_deref().map(ids_of).transpose()?;
    let run = app.engine().reflections().apply(ids.as_deref(), &Unwatched)?;
    Ok(ReflectionsApplied {
        operation_id: run.operation.map(|id| id.to_string()),
        summary: run.summary,
        applied: run.applied.len() as u32,
        needs_look: looks(run.needs_look),
    })
}

pub(crate) fn reflections_undo(app: &App, _: Nothing) -> Result<ReflectionsUndone, ApiError> {
    Ok(ReflectionsUndone { summary: app.engine().reflections().undo(None)?.map(|(_, words)| words) })
}

pub(crate) fn reflections_look(app: &App, _: Nothing) -> Result<ReflectionsLooking, ApiError> {
    Ok(ReflectionsLooking { job_id: app.engine().reflections().queue()?.to_string() })
}

pub(crate) fn reflection_settings_get(app: &App, _: Nothing) -> Result<ReflectionSettings, ApiError> {
    let rules = app.engine().reflections().rules()?;
    Ok(ReflectionSettings { automatic: rules.automatic.iter().map(ToString::to_string).collect() })
}

pub(crate) fn reflection_settings_set(app: &App, request: ReflectionSettings) -> Result<ReflectionSettings, ApiError> {
    let kind = |name: &String| {
        name.parse::<ReflectionKind>()
            .map_err(|_| ApiError::invalid(format!("'{name}' is not a kind of proposal; use archive or merge")))
    };
    let automatic = request.automatic.iter().map(kind).collect::<Result<Vec<_>, _>>()?;
    app.engine().reflections().set_rules(&ReflectionRules { automatic })?;
    reflection_settings_get(app, Nothing {})
}
