//! Agents as principals: each agent that the person added has its own token, and only the person's settings for that agent
//! decide what it may see and write.
//!
//! Nothing in a request can extend these permissions: the audience of every answer is resolved in `boundary`, which asks this
//! module what the named agent may do. Only a hash of a token is stored. A token has 256 random bits, so a fast hash is
//! enough.
//!
//! Not in this module: what is served (`context`, `search`), where tokens arrive (`server`), and generating random bytes (the
//! host passes them in).

use keepsake_domain::{Timestamp, Visibility};
use keepsake_store::{ReadTx, StoreError, WriteTx};
use serde::{Deserialize, Serialize};

use crate::areas::Agents;
use crate::derive::sessions::agent_key;
use crate::tokens::{TOKEN_BYTES, hash_of, token_of};
use crate::{EngineError, Result};

/// Setting that contains the agents.
pub(crate) const AGENTS_SETTING: &str = "agents";

/// Name of the agents setting in error messages.
const AGENTS: &str = "list of agents";

/// Prefix of every token, by which people and scanners for leaked secrets recognize one.
pub const TOKEN_PREFIX: &str = "ksk_";

/// Maximum number of agents. Each request reads the whole list, and nobody needs that many.
const AGENTS_MAX: usize = 200;

/// Maximum number of characters in an agent's name.
const NAME_CHARS_MAX: usize = 60;

/// Maximum number of channels that an agent can be limited to.
const CHANNELS_MAX: usize = 100;

/// The time of the last use is stored at most once in this period, because storing it at every request would make every read a
/// write.
const LAST_USED_MS: i64 = 60_000;

/// Setting that stores whether the desktop program serves agents over HTTP, and where.
pub(crate) const SERVER_SETTING: &str = "agent_server";

/// Name of this setting in error messages.
const SERVER: &str = "server for agents";

/// Default port for serving agents. It has to stay the same, because agents have it in their configuration; no well-known
/// program uses it.
pub const AGENT_PORT: u16 = 8632;

/// Lowest port that a program without special privileges may use.
const PORT_MIN: u16 = 1024;

/// Whether the desktop program serves agents over HTTP on loopback, and where. Off unless the person switched it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentServer {
    /// Whether it is on.
    pub is_on: bool,
    /// The port on 127.0.0.1.
    pub port: u16,
}

impl Default for AgentServer {
    fn default() -> Self {
        Self { is_on: false, port: AGENT_PORT }
    }
}

/// What the person set for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentAccess {
    /// The agent's name as the person wrote it.
    pub name: String,
    /// The channels where it may ask and write: a channel type (`telegram`) or one channel (`telegram:123`). Empty means all.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Whether the user it talks with is the owner. If not, what its users say is never attributed to the owner, and it is
    /// never alone with the owner.
    #[serde(default)]
    pub hears_owner: bool,
    /// Whether it is paused: nothing is served to it or accepted from it until the person resumes it.
    #[serde(default)]
    pub is_paused: bool,
    /// When it was added.
    pub created: Timestamp,
    /// When its token was last used, to the minute.
    #[serde(default)]
    pub last_used: Option<Timestamp>,
    /// BLAKE3 hash of its token in hexadecimal.
    token_hash: String,
}

/// An agent to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAgent {
    /// Its name.
    pub name: String,
    /// The most private information that it may be served.
    pub visibility: Visibility,
    /// See [`AgentAccess::channels`].
    pub channels: Vec<String>,
    /// See [`AgentAccess::hears_owner`].
    pub hears_owner: bool,
}

fn refused<T>(words: impl Into<String>) -> Result<T> {
    Err(EngineError::Refused(words.into()))
}

fn agents_in(tx: &ReadTx<'_>) -> std::result::Result<Vec<AgentAccess>, StoreError> {
    tx.settings().choice(AGENTS_SETTING, AGENTS)
}

/// The agent's access in this snapshot; `None` if the person did not add it.
pub(crate) fn access_of(tx: &ReadTx<'_>, agent: &str) -> std::result::Result<Option<AgentAccess>, StoreError> {
    let key = agent_key(agent);
    Ok(agents_in(tx)?.into_iter().find(|known| agent_key(&known.name) == key))
}

/// The most private information that an agent may be served, for each way in which its name may be written. The strictest
/// level applies.
pub(crate) fn levels_of(tx: &ReadTx<'_>, agent: &str) -> std::result::Result<[Option<Visibility>; 2], StoreError> {
    Ok([tx.privacy().agent_visibility(agent)?, tx.privacy().agent_visibility(&agent_key(agent))?])
}

/// Whether an agent may see less than the owner.
pub(crate) fn is_limited(tx: &ReadTx<'_>, agent: &str) -> std::result::Result<bool, StoreError> {
    let is_public = levels_of(tx, agent)?.contains(&Some(Visibility::Public));
    Ok(is_public || access_of(tx, agent)?.is_some_and(|access| access.is_confined()))
}

impl AgentAccess {
    /// Whether the agent may ask and write for this channel, given as `type:id` or a channel type.
    pub(crate) fn may_use(&self, channel: &str) -> bool {
        let channel = channel.trim().to_lowercase();
        let kind = channel.split_once(':').map_or(channel.as_str(), |(kind, _)| kind);
        self.channels.is_empty() || self.channels.iter().any(|allowed| *allowed == channel || allowed == kind)
    }

    /// Whether it talks with people other than the owner, or only in some channels.
    fn is_confined(&self) -> bool {
        !self.hears_owner || !self.channels.is_empty()
    }

    /// Fails if the person paused the agent.
    pub fn check_running(&self) -> Result<()> {
        if self.is_paused {
            return refused(format!("the agent {:?} is paused; resume it in Keepsake under Sessions, Agents", self.name));
        }
        Ok(())
    }

    /// Fails unless the agent may be served for this channel.
    pub(crate) fn check(&self, channel: Option<&str>) -> Result<()> {
        self.check_running()?;
        match channel.map(str::trim).filter(|channel| !channel.is_empty()) {
            None if self.channels.is_empty() => Ok(()),
            None => refused(format!(
                "the agent {:?} is limited to some channels; name the channel of the conversation (one of: {})",
                self.name,
                self.channels.join(", ")
            )),
            Some(channel) if self.may_use(channel) => Ok(()),
            Some(_) => refused(format!("the agent {:?} may not ask for this channel", self.name)),
        }
    }
}

impl Agents<'_> {
    /// Whether the desktop program serves agents over HTTP, and where.
    pub fn server(&self) -> Result<AgentServer> {
        Ok(self.engine.store().read(|tx| tx.settings().choice(SERVER_SETTING, SERVER))?)
    }

    /// Sets whether the desktop program serves agents over HTTP, and where.
    pub fn set_server(&self, server: AgentServer) -> Result<()> {
        if server.port < PORT_MIN {
            return refused(format!("{} is not a port that Keepsake may use; choose one from {PORT_MIN} to 65535", server.port));
        }
        let now = self.engine.now();
        Ok(self.engine.store().write(|tx| tx.settings().put_choice(SERVER_SETTING, SERVER, &server, now))?)
    }

    /// The agents that the person added, by name.
    pub fn list(&self) -> Result<Vec<AgentAccess>> {
        let mut agents = self.engine.store().read(agents_in)?;
        agents.sort_by_key(|agent| agent_key(&agent.name));
        Ok(agents)
    }

    /// Changes the list of agents in one transaction.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<AgentAccess>) -> Result<T>,
        and: impl FnOnce(&WriteTx<'_>) -> std::result::Result<(), StoreError>,
    ) -> Result<T> {
        let now = self.engine.now();
        let mut outcome = None;
        self.engine.store().write(|tx| {
            let mut agents = agents_in(tx)?;
            let changed = change(&mut agents);
            if changed.is_ok() {
                tx.settings().put_choice(AGENTS_SETTING, AGENTS, &agents, now)?;
                and(tx)?;
            }
            outcome = Some(changed);
            Ok(())
        })?;
        outcome.unwrap_or_else(|| refused("the list of agents was not changed; try again"))
    }

    /// Adds an agent and returns its token, which is shown once and cannot be read again. `random` must come from a secure source.
    pub fn add(&self, new: &NewAgent, random: [u8; TOKEN_BYTES]) -> Result<String> {
        let name = new.name.trim().to_owned();
        if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
            return refused(format!("an agent needs a name of at most {NAME_CHARS_MAX} characters; enter another"));
        }
        let mut channels: Vec<String> = new.channels.iter().map(|channel| channel.trim().to_lowercase()).collect();
        channels.retain(|channel| !channel.is_empty());
        channels.sort();
        channels.dedup();
        if channels.len() > CHANNELS_MAX {
            return refused(format!("an agent can be limited to at most {CHANNELS_MAX} channels; name channel types instead"));
        }
        // Otherwise it could name any channel and be served what may surface there.
        if !new.hears_owner && channels.is_empty() && new.visibility == Visibility::Private {
            return refused(
                "an agent that talks with other people needs the channels where it does, or may be told public things only",
            );
        }
        let token = token_of(TOKEN_PREFIX, random);
        let access = AgentAccess {
            name: name.clone(),
            channels,
            hears_owner: new.hears_owner,
            is_paused: false,
            created: self.engine.now(),
            last_used: None,
            token_hash: hash_of(&token),
        };
        let (key, now) = (agent_key(&name), self.engine.now());
        let add = |agents: &mut Vec<AgentAccess>| {
            if agents.iter().any(|known| agent_key(&known.name) == key) {
                return refused(format!("there is already an agent {name:?}; remove it first, or choose another name"));
            }
            if agents.len() >= AGENTS_MAX {
                return refused(format!("there are already {AGENTS_MAX} agents; remove one that you no longer use"));
            }
            agents.push(access);
            Ok(())
        };
        self.change(add, |tx| tx.privacy().set_agent(&key, new.visibility, now))?;
        Ok(token)
    }

    /// Gives an agent a new token. The old one stops working.
    pub fn renew_token(&self, name: &str, random: [u8; TOKEN_BYTES]) -> Result<String> {
        let token = token_of(TOKEN_PREFIX, random);
        self.change_agent(name, |agent| agent.token_hash = hash_of(&token))?;
        Ok(token)
    }

    /// Removes an agent. Its token stops working; its access level stays stored, so that its name never gets more access later.
    pub fn remove(&self, name: &str) -> Result<()> {
        let remove = |agents: &mut Vec<AgentAccess>| {
            let before = agents.len();
            agents.retain(|agent| agent_key(&agent.name) != agent_key(name));
            if agents.len() == before { unknown(name) } else { Ok(()) }
        };
        self.change(remove, |_| Ok(()))
    }

    /// Pauses an agent or resumes it.
    pub fn pause(&self, name: &str, is_paused: bool) -> Result<()> {
        self.change_agent(name, |agent| agent.is_paused = is_paused)
    }

    fn change_agent(&self, name: &str, change: impl FnOnce(&mut AgentAccess)) -> Result<()> {
        let change =
            |agents: &mut Vec<AgentAccess>| match agents.iter_mut().find(|agent| agent_key(&agent.name) == agent_key(name)) {
                Some(agent) => {
                    change(agent);
                    Ok(())
                }
                None => unknown(name),
            };
        self.change(change, |_| Ok(()))
    }

    /// Whether the agent may see less than the owner.
    pub fn is_limited(&self, agent: &AgentAccess) -> Result<bool> {
        let levels = self.engine.store().read(|tx| levels_of(tx, &agent.name))?;
        Ok(agent.is_confined() || levels.contains(&Some(Visibility::Public)))
    }

    /// Whether the agent may be told that something changed. To any other agent, the notification itself would already reveal
    /// something.
    pub fn may_hear_of_changes(&self, agent: &AgentAccess) -> Result<bool> {
        Ok(!agent.is_paused && !self.is_limited(agent)?)
    }

    /// The agent with this name, for a program that the person starts under that name. If no such agent was added, the
    /// program counts as the owner's own tool.
    pub fn named(&self, name: &str) -> Result<AgentAccess> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
            return refused(format!("an agent needs a name of at most {NAME_CHARS_MAX} characters; give another"));
        }
        Ok(self.engine.store().read(|tx| access_of(tx, name))?.unwrap_or_else(|| AgentAccess {
            name: name.to_owned(),
            channels: Vec::new(),
            hears_owner: true,
            is_paused: false,
            created: self.engine.now(),
            last_used: None,
            token_hash: String::new(),
        }))
    }

    /// The agent to which a token belongs, recording that the token was used; `None` if the token is wrong.
    pub fn of_token(&self, token: &str) -> Result<Option<AgentAccess>> {
        if !token.starts_with(TOKEN_PREFIX) {
            return Ok(None);
        }
        // Comparing hashes reveals nothing about the token, however long it takes.
        let hash = hash_of(token);
        let Some(agent) = self.engine.store().read(agents_in)?.into_iter().find(|agent| agent.token_hash == hash) else {
            return Ok(None);
        };
        let now = self.engine.now();
        if agent.last_used.is_none_or(|used| now.0 - used.0 >= LAST_USED_MS || used.0 > now.0) {
            // This fails if the agent was removed meanwhile; the failure is ignored, because the token was valid a moment
            // before.
            let _ = self.change_agent(&agent.name, |agent| agent.last_used = Some(now));
        }
        Ok(Some(agent))
    }
}

fn unknown<T>(name: &str) -> Result<T> {
    refused(format!("there is no agent {name:?}; `keepsake agents list` lists them"))
}
