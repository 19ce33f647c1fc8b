//! Operations on the store as a whole: backups, exports, erasure, nightly maintenance, and rebuilding everything derived.
//!
//! Not in this module: the copying and erasing of rows (`keepsake-store`).

pub(crate) mod backup;
pub(crate) mod erasure;
pub(crate) mod export;
pub(crate) mod maintenance;
pub(crate) mod rebuild;
