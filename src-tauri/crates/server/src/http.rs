//! Serves the window on loopback, for computers without a display: one page, one RPC route, one event stream and one upload
//! route.
//!
//! Security rules (SECURITY.md, "Loopback server"): 127.0.0.1 only; `Host` must match, including the port; `Origin` must be
//! absent or our own, never `null`; cross-site fetches are refused; no CORS headers and no cookies; every route with data
//! requires a 256-bit token in `Authorization`, compared in constant time; 401 before any work. The printed address contains the
//! token after `#`, so it reaches no server and no log. Not in this module: what the commands do, and the event stream itself
//! (`event_stream`).

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use keepsake_api::{Code, dispatch};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::AsyncWriteExt;

use crate::agent_http;
use crate::answers::{failed, internal, refuse};
use crate::event_stream::event_stream;
use crate::shared::Shared;

/// Maximum size of a command in bytes. Bulk actions contain up to twenty thousand ids.
const RPC_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum size of an upload through a browser, in bytes. Larger exports must be imported on the command line.
const UPLOAD_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// Everything is loaded from this server. Nothing is fetched from elsewhere, and the page contains no inline scripts or styles.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; worker-src 'none'";

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let private = Router::new()
        .route("/rpc", post(rpc).layer(DefaultBodyLimit::max(RPC_BYTES_MAX)))
        .route("/events", get(events))
        .route("/files", post(upload).layer(DefaultBodyLimit::disable()))
        .layer(from_fn_with_state(Arc::clone(&shared), require_token));
    Router::new()
        .merge(private)
        .merge(agent_http::routes(&shared))
        .fallback(page)
        .layer(from_fn_with_state(Arc::clone(&shared), require_same_site))
        .with_state(shared)
}

/// Rejects requests from pages of other sites, and requests through a host name that was rebound to this address.
async fn require_same_site(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    if !is_same_site(request.headers(), shared.port) {
        return refuse(
            StatusCode::FORBIDDEN,
            Code::Refused,
            "this address accepts requests only from its own page; open the address that `keepsake serve` printed",
        );
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

fn is_same_site(headers: &HeaderMap, port: u16) -> bool {
    let text =
        |name: header::HeaderName| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect::<Vec<_>>();
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let host_fits = matches!(text(header::HOST).as_slice(), [host] if hosts.iter().any(|known| known == host));
    let origin_fits = match text(header::ORIGIN).as_slice() {
        [] => true,
        [origin] => hosts.iter().any(|known| *origin == format!("http://{known}")),
        _ => false,
    };
    let fetch_site = text(header::HeaderName::from_static("sec-fetch-site"));
    let site_fits = matches!(fetch_site.as_slice(), [] | ["none"] | ["same-origin"]);
    host_fits && origin_fits && site_fits
}

async fn require_token(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let fits =
        given.and_then(|value| value.strip_prefix("Bearer ")).is_some_and(|token| equal_in_constant_time(token, &shared.token));
    if fits {
        next.run(request).await
    } else {
        refuse(
            StatusCode::UNAUTHORIZED,
            Code::Refused,
            "the key is missing or wrong; open the address that `keepsake serve` printed, which contains the key",
        )
    }
}

fn equal_in_constant_time(a: &str, b: &str) -> bool {
    let difference = a.bytes().zip(b.bytes()).fold(0, |difference, (x, y)| difference | (x ^ y));
    a.len() == b.len() && difference == 0
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RpcCall {
    cmd: String,
    #[serde(default)]
    payload: Value,
}

async fn rpc(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_json {
        return refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Code::Invalid,
            "the request is not JSON; send it with the content type application/json",
        );
    }
    let Ok(call) = serde_json::from_slice::<RpcCall>(&body) else {
        return refuse(
            StatusCode::BAD_REQUEST,
            Code::Invalid,
            "the request could not be read; send {\"cmd\": …, \"payload\": …}",
        );
    };
    let app = shared.app.clone();
    let answered = tokio::task::spawn_blocking(move || dispatch(&app, &call.cmd, call.payload)).await;
    match answered {
        Ok(Ok(answer)) => Json(answer).into_response(),
        Ok(Err(error)) => failed(&error),
        Err(_) => internal(),
    }
}

/// The change feed as server-sent events. It ends when the page disconnects or stops reading, or when the program exits.
async fn events(State(shared): State<Arc<Shared>>) -> Response {
    event_stream(&shared)
}

#[derive(Deserialize)]
struct Upload {
    name: String,
}

/// Stores an uploaded file in the data folder and issues a token for it.
async fn upload(State(shared): State<Arc<Shared>>, Query(upload): Query<Upload>, request: Request) -> Response {
    match receive(&shared, &upload.name, request).await {
        Ok(response) => response,
        Err(error) => refuse(
            StatusCode::INSUFFICIENT_STORAGE,
            Code::Failed,
            &format!("the file could not be received: {error}; check that the disk has free space and try again"),
        ),
    }
}

/// A partially received file, removed on drop unless [`keep`](Self::keep) is called. If the page disconnects, the whole response
/// is dropped.
struct Unfinished(Option<PathBuf>);

impl Unfinished {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(dir) = &self.0 {
            // Leftovers are removed at the next start.
            let _ = std::fs::remove_dir_all(dir);
        }
    }
}

async fn receive(shared: &Shared, name: &str, request: Request) -> std::io::Result<Response> {
    // Only the harmless characters of the last path component are kept, because it becomes a file name in our own folder.
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe: String =
        last.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_' | '(' | ')')).take(120).collect();
    let safe = if safe.trim_matches('.').is_empty() { "upload".to_owned() } else { safe };
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
    let folder: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let dir = shared.app.engine().imports().incoming_dir().join(folder);
    let unfinished = Unfinished(Some(dir.clone()));
    tokio::fs::create_dir_all(&dir).await?;
    let path = dir.join(safe);
    let mut file = tokio::fs::File::create(&path).await?;
    let mut body = request.into_body();
    let mut received = 0_u64;
    while let Some(frame) = next_frame(&mut body).await {
        let frame = frame.map_err(|error| std::io::Error::other(error.to_string()))?;
        let Ok(data) = frame.into_data() else { continue };
        received += data.len() as u64;
        if received > UPLOAD_BYTES_MAX {
            let words = "this file is too large to send from a browser; import it with `keepsake import`";
            return Ok(refuse(StatusCode::PAYLOAD_TOO_LARGE, Code::Invalid, words));
        }
        file.write_all(&data).await?;
    }
    file.flush().await?;
    unfinished.keep();
    Ok(Json(shared.app.register_file(&path)).into_response())
}

async fn next_frame(body: &mut Body) -> Option<Result<http_body::Frame<Bytes>, axum::Error>> {
    std::future::poll_fn(|context| http_body::Body::poll_frame(Pin::new(&mut *body), context)).await
}

/// Serves the window's files. Unknown paths return the page itself, because the window does its own routing.
async fn page(State(shared): State<Arc<Shared>>, method: Method, request: Request) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return refuse(StatusCode::METHOD_NOT_ALLOWED, Code::Invalid, "this address accepts no data; send GET requests only");
    }
    let Some(ui) = &shared.ui else {
        return refuse(
            StatusCode::NOT_FOUND,
            Code::NotFound,
            "only agents are served here; start `keepsake serve` for the window",
        );
    };
    let asked = request.uri().path().trim_start_matches('/');
    // Only names that the build can produce: letters, digits and a few other characters, so that no path leaves the folder.
    let is_plain = asked.split('/').all(|part| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
    });
    let file = if is_plain { ui.join(asked) } else { ui.join("index.html") };
    let (file, bytes) = match tokio::fs::read(&file).await {
        Ok(bytes) => (file, bytes),
        Err(_) if asked.contains('.') => return StatusCode::NOT_FOUND.into_response(),
        Err(_) => {
            let index = ui.join("index.html");
            match tokio::fs::read(&index).await {
                Ok(bytes) => (index, bytes),
                Err(_) => return StatusCode::NOT_FOUND.into_response(),
            }
        }
    };
    let kind = match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    };
    ([(header::CONTENT_TYPE, kind)], bytes).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_itself_may_ask() {
        let check = |headers: &[(&'static str, &str)], expect: bool, why: &str| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(*name, HeaderValue::from_str(value).unwrap());
            }
            assert_eq!(is_same_site(&map, 4000), expect, "{why}");
        };
        check(&[("host", "127.0.0.1:4000")], true, "a plain request to the address");
        check(&[("host", "localhost:4000"), ("origin", "http://localhost:4000")], true, "the page under its other name");
        check(&[("host", "127.0.0.1:4000"), ("sec-fetch-site", "same-origin")], true, "the page's own fetch");
        check(&[], false, "no host at all");
        check(&[("host", "127.0.0.1")], false, "a host without the port");
        check(&[("host", "127.0.0.1:4001")], false, "another port");
        check(&[("host", "evil.example:4000")], false, "a rebound name");
        check(&[("host", "127.0.0.1:4000"), ("host", "evil.example")], false, "two hosts");
        check(&[("host", "127.0.0.1:4000"), ("origin", "null")], false, "a sandboxed frame");
        check(&[("host", "127.0.0.1:4000"), ("origin", "http://evil.example")], false, "another site");
        check(&[("host", "127.0.0.1:4000"), ("origin", "https://127.0.0.1:4000")], false, "another scheme");
        check(&[("host", "127.0.0.1:4000"), ("sec-fetch-site", "cross-site")], false, "a cross-site fetch without an origin");
        check(&[("host", "127.0.0.1:4000"), ("sec-fetch-site", "same-site")], false, "another port of this computer");
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(equal_in_constant_time("abc", "abc"));
        for (a, b) in [("abc", "abd"), ("abc", "ab"), ("", "a"), ("abcd", "abc")] {
            assert!(!equal_in_constant_time(a, b), "{a} is not {b}");
        }
    }
}
