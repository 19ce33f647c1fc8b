//! The part of a conversation that a task reads. Not in this module: how this part is divided into calls (`facts`, `task`).

/// The part of a conversation to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The whole conversation; for imports.
    Whole,
    /// Only new messages; for live channels. Earlier turns are context and may show, for example, a role-play or a joke.
    New {
        /// Index of the first new turn.
        from: usize,
    },
}

impl Scope {
    pub(super) fn from(self) -> usize {
        match self {
            Self::Whole => 0,
            Self::New { from } => from,
        }
    }
}
