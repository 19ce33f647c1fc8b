//! The reader's place in the program: loaded when the first message is to be read, and then kept.
//!
//! It takes a second and 95 MB, and most starts read nothing, so nothing is loaded before it is needed. Where it was never prepared,
//! nothing is proposed from what people say; conversations stay unread, the person is told, and they are read once it is there.
//! Deliberately not here: reading itself (`models`), and what becomes of it (`capture`).

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use keepsake_capture::{Turn, is_for_reader, is_read};
use keepsake_domain::{ConversationId, Reading, Utterance};
use keepsake_models::{ModelError, Reader, SharedReader, has_reader, open_reader, reader_version, shown_from};
use keepsake_store::{InteractionRow, ReadTx, ReadingInput, StoreError, StoredReading};

use crate::EngineError;
use crate::work::Control;

type Result<T, E = EngineError> = std::result::Result<T, E>;

/// Messages read between two looks at the cancel button: some two seconds.
const READ_BATCH: usize = 256;

enum State {
    /// Nobody said where to look: this process reads nothing, and another one may.
    None,
    /// Looked for and not found.
    Missing,
    /// In the folder of the local model, not loaded yet.
    At(PathBuf),
    Ready(SharedReader),
    /// It lies there and was not taken, and why.
    Refused(String),
}

/// What a person is told of the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReaderStanding {
    /// In use.
    Ready,
    /// There, and loaded once there is something to read.
    Idle,
    /// Not there: nothing is proposed from what people say.
    Missing,
    /// There, and not taken. The text says why and what to do.
    Refused(String),
}

/// What is said where it was never prepared.
pub(crate) const READER_MISSING: &str = "The reader of statements is not there; run `make model` to prepare it.";

/// What is said beside why it is not there.
pub(crate) const UNREAD: &str =
    "Until then nothing is proposed from your conversations; they are kept, and are read once it is there.";

impl crate::Engine {
    /// Whether it makes sense to queue what is unread. Nothing is loaded for that.
    pub(crate) fn may_read(&self) -> bool {
        !self.inner.embedder.reader().is_known_to_be_absent()
    }

    /// Whether the reader is there, so that conversations can be read. Nothing is loaded for that.
    pub(crate) fn has_reader(&self) -> bool {
        matches!(self.inner.embedder.reader().standing(), ReaderStanding::Ready | ReaderStanding::Idle)
    }
}

/// A place that is filled when it is first asked for.
#[derive(Clone)]
pub struct ReaderSlot {
    state: Arc<Mutex<State>>,
}

impl ReaderSlot {
    fn new(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// No reader, on purpose.
    pub fn none() -> Self {
        Self::new(State::None)
    }

    /// The one in the folder of the local model.
    pub fn at(model_dir: PathBuf) -> Self {
        Self::new(State::At(model_dir))
    }

    /// Puts this reader there.
    pub fn put(&self, reader: SharedReader) {
        self.put_state(State::Ready(reader));
    }

    /// Looks in the folder of this local model when the first message is to be read.
    pub fn look_in(&self, model_dir: PathBuf) {
        self.put_state(State::At(model_dir));
    }

    /// The reader, loaded now if it was not yet.
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

    /// Why the reader that lies there was not taken.
    pub fn refused(&self) -> Option<String> {
        match self.standing() {
            ReaderStanding::Refused(why) => Some(why),
            _ => None,
        }
    }

    /// The version of the reader, if it is there. Nothing is loaded for that.
    pub(crate) fn version(&self) -> Option<String> {
        match &*self.lock() {
            State::Ready(reader) => Some(reader.version().to_owned()),
            State::At(dir) if has_reader(dir) => reader_version().ok(),
            State::None | State::Missing | State::At(_) | State::Refused(_) => None,
        }
    }

    /// Whether it was looked for in vain, or would be. A command that reads nothing itself does not know.
    fn is_known_to_be_absent(&self) -> bool {
        match &*self.lock() {
            State::At(dir) => !has_reader(dir),
            State::Missing | State::Refused(_) => true,
            State::None | State::Ready(_) => false,
        }
    }

    /// Where it stands. Nothing is loaded for that.
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

/// What the reader marked in the messages of a conversation.
#[derive(Debug, Clone)]
pub(crate) struct ReadRows {
    /// By which reader.
    pub(crate) by: String,
    /// One a row; of those that nobody reads, and of those that were not asked for, an empty one.
    pub(crate) of: Vec<Reading>,
}

impl ReadRows {
    /// The reader and the readings of a stretch of the rows.
    pub(crate) fn stretch(&self, rows: Range<usize>) -> (&str, &[Reading]) {
        (&self.by, self.of.get(rows).unwrap_or_default())
    }
}

impl crate::Engine {
    /// Reads the messages of a conversation from the row `from` on; nothing where there is no reader. `rows` are all of its messages on
    /// the record: they are each other's context. What was read before is not read again, and each batch is kept at once.
    pub(crate) fn read_rows(
        &self,
        id: &ConversationId,
        rows: &[InteractionRow],
        from: usize,
        control: &dyn Control,
    ) -> Result<Option<ReadRows>> {
        let Some(reader) = self.inner.embedder.reader().ready() else { return Ok(None) };
        let by = reader.version().to_owned();
        let Known { mut of, missing } = self.store().read(|tx| known(tx, &by, id, rows, from))?;
        let seen: Vec<Utterance<'_>> = rows.iter().map(|row| Utterance { role: row.role, text: &row.content }).collect();
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
            self.store().write_quietly(|tx| tx.put_readings(id, &kept))?;
            for ((at, _), reading) in batch.iter().zip(read) {
                of[*at] = reading;
            }
        }
        Ok(Some(ReadRows { by, of }))
    }
}

/// What was read of a conversation before, in an earlier pass, and what is still to be read.
struct Known {
    /// One a row.
    of: Vec<Reading>,
    /// The rows that are to be read, with what is shown of each.
    missing: Vec<(usize, ReadingInput)>,
}

fn known(tx: &ReadTx<'_>, by: &str, id: &ConversationId, rows: &[InteractionRow], from: usize) -> Result<Known, StoreError> {
    let mut stored = tx.readings(id)?;
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

impl crate::Engine {
    /// The readings that are kept of these rows, all of a conversation on the record; of what was not read yet an empty one.
    pub(crate) fn readings_kept(
        &self,
        tx: &ReadTx<'_>,
        id: &ConversationId,
        rows: &[InteractionRow],
    ) -> Result<Vec<Reading>, StoreError> {
        match self.inner.embedder.reader().version() {
            Some(by) => known(tx, &by, id, rows, 0).map(|known| known.of),
            None => Ok(vec![Reading::default(); rows.len()]),
        }
    }
}

/// Names what the reader `by` is shown of a message, which is the last of `shown`: where any of it changes, it reads anew.
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

/// One reading a turn, for a command that keeps nothing; of those that nobody reads an empty one.
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
