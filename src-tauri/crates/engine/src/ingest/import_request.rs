//! What to import, and the person's choices for every import.
//!
//! Not in this module: importing (`import`), and the form in which a waiting import is stored (`queue::import_payload`).

use std::path::PathBuf;

use keepsake_domain::SourceKind;
use keepsake_importers::{DateOrder, MeetingDate, Zone};

use crate::ingest::new_channels::NewChannels;

/// What to import, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportRequest {
    /// Path of a file, archive or folder.
    pub path: PathBuf,
    /// Kind of export, if the person specified it.
    pub source: Option<SourceKind>,
    /// The owner's name or handle in the export.
    pub me: Option<String>,
    /// Whether dates put the day or the month first.
    pub date_order: Option<DateOrder>,
    /// Time zone of the device that made the export, if it is not this computer's.
    pub zone: Option<Zone>,
    /// Start of a meeting, if the file does not contain it.
    pub meeting: Option<MeetingDate>,
    /// Whether every conversation starts excluded from memory.
    pub private: bool,
    /// Who may see what is said in channels that the import adds.
    pub channels: NewChannels,
    /// Whether this is the sample data.
    pub is_sample: bool,
}

/// The person's choices for every import, whether from the window, the command line or a watched folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportChoices {
    /// Channel types whose new conversations start excluded from memory.
    pub(crate) private_channels: Vec<String>,
    /// Whether to look for memories in new messages.
    pub(crate) extract: bool,
    /// Who may see what is said in new channels. `None` if the source determines this for each channel.
    pub(crate) channels: Option<NewChannels>,
}

impl ImportChoices {
    /// Reads the choices from the stored settings. An invalid field counts as not chosen, as it does on the settings page.
    pub(crate) fn read(settings: Option<&str>) -> Self {
        let settings: serde_json::Value = settings.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
        Self {
            private_channels: serde_json::from_value(settings["private_channels"].clone()).unwrap_or_default(),
            extract: settings["extract_on_import"].as_bool().unwrap_or(true),
            channels: None,
        }
    }
}

impl ImportRequest {
    /// An import of `path` with default options.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            source: None,
            me: None,
            date_order: None,
            zone: None,
            meeting: None,
            private: false,
            channels: NewChannels::default(),
            is_sample: false,
        }
    }
}
