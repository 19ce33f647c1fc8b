//! Commands for backups, exports, restores and rebuilds.
//!
//! They return when the work is done, report progress meanwhile, and can be canceled.

use std::path::{Path, PathBuf};

use keepsake_engine::{BackupReason, RestoreReceipt};
use keepsake_store::{ChainFault, Contents, OnDoubt};

use crate::app::App;
use crate::error::ApiError;
use crate::types::backup::*;
use crate::types::sources::PickedFiles;
use crate::types::{ById, Nothing};

/// Name of the task, for progress and cancellation. Backups, restores, exports and rebuilds share it, so only one of them runs at
/// a time.
pub(crate) const TASK: &str = "backup";

fn contents(contents: &Contents, doubt: Option<&ChainFault>) -> BackupContents {
    BackupContents {
        messages: contents.rows_of("interactions"),
        conversations: contents.rows_of("conversations"),
        memories: contents.rows_of("memories"),
        rows: contents.rows.values().sum(),
        schema: contents.schema,
        head: contents.head.clone(),
        doubt: doubt.map(ToString::to_string),
    }
}

/// Contents of a backup for the command line: `schema`, `head`, and `rows` by table.
pub fn contents_json(contents: &Contents) -> serde_json::Value {
    serde_json::json!({ "schema": contents.schema, "head": contents.head, "rows": contents.rows })
}

/// Receipt of a restore for the command line: `restored` and `before`.
pub fn restored_json(receipt: &RestoreReceipt) -> serde_json::Value {
    serde_json::json!({ "restored": outcome(receipt), "before": receipt.before })
}

fn outcome(receipt: &RestoreReceipt) -> RestoreOutcome {
    let restored = &receipt.restored;
    RestoreOutcome {
        messages: restored.messages,
        conversations: restored.conversations,
        memories: restored.memories,
        before: receipt.before.as_deref().map(name),
        is_same_store: restored.is_same_store,
        erased_again: restored.erased_again,
        kept_out: restored.kept_out,
        refused_again: restored.refused_again,
        reopened: restored.reopened,
        debunked_again: restored.debunked_again,
        unlinked_again: restored.unlinked_again,
        kept_private: restored.kept_private,
        doubt: restored.doubt.as_ref().map(ToString::to_string),
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.to_string_lossy().into_owned(), |name| name.to_string_lossy().into_owned())
}

/// Path of the file or export folder that a request refers to.
fn file(app: &App, place: &BackupPlace) -> Result<PathBuf, ApiError> {
    match (&place.token, &place.id) {
        (Some(token), None) => app.file(token),
        (None, Some(id)) => Ok(app.engine().backups().named(id)?.path),
        _ => Err(ApiError::invalid("no backup was chosen; choose a file or one of the listed backups")),
    }
}

pub(crate) fn pick_backup_target(_app: &App, _request: Nothing) -> Result<PickedFiles, ApiError> {
    // Hosts with a dialog handle these commands before they get here.
    Err(ApiError::refused("this host has no file dialog; the backup is saved in the data folder"))
}

pub(crate) fn pick_backup(_app: &App, _request: Nothing) -> Result<PickedFiles, ApiError> {
    Err(ApiError::refused("this host has no file dialog; send the file instead"))
}

pub(crate) fn pick_export_folder(_app: &App, _request: Nothing) -> Result<PickedFiles, ApiError> {
    Err(ApiError::refused("this host has no file dialog; run `keepsake export DIR`"))
}

pub(crate) fn backups_list(app: &App, _request: Nothing) -> Result<BackupsResponse, ApiError> {
    let items = app.engine().backups().list()?.into_iter().map(|backup| BackupView {
        id: backup.name,
        made_at: backup.made.0,
        reason: backup.reason.name().to_owned(),
        bytes: backup.bytes,
    });
    Ok(BackupsResponse { items: items.collect(), folder: app.engine().backups().dir().to_string_lossy().into_owned() })
}

pub(crate) fn backup_make(app: &App, request: BackupPlace) -> Result<BackupMade, ApiError> {
    let task = app.begin_task(TASK)?;
    match request.token {
        Some(token) => {
            let report = app.engine().backups().back_up(&app.file(&token)?, &task)?;
            Ok(BackupMade {
                name: name(&report.path),
                bytes: report.bytes,
                contents: contents(&report.contents, report.doubt.as_ref()),
            })
        }
        None => {
            let backup = app.engine().backups().keep(BackupReason::Asked, &task)?;
            let held = app.engine().backups().inspect(&backup.path, &task)?;
            let contents = contents(&held.contents, held.doubt.as_ref());
            Ok(BackupMade { name: backup.name, bytes: backup.bytes, contents })
        }
    }
}

pub(crate) fn restore_preview(app: &App, request: BackupPlace) -> Result<RestorePreview, ApiError> {
    let task = app.begin_task(TASK)?;
    let file = file(app, &request)?;
    let (held, locks) = if file.is_dir() {
        let (list, doubt) = app.engine().exports().inspect(&file, &task)?;
        let held = BackupContents {
            messages: list.rows_of("interactions"),
            conversations: list.rows_of("conversations"),
            memories: list.rows_of("memories"),
            rows: list.rows.values().sum(),
            schema: list.schema,
            head: String::new(),
            doubt: doubt.map(|fault| fault.to_string()),
        };
        (held, None)
    } else {
        let held = app.engine().backups().inspect(&file, &task)?;
        (contents(&held.contents, held.doubt.as_ref()), held.locks)
    };
    let (messages, conversations) = app.engine().store().read(|tx| tx.log().totals())?;
    let memories = app.engine().store().read(|tx| tx.lifecycle().memory_count())?;
    Ok(RestorePreview { name: name(&file), backup: held, locks, messages, conversations, memories })
}

pub(crate) fn restore(app: &App, request: BackupPlace) -> Result<RestoreOutcome, ApiError> {
    let task = app.begin_task(TASK)?;
    let file = file(app, &request)?;
    let on_doubt = if request.salvage { OnDoubt::Salvage } else { OnDoubt::Refuse };
    let receipt = if file.is_dir() {
        app.engine().exports().restore_with(&file, on_doubt, &task)?
    } else {
        app.engine().backups().restore_with(&file, on_doubt, &task)?
    };
    app.engine().imports().forget_upload(&file);
    Ok(outcome(&receipt))
}

pub(crate) fn export_make(app: &App, request: BackupPlace) -> Result<ExportMade, ApiError> {
    let task = app.begin_task(TASK)?;
    let parent = app.file(request.token.as_deref().ok_or_else(|| ApiError::invalid("choose a folder for the export"))?)?;
    let receipt = app.engine().exports().export_within(&parent, &task)?;
    Ok(ExportMade {
        name: name(&receipt.folder),
        messages: receipt.messages,
        conversations: receipt.conversations,
        memories: receipt.memories,
        notes: receipt.notes,
        doubt: receipt.doubt.as_ref().map(ToString::to_string),
    })
}

pub(crate) fn rebuild_begin(app: &App, _request: Nothing) -> Result<RebuildBegun, ApiError> {
    let task = app.begin_task(TASK)?;
    let _queue = app.own_queue()?;
    let begun = app.engine().maintenance().begin_rebuild(&task)?;
    Ok(RebuildBegun { backup: name(&begun.backup), candidates: begun.candidates, run_id: begun.run.to_string() })
}

pub(crate) fn task_cancel(app: &App, request: ById) -> Result<Nothing, ApiError> {
    app.cancel_task(&request.id);
    Ok(Nothing {})
}
