//! How many of the reader's findings are proposed, and their confidence bands.
//!
//! Only the reader's confidences are calibrated probabilities. A confidence reported by a language model has no band, so its
//! proposal is listed with the proposals to check. Not in this module: how a probability is computed (`models`).

use crate::memory::names;
use crate::{Confidence, Role};

names! {
    /// Confidence band of a proposal by the reader, in review order.
    pub enum Band {
        /// At most one in seven is wrong.
        Sure = "sure",
        /// Most are correct.
        Check = "check",
        /// Two in five or more are wrong.
        Doubtful = "doubtful",
    }
}

impl Band {
    /// Minimum probability of [`Sure`](Self::Sure).
    pub const SURE_MIN: f64 = 0.85;

    /// Minimum probability of [`Check`](Self::Check).
    pub const CHECK_MIN: f64 = 0.6;

    /// The band of a calibrated probability.
    pub fn of(confidence: Confidence) -> Self {
        match confidence.get() {
            p if p >= Self::SURE_MIN => Self::Sure,
            p if p >= Self::CHECK_MIN => Self::Check,
            _ => Self::Doubtful,
        }
    }
}

names! {
    /// How many findings the person wants to see. The minimum probabilities were chosen on a development set.
    #[derive(Default)]
    pub enum Offer {
        /// Only findings that are nearly certain.
        Few = "few",
        /// Uses the lowest minimum at which 17 of 20 proposed statements are facts.
        #[default]
        Balanced = "balanced",
        /// Also uncertain findings: more is found, but more has to be dismissed.
        Many = "many",
    }
}

impl Offer {
    /// Minimum probability for proposing a fact that a speaker with this role states about themselves. It is higher for other
    /// people: the owner knows less about them, so errors are harder to recognize (decision 31).
    pub const fn least(self, role: Role) -> f64 {
        match (self, role) {
            (Self::Few, Role::Owner) => 0.75,
            (Self::Few, _) => 0.85,
            (Self::Balanced, Role::Owner) => 0.55,
            (Self::Balanced, _) => 0.7,
            (Self::Many, Role::Owner) => 0.2,
            (Self::Many, _) => 0.25,
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
