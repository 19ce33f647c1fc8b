//! Unidentified speakers: speakers that a meeting transcript does not name, and who the person says they are.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::lines::LineView;

/// Selects unidentified speakers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct VoicesRequest {
    /// Id of a meeting. If set, all of its unidentified speakers are returned with a few lines each; otherwise all meetings with
    /// speakers to identify, without lines.
    pub conversation_id: Option<String>,
}

/// An unidentified speaker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct VoiceView {
    /// Handle id.
    pub handle: String,
    /// Label in the transcript.
    pub label: String,
    /// Name of the speaker, if the person identified them.
    pub name: Option<String>,
    /// Whether it is the owner.
    pub is_owner: bool,
    /// Handle id of the person it was identified as.
    pub linked: Option<String>,
    /// Whether it needs no name: the person left it unidentified, or it is the sound of a shared screen.
    pub is_left: bool,
    /// Number of messages in the meeting.
    pub messages: u64,
    /// Time of the first message (epoch ms).
    pub first: i64,
    /// Up to three messages to recognize the speaker by, in order.
    pub lines: Vec<LineView>,
}

/// A meeting with its unidentified speakers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MeetingView {
    /// Conversation id.
    pub conversation_id: String,
    /// Title of the meeting, or a placeholder.
    pub title: String,
    /// When it started (epoch ms).
    pub time: i64,
    /// Number of speakers still to be identified.
    pub open: u32,
    /// All unidentified speakers, most messages first.
    pub voices: Vec<VoiceView>,
}

/// Meetings with unidentified speakers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct VoicesResponse {
    /// Newest first.
    pub meetings: Vec<MeetingView>,
}

/// Identifies a speaker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct VoiceAnswerRequest {
    /// The speaker, by handle id or as `meeting:handle`.
    pub handle: String,
    /// `owner`; `person` (with `person`); `name` (with `name`); `leave` to leave it without a name; `open` to undo the answer.
    pub answer: String,
    /// A handle of the person, by handle id or as `channel:handle`.
    #[serde(default)]
    pub person: Option<String>,
    /// Name of a person who appears nowhere else.
    #[serde(default)]
    pub name: Option<String>,
}
