//! Reflection (seed 000, "The Big Tidy"): kinds and statuses of cleanup proposals for memories.
//!
//! Not in this module: which memories a proposal affects (`keepsake-capture`), and how it is applied.

use thiserror::Error;

use crate::memory::names;

names! {
    /// The action of a cleanup proposal. No action deletes anything or changes the text of a memory.
    pub enum ReflectionKind {
        /// Move memories that have little value left to the trash.
        Archive = "archive",
        /// Merge memories that say the same.
        Merge = "merge",
    }
}

names! {
    /// Status of a cleanup proposal. See [`ReflectionStatus::may_become`].
    pub enum ReflectionStatus {
        /// Waiting for a decision.
        Open = "open",
        /// Accepted by a person; applied in the next run.
        Accepted = "accepted",
        /// Applied. One undo reverts the whole run.
        Applied = "applied",
        /// Dismissed. It is proposed again only if its sources change.
        Refused = "refused",
        /// Parked: expired, or set to Later.
        Parked = "parked",
    }
}

/// An illegal transition of a cleanup proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a proposal that is {from} cannot become {to}")]
pub struct ReflectionTransitionError {
    /// Current status.
    pub from: ReflectionStatus,
    /// Requested status.
    pub to: ReflectionStatus,
}

impl ReflectionStatus {
    /// Checks whether a person may make this transition. Only a run applies a proposal, and undoing the run restores the previous
    /// status.
    pub fn may_become(self, to: Self) -> Result<(), ReflectionTransitionError> {
        use ReflectionStatus::*;
        let legal = matches!(
            (self, to),
            (Open, Accepted | Refused | Parked)
                | (Accepted, Open | Refused | Parked)
                | (Refused, Open | Accepted)
                | (Parked, Open | Accepted | Refused)
        );
        if legal { Ok(()) } else { Err(ReflectionTransitionError { from: self, to }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_applied_is_left_by_undo_alone_and_nothing_is_applied_by_a_decision() {
        for status in ReflectionStatus::ALL {
            assert!(ReflectionStatus::Applied.may_become(*status).is_err(), "applied to {status}");
            assert!(status.may_become(ReflectionStatus::Applied).is_err(), "{status} to applied");
            assert!(status.may_become(*status).is_err(), "{status} to itself is no step");
        }
        assert!(ReflectionStatus::Refused.may_become(ReflectionStatus::Open).is_ok());
        assert!(ReflectionStatus::Parked.may_become(ReflectionStatus::Open).is_ok(), "what is parked can be restored");
    }
}
