//! Unfinished copies: the next start removes the leftovers of a killed process, whatever folder they are in.
//!
//! A copy may be made in any folder, even on another disk. It is written next to its final name, so that it can be renamed in one
//! step. Before its first byte is written, a note in Keepsake's own folder records its path. Every copying process takes a shared
//! lock, which the operating system releases when the process ends. While any process has the lock, nothing is removed.
//!
//! Not here: how a copy is made ([`crate::lifecycle::copy`]).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::lifecycle::private_files::BACKUPS_DIR;

/// File extension of a copy that is still being made.
pub(crate) const PART_ENDING: &str = "part";

/// Lock shared by all copying processes; leftovers are removed only while no process has it.
const LOCK: &str = "copying.lock";

/// Prefix and extension of a note's file name. Between them is a hash of the path that the note contains.
const NOTE_PREFIX: &str = "copying-";
const NOTE_ENDING: &str = ".path";

/// Suffixes of a database file and of the files that SQLite may put beside it.
const BESIDE: [&str; 4] = ["", "-journal", "-wal", "-shm"];

/// A copy in progress.
#[derive(Debug)]
pub(crate) struct Begun {
    note: PathBuf,
    _lock: File,
}

/// Records that a copy is being made at `part`, and removes the leftovers of an earlier attempt there.
pub(crate) fn begin(data_dir: &Path, part: &Path) -> io::Result<Begun> {
    let lock = File::options().create(true).truncate(false).write(true).open(data_dir.join(LOCK))?;
    lock.lock_shared()?;
    let part = std::path::absolute(part)?;
    remove(&part);
    let name = blake3::hash(part.as_os_str().as_encoded_bytes()).to_hex();
    let note = data_dir.join(format!("{NOTE_PREFIX}{}{NOTE_ENDING}", &name[..16]));
    // A path that is not valid Unicode cannot be read back from a note. If the process is killed, the leftovers stay until the
    // next copy with that name.
    if let Some(part) = part.to_str() {
        fs::write(&note, part)?;
    }
    Ok(Begun { note, _lock: lock })
}

impl Begun {
    /// Removes the note, because the copy has its final name or has been removed.
    pub(crate) fn end(self) {
        // A leftover note is harmless: there is nothing left to remove.
        let _ = fs::remove_file(&self.note);
    }
}

/// Removes an unfinished copy and the files beside it.
pub(crate) fn remove(part: &Path) {
    for suffix in BESIDE {
        let mut path = part.as_os_str().to_owned();
        path.push(suffix);
        let _ = fs::remove_file(path);
    }
}

/// Removes the leftovers of abandoned copies. If some cannot be removed now, for example because a disk is not connected, the
/// next start tries again.
pub(crate) fn clear(data_dir: &Path) {
    let files = |folder: &Path, is_one: fn(&str) -> bool| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_one)).collect()
    };
    let notes = files(data_dir, |name| name.starts_with(NOTE_PREFIX) && name.ends_with(NOTE_ENDING));
    let parts = files(&data_dir.join(BACKUPS_DIR), |name| is_part(Path::new(name)));
    if notes.is_empty() && parts.is_empty() {
        return;
    }
    let lock = File::options().create(true).truncate(false).write(true).open(data_dir.join(LOCK));
    let Ok(lock) = lock.and_then(|file| file.try_lock().map(|()| file).map_err(io::Error::from)) else { return };
    parts.iter().for_each(|part| remove(part));
    for note in notes {
        let noted = fs::read_to_string(&note).map(PathBuf::from);
        if let Ok(part) = noted.as_deref()
            && is_part(part)
        {
            remove(part);
            if part.exists() || !part.parent().is_some_and(Path::exists) {
                continue;
            }
        }
        let _ = fs::remove_file(note);
    }
    drop(lock);
}

fn is_part(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == PART_ENDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_copy_left_goes_and_what_is_still_made_or_is_no_copy_stays() {
        let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let left = |name: &str| {
            let path = other.path().join(name);
            fs::write(&path, "half").unwrap();
            path
        };
        let part = other.path().join("copy.db.part");
        let begun = begin(data.path(), &part).unwrap();
        let (made, journal) = (left("copy.db.part"), left("copy.db.part-journal"));
        clear(data.path());
        assert!(made.exists() && journal.exists(), "control: it is still being made");
        drop(begun);
        let own = data.path().join("copying-0000000000000000.path");
        let precious = left("precious.db");
        fs::write(&own, precious.to_str().unwrap()).unwrap();
        let away = data.path().join("copying-1111111111111111.path");
        fs::write(&away, other.path().join("unplugged/copy.db.part").to_str().unwrap()).unwrap();
        fs::create_dir(data.path().join(BACKUPS_DIR)).unwrap();
        let nightly = data.path().join(BACKUPS_DIR).join("keepsake-2026-01-05T10-00-00Z-daily.db.part");
        fs::write(&nightly, "half").unwrap();
        clear(data.path());
        assert!(!made.exists() && !journal.exists() && !nightly.exists(), "the process that made it ended");
        assert!(precious.exists() && !own.exists(), "what is no copy under way is left alone");
        assert!(away.exists(), "a disk that is not there is tried again");
    }

    #[test]
    fn what_was_ended_leaves_no_note() {
        let data = tempfile::tempdir().unwrap();
        begin(data.path(), &data.path().join("copy.db.part")).unwrap().end();
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1, "the lock alone");
    }
}
