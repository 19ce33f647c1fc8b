//! Tests reading and storing in parallel: however an import ends, complete batches are kept and nothing else.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keepsake_domain::{IdSource, ImportId};
use keepsake_engine::{Control, EmbedderSlot, Engine, EngineError, EngineParts, ImportRequest, PluggedIn, Unwatched};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_testkit::exports::write_chatgpt_export;
use keepsake_testkit::{FixedClock, MONDAY_TEN, SeqIds};
use tempfile::TempDir;

/// Number of messages per batch, as in the engine.
const BATCH: u64 = 2_000;

/// About five megabytes, so that progress is reported once in the middle.
const CONVERSATIONS: usize = 20;
const MESSAGES_EACH: usize = 250;

fn export(dir: &TempDir) -> std::path::PathBuf {
    let path = dir.path().join("conversations.json");
    let mut file = std::fs::File::create(&path).unwrap();
    write_chatgpt_export(&mut file, CONVERSATIONS, MESSAGES_EACH, 7).unwrap();
    path
}

fn engine(dir: &TempDir, ids: impl IdSource + 'static) -> Engine {
    Engine::open(EngineParts {
        data_dir: dir.path().join("data"),
        clock: Arc::new(FixedClock::at(MONDAY_TEN)),
        ids: Arc::new(ids),
        embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })
    .unwrap()
}

fn stored(engine: &Engine) -> u64 {
    engine.store().read(|tx| tx.log().totals()).unwrap().0
}

/// The recorded state of an import, and the number of imported messages.
fn account(engine: &Engine, id: &ImportId) -> (String, u64) {
    let imports = engine.store().read(|tx| tx.sources().imports(10)).unwrap();
    let import = imports.into_iter().find(|import| import.id == *id).unwrap();
    (import.state, import.totals.imported)
}

/// A control that cancels after part of the file was read.
#[derive(Default)]
struct CancelInTheMiddle(Cell<bool>);

impl Control for CancelInTheMiddle {
    fn progress(&self, _stage: &str, done: u64, total: u64) {
        self.0.set(done > 0 && done < total);
    }

    fn is_cancelled(&self) -> bool {
        self.0.get()
    }
}

#[test]
fn a_cancelled_import_keeps_whole_batches_and_the_next_one_brings_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let (path, engine) = (export(&dir), engine(&dir, SeqIds::new(1)));
    let (first, second) = (ImportId::fresh(&SeqIds::new(2)), ImportId::fresh(&SeqIds::new(3)));
    let error = engine.imports().import(&first, &ImportRequest::of(&path), &CancelInTheMiddle::default()).unwrap_err();
    assert!(matches!(error, EngineError::Cancelled), "{error}");
    let kept = stored(&engine);
    assert_eq!(kept % BATCH, 0, "no half batch: {kept}");
    assert_eq!(account(&engine, &first), ("cancelled".to_owned(), kept), "the account says what is there");
    let totals = engine.imports().import(&second, &ImportRequest::of(&path), &Unwatched).unwrap().totals;
    assert_eq!(totals.duplicate, kept);
    assert_eq!(stored(&engine), kept + totals.imported);
    assert!(totals.imported > 0, "it really stopped");
    assert!(engine.store().read(|tx| tx.log().verify_chain()).unwrap().faults.is_empty());
}

/// An id source that repeats itself after a number of ids.
struct WornOut {
    ids: SeqIds,
    left: AtomicU64,
}

impl IdSource for WornOut {
    fn next_uuid(&self) -> uuid::Uuid {
        let is_left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        if is_left { self.ids.next_uuid() } else { SeqIds::new(9).next_uuid() }
    }
}

#[test]
fn an_import_whose_second_batch_cannot_be_stored_keeps_the_first_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    // Storing a message takes two ids: one for the message and one for its salt.
    let ids = WornOut { ids: SeqIds::new(1), left: AtomicU64::new(2 * BATCH + BATCH) };
    let (path, engine) = (export(&dir), engine(&dir, ids));
    let import = ImportId::fresh(&SeqIds::new(2));
    let error = engine.imports().import(&import, &ImportRequest::of(&path), &Unwatched).unwrap_err();
    assert!(matches!(error, EngineError::Store(_)), "the reason is the store's and not that reading stopped: {error}");
    assert_eq!(stored(&engine), BATCH);
    assert_eq!(account(&engine, &import), ("failed".to_owned(), BATCH));
}
