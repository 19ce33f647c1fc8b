//! Keeps files and folders private: no other user of the computer can read them.
//!
//! Programs call [`keep_files_private`] before they write anything, so every file is private from its first byte. A crash also
//! leaves no memory dump, which would contain passwords and messages. This module also chooses the data folder. If other users
//! can read the requested folder, the permissions of that folder stay as they are, and a private folder within it is used.
//!
//! On systems without Unix permissions, this module does nothing, because the user's own folders are already private.

use std::io;
use std::path::{Path, PathBuf};

/// The folder beside the database for the backups that Keepsake makes on its own.
pub const BACKUPS_DIR: &str = "backups";

/// Name of the private folder within a folder that others can read.
const SUBFOLDER: &str = "keepsake";

/// Makes everything that this process writes from now on private to its user. Folders get mode 0700 and files 0600. Core dumps
/// are disabled, because the system could write them into any folder or send them to its vendor.
pub fn keep_files_private() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};
        umask(rustix::fs::Mode::from_raw_mode(0o077));
        // A process may always lower its own limit.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) });
    }
}

/// Creates a folder and its parents if missing. An existing folder is not changed.
pub(crate) fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// The data folder chosen for a requested folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDir {
    /// The folder.
    pub path: PathBuf,
    /// The requested folder, if other users can read it and `path` is within it.
    pub shared: Option<PathBuf>,
}

impl DataDir {
    /// Message for the person if the folder differs from the requested one.
    pub fn note(&self) -> Option<String> {
        let (path, shared) = (self.path.display(), self.shared.as_ref()?.display());
        Some(format!("other users of this computer can read {shared}, so the data is kept in {path}"))
    }
}

impl From<PathBuf> for DataDir {
    fn from(path: PathBuf) -> Self {
        Self { path, shared: None }
    }
}

/// Chooses the data folder. Keepsake's own folder (`is_own`: the platform's standard location for its data) is made private. Any
/// other folder that other users can read keeps its permissions, and a private folder within it is used, unless it already
/// contains a database.
pub fn data_dir_for(wanted: &Path, is_own: bool) -> DataDir {
    let as_wanted = DataDir::from(wanted.to_owned());
    if !is_shared(wanted) {
        return as_wanted;
    }
    if is_own {
        // Even if this fails, the files in the folder are private.
        let _ = restrict(wanted, 0o700);
        return as_wanted;
    }
    let database = wanted.join("keepsake.db");
    if database.is_file() {
        let _ = restrict(&database, 0o600);
        return as_wanted;
    }
    DataDir { path: wanted.join(SUBFOLDER), shared: Some(wanted.to_owned()) }
}

#[cfg(unix)]
fn is_shared(dir: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(dir).is_ok_and(|meta| meta.is_dir() && meta.permissions().mode() & 0o077 != 0)
}

#[cfg(unix)]
fn restrict(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn is_shared(_: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn restrict(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_folder_that_others_can_read_keeps_its_mode_and_a_private_one_is_used() {
        let dir = tempfile::tempdir().unwrap();
        let named = dir.path().join("named");
        std::fs::create_dir(&named).unwrap();
        restrict(&named, 0o755).unwrap();
        let used = data_dir_for(&named, false);
        assert_eq!(used.path, named.join("keepsake"));
        assert!(used.note().unwrap().contains("can read"));
        assert_eq!(mode(&named), 0o755, "it is the person's folder");
        create_private_dir(&used.path).unwrap();
        assert_eq!(mode(&used.path), 0o700);
        assert_eq!(data_dir_for(&used.path, false), DataDir::from(used.path.clone()), "control: a private one is used");
        let missing = dir.path().join("missing");
        assert_eq!(data_dir_for(&missing, false).path, missing, "one that is not there is made private");
        assert_eq!(data_dir_for(&named, true).path, named, "Keepsake's own is made private");
        assert_eq!(mode(&named), 0o700);
    }

    #[test]
    fn a_database_that_stands_in_a_shared_folder_stays_and_is_made_private() {
        let dir = tempfile::tempdir().unwrap();
        restrict(dir.path(), 0o755).unwrap();
        let database = dir.path().join("keepsake.db");
        std::fs::write(&database, b"").unwrap();
        restrict(&database, 0o644).unwrap();
        assert_eq!(data_dir_for(dir.path(), false).path, dir.path());
        assert_eq!((mode(dir.path()), mode(&database)), (0o755, 0o600));
    }
}
