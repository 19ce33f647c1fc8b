//! The two sides of a model call, without I/O: what may be sent to a model, and how its reply is read.
//!
//! This is a separate crate because three others need it and may not depend on each other: `capture` and `insight` write
//! prompts, and `models` sends them (docs/decisions/0005). [`scrub`] is the only path from a message to a model. [`PromptText`]
//! is assembled only from fixed wording and scrubbed text. [`visible()`] removes or reveals hidden characters in text.
//! [`Transcript`] quotes a conversation as data. [`reply`] reads exactly one JSON value and trusts none of it. [`ground`]
//! checks a statement against the words it cites. [`Calls`] represents a task as a sequence of calls, which a caller can send
//! without knowing what they are about.
//!
//! Deliberately not here: the prompts themselves (they are next to the rules that read their replies), sending, and deciding what
//! is worth keeping.

mod calls;
mod context_length;
pub mod ground;
mod prompt;
pub mod reply;
pub mod scrub;
mod text;
mod transcript;
mod visible;

pub use calls::{ATTEMPTS_MAX, Attempts, Call, CallError, Calls, Outcome, TEMPERATURE, Waiting};
pub use context_length::ContextLength;
pub use prompt::{Prompt, PromptFile, Slots};
pub use text::{PromptText, WordingError};
pub use transcript::{LINE_CHARS, Line, Speaker, Transcript, TranscriptLine};
pub use visible::{visible, visible_json};
