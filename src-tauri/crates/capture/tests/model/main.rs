//! The model engine's pure half, tested as data: replies on one side, what is believed of them on the other.

// Helpers of tests fail loudly, as tests do.
#![allow(clippy::unwrap_used)]

mod support;

mod canary;
mod facts;
mod gate;
mod knowledge;
mod poison;
mod prompts;
mod replies;
