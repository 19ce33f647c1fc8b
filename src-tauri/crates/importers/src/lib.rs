//! Importers: read files exported by other programs and stream them as [`Message`](keepsake_domain::Message)s into a [`Sink`].
//!
//! An importer never judges, cleans or joins text beyond what its format requires. It gives every message a source id that
//! stays the same when the same conversation is exported again, and it accounts for every record: seen = emitted + skipped. A
//! file is checked to its end before the first message is emitted, so a truncated or wrong file changes nothing. Deliberately
//! not here: the store, duplicates across imports, ids of stored rows, and instructions for exporting.

mod archive;
mod basic_memory;
mod calendar;
mod chatgpt;
mod chatgpt_memories;
mod claude;
mod claude_code;
mod codex_cli;
mod contract;
mod conversation;
mod copilot_chat;
mod cursor;
mod database;
mod date_question;
mod discord;
mod docx;
mod email;
mod error;
mod files;
mod find;
mod format;
mod formats;
mod front_matter;
mod gemini_cli;
mod google_chat;
mod halt;
mod html;
mod identity;
mod imessage;
mod jan;
mod json;
mod keepsake;
mod keepsake_export;
mod left_out;
mod librechat;
mod limits;
mod line;
mod lines;
mod lm_studio;
mod matrix;
mod mem0;
mod memories;
mod mempalace;
mod meta;
mod obsidian;
mod open;
mod open_webui;
mod other_parts;
mod out;
mod preview;
mod read_on;
mod regroup;
mod row_order;
mod signal;
mod simplex;
mod slack;
mod sniff;
mod teams;
mod telegram;
mod time;
mod transcript;
mod turns;
mod unpacked;
mod wechat;
mod whatsapp;
mod zed;

pub use contract::{DateOrder, FileReport, ImportOptions, MeetingDate, MeetingDateError, Read, Sink, Skip, SkipReason, Stop};
pub use date_question::{DateQuestion, DateSample};
pub use email::{FolderUse, MailBytes, MailPlace, automatic, is_same_mail, read_mail};
pub use error::ImportError;
pub use find::{Export, Inventory, Layout, database_beside, layout, look_through, may_be, sniff};
pub use left_out::{LeftOut, LeftOutReason};
pub use matrix::{MatrixChange, MatrixEvent, MatrixRoom, matrix_call, matrix_event, matrix_member, matrix_reactions};
pub use open::read_path;
pub use preview::{Participant, Preview, preview, preview_with};
pub use read_on::read_on;
pub use simplex::api as simplex_api;
pub use time::Zone;
