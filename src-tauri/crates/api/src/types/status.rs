//! Status of the application: counts, the local models, the owner and the settings.

use keepsake_domain::Offer;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The state of the local embedding model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingState {
    /// Loaded and in use.
    Ready,
    /// Being loaded.
    Loading,
    /// Not installed. Search and duplicate detection use only words.
    Missing,
    /// Installed but unusable; `problem` explains why.
    Broken,
}

/// The local embedding model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EmbeddingStatus {
    /// Its state.
    pub state: EmbeddingState,
    /// Name of the model in use or expected.
    pub model: String,
    /// Dimension of its vectors; 0 until it is loaded.
    pub dimension: u32,
    /// What is wrong and what to do about it, if anything.
    pub problem: Option<String>,
    /// Number of memories that have a vector.
    pub embedded: u64,
    /// Number of memories that should have one.
    pub total: u64,
}

/// The state of the reader, the local model that finds statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReaderState {
    /// In use.
    Ready,
    /// Installed; loaded when there is something to read.
    Idle,
    /// Not installed. No memories are proposed from messages.
    Missing,
    /// Installed but refused; `problem` explains why.
    Refused,
}

/// The reader, the local model that finds statements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReaderStatus {
    /// Its state.
    pub state: ReaderState,
    /// What is wrong and what to do about it, if anything.
    pub problem: Option<String>,
}

/// One of the owner's handles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct HandleView {
    /// Channel type.
    pub channel: String,
    /// The handle in the channel's own format.
    pub handle: String,
    /// Whether the person confirmed it.
    pub verified: bool,
}

/// The owner, as far as known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OwnerView {
    /// Name to address the owner by.
    pub name: String,
    /// The owner's handles.
    pub handles: Vec<HandleView>,
}

/// Numbers for the sidebar and the window title.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Counts {
    /// Messages stored.
    pub messages: u64,
    /// Conversations stored.
    pub conversations: u64,
    /// Pending memories that are not snoozed.
    pub pending: u64,
    /// Approved memories.
    pub active: u64,
    /// Quarantined memories.
    pub quarantined: u64,
    /// Suggested links without an answer.
    pub links: u64,
    /// Playbooks without a decision.
    pub playbooks: u64,
    /// Cleanup proposals without a decision.
    pub reflections: u64,
    /// Alerts that have not been dismissed.
    pub alerts: u64,
    /// Jobs that are queued or running.
    pub jobs: u64,
    /// Incomplete erasures: erased text may remain in the database's write-ahead log.
    pub erasures_pending: u64,
}

/// A desktop notification about a maintenance run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DigestNotice {
    /// Id of the run.
    pub run: String,
    /// Number of proposals that were open when it ended.
    pub waiting: u64,
}

/// The state that the window needs at startup and after each change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AppStatus {
    /// Version of the program.
    pub version: String,
    /// Path of the data folder.
    pub data_dir: String,
    /// The configured folder, if other users can read it. A private folder inside it is used instead.
    pub shared_dir: Option<String>,
    /// The counts.
    pub counts: Counts,
    /// The embedding model.
    pub embedding: EmbeddingStatus,
    /// The reader.
    pub reader: ReaderStatus,
    /// The owner, if known.
    pub owner: Option<OwnerView>,
    /// Whether the sample data is loaded; `sample_remove` removes it.
    pub sample_loaded: bool,
    /// Whether background work is paused.
    pub paused: bool,
    /// When the pause ends automatically (epoch ms).
    pub paused_until: Option<i64>,
    /// The latest maintenance run with a digest, if the desktop should show a notification about it.
    pub digest: Option<DigestNotice>,
    /// Whether nothing has ever been imported. The window then shows the welcome page.
    pub is_first_run: bool,
    /// How files are chosen: `pick_files` (a native dialog) or `upload` (in a browser).
    pub file_access: String,
}

/// Color theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Follow the system.
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// The person's settings. Every field has a default, so a missing field is never an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Color theme. Default `system`.
    pub theme: Theme,
    /// Enable single-key shortcuts. WCAG 2.1.4 requires that they can be turned off. Default `true`.
    pub single_keys: bool,
    /// ISO 3166 codes of the regions whose national phone numbers are recognized when private data is masked.
    pub phone_regions: Vec<String>,
    /// Channel types whose new conversations start excluded (not used for memory). Default: none.
    pub private_channels: Vec<String>,
    /// Propose memories from new imports. Default `true`.
    pub extract_on_import: bool,
    /// How many of the reader's findings are proposed: `few`, `balanced` or `many`. Default `balanced`.
    #[ts(type = "'few' | 'balanced' | 'many'")]
    pub offer: Offer,
    /// Analyze each conversation as a whole after it has ended, if it ended after this was turned on. Default `true`.
    pub analyze_ended: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            single_keys: true,
            phone_regions: ["US", "GB", "DE", "FR", "ES", "IT", "NL", "CH", "AT", "IN", "BR"].map(str::to_owned).to_vec(),
            private_channels: Vec::new(),
            extract_on_import: true,
            offer: Offer::default(),
            analyze_ended: true,
        }
    }
}

/// Saved state of the window: pane widths, filters, last panel. Only the window interprets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct UiState {
    /// JSON text written by the window, up to 64 KiB.
    pub value: String,
}
