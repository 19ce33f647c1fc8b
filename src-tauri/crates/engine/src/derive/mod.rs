//! Derives data from messages, usually in the background, and derives it again when the messages change. Also stores a person's
//! answers about the results.
//!
//! Not in this module: proposed memories (`review`), and who may see the results (`serve`).

pub(crate) mod analyze;
pub(crate) mod commitments;
pub(crate) mod conversation_status;
pub(crate) mod embedding;
pub(crate) mod ended;
pub(crate) mod gaps;
pub(crate) mod identity;
pub(crate) mod links;
pub(crate) mod playbooks;
pub(crate) mod profiles;
pub(crate) mod readable_messages;
pub(crate) mod reading;
pub(crate) mod sessions;
pub(crate) mod tiers;
pub(crate) mod topics;
pub(crate) mod unidentified_speakers;
