//! Playbooks: repeated workflows, and the person's decisions about them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A playbook in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookListRow {
    /// Playbook id (`pbk_…`).
    pub id: String,
    /// Title.
    pub title: String,
    /// Tools in the order of the steps; for a shell, the programs it ran.
    pub tools: Vec<String>,
    /// Number of steps.
    pub steps: u32,
    /// Number of sessions that support it.
    pub occurrences: u32,
    /// Number of sessions that contradict it.
    pub against: u32,
    /// `high` or `medium`.
    pub confidence: String,
    /// `candidate`, `approved`, `rejected`, `parked`.
    pub status: String,
    /// Whether it was parked because it had not been seen for a long time. It comes back when it is seen again.
    pub is_parked_by_age: bool,
    /// When it was first found (epoch ms).
    pub found: i64,
    /// When it was last performed (epoch ms).
    pub last: i64,
    /// Version number, from 1.
    pub version: u32,
}

/// All playbooks in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybooksResponse {
    /// Candidates first, most frequent first.
    pub items: Vec<PlaybookListRow>,
}

/// A step of a playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookStepView {
    /// Name of the step, for example `Edit` or `cargo test`.
    pub name: String,
    /// The tool, or the program run in a shell.
    pub tool: String,
    /// The step, with `{parameter}` for each part that varies.
    pub text: String,
    /// Purpose of the step, if a model described it.
    pub purpose: Option<String>,
}

/// A part of the steps that varies between sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookParameterView {
    /// Name without braces.
    pub name: String,
    /// Numbers of the steps that use it, from 1.
    pub steps: Vec<u32>,
    /// Number of different values.
    pub values: u32,
}

/// A session that supports or contradicts a playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookSessionView {
    /// Id of its conversation.
    pub conversation_id: String,
    /// Title of that conversation, or a placeholder.
    pub title: String,
    /// For a supporting session, the message of each step; for a contradicting one, the message that shows the contradiction.
    pub message_ids: Vec<String>,
    /// When it started (epoch ms).
    pub time: i64,
    /// Why it contradicts the playbook: `failed`, `ended_otherwise` or `other_order`; `None` for a supporting session.
    pub against: Option<String>,
}

/// A playbook with all details.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookDetail {
    /// The fields of the list.
    pub row: PlaybookListRow,
    /// Purpose of the playbook, if a model described it.
    pub description: Option<String>,
    /// The steps, in order.
    pub steps: Vec<PlaybookStepView>,
    /// The parts that vary.
    pub parameters: Vec<PlaybookParameterView>,
    /// Supporting sessions, newest first.
    pub supporting: Vec<PlaybookSessionView>,
    /// Contradicting sessions, newest first.
    pub contradicting: Vec<PlaybookSessionView>,
    /// Rules version, or model and prompt, that produced it.
    pub proposer: String,
}

/// A decision about a playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PlaybookDecideRequest {
    /// Playbook id.
    pub id: String,
    /// New status: `approved`, `rejected`, `parked`, or `candidate` to restore it.
    pub status: String,
    /// Version that the person saw. If the current one differs, the decision is refused.
    #[serde(default)]
    pub version: Option<u32>,
}

/// A decision was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookDecided {
    /// Id for `playbook_undo`.
    pub decision_id: String,
}

/// Exports an approved playbook as a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PlaybookExportRequest {
    /// Playbook id.
    pub id: String,
    /// Absolute path of a skills folder.
    pub dir: String,
}

/// The exported skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookExported {
    /// Path of the file.
    pub path: String,
}

/// Settings for notifications about new playbooks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PlaybookSettings {
    /// URL that receives titles, counts and ids of new playbooks; `None` by default.
    pub webhook: Option<String>,
}
