//! Unpacks a database from an archive, because SQLite can read it only from a file.
//!
//! The copy is stored in a new folder that only this user can open, under a fixed name chosen here, and is removed as soon as
//! it has been read. Its size is checked against the limits of an archive, and no more than the checked size is written.
//! Databases that are already files need no copy.

use std::fs::File;
use std::io::{self, BufRead, Write as _};
use std::path::{Path, PathBuf};

use crate::archive::{Container, Document};
use crate::error::{damaged_entry, database_error};
use crate::{ImportError, Stop};

/// The name of the copy.
const NAME: &str = "unpacked.db";

/// The suffix that SQLite adds to a database's name for the file with the newest changes, which are not in the database yet.
pub(crate) const LOG: &str = "-wal";

/// The copy of a database.
pub(crate) struct Unpacked {
    folder: tempfile::TempDir,
}

impl Unpacked {
    /// Unpacks `document` and the log beside it from an archive.
    pub(crate) fn of(
        container: &mut Container,
        document: &Document,
        tick: &mut dyn FnMut() -> Result<(), Stop>,
    ) -> Result<Self, ImportError> {
        let path = container.path().to_owned();
        let failed = |error: &io::Error| database_error(&path, &format!("it cannot be unpacked: {error}"));
        let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
        let log = format!("{}{LOG}", document.path);
        let log = container.documents().iter().find(|other| other.path == log).cloned();
        for (document, name) in [(Some(document), NAME.to_owned()), (log.as_ref(), format!("{NAME}{LOG}"))] {
            let Some(document) = document else { continue };
            let mut file = File::create(folder.path().join(name)).map_err(|error| failed(&error))?;
            container.read(document, |input| copy(input, &mut file, &path, tick))?;
        }
        Ok(Self { folder })
    }

    /// The path of the copy.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(NAME)
    }
}

fn copy(
    input: &mut dyn BufRead,
    file: &mut File,
    archive: &Path,
    tick: &mut dyn FnMut() -> Result<(), Stop>,
) -> Result<(), ImportError> {
    loop {
        let chunk = input.fill_buf().map_err(|error| damaged_entry(archive, &error))?;
        if chunk.is_empty() {
            return Ok(());
        }
        file.write_all(chunk).map_err(|error| database_error(archive, &format!("it cannot be unpacked: {error}")))?;
        let len = chunk.len();
        input.consume(len);
        tick()?;
    }
}

#[cfg(test)]
mod tests {
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    #[test]
    fn the_copy_is_gone_when_it_was_read_and_when_reading_was_stopped() {
        let archive = tempfile::NamedTempFile::new().unwrap();
        let mut zip = ZipWriter::new(archive.reopen().unwrap());
        for (name, bytes) in [("chat.db", "another"), ("Messages/chat.db", "the database"), ("Messages/chat.db-wal", "the log")] {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        let mut container = Container::open(archive.path()).unwrap();
        let document = container.documents().iter().find(|document| document.path == "Messages/chat.db").cloned().unwrap();
        let unpacked = Unpacked::of(&mut container, &document, &mut || Ok(())).unwrap();
        let path = unpacked.path();
        assert_eq!(std::fs::read(&path).unwrap(), b"the database");
        assert_eq!(std::fs::read(path.with_file_name("unpacked.db-wal")).unwrap(), b"the log");
        drop(unpacked);
        assert!(!path.parent().unwrap().exists());
        assert!(matches!(Unpacked::of(&mut container, &document, &mut || Err(Stop)), Err(ImportError::Stopped(_))));
    }
}
