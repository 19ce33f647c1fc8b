//! The messages: their text, place and order. A message never changes once it has been written.

pub(crate) mod append;
pub(crate) mod append_preview;
pub(crate) mod chain;
pub(crate) mod conversations;
pub(crate) mod hash;
pub(crate) mod imports;
pub(crate) mod live_files;
pub(crate) mod live_sources;
pub(crate) mod members;
pub(crate) mod private_time;
pub(crate) mod query;
pub(crate) mod rows;
pub(crate) mod search;
pub(crate) mod subjects;
