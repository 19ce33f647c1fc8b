//! The memory router: an OpenAI-compatible proxy that adds the context for an agent to its calls, forwards them to the model that
//! the person chose, and logs what both sides said.
//!
//! The agent is the one whose API key was used; the server has already looked it up. Added context is never logged, because the
//! log is made from the request as it came in. If Keepsake cannot add a context or log a call, the call proceeds without it.
//!
//! Decisions are made in pure modules: `request` (what is said and added), `answer` (what the model said) and `conversation`
//! (what is logged, under which ids). `proxy` carries them out.
//!
//! Not in this crate: tokens and limits on calls (`server`), what a context contains and who may see it (`engine`), and
//! connections to model servers (`models`).

mod answer;
mod conversation;
mod error;
mod proxy;
mod request;

pub use proxy::routes;
