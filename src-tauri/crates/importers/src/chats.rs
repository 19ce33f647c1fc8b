//! What the exports of chats have in common: a room in which messages are said, and the metadata for attachments, reactions,
//! people who joined or left, and calls.
//!
//! One form for all of them, so that whoever reads the metadata needs to know no format. Not here: how a format writes these
//! things.

use std::collections::HashSet;

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde_json::{Value, json};

use crate::identity::{fingerprint, handle};
use crate::json::is_empty;
use crate::limits::FINGERPRINTS_MAX;

/// Maximum number of people named with a reaction or a notice. Larger crowds are only counted.
pub(crate) const PEOPLE_MAX: usize = 200;

/// A room of a chat program, whose messages are one conversation.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    /// The kind of export.
    pub(crate) kind: SourceKind,
    /// Its id, of both the channel and the conversation.
    pub(crate) id: String,
    /// Its shown name.
    pub(crate) title: Option<String>,
    /// Whether everybody can read it.
    pub(crate) visibility: Visibility,
}

impl Room {
    /// A message in this room, with nothing but its words.
    pub(crate) fn message(
        &self,
        id: String,
        time: (Timestamp, TimeCertainty),
        author: Author,
        (text, message_type): (String, MessageType),
    ) -> Message {
        Message {
            source: SourceRef { kind: self.kind, conversation: self.id.clone(), message: id },
            conversation_title: self.title.clone(),
            channel_type: self.kind.name().to_owned(),
            channel_id: self.id.clone(),
            visibility: self.visibility,
            is_private: false,
            time: time.0,
            time_certainty: time.1,
            author,
            text,
            message_type,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata: Metadata::new(),
        }
    }

    /// The program itself as the author of notices. `name` is its name.
    pub(crate) fn platform(&self, name: &str) -> Author {
        Author { name: name.to_owned(), handle: handle(self.kind.name(), self.kind.name()), role: Role::System }
    }
}

/// Stores a value, unless it carries no information.
pub(crate) fn put(metadata: &mut Metadata, key: &str, value: impl Into<Value>) {
    let value = value.into();
    if !is_empty(&value) {
        metadata.insert(key.to_owned(), value);
    }
}

/// A person in the metadata. Some exports name people in notices without their handles.
pub(crate) fn person(name: &str, handle: Option<&str>) -> Value {
    match handle {
        Some(handle) => json!({ "name": name, "handle": handle }),
        None => json!({ "name": name }),
    }
}

/// Several names as they are said: "Ana, Ben and Cleo".
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => "somebody".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The name of the file at this path or address.
pub(crate) fn file_name(path: &str) -> &str {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(path)
}

/// A length of time in words, in the largest unit that fits and the one below it.
pub(crate) fn length_in_words(seconds: f64) -> String {
    let count = |number: u64, unit: &str| if number == 1 { format!("1 {unit}") } else { format!("{number} {unit}s") };
    // A negative or absurd length becomes the nearest number.
    let seconds = seconds.round() as u64;
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60) {
        (0, 0, 0) => count(seconds, "second"),
        (0, 0, minutes) => count(minutes, "minute"),
        (0, hours, 0) => count(hours, "hour"),
        (0, hours, minutes) => format!("{} {}", count(hours, "hour"), count(minutes, "minute")),
        (days, 0, _) => count(days, "day"),
        (days, hours, _) => format!("{} {}", count(days, "day"), count(hours, "hour")),
    }
}

/// The reactions to one message.
#[derive(Default)]
pub(crate) struct Reactions(Vec<(String, u64, Vec<String>)>);

impl Reactions {
    /// Adds a reaction that one person gave.
    pub(crate) fn add_one(&mut self, emoji: &str, by: &str) {
        match self.0.iter_mut().find(|(known, _, _)| known == emoji) {
            Some((_, count, names)) => {
                *count += 1;
                names.push(by.to_owned());
            }
            None => self.0.push((emoji.to_owned(), 1, vec![by.to_owned()])),
        }
    }

    /// Adds a reaction that `count` people gave, some of whom are named.
    pub(crate) fn add(&mut self, emoji: &str, count: u64, by: Vec<String>) {
        self.0.push((emoji.to_owned(), count, by));
    }

    /// The reactions in the form of the metadata.
    pub(crate) fn into_value(self) -> Value {
        let one = |(emoji, count, mut by): (String, u64, Vec<String>)| {
            by.truncate(PEOPLE_MAX);
            json!({ "emoji": emoji, "count": count, "by": by })
        };
        self.0.into_iter().map(one).collect()
    }
}

/// The attachments of one message.
#[derive(Default)]
pub(crate) struct Attachments(Vec<Metadata>);

impl Attachments {
    /// Adds an attachment. `about` is what else is known of it.
    pub(crate) fn add(&mut self, name: &str, about: Metadata) {
        let mut attachment = Metadata::new();
        attachment.insert("name".to_owned(), name.into());
        attachment.extend(about.into_iter().filter(|(_, value)| !is_empty(value)));
        self.0.push(attachment);
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words of a message with these attachments and `text`, or only their names; `None` if it has neither.
    pub(crate) fn words(&self, text: String) -> Option<(String, MessageType)> {
        if !text.trim().is_empty() {
            return Some((text, MessageType::Text));
        }
        let names: Vec<&str> = self.0.iter().filter_map(|one| one.get("name")?.as_str()).collect();
        (!names.is_empty()).then(|| (names.join(", "), MessageType::File))
    }

    /// The attachments in the form of the metadata.
    pub(crate) fn into_value(self) -> Value {
        self.0.into_iter().map(Value::Object).collect()
    }
}

/// The ids that were seen, to recognize repeats.
#[derive(Default)]
pub(crate) struct SeenIds(HashSet<u64>);

impl SeenIds {
    /// Whether this id is new in its conversation. Beyond the limit the ids are forgotten, and a repeat is emitted again, which the
    /// store recognizes.
    pub(crate) fn is_new(&mut self, conversation: &str, id: &str) -> bool {
        if self.0.len() >= FINGERPRINTS_MAX {
            self.0.clear();
        }
        self.0.insert(fingerprint(&format!("{conversation}\0{id}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_names_read_like_words() {
        for (seconds, expect) in [
            (0.0, "0 seconds"),
            (1.0, "1 second"),
            (119.4, "1 minute"),
            (720.0, "12 minutes"),
            (3600.0, "1 hour"),
            (7500.0, "2 hours 5 minutes"),
            (86_400.0, "1 day"),
            (90_000.0, "1 day 1 hour"),
            (-4.0, "0 seconds"),
            (f64::NAN, "0 seconds"),
        ] {
            assert_eq!(length_in_words(seconds), expect, "{seconds}");
        }
        assert_eq!(listed(&[]), "somebody");
        assert_eq!(listed(&["Ana"]), "Ana");
        assert_eq!(listed(&["Ana", "Ben", "Cleo"]), "Ana, Ben and Cleo");
        assert_eq!(file_name("https://cdn.example/a/b%20c.png?size=1#x"), "b%20c.png");
        assert_eq!((file_name("photo.jpg"), file_name("a\\b.txt"), file_name("")), ("photo.jpg", "b.txt", ""));
    }
}
