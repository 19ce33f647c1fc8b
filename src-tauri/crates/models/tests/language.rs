//! Tests the language model clients against the scripted server: both formats, every fault, the network setting, cancellation and
//! limits.

#![allow(clippy::unwrap_used)]

#[path = "language/calls.rs"]
mod calls;
#[path = "language/detection.rs"]
mod detection;
#[path = "language/faults.rs"]
mod faults;
#[path = "language/reach.rs"]
mod reach;
#[path = "language/support.rs"]
mod support;
#[path = "language/trust.rs"]
mod trust;
