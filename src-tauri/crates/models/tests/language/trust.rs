//! Which servers a call trusts: an https server with an untrusted certificate receives no part of a request.
//!
//! These tests set the trusted certificates with `SSL_CERT_FILE`, through which the system's own list is also read on Linux.

#![cfg(target_os = "linux")]

use std::process::Command;

use keepsake_models::language::{CallError, Client, Connection, Reach, Shape, Unwatched};
use keepsake_testkit::scripted_server::ScriptedServer;
use keepsake_testkit::tls_front::{Certificate, TlsFront};

use crate::support::{GOOD, SHAPES, ask, connect, prompt};

const KEY: &str = "sk-planted-4711";

fn connection(address: &str, shape: Shape, reach: Reach) -> Connection {
    connect(address, shape, reach, Some(KEY))
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

/// A process cannot safely change its own environment, so these tests run again in separate processes. The variables contain the
/// address to call and the expected result.
const ADDRESS: &str = "KEEPSAKE_TEST_HTTPS";
const EXPECT: &str = "KEEPSAKE_TEST_EXPECT";

/// Runs the test `name` again, trusting only the certificates in `pem`.
fn trusting(pem: &str, name: &str, address: &str, expect: &str) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), pem).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([name, "--exact", "--nocapture"]).env("SSL_CERT_FILE", file.path()).env_remove("SSL_CERT_DIR");
    let output = child.env(ADDRESS, address).env(EXPECT, expect).output().unwrap();
    assert!(
        output.status.success(),
        "{expect}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn within() -> Option<(String, String)> {
    Some((std::env::var(ADDRESS).ok()?, std::env::var(EXPECT).ok()?))
}

fn call_and_compare(address: &str, expect: &str) {
    for shape in SHAPES {
        for reach in [Reach::ThisComputer, Reach::Anywhere] {
            let found = ask(&Client::new(connection(address, shape, reach), "tiny:1b")).map(|reply| reply.text);
            let listed = connection(address, shape, reach).models(10_000, &Unwatched).map(|_| ());
            if expect == "answered" {
                assert_eq!(found.as_deref(), Ok(GOOD), "{shape:?}");
                assert_eq!(listed, Ok(()), "{shape:?}");
            } else {
                let untrusted = CallError::Untrusted { origin: address.to_owned() };
                assert_eq!(found, Err(untrusted.clone()), "{shape:?}");
                assert_eq!(listed, Err(untrusted), "{shape:?}");
            }
        }
    }
}

#[test]
fn a_server_that_nobody_vouches_for_hears_no_word_of_a_request() {
    const NAME: &str = "trust::a_server_that_nobody_vouches_for_hears_no_word_of_a_request";
    if let Some((address, expect)) = within() {
        return call_and_compare(&address, &expect);
    }
    let server = ScriptedServer::saying(GOOD);
    let others = TlsFront::start(server.port(), Certificate::Sound);
    let front = TlsFront::start(server.port(), Certificate::Sound);
    // Another certificate is trusted, so that the list is not empty. This server's own certificate is still unknown.
    trusting(others.pem(), NAME, &front.url(), "refused");
    let heard = front.heard();
    assert!(!heard.wire.is_empty(), "control: it was called");
    assert!(heard.plain.is_empty(), "nothing was said after the greeting: {} bytes", heard.plain.len());
    for planted in [KEY, prompt().system.as_str(), "I bake", "/v1/chat/completions", "/api/chat", "tiny:1b"] {
        assert!(!contains(&heard.wire, planted), "{planted} went in the clear");
    }
    assert_eq!((server.connections(), server.calls()), (0, 0), "the server behind it never heard of it");

    // Control: the same server with a trusted certificate.
    trusting(front.pem(), NAME, &front.url(), "answered");
    let heard = front.heard();
    assert!(contains(&heard.plain, KEY) && contains(&heard.plain, "I bake"), "what was not said before is said now");
    assert!(!contains(&heard.wire, KEY) && !contains(&heard.wire, "I bake"), "and not in the clear");
    assert!(server.calls() > 0);
}

#[test]
fn a_trusted_certificate_that_is_another_hosts_or_out_of_date_is_refused() {
    const NAME: &str = "trust::a_trusted_certificate_that_is_another_hosts_or_out_of_date_is_refused";
    if let Some((address, expect)) = within() {
        return call_and_compare(&address, &expect);
    }
    let server = ScriptedServer::saying(GOOD);
    for certificate in [Certificate::OfAnotherHost, Certificate::Expired] {
        let front = TlsFront::start(server.port(), certificate);
        trusting(front.pem(), NAME, &front.url(), "refused");
        assert!(front.heard().plain.is_empty(), "{certificate:?}");
        assert_eq!(server.connections(), 0, "{certificate:?}");
    }
}

#[test]
fn the_refusal_says_what_happened_and_what_to_do() {
    let error = CallError::Untrusted { origin: "https://models.example".to_owned() };
    let text = error.to_string();
    for part in ["https://models.example", "certificate", "nothing was sent", "Check the address"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!error.is_retryable(), "without a change by a person it is refused again");
}
