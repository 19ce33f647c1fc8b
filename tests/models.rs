//! The model engine from the job to the store, against a scripted server: a model's replies and failures, and their effects.
//!
//! Prompts and the validation of replies are tested in `capture` and `insight`, and the protocol in `models`.

mod canaries;
mod ended;
mod faults;
mod life;
mod limits;
mod people;
mod playbooks;
mod poison;
mod private;
mod reflection;
mod sessions;
mod topics;
mod trust;
pub(crate) mod yes;

use std::sync::Arc;

use keepsake_domain::{Clock, ConversationId, Engines, JobState, Lane, Message};
use keepsake_engine::{EmbedderSlot, Engine, EngineParts, ModelSettings, PluggedIn, Power, Provider, Step};
use keepsake_models::fake::SentenceReader;
use keepsake_models::keys::SessionKeys;
use keepsake_models::language::Shape;
use keepsake_store::{AppendContext, MemoryFilter, MemorySort};
use keepsake_testkit::scripted_server::ScriptedServer;
use keepsake_testkit::{FixedClock, MONDAY_TEN, SeqIds};
use tempfile::TempDir;

/// Loopback responds within milliseconds, but a computer that is busy with other builds may take seconds.
const TIMEOUT_MS: u64 = 60_000;

/// An engine whose model is a scripted server.
struct Desk {
    engine: Engine,
    clock: Arc<FixedClock>,
    dir: TempDir,
    appended: std::cell::Cell<u64>,
}

impl Desk {
    fn new(server: &ScriptedServer) -> Self {
        Self::with(server, Arc::new(PluggedIn), |_| {})
    }

    fn with(server: &ScriptedServer, power: Arc<dyn Power>, change: impl FnOnce(&mut ModelSettings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::at(MONDAY_TEN));
        let engine = open(&dir, &clock, power, 1);
        let mut settings = ModelSettings {
            engines: Engines::Model,
            provider: Some(Provider {
                shape: Shape::OpenAi,
                url: server.url(),
                model: "tiny:1b".to_owned(),
                // Set explicitly, so that the scripted server receives only model calls.
                context_tokens: Some(32_000),
            }),
            reply_timeout_ms: TIMEOUT_MS,
            ..ModelSettings::default()
        };
        change(&mut settings);
        engine.models().set_settings(&settings).unwrap();
        Self { engine, clock, dir, appended: std::cell::Cell::new(0) }
    }

    /// Ends the process and starts a new one.
    fn restarted(self) -> Self {
        let Self { engine, clock, dir, appended } = self;
        drop(engine);
        let engine = open(&dir, &clock, Arc::new(PluggedIn), 2);
        Self { engine, clock, dir, appended }
    }

    /// Stores a conversation and queues it for extraction.
    fn append(&self, messages: &[Message]) -> ConversationId {
        // A different seed each time, because two batches must not use the same ids.
        self.appended.set(self.appended.get() + 1);
        let ids = SeqIds::new(1_000 + self.appended.get());
        let context = AppendContext { ids: &ids, now: self.clock.now(), import_id: None };
        self.engine.store().write(|tx| tx.log().append(messages, context)).unwrap();
        let source = &messages[0].source.conversation;
        let id = self.engine.store().read(|tx| tx.log().conversation_by_source(source)).unwrap().unwrap();
        self.engine.imports().queue_extraction(std::slice::from_ref(&id)).unwrap();
        id
    }

    /// Runs all jobs that can start now. Returns the final state of the last job in the model lane.
    fn work(&self) -> Option<JobState> {
        let mut last = None;
        loop {
            let mut ran = false;
            for &lane in Lane::ALL {
                while let Step::Ran(_, state) = self.engine.queue().run_next(lane, &|_| {}).unwrap() {
                    ran = true;
                    if lane == Lane::Model {
                        last = Some(state);
                    }
                }
            }
            if !ran {
                return last;
            }
        }
    }

    /// `status category: content [proposers]` of every memory, in order of arrival.
    fn memories(&self) -> Vec<String> {
        let (_, rows) =
            self.engine.store().read(|tx| tx.memories().list(&MemoryFilter::default(), MemorySort::Oldest, 0, 10_000)).unwrap();
        rows.into_iter()
            .map(|row| {
                let m = row.memory;
                format!("{} {} {}: {} [{}]", m.status, m.category, m.subject.as_str(), m.content, m.proposers.join(", "))
            })
            .collect()
    }

    fn alerts(&self) -> Vec<String> {
        self.engine.store().read(|tx| tx.alerts().all()).unwrap().into_iter().map(|alert| alert.message).collect()
    }

    /// The evidence of every pending memory, for debugging a failing test.
    fn quotes(&self) -> Vec<String> {
        let raw = rusqlite::Connection::open(self.engine.store().path()).unwrap();
        let mut statement = raw
            .prepare(
                "SELECT m.content, i.role, i.content FROM memories m JOIN memory_evidence e ON e.memory_id = m.id
                   JOIN interactions i ON i.id = e.interaction_id WHERE m.status = 'pending'",
            )
            .unwrap();
        let rows = statement
            .query_map([], |row| {
                Ok(format!("{} <- {}: {}", row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            })
            .unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    }

    /// `gate content: reason` of every gate log entry.
    #[allow(dead_code)] // For debugging a failing test.
    fn log(&self) -> Vec<String> {
        let (_, rows) = self.engine.store().read(|tx| tx.memories().gate_log(None, None, 0, 500)).unwrap();
        rows.into_iter().map(|row| format!("{} {}: {} [{}]", row.gate, row.content, row.reason, row.proposer)).collect()
    }

    fn stops(&self) -> Vec<(String, u64)> {
        self.engine.store().read(|tx| tx.memories().gate_counts()).unwrap()
    }

    /// The outcomes of all calls, oldest first.
    fn calls(&self) -> Vec<String> {
        let (_, calls) = self.engine.store().read(|tx| tx.model_calls().list(false, 0, 10_000)).unwrap();
        calls.into_iter().rev().map(|call| format!("{} {}", call.purpose, call.outcome)).collect()
    }
}

fn open(dir: &TempDir, clock: &Arc<FixedClock>, power: Arc<dyn Power>, seed: u64) -> Engine {
    Engine::open(EngineParts {
        data_dir: dir.path().to_owned(),
        clock: Arc::<FixedClock>::clone(clock),
        ids: Arc::new(SeqIds::new(seed)),
        embedder: EmbedderSlot::none().with_reader(Arc::new(SentenceReader)),
        zone: keepsake_engine::Zone::UTC,
        keys: Arc::new(SessionKeys::default()),
        power,
    })
    .unwrap()
}
