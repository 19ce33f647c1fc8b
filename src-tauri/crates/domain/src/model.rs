//! Language models: which engines make proposals, and the outcome of a call.
//!
//! Not in this module: addresses, keys and sending (`models`), prompts (`capture`, `insight`).

use crate::memory::names;

names! {
    /// Engines that propose memories.
    pub enum Engines {
        /// The built-in engine, which needs no language model.
        BuiltIn = "built_in",
        /// Only a language model.
        Model = "model",
        /// Both engines. Where they agree, there is one proposal with two proposers.
        Both = "both",
    }
}

impl Engines {
    /// Whether the built-in engine makes proposals.
    pub const fn has_built_in(self) -> bool {
        matches!(self, Self::BuiltIn | Self::Both)
    }

    /// Whether a language model makes proposals.
    pub const fn has_model(self) -> bool {
        matches!(self, Self::Model | Self::Both)
    }
}

names! {
    /// Outcome of a call to a language model.
    pub enum CallOutcome {
        /// Recorded before it was sent; no reply is known.
        Sent = "sent",
        /// The reply was valid.
        Answered = "answered",
        /// The reply was invalid and is not used.
        Unusable = "unusable",
        /// There was no reply.
        Failed = "failed",
        /// Canceled by a person.
        Cancelled = "cancelled",
    }
}
