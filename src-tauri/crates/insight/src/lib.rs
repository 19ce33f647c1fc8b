//! Whole-conversation analysis: what one conversation was about, and what came of it.
//!
//! Pure: no IO, no async, no clock, no randomness; the same turns give the same result.
//! [`conversation`] says where it stands: ended or not, its tone, what was promised in it.
//! [`playbook`] says what is done again and again in sessions with tools.
//! [`topic`] says what many conversations are about: topics that grow.
//! [`session`] says what one session with an agent comes to, and what of it each tier of long-term memory holds.
//! [`model`] asks a language model for the same and believes what the words carry.
//! Deliberately not here: per-message facts (`keepsake-capture` finds those), duplicates against stored memories, sending.

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
