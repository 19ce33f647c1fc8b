//! People: which handles may belong to the same person, what a relationship has shown, and what could not be done for someone.
//!
//! Pure: no IO, no async, no clock, no SQL, no randomness; records come in as values, proposals go out. Deliberately not here:
//! any step that only a person takes, and the privacy boundary, which the caller enforces by passing in nothing that may not be
//! read.

pub mod gap;
pub mod identity;
pub mod profile;
mod text;
mod utterance;

pub use utterance::{Similarity, Speaker, Utterance, no_vectors};
