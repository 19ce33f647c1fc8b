//! Reads messages with missing keys as soon as the keys arrive, from another device or from the backup.
//!
//! The messages are stored encrypted until then (`timeline`). `missing` decides which keys are requested.

use std::collections::BTreeSet;
use std::sync::Arc;

use ruma::api::client::backup::EncryptedSessionData;
use serde_json::Value;
use tokio::time::Instant;

use super::account::{Account, CHUNK_EVENTS};
use super::backup::fetch;
use super::client::{Asking, Failure};
use super::keys::Decrypted;
use super::missing::KeyName;
use super::timeline::{Pending, Unreadable, forget_unreadable, id_of, unreadable_scope};
use super::vault::Kind;
use crate::contract::{Delivery, Fault};

/// Number of keys between progress reports on reading the backup, so that the window is not updated for each key.
const TOLD_EVERY: u64 = 20;

/// The response to a key request.
pub(super) struct Fetched {
    key: KeyName,
    version: String,
    answer: Result<Option<EncryptedSessionData>, Failure>,
}

impl Account {
    /// Reads messages whose key arrived late: those that need the key `session` or, without one, those that need any key
    /// available now. Records the keys that are still missing.
    pub(super) async fn read_late(&mut self, room: &str, session: Option<&str>) -> Result<(), Fault> {
        let sessions: BTreeSet<String> = match session {
            Some(session) => [session.to_owned()].into(),
            None => self.vault.all::<String>(Kind::UnreadableOf, room)?.into_iter().collect(),
        };
        for session in sessions {
            let key = (room.to_owned(), session);
            if self.read_with_key(&key).await? {
                self.missing.forget(&key);
            } else {
                self.missing.note(key, Instant::now());
            }
        }
        Ok(())
    }

    /// Reads the messages that need this key. Returns whether none are left.
    async fn read_with_key(&mut self, (room, session): &KeyName) -> Result<bool, Fault> {
        if !self.vault.has(Kind::RoomKey, room, session)? {
            return Ok(false);
        }
        let waiting: Vec<Unreadable> = self.vault.all(Kind::Unreadable, &unreadable_scope(room, session))?;
        let count = waiting.len();
        let mut clear = Vec::new();
        for Unreadable { event, .. } in waiting {
            if let Decrypted::Clear(event) = self.keys.decrypt(&event, room).await? {
                clear.push(event);
            }
        }
        clear.sort_by_key(|event| event.get("origin_server_ts").and_then(Value::as_i64));
        let ids: Vec<String> = clear.iter().filter_map(id_of).map(str::to_owned).collect();
        while !clear.is_empty() {
            let rest = clear.split_off(clear.len().min(CHUNK_EVENTS));
            let mut pending = Pending::default();
            self.read(room, &mut pending, clear).await?;
            let last = self.flush(room, &mut pending, true).await?;
            self.link.deliver(last).await?;
            clear = rest;
        }
        for id in &ids {
            forget_unreadable(&self.vault, room, id)?;
        }
        if !ids.is_empty() {
            let unreadable = Some(self.vault.count(Kind::UnreadableOf, room)?);
            self.link.deliver(Delivery { channel: room.clone(), unreadable, ..Delivery::default() }).await?;
        }
        Ok(ids.len() >= count)
    }

    /// Asks this version of the backup for the next key that is due; `None` if none is.
    pub(super) fn next_backup_key(&mut self, version: &str) -> Option<Asking<Fetched>> {
        let now = Instant::now();
        while let Some(key) = self.missing.next(now).cloned() {
            // The person may have changed the choice in the meantime.
            if self.chosen.contains_key(&key.0) {
                let (client, version) = (Arc::clone(&self.client), version.to_owned());
                return Some(Box::pin(async move {
                    let answer = fetch(&client, &version, &key.0, &key.1).await;
                    Fetched { key, version, answer }
                }));
            }
            self.missing.forget(&key);
        }
        None
    }

    /// Imports a key from the backup, and reads the messages that waited for it. Returns whether to report progress on reading
    /// the backup.
    pub(super) async fn take_backup_key(&mut self, fetched: Fetched) -> Result<bool, Fault> {
        let Fetched { key, version, answer } = fetched;
        let sealed = match answer {
            Ok(sealed) => sealed,
            Err(failure @ Failure::UnknownToken { .. }) => return Err(failure.into()),
            // Reading continues without the backup.
            Err(_) => None,
        };
        let mut is_read = false;
        if let Some(sealed) = sealed
            && self.keys.import(&version, &key.0, &key.1, sealed).await?
        {
            is_read = self.read_with_key(&key).await?;
        }
        if is_read {
            self.missing.came(&key);
        } else {
            self.missing.failed(&key, Instant::now());
        }
        Ok(self.missing.fetched().is_multiple_of(TOLD_EVERY) || self.missing.open() == 0)
    }
}
