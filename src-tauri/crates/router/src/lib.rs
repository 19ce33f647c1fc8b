//! The memory router: an OpenAI-compatible proxy that adds the context for an agent to its calls, forwards them to the model that
//! the person chose, and logs what both sides said.
//!
//! The agent is the one of the API key, which the server has found before. What is added is never in what is logged, because the log
//! is made of the request as it came in. If Keepsake fails at any of this, the call goes on without it.
//!
//! What is decided is in pure modules: `request` (what is said and added), `answer` (what the model said) and `conversation`
//! (what is logged, under which ids). `proxy` does it.
//!
//! Not in this crate: tokens and limits on calls (`server`), what a context holds and who may see it (`engine`), and connections to
//! model servers (`models`).

mod answer;
mod conversation;
mod error;
mod proxy;
mod request;

pub use proxy::routes;
