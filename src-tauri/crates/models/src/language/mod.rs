//! Language models behind two wire shapes, as the synchronous engine calls them.
//!
//! A client sends a [`Prompt`] and nothing else, so whatever leaves was written by us or went through the scrubber; it gives
//! back the reply's text, unread, or a [`CallError`] that carries neither text nor key. A runtime lives for one call: while no
//! call runs nothing of this crate does. Call it from a thread of its own, never from within an async task.
//!
//! Deliberately not here: what is asked (`capture`, `insight`), reading the reply (`keepsake_prompt::reply`), retries, budgets
//! and the log of calls (`engine`), and any second choice of server or model.

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

/// A language model behind one of the wire shapes.
pub trait LanguageModel: Send + Sync {
    /// Where it is, for the log of what left this computer.
    fn endpoint(&self) -> &Endpoint;

    /// Its name, as the server knows it.
    fn model(&self) -> &str;

    /// Asks once and waits for the whole reply. Blocks; ends at once when `watch` is cancelled.
    fn chat(&self, request: &ChatRequest<'_>, watch: &dyn Watch) -> Result<ChatReply, CallError>;
}

/// One question.
#[derive(Debug, Clone, Copy)]
pub struct ChatRequest<'a> {
    /// What is sent.
    pub prompt: &'a Prompt,
    /// 0 is the likeliest words always; seed 004 wants 0.1.
    pub temperature: f32,
    /// For the whole call, until the last byte of the reply.
    pub timeout_ms: u64,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// The reply, unread: untrusted text.
    pub text: String,
    /// Tokens of the prompt, where the server counts them.
    pub tokens_in: Option<u32>,
    /// Tokens of the reply, where the server counts them.
    pub tokens_out: Option<u32>,
    /// Bytes of all request bodies that this call sent.
    pub request_bytes: u64,
    /// Bytes of the reply as it came, envelopes included.
    pub reply_bytes: u64,
}

/// The caller's side of a call that is under way.
pub trait Watch {
    /// Whether the call should end now. Asked before anything is sent and then several times a second.
    fn is_cancelled(&self) -> bool;

    /// So many characters of the reply have come so far.
    fn received(&self, chars: u64);
}

/// Nobody watches: the call ends by itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn received(&self, _: u64) {}
}
