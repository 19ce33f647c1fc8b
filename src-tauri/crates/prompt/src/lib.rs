//! The two sides of a model call, pure: what may be sent, and how a reply is read.
//!
//! A crate of its own because three neighbours need it and may not need each other: `capture` and `insight` write prompts,
//! `models` sends them (docs/decisions/0005). [`scrub`] is the only way from a message to a model; [`PromptText`] is put
//! together from fixed wording and scrubbed text and from nothing else; [`visible()`] shows what is hidden in a text; [`Transcript`] quotes a conversation as data;
//! [`reply`] reads exactly one JSON value and trusts none of it; [`ground`] ties a statement back to the words it rests on; [`Calls`] is a
//! task as a row of calls, which a shell can drive without knowing what they are about.
//!
//! Deliberately not here: the prompts themselves (they stand beside the rules that read their replies), sending, and any
//! judgement of what is worth keeping.

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
