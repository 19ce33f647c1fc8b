//! Tests the webhook: it is off unless an address is entered, obeys "This computer only", is logged, and contains no message
//! text.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use keepsake_domain::{CallOutcome, Clock, Lane, Timestamp};
use keepsake_engine::{ModelSettings, Step};
use keepsake_testkit::ToolSession;

use crate::fixture::Fixture;

const CANARY: &str = "xylokarpzebra";
const SCRIPT: &str = "Edit CHANGELOG.md; cargo test; git commit -m x; gh release create v1.0.0";

/// A loopback server that answers each request with this status and passes the requests on to the test.
fn server(status: &'static str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hooks/playbooks", listener.local_addr().unwrap());
    let (send, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut text = String::new();
            let mut bytes = [0; 4096];
            loop {
                let count = stream.read(&mut bytes).unwrap_or(0);
                text.push_str(&String::from_utf8_lossy(&bytes[..count]));
                let length = text
                    .to_lowercase()
                    .split("content-length: ")
                    .nth(1)
                    .and_then(|rest| rest.lines().next()?.trim().parse().ok());
                let has_all = text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.len() >= length.unwrap_or(0));
                if count == 0 || has_all {
                    break;
                }
            }
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            if send.send(text).is_err() {
                return;
            }
        }
    });
    (address, requests)
}

fn sessions(f: &Fixture, name: &str, script: &str) {
    for at in 0..3 {
        f.clock.advance_ms(1_000);
        let began = Timestamp(f.clock.now().0 - (at + 1) * 24 * 3_600_000);
        let mut messages = ToolSession { id: &format!("{name}-{at}"), began, folder: "/srv/app", script }.messages();
        messages[0].text = format!("Please release it, {CANARY}.");
        f.append(&messages);
    }
}

fn work(f: &Fixture) {
    f.engine.playbooks().queue().unwrap();
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
}

#[test]
fn a_new_playbook_is_told_of_once_without_a_word_of_any_message() {
    let f = Fixture::new();
    let (address, requests) = server("200 OK");
    f.engine.playbooks().set_webhook(Some(&address)).unwrap();
    sessions(&f, "release", SCRIPT);
    work(&f);
    let request = requests.try_recv().unwrap();
    assert!(request.starts_with("POST /hooks/playbooks HTTP/1.1"), "{request}");
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!((&body["event"], &body["count"]), (&"playbooks_found".into(), &1.into()));
    let told = body["playbooks"][0].as_object().unwrap();
    assert_eq!(told.keys().collect::<Vec<_>>(), ["id", "title", "occurrences", "steps"], "and nothing else");
    assert_eq!(told["title"], "gh release create after Edit, cargo test and git commit");
    assert!(!request.contains(CANARY) && !request.contains("CHANGELOG") && !request.contains("v1.0.0"), "{request}");
    let calls = f.engine.store().read(|tx| tx.model_calls().list(false, 0, 10)).unwrap().1;
    assert_eq!(calls.len(), 1, "it stands in the list of what left this computer");
    assert_eq!((calls[0].purpose.as_str(), calls[0].outcome), ("webhook_playbooks/1", CallOutcome::Answered));
    assert!(request.ends_with(&calls[0].request), "word for word");
    f.engine.playbooks().queue_now().unwrap();
    work(&f);
    assert!(requests.try_recv().is_err(), "once");
}

#[test]
fn without_an_address_nothing_leaves_and_what_waits_when_one_is_entered_is_no_news() {
    let f = Fixture::new();
    let (address, requests) = server("200 OK");
    sessions(&f, "release", SCRIPT);
    work(&f);
    assert!(f.engine.store().read(|tx| tx.model_calls().list(false, 0, 10)).unwrap().1.is_empty());
    f.engine.playbooks().set_webhook(Some(&address)).unwrap();
    f.engine.playbooks().queue_now().unwrap();
    work(&f);
    assert!(requests.try_recv().is_err(), "it waited before");
    sessions(&f, "review", "Read a; Grep b; npm test; WebFetch c");
    work(&f);
    assert!(requests.try_recv().is_ok(), "control: the next one is told of");
    f.engine.playbooks().set_webhook(None).unwrap();
    assert_eq!(f.engine.playbooks().webhook().unwrap(), None);
}

#[test]
fn another_computer_hears_nothing_while_only_this_one_is_allowed() {
    let f = Fixture::new();
    for address in ["http://192.0.2.1/hook", "https://hooks.example.org/x", "http://127.0.0.1.example.org/"] {
        let refused = f.engine.playbooks().set_webhook(Some(address)).unwrap_err();
        assert!(refused.to_string().contains("not on this computer"), "{address}: {refused}");
    }
    for address in ["ftp://127.0.0.1/x", "http://user:pass@127.0.0.1/", "not an address"] {
        assert!(f.engine.playbooks().set_webhook(Some(address)).is_err(), "{address}");
    }
    // The address is allowed when it is entered, but forbidden when the call is due.
    let settings = f.engine.models().settings().unwrap();
    f.engine.models().set_settings(&ModelSettings { this_computer_only: false, ..settings.clone() }).unwrap();
    f.engine.playbooks().set_webhook(Some("http://192.0.2.1/hook")).unwrap();
    f.engine.models().set_settings(&settings).unwrap();
    sessions(&f, "release", SCRIPT);
    work(&f);
    assert!(
        f.engine.store().read(|tx| tx.model_calls().list(false, 0, 10)).unwrap().1.is_empty(),
        "nothing was sent, nothing is in the list"
    );
    let alerts = f.engine.store().read(|tx| tx.alerts().all()).unwrap();
    assert!(alerts.iter().any(|alert| alert.message.contains("not on this computer")), "and a person is told why: {alerts:?}");
    let (address, requests) = server("200 OK");
    f.engine.playbooks().set_webhook(Some(&address)).unwrap();
    sessions(&f, "review", "Read a; Grep b; npm test; WebFetch c");
    work(&f);
    assert!(requests.try_recv().is_ok(), "control: loopback is allowed");
}

#[test]
fn a_server_that_fails_is_asked_again() {
    let f = Fixture::new();
    let (address, requests) = server("503 Service Unavailable");
    f.engine.playbooks().set_webhook(Some(&address)).unwrap();
    sessions(&f, "release", SCRIPT);
    work(&f);
    assert!(requests.try_recv().is_ok());
    assert!(
        matches!(f.engine.queue().run_next(Lane::Capture, &|_| {}).unwrap(), Step::Idle(Some(_))),
        "it waits for its next attempt"
    );
    f.clock.advance_ms(3_600_000);
    let lock = f.engine.queue().lock_worker().unwrap();
    f.engine.queue().run_due(&lock, &|_| {}).unwrap();
    assert!(requests.try_recv().is_ok(), "and is made");
    let calls = f.engine.store().read(|tx| tx.model_calls().list(false, 0, 10)).unwrap().1;
    assert!(calls.len() >= 2 && calls.iter().all(|call| call.outcome == CallOutcome::Failed), "each attempt is in the list");
}
