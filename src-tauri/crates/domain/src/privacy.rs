//! The privacy rule: labels that join, strictest wins.
//!
//! The rule for what may surface where grows here and nowhere else (DESIGN invariant 7).

use crate::memory::names;

names! {
    /// Whether a channel is open to others than its members.
    pub enum Visibility {
        /// Anybody may read it.
        Public = "public",
        /// Only its members.
        Private = "private",
    }
}

/// The label a derived row carries: the join of its sources' labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The strictest visibility of all sources.
    pub visibility: Visibility,
}

impl Label {
    /// The stricter of the two.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { visibility: self.visibility.max(other.visibility) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_source_wins() {
        let public = Label { visibility: Visibility::Public };
        let private = Label { visibility: Visibility::Private };
        assert_eq!(public.join(private), private);
        assert_eq!(private.join(public), private);
        assert_eq!(public.join(public), public);
    }
}
