//! Sources: choosing files, previewing and starting imports, and the history of imports.
//!
//! The window never sees or sends a path. It uses a token that the host issued when the person chose the file.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A file or folder that the person chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FileToken {
    /// Opaque token, valid until the program ends.
    pub token: String,
    /// File name for display.
    pub name: String,
    /// Size in bytes; 0 for a folder.
    pub size: u64,
}

/// The files that the person chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PickedFiles {
    /// Empty if the dialog was canceled.
    pub files: Vec<FileToken>,
}

/// Previews an import without changing anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct DryRunRequest {
    /// Tokens of the files.
    pub tokens: Vec<String>,
    /// Name or handle of the owner, if the person entered it.
    #[serde(default)]
    pub me: Option<String>,
    /// Order of dates: `day_first`, `month_first` or `year_first`, if the person chose it.
    #[serde(default)]
    pub date_order: Option<String>,
    /// Start of the meeting, if the person entered it because the file does not contain it: `2026-01-05` or `2026-01-05 14:00`.
    #[serde(default)]
    pub meeting: Option<String>,
    /// Time zone for times without one, for example `Europe/Berlin`, if the person chose it. Default: this computer's zone.
    #[serde(default)]
    #[ts(optional)]
    pub zone: Option<String>,
}

/// A participant in a file's conversations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ParticipantView {
    /// Display name.
    pub name: String,
    /// The handle.
    pub handle: String,
    /// Number of messages.
    pub messages: u64,
    /// One of their messages, as an example.
    pub sample: String,
    /// Number of emails that they received, if they are offered as a possible owner for that reason.
    #[serde(default)]
    pub received: u64,
}

/// Skipped records, grouped by reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkipView {
    /// Stable name of the reason.
    pub reason: String,
    /// The reason in words.
    pub text: String,
    /// Number of records.
    pub count: u64,
    /// An example.
    pub sample: String,
}

/// A date that can be read in two ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DateQuestion {
    /// The date as written in the file.
    pub written: String,
    /// The date if the day comes first.
    pub day_first: String,
    /// The date if the month comes first.
    pub month_first: String,
}

/// A channel (a room, a contact, a mailbox or a folder) in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ImportChannelView {
    /// Channel type.
    pub channel_type: String,
    /// Channel id.
    pub channel_id: String,
    /// Title, or the channel id if there is none.
    pub title: String,
    /// Number of its conversations in the file.
    pub conversations: u64,
    /// Number of new messages that an import would add to it.
    pub messages: u64,
    /// Number of people who speak in it, not counting the owner.
    pub people: u64,
    /// Names of up to three of the people.
    pub names: Vec<String>,
    /// Whether the channel is known already. The import does not change the visibility of a known channel.
    pub is_known: bool,
    /// Its visibility after the import, if the person chooses nothing: `public`, `private`, or `mixed` if its conversations
    /// differ.
    pub visibility: String,
}

/// Preview of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DryRunFile {
    /// Token of the file.
    pub token: String,
    /// File name.
    pub name: String,
    /// Name of the importer; `null` if the file cannot be imported.
    pub kind: Option<String>,
    /// Why it cannot be imported.
    pub error: Option<String>,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of records that are messages or should be. It equals `imported` + `duplicate` + the counts in `skipped`.
    pub seen: u64,
    /// Number of new messages that an import would add.
    pub imported: u64,
    /// Number of messages that are already stored.
    pub duplicate: u64,
    /// Records that would be skipped, by reason.
    pub skipped: Vec<SkipView>,
    /// Time of the first message (epoch ms).
    pub first: Option<i64>,
    /// Time of the last message (epoch ms).
    pub last: Option<i64>,
    /// Up to 50 participants, most messages first. For a mailbox whose owner is not known, the people who received the most
    /// mail come before them.
    pub participants: Vec<ParticipantView>,
    /// Up to 10,000 channels: the new ones, most messages first, and then those that are known already.
    pub channels: Vec<ImportChannelView>,
    /// Number of channels that are not listed.
    pub more_channels: u64,
    /// Whether the person must be asked which participant they are.
    pub needs_owner: bool,
    /// Two example dates. If not empty, the person must be asked whether the day or the month comes first.
    pub date_questions: Vec<DateQuestion>,
    /// Whether the person should be asked for the date of the meeting, because the file does not contain it. Until they answer,
    /// the date of the file is used.
    pub needs_meeting: bool,
    /// The time zone assumed for times without one: a name such as `Europe/Berlin`, or an offset such as `UTC+02:00`. The person
    /// can correct it, because an export from another time zone is off by hours. `None` if every time has its own zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub zone: Option<String>,
    /// Set if the folder is a Keepsake export. Importing it adds only its messages, while restoring it brings back everything.
    pub export: Option<OwnExport>,
    /// Set if the folder or archive contains exports of several kinds, or files that are left out: one token for each kind. They
    /// are previewed and imported separately.
    pub parts: Vec<FileToken>,
    /// The files of the folder or archive that are not imported, by reason.
    pub left_out: Vec<LeftOutView>,
    /// Kinds that the person can choose for text that no importer recognizes.
    pub may_be: Vec<MayBe>,
}

/// A kind that a file may have, although nothing in the file indicates it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MayBe {
    /// Name of the importer.
    pub kind: String,
    /// The file, to be imported as this kind. It replaces the file that was chosen.
    pub file: FileToken,
}

/// Files of a folder or archive that are not imported for the same reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LeftOutView {
    /// The reason's stable name.
    pub reason: String,
    /// The reason in plain words.
    pub text: String,
    /// Whether one of these files may contain the messages that the person is missing.
    pub may_be_an_export: bool,
    /// Number of files.
    pub count: u64,
    /// Paths of the first ones within the folder or archive, at most 20.
    pub paths: Vec<String>,
}

/// Contents of a Keepsake export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OwnExport {
    /// Number of messages.
    pub messages: u64,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of memories, pending ones included.
    pub memories: u64,
    /// Whether the store is empty, so that a restore replaces nothing.
    pub is_first: bool,
}

/// Previews of the files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DryRunResponse {
    /// One per token.
    pub files: Vec<DryRunFile>,
}

/// Starts an import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ImportStartRequest {
    /// Tokens of the files.
    pub tokens: Vec<String>,
    /// Name or handle of the owner.
    #[serde(default)]
    pub me: Option<String>,
    /// Order of dates: `day_first`, `month_first` or `year_first`.
    #[serde(default)]
    pub date_order: Option<String>,
    /// Start of the meeting, if the file does not contain it: `2026-01-05` or `2026-01-05 14:00`.
    #[serde(default)]
    pub meeting: Option<String>,
    /// Time zone for times without one, for example `Europe/Berlin`. Default: this computer's zone.
    #[serde(default)]
    #[ts(optional)]
    pub zone: Option<String>,
    /// Exclude all imported conversations (not used for memory). Default `false`.
    #[serde(default)]
    pub private: bool,
    /// Who may see what is said in individual new channels. Ignored for channels that are already known.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<ChannelChoiceView>>")]
    pub channels: Vec<ChannelChoiceView>,
    /// The visibility of all other new channels: `public` or `private`. Default: private, except where a Keepsake JSONL file says
    /// `public`.
    #[serde(default)]
    #[ts(optional)]
    pub other_channels: Option<String>,
}

/// The visibility that the person chose for a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ChannelChoiceView {
    /// Channel type.
    pub channel_type: String,
    /// Channel id.
    pub channel_id: String,
    /// `public` or `private`.
    pub visibility: String,
}

/// The jobs that were queued.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct JobsStarted {
    /// One job id per token.
    pub job_ids: Vec<String>,
}

/// An import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ImportView {
    /// Import id (`imp_…`).
    pub id: String,
    /// File name; "Sample data" for the sample, "Undone import" if it was undone.
    pub name: String,
    /// Name of the importer.
    pub kind: String,
    /// `running`, `done`, `failed`, `cancelled`, `undone`.
    pub state: String,
    /// Whether it is the sample data.
    pub is_sample: bool,
    /// Number of conversations that received messages.
    pub conversations: u64,
    /// Number of records: `imported` + `duplicate` + the counts in `skipped`.
    pub seen: u64,
    /// Number of new messages.
    pub imported: u64,
    /// Number of messages that were already stored.
    pub duplicate: u64,
    /// Skipped records, by reason.
    pub skipped: Vec<SkipView>,
    /// What went wrong.
    pub error: Option<String>,
    /// When it started (epoch ms).
    pub started_at: i64,
    /// When it ended (epoch ms).
    pub finished_at: Option<i64>,
}

/// The latest imports, up to 200, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ImportsResponse {
    /// The imports.
    pub items: Vec<ImportView>,
}

/// Receipt for the removal of the sample data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SampleRemoved {
    /// Number of messages removed.
    pub messages: u64,
    /// Number of conversations removed.
    pub conversations: u64,
    /// Number of memories removed, pending ones included.
    pub memories: u64,
    /// Whether a reader still uses an older state of the database file, so that erased text may remain in it. An `erase` job
    /// finishes the erasure.
    pub is_pending: bool,
}
