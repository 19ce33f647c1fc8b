//! Profiles: what was said, and what the profile then contains.
#![allow(clippy::unwrap_used)]

mod given;
mod history;
#[path = "../shared/marked.rs"]
mod marked;
mod shown;
mod wishes;
