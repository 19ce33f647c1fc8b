//! "This computer only": the setting blocks other computers, and nothing on the system bypasses it.

use std::process::Command;
use std::sync::Arc;

use keepsake_models::keys::ApiKey;
use keepsake_models::language::{CallError, Client, Connection, ConnectionError, Endpoint, Reach, Shape, Unwatched};
use keepsake_testkit::FixedClock;
use keepsake_testkit::scripted_server::{Answer, ScriptedServer};

use crate::support::{GOOD, SHAPES, ask, connect};

fn ask_at(address: &str, shape: Shape, reach: Reach) -> Result<String, CallError> {
    ask(&Client::new(connect(address, shape, reach, None), "tiny:1b")).map(|reply| reply.text)
}

#[test]
fn every_host_but_loopback_is_refused_before_anything_is_opened() {
    for shape in SHAPES {
        let server = ScriptedServer::saying(GOOD);
        let port = server.port();
        let check = |host: &str, is_local: bool| {
            let address = format!("http://{host}:{port}");
            let before = server.connections();
            let found = ask_at(&address, shape, Reach::ThisComputer);
            let listed = connect(&address, shape, Reach::ThisComputer, None).models(10_000, &Unwatched);
            if is_local {
                assert_eq!(found.as_deref(), Ok(GOOD), "{host}");
                assert!(listed.is_ok(), "{host}");
            } else {
                let origin = Endpoint::parse(&address, shape).unwrap().origin();
                assert_eq!(found, Err(CallError::NotLocal { origin: origin.clone() }), "{host}");
                assert_eq!(listed, Err(CallError::NotLocal { origin }), "{host}");
                assert_eq!(server.connections(), before, "{host}: nothing was opened");
            }
        };
        check("127.0.0.1", true);
        check("127.1", true);
        check("2130706433", true);
        check("0x7f.1", true);
        check("localhost", true);
        check("LOCALHOST", true);
        check("0.0.0.0", false);
        check("[::]", false);
        check("[::ffff:127.0.0.1]", false);
        check("192.168.1.5", false);
        check("169.254.169.254", false);
        check("evil.example", false);
        check("localhost.evil.example", false);
        check("127.0.0.1.evil.example", false);
        check("localhost.", false);
        check("xn--lcalhost-54a.example", false);

        // Control: with the setting off, these two addresses, which also reach this server, are called.
        for host in ["0.0.0.0", "[::ffff:127.0.0.1]"] {
            let address = format!("http://{host}:{port}");
            assert_eq!(ask_at(&address, shape, Reach::Anywhere).as_deref(), Ok(GOOD), "{host}");
        }
    }
}

#[test]
fn the_ipv6_loopback_is_this_computer() {
    // The scripted server listens only on IPv4: the call is allowed but finds no server.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let found = ask_at(&format!("http://[::1]:{free}"), Shape::OpenAi, Reach::ThisComputer);
    assert!(matches!(found, Err(CallError::Refused { .. })), "{found:?}");
}

#[test]
fn a_redirect_is_never_followed() {
    for shape in SHAPES {
        for reach in [Reach::ThisComputer, Reach::Anywhere] {
            for status in [301, 302, 303, 307, 308] {
                let target = ScriptedServer::saying(GOOD);
                let location = vec![("location".to_owned(), format!("{}/v1/chat/completions", target.url()))];
                let server = ScriptedServer::start(move |_| Answer::Http { status, headers: location.clone(), body: Vec::new() });
                assert_eq!(ask_at(&server.url(), shape, reach), Err(CallError::Rejected { status }));
                assert_eq!(target.connections(), 0, "{status}");
                assert!(ask_at(&target.url(), shape, reach).is_ok(), "control: the target would have answered");
            }
        }
    }
}

#[test]
fn a_key_is_never_sent_in_the_clear_to_another_computer() {
    let key = ApiKey::parse("sk-planted-4711").unwrap();
    let check = |address: &str, expect: bool| {
        let endpoint = Endpoint::parse(address, Shape::OpenAi).unwrap();
        let made = Connection::new(endpoint.clone(), Reach::Anywhere, Some(&key), Arc::new(FixedClock::default()));
        match made {
            Ok(_) => assert!(expect, "{address}"),
            Err(ConnectionError::KeyInClear { origin }) => assert!(!expect && origin == endpoint.origin(), "{address}"),
            // This system has no certificates, so https fails and no key is sent.
            Err(ConnectionError::Certificates) => assert!(endpoint.is_encrypted(), "{address}"),
        }
    };
    check("http://127.0.0.1:1234", true);
    check("https://models.example", true);
    check("http://192.168.1.5:1234", false);
    check("http://models.example", false);
    let without = Endpoint::parse("http://models.example", Shape::OpenAi).unwrap();
    let made = Connection::new(without, Reach::Anywhere, None, Arc::new(FixedClock::default()));
    assert!(made.is_ok(), "control: without a key the address is fine");
}

#[test]
fn a_server_that_does_not_speak_https_is_told_from_one_that_does_not_run() {
    let server = ScriptedServer::saying(GOOD);
    let address = format!("https://127.0.0.1:{}", server.port());
    let endpoint = Endpoint::parse(&address, Shape::OpenAi).unwrap();
    let connection = match Connection::new(endpoint, Reach::ThisComputer, None, Arc::new(FixedClock::default())) {
        Ok(connection) => connection,
        // Only if the system has no certificates at all.
        Err(error) => return assert!(!std::path::Path::new("/etc/ssl/certs/ca-certificates.crt").exists(), "{error}"),
    };
    let found = ask(&Client::new(connection, "tiny:1b"));
    assert_eq!(found, Err(CallError::Refused { origin: address, reason: "the server does not use https" }));
    assert_eq!(server.calls(), 0, "nothing went in the clear");
}

/// A process cannot safely change its own environment, so this test runs again in a separate process.
const PROXY: &str = "KEEPSAKE_TEST_PROXY";
const SERVER: &str = "KEEPSAKE_TEST_SERVER";

#[test]
fn proxies_of_the_environment_have_no_effect() {
    if let (Ok(_), Ok(server)) = (std::env::var(PROXY), std::env::var(SERVER)) {
        return within_an_environment_with_proxies(&server);
    }
    let server = ScriptedServer::saying(GOOD);
    let proxy = ScriptedServer::saying("{}");
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([name.as_str(), "--exact", "--nocapture"]).env(PROXY, proxy.url()).env(SERVER, server.url());
    for variable in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        child.env(variable, proxy.url());
    }
    // If `REQUEST_METHOD` were set, the upper-case proxy variables would be ignored.
    child.env_remove("REQUEST_METHOD").env_remove("NO_PROXY").env_remove("no_proxy");
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(server.calls(), 4, "each shape, with and without the switch");
    let at_proxy: Vec<String> = proxy.received().iter().map(|request| request.path.clone()).collect();
    assert_eq!(at_proxy, [format!("{}/control", server.url())], "only the control went through the proxy");
}

fn within_an_environment_with_proxies(server: &str) {
    for shape in SHAPES {
        for reach in [Reach::ThisComputer, Reach::Anywhere] {
            assert_eq!(ask_at(server, shape, reach).as_deref(), Ok(GOOD));
        }
    }
    // Control: a client with default settings obeys the same environment.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answered = runtime.block_on(reqwest::get(format!("{server}/control")));
    assert!(answered.is_ok(), "{answered:?}");
}
