//! What tests and benchmarks of several crates share: conversations as readable lines, a clock and ids that repeat, generated
//! exports, populations and years, a scripted server of language models, and a way to put it behind https.
//!
//! Deliberately not here: anything that needs a store or an engine; those build their own on top of this.

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
