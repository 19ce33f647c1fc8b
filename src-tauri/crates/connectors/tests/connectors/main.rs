//! Connectors against real and scripted servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic, its set-up included")]

mod contract;
mod inbox;
mod log;
mod mail;
mod matrix;
mod simplex;
