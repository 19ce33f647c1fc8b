//! Whole-conversation analysis by a language model, the pure half: what is asked, and how much of the answer is believed.
//!
//! Two calls (seed 004, phase 8). The first sees everything and gives the summary, themes, tone, arc, people, topics, and memories
//! of the types that the profile allows; the second sees the owner's messages alone and gives facts, so that nothing an assistant
//! said can pass for one. Drive it with [`keepsake_prompt::Calls`].
//!
//! What comes out is an [`Analysis`] as the built-in engine gives it, with one difference: its candidates are tied to places in the
//! owner's words, but not yet judged by whose words these are and whether they say it. That is `keepsake_capture::model::gate`,
//! which this crate may not call: whoever drives the task must send the candidates through it before anything is stored.
//!
//! Deliberately not here: sending, the gates of `capture`, duplicates.

pub(crate) mod check;
mod read;
mod task;

pub use task::{ANALYSIS, ANALYSIS_FACTS, AnalysisError, AnalysisTask, CONVERSATION_CHARS_MAX, ModelAnalysis};
