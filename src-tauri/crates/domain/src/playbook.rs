//! Status of a playbook: found, decided by a person, or parked.
//!
//! Not in this module: how playbooks are found and what they contain.

use thiserror::Error;

use crate::memory::names;

names! {
    /// How certain it is that a playbook is a real workflow. Less certain workflows do not become playbooks.
    pub enum PlaybookConfidence {
        /// Seen often, with few exceptions.
        High = "high",
        /// Seen often enough.
        Medium = "medium",
    }
}

names! {
    /// Status of a playbook. See [`PlaybookStatus::may_become`] for the legal transitions.
    pub enum PlaybookStatus {
        /// Found; waiting for a decision.
        Candidate = "candidate",
        /// A person confirmed that the work is done this way.
        Approved = "approved",
        /// A person dismissed it.
        Rejected = "rejected",
        /// Parked: set to Later by a person, or expired.
        Parked = "parked",
    }
}

/// An illegal transition of a playbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a playbook that is {from} cannot become {to}; restore it first")]
pub struct PlaybookTransitionError {
    /// Current status.
    pub from: PlaybookStatus,
    /// Requested status.
    pub to: PlaybookStatus,
}

impl PlaybookStatus {
    /// Checks whether a transition is legal. A rejected playbook must be restored before it can be approved, to prevent
    /// accidental approval.
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
