//! Profiles: conversations, and the entries that the profile then contains.
#![allow(clippy::unwrap_used)]

mod given;
mod history;
#[path = "../shared/marked.rs"]
mod marked;
mod shown;
mod wishes;
