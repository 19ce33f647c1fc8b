//! What tests and benchmarks of several crates share: conversations as readable lines, a clock and ids that repeat, generated
//! exports and populations, and a scripted server of language models.
//!
//! Deliberately not here: anything that needs a store or an engine; those build their own on top of this.

mod clock;
mod conversation;
pub mod exports;
mod ids;
pub mod population;
pub mod scripted_server;

pub use clock::{FixedClock, MONDAY_TEN};
pub use conversation::{Conversation, conversation};
pub use ids::SeqIds;
