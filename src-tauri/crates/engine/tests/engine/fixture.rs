//! An engine in a temporary folder, and helpers to add conversations and read memories.

use std::sync::Arc;

use keepsake_domain::{Clock, ConversationId, DAY_MS, MemoryId, Message};
use keepsake_engine::{EmbedderSlot, EmbedderState, Engine, EngineParts, PluggedIn};
use keepsake_models::fake::{HashEmbedder, SentenceReader};
use keepsake_models::keys::SessionKeys;
use keepsake_store::{AppendContext, MemoryFilter, MemorySort};
use keepsake_testkit::{FixedClock, MONDAY_TEN, SeqIds, conversation};
use tempfile::TempDir;

pub(crate) struct Fixture {
    pub(crate) engine: Engine,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) dir: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::at(MONDAY_TEN));
        let engine = open(&dir, &clock, 1);
        Self { engine, clock, dir }
    }

    /// Simulates a restart of the process: nothing in memory survives, everything in the file does.
    pub(crate) fn restarted(self, seed: u64) -> Self {
        let Self { engine, clock, dir } = self;
        drop(engine);
        Self { engine: open(&dir, &clock, seed), clock, dir }
    }

    pub(crate) fn append(&self, messages: &[Message]) -> ConversationId {
        let ids = SeqIds::new(self.clock.now().0 as u64 ^ messages.len() as u64 ^ 77);
        let context = AppendContext { ids: &ids, now: self.clock.now(), import_id: None };
        self.engine.store().write(|tx| tx.log().append(messages, context)).unwrap();
        let source = &messages[0].source.conversation;
        self.engine.store().read(|tx| tx.log().conversation_by_source(source)).unwrap().unwrap()
    }

    /// Appends a conversation and proposes from it.
    pub(crate) fn propose(&self, id: &str, lines: &str) -> ConversationId {
        let id = self.append(&conversation(id, lines));
        self.engine.review().propose(&id, None, &keepsake_engine::Unwatched).unwrap();
        id
    }

    /// Advances the clock by a day so that everything settles, and runs all derivations.
    pub(crate) fn derive(&self) {
        self.clock.advance_ms(DAY_MS);
        self.engine.topics().queue().unwrap();
        self.engine.people().queue_profiles().unwrap();
        self.engine.conversations().queue_settling().unwrap();
        self.run_due();
    }

    /// Runs the queue until nothing is due.
    pub(crate) fn run_due(&self) {
        let lock = self.engine.queue().lock_worker().unwrap();
        self.engine.queue().run_due(&lock, &|_| {}).unwrap();
    }

    /// `status category subject: content` of every memory, oldest first.
    pub(crate) fn memories(&self) -> Vec<String> {
        self.rows().into_iter().map(|(_, text)| text).collect()
    }

    pub(crate) fn rows(&self) -> Vec<(MemoryId, String)> {
        let (_, rows) =
            self.engine.store().read(|tx| tx.memories().list(&MemoryFilter::default(), MemorySort::Oldest, 0, 1_000)).unwrap();
        rows.into_iter()
            .map(|row| {
                let m = row.memory;
                (m.id, format!("{} {} {}: {}", m.status, m.category, m.subject.as_str(), m.content))
            })
            .collect()
    }

    /// The id of the one memory whose statement contains `words`.
    pub(crate) fn id_of(&self, words: &str) -> MemoryId {
        let found: Vec<_> = self.rows().into_iter().filter(|(_, text)| text.contains(words)).collect();
        assert_eq!(found.len(), 1, "exactly one memory should say {words:?}, found {found:?}");
        found.into_iter().next().unwrap().0
    }

    pub(crate) fn gates(&self) -> Vec<String> {
        self.engine.store().read(|tx| tx.memories().gate_counts()).unwrap().into_iter().map(|(gate, _)| gate).collect()
    }
}

fn open(dir: &TempDir, clock: &Arc<FixedClock>, seed: u64) -> Engine {
    Engine::open(EngineParts {
        data_dir: dir.path().to_owned(),
        clock: Arc::<FixedClock>::clone(clock),
        ids: Arc::new(SeqIds::new(seed)),
        embedder: EmbedderSlot::new(EmbedderState::Ready(Arc::new(HashEmbedder::new()))).with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power: Arc::new(PluggedIn),
    })
    .unwrap()
}
