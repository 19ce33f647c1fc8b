//! Turns a conversation into a few well-founded candidates, from the marks of the trained reader ([`propose_read`]) or from the
//! replies of a model ([`model`]).
//!
//! The reader or a model judges what a message says. This crate checks, based on form, whose words they are (`formal`), and
//! whether they were repeated or retracted later in the conversation (`restated`). [`filter`], [`validate`] and [`dedup`] are the
//! gates that the output of every proposer must pass.
//!
//! Deliberately not here: IO, async, clocks, storage, and sending. Readings come in as plain marks, vectors as numbers, and
//! replies as text.

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
mod statement;
pub mod validate;
pub mod window;

pub use conversation::{Conversation, Proposals, Turn};
pub use keepsake_prompt::scrub;
pub use read::{by_hand, is_for_reader, is_persons, is_read, propose_read};
pub use statement::spoken;
