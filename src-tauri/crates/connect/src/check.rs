//! Tests the command that is configured for a client: starts it as the client would, speaks MCP, requests a context, and ends
//! the process.
//!
//! Not here: whether the client finds its configuration, because the client is never run.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::ServerCommand;

/// Maximum time for the whole check. If no other Keepsake process is running, the command has to open the data and load a
/// model.
const ANSWER_MAX: Duration = Duration::from_secs(20);

/// The MCP revision used for the check, which every version of Keepsake supports.
const REVISION: &str = "2025-06-18";

/// Ids of the requests.
const INITIALIZE: u64 = 1;
const LIST: u64 = 2;
const CALL: u64 = 3;

/// The result of a check in which the command answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// Number of tools that the server offers.
    pub tools: usize,
    /// Milliseconds until the context arrived, including the start of the program.
    pub elapsed_ms: u64,
}

/// Why a check failed.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The command could not be started.
    #[error("{program} cannot be started: {error}; connect the program again if Keepsake was moved")]
    Start {
        /// The program.
        program: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// The command was started but did not answer in time.
    #[error("Keepsake was started and did not answer within {} s; try again, and look at its log if it happens again", ANSWER_MAX.as_secs())]
    Late,
    /// The command ended before it answered.
    #[error("Keepsake was started and ended without an answer; run the command in a terminal to see why")]
    Ended,
    /// The command answered with an error.
    #[error("Keepsake answered: {0}")]
    Refused(String),
}

/// Starts the command and requests a context from it. Blocks until the command has answered or the time is up. By then, the
/// process has ended.
pub fn check(command: &ServerCommand) -> Result<Checked, CheckError> {
    check_within(Command::new(command.program()).args(command.args()), command.program(), ANSWER_MAX)
}

fn check_within(command: &mut Command, program: &str, max: Duration) -> Result<Checked, CheckError> {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| CheckError::Start { program: program.to_owned(), error })?;
    let (sender, lines) = channel();
    let (input, output) = (child.stdin.take(), child.stdout.take());
    // A read cannot have a time limit, so a thread does the reading. It ends with the process.
    std::thread::spawn(move || {
        for line in output.into_iter().flat_map(|output| BufReader::new(output).lines().map_while(Result::ok)) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let answered = input.ok_or(CheckError::Ended).and_then(|mut input| {
        let mut ask = |id: u64, method: &str, params: Value| {
            let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            writeln!(input, "{request}").map_err(|_| CheckError::Ended)?;
            loop {
                let left = max.saturating_sub(began.elapsed());
                let line = lines.recv_timeout(left).map_err(|error| match error {
                    RecvTimeoutError::Timeout => CheckError::Late,
                    RecvTimeoutError::Disconnected => CheckError::Ended,
                })?;
                let Ok(answer) = serde_json::from_str::<Value>(&line) else { continue };
                if answer["id"] == id {
                    let result = outcome(&answer)?;
                    if id == INITIALIZE {
                        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
                        writeln!(input, "{initialized}").map_err(|_| CheckError::Ended)?;
                    }
                    return Ok(result);
                }
            }
        };
        let client = json!({ "name": "keepsake-check", "version": env!("CARGO_PKG_VERSION") });
        ask(INITIALIZE, "initialize", json!({ "protocolVersion": REVISION, "capabilities": {}, "clientInfo": client }))?;
        let tools = ask(LIST, "tools/list", json!({}))?;
        ask(CALL, "tools/call", json!({ "name": "context", "arguments": {} }))?;
        Ok(Checked {
            tools: tools["tools"].as_array().map_or(0, Vec::len),
            elapsed_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    });
    // Its input is closed by now, so the process is about to end; if it hangs, it is killed.
    let _ = child.kill();
    let _ = child.wait();
    answered
}

/// The result in an answer, or the error that the answer reports.
fn outcome(answer: &Value) -> Result<Value, CheckError> {
    let refused = |words: &Value| CheckError::Refused(words.as_str().unwrap_or("something that is not MCP").to_owned());
    if !answer["result"].is_object() {
        return Err(refused(&answer["error"]["message"]));
    }
    if answer["result"]["isError"] == true {
        return Err(refused(&answer["result"]["content"][0]["text"]));
    }
    Ok(answer["result"].clone())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Checks a shell script as if it were the configured command.
    fn check(script: &str) -> Result<Checked, CheckError> {
        check_within(Command::new("sh").args(["-c", script]), "sh", Duration::from_secs(5))
    }

    const INITIALIZED: &str = r#"read l; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; "#;
    const LISTED: &str =
        r#"read l; read l; echo 'a line of a log'; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{},{}]}}'; "#;

    #[test]
    fn a_server_that_answers_is_told_apart_from_every_other() {
        let called = |answer: &str| format!("{INITIALIZED}{LISTED}read l; echo '{answer}'; cat >/dev/null");
        let fine = check(&called(r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#)).unwrap();
        assert_eq!(fine.tools, 2);
        let says = |script: &str| check(script).unwrap_err().to_string();
        let paused = r#"{"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"text":"it is paused"}]}}"#;
        assert!(says(&called(paused)).contains("it is paused"));
        let unknown = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no such tool"}}"#;
        assert!(says(&called(unknown)).contains("no such tool"));
        assert!(matches!(check("exit 3"), Err(CheckError::Ended)));
        assert!(matches!(check(INITIALIZED), Err(CheckError::Ended)), "it ends after the first answer");
    }

    #[test]
    fn one_that_hangs_is_ended_and_one_that_is_not_there_is_named() {
        let late = check_within(Command::new("sh").args(["-c", "while read line; do :; done"]), "sh", Duration::from_millis(50));
        assert!(matches!(late, Err(CheckError::Late)), "{late:?}");
        let missing = check_within(&mut Command::new("/nowhere/keepsake"), "/nowhere/keepsake", Duration::from_secs(5));
        assert!(missing.unwrap_err().to_string().contains("/nowhere/keepsake"));
    }
}
