//! Data that is derived from messages and can be derived again.

pub(crate) mod analyses;
pub(crate) mod conversation_status;
pub(crate) mod embeddings;
pub(crate) mod gaps;
pub(crate) mod model_replies;
pub(crate) mod playbooks;
pub(crate) mod profiles;
pub(crate) mod readings;
pub(crate) mod session_replies;
pub(crate) mod sessions;
pub(crate) mod tables;
pub(crate) mod tiers;
pub(crate) mod timeline;
pub(crate) mod topics;
pub(crate) mod vectors;
