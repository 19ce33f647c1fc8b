//! The OpenAI-compatible format: `/v1/chat/completions` with server-sent events.

use serde::Deserialize;
use serde_json::{Value, json};

use super::offer::{Offer, ReplyShape};
use super::reply::Gathered;
use super::transport::ServerError;
use super::wire::Flow;
use super::{CallError, ChatRequest, Watch};

pub(crate) fn body(model: &str, request: &ChatRequest<'_>, offer: Offer) -> Value {
    let prompt = request.prompt;
    let limit = if offer.classic_limit { "max_tokens" } else { "max_completion_tokens" };
    let mut body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system.as_str()},
            {"role": "user", "content": prompt.user.as_str()},
        ],
        "stream": true,
    });
    body[limit] = prompt.reply_tokens_max.into();
    if offer.temperature {
        body["temperature"] = json!(request.temperature);
    }
    if offer.usage {
        body["stream_options"] = json!({"include_usage": true});
    }
    match offer.shape {
        ReplyShape::Schema => {
            let schema = json!({"name": prompt.name, "strict": true, "schema": prompt.schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        // The schema is placed where llama-cpp-python and others read it.
        ReplyShape::Json => body["response_format"] = json!({"type": "json_object", "schema": prompt.schema}),
        ReplyShape::Unsaid => {}
    }
    body
}

#[derive(Deserialize)]
struct Chunk {
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(alias = "message")]
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u32>,
    completion_tokens: Option<u32>,
}

/// Parses one event of the stream.
pub(crate) fn event(gathered: &mut Gathered, data: &[u8], watch: &dyn Watch) -> Result<Flow, CallError> {
    if data.trim_ascii() == b"[DONE]" {
        gathered.events += 1;
        gathered.is_ended = true;
        return Ok(Flow::Done);
    }
    chunk(gathered, data, watch)?;
    // The stream announced its end, but the token counts come after it.
    Ok(Flow::More)
}

/// Parses the whole reply of a server that does not stream.
pub(crate) fn whole(gathered: &mut Gathered, body: &[u8], watch: &dyn Watch) -> Result<Flow, CallError> {
    chunk(gathered, body, watch)?;
    if gathered.is_ended { Ok(Flow::Done) } else { gathered.other_shape() }
}

fn chunk(gathered: &mut Gathered, data: &[u8], watch: &dyn Watch) -> Result<(), CallError> {
    if let Some(error) = ServerError::read(data) {
        return Err(error.in_stream());
    }
    let Ok(chunk) = serde_json::from_slice::<Chunk>(data) else { return gathered.other_shape().map(drop) };
    gathered.events += 1;
    if let Some(usage) = chunk.usage {
        gathered.tokens_in = usage.prompt_tokens;
        gathered.tokens_out = usage.completion_tokens;
    }
    // Only one choice was requested. A second one would be a different reply.
    let Some(choice) = chunk.choices.into_iter().next() else { return Ok(()) };
    if let Some(delta) = choice.delta {
        if delta.refusal.is_some_and(|refusal| !refusal.is_empty()) {
            return Err(CallError::Declined);
        }
        gathered.push(&delta.content.unwrap_or_default(), watch)?;
    }
    match choice.finish_reason.as_deref() {
        None | Some("") => Ok(()),
        Some("length") => Err(CallError::CutOff { at_token_limit: true }),
        Some("content_filter") => Err(CallError::Declined),
        Some(_) => {
            gathered.is_ended = true;
            Ok(())
        }
    }
}

/// The model names in the response of `/v1/models`.
pub(crate) fn models(body: &[u8]) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Model>,
    }
    #[derive(Deserialize)]
    struct Model {
        id: String,
    }
    let list: List = serde_json::from_slice(body).ok()?;
    Some(list.data.into_iter().map(|model| model.id).collect())
}

/// A model's context length, as reported by vLLM and brokers in `/v1/models`.
pub(crate) fn context_tokens(body: &[u8], model: &str) -> Option<u32> {
    let list: Value = serde_json::from_slice(body).ok()?;
    let entry = list["data"].as_array()?.iter().find(|entry| entry["id"] == model)?;
    let known = ["max_model_len", "loaded_context_length", "context_length", "max_context_length"];
    known.iter().find_map(|name| u32::try_from(entry[*name].as_u64()?).ok())
}

/// The context length that llama.cpp was started with, as reported by its `/props`.
pub(crate) fn started_with(body: &[u8]) -> Option<u32> {
    let props: Value = serde_json::from_slice(body).ok()?;
    u32::try_from(props["default_generation_settings"]["n_ctx"].as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_is_read_as_each_server_tells_it() {
        let check = |body: &str, expect: Option<u32>| assert_eq!(context_tokens(body.as_bytes(), "m"), expect, "{body}");
        check(r#"{"data":[{"id":"m","object":"model","max_model_len":4096}]}"#, Some(4_096));
        check(r#"{"data":[{"id":"m","max_context_length":131072,"loaded_context_length":8192}]}"#, Some(8_192));
        check(r#"{"data":[{"id":"other","max_model_len":4096}]}"#, None);
        check(r#"{"data":[{"id":"m"}]}"#, None);
        check("{}", None);
        assert_eq!(started_with(br#"{"default_generation_settings":{"n_ctx":2048}}"#), Some(2_048));
        assert_eq!(started_with(b"{}"), None);
    }
}
