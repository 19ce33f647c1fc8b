//! Signing in with tokens: the device flow (RFC 8628), in which the person enters a code at their provider, and token renewal
//! (RFC 6749).
//!
//! Keepsake has no client id of its own; the person enters one that they registered. Not here: how a token is used (`session`).

use std::time::Duration;

use keepsake_domain::Timestamp;
use reqwest::redirect::Policy;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use super::settings::{MailSettings, OAuthSettings, SignIn};
use crate::contract::Fault;
use crate::secret::Secret;

/// How long a provider may take to respond.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// Maximum number of bytes in a response. Tokens have up to 4 KiB.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// A token that expires within this time is renewed before it is used.
const MARGIN_MS: i64 = 60_000;

/// Lifetime of a token in seconds, if the provider does not state it.
const LIFE_S: i64 = 3600;

/// Upper limit for the lifetime of a token, in seconds.
const LIFE_S_MAX: i64 = 30 * 24 * 3600;

/// Wait between two polls if the provider does not state it (RFC 8628, section 3.2), and the extra wait after `slow_down`.
const INTERVAL_S: u64 = 5;

/// Upper limit for the wait between two polls.
const INTERVAL_S_MAX: u64 = 60;

/// Upper limit for the lifetime of a code, in seconds. A person is waiting at the screen.
const CODE_S_MAX: i64 = 3600;

/// Lifetime of a code in seconds, if the provider does not state it, although it must (RFC 8628, section 3.2).
const CODE_S: i64 = 600;

/// How to sign in to the mail server.
pub(super) enum Credential {
    /// With a password.
    Password(Secret),
    /// With a token.
    Token(Secret),
}

/// The secret of a source that signs in with tokens.
#[derive(Serialize, Deserialize)]
struct Tokens {
    access: String,
    refresh: Option<String>,
    expires_ms: i64,
}

impl Tokens {
    fn of(secret: Option<&Secret>) -> Result<Self, Fault> {
        let tokens = secret.and_then(|secret| serde_json::from_str(secret.expose_secret()).ok());
        tokens.ok_or_else(|| Fault::refused("Nobody signed in at the provider of this mailbox yet. Sign in there."))
    }

    fn secret(&self) -> Secret {
        // Serializing plain strings cannot fail.
        serde_json::to_string(self).unwrap_or_default().into()
    }
}

/// What the person has to do at their provider.
#[derive(Debug)]
pub struct DeviceCode {
    /// The code that they enter.
    pub user_code: String,
    /// The page where they enter it.
    pub page: String,
    /// Wait before the next [`poll`].
    pub interval: Duration,
    /// How long the code is valid.
    pub expires_in: Duration,
    code: Secret,
}

/// A provider's response to any of the requests.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Answer {
    device_code: String,
    user_code: String,
    verification_uri: String,
    /// The field name that older providers use.
    verification_url: String,
    interval: Option<u64>,
    access_token: String,
    refresh_token: Option<String>,
    expires_in: Option<i64>,
    error: String,
}

/// Requests a code from the provider.
pub async fn begin(settings: &OAuthSettings) -> Result<DeviceCode, Fault> {
    let answer = ask(&settings.device_url, &[("client_id", &settings.client_id), ("scope", &settings.scope)]).await?;
    let page = if answer.verification_uri.is_empty() { answer.verification_url } else { answer.verification_uri };
    if answer.device_code.is_empty() || answer.user_code.is_empty() || !page.starts_with("http") {
        return Err(refused(&answer.error));
    }
    Ok(DeviceCode {
        user_code: answer.user_code,
        page,
        interval: Duration::from_secs(answer.interval.unwrap_or(INTERVAL_S).clamp(1, INTERVAL_S_MAX)),
        expires_in: Duration::from_secs(answer.expires_in.unwrap_or(CODE_S).clamp(0, CODE_S_MAX).unsigned_abs()),
        code: answer.device_code.into(),
    })
}

/// Checks whether the person has entered the code. Returns the secret for the source, or `None` if they have not; then poll
/// again after the interval, which may have increased.
pub async fn poll(settings: &OAuthSettings, code: &mut DeviceCode, now: Timestamp) -> Result<Option<Secret>, Fault> {
    let answer = ask(
        &settings.token_url,
        &[
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", code.code.expose_secret()),
            ("client_id", &settings.client_id),
        ],
    )
    .await?;
    match answer.error.as_str() {
        "authorization_pending" => Ok(None),
        "slow_down" => {
            code.interval = (code.interval + Duration::from_secs(INTERVAL_S)).min(Duration::from_secs(INTERVAL_S_MAX));
            Ok(None)
        }
        _ => Ok(Some(tokens(answer, None, now)?.secret())),
    }
}

/// Returns what to sign in with, and the secret to store if it differs from the previous one. If `now` is `None`, the token
/// counts as valid.
pub(super) async fn credential(
    settings: &MailSettings,
    secret: Option<Secret>,
    now: Option<Timestamp>,
) -> Result<(Credential, Option<Secret>), Fault> {
    match &settings.sign_in {
        SignIn::Password => {
            let missing = || Fault::refused("The password of this mailbox is missing. Enter it.");
            Ok((Credential::Password(secret.ok_or_else(missing)?), None))
        }
        SignIn::Oauth2(oauth) => {
            let tokens = Tokens::of(secret.as_ref())?;
            let ends = |now: &Timestamp| tokens.expires_ms <= now.plus_ms(MARGIN_MS).0;
            let Some(now) = now.filter(ends) else { return Ok((Credential::Token(tokens.access.into()), None)) };
            let (credential, renewed) = renew(oauth, secret, now).await?;
            Ok((credential, Some(renewed)))
        }
    }
}

/// Renews a token. Returns the new token and the secret to store.
pub(super) async fn renew(
    settings: &OAuthSettings,
    secret: Option<Secret>,
    now: Timestamp,
) -> Result<(Credential, Secret), Fault> {
    let old = Tokens::of(secret.as_ref())?;
    let Some(refresh) = old.refresh else { return Err(refused("no refresh token")) };
    let answer = ask(
        &settings.token_url,
        &[("grant_type", "refresh_token"), ("refresh_token", &refresh), ("client_id", &settings.client_id)],
    )
    .await?;
    let new = tokens(answer, Some(refresh), now)?;
    let secret = new.secret();
    Ok((Credential::Token(new.access.into()), secret))
}

/// The tokens in a response. If the provider returns no new refresh token, the old one remains valid.
fn tokens(answer: Answer, old_refresh: Option<String>, now: Timestamp) -> Result<Tokens, Fault> {
    if answer.access_token.is_empty() {
        return Err(refused(&answer.error));
    }
    let life = answer.expires_in.unwrap_or(LIFE_S).clamp(0, LIFE_S_MAX);
    Ok(Tokens {
        access: answer.access_token,
        refresh: answer.refresh_token.or(old_refresh),
        expires_ms: now.plus_ms(life * 1000).0,
    })
}

/// The fault for a provider's refusal. `error` is usually an error name from the standard.
fn refused(error: &str) -> Fault {
    let name: String = error.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ')).take(60).collect();
    let name = if name.is_empty() { "no token".to_owned() } else { name };
    Fault::refused(format!("The provider of this mailbox did not let you in ({name}). Sign in there again."))
}

/// Sends a request to a provider. An error response counts as an answer.
async fn ask(address: &str, fields: &[(&str, &str)]) -> Result<Answer, Fault> {
    let url = url::Url::parse(address).map_err(|_| Fault::refused("An address of the provider is not valid. Correct it."))?;
    let host = url.host_str().unwrap_or_default().to_owned();
    let is_here = matches!(host.as_str(), "127.0.0.1" | "[::1]" | "localhost");
    if url.scheme() != "https" && !(url.scheme() == "http" && is_here) {
        return Err(Fault::refused(format!("The address of {host} must begin with https, because tokens are sent there.")));
    }
    let gone = |_| Fault::unreachable(format!("The provider {host} cannot be reached. Check the network."));
    // Another part of the program may have set it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A redirect would send tokens to another server.
    let client = reqwest::Client::builder().redirect(Policy::none()).timeout(ANSWER_MAX).build().map_err(gone)?;
    let body: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let request = client
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("accept", "application/json")
        .body(body);
    let mut response = request.send().await.map_err(gone)?;
    let status = response.status();
    if status.is_server_error() || status.as_u16() == 429 {
        return Err(Fault::unreachable(format!("The provider {host} cannot answer now ({}).", status.as_u16())));
    }
    let mut text = Vec::new();
    while let Some(part) = response.chunk().await.map_err(gone)? {
        if text.len() + part.len() > ANSWER_BYTES_MAX {
            return Err(Fault::protocol(format!("The provider {host} sent more than {ANSWER_BYTES_MAX} bytes.")));
        }
        text.extend_from_slice(&part);
    }
    serde_json::from_slice(&text).map_err(|_| {
        Fault::protocol(format!(
            "The provider {host} answered {} with something that is not JSON. Check the address.",
            status.as_u16()
        ))
    })
}
