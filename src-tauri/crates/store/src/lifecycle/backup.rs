//! Backups of an open store, and the copies of it that Keepsake made.
//!
//! Not here: how a copy is made and verified ([`crate::lifecycle::copy`]), and when (`keepsake-engine`).

use std::path::{Path, PathBuf};

use crate::Result;
use crate::lifecycle::copy::{BackupReport, DAMAGED_PREFIX, Watch, back_up};
use crate::lifecycle::private_files::BACKUPS_DIR;
use crate::open::Store;

/// Name prefix of the copies that earlier versions placed beside the database before an upgrade. An erasure removes all of
/// them.
const FORMER_COPY_PREFIX: &str = "keepsake.schema-";

impl Store {
    /// Copies the current state of the store to `target` and verifies the copy. An older backup at `target` is replaced after the
    /// new one has been verified. Any other file there is left alone, and an error is returned.
    pub fn back_up(&self, target: &Path, watch: Watch<'_>) -> Result<BackupReport> {
        back_up(self.path(), target, watch)
    }

    /// The copies that Keepsake made on its own, including unfinished ones. An erasure removes all of them.
    pub(crate) fn own_copies(&self) -> Vec<PathBuf> {
        let mut copies = Vec::new();
        let named = |folder: &Path, is_ours: fn(&str) -> bool| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            entries.filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_ours)).collect::<Vec<_>>()
        };
        copies.extend(named(&self.path().with_file_name(BACKUPS_DIR), |name| name.contains(".db")));
        if let Some(folder) = self.path().parent() {
            copies.extend(named(folder, |name| name.starts_with(DAMAGED_PREFIX) || name.starts_with(FORMER_COPY_PREFIX)));
        }
        copies
    }
}
