//! An inbox in memory that keeps everything that it is told, and can refuse at a chosen point.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use keepsake_connectors::{
    Asked, Delivered, Delivery, DeviceRequest, DeviceStatus, FoundChannel, Inbox, InboxError, Link, Plan, Secret, Selected,
    Status,
};
use keepsake_domain::{ChannelHandle, Message, SourceRef, Timestamp};
use tokio::sync::watch;

/// What was told.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) position: Option<String>,
    pub(crate) found: BTreeMap<String, FoundChannel>,
    pub(crate) selected: BTreeMap<String, Selected>,
    /// In the order in which they came; an edited message stands where it stood first, with its last text.
    pub(crate) messages: Vec<Message>,
    index: HashMap<SourceRef, usize>,
    pub(crate) removed: Vec<SourceRef>,
    pub(crate) members: BTreeMap<String, Vec<ChannelHandle>>,
    pub(crate) left_out: BTreeMap<&'static str, u64>,
    pub(crate) unreadable: BTreeMap<String, u64>,
    pub(crate) statuses: Vec<Status>,
    pub(crate) secret: Option<Secret>,
    pub(crate) devices: Vec<DeviceStatus>,
    asked: Vec<Asked>,
    /// Number of messages that were delivered again with the same content.
    pub(crate) known: u64,
    pub(crate) deliveries: u64,
    /// After so many deliveries all others are refused, as if the process had ended.
    pub(crate) deliveries_max: Option<u64>,
}

/// An inbox in memory.
pub(crate) struct MemoryInbox {
    kept: Mutex<Kept>,
    folder: tempfile::TempDir,
    choices: watch::Sender<u64>,
}

impl MemoryInbox {
    pub(crate) fn new() -> Arc<Self> {
        let folder = tempfile::tempdir().unwrap();
        Arc::new(Self { kept: Mutex::default(), folder, choices: watch::Sender::new(0) })
    }

    pub(crate) fn link(self: &Arc<Self>) -> Link {
        Link::new(Arc::clone(self) as Arc<dyn Inbox>, self.choices.subscribe())
    }

    /// Reads or changes what was told.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.kept.lock().unwrap())
    }

    /// Chooses a channel, and tells the connector.
    pub(crate) fn select(&self, channel: &str, since: Option<Timestamp>) {
        self.with(|kept| {
            kept.selected.entry(channel.to_owned()).or_default().since = since;
        });
        self.choices.send_modify(|version| *version += 1);
    }

    /// Asks something of the device, and tells the connector. Returns where the result comes.
    pub(crate) fn ask(&self, request: DeviceRequest) -> Receiver<Result<(), String>> {
        let (asked, result) = Asked::new(request);
        self.with(|kept| kept.asked.push(asked));
        self.choices.send_modify(|version| *version += 1);
        result
    }

    /// How the device stands.
    pub(crate) fn device(&self) -> DeviceStatus {
        self.with(|kept| kept.devices.last().cloned().unwrap_or_default())
    }

    /// The texts of all messages, in the order in which they came.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.with(|kept| kept.messages.iter().map(|message| message.text.clone()).collect())
    }
}

impl Inbox for MemoryInbox {
    fn plan(&self) -> Result<Plan, InboxError> {
        Ok(self.with(|kept| Plan { position: kept.position.clone(), channels: kept.selected.clone() }))
    }

    fn found(&self, channels: &[FoundChannel]) -> Result<(), InboxError> {
        self.with(|kept| {
            for channel in channels {
                kept.found.insert(channel.id.clone(), channel.clone());
            }
        });
        Ok(())
    }

    fn deliver(&self, delivery: Delivery) -> Result<Delivered, InboxError> {
        self.with(|kept| {
            if kept.deliveries_max.is_some_and(|max| kept.deliveries >= max) {
                return Err(InboxError::Stopped);
            }
            kept.deliveries += 1;
            let mut delivered = Delivered::default();
            assert!(
                delivery.messages.is_empty() || kept.selected.contains_key(&delivery.channel),
                "messages of {} came, which nobody chose",
                delivery.channel
            );
            for message in delivery.messages {
                match kept.index.get(&message.source) {
                    Some(&at) if kept.messages[at] == message => {
                        kept.known += 1;
                        delivered.known += 1;
                    }
                    Some(&at) => {
                        kept.messages[at] = message;
                        delivered.stored += 1;
                    }
                    None => {
                        kept.index.insert(message.source.clone(), kept.messages.len());
                        kept.messages.push(message);
                        delivered.stored += 1;
                    }
                }
            }
            for removed in delivery.removed {
                if let Some(at) = kept.index.remove(&removed) {
                    kept.messages.remove(at);
                    kept.index.values_mut().filter(|place| **place > at).for_each(|place| *place -= 1);
                }
                kept.removed.push(removed);
            }
            if let Some(members) = delivery.members {
                kept.members.insert(delivery.channel.clone(), members);
            }
            if let Some(unreadable) = delivery.unreadable {
                kept.unreadable.insert(delivery.channel.clone(), unreadable);
            }
            for (reason, count) in delivery.left_out {
                *kept.left_out.entry(reason).or_default() += count;
            }
            if let Some(position) = delivery.position {
                kept.selected.entry(delivery.channel).or_default().position = Some(position);
            }
            if delivery.source_position.is_some() {
                kept.position = delivery.source_position;
            }
            Ok(delivered)
        })
    }

    fn stored(&self, message: &SourceRef) -> Result<Option<Message>, InboxError> {
        Ok(self.with(|kept| kept.index.get(message).map(|&at| kept.messages[at].clone())))
    }

    fn secret(&self) -> Result<Option<Secret>, InboxError> {
        Ok(self.with(|kept| kept.secret.clone()))
    }

    fn keep_secret(&self, secret: &Secret) -> Result<(), InboxError> {
        self.with(|kept| kept.secret = Some(secret.clone()));
        Ok(())
    }

    fn note(&self, status: Status) {
        self.with(|kept| kept.statuses.push(status));
    }

    fn asked(&self) -> Vec<Asked> {
        self.with(|kept| std::mem::take(&mut kept.asked))
    }

    fn note_device(&self, status: DeviceStatus) {
        self.with(|kept| kept.devices.push(status));
    }

    fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    fn now(&self) -> Timestamp {
        Timestamp(1_795_176_000_000)
    }
}
