//! The analysis of whole conversations, tested with small conversations and their expected results.

mod conversations;
mod properties;
