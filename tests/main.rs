//! The one integration binary: what the parts promise together. Each module is one area; what a crate promises alone is tested there.

#![allow(clippy::unwrap_used)] // A test that cannot go on should say where.

mod cli;
mod crash;
mod errors;
mod harness;
mod http;
mod imports;
mod links;
mod merging;
mod models;
mod poison;
mod properties;
mod rules;
