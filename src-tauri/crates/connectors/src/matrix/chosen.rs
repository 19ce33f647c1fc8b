//! A room whose messages are stored: how far it has been read, and who is in it.
//!
//! Not here: the meaning of the room's events (`timeline`), and when they are read (`reader`).

use std::collections::{BTreeSet, HashMap};

use keepsake_domain::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::position::Position;
use super::sync::EVENT_BYTES_MAX;

/// A selected room, and how far it has been read.
pub(super) struct Chosen {
    pub(super) position: Position,
    pub(super) since: Option<Timestamp>,
    /// The names of people, by their ids.
    pub(super) names: HashMap<String, String>,
    /// Everybody in the room except the owner.
    pub(super) members: BTreeSet<String>,
    /// Whether `members` is complete. It is incomplete after events were missed.
    pub(super) are_members_known: bool,
    /// Number of pages of its history read in this run.
    pub(super) pages: u64,
}

/// The event fields that determine whether reading continues.
#[derive(Deserialize)]
pub(super) struct Head {
    #[serde(default)]
    pub(super) event_id: Option<String>,
    #[serde(default)]
    pub(super) origin_server_ts: Option<f64>,
}

/// The user of a membership event, and their name.
pub(super) fn member(raw: &RawValue) -> Option<(String, String)> {
    let event = membership(raw)?;
    let name = event.get("content")?.get("displayname")?.as_str().filter(|name| !name.is_empty())?.to_owned();
    Some((event.get("state_key")?.as_str()?.to_owned(), name))
}

fn membership(raw: &RawValue) -> Option<Value> {
    let text = raw.get();
    if text.len() > EVENT_BYTES_MAX || !text.contains("m.room.member") {
        return None;
    }
    let event: Value = serde_json::from_str(text).ok()?;
    (event.get("type")?.as_str()? == "m.room.member").then_some(event)
}

impl Chosen {
    /// Records who joined, left or changed their name. Returns whether the other people in the room changed.
    pub(super) fn meet(&mut self, raw: &RawValue, owner: &str) -> bool {
        if let Some((user, name)) = member(raw) {
            self.names.insert(user, name);
        }
        let Some(event) = membership(raw) else { return false };
        let user = event.get("state_key").and_then(Value::as_str).filter(|user| *user != owner);
        let now = event.get("content").and_then(|content| content.get("membership")).and_then(Value::as_str);
        match (user, now) {
            (Some(user), Some("join")) => self.members.insert(user.to_owned()),
            (Some(user), Some(_)) => self.members.remove(user),
            _ => false,
        }
    }
}
