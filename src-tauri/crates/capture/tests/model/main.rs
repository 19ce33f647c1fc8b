//! Tests of the model engine's pure half: replies, and which parts of them are accepted.

// Test helpers panic on errors, as tests do.
#![allow(clippy::unwrap_used)]

mod support;

mod canary;
mod facts;
mod gate;
mod knowledge;
mod poison;
mod prompts;
mod replies;
