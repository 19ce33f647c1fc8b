//! Sessions with agents: what a record says and where each line of it stands, and what a tier serves of many of them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod record;
mod replies;
mod tiers;
