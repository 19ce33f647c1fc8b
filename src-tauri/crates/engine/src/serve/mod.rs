//! What the window shows and what agents receive, and who may see it.
//!
//! Not in this module: profiles, topics, sessions and tiers themselves (`derive`), and wire formats (`api`).

pub(crate) mod access_log;
pub(crate) mod agents;
pub(crate) mod boundary;
pub(crate) mod context;
pub(crate) mod echo;
pub(crate) mod graph;
pub(crate) mod masked;
pub(crate) mod search;
pub(crate) mod shared;
pub(crate) mod timeline;
pub(crate) mod visibility;
