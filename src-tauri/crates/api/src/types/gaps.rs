//! Capability gaps (unmet requests) and the tasks created from them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::lines::LineView;

/// The task created from a gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TaskView {
    /// Task id (`task_…`). The task's line in the file contains it.
    pub id: String,
    /// `open` or `resolved`.
    pub status: String,
    /// Path of the Markdown file that contains the task, if there is one.
    pub file: Option<String>,
}

/// A request that came up more than once and could not be met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GapView {
    /// Gap id (`gap_…`).
    pub id: String,
    /// What was requested, in the words of the first request.
    pub need: String,
    /// Description in one sentence.
    pub description: String,
    /// Number of occasions on which it was requested.
    pub frequency: u32,
    /// `detected`, `task_created`, `resolved`, `reopened`.
    pub status: String,
    /// Id of the person who made the requests; `None` if several people did.
    pub entity_id: Option<String>,
    /// When it first came up (epoch ms).
    pub first_seen: i64,
    /// When it last came up (epoch ms).
    pub last_seen: i64,
    /// When it was last resolved (epoch ms).
    pub resolved: Option<i64>,
    /// Its task, if a person confirmed the gap.
    pub task: Option<TaskView>,
    /// The lines in which it came up.
    pub lines: Vec<LineView>,
}

/// All gaps that have not been dismissed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GapsResponse {
    /// Most frequent first.
    pub items: Vec<GapView>,
    /// Path of the tasks file, if one was chosen.
    pub tasks_file: Option<String>,
}

/// Confirms a gap and creates a task from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct GapConfirmRequest {
    /// Gap id.
    pub id: String,
    /// Path of the tasks file to use from now on. Default: the current file.
    #[serde(default)]
    pub file: Option<String>,
}

/// Dismisses a gap, or undoes the dismissal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct GapDismissRequest {
    /// Gap id.
    pub id: String,
    /// `true` dismisses it, `false` undoes the dismissal.
    pub is_dismissed: bool,
}

/// The tasks file that the person chose in the system's file dialog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TasksFileChosen {
    /// Absolute path; `None` if the dialog was canceled.
    pub path: Option<String>,
}

/// Sets the tasks file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TasksFileRequest {
    /// Absolute path.
    pub path: String,
}
