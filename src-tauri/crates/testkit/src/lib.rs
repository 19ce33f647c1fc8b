//! Shared support for tests and benchmarks: conversations as readable lines, a fixed clock and reproducible ids, generated
//! exports of twenty programs, generated populations and years, a scripted language model server, an HTTPS front for it, tables
//! of model replies, and a search for secrets in what a program leaves behind.
//!
//! Not here: helpers that need a store or an engine. The crates that need such helpers build their own on top of this crate.

mod clock;
mod conversation;
pub mod exports;
pub mod histories;
mod ids;
mod leaks;
pub mod population;
mod replies;
pub mod scripted_server;
mod sessions;
pub mod sources;
#[cfg(feature = "tls")]
pub mod tls_front;
pub mod year;

pub use clock::{FixedClock, MONDAY_TEN};
pub use conversation::{Conversation, conversation};
pub use ids::SeqIds;
pub use leaks::{SECRET_BYTES_MIN, Traces};
pub use replies::replies;
pub use sessions::ToolSession;
