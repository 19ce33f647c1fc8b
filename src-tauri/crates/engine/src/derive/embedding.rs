//! The slot of the local embedding model: missing, loading, ready or broken, and never silently replaced by another model.
//!
//! Loading takes about a second. The window loads the model on a separate thread and compares words until it is ready. A command
//! loads it when it first needs a vector, because most commands need none. The embed job fills in missing vectors, newest first.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use keepsake_domain::{AlertId, JobId, JobKind};
use keepsake_models::{Embedder, ModelError, SharedReader, described_local, open_local};
use keepsake_store::{AlertRow, EmbeddingOwner, NewJob};

use crate::areas::Embeddings;
use crate::derive::reading::{READER_MISSING, ReaderSlot, ReaderStanding, UNREAD};
use crate::queue::control::Control;
use crate::{EngineError, Result};

/// Number of memories embedded between two checks for cancellation.
const EMBED_BATCH: u32 = 64;

/// State of the local model.
#[derive(Clone)]
pub enum EmbedderState {
    /// Not installed; the text says where the program looked and what to do.
    Missing(String),
    /// Installed; loaded once a vector is needed.
    Idle(InstalledEmbedder),
    /// Being loaded.
    Loading,
    /// Loaded and in use.
    Ready(Arc<dyn Embedder>),
    /// Installed but not working; the text says why and what to do.
    Broken(String),
}

/// A model that is installed but not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledEmbedder {
    /// The folder of the model.
    dir: PathBuf,
    /// Name of its vectors.
    pub name: String,
    /// Numbers per vector.
    pub dimension: usize,
}

/// A slot that is filled once the model has loaded.
#[derive(Clone)]
pub struct EmbedderSlot {
    state: Arc<RwLock<EmbedderState>>,
    /// The reader, which is loaded from the same folder.
    reader: ReaderSlot,
}

impl EmbedderSlot {
    /// A slot in this state.
    pub fn new(state: EmbedderState) -> Self {
        Self { state: Arc::new(RwLock::new(state)), reader: ReaderSlot::none() }
    }

    /// The same slot with this reader.
    pub fn with_reader(self, reader: SharedReader) -> Self {
        self.reader.put(reader);
        self
    }

    /// The slot of the reader, which is loaded from the same folder.
    pub fn reader(&self) -> &ReaderSlot {
        &self.reader
    }

    /// A slot that deliberately has no model.
    pub fn none() -> Self {
        Self::new(EmbedderState::Missing("no embedding model was requested".to_owned()))
    }

    /// A slot that loads the model in `dir` when a vector is first needed.
    pub fn at(dir: &Path) -> Self {
        let state = match described_local(dir) {
            Ok((name, dimension)) => EmbedderState::Idle(InstalledEmbedder { dir: dir.to_owned(), name, dimension }),
            Err(error) => unusable(&error),
        };
        Self { reader: ReaderSlot::at(dir.to_owned()), ..Self::new(state) }
    }

    /// A slot that [`Self::load_in_background`] will fill. Until then, callers compare words.
    pub fn later() -> Self {
        Self::new(EmbedderState::Loading)
    }

    /// Starts loading from `dir` and returns immediately. `done` is called when loading has succeeded or failed.
    pub fn load_in_background(&self, dir: PathBuf, done: impl FnOnce() + Send + 'static) {
        let filled = self.clone();
        self.reader.look_in(dir.clone());
        let spawned = std::thread::Builder::new().name("load-model".to_owned()).spawn(move || {
            let state = open(&dir);
            filled.put(state);
            done();
        });
        if spawned.is_err() {
            self.put(EmbedderState::Broken(
                "the system cannot start a thread to load the embedding model; close other programs and restart Keepsake"
                    .to_owned(),
            ));
        }
    }

    pub(crate) fn put(&self, state: EmbedderState) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// The current state. Does not load the model.
    pub fn state(&self) -> EmbedderState {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The model, loaded now if it is idle; `None` while it is loading or if it cannot be used.
    pub fn ready(&self) -> Option<Arc<dyn Embedder>> {
        let known = match self.state() {
            EmbedderState::Idle(_) => self.loaded(),
            known => known,
        };
        match known {
            EmbedderState::Ready(embedder) => Some(embedder),
            _ => None,
        }
    }

    /// Name of the vectors of the model, if it is ready or idle. Does not load the model.
    pub(crate) fn name(&self) -> Option<String> {
        match self.state() {
            EmbedderState::Ready(embedder) => Some(embedder.name().to_owned()),
            EmbedderState::Idle(installed) => Some(installed.name),
            EmbedderState::Missing(_) | EmbedderState::Loading | EmbedderState::Broken(_) => None,
        }
    }

    /// The state after loading an idle model. Other threads that need the model wait.
    fn loaded(&self) -> EmbedderState {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let EmbedderState::Idle(installed) = &*state {
            *state = open(&installed.dir);
        }
        state.clone()
    }
}

fn open(dir: &Path) -> EmbedderState {
    match open_local(dir) {
        Ok(embedder) => EmbedderState::Ready(Arc::new(embedder)),
        Err(error) => unusable(&error),
    }
}

fn unusable(error: &ModelError) -> EmbedderState {
    match error {
        ModelError::Missing { .. } => EmbedderState::Missing(error.to_string()),
        _ => EmbedderState::Broken(error.to_string()),
    }
}

impl Embeddings<'_> {
    /// Alerts the person that the installed model was not loaded, and why. A model that was never installed raises no alert.
    pub fn tell_of_refused_model(&self) -> Result<()> {
        let EmbedderState::Broken(message) = self.engine.inner.embedder.state() else { return Ok(()) };
        self.raise_refusal(message)
    }

    /// Alerts the person that the reader, which is loaded later, is missing or was refused, and says what does not work until
    /// it is available.
    pub(crate) fn tell_of_unread(&self) -> Result<()> {
        let problem = match self.engine.inner.embedder.reader().standing() {
            ReaderStanding::Refused(why) => why,
            ReaderStanding::Missing => READER_MISSING.to_owned(),
            ReaderStanding::Ready | ReaderStanding::Idle => return Ok(()),
        };
        self.raise_refusal(format!("{problem} {UNREAD}"))
    }

    fn raise_refusal(&self, message: String) -> Result<()> {
        let alert = AlertRow {
            id: AlertId::fresh(self.engine.ids()),
            kind: "model_refused".to_owned(),
            message,
            job_id: None,
            created: self.engine.now(),
        };
        Ok(self.engine.store().write(|tx| tx.alerts().raise(&alert))?)
    }

    /// Queues a job that fills in missing vectors, if there is a model and something to do.
    pub fn queue(&self) -> Result<()> {
        let Some(model) = self.engine.inner.embedder.name() else { return Ok(()) };
        let is_done = self.engine.store().read(|tx| {
            let (done, total) = tx.vectors().embedding_progress(&model)?;
            Ok(done == total && tx.vectors().gap(&model, 1)?.is_none())
        })?;
        if is_done {
            return Ok(());
        }
        let Some(job) = self.job() else { return Ok(()) };
        self.engine.store().write(|tx| tx.jobs().enqueue(&job, self.engine.now()))?;
        self.engine.inner.wake.all();
        Ok(())
    }

    /// The job that fills in missing vectors; `None` without a model.
    pub(crate) fn job(&self) -> Option<NewJob> {
        Some(NewJob {
            id: JobId::fresh(self.engine.ids()),
            kind: JobKind::Embed,
            idempotency_key: self.engine.inner.embedder.name()?,
            payload: "{}".to_owned(),
        })
    }

    /// Computes a vector for every memory and every message without one. Returns how many were filled in or examined.
    pub(crate) fn embed_missing(&self, control: &dyn Control) -> Result<u64> {
        let Some(embedder) = self.engine.inner.embedder.ready() else { return Ok(0) };
        // Memories first: they are few, and new candidates are compared by their vectors.
        Ok(self.embed_memories(control)? + self.embed_messages(embedder.as_ref(), control)?)
    }

    pub(crate) fn embed_memories(&self, control: &dyn Control) -> Result<u64> {
        let Some(embedder) = self.engine.inner.embedder.ready() else { return Ok(0) };
        let (done, total) = self.engine.store().read(|tx| tx.vectors().embedding_progress(embedder.name()))?;
        let mut filled = 0;
        loop {
            let batch = self.engine.store().read(|tx| tx.vectors().memories_without_embedding(embedder.name(), EMBED_BATCH))?;
            if batch.is_empty() {
                return Ok(filled);
            }
            let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
            let vectors = embedder.embed(&texts)?;
            self.engine.store().write(|tx| {
                for ((id, _), vector) in batch.iter().zip(&vectors) {
                    tx.vectors().put_embedding(EmbeddingOwner::Memory, id.as_str(), embedder.name(), vector)?;
                }
                Ok(())
            })?;
            filled += batch.len() as u64;
            control.progress("Embedding memories", done + filled, total);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
        }
    }
}
