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

/// A room, folder or chat that a source has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundChannel {
    /// Its id at the source, which never changes.
    pub id: String,
    /// Its name, for the person.
    pub title: String,
    /// Number of its members, if the source knows.
    pub member_count: Option<u64>,
    /// Whether its messages are encrypted end to end.
    pub is_encrypted: bool,
    /// Whether people other than its members can read it.
    pub visibility: Visibility,
    /// The channel that it replaces, if both say so. It goes on with what the person chose there.
    pub continues: Option<String>,
}

/// A source that answered when it was connected for the first time.
#[derive(Debug)]
pub struct Opened<S> {
    /// What is stored in the keyring: the password, or the session that was begun with it.
    pub secret: Option<Secret>,
    /// The settings, completed by what the server said.
    pub settings: S,
    /// A name for the source, such as the address of the account.
    pub name: String,
    /// Its channels.
    pub channels: Vec<FoundChannel>,
}

impl<S> Opened<S> {
    /// The same source with its settings in another form.
    pub(crate) fn with_settings<T>(self, form: impl FnOnce(S) -> T) -> Opened<T> {
        Opened { secret: self.secret, settings: form(self.settings), name: self.name, channels: self.channels }
    }
}

/// A channel whose messages are stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selected {
    /// Messages before this time are not wanted.
    pub since: Option<Timestamp>,
    /// How far it was read, as the connector wrote it.
    pub position: Option<String>,
}

/// What a connector reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// How far the source as a whole was read, as the connector wrote it.
    pub position: Option<String>,
    /// The channels whose messages are stored. All others are left alone.
    pub channels: BTreeMap<String, Selected>,
}

/// What was read from one channel. All of it is stored in one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delivery {
    /// Id of the channel at the source.
    pub channel: String,
    /// New messages, and edited ones with their new text under the same ids.
    pub messages: Vec<Message>,
    /// Messages that were deleted or that disappeared there. They are erased here as well.
    pub removed: Vec<SourceRef>,
    /// Everybody who can read the channel now, except the owner; `None` if that did not change.
    pub members: Option<Vec<ChannelHandle>>,
    /// Number of messages that were left out, by reason: a short phrase in English for the person ("mailing lists").
    pub left_out: BTreeMap<&'static str, u64>,
    /// Number of messages of the channel that cannot be read now, because their keys are missing; `None` if that did not change.
    pub unreadable: Option<u64>,
    /// How far the channel was read; `None` keeps the position.
    pub position: Option<String>,
    /// How far the source as a whole was read; `None` keeps the position.
    pub source_position: Option<String>,
}

/// The result of a delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Number of messages that are new, revisions included.
    pub stored: u64,
    /// Number of messages that were known.
    pub known: u64,
}

/// What a source is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It connects.
    Connecting,
    /// It reads what was said before.
    CatchingUp {
        /// Number of messages read.
        done: u64,
        /// Number of messages to read, if that is known.
        total: Option<u64>,
    },
    /// Everything was read, and new messages arrive.
    Live,
}

/// Why an inbox took nothing.
#[derive(Debug, Error)]
pub enum InboxError {
    /// The person paused or removed the source, or the program ends. Nothing was stored.
    #[error("the source was stopped")]
    Stopped,
    /// The store failed. The message says what to do, and contains no text of messages.
    #[error("{0}")]
    Store(String),
}

/// Takes what a connector reads. All methods block; connectors call them through a [`Link`](crate::Link).
pub trait Inbox: Send + Sync {
    /// What is to be read, and how far it was read.
    fn plan(&self) -> Result<Plan, InboxError>;

    /// Names the channels that the source has. New ones are stored as undecided; known ones get the new title and numbers.
    fn found(&self, channels: &[FoundChannel]) -> Result<(), InboxError>;

    /// Stores messages and positions in one transaction. Messages of a channel that is not selected are refused as a whole.
    fn deliver(&self, delivery: Delivery) -> Result<Delivered, InboxError>;

    /// The message with these ids as it was last delivered, if it is stored.
    fn stored(&self, message: &SourceRef) -> Result<Option<Message>, InboxError>;

    /// The secret: the password, token or session of the source, as it was kept last.
    fn secret(&self) -> Result<Option<Secret>, InboxError>;

    /// Replaces the secret, for example after a token was renewed.
    fn keep_secret(&self, secret: &Secret) -> Result<(), InboxError>;

    /// Says what the source is doing.
    fn note(&self, status: Status);

    /// Names the chosen channels that are not at the source any more; empty if all are there again.
    fn note_missing(&self, _titles: Vec<String>) {}

    /// What the person asked of this device since the last call. The choices of a [`Link`](crate::Link) change when there is more.
    fn asked(&self) -> Vec<Asked> {
        Vec::new()
    }

    /// Says how this device stands.
    fn note_device(&self, _status: DeviceStatus) {}

    /// A folder for this source alone, which exists and is removed with it. Only for what a protocol must keep, such as keys, and
    /// only encrypted with a key from the [`Secret`].
    fn folder(&self) -> PathBuf;

    /// The current time.
    fn now(&self) -> Timestamp;
}

/// Why a connector ended. No message contains secrets or text of messages.
#[derive(Debug, Error)]
pub enum Fault {
    /// The server cannot be reached, or wants to be asked later. It is tried again.
    #[error("{detail}")]
    Unreachable {
        /// What happened, and with what.
        detail: String,
        /// How long the server wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The person has to do something: the password is wrong, the account is gone. It is not tried again until then.
    #[error("{detail}")]
    Refused {
        /// What happened, and what to do.
        detail: String,
    },
    /// The certificate of the server cannot be trusted. It is tried again, seldom, because servers get new certificates.
    #[error("{detail}")]
    Certificate {
        /// What happened, and what to do.
        detail: String,
    },
    /// The server says something that cannot be understood. It is tried again.
    #[error("{detail}")]
    Protocol {
        /// What happened.
        detail: String,
    },
    /// Nothing can be stored.
    #[error(transparent)]
    Inbox(#[from] InboxError),
}

impl Fault {
    /// A server that cannot be reached.
    pub fn unreachable(detail: impl Into<String>) -> Self {
        Self::Unreachable { detail: detail.into(), retry_after: None }
    }

    /// Something that the person has to do.
    pub fn refused(detail: impl Into<String>) -> Self {
        Self::Refused { detail: detail.into() }
    }

    /// A server that cannot be understood.
    pub fn protocol(detail: impl Into<String>) -> Self {
        Self::Protocol { detail: detail.into() }
    }
}
