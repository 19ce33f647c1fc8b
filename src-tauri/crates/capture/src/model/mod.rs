//! The model engine's pure half: what a language model is asked, and how much of its answer is believed.
//!
//! A task ([`Task::facts`], [`Task::knowledge`]) is a row of calls that a shell drives ([`keepsake_prompt::Calls`]); prompts,
//! windows, map and reduce, the judge and the second attempt are decided here. Of a reply nothing is believed that the owner's own
//! words do not carry: each entry cites a line, the words are found there ([`keepsake_prompt::ground`]), the place is asked whose
//! words they are ([`place`]), and the statement whether they say it ([`claim`]). Then it passes the filters and validation that
//! the built-in engine's candidates pass. [`gate`] does the same for candidates that were proposed elsewhere (`insight`).
//!
//! Deliberately not here: sending, storing, duplicates against what is stored, and any second chance for a malformed reply.

mod claim;
mod facts;
mod gate;
pub mod judge;
mod knowledge;
mod place;
mod source;
mod task;

pub use claim::{POSITION_SUPPORT_MIN, SUPPORT_MIN};
pub use facts::{FACTS, FACTS_BATCH_MESSAGES_MAX, FACTS_WINDOW_CHARS};
pub use gate::gate;

pub use knowledge::{
    KNOWLEDGE_OBSERVE, KNOWLEDGE_REDUCE, KNOWLEDGE_WHOLE, KNOWLEDGE_WINDOW, OBSERVATIONS_PER_CALL_MAX, WHOLE_CHARS_MAX,
    WINDOW_CHARS_MAX,
};
pub use task::{Material, Scope, Task};
