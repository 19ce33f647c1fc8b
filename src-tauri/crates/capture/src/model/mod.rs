//! The model engine, pure half: what a language model is asked, and how much of its answer is accepted.
//!
//! A task ([`Task::reading`], [`Task::knowledge`]) is a sequence of calls that the caller drives ([`keepsake_prompt::Calls`]).
//! Prompts, windows, map and reduce, the judge and the second attempt are decided here. Each entry of a reply cites a line. The
//! words are looked up there ([`keepsake_prompt::ground`]), and the form of that place decides whose words they are (`place`).
//! Whether the words support the statement is put to the judge, a second call that may only remove entries (`judge`).
//! [`Task::check`] does the same for candidates proposed elsewhere (`insight`).
//!
//! Deliberately not here: sending, storing, duplicates of stored memories, and any second chance for a malformed reply.

mod facts;
mod gate;
mod judge;
mod knowledge;
mod place;
mod source;
mod task;

pub use facts::{FACTS, FACTS_BATCH_MESSAGES_MAX, FACTS_WINDOW_CHARS, READING};
pub use judge::{FACTS_JUDGED_MAX, JUDGE, JUDGE_FACTS};
pub use knowledge::{
    KNOWLEDGE_OBSERVE, KNOWLEDGE_REDUCE, KNOWLEDGE_WHOLE, OBSERVATIONS_PER_CALL_MAX, WHOLE_CHARS_MAX, WINDOW_CHARS_MAX,
};
pub use task::{Scope, Task};
