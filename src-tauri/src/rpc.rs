//! The page's command for requests. `keepsake-api` handles all of them, except those that only a desktop host can handle:
//! choosing files in the system's dialog.

use keepsake_api::{ApiError, App, Code, dispatch};
use serde_json::{Value, json};
use tauri::{AppHandle, State, async_runtime};
use tauri_plugin_dialog::{DialogExt, FilePath};

/// Runs the API command `cmd` with the request `payload` on a blocking thread, not on the UI thread.
#[tauri::command]
pub(crate) async fn rpc(host: AppHandle, backend: State<'_, App>, cmd: String, payload: Value) -> Result<Value, ApiError> {
    let backend = backend.inner().clone();
    let work = async_runtime::spawn_blocking(move || match cmd.as_str() {
        "pick_files" => Ok(pick_files(&host, &backend)),
        "pick_folder" => Ok(pick_folder(&host, &backend)),
        "pick_tasks_file" => Ok(pick_tasks_file(&host)),
        "pick_backup_target" => Ok(pick_backup_target(&host, &backend)),
        "pick_backup" => Ok(pick_backup(&host, &backend)),
        "pick_export_folder" => Ok(pick_export_folder(&host, &backend)),
        _ => dispatch(&backend, &cmd, payload),
    });
    // A panic in a command must not close the window. Its location is in the log.
    work.await.unwrap_or_else(|_| {
        let message = "the command failed because of an internal error and changed nothing; the log shows where. Try again.";
        Err(ApiError { code: Code::Failed, message: message.into() })
    })
}

/// Opens the system's file dialog. Returns no files if the dialog was canceled.
fn pick_files(host: &AppHandle, backend: &App) -> Value {
    let chosen = host.dialog().file().set_title("Choose exports to import").blocking_pick_files().unwrap_or_default();
    let paths = chosen.into_iter().filter_map(|file| file.into_path().ok());
    let files: Vec<_> = paths.map(|path| backend.register_file(&path)).collect();
    json!({ "files": files })
}

/// Like [`pick_files`], for one folder.
fn pick_folder(host: &AppHandle, backend: &App) -> Value {
    let chosen = host.dialog().file().set_title("Choose a folder to watch").blocking_pick_folder();
    let files: Vec<_> =
        chosen.and_then(|folder| folder.into_path().ok()).map(|path| backend.register_file(&path)).into_iter().collect();
    json!({ "files": files })
}

/// Opens the dialog for a file that may not exist yet. The page receives and shows the path, because the person can also type it.
fn pick_tasks_file(host: &AppHandle) -> Value {
    let dialog = host.dialog().file().set_title("Choose a Markdown file; tasks are added at the end").set_file_name("tasks.md");
    let chosen = dialog.add_filter("Markdown", &["md", "markdown"]).blocking_save_file();
    json!({ "path": chosen.and_then(|file| file.into_path().ok()).map(|path| path.to_string_lossy().into_owned()) })
}

/// Opens the dialog for the target file of a backup. The system asks before it replaces an existing file.
fn pick_backup_target(host: &AppHandle, backend: &App) -> Value {
    let dialog = host.dialog().file().set_title("Choose where to save the backup").set_file_name("Keepsake backup.db");
    let chosen = dialog.add_filter("Keepsake backup", &["db"]).blocking_save_file();
    one(chosen, backend)
}

/// Opens the dialog for a backup to restore.
fn pick_backup(host: &AppHandle, backend: &App) -> Value {
    let dialog = host.dialog().file().set_title("Choose a backup to restore").add_filter("Keepsake backup", &["db"]);
    one(dialog.blocking_pick_file(), backend)
}

/// Opens the dialog for the folder in which the export creates its own folder.
fn pick_export_folder(host: &AppHandle, backend: &App) -> Value {
    one(host.dialog().file().set_title("Choose where to save the export").blocking_pick_folder(), backend)
}

fn one(chosen: Option<FilePath>, backend: &App) -> Value {
    let path = chosen.and_then(|file| file.into_path().ok());
    json!({ "files": path.map(|path| backend.register_file(&path)).into_iter().collect::<Vec<_>>() })
}
