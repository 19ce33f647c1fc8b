//! What other programs can ask of the process that works on a data folder: the requests on its socket, which both ends know, and the
//! size that every call by an agent may have.
//!
//! Not in this module: hooks, whose requests are in `hook`, and sending and answering (`client`, `socket`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum size of a call in bytes. It fits the text of a full `append` and the JSON overhead.
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
    /// `None` only checks the agent's name.
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
