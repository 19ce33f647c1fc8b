//! Profiles by a language model (pure half): the prompt, and which parts of the answers are accepted.
//!
//! The model never words an entry. It picks a known facet and value, or names a topic in the entity's own words, and quotes the
//! lines that show it; the sentence comes from our tables. Each quotation is looked up in the entity's own messages, and the
//! sentence it is in must pass the checks of the built-in rules: own words, no role-play, not only for one piece of work, not
//! only once, and about the subject of the entry. The results are `Finding`s like those of the rules, for [`super::changes`].
//!
//! Deliberately not here: sending the prompts, and retrying after a malformed reply.

mod read;
mod task;

pub use read::ModelFindings;
pub use task::{CALLS_MAX, PROFILE, ProfileTask, WINDOW_CHARS_MAX};
