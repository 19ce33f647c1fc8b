//! Carries out a plan: backs up each file, then replaces it in one step. The only module of this crate that writes files.
//!
//! A symbolic link stays and its target is written, because dotfile managers keep the file elsewhere. A write-protected file is
//! left alone, even if its folder is writable, because somebody protected it deliberately.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use keepsake_domain::Timestamp;
use tempfile::NamedTempFile;

use super::error::{ConnectError, unreadable};
use super::plan::{FileChange, Plan};

/// Maximum number of links followed from one file. Linux follows 40; more indicate a cycle.
const LINKS_MAX: usize = 40;

/// Maximum number of backups of one file within one second.
const BACKUPS_MAX: usize = 100;

/// A file that was written, and the backup of its previous content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// The backup of the previous content; nothing if the file did not exist.
    pub backup: Option<PathBuf>,
}

/// Reads a file for a plan, following links. Returns nothing if the file does not exist.
pub fn read_file(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Applies all changes of a plan, or none of them. The names of the backups are based on `now`.
pub fn apply(plan: &Plan, now: Timestamp) -> Result<Vec<Written>, ConnectError> {
    for change in &plan.changes {
        if let (Some(other), false) = (&change.replaces, plan.may_replace) {
            return Err(ConnectError::WouldReplace { path: change.path.clone(), other: other.clone() });
        }
        check(change)?;
    }
    let mut written = Vec::new();
    for (done, change) in plan.changes.iter().enumerate() {
        match write(change, now) {
            Ok(one) => written.push(one),
            Err(error) => {
                for change in plan.changes[..done].iter().rev() {
                    // Best effort: the backup exists in any case, and the first error is the useful one.
                    let _ = target(&change.path).and_then(|target| put(change, &target, change.before.as_deref()));
                }
                return Err(error);
            }
        }
    }
    Ok(written)
}

/// Checks that a change can be made: the file is unchanged since the plan was made, and may be written.
fn check(change: &FileChange) -> Result<(), ConnectError> {
    let current = read_file(&change.path).map_err(|error| unreadable(&change.path, &error))?;
    if current != change.before {
        return Err(ConnectError::Changed { path: change.path.clone() });
    }
    let is_protected = fs::metadata(&change.path).is_ok_and(|found| found.permissions().readonly());
    if is_protected { Err(ConnectError::Protected { path: change.path.clone() }) } else { Ok(()) }
}

fn write(change: &FileChange, now: Timestamp) -> Result<Written, ConnectError> {
    let unwritable = |error: io::Error| ConnectError::Unwritable { path: change.path.clone(), reason: error.to_string() };
    let target = target(&change.path).map_err(unwritable)?;
    for folder in [change.path.parent(), target.parent()].into_iter().flatten() {
        fs::create_dir_all(folder).map_err(unwritable)?;
    }
    let backup = change.before.as_deref().map(|text| back_up(&change.path, text, now)).transpose().map_err(unwritable)?;
    // Check again, because the client may be running, and some clients write often.
    check(change)?;
    put(change, &target, change.after.as_deref()).map_err(unwritable)?;
    Ok(Written { path: change.path.clone(), backup })
}

/// Replaces the content of a file in one step, or removes the file.
fn put(change: &FileChange, target: &Path, text: Option<&str>) -> io::Result<()> {
    let is_link = target != change.path;
    let Some(text) = text.or(is_link.then_some("")) else { return fs::remove_file(target) };
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(found) = fs::metadata(target) {
        file.as_file().set_permissions(found.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

/// The actual path of a file, with all links resolved, even if nothing exists there.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        match fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                let next = fs::read_link(&at)?;
                at = at.parent().unwrap_or(Path::new("")).join(next);
            }
            Ok(_) => return Ok(at),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(at),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// Copies the previous text to a new file next to the original, with the same permissions.
fn back_up(path: &Path, text: &str, now: Timestamp) -> io::Result<PathBuf> {
    let stamp = chrono::DateTime::from_timestamp_millis(now.as_millis()).unwrap_or_default().format("%Y%m%dT%H%M%SZ");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for count in 1..=BACKUPS_MAX {
        let suffix = if count == 1 { String::new() } else { format!("-{count}") };
        let backup = path.with_file_name(format!("{name}.keepsake-backup-{stamp}{suffix}"));
        match private(&backup) {
            Ok(mut file) => {
                file.write_all(text.as_bytes())?;
                file.set_permissions(fs::metadata(path)?.permissions())?;
                file.sync_all()?;
                return Ok(backup);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many backups of this second"))
}

/// Creates a file that nobody else can read until it gets the permissions of the original.
fn private(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
