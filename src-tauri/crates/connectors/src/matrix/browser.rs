//! Signing in with the browser: the homeserver's page redirects the browser to an address on this computer, with a token.
//!
//! The listener accepts one call, at a path that nobody can guess, for a limited time, and never from another computer. The
//! token is valid for one sign-in within a few minutes and is passed to `session` immediately. This module also opens the
//! browser, because an address from a foreign server must never reach a shell.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use url::Url;

use super::client::{ANSWER_BYTES_MAX, Ask, Client};
use super::sign_in::{discover, sign_in_page};
use crate::contract::Fault;
use crate::secret::Secret;
use crate::sign_in::{LOOK_AGAIN, stopped as stopped_by_person};

/// How long the person may take in the browser, including finding a password and a second factor.
const SIGN_IN_MAX: Duration = Duration::from_secs(10 * 60);

/// How long a call may take. Browsers open connections in advance and send nothing on them.
const CALL_MAX: Duration = Duration::from_secs(10);

/// Maximum number of calls answered concurrently. A browser opens up to six.
const CALLS_MAX: usize = 16;

/// Largest head of a call. Tokens are smaller than 1 KB.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Number of random bytes in the path.
const PATH_BYTES: usize = 16;

/// The name of browser sign-in in a server's list of sign-in methods.
const FLOW: &str = "m.login.sso";

const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Keepsake</title>\
                    <p>Keepsake takes it from here. You can close this page.</p></html>";

/// A sign-in that is waiting for the browser. Dropping it cancels it.
#[derive(Debug)]
pub struct BrowserSignIn {
    listener: TcpListener,
    path: String,
    address: String,
}

fn no_port(error: &std::io::Error) -> Fault {
    Fault::unreachable(format!("This computer gives out no port for the browser: {error}."))
}

/// Whether a homeserver offers sign-in with the browser.
async fn offers_it(base: &Url) -> Result<bool, Fault> {
    #[derive(Deserialize)]
    struct Flow {
        #[serde(rename = "type")]
        kind: String,
    }
    #[derive(Deserialize)]
    struct Flows {
        flows: Vec<Flow>,
    }
    let path = ["v3", "login"];
    let ask = Ask { path: &path, bytes_max: ANSWER_BYTES_MAX, what: "the ways to sign in", ..Ask::default() };
    let answer = Client::new(base.clone(), None, None)?.ask(&ask).await.map_err(Fault::from)?;
    let offered: Flows = serde_json::from_slice(&answer)
        .map_err(|_| Fault::protocol("The Matrix server told the ways to sign in in an unknown form."))?;
    Ok(offered.flows.iter().any(|flow| flow.kind == FLOW))
}

impl BrowserSignIn {
    /// Begins a sign-in at a homeserver, given in the form of [`Matrix::homeserver`](crate::Matrix::homeserver).
    pub async fn begin(homeserver: &str) -> Result<Self, Fault> {
        let base = discover(homeserver).await?;
        if !offers_it(&base).await? {
            return Err(Fault::refused(
                "This Matrix server does not offer to sign in in the browser. Sign in with the password or an access token.",
            ));
        }
        let mut random = [0; PATH_BYTES];
        getrandom::fill(&mut random).map_err(|_| Fault::unreachable("This computer gives out no random numbers."))?;
        let path = format!("/{}", random.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| no_port(&error))?;
        let here = listener.local_addr().map_err(|error| no_port(&error))?;
        let address = sign_in_page(base, &format!("http://{here}{path}"))?;
        Ok(Self { listener, path, address })
    }

    /// The address to open in the browser.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Waits until the browser returns. Returns the token for connecting the account.
    pub async fn finish(self, is_cancelled: impl Fn() -> bool) -> Result<Secret, Fault> {
        let here = self.listener.local_addr().map_err(|error| no_port(&error))?;
        self.listener.set_nonblocking(true).map_err(|error| no_port(&error))?;
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(|error| no_port(&error))?;
        let stopped = async {
            while !is_cancelled() {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        let accepted = async {
            let mut calls = JoinSet::new();
            loop {
                tokio::select! {
                    call = listener.accept(), if calls.len() < CALLS_MAX => {
                        let (path, call) = (self.path.clone(), call.map_err(|error| no_port(&error))?.0);
                        calls.spawn(async move { tokio::time::timeout(CALL_MAX, take(call, here, &path)).await.ok().flatten() });
                    }
                    Some(done) = calls.join_next() => if let Ok(Some(token)) = done { return Ok(token) },
                }
            }
        };
        tokio::select! {
            token = accepted => token,
            () = stopped => Err(stopped_by_person()),
            () = tokio::time::sleep(SIGN_IN_MAX) => Err(Fault::refused(format!(
                "Nobody signed in in the browser within {} minutes. Begin again.",
                SIGN_IN_MAX.as_secs() / 60
            ))),
        }
    }
}

/// Answers a call. Returns the token if it is the expected call.
async fn take(mut call: TcpStream, here: SocketAddr, path: &str) -> Option<Secret> {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        if head.len() > HEAD_BYTES_MAX || call.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let token = std::str::from_utf8(&head).ok().and_then(|head| token_of(head, here, path));
    let (status, body) = if token.is_some() { ("200 OK", PAGE) } else { ("404 Not Found", "") };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    // The token is valid whether or not the browser reads the page.
    let _ = call.write_all(answer.as_bytes()).await;
    let _ = call.shutdown().await;
    token
}

/// The token in the head of a call, if the call was sent to this address and path.
fn token_of(head: &str, here: SocketAddr, path: &str) -> Option<Secret> {
    let mut lines = head.split("\r\n");
    let target = lines.next()?.strip_prefix("GET ")?.strip_suffix(" HTTP/1.1")?;
    let host = lines.filter_map(|line| line.split_once(':')).find(|(name, _)| name.eq_ignore_ascii_case("host"))?.1.trim();
    // A page whose host name was made to resolve to this computer (DNS rebinding) sends its own name as the host.
    if host != here.to_string() || !target.starts_with('/') {
        return None;
    }
    let url = Url::parse(&format!("http://{here}{target}")).ok().filter(|url| url.path() == path)?;
    let token = url.query_pairs().find(|(name, _)| name == "loginToken")?.1.into_owned();
    (!token.is_empty()).then(|| token.into())
}

/// Opens an address in the system's browser. Fails if there is none, as on a machine without a screen.
pub fn open_in_browser(address: &str) -> Result<(), Fault> {
    let none = || Fault::unreachable("The browser could not be opened. Open the address by hand.");
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "https" | "http")).ok_or_else(none)?;
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let null = std::process::Stdio::null;
    let mut command = std::process::Command::new(program);
    // Pass the address as a single argument that begins with its scheme, without a shell that would interpret it.
    command.args(first).arg(url.as_str()).stdin(null()).stdout(null()).stderr(null());
    let mut child = command.spawn().map_err(|_| none())?;
    // On some systems, the process runs until the browser ends.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn only_the_call_that_is_waited_for_brings_a_token() {
        let here: SocketAddr = "127.0.0.1:4321".parse().unwrap();
        let check = |what: &str, head: &str, expect: Option<&str>| {
            let token = token_of(head, here, "/path");
            assert_eq!(token.as_ref().map(|token| token.expose_secret()), expect, "{what}");
        };
        check("as browsers do", "GET /path?loginToken=a%2Bb HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", Some("a+b"));
        check("with more", "GET /path?x=1&loginToken=ab HTTP/1.1\r\nhost:127.0.0.1:4321\r\nA: b\r\n\r\n", Some("ab"));
        check("another path", "GET /other?loginToken=ab HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", None);
        check("a longer path", "GET /path/?loginToken=ab HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", None);
        check("another name of this computer", "GET /path?loginToken=ab HTTP/1.1\r\nHost: evil.example:4321\r\n\r\n", None);
        check("no name", "GET /path?loginToken=ab HTTP/1.1\r\n\r\n", None);
        check("another method", "POST /path?loginToken=ab HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", None);
        check("no token", "GET /path HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", None);
        check("an empty one", "GET /path?loginToken= HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", None);
        check("a whole address", "GET http://127.0.0.1:4321/path?loginToken=ab HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", None);
        check("no call", "\r\n\r\n", None);
    }

    fn waiting() -> BrowserSignIn {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        BrowserSignIn { listener, path: "/path".to_owned(), address: String::new() }
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_waited_for_longer_than_the_limit_or_after_it_was_stopped() {
        let began = tokio::time::Instant::now();
        let late = waiting().finish(|| false).await.unwrap_err();
        assert!(late.to_string().contains("within 10 minutes"), "{late}");
        assert_eq!(began.elapsed(), SIGN_IN_MAX);
        let stopped = waiting().finish(|| began.elapsed() > SIGN_IN_MAX + CALL_MAX).await.unwrap_err();
        assert!(stopped.to_string().contains("stopped"), "{stopped}");
        assert!(began.elapsed() < SIGN_IN_MAX + 2 * CALL_MAX);
    }

    #[test]
    fn only_web_pages_are_opened() {
        for address in ["file:///etc/passwd", "javascript:alert(1)", "-h", "", "mailto:a@b.example"] {
            assert!(open_in_browser(address).is_err(), "{address}");
        }
    }
}
