//! Language models as the rest of Keepsake speaks of them: which engines propose, how a call ended.
//!
//! Deliberately not here: addresses, keys, sending (`models`), prompts (`capture`, `insight`).

use crate::memory::names;

names! {
    /// Which engines propose candidates.
    pub enum Engines {
        /// The built-in one: needs no model.
        BuiltIn = "built_in",
        /// A language model alone.
        Model = "model",
        /// Both; where they agree the queue shows one candidate with two proposers.
        Both = "both",
    }
}

impl Engines {
    /// Whether the built-in engine proposes.
    pub const fn has_built_in(self) -> bool {
        matches!(self, Self::BuiltIn | Self::Both)
    }

    /// Whether a language model proposes.
    pub const fn has_model(self) -> bool {
        matches!(self, Self::Model | Self::Both)
    }
}

names! {
    /// How a call to a model ended.
    pub enum CallOutcome {
        /// Written down before it was made; no answer is known of.
        Sent = "sent",
        /// Answered, and the answer could be read.
        Answered = "answered",
        /// Answered with something unreadable, of which nothing is used.
        Unusable = "unusable",
        /// No answer.
        Failed = "failed",
        /// A person cancelled it.
        Cancelled = "cancelled",
    }
}
