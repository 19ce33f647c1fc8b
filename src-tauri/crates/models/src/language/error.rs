//! Why a call gave no reply, without a word of what was sent or came back.

use thiserror::Error;

/// Why a call gave no reply. Carries no text of prompt or reply and no key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    /// No connection.
    #[error("cannot connect to {origin}: {reason}; see that the server runs and that its address is right")]
    Refused {
        /// Where.
        origin: String,
        /// What kind of fault.
        reason: &'static str,
    },
    /// Nobody vouches for the server, so that it may be another than it says.
    #[error(
        "{origin} shows a certificate that this computer does not trust; nothing was sent. Check the address, or have that server's \
         certificate trusted in this computer's own settings"
    )]
    Untrusted {
        /// Where.
        origin: String,
    },
    /// The whole time passed.
    #[error("{origin} gave no whole reply within {timeout_ms} ms; if this goes on, choose a smaller model")]
    TimedOut {
        /// Where.
        origin: String,
        /// How long it had.
        timeout_ms: u64,
    },
    /// The caller ended it.
    #[error("the call to the model was cancelled")]
    Cancelled,
    /// 429, or 503 without another reason.
    #[error("the model's server is busy (status {status})")]
    Busy {
        /// 429 or 503.
        status: u16,
        /// How long the server wants to be left alone, where it says so.
        retry_after_ms: Option<u64>,
    },
    /// A fault of the server's own.
    #[error("the model's server reports a fault of its own (status {status})")]
    Server {
        /// 5xx, or 408 and 425, which mean the same to us.
        status: u16,
    },
    /// The server understood and will not answer this.
    #[error("the model's server refused the request (status {status}): {}", advice(*status))]
    Rejected {
        /// 3xx or 4xx.
        status: u16,
    },
    /// The prompt has more tokens than the model reads at once.
    #[error("the prompt is longer than the model can read at once")]
    PromptTooLong {
        /// How many tokens it reads, where the server says so.
        context_tokens: Option<u32>,
    },
    /// The server runs and its model is not ready.
    #[error("the model is being loaded")]
    Loading,
    /// The reply has no end.
    #[error("the model's reply was cut off: {}", if *at_token_limit { "it reached the most tokens it may have" } else { "the connection ended before the reply did" })]
    CutOff {
        /// By the server, at the most tokens that were asked for; otherwise by a broken connection.
        at_token_limit: bool,
    },
    /// More than any reply of ours has; reading stopped there.
    #[error("the model's reply is too long; reading stopped after {} KB", limit_bytes / 1024)]
    TooLong {
        /// Where reading stopped.
        limit_bytes: usize,
    },
    /// The answer has not the shape that such a server gives.
    #[error("{origin} answers in another way than such a server does; check the address and the kind of server")]
    Envelope {
        /// Where.
        origin: String,
    },
    /// A refusal, or nothing at all.
    #[error("the model declined to answer")]
    Declined,
    /// Blocked by the switch; nothing was opened.
    #[error("{origin} is not this computer, and calls to other computers are switched off in Settings, Models; nothing was sent")]
    NotLocal {
        /// Where it would have gone.
        origin: String,
    },
}

fn advice(status: u16) -> &'static str {
    match status {
        300..=399 => "it points to another address, which is never followed; enter that address",
        401 | 403 => "the key is missing, wrong or not allowed to use this model; check it in Settings, Models",
        402 => "the account there has no credit left",
        404 => "there is no such model or no such address; choose a model from its list",
        _ => "it does not take this prompt; choose another model or server",
    }
}

impl CallError {
    /// Whether less in one call may help: the prompt or its reply has more tokens than the model takes.
    pub fn is_too_much_at_once(&self) -> bool {
        matches!(self, Self::PromptTooLong { .. } | Self::CutOff { at_token_limit: true })
    }

    /// How long the server wants to be left alone, where it says so.
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Busy { retry_after_ms, .. } => *retry_after_ms,
            _ => None,
        }
    }

    /// Whether another attempt may go otherwise with nobody changing anything: the one rule for whoever asks again.
    ///
    /// What a server refuses outright it refuses again. Everything else may go differently the next time, a reply that is too long,
    /// cut off, malformed or declined included, since a model does not say the same thing twice.
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
        check(CallError::Refused { origin: origin(), reason: "nothing listens there" }, true);
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
