//! One event of a Matrix room: a message, a notice about the room, or a change to an earlier event.

use std::collections::HashMap;

use keepsake_domain::{Author, Message, MessageType, Metadata, Role, TimeCertainty, Timestamp};
use serde_json::{Value, json};

use super::{CHANNEL, PROGRAM};
use crate::SkipReason;
use crate::conversation::{Attachments, Room, When, call, note, person};
use crate::identity::handle;
use crate::time::{from_unix, rfc3339};

/// What Element writes for an event that it cannot decrypt.
const UNREADABLE: &str = "m.bad.encrypted";

/// The beginning of the quotation that older clients put before a reply: `> <@ana:a.example> …`.
const QUOTES: &[&str] = &["> <@", "> * <@"];

/// The event type of polls: the stable one, and the one that Element still writes.
const POLLS: &[&str] = &["m.poll.start", "org.matrix.msc3381.poll.start"];

/// Events that say nothing about the conversation.
const STANDARD: &[&str] = &[
    "m.room.encryption", "m.room.avatar", "m.room.join_rules", "m.room.history_visibility", "m.room.guest_access",
    "m.room.power_levels", "m.room.server_acl", "m.room.canonical_alias", "m.room.aliases", "m.room.third_party_invite",
    "m.space.parent", "im.vector.modular.widgets", "m.widget", "io.element.widgets.layout",
];

/// What an event is.
#[derive(Debug)]
pub(super) enum Happening {
    /// A message or a notice.
    Message(Message),
    /// A call with this id.
    Call(String, Message),
    /// A change to another event.
    Change(Change),
}

/// A change to another event.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// An edit of the text. `message` has the new text, in case the original event is not in the export.
    Edit {
        /// The id of the event that was edited.
        target: String,
        /// The message with its new text, under the id of the event that was edited.
        message: Box<Message>,
    },
    /// A reaction to the event.
    React {
        /// The id of the event that was reacted to.
        target: String,
        /// The reaction.
        emoji: String,
    },
    /// The deletion of the event.
    Redact {
        /// The id of the event that was deleted.
        target: String,
    },
    /// The end of a call.
    HangUp {
        /// The id of the call.
        call: String,
    },
}

/// An event with the fields that all events have.
pub(super) struct Event<'v> {
    kind: &'v str,
    pub(super) id: &'v str,
    pub(super) sender: &'v str,
    pub(super) room: Option<&'v str>,
    pub(super) time: Timestamp,
    value: &'v Value,
    content: &'v Value,
}

impl<'v> Event<'v> {
    /// Reads the fields that all events have.
    pub(super) fn of(value: &'v Value) -> Result<Self, SkipReason> {
        if !value.is_object() {
            return Err(SkipReason::Malformed);
        }
        let field = |name: &str| string(value, name);
        let time = value.get("origin_server_ts").and_then(Value::as_f64).and_then(from_unix);
        Ok(Self {
            kind: field("type").ok_or(SkipReason::MissingField)?,
            id: field("event_id").ok_or(SkipReason::MissingField)?,
            sender: field("sender").or(field("user_id")).ok_or(SkipReason::MissingField)?,
            room: field("room_id"),
            time: time.ok_or(SkipReason::MissingField)?,
            value,
            content: value.get("content").unwrap_or(&Value::Null),
        })
    }

    /// The id of a person, and the name that this event gives them.
    pub(super) fn names(&self) -> Option<(&'v str, &'v str)> {
        let user = string(self.value, "state_key").filter(|_| self.kind == "m.room.member")?;
        let name = string(self.content, "displayname").or_else(|| string(self.before()?, "displayname"))?;
        Some((user, name))
    }

    /// Whether everybody can read the room, if this event says so.
    pub(super) fn is_public(&self) -> Option<bool> {
        (self.kind == "m.room.join_rules").then(|| string(self.content, "join_rule") == Some("public"))
    }

    /// The content of the state that this event replaces.
    fn before(&self) -> Option<&'v Value> {
        self.value.get("unsigned").and_then(|unsigned| unsigned.get("prev_content")).or(self.value.get("prev_content"))
    }

    /// What the event is.
    pub(super) fn happening(&self, names: &HashMap<String, String>) -> Result<Happening, SkipReason> {
        let name = |user: &str| names.get(user).map_or(user, String::as_str).to_owned();
        if self.value.get("unsigned").is_some_and(|unsigned| unsigned.get("redacted_because").is_some()) {
            return Err(SkipReason::Deleted);
        }
        let relation = self.content.get("m.relates_to").unwrap_or(&Value::Null);
        let target = string(relation, "event_id").map(str::to_owned);
        let who = name(self.sender);
        let told = |text: String| Ok(Happening::Message(self.notice(text)));
        match self.kind {
            "m.room.message" if string(relation, "rel_type") == Some("m.replace") => {
                let target = target.ok_or(SkipReason::MissingField)?;
                let mut message = self.message(self.content.get("m.new_content").unwrap_or(self.content))?;
                message.source.message.clone_from(&target);
                message.time_certainty = TimeCertainty::Inferred;
                note(&mut message.metadata, "edited_at", rfc3339(self.time));
                Ok(Happening::Change(Change::Edit { target, message: Box::new(message) }))
            }
            "m.room.message" => self.message(self.content).map(Happening::Message),
            "m.sticker" => Err(SkipReason::MediaPlaceholder),
            "m.room.encrypted" => Err(SkipReason::Hidden),
            "m.reaction" => {
                let (target, emoji) = target.zip(string(relation, "key")).ok_or(SkipReason::MissingField)?;
                Ok(Happening::Change(Change::React { target, emoji: emoji.to_owned() }))
            }
            "m.room.redaction" => {
                let target = string(self.value, "redacts").or(string(self.content, "redacts"));
                Ok(Happening::Change(Change::Redact { target: target.ok_or(SkipReason::MissingField)?.to_owned() }))
            }
            "m.room.member" => self.membership(&name),
            "m.room.create" => told(format!("{who} created the room")),
            "m.room.name" => told(match string(self.content, "name") {
                Some(title) => format!("{who} named the room {title}"),
                None => format!("{who} removed the name of the room"),
            }),
            "m.room.topic" => told(match string(self.content, "topic") {
                Some(topic) => format!("{who} set the topic: {topic}"),
                None => format!("{who} removed the topic"),
            }),
            "m.room.pinned_events" => told(format!("{who} changed the pinned messages")),
            "m.room.tombstone" => told("The room was replaced by another one".to_owned()),
            "m.call.invite" => {
                let id = string(self.content, "call_id").unwrap_or(self.id).to_owned();
                Ok(Happening::Call(id, self.notice(call("Call", None))))
            }
            "m.call.hangup" | "m.call.reject" => {
                let call = string(self.content, "call_id").ok_or(SkipReason::NotAMessage)?.to_owned();
                Ok(Happening::Change(Change::HangUp { call }))
            }
            "m.call.notify" | "org.matrix.msc4075.call.notify" | "m.rtc.notification" | "org.matrix.msc4075.rtc.notification" => {
                told(call("Call", None))
            }
            kind if POLLS.contains(&kind) => told(self.poll(&who).ok_or(SkipReason::Poll)?),
            kind if kind.contains("poll.response") || kind.contains("poll.end") => Err(SkipReason::Poll),
            kind if STANDARD.contains(&kind) => Err(SkipReason::PlatformNotice),
            kind => match string(self.content, "body").filter(|body| !body.trim().is_empty()) {
                Some(body) => {
                    let mut message =
                        self.room().message(self.id, self.when(), self.author(), MessageType::Unknown, body.to_owned());
                    note(&mut message.metadata, "type", kind);
                    Ok(Happening::Message(message))
                }
                None => Err(SkipReason::NotAMessage),
            },
        }
    }

    /// The room, whose id and name are known only at the end.
    fn room(&self) -> Room {
        Room::of(&PROGRAM, "", None)
    }

    fn when(&self) -> When {
        (self.time, TimeCertainty::Exact)
    }

    fn notice(&self, text: String) -> Message {
        self.room().notice(self.id, self.when(), text)
    }

    /// The author, whose name and role are completed at the end.
    fn author(&self) -> Author {
        Author { name: self.sender.to_owned(), handle: handle(CHANNEL, self.sender), role: Role::Person }
    }

    /// A message with this content, which may come from an edit.
    fn message(&self, content: &Value) -> Result<Message, SkipReason> {
        let kind = string(content, "msgtype").unwrap_or_default();
        let Some(body) = string(content, "body") else {
            // A redacted event keeps its type and loses its content.
            let is_redacted = self.content.as_object().is_none_or(|fields| fields.is_empty());
            return Err(if is_redacted { SkipReason::Deleted } else { SkipReason::Empty });
        };
        let mut metadata = Metadata::new();
        let mut author = self.author();
        let mut message_type = MessageType::Text;
        let mut text = body.to_owned();
        match kind {
            "m.text" | "" => {}
            "m.emote" => note(&mut metadata, "msgtype", kind),
            // The protocol reserves this type for programs, so that they do not answer each other.
            "m.notice" => author.role = Role::Assistant,
            "m.image" | "m.video" | "m.audio" | "m.file" => {
                let name = string(content, "filename").unwrap_or(body);
                let mut about = Metadata::new();
                note(&mut about, "media_type", content.get("info").and_then(|info| string(info, "mimetype")));
                let mut attachments = Attachments::default();
                attachments.add(name, about);
                note(&mut metadata, "attachments", attachments.into_value());
                if name == body {
                    message_type = MessageType::File;
                }
            }
            "m.location" => note(&mut metadata, "location", string(content, "geo_uri")),
            UNREADABLE => return Err(SkipReason::Hidden),
            _ if kind.starts_with("m.key.verification") => return Err(SkipReason::PlatformNotice),
            _ => {
                message_type = MessageType::Unknown;
                note(&mut metadata, "msgtype", kind);
            }
        }
        let relation = self.content.get("m.relates_to").unwrap_or(&Value::Null);
        let answered = relation.get("m.in_reply_to").and_then(|reply| string(reply, "event_id"));
        if answered.is_some()
            && let Some((quoted, words)) = without_quote(body)
        {
            note(&mut metadata, "quoted", quoted);
            text = words;
        }
        if text.trim().is_empty() {
            return Err(SkipReason::Empty);
        }
        let mut reply_to = answered;
        if string(relation, "rel_type") == Some("m.thread") {
            let root = string(relation, "event_id");
            // In a thread, the answered message is only the latest one, for clients that do not support threads.
            if relation.get("is_falling_back") == Some(&Value::Bool(true)) || answered.is_none() {
                reply_to = root;
            }
            note(&mut metadata, "thread", root);
        }
        let replaced = self.value.get("unsigned").and_then(|unsigned| unsigned.get("m.relations")?.get("m.replace"));
        let edited = replaced.and_then(|edit| edit.get("origin_server_ts")?.as_f64()).and_then(from_unix);
        note(&mut metadata, "edited_at", edited.map(rfc3339));
        let mut message = self.room().message(self.id, self.when(), author, message_type, text);
        message.reply_to = reply_to.map(str::to_owned);
        message.metadata = metadata;
        Ok(message)
    }

    /// Somebody joined, left or changed their name.
    fn membership(&self, name: &dyn Fn(&str) -> String) -> Result<Happening, SkipReason> {
        let user = string(self.value, "state_key").ok_or(SkipReason::MissingField)?;
        let now = string(self.content, "membership").ok_or(SkipReason::MissingField)?;
        let before = self.before().unwrap_or(&Value::Null);
        let was = string(before, "membership").unwrap_or_default();
        let (who, by) = (name(user), name(self.sender));
        let (text, what) = match (now, was) {
            ("join", "join") => match (string(before, "displayname"), string(self.content, "displayname")) {
                (old, new) if old == new => return Err(SkipReason::PlatformNotice),
                (old, _) => (format!("{} is now called {who}", old.unwrap_or(user)), None),
            },
            ("join", _) => (format!("{who} joined"), Some("joined")),
            ("invite", _) => (format!("{by} invited {who}"), None),
            ("leave", "invite") if user == self.sender => (format!("{who} declined the invitation"), None),
            ("leave", "invite") => (format!("{by} took back the invitation of {who}"), None),
            ("leave", "ban") => (format!("{by} lifted the ban of {who}"), None),
            ("leave", _) if user == self.sender => (format!("{who} left"), Some("left")),
            ("leave", _) => (format!("{by} removed {who}"), Some("left")),
            ("ban", _) => (format!("{by} banned {who}"), Some("left")),
            ("knock", _) => (format!("{who} asked to join"), None),
            _ => return Err(SkipReason::PlatformNotice),
        };
        let mut message = self.notice(text);
        if let Some(what) = what {
            note(&mut message.metadata, what, json!([person(&who, Some(user))]));
        }
        Ok(Happening::Message(message))
    }

    /// The question and the answers of a poll.
    fn poll(&self, who: &str) -> Option<String> {
        let poll = POLLS.iter().find_map(|key| self.content.get(*key))?;
        let words = |value: &Value| {
            let plain = ["org.matrix.msc1767.text", "body"].iter().find_map(|key| string(value, key));
            let parts = value.get("m.text").and_then(|parts| string(parts.get(0)?, "body"));
            plain.or(parts).map(str::to_owned)
        };
        let question = words(poll.get("question")?)?;
        let answers: Vec<String> = poll.get("answers").and_then(Value::as_array)?.iter().filter_map(words).collect();
        Some(format!("{who} asked: {question} ({})", answers.join(", ")))
    }
}

/// The quotation before a reply, and the reply without it.
fn without_quote(body: &str) -> Option<(String, String)> {
    if !QUOTES.iter().any(|quote| body.starts_with(quote)) {
        return None;
    }
    let len = body.split_inclusive('\n').take_while(|line| line.starts_with('>')).map(str::len).sum();
    let (quote, rest) = body.split_at_checked(len)?;
    let quoted: Vec<&str> = quote.lines().map(|line| line.trim_start_matches('>').trim_start()).collect();
    Some((quoted.join("\n"), rest.strip_prefix('\n').unwrap_or(rest).to_owned()))
}

fn string<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::without_quote;

    #[test]
    fn the_quotation_before_a_reply_is_not_the_reply() {
        for (body, wanted) in [
            ("> <@ana:a.example> old\n> words\n\nnew\n> mine", Some(("<@ana:a.example> old\nwords", "new\n> mine"))),
            ("> * <@ana:a.example> waves\n\nhi", Some(("* <@ana:a.example> waves", "hi"))),
            ("> <@ana:a.example> only", Some(("<@ana:a.example> only", ""))),
            ("> a quotation of my own\n\nhi", None),
            ("hi", None),
        ] {
            let wanted = wanted.map(|(quoted, words)| (quoted.to_owned(), words.to_owned()));
            assert_eq!(without_quote(body), wanted, "{body}");
        }
    }
}
