//! Goal 22 of the references: even with full logging in every library, no word of a prompt, a reply or a key is logged.
//!
//! A separate test program, because a process can have only one subscriber.

#![allow(clippy::unwrap_used)]

use std::io;
use std::sync::{Arc, Mutex};

use keepsake_models::keys::ApiKey;
use keepsake_models::language::{
    CallError, Candidate, ChatRequest, Client, Connection, Endpoint, LanguageModel, Reach, ServerKind, Shape, Unwatched, detect,
};
use keepsake_prompt::{Prompt, PromptText};
use keepsake_testkit::FixedClock;
use keepsake_testkit::scripted_server::{Behaviour, Fault, ScriptedServer};
use tracing_subscriber::fmt::MakeWriter;

const SYSTEM: &str = "planted-in-system";
const USER: &str = "planted-in-user";
const REPLY: &str = "{\"facts\":[\"planted-in-reply\"]}";
const KEY: &str = "sk-planted-in-key";
const PLANTED: [&str; 4] = ["planted-in-system", "planted-in-user", "planted-in-reply", "planted-in-key"];

#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    fn planted(&self) -> Vec<&'static str> {
        let text = self.text();
        PLANTED.into_iter().filter(|planted| text.contains(planted)).collect()
    }
}

impl io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Captured {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[test]
fn nothing_of_a_call_is_logged_at_any_level_by_anyone() {
    let captured = Captured::default();
    // The subscriber also receives the records of the `log` crate, which most libraries use.
    tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false).with_writer(captured.clone()).init();

    let prompt = Prompt {
        name: "facts",
        version: 1,
        system: PromptText::fixed(SYSTEM),
        user: PromptText::fixed(USER),
        schema: serde_json::json!({"type": "object"}),
        reply_tokens_max: 100,
    };
    let key = ApiKey::parse(KEY).unwrap();
    for shape in [Shape::Ollama, Shape::OpenAi] {
        for fault in [None].into_iter().chain(Fault::ALL.map(Some)) {
            let server = ScriptedServer::saying(REPLY);
            server.behave(|server| {
                server.key = Some(KEY.to_owned());
                in_one_piece(server);
            });
            if let Some(fault) = fault {
                server.inject_from(0, fault);
            }
            let endpoint = Endpoint::parse(&server.url(), shape).unwrap();
            let connection = Connection::new(endpoint, Reach::ThisComputer, Some(&key), Arc::new(FixedClock::default())).unwrap();
            let listed = connection.models(10_000, &Unwatched);
            assert!(listed.is_ok() || fault == Some(Fault::Refused), "{listed:?}");
            let timeout_ms = if fault == Some(Fault::Timeout) { 300 } else { 60_000 };
            let found = Client::new(connection, "tiny:1b")
                .chat(&ChatRequest { prompt: &prompt, temperature: 0.1, timeout_ms }, &Unwatched);
            if fault.is_none() {
                assert_eq!(found.as_ref().map(|reply| reply.text.as_str()), Ok(REPLY));
                // A wrong key, which the server rejects and may quote.
                server.behave(|server| server.key = Some("another".to_owned()));
                let endpoint = Endpoint::parse(&server.url(), shape).unwrap();
                let refused = Connection::new(endpoint, Reach::ThisComputer, Some(&key), Arc::new(FixedClock::default()));
                assert_eq!(refused.unwrap().models(10_000, &Unwatched), Err(CallError::Rejected { status: 401 }));
                detect(&[Candidate { kind: ServerKind::Jan, port: server.port() }], 10_000, &clock());
            }
        }
    }
    let text = captured.text();
    assert!(text.contains("reqwest::"), "control: what the HTTP library says is captured\n{text}");
    assert!(text.contains("TRACE") || text.contains("DEBUG"), "control: down to the lowest levels");
    assert_eq!(captured.planted(), Vec::<&str>::new());

    // Control: text logged at the lowest level is found. The same library's verbose log would contain all of it, but is
    // compiled out of the whole program, because the mail connectors build the `log` crate without its lowest level.
    tracing::trace!("{SYSTEM} {USER} {REPLY} {KEY}");
    assert_eq!(captured.planted(), PLANTED);
}

/// Sends the reply in one piece, because the text to search for must not be split.
fn in_one_piece(server: &mut Behaviour) {
    (server.piece_chars, server.wire_bytes) = (1_000, 100_000);
}

fn clock() -> Arc<dyn keepsake_domain::Clock> {
    Arc::new(FixedClock::default())
}
