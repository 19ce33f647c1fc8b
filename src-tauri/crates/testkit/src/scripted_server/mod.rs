//! A server of language models that follows a script, on 127.0.0.1 and the standard library alone.
//!
//! It speaks both wire shapes at once (`/api/…` as Ollama, `/v1/…` as the others), records every request with its bytes,
//! streams in small pieces, and meets any call with any [`Fault`]. Nothing waits by sleeping: tests wait for what they expect
//! to have happened ([`ScriptedServer::wait_for_calls`], [`ScriptedServer::wait_until_left`]).
//!
//! Deliberately not here: judging a request. Tests read [`ScriptedServer::received`].

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

/// How long a test waits for what must happen before it is called a failure: never reached where all is well.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Received {
    /// `GET`, `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body's bytes.
    pub body: Vec<u8>,
    /// The head's bytes, for those who look for what must not be in it.
    pub head: Vec<u8>,
}

impl Received {
    /// The first header of that name, given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Whether a model is asked something.
    pub fn is_chat(&self) -> bool {
        self.path == "/api/chat" || self.path == "/v1/chat/completions"
    }

    /// The message of that role: `system`, `user`.
    pub fn message(&self, role: &str) -> String {
        let body = self.json();
        let messages = body["messages"].as_array().into_iter().flatten();
        messages.filter(|message| message["role"] == role).filter_map(|message| message["content"].as_str()).collect()
    }

    /// The shape that the reply shall have, where the request says one.
    pub fn schema(&self) -> Option<Value> {
        let body = self.json();
        let format = &body["response_format"];
        let places = [&format["json_schema"]["schema"], &format["schema"], &body["format"]];
        places.into_iter().find(|schema| schema.is_object()).cloned()
    }

    /// How the reply's shape is asked for: `schema`, `json` (the older way), or not at all.
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

/// What a call is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This text, as the model's reply.
    Text(String),
    /// A fault in place of this good reply.
    Faulty(Fault, String),
    /// The reply as far as this many of its events, then silence until the client goes.
    Held {
        /// The whole reply.
        text: String,
        /// Events that are sent.
        after_events: usize,
    },
    /// The reply as far as this many bytes, then the connection ends.
    Broken {
        /// The whole reply.
        text: String,
        /// Bytes that are sent, of the reply as streamed.
        after_bytes: usize,
    },
    /// Any other HTTP answer.
    Http {
        /// Status.
        status: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// Body.
        body: Vec<u8>,
    },
}

/// How the server is, apart from its script.
#[derive(Debug, Clone)]
pub struct Behaviour {
    /// Its models.
    pub models: Vec<String>,
    /// The context that it says its models have: in `/api/show`, `/props` and `/v1/models`.
    pub context_tokens: Option<u32>,
    /// The lines of `/api/pull`; without any it says nothing until the client goes.
    pub pull: Vec<String>,
    /// The version that it says, as Ollama.
    pub version: String,
    /// The key that it wants.
    pub key: Option<String>,
    /// It is loading a model: 503, as llama.cpp says it.
    pub is_loading: bool,
    /// It takes a schema.
    pub takes_schema: bool,
    /// It takes the older `json_object` or `"json"`.
    pub takes_json: bool,
    /// What it answers to a shape that it does not take: 400, or 500 as llama-cpp-python does.
    pub shape_status: u16,
    /// The parameter that it does not take, named in its 400 as OpenAI does.
    pub rejected_parameter: Option<String>,
    /// It counts tokens.
    pub sends_usage: bool,
    /// It streams where it is asked to.
    pub streams: bool,
    /// Characters in an event of a stream.
    pub piece_chars: usize,
    /// Bytes that are written, and so arrive, at once.
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

/// A running server. It ends when it is dropped.
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
    /// Connections that were made, requests or not.
    connections: usize,
    /// Chat requests that came.
    calls: usize,
    /// Clients that went before their reply was whole.
    left: usize,
    fault_from: Option<(usize, Fault)>,
    is_refusing: bool,
    /// The listener is closed.
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

    /// Waits until `done`.
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
    /// A server that answers each chat request as `script` says.
    ///
    /// # Panics
    /// When the system has no free port.
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

    /// A server that answers every chat request with the same text.
    pub fn saying(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::start(move |_| Answer::Text(text.clone()))
    }

    /// A server that gives these answers one after another, and 410 when there are none left.
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

    /// Changes how it is.
    pub fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        self.shared.change(|state| change(&mut state.behaviour));
    }

    /// From chat request `call` on (the first is 0) every one meets `fault`, until [`Self::heal`].
    pub fn inject_from(&self, call: usize, fault: Fault) {
        self.shared.change(|state| state.fault_from = Some((call, fault)));
        if fault == Fault::Refused && self.calls() >= call {
            self.refuse();
        }
    }

    /// Ends the fault; a server that refused connections listens again, at the same port.
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

    /// Chat requests so far.
    pub fn calls(&self) -> usize {
        self.shared.state().calls
    }

    /// Connections so far, with or without a request.
    pub fn connections(&self) -> usize {
        self.shared.state().connections
    }

    /// Clients so far that went before their reply was whole.
    pub fn left(&self) -> usize {
        self.shared.state().left
    }

    /// Waits until that many chat requests have come.
    ///
    /// # Panics
    /// When they do not come.
    pub fn wait_for_calls(&self, calls: usize) {
        self.shared.wait("chat requests", |state| state.calls >= calls);
    }

    /// Waits until that many clients went before their reply was whole.
    ///
    /// # Panics
    /// When they stay.
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
            // The port stays taken, without anybody listening, so that no other server of a test gets it.
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
    // Wakes whoever accepts.
    let _ = TcpStream::connect(address);
    shared.wait("closing", |state| state.is_closed);
}
