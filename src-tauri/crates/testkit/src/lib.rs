//! Shared support for tests and benchmarks: conversations as readable lines, a fixed clock and reproducible ids, generated
//! exports, populations and years, a scripted server of language models, and an https front for it.
//!
//! Not here: anything that needs a store or an engine; those crates build their own helpers on top of this one.

mod clock;
mod conversation;
pub mod exports;
pub mod histories;
mod ids;
pub mod population;
pub mod scripted_server;
mod sessions;
#[cfg(feature = "tls")]
pub mod tls_front;
pub mod year;

pub use clock::{FixedClock, MONDAY_TEN};
pub use conversation::{Conversation, conversation};
pub use ids::SeqIds;
pub use sessions::ToolSession;
