//! What the frame of the window shows: counts, the state of the local model, who the owner is, settings.

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
    /// Not there: search and duplicates go by words until it is.
    Missing,
    /// There, but broken; `problem` says how.
    Broken,
}

/// The local embedding model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EmbeddingStatus {
    /// Whether it is in use.
    pub state: EmbeddingState,
    /// Name of the model in use or wanted.
    pub model: String,
    /// Dimension of its vectors.
    pub dimension: u32,
    /// What is wrong and what to do, where something is.
    pub problem: Option<String>,
    /// Memories that have a vector.
    pub embedded: u64,
    /// Memories that should have one.
    pub total: u64,
}

/// The state of the trained reader of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReaderState {
    /// In use.
    Ready,
    /// There, and loaded once there is something to read.
    Idle,
    /// Not there: nothing is proposed from what people say.
    Missing,
    /// There, and not taken; `problem` says why.
    Refused,
}

/// The trained reader of statements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReaderStatus {
    /// Whether it is in use.
    pub state: ReaderState,
    /// What is wrong and what to do, where something is.
    pub problem: Option<String>,
}

/// One of the owner's handles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct HandleView {
    /// Channel type.
    pub channel: String,
    /// The handle there.
    pub handle: String,
    /// Confirmed by the person.
    pub verified: bool,
}

/// Who the owner is, as far as known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OwnerView {
    /// Name to greet.
    pub name: String,
    /// Handles.
    pub handles: Vec<HandleView>,
}

/// The numbers that the rail and the window title show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Counts {
    /// Messages stored.
    pub messages: u64,
    /// Conversations stored.
    pub conversations: u64,
    /// Candidates that wait for review and are not snoozed.
    pub pending: u64,
    /// Approved memories.
    pub active: u64,
    /// Quarantined candidates.
    pub quarantined: u64,
    /// Suggested pairs of handles that wait for an answer.
    pub links: u64,
    /// Playbooks that were found and that nobody decided about.
    pub playbooks: u64,
    /// Proposals to tidy up what is remembered that wait for a person.
    pub reflections: u64,
    /// Alerts not dismissed.
    pub alerts: u64,
    /// Jobs waiting or running.
    pub jobs: u64,
    /// Erasures that are not seen through: erased text may still stand in the log of the file.
    pub erasures_pending: u64,
}

/// That a cycle ended, by number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DigestNotice {
    /// Which cycle.
    pub run: String,
    /// How much waited for the person when it ended.
    pub waiting: u64,
}

/// Everything the frame needs at start and after each change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AppStatus {
    /// Version of the program.
    pub version: String,
    /// Where the data lives.
    pub data_dir: String,
    /// The folder that was named, where other users can read it and a private one within it is used.
    pub shared_dir: Option<String>,
    /// The numbers.
    pub counts: Counts,
    /// The local model.
    pub embedding: EmbeddingStatus,
    /// The trained reader.
    pub reader: ReaderStatus,
    /// The owner, once known.
    pub owner: Option<OwnerView>,
    /// Sample data is loaded (and can be removed in one click).
    pub sample_loaded: bool,
    /// Background work is paused.
    pub paused: bool,
    /// When the pause ends by itself.
    pub paused_until: Option<i64>,
    /// The nightly cycle that ended last with a digest, where the desktop tells of it.
    pub digest: Option<DigestNotice>,
    /// Nothing was ever imported: show the first-run page.
    pub is_first_run: bool,
    /// What this host can do: `pick_files` (native dialog) or `upload` (a browser).
    pub file_access: String,
}

/// Light, dark, or as the system says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the system says.
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// Choices of the person. Every field has a default, so a missing one is never an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Light or dark.
    pub theme: Theme,
    /// Single-key shortcuts act (WCAG 2.1.4: they can be turned off).
    pub single_keys: bool,
    /// Regions whose national phone numbers the scrubber knows, as ISO 3166 codes.
    pub phone_regions: Vec<String>,
    /// Channel types whose new conversations start private (never analysed).
    pub private_channels: Vec<String>,
    /// Propose candidates from imports as they arrive.
    pub extract_on_import: bool,
    /// How much of what is found is offered for review: `few`, `balanced`, `many`.
    #[ts(type = "'few' | 'balanced' | 'many'")]
    pub offer: Offer,
    /// Analyse a conversation as a whole once it has ended; not what ended before this was switched on.
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

/// Remembered places of the window: pane widths, filters, last panel. Opaque to everything but the UI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct UiState {
    /// JSON text that the UI wrote, at most 64 KiB.
    pub value: String,
}
