//! What a synchronization requests and what its answer contains: rooms, their names, and who can read them.
//!
//! Rooms and events stay unparsed in the body of the answer until they are needed, so 100,000 rooms take little more memory
//! than their text. Events are not interpreted here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use keepsake_domain::{Timestamp, Visibility};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::client::{Ask, Client, Failure, SYNC_BYTES_MAX};
use crate::contract::{Fault, FoundChannel};

/// Maximum number of events of a room in one answer. Missing events are read page by page.
pub(super) const TIMELINE_MAX: u32 = 50;

/// Maximum length of a room name, in characters. The protocol allows 255 bytes; people read less of it.
const NAME_CHARS_MAX: usize = 255;

/// Maximum number of members that make up the name of an unnamed room. The protocol sends at most five.
const HEROES_MAX: usize = 5;

/// Maximum number of known rooms per account. The largest real accounts have about ten thousand.
pub(super) const ROOMS_MAX: usize = 100_000;

/// If the event that opens a room follows its creation within this time, the room counts as open from its beginning: a server
/// writes the events of a new room one after another, within milliseconds.
const CREATION_MS: i64 = 2_000;

/// Larger events are left out; the protocol allows 64 KiB per event.
pub(super) const EVENT_BYTES_MAX: usize = 1024 * 1024;

/// The room state events that are read.
const STATE: &[&str] = &[
    "m.room.name", "m.room.canonical_alias", "m.room.join_rules", "m.room.history_visibility", "m.room.encryption",
    "m.room.create", "m.room.member", "m.room.tombstone",
];

/// What a synchronization should contain.
fn filter(timeline: u32) -> String {
    let none = json!({ "types": [] });
    json!({
        "presence": none,
        "account_data": none,
        "room": {
            "ephemeral": none,
            "account_data": none,
            "state": { "types": STATE, "lazy_load_members": true },
            "timeline": { "limit": timeline, "lazy_load_members": true },
        },
    })
    .to_string()
}

/// Requests a synchronization. `since` is where the last one ended.
pub(super) async fn synchronize(
    client: Arc<Client>,
    since: Option<String>,
    wait: Duration,
    timeline: u32,
) -> Result<Vec<u8>, Failure> {
    let (timeout, filter) = (wait.as_millis().to_string(), filter(timeline));
    let mut query = vec![("timeout", timeout.as_str()), ("filter", &filter), ("set_presence", "offline")];
    query.extend(since.as_deref().map(|since| ("since", since)));
    let ask =
        Ask { path: &["v3", "sync"], query: &query, body: None, wait, bytes_max: SYNC_BYTES_MAX, what: "a synchronization" };
    client.ask(&ask).await
}

/// An answer.
#[derive(Debug, Deserialize)]
pub(super) struct Answer<'a> {
    /// Where the next synchronization begins.
    pub(super) next_batch: String,
    #[serde(borrow, default)]
    pub(super) rooms: Rooms<'a>,
    #[serde(borrow, default)]
    pub(super) to_device: ToDevice<'a>,
    #[serde(borrow, default)]
    pub(super) device_lists: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) device_one_time_keys_count: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) device_unused_fallback_key_types: Option<&'a RawValue>,
}

/// The rooms of an answer, by id.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Rooms<'a> {
    #[serde(borrow, default)]
    pub(super) join: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    pub(super) leave: BTreeMap<Cow<'a, str>, &'a RawValue>,
}

/// Messages between devices.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ToDevice<'a> {
    #[serde(borrow, default)]
    pub(super) events: Vec<&'a RawValue>,
}

/// One room of an answer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RoomPart<'a> {
    #[serde(default)]
    pub(super) summary: Summary,
    #[serde(borrow, default)]
    pub(super) state: Events<'a>,
    #[serde(borrow, default)]
    pub(super) timeline: Timeline<'a>,
}

/// Who is in a room.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Summary {
    #[serde(rename = "m.heroes", default)]
    heroes: Option<Vec<String>>,
    #[serde(rename = "m.joined_member_count", default)]
    joined: Option<u64>,
}

/// Events.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Events<'a> {
    #[serde(borrow, default)]
    pub(super) events: Vec<&'a RawValue>,
}

/// The newest events of a room.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Timeline<'a> {
    #[serde(borrow, default)]
    pub(super) events: Vec<&'a RawValue>,
    /// Whether there are more events between these and the last answer.
    #[serde(default)]
    pub(super) limited: bool,
    /// Where those events are.
    #[serde(default)]
    pub(super) prev_batch: Option<String>,
}

/// A page of older events.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Page<'a> {
    /// Newest first.
    #[serde(borrow, default)]
    pub(super) chunk: Vec<&'a RawValue>,
    /// Where the next page begins; none at the beginning of the room.
    #[serde(default)]
    pub(super) end: Option<String>,
    /// Members who are named in the page.
    #[serde(borrow, default)]
    pub(super) state: Vec<&'a RawValue>,
}

/// Reads the answer to a synchronization.
pub(super) fn parse(body: &[u8]) -> Result<Answer<'_>, Fault> {
    serde_json::from_slice(body).map_err(|error| {
        Fault::protocol(format!(
            "The Matrix server sent a synchronization in an unknown form (line {}, column {}).",
            error.line(),
            error.column()
        ))
    })
}

/// What is known about a room.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Room {
    pub(super) id: String,
    name: Option<String>,
    alias: Option<String>,
    /// The ids of the members that make up the room's name, with their names.
    heroes: Vec<(String, Option<String>)>,
    joined: Option<u64>,
    pub(super) is_encrypted: bool,
    join_rule: Option<String>,
    history: Option<String>,
    /// When the room was created, and when its join rule and its history visibility last changed.
    #[serde(default)]
    created_ms: Option<i64>,
    #[serde(default)]
    join_rule_ms: Option<i64>,
    #[serde(default)]
    history_ms: Option<i64>,
    is_space: bool,
    /// Whether the account is no longer in it.
    pub(super) is_left: bool,
    /// The room that replaces this one.
    #[serde(default)]
    pub(super) replaced_by: Option<String>,
    /// The room that this one claims to replace.
    #[serde(default)]
    pub(super) replaces: Option<String>,
    /// Whether the room in `replaces` also names this one as its successor. Anybody can claim to continue a room.
    #[serde(default)]
    is_continuation: bool,
}

impl Room {
    /// A room of which only the id is known.
    pub(super) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    /// Updates who is in the room.
    pub(super) fn summarize(&mut self, summary: &Summary) {
        if let Some(heroes) = &summary.heroes {
            let name = |user: &String| self.heroes.iter().find(|(hero, _)| hero == user).and_then(|(_, name)| name.clone());
            self.heroes = heroes.iter().take(HEROES_MAX).map(|user| (short(user), name(user))).collect();
        }
        if summary.joined.is_some() {
            self.joined = summary.joined;
        }
    }

    /// Updates the room from a state event.
    pub(super) fn learn(&mut self, event: &Value) {
        let Some(state_key) = event.get("state_key").and_then(Value::as_str) else { return };
        let content = |name: &str| event.get("content")?.get(name)?.as_str().filter(|text| !text.is_empty()).map(short);
        let at = event.get("origin_server_ts").and_then(Value::as_i64);
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "m.room.name" => self.name = content("name"),
            "m.room.canonical_alias" => self.alias = content("alias"),
            "m.room.join_rules" => became(&mut self.join_rule, &mut self.join_rule_ms, content("join_rule"), at),
            "m.room.history_visibility" => became(&mut self.history, &mut self.history_ms, content("history_visibility"), at),
            // Encryption of a room cannot be turned off.
            "m.room.encryption" => self.is_encrypted = true,
            "m.room.create" => {
                self.created_ms = at;
                self.is_space = content("type").as_deref() == Some("m.space");
                let predecessor = event.get("content").and_then(|content| content.get("predecessor")?.get("room_id")?.as_str());
                self.replaces = predecessor.map(short);
            }
            "m.room.tombstone" => self.replaced_by = content("replacement_room"),
            "m.room.member" => {
                if let Some((_, name)) = self.heroes.iter_mut().find(|(hero, _)| hero == state_key) {
                    *name = content("displayname").or(name.take());
                }
            }
            _ => {}
        }
    }

    /// Sets the counted number of members.
    pub(super) fn count(&mut self, joined: u64) {
        self.joined = Some(joined);
    }

    /// The time since which people other than the members can read the room; `None` if they cannot. If the server does not say
    /// since when, the result is later than every message.
    pub(super) fn open_since(&self) -> Option<Timestamp> {
        let joined = (self.join_rule.as_deref() == Some("public")).then_some(self.join_rule_ms);
        let read = (self.history.as_deref() == Some("world_readable")).then_some(self.history_ms);
        let since = joined.into_iter().chain(read).map(|at| at.unwrap_or(i64::MAX)).min()?;
        let is_from_beginning = self.created_ms.is_some_and(|created| since.saturating_sub(created) <= CREATION_MS);
        Some(Timestamp(if is_from_beginning { i64::MIN } else { since }))
    }

    /// Its display name.
    pub(super) fn title(&self) -> String {
        if let Some(name) = self.name.as_ref().or(self.alias.as_ref()) {
            return name.clone();
        }
        let names: Vec<&str> = self.heroes.iter().map(|(user, name)| name.as_deref().unwrap_or(user)).collect();
        // The owner is a member as well.
        let others = self.joined.unwrap_or_default().saturating_sub(1 + names.len() as u64);
        match (names.as_slice(), others) {
            ([], _) => "Empty room".to_owned(),
            (names, 0) => listed(names),
            (names, others) => format!("{} and {others} others", names.join(", ")),
        }
    }

    /// Compares this room with the room that it claims to replace.
    pub(super) fn confirm(&mut self, predecessor: &Self) {
        self.is_continuation = predecessor.replaced_by.as_ref() == Some(&self.id);
    }

    /// The name shown to a person who selects rooms, with a note if the room was replaced or continues another.
    fn choice_title(&self) -> String {
        match (self.is_continuation, &self.replaced_by) {
            (_, Some(_)) => format!("{} (replaced by another room)", self.title()),
            (true, None) => format!("{} (continues a room that was replaced)", self.title()),
            (false, None) => self.title(),
        }
    }

    /// The room as shown to the person; `None` for a space, which is a folder of rooms.
    pub(super) fn found(&self) -> Option<FoundChannel> {
        (!self.is_space && !self.is_left).then(|| FoundChannel {
            id: self.id.clone(),
            title: self.choice_title(),
            member_count: self.joined,
            is_encrypted: self.is_encrypted,
            visibility: if self.open_since().is_some() { Visibility::Public } else { Visibility::Private },
            continues: self.replaces.clone().filter(|_| self.is_continuation),
        })
    }
}

/// The rooms contained in an answer.
pub(super) fn rooms_of(answer: &Answer<'_>) -> Vec<Room> {
    let part = |(id, raw): (&Cow<'_, str>, &&RawValue)| {
        let mut room = Room::new(id);
        learn(&mut room, &serde_json::from_str(raw.get()).unwrap_or_default());
        room
    };
    let mut rooms: Vec<Room> = answer.rooms.join.iter().take(ROOMS_MAX).map(part).collect();
    // The rooms are sorted by id.
    let place = |rooms: &[Room], id: &str| rooms.binary_search_by(|room| room.id.as_str().cmp(id)).ok();
    for at in 0..rooms.len() {
        let before = rooms.get(at).and_then(|room| room.replaces.as_deref()).and_then(|id| place(&rooms, id));
        if let Some(before) = before.and_then(|before| rooms.get(before).cloned())
            && let Some(room) = rooms.get_mut(at)
        {
            room.confirm(&before);
        }
    }
    rooms
}

/// Updates a room from its part of an answer.
pub(super) fn learn(room: &mut Room, part: &RoomPart<'_>) {
    room.summarize(&part.summary);
    for raw in part.state.events.iter().chain(&part.timeline.events) {
        // Most events are messages, which say nothing about the room.
        if raw.get().len() <= EVENT_BYTES_MAX
            && raw.get().contains("state_key")
            && let Ok(event) = serde_json::from_str::<Value>(raw.get())
        {
            room.learn(&event);
        }
    }
}

/// Sets a changed value, and the time since which it applies.
fn became(value: &mut Option<String>, since: &mut Option<i64>, new: Option<String>, at: Option<i64>) {
    if *value != new || since.is_none() {
        (*value, *since) = (new, at);
    }
}

fn short(text: impl AsRef<str>) -> String {
    text.as_ref().chars().take(NAME_CHARS_MAX).collect()
}

/// Joins names as in a sentence: "Ana, Ben and Cleo".
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_called_by_its_name_its_address_or_its_members() {
        let check = |summary: Value, events: &[Value], expect: &str| {
            let mut room = Room::new("!r:a");
            room.summarize(&serde_json::from_value(summary).unwrap());
            events.iter().for_each(|event| room.learn(event));
            assert_eq!(room.title(), expect);
        };
        let state = |kind: &str, content: Value| json!({ "type": kind, "state_key": "", "content": content });
        let alias = state("m.room.canonical_alias", json!({ "alias": "#bees:a" }));
        check(json!({}), &[alias.clone(), state("m.room.name", json!({ "name": "Bees" }))], "Bees");
        check(json!({}), &[state("m.room.name", json!({ "name": "" })), alias], "#bees:a");
        let ana = json!({ "type": "m.room.member", "state_key": "@ana:a", "content": { "displayname": "Ana" } });
        let heroes = |joined: u64| json!({ "m.heroes": ["@ana:a", "@ben:a"], "m.joined_member_count": joined });
        check(heroes(3), std::slice::from_ref(&ana), "Ana and @ben:a");
        check(heroes(9), &[ana], "Ana, @ben:a and 6 others");
        check(json!({ "m.joined_member_count": 1 }), &[], "Empty room");
        // A message that looks like a room name has no effect.
        check(json!({}), &[json!({ "type": "m.room.name", "content": { "name": "fake" } })], "Empty room");
    }

    #[test]
    fn a_room_continues_another_one_if_both_say_so() {
        let check = |what: &str, tombstone: Option<&str>, predecessor: Option<&str>, expect: [&str; 2]| {
            let state = |kind: &str, content: Value| json!({ "type": kind, "state_key": "", "content": content });
            let named = |more: Option<Value>| {
                let events: Vec<Value> = [state("m.room.name", json!({ "name": "Bees" }))].into_iter().chain(more).collect();
                json!({ "state": { "events": events } })
            };
            let old = named(tombstone.map(|id| state("m.room.tombstone", json!({ "body": "", "replacement_room": id }))));
            let new = named(predecessor.map(|id| state("m.room.create", json!({ "predecessor": { "room_id": id } }))));
            let body = json!({ "next_batch": "s", "rooms": { "join": { "!old:a": old, "!new:a": new } } }).to_string();
            let rooms = rooms_of(&serde_json::from_str(&body).unwrap());
            let titles: Vec<String> = rooms.iter().filter_map(Room::found).map(|found| found.title).collect();
            assert_eq!(titles, expect, "{what}");
            assert!(rooms.iter().all(|room| room.title() == "Bees"), "the room itself keeps its name");
        };
        let (replaced, continues) = ("Bees (replaced by another room)", "Bees (continues a room that was replaced)");
        check("an upgrade", Some("!new:a"), Some("!old:a"), [continues, replaced]);
        check("a claim", None, Some("!old:a"), ["Bees", "Bees"]);
        check("a claim about another one", Some("!other:a"), Some("!old:a"), ["Bees", replaced]);
        check("a room that nobody knows", Some("!new:a"), Some("!gone:a"), ["Bees", replaced]);
        check("two rooms", None, None, ["Bees", "Bees"]);
    }

    #[test]
    fn a_room_is_public_if_anybody_can_join_or_read() {
        let check = |rule: &str, history: &str, expect: bool| {
            let mut room = Room::new("!r:a");
            room.learn(&json!({ "type": "m.room.join_rules", "state_key": "", "content": { "join_rule": rule } }));
            let history = json!({ "history_visibility": history });
            room.learn(&json!({ "type": "m.room.history_visibility", "state_key": "", "content": history }));
            assert_eq!(room.open_since().is_some(), expect, "{rule}");
        };
        check("invite", "shared", false);
        check("public", "shared", true);
        check("invite", "world_readable", true);
        check("knock", "invited", false);
    }

    #[test]
    fn a_room_is_public_since_it_was_opened() {
        let state = |kind: &str, key: &str, value: &str, at: Option<i64>| json!({ "type": format!("m.room.{kind}"), "state_key": "", "origin_server_ts": at, "content": { key: value } });
        let (rules, history) = (("join_rules", "join_rule"), ("history_visibility", "history_visibility"));
        let check = |what: &str, events: &[((&str, &str), &str, Option<i64>)], expect: Option<i64>| {
            let mut room = Room::new("!r:a");
            room.learn(&state("create", "room_version", "11", Some(1_000)));
            events.iter().for_each(|((kind, key), value, at)| room.learn(&state(kind, key, value, *at)));
            assert_eq!(room.open_since(), expect.map(Timestamp), "{what}");
        };
        check("never", &[(rules, "invite", Some(1_100)), (history, "shared", Some(1_200))], None);
        check("from its beginning", &[(rules, "public", Some(1_100))], Some(i64::MIN));
        check("later", &[(rules, "invite", Some(1_100)), (rules, "public", Some(90_000))], Some(90_000));
        check("said twice", &[(rules, "public", Some(90_000)), (rules, "public", Some(95_000))], Some(90_000));
        check(
            "closed in between",
            &[(rules, "public", Some(1_100)), (rules, "invite", Some(8_000)), (rules, "public", Some(9_000))],
            Some(9_000),
        );
        check("closed again", &[(rules, "public", Some(90_000)), (rules, "invite", Some(95_000))], None);
        check("in both ways", &[(history, "world_readable", Some(80_000)), (rules, "public", Some(90_000))], Some(80_000));
        check("nobody knows when", &[(rules, "public", None)], Some(i64::MAX));
    }
}
