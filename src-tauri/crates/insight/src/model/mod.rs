//! Whole-conversation analysis by a language model, pure half: what is asked, and how much of the answer is accepted.
//!
//! There are two calls (seed 004, phase 8). The first sees everything and gives the summary, themes, tone, arc, people, topics,
//! and memories of the types that the profile allows. The second sees only the owner's messages and gives facts, so that an
//! assistant's words can never pass for a fact. Drive the calls with [`keepsake_prompt::Calls`].
//!
//! The result is an `Analysis` like that of the built-in engine, with one difference: its candidates are tied to places in the
//! owner's words, but nobody has checked yet whose words they are and whether the words support them.
//! `keepsake_capture::model::gate` does that, and this crate may not call it. The caller that drives the task must send the
//! candidates through it before storing anything.
//!
//! Deliberately not here: sending, the gates of `capture`, and duplicates.

pub(crate) mod check;
mod read;
mod task;

pub use task::{ANALYSIS, ANALYSIS_FACTS, AnalysisError, AnalysisTask, CONVERSATION_CHARS_MAX, ModelAnalysis};
