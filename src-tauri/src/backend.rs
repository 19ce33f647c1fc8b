//! The seam to `keepsake-api`: what the shell needs of it, under the names it has there.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FileToken {
    pub(crate) token: String,
    pub(crate) name: String,
    pub(crate) size: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Event {
    Changed { tags: Vec<String> },
    JobProgress { id: String, stage: String, done: u64, total: u64 },
    FilesDropped { files: Vec<FileToken> },
}

#[derive(Debug, Clone, Serialize, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ApiError {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl ApiError {
    pub(crate) fn internal() -> Self {
        Self { code: "internal".into(), message: "the command failed inside Keepsake; its log says where. Try again.".into() }
    }
}

pub(crate) struct AppOptions {
    pub(crate) data_dir: PathBuf,
}

#[derive(Clone)]
pub(crate) struct App {
    files: Arc<Mutex<Vec<PathBuf>>>,
    feeds: Arc<Mutex<Vec<Sender<Event>>>>,
}

impl App {
    pub(crate) fn open(options: AppOptions) -> Result<Self, ApiError> {
        let _ = options.data_dir;
        Ok(Self { files: Arc::default(), feeds: Arc::default() })
    }

    pub(crate) fn subscribe(&self) -> Receiver<Event> {
        let (send, feed) = channel();
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner).push(send);
        feed
    }

    pub(crate) fn register_file(&self, path: &Path) -> FileToken {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.push(path.to_owned());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        FileToken { token: format!("file_{}", files.len()), name, size: std::fs::metadata(path).map_or(0, |data| data.len()) }
    }
}

pub(crate) fn dispatch(_app: &App, cmd: &str, _payload: Value) -> Result<Value, ApiError> {
    match cmd {
        "app_status" => Ok(json!({ "counts": { "pending": 0, "jobs": 0 } })),
        "settings_get" => Ok(json!({ "theme": "system" })),
        _ => Err(ApiError { code: "unknown_command".into(), message: format!("unknown command {cmd}") }),
    }
}
