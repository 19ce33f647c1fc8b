//! Where a playbook stands: found, decided about by a person, set aside.
//!
//! Deliberately not here: how one is found, what it says.

use thiserror::Error;

use crate::memory::names;

names! {
    /// How sure it is that a playbook is a way of working. What is less sure is no playbook.
    pub enum PlaybookConfidence {
        /// Seen often, and seldom otherwise.
        High = "high",
        /// Seen often enough.
        Medium = "medium",
    }
}

names! {
    /// Where a playbook stands. See [`PlaybookStatus::may_become`] for the legal steps.
    pub enum PlaybookStatus {
        /// Found; waits for a person.
        Candidate = "candidate",
        /// A person says that this is how it is done.
        Approved = "approved",
        /// A person says that it is none.
        Rejected = "rejected",
        /// Set aside: by a person, or because it waited too long.
        Parked = "parked",
    }
}

/// A step that a playbook's lifecycle does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a playbook that is {from} cannot become {to}; restore it first")]
pub struct PlaybookTransitionError {
    /// Where it stands.
    pub from: PlaybookStatus,
    /// Where it was asked to go.
    pub to: PlaybookStatus,
}

impl PlaybookStatus {
    /// The legal steps. What was rejected has to be restored before it can be approved, so that a yes is never given by the way.
    pub fn may_become(self, to: Self) -> Result<(), PlaybookTransitionError> {
        use PlaybookStatus::*;
        let legal = matches!(
            (self, to),
            (Candidate, Approved | Rejected | Parked)
                | (Approved, Candidate | Rejected | Parked)
                | (Parked, Candidate | Approved | Rejected)
                | (Rejected, Candidate)
        );
        if legal { Ok(()) } else { Err(PlaybookTransitionError { from: self, to }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_playbook_are_these_and_no_others() {
        use PlaybookStatus::*;
        let legal: Vec<(PlaybookStatus, PlaybookStatus)> = PlaybookStatus::ALL
            .iter()
            .flat_map(|from| PlaybookStatus::ALL.iter().map(|to| (*from, *to)))
            .filter(|(from, to)| from.may_become(*to).is_ok())
            .collect();
        let expect = [
            (Candidate, Approved),
            (Candidate, Rejected),
            (Candidate, Parked),
            (Approved, Candidate),
            (Approved, Rejected),
            (Approved, Parked),
            (Rejected, Candidate),
            (Parked, Candidate),
            (Parked, Approved),
            (Parked, Rejected),
        ];
        assert_eq!(legal, expect);
    }
}
