//! `keepsake serve`: the page on loopback, and all requests that must be refused.
//!
//! The client is a plain socket, because a browser would enforce its own rules before the request reaches the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Home, evening, jsonl, text};

/// Longer than any step takes, so that a hang becomes a failure.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct Served {
    pub(crate) home: Home,
    child: Child,
    log: Option<PathBuf>,
    pub(crate) port: u16,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        // The server may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

const SECRET: &str = "nobody may read this";

impl Served {
    pub(crate) fn start() -> Self {
        Self::on(Home::new())
    }

    pub(crate) fn on(home: Home) -> Self {
        Self::spawn(home, None, None)
    }

    /// Starts the server with the most detailed log level. Its log is next to the data folder.
    pub(crate) fn traced() -> Self {
        let home = Home::new();
        let log = home.file("serve.log", "");
        Self::spawn(home, None, Some(log))
    }

    /// What a server started with [`traced`](Self::traced) has logged so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.log.as_ref().unwrap()).unwrap()
    }

    /// Starts the server again after it was killed.
    pub(crate) fn again(mut self) -> Self {
        let log = self.log.take();
        let home = std::mem::replace(&mut self.home, Home::new());
        drop(self);
        Self::spawn(home, None, log)
    }

    /// Starts the server with process limits that the shell sets.
    pub(crate) fn limited(limits: &str) -> Self {
        Self::spawn(Home::new(), Some(limits), None)
    }

    fn spawn(home: Home, limits: Option<&str>, log: Option<PathBuf>) -> Self {
        let ui = home.data().with_file_name("ui");
        std::fs::create_dir_all(ui.join("assets")).unwrap();
        std::fs::write(ui.join("index.html"), "<!doctype html><title>Keepsake</title>").unwrap();
        std::fs::write(ui.join("assets/app-1a2b.js"), "export {};").unwrap();
        std::fs::write(ui.join(".hidden"), SECRET).unwrap();
        home.file("secret.txt", SECRET);
        let mut command = home.command(&["serve", "--json", "--port", "0", "--ui", ui.to_str().unwrap()]);
        if let Some(limits) = limits {
            let mut limited = Command::new("sh");
            limited.arg("-c").arg(format!("{limits}; exec \"$0\" \"$@\""));
            limited.arg(command.get_program()).args(command.get_args());
            limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command = limited;
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        if let Some(log) = &log {
            let log = std::fs::File::options().append(true).open(log).unwrap();
            command.env("KEEPSAKE_LOG", "trace").stderr(log);
        }
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("one JSON line ({error}): {line}"));
        let (port, token) = (told["port"].as_u64().unwrap() as u16, text(&told, "token"));
        assert_eq!(
            told["address"],
            format!("http://127.0.0.1:{port}/#token={token}"),
            "the key stands behind #, where no log sees it"
        );
        assert!(token.len() >= 64, "256 bits");
        Self { home, child, log, port, token }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server immediately.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.set_write_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Sends exactly these header lines and reads until the server closes the connection.
    pub(crate) fn raw(&self, request_line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{request_line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses a request early closes the connection while the body is still being sent.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        parse(&bytes)
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    fn get(&self, path: &str) -> Answer {
        self.raw(&format!("GET {path}"), &[("Host", &self.host())], b"")
    }

    fn rpc(&self, command: &str, payload: &Value) -> Answer {
        let body = json!({"cmd": command, "payload": payload}).to_string();
        let headers = [("Host", &*self.host()), ("Authorization", &*self.bearer()), ("Content-Type", "application/json")];
        self.raw("POST /rpc", &headers, body.as_bytes())
    }

    /// Runs one of the window's commands, which must succeed.
    pub(crate) fn call(&self, command: &str, payload: Value) -> Value {
        let answer = self.rpc(command, &payload);
        assert_eq!(answer.status, 200, "{command}: {}", answer.text());
        answer.json()
    }
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_else(|| panic!("no answer: {bytes:?}"));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> =
        lines.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut answer = Answer { status, headers, body: bytes[end + 4..].to_vec() };
    if answer.header("transfer-encoding") == Some("chunked") {
        answer.body = unchunked(&answer.body);
    }
    answer
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(&String::from_utf8_lossy(&bytes[..end]), 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 2 + size + 2..];
    }
    body
}

/// Connections with unfinished requests must not lock the person out of the page.
#[test]
fn unfinished_requests_leave_room_for_the_page() {
    let served = Served::limited("ulimit -n 256");
    let mut open = Vec::new();
    for nth in 0..400 {
        let mut stream = served.connect();
        if nth % 2 == 0 {
            // An error means that the server has already closed it, which is the goal.
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
        }
        open.push(stream);
    }
    let began = std::time::Instant::now();
    assert_eq!(served.get("/").status, 200);
    assert_eq!(served.rpc("app_status", &Value::Null).status, 200);
    assert!(began.elapsed() < Duration::from_secs(4), "at once, and not when the others are given up: {:?}", began.elapsed());
    drop(open);
}

/// The head of a request must arrive within a few seconds, no matter how slowly it is sent.
#[test]
fn a_request_without_an_end_is_given_up_and_a_whole_one_stays() {
    const GIVEN_UP: Duration = Duration::from_secs(10);
    const DRIP: Duration = Duration::from_millis(250);
    let served = Served::start();
    let began = std::time::Instant::now();
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", served.host());
    let mut whole = served.connect();
    whole.write_all(request.as_bytes()).unwrap();
    let (mut silent, mut dripping) = (served.connect(), served.connect());
    silent.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    dripping.set_read_timeout(Some(DRIP)).unwrap();
    let mut byte = [0; 1];
    loop {
        let _ = dripping.write_all(b"x");
        match dripping.read(&mut byte) {
            Err(error) if [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut].contains(&error.kind()) => {}
            // Closed or reset: the server gave up.
            _ => break,
        }
        assert!(began.elapsed() < GIVEN_UP, "a byte now and then is no head");
    }
    let _ = silent.read(&mut byte);
    assert!(began.elapsed() < GIVEN_UP, "half a head is given up: {:?}", began.elapsed());
    assert!(began.elapsed() > Duration::from_secs(3), "control: not at once");
    whole.write_all(request.as_bytes()).unwrap();
    let mut answers = String::new();
    while answers.matches("HTTP/1.1 200").count() < 2 {
        let mut bytes = [0; 4096];
        let read = whole.read(&mut bytes).expect("a connection whose request was whole stays open");
        assert!(read > 0, "control: both are answered: {answers}");
        answers.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
}

#[test]
fn data_needs_the_token() {
    let served = Served::start();
    let host = served.host();
    let wrong = "Bearer 0000000000000000000000000000000000000000000000000000000000000000";
    let longer = format!("{}0", served.bearer());
    let basic = served.bearer().replace("Bearer", "Basic");
    let bare = served.token.clone();
    let tries: [Option<&str>; 7] = [None, Some(wrong), Some(&longer), Some(&basic), Some(&bare), Some("Bearer "), Some("")];
    for given in tries {
        for line in ["POST /rpc", "GET /rpc", "GET /events", "POST /files?name=x.txt", "POST /events"] {
            let mut headers = vec![("Host", host.as_str()), ("Content-Type", "application/json")];
            headers.extend(given.map(|given| ("Authorization", given)));
            let answer = served.raw(line, &headers, br#"{"cmd":"app_status"}"#);
            assert_eq!(answer.status, 401, "{line} with {given:?}: {}", answer.text());
            assert!(!answer.text().contains(&served.token), "the key is not in the answer");
        }
    }
    let in_address = served.get(&format!("/rpc?token={}", served.token));
    assert_eq!(in_address.status, 401, "a key in an address counts for nothing");
    assert!(!served.home.data().join("incoming").exists(), "nothing was taken");
}

#[test]
fn other_sites_and_other_names_are_refused() {
    let served = Served::start();
    let host = served.host();
    let local = format!("localhost:{}", served.port);
    let (own, bearer) = (format!("http://{host}"), served.bearer());
    let check = |headers: &[(&str, &str)], expect: u16, why: &str| {
        for line in ["GET /", "POST /rpc", "GET /assets/app-1a2b.js"] {
            let all = [headers, &[("Authorization", bearer.as_str()), ("Content-Type", "application/json")]].concat();
            let answer = served.raw(line, &all, br#"{"cmd":"app_status"}"#);
            assert_eq!(answer.status, expect, "{line}: {why}: {}", answer.text());
            for (name, _) in &answer.headers {
                assert!(!name.to_lowercase().starts_with("access-control"), "no CORS header, ever: {name}");
                assert!(!name.eq_ignore_ascii_case("set-cookie"), "no cookie, ever");
            }
        }
    };
    check(&[("Host", &host)], 200, "the address itself");
    check(&[("Host", &local)], 200, "its other name");
    check(&[("Host", &host), ("Origin", &own), ("Sec-Fetch-Site", "same-origin")], 200, "the page");
    check(&[("Host", "evil.example")], 403, "a name rebound to this address");
    check(&[("Host", &format!("evil.example:{}", served.port))], 403, "the same with the port");
    check(&[("Host", "127.0.0.1")], 403, "without the port");
    check(&[("Host", "127.0.0.1:1")], 403, "another port");
    check(&[("Host", &host), ("Host", "evil.example")], 403, "two names");
    check(&[("Host", &host), ("Origin", "http://evil.example")], 403, "another site");
    check(&[("Host", &host), ("Origin", "null")], 403, "a sandboxed frame or a file");
    check(&[("Host", &host), ("Origin", &format!("https://{host}"))], 403, "another scheme");
    check(&[("Host", &host), ("Origin", "http://127.0.0.1:1")], 403, "another port of this computer");
    check(&[("Host", &host), ("Sec-Fetch-Site", "cross-site")], 403, "a fetch from another site");
    check(&[("Host", &host), ("Sec-Fetch-Site", "same-site")], 403, "a fetch from another port");
    let preflight = [
        ("Host", host.as_str()),
        ("Origin", "http://evil.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization"),
    ];
    let answer = served.raw("OPTIONS /rpc", &preflight, b"");
    assert_eq!(answer.status, 403);
    assert!(answer.headers.iter().all(|(name, _)| !name.to_lowercase().starts_with("access-control")));
}

#[test]
fn malformed_requests_are_refused_by_their_kind() {
    let served = Served::start();
    let (host, bearer) = (served.host(), served.bearer());
    let send = |line: &str, kind: &str, body: &[u8]| {
        served.raw(line, &[("Host", &host), ("Authorization", &bearer), ("Content-Type", kind)], body)
    };
    let json = "application/json";
    assert_eq!(send("GET /rpc", json, b"").status, 405);
    assert_eq!(send("PUT /rpc", json, b"{}").status, 405);
    assert_eq!(send("POST /events", json, b"").status, 405);
    assert_eq!(send("DELETE /", json, b"").status, 405);
    assert_eq!(send("POST /index.html", json, b"{}").status, 405);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        assert_eq!(send("POST /rpc", kind, br#"{"cmd":"app_status"}"#).status, 415, "a form of another page could send {kind}");
    }
    assert_eq!(send("POST /rpc", json, b"not json").status, 400);
    assert_eq!(send("POST /rpc", json, br#"{"cmd":"app_status","extra":1}"#).status, 400);
    assert_eq!(send("POST /rpc", json, br#"{"cmd":"no_such_command"}"#).status, 400);
    assert_eq!(send("POST /rpc", json, br#"{"cmd":"memory_get","payload":{"id":"mem_00"}}"#).status, 404);
    assert_eq!(send("POST /rpc", json, &vec![b' '; 5 * 1024 * 1024]).status, 413, "no command is that large");
    let answer = send("POST /rpc", json, br#"{"cmd":"memory_get","payload":{"id":"nonsense"}}"#);
    assert_eq!((answer.status, &answer.json()["code"]), (400, &Value::from("invalid")), "errors carry a code for programs");
    assert!(!answer.json()["message"].as_str().unwrap().is_empty(), "and words for people");
}

#[test]
fn the_page_is_served_and_nothing_outside_it() {
    let served = Served::start();
    let page = served.get("/");
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").expect("a policy");
    for rule in ["default-src 'self'", "script-src 'self'", "object-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
        assert!(policy.contains(rule), "{rule} in {policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
    for (name, value) in
        [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("cache-control", "no-store")]
    {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
    assert!(!page.text().contains(&served.token), "the key is not in the page");
    assert_eq!(served.get("/assets/app-1a2b.js").header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(served.get("/review").text(), page.text(), "the window routes by itself");
    assert_eq!(served.get("/assets/missing.js").status, 404, "a missing file is no page");
    let climbing = [
        "/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%2e%2e%2fsecret.txt",
        "/..\\secret.txt", "/assets/..%5c..%5csecret.txt", "//etc/passwd", "/./../secret.txt", "/.hidden", "/%2ehidden",
        "/assets/%00/../../secret.txt", "/data/keepsake.db", "/../data/keepsake.db",
    ];
    for path in climbing {
        let answer = served.get(path);
        let body = answer.text();
        assert!(!body.contains(SECRET) && !body.contains("root:") && !body.contains("SQLite format"), "{path}: {body}");
    }
}

#[test]
fn a_command_goes_round_and_its_change_comes_down_the_stream() {
    let served = Served::start();
    let mut stream = served.connect();
    let head = format!("GET /events HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n\r\n", served.host(), served.bearer());
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("the stream stands"));
    assert!(lines.next().unwrap().contains("200"));
    assert!(lines.by_ref().any(|line| line == "content-type: text/event-stream"));
    assert!(lines.by_ref().any(|line| line == ": ready"), "it says at once that it stands");

    let mut settings = served.call("settings_get", json!({}));
    settings["theme"] = "dark".into();
    assert_eq!(served.call("settings_set", settings.clone()), settings);
    assert_eq!(served.call("settings_get", json!({})), settings, "it is kept");
    let events = lines.filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    let changed = events.into_iter().find(|event| event.to_string().contains("settings"));
    assert!(changed.is_some(), "the change of the settings came down the stream");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_in_good_order_while_a_page_listens() {
    let mut served = Served::start();
    let listen = |served: &Served| {
        let mut stream = served.connect();
        let head = format!("GET /events HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n\r\n", served.host(), served.bearer());
        stream.write_all(head.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines();
        assert!(lines.by_ref().any(|line| line.unwrap() == ": ready"));
        lines
    };
    let page = listen(&served);
    served.call("settings_set", served.call("settings_get", json!({})));
    let log = served.home.data().join("keepsake.db-wal");
    assert!(std::fs::metadata(&log).unwrap().len() > 0, "a control: what was written stands in the log");
    let signalled = std::process::Command::new("kill").args(["-INT", &served.child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    assert!(page.map(|line| line.unwrap()).all(|line| line != "event: error"), "the page hears the end of the stream");
    assert!(served.child.wait().unwrap().success(), "it ended by itself, and well");
    assert!(std::fs::metadata(&log).map_or(0, |log| log.len()) == 0, "the next start has no log to read");
}

#[test]
fn a_file_that_is_cut_off_on_its_way_leaves_nothing() {
    let served = Served::start();
    let incoming = served.home.data().join("incoming");
    let arrived = || std::fs::read_dir(&incoming).into_iter().flatten().count();
    let mut stream = served.connect();
    let head = format!(
        "POST /files?name=a.json HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nContent-Length: 1000000\r\n\r\n",
        served.host(),
        served.bearer()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&[b' '; 4096]).unwrap();
    let until = |expect: usize, why: &str| {
        let deadline = std::time::Instant::now() + TIMEOUT;
        while arrived() != expect {
            assert!(std::time::Instant::now() < deadline, "{why}");
            std::thread::yield_now();
        }
    };
    until(1, "a control: its beginning arrived");
    drop(stream);
    until(0, "what arrived of it is removed");
}

#[test]
fn a_file_is_sent_looked_into_and_imported() {
    let served = Served::start();
    let headers = [("Host", &*served.host()), ("Authorization", &*served.bearer())];
    let answer = served.raw("POST /files?name=..%2F..%2Fevening.jsonl", &headers, evening().as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let file = answer.json();
    assert_eq!(
        (&file["name"], &file["size"]),
        (&"evening.jsonl".into(), &evening().len().into()),
        "only the last part of the name"
    );
    assert!(!served.home.data().with_file_name("evening.jsonl").exists(), "it lies in the data folder and nowhere else");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let incoming = served.home.data().join("incoming");
        let folder = std::fs::read_dir(&incoming).unwrap().next().unwrap().unwrap().path();
        let sent = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        assert_eq!((mode(&incoming), mode(&folder), mode(&sent)), (0o700, 0o700, 0o600), "its user's alone");
    }
    let token = text(&file, "token");
    let looked = served.call("import_dry_run", json!({"tokens": [token], "me": null, "date_order": null}));
    let found = &looked["files"][0];
    assert_eq!((&found["kind"], &found["seen"], &found["error"]), (&"keepsake".into(), &7.into(), &Value::Null), "{looked}");
    assert_eq!(served.call("app_status", json!({}))["counts"]["messages"], 0, "looking changes nothing");

    let mut stream = served.connect();
    let head = format!("GET /events HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n\r\n", served.host(), served.bearer());
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("the stream stands"));
    assert!(lines.by_ref().any(|line| line == ": ready"));
    let started = served.call("import_start", json!({"tokens": [token], "me": null, "date_order": null, "private": false}));
    assert_eq!(started["job_ids"].as_array().map(Vec::len), Some(1), "{started}");
    // The background worker first imports, then reads. Every change is reported, so no timer is needed.
    let waiting = |served: &Served| served.call("app_status", json!({}))["counts"]["pending"].as_u64().unwrap();
    while waiting(&served) == 0 {
        assert!(lines.next().is_some(), "the stream goes on until candidates wait");
    }
    let counts = served.call("app_status", json!({}))["counts"].clone();
    assert_eq!(counts["messages"], 7, "{counts}");
    let unknown = served.rpc("import_dry_run", &json!({"tokens": ["0123"], "me": null, "date_order": null}));
    assert_eq!(unknown.status, 400, "a file is known by its token alone: {}", unknown.text());
    let by_path =
        served.rpc("import_start", &json!({"tokens": ["/etc/passwd"], "me": null, "date_order": null, "private": false}));
    assert_eq!(by_path.status, 400, "and never by a path");
    let page = served.home.run(&["run-jobs"]).failure();
    assert!(page.contains("Keepsake is already running"), "the command line leaves the queue to the page's worker: {page}");
}

#[test]
fn a_list_in_pages_is_the_list_at_once() {
    let home = Home::new();
    home.read(&evening());
    let served = Served::on(home);
    let ask = |change: Value| {
        let mut request = json!({"status": ["pending"], "sort": "queue"});
        request.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        served.call("memories_list", request)
    };
    let whole = ask(json!({}));
    let total = whole["total"].as_u64().unwrap();
    assert!(total > 2, "{whole}");
    let pages: Vec<Value> =
        (0..total).flat_map(|at| ask(json!({"offset": at, "limit": 1}))["items"].as_array().unwrap().clone()).collect();
    assert_eq!(Value::Array(pages), whole["items"], "no row is missing, none stands twice, the order holds");
    let facets = ["by_status", "by_category", "by_subject", "by_channel"];
    assert!(facets.iter().all(|facet| whole[facet].as_array().is_some_and(|counts| !counts.is_empty())), "{whole}");
    let bare = ask(json!({"without_facets": true}));
    assert!(facets.iter().all(|facet| bare[facet] == json!([])), "{bare}");
    assert_eq!((&bare["items"], &bare["total"]), (&whole["items"], &whole["total"]), "rows and number are the same");
}

#[test]
fn the_list_of_memories_as_of_a_day_holds_what_was_approved_and_said_by_then() {
    let home = Home::new();
    home.read(&evening());
    let rows = home.rows(&["memories", "--status", "pending"]);
    assert!(rows.len() > 1, "{rows:?}");
    let id = text(&rows[0], "id");
    home.run(&["approve", &id]).ok();
    let served = Served::on(home);
    let list = |as_of: i64| {
        let found = served.call("memories_list", json!({"as_of": as_of, "status": ["pending"]}))["items"].clone();
        found.as_array().unwrap().iter().map(|row| text(row, "id")).collect::<Vec<_>>()
    };
    let said = served.call("memories_list", json!({"status": ["active"]}))["items"][0]["said_at"].as_i64().unwrap();
    assert_eq!(list(said), [id], "what waits is not in it, whatever status is asked for");
    assert_eq!(list(said - 1), Vec::<String>::new());
}

#[test]
fn a_search_of_the_page_tells_the_lines_around_and_several_kinds_at_once() {
    let home = Home::new();
    home.read(&evening());
    let served = Served::on(home);
    let found = served.call("search", json!({"query": "marathon Osaka", "scope": "messages", "limit": 1, "around": 1}));
    let lines = found["hits"][0]["lines"].as_array().unwrap();
    let offsets: Vec<i64> = lines.iter().map(|line| line["offset"].as_i64().unwrap()).collect();
    assert_eq!(offsets, [-1, 1]);
    assert!(
        text(&lines[0], "text").starts_with("Noted.") && text(&lines[1], "text").starts_with("I work as a nurse"),
        "{lines:?}"
    );
    let far = served.call("search", json!({"query": "marathon Osaka", "scope": "messages", "limit": 1, "around": 200}));
    assert_eq!(far["hits"][0]["lines"].as_array().unwrap().len(), 5, "no more than three on either side");
    let plain = served.call("search", json!({"query": "marathon Osaka", "scope": "messages"}));
    assert_eq!(plain["hits"][0]["lines"], json!([]), "none where nobody asks");
    let several = served.call("search", json!({"query": "Ana", "scope": "people,memories,topics"}));
    let kinds: Vec<String> = several["hits"].as_array().unwrap().iter().map(|hit| text(hit, "kind")).collect();
    assert!(kinds.contains(&"person".to_owned()) && !kinds.contains(&"message".to_owned()), "{kinds:?}");
    let people = served.call("search", json!({"query": "type:person", "limit": 50}));
    assert!(people["hits"].as_array().unwrap().iter().all(|hit| hit["kind"] == "person" && hit["why"] == json!(["filter"])));
    let wrong = served.rpc("search", &json!({"query": "x", "scope": "people,boats"}));
    assert!(wrong.status >= 400 && wrong.text().contains("boats"), "{}", wrong.text());
}

#[test]
fn a_page_looks_into_a_backup_that_it_sent_goes_back_to_it_and_keeps_what_was_here() {
    let home = Home::new();
    home.read(&evening());
    let file = home.data().with_file_name("mine.db");
    home.run(&["backup", file.to_str().unwrap()]).ok();
    home.read(&jsonl("later", &[("owner", "Mara", "I live in Lagos now.")]));
    let served = Served::on(home);
    let messages = || served.call("app_status", json!({}))["counts"]["messages"].clone();
    let headers = [("Host", &*served.host()), ("Authorization", &*served.bearer())];
    let sent = served.raw("POST /files?name=mine.db", &headers, &std::fs::read(&file).unwrap());
    assert_eq!(sent.status, 200, "{}", sent.text());
    let place = json!({"token": text(&sent.json(), "token")});

    let preview = served.call("restore_preview", place.clone());
    assert_eq!((&preview["backup"]["messages"], &preview["messages"]), (&7.into(), &8.into()), "{preview}");
    assert_eq!(messages(), 8, "looking changes nothing");
    let done = served.call("restore", place.clone());
    assert_eq!((&done["messages"], &done["is_same_store"]), (&7.into(), &true.into()), "{done}");
    assert_eq!(messages(), 7);
    assert_eq!(
        served.rpc("restore", &place).status,
        409,
        "what was sent is gone once it was used: a copy would outlive an erasure"
    );

    let kept = served.call("backups_list", json!({}))["items"].clone();
    assert_eq!((&kept[0]["id"], &kept[0]["reason"]), (&done["before"], &"before-restore".into()), "{kept}");
    served.call("restore", json!({"id": done["before"]}));
    assert_eq!(messages(), 8, "there is a way back by its name");
    let made = served.call("backup_make", json!({}));
    assert_eq!(made["contents"]["messages"], 8);

    for (command, payload, status) in [
        ("restore", json!({}), 400),
        ("restore", json!({"id": "../keepsake.db"}), 409),
        ("restore", json!({"id": made["name"], "token": "0123"}), 400),
        ("restore_preview", json!({"path": "/etc/passwd"}), 400),
        ("backup_make", json!({"token": "/tmp/anywhere.db"}), 400),
        ("export_make", json!({}), 400),
        ("pick_export_folder", json!({}), 409),
    ] {
        assert_eq!(served.rpc(command, &payload).status, status, "{command} {payload}");
    }
    assert_eq!(messages(), 8);
    let begun = served.call("rebuild_begin", json!({}));
    let kept = served.call("backups_list", json!({}))["items"].clone();
    assert_eq!((&kept[0]["id"], &kept[0]["reason"]), (&begun["backup"], &"before-bulk".into()), "{kept}");
    assert_eq!(served.call("maintenance_get", json!({}))["runs"][0]["id"], begun["run_id"]);
    assert_eq!(messages(), 8, "a rebuild deletes no message");
    served.call("task_cancel", json!({"id": "backup"}));
    served.call("backup_make", json!({}));
}
