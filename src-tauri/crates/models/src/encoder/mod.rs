//! What the local models share: the vocabulary of multilingual-e5-small, as it is, and the runtime.
//!
//! Not in this module: the layers on top of the word vectors (`local`, `reader`).

mod pieces;
mod words;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::SessionBuilder;

pub(crate) use pieces::Tokenizer;
pub(crate) use words::{WIDTH, Words};

use crate::ModelError;
use crate::files::{self, Folder};

/// Approximate number of tokens per batch, so that a lock is released often (a search query waits for only one batch, not for a
/// whole import) and memory use stays low. A larger batch is no faster on a CPU.
pub(crate) const BATCH_TOKENS: usize = 1_100;

/// Maximum number of threads. More threads gain little on such short texts, and take cores that the rest of the desktop needs.
const THREADS_MAX: usize = 4;

/// The pieces that begin and end a text.
pub(crate) const CLS: u32 = 0;
pub(crate) const SEP: u32 = 2;

/// The vocabulary: how texts are split into pieces, and the vectors of the pieces. Some 60 MB, so the models of a process share
/// it.
pub(crate) struct Vocabulary {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) words: Words,
}

/// A vocabulary and the file that it was read from.
type Opened = (PathBuf, Weak<Vocabulary>);

impl Vocabulary {
    /// The vocabulary in this folder. It is loaded once for all models that are in use.
    pub(crate) fn open(folder: &Folder<'_>) -> Result<Arc<Self>, ModelError> {
        static OPEN: Mutex<Option<Opened>> = Mutex::new(None);
        let path = folder.path(files::WORDS);
        let mut open = lock(&OPEN);
        if let Some(known) = open.as_ref().filter(|(of, _)| *of == path).and_then(|(_, known)| known.upgrade()) {
            return Ok(known);
        }
        let tokenizer = pieces::tokenizer(&folder.read(files::TOKENIZER)?).map_err(|error| runtime(&error))?;
        let words = Words::new(folder.read(files::WORDS)?).ok_or_else(|| folder.corrupt(files::WORDS))?;
        let vocabulary = Arc::new(Self { tokenizer, words });
        *open = Some((path, Arc::downgrade(&vocabulary)));
        Ok(vocabulary)
    }
}

/// An error of ONNX Runtime or of the tokenizer.
fn runtime(error: &dyn std::fmt::Display) -> ModelError {
    ModelError::Runtime { reason: error.to_string() }
}

/// Number of threads for one model.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX)
}

/// A session for this graph, with the runtime in `dir`.
pub(crate) fn session(dir: &Path, graph: &[u8]) -> Result<Session, ModelError> {
    let environment = environment(dir)?;
    let open = || -> ort::Result<Session> {
        SessionBuilder::new(&environment)?
            .with_intra_threads(threads())?
            // Otherwise the thread pool keeps a core busy for a while after each batch.
            .with_intra_op_spinning(false)?
            .commit_from_memory(graph)
    };
    open().map_err(|error| runtime(&error))
}

/// The only ONNX Runtime environment of the process. Its library is loaded from the model's folder, not from the system. The first
/// call in a process determines the library for the whole process.
fn environment(dir: &Path) -> Result<Environment, ModelError> {
    static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);
    let mut slot = lock(&ENVIRONMENT);
    if let Some(environment) = slot.as_ref() {
        return Ok(environment.clone());
    }
    let builder = ort::init_from(files::library(dir)?).map_err(|error| runtime(&error))?;
    let environment = builder.with_telemetry(false).build().map_err(|error| runtime(&error))?;
    Ok(slot.insert(environment).clone())
}

/// Locks a mutex even if it is poisoned. A panic in one batch leaves neither a model nor the environment in an inconsistent
/// state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
