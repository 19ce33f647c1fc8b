//! A short notice to an address that a person entered: the same way out as a call to a model, held by the same switch.
//!
//! Deliberately not here: what a notice says, when one is due, and writing it down.

use std::sync::Arc;

use keepsake_domain::Clock;

use super::transport::Transport;
use super::{CallError, ConnectionError, Endpoint, Reach, Watch};

/// Whoever takes a notice answers at once; a server that does not is asked again later.
const NOTICE_TIMEOUT_MS: u64 = 10_000;

/// The way to whoever wants to hear.
pub struct Notifier {
    transport: Transport,
}

impl Notifier {
    /// The way to this address.
    pub fn new(endpoint: Endpoint, reach: Reach, clock: Arc<dyn Clock>) -> Result<Self, ConnectionError> {
        Ok(Self { transport: Transport::new(endpoint, reach, None, clock)? })
    }

    /// Sends one notice as JSON. Blocks; what is answered besides the status is not read.
    pub fn send(&self, json: &str, watch: &dyn Watch) -> Result<(), CallError> {
        let url = self.transport.endpoint().url("");
        self.transport.run(NOTICE_TIMEOUT_MS, watch, async {
            let sent = self.transport.post(url, json.as_bytes().to_vec(), "*/*").await;
            sent.map(drop).map_err(|failure| failure.error)
        })
    }
}
