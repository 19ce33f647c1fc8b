//! Programs that Keepsake can be connected to.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How Keepsake is listed in a program's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ConnectStanding {
    /// Keepsake is not listed, or the configuration cannot be read.
    Absent,
    /// Keepsake is listed exactly as it would list itself now.
    Current,
    /// Keepsake is listed differently: for another agent, with other data, or from another location.
    Different,
    /// Keepsake is not listed, and an entry of another program has its name.
    Taken,
}

/// A program that can use Keepsake.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectProgram {
    /// Its name, which is also the name of its agent in Keepsake.
    pub name: String,
    /// Its display name.
    pub title: String,
    /// Whether it was found on this computer.
    pub is_found: bool,
    /// How Keepsake is listed in its configuration.
    pub standing: ConnectStanding,
    /// Whether it reads instructions from a user-level file.
    pub has_instructions: bool,
    /// Whether it runs commands on events.
    pub has_hooks: bool,
    /// Why its configuration cannot be read, if it cannot.
    pub problem: Option<String>,
}

/// The programs, with those on this computer first.
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

/// What to add to a program's configuration, or to remove from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ConnectRequest {
    /// Name of the program.
    pub name: String,
    /// Remove everything that was added; the other choices are then ignored.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub remove: bool,
    /// Add a block of instructions for the model. Default `true`.
    #[serde(default = "yes")]
    #[ts(optional, as = "Option<bool>")]
    pub instructions: bool,
    /// Add hooks, if the program has them. Default `true`.
    #[serde(default = "yes")]
    #[ts(optional, as = "Option<bool>")]
    pub hooks: bool,
    /// Replace an existing entry named Keepsake, even if another program created it.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub replace: bool,
    /// The change as it was shown to the person. If the change would be different now, nothing is changed. Ignored in a
    /// preview.
    #[serde(default)]
    #[ts(optional = nullable)]
    pub shown: Option<String>,
}

fn yes() -> bool {
    true
}

/// What would change. Nothing has been changed yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectPreview {
    /// The changes in the format of `diff -u`; empty if there are none.
    pub diff: String,
    /// Files in which another program's entry would be replaced.
    pub replaces: Vec<String>,
    /// What the person should know or do.
    pub notes: Vec<String>,
}

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectFile {
    /// Its path.
    pub path: String,
    /// Path of the backup of its previous content.
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

/// The result of trying a configured command that answered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
pub struct ConnectChecked {
    /// Number of tools that it offers.
    pub tools: u32,
    /// Milliseconds until it answered.
    #[ts(type = "number")]
    pub elapsed_ms: u64,
}
