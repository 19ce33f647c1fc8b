//! What can go wrong in an operation, with a small code for those who must react to the kind and not to the words.

use thiserror::Error;

/// An operation that failed; the store is as it was.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] keepsake_store::StoreError),
    /// A file could not be imported.
    #[error(transparent)]
    Import(#[from] keepsake_channels::ImportError),
    /// The embedding model failed on a batch.
    #[error(transparent)]
    Embed(#[from] keepsake_models::EmbedError),
    /// The reader failed on a batch.
    #[error(transparent)]
    Read(#[from] keepsake_models::ReadError),
    /// A language model could not be asked, or its answer not be used.
    #[error(transparent)]
    Model(#[from] crate::language::ModelFailure),
    /// The person cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Nothing failed, but it cannot be finished now; a job that says so is put off.
    #[error("{why}")]
    NotYet {
        /// What it waits for.
        why: &'static str,
        /// When to look again.
        retry_ms: i64,
    },
    /// An erasure found what it erased in a file.
    #[error("{count} stretches of what was erased still stand in the data file; try again, and report this if it stays")]
    StillThere {
        /// How many.
        count: usize,
    },
    /// Another process of Keepsake works the queue.
    #[error("Keepsake is already running on this data folder and works the queue itself")]
    AlreadyRunning,
    /// A request that cannot be met, in words for the person.
    #[error("{0}")]
    Refused(String),
    /// The system refused.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// Stored JSON that this version cannot read.
    #[error("stored {what} cannot be read: it does not fit at line {}, character {}", .error.line(), .error.column())]
    Stored {
        /// What it is.
        what: &'static str,
        /// Why. Its own words quote what does not fit, which may be of a message; so they are not shown.
        error: serde_json::Error,
    },
}

impl EngineError {
    /// Whether trying again later may help: busy files and failing disks, yes; a wrong file or request, no.
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
            Self::Import(keepsake_channels::ImportError::Io { .. }) => true,
            _ => false,
        }
    }

    /// How long a server asked to be left alone.
    pub(crate) fn retry_after_ms(&self) -> Option<i64> {
        match self {
            Self::Model(failure) => failure.retry_after_ms(),
            _ => None,
        }
    }
}
