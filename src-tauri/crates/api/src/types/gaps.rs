//! Capability gaps and the tasks that a person made of them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::people::LineView;

/// The task that a gap became.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TaskView {
    /// Id, by which it is found in its file.
    pub id: String,
    /// `open`, `resolved`.
    pub status: String,
    /// The Markdown file it stands in.
    pub file: Option<String>,
}

/// Something that was wanted more than once and could not be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GapView {
    /// Id.
    pub id: String,
    /// What could not be done, as it was put first.
    pub need: String,
    /// A sentence.
    pub description: String,
    /// On how many occasions.
    pub frequency: u32,
    /// `detected`, `task_created`, `resolved`, `reopened`.
    pub status: String,
    /// With whom it showed; nothing where it was with several.
    pub entity_id: Option<String>,
    /// When first.
    pub first_seen: i64,
    /// When last.
    pub last_seen: i64,
    /// When it was resolved last.
    pub resolved: Option<i64>,
    /// Its task, once it was confirmed.
    pub task: Option<TaskView>,
    /// The lines that show it.
    pub lines: Vec<LineView>,
}

/// Every gap that nobody dismissed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GapsResponse {
    /// The most frequent first.
    pub items: Vec<GapView>,
    /// The file to which tasks are written, where one was chosen.
    pub tasks_file: Option<String>,
}

/// A gap is to become a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct GapConfirmRequest {
    /// Gap.
    pub id: String,
    /// The file for tasks from now on; without it the one that was chosen before.
    #[serde(default)]
    pub file: Option<String>,
}

/// "It is none", or taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct GapDismissRequest {
    /// Gap.
    pub id: String,
    /// It is none; `false` takes that back.
    pub is_dismissed: bool,
}

/// The file that a person chose for tasks in the system's dialog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TasksFileChosen {
    /// Its whole path; nothing when the dialog was closed.
    pub path: Option<String>,
}

/// The file to which tasks are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TasksFileRequest {
    /// Its whole path.
    pub path: String,
}
