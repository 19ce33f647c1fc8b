//! Reads chats: history in pages, and new messages as they are said. Every page is one step, so that choices and events are
//! handled in between.
//!
//! Only pages move the position; events only make messages arrive earlier. The program sends each event to just one of the
//! programs connected to it, and the owner's words only to the one that sent them, so whatever no event reported is found when
//! the chat is read further. Not in this module: what is read next (`position`), and the connection (`socket`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use keepsake_domain::{ChannelHandle, Message, SourceRef, Timestamp};
use keepsake_importers::simplex_api::{Chat, ChatInfo, Item, Reading, Roster, User, time};
use tokio::time::Instant;

use super::position::{BEGINNING, LookBack, Mark, Position, Stage};
use super::socket::{Answer, Socket};
use super::wire::{ActiveUser, Info, Members, OneChat, Page};
use crate::contract::{Delivery, Fault, Plan, Status};
use crate::link::Link;

/// Number of items per page of history, and of chats per page of the list. With pictures, each is up to 80 KB, and a page must
/// fit into one frame.
pub(super) const PAGE: usize = 50;

/// How often the list of chats is checked for what no event reported. One short command a minute costs next to nothing, and the
/// owner's own words are found within a minute.
pub(super) const REFRESH: Duration = Duration::from_secs(60);

/// Maximum number of chats that are listed. If there are more, the chats that have been inactive longest are left out.
pub(super) const CHATS_MAX: usize = 200_000;

/// Maximum number of members who are listed. The list includes their pictures, so the list of a larger group would not fit into
/// one frame; members of such a group become known when they write.
const MEMBERS_MAX: u64 = 100;

/// Maximum number of pages before the last item that are read again.
const LOOK_BACK_PAGES_MAX: u32 = 20;

/// Maximum number of times per connection that a chat is restarted because an item was gone.
const RESTARTS_MAX: u32 = 5;

/// Maximum number of messages per delivery.
const DELIVERY_MAX: usize = 200;

/// Maximum size of the message texts in a delivery with more than one message.
const DELIVERY_BYTES_MAX: usize = 1 << 20;

/// Maximum number of items whose ids are remembered, because some deletions identify items only by their numbers in the
/// program's database. They take about 40 MB.
const ROWS_MAX: usize = 200_000;

/// Maximum number of channels that are named in one call.
pub(super) const FOUND_MAX: usize = 1_000;

/// What was reported about a chat.
#[derive(PartialEq, Eq)]
pub(super) struct Known {
    pub(super) reference: String,
    pub(super) title: String,
    pub(super) member_count: Option<u64>,
}

/// A chat that is being read.
pub(super) struct Track {
    reference: String,
    since: i64,
    pub(super) position: Position,
    /// The position in its stored form.
    written: Option<String>,
    pub(super) stage: Stage,
    look_back: Option<LookBack>,
    pages: u32,
    restarts: u32,
    wants_members: bool,
    /// Whether the program no longer knows the chat.
    pub(super) is_gone: bool,
}

/// What was read from one chat.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) messages: Vec<Message>,
    pub(super) removed: Vec<SourceRef>,
    pub(super) left_out: BTreeMap<&'static str, u64>,
    pub(super) members: Option<Vec<ChannelHandle>>,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.removed.is_empty() && self.left_out.is_empty() && self.members.is_none()
    }
}

/// A connection, and what was learned over it.
pub(super) struct Reader {
    pub(super) socket: Socket,
    pub(super) roster: Roster,
    pub(super) known: HashMap<String, Known>,
    pub(super) tracks: BTreeMap<String, Track>,
    /// Contacts that the program does not know.
    strangers: HashSet<i64>,
    pub(super) rows: BTreeMap<i64, String>,
    /// The time of the last activity in the chat at the top of the list, as the program wrote it.
    pub(super) top: Option<Timestamp>,
    pub(super) refresh_at: Instant,
    read: u64,
}

impl Reader {
    /// Connects, and requests the profile that the chats belong to.
    pub(super) async fn open(port: u16) -> Result<Self, Fault> {
        let mut socket = Socket::connect(port).await?;
        let command = "/user";
        let user: Option<ActiveUser> = socket.ask(command).await?.read(command)?;
        let user: User = user.map(|active| active.user).ok_or_else(|| {
            Fault::refused("SimpleX has no profile yet. Start `simplex-chat` in a terminal and make one, then connect again.")
        })?;
        Ok(Self {
            socket,
            roster: Roster::new(user),
            known: HashMap::new(),
            tracks: BTreeMap::new(),
            strangers: HashSet::new(),
            rows: BTreeMap::new(),
            top: None,
            refresh_at: Instant::now() + REFRESH,
            read: 0,
        })
    }

    pub(super) async fn command(&mut self, command: &str) -> Result<Answer, Fault> {
        self.socket.ask(command).await
    }

    /// Applies the plan. Chats that are already being read continue unchanged.
    pub(super) fn follow(&mut self, plan: Plan) {
        let mut before = std::mem::take(&mut self.tracks);
        for (id, selected) in plan.channels {
            // A chat that was deleted there or belongs to another profile.
            let Some(known) = self.known.get(&id) else { continue };
            let since = selected.since.map_or(BEGINNING, |since| since.0);
            let mut track = before.remove(&id).filter(|track| track.written == selected.position).unwrap_or_else(|| {
                let position = Position::parse(selected.position.as_deref());
                Track {
                    reference: known.reference.clone(),
                    since,
                    stage: position.first_stage(),
                    look_back: position.look_back(),
                    position,
                    written: selected.position,
                    pages: 0,
                    restarts: 0,
                    wants_members: true,
                    is_gone: false,
                }
            });
            track.since = since;
            track.position = track.position.wanted_since(since);
            self.tracks.insert(id, track);
        }
    }

    /// Whether the messages of a chat are wanted.
    pub(super) fn is_read(&self, id: &str) -> bool {
        self.tracks.contains_key(id)
    }

    /// Records that the members of a group changed.
    pub(super) fn members_changed(&mut self, id: &str) {
        if let Some(track) = self.tracks.get_mut(id) {
            track.wants_members = true;
        }
    }

    /// Schedules all chats to be checked again, because events were lost.
    pub(super) fn distrust(&mut self) {
        for track in self.tracks.values_mut().filter(|track| track.stage == Stage::Level) {
            track.stage = track.position.first_stage();
            track.look_back = track.position.look_back();
        }
    }

    /// Performs one step; returns `false` if there is nothing to do.
    pub(super) async fn step(&mut self, link: &Link) -> Result<bool, Fault> {
        if Instant::now() >= self.refresh_at {
            self.refresh(link).await?;
            return Ok(true);
        }
        let next = |wanted: &dyn Fn(&Track) -> bool| {
            self.tracks.iter().find(|(_, track)| !track.is_gone && wanted(track)).map(|(id, _)| id.clone())
        };
        if let Some(id) = next(&|track| track.stage != Stage::Level) {
            self.page(&id, link).await?;
        } else if let Some(id) = next(&|track| track.wants_members) {
            self.list_members(&id, link).await?;
        } else if let Some(id) = next(&|track| track.position.hole.is_some()) {
            self.backfill(&id, link).await?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Whether history is being read.
    pub(super) fn catches_up(&self) -> bool {
        self.tracks.values().any(|track| !track.is_gone && track.position.hole.is_some())
    }

    /// When the list of chats is checked next.
    pub(super) fn refresh_at(&self) -> Instant {
        self.refresh_at
    }

    /// A page of the history of a chat; `None` if the program refuses, because the chat or the item is gone.
    async fn history(&mut self, reference: &str, place: &str) -> Result<Option<Page>, Fault> {
        let command = format!("/_get chat {reference} {place}count={PAGE}");
        let page: Option<OneChat> = self.command(&command).await?.read(&command)?;
        Ok(page.map(|page| page.chat))
    }

    /// Reads the next page of a chat towards its newest item.
    async fn page(&mut self, id: &str, link: &Link) -> Result<(), Fault> {
        let Some(track) = self.tracks.get(id) else { return Ok(()) };
        match (track.stage, track.position.newest) {
            (Stage::LookBack, _) => self.look_back(id, link).await,
            (Stage::Forward, Some(newest)) => self.forward(id, newest, link).await,
            _ => self.first(id, link).await,
        }
    }

    /// Reads the newest items of a chat that has not been read yet.
    async fn first(&mut self, id: &str, link: &Link) -> Result<(), Fault> {
        let Some(track) = self.tracks.get(id) else { return Ok(()) };
        let (reference, position, since) = (track.reference.clone(), track.position.clone(), track.since);
        let Some(page) = self.history(&reference, "").await? else { return self.gone(id) };
        let position = position.after_first(&marks(&page), since);
        self.store(id, &page, Some(position), link).await?;
        self.set_stage(id, Stage::Level)
    }

    /// Reads what comes after the last item that was read.
    async fn forward(&mut self, id: &str, newest: Mark, link: &Link) -> Result<(), Fault> {
        let Some(track) = self.tracks.get(id) else { return Ok(()) };
        let (reference, position) = (track.reference.clone(), track.position.clone());
        let place = format!("after={} ", newest.row);
        let Some(page) = self.history(&reference, &place).await? else { return self.restart(id) };
        let marks = marks(&page);
        let Some((first, last)) = marks.first().zip(marks.last()) else { return self.finished(id) };
        if last.at < newest.at || marks.iter().any(|mark| mark.row == newest.row) {
            return Err(repeats());
        }
        if let Some(look_back) = self.tracks.get_mut(id).and_then(|track| track.look_back.as_mut()) {
            look_back.before = look_back.before.or(Some(first.row));
        }
        self.store(id, &page, Some(position.after_forward(&marks)), link).await
    }

    /// Reads items from before an interruption again, to find what has since been edited, deleted or delivered late.
    async fn look_back(&mut self, id: &str, link: &Link) -> Result<(), Fault> {
        let Some(track) = self.tracks.get(id) else { return Ok(()) };
        let Some(LookBack { before, until }) = track.look_back else { return self.set_stage(id, Stage::Level) };
        let (reference, since) = (track.reference.clone(), track.since);
        let place = before.map_or_else(String::new, |row| format!("before={row} "));
        let page = self.history(&reference, &place).await?;
        let first = page.as_ref().and_then(|page| marks(page).first().copied());
        if let Some(page) = &page {
            self.store(id, page, None, link).await?;
        }
        let Some(track) = self.tracks.get_mut(id) else { return Ok(()) };
        track.pages += 1;
        let goes_on = first.filter(|first| first.at >= until.max(since) && track.pages < LOOK_BACK_PAGES_MAX);
        track.look_back = goes_on.map(|first| LookBack { before: Some(first.row), until });
        if track.look_back.is_none() {
            track.pages = 0;
            track.stage = Stage::Level;
        }
        Ok(())
    }

    /// Reads the next page of a chat's remaining history.
    async fn backfill(&mut self, id: &str, link: &Link) -> Result<(), Fault> {
        let Some(track) = self.tracks.get(id) else { return Ok(()) };
        let Some(hole) = track.position.hole else { return Ok(()) };
        let (reference, position) = (track.reference.clone(), track.position.clone());
        let place = hole.before.map_or_else(String::new, |before| format!("before={before} "));
        let Some(page) = self.history(&reference, &place).await? else {
            return if hole.before.is_some() { self.restart(id) } else { self.gone(id) };
        };
        let marks = marks(&page);
        // The item itself is not part of the history before it.
        if marks.iter().any(|mark| Some(mark.row) == hole.before) || marks.first() > marks.last() {
            return Err(repeats());
        }
        let position = position.after_backfill(&marks);
        let is_finished = position.hole.is_none();
        self.store(id, &page, Some(position), link).await?;
        if is_finished {
            self.finished(id)?;
        }
        link.note(Status::CatchingUp { done: self.read, total: None });
        Ok(())
    }

    fn set_stage(&mut self, id: &str, stage: Stage) -> Result<(), Fault> {
        if let Some(track) = self.tracks.get_mut(id) {
            track.stage = stage;
        }
        Ok(())
    }

    /// Records that the chat was read to its end in one direction.
    fn finished(&mut self, id: &str) -> Result<(), Fault> {
        if let Some(track) = self.tracks.get_mut(id) {
            track.restarts = 0;
            track.stage = if track.look_back.is_some() { Stage::LookBack } else { Stage::Level };
        }
        Ok(())
    }

    /// Records that the program no longer knows the chat. If the chat is listed again, it is requested again.
    fn gone(&mut self, id: &str) -> Result<(), Fault> {
        if let Some(track) = self.tracks.get_mut(id) {
            track.is_gone = true;
        }
        Ok(())
    }

    /// Restarts a chat because the item from which to continue is gone.
    fn restart(&mut self, id: &str) -> Result<(), Fault> {
        let Some(track) = self.tracks.get_mut(id) else { return Ok(()) };
        track.restarts += 1;
        if track.restarts > RESTARTS_MAX {
            return Err(repeats());
        }
        track.position = track.position.clone().without_anchor();
        track.look_back = None;
        track.stage = Stage::Level;
        Ok(())
    }

    /// Delivers a page, with the position that follows it.
    async fn store(&mut self, id: &str, page: &Page, position: Option<Position>, link: &Link) -> Result<(), Fault> {
        let mut found = Vec::new();
        found.extend(self.name(&page.chat_info));
        if !found.is_empty() {
            link.found(found).await?;
        }
        let mut batch = Batch::default();
        if let Some(chat) = Chat::of(&page.chat_info).filter(|chat| chat.id() == id) {
            for item in &page.chat_items {
                let edited = self.edited(chat.reference(), item).await?;
                self.learn_contact(item).await?;
                self.read_into(&mut batch, &chat, item, edited, position.is_some(), link);
            }
        }
        self.deliver(id, batch, position, link).await
    }

    /// Reads one item of a chat.
    pub(super) async fn read_one(
        &mut self,
        info: &ChatInfo,
        item: &Item,
        edited: Option<Timestamp>,
        is_counted: bool,
        link: &Link,
    ) -> Result<Batch, Fault> {
        let mut batch = Batch::default();
        if let Some(chat) = Chat::of(info) {
            self.learn_contact(item).await?;
            self.read_into(&mut batch, &chat, item, edited, is_counted, link);
        }
        Ok(batch)
    }

    /// Reads an item. `is_counted` says whether the item is counted if it is left out; each item is counted only once.
    fn read_into(
        &mut self,
        batch: &mut Batch,
        chat: &Chat,
        item: &Item,
        edited: Option<Timestamp>,
        is_counted: bool,
        link: &Link,
    ) {
        self.remember(item.row(), chat, item);
        let since = self.tracks.get(chat.id()).map_or(BEGINNING, |track| track.since);
        match self.roster.read(chat, item, edited, link.now()) {
            Reading::Message(message) if message.time.0 >= since => batch.messages.push(*message),
            Reading::Deleted(gone) => batch.removed.push(gone),
            Reading::LeftOut(reason) if is_counted => *batch.left_out.entry(reason.text()).or_default() += 1,
            Reading::Message(_) | Reading::LeftOut(_) => {}
        }
    }

    fn remember(&mut self, row: i64, chat: &Chat, item: &Item) {
        if !chat.is_group() {
            return;
        }
        self.rows.insert(row, chat.source_of(item).message);
        if self.rows.len() > ROWS_MAX {
            self.rows.pop_first();
        }
    }

    /// Requests an unknown contact. A member who is also a contact has the contact's handle, so the contact must be known.
    async fn learn_contact(&mut self, item: &Item) -> Result<(), Fault> {
        let Some(contact) = item.contact_of_member() else { return Ok(()) };
        if self.roster.knows_contact(contact) || self.strangers.contains(&contact) {
            return Ok(());
        }
        let command = format!("/_get chat @{contact} count=1");
        match self.command(&command).await?.read::<OneChat>(&command)? {
            Some(one) => self.roster.learn(&one.chat.chat_info),
            None if self.strangers.len() < ROWS_MAX => drop(self.strangers.insert(contact)),
            None => {}
        }
        Ok(())
    }

    /// When an item was last edited.
    pub(super) async fn edited(&mut self, reference: &str, item: &Item) -> Result<Option<Timestamp>, Fault> {
        if !item.is_edited() {
            return Ok(None);
        }
        let info = self.info(reference, item.row()).await?;
        let versions = info.into_iter().filter_map(|info| info.chat_item_info).flat_map(|versions| versions.item_versions);
        Ok(versions.filter_map(|version| time(&version.item_version_ts)).max())
    }

    /// Returns what else the program knows about an item; `None` if the item is gone, or if it is a note.
    pub(super) async fn info(&mut self, reference: &str, row: i64) -> Result<Option<Info>, Fault> {
        let command = format!("/_get item info {reference} {row}");
        self.command(&command).await?.read(&command)
    }

    /// Requests the people who can read a chat.
    async fn list_members(&mut self, id: &str, link: &Link) -> Result<(), Fault> {
        let Some(track) = self.tracks.get_mut(id) else { return Ok(()) };
        track.wants_members = false;
        let reference = track.reference.clone();
        let Some(group) = reference.strip_prefix('#') else { return Ok(()) };
        let count = self.known.get(id).and_then(|known| known.member_count);
        if count.is_none_or(|count| count > MEMBERS_MAX) {
            return Ok(());
        }
        let command = format!("/_members #{group}");
        let Some(list) = self.command(&command).await?.read::<Members>(&command)? else { return Ok(()) };
        let reading: Vec<_> = list.group.members.iter().filter(|member| member.is_reading()).collect();
        let members = reading.into_iter().map(|member| self.roster.learn_member(member)).collect();
        self.deliver(id, Batch { members: Some(members), ..Batch::default() }, None, link).await
    }

    /// Delivers what was read, in parts; the last part contains the position.
    pub(super) async fn deliver(&mut self, id: &str, batch: Batch, position: Option<Position>, link: &Link) -> Result<(), Fault> {
        let written = position.as_ref().map(Position::written);
        let is_same = written.is_none() || self.tracks.get(id).is_none_or(|track| track.written == written);
        self.read += batch.messages.len() as u64;
        if !batch.is_empty() || !is_same {
            let Batch { messages, mut removed, mut left_out, mut members } = batch;
            let mut parts = parts(messages).into_iter().peekable();
            loop {
                let messages = parts.next().unwrap_or_default();
                let is_last = parts.peek().is_none();
                link.deliver(Delivery {
                    channel: id.to_owned(),
                    messages,
                    removed: std::mem::take(&mut removed),
                    members: members.take(),
                    left_out: std::mem::take(&mut left_out),
                    position: written.clone().filter(|_| is_last),
                    ..Delivery::default()
                })
                .await?;
                if is_last {
                    break;
                }
            }
        }
        if let (Some(position), Some(track)) = (position, self.tracks.get_mut(id)) {
            track.position = position;
            track.written = written;
        }
        Ok(())
    }
}

/// Splits messages into parts that are small enough for one delivery.
fn parts(messages: Vec<Message>) -> Vec<Vec<Message>> {
    let mut parts: Vec<Vec<Message>> = Vec::new();
    let mut size = 0;
    for message in messages {
        size += message.text.len();
        match parts.last_mut() {
            Some(part) if part.len() < DELIVERY_MAX && size <= DELIVERY_BYTES_MAX => part.push(message),
            _ => {
                size = message.text.len();
                parts.push(vec![message]);
            }
        }
    }
    parts
}

/// The positions of the items on a page.
fn marks(page: &Page) -> Vec<Mark> {
    let is_group = Chat::of(&page.chat_info).is_some_and(|chat| chat.is_group());
    let mark = |item: &Item| {
        let at = if is_group { item.time() } else { item.stored().or(item.time()) };
        Mark { at: at.map_or(0, |at| at.0), row: item.row() }
    };
    page.chat_items.iter().map(mark).collect()
}

fn repeats() -> Fault {
    Fault::protocol("SimpleX repeats a part of the history of a chat, so the rest cannot be read.")
}
