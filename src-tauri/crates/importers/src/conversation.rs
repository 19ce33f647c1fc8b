//! What chat rooms have in common in every program: how a message in a room is created, and a single metadata format for
//! reactions, attachments, people who joined or left, and durations. Code that reads the metadata therefore does not need to
//! know which program it came from.
//!
//! Not here: how a program writes these things, and conversations with an assistant, whose turns form trees (`turns.rs`).

use std::collections::BTreeMap;

use keepsake_domain::{
    Author, Message, MessageType, Metadata, Role, SourceKind, SourceRef, TimeCertainty, Timestamp, Visibility,
};
use serde_json::{Value, json};

use crate::identity::handle;
use crate::json::is_empty;

/// A time, and how reliable it is.
pub(crate) type When = (Timestamp, TimeCertainty);

/// Maximum number of people named in a reaction or notice. Beyond it, people are only counted.
pub(crate) const PEOPLE_MAX: usize = 200;

/// Maximum number of reactions, files or other parts read from one message. Programs allow about a hundred.
pub(crate) const PARTS_OF_MESSAGE_MAX: usize = 500;

/// A program in which people talk.
#[derive(Debug)]
pub(crate) struct Program {
    /// The kind of its messages.
    pub(crate) kind: SourceKind,
    /// Its name as people know it.
    pub(crate) name: &'static str,
    /// Its handle as the author of notices, or as an assistant.
    pub(crate) handle: &'static str,
}

/// A room, group or direct chat, whose messages are one conversation.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    /// The program.
    pub(crate) program: &'static Program,
    /// The id of both its channel and its conversation.
    pub(crate) id: String,
    /// Its display name, if it has one.
    pub(crate) title: Option<String>,
    /// Whether everybody can read it.
    pub(crate) visibility: Visibility,
}

impl Room {
    /// A room that only its members can read.
    pub(crate) fn of(program: &'static Program, id: impl Into<String>, title: Option<String>) -> Self {
        Self { program, id: id.into(), title, visibility: Visibility::Private }
    }

    /// A message in this room with only the required fields.
    pub(crate) fn message(
        &self,
        id: impl Into<String>,
        when: When,
        author: Author,
        message_type: MessageType,
        text: String,
    ) -> Message {
        let kind = self.program.kind;
        Message {
            source: SourceRef { kind, conversation: self.id.clone(), message: id.into() },
            conversation_title: self.title.clone(),
            channel_type: kind.name().to_owned(),
            channel_id: self.id.clone(),
            visibility: self.visibility,
            is_private: false,
            time: when.0,
            time_certainty: when.1,
            author,
            text,
            message_type,
            tool: None,
            reply_to: None,
            is_branch: false,
            metadata: Metadata::new(),
        }
    }

    /// A notice from the program about this room.
    pub(crate) fn notice(&self, id: impl Into<String>, when: When, text: String) -> Message {
        self.message(id, when, self.platform(), MessageType::Notice, text)
    }

    /// The program itself as the author of its notices.
    pub(crate) fn platform(&self) -> Author {
        let Program { kind, name, handle: own } = *self.program;
        Author { name: name.to_owned(), handle: handle(kind.name(), own), role: Role::System }
    }
}

/// Stores a value, unless it carries no information.
pub(crate) fn note(metadata: &mut Metadata, key: &str, value: impl Into<Value>) {
    let value = value.into();
    if !is_empty(&value) {
        metadata.insert(key.to_owned(), value);
    }
}

/// The metadata form of a person. Some exports name people in notices without their handles.
pub(crate) fn person(name: &str, handle: Option<&str>) -> Value {
    match handle {
        Some(handle) => json!({ "name": name, "handle": handle }),
        None => json!({ "name": name }),
    }
}

/// A person named in a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The display name.
    pub(crate) name: String,
    /// The handle.
    pub(crate) handle: String,
}

impl Named {
    /// The metadata form of this person.
    pub(crate) fn value(&self) -> Value {
        person(&self.name, Some(&self.handle))
    }
}

/// Joins names into a phrase: "Ana, Ben and Cleo".
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

/// A duration in words, with at most two units.
pub(crate) fn span(seconds: f64) -> String {
    const UNITS: [(u64, &str); 5] = [(604_800, "week"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    // A negative or out-of-range duration becomes the nearest valid number.
    let mut rest = seconds.round() as u64;
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

/// The text of a notice about a call of this kind, with its length if known. A length under a second means that the call did
/// not take place, so it is omitted.
pub(crate) fn call(kind: &str, seconds: Option<f64>) -> String {
    match seconds.filter(|seconds| (1.0..1e9).contains(seconds)) {
        Some(seconds) => format!("{kind}, {}", span(seconds)),
        None => kind.to_owned(),
    }
}

/// The length in seconds of a call, read from the end of `text`: `12:03` or `1:02:03`.
pub(crate) fn clock_seconds(text: &str) -> Option<f64> {
    let written = text.split_whitespace().next_back()?;
    let parts: Option<Vec<u32>> = written.split(':').map(|part| part.parse().ok().filter(|part| *part < 10_000)).collect();
    match parts?.as_slice() {
        [minutes, seconds] => Some(f64::from(minutes * 60 + seconds)),
        [hours, minutes, seconds] => Some(f64::from(hours * 3600 + minutes * 60 + seconds)),
        _ => None,
    }
}

/// The reactions to one message, in the order in which each emoji was first used.
#[derive(Debug, Default)]
pub(crate) struct Reactions {
    all: Vec<(String, u64, Vec<String>)>,
    places: BTreeMap<String, usize>,
}

impl Reactions {
    /// Adds one person's reaction. The person's name may be unknown.
    pub(crate) fn add_one(&mut self, emoji: &str, by: Option<&str>) {
        self.add(emoji, 1, by.map(str::to_owned).into_iter().collect());
    }

    /// Adds an emoji with which `count` people reacted. `by` names some of them.
    pub(crate) fn add(&mut self, emoji: &str, count: u64, by: Vec<String>) {
        let place = *self.places.entry(emoji.to_owned()).or_insert(self.all.len());
        if place == self.all.len() {
            self.all.push((emoji.to_owned(), 0, Vec::new()));
        }
        if let Some((_, known, names)) = self.all.get_mut(place) {
            *known = known.saturating_add(count);
            names.extend(by.into_iter().take(PEOPLE_MAX.saturating_sub(names.len())));
        }
    }

    /// The reactions as metadata.
    pub(crate) fn into_value(self) -> Value {
        self.all.into_iter().map(|(emoji, count, by)| json!({ "emoji": emoji, "count": count, "by": by })).collect()
    }
}

/// The attachments of one message.
#[derive(Debug, Default)]
pub(crate) struct Attachments(Vec<Metadata>);

impl Attachments {
    /// Adds an attachment. `about` contains its other known fields.
    pub(crate) fn add(&mut self, name: &str, about: Metadata) {
        let mut attachment = Metadata::new();
        attachment.insert("name".to_owned(), name.into());
        attachment.extend(about.into_iter().filter(|(_, value)| !is_empty(value)));
        self.0.push(attachment);
    }

    /// Adds an attachment with only a name.
    pub(crate) fn add_name(&mut self, name: &str) {
        self.add(name, Metadata::new());
    }

    /// True if there are no attachments.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of the attachments, used as the text of a message without words.
    pub(crate) fn names(&self) -> String {
        self.0.iter().filter_map(|one| one.get("name")?.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The text of a message with these attachments: `text`, or else only their names; `None` if it has neither.
    pub(crate) fn words(&self, text: String) -> Option<(String, MessageType)> {
        if !text.trim().is_empty() {
            return Some((text, MessageType::Text));
        }
        (!self.0.is_empty()).then(|| (self.names(), MessageType::File))
    }

    /// Adds the attachments to a message. If the message has no text, their names become its text.
    pub(crate) fn attach(self, message: &mut Message) {
        if message.text.trim().is_empty() && !self.0.is_empty() {
            message.text = self.names();
            if message.message_type == MessageType::Text {
                message.message_type = MessageType::File;
            }
        }
        note(&mut message.metadata, "attachments", self.into_value());
    }

    /// The attachments as metadata.
    pub(crate) fn into_value(self) -> Value {
        self.0.into_iter().map(Value::Object).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_calls_and_names_read_like_words() {
        for (seconds, words) in [
            (0.0, "0 seconds"),
            (1.0, "1 second"),
            (119.4, "1 minute 59 seconds"),
            (720.0, "12 minutes"),
            (3_601.0, "1 hour"),
            (3_661.0, "1 hour 1 minute"),
            (90_000.0, "1 day 1 hour"),
            (604_800.0, "1 week"),
            (2_419_200.0, "4 weeks"),
            (-4.0, "0 seconds"),
            (f64::NAN, "0 seconds"),
        ] {
            assert_eq!(span(seconds), words, "{seconds}");
        }
        for (seconds, text) in [(None, "Call"), (Some(0.4), "Call"), (Some(f64::NAN), "Call"), (Some(-90.0), "Call")] {
            assert_eq!(call("Call", seconds), text, "{seconds:?}");
        }
        assert_eq!(call("Video call", Some(725.0)), "Video call, 12 minutes 5 seconds");
        assert_eq!(
            (clock_seconds("Call 12:03"), clock_seconds("1:02:03"), clock_seconds("x")),
            (Some(723.0), Some(3723.0), None)
        );
        assert_eq!(listed(&[]), "somebody");
        assert_eq!(listed(&["Ana"]), "Ana");
        assert_eq!(listed(&["Ana", "Ben", "Cleo"]), "Ana, Ben and Cleo");
        assert_eq!(file_name("https://cdn.example/a/b%20c.png?size=1#x"), "b%20c.png");
        assert_eq!((file_name("photo.jpg"), file_name("a\\b.txt"), file_name("")), ("photo.jpg", "b.txt", ""));
    }

    #[test]
    fn reactions_of_one_emoji_are_one_and_crowds_are_only_counted() {
        let mut reactions = Reactions::default();
        reactions.add_one("🐝", Some("Ana"));
        reactions.add("🍯", 9, vec!["Ben".to_owned()]);
        reactions.add_one("🐝", None);
        reactions.add("👍", 1000, vec!["Cleo".to_owned(); 1000]);
        let mut value = reactions.into_value();
        assert_eq!(value[2]["by"].as_array().map(Vec::len), Some(PEOPLE_MAX));
        value[2]["by"] = json!([]);
        let expect = json!([
            { "emoji": "🐝", "count": 2, "by": ["Ana"] },
            { "emoji": "🍯", "count": 9, "by": ["Ben"] },
            { "emoji": "👍", "count": 1000, "by": [] },
        ]);
        assert_eq!(value, expect);
    }
}
