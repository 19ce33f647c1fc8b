//! Replies in the format of both APIs, as a real server writes them.

use serde_json::{Value, json};

use super::{Behaviour, REFUSAL, Received};

/// A response of one or more events, each as bytes.
pub(super) struct Stream {
    pub(super) content_type: &'static str,
    pub(super) events: Vec<Vec<u8>>,
}

/// The API that a request path belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Ollama,
    OpenAi,
}

/// The complete reply. If `text` is `None`, the reply is a refusal in the format of the API.
pub(super) fn reply(dialect: Dialect, request: &Received, behaviour: &Behaviour, text: Option<&str>) -> Stream {
    let is_streamed = behaviour.streams && request.json()["stream"] == true;
    let pieces = text.map(|text| pieces(text, behaviour.piece_chars));
    let tokens = |text: usize| text / 4 + 1;
    let tokens_in = tokens(request.body.len());
    let tokens_out = tokens(text.map_or(0, str::len));
    let model = request.json()["model"].clone();
    let events: Vec<Value> = match dialect {
        Dialect::Ollama => {
            let pieces = pieces.unwrap_or_else(|| vec![REFUSAL.to_owned()]);
            let message = |content: &str| json!({"role": "assistant", "content": content});
            let mut end = json!({"model": model, "message": message(""), "done": true, "done_reason": "stop"});
            if behaviour.sends_usage {
                end["prompt_eval_count"] = tokens_in.into();
                end["eval_count"] = tokens_out.into();
            }
            if !is_streamed {
                end["message"] = message(&pieces.concat());
                vec![end]
            } else {
                let part = |piece: &String| json!({"model": model, "message": message(piece), "done": false});
                pieces.iter().map(part).chain([end]).collect()
            }
        }
        Dialect::OpenAi => {
            let usage =
                json!({"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out});
            let wants_usage = behaviour.sends_usage && request.json()["stream_options"]["include_usage"] == true;
            let chunk = |delta: Value, end: Value| {
                json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model,
                    "choices": [{"index": 0, "delta": delta, "finish_reason": end}], "usage": null})
            };
            if !is_streamed {
                let mut message = json!({"role": "assistant", "content": pieces.as_ref().map(|pieces| pieces.concat())});
                if pieces.is_none() {
                    message["refusal"] = REFUSAL.into();
                }
                vec![json!({"object": "chat.completion", "model": model, "usage": usage,
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})]
            } else {
                let mut events = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
                match &pieces {
                    Some(pieces) => events.extend(pieces.iter().map(|piece| chunk(json!({"content": piece}), Value::Null))),
                    None => events.push(chunk(json!({"refusal": REFUSAL}), Value::Null)),
                }
                events.push(chunk(json!({}), json!("stop")));
                if wants_usage {
                    events.push(json!({"object": "chat.completion.chunk", "choices": [], "usage": usage}));
                }
                events
            }
        }
    };
    match (dialect, is_streamed) {
        (Dialect::Ollama, _) => Stream {
            content_type: "application/x-ndjson",
            events: events.iter().map(|e| format!("{e}\n").into_bytes()).collect(),
        },
        (Dialect::OpenAi, true) => {
            let mut bytes: Vec<Vec<u8>> = events.iter().map(|event| format!("data: {event}\n\n").into_bytes()).collect();
            bytes.push(b"data: [DONE]\n\n".to_vec());
            Stream { content_type: "text/event-stream", events: bytes }
        }
        (Dialect::OpenAi, false) => {
            Stream { content_type: "application/json", events: events.iter().map(|e| e.to_string().into_bytes()).collect() }
        }
    }
}

fn pieces(text: &str, piece_chars: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(piece_chars.max(1)).map(|piece| piece.iter().collect()).collect()
}
