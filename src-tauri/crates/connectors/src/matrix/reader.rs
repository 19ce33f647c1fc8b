//! Reads an account: synchronizes, fills gaps page by page, and delivers the messages.
//!
//! Everything in an answer is stored before the token advances: keys and rooms in the vault, messages and positions in the
//! inbox. The token is stored with the last delivery of its answer, so a run may end at any point, and the next one requests
//! the same answer again. `account` delivers events to the inbox, and `timeline` interprets them.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use super::account::{Account, ROWS_MAX};
use super::chosen::{Chosen, Head, member};
use super::client::{ANSWER_BYTES_MAX, Ask, Asking, Failure};
use super::late::Fetched;
use super::own_device::OwnDevice;
use super::position::{Gap, Position, Turned};
use super::sync::{Page, Room, RoomPart, TIMELINE_MAX, parse, rooms_of, synchronize};
use super::timeline::Pending;
use super::vault::{Batch, Kind};
use crate::contract::{Delivery, Fault, Status};

/// How long the server waits for something new.
const LONG_POLL: Duration = Duration::from_secs(30);

/// Pause after an answer that arrived at once without news, so that no server can keep this computer busy.
const QUIET_PAUSE: Duration = Duration::from_secs(1);

/// Number of events per page of history. Servers give at most 100 to 1,000.
const PAGE_EVENTS: &str = "100";

/// Names of the values that exist only once.
const CHOSEN: &str = "chosen rooms";
const SYNCED: &str = "rooms are known";

/// A page of history that was requested.
struct Turning {
    room: String,
    gap: Gap,
    answer: Result<Vec<u8>, Failure>,
}

/// The reading of an account.
pub(super) struct Reader {
    account: Account,
    /// This device.
    own: OwnDevice,
    /// The point up to which the account was synchronized.
    token: String,
    status: Option<Status>,
    /// The delivery that is held back until it is known whether it is the last one of an answer.
    held: Option<Delivery>,
}

/// Waits for a request, or forever if there is none.
async fn arrival<T>(request: &mut Option<Asking<T>>) -> T {
    match request.as_mut() {
        Some(request) => request.await,
        None => std::future::pending().await,
    }
}

impl Reader {
    /// Reads the account until something fails.
    pub(super) async fn run(account: Account) -> Result<Infallible, Fault> {
        let mut reader = Self { account, own: OwnDevice::default(), token: String::new(), status: None, held: None };
        reader.account.keys.follow_own().await?;
        reader.account.keys.send_due(&reader.account.client).await?;
        reader.own.open_backup(&mut reader.account).await?;
        reader.begin().await?;
        reader.read_on().await
    }

    /// Resumes where the last run ended. If no rooms are known, all of them are requested, and everything said since the last
    /// run counts as missing.
    async fn begin(&mut self) -> Result<(), Fault> {
        let plan = self.account.link.plan().await?;
        let is_known = self.account.vault.has(Kind::Single, "", SYNCED)?;
        match plan.position.filter(|_| is_known) {
            Some(token) => {
                let rooms = self.account.vault.every::<Room>(Kind::Room)?;
                self.account.rooms = rooms.into_iter().map(|room| (room.id.clone(), room)).collect();
                self.token = token;
                self.replan(false).await
            }
            None => {
                let body = synchronize(Arc::clone(&self.account.client), None, Duration::ZERO, 1).await?;
                let answer = parse(&body)?;
                self.account.keys.receive(&answer).await?;
                self.token.clone_from(&answer.next_batch);
                self.account.rooms = rooms_of(&answer).into_iter().map(|room| (room.id.clone(), room)).collect();
                drop(answer);
                drop(body);
                let mut batch = Batch::default();
                for room in self.account.rooms.values() {
                    self.account.vault.put(&mut batch, Kind::Room, "", &room.id, room)?;
                    if batch.len() >= ROWS_MAX {
                        self.account.vault.commit(std::mem::take(&mut batch))?;
                    }
                }
                self.account.vault.put(&mut batch, Kind::Single, "", SYNCED, &())?;
                self.account.find(self.account.rooms.values().filter_map(Room::found).collect()).await?;
                self.replan(true).await?;
                // The rooms become known together with the token from which their changes are reported.
                let source_position = Some(self.token.clone());
                self.account.link.deliver(Delivery { source_position, ..Delivery::default() }).await?;
                Ok(self.account.vault.commit(batch)?)
            }
        }
    }

    /// Applies the person's choices. If `is_anew`, everything said since the last run counts as missing in every room.
    async fn replan(&mut self, is_anew: bool) -> Result<(), Fault> {
        let plan = self.account.link.plan().await?;
        let before: BTreeSet<String> = self.account.vault.get(Kind::Single, "", CHOSEN)?.unwrap_or_default();
        self.account.chosen.retain(|id, _| plan.channels.contains_key(id));
        let mut fresh = Vec::new();
        for (id, selected) in plan.channels {
            if !self.account.chosen.contains_key(&id) {
                let position = match Position::parse(selected.position.as_deref()) {
                    None => Position::begin(&self.token, selected.since),
                    // What was said while the room was not stored is missing.
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
                self.account.chosen.insert(id.clone(), chosen);
                fresh.push(id.clone());
            }
            if let Some(chosen) = self.account.chosen.get_mut(&id) {
                chosen.since = selected.since;
                chosen.position.reach_back(selected.since);
            }
        }
        for id in fresh {
            self.account.fetch_members(&id).await?;
            let members = self.account.members(&id);
            let position = self.account.chosen.get(&id).map(|chosen| chosen.position.to_text());
            self.account.link.deliver(Delivery { channel: id.clone(), members, position, ..Delivery::default() }).await?;
            self.account.read_late(&id, None).await?;
        }
        // Rooms are marked as chosen only after their missing stretches have been stored.
        let now: BTreeSet<&String> = self.account.chosen.keys().collect();
        Ok(self.account.vault.set(Kind::Single, "", CHOSEN, &now)?)
    }

    fn note(&mut self, status: Status) {
        if self.status.as_ref() != Some(&status) {
            self.account.link.note(status.clone());
            self.status = Some(status);
        }
    }

    /// Synchronizes and reads history, at the same time.
    async fn read_on(&mut self) -> Result<Infallible, Fault> {
        let mut syncing: Option<Asking<Result<Vec<u8>, Failure>>> = None;
        let mut turning: Option<Asking<Turning>> = None;
        let mut fetching: Option<Asking<Fetched>> = None;
        // The first answer comes at once, so that it is soon clear whether anything is missing.
        let mut wait = Duration::ZERO;
        let mut pause = Duration::ZERO;
        let mut asked = tokio::time::Instant::now();
        self.own.advance(&mut self.account).await?;
        self.own.do_asked(&mut self.account).await?;
        loop {
            if fetching.is_none()
                && let Some(backup) = &self.own.backup
            {
                fetching = self.account.next_backup_key(&backup.version);
            }
            if turning.is_none() {
                turning = self.next_page();
            }
            if turning.is_some() {
                self.note(Status::CatchingUp { done: self.account.done, total: None });
            } else if wait > Duration::ZERO {
                self.note(Status::Live);
            }
            let sync = syncing.get_or_insert_with(|| {
                let (client, since) = (Arc::clone(&self.account.client), Some(self.token.clone()));
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
                    if self.account.take_backup_key(fetched).await? {
                        self.own.tell(&self.account).await?;
                    }
                }
                () = self.account.link.changed() => {
                    self.replan(false).await?;
                    self.own.do_asked(&mut self.account).await?;
                }
            }
        }
    }

    /// Requests the next page of history: first of recently missed messages, then of the room with the fewest pages read.
    fn next_page(&self) -> Option<Asking<Turning>> {
        let open = self.account.chosen.iter().filter_map(|(id, chosen)| Some((id, chosen, chosen.position.gaps.first()?)));
        let (room, _, gap) = open.min_by_key(|(_, chosen, gap)| (gap.to.is_none(), chosen.pages))?;
        let (client, room, gap) = (Arc::clone(&self.account.client), room.clone(), gap.clone());
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
        // The choice may have changed in the meantime.
        let Some(chosen) = self.account.chosen.get_mut(&room).filter(|chosen| chosen.position.gaps.first() == Some(&gap)) else {
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
                // The current name of a member takes precedence.
                chosen.names.entry(user).or_insert(name);
            }
        }
        let heads: Vec<Head> = page.chunk.iter().filter_map(|raw| serde_json::from_str(raw.get()).ok()).collect();
        let has_known = gap.until.is_some() && heads.iter().any(|head| head.event_id == gap.until);
        let is_old = |head: &Head| since.zip(head.origin_server_ts).is_some_and(|(since, said)| said < since.0 as f64);
        let has_too_old = heads.iter().any(is_old);
        let is_too_old = has_too_old && heads.iter().all(is_old);
        let mut pending = Pending::default();
        self.account.feed(&room, &mut pending, page.chunk.iter().rev().copied()).await?;
        let mut last = self.account.flush(&room, &mut pending, true).await?;
        if let Some(chosen) = self.account.chosen.get_mut(&room) {
            let end = page.end.as_deref().filter(|_| !page.chunk.is_empty() || gap.to.is_none());
            chosen.position.turned(Turned { has_known, has_too_old, is_too_old, end });
            last.position = Some(chosen.position.to_text());
        }
        self.account.link.deliver(last).await?;
        Ok(())
    }

    /// Holds a delivery back, in case it is the last one of an answer.
    async fn hold(&mut self, delivery: Delivery) -> Result<(), Fault> {
        if let Some(before) = self.held.replace(delivery) {
            self.account.link.deliver(before).await?;
        }
        Ok(())
    }

    /// Processes an answer. Returns whether it contained no information.
    async fn take_sync(&mut self, body: &[u8]) -> Result<bool, Fault> {
        let answer = parse(body)?;
        let came = self.account.keys.receive(&answer).await?;
        self.account.keys.send_due(&self.account.client).await?;
        self.account.learn_rooms(&answer).await?;
        for (room, session) in came {
            if self.account.chosen.contains_key(&room) {
                self.account.read_late(&room, Some(&session)).await?;
            }
        }
        for (id, raw) in answer.rooms.join.iter().chain(&answer.rooms.leave) {
            if self.account.chosen.contains_key(id.as_ref()) {
                let part: RoomPart<'_> = serde_json::from_str(raw.get())
                    .map_err(|_| Fault::protocol(format!("The Matrix server sent the room {id} in an unknown form.")))?;
                self.take_room(id, &part, &answer.next_batch).await?;
            }
        }
        let is_quiet = answer.rooms.join.is_empty() && answer.rooms.leave.is_empty() && answer.to_device.events.is_empty();
        let last = self.held.take();
        if last.is_some() || answer.next_batch != self.token {
            let source_position = Some(answer.next_batch.clone());
            self.account.link.deliver(Delivery { source_position, ..last.unwrap_or_default() }).await?;
        }
        self.token = answer.next_batch;
        self.own.advance(&mut self.account).await?;
        Ok(is_quiet)
    }

    /// Processes the part of an answer that concerns a chosen room.
    async fn take_room(&mut self, id: &str, part: &RoomPart<'_>, next: &str) -> Result<(), Fault> {
        let timeline = &part.timeline;
        let Some(chosen) = self.account.chosen.get_mut(id) else { return Ok(()) };
        // If a run ended while processing this answer, it has already read the first part.
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
            are_members_changed |= chosen.meet(raw, &self.account.owner);
        }
        if is_limited || !chosen.are_members_known {
            self.account.fetch_members(id).await?;
            are_members_changed = true;
        }
        let mut pending = Pending::default();
        self.account.feed(id, &mut pending, timeline.events.iter().skip(new).copied()).await?;
        let mut last = self.account.flush(id, &mut pending, true).await?;
        let token = self.token.clone();
        let Some(chosen) = self.account.chosen.get_mut(id) else { return Ok(()) };
        let newest = ids.iter().skip(new).rev().flatten().next().map(String::as_str);
        let gap = timeline.prev_batch.as_deref().filter(|_| is_limited);
        chosen.position.came(newest, gap, Some(&token), next);
        last.position = Some(chosen.position.to_text());
        if are_members_changed {
            last.members = self.account.members(id);
        }
        self.hold(last).await
    }
}
