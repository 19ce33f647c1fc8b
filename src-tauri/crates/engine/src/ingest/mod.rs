//! Brings messages into the log: imported files, watched and followed folders, messages that agents pass on, and the sample data.
//!
//! Not in this module: file formats (`keepsake-importers`), and what is derived from messages (`derive`, `review`).

pub(crate) mod append;
pub(crate) mod import;
pub(crate) mod import_writer;
pub(crate) mod live;
pub(crate) mod preview;
pub(crate) mod sample;
pub(crate) mod watched_folders;
