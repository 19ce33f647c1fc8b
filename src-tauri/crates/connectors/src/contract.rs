//! What a connector gets from the rest of the program and what it gives: [`Opened`], [`Inbox`], [`Delivery`] and [`Fault`].
//!
//! Not in this module: how a connector calls an inbox from asynchronous code (`link`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use keepsake_domain::{ChannelHandle, Message, SourceRef, Timestamp, Visibility};
use thiserror::Error;

use crate::device::{Asked, DeviceStatus};
use crate::secret::Secret;

/// A room, folder or chat at a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundChannel {
    /// Its id at the source, which never changes.
    pub id: String,
    /// Its name, as shown to the person.
    pub title: String,
    /// Number of its members, if the source knows.
    pub member_count: Option<u64>,
    /// Whether its messages are encrypted end to end.
    pub is_encrypted: bool,
    /// Whether people other than its members can read it.
    pub visibility: Visibility,
    /// The channel that this one replaces, if both channels say so. The person's choices for that channel carry over.
    pub continues: Option<String>,
}

/// A source that answered when it was connected for the first time.
#[derive(Debug)]
pub struct Opened<S> {
    /// The secret stored in the keyring: the password, or the session created with it.
    pub secret: Option<Secret>,
    /// The settings, completed with information from the server.
    pub settings: S,
    /// A name for the source, such as the address of the account.
    pub name: String,
    /// Its channels.
    pub channels: Vec<FoundChannel>,
}

impl<S> Opened<S> {
    /// Converts the settings with `form` and keeps everything else.
    pub(crate) fn with_settings<T>(self, form: impl FnOnce(S) -> T) -> Opened<T> {
        Opened { secret: self.secret, settings: form(self.settings), name: self.name, channels: self.channels }
    }
}

/// A channel whose messages are stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selected {
    /// The person does not want messages from before this time.
    pub since: Option<Timestamp>,
    /// How far it has been read, as written by the connector.
    pub position: Option<String>,
}

/// The reading plan of a connector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// How far the source as a whole has been read, in the connector's own format.
    pub position: Option<String>,
    /// The channels whose messages are stored. All others are ignored.
    pub channels: BTreeMap<String, Selected>,
}

/// Data read from one channel. All of it is stored in one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delivery {
    /// Id of the channel at the source.
    pub channel: String,
    /// New messages, and edited ones with their new text under the same ids.
    pub messages: Vec<Message>,
    /// Messages that were deleted or that disappeared at the source. They are erased here as well.
    pub removed: Vec<SourceRef>,
    /// Everybody who can read the channel now, except the owner; `None` if unchanged.
    pub members: Option<Vec<ChannelHandle>>,
    /// Number of messages left out, per reason. A reason is a short English phrase shown to the person ("mailing lists").
    pub left_out: BTreeMap<&'static str, u64>,
    /// Number of messages in the channel that cannot be read now because their keys are missing; `None` if unchanged.
    pub unreadable: Option<u64>,
    /// How far the channel has been read; `None` keeps the stored position.
    pub position: Option<String>,
    /// How far the source as a whole has been read; `None` keeps the stored position.
    pub source_position: Option<String>,
}

/// The result of a delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Number of new messages, including revisions.
    pub stored: u64,
    /// Number of messages that were already stored.
    pub known: u64,
}

/// What a source is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The connector is connecting.
    Connecting,
    /// The connector is reading earlier messages.
    CatchingUp {
        /// Number of messages read.
        done: u64,
        /// Number of messages to read, if that is known.
        total: Option<u64>,
    },
    /// Everything was read; new messages are read as they arrive.
    Live,
}

/// Why an inbox rejected a call.
#[derive(Debug, Error)]
pub enum InboxError {
    /// The person paused or removed the source, or the program is shutting down. Nothing was stored.
    #[error("the source was stopped")]
    Stopped,
    /// The store failed. The error text says what to do, and contains no message text.
    #[error("{0}")]
    Store(String),
}

/// Receives what a connector reads. All methods block; connectors call them through a [`Link`](crate::Link).
pub trait Inbox: Send + Sync {
    /// Returns what to read, and how far the source and each channel have been read.
    fn plan(&self) -> Result<Plan, InboxError>;

    /// Reports the channels of the source. New ones are stored as undecided; known ones get the new title and numbers.
    fn found(&self, channels: &[FoundChannel]) -> Result<(), InboxError>;

    /// Stores messages and positions in one transaction. A delivery for a channel that is not selected is refused as a whole.
    fn deliver(&self, delivery: Delivery) -> Result<Delivered, InboxError>;

    /// The message with these ids as it was last delivered, if it is stored.
    fn stored(&self, message: &SourceRef) -> Result<Option<Message>, InboxError>;

    /// The source's secret as last stored: its password, token or session.
    fn secret(&self) -> Result<Option<Secret>, InboxError>;

    /// Replaces the secret, for example after a token has been renewed.
    fn keep_secret(&self, secret: &Secret) -> Result<(), InboxError>;

    /// Reports the current status of the source.
    fn note(&self, status: Status);

    /// Reports the selected channels that no longer exist at the source; empty if all exist again.
    fn note_missing(&self, _titles: Vec<String>) {}

    /// Returns the requests that the person has made of this device since the last call. A [`Link`](crate::Link) announces
    /// further requests as changed choices.
    fn asked(&self) -> Vec<Asked> {
        Vec::new()
    }

    /// Reports the status of this device.
    fn note_device(&self, _status: DeviceStatus) {}

    /// A folder that exists and belongs to this source alone. It is removed together with the source. It is only for data that
    /// a protocol must keep, such as keys, and all data in it must be encrypted with a key from the [`Secret`].
    fn folder(&self) -> PathBuf;

    /// The current time.
    fn now(&self) -> Timestamp;
}

/// Why a connector ended. No error text contains secrets or message text.
#[derive(Debug, Error)]
pub enum Fault {
    /// The server cannot be reached, or asks to retry later. The connector is retried.
    #[error("{detail}")]
    Unreachable {
        /// What failed, and how.
        detail: String,
        /// How long the server asks clients to wait before retrying.
        retry_after: Option<Duration>,
    },
    /// The person has to do something: the password is wrong, or the account is gone. The connector is not retried until then.
    #[error("{detail}")]
    Refused {
        /// What happened, and what to do.
        detail: String,
    },
    /// The server's certificate cannot be trusted. The connector is retried at long intervals, because servers get new
    /// certificates.
    #[error("{detail}")]
    Certificate {
        /// What happened, and what to do.
        detail: String,
    },
    /// The server's response cannot be understood. The connector is retried.
    #[error("{detail}")]
    Protocol {
        /// What happened.
        detail: String,
    },
    /// The inbox cannot store anything.
    #[error(transparent)]
    Inbox(#[from] InboxError),
}

impl Fault {
    /// Creates a fault for a server that cannot be reached.
    pub fn unreachable(detail: impl Into<String>) -> Self {
        Self::Unreachable { detail: detail.into(), retry_after: None }
    }

    /// Creates a fault that requires the person to act.
    pub fn refused(detail: impl Into<String>) -> Self {
        Self::Refused { detail: detail.into() }
    }

    /// Creates a fault for a server whose response cannot be understood.
    pub fn protocol(detail: impl Into<String>) -> Self {
        Self::Protocol { detail: detail.into() }
    }
}
