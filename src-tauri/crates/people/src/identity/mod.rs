//! Finds handles that may belong to the same person. Pairs are proposed with evidence for and against; this module never links
//! them.
//!
//! ```text
//! handles ─► IdentityReader::new ─► read(utterance) … read(utterance) ─► suggest(decisions) ─► suggestions
//! ```
//!
//! A suggestion requires one of four reasons, strongest first: both handles give the same address or number as their own; one
//! handle states that the other is also its own; both have the same full name and also people or projects in common; both share
//! a project and its vocabulary. Nothing else is a reason, in particular not a first name, a display name, or the part of a
//! handle before its server.
//!
//! The cost grows with the number of messages and shared clues, never with the square of the number of handles: pairs come from
//! indexes (by contact, by declared handle, by full name, by rare word), and entries shared by too many handles are skipped.
//!
//! Deliberately not here: storing a person's earlier answers (the caller passes them in), leaving out private conversations (the
//! caller does that), and linking.

mod context;
mod error;
mod guard;
mod handle;
mod name;
mod own;
mod reader;
mod resolve;
pub(crate) mod rules;
mod scene;
mod statement;
mod suggest;
mod types;
mod words;

pub use error::IdentityError;
pub use reader::IdentityReader;
pub use types::{Answer, Clue, ClueKind, ContactSource, Decision, Evidence, Fingerprint, HandleRecord, Suggestion, Utterance};

/// Name and version of these rules, stored with every row they produce. Raise the version when results change.
pub const ENGINE_VERSION: &str = "builtin-identity/1";
