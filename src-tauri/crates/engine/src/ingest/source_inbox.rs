//! Stores what live sources deliver (messages, positions and the readers of a channel) in one transaction.
//!
//! Nothing is stored from channels that the person did not choose, or from sources that are paused or were removed meanwhile.
//! Not in this module: the protocols (`keepsake-connectors`), and adding and removing sources (`live_sources`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keepsake_connectors::{
    Asked, Delivered, Delivery, DeviceStatus, FoundChannel, Inbox, InboxError, Plan, Secret, Selected, Status,
};
use keepsake_domain::{
    ChannelChoice, JobId, LiveSourceId, LiveSourceKind, Message, SourceKind, SourceRef, Timestamp, Visibility,
};
use keepsake_importers::{Read, Sink, Skip, Stop, read_on};
use keepsake_store::{AppendContext, LiveChannelRow, LiveSourceRow, StoreError, WriteTx};

use crate::areas::Sources;
use crate::ingest::append::AGENT_CONVERSATIONS;
use crate::ingest::import_request::{ImportChoices, ImportRequest};
use crate::ingest::import_writer::append;
use crate::{Engine, EngineError, Result};

/// Maximum number of bytes in one call to a webhook.
pub const WEBHOOK_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The result of a call to a webhook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    /// Number of new messages.
    pub stored: u64,
    /// Number of messages that were already stored.
    pub known: u64,
    /// Number of messages left out because the person erased them, or does not want their channel.
    pub left_out: u64,
    /// Number of lines that are not messages, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
}

/// Receives what one source delivers.
struct SourceInbox {
    engine: Engine,
    id: LiveSourceId,
}

/// The row of a channel as its source describes it, without a choice by the person.
pub(crate) fn channel_row(channel: &FoundChannel) -> LiveChannelRow {
    LiveChannelRow {
        channel: channel.id.clone(),
        title: channel.title.clone(),
        member_count: channel.member_count,
        is_encrypted: channel.is_encrypted,
        visibility: channel.visibility,
        choice: ChannelChoice::Ask,
        since: None,
        position: None,
        unreadable: 0,
        messages: 0,
    }
}

/// The channel type of a source's messages, if all have the same.
pub(crate) fn channel_type(kind: LiveSourceKind) -> Option<&'static str> {
    match kind {
        LiveSourceKind::Matrix => Some("matrix"),
        LiveSourceKind::Simplex => Some("simplex"),
        // A mailbox's channels are its folders, not its threads, and each webhook message names its own channel.
        LiveSourceKind::Mail | LiveSourceKind::Webhook => None,
    }
}

fn stored<T>(result: std::result::Result<T, StoreError>) -> std::result::Result<T, InboxError> {
    result.map_err(|error| InboxError::Store(error.to_string()))
}

impl Sources<'_> {
    /// The inbox of a live source.
    pub fn source_inbox(&self, id: &LiveSourceId) -> Arc<dyn Inbox> {
        Arc::new(SourceInbox { engine: self.engine.clone(), id: id.clone() })
    }

    /// Appends messages of a source and queues jobs for them. Returns what was stored.
    fn append_from_source(
        &self,
        tx: &WriteTx<'_>,
        source: &LiveSourceRow,
        messages: &[Message],
    ) -> std::result::Result<Delivered, StoreError> {
        let now = self.engine.now();
        let choices = ImportChoices::read(tx.settings().setting("settings")?.as_deref());
        let context = AppendContext { ids: self.engine.ids(), now, import_id: Some(&source.import) };
        let outcome = append(tx, messages, context, &choices)?;
        if choices.extract {
            for id in &outcome.touched {
                if !tx.log().conversation(id)?.is_private {
                    tx.jobs().enqueue(&self.engine.queue().extraction(id), now)?;
                }
            }
        }
        if outcome.imported > 0
            && let Some(embed) = self.engine.embeddings().job()
        {
            tx.jobs().enqueue(&embed, now)?;
        }
        tx.sources().account_live_messages(&source.import, outcome.imported, outcome.duplicate, outcome.created.len() as u64)?;
        Ok(Delivered { stored: outcome.imported, known: outcome.duplicate })
    }

    /// Stores Keepsake JSONL that was sent to a webhook. The messages are on disk when this returns.
    pub fn receive(&self, source: &LiveSourceRow, body: &[u8]) -> Result<Received> {
        if body.len() > WEBHOOK_BYTES_MAX {
            return Err(EngineError::Refused(format!(
                "a call takes at most {} MB; send the messages in several calls",
                WEBHOOK_BYTES_MAX / 1024 / 1024
            )));
        }
        let mut sink = Collected::default();
        let path = Path::new("webhook.jsonl");
        let request = ImportRequest { source: Some(SourceKind::KeepsakeJsonl), ..ImportRequest::of(path) };
        let options = self.engine.imports().reading_options(&request, self.engine.now());
        read_on(path, SourceKind::KeepsakeJsonl, None, &mut &*body, &options, &mut sink)?;
        let mut received = Received { skipped: sink.skipped, ..Received::default() };
        let seen = sink.messages.len() as u64;
        // Only agents may add to their own conversations.
        sink.messages.retain(|message| !message.source.conversation.starts_with(AGENT_CONVERSATIONS));
        let id = source.id.clone();
        let delivered = self.engine.store().write(|tx| {
            let source = tx.sources().live_source(&id)?;
            if source.is_paused {
                return Err(StoreError::Refused("this source is paused; send the messages again later"));
            }
            let mut by_channel: BTreeMap<String, Vec<Message>> = BTreeMap::new();
            for message in std::mem::take(&mut sink.messages) {
                by_channel.entry(format!("{}:{}", message.channel_type, message.channel_id)).or_default().push(message);
            }
            let mut delivered = Delivered::default();
            for (channel, messages) in &by_channel {
                // The person set up the webhook, so its messages are wanted until they say otherwise.
                let found = messages.first().map(|message| channel_row(&found_in(channel, message)));
                if let Some(found) = found {
                    tx.sources().found_live_channel(&source.id, &LiveChannelRow { choice: ChannelChoice::Remember, ..found })?;
                }
                if tx.sources().live_choice(&source.id, channel)? == Some(ChannelChoice::Remember) {
                    let of_channel = self.append_from_source(tx, &source, messages)?;
                    tx.sources().advance_live_channel(&source.id, channel, None, None, of_channel.stored)?;
                    delivered.stored += of_channel.stored;
                    delivered.known += of_channel.known;
                }
            }
            let last = (delivered.stored > 0).then(|| self.engine.now());
            tx.sources().advance_live_source(&source.id, None, &source.left_out, last)?;
            Ok(delivered)
        })?;
        if delivered.stored > 0 {
            self.engine.queue().look_for_work();
        }
        received.stored = delivered.stored;
        received.known = delivered.known;
        received.left_out = seen - delivered.stored - delivered.known;
        Ok(received)
    }

    /// Erases messages that were deleted at their source.
    fn erase_removed(&self, removed: &[SourceRef]) -> Result<()> {
        let job = JobId::fresh(self.engine.ids());
        if let Some(erased) = self.engine.store().erase_removed(removed, &job, self.engine.now())? {
            self.engine.queue().queue_unread()?;
            self.engine.erasure().after_erasing(job, erased)?;
        }
        Ok(())
    }
}

/// The channel that a webhook message names.
fn found_in(id: &str, message: &Message) -> FoundChannel {
    FoundChannel {
        id: id.to_owned(),
        title: message.conversation_title.clone().unwrap_or_else(|| id.to_owned()),
        member_count: None,
        is_encrypted: false,
        visibility: message.visibility,
        continues: None,
    }
}

/// Collects messages.
#[derive(Default)]
struct Collected {
    messages: Vec<Message>,
    skipped: BTreeMap<&'static str, u64>,
}

impl Sink for Collected {
    fn take(&mut self, read: Read) -> std::result::Result<(), Stop> {
        match read {
            Read::Message(message) => self.messages.push(message),
            Read::Skipped(Skip { reason, count, .. }) => *self.skipped.entry(reason.text()).or_default() += count,
        }
        Ok(())
    }

    fn progress(&mut self, _done: u64, _total: u64) -> std::result::Result<(), Stop> {
        Ok(())
    }
}

impl SourceInbox {
    /// Stores a delivery; `None` if the person paused or removed the source, or does not want the channel.
    fn store(&self, delivery: &Delivery) -> std::result::Result<Option<Delivered>, StoreError> {
        self.engine.store().write(|tx| {
            let source = match tx.sources().live_source(&self.id) {
                Ok(source) if !source.is_paused => source,
                Ok(_) | Err(StoreError::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            let is_wanted = tx.sources().live_choice(&self.id, &delivery.channel)? == Some(ChannelChoice::Remember);
            if !is_wanted && !delivery.messages.is_empty() {
                // The person changed the choice meanwhile.
                return Ok(None);
            }
            // If something was removed in the meantime, the delivery that reports the removal must not store it again.
            let kept: Vec<Message>;
            let messages = if delivery.removed.is_empty() {
                &delivery.messages
            } else {
                kept = delivery.messages.iter().filter(|message| !delivery.removed.contains(&message.source)).cloned().collect();
                &kept
            };
            // The channel's readers are stored before its messages, so that no message is ever visible too widely.
            if let (Some(members), Some(channel_type)) = (&delivery.members, channel_type(source.kind)) {
                tx.log().set_channel_members(channel_type, &delivery.channel, members)?;
            }
            let delivered = self.engine.sources().append_from_source(tx, &source, messages)?;
            tx.sources().advance_live_channel(
                &self.id,
                &delivery.channel,
                delivery.position.as_deref(),
                delivery.unreadable,
                delivered.stored,
            )?;
            let mut left_out = source.left_out.clone();
            for (reason, count) in &delivery.left_out {
                *left_out.entry((*reason).to_owned()).or_default() += count;
            }
            let last = (delivered.stored > 0).then(|| self.engine.now());
            tx.sources().advance_live_source(&self.id, delivery.source_position.as_deref(), &left_out, last)?;
            Ok(Some(delivered))
        })
    }
}

impl Inbox for SourceInbox {
    fn plan(&self) -> std::result::Result<Plan, InboxError> {
        stored(self.engine.store().read(|tx| {
            let source = tx.sources().live_source(&self.id)?;
            let channels = tx.sources().live_channels(&self.id)?.into_iter().filter(|row| row.choice == ChannelChoice::Remember);
            Ok(Plan {
                position: source.position,
                channels: channels.map(|row| (row.channel, Selected { since: row.since, position: row.position })).collect(),
            })
        }))
    }

    fn found(&self, channels: &[FoundChannel]) -> std::result::Result<(), InboxError> {
        stored(self.engine.store().write(|tx| {
            let source = tx.sources().live_source(&self.id)?;
            for channel in channels {
                tx.sources().found_live_channel(&self.id, &channel_row(channel))?;
                if let Some(channel_type) = channel_type(source.kind) {
                    tx.sources().set_channel_open(channel_type, &channel.id, channel.visibility == Visibility::Public)?;
                    if let Some(before) = &channel.continues {
                        tx.sources().continue_live_channel(&self.id, channel_type, &channel.id, before, self.engine.now())?;
                    }
                }
            }
            Ok(())
        }))
    }

    fn deliver(&self, delivery: Delivery) -> std::result::Result<Delivered, InboxError> {
        // The erasure is done before the position advances, so that an interruption repeats it. Messages already gone are
        // skipped.
        if !delivery.removed.is_empty() {
            self.engine.sources().erase_removed(&delivery.removed).map_err(|error| InboxError::Store(error.to_string()))?;
        }
        let delivered = stored(self.store(&delivery))?.ok_or(InboxError::Stopped)?;
        if delivered.stored > 0 {
            self.engine.queue().look_for_work();
        }
        Ok(delivered)
    }

    fn stored(&self, message: &SourceRef) -> std::result::Result<Option<Message>, InboxError> {
        stored(self.engine.store().read(|tx| tx.sources().message_of_source(message)))
    }

    fn secret(&self) -> std::result::Result<Option<Secret>, InboxError> {
        self.engine.sources().source_secret(&self.id).map_err(|error| InboxError::Store(error.to_string()))
    }

    fn keep_secret(&self, secret: &Secret) -> std::result::Result<(), InboxError> {
        self.engine.sources().keep_source_secret(&self.id, secret).map_err(|error| InboxError::Store(error.to_string()))
    }

    fn note(&self, status: Status) {
        self.engine.sources().note_live_state(&self.id, Some(status.into()));
    }

    fn note_missing(&self, titles: Vec<String>) {
        self.engine.sources().note_live_missing(&self.id, titles);
    }

    fn asked(&self) -> Vec<Asked> {
        self.engine.inner.own_devices.take(&self.id)
    }

    fn note_device(&self, status: DeviceStatus) {
        self.engine.sources().note_own_device(&self.id, status);
    }

    fn folder(&self) -> PathBuf {
        let folder = self.engine.sources().source_folder(&self.id);
        // If this fails, the connector reports it when it writes.
        let _ = std::fs::create_dir_all(&folder);
        folder
    }

    fn now(&self) -> Timestamp {
        self.engine.now()
    }
}
