//! What the exports of chat programs have in common: rooms with messages, notices about members and calls, files by name,
//! reactions.
//!
//! Deliberately not here: anything that only one program writes.

use chrono::{DateTime, SecondsFormat};
use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde_json::{Value, json};

use crate::identity::handle;

/// A room, group or direct chat.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    /// The program.
    pub(crate) kind: SourceKind,
    /// Its id in the export.
    pub(crate) id: String,
    /// Its name, if it has one.
    pub(crate) title: Option<String>,
    /// Whether others than its members can read it.
    pub(crate) visibility: Visibility,
}

impl Room {
    /// A message in this room with an exact time.
    pub(crate) fn message(&self, id: &str, time: Timestamp, author: Author, kind: MessageType, text: String) -> Message {
        Message {
            source: SourceRef { kind: self.kind, conversation: self.id.clone(), message: id.to_owned() },
            conversation_title: self.title.clone(),
            channel_type: self.kind.name().to_owned(),
            channel_id: self.id.clone(),
            visibility: self.visibility,
            is_private: false,
            time,
            time_certainty: TimeCertainty::Exact,
            author,
            text,
            message_type: kind,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata: Metadata::new(),
        }
    }

    /// A notice of the program about this room.
    pub(crate) fn notice(&self, id: &str, time: Timestamp, program: &str, text: String) -> Message {
        self.message(id, time, platform(self.kind, program), MessageType::Notice, text)
    }
}

/// The program itself as the author of its notices.
pub(crate) fn platform(kind: SourceKind, program: &str) -> Author {
    Author { name: program.to_owned(), handle: handle(kind.name(), kind.name()), role: Role::System }
}

/// A time as RFC 3339, for the metadata.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    DateTime::from_timestamp_millis(time.0).unwrap_or_default().to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// The text of a notice about a call. Less than half a minute is no minute worth telling.
pub(crate) fn call_text(seconds: Option<f64>) -> String {
    let minutes = seconds.filter(|seconds| (30.0..1e9).contains(seconds)).map(|seconds| (seconds / 60.0).round() as u64);
    match minutes {
        None => "Call".to_owned(),
        Some(1) => "Call, 1 minute".to_owned(),
        Some(minutes) => format!("Call, {minutes} minutes"),
    }
}

/// People as a notice lists them, so that membership can be followed: `name` and `handle` of each.
pub(crate) fn members(people: &[(String, String)]) -> Value {
    people.iter().map(|(name, handle)| json!({ "name": name, "handle": handle })).collect()
}

/// One reaction, with the names of those who gave it.
pub(crate) fn reaction(emoji: &str, count: u64, by: &[String]) -> Value {
    json!({ "emoji": emoji, "count": count, "by": by })
}

/// The names of people in a sentence or title.
pub(crate) fn listed(names: &[String]) -> String {
    names.join(", ")
}

/// Inserts a value unless it is empty.
pub(crate) fn note(metadata: &mut Metadata, key: &str, value: impl Into<Value>) {
    let value = value.into();
    if !crate::json::is_empty(&value) {
        metadata.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_in_minutes() {
        for (seconds, text) in [
            (None, "Call"),
            (Some(5.0), "Call"),
            (Some(f64::NAN), "Call"),
            (Some(-90.0), "Call"),
            (Some(61.0), "Call, 1 minute"),
            (Some(720.0), "Call, 12 minutes"),
        ] {
            assert_eq!(call_text(seconds), text, "{seconds:?}");
        }
    }
}
