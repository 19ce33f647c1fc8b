//! The analysis of whole conversations, as data: small conversations and what must come of them.

mod conversations;
mod properties;
