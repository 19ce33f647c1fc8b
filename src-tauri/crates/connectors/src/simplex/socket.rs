//! The WebSocket of the SimpleX program: commands with numbers, their answers, and the events between them.
//!
//! It never leaves this computer: the address is the loopback interface, because the program requires no password and encrypts
//! nothing. Not in this module: what answers and events mean (`wire`, `reader`).

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::Error as SocketError;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::wire::{Envelope, Head};
use crate::contract::Fault;

/// Maximum time to connect. On this computer it takes milliseconds.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// Maximum time for an answer. All commands that are sent only read the program's own database; a slow disk needs seconds.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// Maximum size of one answer or event. A page has 50 items of at most about 80 KB, pictures of members included.
const FRAME_BYTES_MAX: usize = 8 << 20;

/// Maximum size of the events queued while a command is being answered. Events beyond it are dropped, and read later as
/// history.
const WAITING_BYTES_MAX: usize = 16 << 20;

/// Maximum number of queued events, so that many empty events cannot take more memory than a few large ones.
const WAITING_MAX: usize = 50_000;

/// An answer to a command.
pub(super) struct Answer(Utf8Bytes);

impl Answer {
    /// Reads the answer; `None` if the program refused the command.
    pub(super) fn read<T: DeserializeOwned>(&self, command: &str) -> Result<Option<T>, Fault> {
        let head = head(&self.0).unwrap_or_default();
        if matches!(head.kind.as_str(), "chatCmdError" | "chatError" | "") {
            return Ok(None);
        }
        let envelope: Envelope<T> = serde_json::from_str(&self.0).map_err(|error| {
            Fault::protocol(format!(
                "SimpleX answered the command {} in a form that Keepsake does not understand (line {}, column {}). A newer \
                 version of Keepsake or of SimpleX may help.",
                verb(command),
                error.line(),
                error.column()
            ))
        })?;
        Ok(Some(envelope.resp))
    }
}

/// An event, or an answer to no command.
pub(super) struct Event(Utf8Bytes);

impl Event {
    /// The kind of the event; empty if it cannot be read.
    pub(super) fn kind(&self) -> String {
        head(&self.0).unwrap_or_default().kind
    }

    /// Parses the event; `None` if it does not have the documented form of its kind.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str::<Envelope<T>>(&self.0).ok().map(|envelope| envelope.resp)
    }
}

/// The beginning of an answer or event.
#[derive(Default)]
struct Beginning {
    number: Option<String>,
    kind: String,
}

fn head(text: &str) -> Option<Beginning> {
    let head: Head = serde_json::from_str(text).ok()?;
    Some(Beginning { number: head.corr_id, kind: head.resp.map(|tag| tag.kind).unwrap_or_default() })
}

/// The command without its arguments, for error messages.
fn verb(command: &str) -> &str {
    command
        .find(|letter: char| matches!(letter, '@' | '#' | '*' | '{') || letter.is_ascii_digit())
        .map_or(command, |end| &command[..end])
        .trim()
}

/// A connection.
pub(super) struct Socket {
    stream: WebSocketStream<TcpStream>,
    port: u16,
    commands: u64,
    waiting: VecDeque<Utf8Bytes>,
    waiting_bytes: usize,
    has_forgotten: bool,
}

impl Socket {
    /// Connects to the program that listens on this port.
    pub(super) async fn connect(port: u16) -> Result<Self, Fault> {
        let gone = |what: &str| {
            Fault::unreachable(format!(
                "SimpleX does not answer on port {port} of this computer ({what}). Start it with `simplex-chat -p {port}`."
            ))
        };
        let config = WebSocketConfig::default().max_message_size(Some(FRAME_BYTES_MAX)).max_frame_size(Some(FRAME_BYTES_MAX));
        let connecting = async {
            let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| gone(&error.to_string()))?;
            let address = format!("ws://127.0.0.1:{port}/");
            let (stream, _) = tokio_tungstenite::client_async_with_config(address, stream, Some(config))
                .await
                .map_err(|_| gone("another program listens there, or it ended the connection"))?;
            Ok::<_, Fault>(stream)
        };
        let stream = timeout(CONNECT_MAX, connecting).await.map_err(|_| gone("it took too long"))??;
        Ok(Self { stream, port, commands: 0, waiting: VecDeque::new(), waiting_bytes: 0, has_forgotten: false })
    }

    /// Sends a command that only reads, and waits for its answer. Events that arrive before it are queued.
    pub(super) async fn ask(&mut self, command: &str) -> Result<Answer, Fault> {
        self.commands += 1;
        let number = self.commands.to_string();
        let deadline = Instant::now() + ANSWER_MAX;
        let late = || {
            Fault::unreachable(format!(
                "SimpleX did not answer the command {} within {} seconds. If it does not recover by itself, start it again.",
                verb(command),
                ANSWER_MAX.as_secs()
            ))
        };
        let request = Message::text(json!({ "corrId": number, "cmd": command }).to_string());
        timeout_at(deadline, self.stream.send(request)).await.map_err(|_| late())?.map_err(|error| self.lost(&error))?;
        loop {
            let text = timeout_at(deadline, self.next()).await.map_err(|_| late())??;
            match head(&text) {
                Some(Beginning { number: Some(answered), .. }) if answered == number => return Ok(Answer(text)),
                // An answer to an earlier command, or to another program's command.
                Some(Beginning { number: Some(_), .. }) | None => {}
                Some(_) => self.wait(text),
            }
        }
    }

    fn wait(&mut self, event: Utf8Bytes) {
        if self.waiting.len() >= WAITING_MAX || self.waiting_bytes.saturating_add(event.len()) > WAITING_BYTES_MAX {
            self.has_forgotten = true;
            return;
        }
        self.waiting_bytes += event.len();
        self.waiting.push_back(event);
    }

    /// A queued event.
    pub(super) fn waiting(&mut self) -> Option<Event> {
        let event = self.waiting.pop_front()?;
        self.waiting_bytes -= event.len();
        Some(Event(event))
    }

    /// Whether events were dropped since the last call.
    pub(super) fn has_forgotten(&mut self) -> bool {
        std::mem::take(&mut self.has_forgotten)
    }

    /// The next event. Dropping the future loses nothing.
    pub(super) async fn event(&mut self) -> Result<Event, Fault> {
        match self.waiting() {
            Some(event) => Ok(event),
            None => self.next().await.map(Event),
        }
    }

    async fn next(&mut self) -> Result<Utf8Bytes, Fault> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                // The library answers pings.
                Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Close(_))) | None => return Err(self.ended()),
                Some(Err(error)) => return Err(self.lost(&error)),
            }
        }
    }

    fn ended(&self) -> Fault {
        Fault::unreachable(format!("SimpleX ended the connection on port {}.", self.port))
    }

    fn lost(&self, error: &SocketError) -> Fault {
        match error {
            SocketError::Capacity(_) => Fault::protocol(format!(
                "SimpleX sent more than {} MB at once, which Keepsake does not read.",
                FRAME_BYTES_MAX >> 20
            )),
            SocketError::Protocol(_) | SocketError::Utf8(_) => Fault::protocol(format!(
                "The program on port {} does not speak as SimpleX does. Check that `simplex-chat -p {}` is running there.",
                self.port, self.port
            )),
            _ => self.ended(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_a_command_and_never_what_it_is_about() {
        for (command, expect) in [
            ("/_get chat @17 count=50", "/_get chat"),
            ("/_get item info #5 123", "/_get item info"),
            ("/_get chats 1 count=50 {\"type\":\"filters\"}", "/_get chats"),
            ("/user", "/user"),
        ] {
            assert_eq!(verb(command), expect);
        }
    }
}
