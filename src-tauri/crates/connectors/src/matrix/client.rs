//! The requests sent to a homeserver, and the meaning of its refusals.
//!
//! All requests only read, except for four kinds, none of which reaches a room: signing in, keys of this device, messages to
//! other devices, and signatures. Responses are not interpreted here.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, Request, Response, StatusCode};
use ruma::api::auth_scheme::SendAccessToken;
use ruma::api::path_builder::VersionHistory;
use ruma::api::{IncomingResponse, Metadata, OutgoingRequest, SupportedVersions};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;
use url::Url;

use super::session::{Session, Tokens};
use super::vault::{Kind, Vault};
use crate::contract::Fault;
use crate::link::Link;

/// Maximum size of a sync response. 100,000 rooms take about 50 MB, and real accounts less than 20 MB.
pub(super) const SYNC_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Largest response to any other request. A page of 100 events takes at most 6.4 MB, and the members of a room with 50,000
/// people about 8 MB.
pub(super) const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How long a server may take to respond, beyond the wait requested of it. An initial synchronization of a large account takes
/// up to a minute.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Longest wait that the client observes if the server requests one. If the server requests a longer one, the connector ends
/// and reports it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a request is sent again because the server asked to wait.
const PATIENT_TRIES: u32 = 5;

/// Wait after "too many requests" if the server gives no duration.
const PAUSE: Duration = Duration::from_secs(5);

/// A request in progress.
pub(super) type Asking<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A homeserver, and the session on it.
pub(super) struct Client {
    http: reqwest::Client,
    base: Url,
    tokens: Mutex<Option<Tokens>>,
    keeper: Option<Keeper>,
}

/// Stores renewed tokens.
pub(super) struct Keeper {
    /// Where the tokens are stored first.
    pub(super) vault: Arc<Vault>,
    /// Used to store the session.
    pub(super) link: Link,
    /// The rest of the session.
    pub(super) session: Session,
}

/// The body of a refusal.
#[derive(Debug, Default, Deserialize)]
struct Refusal {
    #[serde(default)]
    errcode: String,
    #[serde(default)]
    retry_after_ms: Option<u64>,
    #[serde(default)]
    soft_logout: bool,
}

/// The part of a refusal that determines how to continue.
#[derive(Debug)]
pub(super) enum Failure {
    /// The access token is no longer valid.
    UnknownToken {
        /// Whether the session itself still exists.
        soft: bool,
    },
    /// The server asks to wait before the next request.
    Limited(Option<Duration>),
    /// The requested item does not exist, or this account may not see it.
    Missing(String),
    /// Anything else.
    Fault(Fault),
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::UnknownToken { .. } => Self::refused(
                "The Matrix server ended this session: the device was signed out, or the password was changed. Connect the account again.",
            ),
            Failure::Limited(retry_after) => Self::Unreachable {
                detail: "The Matrix server asks to wait because there are too many requests.".to_owned(),
                retry_after,
            },
            Failure::Missing(detail) => Self::refused(detail),
            Failure::Fault(fault) => fault,
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The meaning of an unsuccessful response. Only protocol codes are passed on, because a body may contain anything.
fn failure_of(status: StatusCode, retry_after: Option<&str>, body: &[u8], what: &str) -> Failure {
    let refusal: Refusal = serde_json::from_slice(body).unwrap_or_default();
    let code: String = refusal.errcode.chars().filter(|c| c.is_ascii_uppercase() || *c == '_').take(60).collect();
    let told = if code.is_empty() { status.as_u16().to_string() } else { format!("{}, {code}", status.as_u16()) };
    let asked = retry_after.and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs);
    let asked = asked.or(refusal.retry_after_ms.map(Duration::from_millis));
    match (status.as_u16(), code.as_str()) {
        (429, _) | (_, "M_LIMIT_EXCEEDED") => Failure::Limited(asked),
        (_, "M_UNKNOWN_TOKEN" | "M_MISSING_TOKEN") => Failure::UnknownToken { soft: refusal.soft_logout },
        (_, "M_USER_DEACTIVATED") => Failure::Fault(Fault::refused("The Matrix account was deactivated.")),
        (_, "M_USER_SUSPENDED" | "M_USER_LOCKED") => {
            Failure::Fault(Fault::refused("The Matrix server locked the account. Ask who runs the server."))
        }
        (500.., _) | (408, _) | (_, "M_RESOURCE_LIMIT_EXCEEDED") => Failure::Fault(Fault::Unreachable {
            detail: format!("The Matrix server failed at {what} ({told})."),
            retry_after: asked,
        }),
        (403 | 404, _) => Failure::Missing(format!("The Matrix server refused {what} ({told}).")),
        _ => Failure::Fault(Fault::protocol(format!("The Matrix server refused {what} ({told})."))),
    }
}

/// The fault for a request without a response.
fn unreachable(error: &reqwest::Error, host: &str) -> Fault {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if matches!(error.downcast_ref::<rustls::Error>(), Some(rustls::Error::InvalidCertificate(_))) {
            return Fault::Certificate {
                detail: format!(
                    "The certificate of {host} cannot be trusted. Ask who runs the server, or check this computer's clock."
                ),
            };
        }
        // An I/O error does not return the error it wraps from `source`.
        cause = match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    let what = if error.is_timeout() { "does not answer in time" } else { "cannot be reached" };
    Fault::unreachable(format!("{host} {what}."))
}

/// Creates the HTTP client.
pub(super) fn http(redirects: usize) -> Result<reqwest::Client, Fault> {
    // Only the first installed provider takes effect, and it is always this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let policy = if redirects == 0 { reqwest::redirect::Policy::none() } else { reqwest::redirect::Policy::limited(redirects) };
    reqwest::Client::builder()
        .user_agent(concat!("keepsake/", env!("CARGO_PKG_VERSION")))
        .redirect(policy)
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
        .map_err(|_| Fault::unreachable("The certificates of this computer cannot be read, so no server can be trusted."))
}

/// The bytes of a response, up to a limit.
pub(super) async fn body_of(mut answer: Response, max: usize, host: &str) -> Result<Vec<u8>, Fault> {
    let too_large = || Fault::protocol(format!("{host} sent an answer of more than {} MB.", max / 1_000_000));
    if answer.content_length().is_some_and(|len| len > max as u64) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| unreachable(&error, host))? {
        if body.len() + chunk.len() > max {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// A request to the homeserver.
#[derive(Clone, Default)]
pub(super) struct Ask<'a> {
    /// The segments of the path after `/_matrix/client`.
    pub(super) path: &'a [&'a str],
    /// The query.
    pub(super) query: &'a [(&'a str, &'a str)],
    /// The body to post; a request without a body only reads.
    pub(super) body: Option<Value>,
    /// How long the server is asked to wait.
    pub(super) wait: Duration,
    /// Largest answer.
    pub(super) bytes_max: usize,
    /// The purpose of the request, in words.
    pub(super) what: &'a str,
}

impl Client {
    /// Creates a client for this server.
    pub(super) fn new(base: Url, tokens: Option<Tokens>, keeper: Option<Keeper>) -> Result<Self, Fault> {
        Ok(Self { http: http(0)?, base, tokens: Mutex::new(tokens), keeper })
    }

    fn host(&self) -> &str {
        self.base.host_str().unwrap_or("The Matrix server")
    }

    async fn access_token(&self) -> Option<SecretString> {
        self.tokens.lock().await.as_ref().map(|tokens| tokens.access_token.clone())
    }

    /// Sends a request, and repeats it if the server asks to wait or the token has been renewed.
    pub(super) async fn ask(&self, ask: &Ask<'_>) -> Result<Vec<u8>, Failure> {
        let mut is_renewed = false;
        let mut tries = 0;
        loop {
            let token = self.access_token().await;
            let mut request = Request::new(Method::GET, self.url(ask)?);
            *request.timeout_mut() = Some(ANSWER_TIMEOUT + ask.wait);
            if let Some(body) = &ask.body {
                *request.method_mut() = Method::POST;
                *request.body_mut() = Some(body.to_string().into());
                request.headers_mut().insert("content-type", reqwest::header::HeaderValue::from_static("application/json"));
            }
            if let Some(token) = &token {
                bear(&mut request, token)?;
            }
            let (status, answer) = self.send(request, ask.bytes_max, ask.what).await?;
            match status {
                Ok(()) => return Ok(answer),
                Err(Failure::UnknownToken { soft }) if !is_renewed && token.is_some() => {
                    is_renewed = true;
                    self.renew(token.as_ref(), soft).await?;
                }
                Err(Failure::Limited(wait)) if tries < PATIENT_TRIES && wait.unwrap_or(PAUSE) <= PATIENCE => {
                    tries += 1;
                    tokio::time::sleep(wait.unwrap_or(PAUSE)).await;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Sends one of the requests needed for encryption.
    pub(super) async fn ask_typed<R>(&self, request: R, what: &str) -> Result<R::IncomingResponse, Failure>
    where
        R: OutgoingRequest + Metadata<PathBuilder = VersionHistory>,
        for<'a> R::Authentication: ruma::api::auth_scheme::AuthScheme<Input<'a> = SendAccessToken<'a>>,
    {
        let mut is_renewed = false;
        let mut tries = 0;
        loop {
            let token = self.access_token().await;
            let versions = SupportedVersions {
                versions: [ruma::api::MatrixVersion::V1_1].into(),
                features: std::collections::BTreeSet::default(),
            };
            let bearer = token.as_ref().map_or("", |token| token.expose_secret());
            let asked = request
                .clone()
                .try_into_http_request::<Vec<u8>>(
                    self.base.as_str(),
                    SendAccessToken::IfRequired(bearer),
                    std::borrow::Cow::Owned(versions),
                )
                .ok()
                .and_then(|asked| Request::try_from(asked).ok())
                .ok_or_else(|| Fault::protocol(format!("The request for {what} cannot be written.")))?;
            let (status, answer) = self.send(asked, ANSWER_BYTES_MAX, what).await?;
            match status {
                Ok(()) => {
                    return R::IncomingResponse::try_from_http_response(ruma::exports::http::Response::new(answer))
                        .map_err(|_| Fault::protocol(format!("The answer about {what} has an unknown form.")).into());
                }
                Err(Failure::UnknownToken { soft }) if !is_renewed => {
                    is_renewed = true;
                    self.renew(token.as_ref(), soft).await?;
                }
                Err(Failure::Limited(wait)) if tries < PATIENT_TRIES && wait.unwrap_or(PAUSE) <= PATIENCE => {
                    tries += 1;
                    tokio::time::sleep(wait.unwrap_or(PAUSE)).await;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    async fn send(&self, mut request: Request, bytes_max: usize, what: &str) -> Result<(Result<(), Failure>, Vec<u8>), Fault> {
        if request.timeout().is_none() {
            *request.timeout_mut() = Some(ANSWER_TIMEOUT);
        }
        let answer = self.http.execute(request).await.map_err(|error| unreachable(&error, self.host()))?;
        let status = answer.status();
        let retry_after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = body_of(answer, bytes_max, self.host()).await?;
        let result = if status.is_success() { Ok(()) } else { Err(failure_of(status, retry_after.as_deref(), &body, what)) };
        Ok((result, body))
    }

    fn url(&self, ask: &Ask<'_>) -> Result<Url, Fault> {
        let mut url = self.base.clone();
        url.path_segments_mut()
            .map_err(|()| Fault::refused("The address of the Matrix server is no address of a web server."))?
            .pop_if_empty()
            .extend(["_matrix", "client"])
            .extend(ask.path);
        if !ask.query.is_empty() {
            url.query_pairs_mut().extend_pairs(ask.query);
        }
        Ok(url)
    }

    /// Renews the access token, unless another request has done so since `used` was read.
    async fn renew(&self, used: Option<&SecretString>, soft: bool) -> Result<(), Failure> {
        let mut tokens = self.tokens.lock().await;
        let Some(now) = tokens.as_ref() else { return Err(Failure::UnknownToken { soft }) };
        if used.is_some_and(|used| used.expose_secret() != now.access_token.expose_secret()) {
            return Ok(());
        }
        let Some(refresh) = now.refresh_token.clone() else { return Err(Failure::UnknownToken { soft }) };
        let what = "a new access token";
        let body = serde_json::json!({ "refresh_token": refresh.expose_secret() });
        let path = ["v3", "refresh"];
        let url = self.url(&Ask { path: &path, ..Ask::default() })?;
        let mut request = Request::new(Method::POST, url);
        *request.body_mut() = Some(body.to_string().into());
        let (status, answer) = self.send(request, ANSWER_BYTES_MAX, what).await?;
        status?;
        let renewed: Tokens = serde_json::from_slice(&answer)
            .map_err(|_| Fault::protocol("The answer with a new access token has an unknown form."))?;
        let renewed = Tokens { refresh_token: renewed.refresh_token.or(Some(refresh)), access_token: renewed.access_token };
        if let Some(keeper) = &self.keeper {
            keeper.vault.set(Kind::Session, "", "", &renewed.exposed()).map_err(Fault::from)?;
            let session = Session { tokens: renewed.clone(), ..keeper.session.clone() };
            keeper.link.keep_secret(session.to_secret()).await.map_err(Fault::from)?;
        }
        *tokens = Some(renewed);
        Ok(())
    }
}

fn bear(request: &mut Request, token: &SecretString) -> Result<(), Fault> {
    let mut value = reqwest::header::HeaderValue::from_str(&format!("Bearer {}", token.expose_secret()))
        .map_err(|_| Fault::refused("The access token has characters that no access token has. Connect the account again."))?;
    value.set_sensitive(true);
    request.headers_mut().insert(reqwest::header::AUTHORIZATION, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do_and_repeats_nothing_of_the_body() {
        let check = |status: u16, header: Option<&str>, body: &str, expect: &str| {
            let failure = failure_of(StatusCode::from_u16(status).unwrap(), header, body.as_bytes(), "the messages");
            let shown = match failure {
                Failure::UnknownToken { soft } => format!("token {soft}"),
                Failure::Limited(wait) => format!("limited {:?}", wait.map(|wait| wait.as_millis())),
                Failure::Missing(_) => "missing".to_owned(),
                Failure::Fault(Fault::Unreachable { detail, retry_after }) => format!("unreachable {detail} {retry_after:?}"),
                Failure::Fault(Fault::Refused { .. }) => "refused".to_owned(),
                Failure::Fault(fault) => format!("fault {fault}"),
            };
            assert_eq!(shown, expect, "{status} {body}");
            assert!(!shown.contains("secret"), "{shown}");
        };
        check(429, Some("7"), "{}", "limited Some(7000)");
        check(429, None, r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":1500}"#, "limited Some(1500)");
        check(429, Some("soon"), "<html>", "limited None");
        check(401, None, r#"{"errcode":"M_UNKNOWN_TOKEN","soft_logout":true}"#, "token true");
        check(401, None, r#"{"errcode":"M_UNKNOWN_TOKEN"}"#, "token false");
        check(403, None, r#"{"errcode":"M_FORBIDDEN","error":"secret"}"#, "missing");
        check(403, None, r#"{"errcode":"M_USER_DEACTIVATED"}"#, "refused");
        check(502, None, "<secret>", "unreachable The Matrix server failed at the messages (502). None");
        check(400, None, r#"{"errcode":"M secret"}"#, "fault The Matrix server refused the messages (400, M).");
    }
}
