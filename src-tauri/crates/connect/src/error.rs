//! Errors that occur while Keepsake's entries in another program's configuration are edited. Each message says what happened,
//! to which file, and what to do. No message quotes the content of a file, because configuration may contain keys.

use std::io;
use std::path::{Path, PathBuf};

/// Why the text of a file cannot be edited. [`ConnectError`] adds the path of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The text violates its own format at this line and column, both counted from 1.
    Broken(usize, usize),
    /// The text is valid, but something in it does not match the client's format.
    Unexpected(String),
    /// The edit would have changed more than Keepsake's entry. This is a bug in Keepsake, found before it did harm.
    TooMuch,
}

impl Fault {
    pub(super) fn unexpected(what: impl Into<String>) -> Self {
        Self::Unexpected(what.into())
    }

    pub(super) fn at(self, path: PathBuf, format: &'static str) -> ConnectError {
        match self {
            Self::Broken(line, column) => ConnectError::Broken { path, format, line, column },
            Self::Unexpected(what) => ConnectError::Unexpected { path, what },
            Self::TooMuch => ConnectError::TooMuch { path },
        }
    }
}

/// Why a client was not connected or disconnected. Nothing was changed, except where a message says so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The file exists but is not text, or may not be read.
    #[error("{} cannot be read ({reason}); check that it is a text file which you may read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The file does not follow its own format.
    #[error(
        "{} is not valid {format} (line {line}, column {column}), so it was left as it is; correct it or move it away, \
         and try again",
        path.display()
    )]
    Broken {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: &'static str,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The file is valid, but something in it prevents the edit.
    #[error("{} was left as it is: {what}; change that by hand and try again", path.display())]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// What prevents the edit.
        what: String,
    },
    /// The planned edit did not do exactly what it should.
    #[error(
        "{} was left as it is, because the edit would have changed more than Keepsake's entry; add the entry by hand",
        path.display()
    )]
    TooMuch {
        /// The file.
        path: PathBuf,
    },
    /// The plan replaces another program's entry, and the person has not agreed to that.
    #[error(
        "{} has an entry 'keepsake' that starts something else ({other}); rename that entry, or say that it may be replaced",
        path.display()
    )]
    WouldReplace {
        /// The file.
        path: PathBuf,
        /// What the other entry starts.
        other: String,
    },
    /// The file has changed since the plan was made.
    #[error("{} changed after the plan was made, so nothing was written to it; try again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file is write-protected.
    #[error(
        "{} is write-protected, so it was left as it is; make it writable, or change it where your dotfiles are kept",
        path.display()
    )]
    Protected {
        /// The file.
        path: PathBuf,
    },
    /// Writing failed. Files of the same plan that had already been written were restored.
    #[error("{} could not be written ({reason}); it was left as it is. Check the folder and try again", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The command cannot be written into a configuration, because a path in it is not absolute or not valid UTF-8.
    #[error("'{what}' must be a full path in plain text, because clients start Keepsake from any folder; give its full path")]
    NoFullPath {
        /// The path.
        what: String,
    },
}

/// The error for a file that could not be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> ConnectError {
    ConnectError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}
