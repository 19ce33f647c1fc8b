//! Forwards another program's request to the server, and streams the server's response back.
//!
//! The server gets this connection's key and none of the program's headers; the network setting applies as it does to every
//! call. Not in this module: the content of the body. The body is neither a [`Prompt`](keepsake_prompt::Prompt) nor scrubbed,
//! because Keepsake did not write it: without Keepsake, the person's program would send the same body to this server.

use bytes::Bytes;

use super::transport::Transport;
use super::{CallError, Connection, Shape};

/// A forwarded response. Dropping it closes the connection to the server.
pub struct Forwarded {
    response: reqwest::Response,
    transport: Transport,
}

impl Connection {
    /// Sends `body` to `path` of the OpenAI-compatible API, or requests `path` if there is no body. Returns the response,
    /// whatever its status, as soon as its headers have arrived.
    pub async fn forward(&self, path: &str, body: Option<Bytes>) -> Result<Forwarded, CallError> {
        let endpoint = self.endpoint();
        let url = match endpoint.shape() {
            Shape::OpenAi => endpoint.url(path),
            // Ollama also serves the OpenAI-compatible API.
            Shape::Ollama => endpoint.url(&format!("/v1{path}")),
        };
        let response = self.transport.pass_on(url, body).await?;
        Ok(Forwarded { response, transport: self.transport.clone() })
    }
}

impl Forwarded {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header, if the server sent it.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.response.headers().get(name).map(reqwest::header::HeaderValue::as_bytes)
    }

    /// The next piece of the body; `None` at its end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, CallError> {
        self.transport.piece(&mut self.response).await
    }
}
