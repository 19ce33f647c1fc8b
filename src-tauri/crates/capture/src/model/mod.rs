//! The model engine's pure half: what a language model is asked, and how much of its answer is believed.
//!
//! A task ([`Task::reading`], [`Task::knowledge`]) is a row of calls that a shell drives ([`keepsake_prompt::Calls`]); prompts,
//! windows, map and reduce, the judge and the second attempt are decided here. Each entry of a reply cites a line, the words are found there
//! ([`keepsake_prompt::ground`]), and the place is asked whose words they are by their form ([`place`]). Whether the words say it the
//! judge is asked, a second call that may only take away ([`judge`]). [`Task::check`] does the same for candidates that were proposed
//! elsewhere (`insight`).
//!
//! Deliberately not here: sending, storing, duplicates against what is stored, and any second chance for a malformed reply.

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
