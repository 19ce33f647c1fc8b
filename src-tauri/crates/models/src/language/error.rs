//! Why a call produced no reply. The errors contain no text that was sent or received.

use thiserror::Error;

/// Why a call produced no reply. Contains no text of the prompt or the reply, and no key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    /// No connection could be established.
    #[error("cannot connect to {origin}: {reason}; check that the server is running and that its address is correct")]
    Refused {
        /// The server.
        origin: String,
        /// The kind of failure.
        reason: &'static str,
    },
    /// The server's certificate is not trusted, so the server may not be the one it claims to be.
    #[error(
        "{origin} presented a certificate that this computer does not trust; nothing was sent. Check the address, or trust the \
         server's certificate in the settings of this computer"
    )]
    Untrusted {
        /// The server.
        origin: String,
    },
    /// The time limit was exceeded.
    #[error("{origin} gave no complete reply within {timeout_ms} ms; if this happens again, choose a smaller model")]
    TimedOut {
        /// The server.
        origin: String,
        /// The time limit in ms.
        timeout_ms: u64,
    },
    /// The caller canceled the call.
    #[error("the call to the model was cancelled")]
    Cancelled,
    /// Status 429, or 503 without another reason.
    #[error("the model's server is busy (status {status}); another program may be using it")]
    Busy {
        /// 429 or 503.
        status: u16,
        /// The delay before a retry that the server requested, if any, in ms.
        retry_after_ms: Option<u64>,
    },
    /// The server reported an internal error.
    #[error("the model's server reported an internal error (status {status}); its log says why")]
    Server {
        /// 5xx, 408 or 425, all handled the same way.
        status: u16,
    },
    /// The server understood the request but rejected it.
    #[error("the model's server refused the request (status {status}): {}", advice(*status))]
    Rejected {
        /// 3xx or 4xx.
        status: u16,
    },
    /// The prompt has more tokens than the model can read.
    #[error("the prompt is longer than the model can read at once; choose a model with a longer context")]
    PromptTooLong {
        /// Number of tokens the model can read, if the server reports it.
        context_tokens: Option<u32>,
    },
    /// The server is running, but its model is not ready yet.
    #[error("the model is still loading")]
    Loading,
    /// The reply is incomplete.
    #[error("the model's reply was cut off: {}", if *at_token_limit { "it reached the limit on tokens" } else { "the connection ended before the reply was complete" })]
    CutOff {
        /// Whether the server stopped at the requested token limit. If `false`, the connection broke.
        at_token_limit: bool,
    },
    /// The reply exceeds the maximum length of a valid reply, so reading was stopped.
    #[error("the model's reply is too long; reading stopped after {} KB", limit_bytes / 1024)]
    TooLong {
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// The response is not in the expected server format.
    #[error("{origin} did not answer like a server of this kind; check the address and the kind of server")]
    Envelope {
        /// The server.
        origin: String,
    },
    /// The model refused to answer, or returned an empty reply.
    #[error("the model declined to answer; try another model")]
    Declined,
    /// Blocked by the "this computer only" setting. No connection was opened.
    #[error("{origin} is not this computer, and calls to other computers are turned off in Settings, Models; nothing was sent")]
    NotLocal {
        /// The server that was blocked.
        origin: String,
    },
}

fn advice(status: u16) -> &'static str {
    match status {
        300..=399 => "it redirects to another address, and redirects are never followed; enter that address",
        401 | 403 => "the key is missing, wrong or not allowed to use this model; check it in Settings, Models",
        402 => "the account has no credit left; add credit or choose another server",
        404 => "the model or the address does not exist; choose a model from the server's list",
        _ => "it does not accept this prompt; choose another model or server",
    }
}

impl CallError {
    /// Whether a smaller request may help, because the prompt or the reply has more tokens than the model can handle.
    pub fn is_too_much_at_once(&self) -> bool {
        matches!(self, Self::PromptTooLong { .. } | Self::CutOff { at_token_limit: true })
    }

    /// The delay before a retry that the server requested, if any, in ms.
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Busy { retry_after_ms, .. } => *retry_after_ms,
            _ => None,
        }
    }

    /// Whether another attempt may succeed without any change by a person. This is the only rule for retries.
    ///
    /// A request that the server rejected would be rejected again. Any other call may succeed on the next attempt, even if the
    /// reply was too long, cut off, malformed or declined, because a model does not give the same reply twice.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Rejected { .. }
            | Self::PromptTooLong { .. }
            | Self::Untrusted { .. }
            | Self::NotLocal { .. }
            | Self::Cancelled => false,
            Self::Refused { .. }
            | Self::TimedOut { .. }
            | Self::Busy { .. }
            | Self::Server { .. }
            | Self::Loading
            | Self::CutOff { .. }
            | Self::TooLong { .. }
            | Self::Envelope { .. }
            | Self::Declined => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_person_must_change_or_called_off_is_not_asked_again() {
        let origin = || "http://127.0.0.1:1".to_owned();
        let check = |error: CallError, expect: bool| assert_eq!(error.is_retryable(), expect, "{error}");
        check(CallError::Refused { origin: origin(), reason: "no server is listening there" }, true);
        check(CallError::TimedOut { origin: origin(), timeout_ms: 1 }, true);
        check(CallError::Busy { status: 429, retry_after_ms: None }, true);
        check(CallError::Server { status: 500 }, true);
        check(CallError::Loading, true);
        check(CallError::CutOff { at_token_limit: true }, true);
        check(CallError::CutOff { at_token_limit: false }, true);
        check(CallError::TooLong { limit_bytes: 1 }, true);
        check(CallError::Envelope { origin: origin() }, true);
        check(CallError::Declined, true);
        check(CallError::Rejected { status: 404 }, false);
        check(CallError::PromptTooLong { context_tokens: Some(4_096) }, false);
        check(CallError::Untrusted { origin: origin() }, false);
        check(CallError::NotLocal { origin: origin() }, false);
        check(CallError::Cancelled, false);
    }
}
