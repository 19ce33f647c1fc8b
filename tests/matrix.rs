//! A Matrix account from end to end: the command line, a running Keepsake, and a scripted homeserver. The behavior of real
//! homeservers is tested in `connectors`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use keepsake_testkit::Traces;
use serde_json::{Value, json};

use crate::harness::{Home, text};
use crate::http::Served;

/// A recovery key that belongs to nobody.
const RECOVERY_KEY: &str = "EsTL fFgm QmWz JkYp 4quokkaharmonium";

pub(crate) const PASSWORD: &str = "correct horse battery staple";
const LOGIN_TOKEN: &str = "quokka-login-token";

/// Maximum time to wait for a condition on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < DEADLINE, "{what} did not come true");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How a homeserver misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It does not.
    Nothing,
    /// It closes connections without an answer.
    Cut,
    /// It accepts no password and no token, and repeats what it was sent.
    Refuses,
    /// It sends an unexpected answer that repeats what it was sent.
    Babbles,
}

/// A homeserver without rooms, and the requests it received.
pub(crate) struct Homeserver {
    pub(crate) address: String,
    bodies: Arc<Mutex<Vec<(String, String)>>>,
    wrong: Arc<Mutex<Wrong>>,
}

/// The token of a session on a [`Homeserver`].
pub(crate) const TOKEN: &str = "syt_quokka_token";

/// The answer to a call, and the delay before it.
fn answer(path: &str, method: &str) -> (u16, Value, Duration) {
    let soon = Duration::ZERO;
    match path {
        "login" if method == "GET" => (200, json!({ "flows": [{ "type": "m.login.sso" }, { "type": "m.login.token" }] }), soon),
        "login" => (200, json!({ "access_token": TOKEN, "user_id": "@ana:localhost", "device_id": "KEEPSAKE" }), soon),
        "sync" => (200, json!({ "next_batch": "s1" }), Duration::from_millis(200)),
        "keys/query" => (200, json!({ "device_keys": {} }), soon),
        "keys/upload" => (200, json!({ "one_time_key_counts": { "signed_curve25519": 50 } }), soon),
        _ => (404, json!({ "errcode": "M_NOT_FOUND" }), soon),
    }
}

impl Homeserver {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let bodies: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
        let wrong = Arc::new(Mutex::new(Wrong::Nothing));
        let (noted, is_wrong) = (Arc::clone(&bodies), Arc::clone(&wrong));
        std::thread::spawn(move || {
            for call in listener.incoming() {
                let (noted, is_wrong) = (Arc::clone(&noted), Arc::clone(&is_wrong));
                std::thread::spawn(move || serve(call.unwrap(), &noted, &is_wrong));
            }
        });
        Self { address, bodies, wrong }
    }

    /// Makes the homeserver misbehave from now on.
    pub(crate) fn set(&self, wrong: Wrong) {
        *self.wrong.lock().unwrap() = wrong;
    }

    /// The request bodies sent to a path.
    fn sent(&self, path: &str) -> Vec<String> {
        self.bodies.lock().unwrap().iter().filter(|(to, _)| to == path).map(|(_, body)| body.clone()).collect()
    }
}

fn serve(call: TcpStream, noted: &Mutex<Vec<(String, String)>>, wrong: &Mutex<Wrong>) {
    let mut reader = BufReader::new(call);
    let (mut line, mut length, mut sent) = (String::new(), 0, String::new());
    reader.read_line(&mut line).unwrap();
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).unwrap_or(0) <= 2 {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
        sent += &header;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default().trim_start_matches("/_matrix/client/v3/").to_owned();
    let (mut status, told, wait) = answer(&path, method);
    let mut told = told.to_string();
    sent += &String::from_utf8_lossy(&body);
    let wrong = *wrong.lock().unwrap();
    match wrong {
        Wrong::Nothing => {}
        Wrong::Cut => return,
        Wrong::Refuses => {
            let code = if path == "login" { "M_FORBIDDEN" } else { "M_UNKNOWN_TOKEN" };
            (status, told) = (if path == "login" { 403 } else { 401 }, json!({ "errcode": code, "error": sent }).to_string());
        }
        Wrong::Babbles => told = json!({ "next_batch": 7, "user_id": [&sent], "said": sent }).to_string(),
    }
    if method == "POST" {
        noted.lock().unwrap().push((path, String::from_utf8_lossy(&body).into_owned()));
    }
    std::thread::sleep(wait);
    // The client may have disconnected.
    let _ = write!(reader.get_mut(), "HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{told}", told.len());
}

pub(crate) fn state(home: &Home, id: &str) -> String {
    home.rows(&["sources", "list"]).iter().find(|row| text(row, "id") == id).map(|row| text(row, "state")).unwrap_or_default()
}

#[test]
fn the_recovery_key_is_read_from_standard_input_and_reaches_the_device_that_runs() {
    let (homeserver, served) = (Homeserver::start(), Served::start());
    let home = &served.home;
    let add = ["sources", "add", "matrix", "--homeserver", &homeserver.address, "--user", "ana", "--json"];
    let added: Value = serde_json::from_str(&home.run_with(&add, format!("{PASSWORD}\n")).ok()).unwrap();
    let id = text(&added, "id");
    until("the connection", || state(home, &id) == "live");
    let verify = ["sources", "verify", &id];
    let refused = home.run_with(&verify, format!("{RECOVERY_KEY}\n")).failure();
    assert!(refused.contains("has no recovery key") && !refused.contains(RECOVERY_KEY), "{refused}");
    assert!(home.run_with(&verify, "\n").failure().contains("standard input"));
    assert_eq!(state(home, &id), "live", "it goes on being read");
    // The control: a source that is not connected gives no answer.
    home.run(&["sources", "pause", &id]).ok();
    assert!(home.run_with(&verify, format!("{RECOVERY_KEY}\n")).failure().contains("not connected"));
    assert!(homeserver.sent("login")[0].contains(PASSWORD), "the password is where it belongs");
    Traces::default().folder(&home.data()).assert_free_of(&[RECOVERY_KEY, PASSWORD, TOKEN]);
}

#[test]
fn the_command_line_prints_the_address_and_waits_for_the_browser() {
    let (homeserver, served) = (Homeserver::start(), Served::start());
    let home = &served.home;
    let mut command = home.command(&["sources", "add", "matrix", "--browser", "--homeserver", &homeserver.address, "--json"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let address = text(&first, "address");
    let expected = format!("{}/_matrix/client/v3/login/sso/redirect?redirectUrl=http%3A%2F%2F127.0.0.1%3A", homeserver.address);
    let back = address.strip_prefix(&expected).unwrap_or_else(|| panic!("{address}"));
    let (port, path) = back.split_once("%2F").unwrap();
    // The request that the browser makes at the end.
    let mut browser = TcpStream::connect(("127.0.0.1", port.parse::<u16>().unwrap())).unwrap();
    write!(browser, "GET /{path}?loginToken={LOGIN_TOKEN} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").unwrap();
    let mut page = String::new();
    browser.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("close this page"), "{page}");
    let added: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert!(child.wait().unwrap().success());
    let id = text(&added, "id");
    until("the connection", || state(home, &id) == "live");
    let sent = homeserver.sent("login");
    assert!(sent.len() == 1 && sent[0].contains("m.login.token") && sent[0].contains(LOGIN_TOKEN), "{sent:?}");
    Traces::default().folder(&home.data()).assert_free_of(&[LOGIN_TOKEN, TOKEN]);
}
