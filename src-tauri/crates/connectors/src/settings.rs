//! What the person entered for a source, without secrets, and the way from there to its connector.
//!
//! Settings are stored as JSON and shown again. Not in this module: the protocols.

use std::convert::Infallible;

use keepsake_domain::LiveSourceKind;
use serde::{Deserialize, Serialize};

use crate::contract::{Fault, FoundChannel, Secret};
use crate::link::Link;
use crate::matrix::{self, Matrix};

/// Settings of a source, by kind. They contain no secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Settings {
    /// Other programs send messages; there is nothing to connect to.
    Webhook,
    /// A Matrix account.
    Matrix(Matrix),
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
            Self::Matrix(_) => LiveSourceKind::Matrix,
        }
    }

    /// Reads the source until it fails or is dropped.
    pub(crate) async fn run(&self, secret: Option<Secret>, link: Link) -> Result<Infallible, Fault> {
        match self {
            Self::Webhook => std::future::pending().await,
            Self::Matrix(account) => matrix::run(account, secret, link).await,
        }
    }
}

/// Connects for the first time with what the person entered. Nothing is stored.
pub async fn connect(settings: Settings, entered: Option<Secret>) -> Result<Connected, Fault> {
    match settings {
        Settings::Webhook => Ok(Connected { secret: None, settings, name: String::new(), channels: Vec::new() }),
        Settings::Matrix(account) => matrix::connect(account, entered).await,
    }
}
