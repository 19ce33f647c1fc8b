//! Clients of language models for two wire formats, with a synchronous interface for the engine.
//!
//! A client can send only a [`Prompt`], so everything that leaves was written by us or went through the scrubber. It returns the
//! reply's text unread, or a [`CallError`] that contains neither text nor key. Each call has its own runtime: while no call is
//! running, nothing in this crate runs. Call it from a separate thread, never from within an async task.
//!
//! Deliberately not here: what is asked (`capture`, `insight`), reading the reply (`keepsake_prompt::reply`), retries, budgets
//! and the log of calls (`engine`), and any fallback to another server or model.

mod client;
mod connection;
mod detect;
mod endpoint;
mod error;
mod notice;
mod ollama;
mod openai;
mod transport;
mod wire;

use keepsake_prompt::Prompt;

pub use client::Client;
pub use connection::{Connection, ConnectionError};
pub use detect::{Candidate, Found, FoundState, ServerKind, detect};
pub use endpoint::{Endpoint, EndpointError, Reach, Shape};
pub use error::CallError;
pub use notice::Notifier;

/// A language model behind one of the wire formats.
pub trait LanguageModel: Send + Sync {
    /// The server, for the log of what left this computer.
    fn endpoint(&self) -> &Endpoint;

    /// The model's name on the server.
    fn model(&self) -> &str;

    /// Sends one request and waits for the whole reply. Blocks; ends at once when `watch` is canceled.
    fn chat(&self, request: &ChatRequest<'_>, watch: &dyn Watch) -> Result<ChatReply, CallError>;
}

/// One request to a model.
#[derive(Debug, Clone, Copy)]
pub struct ChatRequest<'a> {
    /// The prompt to send.
    pub prompt: &'a Prompt,
    /// Sampling temperature. 0 always picks the most likely words; seed 004 requires 0.1.
    pub temperature: f32,
    /// Time limit for the whole call, until the last byte of the reply.
    pub timeout_ms: u64,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// The text of the reply, unread and untrusted.
    pub text: String,
    /// The number of tokens in the prompt, if the server counts them.
    pub tokens_in: Option<u32>,
    /// The number of tokens in the reply, if the server counts them.
    pub tokens_out: Option<u32>,
    /// The size of all request bodies sent by this call.
    pub request_bytes: u64,
    /// The size of the reply as received, including envelopes.
    pub reply_bytes: u64,
}

/// Lets the caller watch and cancel a running call.
pub trait Watch {
    /// True if the call should end now. Checked before anything is sent and then several times per second.
    fn is_cancelled(&self) -> bool;

    /// Reports how many characters of the reply have arrived so far.
    fn received(&self, chars: u64);
}

/// No watching: the call ends by itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn received(&self, _: u64) {}
}
