//! Profiles as data: what was said on one side, what stands in the profile on the other.
#![allow(clippy::unwrap_used)]

mod given;
mod history;
#[path = "../shared/marked.rs"]
mod marked;
mod shown;
mod wishes;
