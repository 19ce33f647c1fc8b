//! The requests that other programs can send to the process that works on a data folder, as both ends of its socket know them,
//! and the maximum size of any call by an agent.
//!
//! Not in this module: the requests of hooks (`hook`), and sending and answering requests (`client`, `socket`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum size of a call in bytes. This is enough for the text of a full `append` and its JSON overhead.
pub(crate) const CALL_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Route of a tool call.
pub(crate) const TOOL: &str = "/tool";

/// Route of a command of the API.
pub(crate) const COMMAND: &str = "/command";

/// Route of a hook.
pub(crate) const HOOK: &str = "/hook";

/// Route by which another process reports that it changed the data.
pub(crate) const CHANGED: &str = "/changed";

/// Route by which another process asks to take over the work.
pub(crate) const GIVE_UP: &str = "/give-up";

/// A tool call of an agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ToolCall {
    pub(crate) agent: String,
    /// The name of the tool. If `None`, the call only checks the agent's name.
    pub(crate) tool: Option<String>,
    #[serde(default)]
    pub(crate) request: Value,
}

/// A command of the API.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Command {
    pub(crate) cmd: String,
    #[serde(default)]
    pub(crate) payload: Value,
}
