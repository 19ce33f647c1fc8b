//! What a command says when it fails: a code for programs, a sentence for people.

use keepsake_engine::EngineError;
use keepsake_store::StoreError;
use serde::Serialize;
use thiserror::Error;

/// The kinds of failure that a caller reacts to differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request is malformed or names what does not exist; asking again as it is will not help.
    Invalid,
    /// What was named is not there.
    NotFound,
    /// It cannot be done as things stand; the message says why.
    Refused,
    /// The person cancelled.
    Cancelled,
    /// Keepsake failed; the message says what to do.
    Failed,
}

/// A failed command.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[error("{message}")]
pub struct ApiError {
    /// For programs.
    pub code: Code,
    /// For people: what happened, to what, what to do.
    pub message: String,
}

impl ApiError {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { code: Code::Invalid, message: message.into() }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self { code: Code::NotFound, message: message.into() }
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { code: Code::Refused, message: message.into() }
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let code = match &error {
            EngineError::Store(StoreError::NotFound { .. }) => Code::NotFound,
            EngineError::Store(StoreError::Stopped) => Code::Cancelled,
            EngineError::Store(
                StoreError::Transition(_)
                | StoreError::Refused(_)
                | StoreError::Backup { .. }
                | StoreError::Unrestorable { .. }
                | StoreError::FromTheFuture { .. },
            )
            | EngineError::Refused(_)
            | EngineError::NotYet { .. }
            | EngineError::Model(_)
            | EngineError::AlreadyRunning => Code::Refused,
            EngineError::Import(_) => Code::Invalid,
            EngineError::Cancelled => Code::Cancelled,
            EngineError::Store(_)
            | EngineError::Embed(_)
            | EngineError::Read(_)
            | EngineError::Io { .. }
            | EngineError::StillThere { .. }
            | EngineError::Stored { .. } => Code::Failed,
        };
        Self { code, message: error.to_string() }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<keepsake_domain::ParseIdError> for ApiError {
    fn from(error: keepsake_domain::ParseIdError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<keepsake_domain::ParseNameError> for ApiError {
    fn from(error: keepsake_domain::ParseNameError) -> Self {
        Self::invalid(error.to_string())
    }
}
