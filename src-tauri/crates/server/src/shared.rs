//! The state that the routes of one port share. Starting and ending a port is in `host`.

use std::path::PathBuf;
use std::sync::Arc;

use keepsake_api::App;
use tokio::sync::watch;

use crate::rate::Rates;

/// The state that the routes of one port share.
pub(crate) struct Shared {
    pub(crate) app: App,
    /// How often each agent called.
    pub(crate) rates: Arc<Rates>,
    /// The window's access token.
    pub(crate) token: String,
    pub(crate) port: u16,
    /// The folder of the built window; `None` serves agents only.
    pub(crate) ui: Option<PathBuf>,
    /// Becomes `true` when this port is no longer served.
    pub(crate) ending: watch::Receiver<bool>,
}
