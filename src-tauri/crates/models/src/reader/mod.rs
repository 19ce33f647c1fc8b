//! The trained reader: a small network that marks what a message states, trained on text written for this purpose
//! (`src-tauri/training`).
//!
//! The files are checked against hashes built into this program (`training/reader/reader.json`). The weights decide what is
//! proposed about a person, so no other file is accepted. Not in this module: training, and how the marks are used (`capture`).

mod decode;
mod files;
mod layout;
mod pieces;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use keepsake_domain::{Change, Mark, MarkKind, READER_PREFIX, Reading, StatementPair, Utterance};
use ort::session::Session;
use ort::value::Tensor;

use crate::{ModelError, local};
use decode::{Calibration, Scores};
use files::Description;
pub use layout::shown_from;
use layout::{Part, Row, Tokens};
use pieces::Tokenizer;
use words::Words;

/// Approximate number of tokens per batch of rows, so that the lock is released often and memory use stays low.
const BATCH_TOKENS: usize = 1_100;

/// A message far from the beginning may look like role-play only because of how the conversation opened. It is treated as
/// serious if it contains a fact with at least this probability when read with only the turns right before it. On conversations
/// by authors outside the training set, this adds four correct facts to 2,410, and no wrong ones. It is meant for conversations
/// that continue long after a scene has ended, which are rare in that set (decision 41).
const EARNEST_MIN: f64 = 0.6;

/// Incremented whenever the same weights read messages differently, so that all messages are read again.
const READING: u8 = 3;

/// Maximum number of threads. More threads gain little on such short messages, and take cores that the rest of the desktop needs.
const THREADS_MAX: usize = 4;

/// Marks what messages state. Deterministic: a message in its context always gets the same marks, regardless of what is read
/// together with it.
pub trait Reader: Send + Sync {
    /// Identifies the weights. Stored with all data derived from the marks they produce.
    fn version(&self) -> &str;

    /// Reads the messages `which` (indices into `turns`, in any order), each in the context of the turns before it. Blocks and is
    /// CPU-intensive, so call it off the UI thread.
    fn read(&self, turns: &[Utterance<'_>], which: &[usize]) -> Result<Vec<Reading>, ReadError>;

    /// For each pair, how the later statement affects the earlier one. Blocks like [`Self::read`].
    fn compare(&self, pairs: &[StatementPair<'_>]) -> Result<Vec<Change>, ReadError>;
}

/// Why messages were not read. Errors never contain the text.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The runtime or the tokenizer rejected the batch.
    #[error(
        "the reader failed on a batch of {messages} messages: {reason}; restart Keepsake, and run `make model` if it happens \
         again"
    )]
    Batch {
        /// Number of messages in the batch.
        messages: usize,
        /// The runtime's error message.
        reason: String,
    },
    /// The network's output does not match its description.
    #[error("the reader's output does not match its description; run `make model` to prepare it again")]
    Shape,
}

/// The trained reader, loaded and ready.
pub struct LocalReader {
    version: String,
    session: Mutex<Session>,
    tokenizer: Tokenizer,
    words: Words,
    calibration: Calibration,
}

impl std::fmt::Debug for LocalReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalReader").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Whether there is a reader next to this model. Only opening it shows whether it can be used.
pub fn has_reader(model_dir: &Path) -> bool {
    files::Folder::open(model_dir).is_ok()
}

/// Verifies and loads the reader that `make model` prepared in the folder `reader` of `model_dir`, with the ONNX Runtime library
/// in `model_dir`.
///
/// Reads about 95 MB and takes about a second, so call it off the UI thread, and only when there are messages to read.
pub fn open_reader(model_dir: &Path) -> Result<LocalReader, ModelError> {
    let description = Description::built_in()?;
    let files = files::Folder::open(model_dir)?;
    let runtime = |error: String| ModelError::Runtime { reason: error };
    let tokenizer =
        pieces::tokenizer(&files.read(&description, files::TOKENIZER)?).map_err(|error| runtime(error.to_string()))?;
    let words = Words::new(files.read(&description, files::WORDS)?).ok_or_else(|| files.corrupt(files::WORDS))?;
    let graph = files.read(&description, files::GRAPH)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let session = session(&local::environment(model_dir)?, &graph, threads).map_err(|error| runtime(error.to_string()))?;
    let version = version_of(&description);
    tracing::info!(version, threads, "reader ready");
    Ok(LocalReader { version, session: Mutex::new(session), tokenizer, words, calibration: description.calibration })
}

fn version_of(description: &Description) -> String {
    format!("{READER_PREFIX}{}.{READING}", description.short_hash())
}

/// The version of this build's reader, without loading it.
pub fn reader_version() -> Result<String, ModelError> {
    Ok(version_of(&Description::built_in()?))
}

fn session(environment: &ort::environment::Environment, graph: &[u8], threads: usize) -> ort::Result<Session> {
    ort::session::builder::SessionBuilder::new(environment)?
        .with_intra_threads(threads)?
        // Otherwise the thread pool keeps a core busy for a while after each batch.
        .with_intra_op_spinning(false)?
        .commit_from_memory(graph)
}

impl Reader for LocalReader {
    fn version(&self) -> &str {
        &self.version
    }

    fn read(&self, turns: &[Utterance<'_>], which: &[usize]) -> Result<Vec<Reading>, ReadError> {
        let mut tokens = Tokens::new(&self.tokenizer);
        let found = self.windows(turns, which, &mut tokens)?;
        let hidden: Vec<usize> = (0..which.len())
            .filter(|&slot| layout::shows_opener(which[slot]) && found[slot].iter().any(|(_, scores)| scores.may_be_unmeant()))
            .collect();
        let mut readings: Vec<Reading> = found
            .into_iter()
            .zip(which)
            .map(|(windows, &at)| Reading { marks: decode::marks(turns[at], windows, &self.calibration) })
            .collect();
        for slot in hidden {
            if let Some(earnest) = self.without_opener(turns, which[slot], &mut tokens)? {
                readings[slot] = earnest;
            }
        }
        Ok(readings)
    }

    fn compare(&self, pairs: &[StatementPair<'_>]) -> Result<Vec<Change>, ReadError> {
        let mut tokens = Tokens::new(&self.tokenizer);
        let mut rows: Vec<(usize, Row)> = Vec::new();
        for (slot, pair) in pairs.iter().enumerate() {
            let turns = [pair.earlier, pair.later].map(|text| Utterance { role: pair.role, text });
            let found =
                layout::statement(&turns, &mut tokens).map_err(|reason| ReadError::Batch { messages: pairs.len(), reason })?;
            rows.push((slot, found));
        }
        let mut changes = vec![Change::default(); pairs.len()];
        for (slot, _, scores) in self.run_all(rows)? {
            changes[slot] = scores.change();
        }
        Ok(changes)
    }
}

impl LocalReader {
    /// The network's output for each of these messages, window by window.
    fn windows(
        &self,
        turns: &[Utterance<'_>],
        which: &[usize],
        tokens: &mut Tokens<'_>,
    ) -> Result<Vec<Vec<(Part, Scores)>>, ReadError> {
        let wanted: BTreeSet<usize> = which.iter().copied().collect();
        let rows = layout::rows(turns, &wanted, tokens).map_err(|reason| ReadError::Batch { messages: which.len(), reason })?;
        let mut parts: BTreeMap<usize, Vec<(Part, Scores)>> = BTreeMap::new();
        for (_, part, scores) in self.run_all(rows.into_iter().map(|row| (0, row)).collect())? {
            if wanted.contains(&part.at) {
                parts.entry(part.at).or_default().push((part, scores));
            }
        }
        // The same message may be requested twice.
        Ok(which.iter().map(|at| parts.get(at).cloned().unwrap_or_default()).collect())
    }

    /// Reads a message again without the opener that made it look like role-play. The scene may have ended long ago without any
    /// visible turn saying so. `None` if the message is not clearly serious even then.
    fn without_opener(&self, turns: &[Utterance<'_>], at: usize, tokens: &mut Tokens<'_>) -> Result<Option<Reading>, ReadError> {
        let (late, place) = layout::late(turns, at);
        let windows = self.windows(late, &[place], tokens)?.pop().unwrap_or_default();
        let marks = decode::marks(turns[at], windows, &self.calibration);
        let is_earnest = |mark: &Mark| matches!(mark.kind, MarkKind::Fact(_)) && mark.probability >= EARNEST_MIN;
        Ok(marks.iter().any(is_earnest).then_some(Reading { marks }))
    }

    /// Runs the rows in batches of similar length. Returns the scores of each message part, with the number passed in with its
    /// row.
    fn run_all(&self, mut rows: Vec<(usize, Row)>) -> Result<Vec<(usize, Part, Scores)>, ReadError> {
        rows.sort_by_key(|(_, row)| row.ids.len());
        let mut found = Vec::new();
        let mut rest = rows.into_iter().peekable();
        while rest.peek().is_some() {
            let mut batch: Vec<(usize, Row)> = Vec::new();
            while let Some((_, row)) = rest.peek() {
                if !batch.is_empty() && (batch.len() + 1) * row.ids.len() > BATCH_TOKENS {
                    break;
                }
                batch.extend(rest.next());
            }
            found.extend(self.run(batch)?);
        }
        Ok(found)
    }

    fn run(&self, batch: Vec<(usize, Row)>) -> Result<Vec<(usize, Part, Scores)>, ReadError> {
        let failed = |error: ort::Error| ReadError::Batch { messages: batch.len(), reason: error.to_string() };
        let length = batch.iter().map(|(_, row)| row.ids.len()).max().unwrap_or(0);
        let (count, width) = (batch.len(), words::WIDTH);
        let mut vectors = vec![0.0_f32; count * length * width];
        let (mut roles, mut order) = (vec![0_i64; count * length], vec![layout::PADDING; count * length]);
        for (i, (_, row)) in batch.iter().enumerate() {
            for (k, (&id, &role)) in row.ids.iter().zip(&row.roles).enumerate() {
                let at = i * length + k;
                (roles[at], order[at]) = (i64::from(role), row.order[k]);
                if role == 0 {
                    self.words.write(id, &mut vectors[at * width..][..width]);
                }
            }
        }
        let shape = [count, length];
        let mut session = self.session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let outputs = session
            .run(ort::inputs![
                "words" => Tensor::from_array(([count, length, width], vectors)).map_err(failed)?,
                "roles" => Tensor::from_array((shape, roles)).map_err(failed)?,
                "order" => Tensor::from_array((shape, order)).map_err(failed)?,
            ])
            .map_err(failed)?;
        let mut heads = decode::Heads::default();
        for (name, head) in heads.by_name() {
            let value = outputs.get(name).ok_or(ReadError::Shape)?;
            let (_, numbers) = value.try_extract_tensor::<f32>().map_err(failed)?;
            *head = numbers.to_vec();
        }
        let mut found = Vec::new();
        for (i, (slot, row)) in batch.into_iter().enumerate() {
            for part in row.parts {
                let scores = heads.of_part(i, count, length, &part).ok_or(ReadError::Shape)?;
                found.push((slot, part, scores));
            }
        }
        Ok(found)
    }
}

/// A reader that can be shared between threads.
pub type SharedReader = Arc<dyn Reader>;
