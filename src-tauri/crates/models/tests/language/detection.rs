//! Detection of servers on this computer.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use keepsake_domain::Clock;
use keepsake_models::language::{
    CallError, Candidate, Connection, Endpoint, FoundState, Reach, ServerKind, Shape, Unwatched, Watch, detect,
};
use keepsake_testkit::FixedClock;
use keepsake_testkit::scripted_server::ScriptedServer;

/// Ample time for a response over loopback, even on a busy machine.
const AMPLE_MS: u64 = 20_000;

fn clock() -> Arc<dyn Clock> {
    Arc::new(FixedClock::default())
}

#[test]
fn each_kind_of_server_is_found_with_its_models() {
    let server = ScriptedServer::saying("{}");
    let candidates = ServerKind::ALL.map(|kind| Candidate { kind, port: server.port() });
    let found = detect(&candidates, AMPLE_MS, &clock());
    let kinds: Vec<ServerKind> = found.iter().map(|found| found.kind).collect();
    assert_eq!(kinds, ServerKind::ALL, "in the order in which they are shown");
    for found in &found {
        let models = vec!["tiny:1b".to_owned(), "small:7b".to_owned()];
        assert_eq!(found.state, FoundState::Ready { models }, "{found:?}");
        assert_eq!(found.version.as_deref(), (found.kind == ServerKind::Ollama).then_some("0.12.3"));
        assert!(found.endpoint.is_this_computer());
    }
    assert_eq!(server.calls(), 0, "nothing is asked of a model");
    let usual: Vec<u16> = Candidate::usual().iter().map(|candidate| candidate.port).collect();
    assert_eq!(usual, [11434, 1234, 8080, 1337]);
}

#[test]
fn a_server_without_a_model_loading_one_or_wanting_a_key_is_a_state_of_its_own() {
    let check = |kind: ServerKind, behave: fn(&mut keepsake_testkit::scripted_server::Behaviour), expect: FoundState| {
        let server = ScriptedServer::saying("{}");
        server.behave(behave);
        let found = detect(&[Candidate { kind, port: server.port() }], AMPLE_MS, &clock());
        assert_eq!(found.iter().map(|found| &found.state).collect::<Vec<_>>(), [&expect], "{kind:?}");
    };
    for kind in ServerKind::ALL {
        check(kind, |server| server.models.clear(), FoundState::NoModel);
    }
    check(ServerKind::LlamaCpp, |server| server.is_loading = true, FoundState::Loading);
    check(ServerKind::Jan, |server| server.key = Some("wanted".to_owned()), FoundState::KeyNeeded);
    check(ServerKind::LmStudio, |server| server.key = Some("wanted".to_owned()), FoundState::KeyNeeded);
}

#[test]
fn another_program_at_the_port_is_not_taken_for_a_server() {
    // Answers everything with 404, or in another format.
    let server = ScriptedServer::saying("{}");
    server.behave(|server| server.version = "<html>".repeat(20));
    assert_eq!(detect(&[Candidate { kind: ServerKind::Ollama, port: server.port() }], AMPLE_MS, &clock()), []);
    server.behave(|server| server.version = "0.1.0".to_owned());
    let found = detect(&[Candidate { kind: ServerKind::Ollama, port: server.port() }], AMPLE_MS, &clock());
    assert_eq!(found.len(), 1, "control: with its version it is found");
}

#[test]
fn looking_for_all_of_them_takes_no_longer_than_one() {
    // The operating system accepts connections for these listeners, but they never respond.
    let silent: Vec<TcpListener> = (0..4).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let candidates: Vec<Candidate> =
        ServerKind::ALL.into_iter().zip(&silent).map(|(kind, listener)| Candidate { kind, port: port(listener) }).collect();
    const LIMIT_MS: u64 = 1_500;
    let begin = Instant::now();
    assert_eq!(detect(&candidates, LIMIT_MS, &clock()), []);
    let took = begin.elapsed();
    assert!(took >= Duration::from_millis(LIMIT_MS), "control: each of them would take the whole time: {took:?}");
    assert!(took < Duration::from_millis(2 * LIMIT_MS), "one after another they would take four times that: {took:?}");

    drop(silent);
    let begin = Instant::now();
    assert_eq!(detect(&candidates, AMPLE_MS, &clock()), []);
    assert!(begin.elapsed() < Duration::from_millis(AMPLE_MS), "where nothing listens nothing is waited for");
}

#[test]
fn a_download_is_followed_to_its_end_and_ends_where_it_is_called_off() {
    let server = ScriptedServer::saying("{}");
    let endpoint = Endpoint::parse(&server.url(), Shape::Ollama).unwrap();
    let connection = Connection::new(endpoint, Reach::ThisComputer, None, clock()).unwrap();
    let parts = std::cell::RefCell::new(Vec::new());
    let pull =
        |watch: &dyn Watch| connection.pull("qwen3:4b", AMPLE_MS, watch, &|done, total| parts.borrow_mut().push((done, total)));
    let part = |done: u64| format!(r#"{{"status":"pulling 6a07","digest":"sha256:6a07","total":2000,"completed":{done}}}"#);
    let manifest = r#"{"status":"pulling manifest"}"#.to_owned();
    let success = r#"{"status":"success"}"#.to_owned();
    server.behave(|server| server.pull = vec![manifest.clone(), part(500), part(2_000), success]);
    pull(&Unwatched).unwrap();
    assert_eq!(parts.take(), [(500, 2_000), (2_000, 2_000)]);
    // The download is interrupted, rejected, and canceled by the person.
    server.behave(|server| server.pull = vec![manifest, part(500)]);
    assert_eq!(pull(&Unwatched), Err(CallError::CutOff { at_token_limit: false }));
    server.behave(|server| server.pull = vec![r#"{"error":"pull model manifest: file does not exist"}"#.to_owned()]);
    assert!(pull(&Unwatched).is_err());
    struct CalledOff;
    impl Watch for CalledOff {
        fn is_cancelled(&self) -> bool {
            true
        }
        fn received(&self, _: u64) {}
    }
    server.behave(|server| server.pull.clear());
    assert_eq!(pull(&CalledOff), Err(CallError::Cancelled));
    let asked = server.received().into_iter().find(|request| request.path == "/api/pull").unwrap();
    assert_eq!(asked.json(), serde_json::json!({ "model": "qwen3:4b", "stream": true }), "no word of anybody's");
}

#[test]
fn a_server_is_asked_how_much_its_model_takes() {
    let server = ScriptedServer::saying("{}");
    let asked = |shape: Shape| {
        let endpoint = Endpoint::parse(&server.url(), shape).unwrap();
        let connection = Connection::new(endpoint, Reach::ThisComputer, None, clock()).unwrap();
        connection.context_tokens("tiny:1b", AMPLE_MS, &Unwatched).unwrap()
    };
    for shape in [Shape::Ollama, Shape::OpenAi] {
        assert_eq!(asked(shape), None, "it does not tell");
    }
    server.behave(|server| server.context_tokens = Some(4_096));
    for shape in [Shape::Ollama, Shape::OpenAi] {
        assert_eq!(asked(shape), Some(4_096), "{shape:?}");
    }
    assert_eq!(server.calls(), 0, "nothing is asked of a model");
}
