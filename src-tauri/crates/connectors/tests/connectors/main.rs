//! Connectors against real and scripted servers on loopback.

#![allow(clippy::unwrap_used)]

mod contract;
mod inbox;
mod simplex;
