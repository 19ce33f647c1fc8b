//! Topics over labeled conversations and small made-up ones: which messages belong together, what a topic's text says, and what a
//! person's decisions change.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod grow;
mod labelled;
mod replies;
