//! `kill -9` while agents write: whatever a service or a stdio server acknowledged is stored exactly once, no matter when the
//! process was killed.
//!
//! The processes are killed while calls are in flight. A call that got no answer is repeated with the same id, as agents do;
//! the first attempt may already have been stored. Imports and the queue are in `crash.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::agents::{initialize, request};
use crate::crash::Dice;
use crate::harness::{Home, text};

/// Number of agents that write at the same time.
const AGENTS: usize = 3;

/// Number of kills for each kind of process.
const KILLS: u64 = 6;

/// Maximum number of acknowledged calls before a kill.
const CALLS_MAX: u64 = 40;

/// Maximum number of iterations of an empty loop between the last call and the kill, so that kills also hit the middle of a write.
const TURNS_MAX: u64 = 2_000_000;

/// The argument of `append` for one message.
fn message(conversation: &str, id: &str) -> Value {
    json!({ "conversation": conversation, "messages": [{ "id": id, "role": "user", "text": format!("Line {id} of the talk.") }] })
}

/// Number of times each message is stored, by conversation and id.
fn stored(home: &Home) -> BTreeMap<String, i64> {
    let raw = Connection::open(home.data().join("keepsake.db")).unwrap();
    let mut statement =
        raw.prepare("SELECT source_conversation || '/' || source_message, count(*) FROM interactions GROUP BY 1").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

/// Asserts that each acknowledged message is stored, and no message twice.
fn check(home: &Home, acknowledged: &BTreeSet<String>, when: &str) {
    let stored = stored(home);
    let lost: Vec<&String> = acknowledged.iter().filter(|id| !stored.contains_key(*id)).collect();
    assert!(lost.is_empty(), "{when}: acknowledged and not stored: {lost:?}");
    let twice: Vec<_> = stored.iter().filter(|(_, count)| **count != 1).collect();
    assert!(twice.is_empty(), "{when}: stored more than once: {twice:?}");
}

fn turn(turns: u64) {
    for turn in 0..turns {
        std::hint::black_box(turn);
    }
}

/// A service, and the port on which it serves agents.
fn serve(home: &Home) -> (Child, u16) {
    let mut child = home.command(&["serve", "--no-ui", "--json"]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = serde_json::from_str::<Value>(&line).unwrap()["port"].as_u64().unwrap() as u16;
    (child, port)
}

/// Appends over HTTP. `None` if no complete answer arrived.
fn append(port: u16, token: &str, body: &Value) -> Option<Value> {
    let body = body.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let head = format!(
        "POST /v1/append HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
    serde_json::from_str(body).ok()
}

#[test]
fn whenever_a_service_is_killed_what_it_acknowledged_to_any_agent_is_stored_once() {
    let home = Home::new();
    let tokens: Vec<String> =
        (0..AGENTS).map(|agent| text(&home.json(&["agents", "add", &format!("a{agent}")]), "token")).collect();
    let mut dice = Dice(22);
    let mut next = [0; AGENTS];
    let mut acknowledged = BTreeSet::new();
    for kill in 0..KILLS {
        let (mut child, port) = serve(&home);
        let (goal, turns) = (dice.below(CALLS_MAX) as usize, dice.below(TURNS_MAX));
        let answered = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let agents: Vec<_> = (0..AGENTS)
                .map(|agent| {
                    let (token, answered, from) = (&tokens[agent], &answered, next[agent]);
                    scope.spawn(move || {
                        let mut told = Vec::new();
                        for n in from.. {
                            let Some(answer) = append(port, token, &message("c", &format!("m{n}"))) else { break };
                            let count = |field: &str| answer[field].as_u64().unwrap();
                            assert_eq!(count("stored") + count("known"), 1, "{answer}");
                            told.push(format!("agent:a{agent}/c/m{n}"));
                            answered.fetch_add(1, Ordering::Relaxed);
                        }
                        told
                    })
                })
                .collect();
            while answered.load(Ordering::Relaxed) < goal && !agents.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                std::thread::yield_now();
            }
            turn(turns);
            child.kill().unwrap();
            child.wait().unwrap();
            for (agent, handle) in agents.into_iter().enumerate() {
                let told = handle.join().unwrap();
                next[agent] += told.len();
                acknowledged.extend(told);
            }
        });
        check(&home, &acknowledged, &format!("kill {kill}"));
    }
    assert!(acknowledged.len() > AGENTS * 2, "control: they wrote: {}", acknowledged.len());
    home.run(&["verify"]).ok();
}

#[test]
fn whenever_a_stdio_server_is_killed_what_it_acknowledged_is_stored_once() {
    let home = Home::new();
    let mut dice = Dice(23);
    let mut acknowledged = BTreeSet::new();
    for kill in 0..KILLS {
        let mut child = home.command(&["mcp", "--agent", "Nova"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{}", initialize()).unwrap();
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
        // All calls are sent at once, so that some are always in flight. Request ids begin at 2.
        for n in 0..CALLS_MAX as u32 {
            let call = json!({ "name": "append", "arguments": message("c", &format!("m{kill}-{n}")) });
            writeln!(input, "{}", request(n + 2, "tools/call", &call)).unwrap();
        }
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut take = |line: String| {
            // The last line may be cut off.
            let Ok(answer) = serde_json::from_str::<Value>(&line) else { return };
            if answer["result"]["structuredContent"]["stored"] == 1 {
                acknowledged.insert(format!("agent:nova/c/m{kill}-{}", answer["id"].as_u64().unwrap() - 2));
            }
        };
        lines.by_ref().take(1 + dice.below(CALLS_MAX / 2) as usize).for_each(&mut take);
        turn(dice.below(TURNS_MAX));
        child.kill().unwrap();
        // Answers written before the kill count too.
        lines.for_each(&mut take);
        child.wait().unwrap();
        check(&home, &acknowledged, &format!("kill {kill}"));
    }
    assert!(acknowledged.len() as u64 > KILLS, "control: it wrote: {}", acknowledged.len());
    home.run(&["verify"]).ok();
}

#[test]
fn a_message_that_is_lost_or_stored_twice_would_be_noticed() {
    let home = Home::new();
    let token = text(&home.json(&["agents", "add", "a0"]), "token");
    let (mut child, port) = serve(&home);
    assert!(append(port, &token, &message("c", "m0")).is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    let known = BTreeSet::from(["agent:a0/c/m0".to_owned()]);
    check(&home, &known, "control");
    let missing = BTreeSet::from(["agent:a0/c/m0".to_owned(), "agent:a0/c/m1".to_owned()]);
    let noticed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&home, &missing, "one is missing")));
    assert!(noticed.is_err());
}
