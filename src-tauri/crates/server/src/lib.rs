//! Serves Keepsake to programs: the window and agents over HTTP on loopback, and the programs of the same user over a socket.
//!
//! One process at a time works on a data folder's queue, has the models loaded, and answers the others: the desktop program,
//! `keepsake serve`, or, if none of these runs, the first `keepsake mcp`. [`Host`] is that process's side; [`client`] is the side of
//! all others, which open the data themselves if nobody answers (decision 50).
//!
//! Not in this crate's library: the command line (`main`), what commands and tools do (`api`), and privacy rules (`engine`).

mod agent_http;
mod answers;
pub mod client;
mod connections;
mod ending;
mod event_stream;
pub mod hook;
mod host;
mod http;
mod live_sources;
mod mcp;
mod protocol;
mod rate;
mod shared;
#[cfg(unix)]
mod socket;
#[cfg(not(unix))]
#[path = "no_socket.rs"]
mod socket;
mod tool_calls;
mod webhook;

pub use host::{Host, Listening, ServeError};
pub use mcp::stdio::{McpError, serve_stdio};
