//! Handles one connection: reads, records and answers the request, then closes the connection.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};

use serde_json::{Value, json};

use super::wire::{Dialect, reply};
use super::{Answer, Behaviour, Fault, RETRY_AFTER_S, Received, Shared, refuse};

/// Maximum length of a request's head in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The outcome of sending an answer.
enum Sent {
    Whole,
    ClientLeft,
}

pub(super) fn serve(shared: &Shared, mut stream: TcpStream, address: SocketAddr) {
    let _ = stream.set_nodelay(true);
    let Ok(Some(request)) = read_request(&mut stream) else { return };
    let is_chat = request.is_chat();
    let mut call = 0;
    let mut behaviour = Behaviour::default();
    let mut fault = None;
    shared.change(|state| {
        behaviour = state.behaviour.clone();
        state.received.push(request.clone());
        if is_chat {
            call = state.calls;
            state.calls += 1;
            fault = state.fault_at(call);
        }
    });
    let answer = if let Some(answer) = refused_anyway(&request, &behaviour) {
        answer
    } else if is_chat {
        (shared.script)(&request)
    } else {
        other(&request, &behaviour)
    };
    let answer = match (answer, fault) {
        (Answer::Text(text), Some(fault)) => Answer::Faulty(fault, text),
        (answer, _) => answer,
    };
    // If the next call must be refused, close the listener before this reply is complete, so that no connection slips through.
    if is_chat && shared.state().fault_at(call + 1) == Some(Fault::Refused) {
        refuse(shared, address);
    }
    let sent = send(&mut stream, &request, &behaviour, answer);
    if !matches!(sent, Ok(Sent::Whole)) && !shared.state().is_stopping {
        shared.change(|state| state.left += 1);
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn read_request(stream: &mut TcpStream) -> io::Result<Option<Received>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        let read = stream.read(&mut buffer)?;
        if read == 0 || bytes.len() > HEAD_BYTES_MAX {
            return Ok(None);
        }
        bytes.extend_from_slice(&buffer[..read]);
        // The request is not HTTP, for example a TLS handshake. Respond as other servers do.
        if !bytes[0].is_ascii_uppercase() {
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")?;
            return Ok(None);
        }
    };
    let head = bytes[..end].to_vec();
    let text = String::from_utf8_lossy(&head).into_owned();
    let mut lines = text.lines();
    let mut request_line = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, path) = (request_line.next().unwrap_or_default(), request_line.next().unwrap_or_default());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut body = bytes[end..].to_vec();
    let mut received = Received { method, path, headers, body: Vec::new(), head };
    let length: usize = received.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while body.len() < length {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Ok(None);
        }
        body.extend_from_slice(&buffer[..read]);
    }
    received.body = body;
    Ok(Some(received))
}

/// Responses that take precedence over the script.
fn refused_anyway(request: &Received, behaviour: &Behaviour) -> Option<Answer> {
    let wanted = behaviour.key.as_ref().map(|key| format!("Bearer {key}"));
    if wanted.is_some() && wanted.as_deref() != request.header("authorization") {
        return Some(error(401, json!({"message": "Incorrect API key provided", "type": "invalid_request_error"})));
    }
    if behaviour.is_loading && !request.path.starts_with("/api/") {
        return Some(error(503, json!({"message": "Loading model", "type": "unavailable_error", "code": 503})));
    }
    let body = request.json();
    let takes_shape = match request.shape() {
        Some("schema") => behaviour.takes_schema,
        Some(_) => behaviour.takes_json,
        None => true,
    };
    if !takes_shape {
        return Some(error(behaviour.shape_status, json!({"message": "'response_format' is not known here", "param": null})));
    }
    let rejected = behaviour.rejected_parameter.as_deref().filter(|name| body.get(*name).is_some())?;
    Some(error(400, json!({"message": "Unsupported parameter", "type": "invalid_request_error", "param": rejected})))
}

fn other(request: &Received, behaviour: &Behaviour) -> Answer {
    let body = match request.path.as_str() {
        "/api/version" => json!({"version": behaviour.version}),
        "/api/tags" => {
            let models: Vec<Value> = behaviour.models.iter().map(|name| json!({"name": name, "model": name})).collect();
            json!({"models": models})
        }
        "/v1/models" => {
            let model = |name: &String| json!({"id": name, "object": "model", "max_model_len": behaviour.context_tokens});
            let models: Vec<Value> = behaviour.models.iter().map(model).collect();
            json!({"object": "list", "data": models})
        }
        "/api/pull" if behaviour.pull.is_empty() => return Answer::Faulty(Fault::Timeout, String::new()),
        "/api/pull" => {
            let body = behaviour.pull.join("\n").into_bytes();
            return Answer::Http { status: 200, headers: json_headers(), body };
        }
        "/api/show" => json!({"model_info": {"llama.context_length": behaviour.context_tokens}}),
        "/health" => json!({"status": "ok"}),
        _ => return Answer::Http { status: 404, headers: Vec::new(), body: b"404 page not found".to_vec() },
    };
    Answer::Http { status: 200, headers: json_headers(), body: body.to_string().into_bytes() }
}

fn error(status: u16, error: Value) -> Answer {
    Answer::Http { status, headers: json_headers(), body: json!({"error": error}).to_string().into_bytes() }
}

fn json_headers() -> Vec<(String, String)> {
    vec![("content-type".to_owned(), "application/json".to_owned())]
}

fn send(stream: &mut TcpStream, request: &Received, behaviour: &Behaviour, answer: Answer) -> io::Result<Sent> {
    let dialect = if request.path.starts_with("/api/") { Dialect::Ollama } else { Dialect::OpenAi };
    match answer {
        Answer::Http { status, headers, body } => {
            let mut head = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            head.push_str("\r\n");
            stream.write_all(head.as_bytes())?;
            stream.write_all(&body)?;
            stream.flush()?;
            Ok(Sent::Whole)
        }
        Answer::Faulty(Fault::Timeout, _) => wait_until_left(stream),
        // An established connection can no longer be refused, so close it without sending a byte.
        Answer::Faulty(Fault::Refused, _) => Ok(Sent::Whole),
        Answer::Faulty(Fault::TooManyRequests, _) => {
            let headers = vec![("retry-after".to_owned(), RETRY_AFTER_S.to_string())];
            send(stream, request, behaviour, Answer::Http { status: 429, headers, body: b"{\"error\":\"slow down\"}".to_vec() })
        }
        Answer::Faulty(Fault::ServerError, _) => {
            let body = b"{\"error\":{\"message\":\"internal error\"}}".to_vec();
            send(stream, request, behaviour, Answer::Http { status: 500, headers: json_headers(), body })
        }
        Answer::Faulty(Fault::Refusal, _) => {
            let events = reply(dialect, request, behaviour, None);
            write_stream(stream, &events.events, events.content_type, behaviour.wire_bytes, true)
        }
        Answer::Faulty(Fault::Huge, good) => {
            const PIECE: usize = 16 * 1024;
            let coarse = Behaviour { piece_chars: PIECE, wire_bytes: PIECE, ..behaviour.clone() };
            send(stream, request, &coarse, Answer::Text(Fault::Huge.spoil(&good, None)))
        }
        Answer::Faulty(fault, good) => {
            let bad = fault.spoil(&good, request.schema().as_ref());
            send(stream, request, behaviour, Answer::Text(bad))
        }
        Answer::Text(text) => {
            let events = reply(dialect, request, behaviour, Some(&text));
            write_stream(stream, &events.events, events.content_type, behaviour.wire_bytes, true)
        }
        Answer::Held { text, after_events } => {
            let events = reply(dialect, request, behaviour, Some(&text));
            let sent = &events.events[..after_events.min(events.events.len())];
            write_stream(stream, sent, events.content_type, behaviour.wire_bytes, false)?;
            wait_until_left(stream)
        }
        Answer::Broken { text, after_bytes } => {
            let events = reply(dialect, request, behaviour, Some(&text));
            let bytes = events.events.concat();
            let sent = bytes[..after_bytes.min(bytes.len())].to_vec();
            write_stream(stream, &[sent], events.content_type, behaviour.wire_bytes, false)
        }
    }
}

/// Writes the reply in chunks of `wire_bytes` that arrive separately.
fn write_stream(
    stream: &mut TcpStream,
    events: &[Vec<u8>],
    content_type: &str,
    wire_bytes: usize,
    ends: bool,
) -> io::Result<Sent> {
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    for chunk in events.concat().chunks(wire_bytes.max(1)) {
        let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
        stream.write_all(&framed)?;
    }
    if ends {
        stream.write_all(b"0\r\n\r\n")?;
    }
    stream.flush()?;
    Ok(Sent::Whole)
}

fn wait_until_left(stream: &mut TcpStream) -> io::Result<Sent> {
    let mut buffer = [0; 64];
    while stream.read(&mut buffer)? > 0 {}
    Ok(Sent::ClientLeft)
}
