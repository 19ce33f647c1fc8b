//! Tests the clients against a real server (llama.cpp or llama-cpp-python) running a tiny model with random weights.
//!
//! These tests cover only the protocol: the model list, streaming, a reply constrained by a schema, cancellation and errors.
//! The content of the replies is meaningless. Not part of `make test`; `make real-model` starts the server and sets
//! `KEEPSAKE_REAL_*` to its address.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use keepsake_models::keys::ApiKey;
use keepsake_models::language::{
    CallError, Candidate, ChatReply, ChatRequest, Client, Connection, Endpoint, FoundState, LanguageModel, Reach, ServerKind,
    Shape, Unwatched, Watch, detect,
};
use keepsake_prompt::{Prompt, PromptText, reply};
use keepsake_testkit::FixedClock;
use schemars::JsonSchema;
use serde::Deserialize;

const TIMEOUT_MS: u64 = 120_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only whether it can be read matters")]
struct Verdict {
    keep: bool,
    grounded: bool,
    kind: Kind,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Fact,
    Story,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Told {
    #[expect(dead_code, reason = "only whether it can be read matters")]
    text: String,
}

fn prompt<T: JsonSchema>(reply_tokens_max: u16) -> Prompt {
    Prompt {
        name: "real",
        version: 1,
        system: PromptText::fixed("Judge the line. Answer in JSON."),
        user: PromptText::fixed("{\"line\":1,\"role\":\"user\",\"text\":\"Ich backe Brötchen 🥨\"}"),
        schema: reply::schema::<T>(),
        reply_tokens_max,
    }
}

fn setting(name: &str) -> String {
    std::env::var(format!("KEEPSAKE_REAL_{name}")).expect("run `make real-model`, which starts the server")
}

fn is_llama_cpp() -> bool {
    setting("KIND") == "llama.cpp"
}

fn connect(path: &str, key: &str) -> Connection {
    let endpoint = Endpoint::parse(&format!("{}{path}", setting("SERVER")), Shape::OpenAi).unwrap();
    Connection::new(endpoint, Reach::ThisComputer, Some(&ApiKey::parse(key).unwrap()), Arc::new(FixedClock::default())).unwrap()
}

fn client() -> Client {
    Client::new(connect("", &setting("KEY")), "tiny")
}

fn ask(client: &Client, prompt: &Prompt, watch: &dyn Watch) -> Result<ChatReply, CallError> {
    client.chat(&ChatRequest { prompt, temperature: 0.1, timeout_ms: TIMEOUT_MS }, watch)
}

#[derive(Default)]
struct Counted {
    times: AtomicU64,
    cancel_after: Option<u64>,
    cancelled: AtomicBool,
}

impl Watch for Counted {
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    fn received(&self, chars: u64) {
        self.times.fetch_add(1, Ordering::SeqCst);
        if self.cancel_after.is_some_and(|enough| chars >= enough) {
            self.cancelled.store(true, Ordering::SeqCst);
        }
    }
}

#[test]
fn its_models_are_listed_and_a_wrong_key_or_address_is_said() {
    assert_eq!(connect("", &setting("KEY")).models(TIMEOUT_MS, &Unwatched).unwrap(), ["tiny"]);
    assert_eq!(connect("/v1", &setting("KEY")).models(TIMEOUT_MS, &Unwatched).unwrap(), ["tiny"]);
    let wrong = connect("", "another").models(TIMEOUT_MS, &Unwatched);
    assert_eq!(wrong, Err(CallError::Rejected { status: 401 }));
    assert_eq!(connect("/elsewhere", &setting("KEY")).models(TIMEOUT_MS, &Unwatched), Err(CallError::Rejected { status: 404 }));
    let port = setting("SERVER").rsplit(':').next().unwrap().parse().unwrap();
    let clock: Arc<dyn keepsake_domain::Clock> = Arc::new(FixedClock::default());
    // Detection has no separate kind for llama-cpp-python.
    let kind = if is_llama_cpp() { ServerKind::LlamaCpp } else { ServerKind::LmStudio };
    let found = detect(&[Candidate { kind, port }], TIMEOUT_MS, &clock);
    assert_eq!(found.iter().map(|found| &found.state).collect::<Vec<_>>(), [&FoundState::KeyNeeded]);
}

#[test]
fn a_reply_is_streamed_in_the_shape_that_was_asked_for() {
    let client = client();
    let prompt = prompt::<Verdict>(400);
    let watch = Counted::default();
    let first = ask(&client, &prompt, &watch).unwrap();
    assert!(watch.times.load(Ordering::SeqCst) > 5, "it comes piece by piece");
    reply::parse::<Verdict>(&first.text).unwrap_or_else(|error| panic!("{error}: {}", first.text));
    let second = ask(&client, &prompt, &Unwatched).unwrap();
    reply::parse::<Verdict>(&second.text).unwrap_or_else(|error| panic!("{error}: {}", second.text));
    assert!(first.reply_bytes > first.text.len() as u64);
    if is_llama_cpp() {
        assert_eq!(second.request_bytes, first.request_bytes, "it takes the schema at once");
        assert!(first.tokens_in > Some(10) && first.tokens_out > Some(10), "{first:?}");
    } else {
        // This server supports only the older way of requesting a format, and returns 500 for the newer one.
        assert!(second.request_bytes < first.request_bytes, "what it does not take is remembered");
        assert_eq!(first.tokens_in, None);
    }
}

#[test]
fn a_reply_that_reaches_its_most_tokens_is_cut_off() {
    let error = ask(&client(), &prompt::<Verdict>(8), &Unwatched).map(|reply| reply.text);
    assert_eq!(error, Err(CallError::CutOff { at_token_limit: true }));
}

#[test]
fn a_cancelled_call_ends_and_the_server_answers_the_next_one() {
    let client = client();
    let watch = Counted { cancel_after: Some(5), ..Counted::default() };
    assert_eq!(ask(&client, &prompt::<Told>(1_500), &watch), Err(CallError::Cancelled));
    assert!(ask(&client, &prompt::<Verdict>(400), &Unwatched).is_ok());
}

#[test]
fn a_prompt_that_is_too_long_is_an_error_and_not_a_reply() {
    let mut long = prompt::<Verdict>(400);
    for _ in 0..300 {
        long.user.push(&PromptText::fixed("{\"line\":1,\"text\":\"again\"}\n"));
    }
    let error = ask(&client(), &long, &Unwatched).map(|reply| reply.text).unwrap_err();
    assert!(!is_llama_cpp() || error == CallError::Rejected { status: 400 }, "{error:?}");
    assert!(
        matches!(error, CallError::Rejected { .. } | CallError::Server { .. } | CallError::CutOff { at_token_limit: false }),
        "{error:?}"
    );
}
