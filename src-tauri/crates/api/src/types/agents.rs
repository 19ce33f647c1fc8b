//! Agents that the person added, and their tokens.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An agent to add.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgentAddRequest {
    /// Its name.
    pub name: String,
    /// `public`: only public information. `private` (the default): everything that the place and the people there allow.
    #[serde(default)]
    pub visibility: Option<String>,
    /// The channels where it may ask and write: channel types or `type:id`. Empty means all.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Whether the users it talks with are other people, not the owner. Default `false`.
    #[serde(default)]
    pub talks_with_others: bool,
}

/// A request about one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgentName {
    /// Its name.
    pub name: String,
}

/// Pauses or resumes an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgentPauseRequest {
    /// Its name.
    pub name: String,
    /// Whether it is paused.
    pub is_paused: bool,
}

/// The token of an agent. It is shown once and cannot be read again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentToken {
    /// Name of the agent.
    pub name: String,
    /// The token.
    pub token: String,
}

/// What the person set for an agent that has a token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentAccessView {
    /// The channels where it may ask and write; empty means all.
    pub channels: Vec<String>,
    /// Whether the users it talks with are other people, not the owner.
    pub talks_with_others: bool,
    /// Whether it is paused.
    pub is_paused: bool,
    /// When it was added (epoch ms).
    pub created: i64,
    /// When its token was last used (epoch ms), to the minute.
    pub last_used: Option<i64>,
}

/// Whether the desktop program serves agents over HTTP on loopback, and where.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AgentServerChoice {
    /// Whether it is on.
    pub is_on: bool,
    /// The port on 127.0.0.1.
    pub port: u16,
}

/// How this process serves agents over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ServerState {
    /// This process does not serve agents.
    Off,
    /// This process serves agents at this port on 127.0.0.1.
    Listening {
        /// The port.
        port: u16,
    },
    /// This process should serve agents, but cannot.
    Failed {
        /// What happened, and what to do.
        problem: String,
    },
}

/// What the person chose, and the current state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentServerView {
    /// What the person chose.
    pub choice: AgentServerChoice,
    /// The current state.
    pub state: ServerState,
}
