//! Reads one event of a followed room in the same way as an event of an export, so a message has the same ids, author and
//! metadata however it arrives.
//!
//! Not here: the order in which events arrive, and what happens to changes whose message is not known yet
//! (`keepsake-connectors`).

use std::collections::HashMap;

use keepsake_domain::{ChannelHandle, Message, Role, Timestamp};
use serde_json::Value;

use super::event::{Change, Event, Happening};
use super::{CHANNEL, place};
use crate::SkipReason;
use crate::conversation::{Reactions, call, note};
use crate::identity::{folded, handle};

/// What is known about the room of an event.
#[derive(Debug, Clone, Copy)]
pub struct MatrixRoom<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name.
    pub title: Option<&'a str>,
    /// Whether people other than its members can read it.
    pub is_public: bool,
    /// The names of people, by their ids.
    pub names: &'a HashMap<String, String>,
    /// The id of the owner.
    pub owner: &'a str,
}

impl MatrixRoom<'_> {
    fn complete(&self, message: &mut Message) {
        place(message, self.id, self.title, self.is_public);
        let author = &mut message.author;
        if author.role == Role::System {
            return;
        }
        let is_owner = folded(&author.handle.handle) == folded(self.owner);
        if let Some(name) = self.names.get(&author.handle.handle) {
            author.name.clone_from(name);
        }
        if author.role == Role::Person && is_owner {
            author.role = Role::Owner;
        }
    }
}

/// What an event is.
#[derive(Debug, Clone, PartialEq)]
pub enum MatrixEvent {
    /// A message or a notice.
    Message(Box<Message>),
    /// A call began, with its id and its notice.
    Call(String, Box<Message>),
    /// A change to an earlier event: who made it, and when.
    Change(Change, String, Timestamp),
}

/// Reads an event. A deleted event gives [`SkipReason::Deleted`].
pub fn matrix_event(value: &Value, room: &MatrixRoom<'_>) -> Result<MatrixEvent, SkipReason> {
    let event = Event::of(value)?;
    Ok(match event.happening(room.names)? {
        Happening::Message(mut message) => {
            room.complete(&mut message);
            MatrixEvent::Message(Box::new(message))
        }
        Happening::Call(id, mut message) => {
            room.complete(&mut message);
            MatrixEvent::Call(id, Box::new(message))
        }
        Happening::Change(mut change) => {
            if let Change::Edit { message, .. } = &mut change {
                room.complete(message);
            }
            MatrixEvent::Change(change, event.sender.to_owned(), event.time)
        }
    })
}

/// The handle of a member of a room.
pub fn matrix_member(user: &str) -> ChannelHandle {
    handle(CHANNEL, user)
}

/// Replaces the reactions of a message with these: emoji, each with the name of the person who gave it.
pub fn matrix_reactions<'a>(message: &mut Message, reactions: impl IntoIterator<Item = (&'a str, &'a str)>) {
    let mut given = Reactions::default();
    for (emoji, name) in reactions {
        given.add_one(emoji, Some(name));
    }
    message.metadata.shift_remove("reactions");
    note(&mut message.metadata, "reactions", given.into_value());
}

/// The text of a notice about a call of this length.
pub fn matrix_call(begun: Timestamp, ended: Timestamp) -> String {
    call("Call", Some((ended.0 - begun.0) as f64 / 1000.0))
}
