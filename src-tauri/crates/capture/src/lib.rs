//! From a conversation to a few well-founded candidates. (being written)

pub mod scrub;
