//! Playbooks from made-up sessions: which are found, which are not, the exact limits of the rules, and the generated text.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod found;
mod properties;
mod reading;
mod replies;
