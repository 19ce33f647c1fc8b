//! Speakers that a meeting's transcript does not name, and who the person says they are.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::people::LineView;

/// Whose voices.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct VoicesRequest {
    /// Of one meeting, with some lines of each; else of all meetings that have a voice to ask about, without lines.
    pub conversation_id: Option<String>,
}

/// One voice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct VoiceView {
    /// Its handle.
    pub handle: String,
    /// How the transcript calls it.
    pub label: String,
    /// Who it is, as far as the person said so.
    pub name: Option<String>,
    /// It is the owner.
    pub is_owner: bool,
    /// The handle of the person that it was said to be.
    pub linked: Option<String>,
    /// Not asked about: left without a name, or the sound of a shared screen.
    pub is_left: bool,
    /// Messages in the meeting.
    pub messages: u64,
    /// First message.
    pub first: i64,
    /// Some of what it said, in order.
    pub lines: Vec<LineView>,
}

/// A meeting with its voices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MeetingView {
    /// Conversation.
    pub conversation_id: String,
    /// Title.
    pub title: String,
    /// When it began.
    pub time: i64,
    /// Voices that the person is still to be asked about.
    pub open: u32,
    /// All of its voices, whoever said most first.
    pub voices: Vec<VoiceView>,
}

/// Meetings with voices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct VoicesResponse {
    /// The newest first.
    pub meetings: Vec<MeetingView>,
}

/// Who a voice is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct VoiceAnswerRequest {
    /// The voice, by its handle's id or as `meeting:handle`.
    pub handle: String,
    /// `owner`; `person` with `person`; `name` with `name`; `leave` it without a name; `open` takes the answer back.
    pub answer: String,
    /// A handle of the person it is, by id or as `channel:handle`.
    #[serde(default)]
    pub person: Option<String>,
    /// What somebody is called who is not met elsewhere.
    #[serde(default)]
    pub name: Option<String>,
}
