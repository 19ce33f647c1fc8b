//! Every command, declared once: request, response, errors and events. (being written)
#[macro_use]
mod schema;
pub mod types;
mod typescript;
