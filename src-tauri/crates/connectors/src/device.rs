//! This device as part of an end-to-end encrypted account: whether the account vouches for it, and what the person asks it to
//! do.
//!
//! A running source takes requests with [`Inbox::asked`](crate::Inbox::asked) and reports the device's status with
//! [`Inbox::note_device`](crate::Inbox::note_device). Not in this module: the protocol (`matrix`), and the text that the window
//! shows.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::secret::Secret;

/// A request from the person to this device.
#[derive(Debug)]
pub enum DeviceRequest {
    /// Open the account's secret storage with the recovery key or the passphrase. This verifies the device and opens the key
    /// backup.
    Recover(Secret),
    /// Compare emoji with another of the person's devices.
    Compare,
    /// Compare emoji, as requested by another of the person's devices.
    Accept,
    /// Both devices show the same emoji.
    Match,
    /// The emoji differ.
    Mismatch,
    /// Stop comparing.
    Cancel,
}

/// A request, and the channel for returning its result. If the request is dropped unanswered, the requester is told that the
/// source stopped.
#[derive(Debug)]
pub struct Asked {
    /// What the person asks the device to do.
    pub request: DeviceRequest,
    answer: Sender<Result<(), String>>,
}

impl Asked {
    /// Creates a request, and the receiver for its result.
    pub fn new(request: DeviceRequest) -> (Self, Receiver<Result<(), String>>) {
        let (answer, result) = channel();
        (Self { request, answer }, result)
    }

    /// Sends the result. If the request failed, the result is a sentence for the person that contains no secret.
    pub fn answer(self, result: Result<(), String>) {
        // The requester may have stopped waiting.
        let _ = self.answer.send(result);
    }
}

/// The status of this device at its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceStatus {
    /// The account vouches for this device, so other programs give it message keys.
    pub is_verified: bool,
    /// The account has an identity that can vouch for devices.
    pub can_be_verified: bool,
    /// The backup of the keys for earlier messages.
    pub backup: KeyBackup,
    /// The emoji comparison in progress, or the last one that ended.
    pub comparison: Option<Comparison>,
}

/// The backup of the keys for earlier messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeyBackup {
    /// The account has no backup.
    #[default]
    Absent,
    /// There is a backup, but its key is missing here.
    Locked,
    /// The backup is open, and missing keys are fetched from it.
    Open {
        /// Number of missing keys requested so far.
        done: u64,
        /// Number of keys that were missing.
        total: u64,
    },
}

/// An emoji comparison with another device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// How far the comparison has progressed.
    pub stage: ComparisonStage,
    /// The name or id of the other device, once known.
    pub other: Option<String>,
    /// The emoji with their English names, once known.
    pub emoji: Vec<(&'static str, &'static str)>,
}

/// The state of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonStage {
    /// The other devices have been asked to compare.
    Requested,
    /// Another device has asked to compare.
    Offered,
    /// The devices exchange keys.
    Starting,
    /// The emoji are shown.
    Shown,
    /// The person has confirmed on this device, and still has to confirm on the other.
    Confirmed,
    /// Both devices have confirmed.
    Done,
    /// The emoji differed. Somebody may be intercepting the connection.
    Mismatch,
    /// One side canceled the comparison.
    Cancelled,
    /// The comparison took too long.
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

    /// Whether the comparison has ended.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Mismatch | Self::Cancelled | Self::TimedOut)
    }
}
