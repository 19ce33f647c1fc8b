//! Downloads a model with one click: Ollama on this computer fetches it in the background.
//!
//! One download at a time, on its own thread. It stops when the program exits and resumes where it left off when requested
//! again, because Ollama keeps the partial download. Not in this module: which models are offered (the window), and choosing
//! one.

use std::sync::{Mutex, PoisonError};

use keepsake_models::language::{Shape, Watch};

use super::settings::Provider;
use crate::areas::Models;
use crate::{EngineError, Result};

/// Maximum duration of a download, in milliseconds. Models are gigabytes in size, and on a slow connection a download can take
/// all night.
const TIMEOUT_MS: u64 = 12 * 60 * 60 * 1000;

/// The state of a download, as the window shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pull {
    /// Name of the model.
    pub model: String,
    /// Bytes received of the part in progress.
    pub done: u64,
    /// Size of that part in bytes; zero until it is known.
    pub total: u64,
    /// Whether the download has ended, successfully or not.
    pub is_over: bool,
    /// Why it ended early, in one sentence.
    pub problem: Option<String>,
    /// Whether the person stopped it.
    is_cancelled: bool,
}

/// The current or latest download.
#[derive(Debug, Default)]
pub(crate) struct PullState(Mutex<Option<Pull>>);

impl PullState {
    fn change<T>(&self, change: impl FnOnce(&mut Option<Pull>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Watch for PullState {
    fn is_cancelled(&self) -> bool {
        self.change(|pull| pull.as_ref().is_none_or(|pull| pull.is_cancelled))
    }

    fn received(&self, _: u64) {}
}

impl Models<'_> {
    /// Makes Ollama at `url`, which must be on this computer, download `model`. Returns immediately; [`pull`](Self::pull)
    /// reports the progress.
    pub fn start_pull(&self, url: &str, model: &str) -> Result<()> {
        let provider = Provider { shape: Shape::Ollama, url: url.to_owned(), model: model.to_owned(), context_tokens: None };
        let connection = self.connection(&provider, true)?;
        let is_busy = self.engine.inner.pull.change(|pull| {
            let is_busy = pull.as_ref().is_some_and(|pull| !pull.is_over);
            if !is_busy {
                *pull = Some(Pull { model: model.to_owned(), ..Pull::default() });
            }
            is_busy
        });
        if is_busy {
            return Err(EngineError::Refused("another model is already being downloaded; wait for it or cancel it".to_owned()));
        }
        let engine = self.engine.clone();
        let work = move || {
            let state = &engine.inner.pull;
            let progress = |done, total| {
                state.change(|pull| {
                    if let Some(pull) = pull {
                        (pull.done, pull.total) = (done, total);
                    }
                });
            };
            let ended = connection.pull(&provider.model, TIMEOUT_MS, state, &progress);
            state.change(|pull| {
                if let Some(pull) = pull {
                    pull.is_over = true;
                    pull.problem = ended.err().filter(|_| !pull.is_cancelled).map(|error| error.to_string());
                }
            });
        };
        let spawned = std::thread::Builder::new().name("pull-model".to_owned()).spawn(work);
        spawned.map(drop).map_err(|error| {
            self.engine.inner.pull.change(|pull| *pull = None);
            EngineError::Refused(format!("the download could not be started: {error}; close other programs and try again"))
        })
    }

    /// Progress of the download; `None` if there was none since startup or the person stopped it.
    pub fn pull(&self) -> Option<Pull> {
        self.engine.inner.pull.change(|pull| pull.clone()).filter(|pull| !pull.is_cancelled)
    }

    /// Stops the download. Ollama keeps the part already received.
    pub fn stop_pull(&self) {
        self.engine.inner.pull.change(|pull| {
            if let Some(pull) = pull {
                pull.is_cancelled = true;
            }
        });
    }
}
