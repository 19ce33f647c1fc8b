//! Identity suggestions as tables: what is proposed, what never is, and why.

mod pairs;
mod sentences;
mod support;
