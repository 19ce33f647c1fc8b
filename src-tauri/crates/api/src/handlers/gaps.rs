//! Commands for capability gaps: list them, confirm one as a task, or dismiss one.

use std::path::Path;

use keepsake_store::{GapRow, ReadTx, Result as StoreResult};

use super::lines::line;
use crate::app::App;
use crate::error::ApiError;
use crate::types::Nothing;
use crate::types::gaps::*;

fn view(tx: &ReadTx<'_>, gap: &GapRow) -> StoreResult<GapView> {
    let mut lines = Vec::new();
    for place in &gap.evidence {
        if let Some(message) = tx.log().interaction(&place.interaction)? {
            lines.push(line(tx, &message, Some(place.span))?);
        }
    }
    Ok(GapView {
        id: gap.id.to_string(),
        need: gap.need.clone(),
        description: gap.description.clone(),
        frequency: gap.frequency,
        status: gap.status.to_string(),
        entity_id: gap.entity.as_ref().map(ToString::to_string),
        first_seen: gap.first_seen.0,
        last_seen: gap.last_seen.0,
        resolved: gap.resolved_at.map(|time| time.0),
        task: gap.task.as_ref().map(|task| TaskView {
            id: task.id.to_string(),
            status: task.status.to_string(),
            file: task.file.clone(),
        }),
        lines,
    })
}

pub(crate) fn gaps_list(app: &App, _: Nothing) -> Result<GapsResponse, ApiError> {
    let gaps = app.engine().gaps().list()?;
    Ok(GapsResponse {
        items: app.engine().store().read(|tx| gaps.iter().map(|gap| view(tx, gap)).collect())?,
        tasks_file: app.engine().gaps().tasks_file()?.map(|path| path.to_string_lossy().into_owned()),
    })
}

pub(crate) fn gap_confirm(app: &App, request: GapConfirmRequest) -> Result<GapView, ApiError> {
    if let Some(file) = &request.file {
        app.engine().gaps().set_tasks_file(Path::new(file))?;
    }
    let gap = app.engine().gaps().confirm(&request.id.parse()?)?;
    Ok(app.engine().store().read(|tx| view(tx, &gap))?)
}

pub(crate) fn gap_dismiss(app: &App, request: GapDismissRequest) -> Result<Nothing, ApiError> {
    app.engine().gaps().dismiss(&request.id.parse()?, request.is_dismissed)?;
    Ok(Nothing {})
}

pub(crate) fn pick_tasks_file(_app: &App, _request: Nothing) -> Result<TasksFileChosen, ApiError> {
    Err(ApiError::refused("this page has no file dialog; enter the full path of the file instead"))
}

pub(crate) fn tasks_file_set(app: &App, request: TasksFileRequest) -> Result<Nothing, ApiError> {
    app.engine().gaps().set_tasks_file(Path::new(&request.path))?;
    Ok(Nothing {})
}
