//! An account that is being read: its client, its keys, what is known about its rooms, and the delivery of their events to the
//! inbox.
//!
//! Not here: the order of reading (`reader`), what events mean (`timeline`), and the person's requests to this device
//! (`own_device`).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use keepsake_importers::matrix_member;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::chosen::Chosen;
use super::client::{ANSWER_BYTES_MAX, Ask, Client, Failure};
use super::keys::Keys;
use super::missing::MissingKeys;
use super::sync::{Answer, EVENT_BYTES_MAX, ROOMS_MAX, Room, learn};
use super::timeline::{Around, Pending, Reading};
use super::vault::{Batch, Kind, Vault};
use crate::contract::{Delivery, Fault, FoundChannel};
use crate::link::Link;

/// Maximum number of events parsed together, and the maximum of their bytes: a parsed event takes up to ten times the memory of
/// its text.
pub(super) const CHUNK_EVENTS: usize = 100;
const CHUNK_BYTES: usize = 2 * 1024 * 1024;

/// Maximum number of rooms reported to the inbox at once.
const FOUND_MAX: usize = 1_000;

/// Maximum number of rooms written at once, so that only few are in memory twice.
pub(super) const ROWS_MAX: usize = 1_000;

/// An account that is being read.
pub(super) struct Account {
    pub(super) link: Link,
    pub(super) client: Arc<Client>,
    pub(super) vault: Arc<Vault>,
    pub(super) keys: Keys,
    pub(super) owner: String,
    pub(super) rooms: HashMap<String, Room>,
    pub(super) chosen: BTreeMap<String, Chosen>,
    /// Missing message keys.
    pub(super) missing: MissingKeys,
    /// Number of messages read in this run.
    pub(super) done: u64,
}

impl Account {
    /// Creates an account of which nothing has been read yet.
    pub(super) fn new(link: Link, client: Arc<Client>, vault: Arc<Vault>, keys: Keys, owner: String) -> Self {
        Self {
            link,
            client,
            vault,
            keys,
            owner,
            rooms: HashMap::new(),
            chosen: BTreeMap::new(),
            missing: MissingKeys::default(),
            done: 0,
        }
    }

    /// Reports rooms to the inbox.
    pub(super) async fn find(&self, mut channels: Vec<FoundChannel>) -> Result<(), Fault> {
        channels.sort_by(|a, b| a.id.cmp(&b.id));
        while !channels.is_empty() {
            let rest = channels.split_off(channels.len().min(FOUND_MAX));
            self.link.found(channels).await?;
            channels = rest;
        }
        Ok(())
    }

    /// Stores the rooms of an answer and reports them to the inbox.
    pub(super) async fn learn_rooms(&mut self, answer: &Answer<'_>) -> Result<(), Fault> {
        let mut found = Vec::new();
        let mut batch = Batch::default();
        let joined = answer.rooms.join.iter().map(|(id, raw)| (id, raw, false));
        for (id, raw, is_left) in joined.chain(answer.rooms.leave.iter().map(|(id, raw)| (id, raw, true))) {
            let known = self.rooms.get(id.as_ref());
            if known.is_none() && (is_left || self.rooms.len() >= ROOMS_MAX) {
                continue;
            }
            let mut room = known.cloned().unwrap_or_else(|| Room::new(id));
            room.is_left = is_left;
            learn(&mut room, &serde_json::from_str(raw.get()).unwrap_or_default());
            if let Some(before) = room.replaces.as_ref().and_then(|id| self.rooms.get(id)) {
                room.confirm(before);
            }
            if known != Some(&room) {
                if known.and_then(Room::found) != room.found() {
                    found.extend(room.found());
                }
                self.vault.put(&mut batch, Kind::Room, "", id, &room)?;
                let replaced_by = room.replaced_by.clone();
                self.rooms.insert(room.id.clone(), room);
                if let Some(next) = replaced_by.and_then(|next| self.continued(id, &next)) {
                    self.vault.put(&mut batch, Kind::Room, "", &next.id, &next)?;
                    found.extend(next.found());
                }
                if batch.len() >= ROWS_MAX {
                    self.vault.commit(std::mem::take(&mut batch))?;
                }
            }
        }
        self.vault.commit(batch)?;
        self.find(found).await
    }

    /// Marks the room `next` as the continuation of the room `before`, if `next` itself names `before` as its predecessor.
    fn continued(&mut self, before: &str, next: &str) -> Option<Room> {
        let before = self.rooms.get(before)?.clone();
        let room = self.rooms.get_mut(next).filter(|room| room.replaces.as_ref() == Some(&before.id))?;
        room.confirm(&before);
        Some(room.clone())
    }

    /// Requests the members of a room.
    pub(super) async fn fetch_members(&mut self, id: &str) -> Result<(), Fault> {
        #[derive(Deserialize)]
        struct Profile {
            #[serde(default)]
            display_name: Option<String>,
        }
        #[derive(Deserialize)]
        struct Joined {
            joined: BTreeMap<String, Profile>,
        }
        let path = ["v3", "rooms", id, "joined_members"];
        let ask = Ask { path: &path, bytes_max: ANSWER_BYTES_MAX, what: "the members of a room", ..Ask::default() };
        let body = match self.client.ask(&ask).await {
            Ok(body) => body,
            // The account left the room.
            Err(Failure::Missing(_)) => return Ok(()),
            Err(failure) => return Err(failure.into()),
        };
        let joined: Joined = serde_json::from_slice(&body)
            .map_err(|_| Fault::protocol("The Matrix server told the members of a room in an unknown form."))?;
        let count = joined.joined.len() as u64;
        if let Some(chosen) = self.chosen.get_mut(id) {
            chosen.members = joined.joined.keys().filter(|user| **user != self.owner).cloned().collect();
            let named = joined.joined.into_iter().filter_map(|(user, profile)| Some((user, profile.display_name?)));
            chosen.names.extend(named.filter(|(_, name)| !name.is_empty()));
            chosen.are_members_known = true;
        }
        if let Some(room) = self.rooms.get_mut(id) {
            let before = room.found();
            room.count(count);
            if room.found() != before {
                self.vault.set(Kind::Room, "", id, room)?;
                self.link.found(room.found().into_iter().collect()).await?;
            }
        }
        Ok(())
    }

    /// Everybody who can read a room except the owner; `None` if that is not known.
    pub(super) fn members(&self, id: &str) -> Option<Vec<keepsake_domain::ChannelHandle>> {
        let chosen = self.chosen.get(id).filter(|chosen| chosen.are_members_known)?;
        Some(chosen.members.iter().map(|user| matrix_member(user)).collect())
    }

    /// Reads events of a chosen room, oldest first, and delivers whatever exceeds one delivery.
    pub(super) async fn feed<'e>(
        &mut self,
        room: &str,
        pending: &mut Pending,
        events: impl Iterator<Item = &'e RawValue>,
    ) -> Result<(), Fault> {
        let mut events = events.peekable();
        while events.peek().is_some() {
            let (mut chunk, mut bytes) = (Vec::new(), 0);
            while let Some(raw) = events.next_if(|_| chunk.len() < CHUNK_EVENTS && bytes < CHUNK_BYTES) {
                if raw.get().len() > EVENT_BYTES_MAX {
                    pending.leave_out("messages that are too large");
                    continue;
                }
                bytes += raw.get().len();
                match serde_json::from_str::<Value>(raw.get()) {
                    Ok(event) => chunk.push(event),
                    Err(_) => pending.leave_out("events in an unknown form"),
                }
            }
            self.read(room, pending, chunk).await?;
            if pending.is_full() {
                let last = self.flush(room, pending, false).await?;
                self.link.deliver(last).await?;
            }
        }
        Ok(())
    }

    /// Reads events of a chosen room into `pending`.
    pub(super) async fn read(&self, room: &str, pending: &mut Pending, events: Vec<Value>) -> Result<(), Fault> {
        let Some(chosen) = self.chosen.get(room) else { return Ok(()) };
        let known = self.rooms.get(room);
        let around = Around {
            room,
            title: known.map(Room::title).unwrap_or_default(),
            open_since: known.and_then(Room::open_since),
            owner: &self.owner,
            since: chosen.since,
            names: &chosen.names,
        };
        let reading = Reading { link: &self.link, vault: &self.vault, keys: &self.keys, around };
        reading.read(pending, events).await
    }

    /// Delivers what was read, except the last part, which is returned.
    pub(super) async fn flush(&mut self, room: &str, pending: &mut Pending, is_last: bool) -> Result<Delivery, Fault> {
        for session in std::mem::take(&mut pending.missing) {
            self.missing.note((room.to_owned(), session), tokio::time::Instant::now());
        }
        let mut deliveries = pending.take(room, &self.vault, is_last)?;
        let last = deliveries.pop().unwrap_or_default();
        self.done += last.messages.len() as u64;
        for delivery in deliveries {
            self.done += delivery.messages.len() as u64;
            self.link.deliver(delivery).await?;
        }
        Ok(last)
    }
}
