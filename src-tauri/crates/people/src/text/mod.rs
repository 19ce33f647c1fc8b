//! A message as this crate reads it: what it is about.
//!
//! `capture` and `insight` read messages for other ends and may not be asked (a pure crate depends on none of its neighbours).
//! Deliberately not here: what a sentence means for a profile or a gap.

mod words;

pub(crate) use words::{content_words, same_topic};
