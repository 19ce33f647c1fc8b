//! Memories from proposal to retraction: what is proposed, what the person decides or remembers by hand, what expires
//! unanswered, and what is cleaned up later.
//!
//! Not in this module: which statements a text contains (`capture`), and which memories may be served (`serve`).

pub(crate) mod audit;
pub(crate) mod conflicts;
pub(crate) mod decide;
pub(crate) mod expired_proposals;
pub(crate) mod propose;
pub(crate) mod reflection;
pub(crate) mod remember;
pub(crate) mod retractions;
