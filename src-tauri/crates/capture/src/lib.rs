//! From a conversation to a few well-founded candidates: by what the trained reader marked ([`propose_read`]), or by what a model
//! replies ([`model`]).
//!
//! What a message says, the reader or a model judges; here it is asked whose words they are by their form (`formal`), whether they were
//! said or taken back elsewhere (`restated`). [`filter`], [`validate`] and [`dedup`] are the gates that every proposer's output passes.
//!
//! Deliberately not here: IO, async, clocks, storage, sending. Readings come in as plain marks, vectors as numbers, replies as text.

pub mod audit;
mod conversation;
pub mod dedup;
pub mod echo;
pub mod filter;
mod formal;
pub mod model;
mod quarantine;
mod read;
pub mod reflect;
mod restated;
pub mod validate;
pub mod window;

pub use conversation::{Conversation, Proposals, Turn};
pub use keepsake_prompt::scrub;
pub use read::{by_hand, is_for_reader, is_persons, is_read, propose_read, spoken};
