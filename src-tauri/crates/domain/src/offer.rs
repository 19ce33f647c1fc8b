//! How much of what the reader found is offered for review, and in which bands it is shown.
//!
//! Only the reader's confidences are calibrated probabilities; what a model says of itself has no band of its own and stands with what is
//! to be checked. Deliberately not here: how a probability comes about (`models`).

use crate::memory::names;
use crate::{Confidence, Role};

names! {
    /// How sure the reader is of a candidate, in the order in which they are reviewed.
    pub enum Band {
        /// At most one of seven is wrong.
        Sure = "sure",
        /// Most are right.
        Check = "check",
        /// Two of five are wrong, or more.
        Doubtful = "doubtful",
    }
}

impl Band {
    /// From here on sure.
    pub const SURE_MIN: f64 = 0.85;

    /// Below this doubtful.
    pub const CHECK_MIN: f64 = 0.6;

    /// Of a calibrated probability.
    pub fn of(confidence: Confidence) -> Self {
        match confidence.get() {
            p if p >= Self::SURE_MIN => Self::Sure,
            p if p >= Self::CHECK_MIN => Self::Check,
            _ => Self::Doubtful,
        }
    }
}

names! {
    /// How much a person wants to be offered. The probabilities from which on a fact is offered were chosen on a development set.
    #[derive(Default)]
    pub enum Offer {
        /// What is nearly certain.
        Few = "few",
        /// The lowest probability at which 17 of 20 that are offered are facts.
        #[default]
        Balanced = "balanced",
        /// Also what may well be noise: more is found, and more must be refused.
        Many = "many",
    }
}

impl Offer {
    /// The probability from which on a fact is offered that somebody of this role says of themself. The owner knows less of others, and so
    /// can tell less well what is wrong: of them more is asked (decision 31).
    pub const fn least(self, role: Role) -> f64 {
        match (self, role) {
            (Self::Few, Role::Owner) => 0.75,
            (Self::Few, _) => 0.85,
            (Self::Balanced, Role::Owner) => 0.55,
            (Self::Balanced, _) => 0.75,
            (Self::Many, Role::Owner) => 0.35,
            (Self::Many, _) => 0.45,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wants_more_is_offered_more_and_of_others_less_than_of_oneself() {
        for role in [Role::Owner, Role::Person] {
            assert!(
                Offer::Few.least(role) > Offer::Balanced.least(role) && Offer::Balanced.least(role) > Offer::Many.least(role)
            );
        }
        for offer in Offer::ALL {
            assert!(offer.least(Role::Owner) < offer.least(Role::Person), "{offer}");
        }
        assert_eq!(Offer::default(), Offer::Balanced);
    }

    #[test]
    fn bands_meet_where_they_say() {
        let check = |p: f64, expect: Band| assert_eq!(Confidence::new(p).map(Band::of), Some(expect), "{p}");
        check(1.0, Band::Sure);
        check(Band::SURE_MIN, Band::Sure);
        check(0.84, Band::Check);
        check(Band::CHECK_MIN, Band::Check);
        check(0.59, Band::Doubtful);
        check(0.0, Band::Doubtful);
    }
}
