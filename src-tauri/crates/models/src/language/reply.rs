//! Collects a reply while it arrives, in either format. Not in this module: parsing the reply text.

use keepsake_prompt::reply::REPLY_BYTES_MAX;

use super::wire::Flow;
use super::{CallError, Endpoint, Watch};

/// The part of a reply received so far.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    text: String,
    chars: u64,
    /// Number of events in the server's format.
    pub(crate) events: u64,
    /// Whether the server reported that the reply is complete.
    pub(crate) is_ended: bool,
    /// Whether data arrived that is not in the server's format.
    is_other_shape: bool,
    pub(crate) tokens_in: Option<u32>,
    pub(crate) tokens_out: Option<u32>,
}

impl Gathered {
    /// Appends text to the reply.
    pub(crate) fn push(&mut self, piece: &str, watch: &dyn Watch) -> Result<(), CallError> {
        if piece.is_empty() {
            return Ok(());
        }
        if self.text.len() + piece.len() > REPLY_BYTES_MAX {
            return Err(CallError::TooLong { limit_bytes: REPLY_BYTES_MAX });
        }
        self.text.push_str(piece);
        self.chars += piece.chars().count() as u64;
        watch.received(self.chars);
        Ok(())
    }

    /// Records that the data is not in the server's format, and stops reading.
    pub(crate) fn other_shape(&mut self) -> Result<Flow, CallError> {
        self.is_other_shape = true;
        Ok(Flow::Done)
    }

    /// The whole text, once nothing more arrives.
    pub(crate) fn finish(&mut self, endpoint: &Endpoint) -> Result<String, CallError> {
        if self.is_other_shape {
            return Err(CallError::Envelope { origin: endpoint.origin() });
        }
        if !self.is_ended {
            return Err(CallError::CutOff { at_token_limit: false });
        }
        if self.text.trim().is_empty() { Err(CallError::Declined) } else { Ok(std::mem::take(&mut self.text)) }
    }
}
