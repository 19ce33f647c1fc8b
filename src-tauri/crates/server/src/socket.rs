//! The socket through which other programs of the same user reach the process that works on a data folder.
//!
//! It is in the data folder, which no other user can enter, and both ends check that the other runs as the same user. Whoever
//! can connect could also open the database, so no token is required; a call in the name of an agent gets no more than that
//! agent may see. The process that works on the queue serves the socket, so there is at most one, and a socket left behind by a
//! killed process is replaced.
//!
//! Requests and answers are JSON over HTTP, with one route for each request. Not in this module: which requests there are
//! (`protocol`), who sends them (`client`, `tool_calls`), and HTTP on loopback (`http`).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::Listener;
use axum::{Json, Router};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use keepsake_api::agents::tool;
use keepsake_api::{ApiError, App, dispatch};
use serde_json::{Value, json};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

use crate::answers::{failed, internal, too_often};
use crate::ending::{GiveUp, ended};
use crate::hook::{self, HookCall};
use crate::protocol::{CALL_BYTES_MAX, CHANGED, COMMAND, Command, GIVE_UP, HOOK, TOOL, ToolCall};
use crate::rate::Rates;

/// Name of the socket in the data folder.
const FILE: &str = "keepsake.sock";

/// Maximum size of an answer in bytes. The largest page of results is far below it.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}

/// Accepts connections of the same user only.
struct OfSameUser(UnixListener);

impl Listener for OfSameUser {
    type Io = UnixStream;
    type Addr = tokio::net::unix::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = Listener::accept(&mut self.0).await;
            if is_own(&stream) {
                return (stream, address);
            }
            tracing::warn!("a connection of another user was refused");
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

#[derive(Clone)]
struct Serving {
    app: App,
    rates: Arc<Rates>,
    give_up: Option<Arc<GiveUp>>,
}

/// Binds the socket of this data folder, so that other programs can connect from now on. The caller must be working on the
/// folder's queue.
pub(crate) fn bind(data_dir: &Path) -> io::Result<Socket> {
    let path = path(data_dir);
    // Removes a socket left behind by a killed process. If that process were still running, it would be working on the queue.
    let _ = std::fs::remove_file(&path);
    let listener = std::os::unix::net::UnixListener::bind(&path)?;
    listener.set_nonblocking(true)?;
    Ok(Socket { listener, path })
}

/// A bound socket.
pub(crate) struct Socket {
    listener: std::os::unix::net::UnixListener,
    path: PathBuf,
}

/// Serves the socket until `ending`.
pub(crate) async fn serve(
    Socket { listener, path }: Socket,
    app: App,
    rates: Arc<Rates>,
    give_up: Option<GiveUp>,
    ending: watch::Receiver<bool>,
) -> io::Result<()> {
    let listener = OfSameUser(UnixListener::from_std(listener)?);
    let serving = Serving { app, rates, give_up: give_up.map(Arc::new) };
    let routes = Router::new()
        .route(TOOL, post(call_tool))
        .route(COMMAND, post(run_command))
        .route(HOOK, post(run_hook))
        .route(CHANGED, post(look_at_changes))
        .route(GIVE_UP, post(leave_work))
        .layer(DefaultBodyLimit::max(CALL_BYTES_MAX))
        .with_state(serving);
    let served = axum::serve(listener, routes).with_graceful_shutdown(ended(ending)).await;
    // This process still works on the queue, so the file is its own.
    let _ = std::fs::remove_file(&path);
    served
}

/// Runs `work` on a thread of its own, and answers with its result as JSON.
async fn answered<T: serde::Serialize + Send + 'static>(work: impl FnOnce() -> Result<T, ApiError> + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(answer)) => Json(answer).into_response(),
        Ok(Err(error)) => failed(&error),
        Err(_) => internal(),
    }
}

async fn call_tool(State(Serving { app, rates, .. }): State<Serving>, Json(call): Json<ToolCall>) -> Response {
    if let Err(seconds) = rates.take(&call.agent, app.engine().now().0) {
        return too_often(seconds);
    }
    answered(move || {
        let agent = app.engine().agents().named(&call.agent)?;
        let Some(name) = &call.tool else { return Ok(json!({})) };
        let tool = tool(name).ok_or_else(|| ApiError::not_found(format!("there is no tool '{name}'")))?;
        let answer = tool.run(&app, &agent, call.request)?;
        Ok(json!({ "text": answer.text, "data": answer.data }))
    })
    .await
}

async fn run_command(State(Serving { app, .. }): State<Serving>, Json(command): Json<Command>) -> Response {
    answered(move || dispatch(&app, &command.cmd, command.payload)).await
}

async fn run_hook(State(Serving { app, .. }): State<Serving>, Json(call): Json<HookCall>) -> Response {
    answered(move || Ok(hook::run(app.engine(), &call)?)).await
}

/// A request without content. Its body is read nevertheless: answering before the body ends would close the connection while
/// the caller is still writing, and the caller would conclude that this process is gone.
type Nothing = Json<Value>;

async fn look_at_changes(State(Serving { app, .. }): State<Serving>, _: Nothing) -> Response {
    answered(move || app.notice_other_processes().map(|()| json!({}))).await
}

async fn leave_work(State(Serving { give_up, .. }): State<Serving>, _: Nothing) -> Response {
    let Some(give_up) = give_up else {
        return failed(&ApiError::refused("Keepsake is already open on this data folder"));
    };
    // `give_up` runs on its own thread, because it ends this server, and the server waits for this answer.
    let spawned = std::thread::Builder::new().name("give-up".to_owned()).spawn(move || give_up());
    if spawned.is_err() { internal() } else { Json::<Value>(json!({})).into_response() }
}

/// Sends a request to the process that serves the socket of this data folder. Returns whether it succeeded, and the answer.
pub(crate) async fn exchange(data_dir: &Path, route: &str, body: Vec<u8>) -> io::Result<(bool, Bytes)> {
    let stream = UnixStream::connect(path(data_dir)).await?;
    if !is_own(&stream) {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    let request = hyper::Request::post(route)
        .header(hyper::header::HOST, "keepsake")
        .header(hyper::header::CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from(body)))
        .map_err(io::Error::other)?;
    // The task ends when the sender is dropped.
    tokio::spawn(connection);
    let response = sender.send_request(request).await.map_err(io::Error::other)?;
    let is_ok = response.status().is_success();
    let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await.map_err(io::Error::other)?;
    Ok((is_ok, body.to_bytes()))
}
