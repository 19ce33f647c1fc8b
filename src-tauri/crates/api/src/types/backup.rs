//! Backups, restores, exports and rebuilds: requests, previews and receipts.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A backup in the data folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BackupView {
    /// File name of the backup. Other commands take it as `id`.
    pub id: String,
    /// When it was made (epoch ms).
    pub made_at: i64,
    /// Why it was made: `daily`, `asked`, `before-reflection`, `before-bulk`, `before-restore` or `before-upgrade`.
    pub reason: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// The backups in the data folder, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BackupsResponse {
    /// The backups.
    pub items: Vec<BackupView>,
    /// Path of the folder that contains them.
    pub folder: String,
}

/// Where to write a backup or an export, or what to restore: either `token` or `id`. Without a `token`, `backup_make` writes to
/// the data folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct BackupPlace {
    /// Token of a file or folder that the person chose.
    #[serde(default)]
    pub token: Option<String>,
    /// A backup in the data folder, by its `id` in `backups_list`.
    #[serde(default)]
    pub id: Option<String>,
    /// Restore even if the message chain is broken or integrity locks were changed. Default `false`, which refuses both.
    #[serde(default)]
    pub salvage: bool,
}

/// Contents of a backup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BackupContents {
    /// Number of messages.
    pub messages: u64,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of memories, pending ones included.
    pub memories: u64,
    /// Number of rows in all tables.
    pub rows: u64,
    /// Schema version that wrote it.
    pub schema: i64,
    /// Hash of the newest message; empty for an export.
    pub head: String,
    /// The first message whose integrity is in doubt, with the reason; `None` if the chain is intact.
    pub doubt: Option<String>,
}

/// A backup that was written and then verified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BackupMade {
    /// File name.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Its contents.
    pub contents: BackupContents,
}

/// A backup compared with the current data, before it is restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RestorePreview {
    /// Name of the file or folder.
    pub name: String,
    /// Contents of the backup.
    pub backup: BackupContents,
    /// Which integrity locks were changed from outside, in words; `None` if none were. Such a backup can only be restored with
    /// `salvage`, which repairs the locks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub locks: Option<String>,
    /// Number of messages in the current store.
    pub messages: u64,
    /// Number of conversations in the current store.
    pub conversations: u64,
    /// Number of memories in the current store, pending ones included.
    pub memories: u64,
}

/// Receipt of a restore. It counts the decisions made after the backup, which are applied again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RestoreOutcome {
    /// Number of messages now.
    pub messages: u64,
    /// Number of conversations now.
    pub conversations: u64,
    /// Number of memories now, pending ones included.
    pub memories: u64,
    /// Name of the backup of the previous data; `None` if there was no data.
    pub before: Option<String>,
    /// Whether decisions made after the backup could be read, because the backup belongs to this store and the store was
    /// readable.
    pub is_same_store: bool,
    /// Messages in the backup that were erased after it was made. They were erased again.
    pub erased_again: u64,
    /// Messages that both arrived and were erased after the backup. Later imports skip them.
    pub kept_out: u64,
    /// Memories that were dismissed, moved to the trash, hidden or erased after the backup. These decisions were applied again.
    pub refused_again: u64,
    /// Memories that were corrected after the backup. The backup contains only the old wording, so it is pending again.
    pub reopened: u64,
    /// Profile entries that were disputed after the backup. They are disputed again.
    pub debunked_again: u64,
    /// Links that were removed after the backup. They are removed again.
    pub unlinked_again: u64,
    /// Conversations, channels and items that were made private after the backup. They are private again.
    pub kept_private: u64,
    /// The first message whose integrity is in doubt, with the reason; `None` if the chain is intact.
    pub doubt: Option<String>,
}

/// Receipt of an export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ExportMade {
    /// Name of the exported folder.
    pub name: String,
    /// Number of messages.
    pub messages: u64,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of memories, pending ones included.
    pub memories: u64,
    /// Number of readable notes.
    pub notes: u64,
    /// The first message whose integrity is in doubt, with the reason; `None` if the chain is intact.
    pub doubt: Option<String>,
}

/// A rebuild has started: derived data was deleted, and a maintenance run derives it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RebuildBegun {
    /// Name of the backup that was made beforehand.
    pub backup: String,
    /// Number of pending memories that were deleted and will be proposed again.
    pub candidates: u64,
    /// Id of the maintenance run that rebuilds the data.
    pub run_id: String,
}
