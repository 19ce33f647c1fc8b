//! Topics over labeled conversations and small made-up ones: what belongs together, what a topic says, and what a person's
//! decisions change.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod grow;
mod labelled;
mod replies;
