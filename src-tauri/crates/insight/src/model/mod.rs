//! Whole-conversation analysis by a language model (pure half): the prompts, and which parts of the replies are accepted.
//!
//! There are two calls (seed 004, phase 8). The first sees the whole conversation and returns the summary, themes, tone, arc,
//! people, topics, and memories of the types that the profile allows. The second sees only the owner's messages and returns
//! facts, so that an assistant's words can never become a fact. Drive the calls with [`keepsake_prompt::Calls`].
//!
//! The result is an `Analysis` like that of the built-in engine, with one difference: its candidates cite the owner's messages,
//! but nothing has checked whether the cited words are the owner's own and support the candidate.
//! `keepsake_capture::model::gate` performs that check, but this crate may not call it. The caller that drives the task must
//! pass the candidates through the gate before it stores anything.
//!
//! Deliberately not here: sending the prompts, the gates of `capture`, and detecting duplicates.

pub(crate) mod check;
mod read;
mod task;

pub use task::{ANALYSIS, ANALYSIS_FACTS, AnalysisError, AnalysisTask, CONVERSATION_CHARS_MAX, ModelAnalysis};
