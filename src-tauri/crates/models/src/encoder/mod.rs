//! The parts that the local models share: the unmodified vocabulary of multilingual-e5-small, and the runtime.
//!
//! Not in this module: the layers on top of the word vectors (`local`, `reader`).

mod pieces;
mod words;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use ort::environment::Environment;
use ort::ep::CPU;
use ort::session::Session;
use ort::session::builder::SessionBuilder;

pub(crate) use pieces::Tokenizer;
pub(crate) use words::{WIDTH, Words};

use crate::ModelError;
use crate::files::{self, Folder};

/// Approximate number of tokens per batch. Small batches release a copy often, so that a search query waits for one batch and
/// not for a whole import. They also keep memory use low: while messages are read, a process takes 400 MB, compared with 630 MB
/// at 1,100 tokens. A larger batch is no faster on a CPU.
const BATCH_TOKENS: usize = 300;

/// Below this number of tokens, a second batch would gain nothing.
const BATCH_TOKENS_MIN: usize = 64;

/// Maximum number of threads. More threads gain little on such short texts, and take cores that the rest of the desktop needs.
const THREADS_MAX: usize = 4;

/// Maximum number of [`Copies`]. Two copies with one thread each are one and a half times as fast as one copy with two threads,
/// because much of the work on such short texts cannot be divided. Each copy of all layers takes about 60 MB.
const COPIES_MAX: usize = 2;

/// The pieces that begin and end a text.
pub(crate) const CLS: u32 = 0;
pub(crate) const SEP: u32 = 2;

/// The vocabulary: how texts are split into pieces, and the vectors of the pieces. It takes about 60 MB, so the models of a
/// process share it.
pub(crate) struct Vocabulary {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) words: Words,
}

/// A vocabulary and the file that it was read from.
type Opened = (PathBuf, Weak<Vocabulary>);

impl Vocabulary {
    /// The vocabulary in this folder. It is loaded once for all models that are in use.
    pub(crate) fn open(folder: &Folder<'_>) -> Result<Arc<Self>, ModelError> {
        static OPEN: Mutex<Option<Opened>> = Mutex::new(None);
        let path = folder.path(files::WORDS);
        let mut open = lock(&OPEN);
        if let Some(known) = open.as_ref().filter(|(of, _)| *of == path).and_then(|(_, known)| known.upgrade()) {
            return Ok(known);
        }
        let tokenizer = pieces::tokenizer(&folder.read(files::TOKENIZER)?).map_err(|error| runtime(&error))?;
        let words = Words::new(folder.read(files::WORDS)?).ok_or_else(|| folder.corrupt(files::WORDS))?;
        let vocabulary = Arc::new(Self { tokenizer, words });
        *open = Some((path, Arc::downgrade(&vocabulary)));
        Ok(vocabulary)
    }
}

/// An error of ONNX Runtime or of the tokenizer.
fn runtime(error: &dyn std::fmt::Display) -> ModelError {
    ModelError::Runtime { reason: error.to_string() }
}

/// Number of threads that a model uses.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX)
}

/// Several copies of the same layers, so that several batches can run at once. The first is open; each other one is opened when a
/// batch has to wait, because most uses of a command run a single batch.
pub(crate) struct Copies<L> {
    first: Mutex<L>,
    others: Vec<OnceLock<Mutex<L>>>,
    open: Box<dyn Fn() -> Result<L, ModelError> + Send + Sync>,
}

impl<L: Send> Copies<L> {
    /// Opens the first of as many copies as this computer can use.
    pub(crate) fn open(open: impl Fn() -> Result<L, ModelError> + Send + Sync + 'static) -> Result<Self, ModelError> {
        let first = Mutex::new(open()?);
        let others = (1..threads().min(COPIES_MAX)).map(|_| OnceLock::new()).collect();
        Ok(Self { first, others, open: Box::new(open) })
    }

    fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// Maximum number of tokens per batch for this total number of tokens, chosen so that every copy gets work.
    pub(crate) fn batch_tokens(&self, total: usize) -> usize {
        total.div_ceil(self.count()).clamp(BATCH_TOKENS_MIN, BATCH_TOKENS)
    }

    /// Runs each batch on a free copy. Returns the results in the order of the batches, or one of the errors.
    ///
    /// A copy is released after each batch, so a short call by another thread does not wait for a long one.
    pub(crate) fn run<B: Send, T: Send, E: Send>(
        &self,
        batches: Vec<B>,
        run: impl Fn(&mut L, B) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let workers = self.count().min(batches.len());
        let waiting = Mutex::new(batches.into_iter().enumerate());
        let work = |worker: usize| -> Result<Vec<(usize, T)>, E> {
            let mut done = Vec::new();
            loop {
                let Some((at, batch)) = lock(&waiting).next() else { return Ok(done) };
                done.push((at, run(&mut self.free(worker), batch)?));
            }
        };
        let found = std::thread::scope(|scope| {
            let others: Vec<_> = (1..workers).map(|worker| scope.spawn(move || work(worker))).collect();
            let mut found = vec![work(0)];
            found.extend(others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
            found
        });
        let mut done: Vec<(usize, T)> = found.into_iter().collect::<Result<Vec<_>, E>>()?.into_iter().flatten().collect();
        done.sort_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    /// A copy that no thread uses, opened now if necessary; if all are used, this worker's own, as soon as it is free.
    fn free(&self, worker: usize) -> MutexGuard<'_, L> {
        let opened = || std::iter::once(&self.first).chain(self.others.iter().filter_map(OnceLock::get));
        if let Some(copy) = opened().find_map(|copy| copy.try_lock().ok()) {
            return copy;
        }
        if let Some(slot) = self.others.iter().find(|slot| slot.get().is_none()) {
            match (self.open)() {
                Ok(layers) => {
                    if let Ok(copy) = slot.get_or_init(|| Mutex::new(layers)).try_lock() {
                        return copy;
                    }
                }
                Err(error) => tracing::warn!(%error, "another copy of a model could not be opened"),
            }
        }
        lock(opened().nth(worker).unwrap_or(&self.first))
    }
}

/// The layers that `open` makes of the files in this folder, and the vocabulary, which is read meanwhile.
pub(crate) fn open_with_vocabulary<L: Send>(
    dir: &Path,
    open: impl Fn(&Folder<'_>) -> Result<L, ModelError> + Send + Sync + 'static,
) -> Result<(Copies<L>, Arc<Vocabulary>), ModelError> {
    let folder = Folder::open(dir)?;
    std::thread::scope(|scope| {
        let vocabulary = scope.spawn(|| Vocabulary::open(&folder));
        let dir = dir.to_owned();
        let layers = Copies::open(move || open(&Folder::open(&dir)?));
        let vocabulary = vocabulary.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((layers?, vocabulary?))
    })
}

/// A session for the graph in a file of this folder, with the runtime that lies beside it.
pub(crate) fn session(folder: &Folder<'_>, file: &str) -> Result<Session, ModelError> {
    let graph = folder.read(file)?;
    let environment = environment(folder.dir())?;
    let open = || -> ort::Result<Session> {
        SessionBuilder::new(&environment)?
            .with_intra_threads(threads().div_ceil(COPIES_MAX))?
            // Otherwise the thread pool keeps a core busy for a while after each batch.
            .with_intra_op_spinning(false)?
            // Otherwise each session keeps the memory of its largest batch.
            .with_memory_pattern(false)?
            .with_execution_providers([CPU::default().with_arena_allocator(false).build()])?
            .commit_from_memory(&graph)
    };
    open().map_err(|error| runtime(&error))
}

/// The only ONNX Runtime environment of the process. Its library is loaded from the model's folder, not from the system. The first
/// call in a process determines the library for the whole process.
fn environment(dir: &Path) -> Result<Environment, ModelError> {
    static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);
    let mut slot = lock(&ENVIRONMENT);
    if let Some(environment) = slot.as_ref() {
        return Ok(environment.clone());
    }
    let builder = ort::init_from(files::library(dir)?).map_err(|error| runtime(&error))?;
    let environment = builder.with_telemetry(false).build().map_err(|error| runtime(&error))?;
    Ok(slot.insert(environment).clone())
}

/// Locks a mutex even if it is poisoned. A panic in one batch leaves neither a model nor the environment in an inconsistent
/// state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    fn copies(count: usize) -> Copies<usize> {
        let next = AtomicUsize::new(1);
        let others = (1..count).map(|_| OnceLock::new()).collect();
        Copies { first: Mutex::new(0), others, open: Box::new(move || Ok(next.fetch_add(1, Ordering::Relaxed))) }
    }

    #[test]
    fn results_are_in_the_order_of_the_batches_however_many_copies_there_are() {
        for (count, batches) in [(1, 0), (1, 7), (2, 1), (2, 50), (3, 2)] {
            let ran = AtomicUsize::new(0);
            let found = copies(count).run((0..batches).collect(), |_, batch| {
                ran.fetch_add(1, Ordering::Relaxed);
                Ok::<_, ()>(batch * 10)
            });
            assert_eq!(found.unwrap(), (0..batches).map(|batch| batch * 10).collect::<Vec<_>>(), "{count} copies");
            assert_eq!(ran.load(Ordering::Relaxed), batches, "each batch runs once");
        }
    }

    #[test]
    fn an_error_of_a_batch_is_returned() {
        let found = copies(2).run((0..9).collect(), |_, batch| if batch == 4 { Err(batch) } else { Ok(batch) });
        assert_eq!(found, Err(4));
    }

    #[test]
    fn a_short_call_does_not_wait_for_a_long_one() {
        let copies = copies(2);
        let (is_running, running) = mpsc::channel();
        let (finish, wait) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                copies.run(vec![wait], |_, wait| {
                    is_running.send(()).unwrap();
                    wait.recv().map_err(drop)
                })
            });
            running.recv().unwrap();
            assert_eq!(copies.run(vec![7], |_, batch| Ok::<_, ()>(batch)), Ok(vec![7]), "on the other copy");
            finish.send(()).unwrap();
        });
    }

    #[test]
    fn another_copy_is_opened_only_when_a_batch_would_wait() {
        let opened = |copies: &Copies<usize>| 1 + copies.others.iter().filter(|copy| copy.get().is_some()).count();
        let copies = copies(2);
        for _ in 0..3 {
            assert_eq!(copies.run(vec![7], |_, batch| Ok::<_, ()>(batch)), Ok(vec![7]));
        }
        assert_eq!(opened(&copies), 1, "one batch at a time needs one copy");
        let inner = |_: &mut usize, batch| copies.run(vec![batch], |_, batch| Ok::<_, ()>(batch));
        assert_eq!(copies.run(vec![8], inner), Ok(vec![vec![8]]));
        assert_eq!(opened(&copies), 2, "the first is in use");
    }

    #[test]
    fn a_copy_that_cannot_be_opened_leaves_the_work_to_the_first() {
        let mut copies = copies(2);
        copies.open = Box::new(|| Err(ModelError::Missing { dir: PathBuf::new() }));
        assert_eq!(copies.run((0..9).collect(), |_, batch| Ok::<_, ()>(batch)), Ok((0..9).collect()));
    }

    #[test]
    fn batches_are_small_enough_for_every_copy_to_have_one() {
        let check = |count: usize, total: usize, expect: usize| assert_eq!(copies(count).batch_tokens(total), expect, "{total}");
        check(1, 10_000, BATCH_TOKENS);
        check(2, 10_000, BATCH_TOKENS);
        check(2, 400, 200);
        check(2, 20, BATCH_TOKENS_MIN);
    }
}
