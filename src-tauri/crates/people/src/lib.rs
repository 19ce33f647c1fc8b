//! People: handles that may belong to the same person, profiles of people and agents, and requests that could not be met.
//!
//! Pure: no IO, no async, no clock, no SQL, no randomness. The input is plain records, the output is proposals. Deliberately not
//! here: any step that only a person may take, and the privacy boundary, which the caller enforces by passing in only what may be
//! read.

pub mod gap;
pub mod identity;
pub mod profile;
mod text;
mod utterance;

pub use utterance::{Similarity, Speaker, Utterance, no_vectors};
