//! Playbooks from made-up sessions: what is found, what is not, the exact limits of the rules, and what is written down.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod found;
mod properties;
mod reading;
mod replies;
