//! Jobs: what kinds of work there are, which lane each waits in, and the states it passes through.

use crate::memory::names;

names! {
    /// A piece of background work.
    pub enum JobKind {
        /// Read a file into the log.
        Import = "import",
        /// Propose candidates from one conversation.
        Extract = "extract",
        /// Analyze Now: look at one whole conversation.
        Analyze = "analyze",
        /// Fill in missing vectors.
        Embed = "embed",
        /// See an erasure through: empty the log of the file and check that nothing is left.
        Erase = "erase",
    }
}

names! {
    /// Jobs of one lane run one after another, first in, first out; lanes do not wait for each other.
    pub enum Lane {
        /// Reading files.
        Import = "import",
        /// Proposing and analysing.
        Capture = "capture",
        /// Embedding.
        Embed = "embed",
        /// What a person waits for and no other work may hold up: erasure.
        Upkeep = "upkeep",
    }
}

names! {
    /// Where a job stands.
    pub enum JobState {
        /// Waits for its turn or its next attempt.
        Queued = "queued",
        /// A worker holds its lease.
        Running = "running",
        /// Finished; its effects were committed with this state.
        Done = "done",
        /// Cancelled by a person; it left no effect.
        Cancelled = "cancelled",
        /// Failed for good: waits for a person (Retry button, alert).
        Dead = "dead",
    }
}

impl JobKind {
    /// The lane this kind waits in.
    pub const fn lane(self) -> Lane {
        match self {
            Self::Import => Lane::Import,
            Self::Extract | Self::Analyze => Lane::Capture,
            Self::Embed => Lane::Embed,
            Self::Erase => Lane::Upkeep,
        }
    }
}

impl JobState {
    /// The legal steps.
    pub const fn may_become(self, to: Self) -> bool {
        use JobState::*;
        matches!(
            (self, to),
            (Queued, Running | Cancelled) | (Running, Done | Queued | Cancelled | Dead) | (Dead, Queued | Cancelled)
        )
    }

    /// Whether nothing more will happen without a person.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Dead)
    }
}
