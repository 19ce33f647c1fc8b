//! Whole-conversation analysis: what a conversation is about and what resulted from it.
//!
//! Pure: no IO, no async, no clock, no randomness. The same turns always give the same result.
//! [`conversation`] judges the status of a conversation: whether it has ended, its tone, and the promises made in it.
//! [`playbook`] finds procedures that are repeated across sessions with tool use.
//! [`topic`] groups many conversations into topics that grow over time.
//! [`session`] summarizes one session with an agent and decides which tier of long-term memory each line goes to.
//! [`model`] asks a language model for the same analysis and accepts only what the conversation supports.
//! Deliberately not here: facts in single messages (`keepsake-capture` finds those), duplicates of stored memories, and sending.

mod analysis;
pub mod conversation;
mod marks;
pub mod model;
pub mod playbook;
pub mod session;
mod text;
pub mod topic;
mod turn;

pub use analysis::{Analysis, ArcPoint, ENGINE_VERSION, Mood, Stage, SummarySentence, THEMES_MAX, TOPICS_MAX, TooShort, analyse};
pub use turn::{AnalysisInput, Turn, fingerprint, is_long_enough};
