//! Identity suggestions as tables: what is suggested, what never is, and why.

mod pairs;
mod sentences;
mod support;
