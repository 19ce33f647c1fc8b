//! Sessions with agents: the contents of a record and the source of each line, and what is served from a tier.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod record;
mod replies;
mod tiers;
