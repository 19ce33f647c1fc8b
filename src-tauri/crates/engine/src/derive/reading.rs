//! The slot of the reader, the model that finds statements in messages. The reader is loaded when the first message must be
//! read, and then kept.
//!
//! Loading takes a second and 95 MB, and most runs of the program read nothing, so the reader is loaded only when it is
//! needed. If the reader was never prepared, nothing is proposed from conversations: they stay unread, the person is alerted,
//! and they are read once the reader is available. Not in this module: reading itself (`models`), and what happens to the
//! results (`capture`).

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use keepsake_capture::{Turn, is_for_reader, is_read};
use keepsake_domain::{ConversationId, Reading, Utterance};
use keepsake_models::{ModelError, Reader, SharedReader, has_reader, open_reader, reader_version, shown_from};
use keepsake_store::{InteractionRow, ReadTx, ReadingInput, StoreError, StoredReading};

use crate::EngineError;
use crate::areas::Conversations;
use crate::queue::control::Control;

type Result<T, E = EngineError> = std::result::Result<T, E>;

/// Number of messages read between two checks for cancellation. Reading them takes about two seconds.
const READ_BATCH: usize = 256;

enum State {
    /// No location was given: this process reads nothing, but another one may.
    None,
    /// Looked for and not found.
    Missing,
    /// In the folder of the local model, not loaded yet.
    At(PathBuf),
    Ready(SharedReader),
    /// Installed but refused, with the reason.
    Refused(String),
}

/// State of the reader, as shown to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReaderStanding {
    /// Loaded and in use.
    Ready,
    /// Installed; loaded once there is something to read.
    Idle,
    /// Not installed: nothing is proposed from conversations.
    Missing,
    /// Installed but refused. The text says why and what to do.
    Refused(String),
}

/// Shown if the reader was never prepared.
pub(crate) const READER_MISSING: &str = "The reader model is missing; run `make model` to prepare it.";

/// Shown after the reason why the reader is unavailable.
pub(crate) const UNREAD: &str =
    "Until then, nothing is proposed from your conversations. They are kept, and are read once the reader is available.";

impl Conversations<'_> {
    /// Whether it makes sense to queue unread conversations. Does not load the reader.
    pub(crate) fn may_read(&self) -> bool {
        !self.engine.inner.embedder.reader().is_known_to_be_absent()
    }

    /// Whether the reader is available, so that conversations can be read. Does not load the reader.
    pub(crate) fn has_reader(&self) -> bool {
        matches!(self.engine.inner.embedder.reader().standing(), ReaderStanding::Ready | ReaderStanding::Idle)
    }
}

/// A slot that is filled on first use.
#[derive(Clone)]
pub struct ReaderSlot {
    state: Arc<Mutex<State>>,
}

impl ReaderSlot {
    fn new(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// A slot that deliberately has no reader.
    pub fn none() -> Self {
        Self::new(State::None)
    }

    /// A slot for the reader in the folder of the local model.
    pub fn at(model_dir: PathBuf) -> Self {
        Self::new(State::At(model_dir))
    }

    /// Puts this reader into the slot.
    pub fn put(&self, reader: SharedReader) {
        self.put_state(State::Ready(reader));
    }

    /// Makes the slot look in the folder of this local model when the first message must be read.
    pub fn look_in(&self, model_dir: PathBuf) {
        self.put_state(State::At(model_dir));
    }

    /// The reader, loaded now if necessary.
    pub fn ready(&self) -> Option<SharedReader> {
        let mut state = self.lock();
        if let State::At(dir) = &*state {
            *state = match open_reader(dir) {
                Ok(reader) => State::Ready(Arc::new(reader)),
                Err(ModelError::Missing { .. }) => State::Missing,
                Err(error) => {
                    tracing::warn!(%error, "the reader was not loaded");
                    State::Refused(error.to_string())
                }
            };
        }
        match &*state {
            State::Ready(reader) => Some(Arc::clone(reader)),
            _ => None,
        }
    }

    /// Why the installed reader was refused, if it was.
    pub fn refused(&self) -> Option<String> {
        match self.standing() {
            ReaderStanding::Refused(why) => Some(why),
            _ => None,
        }
    }

    /// Version of the reader, if available. Does not load it.
    pub(crate) fn version(&self) -> Option<String> {
        match &*self.lock() {
            State::Ready(reader) => Some(reader.version().to_owned()),
            State::At(dir) if has_reader(dir) => reader_version().ok(),
            State::None | State::Missing | State::At(_) | State::Refused(_) => None,
        }
    }

    /// Whether the reader is known to be missing or was refused. `false` in a process that reads nothing itself, because it
    /// cannot know.
    fn is_known_to_be_absent(&self) -> bool {
        match &*self.lock() {
            State::At(dir) => !has_reader(dir),
            State::Missing | State::Refused(_) => true,
            State::None | State::Ready(_) => false,
        }
    }

    /// The current state. Does not load the reader.
    pub fn standing(&self) -> ReaderStanding {
        match &*self.lock() {
            State::At(dir) if has_reader(dir) => ReaderStanding::Idle,
            State::None | State::Missing | State::At(_) => ReaderStanding::Missing,
            State::Ready(_) => ReaderStanding::Ready,
            State::Refused(why) => ReaderStanding::Refused(why.clone()),
        }
    }

    fn put_state(&self, state: State) {
        *self.lock() = state;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reader's marks in the messages of a conversation.
#[derive(Debug, Clone)]
pub(crate) struct ReadRows {
    /// Version of the reader.
    pub(crate) by: String,
    /// One reading per row; empty for rows that are never read and for rows not requested.
    pub(crate) of: Vec<Reading>,
}

impl ReadRows {
    /// The reader's version and the readings for a range of rows.
    pub(crate) fn stretch(&self, rows: Range<usize>) -> (&str, &[Reading]) {
        (&self.by, self.of.get(rows).unwrap_or_default())
    }
}

impl Conversations<'_> {
    /// Reads the messages of a conversation from row `from` on; `None` without a reader. `rows` must be all messages of the
    /// conversation that are not excluded, because they are each other's context. Rows that were read before are not read
    /// again, and each batch is stored immediately.
    pub(crate) fn read_rows(
        &self,
        id: &ConversationId,
        rows: &[InteractionRow],
        from: usize,
        control: &dyn Control,
    ) -> Result<Option<ReadRows>> {
        let Some(reader) = self.engine.inner.embedder.reader().ready() else { return Ok(None) };
        let by = reader.version().to_owned();
        let Known { mut of, missing } = self.engine.store().read(|tx| known(tx, &by, id, rows, from))?;
        let seen: Vec<Utterance<'_>> = rows.iter().map(utterance).collect();
        for (done, batch) in missing.chunks(READ_BATCH).enumerate() {
            control.progress("Reading the conversation", (done * READ_BATCH) as u64, missing.len() as u64);
            if control.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let which: Vec<usize> = batch.iter().map(|(at, _)| *at).collect();
            let read = reader.read(&seen, &which)?;
            let kept: Vec<(i64, StoredReading)> = batch
                .iter()
                .zip(&read)
                .map(|((at, input), reading)| (rows[*at].seq, StoredReading { input: *input, reading: reading.clone() }))
                .collect();
            self.engine.store().write_quietly(|tx| tx.readings().put(id, &kept))?;
            for ((at, _), reading) in batch.iter().zip(read) {
                of[*at] = reading;
            }
        }
        Ok(Some(ReadRows { by, of }))
    }
}

/// A message in the form in which the reader is shown it.
pub(crate) fn utterance(row: &InteractionRow) -> Utterance<'_> {
    Utterance { role: row.role, text: &row.content }
}

/// The readings of a conversation from earlier passes, and the rows that still have to be read.
struct Known {
    /// One reading per row.
    of: Vec<Reading>,
    /// Indexes of the rows to read, with the hash of each row's input.
    missing: Vec<(usize, ReadingInput)>,
}

fn known(tx: &ReadTx<'_>, by: &str, id: &ConversationId, rows: &[InteractionRow], from: usize) -> Result<Known, StoreError> {
    let mut stored = tx.readings().of(id)?;
    let mut known = Known { of: vec![Reading::default(); rows.len()], missing: Vec::new() };
    let shown = shown_from(rows.iter().map(|row| row.content.len()));
    for (at, row) in rows.iter().enumerate().skip(from) {
        if !is_for_reader(row.role, row.message_type, row.is_branch, &row.content) {
            continue;
        }
        let input = input_of(by, &rows[0], &rows[shown[at]..=at]);
        match stored.remove(&row.seq) {
            Some(stored) if stored.input == input => known.of[at] = stored.reading,
            _ => known.missing.push((at, input)),
        }
    }
    Ok(known)
}

impl Conversations<'_> {
    /// The stored readings of these rows, which are all messages of a conversation that are not excluded;
    /// empty for rows not read yet.
    pub(crate) fn readings_kept(
        &self,
        tx: &ReadTx<'_>,
        id: &ConversationId,
        rows: &[InteractionRow],
    ) -> Result<Vec<Reading>, StoreError> {
        match self.engine.inner.embedder.reader().version() {
            Some(by) => known(tx, &by, id, rows, 0).map(|known| known.of),
            None => Ok(vec![Reading::default(); rows.len()]),
        }
    }
}

/// Hash of everything that the reader `by` is shown for a message, which is the last row of `shown`. If any of it changes,
/// the message is read again.
fn input_of(by: &str, opener: &InteractionRow, shown: &[InteractionRow]) -> ReadingInput {
    let mut hash = blake3::Hasher::new();
    hash.update(by.as_bytes());
    for row in std::iter::once(opener).chain(shown) {
        hash.update(row.role.name().as_bytes()).update(&(row.content.len() as u64).to_le_bytes()).update(row.content.as_bytes());
    }
    let mut input = ReadingInput::default();
    hash.finalize_xof().fill(&mut input);
    input
}

/// One reading per turn, for a command that stores nothing; empty for turns that are never read.
pub fn readings(reader: &dyn Reader, turns: &[Turn<'_>], control: &dyn Control) -> Result<Vec<Reading>> {
    let seen: Vec<Utterance<'_>> = turns.iter().map(|turn| Utterance { role: turn.role, text: turn.text }).collect();
    let which: Vec<usize> = (0..turns.len()).filter(|&at| is_read(&turns[at])).collect();
    let mut found = vec![Reading::default(); turns.len()];
    for (done, batch) in which.chunks(READ_BATCH).enumerate() {
        control.progress("Reading the conversation", (done * READ_BATCH) as u64, which.len() as u64);
        if control.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        for (&at, reading) in batch.iter().zip(reader.read(&seen, batch)?) {
            found[at] = reading;
        }
    }
    Ok(found)
}
