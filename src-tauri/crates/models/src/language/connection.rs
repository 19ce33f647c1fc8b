//! A server, its key, and the hosts that calls may reach. Clients, model lists and detection share it.

use std::sync::Arc;

use keepsake_domain::Clock;
use reqwest::header::HeaderValue;
use secrecy::zeroize::Zeroizing;
use thiserror::Error;

use super::ollama::Pulled;
use super::transport::Transport;
use super::wire::{Flow, Lines};
use super::{CallError, Endpoint, Reach, Shape, Watch, ollama, openai};
use crate::keys::ApiKey;

/// Maximum number of models in a list. The largest broker offers a few hundred.
const MODELS_MAX: usize = 2_000;
/// Maximum length of a model name, in characters.
const MODEL_NAME_CHARS_MAX: usize = 200;

/// A connection to a server.
#[derive(Clone)]
pub struct Connection {
    pub(crate) transport: Transport,
}

/// Why a connection could not be created. No network connection was opened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConnectionError {
    /// The key would be sent over a network without encryption.
    #[error("a key is sent only over https or to this computer, and {origin} is neither; use its https address")]
    KeyInClear {
        /// The server that the key would have been sent to.
        origin: String,
    },
    /// The system's certificates cannot be read.
    #[error("this system's certificates cannot be read, so no https server can be trusted; install the package ca-certificates")]
    Certificates,
}

impl Connection {
    /// Creates a connection to `endpoint`, limited to `reach`. The clock is needed to compute how long to wait for a busy server.
    pub fn new(endpoint: Endpoint, reach: Reach, key: Option<&ApiKey>, clock: Arc<dyn Clock>) -> Result<Self, ConnectionError> {
        if key.is_some() && !endpoint.is_encrypted() && !endpoint.is_this_computer() {
            return Err(ConnectionError::KeyInClear { origin: endpoint.origin() });
        }
        let authorization = key.and_then(|key| {
            let header = Zeroizing::new(format!("Bearer {}", key.expose()));
            // An `ApiKey` contains only printable ASCII, which is always a valid header value.
            let mut header = HeaderValue::from_str(&header).ok()?;
            header.set_sensitive(true);
            Some(header)
        });
        Ok(Self { transport: Transport::new(endpoint, reach, authorization, clock)? })
    }

    /// The server.
    pub fn endpoint(&self) -> &Endpoint {
        self.transport.endpoint()
    }

    /// The models that the server offers, in its own order.
    pub fn models(&self, timeout_ms: u64, watch: &dyn Watch) -> Result<Vec<String>, CallError> {
        self.transport.run(timeout_ms, watch, self.list())
    }

    /// Maximum number of tokens that `model` can read and write in one call, if the server reports it.
    pub fn context_tokens(&self, model: &str, timeout_ms: u64, watch: &dyn Watch) -> Result<Option<u32>, CallError> {
        self.transport.run(timeout_ms, watch, self.context_of(model))
    }

    async fn context_of(&self, model: &str) -> Result<Option<u32>, CallError> {
        let endpoint = self.endpoint();
        if endpoint.shape() == Shape::Ollama {
            let body = serde_json::json!({ "model": model }).to_string().into_bytes();
            let url = endpoint.url("/api/show");
            let mut response = self.transport.post(url, body, "application/json").await.map_err(|failure| failure.error)?;
            return Ok(ollama::context_tokens(&self.transport.body(&mut response).await?));
        }
        if endpoint.is_this_computer() {
            // The length that the server was started with takes precedence over the length that the model could support. Servers
            // other than llama.cpp and LM Studio do not have these paths.
            for path in ["/props", "/api/v0/models"] {
                let Ok(body) = self.transport.get(endpoint.root_url(path)).await else { continue };
                if let Some(tokens) = openai::started_with(&body).or_else(|| openai::context_tokens(&body, model)) {
                    return Ok(Some(tokens));
                }
            }
        }
        Ok(openai::context_tokens(&self.transport.get(endpoint.url("/models")).await?, model))
    }

    /// Makes an Ollama server download `model` and waits until it is done. `progress` receives the bytes downloaded so far and
    /// the total size of the current part. An interrupted download can be resumed, because Ollama keeps the received data.
    pub fn pull(&self, model: &str, timeout_ms: u64, watch: &dyn Watch, progress: &dyn Fn(u64, u64)) -> Result<(), CallError> {
        self.transport.run(timeout_ms, watch, self.pull_with(model, progress))
    }

    async fn pull_with(&self, model: &str, progress: &dyn Fn(u64, u64)) -> Result<(), CallError> {
        let body = serde_json::json!({ "model": model, "stream": true }).to_string().into_bytes();
        let url = self.endpoint().url("/api/pull");
        let sent = self.transport.post(url, body, "application/x-ndjson").await;
        let mut response = sent.map_err(|failure| failure.error)?;
        let (mut lines, mut is_done) = (Lines::default(), false);
        let mut take = |line: &[u8]| match ollama::pulled(line)? {
            Pulled::Part { done, total } => {
                progress(done, total);
                Ok(Flow::More)
            }
            Pulled::Step => Ok(Flow::More),
            Pulled::All => {
                is_done = true;
                Ok(Flow::Done)
            }
        };
        // The size limit applies to each piece and not to the whole download, because a long download is no reason to stop.
        while let Some(piece) = self.transport.next(&mut response, &mut 0).await? {
            if lines.push(&piece, &mut take)? == Flow::Done {
                break;
            }
        }
        lines.finish(&mut take)?;
        if is_done { Ok(()) } else { Err(CallError::CutOff { at_token_limit: false }) }
    }

    pub(crate) async fn list(&self) -> Result<Vec<String>, CallError> {
        let shape = self.endpoint().shape();
        let path = match shape {
            Shape::Ollama => "/api/tags",
            Shape::OpenAi => "/models",
        };
        let body = self.transport.get(self.endpoint().url(path)).await?;
        let names = match shape {
            Shape::Ollama => ollama::models(&body),
            Shape::OpenAi => openai::models(&body),
        };
        let names = names.ok_or_else(|| self.transport.not_its_shape())?;
        Ok(names.into_iter().filter(|name| is_name(name)).take(MODELS_MAX).collect())
    }
}

/// Names are displayed and stored, so they must be short and contain no control characters or invisible characters.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= MODEL_NAME_CHARS_MAX
        && name.chars().all(|c| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ')
}
