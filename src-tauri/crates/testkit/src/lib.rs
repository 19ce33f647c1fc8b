//! What tests and benchmarks of several crates share: conversations as readable lines, a clock and ids that repeat, generated
//! exports.
//!
//! Deliberately not here: anything that needs a store, an engine or a server; those build their own on top of this.

mod clock;
mod conversation;
pub mod exports;
mod ids;

pub use clock::{FixedClock, MONDAY_TEN};
pub use conversation::{Conversation, conversation};
pub use ids::SeqIds;
