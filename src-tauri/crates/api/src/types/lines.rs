//! A message as one line, which is how every panel shows evidence. The type that contains the line says whose line it is and
//! what it proves.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A message, shown as a line with its location.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LineView {
    /// Message id.
    pub message_id: String,
    /// Id of its conversation.
    pub conversation_id: String,
    /// Title of that conversation, or a placeholder.
    pub conversation_title: String,
    /// Channel type.
    pub channel: String,
    /// Visibility of the conversation: `public` or `private`.
    pub visibility: String,
    /// Whether the conversation is excluded (not used for memory).
    pub is_private: bool,
    /// Name of the author.
    pub author: String,
    /// When it was said (epoch ms).
    pub time: i64,
    /// The whole text.
    pub text: String,
    /// Offset of the first code point of the evidence; equal to `end` if the evidence is the whole line.
    pub start: u32,
    /// Offset after the last code point.
    pub end: u32,
}
