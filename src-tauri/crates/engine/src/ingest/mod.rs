//! Brings messages into the log: imported files, watched and followed folders, live sources, messages that
//! agents pass on, and the sample data.
//!
//! Not in this module: file formats (`keepsake-importers`), and what is derived from messages (`derive`, `review`).

pub(crate) mod append;
pub(crate) mod import;
pub(crate) mod import_request;
pub(crate) mod import_writer;
pub(crate) mod live;
pub(crate) mod live_sources;
pub(crate) mod members;
pub(crate) mod new_channels;
pub(crate) mod own_device;
pub(crate) mod preview;
pub(crate) mod sample;
pub(crate) mod source_inbox;
pub(crate) mod watched_exports;
pub(crate) mod watched_folders;
