//! The file as a whole: opening, upgrading, backing up, restoring, exporting, erasing.

pub(crate) mod backup;
pub(crate) mod erase;
pub(crate) mod erase_derived;
pub(crate) mod erase_memory;
pub(crate) mod erase_person;
pub(crate) mod export;
pub(crate) mod migrate;
pub(crate) mod preview;
pub(crate) mod private_files;
pub(crate) mod restore;
pub(crate) mod schema;
pub(crate) mod traces;
pub(crate) mod unfinished;
