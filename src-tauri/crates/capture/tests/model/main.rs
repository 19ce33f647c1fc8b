//! Tests of the model engine's pure half: replies, and what is accepted from each.

// Test helpers fail loudly, as tests do.
#![allow(clippy::unwrap_used)]

mod support;

mod canary;
mod facts;
mod gate;
mod knowledge;
mod poison;
mod prompts;
mod replies;
