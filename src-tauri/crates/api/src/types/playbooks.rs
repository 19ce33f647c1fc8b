//! Playbooks: ways of working that repeat, and what a person decides about them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A playbook in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookListRow {
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Tools, or the programs behind a shell, in the order of the steps.
    pub tools: Vec<String>,
    /// How many steps.
    pub steps: u32,
    /// Sessions that show it.
    pub occurrences: u32,
    /// Sessions that speak against it.
    pub against: u32,
    /// `high`, `medium`.
    pub confidence: String,
    /// `candidate`, `approved`, `rejected`, `parked`.
    pub status: String,
    /// Parked because it was not seen any more; it returns when it is.
    pub is_parked_by_age: bool,
    /// When it was found first.
    pub found: i64,
    /// When it was done last.
    pub last: i64,
    /// Which version this is.
    pub version: u32,
}

/// Every playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybooksResponse {
    /// Candidates first, those seen most often first.
    pub items: Vec<PlaybookListRow>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookStepView {
    /// What is done: `Edit`, `cargo test`.
    pub name: String,
    /// The tool, or the program behind a shell.
    pub tool: String,
    /// The step, with `{parameter}` for what varies.
    pub text: String,
    /// What it is for, where somebody worded it.
    pub purpose: Option<String>,
}

/// What varies from session to session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookParameterView {
    /// Name, without braces.
    pub name: String,
    /// The steps that take it, from 1.
    pub steps: Vec<u32>,
    /// How many different values were seen.
    pub values: u32,
}

/// A session that shows it or speaks against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookSessionView {
    /// Conversation to open.
    pub conversation_id: String,
    /// Its title.
    pub title: String,
    /// The message of each step; of a session that speaks against it the one at which that shows.
    pub message_ids: Vec<String>,
    /// When it began.
    pub time: i64,
    /// Why it speaks against it: `failed`, `ended_otherwise`, `other_order`; nothing where it shows it.
    pub against: Option<String>,
}

/// One playbook, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookDetail {
    /// As in the list.
    pub row: PlaybookListRow,
    /// What it is for, where somebody worded it.
    pub description: Option<String>,
    /// Steps.
    pub steps: Vec<PlaybookStepView>,
    /// What varies.
    pub parameters: Vec<PlaybookParameterView>,
    /// Sessions that show it, the newest first.
    pub supporting: Vec<PlaybookSessionView>,
    /// Sessions that speak against it, the newest first.
    pub contradicting: Vec<PlaybookSessionView>,
    /// Who found it: the rules, or a model with its prompt that worded it.
    pub proposer: String,
}

/// What a person decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PlaybookDecideRequest {
    /// Playbook.
    pub id: String,
    /// `approved`, `rejected`, `parked`, or `candidate` to restore it.
    pub status: String,
    /// The version that the person saw: where another one stands by now nothing is decided.
    #[serde(default)]
    pub version: Option<u32>,
}

/// A decision that can be taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookDecided {
    /// Its id.
    pub decision_id: String,
}

/// An approved playbook is to be written as a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PlaybookExportRequest {
    /// Playbook.
    pub id: String,
    /// The whole path of a folder of skills.
    pub dir: String,
}

/// Where it was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlaybookExported {
    /// The file.
    pub path: String,
}

/// Where new playbooks are told of besides the desktop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PlaybookSettings {
    /// An address that gets titles, counts and ids; nothing unless one is entered.
    pub webhook: Option<String>,
}
