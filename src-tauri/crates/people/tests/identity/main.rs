//! Identity suggestions as tables: which pairs are suggested, which never are, and why.

mod pairs;
mod sentences;
mod support;
