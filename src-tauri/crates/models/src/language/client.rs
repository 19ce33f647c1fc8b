//! A client for one model on one server. It sends prompts and collects replies.

use std::sync::Mutex;

use keepsake_prompt::reply::REPLY_BYTES_MAX;

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

/// Request parameters that not every server accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer {
    /// How the format of the reply is requested. The reply is validated in any case.
    pub(crate) shape: ReplyShape,
    /// Request token counts at the end of a stream.
    pub(crate) usage: bool,
    /// Send `max_tokens`. Newer OpenAI models require `max_completion_tokens` instead.
    pub(crate) classic_limit: bool,
    /// Send a temperature, which those models do not accept either.
    pub(crate) temperature: bool,
}

/// How the required reply format is requested from the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyShape {
    /// With a JSON schema, in the form that current servers accept.
    Schema,
    /// With the older JSON mode. It includes the schema for servers that read it there.
    Json,
    /// Only in the wording of the prompt.
    Unsaid,
}

impl Offer {
    const ALL: Self = Self { shape: ReplyShape::Schema, usage: true, classic_limit: true, temperature: true };

    /// The parameters to try after the server rejected `parameter`. A rejection without a parameter name is assumed to be about
    /// the reply format. `None` if nothing is left to omit.
    fn without(self, parameter: Option<&str>) -> Option<Self> {
        // For "response_format.json_schema.name", the parameter is the first part.
        match parameter.map(|parameter| parameter.split('.').next().unwrap_or(parameter)) {
            Some("max_tokens") => self.classic_limit.then_some(Self { classic_limit: false, ..self }),
            Some("temperature") => self.temperature.then_some(Self { temperature: false, ..self }),
            Some("stream_options") => self.usage.then_some(Self { usage: false, ..self }),
            None | Some("response_format" | "format") => match self.shape {
                ReplyShape::Schema => Some(Self { shape: ReplyShape::Json, ..self }),
                ReplyShape::Json => Some(Self { shape: ReplyShape::Unsaid, usage: false, ..self }),
                ReplyShape::Unsaid => None,
            },
            Some(_) => None,
        }
    }
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
        // Stored only after success: if the request had been rejected without these parameters too, there would be another
        // reason.
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

    fn finish(&mut self, endpoint: &Endpoint) -> Result<String, CallError> {
        if self.is_other_shape {
            return Err(CallError::Envelope { origin: endpoint.origin() });
        }
        if !self.is_ended {
            return Err(CallError::CutOff { at_token_limit: false });
        }
        if self.text.trim().is_empty() { Err(CallError::Declined) } else { Ok(std::mem::take(&mut self.text)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_parameter_is_left_out_and_an_unnamed_refusal_is_about_the_replys_shape() {
        let all = Offer::ALL;
        let json = Offer { shape: ReplyShape::Json, ..all };
        let unsaid = Offer { shape: ReplyShape::Unsaid, usage: false, ..all };
        assert_eq!(all.without(Some("max_tokens")), Some(Offer { classic_limit: false, ..all }));
        assert_eq!(all.without(Some("temperature")), Some(Offer { temperature: false, ..all }));
        assert_eq!(all.without(Some("stream_options.include_usage")), Some(Offer { usage: false, ..all }));
        assert_eq!(all.without(Some("messages")), None, "not ours to leave out");
        assert_eq!(all.without(None), Some(json));
        assert_eq!(all.without(Some("response_format.json_schema")), Some(json));
        assert_eq!(json.without(None), Some(unsaid));
        assert_eq!(unsaid.without(None), None, "nothing is left");
        let mut steps = 0;
        let mut offer = all;
        while let Some(next) =
            ["max_tokens", "temperature", "stream_options", "format"].iter().find_map(|name| offer.without(Some(name)))
        {
            offer = next;
            steps += 1;
        }
        assert_eq!(steps, 5, "a server that refuses everything is asked a bounded number of times");
    }
}
