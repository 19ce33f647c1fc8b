//! Stores messages of an import while more are read: the reading thread passes complete batches to a storing thread.
//!
//! Reading and storing use one processor core each and keep the order of the file. If a batch is ready while another is still
//! waiting, reading pauses, so memory use is bounded. A batch is stored in one transaction or not at all. Not in this module:
//! what is read, and what is reported about it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use keepsake_domain::{Channel, ChannelHandle, ConversationId, ImportId, Message};
use keepsake_importers::Stop;
use keepsake_store::{AppendContext, BatchOutcome, StoreError, WriteTx};

use crate::ingest::import_request::ImportChoices;
use crate::ingest::members::{Listed, follow};
use crate::{Engine, EngineError};

/// Maximum number of messages per transaction: large enough to spread the cost of a durable write, and small enough that an
/// approval waits at most a tenth of a second.
pub(crate) const BATCH_MESSAGES: usize = 2_000;

/// Maximum number of bytes of text per transaction, for exports with very long messages.
pub(crate) const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Number of batches that may wait between reading and storing. One keeps the storing thread busy; a
/// second would only use memory.
const BATCHES_WAITING: usize = 1;

/// Result of the batches stored so far.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    /// Number of new messages, including revisions.
    pub(crate) imported: u64,
    /// Number of messages that already existed.
    pub(crate) duplicate: u64,
    /// Number of messages left out because the person erased them earlier.
    pub(crate) erased: u64,
    /// Conversations that received new messages; one may be listed several times.
    pub(crate) touched: Vec<ConversationId>,
    /// Why the next batch was not stored.
    pub(crate) failure: Option<EngineError>,
}

/// What is stored in one transaction.
#[derive(Default)]
struct Batch {
    messages: Vec<Message>,
    /// The members that the export lists for its channels.
    listed: Listed,
}

/// The reading thread's end of the pipeline.
pub(crate) struct Batches<'s> {
    batch: Batch,
    /// Listed members of channels from which no message has been read yet.
    awaited: Listed,
    batch_bytes: usize,
    to_store: SyncSender<Batch>,
    stored: Receiver<Vec<Message>>,
    is_called_off: &'s AtomicBool,
}

impl Batches<'_> {
    /// Adds one message. Returns [`Stop`] if an earlier batch could not be stored.
    pub(crate) fn push(&mut self, message: Message) -> std::result::Result<(), Stop> {
        if !self.awaited.is_empty()
            && let Some((channel, members)) = self.awaited.remove_entry(&Channel::of(&message))
        {
            self.batch.listed.insert(channel, members);
        }
        self.batch_bytes += message.text.len();
        self.batch.messages.push(message);
        if self.batch.messages.len() >= BATCH_MESSAGES || self.batch_bytes >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Adds the members of a channel, which are stored with its first message.
    pub(crate) fn list_members(&mut self, channel: Channel, members: Vec<ChannelHandle>) {
        self.awaited.insert(channel, members);
    }

    /// Passes on the messages collected so far as a batch.
    pub(crate) fn flush(&mut self) -> std::result::Result<(), Stop> {
        if self.batch.messages.is_empty() {
            return Ok(());
        }
        // The storing thread returns used batches, so that their messages are freed on this thread and not on the storing
        // thread, which is the bottleneck.
        let mut empty = self.stored.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH_MESSAGES));
        empty.clear();
        self.batch_bytes = 0;
        let empty = Batch { messages: empty, listed: Listed::new() };
        self.to_store.send(std::mem::replace(&mut self.batch, empty)).map_err(|_| Stop)
    }

    /// Called when the person cancels: waiting batches are not stored.
    pub(crate) fn call_off(&mut self) {
        self.is_called_off.store(true, Ordering::Release);
    }
}

/// Runs `read` on this thread while another one stores its batches. Returns when both have finished.
pub(crate) fn storing<T>(
    engine: &Engine,
    import_id: &ImportId,
    choices: &ImportChoices,
    read: impl FnOnce(&mut Batches<'_>) -> T,
) -> (T, Stored) {
    let is_called_off = AtomicBool::new(false);
    let (to_store, batches) = sync_channel(BATCHES_WAITING);
    let (give_back, stored) = channel();
    std::thread::scope(|scope| {
        // If the system cannot start a thread, the receiver is gone and the first batch stops the reading.
        let work = || store(engine, import_id, choices, batches, give_back, &is_called_off);
        let storing = std::thread::Builder::new().name("store".to_owned()).spawn_scoped(scope, work);
        let batch = Batch { messages: Vec::with_capacity(BATCH_MESSAGES), listed: Listed::new() };
        let mut batches =
            Batches { batch, awaited: Listed::new(), batch_bytes: 0, to_store, stored, is_called_off: &is_called_off };
        let outcome = read(&mut batches);
        // Closes the channel: the storing thread stores the waiting batch and ends.
        drop(batches);
        let stored = match storing.map(|thread| thread.join()) {
            Ok(Ok(stored)) => stored,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let what = "cannot start a thread to store messages; close other programs and try again".to_owned();
                Stored { failure: Some(EngineError::Io { what, error }), ..Stored::default() }
            }
        };
        (outcome, stored)
    })
}

/// Appends a batch and applies the person's choices in the same transaction, so that no other process finds messages that
/// must not be read.
pub(crate) fn append(
    tx: &WriteTx<'_>,
    batch: &[Message],
    context: AppendContext<'_>,
    choices: &ImportChoices,
) -> Result<BatchOutcome, StoreError> {
    let outcome = tx.log().append(batch, context)?;
    if let Some(channels) = &choices.channels {
        channels.apply(tx, &outcome.created, context)?;
    }
    // Only new conversations; existing ones stay as the person has set them.
    for id in outcome.created.iter().filter(|_| !choices.private_channels.is_empty()) {
        if choices.private_channels.contains(&tx.log().conversation(id)?.channel_type) {
            // All messages of the conversation are new, so the exclusion covers the whole conversation.
            tx.log().begin_private(id, 0)?;
        }
    }
    if !choices.extract {
        for (id, read_to) in &outcome.reread {
            tx.log().mark_extracted(id, *read_to)?;
        }
        for id in &outcome.touched {
            tx.log().pass_over_import(id, context.import_id)?;
        }
    }
    Ok(outcome)
}

fn store(
    engine: &Engine,
    import_id: &ImportId,
    choices: &ImportChoices,
    batches: Receiver<Batch>,
    give_back: Sender<Vec<Message>>,
    is_called_off: &AtomicBool,
) -> Stored {
    let mut stored = Stored::default();
    for batch in batches {
        if is_called_off.load(Ordering::Acquire) {
            break;
        }
        let context = AppendContext { ids: engine.ids(), now: engine.now(), import_id: Some(import_id) };
        let Batch { messages: batch, listed } = batch;
        let work = |tx: &WriteTx<'_>| {
            let outcome = append(tx, &batch, context, choices)?;
            follow(tx, &batch, &listed)?;
            Ok(outcome)
        };
        match engine.store().write(work) {
            Ok(outcome) => {
                stored.imported += outcome.imported;
                stored.duplicate += outcome.duplicate;
                stored.erased += outcome.erased;
                for id in outcome.touched {
                    if stored.touched.last() != Some(&id) {
                        stored.touched.push(id);
                    }
                }
                // Log only the count, no text. These messages are committed and survive a crash.
                tracing::info!(messages = stored.imported + stored.duplicate, "messages stored");
                // The reading thread may have finished already.
                let _ = give_back.send(batch);
            }
            Err(error) => {
                stored.failure = Some(error.into());
                break;
            }
        }
    }
    stored
}
