//! An inbox in memory. It keeps everything that it receives, can refuse deliveries from a chosen point on, and detects leaked
//! secrets.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use keepsake_connectors::{
    Asked, Delivered, Delivery, DeviceRequest, DeviceStatus, FoundChannel, Inbox, InboxError, Link, Plan, Secret, Selected,
    Status,
};
use keepsake_domain::{ChannelHandle, Message, SourceRef, Timestamp};
use keepsake_testkit::{SECRET_BYTES_MIN, Traces};
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tokio::sync::watch;

use crate::log;

/// What the inbox received.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) position: Option<String>,
    pub(crate) found: BTreeMap<String, FoundChannel>,
    pub(crate) selected: BTreeMap<String, Selected>,
    /// In order of arrival; an edited message keeps its first position, with its latest text.
    pub(crate) messages: Vec<Message>,
    index: HashMap<SourceRef, usize>,
    pub(crate) removed: Vec<SourceRef>,
    pub(crate) members: BTreeMap<String, Vec<ChannelHandle>>,
    pub(crate) left_out: BTreeMap<&'static str, u64>,
    pub(crate) unreadable: BTreeMap<String, u64>,
    pub(crate) statuses: Vec<Status>,
    /// The chosen channels that were reported missing, one entry per report.
    pub(crate) missing: Vec<Vec<String>>,
    pub(crate) secret: Option<Secret>,
    /// The secrets before the current one.
    secrets_before: Vec<Secret>,
    pub(crate) devices: Vec<DeviceStatus>,
    asked: Vec<Asked>,
    /// Number of messages that were delivered again with the same content.
    pub(crate) known: u64,
    pub(crate) deliveries: u64,
    /// After this many deliveries, all further deliveries are refused, as if the process had ended.
    pub(crate) deliveries_max: Option<u64>,
    /// Number of messages that were searched for secrets.
    looked_at: usize,
}

/// The parts of a secret that nobody else may learn: the session's tokens, or the password.
fn parts(secret: &Secret) -> Vec<String> {
    match serde_json::from_str::<Value>(secret.expose_secret()) {
        Ok(Value::Object(fields)) => fields.values().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => vec![secret.expose_secret().to_owned()],
    }
}

/// Whether this is the long run of the tests, whose log would fill the memory.
pub(crate) fn is_soak() -> bool {
    std::env::var_os("KEEPSAKE_SOAK").is_some()
}

/// An inbox in memory.
pub(crate) struct MemoryInbox {
    kept: Mutex<Kept>,
    folder: tempfile::TempDir,
    choices: watch::Sender<u64>,
    /// Where the log ended when the inbox was created, or when it was last searched for secrets.
    logged: Mutex<usize>,
}

impl MemoryInbox {
    pub(crate) fn new() -> Arc<Self> {
        let folder = tempfile::tempdir().unwrap();
        let logged = if is_soak() { 0 } else { log::collect() };
        Arc::new(Self { kept: Mutex::default(), folder, choices: watch::Sender::new(0), logged: Mutex::new(logged) })
    }

    pub(crate) fn link(self: &Arc<Self>) -> Link {
        Link::new(Arc::clone(self) as Arc<dyn Inbox>, self.choices.subscribe())
    }

    /// Reads or changes what was received.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.kept.lock().unwrap())
    }

    /// Chooses a channel, and notifies the connector.
    pub(crate) fn select(&self, channel: &str, since: Option<Timestamp>) {
        self.with(|kept| {
            kept.selected.entry(channel.to_owned()).or_default().since = since;
        });
        self.choices.send_modify(|version| *version += 1);
    }

    /// Sends a request to the device, and notifies the connector. Returns the receiver of the result.
    pub(crate) fn ask(&self, request: DeviceRequest) -> Receiver<Result<(), String>> {
        let (asked, result) = Asked::new(request);
        self.with(|kept| kept.asked.push(asked));
        self.choices.send_modify(|version| *version += 1);
        result
    }

    /// Fails if one of these secrets leaked; see [`secrets_found`](Self::secrets_found).
    #[track_caller]
    pub(crate) fn assert_no_secret(&self, said: &str, secrets: &[&str]) {
        let found = self.secrets_found(said, secrets);
        assert!(found.is_empty(), "{found:#?}");
    }

    /// Returns where these secrets, and all that were ever in the keyring, appear in the connector's output: in its folder, in
    /// what it delivers and reports, in its errors (`said`), and in what was logged since the last call.
    pub(crate) fn secrets_found(&self, said: &str, secrets: &[&str]) -> Vec<String> {
        let mut secrets: Vec<String> = secrets.iter().map(|&secret| secret.to_owned()).collect();
        let delivered = self.with(|kept| {
            secrets.extend(kept.secret.iter().chain(&kept.secrets_before).flat_map(parts));
            let from = kept.looked_at.min(kept.messages.len());
            kept.looked_at = kept.messages.len();
            format!(
                "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                kept.position,
                kept.found,
                kept.selected,
                &kept.messages[from..],
                kept.removed,
                kept.members,
                kept.left_out,
                kept.statuses,
                kept.devices
            )
        });
        let logged = {
            let mut from = self.logged.lock().unwrap();
            let logged = log::since(*from);
            *from += logged.len();
            logged
        };
        let traces = Traces::default().folder(self.folder.path()).text("what was delivered", delivered);
        let traces = traces.text("the log", logged).text("an error", said);
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).filter(|secret| secret.len() >= SECRET_BYTES_MIN).collect();
        traces.of(&secrets)
    }

    /// The status of the device.
    pub(crate) fn device(&self) -> DeviceStatus {
        self.with(|kept| kept.devices.last().cloned().unwrap_or_default())
    }

    /// The texts of all messages, in order of arrival.
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
        self.with(|kept| {
            let before = kept.secret.replace(secret.clone());
            kept.secrets_before.extend(before);
        });
        Ok(())
    }

    fn note(&self, status: Status) {
        self.with(|kept| kept.statuses.push(status));
    }

    fn note_missing(&self, titles: Vec<String>) {
        self.with(|kept| kept.missing.push(titles));
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
