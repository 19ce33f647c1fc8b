//! Connectors against real and scripted servers on loopback.

mod contract;
mod inbox;
mod matrix;
