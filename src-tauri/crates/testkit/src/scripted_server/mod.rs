//! A scripted language model server on 127.0.0.1, built only on the standard library.
//!
//! It serves both APIs (`/api/…` like Ollama, `/v1/…` like the others), records the bytes of every request, streams in small
//! pieces, and can answer any call with any [`Fault`]. Nothing sleeps: tests wait for the events they expect
//! ([`ScriptedServer::wait_for_calls`], [`ScriptedServer::wait_until_left`]).
//!
//! Not here: checking requests. Tests do that with [`ScriptedServer::received`].

mod connection;
mod fault;
mod wire;

use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use socket2::{Domain, Socket, Type};

pub use fault::{Fault, HUGE_BYTES, REFUSAL, RETRY_AFTER_S};

/// How long a test waits for an expected event before it fails. A passing test never waits this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request as received.
#[derive(Debug, Clone)]
pub struct Received {
    /// Method: `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Bytes of the body.
    pub body: Vec<u8>,
    /// Bytes of the head, for tests that check that it does not contain certain data.
    pub head: Vec<u8>,
}

impl Received {
    /// The first header with this name, which must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Whether this is a chat request.
    pub fn is_chat(&self) -> bool {
        ["/api/chat", "/v1/chat/completions", "/v1/responses"].contains(&self.path.as_str())
    }

    /// The text of the messages with this role, such as `system` or `user`.
    pub fn message(&self, role: &str) -> String {
        let body = self.json();
        let messages = body["messages"].as_array().into_iter().flatten();
        messages.filter(|message| message["role"] == role).filter_map(|message| message["content"].as_str()).collect()
    }

    /// The schema requested for the reply, if any.
    pub fn schema(&self) -> Option<Value> {
        let body = self.json();
        let format = &body["response_format"];
        let places = [&format["json_schema"]["schema"], &format["schema"], &body["format"]];
        places.into_iter().find(|schema| schema.is_object()).cloned()
    }

    /// How structured output is requested: `schema` or `json` (the older method). `None` if it is not requested.
    pub fn shape(&self) -> Option<&'static str> {
        let body = self.json();
        if body["response_format"]["type"] == "json_schema" || body["format"].is_object() {
            Some("schema")
        } else if body["response_format"]["type"] == "json_object" || body["format"] == "json" {
            Some("json")
        } else {
            None
        }
    }
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A reply with this text.
    Text(String),
    /// This fault instead of the given good reply.
    Faulty(Fault, String),
    /// The reply up to this number of events, then silence until the client leaves.
    Held {
        /// The whole reply.
        text: String,
        /// Number of events to send.
        after_events: usize,
    },
    /// The reply up to this number of bytes, then the connection is closed.
    Broken {
        /// The whole reply.
        text: String,
        /// Number of bytes of the streamed reply to send.
        after_bytes: usize,
    },
    /// Any other HTTP response.
    Http {
        /// Status.
        status: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// Body.
        body: Vec<u8>,
    },
}

/// Properties of the server, apart from its script.
#[derive(Debug, Clone)]
pub struct Behaviour {
    /// Names of its models.
    pub models: Vec<String>,
    /// Context size reported for its models in `/api/show`, `/props` and `/v1/models`.
    pub context_tokens: Option<u32>,
    /// Lines sent by `/api/pull`; if empty, it sends nothing until the client leaves.
    pub pull: Vec<String>,
    /// Version reported in the Ollama API.
    pub version: String,
    /// The API key it requires, if any.
    pub key: Option<String>,
    /// It is still loading a model and responds with status 503, like llama.cpp.
    pub is_loading: bool,
    /// It accepts a JSON schema.
    pub takes_schema: bool,
    /// It accepts the older `json_object` or `"json"`.
    pub takes_json: bool,
    /// Status returned for an output format that it does not accept: 400, or 500 like llama-cpp-python.
    pub shape_status: u16,
    /// A parameter that it rejects. The 400 response names the parameter, like OpenAI's.
    pub rejected_parameter: Option<String>,
    /// It reports token counts.
    pub sends_usage: bool,
    /// It streams if the request asks for streaming.
    pub streams: bool,
    /// Characters per event of a stream.
    pub piece_chars: usize,
    /// Number of bytes written, and therefore received, together.
    pub wire_bytes: usize,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            models: vec!["tiny:1b".to_owned(), "small:7b".to_owned()],
            context_tokens: None,
            pull: Vec::new(),
            version: "0.12.3".to_owned(),
            key: None,
            is_loading: false,
            takes_schema: true,
            takes_json: true,
            shape_status: 400,
            rejected_parameter: None,
            sends_usage: true,
            streams: true,
            piece_chars: 5,
            wire_bytes: 64,
        }
    }
}

type Script = dyn Fn(&Received) -> Answer + Send + Sync;

/// A running server. It stops when dropped.
pub struct ScriptedServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    script: Box<Script>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    behaviour: Behaviour,
    received: Vec<Received>,
    /// Connections accepted, with or without a request.
    connections: usize,
    /// Chat requests received.
    calls: usize,
    /// Clients that left before their reply was complete.
    left: usize,
    fault_from: Option<(usize, Fault)>,
    is_refusing: bool,
    /// The listener has been closed.
    is_closed: bool,
    is_stopping: bool,
    live: Vec<TcpStream>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits until `done` returns `true`.
    fn wait(&self, what: &str, done: impl Fn(&State) -> bool) {
        let waited = self.changed.wait_timeout_while(self.state(), PATIENCE, |state| !done(state));
        let timed_out = waited.unwrap_or_else(PoisonError::into_inner).1;
        assert!(!timed_out.timed_out(), "the scripted server waited in vain: {what}");
    }
}

impl State {
    fn fault_at(&self, call: usize) -> Option<Fault> {
        self.fault_from.filter(|(from, _)| call >= *from).map(|(_, fault)| fault)
    }
}

impl ScriptedServer {
    /// Starts a server that answers each chat request according to `script`.
    ///
    /// # Panics
    /// If the system has no free port.
    pub fn start(script: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on loopback");
        let address = listener.local_addr().expect("the address of a bound listener");
        let shared = Arc::new(Shared { script: Box::new(script), state: Mutex::default(), changed: Condvar::new() });
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&shared, listener, address)
        });
        Self { address, shared, accepting: Some(accepting) }
    }

    /// Starts a server that answers every chat request with the same text.
    pub fn saying(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::start(move |_| Answer::Text(text.clone()))
    }

    /// Starts a server that returns these answers one after another. After the last answer, it responds with status 410.
    pub fn in_turn(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect::<std::collections::VecDeque<_>>());
        Self::start(move |_| {
            let next = answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            next.unwrap_or_else(|| Answer::Http { status: 410, headers: Vec::new(), body: b"the script is at its end".to_vec() })
        })
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes its properties.
    pub fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        self.shared.change(|state| change(&mut state.behaviour));
    }

    /// Answers every request with `fault`, from chat request `call` on (the first is 0), until [`Self::heal`].
    pub fn inject_from(&self, call: usize, fault: Fault) {
        self.shared.change(|state| state.fault_from = Some((call, fault)));
        if fault == Fault::Refused && self.calls() >= call {
            self.refuse();
        }
    }

    /// Ends the fault. A server that refused connections listens again on the same port.
    pub fn heal(&self) {
        self.shared.change(|state| {
            state.fault_from = None;
            state.is_refusing = false;
        });
        self.shared.wait("listening again", |state| !state.is_closed);
    }

    /// Stops listening, until [`Self::heal`].
    pub fn refuse(&self) {
        refuse(&self.shared, self.address);
    }

    /// Every request so far, in order of arrival.
    pub fn received(&self) -> Vec<Received> {
        self.shared.state().received.clone()
    }

    /// Number of chat requests so far.
    pub fn calls(&self) -> usize {
        self.shared.state().calls
    }

    /// Number of connections so far, with or without a request.
    pub fn connections(&self) -> usize {
        self.shared.state().connections
    }

    /// Number of clients so far that left before their reply was complete.
    pub fn left(&self) -> usize {
        self.shared.state().left
    }

    /// Waits until this number of chat requests have arrived.
    ///
    /// # Panics
    /// If they do not arrive in time.
    pub fn wait_for_calls(&self, calls: usize) {
        self.shared.wait("chat requests", |state| state.calls >= calls);
    }

    /// Waits until this number of clients have left before their reply was complete.
    ///
    /// # Panics
    /// If they do not leave in time.
    pub fn wait_until_left(&self, clients: usize) {
        self.shared.wait("a client that goes", |state| state.left >= clients);
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.shared.change(|state| {
            state.is_stopping = true;
            for stream in state.live.drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn accept(shared: &Arc<Shared>, mut listener: TcpListener, address: SocketAddr) {
    loop {
        let accepted = listener.accept();
        if shared.state().is_stopping {
            return;
        }
        if shared.state().is_refusing {
            drop(listener);
            drop(accepted);
            // Keep the port occupied without listening, so that no other test server gets it.
            let placeholder = placeholder(address);
            shared.change(|state| state.is_closed = true);
            let waited = shared.changed.wait_while(shared.state(), |state| state.is_refusing && !state.is_stopping);
            if waited.unwrap_or_else(PoisonError::into_inner).is_stopping {
                return;
            }
            placeholder.listen(128).expect("the port is still ours");
            listener = placeholder.into();
            shared.change(|state| state.is_closed = false);
            continue;
        }
        let Ok((stream, _)) = accepted else { continue };
        shared.change(|state| {
            state.connections += 1;
            state.live.extend(stream.try_clone());
        });
        let shared = Arc::clone(shared);
        std::thread::spawn(move || connection::serve(&shared, stream, address));
    }
}

fn placeholder(address: SocketAddr) -> Socket {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_reuse_address(true).expect("a socket option");
    socket.bind(&address.into()).expect("the port that was just ours");
    socket
}

fn refuse(shared: &Shared, address: SocketAddr) {
    if shared.state().is_closed {
        return;
    }
    shared.change(|state| state.is_refusing = true);
    // Connect once to wake the accepting thread.
    let _ = TcpStream::connect(address);
    shared.wait("closing", |state| state.is_closed);
}
