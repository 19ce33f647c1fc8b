//! Which handles may belong to one person: pairs proposed with evidence for and against, never linked.
//!
//! ```text
//! handles ─► IdentityReader::new ─► read(utterance) … read(utterance) ─► suggest(decisions) ─► suggestions
//! ```
//!
//! A suggestion rests on one of four things, strongest first: the same address or number given as their own; one saying of
//! itself that the other is theirs; the same full name with people or projects in common; a shared project and its words.
//! Anything else, above all a first name, a display name or the part of a handle before its server, is no reason at all.
//!
//! Costs grow with the number of messages and of shared clues, never with the square of the number of handles: pairs come out
//! of indexes (by contact, by declared handle, by full name, by rare word), each capped where many share an entry.
//!
//! Deliberately not here: what a person answered earlier is handed in, private conversations are left out by the caller, and
//! nothing here links.

mod context;
mod guard;
mod handle;
mod name;
mod own;
mod reader;
mod resolve;
mod scene;
mod statement;
mod suggest;
mod types;

pub use reader::{IdentityError, IdentityReader};
pub use types::{Answer, Clue, ClueKind, ContactSource, Decision, Evidence, Fingerprint, HandleRecord, Suggestion, Utterance};

/// Names these rules and their version on every row made with them. Raise it when results change.
pub const ENGINE_VERSION: &str = "builtin-identity/1";
