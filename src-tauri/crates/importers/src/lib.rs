//! Importers: read files exported by other programs and stream them as [`Message`](keepsake_domain::Message)s into a [`Sink`].
//!
//! An importer never judges, cleans or joins text beyond what its format requires. It gives every message a source id that stays
//! the same when the same conversation is exported again, and it accounts for every record: seen = emitted + skipped. A file is
//! checked to its end before the first message is emitted, so a truncated or wrong file changes nothing. Deliberately not here:
//! the store, duplicates across imports, ids of stored rows, and help texts about exporting.

mod archive;
mod chatgpt;
mod claude;
mod claude_code;
mod codex_cli;
mod contract;
mod docx;
mod error;
mod gemini_cli;
mod identity;
mod json;
mod keepsake;
mod limits;
mod lines;
mod open;
mod out;
mod preview;
mod read_on;
mod regroup;
mod sniff;
mod time;
mod transcript;
mod whatsapp;

pub use contract::{DateOrder, FileReport, ImportOptions, MeetingDate, MeetingDateError, Read, Sink, Skip, SkipReason, Stop};
pub use error::ImportError;
pub use open::{FolderFiles, list_inputs, look_through, read_path, sniff};
pub use preview::{DateQuestion, DateSample, Participant, Preview, preview, preview_with};
pub use read_on::read_on;
pub use time::Zone;
