//! What all memory formats have in common.

use crate::{Cell, Feature, Outcome, cell};

/// Completes the cells of a format: every feature without a cell is absent.
pub(crate) fn cells(has: Vec<Cell>) -> Vec<Cell> {
    let absent = Feature::ALL.iter().filter(|(feature, _)| !has.iter().any(|cell| cell.feature == *feature));
    let absent: Vec<Cell> = absent.map(|(feature, _)| cell(*feature, Outcome::Absent, |_| true)).collect();
    has.into_iter().chain(absent).collect()
}
