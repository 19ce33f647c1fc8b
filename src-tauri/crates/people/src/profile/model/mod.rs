//! Profiles by a language model, the pure half: what is asked, and how much of the answer is believed.
//!
//! The model never words an entry. It picks a facet and a value that we know, or names a topic in the entity's own words, and quotes
//! the lines that show it; the sentence is ours. Each quotation is looked up in the entity's own messages, and its sentence passes
//! what the built-in rules ask: own words, no scene, not for one piece of work, not for once, and about what the entry is about.
//! What is believed are [`Finding`]s like those of the rules, for [`super::changes`].
//!
//! Deliberately not here: sending, and any second chance for a malformed reply.

mod read;
mod task;

pub use task::{CALLS_MAX, ModelFindings, PROFILE, ProfileTask, WINDOW_CHARS_MAX};
