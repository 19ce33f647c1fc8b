//! What the person entered for a source, without secrets, and the way from there to its connector.
//!
//! Settings are stored as JSON and shown again. Not in this module: the protocols.

use std::convert::Infallible;

use keepsake_domain::LiveSourceKind;
use serde::{Deserialize, Serialize};

use crate::contract::{Fault, FoundChannel, Secret};
use crate::link::Link;
use crate::simplex;

/// Settings of a source, by kind. They contain no secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Settings {
    /// Other programs send messages; there is nothing to connect to.
    Webhook,
    /// The SimpleX program on this computer. It is always this computer, because the program asks for no password.
    Simplex {
        /// The port that it listens on.
        #[serde(default = "simplex_port")]
        port: u16,
        /// The profile that was in use when it was connected.
        #[serde(default)]
        user: Option<i64>,
    },
}

/// The port of SimpleX if nothing else is chosen.
fn simplex_port() -> u16 {
    5225
}

/// A source that answered.
#[derive(Debug)]
pub struct Connected {
    /// What is stored in the keyring: the password, or the session that was begun with it.
    pub secret: Option<Secret>,
    /// The settings, completed by what the server said.
    pub settings: Settings,
    /// A name for the source, such as the address of the account.
    pub name: String,
    /// Its channels.
    pub channels: Vec<FoundChannel>,
}

impl Settings {
    /// What the source speaks.
    pub fn kind(&self) -> LiveSourceKind {
        match self {
            Self::Webhook => LiveSourceKind::Webhook,
            Self::Simplex { .. } => LiveSourceKind::Simplex,
        }
    }

    /// Reads the source until it fails or is dropped.
    pub(crate) async fn run(&self, _secret: Option<Secret>, link: Link) -> Result<Infallible, Fault> {
        match self {
            Self::Webhook => std::future::pending().await,
            Self::Simplex { port, user } => simplex::run(*port, *user, link).await,
        }
    }
}

/// Connects for the first time with what the person entered. Nothing is stored.
pub async fn connect(settings: Settings, _entered: Option<Secret>) -> Result<Connected, Fault> {
    match settings {
        Settings::Webhook => Ok(Connected { secret: None, settings, name: String::new(), channels: Vec::new() }),
        Settings::Simplex { port, .. } => {
            let simplex::Opened { user, name, channels } = simplex::connect(port).await?;
            Ok(Connected { secret: None, settings: Settings::Simplex { port, user: Some(user) }, name, channels })
        }
    }
}
