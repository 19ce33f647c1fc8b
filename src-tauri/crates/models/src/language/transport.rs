//! A single HTTP exchange, limited in time and bytes, cancelable, and never with a host that the network setting blocks.
//!
//! Deliberately disabled: redirects, proxies and their environment variables, HTTP/2, compression, persistent connections, and
//! the library's own retries and verbose log. Names are resolved here, so that `localhost` always means this computer, regardless
//! of hosts files and name servers. With [`Reach::ThisComputer`], no other name is looked up at all.

use std::error::Error;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use keepsake_domain::{Clock, Timestamp};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::endpoint::LOCALHOST;
use super::wire::{LINE_BYTES_MAX, WIRE_BYTES_MAX};
use super::{CallError, ConnectionError, Endpoint, Reach, Watch};

/// Interval at which a running call checks for cancellation, short enough to feel immediate.
const CANCEL_POLL_MS: u64 = 20;

/// Maximum time to connect. The rest of a call's time is for the model.
const CONNECT_TIMEOUT_MS: u64 = 10_000;

/// Maximum number of bytes read from an error response. The reason is in the first few hundred.
const ERROR_BYTES_MAX: usize = 16 * 1024;

/// Maximum delay that a server may request. A longer one would block the work indefinitely.
const RETRY_AFTER_MS_MAX: u64 = 24 * 60 * 60 * 1000;

/// The addresses of `localhost`.
const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// The transport to one server.
#[derive(Clone)]
pub(crate) struct Transport {
    http: reqwest::Client,
    endpoint: Endpoint,
    reach: Reach,
    authorization: Option<HeaderValue>,
    clock: Arc<dyn Clock>,
}

/// Why an exchange failed.
pub(crate) struct Failure {
    pub(crate) error: CallError,
    /// Set if the server may accept the request without one of its parameters. Contains the parameter, if the server named it.
    pub(crate) refused: Option<Option<String>>,
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self { error, refused: None }
    }
}

impl Transport {
    pub(crate) fn new(
        endpoint: Endpoint,
        reach: Reach,
        authorization: Option<HeaderValue>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ConnectionError> {
        let http = http_client(&endpoint, reach).map_err(|_| ConnectionError::Certificates)?;
        Ok(Self { http, endpoint, reach, authorization, clock })
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Runs `work` on its own runtime until it finishes, `timeout_ms` have passed, or `watch` is canceled. Checks the network
    /// setting first, so that no forbidden exchange starts.
    pub(crate) fn run<T>(
        &self,
        timeout_ms: u64,
        watch: &dyn Watch,
        work: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        self.permit()?;
        run(self.bounded(timeout_ms, watch, work))
            .unwrap_or_else(|| Err(self.refused("this computer has no free file handles left")))
    }

    async fn bounded<T>(
        &self,
        timeout_ms: u64,
        watch: &dyn Watch,
        work: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        tokio::select! {
            // Cancellation is checked first, so that a call canceled before it started sends nothing.
            biased;
            () = cancelled(watch) => Err(CallError::Cancelled),
            done = tokio::time::timeout(Duration::from_millis(timeout_ms), work) => {
                done.unwrap_or_else(|_| Err(CallError::TimedOut { origin: self.endpoint.origin(), timeout_ms }))
            }
        }
    }

    /// Fails if the network setting forbids this server.
    pub(crate) fn permit(&self) -> Result<(), CallError> {
        if self.endpoint.is_within(self.reach) { Ok(()) } else { Err(CallError::NotLocal { origin: self.endpoint.origin() }) }
    }

    pub(crate) async fn post(&self, url: Url, body: Vec<u8>, accept: &'static str) -> Result<reqwest::Response, Failure> {
        let json = HeaderValue::from_static("application/json");
        let request = self.http.post(url).header(CONTENT_TYPE, json).header(ACCEPT, HeaderValue::from_static(accept)).body(body);
        self.exchange(request).await
    }

    /// The body of a short response.
    pub(crate) async fn get(&self, url: Url) -> Result<Vec<u8>, CallError> {
        let request = self.http.get(url).header(ACCEPT, HeaderValue::from_static("application/json"));
        let mut response = self.exchange(request).await.map_err(|failure| failure.error)?;
        self.body(&mut response).await
    }

    /// The whole body, limited to the maximum size of a stream line.
    pub(crate) async fn body(&self, response: &mut reqwest::Response) -> Result<Vec<u8>, CallError> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece(response).await? {
            if body.len() + piece.len() > LINE_BYTES_MAX {
                return Err(CallError::TooLong { limit_bytes: LINE_BYTES_MAX });
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// The next piece of a reply. `taken` counts the bytes so far, which are limited.
    pub(crate) async fn next(&self, response: &mut reqwest::Response, taken: &mut u64) -> Result<Option<Bytes>, CallError> {
        let piece = self.piece(response).await?;
        *taken += piece.as_ref().map_or(0, |piece| piece.len() as u64);
        if *taken > WIRE_BYTES_MAX as u64 { Err(CallError::TooLong { limit_bytes: WIRE_BYTES_MAX }) } else { Ok(piece) }
    }

    pub(crate) async fn piece(&self, response: &mut reqwest::Response) -> Result<Option<Bytes>, CallError> {
        response.chunk().await.map_err(|error| self.fault(&error))
    }

    /// Sends a body written by another program, or requests `url` without a body. Returns the response regardless of its
    /// status.
    pub(crate) async fn pass_on(&self, url: Url, body: Option<Bytes>) -> Result<reqwest::Response, CallError> {
        let request = match body {
            Some(body) => self.http.post(url).header(CONTENT_TYPE, HeaderValue::from_static("application/json")).body(body),
            None => self.http.get(url),
        };
        self.send(request).await
    }

    async fn send(&self, mut request: reqwest::RequestBuilder) -> Result<reqwest::Response, CallError> {
        // Checked again right before a connection is opened, so that any future caller of this function is covered too.
        self.permit()?;
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let response = request.send().await.map_err(|error| self.fault(&error))?;
        let status = response.status().as_u16();
        tracing::debug!(origin = %self.endpoint.origin(), status, "a model's server answered");
        Ok(response)
    }

    async fn exchange(&self, request: reqwest::RequestBuilder) -> Result<reqwest::Response, Failure> {
        let mut response = self.send(request).await?;
        let status = response.status().as_u16();
        if response.status().is_success() {
            return Ok(response);
        }
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after_ms = retry_after.and_then(|value| retry_after_ms(value, self.clock.now()));
        let mut body = Vec::new();
        // The status is meaningful even if the body is cut off.
        while let Ok(Some(piece)) = self.piece(&mut response).await {
            let room = ERROR_BYTES_MAX - body.len();
            body.extend_from_slice(&piece[..piece.len().min(room)]);
            if body.len() == ERROR_BYTES_MAX {
                break;
            }
        }
        let said = ServerError::read(&body).unwrap_or_default();
        let error = said.call_error(status, retry_after_ms);
        Err(Failure { error, refused: said.is_about_parameters(status).then_some(said.parameter) })
    }

    fn fault(&self, error: &reqwest::Error) -> CallError {
        if !error.is_connect() {
            return CallError::CutOff { at_token_limit: false };
        }
        match why(error) {
            NoWay::Untrusted => CallError::Untrusted { origin: self.endpoint.origin() },
            NoWay::Because(reason) => self.refused(reason),
        }
    }

    fn refused(&self, reason: &'static str) -> CallError {
        CallError::Refused { origin: self.endpoint.origin(), reason }
    }

    pub(crate) fn not_its_shape(&self) -> CallError {
        CallError::Envelope { origin: self.endpoint.origin() }
    }
}

/// Runs `work` on this thread. `None` if the system has no handles left for a runtime.
pub(crate) fn run<T>(work: impl Future<Output = T>) -> Option<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let done = runtime.block_on(work);
    // A name lookup cannot be stopped, so a canceled call does not wait for it.
    runtime.shutdown_background();
    Some(done)
}

async fn cancelled(watch: &dyn Watch) {
    while !watch.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(CANCEL_POLL_MS)).await;
    }
}

fn http_client(endpoint: &Endpoint, reach: Reach) -> reqwest::Result<reqwest::Client> {
    // Only the first installed provider takes effect, and it is always this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .user_agent(concat!("keepsake/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .no_proxy()
        .http1_only()
        .retry(reqwest::retry::never())
        .referer(false)
        .pool_max_idle_per_host(0)
        .connect_timeout(Duration::from_millis(CONNECT_TIMEOUT_MS))
        .dns_resolver(Resolver { reach });
    if endpoint.is_encrypted() {
        builder.https_only(true).build()
    } else {
        // Plain HTTP must work on a system without certificates, so none are read.
        let none = rustls::ClientConfig::builder().with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
        builder.tls_backend_preconfigured(none).build()
    }
}

/// Resolves names to addresses. Literal addresses are not resolved here; the endpoint checks them.
struct Resolver {
    reach: Reach,
}

#[derive(Debug, thiserror::Error)]
#[error("the host name is unknown")]
struct UnknownName;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (name, reach) = (name.as_str().to_ascii_lowercase(), self.reach);
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = if name == LOCALHOST {
                LOOPBACK.iter().map(|address| SocketAddr::new(*address, 0)).collect()
            } else if reach == Reach::ThisComputer {
                return Err(UnknownName.into());
            } else {
                tokio::net::lookup_host((name.as_str(), 0)).await.map_err(|_| UnknownName)?.collect()
            };
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Why no connection could be established.
enum NoWay {
    /// The certificate is not trusted.
    Untrusted,
    /// Any other reason.
    Because(&'static str),
}

fn why(error: &reqwest::Error) -> NoWay {
    let mut next = error.source();
    while let Some(error) = next {
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return match tls {
                rustls::Error::InvalidCertificate(_) => NoWay::Untrusted,
                _ => NoWay::Because("the server does not use https"),
            };
        }
        if error.is::<UnknownName>() {
            return NoWay::Because("the host name is unknown");
        }
        let io = error.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused) {
            return NoWay::Because("no server is listening there");
        }
        // An IO error does not report its wrapped error as its source.
        next = match io.and_then(|io| io.get_ref()) {
            Some(within) => Some(within),
            None => error.source(),
        };
    }
    NoWay::Because("it cannot be reached")
}

/// The error codes of llama.cpp and OpenAI for a prompt that exceeds the model's context.
const TOO_LONG: [&str; 2] = ["exceed_context_size_error", "context_length_exceeded"];

/// The matching error messages of vLLM, LM Studio and others, which send no code.
const TOO_LONG_SAID: [&str; 4] = ["maximum context length", "context length of", "context overflow", "exceeds the context"];

/// An error that a server reports with a status or within a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerError {
    code: Option<u16>,
    parameter: Option<String>,
    is_loading: bool,
    names_shape: bool,
    is_too_long: bool,
    context_tokens: Option<u32>,
}

impl ServerError {
    /// Parses `{"error": "…"}` and `{"error": {"message", "param", "code"}}`. The message may quote the prompt, so it is used
    /// only to detect that a model is loading, that a prompt is too long, or that the reply format was rejected.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Body {
            error: Value,
        }
        let Body { error } = serde_json::from_slice(body).ok()?;
        if !error.is_string() && !error.is_object() {
            return None;
        }
        let message = error.as_str().or(error["message"].as_str()).unwrap_or_default().to_ascii_lowercase();
        let names = [&error["code"], &error["type"]];
        Some(Self {
            code: error["code"].as_u64().and_then(|code| u16::try_from(code).ok()),
            parameter: error["param"].as_str().map(str::to_owned),
            is_too_long: names.iter().filter_map(|name| name.as_str()).any(|name| TOO_LONG.contains(&name))
                || TOO_LONG_SAID.iter().any(|words| message.contains(words)),
            context_tokens: error["n_ctx"].as_u64().and_then(|tokens| u32::try_from(tokens).ok()),
            is_loading: message.contains("loading model") || message.contains("model is loading"),
            names_shape: ["response_format", "json_schema", "grammar"].iter().any(|word| message.contains(word)),
        })
    }

    /// Whether a request rejected with `status` may be accepted without one of its parameters. llama-cpp-python returns 500 for
    /// an unknown parameter.
    fn is_about_parameters(&self, status: u16) -> bool {
        !self.is_too_long && (matches!(status, 400 | 422) || status == 500 && self.names_shape)
    }

    /// The call error for a response with this `status`.
    fn call_error(&self, status: u16, retry_after_ms: Option<u64>) -> CallError {
        match status {
            503 if self.is_loading => CallError::Loading,
            429 | 503 => CallError::Busy { status, retry_after_ms },
            // "Request Timeout" and "Too Early": the server asks for another attempt.
            408 | 425 => CallError::Server { status },
            413 => CallError::PromptTooLong { context_tokens: self.context_tokens },
            400..=599 if self.is_too_long => CallError::PromptTooLong { context_tokens: self.context_tokens },
            300..=499 => CallError::Rejected { status },
            _ => CallError::Server { status },
        }
    }

    /// The call error for an error within a stream.
    pub(crate) fn in_stream(&self) -> CallError {
        self.call_error(self.code.filter(|code| (400..600).contains(code)).unwrap_or(500), None)
    }
}

/// Parses `Retry-After`, which is a number of seconds or a point in time.
fn retry_after_ms(value: &str, now: Timestamp) -> Option<u64> {
    let value = value.trim();
    let wait_ms = match value.parse::<u64>() {
        Ok(seconds) => seconds.saturating_mul(1000),
        Err(_) => {
            let at = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?.as_millis();
            let now = u128::try_from(now.as_millis()).unwrap_or(0);
            u64::try_from(at.saturating_sub(now)).unwrap_or(u64::MAX)
        }
    };
    Some(wait_ms.min(RETRY_AFTER_MS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_both_forms_and_bounded() {
        // 2026-03-02 10:00:00 UTC.
        let now = Timestamp(1_772_445_600_000);
        let check = |value: &str, expect: Option<u64>| assert_eq!(retry_after_ms(value, now), expect, "{value}");
        check("7", Some(7_000));
        check(" 0 ", Some(0));
        check("Mon, 02 Mar 2026 10:00:20 GMT", Some(20_000));
        check("Mon, 02 Mar 2026 09:00:00 GMT", Some(0));
        check("Mon, 02 Mar 2099 09:00:00 GMT", Some(RETRY_AFTER_MS_MAX));
        check("99999999999999999999", None);
        check("18446744073709551615", Some(RETRY_AFTER_MS_MAX));
        check("-5", None);
        check("soon", None);
    }

    #[test]
    fn a_status_becomes_the_error_that_says_what_to_do() {
        let check = |status: u16, body: &str, expect: CallError| {
            assert_eq!(ServerError::read(body.as_bytes()).unwrap_or_default().call_error(status, Some(5)), expect, "{status}");
        };
        check(429, "", CallError::Busy { status: 429, retry_after_ms: Some(5) });
        check(503, "", CallError::Busy { status: 503, retry_after_ms: Some(5) });
        check(503, r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#, CallError::Loading);
        check(500, r#"{"error":"loading model failed"}"#, CallError::Server { status: 500 });
        check(502, "<html>", CallError::Server { status: 502 });
        check(408, "", CallError::Server { status: 408 });
        check(302, "", CallError::Rejected { status: 302 });
        check(401, r#"{"error":{"message":"wrong key sk-123"}}"#, CallError::Rejected { status: 401 });
        check(404, r#"{"error":"model 'x' not found"}"#, CallError::Rejected { status: 404 });
        check(413, "", CallError::PromptTooLong { context_tokens: None });
        let llama = r#"{"error":{"code":400,"message":"too long","type":"exceed_context_size_error","n_prompt_tokens":6000,"n_ctx":4096}}"#;
        check(400, llama, CallError::PromptTooLong { context_tokens: Some(4_096) });
        let vllm =
            r#"{"error":{"message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}}"#;
        check(400, vllm, CallError::PromptTooLong { context_tokens: None });
    }

    #[test]
    fn a_refusal_about_parameters_is_told_from_a_fault() {
        let check = |status: u16, body: &str, expect: bool| {
            assert_eq!(
                ServerError::read(body.as_bytes()).unwrap_or_default().is_about_parameters(status),
                expect,
                "{status} {body}"
            );
        };
        check(400, "", true);
        check(422, r#"{"detail":[]}"#, true);
        check(
            500,
            r#"{"error":{"message":"[{'loc': ('body', 'response_format', 'type')}]","type":"internal_server_error"}}"#,
            true,
        );
        check(500, r#"{"error":"failed to parse grammar"}"#, true);
        check(500, r#"{"error":"out of memory"}"#, false);
        check(400, r#"{"error":{"code":400,"message":"too long","type":"exceed_context_size_error"}}"#, false);
        check(400, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#, false);
        check(503, r#"{"error":"response_format"}"#, false);
        check(401, "", false);
    }

    #[tokio::test]
    async fn localhost_is_loopback_and_no_other_name_is_looked_up_on_this_computer_alone() {
        let resolve = async |reach, name: &str| {
            let found = Resolver { reach }.resolve(name.parse().unwrap()).await;
            found.map(|addresses| addresses.map(|address| address.ip()).collect::<Vec<_>>()).ok()
        };
        for reach in [Reach::ThisComputer, Reach::Anywhere] {
            assert_eq!(resolve(reach, "localhost").await, Some(LOOPBACK.to_vec()));
            assert_eq!(resolve(reach, "LocalHost").await, Some(LOOPBACK.to_vec()));
        }
        assert_eq!(resolve(Reach::ThisComputer, "localhost.evil.example").await, None);
        // A literal address, which every name server would resolve.
        assert_eq!(resolve(Reach::ThisComputer, "127.0.0.2").await, None, "names are not looked up");
        assert!(resolve(Reach::Anywhere, "127.0.0.2").await.is_some(), "control: without the switch they are");
    }
}
