//! Why reading ended before the end of a file.
//!
//! Not here: the errors that a person sees (`error`).

use std::io;
use std::path::Path;

use crate::error::{damaged_entry, database_error};
use crate::{ImportError, Stop};

/// Why reading a document ended early.
pub(crate) enum Halt {
    /// The sink accepts no more messages.
    Stop(Stop),
    /// Reading failed.
    Io(io::Error),
    /// One of several files cannot be read.
    Failed(Box<ImportError>),
    /// A database cannot be read.
    Database(rusqlite::Error),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rusqlite::Error> for Halt {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl Halt {
    /// Converts this to an error of the file, archive or folder at `path`.
    pub(crate) fn at(self, path: &Path, is_archive: bool) -> ImportError {
        match self {
            Self::Stop(stop) => stop.into(),
            Self::Io(error) if is_archive => damaged_entry(path, &error),
            Self::Io(source) => ImportError::Io { path: path.to_owned(), source },
            Self::Failed(error) => *error,
            Self::Database(error) => database_error(path, &error.to_string()),
        }
    }
}
