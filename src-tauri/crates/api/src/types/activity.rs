//! Activity: jobs, what the gates stopped, and alerts.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Count;

/// One job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct JobView {
    /// Id.
    pub id: String,
    /// `import`, `extract`, `analyze`, `embed`, `erase`.
    pub kind: String,
    /// What it works on, in words: a file name, a conversation's title.
    pub title: String,
    /// Conversation it is about.
    pub conversation_id: Option<String>,
    /// `queued`, `running`, `done`, `cancelled`, `dead`.
    pub state: String,
    /// Cancel was asked and is on its way.
    pub is_cancelling: bool,
    /// What it is doing: "Reading messages".
    pub stage: Option<String>,
    /// n of m.
    pub done: u64,
    /// m; 0 when not known.
    pub total: u64,
    /// Failures so far.
    pub attempts: u32,
    /// Tries until it waits for a person.
    pub attempts_max: u32,
    /// When it is tried again, where it failed or was put off and waits for that moment.
    pub retry_at: Option<i64>,
    /// What went wrong last.
    pub error: Option<String>,
    /// Result in short JSON, kind by kind (analyze: {"analysis_id"}; import: {"import_id"}; erase: the receipt).
    pub result: Option<String>,
    /// When it was queued.
    pub created_at: i64,
    /// When it began.
    pub started_at: Option<i64>,
    /// When it ended.
    pub finished_at: Option<i64>,
}

/// Jobs, running first, then waiting, then the latest finished ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct JobsResponse {
    /// At most 200.
    pub items: Vec<JobView>,
    /// Jobs waiting.
    pub queued: u64,
    /// Background work is paused.
    pub paused: bool,
    /// When the pause ends by itself.
    pub paused_until: Option<i64>,
}

/// Pauses or resumes background work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    /// Pause (true) or resume.
    pub paused: bool,
    /// Until when: `hour` (an hour from now), `tomorrow` (the next morning); nothing is until it is resumed.
    #[serde(default)]
    pub until: Option<String>,
}

/// Which stops to list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct GateLogRequest {
    /// Only this gate.
    pub gate: Option<String>,
    /// Only this conversation.
    pub conversation: Option<String>,
    /// How many to pass over.
    pub offset: u32,
    /// How many; at most 500.
    pub limit: u32,
}

/// One candidate that a gate stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GateEntry {
    /// Running number.
    pub seq: u64,
    /// Gate.
    pub gate: String,
    /// What it would have said.
    pub content: String,
    /// Why it was stopped.
    pub reason: String,
    /// Conversation.
    pub conversation_id: String,
    /// Its title.
    pub conversation_title: String,
    /// Message.
    pub interaction_id: Option<String>,
    /// First code point of the words in it, where it stood on one place.
    pub start: Option<u32>,
    /// One past the last.
    pub end: Option<u32>,
    /// Who proposed it.
    pub proposer: String,
    /// When.
    pub created_at: i64,
}

/// Stops, newest first, with counts by gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GateLogResponse {
    /// How many match.
    pub total: u64,
    /// The entries asked for.
    pub items: Vec<GateEntry>,
    /// Counts by gate over all.
    pub by_gate: Vec<Count>,
}

/// A failure that a person must see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AlertView {
    /// Id.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// What happened, to what, what to do.
    pub message: String,
    /// The job, if one failed (Retry).
    pub job_id: Option<String>,
    /// When.
    pub created_at: i64,
}

/// Alerts not dismissed, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AlertsResponse {
    /// The alerts.
    pub items: Vec<AlertView>,
}

/// What happened, as facts; panels refresh what carries the tags.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// Rows under these tags changed: `memories`, `conversations`, `messages`, `jobs`, `gate_log`, `alerts`, `imports`, `settings`,
    /// `analyses`, `embeddings`, `status`.
    Changed {
        /// The tags.
        tags: Vec<String>,
    },
    /// A running job moved on.
    JobProgress {
        /// Id.
        id: String,
        /// What it is doing.
        stage: String,
        /// n.
        done: u64,
        /// m; 0 when not known.
        total: u64,
    },
    /// Files were dropped on the window.
    FilesDropped {
        /// The files.
        files: Vec<super::sources::FileToken>,
    },
}
