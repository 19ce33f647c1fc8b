//! Errors of engine operations. The variants are for callers that must react to the kind of error, not to its wording.

use thiserror::Error;

/// A failed operation. The store is unchanged.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The store refused the operation or failed.
    #[error(transparent)]
    Store(#[from] keepsake_store::StoreError),
    /// A file could not be imported.
    #[error(transparent)]
    Import(#[from] keepsake_importers::ImportError),
    /// The embedding model failed on a batch.
    #[error(transparent)]
    Embed(#[from] keepsake_models::EmbedError),
    /// The reader failed on a batch.
    #[error(transparent)]
    Read(#[from] keepsake_models::ReadError),
    /// A language model could not be called, or its answer could not be used.
    #[error(transparent)]
    Model(#[from] crate::language::ModelFailure),
    /// The person canceled the operation.
    #[error("cancelled")]
    Cancelled,
    /// Nothing failed, but the work cannot be finished now. A job that returns this is postponed.
    #[error("{why}")]
    NotYet {
        /// What the job is waiting for.
        why: &'static str,
        /// Delay before the next attempt, in milliseconds.
        retry_ms: i64,
    },
    /// Erased content was found in a file.
    #[error("{count} pieces of erased content are still in the data file; try again, and report this if it happens again")]
    StillThere {
        /// Number of pieces found.
        count: usize,
    },
    /// Another Keepsake process runs the queue.
    #[error("Keepsake is already running on this data folder and runs the queued jobs itself")]
    AlreadyRunning,
    /// The request cannot be met. Contains the reason, worded for the person.
    #[error("{0}")]
    Refused(String),
    /// An operating system call failed.
    #[error("{what}: {error}")]
    Io {
        /// What was attempted.
        what: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// Stored JSON that this version cannot read.
    #[error("the stored {what} cannot be read: unexpected data at line {}, character {}", .error.line(), .error.column())]
    Stored {
        /// What kind of data it is.
        what: &'static str,
        /// The cause. It is not shown, because its text quotes the unexpected data, which may come from a message.
        error: serde_json::Error,
    },
}

impl EngineError {
    /// Whether trying again later may help: yes for busy files and failing disks, no for a wrong file or request.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::Store(error) => matches!(
                error,
                keepsake_store::StoreError::Sqlite(_)
                    | keepsake_store::StoreError::Io { .. }
                    | keepsake_store::StoreError::LeaseLost(_)
            ),
            Self::Embed(_) | Self::Io { .. } | Self::StillThere { .. } => true,
            Self::Model(failure) => failure.is_retryable(),
            Self::Import(keepsake_importers::ImportError::Io { .. }) => true,
            _ => false,
        }
    }

    /// The delay that the model server requested, in milliseconds.
    pub(crate) fn retry_after_ms(&self) -> Option<i64> {
        match self {
            Self::Model(failure) => failure.retry_after_ms(),
            _ => None,
        }
    }
}
