//! The folder in which a restore or a preview prepares its copy, and the lock for that folder.
//!
//! Not here: what is prepared ([`crate::lifecycle::restore`]).

use std::fs::{self, File};
use std::path::Path;

use crate::{Result, StoreError};

/// The folder beside the database in which the copy is prepared. Only one restore or preview uses it at a time.
pub(crate) const STAGING_DIR: &str = "restore.part";

/// Lock for that folder. The operating system releases it when the process ends.
const STAGING_LOCK: &str = "restore.lock";

/// Takes the lock for the staging folder. Returns `None` if another process has it.
pub(crate) fn staging_turn(data_dir: &Path) -> Result<Option<File>> {
    let failed = |error| io("the lock of the folder for the copy cannot be taken", error);
    let file = File::options().create(true).truncate(false).write(true).open(data_dir.join(STAGING_LOCK)).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Removes the copy that a killed preview or restore left behind. Returns `false` if a copy is being prepared right now.
pub(crate) fn clear_staging(data_dir: &Path) -> Result<bool> {
    let folder = data_dir.join(STAGING_DIR);
    if !folder.exists() {
        return Ok(true);
    }
    let Some(_turn) = staging_turn(data_dir)? else { return Ok(false) };
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(io("the copy left by a restore cannot be removed", error))
        }
        _ => Ok(true),
    }
}

pub(crate) fn io(what: &str, error: std::io::Error) -> StoreError {
    StoreError::Io { what: what.to_owned(), error }
}
