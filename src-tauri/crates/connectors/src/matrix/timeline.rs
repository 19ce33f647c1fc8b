//! Turns events of a room into deliveries: messages, the changes that later events make to them, and who is in the room.
//!
//! Events may arrive in any order, because history is read backwards, and more than once, because a run may end at any point.
//! So the effect of an event is stored (`Vault`) or delivered again, but never counted. `reader` decides when events are read.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use keepsake_domain::{Message, SourceKind, SourceRef, Timestamp};
use keepsake_importers::{MatrixChange, MatrixEvent, MatrixRoom, SkipReason, matrix_call, matrix_event, matrix_reactions};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::keys::{Decrypted, Keys};
use super::vault::{Batch, Kind, Vault};
use crate::contract::{Delivery, Fault};
use crate::link::Link;

/// Maximum number of messages in one delivery.
pub(super) const MESSAGES_MAX: usize = 200;

/// Maximum size of the message texts in one delivery, in bytes.
pub(super) const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// Maximum number of stored reactions to a message.
const REACTIONS_MAX: usize = 1_000;

/// What is known about a room while it is read.
pub(super) struct Around<'a> {
    pub(super) room: &'a str,
    pub(super) title: String,
    /// The time since which people other than its members can read it; `None` if they cannot.
    pub(super) open_since: Option<Timestamp>,
    pub(super) owner: &'a str,
    pub(super) since: Option<Timestamp>,
    pub(super) names: &'a HashMap<String, String>,
}

impl<'a> Around<'a> {
    /// The room as it was at the time of an event. What was said among its members stays private to them if the room is opened
    /// later.
    fn as_room(&'a self, event: &Value) -> MatrixRoom<'a> {
        let said = event.get("origin_server_ts").and_then(Value::as_i64);
        let is_public = self.open_since.is_some_and(|since| said.is_some_and(|said| said >= since.0));
        MatrixRoom { id: self.room, title: Some(&self.title), is_public, names: self.names, owner: self.owner }
    }
}

/// A reaction, in its stored form.
#[derive(Debug, Serialize, Deserialize)]
struct Reaction {
    id: String,
    emoji: String,
    sender: String,
    time: i64,
}

/// A call, in its stored form.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Call {
    invitation: Option<String>,
    ended: Option<i64>,
}

/// A message whose key is missing.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Unreadable {
    pub(super) id: String,
    pub(super) event: Value,
}

/// What was read of a room and has not been delivered yet.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// In order of arrival.
    messages: Vec<Option<Message>>,
    index: HashMap<String, usize>,
    removed: BTreeSet<String>,
    /// Number of messages that were left out, reported when the position moves.
    left_out: BTreeMap<&'static str, u64>,
    bytes: usize,
    is_unreadable_changed: bool,
    /// Ids of missing keys.
    pub(super) missing: BTreeSet<String>,
}

/// What is needed to read events.
pub(super) struct Reading<'a> {
    pub(super) link: &'a Link,
    pub(super) vault: &'a Vault,
    pub(super) keys: &'a Keys,
    pub(super) around: Around<'a>,
}

impl Pending {
    /// Whether enough has been read for a delivery.
    pub(super) fn is_full(&self) -> bool {
        self.index.len() >= MESSAGES_MAX / 2 || self.bytes >= TEXT_BYTES_MAX / 2
    }

    /// Counts a message that is left out.
    pub(super) fn leave_out(&mut self, why: &'static str) {
        *self.left_out.entry(why).or_default() += 1;
    }

    fn put(&mut self, message: Message) {
        self.bytes += message.text.len();
        let id = message.source.message.clone();
        self.removed.remove(&id);
        match self.index.get(&id).and_then(|at| self.messages.get_mut(*at)) {
            Some(place) => *place = Some(message),
            None => {
                self.index.insert(id, self.messages.len());
                self.messages.push(Some(message));
            }
        }
    }

    fn get(&self, id: &str) -> Option<&Message> {
        self.messages.get(*self.index.get(id)?)?.as_ref()
    }

    fn remove(&mut self, id: &str) {
        if let Some(at) = self.index.remove(id)
            && let Some(place) = self.messages.get_mut(at)
        {
            *place = None;
        }
        self.removed.insert(id.to_owned());
    }

    /// Splits what was read into deliveries within the limits. If `is_last`, the last delivery will also contain the position.
    /// It therefore also reports what was left out, so that left-out messages are counted once.
    pub(super) fn take(&mut self, room: &str, vault: &Vault, is_last: bool) -> Result<Vec<Delivery>, Fault> {
        self.index.clear();
        self.bytes = 0;
        let mut deliveries = vec![Delivery { channel: room.to_owned(), ..Delivery::default() }];
        let mut bytes = 0;
        for message in std::mem::take(&mut self.messages).into_iter().flatten() {
            let open = deliveries.last().map_or(0, |delivery| delivery.messages.len());
            if open >= MESSAGES_MAX || (open > 0 && bytes + message.text.len() > TEXT_BYTES_MAX) {
                deliveries.push(Delivery { channel: room.to_owned(), ..Delivery::default() });
                bytes = 0;
            }
            bytes += message.text.len();
            if let Some(delivery) = deliveries.last_mut() {
                delivery.messages.push(message);
            }
        }
        if let Some(last) = deliveries.last_mut() {
            last.removed = std::mem::take(&mut self.removed).iter().map(|id| source(room, id)).collect();
            if is_last {
                last.left_out = std::mem::take(&mut self.left_out);
            }
            if std::mem::take(&mut self.is_unreadable_changed) {
                last.unreadable = Some(vault.count(Kind::UnreadableOf, room)?);
            }
        }
        Ok(deliveries)
    }
}

impl Reading<'_> {
    async fn known(&self, pending: &Pending, id: &str) -> Result<Option<Message>, Fault> {
        if let Some(message) = pending.get(id) {
            return Ok(Some(message.clone()));
        }
        if pending.removed.contains(id) {
            return Ok(None);
        }
        Ok(self.link.stored(source(self.around.room, id)).await?)
    }

    /// Reads events, oldest first. Reactions are stored before messages are read, so that a message that arrives together with
    /// its reactions gets them.
    pub(super) async fn read(&self, pending: &mut Pending, events: Vec<Value>) -> Result<(), Fault> {
        let mut clear = Vec::with_capacity(events.len());
        let mut batch = Batch::default();
        for event in events {
            let event = self.decrypted(&mut batch, pending, event).await?;
            clear.extend(event);
        }
        let mut read = Vec::with_capacity(clear.len());
        let mut reactions: BTreeMap<String, Vec<Reaction>> = BTreeMap::new();
        for event in &clear {
            let what = matrix_event(event, &self.around.as_room(event));
            if let (Ok(MatrixEvent::Change(MatrixChange::React { target, emoji }, sender, time)), Some(id)) =
                (&what, id_of(event))
            {
                let reaction = Reaction { id: id.to_owned(), emoji: emoji.clone(), sender: sender.clone(), time: time.0 };
                reactions.entry(target.clone()).or_default().push(reaction);
            }
            read.push((event, what));
        }
        for (target, new) in reactions {
            self.keep_reactions(&mut batch, &target, new)?;
        }
        self.vault.commit(batch)?;
        for (event, what) in read {
            self.apply(pending, event, what).await?;
        }
        Ok(())
    }

    /// The decrypted event. An event whose key is missing is kept until the key arrives.
    async fn decrypted(&self, batch: &mut Batch, pending: &mut Pending, event: Value) -> Result<Option<Value>, Fault> {
        let is_encrypted = event.get("type").and_then(Value::as_str) == Some("m.room.encrypted")
            && event.get("content").is_some_and(|content| content.get("algorithm").is_some());
        if !is_encrypted || is_redacted(&event) {
            return Ok(Some(event));
        }
        match self.keys.decrypt(&event, self.around.room).await? {
            Decrypted::Clear(clear) => Ok(Some(clear)),
            Decrypted::Missing { session } => {
                let said = event.get("origin_server_ts").and_then(Value::as_i64).map(Timestamp);
                if let Some(id) = id_of(&event)
                    && !said.is_some_and(|said| self.is_unwanted(said))
                {
                    pending.is_unreadable_changed = true;
                    pending.missing.insert(session.clone());
                    let room = self.around.room;
                    let kept = Unreadable { id: id.to_owned(), event: event.clone() };
                    self.vault.put(batch, Kind::Unreadable, &unreadable_scope(room, &session), id, &kept)?;
                    self.vault.put(batch, Kind::UnreadableOf, room, id, &session)?;
                }
                Ok(None)
            }
        }
    }

    fn keep_reactions(&self, batch: &mut Batch, target: &str, new: Vec<Reaction>) -> Result<(), Fault> {
        let mut room = REACTIONS_MAX.saturating_sub(self.vault.count(Kind::Reaction, target)? as usize);
        for reaction in new {
            if room == 0 {
                break;
            }
            room -= 1;
            self.vault.put(batch, Kind::ReactionTarget, self.around.room, &reaction.id, &target)?;
            self.vault.put(batch, Kind::Reaction, target, &reaction.id, &reaction)?;
        }
        Ok(())
    }

    fn is_unwanted(&self, time: Timestamp) -> bool {
        self.around.since.is_some_and(|since| time < since)
    }

    async fn apply(&self, pending: &mut Pending, event: &Value, what: Result<MatrixEvent, SkipReason>) -> Result<(), Fault> {
        match what {
            Ok(MatrixEvent::Message(message)) => self.message(pending, event, *message).await,
            Ok(MatrixEvent::Call(id, mut message)) => {
                let mut call: Call = self.vault.get(Kind::Call, self.around.room, &id)?.unwrap_or_default();
                call.invitation = Some(message.source.message.clone());
                self.vault.set(Kind::Call, self.around.room, &id, &call)?;
                if let Some(ended) = call.ended {
                    message.text = matrix_call(message.time, Timestamp(ended));
                }
                self.message(pending, event, *message).await
            }
            Ok(MatrixEvent::Change(change, _, time)) => self.change(pending, change, time).await,
            Err(SkipReason::Deleted) => {
                if let Some(id) = id_of(event) {
                    pending.remove(id);
                }
                Ok(())
            }
            Err(reason) => {
                let why = match reason {
                    SkipReason::MediaPlaceholder => Some("stickers"),
                    SkipReason::Malformed | SkipReason::MissingField => Some("events without an author, a time or an id"),
                    SkipReason::TooLarge => Some("messages that are too large"),
                    _ => None,
                };
                if let Some(why) = why {
                    pending.leave_out(why);
                }
                Ok(())
            }
        }
    }

    /// Adds a message, with those changes by later events that are already known.
    async fn message(&self, pending: &mut Pending, event: &Value, mut message: Message) -> Result<(), Fault> {
        if self.is_unwanted(message.time) {
            return Ok(());
        }
        if let Some(known) = self.known(pending, &message.source.message).await? {
            keep_edit(&mut message, &known);
        }
        self.apply_bundle(event, &mut message).await?;
        self.put_with_reactions(pending, message)
    }

    /// Applies the latest edit, which servers send along with the message that it edits.
    async fn apply_bundle(&self, event: &Value, message: &mut Message) -> Result<(), Fault> {
        let bundle = event.get("unsigned").and_then(|unsigned| unsigned.get("m.relations")?.get("m.replace"));
        let Some(bundle) = bundle.filter(|bundle| bundle.get("content").is_some()) else { return Ok(()) };
        let clear = match bundle.get("type").and_then(Value::as_str) {
            Some("m.room.encrypted") => match self.keys.decrypt(bundle, self.around.room).await? {
                Decrypted::Clear(clear) => clear,
                Decrypted::Missing { .. } => return Ok(()),
            },
            _ => bundle.clone(),
        };
        let what = matrix_event(&clear, &self.around.as_room(&clear));
        if let Ok(MatrixEvent::Change(MatrixChange::Edit { target, message: edit }, ..)) = what
            && target == message.source.message
        {
            // The message may already have the date of this edit, but not its text. Without the date, `keep_edit` applies the
            // text.
            if edited_at(message) == edited_at(&edit) {
                message.metadata.shift_remove("edited_at");
            }
            keep_edit(message, &edit);
        }
        Ok(())
    }

    fn put_with_reactions(&self, pending: &mut Pending, mut message: Message) -> Result<(), Fault> {
        let mut given: Vec<Reaction> = self.vault.all(Kind::Reaction, &message.source.message)?;
        given.sort_by(|a, b| (a.time, &a.id).cmp(&(b.time, &b.id)));
        let name = |user: &'_ String| self.around.names.get(user).unwrap_or(user).clone();
        let given: Vec<(String, String)> = given.iter().map(|one| (one.emoji.clone(), name(&one.sender))).collect();
        matrix_reactions(&mut message, given.iter().map(|(emoji, name)| (emoji.as_str(), name.as_str())));
        pending.put(message);
        Ok(())
    }

    async fn change(&self, pending: &mut Pending, change: MatrixChange, time: Timestamp) -> Result<(), Fault> {
        match change {
            MatrixChange::Edit { target, message } => match self.known(pending, &target).await? {
                Some(mut known) => {
                    keep_edit(&mut known, &message);
                    self.put_with_reactions(pending, known)
                }
                None if self.is_unwanted(time) || pending.removed.contains(&target) => Ok(()),
                None => self.put_with_reactions(pending, *message),
            },
            MatrixChange::React { target, .. } => match self.known(pending, &target).await? {
                Some(known) => self.put_with_reactions(pending, known),
                None => Ok(()),
            },
            MatrixChange::Redact { target } => self.redact(pending, &target).await,
            MatrixChange::HangUp { call: id } => {
                let mut call: Call = self.vault.get(Kind::Call, self.around.room, &id)?.unwrap_or_default();
                call.ended = Some(call.ended.map_or(time.0, |ended| ended.min(time.0)));
                self.vault.set(Kind::Call, self.around.room, &id, &call)?;
                let Some(invitation) = call.invitation else { return Ok(()) };
                if let Some(mut known) = self.known(pending, &invitation).await? {
                    known.text = matrix_call(known.time, Timestamp(call.ended.unwrap_or(time.0)));
                    pending.put(known);
                }
                Ok(())
            }
        }
    }

    async fn redact(&self, pending: &mut Pending, target: &str) -> Result<(), Fault> {
        let room = self.around.room;
        if let Some(message) = self.vault.get::<String>(Kind::ReactionTarget, room, target)? {
            let mut batch = Batch::default();
            self.vault.delete(&mut batch, Kind::Reaction, &message, target);
            self.vault.delete(&mut batch, Kind::ReactionTarget, room, target);
            self.vault.commit(batch)?;
            return match self.known(pending, &message).await? {
                Some(known) => self.put_with_reactions(pending, known),
                None => Ok(()),
            };
        }
        pending.is_unreadable_changed |= forget_unreadable(self.vault, room, target)?;
        pending.remove(target);
        Ok(())
    }
}

/// The source ids of a message in a room.
fn source(room: &str, event: &str) -> SourceRef {
    SourceRef { kind: SourceKind::Matrix, conversation: room.to_owned(), message: event.to_owned() }
}

/// Deletes a message whose key is missing. Returns whether there was one.
pub(super) fn forget_unreadable(vault: &Vault, room: &str, event: &str) -> Result<bool, Fault> {
    let Some(session) = vault.get::<String>(Kind::UnreadableOf, room, event)? else { return Ok(false) };
    let mut batch = Batch::default();
    vault.delete(&mut batch, Kind::Unreadable, &unreadable_scope(room, &session), event);
    vault.delete(&mut batch, Kind::UnreadableOf, room, event);
    vault.commit(batch)?;
    Ok(true)
}

/// The vault scope of messages that need the same key.
pub(super) fn unreadable_scope(room: &str, session: &str) -> String {
    format!("{room} {session}")
}

/// The id of an event.
pub(super) fn id_of(event: &Value) -> Option<&str> {
    event.get("event_id").and_then(Value::as_str)
}

fn is_redacted(event: &Value) -> bool {
    event.get("unsigned").is_some_and(|unsigned| unsigned.get("redacted_because").is_some())
}

fn edited_at(message: &Message) -> &str {
    message.metadata.get("edited_at").and_then(Value::as_str).unwrap_or_default()
}

/// Gives a message the text of a later edit, which is itself stored as a message with the same id.
fn keep_edit(message: &mut Message, edit: &Message) {
    // Nobody can edit what somebody else said. All dates have the same format, so they sort like their text.
    let is_edit = !edited_at(edit).is_empty() && message.author.handle == edit.author.handle;
    if is_edit && later(edited_at(edit), edited_at(message)) {
        message.text.clone_from(&edit.text);
        message.metadata.insert("edited_at".to_owned(), edited_at(edit).into());
    }
}

/// Whether an edit is at least as new as another one.
fn later(a: &str, b: &str) -> bool {
    // A fraction of zero is omitted, so the whole seconds are compared first.
    let parts = |text: &str| {
        let text = text.trim_end_matches('Z');
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
        (seconds.to_owned(), format!("{fraction:0<9}"))
    };
    parts(a) >= parts(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_edit_counts_whatever_the_form_of_its_date() {
        let check = |a: &str, b: &str, expect: bool| assert_eq!(later(a, b), expect, "{a} {b}");
        check("2026-01-01T10:00:00.500Z", "2026-01-01T10:00:00Z", true);
        check("2026-01-01T10:00:00Z", "2026-01-01T10:00:00.500Z", false);
        check("2026-01-01T10:00:01Z", "2026-01-01T10:00:00.500Z", true);
        check("2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z", true);
        check("2026-01-01T10:00:00Z", "", true);
    }
}
