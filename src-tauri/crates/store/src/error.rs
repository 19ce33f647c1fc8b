//! Errors of the store.

use std::path::PathBuf;

use thiserror::Error;

/// An error from a store call. The call changed nothing.
#[derive(Debug, Error)]
pub enum StoreError {
    /// SQLite refused or failed.
    #[error("the database reported an error: {}", said(.0))]
    Sqlite(rusqlite::Error),
    /// The file or its folder cannot be used.
    #[error("cannot open {path}: {reason}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The reason, and what to do about it.
        reason: String,
    },
    /// The file was written by a newer version of Keepsake.
    #[error(
        "{path} was written by a newer version of Keepsake (schema {found}, but this version knows only {known}); nothing was \
         changed. Install the newer version to open it."
    )]
    FromTheFuture {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest schema version that this program knows.
        known: i64,
    },
    /// The file is a database of another program.
    #[error("{path} is a database of another program; nothing was changed. Choose another data folder.")]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// The linked SQLite version has a known corruption bug.
    #[error(
        "SQLite {found} is older than {wanted}, which fixed a bug that can corrupt the database; rebuild Keepsake with a newer \
         version of SQLite"
    )]
    OldSqlite {
        /// The linked version.
        found: String,
        /// The oldest version without the bug.
        wanted: &'static str,
    },
    /// A migration failed and was rolled back.
    #[error("the database could not be upgraded: {reason}; it was left unchanged")]
    Migration {
        /// The reason, without the SQL.
        reason: String,
    },
    /// An older file could not be backed up before its schema upgrade.
    #[error(
        "{path} is from an older version and could not be backed up before the upgrade ({reason}); nothing was changed. Free \
         some space on its disk or make its folder writable, and start again."
    )]
    NoSafetyCopy {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Tables differ from those that the program creates.
    #[error(
        "{path} was changed outside Keepsake ({what}), so its tables cannot be trusted; Keepsake changed nothing. Restore a \
         backup."
    )]
    Altered {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// A backup could not be made.
    #[error("the backup {path} could not be made: {reason}")]
    Backup {
        /// The backup file.
        path: PathBuf,
        /// The reason, and what to do about it.
        reason: String,
    },
    /// The file cannot be restored.
    #[error("{path} cannot be restored: {reason}; nothing was changed")]
    Unrestorable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The person stopped the operation.
    #[error("stopped; nothing was changed")]
    Stopped,
    /// No row has this id.
    #[error("there is no {what} '{id}'")]
    NotFound {
        /// What kind of row, as a noun.
        what: &'static str,
        /// The id.
        id: String,
    },
    /// A lifecycle transition is not allowed.
    #[error("{0}")]
    Transition(#[from] keepsake_domain::TransitionError),
    /// The operation is not allowed here. The value is the reason, written for the person.
    #[error("{0}")]
    Refused(&'static str),
    /// Derived data has no evidence, or has a span that is not in the stored message.
    #[error("this cannot be stored because its evidence is invalid: {0}")]
    Evidence(String),
    /// Another worker has taken over the job.
    #[error("another worker has taken over the job '{0}'; its result was not stored")]
    LeaseLost(String),
    /// A stored value has a form that no version of this program writes.
    #[error("the stored {what} cannot be read: {detail}; please report this")]
    Corrupt {
        /// The column or kind of value.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// A lock was poisoned by a panic in another thread.
    #[error("the database was closed after an internal error; restart Keepsake")]
    Poisoned,
    /// A file could not be read or written.
    #[error("{what}: {error}")]
    Io {
        /// What was attempted.
        what: String,
        /// The system's error.
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

impl From<rusqlite::Error> for StoreError {
    // The SQLite error is not set as the source, because code that prints the whole error chain would print the text that `said`
    // leaves out.
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Returns SQLite's error text only if it cannot contain stored or searched words. For a violated constraint, it names columns or
/// quotes our triggers; any other error may quote user input or message text.
fn said(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, Some(message)) if code.code == rusqlite::ErrorCode::ConstraintViolation => {
            message.clone()
        }
        rusqlite::Error::FromSqlConversionFailure(column, kind, _) | rusqlite::Error::InvalidColumnType(column, _, kind) => {
            format!("column {column} of a row contains {kind}, which is unexpected")
        }
        rusqlite::Error::QueryReturnedNoRows => "a row is missing".to_owned(),
        _ => without_sql(error),
    }
}

/// SQLite's message without the SQL statement, which helps only the developer.
pub(crate) fn without_sql(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, _) | rusqlite::Error::SqlInputError { error: code, .. } => code.to_string(),
        _ => "an unexpected answer from the database".to_owned(),
    }
}

impl From<rusqlite_migration::Error> for StoreError {
    fn from(error: rusqlite_migration::Error) -> Self {
        use rusqlite_migration::Error;
        let reason = match &error {
            Error::RusqliteError { err, .. } => without_sql(err),
            Error::ForeignKeyCheck(_) => "rows would refer to rows that do not exist".to_owned(),
            _ => "its steps do not match this file".to_owned(),
        };
        Self::Migration { reason }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use rusqlite::Connection;

    use super::*;
    use crate::text;

    const PLANTED: &str = "planted words of a message";

    fn database() -> Connection {
        let database = Connection::open_in_memory().unwrap();
        database
            .execute_batch(
                "CREATE TABLE log (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE);
                 CREATE VIRTUAL TABLE words USING fts5 (content);
                 CREATE TRIGGER kept BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is kept'); END;",
            )
            .unwrap();
        database.execute("INSERT INTO log (content) VALUES (?1)", [PLANTED]).unwrap();
        database
    }

    /// Runs a statement that fails because of the planted words. If `quotes` is set, SQLite's error must quote them. The
    /// store's error must never quote them.
    fn check(sql: &str, parameters: &[&str], quotes: bool) {
        let database = database();
        let number = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let failed = database.prepare(sql).and_then(|mut statement| {
            statement.query_map(rusqlite::params_from_iter(parameters), number)?.collect::<Result<Vec<_>, _>>()
        });
        let error = failed.unwrap_err();
        assert_eq!(error.to_string().contains("planted"), quotes, "{sql}: {error}");
        let ours = StoreError::from(error);
        assert!(!ours.to_string().contains("planted"), "{sql}: {ours}");
        assert!(ours.source().is_none(), "{sql}: a chain of errors would quote it");
    }

    #[test]
    fn an_error_of_the_database_never_quotes_what_is_stored_or_searched() {
        check("SELECT rowid FROM words WHERE words MATCH ?1", &["\"planted words"], false);
        check("SELECT rowid FROM words WHERE words MATCH ?1", &["planted: words"], true);
        check(&format!("SELECT id FROM log WHERE content = '{PLANTED}' AND nothing = 1"), &[], true);
        check(&format!("SELECT json_extract('{{}}', '{PLANTED}')"), &[], true);
        check("SELECT json_extract('{}', ?1)", &[PLANTED], true);
        check("INSERT INTO log (content) VALUES (?1) RETURNING id", &[PLANTED], false);
        check("SELECT content FROM log", &[], false);
        check("SELECT json(?1)", &[PLANTED], false);
    }

    #[test]
    fn what_a_constraint_or_a_trigger_says_is_still_told() {
        let database = database();
        let said = |sql: &str| StoreError::from(database.execute(sql, []).unwrap_err()).to_string();
        assert_eq!(said("DELETE FROM log"), "the database reported an error: the log is kept");
        assert!(said("INSERT INTO log (content) SELECT content FROM log").ends_with("UNIQUE constraint failed: log.content"));
    }

    #[test]
    fn a_stored_value_that_cannot_be_read_is_not_quoted() {
        let json = format!("{{\"topic\":\"{PLANTED}\"}}");
        #[derive(Debug, serde::Deserialize)]
        struct Counted {
            #[allow(dead_code)]
            topic: u32,
        }
        let control = serde_json::from_str::<Counted>(&json).unwrap_err();
        assert!(control.to_string().contains(PLANTED), "control: the reader itself quotes it");
        let errors = [
            text::parse_json::<Counted>("knowledge", &json).unwrap_err(),
            text::parse::<keepsake_domain::MemoryStatus>("status", PLANTED).unwrap_err(),
        ];
        for error in errors {
            assert!(!error.to_string().contains("planted"), "{error}");
        }
    }
}
