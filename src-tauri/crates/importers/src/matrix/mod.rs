//! A Matrix room, exported by Element as JSON: the events of its timeline, decrypted as far as Element can.
//!
//! Edits, reactions, redactions and the ends of calls are separate events that change earlier ones, so messages are held back
//! until the end, or until they take 64 MiB. Events of followed accounts are also read here (`live`). Synchronization and
//! encryption keys are not here (`keepsake-connectors`). For the format, see docs/formats.md, section 14.

mod event;
mod live;

use std::collections::HashMap;
use std::io::BufRead;

use keepsake_domain::{Message, Role, SourceKind, Timestamp, Visibility};
use serde_json::Value;

use crate::SkipReason;
use crate::conversation::{Program, Reactions, call, note};
use crate::format::{Check, Format, Head, Input, Site};
use crate::halt::Halt;
use crate::identity::{SeenIds, digest};
use crate::json::{Step, Walk, parse_mending};
use crate::limits::{NAMES_MAX, REGROUP_BYTES_MAX};
use crate::out::Out;
use crate::regroup::weight;
use crate::time::rfc3339;

use event::{Change, Event, Happening};

pub use event::Change as MatrixChange;
pub use live::{MatrixEvent, MatrixRoom, matrix_call, matrix_event, matrix_member, matrix_reactions};

/// Matrix in the table of formats.
pub(crate) const FORMAT: Format =
    Format { kind: SourceKind::Matrix, names_owner: false, input: Input::Document { claims, check: Check::Json, read } };

/// Channel type.
const CHANNEL: &str = "matrix";

/// Matrix as the author of its notices.
const PROGRAM: Program = Program { kind: SourceKind::Matrix, name: "Matrix", handle: CHANNEL };

/// Maximum size of one event. The protocol allows 64 KiB; Element writes edited events twice, and indents them.
const EVENT_BYTES_MAX: usize = 1024 * 1024;

/// Maximum number of reactions to one message that are read.
const REACTIONS_MAX: usize = 1_000;

/// Approximate memory of a reaction, without its emoji.
const REACTION_BYTES: usize = 120;

fn claims(head: &Head<'_>) -> bool {
    head.outline.has_all(&["room_name", "export_date", "exported_by", "messages[].event_id", "messages[].origin_server_ts"])
}

/// Reads one file.
fn read(input: &mut dyn BufRead, _: &Site<'_>, out: &mut Out<'_>) -> Result<(), Halt> {
    let mut walk = Walk::new(input, &["", "messages"]);
    let mut timeline = Timeline::default();
    while let Some(step) = walk.next()? {
        match step {
            Step::Value("room_name", raw) => timeline.title = serde_json::from_slice(raw).ok(),
            Step::Value("messages[]", raw) if raw.len() > EVENT_BYTES_MAX => out.skip_bytes(SkipReason::TooLarge, raw),
            Step::TooLarge("messages[]", head) => out.skip_bytes(SkipReason::TooLarge, head),
            Step::Value("messages[]", raw) => {
                let event = parse_mending::<Value>(&String::from_utf8_lossy(raw));
                match event.as_ref().map_or(Err(SkipReason::Malformed), |event| timeline.take(event)) {
                    Ok(()) => {}
                    Err(reason) => out.skip_bytes(reason, raw),
                }
                if timeline.bytes > REGROUP_BYTES_MAX {
                    timeline.flush(out)?;
                }
            }
            _ => continue,
        }
        out.progress(walk.bytes_done())?;
    }
    timeline.flush(out)
}

/// A message that is held back.
struct Held {
    message: Message,
    /// The emoji of its reactions, each with its sender.
    reactions: Vec<(String, String)>,
}

/// The events so far.
#[derive(Default)]
struct Timeline {
    title: Option<String>,
    room: Option<String>,
    is_public: bool,
    names: HashMap<String, String>,
    held: Vec<Option<Held>>,
    index: HashMap<String, usize>,
    /// When the call with this id began, and its notice.
    calls: HashMap<String, (usize, Timestamp)>,
    bytes: usize,
    seen: SeenIds,
}

impl Timeline {
    fn take(&mut self, value: &Value) -> Result<(), SkipReason> {
        let event = Event::of(value)?;
        if self.room.is_none() {
            self.room = event.room.map(str::to_owned);
        }
        if let Some((user, name)) = event.names()
            && (self.names.len() < NAMES_MAX || self.names.contains_key(user))
        {
            self.names.insert(user.to_owned(), name.to_owned());
        }
        if let Some(is_public) = event.is_public() {
            self.is_public = is_public;
        }
        if !self.seen.is_new(event.id) {
            return Err(SkipReason::Repeated);
        }
        match event.happening(&self.names)? {
            Happening::Message(message) => {
                self.hold(event.id, message);
                Ok(())
            }
            Happening::Call(id, message) => {
                self.calls.insert(id, (self.held.len(), event.time));
                self.hold(event.id, message);
                Ok(())
            }
            Happening::Change(change) => self.change(&event, change),
        }
    }

    fn hold(&mut self, id: &str, message: Message) {
        self.bytes += weight(&message);
        self.index.insert(id.to_owned(), self.held.len());
        self.held.push(Some(Held { message, reactions: Vec::new() }));
    }

    fn held(&mut self, id: &str) -> Option<&mut Held> {
        self.held.get_mut(*self.index.get(id)?)?.as_mut()
    }

    /// Applies an event that changes another one. If the target is not in this part of the export, only an edit is kept, as the
    /// message that was edited.
    fn change(&mut self, event: &Event<'_>, change: Change) -> Result<(), SkipReason> {
        match change {
            Change::Edit { target, message } => match self.held(&target) {
                // Nobody can edit what somebody else said.
                Some(held) if held.message.author.handle != message.author.handle => return Err(SkipReason::NotAMessage),
                Some(held) => {
                    held.message.text = message.text;
                    note(&mut held.message.metadata, "edited_at", rfc3339(event.time));
                }
                None => {
                    self.hold(&target, *message);
                }
            },
            Change::React { target, emoji } => {
                let place = self.index.get(&target).and_then(|at| self.held.get_mut(*at));
                let held = place.and_then(Option::as_mut).ok_or(SkipReason::NotAMessage)?;
                if held.reactions.len() < REACTIONS_MAX {
                    self.bytes += REACTION_BYTES + emoji.len();
                    held.reactions.push((emoji, event.sender.to_owned()));
                }
            }
            Change::Redact { target } => {
                let place = self.index.get(&target).and_then(|at| self.held.get_mut(*at)).ok_or(SkipReason::NotAMessage)?;
                return Err(if place.take().is_some() { SkipReason::Deleted } else { SkipReason::NotAMessage });
            }
            Change::HangUp { call: id } => {
                let (at, begun) = self.calls.remove(&id).ok_or(SkipReason::NotAMessage)?;
                let held = self.held.get_mut(at).and_then(Option::as_mut).ok_or(SkipReason::NotAMessage)?;
                held.message.text = call("Call", Some((event.time.0 - begun.0) as f64 / 1000.0));
            }
        }
        Ok(())
    }

    /// The name of a person, or their id if no event gives a name.
    fn name_of(&self, user: &str) -> String {
        self.names.get(user).map_or(user, String::as_str).to_owned()
    }

    fn flush(&mut self, out: &mut Out<'_>) -> Result<(), Halt> {
        self.index.clear();
        self.calls.clear();
        self.bytes = 0;
        let room = self.room.clone().unwrap_or_else(|| digest(&[CHANNEL, self.title.as_deref().unwrap_or_default()]));
        let mut held: Vec<Held> = std::mem::take(&mut self.held).into_iter().flatten().collect();
        held.sort_by_key(|held| held.message.time);
        for Held { mut message, reactions } in held {
            place(&mut message, &room, self.title.as_deref(), self.is_public);
            let author = &mut message.author;
            if author.role != Role::System && author.name == author.handle.handle {
                author.name = self.name_of(&author.handle.handle);
            }
            if matches!(author.role, Role::Person | Role::Owner) {
                author.role = out.me.role_of(&author.name, &author.handle.handle);
            }
            let mut given = Reactions::default();
            for (emoji, user) in reactions {
                given.add_one(&emoji, Some(&self.name_of(&user)));
            }
            note(&mut message.metadata, "reactions", given.into_value());
            out.message(message)?;
        }
        Ok(())
    }
}

/// Puts a message into its room.
fn place(message: &mut Message, room: &str, title: Option<&str>, is_public: bool) {
    room.clone_into(&mut message.source.conversation);
    room.clone_into(&mut message.channel_id);
    message.conversation_title = title.map(str::to_owned);
    message.visibility = if is_public { Visibility::Public } else { Visibility::Private };
}

#[cfg(test)]
mod tests {
    use crate::format::Head;

    use super::claims;

    #[test]
    fn only_an_export_of_element_is_claimed() {
        let export = br#"{"room_name":"Bees","room_creator":"Ana","topic":"","export_date":"1 January 2026","exported_by":"Ana",
            "messages":[{"type":"m.room.message","event_id":"$1","origin_server_ts":1,"content":{}}]}"#;
        assert!(claims(&Head::of(export)));
        for other in [
            r#"{"rooms":{"join":{"!a:b":{"timeline":{"events":[{"event_id":"$1","origin_server_ts":1}]}}}}}"#,
            r#"{"chunk":[{"event_id":"$1","origin_server_ts":1,"content":{}}],"start":"s"}"#,
            r#"{"name":"Bees","messages":[{"event_id":"$1","origin_server_ts":1}]}"#,
            r#"{"text":"{\"room_name\":1,\"export_date\":1,\"exported_by\":1,\"messages\":[{\"event_id\":1}]}"}"#,
            "room_name export_date exported_by",
            "[]",
        ] {
            assert!(!claims(&Head::of(other.as_bytes())), "{other}");
        }
    }
}
