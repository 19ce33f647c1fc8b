//! Programs that Keepsake can be connected to.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How Keepsake is entered in a program's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ConnectStanding {
    /// It is not, or that cannot be read.
    Absent,
    /// As it would be entered now.
    Current,
    /// In another way: for another agent, with other data, or from another place.
    Different,
    /// It is not, and another program has its name.
    Taken,
}

/// A program that can use Keepsake.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectProgram {
    /// Its name, which is also the name of its agent in Keepsake.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// It is on this computer.
    pub is_found: bool,
    /// How Keepsake is entered in its configuration.
    pub standing: ConnectStanding,
    /// It reads instructions from a file of the user.
    pub has_instructions: bool,
    /// It runs commands at events.
    pub has_hooks: bool,
    /// Why its configuration cannot be read, if so.
    pub problem: Option<String>,
}

/// The programs, those of this computer first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectPrograms {
    /// The programs.
    pub programs: Vec<ConnectProgram>,
}

/// One program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ConnectName {
    /// Its name.
    pub name: String,
}

/// What to enter into a program's configuration, or to take out of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ConnectRequest {
    /// Name of the program.
    pub name: String,
    /// Takes out everything that was entered; the other choices are ignored then.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub remove: bool,
    /// A block of instructions for the model. Default `true`.
    #[serde(default = "yes")]
    #[ts(optional, as = "Option<bool>")]
    pub instructions: bool,
    /// Hooks, where the program has them. Default `true`.
    #[serde(default = "yes")]
    #[ts(optional, as = "Option<bool>")]
    pub hooks: bool,
    /// Replaces an entry of another program that has Keepsake's name.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub replace: bool,
    /// The change as it was shown to the person. If it would be another one now, nothing is changed. A preview ignores it.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub shown: Option<String>,
}

fn yes() -> bool {
    true
}

/// What would change. Nothing has been changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectPreview {
    /// The changes as `diff -u` writes them; empty if there are none.
    pub diff: String,
    /// Files with an entry of another program that would be replaced.
    pub replaces: Vec<String>,
    /// What the person should know or do.
    pub notes: Vec<String>,
}

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectFile {
    /// Its path.
    pub path: String,
    /// Path of the copy of what it was before.
    pub backup: Option<String>,
}

/// What was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectDone {
    /// The files.
    pub files: Vec<ConnectFile>,
    /// What the person should know or do.
    pub notes: Vec<String>,
}

/// An entered command that answered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectChecked {
    /// Number of tools that it offers.
    pub tools: u32,
    /// Milliseconds until it had answered.
    #[ts(type = "number")]
    pub elapsed_ms: u64,
}
