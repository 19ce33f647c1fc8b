//! Systems without Unix sockets: processes cannot reach each other, so each opens the data itself.

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;
use keepsake_api::App;
use tokio::sync::watch;

use crate::ending::GiveUp;
use crate::rate::Rates;

/// A socket, which these systems do not have.
pub(crate) enum Socket {}

/// Always fails, because these systems have no Unix sockets.
pub(crate) fn bind(_: &Path) -> io::Result<Socket> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Never called, because no socket can be bound.
pub(crate) async fn serve(socket: Socket, _: App, _: Arc<Rates>, _: Option<GiveUp>, _: watch::Receiver<bool>) -> io::Result<()> {
    match socket {}
}

/// Always fails, because no other process can be reached.
pub(crate) async fn exchange(_: &Path, _: &str, _: Vec<u8>) -> io::Result<(bool, Bytes)> {
    Err(io::ErrorKind::Unsupported.into())
}
