//! A server, its key, and how far calls may go: shared by clients, model lists and detection.

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

/// Maximum number of models in a list; the largest broker offers a few hundred.
const MODELS_MAX: usize = 2_000;
/// Maximum length of a model's name, in characters.
const MODEL_NAME_CHARS_MAX: usize = 200;

/// A connection to a server.
#[derive(Clone)]
pub struct Connection {
    pub(crate) transport: Transport,
}

/// Why a connection cannot be set up. Nothing was opened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConnectionError {
    /// The key would be sent unencrypted over a network.
    #[error("a key is sent only over https or to this computer, and {origin} is neither; use its https address")]
    KeyInClear {
        /// The server it would have gone to.
        origin: String,
    },
    /// The system's certificates cannot be read.
    #[error("this system's certificates cannot be read, so no https server can be trusted; install the package ca-certificates")]
    Certificates,
}

impl Connection {
    /// A connection to `endpoint` that is limited to `reach`. The clock is used to interpret when a busy server may be asked
    /// again.
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

    /// The models that the server offers, in the server's order.
    pub fn models(&self, timeout_ms: u64, watch: &dyn Watch) -> Result<Vec<String>, CallError> {
        self.transport.run(timeout_ms, watch, self.list())
    }

    /// How many tokens `model` can read and write in one call, if the server says so.
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
            // The length the server was started with takes precedence over what the model could support. Servers other than
            // llama.cpp and LM Studio do not have these paths.
            for path in ["/props", "/api/v0/models"] {
                let Ok(body) = self.transport.get(endpoint.root_url(path)).await else { continue };
                if let Some(tokens) = openai::started_with(&body).or_else(|| openai::context_tokens(&body, model)) {
                    return Ok(Some(tokens));
                }
            }
        }
        Ok(openai::context_tokens(&self.transport.get(endpoint.url("/models")).await?, model))
    }

    /// Makes an Ollama server download `model` and waits for it. `progress` receives the bytes downloaded so far and the total
    /// size of the part in progress. An interrupted download resumes, because Ollama keeps what it has received.
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

/// Names are displayed and stored, so they must be short and contain no control or invisible characters.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= MODEL_NAME_CHARS_MAX
        && name.chars().all(|c| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ')
}
