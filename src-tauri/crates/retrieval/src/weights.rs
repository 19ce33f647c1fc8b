//! Fitted weights; do not edit: `src-tauri/scripts/fit_search.py` writes this file.

/// Incremented with every fit that is kept.
pub const VERSION: u32 = 2;

pub(crate) const WITH_VECTORS: [f32; 22] = [
    3.450, 2.320, 2.430, 0.780, 0.830, 11.120, 0.360, 0.870, 1.420, -0.370, 2.220, 0.000, -0.970, -0.050, -0.630, 0.590, 2.760,
    0.400, 1.080, 1.220, 0.250, 4.520,
];

pub(crate) const WORDS_ALONE: [f32; 22] = [
    5.818, 2.831, 3.266, 1.288, 0.649, 0.000, 0.000, 0.000, 0.000, 0.000, 4.183, 0.999, -0.246, -0.075, -0.736, 0.731, 5.715,
    0.536, 1.662, 1.817, 0.445, 4.949,
];
