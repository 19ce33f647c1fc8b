//! A client for one model on one server. It sends prompts and collects replies. Not here: the two formats (`ollama`, `openai`).

use std::sync::Mutex;

use super::offer::Offer;
use super::reply::Gathered;
use super::transport::Failure;
use super::wire::{Events, Flow, Lines};
use super::{CallError, ChatReply, ChatRequest, Connection, Endpoint, LanguageModel, Shape, Watch, ollama, openai};

/// A model that is called over HTTP.
pub struct Client {
    connection: Connection,
    model: String,
    /// Parameters that the server has rejected stay omitted for the lifetime of the client.
    offer: Mutex<Offer>,
}

impl Client {
    /// Creates a client for `model`, one of the names from [`Connection::models`].
    pub fn new(connection: Connection, model: impl Into<String>) -> Self {
        Self { connection, model: model.into(), offer: Mutex::new(Offer::ALL) }
    }

    async fn ask(&self, request: &ChatRequest<'_>, watch: &dyn Watch) -> Result<ChatReply, CallError> {
        let mut offer = *self.offer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut request_bytes = 0;
        let (path, accept) = match self.endpoint().shape() {
            Shape::Ollama => ("/api/chat", "application/x-ndjson"),
            Shape::OpenAi => ("/chat/completions", "text/event-stream"),
        };
        let transport = &self.connection.transport;
        let mut response = loop {
            let body = match self.endpoint().shape() {
                Shape::Ollama => ollama::body(&self.model, request, offer),
                Shape::OpenAi => openai::body(&self.model, request, offer),
            };
            let body = body.to_string().into_bytes();
            request_bytes += body.len() as u64;
            match transport.post(self.endpoint().url(path), body, accept).await {
                Ok(response) => break response,
                Err(Failure { error, refused: Some(refused) }) => offer = offer.without(refused.as_deref()).ok_or(error)?,
                Err(Failure { error, refused: None }) => return Err(error),
            }
        };
        // Stored only after success: if the request is rejected even without these parameters, the reason is something else.
        *self.offer.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = offer;
        let mut gathered = Gathered::default();
        let mut reply_bytes = 0;
        self.gather(&mut gathered, &mut response, &mut reply_bytes, watch).await?;
        let text = gathered.finish(self.endpoint())?;
        Ok(ChatReply { text, tokens_in: gathered.tokens_in, tokens_out: gathered.tokens_out, request_bytes, reply_bytes })
    }

    async fn gather(
        &self,
        gathered: &mut Gathered,
        response: &mut reqwest::Response,
        reply_bytes: &mut u64,
        watch: &dyn Watch,
    ) -> Result<(), CallError> {
        let transport = &self.connection.transport;
        let shape = self.endpoint().shape();
        if shape == Shape::OpenAi && is_of_type(response, "application/json") {
            let body = transport.body(response).await?;
            *reply_bytes = body.len() as u64;
            return openai::whole(gathered, &body, watch).map(drop);
        }
        let mut lines = Lines::default();
        let mut events = Events::default();
        let mut take = |line: &[u8]| match shape {
            Shape::Ollama => ollama::line(gathered, line, watch),
            Shape::OpenAi => events.line(line, |data| openai::event(gathered, data, watch)),
        };
        while let Some(piece) = transport.next(response, reply_bytes).await? {
            if lines.push(&piece, &mut take)? == Flow::Done {
                return Ok(());
            }
        }
        if lines.finish(&mut take)? == Flow::More && shape == Shape::OpenAi {
            // Some servers omit the blank line after the last event.
            take(b"")?;
        }
        if gathered.events == 0 && is_of_type(response, "text/html") {
            // This is an HTML page from another program, or from a network that requires a sign-in.
            gathered.other_shape()?;
        }
        Ok(())
    }
}

fn is_of_type(response: &reqwest::Response, kind: &str) -> bool {
    let said = response.headers().get(reqwest::header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.trim_start().to_ascii_lowercase().starts_with(kind)
}

impl LanguageModel for Client {
    fn endpoint(&self) -> &Endpoint {
        self.connection.endpoint()
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn chat(&self, request: &ChatRequest<'_>, watch: &dyn Watch) -> Result<ChatReply, CallError> {
        self.connection.transport.run(request.timeout_ms, watch, self.ask(request, watch))
    }
}
