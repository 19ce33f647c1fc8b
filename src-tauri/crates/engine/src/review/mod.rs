//! Memories from proposal to retraction: proposing them, the person's decisions, remembering by hand, expiry, and cleanups.
//!
//! Not in this module: which statements are found in text (`capture`), and which memories may be served (`serve`).

pub(crate) mod audit;
pub(crate) mod conflicts;
pub(crate) mod decide;
pub(crate) mod expired_proposals;
pub(crate) mod propose;
pub(crate) mod reflection;
pub(crate) mod remember;
pub(crate) mod retractions;
pub(crate) mod suggested;
