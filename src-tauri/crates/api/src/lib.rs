//! The application API: each command is declared once, with its request, response, errors and events.
//!
//! Windows, the loopback page, the command line and agents are adapters over [`dispatch()`]. None of them uses the engine's types.
//! Not in this crate: transports, windows, sockets, and rules that more than one command needs (they belong to the engine).

#[macro_use]
mod schema;
pub mod agents;
mod app;
mod dispatch;
mod error;
mod handlers;
mod surroundings;
pub mod types;
mod typescript;

pub use app::{App, AppOptions, FileAccess};
pub use dispatch::{COMMANDS, dispatch};
pub use error::{ApiError, Code};
pub use handlers::backup::{contents_json, restored_json};
pub use handlers::conversations::analyses_of;
pub use handlers::sources::{date_order, look_into, meeting_date, skip_view, zone};
pub use keepsake_engine::{EmbedderSlot, default_data_dir};
pub use keepsake_store::{DataDir, data_dir_for, keep_files_private};
pub use surroundings::Surroundings;
pub use typescript::schema_ts;
