//! This device at a source that is encrypted end to end: whether the person's account vouches for it, and what the person asks of it.
//!
//! A source that runs takes what is asked of it with [`Inbox::asked`](crate::Inbox::asked) and says how the device stands with
//! [`Inbox::note_device`](crate::Inbox::note_device). Not in this module: the protocol (`matrix`), and the words of the window.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::secret::Secret;

/// What the person asks of this device.
#[derive(Debug)]
pub enum DeviceRequest {
    /// Open the account's secret storage with the recovery key or the passphrase: verifies this device, and opens the key backup.
    Recover(Secret),
    /// Compare emoji with another device of the person.
    Compare,
    /// Compare emoji, as another device of the person asked for.
    Accept,
    /// Both devices show the same emoji.
    Match,
    /// The emoji differ.
    Mismatch,
    /// Stop comparing.
    Cancel,
}

/// A request, and the way back for its result. Without an answer the one who asked is told that the source stopped.
#[derive(Debug)]
pub struct Asked {
    /// What is asked.
    pub request: DeviceRequest,
    answer: Sender<Result<(), String>>,
}

impl Asked {
    /// A request, and where its result comes.
    pub fn new(request: DeviceRequest) -> (Self, Receiver<Result<(), String>>) {
        let (answer, result) = channel();
        (Self { request, answer }, result)
    }

    /// Tells the result: a sentence for the person if it failed, which contains no secret.
    pub fn answer(self, result: Result<(), String>) {
        // Whoever asked may have stopped waiting.
        let _ = self.answer.send(result);
    }
}

/// How this device stands at its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceStatus {
    /// The account vouches for this device, so that other programs give it the keys of messages.
    pub is_verified: bool,
    /// The account has an identity that can vouch for devices.
    pub can_be_verified: bool,
    /// The backup of the keys of earlier messages.
    pub backup: KeyBackup,
    /// The comparison of emoji that goes on or ended last.
    pub comparison: Option<Comparison>,
}

/// The backup of the keys of earlier messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeyBackup {
    /// The account has none.
    #[default]
    Absent,
    /// There is one, and its key is missing here.
    Locked,
    /// It is open, and keys that are missing are fetched from it.
    Open {
        /// Number of missing keys that were asked for.
        done: u64,
        /// Number of keys that were missing.
        total: u64,
    },
}

/// A comparison of emoji with another device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// How far it is.
    pub stage: ComparisonStage,
    /// The name or id of the other device, once it is known which one it is.
    pub other: Option<String>,
    /// The emoji with their names in English, once they are known.
    pub emoji: Vec<(&'static str, &'static str)>,
}

/// How far a comparison is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonStage {
    /// The other devices were asked.
    Requested,
    /// Another device asks for it.
    Offered,
    /// The devices exchange keys.
    Starting,
    /// The emoji are shown.
    Shown,
    /// The person confirmed here. The other device has to be confirmed as well.
    Confirmed,
    /// Both were confirmed.
    Done,
    /// The emoji differed. Somebody may listen in.
    Mismatch,
    /// One side stopped it.
    Cancelled,
    /// It took too long.
    TimedOut,
}

impl ComparisonStage {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Offered => "offered",
            Self::Starting => "starting",
            Self::Shown => "shown",
            Self::Confirmed => "confirmed",
            Self::Done => "done",
            Self::Mismatch => "mismatch",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// Whether nothing more happens.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Mismatch | Self::Cancelled | Self::TimedOut)
    }
}
