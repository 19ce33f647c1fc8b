//! Language model clients for two wire formats, with a synchronous interface for the engine.
//!
//! A client can send only a [`Prompt`], so everything sent was either written by us or scrubbed. It returns the unparsed reply
//! text, or a [`CallError`] that contains neither text nor key. Each call has its own runtime, so nothing in this crate runs
//! between calls. Call it from a separate thread, never from an async task.
//!
//! Not in this module: the questions (`capture`, `insight`), parsing of replies (`keepsake_prompt::reply`), retries, budgets and
//! the call log (`engine`), and any fallback to another server or model.

mod client;
mod connection;
mod detect;
mod endpoint;
mod error;
mod forward;
mod notice;
mod offer;
mod ollama;
mod openai;
mod reply;
mod transport;
mod wire;

use keepsake_prompt::Prompt;

pub use client::Client;
pub use connection::{Connection, ConnectionError};
pub use detect::{Candidate, Found, FoundState, ServerKind, detect};
pub use endpoint::{Endpoint, EndpointError, Reach, Shape};
pub use error::CallError;
pub use forward::Forwarded;
pub use notice::Notifier;
pub use wire::{Events, Flow, Lines};

/// A language model that is accessed through one of the wire formats.
pub trait LanguageModel: Send + Sync {
    /// The server, for the call log.
    fn endpoint(&self) -> &Endpoint;

    /// The model's name on the server.
    fn model(&self) -> &str;

    /// Sends a request and waits for the whole reply. Blocks; returns immediately when `watch` cancels the call.
    fn chat(&self, request: &ChatRequest<'_>, watch: &dyn Watch) -> Result<ChatReply, CallError>;
}

/// A request to a model.
#[derive(Debug, Clone, Copy)]
pub struct ChatRequest<'a> {
    /// The prompt to send.
    pub prompt: &'a Prompt,
    /// Sampling temperature. 0 always selects the most likely words; seed 004 requires 0.1.
    pub temperature: f32,
    /// Time limit in ms for the whole call, up to the last byte of the reply.
    pub timeout_ms: u64,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// The reply text, unparsed and untrusted.
    pub text: String,
    /// Number of tokens in the prompt, if the server reports it.
    pub tokens_in: Option<u32>,
    /// Number of tokens in the reply, if the server reports it.
    pub tokens_out: Option<u32>,
    /// Size in bytes of all request bodies sent by this call.
    pub request_bytes: u64,
    /// Size in bytes of the reply as received, including envelopes.
    pub reply_bytes: u64,
}

/// Lets the caller follow and cancel a running call.
pub trait Watch {
    /// Whether the call should end now. Checked before anything is sent, and then several times per second.
    fn is_cancelled(&self) -> bool;

    /// Called with the number of reply characters received so far.
    fn received(&self, chars: u64);
}

/// Ignores progress and never cancels the call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn received(&self, _: u64) {}
}
