//! The desktop shell: one window and two commands, one for requests and one for events. It only sets these up; the application
//! itself is in `keepsake-api`.
//!
//! This is the only crate that uses Tauri. Not in this crate: rules, SQL, parsing, and any other access of the page to the
//! computer. There is no plugin for the file system, shell, network or opener, and no path reaches the page.

mod events;
mod graphics;
mod logging;
mod notifications;
mod options;
mod rpc;
mod serving;
mod window;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use keepsake_api::{App, AppOptions, DataDir, EmbedderSlot, FileAccess};
use tauri::{App as TauriApp, Manager, RunEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};
use tauri_plugin_window_state::StateFlags;

pub use options::{Options, UsageError};

/// Why the shell could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data folder or its log cannot be written.
    #[error("cannot write to the data folder {}: {source}; choose another with --data-dir", dir.display())]
    DataDir {
        /// The folder.
        dir: std::path::PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// There is no display to open a window on.
    #[error("there is no display to open a window on; use `keepsake serve` and open the page in a browser on this computer")]
    NoDisplay,
    /// The window could not be opened.
    #[error("the window could not be opened: {0}; use `keepsake serve` and open the page in a browser on this computer")]
    Window(#[from] tauri::Error),
}

pub use keepsake_api::keep_files_private;

/// Runs the application until its window is closed. Returns the exit code of the process.
pub fn run(mut options: Options) -> Result<u8, StartError> {
    let own = keepsake_api::default_data_dir(|name| std::env::var_os(name));
    // Make the path absolute now, so that later changes of the working directory do not affect it.
    options.data_dir =
        std::path::absolute(&options.data_dir).map_err(|source| StartError::DataDir { dir: options.data_dir.clone(), source })?;
    let data_dir = keepsake_api::data_dir_for(&options.data_dir, own.as_ref() == Some(&options.data_dir));
    options.data_dir = data_dir.path.clone();
    // Checked here, because the toolkit panics without a display.
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
        return Err(StartError::NoDisplay);
    }
    let _log =
        logging::start(&options.data_dir).map_err(|source| StartError::DataDir { dir: options.data_dir.clone(), source })?;
    let instance = instance_name(&options.data_dir);
    // An absolute file name replaces the plugin's own directory, so that all of a person's data is in one place.
    let window_state = options.data_dir.join("window.json").to_string_lossy().into_owned();
    let app = tauri::Builder::default()
        // This must be the first plugin, as its documentation requires. A second start only brings the running window to the
        // front.
        .plugin(
            tauri_plugin_single_instance::Builder::new()
                .dbus_id(instance)
                .callback(|app, _arguments, _directory| window::bring_forward(app))
                .build(),
        )
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .plugin(
            tauri_plugin_window_state::Builder::new()
                .with_filename(window_state)
                .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
                .build(),
        )
        .manage(events::Page::default())
        .manage(serving::Serving::default())
        .invoke_handler(tauri::generate_handler![rpc::rpc, events::listen])
        .on_window_event(window::on_event)
        .setup(move |app| {
            set_up(app, data_dir, &options);
            Ok(())
        })
        .build(tauri::generate_context!())?;
    let code = app.run_return(|app, event| {
        if let RunEvent::Exit = event
            && let Some(backend) = app.try_state::<App>()
        {
            app.state::<serving::Serving>().end();
            backend.close();
        }
    });
    Ok(u8::try_from(code).unwrap_or(1))
}

/// Opens the data, then the window. If the data cannot be opened, a dialog explains why and the application quits without having
/// changed anything.
fn set_up(app: &mut TauriApp, data_dir: DataDir, options: &Options) {
    let asked = AppOptions { data_dir, embedder: EmbedderSlot::later(), file_access: FileAccess::PickFiles };
    let opened = App::open(asked).map_err(|error| error.to_string()).and_then(|backend| {
        app.manage(backend.clone());
        window::open(app.handle(), &backend, &options.data_dir).map_err(|error| error.to_string())?;
        events::forward(app.handle().clone(), backend, options.model_dir.clone()).map_err(|error| error.to_string())
    });
    if let Err(problem) = opened {
        tracing::error!(problem, "start failed");
        let handle = app.handle().clone();
        app.dialog()
            .message(problem)
            .title("Keepsake could not start")
            .kind(MessageDialogKind::Error)
            .show(move |_| handle.exit(1));
    }
}

/// The name that limits each data folder to one running program. The session bus requires every element of a name to start with a
/// letter.
fn instance_name(data_dir: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    std::path::absolute(data_dir).unwrap_or_else(|_| data_dir.to_owned()).hash(&mut hasher);
    format!("app.keepsake.desktop.data{:016x}", hasher.finish())
}
