//! From a conversation to a few well-founded candidates: by what the trained reader marked ([`propose_read`]), by rules where it is not
//! there, or by what a model replies.
//!
//! The way of a message by the rules: whose words are they ([`sentence`]), do they speak as themself ([`scene`]), in what mood is each
//! clause (`clause`), what does it say of its speaker (`parse`, `frames`, and a linear model in `learned`), how is that said
//! of a third person (`rewrite`), has it been said or taken back elsewhere (`reconcile`). [`filter`], [`validate`] and [`dedup`] are the
//! gates that every proposer's output passes, a model's too; [`model`] asks one and believes what the owner's words carry.
//!
//! Deliberately not here: IO, async, clocks, storage, sending. Vectors come in as plain numbers, replies as text.

// A veto reads as the sentence that it is ("not this, unless that"); a minimal form would hide the rule.
#![allow(clippy::nonminimal_bool)]

mod answer;
pub mod audit;
mod clause;
mod coordination;
mod correction;
pub mod dedup;
pub mod echo;
mod ellipsis;
pub mod filter;
mod frames;
mod language;
mod learned;
mod lexicon;
pub mod model;
mod mood;
mod parse;
mod propose;
mod quarantine;
mod read;
mod reader;
mod reconcile;
pub mod reflect;
mod restated;
mod rewrite;
mod scene;
mod sentence;
mod subject;
mod token;
mod vague;
pub mod validate;
pub mod window;

pub use keepsake_prompt::scrub;
pub use propose::{Conversation, ENGINE_VERSION, Proposals, SentenceVectors, Turn, propose};
pub use read::{OFFER_MIN, by_hand, is_for_reader, is_read, propose_read, spoken};
pub use scene::is_instruction;
