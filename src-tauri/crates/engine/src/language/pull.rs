//! A model in one click: the Ollama on this computer downloads it, while the person goes on with something else.
//!
//! One download at a time, on a thread of its own. It ends with the program, and goes on where it was when it is asked for again, since
//! Ollama keeps what came. Deliberately not here: which models are offered (the window), and choosing one.

use std::sync::{Mutex, PoisonError};

use keepsake_models::language::{Shape, Watch};

use super::settings::Provider;
use crate::{Engine, EngineError, Result};

/// Models have gigabytes; on a slow line that is a night.
const TIMEOUT_MS: u64 = 12 * 60 * 60 * 1000;

/// A download as the window shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pull {
    /// The model.
    pub model: String,
    /// Bytes of the part on its way that are there.
    pub done: u64,
    /// Bytes of that part; zero before it is known.
    pub total: u64,
    /// It has ended, well or not.
    pub is_over: bool,
    /// Why it ended before its end, in a sentence.
    pub problem: Option<String>,
    /// The person ends it.
    is_cancelled: bool,
}

/// The download that is under way or was the last.
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

impl Engine {
    /// Has the Ollama at `url`, which must be on this computer, download `model`. Returns at once; [`pull`](Self::pull) tells how far it is.
    pub fn start_pull(&self, url: &str, model: &str) -> Result<()> {
        let provider = Provider { shape: Shape::Ollama, url: url.to_owned(), model: model.to_owned(), context_tokens: None };
        let connection = self.model_connection(&provider, true)?;
        let is_busy = self.inner.pull.change(|pull| {
            let is_busy = pull.as_ref().is_some_and(|pull| !pull.is_over);
            if !is_busy {
                *pull = Some(Pull { model: model.to_owned(), ..Pull::default() });
            }
            is_busy
        });
        if is_busy {
            return Err(EngineError::Refused("another model is being downloaded; wait for it or cancel it".to_owned()));
        }
        let engine = self.clone();
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
            self.inner.pull.change(|pull| *pull = None);
            EngineError::Refused(format!("this computer cannot start the download now: {error}"))
        })
    }

    /// How far the download is; nothing where there was none since the start, or the person ended it.
    pub fn pull(&self) -> Option<Pull> {
        self.inner.pull.change(|pull| pull.clone()).filter(|pull| !pull.is_cancelled)
    }

    /// Ends the download. What came is kept by Ollama.
    pub fn stop_pull(&self) {
        self.inner.pull.change(|pull| {
            if let Some(pull) = pull {
                pull.is_cancelled = true;
            }
        });
    }
}
