//! The model engine (pure half): the prompts for a language model, and which parts of its answers are accepted.
//!
//! A task ([`Task::reading`], [`Task::knowledge`]) is a sequence of calls that the caller drives ([`keepsake_prompt::Calls`]).
//! The task decides on prompts, windows, map and reduce, the judge, and the second attempt. Each entry of a reply cites a line.
//! The quoted words are looked up in that line ([`keepsake_prompt::ground`]), and the form of the place decides whose words they
//! are (`place`). Whether the words support the statement is decided by the judge, a second call that may only remove entries
//! (`judge`). [`Task::check`] does the same for candidates proposed elsewhere (`insight`).
//!
//! Deliberately not here: sending, storage, duplicates of stored memories, and retrying after a malformed reply.

mod facts;
mod gate;
mod judge;
mod knowledge;
mod place;
mod scope;
mod source;
mod task;

pub use facts::{FACTS, FACTS_BATCH_MESSAGES_MAX, FACTS_WINDOW_CHARS, READING};
pub use judge::{FACTS_JUDGED_MAX, JUDGE, JUDGE_FACTS};
pub use knowledge::{
    KNOWLEDGE_OBSERVE, KNOWLEDGE_REDUCE, KNOWLEDGE_WHOLE, OBSERVATIONS_PER_CALL_MAX, WHOLE_CHARS_MAX, WINDOW_CHARS_MAX,
};
pub use scope::Scope;
pub use task::Task;
