//! Fitted weights; do not edit: `src-tauri/scripts/fit_search.py` writes this file.

/// Incremented with every fit that is kept.
pub const VERSION: u32 = 1;

pub(crate) const WITH_VECTORS: [f32; 22] = [
    3.781, 1.822, 2.115, -0.159, 0.575, 6.260, 1.197, 1.203, 2.364, -0.394, 3.214, 1.129, -0.092, 0.050, -0.799, 0.434, 8.097,
    0.617, 1.609, 1.409, 0.559, 4.637,
];

pub(crate) const WORDS_ALONE: [f32; 22] = [
    5.818, 2.831, 3.266, 1.288, 0.649, 0.000, 0.000, 0.000, 0.000, 0.000, 4.183, 0.999, -0.246, -0.075, -0.736, 0.731, 5.715,
    0.536, 1.662, 1.817, 0.445, 4.949,
];
