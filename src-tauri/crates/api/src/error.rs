//! Command errors: a code for programs and a sentence for people.

use keepsake_engine::EngineError;
use keepsake_store::StoreError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Kinds of failure that callers handle differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request is malformed or contains an invalid value. Repeating it unchanged will not help.
    Invalid,
    /// The requested object does not exist.
    NotFound,
    /// The current state does not allow the request; the message says why.
    Refused,
    /// A person canceled the request.
    Cancelled,
    /// An internal failure; the message says what to do.
    Failed,
}

/// The error of a command.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ApiError {
    /// Kind of failure, for programs.
    pub code: Code,
    /// For people: what happened, what it affects, and what to do.
    pub message: String,
}

impl ApiError {
    /// An error of the kind [`Code::Invalid`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { code: Code::Invalid, message: message.into() }
    }

    /// An error of the kind [`Code::NotFound`].
    pub fn not_found(message: impl Into<String>) -> Self {
        Self { code: Code::NotFound, message: message.into() }
    }

    /// An error of the kind [`Code::Refused`].
    pub fn refused(message: impl Into<String>) -> Self {
        Self { code: Code::Refused, message: message.into() }
    }

    /// An error of the kind [`Code::Failed`].
    pub fn failed(message: impl Into<String>) -> Self {
        Self { code: Code::Failed, message: message.into() }
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
