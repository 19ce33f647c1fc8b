//! Sessions with agents: what a record contains and where each line comes from, and what a tier serves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod record;
mod replies;
mod tiers;
