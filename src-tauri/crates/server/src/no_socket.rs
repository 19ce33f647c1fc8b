//! Systems without Unix sockets: no other process is reached, and each opens the data itself.

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;
use keepsake_api::App;
use tokio::sync::watch;

use crate::host::GiveUp;
use crate::rate::Rates;

pub(crate) const TOOL: &str = "/tool";
pub(crate) const COMMAND: &str = "/command";
pub(crate) const HOOK: &str = "/hook";
pub(crate) const CHANGED: &str = "/changed";
pub(crate) const GIVE_UP: &str = "/give-up";

/// A socket, which these systems do not have.
pub(crate) enum Socket {}

/// There is none.
pub(crate) fn bind(_: &Path) -> io::Result<Socket> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Never called, because no socket can be bound.
pub(crate) async fn serve(socket: Socket, _: App, _: Arc<Rates>, _: Option<GiveUp>, _: watch::Receiver<bool>) -> io::Result<()> {
    match socket {}
}

/// Reaches nobody.
pub(crate) async fn exchange(_: &Path, _: &str, _: Vec<u8>) -> io::Result<(bool, Bytes)> {
    Err(io::ErrorKind::Unsupported.into())
}
