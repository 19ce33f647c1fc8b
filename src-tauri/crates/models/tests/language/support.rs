//! Shared test code: a prompt, clients and watches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use keepsake_models::keys::ApiKey;
use keepsake_models::language::{
    CallError, ChatReply, ChatRequest, Client, Connection, Endpoint, LanguageModel, Reach, Shape, Unwatched, Watch,
};
use keepsake_prompt::{Prompt, PromptText};
use keepsake_testkit::FixedClock;
use keepsake_testkit::scripted_server::ScriptedServer;
use serde_json::json;

pub(crate) const SHAPES: [Shape; 2] = [Shape::Ollama, Shape::OpenAi];

/// A valid reply with characters of two to four bytes and all characters that JSON escapes.
pub(crate) const GOOD: &str = r#"{"facts":[{"content":"User bakes \"Brötchen\" \\ 🥨\n每天","confidence":0.9,"kind":"fact"}]}"#;

/// Longer than any test takes, so that only tests of time limits reach it.
pub(crate) const TIMEOUT_MS: u64 = 60_000;

pub(crate) fn prompt() -> Prompt {
    Prompt {
        name: "facts",
        version: 1,
        system: PromptText::fixed("List the facts."),
        user: PromptText::fixed("{\"line\":1,\"role\":\"user\",\"text\":\"I bake\"}"),
        schema: json!({"type": "object", "additionalProperties": false, "required": ["facts"], "properties": {"facts": {
            "type": "array", "items": {"type": "object", "properties": {
                "content": {"type": "string"}, "confidence": {"type": "number"},
                "kind": {"type": "string", "enum": ["fact", "story"]}}}}}}),
        reply_tokens_max: 800,
    }
}

pub(crate) fn connect(address: &str, shape: Shape, reach: Reach, key: Option<&str>) -> Connection {
    let endpoint = Endpoint::parse(address, shape).unwrap();
    let key = key.map(|key| ApiKey::parse(key).unwrap());
    Connection::new(endpoint, reach, key.as_ref(), Arc::new(FixedClock::default())).unwrap()
}

pub(crate) fn client(server: &ScriptedServer, shape: Shape) -> Client {
    Client::new(connect(&server.url(), shape, Reach::ThisComputer, None), "tiny:1b")
}

pub(crate) fn ask(client: &Client) -> Result<ChatReply, CallError> {
    ask_watched(client, &Unwatched)
}

pub(crate) fn ask_watched(client: &Client, watch: &dyn Watch) -> Result<ChatReply, CallError> {
    let prompt = prompt();
    client.chat(&ChatRequest { prompt: &prompt, temperature: 0.1, timeout_ms: TIMEOUT_MS }, watch)
}

/// A watch that can be canceled from outside, or that cancels itself after a number of received characters.
#[derive(Default)]
pub(crate) struct Switch {
    pub(crate) cancelled: AtomicBool,
    pub(crate) cancel_after_chars: Option<u64>,
    pub(crate) chars: AtomicU64,
}

impl Watch for Switch {
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    fn received(&self, chars: u64) {
        assert!(self.chars.swap(chars, Ordering::SeqCst) < chars, "progress only grows");
        if self.cancel_after_chars.is_some_and(|enough| chars >= enough) {
            self.cancelled.store(true, Ordering::SeqCst);
        }
    }
}
