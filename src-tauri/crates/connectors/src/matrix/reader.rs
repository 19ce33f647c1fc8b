//! Reads an account: synchronizes, fills what is missing page by page, and delivers.
//!
//! Everything that an answer tells is kept before the token moves: keys and rooms in the vault, messages and positions in the inbox.
//! The token comes with the last delivery of its answer. So a run may end at any point, and the next one asks for the same again. What
//! events say is read in `timeline`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use keepsake_importers::matrix_member;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::chosen::{Chosen, Head, member};
use super::client::{ANSWER_BYTES_MAX, Ask, Client, Failure, SYNC_BYTES_MAX};
use super::keys::Keys;
use super::late::Fetched;
use super::own_device::OwnDevice;
use super::position::{Gap, Position, Turned};
use super::sync::{Answer, Page, ROOMS_MAX, Room, RoomPart, TIMELINE_MAX, filter, learn, rooms_of};
use super::timeline::{Around, EVENT_BYTES_MAX, Pending, Reading};
use super::vault::{Batch, Kind, Vault};
use crate::contract::{Delivery, Fault, FoundChannel, Status};
use crate::link::Link;

/// How long the server waits for something new.
const LONG_POLL: Duration = Duration::from_secs(30);

/// Pause after an answer that told nothing and came at once, so that no server can keep this computer busy.
const QUIET_PAUSE: Duration = Duration::from_secs(1);

/// Events of a page of history. Servers give at most 100 to 1,000.
const PAGE_EVENTS: &str = "100";

/// Events that are parsed together, and their bytes: a parsed event takes up to ten times the memory of its text.
pub(super) const CHUNK_EVENTS: usize = 100;
const CHUNK_BYTES: usize = 2 * 1024 * 1024;

/// Rooms that are named at once.
const FOUND_MAX: usize = 1_000;

/// Rooms that are written at once, so that few are held twice.
const ROWS_MAX: usize = 1_000;

/// Names of the values of which there is one each.
const CHOSEN: &str = "chosen rooms";
const SYNCED: &str = "rooms are known";

/// A request that is under way.
pub(super) type Asking<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A page of history that was asked for.
struct Turning {
    room: String,
    gap: Gap,
    answer: Result<Vec<u8>, Failure>,
}

/// An account that is read.
pub(super) struct Reader {
    pub(super) link: Link,
    pub(super) client: Arc<Client>,
    pub(super) vault: Arc<Vault>,
    pub(super) keys: Keys,
    pub(super) owner: String,
    rooms: HashMap<String, Room>,
    pub(super) chosen: BTreeMap<String, Chosen>,
    /// Up to where the account was synchronized.
    token: String,
    status: Option<Status>,
    /// Messages that were read in this run.
    done: u64,
    /// The delivery that is held back until it is known whether it is the last one of an answer.
    held: Option<Delivery>,
    /// This device.
    pub(super) own: OwnDevice,
}

/// A synchronization. `since` is where the last one ended.
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

/// Waits for a request, or for ever if there is none.
async fn arrival<T>(request: &mut Option<Asking<T>>) -> T {
    match request.as_mut() {
        Some(request) => request.await,
        None => std::future::pending().await,
    }
}

impl Reader {
    /// Reads the account until that fails.
    pub(super) async fn run(
        link: Link,
        client: Arc<Client>,
        vault: Arc<Vault>,
        keys: Keys,
        owner: String,
    ) -> Result<Infallible, Fault> {
        let mut reader = Self {
            link,
            client,
            vault,
            keys,
            owner,
            rooms: HashMap::new(),
            chosen: BTreeMap::new(),
            token: String::new(),
            status: None,
            done: 0,
            held: None,
            own: OwnDevice::default(),
        };
        reader.keys.follow_own().await?;
        reader.keys.send_due(&reader.client).await?;
        reader.open_backup().await?;
        reader.begin().await?;
        reader.read_on().await
    }

    /// Comes to where the last run ended. If nothing is known of the rooms, all of them are asked for, and what was said since then is
    /// missing.
    async fn begin(&mut self) -> Result<(), Fault> {
        let plan = self.link.plan().await?;
        let is_known = self.vault.has(Kind::Single, "", SYNCED)?;
        match plan.position.filter(|_| is_known) {
            Some(token) => {
                let rooms = self.vault.every::<Room>(Kind::Room)?;
                self.rooms = rooms.into_iter().map(|room| (room.id.clone(), room)).collect();
                self.token = token;
                self.replan(false).await
            }
            None => {
                let body = synchronize(Arc::clone(&self.client), None, Duration::ZERO, 1).await?;
                let answer = parse(&body)?;
                self.keys.receive(&answer).await?;
                self.token.clone_from(&answer.next_batch);
                self.rooms = rooms_of(&answer).into_iter().map(|room| (room.id.clone(), room)).collect();
                drop(answer);
                drop(body);
                let mut batch = Batch::default();
                for room in self.rooms.values() {
                    self.vault.put(&mut batch, Kind::Room, "", &room.id, room)?;
                    if batch.len() >= ROWS_MAX {
                        self.vault.commit(std::mem::take(&mut batch))?;
                    }
                }
                self.vault.put(&mut batch, Kind::Single, "", SYNCED, &())?;
                self.find(self.rooms.values().filter_map(Room::found).collect()).await?;
                self.replan(true).await?;
                // The rooms count as known with the token from which changes of them are told.
                let source_position = Some(self.token.clone());
                self.link.deliver(Delivery { source_position, ..Delivery::default() }).await?;
                Ok(self.vault.commit(batch)?)
            }
        }
    }

    async fn find(&self, mut channels: Vec<FoundChannel>) -> Result<(), Fault> {
        channels.sort_by(|a, b| a.id.cmp(&b.id));
        while !channels.is_empty() {
            let rest = channels.split_off(channels.len().min(FOUND_MAX));
            self.link.found(channels).await?;
            channels = rest;
        }
        Ok(())
    }

    /// Takes in what the person chose. `is_anew` if what was said since the last run is missing everywhere.
    async fn replan(&mut self, is_anew: bool) -> Result<(), Fault> {
        let plan = self.link.plan().await?;
        let before: BTreeSet<String> = self.vault.get(Kind::Single, "", CHOSEN)?.unwrap_or_default();
        self.chosen.retain(|id, _| plan.channels.contains_key(id));
        let mut fresh = Vec::new();
        for (id, selected) in plan.channels {
            if !self.chosen.contains_key(&id) {
                let position = match Position::parse(selected.position.as_deref()) {
                    None => Position::begin(&self.token, selected.since),
                    // What was said while nothing was stored of it is missing.
                    Some(mut position) if is_anew || !before.contains(&id) => {
                        position.missed(&self.token);
                        position
                    }
                    Some(position) => position,
                };
                let chosen = Chosen {
                    position,
                    since: None,
                    names: HashMap::new(),
                    members: BTreeSet::new(),
                    are_members_known: false,
                    pages: 0,
                };
                self.chosen.insert(id.clone(), chosen);
                fresh.push(id.clone());
            }
            if let Some(chosen) = self.chosen.get_mut(&id) {
                chosen.since = selected.since;
                chosen.position.reach_back(selected.since);
            }
        }
        for id in fresh {
            self.fetch_members(&id).await?;
            let members = self.members(&id);
            let position = self.chosen.get(&id).map(|chosen| chosen.position.to_text());
            self.link.deliver(Delivery { channel: id.clone(), members, position, ..Delivery::default() }).await?;
            self.read_late(&id, None).await?;
        }
        // Rooms count as chosen once it is stored what is missing of them.
        let now: BTreeSet<&String> = self.chosen.keys().collect();
        Ok(self.vault.set(Kind::Single, "", CHOSEN, &now)?)
    }

    /// Asks who is in a room.
    async fn fetch_members(&mut self, id: &str) -> Result<(), Fault> {
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

    fn members(&self, id: &str) -> Option<Vec<keepsake_domain::ChannelHandle>> {
        let chosen = self.chosen.get(id).filter(|chosen| chosen.are_members_known)?;
        Some(chosen.members.iter().map(|user| matrix_member(user)).collect())
    }

    fn note(&mut self, status: Status) {
        if self.status.as_ref() != Some(&status) {
            self.link.note(status.clone());
            self.status = Some(status);
        }
    }

    /// Synchronizes and reads history, at the same time.
    async fn read_on(&mut self) -> Result<Infallible, Fault> {
        let mut syncing: Option<Asking<Result<Vec<u8>, Failure>>> = None;
        let mut turning: Option<Asking<Turning>> = None;
        let mut fetching: Option<Asking<Fetched>> = None;
        // The first answer comes at once, so that it is soon known whether anything is missing.
        let mut wait = Duration::ZERO;
        let mut pause = Duration::ZERO;
        let mut asked = tokio::time::Instant::now();
        self.advance_device().await?;
        self.do_asked().await?;
        loop {
            if fetching.is_none() {
                fetching = self.next_backup_key();
            }
            if turning.is_none() {
                turning = self.next_page();
            }
            if turning.is_some() {
                self.note(Status::CatchingUp { done: self.done, total: None });
            } else if wait > Duration::ZERO {
                self.note(Status::Live);
            }
            let sync = syncing.get_or_insert_with(|| {
                let (client, since) = (Arc::clone(&self.client), Some(self.token.clone()));
                asked = tokio::time::Instant::now();
                Box::pin(async move {
                    tokio::time::sleep(pause).await;
                    synchronize(client, since, wait, TIMELINE_MAX).await
                })
            });
            let page = arrival(&mut turning);
            let key = arrival(&mut fetching);
            tokio::select! {
                body = sync => {
                    syncing = None;
                    let is_quiet = self.take_sync(&body?).await?;
                    let is_early = asked.elapsed() < QUIET_PAUSE + pause && wait > Duration::ZERO;
                    pause = if is_quiet && is_early { QUIET_PAUSE } else { Duration::ZERO };
                    wait = LONG_POLL;
                }
                turned = page => {
                    turning = None;
                    self.take_page(turned).await?;
                }
                fetched = key => {
                    fetching = None;
                    self.take_backup_key(fetched).await?;
                }
                () = self.link.changed() => {
                    self.replan(false).await?;
                    self.do_asked().await?;
                }
            }
        }
    }

    /// Asks for the next page of history: of what was missed lately first, then of the room of which least was read.
    fn next_page(&self) -> Option<Asking<Turning>> {
        let open = self.chosen.iter().filter_map(|(id, chosen)| Some((id, chosen, chosen.position.gaps.first()?)));
        let (room, _, gap) = open.min_by_key(|(_, chosen, gap)| (gap.to.is_none(), chosen.pages))?;
        let (client, room, gap) = (Arc::clone(&self.client), room.clone(), gap.clone());
        Some(Box::pin(async move {
            let filter = r#"{"lazy_load_members":true}"#;
            let mut query = vec![("dir", "b"), ("limit", PAGE_EVENTS), ("from", gap.from.as_str()), ("filter", filter)];
            query.extend(gap.to.as_deref().map(|to| ("to", to)));
            let path = ["v3", "rooms", room.as_str(), "messages"];
            let ask = Ask {
                path: &path,
                query: &query,
                bytes_max: ANSWER_BYTES_MAX,
                what: "earlier messages of a room",
                ..Ask::default()
            };
            let answer = client.ask(&ask).await;
            Turning { room, gap, answer }
        }))
    }

    async fn take_page(&mut self, turned: Turning) -> Result<(), Fault> {
        let Turning { room, gap, answer } = turned;
        // Another choice may have come meanwhile.
        let Some(chosen) = self.chosen.get_mut(&room).filter(|chosen| chosen.position.gaps.first() == Some(&gap)) else {
            return Ok(());
        };
        chosen.pages += 1;
        let body = match answer {
            Ok(body) => body,
            Err(Failure::Missing(_)) => {
                // The account left the room. The next run asks again.
                chosen.position.gaps.clear();
                return Ok(());
            }
            Err(failure) => return Err(failure.into()),
        };
        let page: Page<'_> = serde_json::from_slice(&body)
            .map_err(|_| Fault::protocol("The Matrix server sent earlier messages in an unknown form."))?;
        let since = chosen.since;
        for raw in &page.state {
            if let Some((user, name)) = member(raw) {
                // The name that a member has now counts.
                chosen.names.entry(user).or_insert(name);
            }
        }
        let heads: Vec<Head> = page.chunk.iter().filter_map(|raw| serde_json::from_str(raw.get()).ok()).collect();
        let has_known = gap.until.is_some() && heads.iter().any(|head| head.event_id == gap.until);
        let is_old = |head: &Head| since.zip(head.origin_server_ts).is_some_and(|(since, said)| said < since.0 as f64);
        let has_too_old = heads.iter().any(is_old);
        let is_too_old = has_too_old && heads.iter().all(is_old);
        let mut pending = Pending::default();
        self.feed(&room, &mut pending, page.chunk.iter().rev().copied()).await?;
        let mut last = self.flush(&room, &mut pending, true).await?;
        if let Some(chosen) = self.chosen.get_mut(&room) {
            let end = page.end.as_deref().filter(|_| !page.chunk.is_empty() || gap.to.is_none());
            chosen.position.turned(Turned { has_known, has_too_old, is_too_old, end });
            last.position = Some(chosen.position.to_text());
        }
        self.link.deliver(last).await?;
        Ok(())
    }

    /// Reads events of a chosen room, the oldest first, and delivers what is too much for one delivery.
    async fn feed<'e>(
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

    /// Delivers what was read, but for the last part, which is returned.
    pub(super) async fn flush(&mut self, room: &str, pending: &mut Pending, is_last: bool) -> Result<Delivery, Fault> {
        for session in std::mem::take(&mut pending.missing) {
            self.own.missing.note((room.to_owned(), session), tokio::time::Instant::now());
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

    /// Holds a delivery back, in case that it is the last one of an answer.
    async fn hold(&mut self, delivery: Delivery) -> Result<(), Fault> {
        if let Some(before) = self.held.replace(delivery) {
            self.link.deliver(before).await?;
        }
        Ok(())
    }

    /// Takes in an answer. Says whether it told nothing.
    async fn take_sync(&mut self, body: &[u8]) -> Result<bool, Fault> {
        let answer = parse(body)?;
        let came = self.keys.receive(&answer).await?;
        self.keys.send_due(&self.client).await?;
        self.learn_rooms(&answer).await?;
        for (room, session) in came {
            if self.chosen.contains_key(&room) {
                self.read_late(&room, Some(&session)).await?;
            }
        }
        for (id, raw) in answer.rooms.join.iter().chain(&answer.rooms.leave) {
            if self.chosen.contains_key(id.as_ref()) {
                let part: RoomPart<'_> = serde_json::from_str(raw.get())
                    .map_err(|_| Fault::protocol(format!("The Matrix server sent the room {id} in an unknown form.")))?;
                self.take_room(id, &part, &answer.next_batch).await?;
            }
        }
        let is_quiet = answer.rooms.join.is_empty() && answer.rooms.leave.is_empty() && answer.to_device.events.is_empty();
        let last = self.held.take();
        if last.is_some() || answer.next_batch != self.token {
            let source_position = Some(answer.next_batch.clone());
            self.link.deliver(Delivery { source_position, ..last.unwrap_or_default() }).await?;
        }
        self.token = answer.next_batch;
        self.advance_device().await?;
        Ok(is_quiet)
    }

    /// Keeps and names the rooms of an answer.
    async fn learn_rooms(&mut self, answer: &Answer<'_>) -> Result<(), Fault> {
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

    /// Says that a room continues another one, if it says so itself.
    fn continued(&mut self, before: &str, next: &str) -> Option<Room> {
        let before = self.rooms.get(before)?.clone();
        let room = self.rooms.get_mut(next).filter(|room| room.replaces.as_ref() == Some(&before.id))?;
        room.confirm(&before);
        Some(room.clone())
    }

    /// Takes in what an answer tells of a chosen room.
    async fn take_room(&mut self, id: &str, part: &RoomPart<'_>, next: &str) -> Result<(), Fault> {
        let timeline = &part.timeline;
        let Some(chosen) = self.chosen.get_mut(id) else { return Ok(()) };
        // A run that ended within this answer has read the first part of it.
        let ids: Vec<Option<String>> = timeline
            .events
            .iter()
            .map(|raw| serde_json::from_str::<Head>(raw.get()).ok().and_then(|head| head.event_id))
            .collect();
        let known = chosen.position.newest.as_ref().and_then(|newest| ids.iter().rposition(|id| id.as_ref() == Some(newest)));
        let new = known.map_or(0, |at| at + 1);
        let is_limited = timeline.limited && known.is_none();
        let mut are_members_changed = false;
        for raw in part.state.events.iter().chain(&timeline.events) {
            are_members_changed |= chosen.meet(raw, &self.owner);
        }
        if is_limited || !chosen.are_members_known {
            self.fetch_members(id).await?;
            are_members_changed = true;
        }
        let mut pending = Pending::default();
        self.feed(id, &mut pending, timeline.events.iter().skip(new).copied()).await?;
        let mut last = self.flush(id, &mut pending, true).await?;
        let token = self.token.clone();
        let Some(chosen) = self.chosen.get_mut(id) else { return Ok(()) };
        let newest = ids.iter().skip(new).rev().flatten().next().map(String::as_str);
        let gap = timeline.prev_batch.as_deref().filter(|_| is_limited);
        chosen.position.came(newest, gap, Some(&token), next);
        last.position = Some(chosen.position.to_text());
        if are_members_changed {
            last.members = self.members(id);
        }
        self.hold(last).await
    }
}
