//! How the connector handles refusals, malformed answers and oversized answers from a server that follows a script.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use keepsake_connectors::{Fault, Matrix, Secret, Settings, SignIn, Status, connect};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::run::first_fault;
use crate::inbox::MemoryInbox;

const USER: &str = "@ana:localhost";
const ROOM: &str = "!bees:localhost";

/// The session's access token, and the one that a renewal returns.
const FIRST: &str = "the-first-access-token";
const SECOND: &str = "the-second-access-token";

/// The script's answer to a synchronization, numbered from 0. `None` keeps the request open, as a long poll does.
type Script = Arc<dyn Fn(u64, &str) -> Option<Response> + Send + Sync>;

/// A server that answers from a script.
struct Scripted {
    address: String,
    syncs: Arc<AtomicU64>,
    requests: Arc<Mutex<BTreeMap<String, u64>>>,
}

fn answer(status: u16, body: &Value) -> Response {
    (StatusCode::from_u16(status).unwrap(), body.to_string()).into_response()
}

fn raw(body: impl Into<Body>) -> Option<Response> {
    Some(Response::new(body.into()))
}

fn ok(body: &Value) -> Option<Response> {
    Some(answer(200, body))
}

/// An answer that reports nothing new.
fn nothing(token: &str) -> Option<Response> {
    ok(&json!({ "next_batch": token }))
}

impl Scripted {
    async fn start(script: Script) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (syncs, requests) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(BTreeMap::new())));
        let (counted, noted) = (Arc::clone(&syncs), Arc::clone(&requests));
        let app = axum::Router::new().fallback(move |request: Request| {
            let (script, counted, noted) = (Arc::clone(&script), Arc::clone(&counted), Arc::clone(&noted));
            async move {
                let token = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
                let token = token.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default().to_owned();
                let path = request.uri().path().trim_start_matches("/_matrix/client/v3/").to_owned();
                let place = format!("{} {path}", request.method());
                *noted.lock().unwrap().entry(place).or_insert(0) += 1;
                match path.as_str() {
                    "sync" => match script(counted.fetch_add(1, Ordering::SeqCst), &token) {
                        Some(response) => response,
                        None => std::future::pending().await,
                    },
                    "login" => answer(200, &json!({ "access_token": FIRST, "user_id": USER, "device_id": "KEEPSAKE" })),
                    "refresh" => answer(200, &json!({ "access_token": SECOND, "refresh_token": "the-next-refresh-token" })),
                    "account/whoami" => answer(200, &json!({ "user_id": USER, "device_id": "ELEMENT" })),
                    "keys/query" if token == "of Element" => {
                        let keys = json!({ "keys": { "ed25519:ELEMENT": "key" } });
                        answer(200, &json!({ "device_keys": { USER: { "ELEMENT": keys } } }))
                    }
                    "keys/query" => answer(200, &json!({ "device_keys": {} })),
                    "keys/upload" => answer(200, &json!({ "one_time_key_counts": { "signed_curve25519": 50 } })),
                    path if path.ends_with("joined_members") => answer(200, &json!({ "joined": {} })),
                    path if path.ends_with("messages") => answer(200, &json!({ "chunk": [], "start": "t" })),
                    _ => answer(404, &json!({ "errcode": "M_UNRECOGNIZED" })),
                }
            }
        });
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { address, syncs, requests }
    }

    fn settings(&self) -> Settings {
        Settings::Matrix(Matrix {
            homeserver: self.address.clone(),
            user: USER.to_owned(),
            device: Some("KEEPSAKE".to_owned()),
            sign_in: SignIn::Password,
        })
    }
}

/// Starts a server that lets everybody sign in and reports nothing. Returns its address.
pub(super) async fn address_of_a_server() -> String {
    Scripted::start(Arc::new(|_, _| nothing("s0"))).await.address
}

fn secret(refresh: Option<&str>) -> Option<Secret> {
    let session = json!({ "access_token": FIRST, "refresh_token": refresh, "store_key": "07".repeat(32) });
    Some(session.to_string().into())
}

/// Runs a connector against a script until it fails, or for the time `within`.
async fn run(script: Script, refresh: Option<&str>, within: Duration) -> (Option<Fault>, Arc<MemoryInbox>, Scripted) {
    let server = Scripted::start(script).await;
    let inbox = MemoryInbox::new();
    inbox.select(ROOM, None);
    let fault = first_fault(&server.settings(), secret(refresh), &inbox, within).await;
    (fault, inbox, server)
}

fn is_live(inbox: &MemoryInbox) -> bool {
    inbox.with(|kept| kept.statuses.last() == Some(&Status::Live))
}

/// A script that answers the initial synchronization, then answers with `then`, and then sends nothing more.
fn second(then: impl Fn() -> Option<Response> + Send + Sync + 'static) -> Script {
    Arc::new(move |count, _| match count {
        0 => nothing("s0"),
        1 => then(),
        2 => nothing("s2"),
        _ => None,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn each_refusal_is_a_fault_that_says_what_to_do() {
    let check = |what: &'static str, then: fn() -> Option<Response>, expect: fn(Option<&Fault>) -> bool| async move {
        let (fault, ..) = run(second(then), None, Duration::from_secs(5)).await;
        assert!(expect(fault.as_ref()), "{what}: {fault:?}");
        let told = fault.map(|fault| fault.to_string()).unwrap_or_default();
        assert!(!told.contains("secret") && !told.contains(FIRST), "{what}: {told}");
    };
    let unknown = || Some(answer(401, &json!({ "errcode": "M_UNKNOWN_TOKEN", "error": "secret" })));
    check("signed out", unknown, |fault| matches!(fault, Some(Fault::Refused { .. }))).await;
    let expired = || Some(answer(401, &json!({ "errcode": "M_UNKNOWN_TOKEN", "soft_logout": true })));
    check("expired", expired, |fault| matches!(fault, Some(Fault::Refused { .. }))).await;
    check(
        "an hour of waiting",
        || Some(answer(429, &json!({ "errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 3_600_000 }))),
        |fault| matches!(fault, Some(Fault::Unreachable { retry_after: Some(wait), .. }) if *wait == Duration::from_secs(3_600)),
    )
    .await;
    let unreachable = |fault: Option<&Fault>| matches!(fault, Some(Fault::Unreachable { .. }));
    check("a proxy without its server", || Some(answer(502, &json!("secret"))), unreachable).await;
    check("a database that is down", || Some(answer(500, &json!({ "errcode": "M_UNKNOWN" }))), unreachable).await;
    let protocol = |fault: Option<&Fault>| matches!(fault, Some(Fault::Protocol { .. }));
    check("half an answer", || raw(r#"{"next_batch":"s1","rooms":{"join":{"secret"#), protocol).await;
    check("another form", || raw(r#"{"next_batch":7}"#), protocol).await;
    check("a web page", || raw("<html>secret</html>"), protocol).await;
    check(
        "a room of another form",
        || ok(&json!({ "next_batch": "s1", "rooms": { "join": { ROOM: { "timeline": { "events": "secret" } } } } })),
        protocol,
    )
    .await;
    // The control: a correct answer causes none of this.
    check("nothing wrong", || nothing("s1"), |fault| fault.is_none()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_an_end_is_cut_off() {
    let endless = || {
        let chunk = axum::body::Bytes::from(vec![b' '; 1024 * 1024]);
        let stream = tokio_stream_of(chunk);
        raw(stream)
    };
    let (fault, ..) = run(second(endless), None, Duration::from_secs(60)).await;
    assert!(matches!(&fault, Some(Fault::Protocol { detail }) if detail.contains("more than")), "{fault:?}");
}

/// An endless body.
fn tokio_stream_of(chunk: axum::body::Bytes) -> Body {
    struct Endless(axum::body::Bytes);
    impl http_body::Body for Endless {
        type Data = axum::body::Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
            std::task::Poll::Ready(Some(Ok(http_body::Frame::data(self.0.clone()))))
        }
    }
    Body::new(Endless(chunk))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_to_wait_is_left_alone_for_as_long() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&times);
    let script: Script = Arc::new(move |count, _| {
        noted.lock().unwrap().push(Instant::now());
        match count {
            0 => nothing("s0"),
            1 => {
                let mut response = answer(429, &json!({ "errcode": "M_LIMIT_EXCEEDED" }));
                response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("2"));
                Some(response)
            }
            2 => nothing("s1"),
            _ => None,
        }
    });
    let (fault, inbox, _) = run(script, None, Duration::from_secs(6)).await;
    assert!(fault.is_none(), "{fault:?}");
    assert!(is_live(&inbox));
    let times = times.lock().unwrap();
    assert!(times[2] - times[1] >= Duration::from_secs(2), "it was asked again at once");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_token_is_renewed_and_kept_and_a_new_run_begins_with_it() {
    let script: Script = Arc::new(|count, token| match (count, token) {
        (_, SECOND) if count < 5 => nothing(&format!("s{count}")),
        (_, SECOND) => None,
        (0, _) => nothing("s0"),
        _ => Some(answer(401, &json!({ "errcode": "M_UNKNOWN_TOKEN", "soft_logout": true }))),
    });
    let (fault, inbox, server) = run(script, Some("a-refresh-token"), Duration::from_secs(4)).await;
    assert!(fault.is_none(), "{fault:?}");
    assert!(is_live(&inbox));
    let kept = inbox.with(|kept| kept.secret.clone()).unwrap();
    let kept: Value = serde_json::from_str(kept.expose_secret()).unwrap();
    assert_eq!((&kept["access_token"], &kept["refresh_token"]), (&json!(SECOND), &json!("the-next-refresh-token")));
    let renewals = || server.requests.lock().unwrap()["POST refresh"];
    assert_eq!(renewals(), 1);
    // The supervisor restarts the connector with the secret that the connector had at first.
    let again = first_fault(&server.settings(), secret(Some("a-refresh-token")), &inbox, Duration::from_secs(2)).await;
    assert!(again.is_none(), "{again:?}");
    assert_eq!(renewals(), 1);
}

fn said(id: &str, body: &str) -> Value {
    json!({ "type": "m.room.message", "event_id": id, "sender": "@ben:localhost", "origin_server_ts": 1_790_000_000_000_u64,
        "content": { "msgtype": "m.text", "body": body } })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_of_ten_megabytes_is_left_out_and_the_others_arrive() {
    let huge = || {
        let events = json!([said("$1", "before"), said("$2", &"x".repeat(10_000_000)), { "type": 7 }, said("$3", "after")]);
        ok(&json!({ "next_batch": "s1", "rooms": { "join": { ROOM: { "timeline": { "events": events } } } } }))
    };
    let (fault, inbox, _) = run(second(huge), None, Duration::from_secs(4)).await;
    assert!(fault.is_none(), "{fault:?}");
    assert_eq!(inbox.texts(), ["before", "after"]);
    assert_eq!(inbox.with(|kept| kept.left_out["messages that are too large"]), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_stays_within_its_limits_whatever_a_server_sends() {
    let many = || {
        let events: Vec<Value> = (0..1_000).map(|at| said(&format!("${at}"), &"x".repeat(20_000))).collect();
        ok(&json!({ "next_batch": "s1", "rooms": { "join": { ROOM: { "timeline": { "events": events } } } } }))
    };
    let (fault, inbox, _) = run(second(many), None, Duration::from_secs(10)).await;
    assert!(fault.is_none(), "{fault:?}");
    inbox.with(|kept| {
        assert_eq!(kept.messages.len(), 1_000);
        // 20 MB in one-megabyte pieces.
        assert!(kept.deliveries >= 20, "{}", kept.deliveries);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_at_once_with_nothing_is_not_asked_all_the_time() {
    let script: Script = Arc::new(|_, _| nothing("s0"));
    let (fault, _, server) = run(script, None, Duration::from_secs(5)).await;
    assert!(fault.is_none(), "{fault:?}");
    let syncs = server.syncs.load(Ordering::SeqCst);
    assert!((4..=10).contains(&syncs), "{syncs} in five seconds");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_of_another_program_is_refused_because_its_keys_would_be_lost() {
    let server = Scripted::start(Arc::new(|_, _| nothing("s0"))).await;
    let settings =
        |sign_in| Settings::Matrix(Matrix { homeserver: server.address.clone(), user: USER.to_owned(), device: None, sign_in });
    let refused = connect(settings(SignIn::AccessToken), Some("of Element".into())).await;
    assert!(matches!(&refused, Err(Fault::Refused { detail }) if detail.contains("another program")), "{refused:?}");
    let connected = connect(settings(SignIn::AccessToken), Some("of nobody else".into())).await.unwrap();
    assert_eq!(connected.name, USER);
    let connected = connect(settings(SignIn::Password), Some("password".into())).await.unwrap();
    assert!(!connected.secret.unwrap().expose_secret().contains("password"));
    assert!(matches!(connected.settings, Settings::Matrix(Matrix { device: Some(device), .. }) if device == "KEEPSAKE"));
}

/// Where the child process of the next test finds its server.
const CHILD: &str = "KEEPSAKE_MATRIX_CHILD";

/// Maximum memory of a connector that reads from a hostile server.
const MEMORY_MAX_KB: u64 = 256 * 1024;

fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_rooms_are_named_within_256_mib() {
    // Memory is counted per process, so the connector has a process of its own.
    if let Ok(address) = std::env::var(CHILD) {
        let inbox = MemoryInbox::new();
        let server = Scripted { address, syncs: Arc::default(), requests: Arc::default() };
        let settings = server.settings();
        let fault = first_fault(&settings, secret(None), &inbox, Duration::from_secs(40)).await;
        assert!(fault.is_none(), "{fault:?}");
        assert_eq!(inbox.with(|kept| kept.found.len()), 100_000);
        assert!(is_live(&inbox));
        let peak = peak_kb();
        assert!(peak < MEMORY_MAX_KB, "{peak} kB");
        return;
    }
    let body = {
        let state = |kind: &str, content: Value| json!({ "type": kind, "state_key": "", "content": content, "event_id": "$1" });
        let room = json!({ "summary": { "m.joined_member_count": 3, "m.heroes": ["@ben:localhost", "@cleo:localhost"] },
            "state": { "events": [state("m.room.name", json!({ "name": "A room with a name" })),
                state("m.room.join_rules", json!({ "join_rule": "invite" }))] } });
        let rooms: serde_json::Map<String, Value> = (0..100_000).map(|at| (format!("!{at}:localhost"), room.clone())).collect();
        axum::body::Bytes::from(json!({ "next_batch": "s0", "rooms": { "join": rooms } }).to_string())
    };
    assert!(body.len() > 30_000_000, "{}", body.len());
    let script: Script = Arc::new(move |count, _| match count {
        0 => raw(body.clone()),
        1 => nothing("s1"),
        _ => None,
    });
    let server = Scripted::start(script).await;
    let child = tokio::task::spawn_blocking(move || {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "matrix::scripted::a_hundred_thousand_rooms_are_named_within_256_mib", "--nocapture"])
            .env(CHILD, server.address)
            .output()
            .unwrap()
    });
    let output = child.await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
