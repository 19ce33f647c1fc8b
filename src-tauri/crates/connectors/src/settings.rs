//! What the person entered for a source, without secrets, and how its connector is created from that.
//!
//! Settings are stored as JSON and shown to the person again. Not in this module: the protocols.

use std::convert::Infallible;
use std::time::Duration;

use keepsake_domain::LiveSourceKind;
use serde::{Deserialize, Serialize};

use crate::contract::{Fault, Opened};
use crate::link::Link;
use crate::mail::{self, MailSettings};
use crate::matrix::{self, Matrix};
use crate::secret::Secret;
use crate::simplex::{self, SIMPLEX_PORT};

/// Maximum duration of a first connection. A person is waiting for it.
const CONNECT_MAX: Duration = Duration::from_secs(60);

/// Settings of a source, by kind. They contain no secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Settings {
    /// Other programs send messages; there is nothing to connect to.
    Webhook,
    /// A mailbox, read over IMAP.
    Mail(MailSettings),
    /// A Matrix account.
    Matrix(Matrix),
    /// The SimpleX program on this computer. Other computers are not supported, because the program asks for no password.
    Simplex {
        /// The port that it listens on.
        #[serde(default = "simplex_port")]
        port: u16,
        /// The profile that was in use when the source was connected.
        #[serde(default)]
        user: Option<i64>,
    },
}

fn simplex_port() -> u16 {
    SIMPLEX_PORT
}

/// A source of any kind that answered.
pub type Connected = Opened<Settings>;

impl Settings {
    /// The kind of source.
    pub fn kind(&self) -> LiveSourceKind {
        match self {
            Self::Webhook => LiveSourceKind::Webhook,
            Self::Mail(_) => LiveSourceKind::Mail,
            Self::Simplex { .. } => LiveSourceKind::Simplex,
            Self::Matrix(_) => LiveSourceKind::Matrix,
        }
    }

    /// Reads the source until it fails or is dropped.
    pub(crate) async fn run(&self, secret: Option<Secret>, link: Link) -> Result<Infallible, Fault> {
        match self {
            Self::Webhook => std::future::pending().await,
            Self::Mail(settings) => mail::run(settings, secret, link).await,
            Self::Simplex { port, user } => simplex::run(*port, *user, link).await,
            Self::Matrix(account) => matrix::run(account, secret, link).await,
        }
    }
}

/// Connects for the first time with what the person entered. Nothing is stored.
pub async fn connect(settings: Settings, entered: Option<Secret>) -> Result<Connected, Fault> {
    match settings {
        Settings::Webhook => Ok(Connected { secret: None, settings, name: String::new(), channels: Vec::new() }),
        Settings::Mail(settings) => Ok(mail::connect(settings, entered).await?.with_settings(Settings::Mail)),
        Settings::Simplex { port, .. } => {
            Ok(simplex::connect(port).await?.with_settings(|user| Settings::Simplex { port, user: Some(user) }))
        }
        Settings::Matrix(account) => Ok(matrix::connect(account, entered).await?.with_settings(Settings::Matrix)),
    }
}

/// Like [`connect`], for callers that may block.
pub fn connect_once(settings: Settings, entered: Option<Secret>) -> Result<Connected, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fault::unreachable(format!("no connection can be made: {error}; close other programs and try again")))?;
    runtime.block_on(async {
        match tokio::time::timeout(CONNECT_MAX, connect(settings, entered)).await {
            Ok(connected) => connected,
            Err(_) => Err(Fault::unreachable(format!("the server did not answer within {} seconds", CONNECT_MAX.as_secs()))),
        }
    })
}
