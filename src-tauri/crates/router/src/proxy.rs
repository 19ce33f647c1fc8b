//! Forwards calls: finds the server, adds the context, passes the answer through as it arrives, and logs it when it ends.
//!
//! Blocking work (the store, the keyring) runs on its own threads. Not in this module: deciding what is added, read and logged,
//! which the pure modules do.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Extension, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use bytes::Bytes;
use futures_util::stream::unfold;
use keepsake_api::App;
use keepsake_api::agents::tool;
use keepsake_domain::CallId;
use keepsake_engine::{
    APPEND_BYTES_MAX, APPEND_MESSAGES_MAX, AgentAccess, AppendMessage, AppendTo, EngineError, Route, RoutedEnd,
};
use keepsake_models::language::{CallError, Forwarded};
use serde_json::{Value, json};

use crate::answer::{Answer, Reading};
use crate::conversation::{Logged, Remembered, Turn, logged};
use crate::error::{no_route, refusal};
use crate::request::{self, Api};

/// Maximum size of a request in bytes. Long conversations take a few megabytes, or more with images.
const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Maximum time to wait for a context. A context usually takes a few dozen milliseconds, and a slower one is not worth the
/// person's time.
const CONTEXT_WAIT_MAX: Duration = Duration::from_millis(400);

/// Maximum number of characters of an added context. It is read, and paid for, with every call, so it is shorter than a
/// requested context.
const CONTEXT_CHARS: u32 = 2_000;

/// Header in which a program names its conversation. It is not forwarded.
const CONVERSATION_HEADER: &str = "x-keepsake-conversation";

/// The response headers that model clients use. No others are forwarded.
const PASSED_HEADERS: [HeaderName; 5] = [
    header::CONTENT_TYPE,
    header::RETRY_AFTER,
    HeaderName::from_static("retry-after-ms"),
    HeaderName::from_static("x-should-retry"),
    HeaderName::from_static("x-request-id"),
];

/// Bytes of text per token, if the server reports no token counts.
const BYTES_PER_TOKEN: u64 = 4;

struct Shared {
    app: App,
    remembered: Mutex<Remembered>,
}

/// The routes of the router, relative to its base address. The [`AgentAccess`] of the caller must be in the extensions of each
/// request.
pub fn routes(app: App) -> axum::Router {
    axum::Router::new()
        .route("/chat/completions", post(chat))
        .route("/responses", post(responses))
        .route("/models", get(models))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(Arc::new(Shared { app, remembered: Mutex::default() }))
}

type Incoming = Result<Bytes, BytesRejection>;

async fn chat(
    State(shared): State<Arc<Shared>>,
    Extension(agent): Extension<AgentAccess>,
    headers: HeaderMap,
    body: Incoming,
) -> Response {
    answered(forward(shared, agent, Api::Chat, &headers, body).await)
}

async fn responses(
    State(shared): State<Arc<Shared>>,
    Extension(agent): Extension<AgentAccess>,
    headers: HeaderMap,
    body: Incoming,
) -> Response {
    answered(forward(shared, agent, Api::Responses, &headers, body).await)
}

/// The server's models, as the server lists them.
async fn models(State(shared): State<Arc<Shared>>, Extension(agent): Extension<AgentAccess>) -> Response {
    let listed = async {
        let route = route(&shared, &agent).await?;
        let upstream = route.connection.forward("/models", None).await.map_err(|error| unreachable(&error))?;
        Ok(passed(upstream, None))
    };
    answered(listed.await)
}

/// A response from the router itself is returned like any other.
fn answered(result: Result<Response, Response>) -> Response {
    result.unwrap_or_else(|refusal| refusal)
}

async fn route(shared: &Arc<Shared>, agent: &AgentAccess) -> Result<Route, Response> {
    let (app, agent) = (shared.app.clone(), agent.clone());
    match tokio::task::spawn_blocking(move || app.engine().models().route(&agent)).await {
        Ok(found) => found.map_err(|error| no_route(&error)),
        Err(_) => {
            let words = "Keepsake failed because of an internal error; please report this";
            Err(refusal(StatusCode::INTERNAL_SERVER_ERROR, "keepsake_failed", words))
        }
    }
}

/// The response to return if the server did not answer.
fn unreachable(error: &CallError) -> Response {
    match error {
        CallError::NotLocal { .. } => refusal(StatusCode::FORBIDDEN, "refused", &error.to_string()),
        _ => refusal(StatusCode::BAD_GATEWAY, "model_unreachable", &error.to_string()),
    }
}

async fn forward(
    shared: Arc<Shared>,
    agent: AgentAccess,
    api: Api,
    headers: &HeaderMap,
    body: Incoming,
) -> Result<Response, Response> {
    let bytes = body.map_err(|rejection| {
        let words = format!("the request cannot be read: {rejection}; at most {} MB are forwarded", BODY_BYTES_MAX / 1024 / 1024);
        refusal(rejection.status(), "invalid_request", &words)
    })?;
    let Ok(mut body @ Value::Object(_)) = serde_json::from_slice::<Value>(&bytes) else {
        return Err(refusal(StatusCode::BAD_REQUEST, "invalid_request", "the request is not a JSON object; send one"));
    };
    let route = route(&shared, &agent).await?;
    let mut is_changed = request::strip_context(api, &mut body);
    let turn = turn_of(&agent, api, headers, &body);
    is_changed |= request::choose_model(&mut body, &route.model);
    if let Some(task) = request::task(&turn.said)
        && let Some(context) = context(&shared, &agent, task).await
    {
        is_changed |= request::add_context(api, &mut body, &context);
    }
    let model = body["model"].as_str().unwrap_or(&route.model).to_owned();
    // An unchanged request is forwarded byte for byte.
    let bytes = if is_changed { Bytes::from(body.to_string()) } else { bytes };
    let route = Arc::new(route);
    let call = begin_call(&shared, &agent, &route, model, bytes.len() as u64).await;
    let mut tee = Tee { shared, agent, request_bytes: bytes.len() as u64, reply_bytes: 0, call, reading: None, turn: Some(turn) };
    match route.connection.forward(api.path(), Some(bytes)).await {
        Ok(upstream) => {
            if (200..300).contains(&upstream.status()) {
                let content_type =
                    upstream.header(header::CONTENT_TYPE.as_str()).map(String::from_utf8_lossy).unwrap_or_default();
                tee.reading = Some(Reading::new(api, &content_type));
            }
            Ok(passed(upstream, Some(tee)))
        }
        Err(error) => {
            tee.end(Some(error.to_string()));
            Err(unreachable(&error))
        }
    }
}

fn turn_of(agent: &AgentAccess, api: Api, headers: &HeaderMap, body: &Value) -> Turn {
    let header = headers.get(CONVERSATION_HEADER).and_then(|name| name.to_str().ok());
    Turn {
        api,
        agent: agent.name.clone(),
        hears_owner: agent.hears_owner,
        named: request::named_conversation(api, header, body),
        is_kept_by_server: api == Api::Responses && !body["conversation"].is_null(),
        previous: request::previous_response(api, body),
        user: request::user(body),
        said: request::said(api, body),
    }
}

/// The context for a task; `None` if there is none, if it fails, or if it takes too long.
async fn context(shared: &Arc<Shared>, agent: &AgentAccess, task: String) -> Option<String> {
    let (app, agent) = (shared.app.clone(), agent.clone());
    let asked = tokio::task::spawn_blocking(move || {
        let found = tool("context")?.run(&app, &agent, json!({ "task": task, "max_chars": CONTEXT_CHARS }));
        found.inspect_err(|error| tracing::debug!(code = ?error.code, "the router adds no context")).ok()
    });
    let answer = tokio::time::timeout(CONTEXT_WAIT_MAX, asked).await.ok()?.ok()??;
    answer.data["text"].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// Records the call before it is forwarded.
async fn begin_call(shared: &Arc<Shared>, agent: &AgentAccess, route: &Arc<Route>, model: String, bytes: u64) -> Option<CallId> {
    let (app, agent, route) = (shared.app.clone(), agent.clone(), Arc::clone(route));
    match tokio::task::spawn_blocking(move || app.engine().models().begin_routed_call(&agent, &route, &model, bytes))
        .await
        .ok()?
    {
        Ok(call) => Some(call),
        Err(error) => {
            tracing::error!(%error, "a forwarded call could not be listed");
            None
        }
    }
}

/// A response that passes through as it arrives, and is read by `tee`. If the calling program disconnects, the connection to
/// the server is closed.
fn passed(upstream: Forwarded, tee: Option<Tee>) -> Response {
    let status = StatusCode::from_u16(upstream.status()).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers: Vec<(HeaderName, HeaderValue)> = PASSED_HEADERS
        .into_iter()
        .filter_map(|name| {
            let value = HeaderValue::from_bytes(upstream.header(name.as_str())?).ok()?;
            Some((name, value))
        })
        .collect();
    let pieces = unfold(Some((upstream, tee)), |state| async move {
        let (mut upstream, mut tee) = state?;
        match upstream.next().await {
            Ok(Some(piece)) => {
                if let Some(tee) = &mut tee {
                    tee.push(&piece);
                }
                Some((Ok(piece), Some((upstream, tee))))
            }
            Ok(None) => {
                if let Some(tee) = &mut tee {
                    tee.end(None);
                }
                None
            }
            Err(error) => {
                if let Some(tee) = &mut tee {
                    tee.end(Some(error.to_string()));
                }
                Some((Err(io::Error::other(error)), None))
            }
        }
    });
    let mut response = Response::new(Body::from_stream(pieces));
    *response.status_mut() = status;
    response.headers_mut().extend(headers);
    response
}

/// Reads the passing response, and logs it once, when it ends.
struct Tee {
    shared: Arc<Shared>,
    agent: AgentAccess,
    request_bytes: u64,
    reply_bytes: u64,
    call: Option<CallId>,
    /// `None` if the server returned an error, which is not an answer.
    reading: Option<Reading>,
    /// `None` once the turn has been logged.
    turn: Option<Turn>,
}

impl Tee {
    fn push(&mut self, piece: &[u8]) {
        self.reply_bytes += piece.len() as u64;
        let is_over = self.reading.as_mut().is_some_and(|reading| {
            reading.push(piece);
            reading.is_over()
        });
        // Handle the end before the program receives the last piece and can continue the conversation.
        if is_over {
            self.end(None);
        }
    }

    /// Handles the end of the response. `problem` says why the response broke off, if it did.
    fn end(&mut self, problem: Option<String>) {
        let Some(turn) = self.turn.take() else { return };
        let answer = self.reading.take().and_then(Reading::finish);
        let said = |answer: &Answer| answer.tokens_out.unwrap_or(answer.text.len() as u64 / BYTES_PER_TOKEN);
        let end = RoutedEnd {
            reply_bytes: self.reply_bytes,
            tokens_in: answer.as_ref().and_then(|answer| answer.tokens_in),
            tokens_out: answer.as_ref().map_or(0, said),
            // A client may disconnect after the last event, before the connection ends.
            error: problem.filter(|_| answer.is_none()),
        };
        let logged = answer.and_then(|answer| self.remember(turn, &answer));
        let (app, agent, call, bytes) = (self.shared.app.clone(), self.agent.clone(), self.call.take(), self.request_bytes);
        let work = move || {
            if let Some(logged) = logged {
                append(&app, &agent, logged);
            }
            if let Some(call) = call
                && let Err(error) = app.engine().models().end_routed_call(&call, bytes, end)
            {
                tracing::error!(%error, "the end of a forwarded call could not be listed");
            }
        };
        // The runtime no longer exists while the program shuts down.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn_blocking(work);
        }
    }

    fn remember(&self, turn: Turn, answer: &Answer) -> Option<Logged> {
        let mut remembered = self.shared.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let continued = turn.previous.as_ref().and_then(|previous| remembered.of(&turn.agent, previous));
        let is_response = turn.api == Api::Responses;
        let logged = logged(turn, continued, answer)?;
        if let Some(id) = answer.id.as_ref().filter(|_| is_response) {
            remembered.add(&self.agent.name, id, &logged.conversation);
        }
        Some(logged)
    }
}

impl Drop for Tee {
    fn drop(&mut self) {
        self.end(Some("the program that asked left before the end of the answer".to_owned()));
    }
}

/// Logs a conversation. A large conversation takes several calls to the log.
fn append(app: &App, agent: &AgentAccess, logged: Logged) {
    let to = AppendTo { conversation: logged.conversation, ..AppendTo::default() };
    let mut rest = logged.messages.as_slice();
    while !rest.is_empty() {
        let (now, later) = rest.split_at(batch(rest));
        if let Err(error) = app.engine().imports().append_messages(agent, &to, now) {
            // A refusal is due to the person's settings for this agent.
            match error {
                EngineError::Refused(_) => tracing::debug!("a forwarded conversation is not logged for this agent"),
                error => tracing::error!(%error, "a forwarded conversation could not be logged"),
            }
            return;
        }
        rest = later;
    }
}

/// Number of messages that fit into one call to the log, at least one.
fn batch(messages: &[AppendMessage]) -> usize {
    let mut bytes = 0;
    let fits = messages.iter().take(APPEND_MESSAGES_MAX).take_while(|message| {
        bytes += message.text.len();
        bytes <= APPEND_BYTES_MAX
    });
    fits.count().max(1)
}
