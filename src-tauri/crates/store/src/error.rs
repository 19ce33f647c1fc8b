//! What can go wrong between Keepsake and its file.

use std::path::PathBuf;

use thiserror::Error;

/// A store call that failed; nothing was changed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// SQLite refused or failed.
    #[error("the database could not do this: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The file or its folder cannot be used.
    #[error("cannot open {path}: {reason}")]
    Open {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// The file was written by a newer Keepsake.
    #[error(
        "{path} was written by a newer Keepsake (schema {found}, this program knows {known}); nothing was changed. Install the newer version to open it."
    )]
    FromTheFuture {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest one this program knows.
        known: i64,
    },
    /// The file is a database of another program.
    #[error("{path} is a database of another program; nothing was changed. Choose another data folder.")]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// The linked SQLite has a known corruption bug.
    #[error(
        "SQLite {found} is older than {wanted}, which fixed a bug that can corrupt the file; rebuild Keepsake with a newer one"
    )]
    OldSqlite {
        /// The linked version.
        found: String,
        /// The oldest sound one.
        wanted: &'static str,
    },
    /// A migration failed; the file is as it was.
    #[error("the database could not be brought up to date: {reason}; it is as it was")]
    Migration {
        /// Why, without the SQL.
        reason: String,
    },
    /// An older file could not be copied before its schema is changed.
    #[error(
        "{path} is of an older version, and no copy of it could be made before bringing it up to date ({reason}); nothing was changed. \
         Free some space on its disk or make its folder writable, and start again."
    )]
    NoSafetyCopy {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A row named by an id is not there.
    #[error("there is no {what} '{id}'")]
    NotFound {
        /// The noun.
        what: &'static str,
        /// The id.
        id: String,
    },
    /// A lifecycle step that is not legal.
    #[error("{0}")]
    Transition(#[from] keepsake_domain::TransitionError),
    /// What this act may not touch, in words for the person.
    #[error("{0}")]
    Refused(&'static str),
    /// Derived data without evidence, or whose span is not in the stored message.
    #[error("evidence lock: {0}")]
    Evidence(String),
    /// Another worker took the job over.
    #[error("the lease on job '{0}' was lost; its result was not stored")]
    LeaseLost(String),
    /// A stored value that no version of this program writes.
    #[error("a stored {what} cannot be read: {detail}")]
    Corrupt {
        /// The column.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// A lock was poisoned by a panic in another thread.
    #[error("the database is closed after an internal failure; restart Keepsake")]
    Poisoned,
    /// A file could not be read or written.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        error: std::io::Error,
    },
}

impl StoreError {
    pub(crate) fn not_found(what: &'static str, id: impl Into<String>) -> Self {
        Self::NotFound { what, id: id.into() }
    }

    pub(crate) fn corrupt(what: &'static str, detail: impl std::fmt::Display) -> Self {
        Self::Corrupt { what, detail: detail.to_string() }
    }
}

/// What SQLite said, without the statement, which speaks to nobody but its author.
pub(crate) fn without_sql(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, _) | rusqlite::Error::SqlInputError { error: code, .. } => code.to_string(),
        _ => "an unexpected answer of the database".to_owned(),
    }
}

impl From<rusqlite_migration::Error> for StoreError {
    fn from(error: rusqlite_migration::Error) -> Self {
        use rusqlite_migration::Error;
        let reason = match &error {
            Error::RusqliteError { err, .. } => without_sql(err),
            Error::ForeignKeyCheck(_) => "rows would refer to rows that are not there".to_owned(),
            _ => "its steps do not fit this file".to_owned(),
        };
        Self::Migration { reason }
    }
}
