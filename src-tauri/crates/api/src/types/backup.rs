//! Backups, restoring one, and exports.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A backup of Keepsake's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BackupView {
    /// Name of the file, by which it is spoken of.
    pub id: String,
    /// When it was made.
    pub made_at: i64,
    /// `daily`, `asked`, `before-reflection`, `before-bulk`, `before-restore`, `before-upgrade`.
    pub reason: String,
    /// Its size.
    pub bytes: u64,
}

/// Keepsake's own backups, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BackupsResponse {
    /// The backups.
    pub items: Vec<BackupView>,
    /// Where they lie.
    pub folder: String,
}

/// What a backup or an export goes to, or what is restored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct BackupPlace {
    /// A file or folder that the person chose.
    #[serde(default)]
    pub token: Option<String>,
    /// One of Keepsake's own backups.
    #[serde(default)]
    pub id: Option<String>,
    /// Whether it is restored although the chain of its messages is broken or its locks were changed.
    #[serde(default)]
    pub salvage: bool,
}

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BackupContents {
    /// Messages.
    pub messages: u64,
    /// Conversations.
    pub conversations: u64,
    /// Memories and candidates.
    pub memories: u64,
    /// Rows of all tables.
    pub rows: u64,
    /// The schema it was written with.
    pub schema: i64,
    /// The hash of the newest message.
    pub head: String,
    /// From which message on it is in doubt, and why; nothing where it is whole.
    pub doubt: Option<String>,
}

/// A backup that was made and read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BackupMade {
    /// Name of the file.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// What it holds.
    pub contents: BackupContents,
}

/// What restoring would do, before it is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RestorePreview {
    /// Name of the file.
    pub name: String,
    /// What it holds.
    pub backup: BackupContents,
    /// Which of its locks were changed from outside, in words, where any were. Only a salvage takes it, and puts them right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub locks: Option<String>,
    /// Messages here now.
    pub messages: u64,
    /// Conversations here now.
    pub conversations: u64,
    /// Memories and candidates here now.
    pub memories: u64,
}

/// What restoring did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RestoreOutcome {
    /// Messages there are now.
    pub messages: u64,
    /// Conversations there are now.
    pub conversations: u64,
    /// Memories and candidates there are now.
    pub memories: u64,
    /// The backup of what was here before, where there was anything.
    pub before: Option<String>,
    /// Whether what was decided since the backup could be looked up.
    pub is_same_store: bool,
    /// Messages erased since: erased again.
    pub erased_again: u64,
    /// Messages that arrived and were erased since: they stay out.
    pub kept_out: u64,
    /// Memories rejected, put in the trash or hidden since: still so.
    pub refused_again: u64,
    /// Memories corrected since: the old wording waits for review.
    pub reopened: u64,
    /// Entries of profiles called wrong since: still so.
    pub debunked_again: u64,
    /// Links taken back since: still so.
    pub unlinked_again: u64,
    /// Conversations, channels and items made private since: still so.
    pub kept_private: u64,
    /// From which message on it is in doubt, and why; nothing where it is whole.
    pub doubt: Option<String>,
}

/// An export that was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ExportMade {
    /// Name of the folder.
    pub name: String,
    /// Messages.
    pub messages: u64,
    /// Conversations.
    pub conversations: u64,
    /// Memories and candidates.
    pub memories: u64,
    /// Notes to read.
    pub notes: u64,
    /// From which message on it is in doubt, and why; nothing where it is whole.
    pub doubt: Option<String>,
}

/// Making anew began: what was derived is deleted, and a cycle makes it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RebuildBegun {
    /// Name of the backup of what was there before.
    pub backup: String,
    /// Candidates that are looked for again.
    pub candidates: u64,
    /// The cycle of maintenance that makes it.
    pub run_id: String,
}
