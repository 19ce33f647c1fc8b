//! Reflection (seed 000, "The Big Tidy"): what may be proposed about what is remembered, and where a proposal stands.
//!
//! Deliberately not here: what is proposed of which memory (`keepsake-capture`), and how it is applied.

use thiserror::Error;

use crate::memory::names;

names! {
    /// What a proposal would do. None of them deletes, and none changes the words of a memory.
    pub enum ReflectionKind {
        /// Set aside what says little any more.
        Archive = "archive",
        /// Fold memories that say the same into one.
        Merge = "merge",
    }
}

names! {
    /// Where a proposal stands. See [`ReflectionStatus::may_become`].
    pub enum ReflectionStatus {
        /// Waits for a person.
        Open = "open",
        /// A person agreed; it is done when the run is applied.
        Accepted = "accepted",
        /// Done; one undo takes the whole run back.
        Applied = "applied",
        /// A person does not want it; it returns only where what it rests on has changed.
        Refused = "refused",
        /// Waited too long, or was put aside.
        Parked = "parked",
    }
}

/// A step that a proposal's lifecycle does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a proposal that is {from} cannot become {to}")]
pub struct ReflectionTransitionError {
    /// Where it stands.
    pub from: ReflectionStatus,
    /// Where it was asked to go.
    pub to: ReflectionStatus,
}

impl ReflectionStatus {
    /// The steps that a person may take. Applying is a run's, and undoing one restores what stood before.
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
