//! What the messages of one conversation have in common, and the forms in which reactions, files, members and spans of time are
//! kept, so that all messengers give the same. Deliberately not here: how any messenger writes them.

use std::collections::BTreeMap;

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde_json::{Value, json};

use crate::identity::handle;

/// A time, and how reliable it is.
pub(crate) type When = (Timestamp, TimeCertainty);

/// Maximum number of names that are listed for one emoji. Whoever else reacted is only counted.
const REACTING_NAMES_MAX: usize = 100;

/// A conversation of a messenger.
#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    /// The kind of export.
    pub(crate) kind: SourceKind,
    /// The channel type.
    pub(crate) channel: &'static str,
    /// The name of the messenger, which is the author of its notices.
    pub(crate) platform: &'static str,
    /// Its id, which is also the id of the channel.
    pub(crate) id: String,
    /// Its title, if it has one.
    pub(crate) title: Option<String>,
}

impl Conversation {
    /// A message of type text.
    pub(crate) fn message(&self, id: String, when: When, author: Author, text: String) -> Message {
        Message {
            source: SourceRef { kind: self.kind, conversation: self.id.clone(), message: id },
            conversation_title: self.title.clone(),
            channel_type: self.channel.to_owned(),
            channel_id: self.id.clone(),
            visibility: Visibility::Private,
            is_private: false,
            time: when.0,
            time_certainty: when.1,
            author,
            text,
            message_type: MessageType::Text,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata: Metadata::new(),
        }
    }

    /// A notice from the platform.
    pub(crate) fn notice(&self, id: String, when: When, text: String, metadata: Metadata) -> Message {
        let author = Author { name: self.platform.to_owned(), handle: handle(self.channel, self.platform), role: Role::System };
        Message { message_type: MessageType::Notice, metadata, ..self.message(id, when, author, text) }
    }
}

/// Somebody who is named in a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The name shown.
    pub(crate) name: String,
    /// The handle.
    pub(crate) handle: String,
}

impl Named {
    /// The form in which members are kept in the metadata.
    pub(crate) fn value(&self) -> Value {
        json!({ "name": self.name, "handle": self.handle })
    }
}

/// The reactions to one message, by emoji.
#[derive(Debug, Default)]
pub(crate) struct Reactions(BTreeMap<String, (u64, Vec<String>)>);

impl Reactions {
    /// Adds one reaction.
    pub(crate) fn add(&mut self, emoji: &str, name: Option<&str>) {
        let (count, names) = self.0.entry(emoji.to_owned()).or_default();
        *count += 1;
        if let Some(name) = name.filter(|_| names.len() < REACTING_NAMES_MAX) {
            names.push(name.to_owned());
        }
    }

    /// Adds them to the metadata, if there are any.
    pub(crate) fn keep(self, metadata: &mut Metadata) {
        if self.0.is_empty() {
            return;
        }
        let all = self.0.into_iter().map(|(emoji, (count, by))| json!({ "emoji": emoji, "count": count, "by": by }));
        metadata.insert("reactions".to_owned(), all.collect());
    }
}

/// Adds the `files` of a message to its metadata, each an object with at least a `name`. Without words, their names are the text.
pub(crate) fn attach(message: &mut Message, files: Vec<Value>) {
    if files.is_empty() {
        return;
    }
    if message.text.trim().is_empty() {
        let names: Vec<&str> = files.iter().filter_map(|file| file.get("name")?.as_str()).collect();
        message.text = names.join(", ");
        if message.message_type == MessageType::Text {
            message.message_type = MessageType::File;
        }
    }
    message.metadata.insert("attachments".to_owned(), Value::Array(files));
}

/// A span of time in words, in at most two units.
pub(crate) fn span(seconds: u64) -> String {
    const UNITS: [(u64, &str); 5] = [(604_800, "week"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let mut rest = seconds;
    let mut words = Vec::new();
    for (size, name) in UNITS {
        let count = rest / size;
        rest %= size;
        if count > 0 {
            words.push(format!("{count} {name}{}", if count == 1 { "" } else { "s" }));
        } else if !words.is_empty() {
            break;
        }
    }
    words.truncate(2);
    if words.is_empty() { "0 seconds".to_owned() } else { words.join(" ") }
}

/// The length of a call at the end of a text: `12:03` or `1:02:03`.
pub(crate) fn clock_seconds(text: &str) -> Option<u64> {
    let written = text.split_whitespace().next_back()?;
    let parts: Option<Vec<u64>> = written.split(':').map(|part| part.parse().ok().filter(|part| *part < 10_000)).collect();
    match parts?.as_slice() {
        [minutes, seconds] => Some(minutes * 60 + seconds),
        [hours, minutes, seconds] => Some(hours * 3600 + minutes * 60 + seconds),
        _ => None,
    }
}

/// A time in RFC 3339, for the metadata.
pub(crate) fn written(time: Timestamp) -> String {
    chrono::DateTime::from_timestamp_millis(time.0).map(|time| time.to_rfc3339()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_said_in_at_most_two_units() {
        for (seconds, words) in [
            (0, "0 seconds"),
            (1, "1 second"),
            (720, "12 minutes"),
            (3_661, "1 hour 1 minute"),
            (3_601, "1 hour"),
            (604_800, "1 week"),
            (2_419_200, "4 weeks"),
        ] {
            assert_eq!(span(seconds), words);
        }
    }
}
