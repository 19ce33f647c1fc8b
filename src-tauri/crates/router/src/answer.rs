//! Extracts the model's answer from a response that passes through the router, streamed or whole, for both APIs. Pure.
//!
//! Reading never changes the response. If a response cannot be read, or is longer than any answer, reading stops and nothing is
//! logged.

use keepsake_models::language::{Events, Flow, Lines};
use serde_json::Value;

use crate::request::{Api, text_of};

/// Maximum size of a response that is not streamed, in bytes. The longest answers of models are far smaller; images in a
/// response are not text and are not logged.
const WHOLE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Maximum size of an answer's text in bytes, half of what one call to the log accepts.
const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// The model's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The text of the answer; empty if the model only calls tools.
    pub(crate) text: String,
    /// The server's id for the response.
    pub(crate) id: Option<String>,
    /// Tokens that the model read, if the server counts them.
    pub(crate) tokens_in: Option<u64>,
    /// Tokens that the model wrote, if the server counts them.
    pub(crate) tokens_out: Option<u64>,
}

/// The progress of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// More is expected.
    Running,
    /// The model has finished its answer. Data about the answer may follow.
    Ended,
    /// Nothing follows.
    Over,
    /// The response cannot be read, or the server reported an error.
    GivenUp,
}

enum Form {
    Streamed { lines: Lines, events: Events },
    Whole(Vec<u8>),
}

/// Reads a response piece by piece.
pub(crate) struct Reading {
    form: Form,
    so_far: SoFar,
}

struct SoFar {
    api: Api,
    answer: Answer,
    progress: Progress,
}

impl Reading {
    /// Reads a response of this content type.
    pub(crate) fn new(api: Api, content_type: &str) -> Self {
        let form = if content_type.trim_start().to_ascii_lowercase().starts_with("text/event-stream") {
            Form::Streamed { lines: Lines::default(), events: Events::default() }
        } else {
            Form::Whole(Vec::new())
        };
        Self { form, so_far: SoFar { api, answer: Answer::default(), progress: Progress::Running } }
    }

    /// Reads the next piece.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        let so_far = &mut self.so_far;
        if matches!(so_far.progress, Progress::Over | Progress::GivenUp) {
            return;
        }
        let is_within = match &mut self.form {
            Form::Whole(bytes) => {
                bytes.extend_from_slice(piece);
                bytes.len() <= WHOLE_BYTES_MAX
            }
            Form::Streamed { lines, events } => {
                lines.push(piece, |line| events.line(line, |data| Ok(so_far.event(data)))).is_ok()
            }
        };
        if !is_within {
            so_far.progress = Progress::GivenUp;
        }
    }

    /// Whether there is nothing more to read.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.so_far.progress, Progress::Over | Progress::GivenUp)
    }

    /// The answer, unless it broke off or could not be read.
    pub(crate) fn finish(self) -> Option<Answer> {
        let mut so_far = self.so_far;
        match self.form {
            Form::Whole(bytes) if so_far.progress == Progress::Running => so_far.whole(&serde_json::from_slice(&bytes).ok()?),
            Form::Whole(_) => {}
            Form::Streamed { lines, mut events } => {
                // Some servers omit the blank line after the last event.
                let mut take = |line: &[u8]| events.line(line, |data| Ok(so_far.event(data)));
                let _ = lines.finish(&mut take).and_then(|_| take(b""));
            }
        }
        matches!(so_far.progress, Progress::Ended | Progress::Over).then_some(so_far.answer)
    }
}

impl SoFar {
    fn event(&mut self, data: &[u8]) -> Flow {
        if data.trim_ascii() == b"[DONE]" {
            self.progress = Progress::Over;
        } else if let Ok(event) = serde_json::from_slice::<Value>(data) {
            match self.api {
                Api::Chat => self.chunk(&event),
                Api::Responses => self.response_event(&event),
            }
        } else {
            self.progress = Progress::GivenUp;
        }
        if matches!(self.progress, Progress::Over | Progress::GivenUp) { Flow::Done } else { Flow::More }
    }

    fn add(&mut self, text: &str) {
        self.answer.text.push_str(text);
        if self.answer.text.len() > TEXT_BYTES_MAX {
            self.progress = Progress::GivenUp;
        }
    }

    fn count(&mut self, usage: &Value, [tokens_in, tokens_out]: [&str; 2]) {
        self.answer.tokens_in = usage[tokens_in].as_u64().or(self.answer.tokens_in);
        self.answer.tokens_out = usage[tokens_out].as_u64().or(self.answer.tokens_out);
    }

    /// Reads an event of a chat stream.
    fn chunk(&mut self, event: &Value) {
        if !event["error"].is_null() {
            self.progress = Progress::GivenUp;
            return;
        }
        self.count(&event["usage"], ["prompt_tokens", "completion_tokens"]);
        self.answer.id = event["id"].as_str().map(str::to_owned).or(self.answer.id.take());
        // If there are several choices, the program continues only with the first.
        let choice = event["choices"].as_array().into_iter().flatten().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
        let Some(choice) = choice else { return };
        if choice["finish_reason"].as_str().is_some_and(|reason| !reason.is_empty()) {
            self.progress = Progress::Ended;
        }
        self.add(choice["delta"]["content"].as_str().unwrap_or_default());
    }

    /// An event in a response stream.
    fn response_event(&mut self, event: &Value) {
        match event["type"].as_str().unwrap_or_default() {
            "response.output_text.delta" => self.add(event["delta"].as_str().unwrap_or_default()),
            "response.completed" | "response.incomplete" => {
                self.response(&event["response"]);
                if self.progress == Progress::Ended {
                    self.progress = Progress::Over;
                }
            }
            "response.failed" | "error" => self.progress = Progress::GivenUp,
            _ => {}
        }
    }

    /// Reads a whole response of either API.
    fn whole(&mut self, body: &Value) {
        match self.api {
            Api::Chat => {
                let Some(choice) = body["choices"].as_array().and_then(|choices| choices.first()) else { return };
                self.answer.id = body["id"].as_str().map(str::to_owned);
                self.count(&body["usage"], ["prompt_tokens", "completion_tokens"]);
                self.progress = Progress::Ended;
                self.add(&text_of(&choice["message"]["content"]));
            }
            Api::Responses if body["output"].is_array() => self.response(body),
            Api::Responses => {}
        }
    }

    fn response(&mut self, response: &Value) {
        self.progress = Progress::Ended;
        self.answer.id = response["id"].as_str().map(str::to_owned);
        self.count(&response["usage"], ["input_tokens", "output_tokens"]);
        let items = response["output"].as_array().into_iter().flatten();
        let texts: Vec<String> = items
            .filter(|item| item["type"] == "message")
            .map(|item| text_of(&item["content"]))
            .filter(|t| !t.is_empty())
            .collect();
        // Some servers omit the output from the last event; the streamed text is then used.
        if !texts.is_empty() {
            self.answer.text.clear();
            self.add(&texts.join("\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const EVENTS: &str = "text/event-stream; charset=utf-8";
    const JSON: &str = "application/json";

    fn events(events: &[Value]) -> String {
        events.iter().map(|event| format!("event: x\r\ndata: {event}\r\n\r\n")).collect()
    }

    fn chunk(content: Value, end: Value) -> Value {
        json!({ "id": "c1", "choices": [{ "index": 0, "delta": { "content": content }, "finish_reason": end }] })
    }

    fn chat_stream() -> String {
        let other = json!({ "choices": [{ "index": 1, "delta": { "content": "no" }, "finish_reason": "stop" }] });
        let calls = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "function": { "arguments": "no" } }] } }] });
        let usage = json!({ "choices": [], "usage": { "prompt_tokens": 9, "completion_tokens": 4 } });
        let parts = [chunk(json!(""), Value::Null), chunk(json!("Gr\u{fc}\u{df}"), Value::Null), other, calls];
        let end = [chunk(json!("e \u{1f968}"), Value::Null), chunk(Value::Null, json!("stop")), usage];
        format!(": hello\n\n{}{}data: [DONE]\n\n", events(&parts), events(&end))
    }

    fn response_stream() -> String {
        let delta = |text: &str| json!({ "type": "response.output_text.delta", "delta": text });
        let completed = json!({ "type": "response.completed", "response": {
            "id": "r1", "usage": { "input_tokens": 9, "output_tokens": 4 }, "output": [
                { "type": "reasoning", "content": [{ "type": "reasoning_text", "text": "no" }] },
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Gr\u{fc}\u{df}e \u{1f968}" }] },
            ] } });
        events(&[
            json!({ "type": "response.created", "response": { "id": "r1" } }),
            delta("Gr\u{fc}\u{df}"),
            delta("e \u{1f968}"),
            completed,
        ])
    }

    fn read<'b>(api: Api, content_type: &str, pieces: impl IntoIterator<Item = &'b [u8]>) -> Option<Answer> {
        let mut reading = Reading::new(api, content_type);
        pieces.into_iter().for_each(|piece| reading.push(piece));
        reading.finish()
    }

    fn greeting(id: &str) -> Option<Answer> {
        let text = "Gr\u{fc}\u{df}e \u{1f968}".to_owned();
        Some(Answer { text, id: Some(id.to_owned()), tokens_in: Some(9), tokens_out: Some(4) })
    }

    #[test]
    fn an_answer_is_the_same_wherever_its_stream_is_split() {
        for (api, stream, id) in [(Api::Chat, chat_stream(), "c1"), (Api::Responses, response_stream(), "r1")] {
            let bytes = stream.as_bytes();
            for at in 0..=bytes.len() {
                assert_eq!(read(api, EVENTS, [&bytes[..at], &bytes[at..]]), greeting(id), "{api:?} split at {at}");
            }
            assert_eq!(read(api, EVENTS, bytes.chunks(1)), greeting(id));
        }
    }

    #[test]
    fn an_answer_that_broke_off_or_failed_is_none() {
        let check = |api, content_type: &str, body: &str, expect: Option<&str>| {
            let found = read(api, content_type, [body.as_bytes()]).map(|answer| answer.text);
            assert_eq!(found.as_deref(), expect, "{api:?} {body}");
        };
        let started = events(&[chunk(json!("He"), Value::Null)]);
        check(Api::Chat, EVENTS, &started, None);
        check(Api::Chat, EVENTS, &format!("{started}data: [DONE]\n\n"), Some("He"));
        check(Api::Chat, EVENTS, &format!("{started}{}", events(&[json!({ "error": { "message": "x" } })])), None);
        check(Api::Chat, EVENTS, &format!("{started}data: not json\n\n"), None);
        let ended = events(&[chunk(json!("llo"), json!("length"))]);
        check(Api::Chat, EVENTS, &format!("{started}{ended}"), Some("Hello"));
        check(Api::Chat, EVENTS, format!("{started}{ended}").trim_end(), Some("Hello"));
        check(Api::Chat, JSON, r#"{"choices":[{"message":{"content":"Hello"}}]}"#, Some("Hello"));
        check(Api::Chat, JSON, r#"{"choices":[{"message":{"content":null,"tool_calls":[]}}]}"#, Some(""));
        check(Api::Chat, JSON, r#"{"choices":[{"message":{"content":"Hel"#, None);
        check(Api::Chat, JSON, r#"{"object":"x"}"#, None);
        check(Api::Responses, JSON, r#"{"id":"r","output":[{"type":"function_call","name":"x"}]}"#, Some(""));
        let delta = json!({ "type": "response.output_text.delta", "delta": "Hello" });
        check(Api::Responses, EVENTS, &events(std::slice::from_ref(&delta)), None);
        check(Api::Responses, EVENTS, &events(&[delta.clone(), json!({ "type": "response.failed" })]), None);
        let bare = json!({ "type": "response.completed", "response": { "id": "r" } });
        check(Api::Responses, EVENTS, &events(&[delta, bare]), Some("Hello"));
    }

    #[test]
    fn an_answer_without_end_is_given_up_at_the_limit() {
        let mut reading = Reading::new(Api::Chat, EVENTS);
        let piece = events(&[chunk(json!("x".repeat(64 * 1024)), Value::Null)]);
        let pieces = (0..).take_while(|_| {
            reading.push(piece.as_bytes());
            !reading.is_over()
        });
        assert!(pieces.count() <= TEXT_BYTES_MAX / (64 * 1024));
        assert_eq!(reading.finish(), None);
        let mut whole = Reading::new(Api::Chat, JSON);
        whole.push(&vec![b' '; WHOLE_BYTES_MAX + 1]);
        assert!(whole.is_over());
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_pieces_are_read_without_a_fault(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..200) {
            for (api, content_type) in [(Api::Chat, EVENTS), (Api::Responses, JSON)] {
                let at = at.min(bytes.len());
                prop_assert_eq!(read(api, content_type, [&bytes[..at], &bytes[at..]]), read(api, content_type, [&bytes[..]]));
            }
        }
    }
}
