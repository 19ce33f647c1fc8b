//! One process works on a data folder and serves the others: `keepsake serve`, stdio servers, hooks and the command line,
//! started and ended in any order.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agents::{StdioServer, initialize};
use crate::harness::{Home, evening, rows};
use crate::http::Served;

/// Longer than any step takes, so that a hang becomes a failure.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An MCP server for the agent Nova, already initialized by its client.
fn stdio(home: &Home) -> StdioServer {
    let mut server = StdioServer::start(home, "Nova", "error");
    server.ask(&initialize());
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    server
}

/// Appends one message, which must be acknowledged as new.
fn append(server: &mut StdioServer, id: &str) {
    let said = json!([{ "id": id, "role": "user", "text": format!("Line {id} of the talk.") }]);
    let answer = server.tool("append", &json!({ "conversation": "c1", "messages": said }));
    assert_eq!(answer["structuredContent"]["stored"], 1, "{id}: {answer}");
}

/// Sends a request over the socket and returns the status of the answer; `None` if there is none.
fn ask(home: &Home, route: &str, body: &str) -> Option<u16> {
    let mut stream = UnixStream::connect(home.data().join("keepsake.sock")).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let head = format!("POST {route} HTTP/1.1\r\nHost: keepsake\r\nConnection: close\r\nContent-Type: application/json\r\n");
    // In a single write: `write!` would send several pieces.
    stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

/// The beginning of a request whose body is two bytes long.
const HEAD_OF_TWO_BYTES: &str = "POST /changed HTTP/1.1\r\nHost: keepsake\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n";

/// Waits until a request over the socket is answered with this status.
fn await_status(home: &Home, route: &str, status: u16) {
    let began = Instant::now();
    while ask(home, route, "{}") != Some(status) {
        assert!(began.elapsed() < TIMEOUT, "nobody answers {route} with {status}");
        std::thread::yield_now();
    }
}

fn messages(home: &Home) -> u64 {
    home.rows(&["conversations"])[0]["messages"].as_u64().unwrap()
}

#[test]
fn programs_start_and_end_in_any_order_and_nothing_is_lost() {
    let mut served = {
        let home = Home::new();
        let mut first = stdio(&home);
        append(&mut first, "alone");
        let mut second = stdio(&home);
        append(&mut second, "through the first");
        assert_eq!(ask(&home, "/changed", "{}"), Some(200), "a stdio server answers the others while there is no window");
        assert!(first.end().0);
        append(&mut second, "opened by the second");
        let served = Served::on(home);
        // This process refuses to hand over its work to another, unlike a stdio server.
        await_status(&served.home, "/give-up", 409);
        append(&mut second, "through the window's process");
        assert!(second.end().0);
        served
    };
    let mut third = stdio(&served.home);
    append(&mut third, "another through it");
    served.kill();
    let home = &served.home;
    assert_eq!(ask(home, "/changed", "{}"), None, "a killed process leaves a socket that nobody answers");
    append(&mut third, "after it was killed");
    append(&mut stdio(home), "through the third");
    drop(third);
    append(&mut stdio(home), "after that one was killed");
    assert_eq!(messages(home), 8, "each acknowledged message is stored, once");
    home.run(&["verify"]).ok();
}

#[test]
fn a_request_is_answered_once_it_is_whole() {
    let served = Served::start();
    await_status(&served.home, "/give-up", 409);
    let mut slow = UnixStream::connect(served.home.data().join("keepsake.sock")).unwrap();
    slow.set_read_timeout(Some(TIMEOUT)).unwrap();
    slow.write_all(HEAD_OF_TWO_BYTES.as_bytes()).unwrap();
    // Leaves enough time for a premature answer, which would close the connection.
    for _ in 0..20 {
        assert_eq!(ask(&served.home, "/changed", "{}"), Some(200));
    }
    slow.write_all(b"{}").expect("the connection stays open until the request is whole");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn only_one_process_works_on_the_queue_and_the_others_do_not_need_to() {
    let home = Home::new();
    let mut first = stdio(&home);
    append(&mut first, "one");
    let mut second = stdio(&home);
    append(&mut second, "two");
    let busy = home.run(&["run-jobs"]).failure();
    assert!(busy.contains("already running"), "control: a stdio server works on the queue: {busy}");
    drop(first);
    home.run(&["run-jobs"]).ok();
    append(&mut second, "three");
    let busy = home.run(&["run-jobs"]).failure();
    assert!(busy.contains("already running"), "the second took over when it was called: {busy}");
}

#[test]
fn an_agent_gets_no_more_over_the_socket_than_it_may() {
    let home = Home::new();
    home.read(&evening());
    home.json(&["agents", "add", "Nova"]);
    let served = Served::on(home);
    let call = |agent: &str, tool: &str| {
        let request = json!({ "agent": agent, "tool": tool, "request": {} });
        ask(&served.home, "/tool", &request.to_string())
    };
    await_status(&served.home, "/give-up", 409);
    assert_eq!(call("Nova", "context"), Some(200), "control");
    assert_eq!(call("Nova", "erase"), Some(404), "only tools");
    assert_eq!(call("", "context"), Some(409), "a name that is none");
    served.home.run(&["agents", "pause", "Nova"]).ok();
    assert_eq!(call("Nova", "context"), Some(409), "a pause takes effect at once");
}

#[test]
fn other_users_are_turned_away() {
    let served = Served::start();
    await_status(&served.home, "/give-up", 409);
    // As if the person had opened the folder and the socket to everyone.
    for (path, mode) in [(served.home.data(), 0o755), (served.home.data().join("keepsake.sock"), 0o666)] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
    let script = "import os, socket, sys\n\
        os.chdir(sys.argv[1])\n\
        if sys.argv[2] == 'other': os.setresuid(65534, 65534, 65534)\n\
        s = socket.socket(socket.AF_UNIX)\n\
        s.settimeout(30)\n\
        s.connect('keepsake.sock')\n\
        print('connected')\n\
        head = 'POST /changed HTTP/1.1\\r\\nHost: k\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\n\\r\\n{}'\n\
        s.sendall(head.encode())\n\
        print(s.recv(12).decode())";
    let connect = |as_user: &str| {
        let mut python = Command::new("python3");
        let ran = python.args(["-c", script]).arg(served.home.data()).arg(as_user).output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    assert_eq!(connect("same"), "connected\nHTTP/1.1 200\n", "control: the same user is answered");
    // Only root can act as another user. The system prevents anyone else from doing so, which gives no answer either.
    assert!(!connect("other").contains("HTTP"), "another user gets no answer");
}

#[test]
fn a_command_of_the_command_line_is_seen_in_the_open_window() {
    let home = Home::new();
    home.read(&evening());
    let id = home.ids("pending").remove(0);
    let served = Served::on(home);
    await_status(&served.home, "/give-up", 409);
    let mut stream = served.connect();
    write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n\r\n", served.host(), served.bearer()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == ": ready"), "the window listens");
    served.home.run(&["approve", &id]).ok();
    assert!(lines.any(|line| line.contains("memories")), "it hears of the approval although another process wrote it");
}

#[test]
fn the_command_line_finds_the_same_with_and_without_the_application() {
    let home = Home::new();
    home.read(&evening());
    let search = |home: &Home| home.run(&["search", "cello lessons", "--json"]).ok();
    let alone = search(&home);
    assert!(alone.contains("cello"), "control: {alone}");
    let served = Served::on(home);
    await_status(&served.home, "/give-up", 409);
    assert_eq!(search(&served.home), alone);
    let counts = |home: &Home| home.json(&["status"])["counts"]["messages"].clone();
    assert_eq!(counts(&served.home), 7);
}

/// Runs a Claude Code hook. Returns its output.
fn hook(home: &Home, event: &str, input: &Value) -> String {
    home.run_with(&["hook", "claude-code", event, "--agent", "claude-code"], input.to_string()).ok()
}

fn signal(served: &Served, name: &str) {
    let sent = Command::new("kill").args([name, &served.pid().to_string()]).stdin(Stdio::null()).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_hook_asks_the_application_and_never_waits_long_for_it() {
    let home = Home::new();
    home.read(&evening());
    let ids = home.ids("pending");
    home.run(&[&["approve"], &ids.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat()).ok();
    let served = Served::on(home);
    await_status(&served.home, "/give-up", 409);
    let prompt = json!({ "session_id": "s1", "prompt": "Which dish can I cook without peanuts?" });
    let given = hook(&served.home, "user-prompt-submit", &prompt);
    assert!(given.contains("peanuts"), "{given}");
    let reads = rows(&served.home.run(&["agents", "--json"]).ok());
    assert!(reads.iter().any(|row| row["name"] == "claude-code"), "the read is in the access log: {reads:?}");
    // It hangs.
    signal(&served, "-STOP");
    let began = Instant::now();
    assert_eq!(hook(&served.home, "user-prompt-submit", &prompt), "", "the agent works on without a context");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    signal(&served, "-CONT");
    // By now, the words served above count as an echo, so the question is about another subject.
    let other = json!({ "session_id": "s1", "prompt": "Where do I live?" });
    assert!(hook(&served.home, "user-prompt-submit", &other).contains("Porto"), "and it answers again");
}
