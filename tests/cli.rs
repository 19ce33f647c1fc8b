//! The command line as specified in docs/sources.md#design-command-line, used as scripts use it.

mod analyze;
mod audit;
mod backup;
mod charts;
mod connect;
mod erase;
mod extract;
mod gaps;
mod import;
mod import_channels;
mod leaks;
mod maintenance;
mod models;
mod people;
mod playbooks;
mod privacy;
mod profiles;
mod reflection;
mod review;
mod search;
mod service;
mod sessions;
mod system;
mod topics;
mod unidentified_speakers;
