//! Calls the process that works on a data folder, for other programs of the same user: `keepsake mcp`, hooks and the command line.
//!
//! A call opens a connection to that process's socket, sends one request, and reads one answer. If no process answers, or the
//! connection breaks, the caller does the work itself; repeating a call that writes has no further effect.
//!
//! Not in this module: which requests there are (`protocol`), and the other end of the socket (`socket`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use keepsake_api::ApiError;
use keepsake_api::agents::ToolAnswer;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::hook::HookCall;
use crate::protocol::{CHANGED, COMMAND, Command, GIVE_UP, HOOK, TOOL, ToolCall};
use crate::socket;

/// Maximum time for a call that somebody waits for. The slowest search takes a few seconds on a slow computer.
const CALL_MAX: Duration = Duration::from_secs(60);

/// Maximum time for a hook, which a person waits for at each prompt. After that, the hook returns nothing.
const HOOK_MAX: Duration = Duration::from_secs(2);

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No process answers for this data folder.
    #[error("no other process of Keepsake answers for this data folder")]
    Away,
    /// The answer took too long. The other process may still be working on it.
    #[error("Keepsake did not answer in time; try again")]
    Late,
    /// The other process refused.
    #[error(transparent)]
    Refused(#[from] ApiError),
}

/// Calls the process that works on a data folder. Does not connect before the first call.
#[derive(Debug, Clone)]
pub struct Client {
    data_dir: PathBuf,
}

impl Client {
    /// A client for the process that works on this data folder, if there is one.
    pub fn of(data_dir: &Path) -> Self {
        Self { data_dir: data_dir.to_owned() }
    }

    async fn call<A: DeserializeOwned>(&self, route: &str, body: &impl Serialize, max: Duration) -> Result<A, CallError> {
        let body = serde_json::to_vec(body).map_err(|_| CallError::Away)?;
        let (is_ok, answer) = tokio::time::timeout(max, socket::exchange(&self.data_dir, route, body))
            .await
            .map_err(|_| CallError::Late)?
            .map_err(|error| {
                tracing::debug!(%error, route, "the process that works on the data did not answer");
                CallError::Away
            })?;
        if !is_ok {
            return Err(serde_json::from_slice(&answer).map_or(CallError::Away, CallError::Refused));
        }
        // Another version of the program may answer in another format.
        serde_json::from_slice(&answer).map_err(|_| CallError::Away)
    }

    /// Calls a tool as an agent.
    pub(crate) async fn tool(&self, call: &ToolCall) -> Result<ToolAnswer, CallError> {
        self.call(TOOL, call, CALL_MAX).await
    }

    /// Checks that there is another process, and that it accepts the agent's name.
    pub(crate) async fn check_agent(&self, agent: &str) -> Result<(), CallError> {
        let call = ToolCall { agent: agent.to_owned(), tool: None, request: Value::Null };
        self.call::<Value>(TOOL, &call, CALL_MAX).await.map(drop)
    }

    /// Asks a process that serves only one agent to hand the work over to this one.
    pub(crate) async fn give_up(&self) -> Result<(), CallError> {
        self.call::<Value>(GIVE_UP, &json!({}), CALL_MAX).await.map(drop)
    }

    /// Runs a command of the API in the other process, as the owner.
    pub fn command(&self, cmd: &str, payload: Value) -> Result<Value, CallError> {
        blocking(self.call(COMMAND, &Command { cmd: cmd.to_owned(), payload }, CALL_MAX))
    }

    /// Runs a hook of a terminal agent. Returns the output for the agent.
    pub fn hook(&self, call: &HookCall) -> Result<Option<Value>, CallError> {
        blocking(self.call(HOOK, call, HOOK_MAX))
    }

    /// Tells the other process that this one changed the data, so that it updates its window and checks its queue. Does nothing
    /// if there is no other process.
    pub fn tell_changed(&self) {
        let _ = blocking(self.call::<Value>(CHANGED, &json!({}), HOOK_MAX));
    }
}

/// Runs a call on this thread.
fn blocking<T>(call: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|_| CallError::Away)?;
    runtime.block_on(call)
}
