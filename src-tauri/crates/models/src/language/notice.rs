//! Sends a short notice to a URL that the person entered, over the same transport and under the same network setting as model
//! calls.
//!
//! Not in this module: the content of a notice, when it is sent, and logging.

use std::sync::Arc;

use keepsake_domain::Clock;

use super::transport::Transport;
use super::{CallError, ConnectionError, Endpoint, Reach, Watch};

/// Time limit for a notice. The receiver should respond immediately; otherwise the notice is sent again later.
const NOTICE_TIMEOUT_MS: u64 = 10_000;

/// A connection to a receiver of notices.
pub struct Notifier {
    transport: Transport,
}

impl Notifier {
    /// Creates a connection to this endpoint.
    pub fn new(endpoint: Endpoint, reach: Reach, clock: Arc<dyn Clock>) -> Result<Self, ConnectionError> {
        Ok(Self { transport: Transport::new(endpoint, reach, None, clock)? })
    }

    /// Sends a notice as JSON. Blocks. Only the status of the response is read.
    pub fn send(&self, json: &str, watch: &dyn Watch) -> Result<(), CallError> {
        let url = self.transport.endpoint().url("");
        self.transport.run(NOTICE_TIMEOUT_MS, watch, async {
            let sent = self.transport.post(url, json.as_bytes().to_vec(), "*/*").await;
            sent.map(drop).map_err(|failure| failure.error)
        })
    }
}
