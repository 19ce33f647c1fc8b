//! Signing in: turns what the person entered into a session, and finds the homeserver.
//!
//! Not here: how the session is stored (`session`), and what is read with it.

use std::time::Duration;

use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::client::{ANSWER_BYTES_MAX, Ask, Client, Failure, body_of, http};
use super::session::{Session, Tokens};
use crate::contract::Fault;
use crate::secret::Secret;

/// Maximum time for the discovery of a server. Many servers have no discovery, and answer with a web page.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum size of a discovery answer.
const DISCOVERY_BYTES_MAX: usize = 64 * 1024;

/// Maximum number of redirects of a discovery.
const REDIRECTS_MAX: usize = 3;

/// The name of this device in the person's list of sessions.
const DEVICE_NAME: &str = "Keepsake";

/// How the person signs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignIn {
    /// With the password, which is exchanged for a session.
    #[default]
    Password,
    /// With an access token of a device that no other program uses.
    AccessToken,
    /// In the browser: with the token that the browser brought back.
    Browser,
}

/// A newly started session.
pub(super) struct Begun {
    pub(super) session: Session,
    pub(super) user: String,
    pub(super) device: String,
}

/// The homeserver's page for signing in with the browser. The server redirects the browser to `redirect`, an address on this
/// computer, with `loginToken` in its query.
pub(super) fn sign_in_page(mut base: Url, redirect: &str) -> Result<String, Fault> {
    base.path_segments_mut()
        .map_err(|()| Fault::refused("The address of the Matrix server is no address of a web server."))?
        .pop_if_empty()
        .extend(["_matrix", "client", "v3", "login", "sso", "redirect"]);
    base.query_pairs_mut().append_pair("redirectUrl", redirect);
    Ok(base.into())
}

/// Whether messages may be read from this address: either the connection is encrypted, or the server is on this computer.
fn is_safe(url: &Url) -> bool {
    let is_here = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && is_here)
}

fn safe(url: Url) -> Result<Url, Fault> {
    if is_safe(&url) && url.username().is_empty() && url.password().is_none() && url.query().is_none() {
        return Ok(url);
    }
    Err(Fault::refused("The address of the Matrix server must begin with https:// and have no name or password in it."))
}

/// Finds the homeserver: at the address that the person entered, or at the address that discovery returns for the server name.
pub(super) async fn discover(entered: &str) -> Result<Url, Fault> {
    let entered = entered.trim();
    // A user id contains the name of its server.
    let name = entered.strip_prefix('@').and_then(|user| user.split_once(':')).map_or(entered, |(_, server)| server);
    if name.contains("://") {
        let url = Url::parse(name).map_err(|_| Fault::refused(format!("{name} is no address of a Matrix server.")))?;
        return safe(url);
    }
    let plain = Url::parse(&format!("https://{name}"))
        .ok()
        .filter(|url| url.host().is_some() && url.path() == "/")
        .ok_or_else(|| Fault::refused(format!("{name} is no name of a Matrix server.")))?;
    let plain = safe(plain)?;
    let Ok(known) = plain.join("/.well-known/matrix/client") else { return Ok(plain) };
    let answer = http(REDIRECTS_MAX)?.get(known).timeout(DISCOVERY_TIMEOUT).send().await;
    // Without discovery, or without a web server at that name, the homeserver is at its own name.
    let Ok(answer) = answer else { return Ok(plain) };
    if !answer.status().is_success() || !is_safe(answer.url()) {
        return Ok(plain);
    }
    let body = body_of(answer, DISCOVERY_BYTES_MAX, name).await?;
    match told(&body) {
        Some(base) => safe(Url::parse(&base).map_err(|_| Fault::protocol(format!("{name} names a server without an address.")))?),
        None => Ok(plain),
    }
}

/// The address in a discovery answer.
fn told(body: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    value.get("m.homeserver")?.get("base_url")?.as_str().map(str::to_owned)
}

/// Starts a session with what the person entered.
pub(super) async fn begin(base: &Url, user: &str, sign_in: SignIn, entered: Option<&Secret>) -> Result<Begun, Fault> {
    let entered = entered.ok_or_else(|| Fault::refused("A password or token is needed to sign in."))?;
    let (tokens, user, device) = match sign_in {
        SignIn::Password => {
            let by = json!({ "type": "m.login.password", "identifier": { "type": "m.id.user", "user": user.trim() },
                "password": entered.expose_secret() });
            log_in(base, by, "The Matrix server does not know this account with this password. Check both, and the server.")
                .await?
        }
        SignIn::Browser => {
            let by = json!({ "type": "m.login.token", "token": entered.expose_secret() });
            log_in(base, by, "The Matrix server no longer takes this sign-in. Sign in in the browser again.").await?
        }
        SignIn::AccessToken => {
            let tokens = Tokens { access_token: entered.expose_secret().trim().to_owned().into(), refresh_token: None };
            let client = Client::new(base.clone(), Some(tokens.clone()), None)?;
            let path = ["v3", "account", "whoami"];
            let ask = Ask { path: &path, bytes_max: ANSWER_BYTES_MAX, what: "the name of the account", ..Ask::default() };
            let answer = client.ask(&ask).await.map_err(|failure| match failure {
                Failure::UnknownToken { .. } => Fault::refused("The Matrix server does not know this access token."),
                other => other.into(),
            })?;
            let (user, device) = ids(&answer)?;
            if has_keys(&client, &user, &device).await? {
                return Err(Fault::refused(
                    "This access token belongs to a device that another program uses, and reading with it would take keys away \
                     from that program. Sign in with the password or in the browser instead.",
                ));
            }
            (tokens, user, device)
        }
    };
    Ok(Begun { session: Session::new(tokens)?, user, device })
}

fn ids(answer: &[u8]) -> Result<(String, String), Fault> {
    #[derive(Deserialize)]
    struct Ids {
        user_id: String,
        device_id: String,
    }
    let ids: Ids = serde_json::from_slice(answer)
        .map_err(|_| Fault::protocol("The Matrix server says neither which account nor which device this is."))?;
    Ok((ids.user_id, ids.device_id))
}

async fn log_in(base: &Url, mut by: Value, refused: &str) -> Result<(Tokens, String, String), Fault> {
    by["initial_device_display_name"] = DEVICE_NAME.into();
    let path = ["v3", "login"];
    let ask = Ask { path: &path, body: Some(by), bytes_max: ANSWER_BYTES_MAX, what: "signing in", ..Ask::default() };
    let answer = Client::new(base.clone(), None, None)?.ask(&ask).await.map_err(|failure| match failure {
        Failure::Missing(_) | Failure::UnknownToken { .. } => Fault::refused(refused),
        other => other.into(),
    })?;
    let tokens: Tokens = serde_json::from_slice(&answer).map_err(|_| Fault::protocol("The Matrix server gave no session."))?;
    let (user, device) = ids(&answer)?;
    Ok((tokens, user, device))
}

/// Whether the server has encryption keys for this device.
pub(super) async fn has_keys(client: &Client, user: &str, device: &str) -> Result<bool, Fault> {
    let path = ["v3", "keys", "query"];
    let body = json!({ "device_keys": { user: [device] } });
    let ask =
        Ask { path: &path, body: Some(body), bytes_max: ANSWER_BYTES_MAX, what: "the keys of this device", ..Ask::default() };
    let answer = client.ask(&ask).await?;
    let value: Value =
        serde_json::from_slice(&answer).map_err(|_| Fault::protocol("The keys of this device came in an unknown form."))?;
    let keys = value.get("device_keys").and_then(|users| users.get(user)?.get(device));
    Ok(keys.is_some_and(|keys| keys.get("keys").is_some_and(|keys| keys.as_object().is_some_and(|keys| !keys.is_empty()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_encrypted_or_from_this_computer() {
        let check = |address: &str, expect: bool| {
            assert_eq!(Url::parse(address).is_ok_and(|url| safe(url).is_ok()), expect, "{address}");
        };
        check("https://matrix.example.org", true);
        check("https://matrix.example.org:8448/at/a/path", true);
        check("http://127.0.0.1:8008", true);
        check("http://[::1]:8008", true);
        check("http://localhost:8008", true);
        check("http://matrix.example.org", false);
        check("http://192.168.1.4:8008", false);
        check("https://ana:password@matrix.example.org", false);
        check("ftp://127.0.0.1", false);
    }
}
