//! The trained reader: a small network that marks what a message states, trained on text written for this purpose
//! (`src-tauri/training`).
//!
//! The files are checked against hashes built into this program (`training/reader/reader.json`). The weights decide what is
//! proposed about a person, so no other file is accepted. Not in this module: training, and how the marks are used (`capture`).

mod decode;
mod layout;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use keepsake_domain::{Change, Mark, MarkKind, READER_PREFIX, Reading, StatementPair, Utterance};
use ort::session::Session;
use ort::value::Tensor;

use crate::ModelError;
use crate::calibration::Calibration;
use crate::encoder::{Copies, Vocabulary, WIDTH, open_with_vocabulary, session, threads};
use crate::files::{self, Description};
use decode::Scores;
pub use layout::shown_from;
use layout::{Part, Row, Tokens};

/// A message far from the beginning may look like role-play only because of how the conversation opened. It is treated as
/// serious if it contains a fact with at least this probability when read with only the turns right before it. On conversations
/// by authors outside the training set, this adds four correct facts to 2,410, and no wrong ones. The second reading is meant
/// for conversations that continue long after a scene has ended, which are rare among those conversations (decision 41).
const EARNEST_MIN: f64 = 0.6;

/// Number of ways in which a statement can change an earlier one.
const CHANGES: usize = 4;

/// Incremented whenever the same weights read messages differently, so that all messages are read again.
const READING: u8 = 3;

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
    vocabulary: Arc<Vocabulary>,
    layers: Copies<Layers>,
    calibration: Calibration,
}

struct Layers {
    lower: Session,
    /// Layers that mark messages, on top of the lower layers.
    upper: Session,
    /// Layers that compare statements, on top of the lower layers.
    statements: Session,
}

/// The upper layers to run.
#[derive(Clone, Copy, PartialEq)]
enum Task {
    Mark,
    Compare,
}

impl std::fmt::Debug for LocalReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalReader").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Whether there is a reader among these models. Only opening it shows whether it can be used.
pub fn has_reader(model_dir: &Path) -> bool {
    // A relative folder would depend on where the program is started.
    model_dir.is_absolute() && files::reader_folder(model_dir).is_dir()
}

/// Verifies and loads the reader that `make model` prepared in `model_dir`.
///
/// Reads about 125 MB, less if an embedder is open, and takes about a second, so call it off the UI thread, and only when there
/// are messages to read.
pub fn open_reader(model_dir: &Path) -> Result<LocalReader, ModelError> {
    if !has_reader(model_dir) {
        return Err(ModelError::Missing { dir: files::reader_folder(model_dir) });
    }
    let description = Description::built_in()?;
    let (layers, vocabulary) = open_with_vocabulary(model_dir, |folder| {
        let open = |file: &str| session(folder, file);
        Ok(Layers { lower: open(files::LOWER)?, upper: open(files::UPPER)?, statements: open(files::STATEMENTS)? })
    })?;
    let version = version_of(&description);
    tracing::info!(version, threads = threads(), "reader ready");
    Ok(LocalReader { version, vocabulary, layers, calibration: description.calibration })
}

/// The version of the reader: the short hashes of its weights, followed by [`READING`].
fn version_of(description: &Description) -> String {
    let hashes = [files::LOWER, files::UPPER, files::STATEMENTS].map(|name| description.short_hash(name));
    format!("{READER_PREFIX}{}.{READING}", hashes.concat())
}

/// The version of this build's reader, without loading it.
pub fn reader_version() -> Result<String, ModelError> {
    Ok(version_of(&Description::built_in()?))
}

impl Reader for LocalReader {
    fn version(&self) -> &str {
        &self.version
    }

    fn read(&self, turns: &[Utterance<'_>], which: &[usize]) -> Result<Vec<Reading>, ReadError> {
        let mut tokens = Tokens::new(&self.vocabulary.tokenizer);
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
        let mut tokens = Tokens::new(&self.vocabulary.tokenizer);
        let mut rows: Vec<(usize, Row)> = Vec::new();
        for (slot, pair) in pairs.iter().enumerate() {
            let turns: Vec<Utterance<'_>> = [Some(pair.earlier), pair.before, Some(pair.later)].into_iter().flatten().collect();
            let found =
                layout::statement(&turns, &mut tokens).map_err(|reason| ReadError::Batch { messages: pairs.len(), reason })?;
            rows.push((slot, found));
        }
        let mut changes = vec![Change::default(); pairs.len()];
        for (slot, _, change) in self.run_all(rows, |layers, rows| self.compare_batch(layers, rows))? {
            changes[slot] = change;
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
        let rows = rows.into_iter().map(|row| (0, row)).collect();
        for (_, part, scores) in self.run_all(rows, |layers, rows| self.mark_batch(layers, rows))? {
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

    /// Runs the rows in batches of similar length. Returns the result for each message part, with the number passed in with its
    /// row.
    fn run_all<T: Send>(
        &self,
        mut rows: Vec<(usize, Row)>,
        run: impl Fn(&mut Layers, Vec<(usize, Row)>) -> Result<Vec<(usize, Part, T)>, ReadError> + Sync,
    ) -> Result<Vec<(usize, Part, T)>, ReadError> {
        rows.sort_by_key(|(_, row)| row.ids.len());
        let batch_tokens = self.layers.batch_tokens(rows.iter().map(|(_, row)| row.ids.len()).sum());
        let mut batches: Vec<Vec<(usize, Row)>> = Vec::new();
        for row in rows {
            match batches.last_mut().filter(|batch| (batch.len() + 1) * row.1.ids.len() <= batch_tokens) {
                Some(batch) => batch.push(row),
                None => batches.push(vec![row]),
            }
        }
        Ok(self.layers.run(batches, run)?.into_iter().flatten().collect())
    }

    fn mark_batch(&self, layers: &mut Layers, batch: Vec<(usize, Row)>) -> Result<Vec<(usize, Part, Scores)>, ReadError> {
        let length = longest(&batch);
        let mut heads = decode::Heads::default();
        self.run(layers, &batch, Task::Mark, heads.by_name())?;
        let count = batch.len();
        let parts =
            batch.into_iter().enumerate().flat_map(|(i, (slot, row))| row.parts.into_iter().map(move |part| (i, slot, part)));
        let found = parts.map(|(i, slot, part)| {
            let scores = heads.of_part(i, count, length, &part).ok_or(ReadError::Shape)?;
            Ok((slot, part, scores))
        });
        found.collect()
    }

    fn compare_batch(&self, layers: &mut Layers, batch: Vec<(usize, Row)>) -> Result<Vec<(usize, Part, Change)>, ReadError> {
        let (count, length) = (batch.len(), longest(&batch));
        let mut scores = Vec::new();
        self.run(layers, &batch, Task::Compare, [("change", &mut scores)])?;
        let (changes, _) = scores.as_chunks::<CHANGES>();
        if changes.len() != count * length {
            return Err(ReadError::Shape);
        }
        let parts =
            batch.into_iter().enumerate().flat_map(|(i, (slot, row))| row.parts.into_iter().map(move |part| (i, slot, part)));
        let found = parts.map(|(i, slot, part)| {
            let [replaces, same, both, keeps] = changes[i * length + part.role].map(f64::from);
            (slot, part, Change { replaces, same, both, keeps })
        });
        Ok(found.collect())
    }

    /// Runs the layers for a task, and writes the outputs with these names to the given vectors.
    fn run<'h>(
        &self,
        layers: &mut Layers,
        batch: &[(usize, Row)],
        task: Task,
        heads: impl IntoIterator<Item = (&'static str, &'h mut Vec<f32>)>,
    ) -> Result<(), ReadError> {
        let failed = |error: ort::Error| ReadError::Batch { messages: batch.len(), reason: error.to_string() };
        let (count, length) = (batch.len(), longest(batch));
        let mut words = vec![0.0_f32; count * length * WIDTH];
        let (mut roles, mut order) = (vec![0_i64; count * length], vec![layout::PADDING; count * length]);
        for (i, (_, row)) in batch.iter().enumerate() {
            for (k, (&id, &role)) in row.ids.iter().zip(&row.roles).enumerate() {
                let at = i * length + k;
                (roles[at], order[at]) = (i64::from(role), row.order[k]);
                if role == 0 {
                    self.vocabulary.words.write(id, &mut words[at * WIDTH..][..WIDTH]);
                }
            }
        }
        let words = Tensor::from_array(([count, length, WIDTH], words)).map_err(failed)?;
        let roles = Tensor::from_array(([count, length], roles)).map_err(failed)?;
        let order = Tensor::from_array(([count, length], order)).map_err(failed)?;
        let Layers { lower, upper, statements } = layers;
        let lower = lower.run(ort::inputs!["words" => words, "roles" => roles, "order" => order.clone()]).map_err(failed)?;
        let upper = if task == Task::Compare { statements } else { upper };
        let outputs = upper.run(ort::inputs!["lower" => &lower["lower"], "order" => order]).map_err(failed)?;
        for (name, head) in heads {
            let value = outputs.get(name).ok_or(ReadError::Shape)?;
            let (_, numbers) = value.try_extract_tensor::<f32>().map_err(failed)?;
            *head = numbers.to_vec();
        }
        Ok(())
    }
}

/// Length of the longest row of a batch.
fn longest(batch: &[(usize, Row)]) -> usize {
    batch.iter().map(|(_, row)| row.ids.len()).max().unwrap_or(0)
}

/// A reader that can be shared between threads.
pub type SharedReader = Arc<dyn Reader>;
