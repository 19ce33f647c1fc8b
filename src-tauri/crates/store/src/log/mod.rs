//! The messages: what was said, where, and in which order; nothing here is changed once it is written.

pub(crate) mod append;
pub(crate) mod chain;
pub(crate) mod conversations;
pub(crate) mod imports;
pub(crate) mod private_time;
pub(crate) mod rows;
pub(crate) mod search;
pub(crate) mod subjects;
