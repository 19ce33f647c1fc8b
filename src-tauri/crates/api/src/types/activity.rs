//! Activity: jobs, the gate log, alerts, and the events that hosts forward to their pages.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Count;

/// A background job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct JobView {
    /// Job id (`job_…`).
    pub id: String,
    /// Kind of work, for example `import`, `extract`, `analyze`, `embed`, `erase`; `JobKind` in the domain crate lists all of
    /// them.
    pub kind: String,
    /// What it works on: a file name or a conversation title. Empty for work on the whole store.
    pub title: String,
    /// The conversation it works on, if any.
    pub conversation_id: Option<String>,
    /// `queued`, `running`, `done`, `cancelled`, `dead`.
    pub state: String,
    /// Whether a person canceled it, although it has not stopped yet.
    pub is_cancelling: bool,
    /// Current step, for example "Reading messages".
    pub stage: Option<String>,
    /// Units of work done; the unit depends on the kind.
    pub done: u64,
    /// Units of work in total; 0 if unknown.
    pub total: u64,
    /// Attempts that have failed so far.
    pub attempts: u32,
    /// Maximum number of attempts. After the last one, the job is `dead` until a person retries it.
    pub attempts_max: u32,
    /// When the next attempt starts (epoch ms), if the job failed or was delayed and that time is in the future.
    pub retry_at: Option<i64>,
    /// The last error, in one sentence.
    pub error: Option<String>,
    /// The result as short JSON text; its shape depends on the kind. `analyze`: `{"analysis_id"}`; `import`: `{"import_id"}`;
    /// `erase`: the receipt.
    pub result: Option<String>,
    /// When it was queued (epoch ms).
    pub created_at: i64,
    /// When it started (epoch ms).
    pub started_at: Option<i64>,
    /// When it ended (epoch ms).
    pub finished_at: Option<i64>,
}

/// All jobs: running jobs first, then queued jobs, then the most recently finished ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct JobsResponse {
    /// Up to 200 jobs.
    pub items: Vec<JobView>,
    /// Number of jobs that are queued or running.
    pub queued: u64,
    /// Whether background work is paused.
    pub paused: bool,
    /// When the pause ends automatically (epoch ms); `None` if it lasts until a person resumes work.
    pub paused_until: Option<i64>,
}

/// Pauses or resumes background work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    /// `true` pauses, `false` resumes.
    pub paused: bool,
    /// End of the pause: `hour` (an hour from now) or `tomorrow` (the next morning). Without it, the pause lasts until a person
    /// resumes work.
    #[serde(default)]
    pub until: Option<String>,
}

/// Selects entries of the gate log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct GateLogRequest {
    /// Only entries of this gate, by name.
    pub gate: Option<String>,
    /// Only entries about this conversation, by id.
    pub conversation: Option<String>,
    /// Number of entries to skip.
    pub offset: u32,
    /// Maximum number of entries; 0 means 200, and the limit is 500.
    pub limit: u32,
}

/// A candidate that a gate filtered out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GateEntry {
    /// Sequence number; newer entries have higher numbers.
    pub seq: u64,
    /// Name of the gate, for example `hypothetical` or `low_confidence`.
    pub gate: String,
    /// The statement that was filtered out, or the original sentence.
    pub content: String,
    /// Why it was filtered out, in one sentence.
    pub reason: String,
    /// Id of the conversation it comes from.
    pub conversation_id: String,
    /// Title of that conversation, or a placeholder.
    pub conversation_title: String,
    /// Id of the message it comes from, if it comes from a single one.
    pub interaction_id: Option<String>,
    /// Offset of its first code point in that message, if it comes from a single one.
    pub start: Option<u32>,
    /// Offset after its last code point.
    pub end: Option<u32>,
    /// The proposer and its version, for example `builtin/1`.
    pub proposer: String,
    /// When it was filtered out (epoch ms).
    pub created_at: i64,
}

/// Entries of the gate log, newest first, and counts by gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GateLogResponse {
    /// Number of entries that match the request.
    pub total: u64,
    /// The requested page.
    pub items: Vec<GateEntry>,
    /// Number of entries of each gate, over the whole log.
    pub by_gate: Vec<Count>,
}

/// A failure that a person needs to see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AlertView {
    /// Alert id (`alr_…`).
    pub id: String,
    /// Kind of failure: `job_failed`, `model_dropped`, `model_refused`, `file_skipped`, `chain_broken`, `schema_changed`.
    pub kind: String,
    /// What happened, what it affects, and what to do about it.
    pub message: String,
    /// Id of the failed job, which `job_retry` can start again.
    pub job_id: Option<String>,
    /// When it was raised (epoch ms).
    pub created_at: i64,
}

/// Alerts that have not been dismissed, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AlertsResponse {
    /// The alerts.
    pub items: Vec<AlertView>,
}

/// Something that happened. Hosts forward events to their pages, and a panel reloads when data under one of its tags changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// Data under these tags changed. A tag names an area: `memories`, `conversations`, `messages`, `jobs`, `gate_log`, `alerts`,
    /// `imports`, `settings`, `analyses`, `embeddings`, `model_calls`, `people`, `topics`, `playbooks`, `sessions`,
    /// `reflections`, `status`.
    Changed {
        /// Names of the tags.
        tags: Vec<String>,
    },
    /// A running job or task made progress.
    JobProgress {
        /// Job id, or the name of a task that a command is waiting for (`backup`, `audit`).
        id: String,
        /// Current step.
        stage: String,
        /// Units of work done.
        done: u64,
        /// Units of work in total; 0 if unknown.
        total: u64,
    },
    /// Files were dropped on the window.
    FilesDropped {
        /// One token for each file.
        files: Vec<super::sources::FileToken>,
    },
}
