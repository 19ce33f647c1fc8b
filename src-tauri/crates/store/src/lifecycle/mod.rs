//! The database file as a whole: upgrading, checking, backing up, restoring, exporting, and erasing from it.

pub(crate) mod backup;
pub(crate) mod copy;
pub(crate) mod erase;
pub(crate) mod erase_derived;
pub(crate) mod erase_memory;
pub(crate) mod erase_person;
pub(crate) mod export;
pub(crate) mod migrate;
pub(crate) mod part;
pub(crate) mod private_files;
pub(crate) mod restore;
pub(crate) mod schema;
pub(crate) mod staging;
pub(crate) mod traces;
pub(crate) mod undo_import;
pub(crate) mod unfinished;
