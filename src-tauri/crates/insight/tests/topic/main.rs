//! Topics over labelled conversations and over small made-up ones: what belongs together, what a topic says, and what a person decides.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod grow;
mod labelled;
mod replies;
