//! Capability gaps (unmet requests) and the tasks that a person made of them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::people::LineView;

/// The task that was made of a gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TaskView {
    /// Task id (`task_…`); the task's line in the file contains it.
    pub id: String,
    /// `open` or `resolved`.
    pub status: String,
    /// Path of the Markdown file that contains the task, if it was written to one.
    pub file: Option<String>,
}

/// Something that was requested more than once and could not be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GapView {
    /// Gap id (`gap_…`).
    pub id: String,
    /// What could not be done, in the words of the first request.
    pub need: String,
    /// Description in one sentence.
    pub description: String,
    /// Number of occasions on which it was requested.
    pub frequency: u32,
    /// `detected`, `task_created`, `resolved`, `reopened`.
    pub status: String,
    /// The person it came up with; `None` if it was several.
    pub entity_id: Option<String>,
    /// When it first came up (epoch ms).
    pub first_seen: i64,
    /// When it last came up (epoch ms).
    pub last_seen: i64,
    /// When it was last resolved (epoch ms).
    pub resolved: Option<i64>,
    /// Its task, once a person confirmed the gap.
    pub task: Option<TaskView>,
    /// The lines that show it.
    pub lines: Vec<LineView>,
}

/// All gaps that have not been dismissed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GapsResponse {
    /// Most frequent first.
    pub items: Vec<GapView>,
    /// Path of the file that tasks are written to, if one was chosen.
    pub tasks_file: Option<String>,
}

/// Confirms a gap, which turns it into a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct GapConfirmRequest {
    /// Gap id.
    pub id: String,
    /// Path of the tasks file to use from now on. Default: the file chosen before.
    #[serde(default)]
    pub file: Option<String>,
}

/// Dismisses a gap, or undoes that.
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

/// Sets the file that tasks are written to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TasksFileRequest {
    /// Absolute path.
    pub path: String,
}
