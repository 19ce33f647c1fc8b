//! Storing what is read while more is read: whole batches go from the thread that reads to one that stores.
//!
//! Reading and storing an export take one processor each, in the order of the file. Whoever reads waits once a batch is ready while
//! another one still waits, so memory has a limit; a batch is stored in one transaction or not at all. Deliberately not here: what
//! is read, and what is told of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use keepsake_channels::Stop;
use keepsake_domain::{ConversationId, ImportId, Message};
use keepsake_store::{AppendContext, BatchOutcome, StoreError, WriteTx};

use crate::import::ImportChoices;
use crate::{Engine, EngineError};

/// Messages a transaction: large enough that the cost of making it durable is spread thin, small enough that an approval waits
/// for a tenth of a second at most.
pub(crate) const BATCH_MESSAGES: usize = 2_000;

/// …and bytes of text a transaction, for exports with very long messages.
pub(crate) const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Batches that wait between reading and storing. One keeps the thread that stores at work, and a second would only be memory.
const BATCHES_WAITING: usize = 1;

/// What the stored batches brought.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    /// New messages, revisions included.
    pub(crate) imported: u64,
    /// Already there.
    pub(crate) duplicate: u64,
    /// Erased before by the person: kept out.
    pub(crate) erased: u64,
    /// Conversations that got something new; one may come several times.
    pub(crate) touched: Vec<ConversationId>,
    /// Why the batch after these was not stored.
    pub(crate) failure: Option<EngineError>,
}

/// Where the thread that reads leaves its messages.
pub(crate) struct Batches<'s> {
    batch: Vec<Message>,
    batch_bytes: usize,
    to_store: SyncSender<Vec<Message>>,
    stored: Receiver<Vec<Message>>,
    is_called_off: &'s AtomicBool,
}

impl Batches<'_> {
    /// Takes one more message. [`Stop`] when what came before could not be stored.
    pub(crate) fn push(&mut self, message: Message) -> std::result::Result<(), Stop> {
        self.batch_bytes += message.text.len();
        self.batch.push(message);
        if self.batch.len() >= BATCH_MESSAGES || self.batch_bytes >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Hands over what is there, as a batch of its own.
    pub(crate) fn flush(&mut self) -> std::result::Result<(), Stop> {
        if self.batch.is_empty() {
            return Ok(());
        }
        // The messages of a stored batch are freed by the thread that made them, beside the one that everything waits for.
        let mut empty = self.stored.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH_MESSAGES));
        empty.clear();
        self.batch_bytes = 0;
        self.to_store.send(std::mem::replace(&mut self.batch, empty)).map_err(|_| Stop)
    }

    /// The person cancelled: what waits is not stored any more.
    pub(crate) fn call_off(&mut self) {
        self.is_called_off.store(true, Ordering::Release);
    }
}

/// Runs `read` here and stores its batches beside it; ends when both have ended.
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
        // Where the system gives no thread, the other end of the channel is gone and the first batch stops the reading.
        let work = || store(engine, import_id, choices, batches, give_back, &is_called_off);
        let storing = std::thread::Builder::new().name("store".to_owned()).spawn_scoped(scope, work);
        let batch = Vec::with_capacity(BATCH_MESSAGES);
        let mut batches = Batches { batch, batch_bytes: 0, to_store, stored, is_called_off: &is_called_off };
        let outcome = read(&mut batches);
        // Nothing more comes: what waits is stored, and the thread ends.
        drop(batches);
        let stored = match storing.map(|thread| thread.join()) {
            Ok(Ok(stored)) => stored,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let what = "cannot start a thread to store messages on".to_owned();
                Stored { failure: Some(EngineError::Io { what, error }), ..Stored::default() }
            }
        };
        (outcome, stored)
    })
}

/// Appends a batch as the person chose, in one transaction: no other process finds messages that it was not to look at.
fn append(
    tx: &WriteTx<'_>,
    batch: &[Message],
    context: AppendContext<'_>,
    import_id: &ImportId,
    choices: &ImportChoices,
) -> Result<BatchOutcome, StoreError> {
    let outcome = tx.append(batch, context)?;
    // New conversations alone: those already here stay as the person has them.
    for id in &outcome.created {
        if choices.private_channels.contains(&tx.conversation(id)?.channel_type) {
            // With all that it brought: it was here before by no word.
            tx.begin_private(id, 0)?;
        }
    }
    if !choices.extract {
        for (id, read_to) in &outcome.reread {
            tx.mark_extracted(id, *read_to)?;
        }
        for id in &outcome.touched {
            tx.pass_over_import(id, import_id)?;
        }
    }
    Ok(outcome)
}

fn store(
    engine: &Engine,
    import_id: &ImportId,
    choices: &ImportChoices,
    batches: Receiver<Vec<Message>>,
    give_back: Sender<Vec<Message>>,
    is_called_off: &AtomicBool,
) -> Stored {
    let mut stored = Stored::default();
    for batch in batches {
        if is_called_off.load(Ordering::Acquire) {
            break;
        }
        let context = AppendContext { ids: engine.ids(), now: engine.now(), import_id: Some(import_id) };
        match engine.store().write(|tx| append(tx, &batch, context, import_id, choices)) {
            Ok(outcome) => {
                stored.imported += outcome.imported;
                stored.duplicate += outcome.duplicate;
                stored.erased += outcome.erased;
                for id in outcome.touched {
                    if stored.touched.last() != Some(&id) {
                        stored.touched.push(id);
                    }
                }
                // A number and no text: what is committed here outlives whatever happens to the process.
                tracing::info!(messages = stored.imported + stored.duplicate, "messages stored");
                // Whoever reads may have ended already.
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
