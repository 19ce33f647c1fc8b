//! Serves other programs while the window is open: those of the same user through the socket, and agents over HTTP if the person
//! switched it on.
//!
//! Not in this module: what is served (`keepsake-server`).

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use keepsake_api::App;
use keepsake_server::{Host, ServeError};

/// The part of the desktop program that serves other programs, once the background work has begun.
#[derive(Default)]
pub(crate) struct Serving(Mutex<Option<Arc<Host>>>);

impl Serving {
    /// Starts the background work, and serves other programs.
    pub(crate) fn start(&self, backend: &App, model_dir: PathBuf) -> Result<(), ServeError> {
        let host = Arc::new(Host::start(backend.clone(), model_dir)?);
        host.follow_choice()?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(host);
        Ok(())
    }

    /// Stops serving other programs.
    pub(crate) fn end(&self) {
        let host = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(host);
    }
}
