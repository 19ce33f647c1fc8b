//! Sources: choosing files, looking before importing, and what each import brought.
//!
//! The window never sees or sends a path: a file is a token that the host gave for a file the person chose.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A file the person chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FileToken {
    /// Opaque; good until the program ends.
    pub token: String,
    /// File name to show.
    pub name: String,
    /// Size in bytes; 0 for a folder.
    pub size: u64,
}

/// The files the person chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PickedFiles {
    /// Empty when the dialog was closed.
    pub files: Vec<FileToken>,
}

/// Looks into files without changing anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct DryRunRequest {
    /// Tokens.
    pub tokens: Vec<String>,
    /// The owner's name or handle, if the person has said.
    #[serde(default)]
    pub me: Option<String>,
    /// `day_first`, `month_first`, `year_first`, if the person has said.
    #[serde(default)]
    pub date_order: Option<String>,
    /// When a meeting began of which nothing else tells, if the person has said: `2026-01-05` or `2026-01-05 14:00`.
    #[serde(default)]
    pub meeting: Option<String>,
    /// The zone of times that the export gives without one, by its name such as `Europe/Berlin`, if the person has said.
    #[serde(default)]
    #[ts(optional)]
    pub zone: Option<String>,
}

/// Somebody who speaks in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ParticipantView {
    /// Name.
    pub name: String,
    /// Handle.
    pub handle: String,
    /// Messages by them.
    pub messages: u64,
    /// One line of theirs.
    pub sample: String,
}

/// Records that will not be imported, by reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkipView {
    /// Stable name of the reason.
    pub reason: String,
    /// The reason in words.
    pub text: String,
    /// How many.
    pub count: u64,
    /// One of them.
    pub sample: String,
}

/// A date that can be read two ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DateQuestion {
    /// The line's date as written.
    pub written: String,
    /// Read day first.
    pub day_first: String,
    /// Read month first.
    pub month_first: String,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DryRunFile {
    /// Token.
    pub token: String,
    /// File name.
    pub name: String,
    /// Which source; absent when it cannot be imported.
    pub kind: Option<String>,
    /// Why it cannot be imported.
    pub error: Option<String>,
    /// Conversations in it.
    pub conversations: u64,
    /// Records that are or should be messages.
    pub seen: u64,
    /// Of those, new: an import would bring them.
    pub imported: u64,
    /// Of those, already there.
    pub duplicate: u64,
    /// Of those, skipped. Seen = imported + duplicate + skipped.
    pub skipped: Vec<SkipView>,
    /// First message.
    pub first: Option<i64>,
    /// Last message.
    pub last: Option<i64>,
    /// Who speaks, most talkative first.
    pub participants: Vec<ParticipantView>,
    /// "Which of these is you?" must be asked.
    pub needs_owner: bool,
    /// "Which comes first, day or month?" must be asked; two lines both ways.
    pub date_questions: Vec<DateQuestion>,
    /// Nothing names the date of the meeting: "When was this?" should be asked. Until it is answered the file's date stands in.
    pub needs_meeting: bool,
    /// The file gives times and no zone, and this one was applied: `Europe/Berlin`, or a distance such as `UTC+02:00`. "These times are of
    /// which zone?" can be asked: an export from elsewhere is off by hours. Absent where every time says its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub zone: Option<String>,
    /// The folder is an export of Keepsake; an import of it brings its messages alone, a restore all that it holds.
    pub export: Option<OwnExport>,
    /// It is a folder with exports of several kinds: a token for each, to look into and to import on its own.
    pub parts: Vec<FileToken>,
}

/// What a folder that Keepsake exported holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OwnExport {
    /// Messages.
    pub messages: u64,
    /// Conversations.
    pub conversations: u64,
    /// Memories and candidates.
    pub memories: u64,
    /// Nothing is here yet, so a restore takes the place of nothing.
    pub is_first: bool,
}

/// What the files hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DryRunResponse {
    /// One a file.
    pub files: Vec<DryRunFile>,
}

/// Starts an import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ImportStartRequest {
    /// Tokens.
    pub tokens: Vec<String>,
    /// The owner's name or handle.
    #[serde(default)]
    pub me: Option<String>,
    /// Day or month first.
    #[serde(default)]
    pub date_order: Option<String>,
    /// When a meeting began of which nothing else tells: `2026-01-05` or `2026-01-05 14:00`.
    #[serde(default)]
    pub meeting: Option<String>,
    /// The zone of times that the export gives without one, by its name such as `Europe/Berlin`; this computer's if left out.
    #[serde(default)]
    #[ts(optional)]
    pub zone: Option<String>,
    /// Every conversation starts private.
    #[serde(default)]
    pub private: bool,
}

/// The jobs that were queued.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct JobsStarted {
    /// Job ids.
    pub job_ids: Vec<String>,
}

/// One import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ImportView {
    /// Id.
    pub id: String,
    /// File name.
    pub name: String,
    /// Which source.
    pub kind: String,
    /// `running`, `done`, `failed`, `cancelled`.
    pub state: String,
    /// Came with the sample data.
    pub is_sample: bool,
    /// Conversations touched.
    pub conversations: u64,
    /// Records seen: imported + duplicate + skipped.
    pub seen: u64,
    /// New messages.
    pub imported: u64,
    /// Already there.
    pub duplicate: u64,
    /// Skipped, by reason.
    pub skipped: Vec<SkipView>,
    /// What went wrong.
    pub error: Option<String>,
    /// When it began.
    pub started_at: i64,
    /// When it ended.
    pub finished_at: Option<i64>,
}

/// All imports, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ImportsResponse {
    /// The imports.
    pub items: Vec<ImportView>,
}

/// What removing the sample data removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SampleRemoved {
    /// Messages.
    pub messages: u64,
    /// Conversations.
    pub conversations: u64,
    /// Candidates and memories.
    pub memories: u64,
    /// Somebody still reads the file, so that erased text may stand in it; a job (`erase`) waits for that.
    pub is_pending: bool,
}
