//! What tests and benchmarks of several crates share: generated exports.

pub mod exports;
