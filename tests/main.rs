//! The integration tests of behavior across crates, in one binary. Each module covers one area. The behavior of a single crate is
//! tested in that crate.

#![allow(clippy::unwrap_used)] // A failing test should report where it failed.

mod agents;
mod cli;
mod crash;
mod errors;
mod harness;
mod http;
mod imports;
mod killed_agents;
mod links;
mod live_rooms;
mod matrix;
mod merging;
mod models;
mod noninterference;
mod poison;
mod properties;
mod rules;
mod running_application;
mod source_secrets;
mod sources;
mod structure;
mod timing;
